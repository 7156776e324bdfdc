//! Lists of cache operations, and a model too dull to be wrong that says what each must answer
//! (INV-13 to 16, 18, 20).
//!
//! The same list runs on [`Vmh`] over host memory and, through the firmware `cache-probe`, on the
//! RTL. A failing list is printed as text, and text parses back to the list.

mod cbh;
mod model;
mod operation;
mod walk;

pub use crate::host::{use_page, Answer, InMemory, Target};
pub use cbh::{descriptor, replay_cbh, CbhAnswer, CbhCoverage, CbhFailure, CbhInMemory, CbhModel, CbhOp, CbhTarget};
pub use model::{page_number, Model};
pub use operation::{CacheOp, NotAnOperation};
pub use walk::{replay, Coverage, Failure, Walk};
