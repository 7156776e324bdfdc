//! What all figures have in common, whether `measure` or `reproduce` prints them: an
//! [`Experiment`] is measured or found in a file, and leaves a [`Report`] of figures, tables,
//! pictures and statements.

pub mod compare;
pub mod digits;
pub mod experiment;
pub mod figure;
pub mod obtain;
pub mod picture;
pub mod print;
pub mod report;
pub mod store;
pub mod work;

pub use experiment::{Experiment, Group, Measure, Outcome};
pub use figure::{Decided, Figure, Target};
pub use report::Report;
