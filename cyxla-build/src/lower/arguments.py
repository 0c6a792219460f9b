"""The arguments that a program is traced with, and the leaves of a pytree as the manifest describes them."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, NamedTuple, Sequence

import jax
import jax.export
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from .entry_point import Modules
from .failure import Failure, defined_at, described, from_exception
from .user_code import UserCode
from .weights import is_array

# The element types that cyxla carries, by the names of JAX.
DTYPES = frozenset(
    "bool int4 int8 int16 int32 int64 uint4 uint8 uint16 uint32 uint64 float8_e3m4 float8_e4m3 float8_e4m3fn "
    "float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu bfloat16 float16 float32 float64 "
    "complex64 complex128".split()
)
MAX_RANK = 16
JITTED = type(jax.jit(lambda: None))
SCALARS = (bool, int, float, complex)
ARGS_HELP = 'add `args = "module:example_args"`, a Python function that returns example arguments'


class Leaf(NamedTuple):
    """One array among the arguments: its path, and a value or specification of it."""

    path: str
    value: Any


class Constant(NamedTuple):
    """A leaf that is no array."""

    value: Any


class Bound(NamedTuple):
    """Arguments that are given when a program is lowered: by position, or by keyword."""

    positions: set[int]
    keywords: dict[str, Any]


class Call:
    """A Python function with the arguments that it is traced with.

    The arrays of what is bound are arguments too, behind the others, where they are the weights of the program.
    """

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], bound: Bound, are_weights: bool = True) -> None:
        static = _static_positions(function, len(arguments)) - bound.positions
        self._static = {i: arguments[i] for i in static}
        self._dynamic = [i for i in range(len(arguments)) if i not in static | bound.positions]
        self._bound = sorted(bound.positions)
        self._count = len(arguments)
        self.function = function
        names = _parameter_names(function, len(arguments))
        paths, self._tree = jax.tree_util.tree_flatten_with_path(tuple(arguments[i] for i in self._dynamic))
        self.leaves = [Leaf(names[self._dynamic[path[0].idx]] + keystr(path[1:]), value) for path, value in paths]
        given = {names[i]: arguments[i] for i in self._bound} | bound.keywords
        order = list(given)
        paths, self._bound_tree = jax.tree_util.tree_flatten_with_path(list(given.values()))
        self._keywords = list(bound.keywords)
        # Whatever is no array stays as it is: a size, the name of an activation, a function.
        weights = [are_weights and is_array(value) for _, value in paths]
        self._bound_leaves = [None if weight else Constant(value) for weight, (_, value) in zip(weights, paths)]
        self.weights = [
            Leaf(order[path[0].idx] + keystr(path[1:]), value) for weight, (path, value) in zip(weights, paths) if weight
        ]

    def values(self) -> list[Any]:
        """What it is traced with: arrays, or specifications of them."""
        weights = [jax.ShapeDtypeStruct(np.shape(leaf.value), leaf.value.dtype) for leaf in self.weights]
        return [*(leaf.value for leaf in self.leaves), *weights]

    def run(self, function: Callable[..., Any], leaves: Sequence[Any]) -> Any:
        """The result of `function` where the arrays are `leaves`."""
        dynamic = jax.tree_util.tree_unflatten(self._tree, leaves[: len(self.leaves)])
        weights = iter(leaves[len(self.leaves) :])
        filled = [next(weights) if leaf is None else leaf.value for leaf in self._bound_leaves]
        bound = jax.tree_util.tree_unflatten(self._bound_tree, filled)
        arguments = dict(zip(self._dynamic, dynamic)) | self._static | dict(zip(self._bound, bound))
        keywords = dict(zip(self._keywords, bound[len(self._bound) :]))
        return function(*(arguments[i] for i in range(self._count)), **keywords)

    def donated(self, declared: list[dict[str, Any]] | None) -> list[int]:
        """The positions among the leaves of what is given away: by the declaration in Rust, or by the function itself."""
        named = [i for i, argument in enumerate(declared or ()) if argument["donated"]]
        # Another number of leaves is an error that is told in Rust.
        is_by_leaf = len(declared or ()) == len(self.leaves)
        return sorted({*(named if is_by_leaf else ()), *self._given_away()})

    def _given_away(self) -> list[int]:
        """By `jax.jit(donate_argnums=…)`."""
        if not is_jitted(self.function):
            return []
        traced = self.run(self.function.trace, self.values())
        positional, _ = traced.args_info
        # Those that are static are not among them.
        infos = dict(zip(sorted([*self._dynamic, *self._bound]), positional))
        own = jax.tree_util.tree_leaves([infos[i] for i in self._dynamic if i in infos])
        return [i for i, info in enumerate(own) if info.donated]


def is_jitted(function: Any) -> bool:
    """Whether this is a result of `jax.jit`; the like of other libraries have other ways to be asked."""
    return type(function) is JITTED


def keystr(path: Sequence[Any]) -> str:
    """`[0]['w'].bias`"""
    return jax.tree_util.keystr(tuple(path))


def arguments_of(program: dict[str, Any], function: Any, modules: Modules, code: UserCode) -> Call:
    """The call that `program` asks for, checked against the signature of `function`.

    With `example_args`, a tuple is the list of arguments and anything else is the one argument; a function is called
    to give it. What it gives decides, types and all, because only it knows the pytrees. The declared types are then
    checked in Rust, where the words can be pointed at. But a Python number has no type of its own, and takes the
    declared one.
    """
    declared = program["arguments"]
    if program["example_args"] is None:
        arguments = _from_declared(declared)
    else:
        arguments = _from_example(program["example_args"], modules, code)
    arguments, bound = _with_bound(program, function, arguments, modules, code)
    _check_count(program, function, arguments, bound)
    call = Call(function, arguments, bound, program["weights_from"] is not None)
    if program["example_args"] is not None and declared and len(declared) == len(call.leaves):
        for i, argument in enumerate(declared):
            if argument["type"] and isinstance(call.leaves[i].value, SCALARS):
                call.leaves[i] = call.leaves[i]._replace(value=_specification(argument))
    for leaf in [*call.leaves, *call.weights]:
        _check_leaf(leaf)
    return call


def _with_bound(
    program: dict[str, Any], function: Any, arguments: tuple[Any, ...], modules: Modules, code: UserCode
) -> tuple[tuple[Any, ...], Bound]:
    """The arguments with those among them that are bound."""
    if not program["bind"]:
        return arguments, Bound(set(), {})
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    takes_any = any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters)
    names = [parameter.name for parameter in parameters]
    values = {}
    for bound in program["bind"]:
        if bound["name"] not in names and not takes_any:
            raise Failure(
                "wrong-arguments",
                f"`{bound['name']}` is bound, and the function has no such parameter",
                f"its parameters are: {', '.join(names) or 'none that Python knows'}",
            )
        values[bound["name"]] = _given_by(bound["target"], modules, code, "it must give the value of the argument")
    rest = list(arguments)
    filled: list[Any] = []
    positions = set()
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            break
        if parameter.name in values:
            positions.add(len(filled))
            filled.append(values.pop(parameter.name))
        elif rest:
            filled.append(rest.pop(0))
        else:
            # What is behind one with a default is told by its name.
            break
    return (*filled, *rest), Bound(positions, values)


def _from_declared(declared: list[dict[str, Any]] | None) -> tuple[Any, ...]:
    if declared is None:
        raise Failure("types-missing", "nothing says what arguments it takes", f"declare their types, or {ARGS_HELP}")
    untyped = [f"`{argument['name']}`" for argument in declared if argument["type"] is None]
    if untyped:
        raise Failure(
            "types-missing",
            f"nothing says what type {', '.join(untyped)} {'has' if len(untyped) == 1 else 'have'}",
            f"declare it instead of `_`, or {ARGS_HELP}",
        )
    return tuple(_specification(argument) for argument in declared)


def _specification(argument: dict[str, Any]) -> jax.ShapeDtypeStruct:
    name = argument["type"]["dtype"]
    try:
        dtype = np.dtype(getattr(ml_dtypes, name, name))
    except TypeError:
        raise Failure(
            "unsupported-dtype",
            f"`{argument['name']}` is {name}, which the ml_dtypes {ml_dtypes.__version__} of this Python doesn't have",
            "install a newer ml_dtypes",
        ) from None
    return jax.ShapeDtypeStruct(tuple(argument["type"]["shape"]), dtype)


def _from_example(target: str, modules: Modules, code: UserCode) -> tuple[Any, ...]:
    value = _given_by(target, modules, code, "it must give the example arguments when it is called without any")
    return value if type(value) is tuple else (value,)


def _given_by(target: str, modules: Modules, code: UserCode, help: str) -> Any:
    """The value at an entry point; what it returns, if it is a function."""
    value = modules.resolve(target)
    # A model may be callable too, and is a value.
    if inspect.isroutine(value) or isinstance(value, functools.partial) or is_jitted(value):
        try:
            value = value()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise from_exception(
                "example-args",
                f"`{target}` failed: {described(error)}",
                help,
                error,
                code,
                defined_at(value, code),
            ) from None
    return value


def _check_count(program: dict[str, Any], function: Any, arguments: tuple[Any, ...], bound: Bound) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        # Some functions of C have none; the call will tell.
        return
    try:
        signature.bind(*arguments, **bound.keywords)
    except TypeError as error:
        name = program["target"].partition(":")[2]
        if program["example_args"] is not None:
            count = len(arguments) - len(bound.positions)
            many = f"{count} argument{'' if count == 1 else 's'}"
            given = f"`{program['example_args']}` gives {many}"
            help = "a tuple is the list of arguments, anything else is one argument; give as many as the function takes"
        else:
            given = f"Rust has ({', '.join(_worded(argument) for argument in program['arguments'])})"
            help = f"give the Rust function as many parameters as the Python function has, or {ARGS_HELP}"
        raise Failure(
            "wrong-arguments",
            f"wrong number of arguments: Python has `{name}{signature}`, {given}: {error}",
            help,
        ) from None


def _worded(argument: dict[str, Any]) -> str:
    if argument["type"] is None:
        return f"{argument['name']}: _"
    shape = ",".join(str(length) for length in argument["type"]["shape"])
    return f"{argument['name']}: {argument['type']['dtype']}[{shape}]"


def _check_leaf(leaf: Leaf) -> None:
    value = leaf.value
    if isinstance(value, SCALARS):
        return
    if not (hasattr(value, "shape") and hasattr(value, "dtype")):
        raise Failure(
            "argument-not-array",
            f"the argument `{leaf.path}` is of type {_type_name(value)}, which is no array",
            "pass only arrays, numbers and pytrees of them; bind anything else in Python, with functools.partial or "
            "`static_argnames` and a default",
        )
    symbolic = [str(length) for length in value.shape if jax.export.is_symbolic_dim(length)]
    if symbolic:
        raise Failure(
            "symbolic-dimension",
            f"the argument `{leaf.path}` has a symbolic dimension, {', '.join(symbolic)}: "
            f"{value.dtype}[{','.join(str(length) for length in value.shape)}]",
            "an array in Rust has a length; use one program for each length that is needed",
        )
    wanted = array_type(value.shape, value.dtype, f"the argument `{leaf.path}`")["dtype"]
    got = str(jax.dtypes.canonicalize_dtype(value.dtype)) if not _is_key(value.dtype) else wanted
    if wanted != got:
        raise Failure(
            "dtype-changed",
            f"the argument `{leaf.path}` is {wanted}, which JAX would turn into {got} without 64-bit types",
            f"say `x64 = true` for this program, or give {got}",
        )


def array_type(shape: Sequence[int], dtype: Any, what: str) -> dict[str, Any]:
    """The type of an array as it is in the module, where a PRNG key is made of `uint32`."""
    if _is_key(dtype):
        data = jax.eval_shape(jax.random.key_data, jax.ShapeDtypeStruct(tuple(shape), dtype))
        shape, dtype = data.shape, data.dtype
    name = np.dtype(dtype).name
    if name not in DTYPES:
        raise Failure(
            "unsupported-dtype",
            f"{what} is of the element type {'float0' if dtype == jax.dtypes.float0 else name}, "
            "which has no counterpart in Rust",
            "convert it in Python: on the way in and out use one of " + ", ".join(sorted(DTYPES)),
        )
    if len(shape) > MAX_RANK:
        raise Failure(
            "unsupported-dtype", f"{what} has {len(shape)} axes, more than {MAX_RANK}", "reshape it in Python"
        )
    return {"dtype": name, "shape": [int(length) for length in shape]}


def result_leaves(result: Any) -> list[Leaf]:
    """The arrays of a result; anything else among them is a failure."""
    leaves = []
    for path, value in jax.tree_util.tree_flatten_with_path(result)[0]:
        path = "result" + keystr(path)
        is_array = isinstance(value, (jax.Array, *SCALARS)) or hasattr(value, "__jax_array__")
        if isinstance(value, (np.ndarray, np.generic)):
            is_array = value.dtype.kind not in "OSUMmV" or value.dtype.name in DTYPES
        if not is_array:
            raise Failure(
                "output-not-array",
                f"it returns something that is no array: `{path}` is of type {_type_name(value)}",
                "return only arrays, numbers and pytrees of them (register a class of your own with "
                "jax.tree_util.register_dataclass)",
            )
        leaves.append(Leaf(path, value))
    return leaves


def _type_name(value: Any) -> str:
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return f"{name} ({value.dtype})" if isinstance(value, np.ndarray) else name


def _is_key(dtype: Any) -> bool:
    return bool(jnp.issubdtype(dtype, jax.dtypes.prng_key))


def _static_positions(function: Any, count: int) -> set[int]:
    """The arguments that `jax.jit` was told to take as constants. There is no public way to ask."""
    info = getattr(function, "_jit_info", None)
    static = getattr(info, "static_argnums", None) or ()
    return {i % count for i in static if -count <= i < count}


def _parameter_names(function: Any, count: int) -> list[str]:
    """The name of the parameter that takes each of `count` positional arguments: `x`, or `rest[0]` of `*rest`."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names: list[str] = []
    for parameter in parameters:
        if parameter.kind == parameter.VAR_POSITIONAL:
            rest = count - len(names)
            names += [f"{parameter.name}[{i}]" for i in range(rest)]
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    return (names + [f"args[{i}]" for i in range(len(names), count)])[:count]
