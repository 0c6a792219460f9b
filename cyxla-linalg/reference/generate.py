"""Writes residuals.txt: how exact LAPACK is on the matrices of the tests.

    python generate.py > residuals.txt

Each line is a measure, an element type, and one number per size of SIZES: a relative residual (or a distance from
orthogonality) of LAPACK's result, as scipy's wheels have it, summed up in extended precision.
"""

import numpy as np
from scipy.linalg import blas, lapack

SIZES = [*range(1, 65), 127]
TYPES = {"f32": ("s", np.float32), "f64": ("d", np.float64), "c64": ("c", np.complex64), "c128": ("z", np.complex128)}


def numbers(seed, count):
    """The numbers that `testing.rs` makes too: exact in f32, in [-1, 1)."""
    state, out = seed, np.empty(count)
    for i in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out[i] = (state >> 44) / 2**19 - 1.0
    return out


def matrix(seed, rows, cols, dtype):
    if np.issubdtype(dtype, np.complexfloating):
        parts = numbers(seed, 2 * rows * cols)
        flat = parts[0::2] + 1j * parts[1::2]
    else:
        flat = numbers(seed, rows * cols)
    return np.asfortranarray(flat.reshape((rows, cols), order="F").astype(dtype))


def wide(a):
    return a.astype(np.clongdouble)


def norm(a):
    return float(np.sqrt(np.sum(np.abs(wide(a)) ** 2)))


def adjoint(a):
    return wide(a).conj().T


def routine(module, prefix, name):
    return getattr(module, prefix + name)


def potrf(n, p, dtype):
    a = matrix(n, n, n, dtype)
    a = np.tril(a, -1) + np.tril(a, -1).conj().T + np.diag(np.full(n, 2 * n)).astype(dtype)
    l, _ = routine(lapack, p, "potrf")(a, lower=1, clean=1)
    yield "potrf", norm(wide(a) - wide(l) @ adjoint(l)) / norm(a)


def getrf(n, p, dtype):
    for name, rows, cols in (("getrf", n, n), ("getrf-tall", n + n // 2, n), ("getrf-wide", n, n + n // 2)):
        a = matrix(rows + cols, rows, cols, dtype)
        lu, pivots, _ = routine(lapack, p, "getrf")(a)
        k = min(rows, cols)
        l, u = np.tril(lu[:, :k], -1) + np.eye(rows, k, dtype=dtype), np.triu(lu[:k])
        exchanged = a.copy()
        for i, pivot in enumerate(pivots):
            exchanged[[i, pivot]] = exchanged[[pivot, i]]
        yield name, norm(wide(exchanged) - wide(l) @ wide(u)) / norm(a)


def geqrf(n, p, dtype):
    form = "orgqr" if p in "sd" else "ungqr"
    for name, rows, cols in (("geqrf", n, n), ("geqrf-tall", n + n // 2, n), ("geqrf-wide", n, n + n // 2)):
        a = matrix(rows + cols, rows, cols, dtype)
        qr, tau, *_ = routine(lapack, p, "geqrf")(a)
        k = min(rows, cols)
        q, *_ = routine(lapack, p, form)(qr[:, :k], tau)
        yield name, norm(wide(a) - wide(q) @ wide(np.triu(qr[:k]))) / norm(a)
        yield name + "-orthogonal", norm(adjoint(q) @ wide(q) - np.eye(k))


def geqp3(n, p, dtype):
    form = "orgqr" if p in "sd" else "ungqr"
    rows, cols = n + n // 2, n
    a = matrix(rows + cols, rows, cols, dtype)
    qr, order, tau, *_ = routine(lapack, p, "geqp3")(a)
    q, *_ = routine(lapack, p, form)(qr, tau)
    yield "geqp3", norm(wide(a[:, order - 1]) - wide(q) @ wide(np.triu(qr[:cols]))) / norm(a)


def trsm(n, p, dtype):
    a = matrix(n, n, n, dtype) + np.diag(np.full(n, 2)).astype(dtype)
    y = matrix(n + 1, n, n, dtype)
    x = routine(blas, p, "trsm")(1.0, a, y, lower=1)
    yield "trsm", norm(wide(np.tril(a)) @ wide(x) - wide(y)) / (norm(np.tril(a)) * norm(x))


def gtsv(n, p, dtype):
    lower, d, upper = (matrix(n + i, n, 1, dtype)[:, 0] for i in range(3))
    b = matrix(n + 3, n, 2, dtype)
    t = np.diag(d) + np.diag(lower[1:], -1) + np.diag(upper[:-1], 1)
    if n < 3:  # scipy's wrapper of gtsv takes no empty diagonals
        x = np.linalg.solve(t, b)
    else:
        _, _, _, x, _ = routine(lapack, p, "gtsv")(lower[1:], d, upper[:-1], b)
    yield "gtsv", norm(wide(t) @ wide(x) - wide(b)) / (norm(t) * norm(x))


def hermitian(seed, n, dtype):
    a = matrix(seed, n, n, dtype)
    return np.asfortranarray(np.tril(a, -1) + np.tril(a, -1).conj().T + np.diag(a.diagonal().real).astype(dtype))


def orthogonality(q):
    return norm(adjoint(q) @ wide(q) - np.eye(q.shape[1]))


def syevd(n, p, dtype):
    a = hermitian(n, n, dtype)
    w, v, _ = routine(lapack, p, "syevd" if p in "sd" else "heevd")(a, lower=1)
    yield "syevd", norm(wide(a) @ wide(v) - wide(v) * wide(w)) / norm(a)
    yield "syevd-orthogonal", orthogonality(v)


def gesdd(n, p, dtype):
    for name, rows, cols in (("gesdd", n, n), ("gesdd-tall", n + n // 2, n), ("gesdd-wide", n, n + n // 2)):
        a = matrix(rows + cols, rows, cols, dtype)
        u, s, vt, _ = routine(lapack, p, "gesdd")(a)
        k = min(rows, cols)
        yield name, norm(wide(u[:, :k]) * wide(s) @ wide(vt[:k]) - wide(a)) / norm(a)
        yield name + "-left", orthogonality(u)
        yield name + "-right", orthogonality(vt.conj().T)


def packed(v, wi):
    """The complex vectors of pairs of conjugates, which LAPACK keeps in two real columns."""
    v = v.astype(np.clongdouble)
    for k in np.flatnonzero(wi > 0):
        v[:, k], v[:, k + 1] = v[:, k] + 1j * v[:, k + 1], v[:, k] - 1j * v[:, k + 1]
    return v


def geev(n, p, dtype):
    a = matrix(2 * n, n, n, dtype)
    if p in "sd":
        wr, wi, left, right, _ = routine(lapack, p, "geev")(a)
        w, left, right = wide(wr) + 1j * wide(wi), packed(left, wi), packed(right, wi)
    else:
        w, left, right, _ = routine(lapack, p, "geev")(a)
    yield "geev-right", norm(wide(a) @ wide(right) - wide(right) * wide(w)) / norm(a)
    yield "geev-left", norm(adjoint(a) @ wide(left) - wide(left) * wide(w).conj()) / norm(a)


def gees(n, p, dtype):
    a = matrix(2 * n, n, n, dtype)
    t, _, *_, z, _, _ = routine(lapack, p, "gees")(lambda *_: 0, a)
    yield "gees", norm(wide(a) @ wide(z) - wide(z) @ wide(t)) / norm(a)
    yield "gees-orthogonal", orthogonality(z)


def gehrd(n, p, dtype):
    a = matrix(2 * n, n, n, dtype)
    q = np.eye(n, dtype=dtype)
    if n == 1:  # nothing to reduce, which scipy's wrappers don't take
        h = a
    else:
        h, tau, _ = routine(lapack, p, "gehrd")(a)
        form = "orgqr" if p in "sd" else "ungqr"
        q[1:, 1:], *_ = routine(lapack, p, form)(h[1:, :-1], tau)
    yield "gehrd", norm(wide(a) @ wide(q) - wide(q) @ wide(np.triu(h, -1))) / norm(a)
    yield "gehrd-orthogonal", orthogonality(q)


def sytrd(n, p, dtype):
    a = hermitian(n, n, dtype)
    q, t = np.eye(n, dtype=dtype), a
    if n > 1:
        c, d, e, tau, _ = routine(lapack, p, "sytrd" if p in "sd" else "hetrd")(a, lower=1)
        form = "orgqr" if p in "sd" else "ungqr"
        q[1:, 1:], *_ = routine(lapack, p, form)(c[1:, :-1], tau)
        t = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    yield "sytrd", norm(wide(a) @ wide(q) - wide(q) @ wide(t)) / norm(a)
    yield "sytrd-orthogonal", orthogonality(q)


def main():
    table = {}
    for dtype_name, (p, dtype) in TYPES.items():
        for n in SIZES:
            for measure in (potrf, getrf, geqrf, geqp3, trsm, gtsv, syevd, gesdd, geev, gees, gehrd, sytrd):
                for name, value in measure(n, p, dtype):
                    table.setdefault((name, dtype_name), []).append(value)
    for (name, dtype_name), values in table.items():
        print(name, dtype_name, *(f"{value:.1e}" for value in values))


main()
