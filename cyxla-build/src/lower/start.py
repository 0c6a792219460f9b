"""Starts the lowering, after a check that even an old interpreter can run: so no syntax newer than Python 2 here."""

import os
import sys

OLDEST_PYTHON = (3, 10)

if sys.version_info < OLDEST_PYTHON:
    sys.stdout.write(
        '\n{"version": 1, "error": {"kind": "old-python", '
        '"message": "%s is Python %d.%d.%d; JAX needs %d.%d or newer", '
        '"help": "name a newer one in the environment variable CYXLA_PYTHON, or make a virtual environment with it", '
        '"location": null, "traceback": null}}\n'
        % ((sys.executable.replace("\\", "\\\\"),) + tuple(sys.version_info[:3]) + OLDEST_PYTHON)
    )
    sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from cyxla_lower import main  # noqa: E402

# The user's imports must neither find these files nor what lies beside them.
sys.path[:] = [entry for entry in sys.path if entry and os.path.abspath(entry) != HERE]

# A process that the user's code spawns imports this file again.
if __name__ == "__main__":
    main.main()
