//! A call whose arguments and results stay where they are.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use cyxla_artifact::ArrayType;

use crate::array::Array;
use crate::engine::Chosen;
use crate::error::{Error, ExecuteError};
use crate::error_info::counted;
use crate::executable::Executable;
use crate::execute::Results;
use crate::frame::Frame;
use crate::host::HostMemory;
use crate::input::Staging;
use crate::native;
use crate::program::Program;

/// A call that is bound to its own memory, made by `predict::prepare()`, for loops that call one program again and again.
///
/// Arguments are written in place and keep their values from run to run; results are read in place. Nothing is copied and
/// nothing is allocated by a run, where the plugin allows it.
///
/// ```ignore
/// #[cyxla::program("controller:act")]
/// fn act(observation: &[f32; 12], gains: &[[f32; 12]; 4]) -> cyxla::Result<[f32; 4]>;
///
/// let mut call = act::prepare()?;
/// *call.inputs().1 = gains;                      // written once
/// loop {
///     *call.inputs().0 = sensors.read();
///     let torques: &[f32; 4] = call.run()?;
///     motors.write(torques);
/// }
/// ```
///
/// `I` and `O` are the array types of arguments and results: a tuple of them, the one itself where there is exactly one, or
/// `()`. All begin as zeros. An argument that the program takes over (`donate`) is written like the others, and copied by each
/// run.
///
/// It belongs to one thread at a time, and can be sent to another.
pub struct Prepared<I, O> {
    call: Call,
    program: &'static str,
    types: PhantomData<fn() -> (I, O)>,
}

impl<I, O> Prepared<I, O> {
    /// # Errors
    /// The program can't be loaded, this is a forked child of the client's process, or there is no room for the arguments.
    ///
    /// # Safety
    /// `I` and `O` are the types of the program.
    pub(crate) unsafe fn new(program: &'static Program) -> Result<Self, Error> {
        Ok(Self {
            call: match program.chosen()? {
                Chosen::Native(native) => Call::Native(native::Bound::new(native)),
                Chosen::Pjrt(_) => Call::Pjrt(counted(OnDevice::new(program.executable()?))?),
            },
            program: program.name(),
            types: PhantomData,
        })
    }
}

impl<I: Bound, O: Bound> Prepared<I, O> {
    /// The arguments, to be written: `&mut A`, or a tuple of these.
    pub fn inputs(&mut self) -> I::Mut<'_> {
        // SAFETY: the memory holds an array of each type, of zeros or of what was written there, and is borrowed with `self`.
        // No program runs.
        unsafe {
            match &mut self.call {
                Call::Native(call) => I::borrowed_mut(&mut call.inputs()),
                Call::Pjrt(call) => I::borrowed_mut(&mut call.inputs()),
            }
        }
    }

    /// Runs the program, and gives its results: `&R`, or a tuple of these.
    ///
    /// # Blocking
    /// Until all results are there.
    ///
    /// # Errors
    /// The program fails, or this is a forked child of the client's process. The results of the run before are lost.
    pub fn run(&mut self) -> Result<O::Ref<'_>, Error> {
        match &mut self.call {
            Call::Native(call) => counted(call.run())?,
            Call::Pjrt(call) => counted(call.run())?,
        }
        Ok(self.outputs())
    }

    /// The results of the last run; zeros before the first, any values after one that has failed.
    pub fn outputs(&self) -> O::Ref<'_> {
        // SAFETY: there is an array of each type, of zeros or of what the program has given, and it stays as it is until the
        // next run.
        unsafe {
            match &self.call {
                Call::Native(call) => O::borrowed(&mut call.outputs()),
                Call::Pjrt(call) => O::borrowed(&mut call.outputs.iter().copied()),
            }
        }
    }
}

impl<I, O> fmt::Debug for Prepared<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prepared({})", self.program)
    }
}

/// An array type, or a tuple of array types: what a [`Prepared`] call has for arguments and for results. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be bound to a call",
    note = "what is bound are array types such as `[[f32; 4]; 8]`, and tuples of these"
)]
pub trait Bound: Sealed {
    /// The arrays, to be read.
    type Ref<'a>;
    /// The arrays, to be written.
    type Mut<'a>;

    /// # Safety
    /// There is a place for each array, with an array of its type that is not written to for `'a`.
    #[doc(hidden)]
    unsafe fn borrowed<'a>(places: impl Iterator<Item = NonNull<u8>>) -> Self::Ref<'a>;

    /// # Safety
    /// There is a place for each array, apart from the others, with an array of its type that nobody else uses for `'a`.
    #[doc(hidden)]
    unsafe fn borrowed_mut<'a>(places: impl Iterator<Item = NonNull<u8>>) -> Self::Mut<'a>;
}

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

/// The next place.
///
/// # Safety
/// There is one.
unsafe fn next<A>(places: &mut impl Iterator<Item = NonNull<u8>>) -> NonNull<A> {
    // SAFETY: as the caller promises.
    unsafe { places.next().unwrap_unchecked() }.cast()
}

impl<A: Array> Sealed for A {}

impl<A: Array> Bound for A {
    type Ref<'a> = &'a A;
    type Mut<'a> = &'a mut A;

    unsafe fn borrowed<'a>(mut places: impl Iterator<Item = NonNull<u8>>) -> &'a A {
        // SAFETY: as the caller promises.
        unsafe { next::<A>(&mut places).as_ref() }
    }

    unsafe fn borrowed_mut<'a>(mut places: impl Iterator<Item = NonNull<u8>>) -> &'a mut A {
        // SAFETY: as the caller promises.
        unsafe { next::<A>(&mut places).as_mut() }
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($name: Array),*> Sealed for ($($name,)*) {}

        #[diagnostic::do_not_recommend]
        impl<$($name: Array),*> Bound for ($($name,)*) {
            type Ref<'a> = ($(&'a $name,)*);
            type Mut<'a> = ($(&'a mut $name,)*);

            unsafe fn borrowed<'a>(
                mut places: impl Iterator<Item = NonNull<u8>>,
            ) -> Self::Ref<'a> {
                // SAFETY: as the caller promises, for each. Elements are evaluated from left to right.
                unsafe { ($(next::<$name>(&mut places).as_ref(),)*) }
            }

            unsafe fn borrowed_mut<'a>(
                mut places: impl Iterator<Item = NonNull<u8>>,
            ) -> Self::Mut<'a> {
                // SAFETY: as the caller promises, for each. Elements are evaluated from left to right.
                unsafe { ($(next::<$name>(&mut places).as_mut(),)*) }
            }
        }
    };
}

impl Sealed for () {}

#[diagnostic::do_not_recommend]
impl Bound for () {
    type Ref<'a> = ();
    type Mut<'a> = ();

    unsafe fn borrowed<'a>(_: impl Iterator<Item = NonNull<u8>>) -> Self::Ref<'a> {}

    unsafe fn borrowed_mut<'a>(_: impl Iterator<Item = NonNull<u8>>) -> Self::Mut<'a> {}
}

macro_rules! all_tuples {
    ($first:ident $($rest:ident)*) => {
        tuples! { $first $($rest)* }
        all_tuples! { $($rest)* }
    };
    () => {};
}

all_tuples! { A B C D E F G H I J K L M N O P Q R S T U V W X }

/// The untyped part, by engine.
enum Call {
    Native(native::Bound),
    Pjrt(OnDevice),
}

/// A call on a device of PJRT.
struct OnDevice {
    executable: Executable,
    /// Where each argument lies in the memory of the frame.
    offsets: Box<[usize]>,
    frame: Box<Frame>,
    /// For each result its own memory, for as long as there is no result that can be read where the device has it.
    memory: Vec<HostMemory>,
    /// Where each result lies now.
    outputs: Vec<NonNull<u8>>,
}

// SAFETY: the places that `outputs` points to belong to the frame and to `memory`, which can be sent and shared: shared access
// only reads.
unsafe impl Send for OnDevice {}
// SAFETY: as above.
unsafe impl Sync for OnDevice {}

impl OnDevice {
    fn new(executable: &Executable) -> Result<Self, Error> {
        let inner = executable.inner();
        let client = &inner.handle.client;
        client.check_process()?;
        let staging = Staging::of(&inner.inputs, |_| true);
        let offsets: Option<_> = staging.offsets.iter().copied().collect();
        let Some(offsets) = offsets else {
            let program = inner.program.clone();
            return Err(ExecuteError::TooLarge { program }.into());
        };
        let types = executable.output_types();
        let memory = types.iter().map(ArrayType::nbytes).map(HostMemory::zeroed);
        let memory: Vec<_> = memory.collect();
        Ok(Self {
            executable: executable.clone(),
            offsets,
            frame: Frame::new(
                client,
                &inner.inputs,
                &staging,
                inner.weights.count(),
                types.len(),
            ),
            outputs: memory.iter().map(HostMemory::as_ptr).collect(),
            memory,
        })
    }

    /// Where each argument lies.
    fn inputs(&mut self) -> impl Iterator<Item = NonNull<u8>> {
        let start = self.frame.staging().as_ptr();
        let offsets = self.offsets.iter().copied();
        // SAFETY: the offsets lie in the memory of the frame, which was made for them.
        offsets.map(move |offset| unsafe { start.add(offset) })
    }

    fn run(&mut self) -> Result<(), Error> {
        let inner = self.executable.inner();
        inner.handle.client.check_process()?;
        // Those of the run before are about to go.
        for (output, memory) in std::iter::zip(&mut self.outputs, &self.memory) {
            *output = memory.as_ptr();
        }
        self.frame.clear();
        inner.weights.refresh(&mut self.frame);
        let places = self.offsets.iter().copied();
        inner.run_on_staged(&mut self.frame, places)?;
        let mut results = Results::new(inner, &mut self.frame);
        let places = std::iter::zip(&mut self.outputs, &mut self.memory);
        for (index, (output, memory)) in places.enumerate() {
            *output = results.show(index, memory)?;
        }
        Ok(())
    }
}
