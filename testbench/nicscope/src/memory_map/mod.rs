//! `nicscope memory-map`: bytes of NIC memory by use, from the linked firmware and from the very code by which it lays out its tables at boot.

mod parts;
mod print;
mod thesis;

use host_model::address::NodeId;
use host_model::driver::{boot_request, DriverOptions};
use host_model::platform::Platform;
use nic_layout::boot::FIRMWARE_ADDRESS;
use nic_layout::cbh::CbhGeometry;
use nic_layout::counter::Counter;
use nic_layout::ring::{DMA_DESCRIPTOR_BYTES, MAC_DESCRIPTOR_BYTES};
use nic_layout::tables::{MissEntry, NotifyEntry, ProcessEntry, MISS_RING_ENTRIES, NOTIFY_RING_ENTRIES};
use nic_layout::vmh::VmhGeometry;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use nic_plan::{
    Config, Geometry, MemoryMap, DMA_RING_LOG2, MAC_RING_LOG2, OPEN_READ_BYTES, POST_ERROR_BYTES, READS_MAX, READ_BYTES,
};
use serde::Serialize;

use crate::cli::MemoryMapArgs;
use crate::error::Result;
use crate::scenario::{Cache, PERSONALITIES};
use crate::{failed, image, output, request_error, scenario};

use parts::ImageParts;
pub use thesis::Comparison;

/// The memory of one NIC with one personality.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Map {
    pub personality: String,
    pub platform: String,
    pub cache: Cache,
    pub sram: Memory,
    pub scratchpad: Memory,
    /// Beside Table 1.1 of the miNI thesis (MN-1).
    pub comparison: Vec<Comparison>,
}

/// Its regions, in the order of their addresses, cover it without a gap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Memory {
    pub bytes: u32,
    pub regions: Vec<Region>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Region {
    pub name: &'static str,
    pub r#use: Use,
    pub start: u32,
    pub bytes: u32,
}

/// What a region is for, in the terms of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// Code and static data.
    Program,
    /// The scratchpad's copy of what is counted in SRAM already.
    Copy,
    /// Send and receive buffers.
    Buffers,
    /// Lookup structures: translations, buffer handles, post queues.
    Vmh,
    Cbh,
    Pch,
    Alignment,
    Free,
}

pub fn run(arguments: &MemoryMapArgs) -> Result<()> {
    let personality = &arguments.personality;
    if !PERSONALITIES.contains(&personality.as_str()) {
        return Err(request_error!("unknown personality {personality:?}: must be one of {}", PERSONALITIES.join(", ")));
    }
    let map = of(personality, &arguments.platform, cache(&arguments.set)?)?;
    let text = match arguments.json {
        true => serde_json::to_string(&map).map_err(|error| failed!("memory map: {error}"))? + "\n",
        false => print::map(&map),
    };
    output::print(&text)
}

/// The memory of a NIC of a platform with the image of a personality, which is built for the cache if need be.
pub fn of(personality: &str, platform_name: &str, cache: Cache) -> Result<Map> {
    let platform = Platform::load(platform_name).map_err(|error| request_error!("{error}"))?;
    check(cache, platform_name, &platform)?;
    let path = image::build(personality, cache.geometry()?)?;
    let file = image::read(&path, &platform)?;
    let parts = ImageParts::of(&file).map_err(|error| failed!("firmware {}: {error}", path.display()))?;
    Map::of(personality, platform_name, &platform, cache, &parts)
}

/// The default cache with the overrides of the command line, which may name nothing else.
fn cache(overrides: &[String]) -> Result<Cache> {
    for entry in overrides {
        if !entry.trim_start().starts_with("cache.") {
            return Err(request_error!(
                "--set {entry}: a memory map depends on cache.entries, cache.line_entries and cache.ways only"
            ));
        }
    }
    Ok(scenario::load("ping-pong", overrides)?.cache)
}

/// Whether a cache can fit a platform's SRAM beside everything else, as far as that shows without an image.
pub fn check(cache: Cache, platform_name: &str, platform: &Platform) -> Result<()> {
    let geometry = cache.geometry()?;
    let without_image = match u64::from(cache.entries) * 4 < u64::from(platform.sram.bytes) {
        true => plan(geometry, platform, FIRMWARE_ADDRESS).map(|_| ()),
        // Before any arithmetic with it.
        false => Err(()),
    };
    without_image.map_err(|()| does_not_fit(cache, platform_name, platform))
}

/// The same, with the linked image.
pub fn check_image(cache: Cache, platform_name: &str, platform: &Platform, file: &[u8]) -> Result<()> {
    let first_free =
        parts::first_free(file, platform.sram.bytes).map_err(|error| request_error!("firmware: {error}"))?;
    plan(cache.geometry()?, platform, first_free).map(|_| ()).map_err(|()| does_not_fit(cache, platform_name, platform))
}

fn does_not_fit(cache: Cache, platform_name: &str, platform: &Platform) -> crate::error::Error {
    // The largest power of two that does, with lines and ways as they are.
    let fits = |entries: &u32| {
        let smaller = Cache { entries: *entries, ..cache };
        smaller.geometry().is_ok_and(|geometry| plan(geometry, platform, IMAGE_BYTES_ABOUT).is_ok())
    };
    let largest = (0..20).rev().map(|log2| 1u32 << log2).find(fits);
    let advice = match largest {
        Some(entries) => format!("at most {entries} entries fit with such lines and ways"),
        None => "its buffers leave no room for any cache".to_string(),
    };
    request_error!(
        "cache.entries = {}: the cache does not fit the {} bytes of SRAM of {platform_name} beside buffers and queues; {advice}",
        cache.entries,
        platform.sram.bytes
    )
}

/// For advice only: what an image takes of the SRAM.
const IMAGE_BYTES_ABOUT: u32 = 24 * 1024;

/// What the firmware does at boot.
fn plan(geometry: VmhGeometry, platform: &Platform, first_free: u32) -> Result<MemoryMap, ()> {
    let request = boot_request(platform, &DriverOptions::new(NodeId(0), 2, 0));
    let config = Config::check(&request).map_err(|_| ())?;
    // The CBH cache has one geometry in all images that runs build.
    let geometry = Geometry { vmh: geometry, cbh: CbhGeometry::RECOMMENDED };
    MemoryMap::plan(&config, geometry, first_free, platform.sram.bytes).map_err(|_| ())
}

impl Map {
    fn of(
        personality: &str,
        platform_name: &str,
        platform: &Platform,
        cache: Cache,
        parts: &ImageParts,
    ) -> Result<Map> {
        let geometry = cache.geometry()?;
        let tables = plan(geometry, platform, parts.end).map_err(|()| does_not_fit(cache, platform_name, platform))?;
        let sram = sram(parts, &tables, geometry, platform);
        let scratchpad = scratchpad(parts);
        let comparison = thesis::compare(&sram, &scratchpad);
        Ok(Map { personality: personality.into(), platform: platform_name.into(), cache, sram, scratchpad, comparison })
    }
}

fn sram(parts: &ImageParts, map: &MemoryMap, geometry: VmhGeometry, platform: &Platform) -> Memory {
    let of = |count: usize, entry_bytes: usize| (count * entry_bytes) as u32;
    let dma_ring = DMA_DESCRIPTOR_BYTES << DMA_RING_LOG2;
    let mac_ring = MAC_DESCRIPTOR_BYTES << MAC_RING_LOG2;
    let buffers = platform.buffers;
    let states = geometry.state_offset(0);
    let replacement = geometry.replacement_offset(0);
    let entries = geometry.entry_offset(0, 0);
    let cache = map.vmh_cache;
    let cbh = CbhGeometry::RECOMMENDED;
    let buffer_entries = cbh.entry_offset(0);
    Memory::cover(
        platform.sram.bytes,
        [
            ("boot block", Use::Program, 0, FIRMWARE_ADDRESS),
            ("code", Use::Program, parts.code.0, parts.code.1),
            ("read-only data", Use::Program, parts.read_only.0, parts.read_only.1),
            ("hot code and its data, to be copied", Use::Program, parts.end - parts.hot_bytes(), parts.hot_bytes()),
            ("host-read ring", Use::Program, map.dma_read_ring, dma_ring),
            ("host-write ring", Use::Program, map.dma_write_ring, dma_ring),
            ("transmit ring", Use::Program, map.transmit_ring, mac_ring),
            ("receive ring", Use::Program, map.receive_ring, mac_ring),
            ("process table", Use::Pch, map.process_table, of(PROCESS_SLOTS, size_of::<ProcessEntry>())),
            ("miss ring", Use::Program, map.miss_ring, of(MISS_RING_ENTRIES as usize, size_of::<MissEntry>())),
            (
                "notification ring",
                Use::Program,
                map.notify_ring,
                of(NOTIFY_RING_ENTRIES as usize, size_of::<NotifyEntry>()),
            ),
            ("reads of others", Use::Program, map.reads, READS_MAX * READ_BYTES),
            ("reads of own processes", Use::Program, map.open_reads, READS_MAX * OPEN_READ_BYTES),
            ("errors of posts", Use::Pch, map.post_errors, POST_ERROR_BYTES),
            ("counters", Use::Program, map.counters, of(Counter::COUNT, 4)),
            // They end where the cache begins; each is a frame for one peer, two for each peer.
            ("acknowledgement frames", Use::Buffers, map.ack_buffers, cache - map.ack_buffers),
            ("VMH cache: keys", Use::Vmh, cache, states),
            ("VMH cache: states", Use::Vmh, cache + states, replacement - states),
            ("VMH cache: replacement", Use::Vmh, cache + replacement, entries - replacement),
            ("VMH cache: entries", Use::Vmh, cache + entries, geometry.bytes() - entries),
            ("CBH cache: replacement", Use::Cbh, map.cbh_cache, buffer_entries),
            ("CBH cache: entries", Use::Cbh, map.cbh_cache + buffer_entries, cbh.bytes() - buffer_entries),
            ("transmit buffers", Use::Buffers, map.tx_buffers, buffers.tx_count * buffers.bytes),
            ("receive buffers", Use::Buffers, map.rx_buffers, buffers.rx_count * buffers.bytes),
            ("post queues", Use::Pch, map.post_queues, PROCESS_SLOTS as u32 * PAGE_BYTES),
            ("free", Use::Free, map.free, platform.sram.bytes - map.free),
        ],
    )
}

fn scratchpad(parts: &ImageParts) -> Memory {
    let stack = parts.static_bytes.0 + parts.static_bytes.1;
    Memory::cover(
        parts.scratchpad_bytes,
        [
            ("hot code", Use::Copy, parts.hot_code.0, parts.hot_code.1),
            ("its data", Use::Copy, parts.hot_data.0, parts.hot_data.1),
            ("static data", Use::Program, parts.static_bytes.0, parts.static_bytes.1),
            ("stack", Use::Program, stack, parts.scratchpad_bytes - stack),
        ],
    )
}

impl Memory {
    /// Names what lies between the given regions too, so that the sum is the whole memory.
    ///
    /// # Panics
    /// If regions overlap or pass the end: the firmware's plan would be wrong.
    fn cover<const N: usize>(bytes: u32, given: [(&'static str, Use, u32, u32); N]) -> Memory {
        let mut regions = Vec::with_capacity(N);
        let mut end = 0;
        for (name, r#use, start, length) in given {
            assert!(start >= end, "{name} at {start:#x} overlaps what ends at {end:#x}");
            if start > end {
                regions.push(Region { name: "alignment", r#use: Use::Alignment, start: end, bytes: start - end });
            }
            if length > 0 {
                regions.push(Region { name, r#use, start, bytes: length });
            }
            end = start + length;
        }
        assert!(end == bytes, "regions end at {end:#x} of {bytes:#x}");
        Memory { bytes, regions }
    }

    /// Bytes of one use.
    pub fn sum(&self, r#use: Use) -> u32 {
        self.regions.iter().filter(|region| region.r#use == r#use).map(|region| region.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PARTS: ImageParts = ImageParts {
        code: (0x400, 9000),
        read_only: (0x400 + 9000, 24),
        hot_code: (0, 8000),
        hot_data: (8000, 136),
        static_bytes: (8192, 6720),
        scratchpad_bytes: 16_384,
        end: 0x400 + 9024 + 8136,
    };

    fn map(platform: &str, cache: Cache) -> Result<Map> {
        Map::of("mini", platform, &Platform::load(platform).unwrap(), cache, &PARTS)
    }

    const DEFAULT: Cache = Cache { entries: 16_384, line_entries: 64, ways: 4 };

    #[test]
    fn regions_cover_the_memory_without_gap_or_overlap() {
        for platform in Platform::names() {
            let map = map(platform, DEFAULT).unwrap();
            for memory in [&map.sram, &map.scratchpad] {
                let mut end = 0;
                for region in &memory.regions {
                    assert_eq!(region.start, end, "{}", region.name);
                    end += region.bytes;
                }
                assert_eq!(end, memory.bytes);
            }
        }
    }

    #[test]
    fn the_recommended_cache_takes_four_bytes_an_entry_and_three_words_a_line_and_set() {
        let map = map("tigon2", DEFAULT).unwrap();
        assert_eq!(map.sram.sum(Use::Vmh), 4 * 16_384 + 2 * 4 * 256 + 4 * 64);
        assert_eq!(map.sram.sum(Use::Buffers), 128 * 1520 + 2 * 16 * 64);
    }

    #[test]
    fn a_cache_that_does_not_fit_is_refused_with_one_that_does() {
        let tigon2 = Platform::load("tigon2").unwrap();
        for entries in [131_072, 1 << 31] {
            let cache = Cache { entries, ..DEFAULT };
            let error = check(cache, "tigon2", &tigon2).unwrap_err();
            assert_eq!(error.exit_status(), 2);
            assert!(error.to_string().contains("at most 32768 entries fit"), "{error}");
        }
        assert!(check(Cache { entries: 131_072, ..DEFAULT }, "lanai9", &Platform::load("lanai9").unwrap()).is_ok());
    }

    #[test]
    fn only_keys_of_the_cache_may_be_set() {
        assert_eq!(cache(&["cache.ways=8".into()]).unwrap().ways, 8);
        assert!(cache(&["nodes=2".into()]).unwrap_err().to_string().contains("cache.entries"));
        assert!(cache(&["cache.size=2".into()]).unwrap_err().to_string().contains("size"));
    }

    proptest! {
        #[test]
        fn what_the_check_allows_has_a_map(log2 in 3u32..32, line_log2 in 3u32..8, ways_log2 in 1u32..4) {
            let cache = Cache { entries: 1 << log2, line_entries: 1 << line_log2, ways: 1 << ways_log2 };
            for name in Platform::names() {
                let platform = Platform::load(name).unwrap();
                // An image takes less than the step from one power of two to the next, so nearly all agree.
                if check(cache, name, &platform).is_ok() {
                    if let Ok(map) = map(name, cache) {
                        let sum: u32 = map.sram.regions.iter().map(|region| region.bytes).sum();
                        prop_assert_eq!(sum, platform.sram.bytes);
                    }
                }
            }
        }
    }
}
