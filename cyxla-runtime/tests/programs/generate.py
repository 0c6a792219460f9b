"""Writes the programs of these tests as StableHLO bytecode: `python generate.py`, with jaxlib.

The files are kept in the repository, so that the tests need no Python.
"""

import pathlib

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

VERSION = "1.10.0"

ELEMENTS = [
    "i1", "i4", "i8", "i16", "i32", "i64", "ui4", "ui8", "ui16", "ui32", "ui64",
    "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU",
    "bf16", "f16", "f32", "f64", "complex<f32>", "complex<f64>",
]  # fmt: skip


def reverse(element):
    kind = f"tensor<3x{element}>"
    return f"""
      func.func public @main(%x: {kind}) -> {kind} {{
        %y = stablehlo.reverse %x, dims = [0] : {kind}
        return %y : {kind}
      }}"""


def custom_call(target, attributes="", kind="tensor<2xf32>"):
    return f"""
      func.func public @main(%x: {kind}) -> {kind} {{
        %y = stablehlo.custom_call @{target}(%x) {{api_version = 4 : i32, backend_config = {{{attributes}}}}}
          : ({kind}) -> {kind}
        return %y : {kind}
      }}"""


# Around the sizes, in bytes, from which arrays are lent and up to which they are staged, and around the alignment.
SIZES = [1, 63, 64, 65, 8191, 8192, 8193, 65535, 65536, 65537]


def invert(size):
    """The bitwise complement of x, and x."""
    kind = f"tensor<{size}xui8>"
    return f"""
      func.func public @main(%x: {kind}) -> ({kind}, {kind}) {{
        %y = stablehlo.not %x : {kind}
        return %y, %x : {kind}, {kind}
      }}"""


PROGRAMS = {
    # 2 sin(x)
    "sine": """
      func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        %two = stablehlo.constant dense<2.0> : tensor<2xf32>
        %sine = stablehlo.sine %x : tensor<2xf32>
        %y = stablehlo.multiply %sine, %two : tensor<2xf32>
        return %y : tensor<2xf32>
      }""",
    # The sums of the rows of x, times scale.
    "rows": """
      func.func public @main(%x: tensor<8x4xf32>, %scale: tensor<f32>) -> tensor<8xf32> {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
        %all = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<8xf32>
        %y = stablehlo.multiply %sums, %all : tensor<8xf32>
        return %y : tensor<8xf32>
      }""",
    "transpose": """
      func.func public @main(%x: tensor<2x3xi32>) -> tensor<3x2xi32> {
        %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
        return %y : tensor<3x2xi32>
      }""",
    # x + y, large enough to be lent.
    "add": """
      func.func public @main(%x: tensor<128x64xf32>, %y: tensor<128x64xf32>) -> tensor<128x64xf32> {
        %z = stablehlo.add %x, %y : tensor<128x64xf32>
        return %z : tensor<128x64xf32>
      }""",
    # x + 1 in the memory of x.
    "donate": """
      func.func public @main(%x: tensor<2048xf64> {tf.aliasing_output = 0 : i32}) -> tensor<2048xf64> {
        %one = stablehlo.constant dense<1.0> : tensor<2048xf64>
        %y = stablehlo.add %x, %one : tensor<2048xf64>
        return %y : tensor<2048xf64>
      }""",
    # x + y in the memory of x, and the sum of y: a step of a simulation.
    "step": """
      func.func public @main(%x: tensor<64x32xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<64x32xf32>)
          -> (tensor<64x32xf32>, tensor<f32>) {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %z = stablehlo.add %x, %y : tensor<64x32xf32>
        %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1]
          : (tensor<64x32xf32>, tensor<f32>) -> tensor<f32>
        return %z, %sum : tensor<64x32xf32>, tensor<f32>
      }""",
    "constant": """
      func.func public @main() -> (tensor<ui8>, tensor<2xi64>) {
        %a = stablehlo.constant dense<7> : tensor<ui8>
        %b = stablehlo.constant dense<[-1, 5000000000]> : tensor<2xi64>
        return %a, %b : tensor<ui8>, tensor<2xi64>
      }""",
    "nothing": """
      func.func public @main(%x: tensor<3xf32>) {
        return
      }""",
    # The empty array, and its sum.
    "empty": """
      func.func public @main(%x: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>) {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
        return %x, %sums : tensor<0x3xf32>, tensor<3xf32>
      }""",
    # x < y and x = y.
    "compare": """
      func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>) {
        %a = stablehlo.compare LT, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %b = stablehlo.compare EQ, %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        return %a, %b : tensor<4xi1>, tensor<4xi1>
      }""",
    # Sorted; plugins can't serialize its comparison.
    "sort": """
      func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %y = "stablehlo.sort"(%x) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
        }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
        return %y : tensor<4xf32>
      }""",
    # x + x, modulo 16.
    "nibbles": """
      func.func public @main(%x: tensor<3xi4>, %y: tensor<3xui4>) -> (tensor<3xi4>, tensor<3xui4>) {
        %a = stablehlo.add %x, %x : tensor<3xi4>
        %b = stablehlo.add %y, %y : tensor<3xui4>
        return %a, %b : tensor<3xi4>, tensor<3xui4>
      }""",
    # More memory than addresses: 2^45 numbers.
    "too_large": """
      func.func public @main(%x: tensor<f32>) -> tensor<f32> {
        %all = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<8388608x4194304xf32>
        %iota = stablehlo.iota dim = 1 : tensor<8388608x4194304xf32>
        %product = stablehlo.multiply %all, %iota : tensor<8388608x4194304xf32>
        %sine = stablehlo.sine %product : tensor<8388608x4194304xf32>
        %sorted = "stablehlo.sort"(%sine) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
        }) {dimension = 1 : i64} : (tensor<8388608x4194304xf32>) -> tensor<8388608x4194304xf32>
        %corner = stablehlo.slice %sorted [0:1, 0:1] : (tensor<8388608x4194304xf32>) -> tensor<1x1xf32>
        %y = stablehlo.reshape %corner : (tensor<1x1xf32>) -> tensor<f32>
        return %y : tensor<f32>
      }""",
    # As above, after taking over x.
    "too_large_donate": """
      func.func public @main(%x: tensor<f32>, %s: tensor<2048xf64> {tf.aliasing_output = 1 : i32})
          -> (tensor<f32>, tensor<2048xf64>) {
        %all = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<8388608x4194304xf32>
        %iota = stablehlo.iota dim = 1 : tensor<8388608x4194304xf32>
        %product = stablehlo.multiply %all, %iota : tensor<8388608x4194304xf32>
        %sorted = "stablehlo.sort"(%product) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
        }) {dimension = 1 : i64} : (tensor<8388608x4194304xf32>) -> tensor<8388608x4194304xf32>
        %corner = stablehlo.slice %sorted [0:1, 0:1] : (tensor<8388608x4194304xf32>) -> tensor<1x1xf32>
        %y = stablehlo.reshape %corner : (tensor<1x1xf32>) -> tensor<f32>
        return %y, %s : tensor<f32>, tensor<2048xf64>
      }""",
    # Attributes of every kind.
    "ffi_attributes": """
      func.func public @main() -> tensor<f32> {
        %y = stablehlo.custom_call @test_attributes() {api_version = 4 : i32, backend_config = {
          flag = true, i8 = -8 : i8, i16 = -16 : i16, i32 = -32 : i32, i64 = -64 : i64,
          u8 = 8 : ui8, u16 = 16 : ui16, u32 = 32 : ui32, u64 = 64 : ui64, f32 = 0.5 : f32, f64 = 0.25 : f64,
          text = "Grüße", none = "",
          numbers = dense<[1, -2, 3]> : tensor<3xi32>, large = dense<5000000000> : tensor<1xi64>,
          reals = dense<[1.5, -2.5]> : tensor<2xf64>, empty = dense<> : tensor<0xf32>,
          nested = {inner = 7 : i32, deeper = {text = "deep"}}
        }} : () -> tensor<f32>
        return %y : tensor<f32>
      }""",
    # Three arguments and three results of other element types and ranks, one without elements.
    "ffi_arrays": """
      func.func public @main(%a: tensor<3xi1>, %b: tensor<2x2xcomplex<f32>>, %c: tensor<0x2xbf16>)
          -> (tensor<3xi1>, tensor<2x2xcomplex<f32>>, tensor<0x2xbf16>, tensor<i32>) {
        %y:4 = stablehlo.custom_call @test_arrays(%a, %b, %c) {api_version = 4 : i32}
          : (tensor<3xi1>, tensor<2x2xcomplex<f32>>, tensor<0x2xbf16>)
          -> (tensor<3xi1>, tensor<2x2xcomplex<f32>>, tensor<0x2xbf16>, tensor<i32>)
        return %y#0, %y#1, %y#2, %y#3
          : tensor<3xi1>, tensor<2x2xcomplex<f32>>, tensor<0x2xbf16>, tensor<i32>
      }""",
    # Three 4-bit integers of each kind, which are handed over as bytes.
    "ffi_nibbles": """
      func.func public @main(%a: tensor<3xi4>, %b: tensor<3xui4>) -> (tensor<3xi4>, tensor<3xui4>) {
        %y:2 = stablehlo.custom_call @test_nibbles(%a, %b) {api_version = 4 : i32}
          : (tensor<3xi4>, tensor<3xui4>) -> (tensor<3xi4>, tensor<3xui4>)
        return %y#0, %y#1 : tensor<3xi4>, tensor<3xui4>
      }""",
    # x in the memory of which y may lie.
    "ffi_in_place": """
      func.func public @main(%x: tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<i32>) {
        %y:2 = stablehlo.custom_call @test_in_place(%x) {api_version = 4 : i32, output_operand_aliases = [
          #stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>
        ]} : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<i32>)
        return %y#0, %y#1 : tensor<2x3xf64>, tensor<i32>
      }""",
    "ffi_separate": """
      func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
        %y = stablehlo.custom_call @test_separate(%x) {api_version = 4 : i32, output_operand_aliases = [
          #stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>
        ]} : (tensor<3xf32>) -> tensor<3xf32>
        return %y : tensor<3xf32>
      }""",
    "ffi_scale": custom_call("test_scale", "factor = 2.5 : f32", "tensor<2x3xf32>"),
    # Calls with one array in and out.
    **{
        f"ffi_{name}": custom_call(f"test_{name}")
        for name in ["early", "late", "fail", "panic", "panic_number", "inside", "double", "count", "unknown"]
    },
} | {f"invert_{size}": invert(size) for size in SIZES} | {f"reverse_{element.replace('<', '_').rstrip('>')}": reverse(element) for element in ELEMENTS}

for name, text in PROGRAMS.items():
    with mlir.make_ir_context():
        module = ir.Module.parse(f"module @{name} {{ {text} }}")
        code = stablehlo.serialize_portable_artifact(module, VERSION)
    pathlib.Path(__file__).with_name(f"{name}.mlirbc").write_bytes(code)
