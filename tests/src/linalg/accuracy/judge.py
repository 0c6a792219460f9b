"""Says how exact given results of linear algebra are, and how exact LAPACK's are, as SciPy has it and jaxlib calls it.

Each question is a line of JSON, `{"routine", "m", "n", "batch", "arrays": [{"name", "dtype", "dims"}]}`, then the bytes of the
arrays: those that were given to the routine, and those that it gave. Matrices are column major. The answer is a line of JSON: for
each measure the residual of the given results and that of LAPACK's, the largest of the batch, summed up in a wider type.
"""

import json
import sys

import numpy as np
from scipy.linalg import blas, lapack

PREFIXES = {"f4": "s", "f8": "d", "c8": "c", "c16": "z"}


def wide(a):
    if a.dtype.char in "fF":
        return a.astype(np.complex128 if a.dtype.char == "F" else np.float64)
    return a.astype(np.clongdouble if np.iscomplexobj(a) else np.longdouble)


def norm(a):
    return float(np.sqrt(np.sum(np.abs(wide(a)) ** 2)))


def adjoint(a):
    return wide(a).conj().T


def orthogonality(q):
    return norm(adjoint(q) @ wide(q) - np.eye(q.shape[1]))


def relative(difference, a):
    return norm(difference) / max(norm(a), np.finfo(np.float64).tiny)


class Routine:
    """LAPACK's routines for the type of a matrix."""

    def __init__(self, a):
        self.prefix = PREFIXES[a.dtype.str[1:]]
        self.is_real = self.prefix in "sd"

    def __getattr__(self, name):
        if not self.is_real:
            name = {"orgqr": "ungqr", "ormqr": "unmqr", "syevd": "heevd", "sytrd": "hetrd"}.get(name, name)
        return getattr(blas if name == "trsm" else lapack, self.prefix + name)


# For each routine: what LAPACK gives for the arguments, by name, and what is measured of results.


def potrf(x, a):
    return {"l": x.potrf(a, lower=1, clean=1)[0]}


def potrf_measures(a, l, **_):
    yield "", relative(wide(a) - wide(np.tril(l)) @ adjoint(np.tril(l)), a)


def getrf(x, a):
    lu, pivots, _ = x.getrf(a)
    return {"lu": lu, "pivots": pivots + 1}


def getrf_measures(a, lu, pivots, **_):
    k = min(a.shape)
    l, u = np.tril(lu[:, :k], -1) + np.eye(len(a), k, dtype=a.dtype), np.triu(lu[:k])
    exchanged = a.copy()
    for i, pivot in enumerate(pivots):
        exchanged[[i, pivot - 1]] = exchanged[[pivot - 1, i]]
    yield "", relative(wide(exchanged) - wide(l) @ wide(u), a)


def geqrf(x, a, c):
    qr, tau, *_ = x.geqrf(a)
    k = min(a.shape)
    q, *_ = x.orgqr(qr[:, :k], tau)
    applied, *_ = x.ormqr("L", "T" if x.is_real else "C", qr[:, :k], tau, c, 64 * c.shape[1])
    return {"qr": qr, "q": q, "applied": applied}


def geqrf_measures(a, c, qr, q, applied, **_):
    yield "", relative(wide(a) - wide(q) @ wide(np.triu(qr[: q.shape[1]])), a)
    yield "orthogonal", orthogonality(q)
    yield "ormqr", relative(adjoint(q) @ wide(c) - wide(applied[: q.shape[1]]), c)


def geqp3(x, a):
    qr, order, tau, *_ = x.geqp3(a)
    return {"qr": qr, "order": order, "q": x.orgqr(qr[:, : min(a.shape)], tau)[0]}


def geqp3_measures(a, qr, order, q, **_):
    yield "", relative(wide(a[:, order - 1]) - wide(q) @ wide(np.triu(qr[: q.shape[1]])), a)


def trsm(x, a, y):
    return {"x": x.trsm(1.0, a, y, lower=1)}


def trsm_measures(a, y, x, **_):
    yield "", norm(wide(np.tril(a)) @ wide(x) - wide(y)) / max(norm(np.tril(a)) * norm(x), 1e-300)


def gtsv(x, lower, d, upper, b):
    if len(d) < 3:  # SciPy's wrapper takes no empty diagonals
        return {"x": np.linalg.solve(tridiagonal(lower, d, upper), b)}
    return {"x": x.gtsv(lower[1:, 0], d[:, 0], upper[:-1, 0], b)[3]}


def tridiagonal(lower, d, upper):
    return np.diag(d[:, 0]) + np.diag(lower[1:, 0], -1) + np.diag(upper[:-1, 0], 1)


def gtsv_measures(lower, d, upper, b, x, **_):
    t = tridiagonal(lower, d, upper)
    yield "", norm(wide(t) @ wide(x) - wide(b)) / max(norm(t) * norm(x), 1e-300)


perturbed, perturbed_measures = gtsv, gtsv_measures


def gesdd(x, a):
    u, s, vt, _ = x.gesdd(a)
    return {"u": u, "s": s, "vt": vt}


def gesvd(x, a):
    u, s, vt, _ = x.gesvd(a)
    return {"u": u, "s": s, "vt": vt}


def gesdd_measures(a, u, s, vt, **_):
    k = len(s)
    yield "", relative(wide(u[:, :k]) * wide(s[:, 0] if s.ndim == 2 else s) @ wide(vt[:k]) - wide(a), a)
    yield "left", orthogonality(u)
    yield "right", orthogonality(vt.conj().T)


gesvd_measures = gesdd_measures


def syevd(x, a):
    w, v, _ = x.syevd(a, lower=1)
    return {"w": w[:, None], "v": v}


def syevd_measures(a, w, v, **_):
    yield "", relative(wide(a) @ wide(v) - wide(v) * wide(w[:, 0]), a)
    yield "orthogonal", orthogonality(v)


def packed(v, wi):
    """The complex vectors of pairs of conjugates, which LAPACK keeps in two real columns."""
    v = v.astype(np.result_type(v.dtype, np.complex64))
    for k in np.flatnonzero(wi > 0):
        v[:, k], v[:, k + 1] = v[:, k] + 1j * v[:, k + 1], v[:, k] - 1j * v[:, k + 1]
    return v


def geev(x, a):
    if x.is_real:
        wr, wi, left, right, _ = x.geev(a)
        w, left, right = wr + 1j * wi, packed(left, wi), packed(right, wi)
    else:
        w, left, right, _ = x.geev(a)
    return {"w": w[:, None], "left": left, "right": right}


def geev_measures(a, w, left, right, **_):
    w = wide(w[:, 0])
    yield "right", relative(wide(a) @ wide(right) - wide(right) * w, a)
    yield "left", relative(adjoint(a) @ wide(left) - wide(left) * w.conj(), a)


def gees(x, a):
    t, _, *_, z, _, _ = x.gees(lambda *_: 0, a)
    return {"t": t, "z": z}


def gees_measures(a, t, z, **_):
    yield "", relative(wide(a) @ wide(z) - wide(z) @ wide(t), a)
    yield "orthogonal", orthogonality(z)


def shifted(x, h, tau):
    q = np.eye(len(h), dtype=h.dtype)
    if len(h) > 1:
        q[1:, 1:], *_ = x.orgqr(h[1:, :-1], tau)
    return q


def gehrd(x, a):
    if len(a) == 1:  # SciPy's wrapper doesn't take it
        return {"h": a, "q": np.ones_like(a)}
    h, tau, _ = x.gehrd(a)
    return {"h": h, "q": shifted(x, h, tau)}


def gehrd_measures(a, h, q, **_):
    yield "", relative(wide(a) @ wide(q) - wide(q) @ wide(np.triu(h, -1)), a)
    yield "orthogonal", orthogonality(q)


def sytrd(x, a):
    if len(a) == 1:
        return {"d": a.real, "e": a[:0].real, "q": np.ones_like(a)}
    c, d, e, tau, _ = x.sytrd(a, lower=1)
    return {"d": d[:, None], "e": e[:, None], "q": shifted(x, c, tau)}


def sytrd_measures(a, d, e, q, **_):
    t = np.diag(d[:, 0]) + np.diag(e[:, 0], 1) + np.diag(e[:, 0], -1)
    yield "", relative(wide(a) @ wide(q) - wide(q) @ wide(t), a)
    yield "orthogonal", orthogonality(q)


ARGUMENTS = {"trsm": ("a", "y"), "geqrf": ("a", "c")} | {
    routine: ("lower", "d", "upper", "b") for routine in ("gtsv", "perturbed")
}


def matrices(stream, array):
    """The matrices of a batch."""
    batch, rows, cols = array["dims"]
    dtype = np.dtype(array["dtype"])
    data = stream.read(batch * rows * cols * dtype.itemsize)
    flat = np.frombuffer(data, dtype).reshape(batch, cols, rows)
    matrices = [np.asfortranarray(one.T) for one in flat]
    return [one[:, 0] for one in matrices] if array["name"] in ("pivots", "order") else matrices


def judge(question, stream):
    routine = question["routine"]
    arrays = {array["name"]: matrices(stream, array) for array in question["arrays"]}
    worst = {}
    for member in range(question["batch"]):
        given = {name: all_of[member] for name, all_of in arrays.items()}
        arguments = {name: given[name] for name in ARGUMENTS.get(routine, ("a",))}
        lapacks = globals()[routine](Routine(next(iter(arguments.values()))), **arguments)
        measures = globals()[routine + "_measures"]
        for ours, theirs in zip(measures(**given), measures(**arguments, **lapacks), strict=True):
            name = " ".join(filter(None, (routine, ours[0])))
            before = worst.get(name, (0.0, 0.0))
            # The largest, and NaN where there is one.
            worst[name] = tuple(float(np.maximum(*pair)) for pair in zip(before, (ours[1], theirs[1])))
    return worst


def main():
    stream = sys.stdin.buffer
    while line := stream.readline():
        answer = judge(json.loads(line), stream)
        print(json.dumps(answer), flush=True)


main()
