//! Figures and their sources: `measure` compares figures with targets, `reproduce` makes tables and figures of the papers again.

pub mod measure;
pub mod reproduce;
