"""Lowers the programs of a package: a request on stdin, an answer on what was stdout.

The user's code runs in this process. What it prints, through any descriptor, goes to stderr.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import threading
import traceback
from typing import Any, BinaryIO

from .failure import Failure, described
from .reads import Reads, distributions
from .user_code import UserCode

PROTOCOL = 1
OLDEST_JAX = (0, 6, 2)


def main() -> None:
    """Answers the one request of this process."""
    pipe = _take_stdout()
    request = json.loads(sys.stdin.buffer.read())
    _detach_stdin()
    answer = {"version": PROTOCOL, **_answer(request, pipe)}
    # Whatever was printed before this file ran is ended by the first newline.
    text = json.dumps(answer, ensure_ascii=False)
    # A path may hold bytes that are no text.
    pipe.write(b"\n" + text.encode("utf-8", "replace") + b"\n")
    pipe.close()
    _leave()


def _leave() -> None:
    """Ends the process where the user's threads would keep it alive for ever."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if any(thread is not threading.main_thread() and not thread.daemon for thread in threading.enumerate()):
        os._exit(0)


def _take_stdout() -> BinaryIO:
    """The pipe to the build script. Its descriptor is not inherited, and 1 is stderr from here on."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a character is no reason to fail.
        stream.reconfigure(errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    return pipe


def _detach_stdin() -> None:
    """Ends the input for user code that reads it."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def _answer(request: dict[str, Any], pipe: BinaryIO) -> dict[str, Any]:
    reads = Reads()
    code = UserCode(request["package_root"], request["python_path"], request["output"])
    # No other platform is needed to lower for one, and none may be there.
    os.environ["JAX_PLATFORMS"] = "cpu"
    # The checks of equinox call back into Python otherwise.
    os.environ.setdefault("EQX_ON_ERROR", "nan")
    sys.dont_write_bytecode = True
    try:
        provenance = _load_jax(request["debug_info"])
    except Failure as failure:
        return {"error": failure.to_json()}
    reads.watch(code)
    sys.path[:0] = request["python_path"]
    programs = _lower_all(request, code, reads, pipe)
    return {
        "provenance": provenance,
        "programs": programs,
        "files": reads.files(),
        "environment": reads.environment(),
        "distributions": distributions(),
    }


def _load_jax(debug_info: bool) -> dict[str, str]:
    """Imports JAX and checks its version."""
    try:
        import jax
        import jaxlib
    except ModuleNotFoundError as error:
        if error.name == "jax":
            raise Failure(
                "no-jax",
                f"{sys.executable} has no JAX",
                f"install it: {sys.executable} -m pip install jax; or name another Python in CYXLA_PYTHON",
            ) from None
        raise _broken_jax(error) from None
    except Exception as error:
        raise _broken_jax(error) from None
    version = getattr(jax, "__version__", "")
    if _release(version) < OLDEST_JAX:
        oldest = ".".join(str(number) for number in OLDEST_JAX)
        raise Failure(
            "old-jax",
            f"{sys.executable} has JAX {version or 'of no known version'}; {oldest} or newer is needed",
            f"install it: {sys.executable} -m pip install --upgrade jax; or name another Python in CYXLA_PYTHON",
        )
    try:
        import jax.export  # noqa: F401

        if not debug_info:
            # Else the bytes hold the paths of this machine.
            jax.config.update("jax_traceback_in_locations_limit", 0)
        # Tracebacks are trimmed here, to what is the user's.
        jax.config.update("jax_traceback_filtering", "off")
    except Exception as error:
        raise _broken_jax(error) from None
    return {"python": platform.python_version(), "jax": version, "jaxlib": jaxlib.__version__}


def _broken_jax(error: Exception) -> Failure:
    name = getattr(error, "name", None)
    package = name.partition(".")[0] if isinstance(error, ModuleNotFoundError) and name else "--force-reinstall jax"
    return Failure(
        "broken-jax",
        f"the JAX of {sys.executable} can't be imported: {described(error)}",
        f"repair it: {sys.executable} -m pip install {package}",
        traceback=traceback.format_exc().rstrip(),
    )


def _release(version: str) -> tuple[int, ...]:
    """`0.7.0.dev20250601` is (0, 7, 0)."""
    numbers = []
    for part in version.split(".")[:3]:
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def _lower_all(request: dict[str, Any], code: UserCode, reads: Reads, pipe: BinaryIO) -> list[dict[str, Any]]:
    """The answer for each program, those without x64 lowered before those with it."""
    import jax

    from .entry_point import Modules

    programs = list(enumerate(request["programs"]))
    answers: list[dict[str, Any]] = [{} for _ in programs]
    modules = Modules(code, request["python_path"])
    for x64 in (False, True):
        for i, program in programs:
            if program["x64"] != x64:
                continue
            # Should the process die, this names the program.
            pipe.write(b'\n{"lowering": %d}\n' % i)
            pipe.flush()
            jax.config.update("jax_enable_x64", x64)
            answers[i] = _lower_one(program, request, modules, code)
        reads.note_imports()
        modules.forget()
    return answers


def _lower_one(program: dict[str, Any], request: dict[str, Any], modules: Any, code: UserCode) -> dict[str, Any]:
    from . import export

    try:
        return {"ok": export.lower(program, request, modules, code)}
    except Failure as failure:
        return {"error": failure.to_json()}
    except Exception as error:
        # A gap in this package or in what it knows of JAX: the whole traceback is of use.
        internal = Failure(
            "internal",
            f"lowering it failed in an unforeseen way: {described(error)}",
            "try another version of JAX, and report this with the traceback",
            traceback=traceback.format_exc().rstrip(),
        )
        return {"error": internal.to_json()}
