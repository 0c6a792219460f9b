"""Writes minifloat.txt: what ml_dtypes says of the 8-bit floating-point types. Needs ml_dtypes and numpy."""

import pathlib

import ml_dtypes
import numpy as np

NAMES = "e3m4 e4m3 e4m3fn e4m3fnuz e4m3b11fnuz e5m2 e5m2fnuz e8m0fnu".split()


def values(decoded: np.ndarray) -> np.ndarray:
    """Inputs that try every rounding: the values, the middles between neighbours, and both sides of these."""
    finite = np.unique(decoded[np.isfinite(decoded)])
    with np.errstate(over="ignore"):
        middles = (finite[1:] / 2 + finite[:-1] / 2).astype(np.float32)
    # Only E8M0 has values among the subnormal float32; ml_dtypes does not round to the nearest there.
    middles = middles[(middles == 0) | (np.abs(middles) >= np.finfo(np.float32).tiny)]
    sides = [np.nextafter(middles, np.float32(way)) for way in (-np.inf, np.inf)]
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e38, -3.4e38, 1e-45, 460, 464, 465], np.float32)
    return np.concatenate([finite, middles, *sides, special]).astype(np.float32)


def line(name: str) -> str:
    dtype = np.dtype(getattr(ml_dtypes, f"float8_{name}"))
    with np.errstate(all="ignore"):
        decoded = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float32)
        inputs = values(decoded)
        codes = inputs.astype(dtype).view(np.uint8)
    words = [f"{bits:x}" for bits in decoded.view(np.uint32)]
    pairs = [f"{bits:x}:{code:x}" for bits, code in zip(inputs.view(np.uint32), codes)]
    return " ".join([f"F8{name.upper()}", *words, *pairs])


pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(map(line, NAMES)) + "\n")
