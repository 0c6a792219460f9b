//! Whether this thread runs a handler.
//!
//! A handler runs in the middle of a program, on a thread of XLA's pool or on the caller's. Another program might wait for
//! that very thread, forever, so calls out of a handler are refused.

use std::cell::Cell;

use super::FfiError;
use crate::error::Error;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Marks the thread for as long as it exists.
pub(super) struct Inside {
    before: bool,
}

impl Inside {
    pub(super) fn enter() -> Self {
        Self {
            before: INSIDE.replace(true),
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(self.before);
    }
}

/// The error that this thread runs a handler, if so.
#[inline]
pub(crate) fn check_outside() -> Result<(), Error> {
    if INSIDE.get() {
        return Err(inside());
    }
    Ok(())
}

#[cold]
fn inside() -> Error {
    FfiError::Inside.into()
}
