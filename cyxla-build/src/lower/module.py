"""The MLIR module of a program: looked through, stripped of locations and written at an older StableHLO version."""

from __future__ import annotations

import io
from typing import Any, NamedTuple

from jax.interpreters import mlir
from jaxlib import _jax
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

from . import weights
from .failure import Failure

# Old enough for every plugin that runs programs today, new enough for all that JAX lowers to.
DEFAULT_VERSION = "1.10.0"


class Lowered(NamedTuple):
    """A module as it is shipped, and what a run time must know of it."""

    code: bytes
    version: str
    custom_calls: list[str]
    donated: list[bool]


def finished(
    serialized: bytes, version: str | None, request: dict[str, Any], constants: list[weights.Constant]
) -> Lowered:
    """The module that `jax.export` made, at another StableHLO version, and with the `constants` that are marked in it as
    further arguments.

    JAX writes for readers that are at most four weeks older than itself, and plugins are older than that.
    """
    context = mlir.make_ir_context()
    with context, ir.Location.unknown():
        module = stablehlo.deserialize_portable_artifact(context, serialized)
        weights.to_arguments(module, [_tensor(constant) for constant in constants])
        _refuse_two_bit_concatenation(module)
        if not request["debug_info"]:
            passmanager.PassManager.parse("builtin.module(strip-debuginfo)").run(module.operation)
        version = _checked_version(version)
        return Lowered(_serialized(module, version), version, handled_calls(module, request), _donated(module))


def custom_calls(module: ir.Module) -> set[str]:
    """The targets of the custom calls in a module."""
    calls = (op for op in weights.operations(module.operation) if op.name == "stablehlo.custom_call")
    return {ir.StringAttr(op.attributes["call_target_name"]).value for op in calls}


def handled_calls(module: ir.Module, request: dict[str, Any]) -> list[str]:
    """Those that XLA doesn't replace itself: a run time must have a handler for each."""
    known = request["calls"]
    prefixes = tuple(known["xla_prefixes"])
    return sorted(
        target for target in custom_calls(module) if target not in known["xla"] and not target.startswith(prefixes)
    )


def _tensor(constant: weights.Constant) -> ir.Type:
    return ir.RankedTensorType.get(constant.array.shape, mlir.dtype_to_ir_type(constant.array.dtype))


def _donated(module: ir.Module) -> list[bool]:
    """Which arguments of the main function the program may overwrite."""
    for operation in module.body.operations:
        attributes = operation.operation.attributes
        if "sym_name" not in attributes or ir.StringAttr(attributes["sym_name"]).value != "main":
            continue
        if "arg_attrs" not in attributes:
            return [False] * len(operation.operation.regions[0].blocks[0].arguments)
        return [
            "tf.aliasing_output" in ir.DictAttr(argument) or "jax.buffer_donor" in ir.DictAttr(argument)
            for argument in ir.ArrayAttr(attributes["arg_attrs"])
        ]
    return []


def _refuse_two_bit_concatenation(module: ir.Module) -> None:
    for operation in weights.operations(module.operation):
        if operation.name == "stablehlo.concatenate":
            element = str(ir.RankedTensorType(operation.results[0].type).element_type)
            if element in ("i2", "ui2"):
                raise Failure(
                    "unsupported-dtype",
                    f"it concatenates arrays of {'u' * (element == 'ui2')}int2, which makes XLA end the process",
                    "convert them to int8 before, and back behind it",
                )


def _checked_version(version: str | None) -> str:
    newest, oldest = stablehlo.get_current_version(), stablehlo.get_minimum_version()
    if version is None:
        return min(DEFAULT_VERSION, newest, key=_numbers)
    if not _numbers(oldest) <= _numbers(version) <= _numbers(newest):
        raise Failure(
            "stablehlo-version",
            f"it can't be written at StableHLO {version}: this jaxlib writes {oldest} to {newest}",
            "choose a version in that range, or install another JAX",
        )
    return version


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))


def _serialized(module: ir.Module, version: str) -> bytes:
    bytecode = io.BytesIO()
    module.operation.write_bytecode(bytecode)
    # The last argument lets operations of Shardy stay, which all of jax.random holds. What jaxlib takes: a module from
    # 0.10.2 on, its bytecode before; and before 0.7.2, when there was no Shardy in it, two arguments.
    ways: list[tuple[Any, ...]] = [
        (module, version, True),
        (bytecode.getvalue(), version, True),
        (bytecode.getvalue(), version),
    ]
    for arguments in ways:
        try:
            return bytes(_jax.mlir.serialize_portable_artifact(*arguments))
        except TypeError:
            continue
        except Exception as error:
            raise Failure(
                "stablehlo-version",
                f"it can't be written at StableHLO {version}: {error}",
                "set a newer one with `stablehlo_version`",
            ) from None
    raise Failure("internal", "this jaxlib serialises modules in a way that is not known", "use another version of JAX")
