"""From `module:function` to the Python object."""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
from types import ModuleType
from typing import Any

import jax

from .failure import Failure, described, from_exception, how_to_install
from .user_code import UserCode


class Modules:
    """Imports the user's modules, under the setting of x64 that their program asks for.

    A module may make constants of JAX when it is imported, and their types follow the setting of that moment. So when
    programs with x64 follow those without, the user's modules are imported a second time; installed packages are not:
    they are written for both settings, and much of what they register can't be registered twice.
    """

    def __init__(self, code: UserCode, python_path: list[str]) -> None:
        self._code = code
        self._python_path = python_path
        self._kept = set(sys.modules)
        # Modules of the user in whose import x64 was turned on.
        self._turn_on_x64: set[str] = set()

    def forget(self) -> None:
        """Has the user's modules imported anew when they are asked for again."""
        for name in self._users():
            del sys.modules[name]
        self._turn_on_x64.clear()

    def resolve(self, target: str) -> Any:
        """The object at `module:attribute.attribute`."""
        module_name, _, attributes = target.partition(":")
        module = self._import(module_name)
        found: Any = module
        for depth, attribute in enumerate(attributes.split(".")):
            try:
                found = getattr(found, attribute)
            except AttributeError:
                raise _missing(module, attributes.split("."), depth, found) from None
        return found

    def turns_on_x64(self, target: str) -> bool:
        """Whether the import of the module of `target`, which is done, turned x64 on."""
        return target.partition(":")[0] in self._turn_on_x64

    def _users(self) -> set[str]:
        """The names of the imported modules that are the user's."""
        found = set()
        for name in set(sys.modules) - self._kept:
            path = getattr(sys.modules[name], "__file__", None)
            # A folder without __init__.py has no file, but only folders.
            folders = list(getattr(sys.modules[name], "__path__", []))
            places = [path] if isinstance(path, str) else folders
            if places and all(self._code.is_user(str(place)) for place in places):
                found.add(name)
        return found

    def _import(self, name: str) -> ModuleType:
        before, was_on = self._users(), jax.config.jax_enable_x64
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            # Only if it is this module, or a package around it, that there is not.
            if error.name and (name == error.name or name.startswith(error.name + ".")):
                raise self._not_there(name, error.name) from None
            raise self._failed(name, error) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._failed(name, error) from None
        finally:
            if jax.config.jax_enable_x64 and not was_on:
                self._turn_on_x64 |= self._users() - before

    def _not_there(self, name: str, missing: str) -> Failure:
        searched = ", ".join(self._python_path) or "no folder"
        # The others of sys.path hold Python itself and installed packages.
        return Failure(
            "module-missing",
            f"there is no Python module `{missing}`; searched: {searched}, and the packages of {sys.executable}",
            f"create {missing.replace('.', '/')}.py in one of these folders, or add its folder with "
            'Builder::python_path or `python_path = [".."]` in [package.metadata.cyxla]',
        )

    def _failed(self, name: str, error: BaseException) -> Failure:
        if isinstance(error, ModuleNotFoundError):
            what = f"the Python module `{name}` can't be imported: it needs `{error.name}`, which is not there"
            package = (error.name or "").partition(".")[0]
            help = how_to_install(package)
        elif isinstance(error, SystemExit):
            what = f"the Python module `{name}` calls sys.exit({error.code!r}) when it is imported"
            help = 'put what only a script does under `if __name__ == "__main__":`'
        else:
            what = f"the Python module `{name}` can't be imported: {described(error)}"
            help = f"`{sys.executable} -c 'import {name}'` must succeed in its folder"
        return from_exception("import-failed", what, help, error, self._code)


def _missing(module: ModuleType, attributes: list[str], depth: int, holder: Any) -> Failure:
    """The failure that `holder` has no attribute of the name that is asked for."""
    name = attributes[depth]
    where = ".".join([module.__name__, *attributes[:depth]])
    known = sorted(_functions(holder))
    close = difflib.get_close_matches(name, known, n=1)
    kind = "module" if depth == 0 else "object"
    listed = f"it has {', '.join(known)}" if known else "it has no functions"
    file = getattr(module, "__file__", None)
    place = f" ({file})" if file else ""
    if close:
        help = f"did you mean `{':'.join([module.__name__, '.'.join([*attributes[:depth], close[0]])])}`?"
    else:
        help = f"define `{name}` there, or name another function of it"
    return Failure("function-missing", f"the Python {kind} `{where}`{place} has no `{name}`; {listed}", help)


def _functions(holder: Any) -> list[str]:
    """The public functions of a module that it defines itself, or the public callables of another object."""
    found = []
    for name, value in list(vars(holder).items()) if hasattr(holder, "__dict__") else []:
        if name.startswith("_") or not callable(value):
            continue
        if isinstance(holder, ModuleType) and getattr(value, "__module__", None) != holder.__name__:
            continue
        if isinstance(holder, ModuleType) and inspect.isclass(value):
            continue
        found.append(name)
    return found
