use cyxla_artifact::DType;

use crate::dictionary::{Dictionary, OwnedAttribute};
use crate::element::Element;
use crate::error::Error;
use crate::frame::CallFrame;
use crate::handler::Handler;
use crate::memory::{AlignedBytes, RawArray, bytes_of, elements_of};

/// A call of a handler without JAX and without a plugin, with arrays of its own: for tests of handlers.
///
/// ```
/// use cyxla_ffi::{CallFrame, Error, OwnedCall};
///
/// fn scale(frame: &mut CallFrame<'_>) -> Result<(), Error> {
///     let factor: f64 = frame.attribute("factor")?;
///     let parts = frame.parts::<1, 1>()?;
///     let [x] = parts.arguments;
///     let [y] = parts.results;
///     for y in y.in_place_of::<f64>(&x)? {
///         *y *= factor;
///     }
///     Ok(())
/// }
///
/// let mut call = OwnedCall::new()
///     .argument(&[1.0_f64, 2.0], &[2])?
///     .result::<f64>(&[2])?
///     .attribute("factor", 10.0_f64);
/// call.run(&scale)?;
/// assert_eq!(call.result_slice::<f64>(0)?, [10.0, 20.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OwnedCall {
    arguments: Vec<OwnedArray>,
    results: Vec<OwnedArray>,
    attributes: Dictionary,
    /// Pairs of an argument and a result that lie in the same memory.
    shared: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct OwnedArray {
    dtype: DType,
    dims: Vec<usize>,
    memory: AlignedBytes,
}

impl OwnedCall {
    /// A call without arrays and attributes.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one argument more, of these elements and axes.
    ///
    /// # Errors
    /// The axes need another number of elements.
    pub fn argument<T: Element>(mut self, elements: &[T], dims: &[usize]) -> Result<Self, Error> {
        if count(dims) != Some(elements.len()) {
            return Err(Error::invalid_argument(format_args!(
                "{} elements are no array of {dims:?}",
                elements.len()
            )));
        }
        self.arguments.push(OwnedArray {
            dtype: T::DTYPE,
            dims: dims.to_vec(),
            memory: AlignedBytes::copy_of(bytes_of(elements)),
        });
        Ok(self)
    }

    /// With one result more, of this type. Until a handler fills it, all its bits are set.
    ///
    /// # Errors
    /// There is no such array.
    pub fn result<T: Element>(mut self, dims: &[usize]) -> Result<Self, Error> {
        let bytes = count(dims).and_then(|elements| elements.checked_mul(size_of::<T>()));
        let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok());
        let bytes = bytes.ok_or_else(|| {
            Error::invalid_argument(format_args!(
                "an array of {dims:?} does not fit into memory"
            ))
        })?;
        self.results.push(OwnedArray {
            dtype: T::DTYPE,
            dims: dims.to_vec(),
            memory: AlignedBytes::copy_of(&vec![0xFF; bytes]),
        });
        Ok(self)
    }

    /// With one attribute more.
    #[must_use]
    pub fn attribute(mut self, name: &str, value: impl Into<OwnedAttribute>) -> Self {
        self.attributes = self.attributes.with(name, value);
        self
    }

    /// Has an argument and a result, by their indices, lie in the same memory, as XLA does with `input_output_aliases`.
    ///
    /// # Errors
    /// There are no such arrays, they differ in size, or the result shares its memory already.
    pub fn in_place(mut self, argument: usize, result: usize) -> Result<Self, Error> {
        let pair = self.arguments.get(argument).zip(self.results.get(result));
        let fits = pair.is_some_and(|(argument, result)| {
            argument.memory.bytes().len() == result.memory.bytes().len()
        });
        let is_free = self.shared.iter().all(|pair| pair.1 != result);
        if !fits || !is_free {
            return Err(Error::invalid_argument(format_args!(
                "argument {argument} and result {result} can't share memory"
            )));
        }
        self.shared.push((argument, result));
        Ok(self)
    }

    /// Calls a handler.
    ///
    /// # Errors
    /// Those of the handler.
    pub fn run(&mut self, handler: &dyn Handler) -> Result<(), Error> {
        for &(argument, result) in &self.shared {
            self.results[result].memory = self.arguments[argument].memory.clone();
        }
        let results: Vec<_> = self.results.iter_mut().map(OwnedArray::raw).collect();
        let mut arguments: Vec<_> = self.arguments.iter_mut().map(OwnedArray::raw).collect();
        for &(argument, result) in &self.shared {
            arguments[argument].data = results[result].data;
        }
        // SAFETY: each array has its memory, which this call borrows exclusively; what is shared is of one size.
        #[allow(unsafe_code, reason = "frames are made from addresses")]
        let frame = unsafe { CallFrame::new(&arguments, &results, self.attributes.attributes()) };
        handler.call(&mut frame?)
    }

    /// The elements of a result.
    ///
    /// # Errors
    /// There is no such result, it is of another type, or holds what is no element.
    pub fn result_slice<T: Element>(&self, index: usize) -> Result<&[T], Error> {
        let result = self.results.get(index);
        let result = result.filter(|result| result.dtype == T::DTYPE);
        let result = result.ok_or_else(|| {
            Error::invalid_argument(format_args!("there is no result {index} of {}", T::DTYPE))
        })?;
        elements_of(result.memory.bytes(), format_args!("result {index}"))
    }
}

impl OwnedArray {
    fn raw(&mut self) -> RawArray<'_> {
        RawArray {
            dtype: self.dtype,
            dims: &self.dims,
            data: self.memory.as_mut_ptr(),
        }
    }
}

fn count(dims: &[usize]) -> Option<usize> {
    let mut dims = dims.iter();
    dims.try_fold(1_usize, |count, &length| count.checked_mul(length))
}
