use std::fs::File;
use std::path::Path;
use std::pin::Pin;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use cxx::UniquePtr;

use crate::error::{Error, Stop};
use crate::ffi::bridge::{self, VerilatedContext};
use crate::Context;

pub use crate::ffi::bridge::Model as ForeignModel;

const TEXT: u32 = 1;
const STOPPED: u32 = 2;

/// What a shim exports: takes the context, fills in the addresses of the ports, returns null if the
/// model threw.
#[doc(hidden)]
pub type Factory = unsafe extern "C" fn(context: *mut RawContext, ports: *mut *mut u8) -> *mut ForeignModel;

/// Opaque to shims.
#[doc(hidden)]
pub type RawContext = VerilatedContext;

/// A waveform format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceFormat {
    /// Value change dump (IEEE 1364).
    Vcd,
    /// Fast signal trace, the format of GTKWave.
    Fst,
}

impl TraceFormat {
    fn name(self) -> &'static str {
        match self {
            TraceFormat::Vcd => "VCD",
            TraceFormat::Fst => "FST",
        }
    }
}

/// Takes what a model prints.
type Display = Box<dyn FnMut(&str) + Send>;

/// The model behind a generated type; use the methods of [`crate::Model`].
pub struct Handle {
    /// Where `owner` points. To ask it takes a call into C++, which each tick would pay.
    foreign: NonNull<ForeignModel>,
    owner: UniquePtr<ForeignModel>,
    name: &'static str,
    clocks: &'static [&'static str],
    display: Option<Display>,
}

// SAFETY: the C++ model and its context are owned by this handle alone, are entered only through
// `&mut`, and the runtime's thread-local state is set anew at each entry.
unsafe impl Send for Handle {}

impl Handle {
    /// Builds a model and fills `ports`.
    ///
    /// # Safety
    /// `factory` is the factory that verilated-build made for this model, and `ports` has one
    /// element for each of its ports.
    pub unsafe fn new(
        name: &'static str,
        clocks: &'static [&'static str],
        context: Context,
        factory: Factory,
        ports: &mut [*mut u8],
    ) -> Result<Handle, Error> {
        let context = context.build().map_err(|error| Error::NotBuilt { model: name, reason: error.to_string() })?;
        // SAFETY: the caller vouches for the factory; it takes the context over.
        let foreign = unsafe { factory(context.into_raw(), ports.as_mut_ptr()) };
        if foreign.is_null() {
            let reason = "its constructor failed, see standard error".to_owned();
            return Err(Error::NotBuilt { model: name, reason });
        }
        // SAFETY: the factory returns a model of its own making, without another owner.
        let owner = unsafe { UniquePtr::from_raw(foreign) };
        let foreign = NonNull::new(foreign).expect("checked above");
        Ok(Handle { foreign, owner, name, clocks, display: None })
    }

    #[inline(always)]
    fn entered(&mut self) -> Pin<&mut ForeignModel> {
        // SAFETY: `owner` keeps the model where it is for as long as this handle lives, and is
        // borrowed with it.
        unsafe { Pin::new_unchecked(self.foreign.as_mut()) }
    }

    #[inline(always)]
    pub(crate) fn eval(&mut self) -> Result<(), Error> {
        let status = self.entered().eval();
        self.heed(status)
    }

    #[inline(always)]
    pub(crate) fn tick(&mut self, time_ps: u64, rising: u32) -> Result<(), Error> {
        // C++ would look up clocks that do not exist.
        assert!(
            u64::from(rising) >> self.clocks.len() == 0,
            "{rising:#b} names a clock that {} does not have",
            self.name
        );
        let status = self.entered().tick(time_ps, rising);
        self.heed(status)
    }

    #[inline(always)]
    fn heed(&mut self, status: u32) -> Result<(), Error> {
        if status == 0 {
            Ok(())
        } else {
            self.heed_what_it_said(status)
        }
    }

    #[cold]
    fn heed_what_it_said(&mut self, status: u32) -> Result<(), Error> {
        let stop = (status & STOPPED != 0).then(|| bridge::take_stop(self.owner.pin_mut()));
        if status & (TEXT | STOPPED) != 0 {
            let text = bridge::take_text(self.owner.pin_mut());
            match &mut self.display {
                _ if text.is_empty() => {}
                Some(display) => display(&text),
                None => eprint!("{text}"),
            }
        }
        match stop {
            Some(stop) => {
                let stop = Stop::from_parts(stop.kind, stop.file, stop.line, stop.time_ps, &stop.message);
                Err(Error::Stopped(Box::new(stop)))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn clocks(&self) -> &'static [&'static str] {
        self.clocks
    }

    pub(crate) fn set_time(&mut self, time_ps: u64) {
        self.owner.pin_mut().set_time(time_ps);
    }

    pub(crate) fn set_assertions(&mut self, on: bool) {
        self.owner.pin_mut().set_assertions(on);
    }

    pub(crate) fn on_display(&mut self, display: Display) {
        self.display = Some(display);
    }

    pub(crate) fn open_trace(&mut self, format: TraceFormat, path: &Path, depth: u32) -> Result<(), Error> {
        let built = match bridge::trace_kind(&self.owner) {
            1 => Some(TraceFormat::Vcd),
            2 => Some(TraceFormat::Fst),
            _ => None,
        };
        if built != Some(format) {
            return Err(Error::NoTrace { model: self.name, wanted: format.name() });
        }
        if self.owner.tracing() {
            return Err(Error::TraceIsOpen { model: self.name });
        }
        let text = writable(path)?;
        match bridge::open_trace(self.owner.pin_mut(), text, depth as i32) {
            Ok(true) => Ok(()),
            Ok(false) => Err(file_error(path, "Verilator did not open it")),
            Err(error) => Err(file_error(path, error.what())),
        }
    }

    pub(crate) fn tracing(&self) -> bool {
        self.owner.tracing()
    }

    pub(crate) fn dump(&mut self) -> Result<(), Error> {
        let status = self.owner.pin_mut().dump();
        self.heed(status)
    }

    pub(crate) fn flush_trace(&mut self) {
        self.owner.pin_mut().flush_trace();
    }

    pub(crate) fn close_trace(&mut self) -> Result<(), Error> {
        let status = self.owner.pin_mut().close_trace();
        self.heed(status)
    }

    pub(crate) fn write_coverage(&mut self, path: &Path) -> Result<(), Error> {
        let text = writable(path)?;
        bridge::write_coverage(self.owner.pin_mut(), text).map_err(|error| file_error(path, error.what()))
    }
}

impl Drop for Handle {
    /// Runs `final` blocks. A trace is closed, and so is complete.
    fn drop(&mut self) {
        let status = self.owner.pin_mut().finish();
        // A model that stops in a final block can report only to its standard error: no call is
        // left to return it.
        if let Err(error) = self.heed(status) {
            eprintln!("{}: {error}", self.name);
        }
        if let Some(folder) = std::env::var_os(COVERAGE_FOLDER) {
            let number = COVERAGE_FILES.fetch_add(1, Ordering::Relaxed);
            let file = Path::new(&folder).join(format!("{}-{number}.dat", std::process::id()));
            if let Err(error) = self.write_coverage(&file) {
                eprintln!("{}: {error}", self.name);
            }
        }
    }
}

/// Names a folder in which each model leaves what it has seen, in a file of its own.
const COVERAGE_FOLDER: &str = "NICSCOPE_COVERAGE";
static COVERAGE_FILES: AtomicU64 = AtomicU64::new(0);

/// Finds out with an understandable error whether a file can be written, since Verilator does not
/// tell why not.
fn writable(path: &Path) -> Result<&str, Error> {
    File::create(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
    path.to_str().ok_or_else(|| file_error(path, "its name is not UTF-8"))
}

fn file_error(path: &Path, what: &str) -> Error {
    Error::File { path: path.to_owned(), source: std::io::Error::other(what.to_owned()) }
}
