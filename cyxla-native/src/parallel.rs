//! Work on several threads: those of the caller's `rayon` pool, or of the process's.

use std::sync::OnceLock;

/// The process that has loaded the first program.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Remembers the process whose threads there are: a forked child has none of them, and would wait for them forever.
pub(crate) fn watch() {
    PROCESS.get_or_init(std::process::id);
}

fn is_forked_child() -> bool {
    let process = PROCESS.get();
    process.is_some_and(|&process| process != std::process::id())
}

/// How many threads there are.
pub(crate) fn threads() -> usize {
    if is_forked_child() {
        return 1;
    }
    rayon_core::current_num_threads()
}

/// Has several threads do each of so many parts; this one waits until all are done.
///
/// # Errors
/// What a part says: the first of them, by number.
pub(crate) fn each<E: Send>(
    parts: usize,
    part: &(impl Fn(usize) -> Result<(), E> + Sync),
) -> Result<(), E> {
    if is_forked_child() {
        return (0..parts).try_for_each(part);
    }
    range(0, parts, part)
}

fn range<E: Send>(
    from: usize,
    to: usize,
    part: &(impl Fn(usize) -> Result<(), E> + Sync),
) -> Result<(), E> {
    match to.saturating_sub(from) {
        0 => Ok(()),
        1 => part(from),
        count => {
            let middle = from + count / 2;
            let (first, second) =
                rayon_core::join(|| range(from, middle, part), || range(middle, to, part));
            first.and(second)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn each_part_is_done_once() {
        let done: Vec<_> = (0..13).map(|_| AtomicUsize::new(0)).collect();
        let part = |number: usize| -> Result<(), ()> {
            done[number].fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        each(13, &part).unwrap();
        assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1));
        each(0, &part).unwrap();
    }

    #[test]
    fn the_first_error_is_told() {
        let part = |number: usize| if number >= 5 { Err(number) } else { Ok(()) };
        assert_eq!(each(9, &part), Err(5));
    }
}
