//! The matrices of a batch, one after the other or on several threads.

use crate::pool::Pool;

/// What a batch costs, in floating-point operations, for each thread that it is worth to wake: about half a millisecond,
/// ten times what it takes to have one do something.
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
/// Large batches are split over as many threads as the process may use.
pub(crate) fn for_each<M: Members>(
    count: usize,
    cost: f64,
    members: M,
    work: impl Fn(M::Item) + Sync,
) {
    if let Some(worth) = threads_worth(count, cost)
        && let Some(pool) = Pool::of_this_process()
    {
        let parts = worth.min(pool.threads()).min(count) * PARTS_PER_THREAD;
        let most = count.div_ceil(parts);
        pool.run(|| spread(members, count, most, &work));
        return;
    }
    one_by_one(members, count, &work);
}

fn one_by_one<M: Members>(mut members: M, count: usize, work: &impl Fn(M::Item)) {
    for _ in 0..count {
        work(members.next());
    }
}

/// Halves the members until there are no more than `most`; a thread with nothing to do takes a half.
fn spread<M: Members>(members: M, count: usize, most: usize, work: &(impl Fn(M::Item) + Sync)) {
    if count <= most {
        return one_by_one(members, count, work);
    }
    let half = count / 2;
    let (first, second) = members.split(half);
    Pool::both(
        || spread(first, half, most, work),
        || spread(second, count - half, most, work),
    );
}

/// How many threads a batch is worth; none if it isn't worth more than that of the caller.
fn threads_worth(count: usize, cost: f64) -> Option<usize> {
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    let total = cost * count as f64;
    if count < 2 || total < 2.0 * COST_OF_A_THREAD {
        return None;
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and cut to what there is"
    )]
    Some((total / COST_OF_A_THREAD) as usize)
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

    /// The threads that work on a batch of `count` members.
    fn threads(count: usize, cost: f64) -> Vec<std::thread::ThreadId> {
        let mut threads = vec![std::thread::current().id(); count];
        for_each(count, cost, Write::new(&mut threads, 1), |thread| {
            thread[0] = std::thread::current().id();
        });
        threads
    }

    #[test]
    fn small_batches_stay_on_the_thread_of_the_caller() {
        let here = std::thread::current().id();
        for (count, cost) in [(1000, 100.0), (1, 1e12), (2, 0.9e6)] {
            let threads = threads(count, cost);
            assert!(threads.iter().all(|&thread| thread == here));
        }
    }

    #[test]
    fn large_batches_use_the_threads_of_the_pool() {
        let here = std::thread::current().id();
        let of_pool = |&thread: &_| thread != here;
        let is_large = threads(64, 1e9).iter().all(of_pool);
        assert_eq!(is_large, Pool::of_this_process().is_some());
    }

    #[test]
    fn a_panic_on_another_thread_is_one_of_the_caller() {
        let mut nothing = [0; 8];
        let members = Write::new(&mut nothing, 1);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for_each(8, 1e9, members, |_| panic!("no"));
        }));
        assert!(outcome.is_err());
        // And the pool goes on.
        assert_eq!(threads(8, 1e9).len(), 8);
    }
}
