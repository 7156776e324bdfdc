//! The table of personalities: the number of each in the boot reply, and modules with what only one
//! of them lays out.

pub mod echo;
pub mod emp;
pub mod emp_mini;
pub mod kernel;

use crate::boot::{caches, static_tables};

/// [`crate::boot::ReplyState::personality`] of every firmware.
pub const NUMBERS: &[u32] = &[
    caches::PERSONALITY,
    static_tables::PERSONALITY,
    echo::PERSONALITY,
    emp::PERSONALITY,
    emp_mini::PERSONALITY,
    kernel::PERSONALITY,
];

const _: () = {
    let (mut one, mut other) = (0, 0);
    while one < NUMBERS.len() {
        assert!(one == other || NUMBERS[one] != NUMBERS[other]);
        other += 1;
        if other == NUMBERS.len() {
            (one, other) = (one + 1, 0);
        }
    }
};
