//! The one place with unsafe code: views of memory that an engine describes by address, element type and axes.

#![allow(
    unsafe_code,
    reason = "what C hands over is memory by address; the rest of the crate sees slices"
)]

use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use cyxla_artifact::DType;

use crate::{Element, Error};

/// The memory of one array of a call, as an engine describes it.
///
/// # Shape
/// Elements in the byte order of the host, in the layout that the program asked for: row major unless the custom call said
/// otherwise. 4-bit integers are packed two to a byte.
#[derive(Clone, Copy, Debug)]
pub struct RawArray<'a> {
    /// The type of the elements.
    pub dtype: DType,
    /// The length of each axis, outermost first.
    pub dims: &'a [usize],
    /// The first element; may be NULL if there is none.
    pub data: *mut u8,
}

impl RawArray<'_> {
    /// Number of elements and of bytes; none if no memory has as many.
    fn sizes(&self) -> Option<(usize, usize)> {
        let mut elements = 1_usize;
        for &length in self.dims {
            elements = elements.checked_mul(length)?;
        }
        let bytes = match self.dtype {
            DType::I4 | DType::U4 => elements.div_ceil(2),
            dtype => elements.checked_mul(dtype.size())?,
        };
        isize::try_from(bytes).is_ok().then_some((elements, bytes))
    }
}

/// Prints the type: `f32[8,4]`.
impl fmt::Display for RawArray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.dtype)?;
        for (axis, length) in self.dims.iter().enumerate() {
            let separator = if axis > 0 { "," } else { "" };
            write!(f, "{separator}{length}")?;
        }
        f.write_str("]")
    }
}

/// Memory whose size and address were looked at: that of an argument or a result.
///
/// A value of this type stands for memory that is alive for `'f`. Whether it may be read or written is known by who holds it:
/// see [`Memory::slice`] and [`Memory::slice_mut`].
#[derive(Clone, Copy)]
pub(crate) struct Memory<'f> {
    data: *mut u8,
    elements: usize,
    bytes: usize,
    dtype: DType,
    lifetime: PhantomData<&'f mut [u8]>,
}

impl<'f> Memory<'f> {
    /// The memory of an array that an engine describes. `what` says which it is.
    ///
    /// # Errors
    /// There can't be such memory.
    ///
    /// # Safety
    /// Unless the array has no bytes, or `data` is NULL: the bytes of the array lie at `data` for `'f`.
    pub(crate) unsafe fn new(array: &RawArray<'_>, what: impl fmt::Display) -> Result<Self, Error> {
        let Some((elements, bytes)) = array.sizes() else {
            return Err(Error::invalid_argument(format_args!(
                "{what} is {array}, which does not fit into memory"
            )));
        };
        if bytes > 0 && array.data.is_null() {
            return Err(Error::internal(format_args!(
                "{what}, {array}, has no memory"
            )));
        }
        Ok(Self {
            data: array.data,
            elements,
            bytes,
            dtype: array.dtype,
            lifetime: PhantomData,
        })
    }

    /// No memory.
    pub(crate) const EMPTY: Self = Self {
        data: std::ptr::null_mut(),
        elements: 0,
        bytes: 0,
        dtype: DType::U8,
        lifetime: PhantomData,
    };

    /// Number of elements.
    pub(crate) fn elements(&self) -> usize {
        self.elements
    }

    /// The type of the elements.
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    /// Whether there is a byte that belongs to both.
    pub(crate) fn overlaps(&self, other: &Memory<'_>) -> bool {
        let (start, others) = (self.data.addr(), other.data.addr());
        let both = self.bytes > 0 && other.bytes > 0;
        both && start < others.saturating_add(other.bytes)
            && others < start.saturating_add(self.bytes)
    }

    /// Whether both are the same bytes.
    pub(crate) fn is_same(&self, other: &Memory<'_>) -> bool {
        self.bytes == other.bytes && (self.data == other.data || self.bytes == 0)
    }

    /// The elements.
    ///
    /// # Errors
    /// The memory is not aligned for `T`, or holds a byte that no `T` has.
    ///
    /// # Safety
    /// For `'f`, nobody writes to the memory. `T` is the type of the elements.
    pub(crate) unsafe fn slice<T: Element>(
        self,
        what: impl fmt::Display,
    ) -> Result<&'f [T], Error> {
        if self.elements == 0 {
            return Ok(&[]);
        }
        self.aligned::<T>(&what)?;
        // SAFETY: as the caller promises.
        values::<T>(unsafe { self.bytes() }, &what)?;
        // SAFETY: alive by the contract of `new`, unchanged by that of this function; aligned, and values of `T`.
        Ok(unsafe { std::slice::from_raw_parts(self.data.cast(), self.elements) })
    }

    /// All bytes.
    ///
    /// # Safety
    /// For `'f`, nobody writes to the memory.
    pub(crate) unsafe fn bytes(self) -> &'f [u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: alive by the contract of `new`, unchanged by that of this function.
        unsafe { std::slice::from_raw_parts(self.data, self.bytes) }
    }

    /// All bytes, to be written.
    ///
    /// # Safety
    /// For `'f`, nobody else reads or writes the memory.
    pub(crate) unsafe fn bytes_mut(self) -> &'f mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: alive by the contract of `new`, used by nobody else by that of this function.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.bytes) }
    }

    /// The elements, to be written. What they hold before is `content`.
    ///
    /// # Errors
    /// The memory is not aligned for `T`, or is kept and holds a byte that no `T` has.
    ///
    /// # Safety
    /// For `'f`, nobody else reads or writes the memory. `T` is the type of the elements.
    pub(crate) unsafe fn slice_mut<T: Element>(
        self,
        content: Content<'_>,
        what: impl fmt::Display,
    ) -> Result<&'f mut [T], Error> {
        if self.elements == 0 {
            return Ok(&mut []);
        }
        self.aligned::<T>(&what)?;
        // SAFETY: as the caller promises; the borrow ends before the one that is returned begins.
        let bytes = unsafe { self.bytes_mut() };
        match content {
            // Elements of other types may begin with what was there.
            Content::Any if T::DTYPE.holds(0xFF) => {}
            Content::Any => bytes.fill(0),
            Content::Kept => values::<T>(bytes, &what)?,
            Content::CopyOf(other) => {
                values::<T>(other, &what)?;
                bytes.copy_from_slice(other);
            }
        }
        // SAFETY: alive by the contract of `new`, used by nobody else by that of this function; aligned, and values of `T`.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.data.cast(), self.elements) })
    }

    fn aligned<T: Element>(self, what: &impl fmt::Display) -> Result<(), Error> {
        if self.data.cast::<T>().is_aligned() {
            return Ok(());
        }
        Err(Error::internal(format_args!(
            "the memory of {what} is not aligned for {}",
            T::DTYPE
        )))
    }
}

/// What memory holds when a handler gets it to write to.
#[derive(Clone, Copy)]
pub(crate) enum Content<'a> {
    /// Anything.
    Any,
    /// What it holds already.
    Kept,
    /// As many bytes, which lie elsewhere.
    CopyOf(&'a [u8]),
}

/// Whether the bytes are elements `T`.
fn values<T: Element>(bytes: &[u8], what: &impl fmt::Display) -> Result<(), Error> {
    let odd = |byte: &&u8| !T::DTYPE.holds(**byte);
    if T::DTYPE.holds(0xFF) {
        return Ok(());
    }
    match bytes.iter().find(odd) {
        None => Ok(()),
        Some(byte) => Err(Error::internal(format_args!(
            "{what} holds the byte {byte:#04x}, which is no {}",
            T::DTYPE
        ))),
    }
}

/// Plain elements as bytes.
pub(crate) fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: an `Element` is plain data without padding, so all its bytes are initialised.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// Bytes as elements, if they are that.
///
/// # Errors
/// They are not a whole number of elements, are not aligned, or are no values of `T`.
pub(crate) fn elements_of<'a, T: Element>(
    bytes: &'a [u8],
    what: impl fmt::Display,
) -> Result<&'a [T], Error> {
    let elements = bytes.len() / size_of::<T>();
    if elements * size_of::<T>() != bytes.len() {
        return Err(Error::internal(format_args!(
            "{what} has {} bytes, which is no number of {}",
            bytes.len(),
            T::DTYPE
        )));
    }
    let memory = Memory::<'a> {
        data: bytes.as_ptr().cast_mut(),
        elements,
        bytes: bytes.len(),
        dtype: T::DTYPE,
        lifetime: PhantomData,
    };
    // SAFETY: borrowed for `'a`; only read.
    unsafe { memory.slice(what) }
}

/// A cache line, the alignment at which XLA has arrays.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line(MaybeUninit<[u8; 64]>);

/// Owned bytes, aligned to 64.
pub(crate) struct AlignedBytes {
    lines: Box<[Line]>,
    bytes: usize,
}

impl AlignedBytes {
    /// A copy of bytes.
    pub(crate) fn copy_of(bytes: &[u8]) -> Self {
        let zeros = Line(MaybeUninit::new([0; 64]));
        let lines = bytes.len().div_ceil(64);
        let mut copy = Self {
            lines: vec![zeros; lines].into_boxed_slice(),
            bytes: bytes.len(),
        };
        copy.bytes_mut().copy_from_slice(bytes);
        copy
    }

    /// The first byte, to be read.
    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.lines.as_ptr().cast()
    }

    /// The first byte, to be written.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// All bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: that many bytes were initialised by `copy_of`.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let bytes = self.bytes;
        // SAFETY: that many bytes were initialised by `copy_of`; the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), bytes) }
    }
}

impl Clone for AlignedBytes {
    fn clone(&self) -> Self {
        Self::copy_of(self.bytes())
    }
}

impl fmt::Debug for AlignedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlignedBytes({})", self.bytes)
    }
}
