//! A pool whose users do not wait for each other.

use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Values to be used by one thread at a time, and then by the next one.
///
/// A value is taken and given back with one atomic exchange, at a place that belongs to the thread as long as there are not
/// more threads than places: threads then share no cache line. No lock is taken.
pub(crate) struct Pool<T> {
    places: Box<[Place<T>]>,
}

/// One place, alone in its cache line; two, as processors fetch pairs of them.
#[repr(align(128))]
struct Place<T>(AtomicPtr<T>);

/// Room for as many threads as usually call one program at a time. Threads beyond find no value and make one.
const FEWEST_PLACES: usize = 16;
const MOST_PLACES: usize = 128;

impl<T> Pool<T> {
    /// An empty pool.
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with_places((2 * processors).clamp(FEWEST_PLACES, MOST_PLACES))
    }

    fn with_places(places: usize) -> Self {
        let places = (0..places).map(|_| Place(AtomicPtr::new(ptr::null_mut())));
        Self {
            places: places.collect(),
        }
    }

    /// Takes a value out, if there is one.
    #[inline]
    pub(crate) fn take(&self) -> Option<Box<T>> {
        self.own_place_first().find_map(|place| {
            // Looked at first: an exchange takes the cache line from whoever has it.
            if place.0.load(Ordering::Relaxed).is_null() {
                return None;
            }
            let value = place.0.swap(ptr::null_mut(), Ordering::Acquire);
            // SAFETY: only `put` writes anything but NULL to a place, the address of a box that it gives up; the exchange
            // has taken it out, so that nobody else gets it.
            (!value.is_null()).then(|| unsafe { Box::from_raw(value) })
        })
    }

    /// Puts a value in. It is dropped if there is no room.
    #[inline]
    pub(crate) fn put(&self, value: Box<T>) {
        let value = Box::into_raw(value);
        let kept = self.own_place_first().any(|place| {
            place.0.load(Ordering::Relaxed).is_null()
                && place
                    .0
                    .compare_exchange(ptr::null_mut(), value, Ordering::Release, Ordering::Relaxed)
                    .is_ok()
        });
        if !kept {
            // SAFETY: made by `into_raw` above, and put nowhere.
            drop(unsafe { Box::from_raw(value) });
        }
    }

    /// All places, that of this thread first.
    #[inline]
    fn own_place_first(&self) -> impl Iterator<Item = &Place<T>> {
        let (before, from) = self.places.split_at(thread_number() % self.places.len());
        from.iter().chain(before)
    }
}

impl<T> Drop for Pool<T> {
    fn drop(&mut self) {
        while self.take().is_some() {}
    }
}

// SAFETY: the pool owns its values and passes each to one thread at a time.
unsafe impl<T: Send> Send for Pool<T> {}
// SAFETY: as above; values are never shared.
unsafe impl<T: Send> Sync for Pool<T> {}

impl<T> fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({} places)", self.places.len())
    }
}

/// Threads in the order of their first call.
#[inline]
fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    // A call from the destructor of a thread may come after that of the number; there are none of a number.
    NUMBER.try_with(|number| *number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn what_was_put_in_comes_out_once() {
        let pool = Pool::with_places(4);
        assert!(pool.take().is_none());
        pool.put(Box::new(7));
        assert_eq!(pool.take(), Some(Box::new(7)));
        assert!(pool.take().is_none());
    }

    #[test]
    fn values_beyond_the_room_are_dropped() {
        let pool = Pool::with_places(2);
        for value in 0..5 {
            pool.put(Box::new(value));
        }
        let left: HashSet<_> = std::iter::from_fn(|| pool.take()).collect();
        assert_eq!(left, HashSet::from([Box::new(0), Box::new(1)]));
    }

    #[test]
    fn a_dropped_pool_drops_its_values() {
        let value = std::sync::Arc::new(());
        let pool = Pool::with_places(2);
        pool.put(Box::new(value.clone()));
        drop(pool);
        assert_eq!(std::sync::Arc::strong_count(&value), 1);
    }

    /// A value that knows whether somebody uses it.
    struct Watched {
        number: usize,
        used: AtomicBool,
        content: usize,
    }

    #[test]
    fn no_two_threads_have_one_value() {
        let rounds = if cfg!(miri) { 50 } else { 50_000 };
        // Fewer places than threads, so that they meet.
        let pool = Pool::with_places(3);
        let made = AtomicUsize::new(0);
        let seen = Mutex::new(HashSet::new());
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let (pool, made, seen) = (&pool, &made, &seen);
                scope.spawn(move || {
                    for round in 0..rounds {
                        let mut value = pool.take().unwrap_or_else(|| {
                            Box::new(Watched {
                                number: made.fetch_add(1, Ordering::Relaxed),
                                used: AtomicBool::new(false),
                                content: 0,
                            })
                        });
                        assert!(!value.used.swap(true, Ordering::Relaxed), "used twice");
                        value.content = thread * rounds + round;
                        std::hint::spin_loop();
                        assert_eq!(value.content, thread * rounds + round);
                        value.used.store(false, Ordering::Relaxed);
                        if round == 0 {
                            seen.lock().unwrap().insert(value.number);
                        }
                        pool.put(value);
                    }
                });
            }
        });
        assert!(!seen.lock().unwrap().is_empty());
        let left: Vec<_> = std::iter::from_fn(|| pool.take()).collect();
        assert!(left.len() <= 3);
    }
}
