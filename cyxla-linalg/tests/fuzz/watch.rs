//! A thread that ends the test when a call takes for ever.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// More than any call of a test takes, on a busy machine and without optimisation.
const LONGEST: Duration = Duration::from_secs(120);

/// What is running, and since when.
#[derive(Clone, Default)]
pub(crate) struct Watch(Arc<Mutex<Option<(String, Instant)>>>);

impl Watch {
    /// Starts the thread, which runs for as long as the process.
    pub(crate) fn start() -> Self {
        let watch = Self::default();
        let watched = watch.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(LONGEST / 10);
                if let Some((what, since)) = &*watched.lock()
                    && since.elapsed() > LONGEST
                {
                    eprintln!("{what} takes more than {LONGEST:?}");
                    std::process::exit(101);
                }
            }
        });
        watch
    }

    pub(crate) fn begin(&self, what: String) {
        *self.lock() = Some((what, Instant::now()));
    }

    pub(crate) fn end(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<(String, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
