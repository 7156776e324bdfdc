//! The group `core`: is the NIC's processor fast, on silicon too, and proven?

mod before;
mod clock;
mod cpi;
mod dispatch;
mod pair;
mod proof;

use super::Bar;

pub const BARS: [Bar; 6] = [
    Bar { number: 1, measure: cpi::measure, note: Some(cpi::NOTE) },
    Bar { number: 2, measure: clock::measure, note: Some(clock::NOTE) },
    Bar { number: 3, measure: proof::measure, note: Some(proof::NOTE) },
    Bar { number: 4, measure: dispatch::measure, note: Some(dispatch::NOTE) },
    Bar { number: 5, measure: pair::measure, note: Some(pair::NOTE) },
    Bar { number: 6, measure: before::measure, note: Some(before::NOTE) },
];
