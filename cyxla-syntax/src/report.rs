use proc_macro2::Span;
use quote::ToTokens;

use crate::mistake::Mistake;

/// Collects the mistakes of a declaration, so that a user sees all of them in one build.
#[derive(Default)]
pub(crate) struct Report {
    found: Option<syn::Error>,
}

impl Report {
    /// A mistake that the tokens of `culprit` make.
    pub(crate) fn on(&mut self, culprit: impl ToTokens, mistake: Mistake) {
        self.push(syn::Error::new_spanned(culprit, mistake));
    }

    /// A mistake at `span`.
    pub(crate) fn at(&mut self, span: Span, mistake: Mistake) {
        self.push(syn::Error::new(span, mistake));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.found {
            Some(found) => found.combine(error),
            None => self.found = Some(error),
        }
    }

    /// The value of what can't be parsed any further.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn finish(self) -> syn::Result<()> {
        self.found.map_or(Ok(()), Err)
    }
}
