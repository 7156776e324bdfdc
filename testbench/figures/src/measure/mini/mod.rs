//! The group `mini`: what handles that are looked up on the NIC cost.

mod defects;
mod experiments;
mod hits;
mod latency;
mod memory;
mod receive_miss;
mod soak;

use super::Bar;

pub const BARS: [Bar; 7] = [
    Bar { number: 1, measure: experiments::measure, note: None },
    Bar { number: 2, measure: memory::measure, note: Some(memory::NOTE) },
    Bar { number: 3, measure: hits::measure, note: Some(hits::NOTE) },
    Bar { number: 4, measure: latency::measure, note: Some(latency::NOTE) },
    Bar { number: 5, measure: receive_miss::measure, note: Some(receive_miss::NOTE) },
    Bar { number: 6, measure: soak::measure, note: Some(soak::NOTE) },
    Bar { number: 7, measure: defects::measure, note: Some(defects::NOTE) },
];
