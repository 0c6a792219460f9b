"""Linear algebra without LAPACK: lowered to operations that XLA expands itself, as JAX does it for other platforms."""

from __future__ import annotations

import functools
from typing import Any, Callable

from jax._src.interpreters import mlir

from .failure import Failure

# Where JAX keeps the rules that lower to custom calls on the CPU. Other rules for the CPU only choose a faster form.
MODULES = ("jax._src.lax.linalg", "jax.experimental.sparse")
HELP = 'leave `linalg = "portable"` out, so that it calls a handler of cyxla, or compute it in another way'


class NotPortable(Failure):
    """A primitive of linear algebra that only LAPACK does."""

    def __init__(self, primitive: str) -> None:
        message = f"it uses the primitive `{primitive}`, which XLA has no operations for: only a custom call does it"
        super().__init__("custom-call", message, HELP)
        self.primitive = primitive


def rules() -> tuple[tuple[Any, Callable[..., Any]], ...]:
    """For each primitive that calls LAPACK on the CPU, the rule that lowers it without.

    That of no platform in particular is as exact as the element type; that for the TPU, where there is no other, uses what
    XLA expands on every platform.
    """
    # None of it is public. Lowering for another platform is, but then every primitive is lowered for that one.
    general = mlir._lowerings
    by_platform = mlir._platform_specific_lowerings
    found = []
    for primitive, entry in by_platform["cpu"].items():
        if _module(entry).startswith(MODULES):
            other = general.get(primitive) or by_platform["tpu"].get(primitive)
            found.append((primitive, _rule(other) if other else functools.partial(_refused, primitive.name)))
    return tuple(found)


def check(calls: list[str], program: dict[str, Any], request: dict[str, Any]) -> None:
    """Asserts that no call of LAPACK is left but those that the user names."""
    left = sorted(set(calls) & set(request["calls"]["linalg"]) - set(program["custom_calls"]))
    if left:
        listed = ", ".join(f"`{target}`" for target in left)
        raise Failure("custom-call", f"it calls {listed}, which this JAX has no other lowering for", HELP)


def _refused(name: str, *_: Any, **__: Any) -> Any:
    raise NotPortable(name)


def _rule(entry: Any) -> Callable[..., Any]:
    # JAX registers rules as they are before 0.7, and with options behind that.
    return getattr(entry, "rule", entry)


def _module(entry: Any) -> str:
    rule = _rule(entry)
    while isinstance(rule, functools.partial):
        rule = rule.func
    return getattr(rule, "__module__", None) or ""
