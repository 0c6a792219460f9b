"""What can go wrong, as the build script is told."""

from __future__ import annotations

import os
import sys
import traceback
from types import CodeType
from typing import Any, NamedTuple

from .user_code import UserCode


class Location(NamedTuple):
    """A place in Python source."""

    file: str
    line: int


class Failure(Exception):
    """A program, or all of them, that can't be lowered, with the remedy."""

    def __init__(
        self, kind: str, message: str, help: str, location: Location | None = None, traceback: str | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.help = help
        self.location = location
        self.traceback = traceback

    def at(self, location: Location | None) -> Failure:
        """This failure, at `location` unless it has a place of its own."""
        self.location = self.location or location
        return self

    def to_json(self) -> dict[str, Any]:
        """The failure as the answer holds it."""
        return {
            "kind": self.kind,
            "message": _printable(self.message),
            "help": self.help,
            "location": self.location and {"file": self.location.file, "line": self.location.line},
            "traceback": self.traceback and _printable(self.traceback),
        }


def _printable(text: str, most: int = 8000) -> str:
    """The text without control characters, and without its middle if it is too long to be read."""
    if len(text) > most:
        text = f"{text[: most // 2]}\n[… {len(text) - most} characters …]\n{text[-most // 2 :]}"
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def described(error: BaseException) -> str:
    """The type and the first line of an exception: `TypeError: unsupported operand`."""
    name = type(error).__name__
    try:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    except Exception:
        return f"{name}, which can't be printed"
    return f"{name}: {lines[0][:500]}" if lines else name


def how_to_install(package: str) -> str:
    """What to do about a package that this Python lacks."""
    # Written by python/managed.rs. Such an environment is shared, and made anew elsewhere.
    if os.path.exists(os.path.join(sys.prefix, "cyxla-complete.json")):
        return f"add {package} to the requirements file that this Python environment is made from"
    return f"install it for this Python: {sys.executable} -m pip install {package}"


def from_exception(
    kind: str, message: str, help: str, error: BaseException, code: UserCode, location: Location | None = None
) -> Failure:
    """A failure that an exception of the user's code caused, with its traceback and the place that raised it."""
    return Failure(kind, message, help, raised_at(error, code) or location, trimmed_traceback(error, code))


def raised_at(error: BaseException, code: UserCode) -> Location | None:
    """The innermost line of the user's code that the exception passed through."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno and code.is_user(error.filename):
        return Location(error.filename, error.lineno)
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if code.is_user(frame.f_code.co_filename):
            found = Location(frame.f_code.co_filename, line)
    return found


def trimmed_traceback(error: BaseException, code: UserCode) -> str:
    """The traceback without frames of JAX, of the import system and of this package: those say nothing to a user."""
    report = traceback.TracebackException.from_exception(error)
    _trim(report, code, set())
    return "".join(report.format()).rstrip()


def _trim(report: traceback.TracebackException, code: UserCode, seen: set[int]) -> None:
    if id(report) in seen:
        return
    seen.add(id(report))
    kept = [frame for frame in report.stack if not code.is_machinery(frame.filename)]
    report.stack = traceback.StackSummary.from_list(kept)
    for other in (report.__cause__, report.__context__):
        if other is not None:
            _trim(other, code, seen)


def defined_at(function: Any, code: UserCode) -> Location | None:
    """Where a function is defined: the line of its `def`, not of its decorators."""
    found = _code_of(function)
    if found is None or not code.is_user(found.co_filename):
        return None
    return Location(found.co_filename, _line_of_def(found))


def _code_of(function: Any) -> CodeType | None:
    """The code object below decorators, `functools.partial`, bound methods and callable objects."""
    for _ in range(64):
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            return code
        for inner in ("__wrapped__", "__func__", "func"):
            if getattr(function, inner, None) is not None:
                function = getattr(function, inner)
                break
        else:
            function = getattr(type(function), "__call__", None)
    return None


def _line_of_def(code: CodeType) -> int:
    import linecache

    first = code.co_firstlineno
    for line in range(first, first + 64):
        text = linecache.getline(code.co_filename, line).lstrip()
        if text.startswith(("def ", "async def ")):
            return line
        if not text.startswith(("@", "#", ")")) and line == first:
            break
    return first
