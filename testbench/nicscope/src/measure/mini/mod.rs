//! The group `mini`: what handles that are looked up on the NIC cost.

mod experiments;
mod hits;
mod receive_miss;

use super::Bar;

pub const BARS: [Bar; 3] = [
    Bar { number: 1, measure: experiments::measure, note: None },
    Bar { number: 3, measure: hits::measure, note: Some(hits::NOTE) },
    Bar { number: 5, measure: receive_miss::measure, note: Some(receive_miss::NOTE) },
];
