//! The matrices of a batch, one after the other or on several threads.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// What a batch costs, in floating-point operations, for each thread that it is worth to start: about half a millisecond,
/// ten times what it takes to start one.
const COST_OF_A_THREAD: f64 = 1e6;

/// Parts of a batch per thread, so that a thread that is held up leaves work to the others.
const PARTS_PER_THREAD: usize = 4;

/// Something of which each member of a batch has its own.
pub(crate) trait Members: Sized + Send {
    /// That of one member.
    type Item;

    /// That of the first `count` members, and of the others.
    fn split(self, count: usize) -> (Self, Self);

    /// That of the first member; `self` is now that of the others.
    fn next(&mut self) -> Self::Item;
}

/// `size` elements to read for each member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Read<'a, T> {
    elements: &'a [T],
    size: usize,
}

impl<'a, T> Read<'a, T> {
    pub(crate) fn new(elements: &'a [T], size: usize) -> Self {
        Self { elements, size }
    }
}

impl<'a, T: Sync> Members for Read<'a, T> {
    type Item = &'a [T];

    fn split(self, count: usize) -> (Self, Self) {
        let (first, second) = self.elements.split_at(count * self.size);
        (Self::new(first, self.size), Self::new(second, self.size))
    }

    #[inline]
    fn next(&mut self) -> &'a [T] {
        let first;
        (first, self.elements) = self.elements.split_at(self.size);
        first
    }
}

/// `size` elements to write for each member.
#[derive(Debug)]
pub(crate) struct Write<'a, T> {
    elements: &'a mut [T],
    size: usize,
}

impl<'a, T> Write<'a, T> {
    pub(crate) fn new(elements: &'a mut [T], size: usize) -> Self {
        Self { elements, size }
    }
}

impl<'a, T: Send> Members for Write<'a, T> {
    type Item = &'a mut [T];

    fn split(self, count: usize) -> (Self, Self) {
        let (first, second) = self.elements.split_at_mut(count * self.size);
        (Self::new(first, self.size), Self::new(second, self.size))
    }

    #[inline]
    fn next(&mut self) -> &'a mut [T] {
        let first;
        (first, self.elements) = std::mem::take(&mut self.elements).split_at_mut(self.size);
        first
    }
}

macro_rules! members_of_tuples {
    ($($($name:ident)+;)+) => { $(
        #[allow(non_snake_case, reason = "a name is both the type and its value")]
        impl<$($name: Members),+> Members for ($($name,)+) {
            type Item = ($($name::Item,)+);

            fn split(self, count: usize) -> (Self, Self) {
                let ($($name,)+) = self;
                $(let $name = $name.split(count);)+
                (($($name.0,)+), ($($name.1,)+))
            }

            #[inline]
            fn next(&mut self) -> Self::Item {
                let ($($name,)+) = self;
                ($($name.next(),)+)
            }
        }
    )+ };
}

members_of_tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
}

/// Does `work` with each of the `count` members of a batch, of which one costs about `cost` floating-point operations.
///
/// Large batches are split over as many threads as the process may use; the caller's is one of them.
pub(crate) fn for_each<M: Members>(
    count: usize,
    cost: f64,
    mut members: M,
    work: impl Fn(M::Item) + Sync,
) {
    let threads = threads(count, cost);
    if threads < 2 {
        for _ in 0..count {
            work(members.next());
        }
        return;
    }
    let parts = Mutex::new(parts(members, count, threads * PARTS_PER_THREAD));
    let take_part = || parts.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work_on_parts = || {
        while let Some((mut part, count)) = take_part() {
            for _ in 0..count {
                work(part.next());
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread can be started, those that there are do its work.
            if thread::Builder::new()
                .spawn_scoped(scope, work_on_parts)
                .is_err()
            {
                break;
            }
        }
        work_on_parts();
    });
}

fn threads(count: usize, cost: f64) -> usize {
    static AVAILABLE: OnceLock<usize> = OnceLock::new();
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    let total = cost * count as f64;
    if count < 2 || total < 2.0 * COST_OF_A_THREAD {
        return 1;
    }
    let available =
        *AVAILABLE.get_or_init(|| thread::available_parallelism().map_or(1, usize::from));
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and cut to what there is"
    )]
    let worth = (total / COST_OF_A_THREAD) as usize;
    worth.min(available).min(count)
}

/// The members in `parts` parts of nearly equal numbers, each with its number.
fn parts<M: Members>(members: M, count: usize, parts: usize) -> Vec<(M, usize)> {
    let parts = parts.min(count);
    let mut list = Vec::with_capacity(parts);
    let (mut rest, mut left) = (members, count);
    for part in (1..parts).rev() {
        let size = left / (part + 1);
        let (first, others) = rest.split(size);
        list.push((first, size));
        (rest, left) = (others, left - size);
    }
    list.push((rest, left));
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_member_is_worked_on_once_whatever_the_number_of_threads() {
        for cost in [0.0, 1e12] {
            for count in [0, 1, 2, 7, 100] {
                let input: Vec<usize> = (0..2 * count).collect();
                let mut output = vec![0; count];
                let members = (Read::new(&input, 2), Write::new(&mut output, 1));
                for_each(count, cost, members, |(input, output)| {
                    output[0] += input[0] + input[1];
                });
                assert!(output.iter().enumerate().all(|(i, &sum)| sum == 4 * i + 1));
            }
        }
    }

    #[test]
    fn members_without_elements_are_members() {
        let mut output = [0; 3];
        let mut nothing: [u8; 0] = [];
        let members = (Write::new(&mut nothing, 0), Write::new(&mut output, 1));
        for_each(3, 0.0, members, |(nothing, output)| {
            assert!(nothing.is_empty());
            output[0] = 1;
        });
        assert_eq!(output, [1, 1, 1]);
    }

    #[test]
    fn small_batches_stay_on_the_thread_of_the_caller() {
        assert_eq!(threads(1000, 100.0), 1);
        assert_eq!(threads(1, 1e12), 1);
    }
}
