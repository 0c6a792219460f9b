"""Has JAX lower one program."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any, Callable, Iterator

import jax
import numpy as np
from jax import export

from . import module, portable, weights
from .arguments import Call, Leaf, array_type, arguments_of, is_jitted, result_leaves
from .entry_point import Modules
from .failure import Failure, Location, defined_at, described, from_exception
from .user_code import UserCode

CALLBACK_HELP = {
    "pure_callback": "write it in JAX, or compute it in Rust and pass it as an argument",
    "io_callback": "return the value from the program and do the rest in Rust",
    "debug_callback": "remove jax.debug.print and jax.debug.callback from what Rust calls, or return the value",
    "debug_print": "remove jax.debug.print from what Rust calls, or return the value",
}
ERROR_IF_HELP = (
    "let equinox's checks give NaN instead of an exception: set the environment variable EQX_ON_ERROR=nan "
    "(it is {value!r} now), or remove eqx.error_if"
)


def lower(program: dict[str, Any], request: dict[str, Any], modules: Modules, code: UserCode) -> dict[str, Any]:
    """The answer for one program; its module is written into the folder of the output."""
    function = modules.resolve(program["target"])
    if program["example_args"] is not None:
        modules.resolve(program["example_args"])
    for bound in program["bind"]:
        modules.resolve(bound["target"])
    x64 = program["x64"] or (not program["x64_explicit"] and _asks_for_x64(program, modules))
    jax.config.update("jax_enable_x64", x64)
    location = defined_at(function, code)
    try:
        lowered = _lower(program, request, function, modules, code)
    except Failure as failure:
        raise failure.at(location)
    return {**lowered, "x64": x64, "location": location and _relative(location, request["package_root"])}


def _asks_for_x64(program: dict[str, Any], modules: Modules) -> bool:
    """Whether the user's code turns x64 on when it is imported: then JAX runs the function with x64, and so do we."""
    targets = [program["target"], program["example_args"], *(bound["target"] for bound in program["bind"])]
    return any(modules.turns_on_x64(target) for target in targets if target)


def _lower(
    program: dict[str, Any], request: dict[str, Any], function: Any, modules: Modules, code: UserCode
) -> dict[str, Any]:
    if not callable(function):
        raise Failure(
            "not-callable",
            f"it is of type {type(function).__name__}, which can't be called",
            "name a function of JAX arrays",
        )
    call = arguments_of(program, function, modules, code)
    results: list[Leaf] = []
    constants = weights.Constants(program["weights_from"], function)
    traced, jitted = _trace(program, call, results, code)
    with constants.taken_out():
        exports = [
            _export_for(platform, program, request, call, traced, jitted, code) for platform in program["platforms"]
        ]
    # All are exported before one is finished, so that their modules take the same constants.
    finished = [
        _finish(platform, exported, program, request, constants)
        for platform, exported in zip(program["platforms"], exports)
    ]
    exported, lowered = exports[0], finished[0]
    own = len(call.leaves) + len(call.weights)
    taken = {len(lowered.donated) - len(constants.found), len(exported.in_avals), own}
    if len(taken) != 1 or len(exported.out_avals) != len(results):
        raise _other_arguments()
    return {
        "platform": program["platforms"][0],
        "other_platforms": [
            _other_platform(platform, other, lowered, program, request["output"])
            for platform, other in zip(program["platforms"][1:], finished[1:])
        ],
        "inputs": [
            {"path": leaf.path, "type": array_type(aval.shape, aval.dtype, f"the argument `{leaf.path}`"), "donated": d}
            for leaf, aval, d in zip(call.leaves, exported.in_avals, lowered.donated)
        ],
        "outputs": [
            {"path": leaf.path, "type": array_type(aval.shape, aval.dtype, f"the result `{leaf.path}`")}
            for leaf, aval in zip(results, exported.out_avals)
        ],
        "weights": _weights(call, constants, request["output"]),
        "custom_calls": lowered.custom_calls,
        "stablehlo_version": lowered.version,
        "calling_convention": exported.calling_convention_version,
        "code_file": _write(lowered.code, program["target"], request["output"]),
    }


def _export_for(
    platform: str, program: dict[str, Any], request: dict[str, Any], call: Call, traced: Any, jitted: Any, code: UserCode
) -> export.Exported:
    """The program for one platform."""
    exported = _export(platform, program, request, call, traced, jitted, code)
    if exported.nr_devices != 1:
        raise Failure(
            "devices",
            f"it is written for {exported.nr_devices} devices",
            "a program runs on one device: remove meshes, shardings and shard_map from what Rust calls",
        )
    _check_effects(exported)
    return exported


def _finish(
    platform: str,
    exported: export.Exported,
    program: dict[str, Any],
    request: dict[str, Any],
    constants: weights.Constants,
) -> module.Lowered:
    serialized = exported.mlir_module_serialized
    lowered = module.finished(serialized, program["stablehlo_version"], request, constants.found)
    portable.check(lowered.custom_calls, platform, program, request)
    return lowered


def _other_platform(
    platform: str, lowered: module.Lowered, first: module.Lowered, program: dict[str, Any], output: str
) -> dict[str, Any]:
    """What is different for one more platform."""
    if lowered.donated != first.donated or lowered.version != first.version:
        raise _other_arguments()
    return {
        "platform": platform,
        "custom_calls": lowered.custom_calls,
        "code": _write(lowered.code, program["target"], output),
    }


def _other_arguments() -> Failure:
    return Failure(
        "internal", "the module that JAX made has other arguments than its function", "use another version of JAX"
    )


def _trace(program: dict[str, Any], call: Call, results: list[Leaf], code: UserCode) -> tuple[Any, Any]:
    """The traced program. It takes and gives arrays, not pytrees: so `keep_unused` and donation are by leaf, whatever
    options the function itself was jitted with; those stay inside."""

    def flat(function: Callable[..., Any]) -> Callable[..., Any]:
        def main(*cyxla_leaves: Any) -> Any:
            results[:] = result_leaves(call.run(function, cyxla_leaves))
            return tuple(leaf.value for leaf in results)

        # It names the module.
        main.__name__ = re.sub(r"\W", "_", program["target"].rpartition(":")[2])
        return main

    values = call.values()
    try:
        donated = call.donated(program["arguments"])
        jitted = jax.jit(flat(call.function), keep_unused=True, donate_argnums=donated)
        return jitted.trace(*values), jitted
    except (Failure, KeyboardInterrupt):
        raise
    except BaseException as error:
        if is_jitted(call.function) and isinstance(error, TypeError):
            # The function's own jit has met what it returns first, and doesn't say it as clearly.
            _find_bad_result(flat(call.function.__wrapped__), values)
        raise _trace_failure(error, call, code) from None


def _find_bad_result(main: Callable[..., Any], values: list[Any]) -> None:
    try:
        jax.eval_shape(main, *values)
    except Failure:
        raise
    except BaseException:
        # The trace fails for another reason, which is known already.
        return


def _trace_failure(error: BaseException, call: Call, code: UserCode) -> Failure:
    if isinstance(error, SystemExit):
        message, help = f"it calls sys.exit({error.code!r})", "raise an exception, or return a value"
    elif isinstance(error, jax.errors.ConcretizationTypeError | jax.errors.TracerArrayConversionError):
        message = f"tracing it failed, because Python needs the value of an array: {described(error)}"
        help = "use jnp.where, jax.lax.cond, jax.lax.fori_loop and jax.numpy instead of if, for and NumPy on arrays"
    else:
        message = f"tracing it failed: {described(error)}"
        help = "the function must run under jax.jit for arguments of these types; the traceback says which line doesn't"
    failure = from_exception("trace-failed", message, help, error, code)
    failure.message = _in_users_words(failure.message, call, code)
    failure.traceback = _in_users_words(failure.traceback or "", call, code)
    return failure


def _in_users_words(text: str, call: Call, code: UserCode) -> str:
    """What JAX says of the traced function and its arguments, said of the user's."""
    place = defined_at(call.function, code)
    own = re.escape(__file__) + r":\d+"
    text = re.sub(own, lambda _: f"{place.file}:{place.line}" if place else "an unknown place", text)
    leaves = [*call.leaves, *call.weights]
    return re.sub(r"\bcyxla_leaves\[(\d+)\]", lambda found: leaves[int(found[1])].path, text)


def _export(
    platform: str, program: dict[str, Any], request: dict[str, Any], call: Call, traced: Any, jitted: Any, code: UserCode
) -> export.Exported:
    # Export has no promise for some of linear algebra; the handlers of cyxla keep to it.
    allowed = [*request["calls"]["linalg"], *program["custom_calls"], weights.MARK]
    checks = [export.DisabledSafetyCheck.custom_call(target) for target in allowed]
    # Handed over only where wanted: it is no public argument.
    rules = portable.rules(platform, program["linalg"])
    override = {"_override_lowering_rules": rules} if rules else {}
    values = call.values()
    try:
        return export.export(jitted, platforms=[platform], disabled_checks=checks, **override)(*values)
    except KeyboardInterrupt:
        raise
    except portable.NotPortable as refused:
        places = (_place(e, code)[0] for e in _equations(traced.jaxpr) if e.primitive.name == refused.primitive)
        raise refused.at(next(places, None)) from None
    except BaseException as error:
        equations = list(_equations(traced.jaxpr))
        _refuse_callbacks(equations, code)
        if isinstance(error, ValueError) and "custom call" in str(error):
            _refuse_custom_calls(platform, program, request, traced, equations, code)
        raise from_exception(
            "trace-failed",
            f"JAX can't lower it for the platform {platform}: {described(error)}",
            "the function must run under jax.jit on this platform; the traceback says which line doesn't",
            error,
            code,
        ) from None


def _refuse_callbacks(equations: list[Any], code: UserCode) -> None:
    for equation in equations:
        name = equation.primitive.name
        if "callback" not in name and name not in CALLBACK_HELP:
            continue
        place, through_equinox = _place(equation, code)
        if through_equinox:
            help = ERROR_IF_HELP.format(value=os.environ.get("EQX_ON_ERROR"))
        else:
            help = CALLBACK_HELP.get(name, CALLBACK_HELP["pure_callback"])
        message = f"it calls back into Python, with `{name}`, and there is no Python at run time"
        raise Failure("host-callback", message, help, place)


def _refuse_custom_calls(
    platform: str,
    program: dict[str, Any],
    request: dict[str, Any],
    traced: Any,
    equations: list[Any],
    code: UserCode,
) -> None:
    from jax._src.export import _export as implementation

    # The list of what export has a promise for is not public; without it every target is named.
    promised = getattr(implementation, "_CUSTOM_CALL_TARGETS_GUARANTEED_STABLE", frozenset())
    lowered = traced.lower(lowering_platforms=(platform,)).compiler_ir("stablehlo")
    known = {*request["calls"]["linalg"], *program["custom_calls"], *promised}
    unknown = sorted(set(module.handled_calls(lowered, request)) - known)
    if not unknown:
        return
    places = (_place(equation, code)[0] for equation in equations if equation.params.get("target_name") in unknown)
    listed = ", ".join(f"`{target}`" for target in unknown)
    quoted = ", ".join(f'"{target}"' for target in unknown)
    raise Failure(
        "custom-call",
        f"it calls {listed}, for which JAX promises no stable interface",
        f"if the program registers a handler at run time, say so with `custom_calls = [{quoted}]`",
        next(places, None),
    )


def _check_effects(exported: export.Exported) -> None:
    if exported.ordered_effects:
        effects = ", ".join(str(effect) for effect in exported.ordered_effects)
        raise Failure(
            "host-callback", f"it has side effects in a fixed order: {effects}", "return values instead of side effects"
        )


def _weights(call: Call, constants: weights.Constants, output: str) -> list[dict[str, Any]]:
    """What the module takes behind the arguments of the user, in its order."""
    bound = [(leaf.path, leaf.value, True) for leaf in call.weights]
    closed_over = [(constant.path, constant.array, False) for constant in constants.found]
    return [
        {
            "path": path,
            "type": array_type(np.shape(value), value.dtype, f"the weights `{path}`"),
            "bound": is_bound,
            **weights.write(value, output),
        }
        for path, value, is_bound in [*bound, *closed_over]
    ]


def _equations(jaxpr: Any) -> Iterator[Any]:
    """The equations of a jaxpr and of all within it, each once."""
    pending, seen = [jaxpr], set()
    while pending:
        current = pending.pop()
        if isinstance(current, (tuple, list)):
            pending.extend(reversed(current))
        elif hasattr(current, "eqns"):
            if id(current) not in seen:
                seen.add(id(current))
                for equation in current.eqns:
                    yield equation
                    pending.extend(equation.params.values())
        elif hasattr(current, "jaxpr"):
            pending.append(current.jaxpr)


def _place(equation: Any, code: UserCode) -> tuple[Location | None, bool]:
    """The line of the user's code that an equation comes from, and whether it came through equinox."""
    traceback = equation.source_info.traceback
    through_equinox = False
    for frame in traceback.frames if traceback else []:
        if code.is_user(frame.file_name):
            return Location(frame.file_name, frame.line_num), through_equinox
        through_equinox |= "equinox" in frame.file_name.replace("\\", "/").split("/")
    return None, through_equinox


def _relative(location: Location, package_root: str) -> dict[str, Any]:
    """The place as the manifest holds it: without the name of any folder of this machine."""
    try:
        file = os.path.relpath(location.file, package_root)
    except ValueError:
        file = os.path.pardir
    if file.split(os.sep)[0] == os.path.pardir:
        file = os.path.basename(location.file)
    return {"file": file.replace(os.sep, "/"), "line": location.line}


def _write(code: bytes, target: str, output: str) -> dict[str, str]:
    digest = hashlib.sha256(code).hexdigest()
    name = re.sub(r"\W", "_", target.rpartition(":")[2].rpartition(".")[2])
    file = f"{name}-{digest[:12]}.mlirbc"
    with open(os.path.join(output, file), "wb") as stream:
        stream.write(code)
    return {"file": file, "sha256": digest}
