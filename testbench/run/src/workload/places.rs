//! Where a process keeps what it sends and receives, so that lookups hit or miss as the scenario asks.
//!
//! Misses are real: no lookup is told what to answer. A process exports a region that holds more lines of one set of the VMH cache than the set has
//! ways, and messages that shall miss go to these lines in turn, so that each has been evicted when its turn comes again (LRU). Messages that
//! shall hit go to lines of other sets. For misses of the CBH cache it exports the same bytes under more identifiers of one set than the set has ways.

use nic_layout::cbh::CbhGeometry;
use nic_layout::vmh::VmhGeometry;
use nic_layout::PAGE_BYTES;
use nicscope_scenario::error::Result;
use nicscope_scenario::request_error;
use nicscope_scenario::scenario::{MissedCache, Scenario};

/// Bytes in the part that messages are sent from, and in the part where hits arrive.
pub const AREA_BYTES: u32 = 256 * 1024;

/// Lines before the hot ones: a cold message may run over into the next lines.
const COLD_LINES: u32 = 4;

/// A plan of the region, in offsets from its start; the start is a multiple of [`Places::alignment_bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// For a cache.
    Lines(VmhGeometry),
    /// For tables that hold the whole region: nothing can be made to miss.
    Packed,
}

impl Places {
    pub fn of(scenario: &Scenario, with_misses: bool) -> Result<Places> {
        match scenario.has_caches() {
            true => Places::new(scenario.geometry()?, with_misses && scenario.misses.cache == MissedCache::Vmh),
            false => Ok(Places::Packed),
        }
    }

    pub fn new(geometry: VmhGeometry, with_misses: bool) -> Result<Places> {
        let places = Places::Lines(geometry);
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

    /// What has one entry where the NIC looks up.
    pub fn line_bytes(&self) -> u32 {
        match self {
            Places::Lines(geometry) => geometry.line_entries * PAGE_BYTES,
            Places::Packed => AREA_BYTES,
        }
    }

    /// Lines that far apart fall into one set.
    fn set_stride_bytes(&self) -> u32 {
        match self {
            Places::Lines(geometry) => geometry.sets() * self.line_bytes(),
            Places::Packed => PAGE_BYTES,
        }
    }

    /// Lines of one set that no set can hold together.
    fn cold_places(&self) -> u32 {
        match self {
            Places::Lines(geometry) => geometry.ways + 1,
            Places::Packed => 0,
        }
    }

    /// Where the places begin that stay in the cache.
    fn hot_start(&self) -> u32 {
        match self {
            Places::Lines(_) => COLD_LINES * self.line_bytes(),
            Places::Packed => 0,
        }
    }

    /// A region that starts at a multiple of this starts with set 0.
    pub fn alignment_bytes(&self) -> u32 {
        self.set_stride_bytes()
    }

    pub fn region_bytes(&self) -> u32 {
        let cold_end = self.cold_places() * self.set_stride_bytes();
        cold_end.max(self.send(0) + AREA_BYTES)
    }

    /// A place that has been evicted when it is its turn: `turn` counts the messages that shall miss.
    ///
    /// # Panics
    /// If nothing can miss: the scenario was not checked.
    pub fn cold(&self, turn: u32) -> u32 {
        turn % self.cold_places() * self.set_stride_bytes()
    }

    /// A place that stays in the cache.
    pub fn hot(&self, offset: u32) -> u32 {
        self.hot_start() + offset % AREA_BYTES
    }

    /// A place to send from, which stays in the cache too.
    pub fn send(&self, offset: u32) -> u32 {
        let hot_bytes = AREA_BYTES.div_ceil(self.line_bytes()) * self.line_bytes();
        self.hot_start() + hot_bytes + offset % AREA_BYTES
    }

    /// Offsets of the lines in an area, relative to the area.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        (0..AREA_BYTES).step_by(self.line_bytes() as usize)
    }
}

/// Identifiers of buffers that messages name in turn, so that each has been evicted when its turn comes again: all of the set behind that of `hot`, the
/// buffer that stays in the cache.
pub fn cold_buffers(geometry: CbhGeometry, hot: u32) -> impl Iterator<Item = u32> {
    let set = (geometry.set_of(hot) + 1) % geometry.sets();
    (1..=geometry.ways + 1).map(move |turn| set + turn * geometry.sets())
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
        let places = Places::new(geometry, true).unwrap();
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
        let places = |with_misses| Places::new(geometry, with_misses);
        assert!(places(true).unwrap_err().to_string().contains("sets"));
        assert!(places(false).is_ok());
    }

    #[test]
    fn cold_buffers_share_a_set_that_the_hot_one_does_not_use() {
        let cbh = CbhGeometry { entries: 64, ..CbhGeometry::RECOMMENDED };
        for hot in [0, 1, 15, 16] {
            let ids: Vec<u32> = cold_buffers(cbh, hot).collect();
            assert!(ids.iter().all(|id| cbh.set_of(*id) == (hot + 1) % 16 && *id != hot));
            assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
        }
    }

    #[test]
    fn without_a_cache_the_region_is_no_larger_than_its_two_areas() {
        let places = Places::Packed;
        assert_eq!((places.hot(0), places.send(0), places.region_bytes()), (0, AREA_BYTES, 2 * AREA_BYTES));
        assert_eq!(places.lines().collect::<Vec<_>>(), [0]);
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
