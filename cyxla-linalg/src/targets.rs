//! The names under which JAX's CPU lowering calls the handlers.

use cyxla_ffi::{CallFrame, Error};
use num_complex::Complex;

use crate::handlers::{
    cholesky, eig, eigh, hessenberg, lu, qr, schur, sparse, svd, triangular, tridiagonal,
    tridiagonal_solve,
};

/// A custom call for the platform `Host`: its name, and what is called.
pub type Target = (&'static str, fn(&mut CallFrame<'_>) -> Result<(), Error>);

/// A row of LAPACK has four names, one per element type: the routine's for real types and its handler, then both for complex
/// types. The other rows have one.
macro_rules! targets {
    (
        lapack { $($real:literal $module:ident::$of_real:ident, $complex:literal $of_complex:ident;)* }
        $($name:literal $handler:path;)*
    ) => {
        &[
            $(
                (concat!("lapack_s", $real, "_ffi"), $module::$of_real::<f32>),
                (concat!("lapack_d", $real, "_ffi"), $module::$of_real::<f64>),
                (concat!("lapack_c", $complex, "_ffi"), $module::$of_complex::<Complex<f32>>),
                (concat!("lapack_z", $complex, "_ffi"), $module::$of_complex::<Complex<f64>>),
            )*
            $(($name, $handler),)*
        ]
    };
}

const TARGETS: &[Target] = targets! {
    lapack {
        "potrf" cholesky::potrf, "potrf" potrf;
        "getrf" lu::getrf, "getrf" getrf;
        "geqrf" qr::geqrf, "geqrf" geqrf;
        "orgqr" qr::orgqr, "ungqr" orgqr;
        "ormqr" qr::ormqr, "unmqr" ormqr;
        "geqp3" qr::geqp3, "geqp3" geqp3;
        "trsm" triangular::trsm, "trsm" trsm;
        "gtsv" tridiagonal_solve::gtsv, "gtsv" gtsv;
        "gesdd" svd::gesdd, "gesdd" gesdd;
        "gesvd" svd::gesdd, "gesvd" gesdd;
        "syevd" eigh::syevd, "heevd" syevd;
        "geev" eig::geev_real, "geev" geev_complex;
        "gees" schur::gees_real, "gees" gees_complex;
        "gehrd" hessenberg::gehrd, "gehrd" gehrd;
        "sytrd" tridiagonal::sytrd, "hetrd" sytrd;
    }
    "tridiagonal_solve_perturbed_ffi" tridiagonal_solve::perturbed;
    "cpu_csr_sparse_dense_ffi" sparse::csr_dense;
};

/// All custom calls of this crate, for `cyxla::register_ffi_target`.
pub fn targets() -> &'static [Target] {
    TARGETS
}
