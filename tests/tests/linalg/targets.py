"""Lowers every public function of JAX's linear algebra in every way, and says which custom calls that takes.

A function, or an option of one, that is in no case here is a problem, and so is a case that can't be lowered for any type:
a new JAX can't bring a custom call unseen.

    targets.py [DTYPE …]
"""

import enum
import inspect
import itertools
import json
import re
import sys
import types
import warnings

import jax

jax.config.update("jax_enable_x64", True)

import jax.experimental.sparse as sparse
import jax.experimental.sparse.linalg as sparse_linalg
import jax.lax.linalg as lax_linalg
import jax.numpy as jnp
import jax.scipy.linalg as scipy_linalg

warnings.simplefilter("ignore")

DTYPES = tuple(sys.argv[1:]) or ("float32", "float64", "complex64", "complex128")
# Derivatives call what the functions call that they are made of, whatever the type: one is enough.
DIFFERENTIATED = "float32"
BOTH = (False, True)

# Options that change nothing of what is called.
SAME = set(
    "precision preferred_element_type out_sharding overwrite_a overwrite_b overwrite_c check_finite lwork turbo debug "
    "use_magma axis axes keepdims offset dtype numpy_resid rcond rtol tol eps max_iterations eigvals type disp select "
    "select_range key select_callable subset_by_index dynamic_shape max_squarings blocksize scale full kind ind enable_eigvec_derivs alpha beta symmetrize_output lapack_driver "
    "sharding lhs_dilation rhs_dilation dimension_numbers feature_group_count batch_group_count unique_indices "
    "indices_are_sorted fill_value".split()
)
# What is no function of arrays.
NO_FUNCTIONS = set(
    "EigImplementation EighImplementation SvdAlgorithm CuSparseEfficiencyWarning JAXSparse SparseEfficiencyError "
    "SparseEfficiencyWarning SparseTracer Callable".split()
)
# What JAX itself can't lower for the CPU, whatever the type.
NOT_LOWERED = (
    "spsolve",  # calls back into Python
    "csr_matrix",  # of SciPy
    "eigh(, [(4, 4), (4, 4)])",  # with a matrix `b`
    "svd(algorithm=JACOBI",
    "svd(algorithm=POLAR",
    "eigh(implementation=JACOBI",
    "eigh(implementation=QDWH",
    "eig(implementation=CUSOLVER",
    "eig(implementation=MAGMA",
)


if "perturb_singular" not in inspect.signature(lax_linalg.tridiagonal_solve).parameters:
    NOT_LOWERED += ("eigh_tridiagonal(eigvals_only=False",)  # came with that option


class Integers(tuple):
    """The shape of an array of integers."""


M, TALL, WIDE, BATCH, V, ONE = (4, 4), (5, 3), (3, 5), (2, 4, 4), (4,), (1, 1)


def call(name, *shapes, **options):
    """Calls of the function `name` with arrays of these shapes, for each combination of the options."""
    return (name, None, shapes, options)


def made(name, function, *shapes, **options):
    """Calls of a function that makes the arguments of the function `name` of arrays."""
    return (name, function, shapes, options)


def each(name, shapes, **options):
    return [call(name, shape, **options) for shape in shapes]


SQUARES = (M, BATCH, ONE)
RECTANGLES = (M, TALL, WIDE, (2, *TALL))

NUMPY = [
    *each("cholesky", SQUARES, upper=BOTH),
    call("cholesky", M, symmetrize_input=BOTH),
    *each("cond", (M,), p=(None, 1, 2, "fro", float("inf"))),
    call("cross", (3,), (3,)),
    *each("det", ((2, 2), (3, 3), *SQUARES)),
    call("diagonal", M),
    *each("eig", SQUARES),
    *each("eigh", SQUARES, UPLO=("L", "U")),
    call("eigh", M, symmetrize_input=BOTH),
    *each("eigvals", SQUARES),
    call("eigvalsh", M, UPLO=("L", "U"), symmetrize_input=BOTH),
    *each("inv", SQUARES),
    call("lstsq", TALL, (5,)),
    call("lstsq", TALL, (5, 2)),
    call("lstsq", WIDE, (3, 2)),
    call("matmul", M, M),
    *each("matrix_norm", (M, TALL), ord=("fro", "nuc", 1, 2, -2, float("inf"))),
    *each("matrix_power", (M,), n=(-2, 0, 3)),
    *each("matrix_rank", RECTANGLES),
    *each("matrix_rank", SQUARES, hermitian=(True,)),
    call("matrix_transpose", M),
    made("multi_dot", lambda f, *a: f(a), M, M, M),
    *each("norm", (TALL,), ord=(None, "fro", "nuc", 1, 2, -2)),
    call("outer", V, V),
    *each("pinv", RECTANGLES),
    *each("pinv", SQUARES, hermitian=(True,)),
    *each("qr", RECTANGLES, mode=("reduced", "complete", "r", "raw", "full")),
    *each("slogdet", SQUARES, method=(None, "lu", "qr")),
    call("solve", M, V),
    call("solve", BATCH, (2, 4, 3)),
    *each("svd", RECTANGLES, full_matrices=BOTH, compute_uv=BOTH),
    *each("svd", SQUARES, hermitian=(True,), compute_uv=BOTH),
    *each("svdvals", RECTANGLES),
    call("tensordot", M, M),
    call("tensorinv", (2, 2, 4)),
    call("tensorsolve", (2, 2, 4), (2, 2)),
    call("trace", M),
    call("vecdot", V, V),
    call("vector_norm", V, ord=(2, 1)),
]

SCIPY = [
    call("block_diag", M, M),
    *each("cho_factor", (M, BATCH), lower=BOTH),
    *[
        made("cho_solve", lambda f, a, b, lower=lower: f((a, lower), b), M, b)
        for lower in BOTH
        for b in (V, (4, 3))
    ],
    *each("cholesky", SQUARES, lower=BOTH),
    call("circulant", V),
    call("companion", V),
    made("convolution_matrix", lambda f, a, **o: f(a, 6, **o), V, mode=("full", "valid", "same")),
    *each("det", SQUARES),
    made("dft", lambda f, a: a @ f(4), V),
    *each("eigh", SQUARES, lower=BOTH, eigvals_only=BOTH),
    call("eigh", M, M, b=()),
    made("eigh_tridiagonal", lambda f, a, b, **o: f(a, b, **o), V, (3,), eigvals_only=BOTH),
    *each("expm", (M, BATCH), upper_triangular=BOTH),
    call("expm_frechet", M, M, compute_expm=BOTH, method=(None, "SPS", "blockEnlarge")),
    call("fiedler", V),
    call("fiedler_companion", V),
    made("funm", lambda f, a: f(a, jnp.sin, disp=False), M),
    made("hadamard", lambda f, a: a @ f(4), V),
    call("hankel", V),
    call("hankel", V, V, r=()),
    made("helmert", lambda f, a: f(4) @ a, V),
    *each("hessenberg", SQUARES, calc_q=BOTH),
    made("hilbert", lambda f, a: f(4) @ a, V),
    *each("inv", SQUARES),
    made("invhilbert", lambda f, a: f(4) @ a, V),
    made("invpascal", lambda f, a: f(4) @ a, V),
    call("leslie", V, (3,)),
    *each("lu", RECTANGLES[:3], permute_l=BOTH),
    *each("lu_factor", RECTANGLES),
    *[
        made("lu_solve", lambda f, lu, piv, b, **o: f((lu, piv), b, **o), M, Integers(V), b, trans=(0, 1, 2))
        for b in (V, (4, 3))
    ],
    made("pascal", lambda f, a: f(4) @ a, V),
    *each("polar", (M, TALL), side=("right",), method=("qdwh", "svd")),
    call("polar", WIDE, side=("left",), method=("qdwh", "svd")),
    *each("qr", RECTANGLES, mode=("full", "r", "economic"), pivoting=BOTH),
    call("qr_multiply", TALL, (3, 5), mode=("right",), pivoting=BOTH, conjugate=BOTH),
    call("qr_multiply", TALL, (3, 5), mode=("left",), pivoting=BOTH, conjugate=BOTH),
    call("rsf2csf", M, M),
    *each("schur", (M, ONE), output=("real", "complex")),
    call("solve", M, V, lower=BOTH, assume_a=("gen", "pos", "sym", "her")),
    call("solve", BATCH, (2, 4, 3), assume_a=("gen", "pos")),
    call("solve_sylvester", (3, 3), M, (3, 4), method=("schur", "eigen")),
    call("solve_triangular", M, (4, 3), trans=(0, 1, 2), lower=BOTH, unit_diagonal=BOTH),
    call("sqrtm", M),
    *each("svd", (TALL,), full_matrices=BOTH, compute_uv=BOTH),
    call("toeplitz", V),
    call("toeplitz", V, V, r=()),
]

LAX = [
    *each("cholesky", SQUARES, symmetrize_input=BOTH),
    call("cholesky_update", M, V),
    *each("eig", SQUARES, compute_left_eigenvectors=BOTH, compute_right_eigenvectors=BOTH),
    *each("eig", (M,), implementation=getattr(lax_linalg, "EigImplementation", ())),
    call("eigh", M, lower=BOTH, symmetrize_input=BOTH, sort_eigenvalues=BOTH),
    *each("eigh", (M,), implementation=getattr(lax_linalg, "EighImplementation", ())),
    *each("hessenberg", SQUARES),
    call("householder_product", TALL, (3,)),
    call("householder_product", (2, *TALL), (2, 3)),
    *each("lu", RECTANGLES),
    made("lu_pivots_to_permutation", lambda f, piv: f(piv, 5), Integers(V)),
    call("ormqr", TALL, (3,), (5, 2), left=(True,), transpose=BOTH),
    call("ormqr", TALL, (3,), (2, 5), left=(False,), transpose=BOTH),
    *each("qdwh", (M, TALL), is_hermitian=(False,)),
    *each("qdwh", (M,), is_hermitian=(True,)),
    *each("qr", RECTANGLES, full_matrices=BOTH, pivoting=BOTH),
    *each("schur", (M, BATCH), compute_schur_vectors=BOTH, sort_eig_vals=(False,)),
    *each("svd", RECTANGLES, full_matrices=BOTH, compute_uv=BOTH),
    *each("svd", (TALL,), algorithm=lax_linalg.SvdAlgorithm, full_matrices=BOTH, compute_uv=BOTH),
    call("symmetric_product", M, M),
    *[
        call(
            "triangular_solve", a, b, left_side=(left,), lower=BOTH, transpose_a=BOTH, conjugate_a=BOTH,
            unit_diagonal=BOTH,
        )
        for a, b, left in ((M, (4, 3), True), (M, (3, 4), False), (BATCH, (2, 4, 3), True))
    ],
    *each("tridiagonal", SQUARES[:2], lower=BOTH),
    call("tridiagonal_solve", V, V, V, (4, 2), perturb_singular=BOTH),
    call("tridiagonal_solve", (2, 4), (2, 4), (2, 4), (2, 4, 2)),
]


def coo(data, indices):
    return sparse.BCOO((data, indices), shape=M)


def csr(data, indices, pointers):
    return sparse.BCSR((data, indices, pointers), shape=M)


def plain_csr(data, indices, pointers):
    return sparse.CSR((data, indices, pointers), shape=M)


def plain_coo(data, rows, columns):
    return sparse.COO((data, rows, columns), shape=M)


D, AT, I, P = (6,), Integers((6, 2)), Integers((6,)), Integers((5,))
TO_MATRIX = (((1,), (0,)), ((), ()))
SPARSE = [
    made("BCOO", lambda f, d, at, x: f((d, at), shape=M) @ x, D, AT, M),
    made("BCOO", lambda f, d, at, x: f((d, at), shape=M) @ x, D, AT, V),
    made("BCOO", lambda f, d, at, x: x @ f((d, at), shape=M), D, AT, V),
    made("BCSR", lambda f, d, i, p, x: f((d, i, p), shape=M) @ x, D, I, P, M),
    made("BCSR", lambda f, d, i, p, x: f((d, i, p), shape=M) @ x, D, I, P, V),
    made("COO", lambda f, d, i, j, x: f((d, i, j), shape=M) @ x, D, I, I, M),
    made("COO", lambda f, d, i, j, x: f((d, i, j), shape=M).T @ x, D, I, I, V),
    made("CSR", lambda f, d, i, p, x: f((d, i, p), shape=M) @ x, D, I, P, M),
    made("CSR", lambda f, d, i, p, x: f((d, i, p), shape=M).T @ x, D, I, P, V),
    made("CSC", lambda f, d, i, p, x: f((d, i, p), shape=M) @ x, D, I, P, M),
    made("bcoo_broadcast_in_dim", lambda f, d, at: f(coo(d, at), shape=(1, 4, 4), broadcast_dimensions=(1, 2)), D, AT),
    made("bcoo_concatenate", lambda f, d, at: f([coo(d, at)] * 2, dimension=0), D, AT),
    made(
        "bcoo_conv_general_dilated",
        lambda f, d, at, x: f(
            sparse.BCOO((d.reshape(1, 1, 6), at.reshape(1, 1, 12)[..., :6, None]), shape=(1, 1, 8)),
            x.reshape(1, 1, 4), window_strides=(1,), padding="SAME",
        ),
        D, AT, V,
    ),
    made("bcoo_dot_general", lambda f, d, at, x: f(coo(d, at), x, dimension_numbers=TO_MATRIX), D, AT, M),
    made("bcoo_dot_general_sampled", lambda f, x, at: f(x, x, at, dimension_numbers=TO_MATRIX), M, AT),
    made("bcoo_dynamic_slice", lambda f, d, at: f(coo(d, at), (0, 0), (2, 2)), D, AT),
    made("bcoo_extract", lambda f, d, at, x: f(coo(d, at), x), D, AT, M, assume_unique=()),
    made("bcoo_fromdense", lambda f, x: f(x, nse=6), M, nse=(), n_batch=(), n_dense=(), index_dtype=()),
    made("bcoo_gather", lambda f, d, at: sparse.sparsify(lambda a: a[jnp.array([0, 2])])(coo(d, at)), D, AT, mode=()),
    made("bcoo_multiply_dense", lambda f, d, at, x: f(coo(d, at), x), D, AT, M),
    made("bcoo_multiply_sparse", lambda f, d, at: f(coo(d, at), coo(d, at)), D, AT),
    made("bcoo_reduce_sum", lambda f, d, at: f(coo(d, at), axes=(0,)), D, AT),
    made("bcoo_reshape", lambda f, d, at: f(coo(d, at), new_sizes=(2, 8)), D, AT, dimensions=(), sharding=()),
    made("bcoo_rev", lambda f, d, at: f(coo(d, at), dimensions=(0,)), D, AT),
    made("bcoo_slice", lambda f, d, at: f(coo(d, at), start_indices=(0, 0), limit_indices=(2, 2)), D, AT, strides=()),
    made("bcoo_sort_indices", lambda f, d, at: f(coo(d, at)), D, AT),
    made("bcoo_squeeze", lambda f, d, at: f(sparse.BCOO((d, at), shape=(1, 4)), dimensions=(0,)), D, AT),
    made("bcoo_sum_duplicates", lambda f, d, at: f(coo(d, at), nse=6), D, AT, nse=()),
    made("bcoo_todense", lambda f, d, at: f(coo(d, at)), D, AT),
    made("bcoo_transpose", lambda f, d, at: f(coo(d, at), permutation=(1, 0)), D, AT),
    made(
        "bcoo_update_layout", lambda f, d, at: f(coo(d, at), n_dense=0, n_batch=0), D, AT,
        n_batch=(), n_dense=(), on_inefficient=(),
    ),
    made("bcsr_broadcast_in_dim", lambda f, d, i, p: f(csr(d, i, p), shape=(1, 4, 4), broadcast_dimensions=(1, 2)), D, I, P),
    made("bcsr_concatenate", lambda f, d, i, p: f([csr(d, i, p)] * 2, dimension=0), D, I, P),
    made("bcsr_dot_general", lambda f, d, i, p, x: f(csr(d, i, p), x, dimension_numbers=TO_MATRIX), D, I, P, M),
    made("bcsr_extract", lambda f, i, p, x: f(i, p, x), I, P, M),
    made("bcsr_fromdense", lambda f, x: f(x, nse=6), M, nse=(), n_batch=(), n_dense=(), index_dtype=()),
    made("bcsr_sum_duplicates", lambda f, d, i, p: f(csr(d, i, p), nse=6), D, I, P, nse=()),
    made("bcsr_todense", lambda f, d, i, p: f(csr(d, i, p)), D, I, P),
    made("coo_fromdense", lambda f, x: f(x, nse=6), M, nse=(), index_dtype=()),
    made("coo_matmat", lambda f, d, i, j, x, **o: f(plain_coo(d, i, j), x, **o), D, I, I, M, transpose=BOTH),
    made("coo_matvec", lambda f, d, i, j, x, **o: f(plain_coo(d, i, j), x, **o), D, I, I, V, transpose=BOTH),
    made("coo_todense", lambda f, d, i, j: f(plain_coo(d, i, j)), D, I, I),
    made("csr_fromdense", lambda f, x: f(x, nse=6), M, nse=(), index_dtype=()),
    made("csr_matmat", lambda f, d, i, p, x, **o: f(plain_csr(d, i, p), x, **o), D, I, P, M, transpose=BOTH),
    made("csr_matvec", lambda f, d, i, p, x, **o: f(plain_csr(d, i, p), x, **o), D, I, P, V, transpose=BOTH),
    made("csr_todense", lambda f, d, i, p: f(plain_csr(d, i, p)), D, I, P),
    made("empty", lambda f, x: f(M, x.dtype) @ x, M, index_dtype=(), sparse_format=()),
    made("eye", lambda f, x: f(4, dtype=x.dtype) @ x, M, N=(), M=(), k=(), index_dtype=(), sparse_format=()),
    made("grad", lambda f, d, at: f(lambda a: jnp.abs(a.sum()))(coo(d, at)).data, D, AT, argnums=(), has_aux=()),
    made("jacfwd", lambda f, d, at: f(lambda a: a.sum())(coo(d, at)).data, D, AT, argnums=(), has_aux=()),
    made("jacobian", lambda f, x: f(lambda a: jnp.abs(a.sum()))(x), M, argnums=(), has_aux=()),
    made("jacrev", lambda f, x: f(lambda a: jnp.abs(a.sum()))(x), M, argnums=(), has_aux=()),
    made(
        "random_bcoo", lambda f, x: f(jax.random.key(0), M, dtype=jnp.float32, nse=6) @ x, M,
        indices_dtype=(), nse=(), n_batch=(), n_dense=(), unique_indices=(), sorted_indices=(), generator=(),
    ),
    made("sparsify", lambda f, d, at, x: f(lambda a, x: a @ x)(coo(d, at), x), D, AT, M, use_tracer=()),
    made("todense", lambda f, d, at: f(coo(d, at)), D, AT),
    made("value_and_grad", lambda f, x: f(lambda a: jnp.abs(a.sum()))(x), M, argnums=(), has_aux=()),
]
SPARSE_LINALG = [
    made("lobpcg_standard", lambda f, a, x: f(a, x, m=3), (40, 40), (40, 2), m=()),
    made("spsolve", lambda f, d, i, p, b: f(d, i, p, b), D, I, P, V, reorder=()),
]

MODULES = [
    (jnp.linalg, NUMPY),
    (scipy_linalg, SCIPY),
    (lax_linalg, LAX),
    (sparse, SPARSE),
    (sparse_linalg, SPARSE_LINALG),
]


def main():
    problems, targets, count = [], {}, 0
    for module, cases in MODULES:
        problems += unlisted(module, cases)
        for name, function, shapes, options in cases:
            subject = getattr(module, name, None)
            if subject is None:
                continue
            known = parameters(subject)
            if function is None and not options.keys() <= known.keys():
                continue
            for values in itertools.product(*(options[option] for option in options if tuple(options[option]))):
                chosen = dict(zip((option for option in options if tuple(options[option])), values))
                label = f"{name}({shown(chosen)}, {[tuple(shape) for shape in shapes]})"
                if any(label.startswith(start) for start in NOT_LOWERED):
                    continue
                found, errors = lowered(subject, function, shapes, chosen)
                count += len(found)
                if not found:
                    problems.append(f"{module.__name__}.{label} can't be lowered: {errors[0]}")
                for calls in found:
                    for target in calls:
                        targets.setdefault(target, f"{module.__name__}.{label}")
    print(json.dumps({"jax": jax.__version__, "problems": problems, "targets": targets, "lowered": count}))


def unlisted(module, cases):
    """Public functions of a module that no case calls, and their options that no case gives."""
    given = {}
    for name, _, _, options in cases:
        given.setdefault(name, set()).update(options)
    for name in dir(module):
        subject = getattr(module, name)
        if name.startswith("_") or name in NO_FUNCTIONS or not callable(subject) or isinstance(subject, types.ModuleType):
            continue
        if name in NOT_LOWERED:
            continue
        if name not in given:
            yield f"{module.__name__}.{name} is in no case"
        elif not inspect.isclass(subject):
            for option, parameter in parameters(subject).items():
                has_default = parameter.default is not parameter.empty
                if has_default and option not in given[name] | SAME:
                    yield f"the option {option} of {module.__name__}.{name} is in no case"


def parameters(subject):
    try:
        return dict(inspect.signature(subject).parameters)
    except (TypeError, ValueError):
        return {}


def shown(options):
    values = ((name, value.name if isinstance(value, enum.Enum) else value) for name, value in options.items())
    return ", ".join(f"{name}={value}" for name, value in values)


def lowered(subject, function, shapes, options):
    """The custom calls of each type that can be lowered, and of a derivative; and why the others can't."""
    found, errors = [], []
    for dtype in DTYPES:
        arguments = [
            jax.ShapeDtypeStruct(tuple(shape), "int32" if isinstance(shape, Integers) else dtype) for shape in shapes
        ]

        def plain(*arrays):
            if function is None:
                return subject(*arrays, **options)
            return function(subject, *arrays, **options)

        for way in [plain] if dtype != DIFFERENTIATED else [plain, derivative(plain, shapes)]:
            try:
                text = jax.jit(way).trace(*arguments).lower(lowering_platforms=("cpu",)).as_text()
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}".splitlines()[0][:200])
                if way is plain:
                    break
                continue
            found.append(set(re.findall(r'custom_call @"?([\w.$]+)', text)))
    return found, errors


def derivative(function, shapes):
    """The function with its forward derivative by all arrays of floats."""
    moving = [i for i, shape in enumerate(shapes) if not isinstance(shape, Integers)]

    def both(*arrays):
        def of_moving(*values):
            full = list(arrays)
            for i, value in zip(moving, values):
                full[i] = value
            return function(*full)

        values = [arrays[i] for i in moving]
        return jax.jvp(of_moving, values, values)

    return both


main()
