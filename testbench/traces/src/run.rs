//! Runs a trace through the firmware's cache in host memory.

use nic_layout::vmh::{key, VmhGeometry, KEY_RESERVED};
use nic_lookup::host::{use_page, Answer, InMemory, Target};

use crate::{Access, Counts};

/// The physical page that is filled in for a virtual page. Any function would do that gives
/// different values for different pages.
pub const fn page_number(page: u32) -> u32 {
    page.wrapping_mul(0x9E37_79B1) >> 4
}

/// Runs a trace through a cache that begins empty. Before the next lookup, a miss is filled, and
/// the line of a hit is unlocked. `see` gets the index and the answer of every access.
///
/// # Panics
/// If the geometry is not in [`crate::all_geometries`], or a hit returns another value than was
/// filled in (INV-20).
/// filled in (INV-20).
pub fn run(geometry: VmhGeometry, accesses: &[Access], see: &mut dyn FnMut(usize, Answer)) -> Counts {
    macro_rules! of_ways {
        ($entries:literal, $line:literal) => {
            match geometry.ways {
                2 => of::<$entries, $line, 2>(accesses, see),
                4 => of::<$entries, $line, 4>(accesses, see),
                8 => of::<$entries, $line, 8>(accesses, see),
                _ => unknown(geometry),
            }
        };
    }
    macro_rules! of_lines {
        ($entries:literal) => {
            match geometry.line_entries {
                8 => of_ways!($entries, 8),
                16 => of_ways!($entries, 16),
                64 => of_ways!($entries, 64),
                128 => of_ways!($entries, 128),
                _ => unknown(geometry),
            }
        };
    }
    match geometry.entries {
        8192 => of_lines!(8192),
        16_384 => of_lines!(16_384),
        32_768 => of_lines!(32_768),
        _ => unknown(geometry),
    }
}

fn unknown(geometry: VmhGeometry) -> ! {
    panic!("{geometry:?} is none of the 36")
}

fn of<const E: u32, const L: u32, const W: u32>(accesses: &[Access], see: &mut dyn FnMut(usize, Answer)) -> Counts {
    let mut target = InMemory::<E, L, W>::default();
    let mut counts = Counts::default();
    let mut seen = Lines::new(L);
    for (index, &Access { path, pid, page }) in accesses.iter().enumerate() {
        counts.lookups[path as usize] += 1;
        let answer = use_page(&target.cache, &mut target.words, path, pid, page);
        match answer {
            Answer::Hit { line, entry } => {
                assert_eq!(entry, page_number(page), "page {page:#x} of process {pid} has another page's translation");
                target.cache.unlock(&mut target.words, path, line);
            }
            Answer::Reserved { line } => {
                match seen.insert(pid, page) {
                    true => counts.cold[path as usize] += 1,
                    false => counts.non_cold[path as usize] += 1,
                }
                let miss_key = key(pid, page & !(L - 1), KEY_RESERVED);
                let Ok(()) = target.fill(line, miss_key, &page_number);
            }
            other => unreachable!("nothing is outstanding, and the answer is {other:?}"),
        }
        see(index, answer);
    }
    counts
}

/// The set of the lines that were ever in the cache.
struct Lines {
    line_entries: u32,
    bits: Vec<u64>,
}

impl Lines {
    fn new(line_entries: u32) -> Lines {
        Lines { line_entries, bits: Vec::new() }
    }

    /// Adds the line of a page. Returns false if it is in the set already.
    fn insert(&mut self, pid: u32, page: u32) -> bool {
        let index = ((u64::from(pid) << 20 | u64::from(page)) / u64::from(self.line_entries)) as usize;
        let (word, bit) = (index / 64, 1 << (index % 64));
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        is_new
    }
}
