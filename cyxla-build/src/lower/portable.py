"""Programs without the custom calls that only Python has handlers for: lowered to operations that XLA expands itself, as JAX
does it for platforms without such calls.

For the CPU these are those of LAPACK, and left in unless `linalg = "portable"`, since cyxla has handlers for them. For GPUs
nobody has any but the Python package of the plugin.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from jax._src.interpreters import mlir

from .failure import Failure

# Where JAX keeps the rules that lower to custom calls. Other rules of a platform only choose a faster form.
LINALG = ("jax._src.lax.linalg", "jax.experimental.sparse")
RANDOM = ("jax._src.prng", "jax._src.random")
MODULES = {"cpu": LINALG, "cuda": LINALG + RANDOM, "rocm": LINALG + RANDOM, "tpu": ()}
# What the names of custom calls begin with that the plugins of a platform implement themselves.
OWN_CALLS = {"cpu": (), "cuda": ("__",), "rocm": ("__",), "tpu": ("tpu_custom_call",)}

HELP = 'leave `linalg = "portable"` out, so that it calls a handler of cyxla, or compute it in another way'
HELP_ELSEWHERE = "compute it in another way, or lower this program for the platform cpu only"


class NotPortable(Failure):
    """A primitive that only a custom call does."""

    def __init__(self, primitive: str, platform: str) -> None:
        message = f"it uses the primitive `{primitive}`, which XLA has no operations for: only a custom call does it"
        if platform == "cpu":
            super().__init__("custom-call", message, HELP)
        else:
            message += f", and plugins for {platform} have no handler outside of Python"
            super().__init__("custom-call", message, HELP_ELSEWHERE)
        self.primitive = primitive


def rules(platform: str, linalg: str) -> tuple[tuple[Any, Callable[..., Any]], ...]:
    """For each primitive that becomes a custom call on this platform and must not, the rule that lowers it without.

    That of no platform in particular is as exact as the element type; that for the TPU, where there is no other, uses what
    XLA expands on every platform.
    """
    if platform == "cpu" and linalg != "portable":
        return ()
    # None of it is public. Lowering for another platform is, but then every primitive is lowered for that one.
    general = mlir._lowerings
    by_platform = mlir._platform_specific_lowerings
    found = []
    for primitive, entry in by_platform[platform].items():
        if _module(entry).startswith(MODULES[platform]):
            other = general.get(primitive) or by_platform["tpu"].get(primitive)
            rule = _rule(other) if other else functools.partial(_refused, primitive.name, platform)
            found.append((primitive, rule))
    return tuple(found)


def check(calls: list[str], platform: str, program: dict[str, Any], request: dict[str, Any]) -> None:
    """Asserts that no call is left that nobody answers but those that the user names."""
    if platform == "cpu":
        unwanted = request["calls"]["linalg"] if program["linalg"] == "portable" else []
        left = set(calls) & set(unwanted)
    else:
        left = {call for call in calls if not call.startswith(OWN_CALLS[platform])}
    listed = ", ".join(f"`{target}`" for target in sorted(left - set(program["custom_calls"])))
    if not listed:
        return
    if platform == "cpu":
        raise Failure("custom-call", f"it calls {listed}, which this JAX has no other lowering for", HELP)
    message = f"for the platform {platform} it calls {listed}, which plugins have no handler for outside of Python"
    raise Failure("custom-call", message, HELP_ELSEWHERE)


def _refused(name: str, platform: str, *_: Any, **__: Any) -> Any:
    raise NotPortable(name, platform)


def _rule(entry: Any) -> Callable[..., Any]:
    # JAX registers rules as they are before 0.7, and with options behind that.
    return getattr(entry, "rule", entry)


def _module(entry: Any) -> str:
    rule = _rule(entry)
    while isinstance(rule, functools.partial):
        rule = rule.func
    return getattr(rule, "__module__", None) or ""
