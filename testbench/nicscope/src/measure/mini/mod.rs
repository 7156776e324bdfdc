//! The group `mini`: what handles that are looked up on the NIC cost.

mod receive_miss;

use super::Bar;

pub const BARS: [Bar; 1] = [Bar { number: 5, measure: receive_miss::measure, note: Some(receive_miss::NOTE) }];
