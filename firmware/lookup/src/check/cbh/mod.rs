//! The same for the CBH cache: lists of operations, and a dull model that says what each must
//! answer (INV-13, 14, 16, 18 to 20).

mod model;
mod operation;
mod target;
mod walk;

pub use model::{descriptor, CbhModel};
pub use operation::CbhOp;
pub use target::{CbhAnswer, CbhInMemory, CbhTarget};
pub use walk::{replay_cbh, CbhCoverage, CbhFailure};
