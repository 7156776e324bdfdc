//! Draws lists of operations. Processes, sets and lines are few, so that tags collide. Their
//! numbers lie at both ends of their ranges.

use nic_layout::vmh::VmhGeometry;
use nic_lookup::check::CacheOp;
use nic_lookup::Path;
use proptest::prelude::*;

/// The identifiers of the processes. The last one has every bit of the tag set.
const PROCESSES: [u32; 3] = [1, 2, 0xFFF];
/// The number of neighbouring sets that a list uses, if the cache has so many.
const SETS: u32 = 2;
/// The number of virtual pages of a 32-bit address space.
const PAGES: u32 = 1 << 20;

/// A process and a page. There are one and a half times as many lines as a set has ways, at both
/// ends of the address space. Every page occurs with several processes.
fn pid_and_page(geometry: VmhGeometry) -> impl Strategy<Value = (u32, u32)> {
    let VmhGeometry { line_entries, ways, .. } = geometry;
    let (sets, pages_of_a_turn) = (geometry.sets(), geometry.sets() * line_entries);
    let tags = ways + (ways / 2).max(2);
    (0..tags, 0..SETS.min(sets), 0..line_entries).prop_map(move |(tag, set, entry)| {
        let (pid, turn) = (PROCESSES[tag as usize % PROCESSES.len()], tag / PROCESSES.len() as u32);
        let turn = if turn % 2 == 0 { turn / 2 } else { PAGES / pages_of_a_turn - 1 - turn / 2 };
        (pid, turn * pages_of_a_turn + set * line_entries + entry)
    })
}

fn operation(geometry: VmhGeometry) -> impl Strategy<Value = CacheOp> {
    let path = prop::sample::select(&[Path::Send, Path::Receive][..]);
    let nth = || 0..16u32;
    prop_oneof![
        8 => (path, pid_and_page(geometry)).prop_map(|(path, (pid, page))| CacheOp::Use { path, pid, page }),
        2 => nth().prop_map(|nth| CacheOp::Unlock { nth }),
        6 => (nth(), 0..256u32).prop_map(|(nth, seed)| CacheOp::Fill { nth, seed }),
        1 => nth().prop_map(|nth| CacheOp::Release { nth }),
        1 => pid_and_page(geometry).prop_map(|(pid, page)| CacheOp::Invalidate { pid, page }),
    ]
}

/// Lists of operations. The longest are so long that all ways of a set can be held and change hands
/// several times.
pub fn operations(geometry: VmhGeometry) -> impl Strategy<Value = Vec<CacheOp>> {
    let count_max = 60 + 20 * geometry.ways as usize;
    prop::collection::vec(operation(geometry), 1..=count_max)
}
