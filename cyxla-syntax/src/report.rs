use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;

/// Collects the mistakes of a declaration, so that a user sees all of them in one build.
///
/// ```
/// use cyxla_syntax::Report;
///
/// let mut report = Report::default();
/// report.on(quote::quote!(async), "a program is not `async`");
/// report.on(quote::quote!(T), "a program has no generics");
/// assert_eq!(report.finish().unwrap_err().into_iter().count(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Report {
    found: Option<syn::Error>,
}

impl Report {
    /// A mistake that the tokens of `culprit` make.
    pub fn on(&mut self, culprit: impl ToTokens, mistake: impl Display) {
        self.push(syn::Error::new_spanned(culprit, mistake));
    }

    /// A mistake at `span`.
    pub fn at(&mut self, span: Span, mistake: impl Display) {
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

    /// All mistakes as one error.
    ///
    /// # Errors
    /// There are some.
    pub fn finish(self) -> syn::Result<()> {
        self.found.map_or(Ok(()), Err)
    }
}
