//! A call that runs beside its caller.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::call::Outputs;
use crate::error::{Error, ExecuteError};
use crate::error_info::counted;
use crate::event::Event;
use crate::executable::Executable;
use crate::execute::{Given, Results, Staying};
use crate::frame::Frame;

/// A program that was started by `predict::start(…)` and may still run. [`wait`](Self::wait) gives its results, and so does
/// awaiting it, in any async runtime or none.
///
/// Arguments were copied when it was started, and those on the device are kept as long as they are needed, so that all can be
/// used or dropped at once.
///
/// ```ignore
/// let next = predict::start(&x, 0.5)?;    // runs on XLA's threads
/// prepare_what_comes_then();
/// let y = next.wait()?;
/// ```
///
/// XLA runs programs that take a few microseconds on the thread that starts them, as a rule, and machine code runs there always:
/// those are done when `start` returns.
///
/// A waker is called on one of XLA's threads, so it must only schedule its task, as those of async runtimes do, and not poll
/// it there.
///
/// # Blocking
/// Dropping it waits until the program is done, as XLA can't stop one. Leaking it ([`std::mem::forget`]) is safe, and leaks its
/// memory.
#[must_use = "errors and results come from `wait` or `await`"]
pub struct Pending<R> {
    /// None once the results have been taken.
    state: Option<State<R>>,
}

enum State<R> {
    Running(Running),
    /// It was done as it was started, and this came of it.
    Done(R),
    /// It failed as it was started.
    Failed(Error),
}

impl<R: Outputs> Pending<R> {
    /// Starts a program.
    ///
    /// # Errors
    /// An argument does not fit. What goes wrong in the program is told by [`wait`](Self::wait).
    ///
    /// # Safety
    /// The arguments and `R` are of the types of the executable.
    pub(crate) unsafe fn start(
        executable: &Executable,
        given: &mut [Given<'_>],
    ) -> Result<Self, Error> {
        let inner = executable.inner();
        counted(inner.handle.client.check_process())?;
        let mut frame = inner.frame();
        let state = match inner.start(&mut frame, given, Staying::Frame) {
            Ok(done) => State::Running(Running {
                executable: executable.clone(),
                call: Some((frame, done)),
                waker: None,
            }),
            Err(error) => {
                frame.clear();
                inner.frames.put(frame);
                match error {
                    Error::Execute(_) => State::Failed(error),
                    error => return counted(Err(error)),
                }
            }
        };
        Ok(Self { state: Some(state) })
    }

    /// A call that has come to its end.
    pub(crate) fn done(result: Result<R, Error>) -> Self {
        let state = match result {
            Ok(results) => State::Done(results),
            Err(error) => State::Failed(error),
        };
        Self { state: Some(state) }
    }

    /// Waits until the program is done, and gives its results.
    ///
    /// # Errors
    /// The program has failed.
    pub fn wait(mut self) -> Result<R, Error> {
        match self.state.take() {
            Some(state) => state.finish(),
            // The results went to whoever polled it to its end.
            None => Err(ExecuteError::Taken.into()),
        }
    }

    /// Whether the program is done, so that [`wait`](Self::wait) would not block.
    pub fn is_ready(&self) -> bool {
        match &self.state {
            // What can't be asked is left to `wait`.
            Some(State::Running(running)) => running.is_ready(),
            Some(State::Done(_) | State::Failed(_)) | None => true,
        }
    }
}

/// Nothing of it is pinned.
impl<R> Unpin for Pending<R> {}

impl<R: Outputs> Future for Pending<R> {
    type Output = Result<R, Error>;

    /// # Errors
    /// The program has failed, or its results were given before.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(State::Running(running)) = &mut self.state
            && !running.is_ready_or_wakes(context.waker())
        {
            return Poll::Pending;
        }
        Poll::Ready(match self.state.take() {
            Some(state) => state.finish(),
            None => Err(ExecuteError::Taken.into()),
        })
    }
}

impl<R> fmt::Debug for Pending<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = match &self.state {
            Some(State::Running(running)) => running.executable.program(),
            Some(State::Done(_)) => "done",
            Some(State::Failed(_)) => "failed",
            None => "taken",
        };
        write!(f, "Pending({program})")
    }
}

impl<R: Outputs> State<R> {
    fn finish(self) -> Result<R, Error> {
        counted(match self {
            Self::Running(running) => running.finish(),
            Self::Done(results) => return Ok(results),
            Self::Failed(error) => Err(error),
        })
    }
}

/// A program on its way. Ended when dropped.
struct Running {
    executable: Executable,
    /// What it works on, and its end. None only while it is dropped.
    call: Option<(Box<Frame>, Event)>,
    /// Who is to be woken at the end, if the plugin has been asked to; nobody, once that has happened.
    waker: Option<Arc<Mutex<Option<Waker>>>>,
}

impl Running {
    fn finish<R: Outputs>(mut self) -> Result<R, Error> {
        let inner = self.executable.inner();
        inner.handle.client.check_process()?;
        let Some((frame, done)) = &mut self.call else {
            return Err(ExecuteError::Taken.into());
        };
        done.wait().map_err(|source| inner.failed(source, frame))?;
        // SAFETY: the program is done, and its results are of the types of `R`: `Pending::start` was promised that.
        unsafe { R::receive(&mut Results::new(inner, frame)) }
    }

    /// Whether the program is done. What can't be asked is left to `finish`, which waits.
    fn is_ready(&self) -> bool {
        let call = self.call.as_ref();
        call.is_none_or(|(_, done)| done.is_ready().unwrap_or(true))
    }

    /// Whether the program is done; if not, the waker will be woken when it is.
    fn is_ready_or_wakes(&mut self, waker: &Waker) -> bool {
        if self.is_ready() {
            return true;
        }
        if let Some(registered) = &self.waker {
            let mut registered = registered.lock().unwrap_or_else(PoisonError::into_inner);
            *registered = Some(waker.clone());
        } else {
            let registered = Arc::new(Mutex::new(Some(waker.clone())));
            if !self.wakes(&registered) {
                return true;
            }
            self.waker = Some(registered);
        }
        // It may have come to its end before the waker was there.
        self.is_ready()
    }

    /// Has the plugin wake `waker` at the end of the program, if it can.
    fn wakes(&self, waker: &Arc<Mutex<Option<Waker>>>) -> bool {
        let Some((_, done)) = &self.call else {
            return false;
        };
        let waker = Arc::clone(waker);
        let woken = done.on_ready(Box::new(move || {
            // Taken out, so that it does not keep alive what keeps this alive; and woken without the lock, as it may be
            // polled at once.
            let waker = waker.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(waker) = waker {
                waker.wake();
            }
        }));
        woken.is_ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some((mut frame, done)) = self.call.take() else {
            return;
        };
        let inner = self.executable.inner();
        if !inner.handle.client.is_of_this_process() {
            // The program runs in the parent.
            std::mem::forget((frame, done));
            return;
        }
        // The program works on the frame. Its error has been told, or nobody wants it.
        let _ = done.wait();
        frame.clear();
        inner.frames.put(frame);
    }
}
