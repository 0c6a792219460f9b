"""Reads files and environment variables."""

import json
import os
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
WEIGHTS = np.load(HERE / "data" / "weights.npy")
SETTINGS = json.loads((HERE / "data" / "settings.json").read_text())
with open(HERE / "data" / "raw.bin", "rb") as raw:
    RAW = raw.read()
SCALE = float(os.environ.get("CYXLA_FIXTURE_SCALE", "2"))
if "CYXLA_FIXTURE_FLAG" in os.environ:
    SCALE *= 2
assert os.getenv("JAX_PLATFORMS") == "cpu"
COPY = os.environ.copy()


def weighted(x):
    from folder_of_modules import late

    assert not (HERE / "data" / "absent.txt").exists()
    try:
        open(HERE / "data" / "absent.txt")
    except FileNotFoundError:
        pass
    return late.twice(x * WEIGHTS * SCALE * SETTINGS["gain"])
