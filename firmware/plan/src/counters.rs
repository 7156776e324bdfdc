//! The counters.

use nic_layout::counter::Counter;

use crate::{Piece, Regions, Use};

/// Takes the region of the counters, in the order of [`Counter`], and gives the SRAM offset of the
/// first.
pub fn plan(regions: &mut impl Regions) -> u32 {
    regions.take("counters", 8, &[Piece::new("counters", Use::Program, Counter::LINKED_COUNT as u32, 4)])
}
