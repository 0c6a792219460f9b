# Says what this interpreter is, as one line of JSON. It has to run, or at least fail with a readable
# line, on any Python that there may be, so it keeps to what Python 2.7 and 3.0 already had.
import sys

# `python -c` puts the working directory first: a folder `jax` in a user's package is not JAX, and a `platform.py` there is
# not the one of Python.
sys.path[:] = [entry for entry in sys.path if entry]

import json
import os
import platform
import sysconfig


def origin(module):
    try:
        from importlib.util import find_spec

        found = find_spec(module)
    except (ImportError, ValueError):
        return None
    # An empty folder of that name is found too, as a namespace without an origin.
    return found.origin if found is not None else None


def version(distribution):
    try:
        from importlib.metadata import version

        return version(distribution)
    except Exception:
        return None


def base():
    for candidate in (getattr(sys, "_base_executable", None), sys.executable):
        if candidate and os.path.exists(candidate):
            return os.path.realpath(candidate)
    return None


paths = sysconfig.get_paths()
answer = {
    "implementation": platform.python_implementation(),
    "version": list(sys.version_info[:3]),
    "prefix": sys.prefix,
    "base": base(),
    "platform": sysconfig.get_platform(),
    "site_packages": paths["purelib"],
    "platform_site_packages": paths["platlib"],
    "makes_environments": bool(origin("venv") and origin("ensurepip")),
    "jax_origin": origin("jax"),
    "jax": version("jax"),
    "jaxlib": bool(origin("jaxlib")),
}
sys.stdout.write("\ncyxla-probe: " + json.dumps(answer) + "\n")
