//! The choices that LAPACK's routines take as single characters.

/// Which triangle of a matrix is meant (`uplo`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Triangle {
    /// The lower one.
    Lower,
    /// The upper one.
    Upper,
}

/// On which side of the other matrix a matrix stands (`side`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// `op(A) X`
    Left,
    /// `X op(A)`
    Right,
}

/// What is done to a matrix first (`trans`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    /// `A`
    None,
    /// `Aᵀ`
    Transpose,
    /// `Aᴴ`
    Adjoint,
}

/// Whether the diagonal of a triangular matrix is stored (`diag`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Diagonal {
    /// It is.
    Stored,
    /// It is all ones; what is stored is not looked at.
    Unit,
}
