use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What the linear algebra of a program is lowered to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Linalg {
    /// `lapack`: custom calls under the names of LAPACK, as JAX lowers for the CPU itself. The run time has handlers for them,
    /// with the feature `linalg` of cyxla.
    #[default]
    Lapack,
    /// `portable`: operations that XLA expands itself, as JAX lowers for platforms without LAPACK. Such a program needs no
    /// handler. There is no eig, schur, hessenberg, tridiagonal or pivoted QR; compared with `lapack`, eigenvalues and
    /// singular values of f64 are exact to about 3e-7 only, and those of a matrix of 512 × 512 take 20 to 40 times as long.
    Portable,
}

impl fmt::Display for Linalg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lapack => "lapack",
            Self::Portable => "portable",
        })
    }
}

/// A word that names no way to lower linear algebra.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no way to lower linear algebra, which are `lapack` and `portable`")]
pub struct UnknownLinalg {
    /// What was met.
    pub text: String,
}

impl FromStr for Linalg {
    type Err = UnknownLinalg;

    fn from_str(text: &str) -> Result<Self, UnknownLinalg> {
        let all = [Self::Lapack, Self::Portable];
        let known = all.into_iter().find(|way| way.to_string() == text);
        known.ok_or_else(|| UnknownLinalg {
            text: text.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        assert_eq!("lapack".parse(), Ok(Linalg::Lapack));
        assert_eq!("portable".parse(), Ok(Linalg::Portable));
        assert!("Portable".parse::<Linalg>().is_err() && "".parse::<Linalg>().is_err());
    }
}
