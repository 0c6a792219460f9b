"""Which files are the user's, as opposed to those of Python and of installed packages."""

from __future__ import annotations

import functools
import os
import site
import sys
import sysconfig

LIBRARY_FOLDERS = ("site-packages", "dist-packages")
SYSTEM_FOLDERS = ("/proc", "/sys", "/dev", "/etc", "/usr/lib", "/usr/lib64", "/usr/share", "/lib", "/lib64")
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class UserCode:
    """Tells the user's files from others, by their paths."""

    def __init__(self, package_root: str, python_path: list[str], output: str) -> None:
        self._roots = [_plain(folder) for folder in [package_root, *python_path]]
        self._libraries = _library_folders()
        self._foreign = [_plain(folder) for folder in (HERE, output)]
        self._machinery = [_plain(HERE)]
        if sys.prefix != sys.base_prefix:
            # A virtual environment may lie inside the package.
            self._foreign.append(_plain(sys.prefix))
        # Cached per object: the roots are part of the question.
        self.is_user = functools.lru_cache(maxsize=None)(self._is_user)
        self.is_machinery = functools.lru_cache(maxsize=None)(self._is_machinery)

    def _is_user(self, path: str) -> bool:
        """Whether the file is the user's: source or data, inside the package or not."""
        if not path or path.startswith("<"):
            return False
        path = _plain(path)
        if self._is_library(path) or any(_inside(path, folder) for folder in self._foreign):
            return False
        if any(_inside(path, root) for root in self._roots):
            return True
        if os.name == "posix" and any(_inside(path, folder) for folder in SYSTEM_FOLDERS):
            return False
        prefix = _plain(sys.base_prefix)
        # Python of the system has the prefix /usr, below which the user may keep anything.
        return prefix in ("/", "/usr", "/usr/local") or not _inside(path, prefix)

    def _is_library(self, path: str) -> bool:
        if any(_inside(path, folder) for folder in self._libraries):
            return True
        # Below a root that lies in such a folder itself, only what is deeper counts.
        inner = path
        for root in self._roots:
            if _inside(path, root) and len(path) - len(root) < len(inner):
                inner = path[len(root) :]
        return any(part in LIBRARY_FOLDERS for part in inner.replace("\\", "/").split("/"))

    def _is_machinery(self, path: str) -> bool:
        """Whether the file belongs to this package, to the import system or to JAX."""
        if path.startswith("<frozen ") or any(_inside(_plain(path), folder) for folder in self._machinery):
            return True
        if self._is_user(path):
            return False
        parts = path.replace("\\", "/").split("/")
        return "importlib" in parts[-2:-1] or any(
            folder in LIBRARY_FOLDERS and name in ("jax", "jaxlib") for folder, name in zip(parts, parts[1:])
        )


def _library_folders() -> list[str]:
    """The folders of the standard library and of installed packages."""
    paths = sysconfig.get_paths()
    found = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib") if name in paths]
    found += [os.path.dirname(os.__file__), site.getusersitepackages(), *site.getsitepackages()]
    plain = {_plain(folder) for folder in found}
    return sorted(plain | {_plain(os.path.realpath(folder)) for folder in plain})


def _plain(path: str) -> str:
    return os.path.normcase(os.path.abspath(path))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
