//! The geometries that are tested, the places and meanings of the words of a set, and the cache in
//! host memory.

use std::convert::Infallible;
use std::ops::Range;

use nic_layout::vmh::VmhGeometry;
use nic_lookup::check::{InMemory, Target};
use nicscope_scenario::error::Result;
use nicscope_scenario::request_error;

/// Few lines of few entries, so that everything collides.
pub const SMALL: VmhGeometry = VmhGeometry { entries: 64, line_entries: 8, ways: 2 };
/// Eight ways. The firmware searches all but the most recently used way in a function of its own.
pub const WIDE: VmhGeometry = VmhGeometry { entries: 128, line_entries: 8, ways: 8 };
/// The geometry that `make firmware` builds.
pub const RECOMMENDED: VmhGeometry = VmhGeometry::RECOMMENDED;

/// All geometries that are tested.
pub const ALL: [VmhGeometry; 3] = [SMALL, WIDE, RECOMMENDED];

/// The cache of the firmware, compiled for the host, in host memory.
pub trait HostCache: Target<Error = Infallible> {
    /// The words of the cache's memory.
    fn words(&self) -> &Vec<u32>;
}

impl<const E: u32, const L: u32, const W: u32> HostCache for InMemory<E, L, W> {
    fn words(&self) -> &Vec<u32> {
        &self.words
    }
}

/// An empty cache in host memory that held [`GARBAGE`].
pub fn host_cache(geometry: VmhGeometry) -> Result<Box<dyn HostCache>> {
    match geometry {
        SMALL => Ok(Box::new(InMemory::<{ SMALL.entries }, { SMALL.line_entries }, { SMALL.ways }>::default())),
        WIDE => Ok(Box::new(InMemory::<{ WIDE.entries }, { WIDE.line_entries }, { WIDE.ways }>::default())),
        RECOMMENDED => {
            Ok(Box::new(
                InMemory::<{ RECOMMENDED.entries }, { RECOMMENDED.line_entries }, { RECOMMENDED.ways }>::default(),
            ))
        }
        other => Err(request_error!(
            "no cache in host memory has the {}; there are {}",
            name(other),
            ALL.map(name).join(", ")
        )),
    }
}

pub use nicscope_probe::GARBAGE;

/// The text of a geometry in a list of operations.
pub fn name(geometry: VmhGeometry) -> String {
    format!("geometry {} {} {}", geometry.entries, geometry.line_entries, geometry.ways)
}

/// The byte ranges of one set: keys, states, replacement word, entries.
pub fn ranges_of(geometry: VmhGeometry, set: u32) -> [Range<u32>; 4] {
    let (first, end) = (set * geometry.ways, (set + 1) * geometry.ways);
    [
        geometry.key_offset(first)..geometry.key_offset(end),
        geometry.state_offset(first)..geometry.state_offset(end),
        geometry.replacement_offset(set)..geometry.replacement_offset(set + 1),
        geometry.entry_offset(first, 0)..geometry.entry_offset(end, 0),
    ]
}

/// The meaning of the word at a byte offset.
pub fn word_name(geometry: VmhGeometry, offset: u32) -> String {
    let line = |line: u32| format!("line {line} (set {}, way {})", line / geometry.ways, line % geometry.ways);
    if offset < geometry.state_offset(0) {
        format!("key of {}", line(offset / 4))
    } else if offset < geometry.replacement_offset(0) {
        format!("locks of {}", line((offset - geometry.state_offset(0)) / 4))
    } else if offset < geometry.entry_offset(0, 0) {
        format!("order of set {}", (offset - geometry.replacement_offset(0)) / 4)
    } else {
        let entry = (offset - geometry.entry_offset(0, 0)) / 4;
        format!("entry {} of {}", entry % geometry.line_entries, line(entry / geometry.line_entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_of_all_sets_cover_the_cache_once() {
        for geometry in ALL {
            let mut words = vec![0; geometry.bytes() as usize / 4];
            for set in 0..geometry.sets() {
                for range in ranges_of(geometry, set) {
                    range.step_by(4).for_each(|offset| words[offset as usize / 4] += 1);
                }
            }
            assert!(words.iter().all(|&count| count == 1), "{}", name(geometry));
        }
    }

    #[test]
    fn words_have_names() {
        assert_eq!(word_name(SMALL, SMALL.key_offset(3)), "key of line 3 (set 1, way 1)");
        assert_eq!(word_name(SMALL, SMALL.state_offset(0)), "locks of line 0 (set 0, way 0)");
        assert_eq!(word_name(SMALL, SMALL.replacement_offset(2)), "order of set 2");
        assert_eq!(word_name(SMALL, SMALL.entry_offset(7, 5)), "entry 5 of line 7 (set 3, way 1)");
    }

    #[test]
    fn a_geometry_without_a_host_cache_is_refused() {
        let strange = VmhGeometry { entries: 1024, line_entries: 16, ways: 4 };
        let error = host_cache(strange).err().expect("there is none").to_string();
        assert!(error.contains("geometry 1024 16 4") && error.contains("geometry 64 8 2"), "{error}");
    }
}
