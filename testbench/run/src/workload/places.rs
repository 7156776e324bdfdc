//! Places for messages in the memory of a process, so that lookups hit or miss as the scenario
//! asks.
//!
//! Misses are real: no lookup is told what to answer. A process exports a region that holds more
//! lines of one set of the VMH cache than the set has ways. Messages that shall miss go to these
//! lines in turn, so each line has been evicted when its turn comes again (LRU). Messages that
//! shall hit go to lines of other sets. For misses of the CBH cache, the process exports the same
//! bytes under more identifiers of one set than the set has ways.

use nic_layout::cbh::CbhGeometry;
use nic_layout::vmh::VmhGeometry;
use nic_layout::PAGE_BYTES;
use nicscope_scenario::error::Result;
use nicscope_scenario::request_error;
use nicscope_scenario::scenario::{MissedCache, Scenario};

/// Bytes of each of the two areas of a region: messages that hit arrive in one, and messages are
/// sent from the other.
pub const AREA_BYTES: u32 = 256 * 1024;

/// Lines before the hot lines. A message to a cold line may run over into the next lines.
const COLD_LINES: u32 = 4;

/// The plan of a region. Places are offsets in bytes from its start, which is a multiple of
/// [`Places::alignment_bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// The NIC has a VMH cache of this geometry: lines of chosen sets.
    Lines(VmhGeometry),
    /// The NIC has tables that hold the whole region, so no message can be made to miss.
    Packed,
}

impl Places {
    /// The plan for a scenario, in a run with messages that shall miss or without.
    ///
    /// # Errors
    /// The geometry is impossible, or [`Places::new`] refuses it.
    pub fn of(scenario: &Scenario, with_misses: bool) -> Result<Places> {
        match scenario.has_caches() {
            true => Places::new(scenario.geometry()?, with_misses && scenario.misses.cache == MissedCache::Vmh),
            false => Ok(Places::Packed),
        }
    }

    /// The plan for a VMH cache, with places that can be made to miss or without.
    ///
    /// # Errors
    /// The cache has too few sets to keep cold lines and hot lines apart.
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

    /// Bytes of a line of the VMH cache; without a cache, bytes of a whole area.
    pub fn line_bytes(&self) -> u32 {
        match self {
            Places::Lines(geometry) => geometry.line_entries * PAGE_BYTES,
            Places::Packed => AREA_BYTES,
        }
    }

    /// Distance in bytes between lines of the same set.
    fn set_stride_bytes(&self) -> u32 {
        match self {
            Places::Lines(geometry) => geometry.sets() * self.line_bytes(),
            Places::Packed => PAGE_BYTES,
        }
    }

    /// The number of cold lines, all of set 0: one more than a set can hold.
    pub fn cold_places(&self) -> u32 {
        match self {
            Places::Lines(geometry) => geometry.ways + 1,
            Places::Packed => 0,
        }
    }

    /// Offset of the first place that stays in the cache.
    fn hot_start(&self) -> u32 {
        match self {
            Places::Lines(_) => COLD_LINES * self.line_bytes(),
            Places::Packed => 0,
        }
    }

    /// Alignment of the region's start, in bytes: an aligned region begins with a line of set 0.
    pub fn alignment_bytes(&self) -> u32 {
        self.set_stride_bytes()
    }

    /// Length of the region in bytes.
    pub fn region_bytes(&self) -> u32 {
        let cold_end = self.cold_places() * self.set_stride_bytes();
        cold_end.max(self.send(0) + AREA_BYTES)
    }

    /// The place of a message that shall miss. `turn` counts these messages; the line of each place
    /// has been evicted when its turn comes again.
    ///
    /// # Panics
    /// If no message can be made to miss. A check of the scenario refuses that before.
    pub fn cold(&self, turn: u32) -> u32 {
        turn % self.cold_places() * self.set_stride_bytes()
    }

    /// A place to receive into that stays in the cache. `offset` counts from the start of the area.
    pub fn hot(&self, offset: u32) -> u32 {
        self.hot_start() + offset % AREA_BYTES
    }

    /// A place to send from that stays in the cache. `offset` counts from the start of the area.
    pub fn send(&self, offset: u32) -> u32 {
        let hot_bytes = AREA_BYTES.div_ceil(self.line_bytes()) * self.line_bytes();
        self.hot_start() + hot_bytes + offset % AREA_BYTES
    }

    /// Offsets of the lines of an area, from the start of the area.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        (0..AREA_BYTES).step_by(self.line_bytes() as usize)
    }
}

/// Identifiers of buffers for messages that shall miss in the CBH cache.
///
/// Messages name them in turn, so each has been evicted when its turn comes again. All of them fall
/// into the set behind the set of `hot`, the buffer that stays in the cache.
pub fn cold_buffers(geometry: CbhGeometry, hot: u32) -> impl Iterator<Item = u32> {
    let set = (geometry.set_of(hot) + 1) % geometry.sets();
    (1..=geometry.ways + 1).map(move |turn| set + turn * geometry.sets())
}

/// Whether message `k` shall miss, with a share `ratio` of such messages, 0 to 1. They are spread
/// as evenly as possible.
pub fn misses(k: u32, ratio: f64) -> bool {
    turns(k + 1, ratio) > turns(k, ratio)
}

/// The number of messages that shall miss among the first `k`: `ratio` times `k`, rounded down.
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
