//! Where a process keeps what it sends and receives, so that lookups hit or miss as the scenario asks.
//!
//! Misses are real: no lookup is told what to answer. A process exports a region that holds more lines of one set of the VMH cache than the set has
//! ways, and messages that shall miss go to these lines in turn, so that each has been evicted when its turn comes again (LRU). Messages that
//! shall hit go to lines of other sets. For misses of the CBH cache it exports the same bytes under more identifiers of one set than the set has ways.

use nic_layout::cbh::CbhGeometry;
use nic_layout::vmh::VmhGeometry;
use nic_layout::PAGE_BYTES;

use crate::error::Result;
use crate::request_error;

/// Bytes in the part that messages are sent from, and in the part where hits arrive.
pub const AREA_BYTES: u32 = 256 * 1024;

/// Lines before the hot ones: a cold message may run over into the next lines.
const COLD_LINES: u32 = 4;

/// A plan of the region, in offsets from its start; the start is a multiple of [`Places::alignment_bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    geometry: VmhGeometry,
    cbh: CbhGeometry,
}

impl Places {
    /// `with_misses` of the VMH cache.
    pub fn new(geometry: VmhGeometry, cbh: CbhGeometry, with_misses: bool) -> Result<Places> {
        let places = Places { geometry, cbh };
        let hot_lines = 2 * AREA_BYTES.div_ceil(places.line_bytes());
        let needed = COLD_LINES + hot_lines;
        if with_misses && geometry.sets() < needed {
            return Err(request_error!(
                "cache: {} sets are too few for a chosen ratio of misses: {needed} or more are needed with lines of {} entries, or misses.ratios = [0.0]",
                geometry.sets(),
                geometry.line_entries
            ));
        }
        Ok(places)
    }

    pub fn line_bytes(&self) -> u32 {
        self.geometry.line_entries * PAGE_BYTES
    }

    /// Lines that far apart fall into one set.
    fn set_stride_bytes(&self) -> u32 {
        self.geometry.sets() * self.line_bytes()
    }

    /// A region that starts at a multiple of this starts with set 0.
    pub fn alignment_bytes(&self) -> u32 {
        self.set_stride_bytes()
    }

    pub fn region_bytes(&self) -> u32 {
        let cold_end = (self.geometry.ways + 1) * self.set_stride_bytes();
        cold_end.max(self.send(0) + AREA_BYTES)
    }

    /// A place that has been evicted when it is its turn: `turn` counts the messages that shall miss.
    pub fn cold(&self, turn: u32) -> u32 {
        turn % (self.geometry.ways + 1) * self.set_stride_bytes()
    }

    /// Buffers that messages name in turn, so that each has been evicted when it is its turn.
    pub fn cold_buffers(&self) -> u32 {
        self.cbh.ways + 1
    }

    /// Identifier of such a buffer: all fall into the set behind that of `hot`, the buffer that stays in the cache.
    pub fn cold_buffer_id(&self, hot: u32, turn: u32) -> u32 {
        let set = (self.cbh.set_of(hot) + 1) % self.cbh.sets();
        set + (turn + 1) * self.cbh.sets()
    }

    /// A place that stays in the cache.
    pub fn hot(&self, offset: u32) -> u32 {
        COLD_LINES * self.line_bytes() + offset % AREA_BYTES
    }

    /// A place to send from, which stays in the cache too.
    pub fn send(&self, offset: u32) -> u32 {
        let hot_bytes = AREA_BYTES.div_ceil(self.line_bytes()) * self.line_bytes();
        COLD_LINES * self.line_bytes() + hot_bytes + offset % AREA_BYTES
    }

    /// Offsets of the lines in an area, relative to the area.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        (0..AREA_BYTES).step_by(self.line_bytes() as usize)
    }
}

/// Whether message `k` is one of those that shall miss: as evenly spread as possible, and exact over any run.
pub fn misses(k: u32, ratio: f64) -> bool {
    turns(k + 1, ratio) > turns(k, ratio)
}

/// How many of the first `k` messages shall miss.
pub fn turns(k: u32, ratio: f64) -> u32 {
    (f64::from(k) * ratio + 1e-9).floor() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set_of(geometry: VmhGeometry, offset: u32) -> u32 {
        geometry.set_of(offset / PAGE_BYTES)
    }

    #[test]
    fn cold_places_share_a_set_that_no_hot_place_uses() {
        let geometry = VmhGeometry::RECOMMENDED;
        let places = Places::new(geometry, CbhGeometry::RECOMMENDED, true).unwrap();
        let cold: Vec<u32> = (0..=geometry.ways).map(|turn| places.cold(turn)).collect();
        assert!(cold.iter().all(|offset| set_of(geometry, *offset) == 0));
        assert_eq!(cold.iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
        for offset in places.lines() {
            assert!(set_of(geometry, places.hot(offset)) >= COLD_LINES);
            assert!(set_of(geometry, places.send(offset)) >= COLD_LINES);
            assert_ne!(places.hot(offset), places.send(offset));
        }
    }

    #[test]
    fn a_cache_with_too_few_sets_is_refused_for_misses_only() {
        let geometry = VmhGeometry { entries: 1024, line_entries: 64, ways: 4 };
        let places = |with_misses| Places::new(geometry, CbhGeometry::RECOMMENDED, with_misses);
        assert!(places(true).unwrap_err().to_string().contains("sets"));
        assert!(places(false).is_ok());
    }

    #[test]
    fn cold_buffers_share_a_set_that_the_hot_one_does_not_use() {
        let cbh = CbhGeometry { entries: 64, ways: 4 };
        let places = Places::new(VmhGeometry::RECOMMENDED, cbh, false).unwrap();
        for hot in [0, 1, 15, 16] {
            let ids: Vec<u32> = (0..places.cold_buffers()).map(|turn| places.cold_buffer_id(hot, turn)).collect();
            assert!(ids.iter().all(|id| cbh.set_of(*id) == (hot + 1) % 16 && *id != hot));
            assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
        }
    }

    proptest! {
        #[test]
        fn misses_are_exactly_the_ratio(ratio in 0.0f64..=1.0, count in 1u32..2000) {
            let found = (0..count).filter(|k| misses(*k, ratio)).count() as u32;
            prop_assert_eq!(found, turns(count, ratio));
            prop_assert!((f64::from(found) - ratio * f64::from(count)).abs() <= 1.0);
        }
    }
}
