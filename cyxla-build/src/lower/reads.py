"""What the lowering read: files, environment variables, installed packages. When one changes, it must run again.

An audit hook sees every file that Python opens. Not seen are files that are read in C or Rust (safetensors, h5py) or by
another process: those are declared with `deps`.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
from types import FrameType
from typing import Any, Iterator

from .user_code import UserCode

# `r+` and O_RDWR are reads: np.memmap opens what it only reads in this way.
WRITING = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# What passes a read of the environment on for its caller.
TRANSPARENT = ("os.py", "_collections_abc.py", "posixpath.py", "ntpath.py", "genericpath.py", "pathlib.py")


class Reads:
    """Watches this process from its start."""

    def __init__(self) -> None:
        # As it was before anything here changed it: that is what a later build compares with.
        self._environment = dict(os.environ)
        self._opened: set[str] = set()
        self._written: set[str] = set()
        self._variables: set[str] = set()
        self._code: UserCode | None = None

    def watch(self, code: UserCode) -> None:
        """Watches from here on. Can't be undone, as audit hooks can't."""
        self._code = code
        sys.addaudithook(self._on_event)
        _watch_environment(self)

    def files(self) -> list[str]:
        """The user's files that were read and exist, absolute and sorted."""
        self.note_imports()
        found = {_source_of(path) for path in self._opened - self._written}
        return sorted(path for path in found if self._is_user(path) and os.path.isfile(path))

    def note_imports(self) -> None:
        """Adds the files of all modules that are imported now: not each was opened under the watch."""
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if isinstance(path, str):
                self._opened.add(os.path.abspath(path))

    def environment(self) -> list[dict[str, str | None]]:
        """The environment variables that the user's code read, with their values at the start."""
        return [{"name": name, "value": self._environment.get(name)} for name in sorted(self._variables)]

    def variable(self, name: str) -> None:
        """Notes that a variable was read, if it was the user's code that read it."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and _is_transparent(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None and self._is_user(frame.f_code.co_filename):
            self._variables.add(name)

    def _is_user(self, path: str) -> bool:
        return self._code is not None and self._code.is_user(path)

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("open", "sqlite3.connect", "ctypes.dlopen"):
            return
        # An exception here would become one of the user's code.
        try:
            path = os.path.abspath(os.fsdecode(arguments[0]))
        except (TypeError, ValueError, OSError, IndexError):
            return
        if event == "open" and _is_write(*arguments[1:3]):
            self._written.add(path)
        else:
            self._opened.add(path)


def _is_write(mode: Any = None, flags: Any = 0) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax")
    return isinstance(flags, int) and bool(flags & WRITING)


def _source_of(path: str) -> str:
    """The source file of a .pyc, any other path as it is."""
    if not path.endswith(".pyc"):
        return path
    try:
        return importlib.util.source_from_cache(path)
    except (ValueError, NotImplementedError):
        return path


def _is_transparent(path: str) -> bool:
    if path == __file__ or path.startswith("<frozen "):
        return True
    folder, name = os.path.split(path)
    if name in TRANSPARENT and folder == os.path.dirname(os.__file__):
        return True
    return os.path.basename(folder) == "pathlib"


def _watch_environment(reads: Reads) -> None:
    """Has `os.environ`, and with it `os.getenv`, tell of each read of a name."""

    class Watched(type(os.environ)):  # type: ignore[misc]
        def __getitem__(self, key: Any) -> Any:
            if isinstance(key, str):
                reads.variable(key)
            return super().__getitem__(key)

        def copy(self) -> dict[str, str]:
            # A copy is made to start another process; it is no read of every variable there is.
            plain = super()
            return {key: plain.__getitem__(key) for key in self}

    os.environ.__class__ = Watched


def distributions() -> list[str]:
    """The metadata files of the installed packages that were imported; a new version of one rewrites its file."""
    loaded = {name.partition(".")[0] for name, module in list(sys.modules.items()) if _is_installed(module)}
    found = set()
    for distribution in importlib.metadata.distributions():
        # `_path` is the folder of the metadata; there is no public name for it.
        folder = getattr(distribution, "_path", None)
        if folder is None or loaded.isdisjoint(_top_levels(distribution, str(folder))):
            continue
        for name in ("METADATA", "PKG-INFO"):
            path = os.path.abspath(os.path.join(str(folder), name))
            if os.path.isfile(path):
                found.add(path)
                break
    return sorted(found)


def _is_installed(module: Any) -> bool:
    path = getattr(module, "__file__", None)
    return isinstance(path, str) and ("site-packages" in path or "dist-packages" in path)


def _top_levels(distribution: importlib.metadata.Distribution, folder: str) -> Iterator[str]:
    """The modules that a package installs: by its own list, else by its name, which is nearly always the same."""
    listed = distribution.read_text("top_level.txt")
    if listed:
        yield from listed.split()
    name = os.path.basename(folder).partition("-")[0]
    yield name
    yield name.lower()
