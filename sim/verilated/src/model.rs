use std::ops::Deref;
use std::path::Path;

use crate::{Error, Handle, TraceFormat};

/// What every generated model can do beside having pins.
pub trait Model: Sized + Send {
    /// # Safety
    /// The handle must not be replaced: the pins point into it.
    #[doc(hidden)]
    unsafe fn handle(&mut self) -> &mut Handle;

    #[doc(hidden)]
    fn handle_ref(&self) -> &Handle;

    /// Evaluates the model with its inputs as they are. A failed assertion, `$finish` and the like
    /// are an error.
    #[inline(always)]
    fn eval(&mut self) -> Result<(), Error> {
        // SAFETY: not replaced, here and in all methods below.
        unsafe { self.handle() }.eval()
    }

    /// Raises the clocks in `rising` together at `time_ps`, evaluates once, and lowers them again.
    ///
    /// Inputs that were set before are sampled by the edge; outputs are those after it. Falling
    /// edges cost nothing where no logic waits for them, and are half a period later in traces. Do
    /// not set pins of clocks by hand as well.
    #[inline(always)]
    fn tick(&mut self, time_ps: u64, rising: u32) -> Result<(), Error> {
        // SAFETY: as in eval.
        unsafe { self.handle() }.tick(time_ps, rising)
    }

    /// The clocks that were named at build time; bit i of the mask of [`tick`](Model::tick) is
    /// element i.
    fn clocks(&self) -> &'static [&'static str] {
        self.handle_ref().clocks()
    }

    /// Simulated time, as `$time`, messages and traces see it.
    fn set_time(&mut self, time_ps: u64) {
        // SAFETY: as in eval.
        unsafe { self.handle() }.set_time(time_ps)
    }

    /// Switches the assertions of the model on or off.
    fn set_assertions(&mut self, on: bool) {
        // SAFETY: as in eval.
        unsafe { self.handle() }.set_assertions(on)
    }

    /// Takes the text of `$display`, `$warning` and the like, which otherwise goes to standard
    /// error.
    fn on_display(&mut self, display: impl FnMut(&str) + Send + 'static) {
        // SAFETY: as in eval.
        unsafe { self.handle() }.on_display(Box::new(display))
    }

    /// Starts a waveform file of `depth` levels of hierarchy, 0 for all. With [`tick`](Model::tick)
    /// it writes itself; with [`eval`](Model::eval) call [`dump`](Model::dump). Closed by
    /// [`close_trace`](Model::close_trace) or with the model; one after another may be open.
    fn open_trace(&mut self, format: TraceFormat, path: impl AsRef<Path>, depth: u32) -> Result<(), Error> {
        // SAFETY: as in eval.
        unsafe { self.handle() }.open_trace(format, path.as_ref(), depth)
    }

    /// [`open_trace`](Model::open_trace) in the format VCD.
    fn open_vcd(&mut self, path: impl AsRef<Path>, depth: u32) -> Result<(), Error> {
        self.open_trace(TraceFormat::Vcd, path, depth)
    }

    /// [`open_trace`](Model::open_trace) in the format FST.
    fn open_fst(&mut self, path: impl AsRef<Path>, depth: u32) -> Result<(), Error> {
        self.open_trace(TraceFormat::Fst, path, depth)
    }

    /// Whether a trace is open.
    fn tracing(&self) -> bool {
        self.handle_ref().tracing()
    }

    /// Writes all signals as they are into the open trace, at the time last set. Does nothing
    /// without one.
    fn dump(&mut self) -> Result<(), Error> {
        // SAFETY: as in eval.
        unsafe { self.handle() }.dump()
    }

    /// Writes what is buffered of the open trace to its file.
    fn flush_trace(&mut self) {
        // SAFETY: as in eval.
        unsafe { self.handle() }.flush_trace()
    }

    /// Ends the open trace. Does nothing without one.
    ///
    /// # Errors
    ///
    /// If the file could not be written to its end.
    fn close_trace(&mut self) -> Result<(), Error> {
        // SAFETY: as in eval.
        unsafe { self.handle() }.close_trace()
    }

    /// Writes what a model built with coverage has seen so far, for `verilator_coverage`.
    fn write_coverage(&mut self, path: impl AsRef<Path>) -> Result<(), Error> {
        // SAFETY: as in eval.
        unsafe { self.handle() }.write_coverage(path.as_ref())
    }
}

/// A model of which only the type of its pins is known: what models with the same ports, from
/// different parameters or with and without traces, have in common. Made from a generated model by
/// `into()`; costs nothing.
pub struct AnyModel<P> {
    pins: P,
    handle: Handle,
}

impl<P> AnyModel<P> {
    /// # Safety
    /// `pins` are those of the model behind `handle`.
    #[doc(hidden)]
    pub unsafe fn new(pins: P, handle: Handle) -> AnyModel<P> {
        AnyModel { pins, handle }
    }
}

impl<P> Deref for AnyModel<P> {
    type Target = P;
    #[inline(always)]
    fn deref(&self) -> &P {
        &self.pins
    }
}

impl<P: Send> Model for AnyModel<P> {
    #[inline(always)]
    unsafe fn handle(&mut self) -> &mut Handle {
        &mut self.handle
    }

    #[inline(always)]
    fn handle_ref(&self) -> &Handle {
        &self.handle
    }
}
