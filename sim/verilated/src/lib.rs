#![doc = include_str!("../README.md")]

mod context;
mod error;
mod ffi;
mod handle;
mod model;
mod pin;

pub use context::Context;
pub use error::{Error, Stop, StopKind};
pub use handle::TraceFormat;
#[doc(hidden)]
pub use handle::{Factory, ForeignModel, Handle, RawContext};
pub use model::{AnyModel, Model};
pub use pin::{Input, Output, PinValue};

/// Brings in the type that the build script made with `verilated_build::Model::prefix`, and the
/// methods of [`Model`].
#[macro_export]
macro_rules! include_model {
    ($prefix:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $prefix, ".rs"));
        #[allow(unused_imports)]
        use $crate::Model as _;
    };
}
