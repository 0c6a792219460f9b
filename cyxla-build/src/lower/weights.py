"""Large arrays that a program holds: taken out of its module, into files, and made further arguments of it.

While a module is written, each large constant becomes a mark: a custom call without operands. Then the marks become arguments of
the main function, handed down through the functions between.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import os
from typing import Any, Callable, Iterator, NamedTuple

import jax
import numpy as np
from jax._src.interpreters import mlir
from jaxlib.mlir import ir

MARK = "cyxla_weight"
# What refers to another function, and with which attribute.
REFERENCES = {"func.call": "callee", "stablehlo.composite": "decomposition"}
# Elements that share bytes on the device, or have no counterpart in Rust.
NARROW = frozenset("int2 uint2 int4 uint4 float4_e2m1fn float0".split())


class Constant(NamedTuple):
    """An array of the user that is large enough to be taken out."""

    path: str
    array: np.ndarray


class Constants:
    """The constants that were taken out of one module, in the order of their marks."""

    def __init__(self, threshold: int | None, function: Callable[..., Any]) -> None:
        self.found: list[Constant] = []
        self._threshold = threshold
        self._names = _names(function) if threshold is not None else {}
        self._numbers: dict[tuple[Any, ...], int] = {}

    @contextlib.contextmanager
    def taken_out(self) -> Iterator[None]:
        """While this lasts, constants that JAX writes into modules become marks."""
        if self._threshold is None:
            yield
            return
        # There is no public way to register a rule and to take it back.
        rules = mlir._constant_handlers
        wrapped = {kind: rule for kind, rule in rules.items() if issubclass(kind, np.ndarray) or _is_typed(kind)}
        rules.update({kind: functools.partial(self._constant, rule) for kind, rule in wrapped.items()})
        try:
            yield
        finally:
            rules.update(wrapped)

    def _constant(self, rule: Callable[..., Any], value: Any, *rest: Any, **options: Any) -> Any:
        array = np.asarray(getattr(value, "val", value))
        if not self._is_large(array):
            return rule(value, *rest, **options)
        key = (_address(array), array.shape, array.strides, array.dtype)
        number = self._numbers.setdefault(key, len(self.found))
        if number == len(self.found):
            path = self._names.get(key[0], f"constants[{number}]")
            self.found.append(Constant(path, array))
        element = mlir.dtype_to_ir_type(array.dtype)
        kind = ir.RankedTensorType.get(array.shape, element)
        call = mlir.custom_call(MARK, result_types=[kind], operands=[], backend_config=str(number))
        return call.results[0]

    def _is_large(self, array: np.ndarray) -> bool:
        threshold = self._threshold
        if threshold is None or array.nbytes < max(threshold, 1) or array.dtype.name in NARROW:
            return False
        if array.dtype.kind in "OSUM":
            return False
        # Those of one value take no room in a module.
        if 0 in array.strides:
            return False
        first = array.flat[0]
        ends = (array.flat[array.size // 2], array.flat[array.size - 1])
        return any(_bits(end) != _bits(first) for end in ends) or not bool((array == first).all())


def _bits(element: Any) -> bytes:
    return np.asarray(element).tobytes()


def _is_typed(kind: type) -> bool:
    """Whether this is an array of NumPy with a type of JAX, which JAX has since 0.8."""
    return kind.__name__ == "TypedNdArray"


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def is_array(value: Any) -> bool:
    """Whether a value is an array of numbers, as opposed to a number or a key."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind not in "OSUMm"
    return isinstance(value, jax.Array) and not jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key)


def _names(function: Callable[..., Any]) -> dict[int, str]:
    """What the arrays are called that a function closes over, by their addresses."""
    names: dict[int, str] = {}
    for name, value in _closed_over(function):
        try:
            leaves = jax.tree_util.tree_flatten_with_path(value)[0]
        except Exception:
            # Something of the user's that is no pytree has no names to give.
            continue
        for path, leaf in leaves:
            if is_array(leaf) and leaf.size:
                with contextlib.suppress(Exception):
                    names.setdefault(_address(np.asarray(leaf)), name + jax.tree_util.keystr(path))
    return names


def _closed_over(function: Any) -> Iterator[tuple[str, Any]]:
    seen = 0
    while function is not None and seen < 16:
        seen += 1
        owner = getattr(function, "__self__", None)
        if owner is not None and not inspect.ismodule(owner):
            yield "self", owner
        if isinstance(function, functools.partial):
            yield "args", function.args
            yield from function.keywords.items()
            function = function.func
            continue
        inner = getattr(function, "__wrapped__", None)
        if inner is None and inspect.isroutine(function):
            with contextlib.suppress(TypeError, ValueError):
                variables = inspect.getclosurevars(function)
                yield from variables.nonlocals.items()
                yield from variables.globals.items()
        elif inner is None:
            # A model that is called itself.
            yield type(function).__name__, function
        function = inner


def write(array: Any, output: str) -> dict[str, str]:
    """Writes the elements of an array, row major and little endian, into a file that is named for them."""
    elements = np.ascontiguousarray(np.asarray(array)).reshape(-1)
    # Not every type of elements shows its memory itself.
    data = memoryview(elements.view(np.uint8)) if elements.size else memoryview(b"")
    digest = hashlib.sha256(data).hexdigest()
    file = f"{digest[:24]}.weight"
    path = os.path.join(output, file)
    if not os.path.exists(path):
        with open(path, "wb") as stream:
            stream.write(data)
    return {"file": file, "sha256": digest}


def to_arguments(module: ir.Module, kinds: list[ir.Type]) -> None:
    """Has the main function of a module take what is marked in it as arguments behind its own, one for each of `kinds`."""
    if not kinds:
        return
    functions = {
        ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation
        for op in module.body.operations
        if op.operation.name == "func.func"
    }
    marks: dict[str, list[tuple[ir.Operation, int]]] = {name: [] for name in functions}
    calls: dict[str, list[tuple[ir.Operation, str]]] = {name: [] for name in functions}
    for name, function in functions.items():
        for op in operations(function):
            if op.name in REFERENCES:
                callee = ir.FlatSymbolRefAttr(op.attributes[REFERENCES[op.name]]).value
                calls[name].append((op, callee))
            elif op.name == "stablehlo.custom_call" and _target(op) == MARK:
                marks[name].append((op, int(ir.StringAttr(op.attributes["backend_config"]).value)))
    needed = _needed(marks, calls)
    needed["main"] = list(range(len(kinds)))
    for name, function in functions.items():
        given = dict(zip(needed[name], _add_arguments(function, [kinds[number] for number in needed[name]])))
        for op, number in marks[name]:
            op.results[0].replace_all_uses_with(given[number])
            op.erase()
        for op, callee in calls[name]:
            if needed.get(callee):
                _call_with(op, [given[number] for number in needed[callee]])


def operations(operation: ir.Operation) -> Iterator[ir.Operation]:
    """An operation and all within it."""
    # With a stack of its own: functions nest deeper than Python recurses.
    pending = [operation]
    while pending:
        current = pending.pop()
        yield current
        for region in current.regions:
            for block in region:
                pending.extend(inner.operation for inner in block)


def _target(op: ir.Operation) -> str:
    return str(ir.StringAttr(op.attributes["call_target_name"]).value)


def _needed(marks: dict[str, Any], calls: dict[str, Any]) -> dict[str, list[int]]:
    """The marks that each function holds, or passes on to those that it calls."""
    needed = {name: {number for _, number in found} for name, found in marks.items()}
    is_changed = True
    while is_changed:
        is_changed = False
        for name, found in calls.items():
            for _, callee in found:
                if not needed.get(callee, set()) <= needed[name]:
                    needed[name] |= needed[callee]
                    is_changed = True
    return {name: sorted(numbers) for name, numbers in needed.items()}


def _add_arguments(function: ir.Operation, kinds: list[ir.Type]) -> list[ir.Value]:
    if not kinds:
        return []
    block = function.regions[0].blocks[0]
    added = [block.add_argument(kind, ir.Location.unknown()) for kind in kinds]
    before = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    after = ir.FunctionType.get([*before.inputs, *kinds], list(before.results))
    function.attributes["function_type"] = ir.TypeAttr.get(after)
    if "arg_attrs" in function.attributes:
        attributes = list(ir.ArrayAttr(function.attributes["arg_attrs"]))
        attributes += [ir.DictAttr.get({})] * len(kinds)
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
    return added


def _call_with(op: ir.Operation, more: list[ir.Value]) -> None:
    """The same call with further operands."""
    attributes = {}
    for entry in op.attributes:
        # Pairs since 0.8 or so, objects with a name before.
        name = entry if isinstance(entry, str) else getattr(entry, "name", None)
        attributes[name or entry[0]] = op.attributes[name or entry[0]]
    with ir.InsertionPoint(op):
        new = ir.Operation.create(
            op.name,
            results=[result.type for result in op.results],
            operands=[*op.operands, *more],
            attributes=attributes,
        )
    for old, result in zip(op.results, new.results):
        old.replace_all_uses_with(result)
    op.erase()
