//! The pages of a message: where in host memory each of its bytes is (E-24).
//!
//! A descriptor of EMP names one page, a chain of up to seven pages, or list pages in host memory
//! (docs/emp.md, Formats). A [`Cursor`] stands on one page of a message. It walks to the page of
//! any byte, forward or backward, so that frames may be sent and may come in any order.
#![cfg_attr(not(test), no_std)]

mod cursor;

pub use cursor::{Cursor, Lists, Run, Step};
