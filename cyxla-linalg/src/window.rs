//! How the QR algorithms walk along a diagonal.

/// A part of a bidiagonal or tridiagonal matrix as a sweep sees it: from its first row to its last, or from the last to the
/// first.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) forward: bool,
}

impl Window {
    /// The steps of a sweep.
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        self.last - self.first
    }

    #[inline(always)]
    pub(crate) fn row(self, k: usize) -> usize {
        if self.forward {
            self.first + k
        } else {
            self.last - k
        }
    }

    /// Where the number between rows k and k + 1 is.
    #[inline(always)]
    pub(crate) fn between(self, k: usize) -> usize {
        if self.forward {
            self.first + k
        } else {
            self.last - k - 1
        }
    }
}
