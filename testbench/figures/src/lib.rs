//! Figures beside their targets and sources: `measure` compares figures with targets, `reproduce`
//! makes tables and figures of the papers again, and [`engine`] has what both do with a figure.

pub mod engine;
pub mod groups;
pub mod house;
pub mod measure;
pub mod reproduce;
pub mod table;
