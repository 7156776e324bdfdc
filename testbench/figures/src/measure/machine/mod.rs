//! The group `machine`: does the machine run, exactly and fast enough?

mod accounts;
mod latency;
mod losses;
mod repeat;
mod speed;
mod times;

use super::Bar;

pub const BARS: [Bar; 7] = [
    Bar { number: 1, measure: repeat::measure, note: None },
    Bar { number: 2, measure: accounts::differences, note: None },
    Bar { number: 3, measure: accounts::sums, note: None },
    Bar { number: 4, measure: losses::measure, note: None },
    Bar { number: 5, measure: speed::measure, note: Some(speed::NOTE) },
    Bar { number: 6, measure: latency::measure, note: None },
    Bar { number: 7, measure: times::measure, note: Some(times::NOTE) },
];
