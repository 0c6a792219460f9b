//! The weights that calls run with, which may be changed between calls.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::WeightSet;
use crate::frame::Frame;

/// The weights of one executable.
pub(crate) struct CurrentWeights {
    set: RwLock<Arc<WeightSet>>,
    /// How often they were changed, and 1: a frame without weights has met none of these numbers.
    generation: AtomicUsize,
    /// How many there are.
    count: usize,
}

impl CurrentWeights {
    pub(crate) fn new(set: Arc<WeightSet>) -> Self {
        Self {
            count: set.0.len(),
            set: RwLock::new(set),
            generation: AtomicUsize::new(1),
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Has a frame call with the weights as they are now. A call that runs keeps those that it was started with.
    #[inline]
    pub(crate) fn refresh(&self, frame: &mut Frame) {
        if self.count > 0 && frame.weights_generation() != self.generation.load(Ordering::Acquire) {
            self.give(frame);
        }
    }

    #[cold]
    fn give(&self, frame: &mut Frame) {
        // Under the lock, so that the number is that of the set.
        let set = self.set.read().unwrap_or_else(PoisonError::into_inner);
        let generation = self.generation.load(Ordering::Acquire);
        frame.take_weights(Arc::clone(&set), generation);
    }

    /// As they are now.
    pub(crate) fn get(&self) -> Arc<WeightSet> {
        let set = self.set.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&set)
    }

    /// Changes them: calls that begin from now on run with `set`, which has as many.
    pub(crate) fn replace(&self, set: Arc<WeightSet>) {
        let mut current = self.set.write().unwrap_or_else(PoisonError::into_inner);
        *current = set;
        self.generation.fetch_add(1, Ordering::Release);
    }
}
