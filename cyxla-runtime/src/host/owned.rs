use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use cyxla_artifact::MAX_RANK;

use super::{ALIGNMENT, HostArrayError, HostMemory, as_mut_slice, as_slice, from_slice};
use crate::array::{Array, bytes_of};

/// An owned array on the heap, aligned to 64 bytes, which derefs to `A`.
///
/// As an argument of a program it is used in place, where a [`Box`], which is aligned to its elements only, may have to be
/// copied first. It never goes through the stack, whatever its size.
///
/// ```
/// use cyxla_runtime::Host;
///
/// let mut grid = Host::<[[f32; 1024]; 1024]>::zeros();
/// grid[2][3] = 1.0;
/// assert_eq!(grid.as_slice()[2 * 1024 + 3], 1.0);
/// ```
///
/// # Shape
/// Row major, elements in the byte order of the host.
pub struct Host<A: Array> {
    memory: HostMemory,
    array: PhantomData<A>,
}

impl<A: Array> Host<A> {
    /// An array of zeros; of `0` bytes, which for [`F8E8M0FNU`](crate::F8E8M0FNU) means 2⁻¹²⁷.
    pub fn zeros() -> Self {
        // SAFETY: an `A` of that many bytes; zeros are valid for all elements.
        unsafe { Self::from_memory(HostMemory::zeroed(size_of::<A>())) }
    }

    /// An array whose element at each index, outermost axis first, is `element(index)`. Row major: the last axis runs
    /// fastest.
    ///
    /// ```
    /// use cyxla_runtime::Host;
    ///
    /// let identity = Host::<[[f32; 3]; 3]>::from_fn(|index| f32::from(index[0] == index[1]));
    /// assert_eq!(*identity, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    /// ```
    pub fn from_fn(mut element: impl FnMut(&[usize]) -> A::Elem) -> Self {
        let array_type = A::TYPE;
        let shape = array_type.shape();
        let mut axes = [0; MAX_RANK];
        let index = &mut axes[..shape.len()];
        let mut memory = HostMemory::uninit(size_of::<A>());
        for slot in memory.elements::<A::Elem>() {
            slot.write(element(index));
            for (i, n) in index.iter_mut().zip(shape).rev() {
                *i += 1;
                if *i < *n {
                    break;
                }
                *i = 0;
            }
        }
        // SAFETY: every element has been written.
        unsafe { Self::from_memory(memory.filled()) }
    }

    /// A copy of the elements, row major.
    ///
    /// ```
    /// use cyxla_runtime::Host;
    ///
    /// let numbers = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    /// let matrix = Host::<[[f64; 3]; 2]>::from_slice(&numbers)?;
    /// assert_eq!(*matrix, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// # Ok::<(), cyxla_runtime::HostArrayError>(())
    /// ```
    ///
    /// # Errors
    /// [`HostArrayError::Elements`]: the array has another number of elements.
    pub fn from_slice(elements: &[A::Elem]) -> Result<Self, HostArrayError> {
        from_slice::<A>(elements).map(Self::from_array)
    }

    /// A copy of a nested Rust array.
    pub fn from_array(array: &A) -> Self {
        // SAFETY: the bytes of an `A`.
        unsafe { Self::from_memory(HostMemory::copy_of(bytes_of(array))) }
    }

    /// The array in `memory`.
    ///
    /// # Safety
    /// The memory holds exactly the elements of an `A`, all of them valid.
    pub(crate) unsafe fn from_memory(memory: HostMemory) -> Self {
        const { assert!(align_of::<A>() <= ALIGNMENT && size_of::<A>() == A::TYPE.nbytes()) };
        debug_assert_eq!(memory.len(), size_of::<A>());
        Self {
            memory,
            array: PhantomData,
        }
    }

    pub(crate) fn into_memory(self) -> HostMemory {
        self.memory
    }

    /// All elements, row major.
    pub fn as_slice(&self) -> &[A::Elem] {
        as_slice::<A>(self)
    }

    /// All elements, row major.
    pub fn as_mut_slice(&mut self) -> &mut [A::Elem] {
        as_mut_slice::<A>(self)
    }
}

impl<A: Array> Deref for Host<A> {
    type Target = A;

    fn deref(&self) -> &A {
        // SAFETY: the memory holds an `A`, at a larger alignment than it needs.
        unsafe { self.memory.as_ptr().cast().as_ref() }
    }
}

impl<A: Array> DerefMut for Host<A> {
    fn deref_mut(&mut self) -> &mut A {
        // SAFETY: as for `deref`; the borrow is exclusive.
        unsafe { self.memory.as_ptr().cast().as_mut() }
    }
}

/// Zeros.
impl<A: Array> Default for Host<A> {
    fn default() -> Self {
        Self::zeros()
    }
}

impl<A: Array> Clone for Host<A> {
    fn clone(&self) -> Self {
        Self::from_array(self)
    }

    fn clone_from(&mut self, source: &Self) {
        self.memory
            .bytes_mut()
            .copy_from_slice(source.memory.bytes());
    }
}

impl<A: Array + fmt::Debug> fmt::Debug for Host<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// Element by element.
impl<A: Array + PartialEq> PartialEq for Host<A> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<A: Array + Eq> Eq for Host<A> {}

/// Copies.
impl<A: Array> From<&A> for Host<A> {
    fn from(array: &A) -> Self {
        Self::from_array(array)
    }
}

/// Copies, to the alignment; the box is freed.
impl<A: Array> From<Box<A>> for Host<A> {
    fn from(array: Box<A>) -> Self {
        Self::from_array(&array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{BF16, Complex, F8E4M3FN, I4};
    use crate::host::HostArray;

    fn is_aligned<A: Array>(array: &Host<A>) -> bool {
        std::ptr::from_ref(&**array)
            .addr()
            .is_multiple_of(ALIGNMENT)
    }

    #[test]
    fn arrays_of_all_sizes_are_aligned() {
        assert!(is_aligned(&Host::<bool>::zeros()));
        assert!(is_aligned(&Host::<[u8; 1]>::zeros()));
        assert!(is_aligned(&Host::<[[I4; 3]; 7]>::from_fn(|_| I4::MIN)));
        assert!(is_aligned(&Host::from_array(&[[BF16::ONE; 5]; 13])));
        assert!(is_aligned(
            &Host::from_array(&[Complex::new(1.0, 2.0); 3]).clone()
        ));
        assert!(is_aligned(&Host::<[f64; 0]>::zeros()));
        assert!(is_aligned(&Host::<[[[F8E4M3FN; 2]; 0]; 3]>::default()));
    }

    #[test]
    fn zeros_are_zero() {
        assert_eq!(*Host::<[[bool; 2]; 3]>::zeros(), [[false; 2]; 3]);
        assert_eq!(*Host::<f64>::zeros(), 0.0);
        assert_eq!(Host::<[Complex<f32>; 2]>::default().as_slice()[1].im, 0.0);
    }

    #[test]
    fn the_last_axis_runs_fastest() {
        let mut seen = Vec::new();
        let array = Host::<[[[u16; 2]; 1]; 3]>::from_fn(|index| {
            seen.push(index.to_vec());
            u16::try_from(100 * index[0] + 10 * index[1] + index[2]).unwrap()
        });
        assert_eq!(seen.len(), 6);
        assert_eq!(seen[..3], [[0, 0, 0], [0, 0, 1], [1, 0, 0]]);
        assert_eq!(*array, [[[0, 1]], [[100, 101]], [[200, 201]]]);
    }

    #[test]
    fn the_index_of_a_scalar_is_empty() {
        let scalar = Host::<i8>::from_fn(|index| {
            assert!(index.is_empty());
            -3
        });
        assert_eq!((*scalar, scalar.as_slice()), (-3, &[-3][..]));
    }

    #[test]
    fn an_array_without_elements_asks_for_none() {
        let empty = Host::<[[f32; 0]; 4]>::from_fn(|_| unreachable!());
        assert!(empty.as_slice().is_empty());
        assert_eq!(*empty.clone(), [[0.0; 0]; 4]);
        assert_eq!(Host::<[[f32; 0]; 4]>::from_slice(&[]), Ok(empty));
    }

    #[test]
    fn elements_of_a_panicking_function_are_not_read() {
        let panicked = std::panic::catch_unwind(|| {
            Host::<[bool; 9]>::from_fn(|index| {
                assert!(index[0] < 5, "on purpose");
                true
            })
        });
        assert!(panicked.is_err());
    }

    #[test]
    fn slices_must_have_all_elements() {
        let four = [1, 2, 3, 4];
        assert_eq!(
            Host::<[[i32; 2]; 2]>::from_slice(&four).map(|array| *array),
            Ok([[1, 2], [3, 4]])
        );
        let error = Host::<[[i32; 2]; 2]>::from_slice(&four[1..]).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("3 elements are no i32[2,2], which has 4\n  help: "),
            "{error}"
        );
    }

    #[test]
    fn clones_are_independent() {
        let first = Host::from_array(&[[1.5f32, 2.5], [3.5, 4.5]]);
        let mut second = first.clone();
        assert_eq!(first, second);
        second[1][0] = 0.0;
        second.as_mut_slice()[1] = 7.0;
        assert_eq!(*first, [[1.5, 2.5], [3.5, 4.5]]);
        assert_eq!(*second, [[1.5, 7.0], [0.0, 4.5]]);
        second.clone_from(&first);
        assert_eq!(first, second);
    }

    #[test]
    fn arrays_compare_as_their_elements_do() {
        assert_ne!(Host::from_array(&[f32::NAN]), Host::from_array(&[f32::NAN]));
        assert_eq!(Host::from_array(&[0.0]), Host::from_array(&[-0.0]));
        assert_eq!(
            format!("{:?}", Host::from_array(&[[1, 2], [3, 4]])),
            "[[1, 2], [3, 4]]"
        );
    }

    #[test]
    fn arrays_are_used_from_all_threads() {
        let mut array = Host::<[u64; 1000]>::zeros();
        std::thread::scope(|scope| {
            for (part, n) in array.as_mut_slice().chunks_mut(250).zip(1..) {
                scope.spawn(move || part.fill(n));
            }
        });
        let sum = std::thread::spawn(move || array.iter().sum::<u64>());
        assert_eq!(sum.join().unwrap(), 250 * (1 + 2 + 3 + 4));
    }

    /// 256 MiB, and 8 KiB where every access is checked.
    #[cfg(not(miri))]
    type Large = [[f64; 64]; 1 << 19];
    #[cfg(miri)]
    type Large = [[f64; 64]; 1 << 4];

    /// On a stack of 128 KiB.
    fn on_a_small_stack(test: fn()) {
        let small = std::thread::Builder::new().stack_size(128 << 10);
        small.spawn(test).unwrap().join().unwrap();
    }

    fn last(array: &Large) -> f64 {
        array[array.len() - 1][63]
    }

    #[test]
    fn large_arrays_are_made_without_the_stack() {
        on_a_small_stack(|| {
            let mut zeros = Host::<Large>::zeros();
            assert_eq!(last(&zeros), 0.0);
            zeros[3][4] = 1.0;
            assert_eq!(zeros.as_slice()[3 * 64 + 4], 1.0);
            assert_eq!(last(&Host::<Large>::default()), 0.0);

            let mut n = 0.0;
            let counted = Host::<Large>::from_fn(|_| {
                n += 1.0;
                n
            });
            assert_eq!(last(&counted), n);
        });
    }

    #[test]
    fn large_arrays_are_copied_without_the_stack() {
        on_a_small_stack(|| {
            let elements = vec![1.0; Large::TYPE.size()];
            let array = Host::<Large>::from_slice(&elements).unwrap();
            drop(elements);
            assert_eq!(last(&array), 1.0);
            let copy = Host::from(&*array);
            assert_eq!(last(&copy.clone()), 1.0);
            assert_eq!(last(&Host::try_from(HostArray::from(copy)).unwrap()), 1.0);
        });
    }

    #[test]
    fn large_boxes_are_copied_without_the_stack() {
        on_a_small_stack(|| {
            let rows = vec![[2.0; 64]; Large::TYPE.shape()[0]].into_boxed_slice();
            let boxed: Box<Large> = rows.try_into().unwrap();
            assert_eq!(last(&Host::from(boxed)), 2.0);
        });
    }
}
