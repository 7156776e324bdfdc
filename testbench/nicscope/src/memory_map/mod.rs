//! `nicscope memory-map`: bytes of NIC memory by use, from the linked firmware and from the very code by which it lays out its tables at boot.

mod parts;
mod print;
mod thesis;

use host_model::address::NodeId;
use host_model::driver::{boot_request, DriverOptions};
use host_model::platform::Platform;
use nic_layout::boot::{FIRMWARE_ADDRESS, MAX_NODES};
use nic_layout::cbh::CbhGeometry;
use nic_layout::counter::Counter;
use nic_layout::key::KeyWidth;
use nic_layout::ring::{DMA_DESCRIPTOR_BYTES, MAC_DESCRIPTOR_BYTES};
use nic_layout::static_tables::StaticGeometry;
use nic_layout::tables::{MissEntry, NotifyEntry, MISS_RING_ENTRIES, NOTIFY_RING_ENTRIES};
use nic_layout::vmh::VmhGeometry;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use nic_plan::{
    Config, Geometry, MemoryMap, Shape, ACK_BUFFER_BYTES, DMA_RING_LOG2, MAC_RING_LOG2, OPEN_READ_BYTES,
    POST_ERROR_BYTES, PROCESS_ENTRIES, PROCESS_ENTRY_BYTES, READS_MAX, READ_BYTES,
};
use serde::Serialize;

use crate::cli::MemoryMapArgs;
use crate::error::Result;
use crate::scenario::{has_caches, Cache, Scenario, PERSONALITIES};
use crate::{failed, image, output, request_error, scenario};

use parts::ImageParts;
pub use thesis::Comparison;

/// The memory of one NIC with one personality.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Map {
    pub personality: String,
    pub platform: String,
    /// Of every key.
    pub key_bits: u32,
    /// Of a personality with caches.
    pub cache: Option<Cache>,
    /// Of one with static tables: what they hold.
    pub holds: Option<Holds>,
    pub sram: Memory,
    pub scratchpad: Memory,
    /// Beside Table 1.1 of the miNI thesis (MN-1).
    pub comparison: Vec<Comparison>,
}

/// What static tables hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Holds {
    /// Pages that may be registered.
    pub translations: u32,
    pub buffers: u32,
    pub imports_of_each_process: u32,
}

/// How a personality looks handles up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    Cached(Cache, KeyWidth),
    /// Tables as large as the SRAM allows.
    Static(KeyWidth),
}

impl Lookup {
    pub fn of(scenario: &Scenario) -> Result<Lookup> {
        Ok(Lookup::with(&scenario.personality, scenario.cache, scenario.key_width()?))
    }

    fn with(personality: &str, cache: Cache, key: KeyWidth) -> Lookup {
        match has_caches(personality) {
            true => Lookup::Cached(cache, key),
            false => Lookup::Static(key),
        }
    }

    fn key(self) -> KeyWidth {
        match self {
            Lookup::Cached(_, key) | Lookup::Static(key) => key,
        }
    }
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
    Imports,
    Pch,
    Alignment,
    Free,
}

pub fn run(arguments: &MemoryMapArgs) -> Result<()> {
    let personality = &arguments.personality;
    if !PERSONALITIES.contains(&personality.as_str()) {
        return Err(request_error!("unknown personality {personality:?}: must be one of {}", PERSONALITIES.join(", ")));
    }
    let (cache, key) = parameters(personality, &arguments.set)?;
    let map = of(personality, &arguments.platform, cache, key)?;
    let text = match arguments.json {
        true => serde_json::to_string(&map).map_err(|error| failed!("memory map: {error}"))? + "\n",
        false => print::map(&map),
    };
    output::print(&text)
}

/// The memory of a NIC of a platform with the image of a personality, which is built for the cache if need be.
pub fn of(personality: &str, platform_name: &str, cache: Cache, key: KeyWidth) -> Result<Map> {
    let platform = Platform::load(platform_name).map_err(|error| request_error!("{error}"))?;
    let lookup = Lookup::with(personality, cache, key);
    check(&lookup, platform_name, &platform)?;
    let geometry = match lookup {
        Lookup::Cached(cache, _) => cache.geometry()?,
        Lookup::Static(_) => VmhGeometry::RECOMMENDED,
    };
    let path = image::build_with_keys(personality, geometry, key)?;
    let file = image::read(&path, &platform)?;
    let parts = ImageParts::of(&file).map_err(|error| failed!("firmware {}: {error}", path.display()))?;
    Map::of(personality, platform_name, &platform, lookup, &parts)
}

/// The default cache and keys with the overrides of the command line, which may name nothing else.
fn parameters(personality: &str, overrides: &[String]) -> Result<(Cache, KeyWidth)> {
    for entry in overrides {
        let is_of_cache = entry.trim_start().starts_with("cache.");
        if is_of_cache && !has_caches(personality) {
            return Err(request_error!("--set {entry}: {personality} has no cache: its tables take what the SRAM has"));
        }
        if !is_of_cache && !entry.trim_start().starts_with("key_bits") {
            return Err(request_error!(
                "--set {entry}: a memory map depends on cache.entries, cache.line_entries, cache.ways and key_bits only"
            ));
        }
    }
    let scenario = scenario::load("ping-pong", overrides)?;
    Ok((scenario.cache, scenario.key_width()?))
}

/// Whether the lookup structures can fit a platform's SRAM beside everything else, as far as that shows without an image.
pub fn check(lookup: &Lookup, platform_name: &str, platform: &Platform) -> Result<()> {
    if let Lookup::Cached(cache, _) = lookup {
        cache.geometry()?;
        // Before any arithmetic with it.
        if u64::from(cache.entries) * 4 >= u64::from(platform.sram.bytes) {
            return Err(does_not_fit(lookup, platform_name, platform));
        }
    }
    plan(lookup, platform, FIRMWARE_ADDRESS).map(|_| ()).map_err(|()| does_not_fit(lookup, platform_name, platform))
}

/// The same, with the linked image.
pub fn check_image(lookup: &Lookup, platform_name: &str, platform: &Platform, file: &[u8]) -> Result<()> {
    let first_free =
        parts::first_free(file, platform.sram.bytes).map_err(|error| request_error!("firmware: {error}"))?;
    plan(lookup, platform, first_free).map(|_| ()).map_err(|()| does_not_fit(lookup, platform_name, platform))
}

fn does_not_fit(lookup: &Lookup, platform_name: &str, platform: &Platform) -> crate::error::Error {
    let Lookup::Cached(cache, key) = *lookup else {
        return request_error!(
            "the {} bytes of SRAM of {platform_name} leave no room for static tables beside buffers and queues",
            platform.sram.bytes
        );
    };
    // The largest power of two that does, with lines and ways as they are.
    let fits = |entries: &u32| {
        let smaller = Cache { entries: *entries, ..cache };
        smaller.geometry().is_ok() && plan(&Lookup::Cached(smaller, key), platform, IMAGE_BYTES_ABOUT).is_ok()
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
fn plan(lookup: &Lookup, platform: &Platform, first_free: u32) -> Result<(MemoryMap, Shape), ()> {
    let request = boot_request(platform, &DriverOptions::new(NodeId(0), 2, 0));
    let key = lookup.key();
    let config = Config::check(&request, key).map_err(|_| ())?;
    let wanted = match lookup {
        // The CBH cache has one geometry in all images that runs build.
        Lookup::Cached(cache, _) => Shape::Mini(Geometry {
            vmh: cache.geometry().map_err(|_| ())?,
            cbh: CbhGeometry { key, ..CbhGeometry::RECOMMENDED },
        }),
        Lookup::Static(_) => Shape::vmmc(&request, key).map_err(|_| ())?,
    };
    MemoryMap::plan(&config, wanted, first_free, request.sram_bytes).map_err(|_| ())
}

impl Map {
    fn of(
        personality: &str,
        platform_name: &str,
        platform: &Platform,
        lookup: Lookup,
        parts: &ImageParts,
    ) -> Result<Map> {
        let (tables, shape) =
            plan(&lookup, platform, parts.end).map_err(|()| does_not_fit(&lookup, platform_name, platform))?;
        let sram = sram(parts, &tables, shape, platform);
        let scratchpad = scratchpad(parts);
        let comparison = thesis::compare(&sram, &scratchpad);
        let (cache, holds) = match (lookup, shape) {
            (Lookup::Cached(cache, _), _) => (Some(cache), None),
            (Lookup::Static(_), Shape::Vmmc(geometry)) => (None, Some(Holds::of(geometry))),
            (Lookup::Static(_), Shape::Mini(_)) => (None, None),
        };
        let (personality, platform, key_bits) = (personality.into(), platform_name.into(), lookup.key().bits());
        Ok(Map { personality, platform, key_bits, cache, holds, sram, scratchpad, comparison })
    }
}

fn sram(parts: &ImageParts, map: &MemoryMap, shape: Shape, platform: &Platform) -> Memory {
    let of = |count: usize, entry_bytes: usize| (count * entry_bytes) as u32;
    let dma_ring = DMA_DESCRIPTOR_BYTES << DMA_RING_LOG2;
    let mac_ring = MAC_DESCRIPTOR_BYTES << MAC_RING_LOG2;
    let buffers = platform.buffers;
    let lookup = match shape {
        Shape::Mini(geometry) => caches(map, geometry),
        Shape::Vmmc(geometry) => static_tables(map, geometry),
    };
    let before: [Part; 17] = [
        ("boot block", Use::Program, 0, FIRMWARE_ADDRESS),
        ("code", Use::Program, parts.code.0, parts.code.1),
        ("read-only data", Use::Program, parts.read_only.0, parts.read_only.1),
        ("hot code and its data, to be copied", Use::Program, parts.end - parts.hot_bytes(), parts.hot_bytes()),
        ("host-read ring", Use::Program, map.dma_read_ring, dma_ring),
        ("host-write ring", Use::Program, map.dma_write_ring, dma_ring),
        ("transmit ring", Use::Program, map.transmit_ring, mac_ring),
        ("receive ring", Use::Program, map.receive_ring, mac_ring),
        ("process table", Use::Pch, map.process_table, PROCESS_ENTRIES * PROCESS_ENTRY_BYTES),
        (
            "upper halves of keys",
            Use::Pch,
            map.process_table + MemoryMap::upper_key(0),
            PROCESS_SLOTS as u32 * shape.key().upper_bytes(),
        ),
        ("miss ring", Use::Program, map.miss_ring, of(MISS_RING_ENTRIES as usize, size_of::<MissEntry>())),
        (
            "notification ring",
            Use::Program,
            map.notify_ring,
            of(NOTIFY_RING_ENTRIES as usize, size_of::<NotifyEntry>()),
        ),
        ("reads of others", Use::Program, map.reads, READS_MAX * READ_BYTES),
        ("reads of own processes", Use::Program, map.open_reads, READS_MAX * OPEN_READ_BYTES),
        ("errors of posts", Use::Pch, map.post_errors, map.post_queue_count * POST_ERROR_BYTES),
        ("counters", Use::Program, map.counters, of(Counter::COUNT, 4)),
        // Each is a frame for one peer, two for each peer.
        ("acknowledgement frames", Use::Buffers, map.ack_buffers, 2 * MAX_NODES as u32 * ACK_BUFFER_BYTES),
    ];
    let behind = [
        ("transmit buffers", Use::Buffers, map.tx_buffers, buffers.tx_count * buffers.bytes),
        ("receive buffers", Use::Buffers, map.rx_buffers, buffers.rx_count * buffers.bytes),
        ("post queues", Use::Pch, map.post_queues, map.post_queue_count * PAGE_BYTES),
        ("free", Use::Free, map.free, platform.sram.bytes - map.free),
    ];
    Memory::cover(platform.sram.bytes, before.into_iter().chain(lookup).chain(behind))
}

/// Name, use, start and length.
type Part = (&'static str, Use, u32, u32);

fn caches(map: &MemoryMap, Geometry { vmh, cbh }: Geometry) -> Vec<Part> {
    let cache = map.vmh;
    let (states, replacement, entries) = (vmh.state_offset(0), vmh.replacement_offset(0), vmh.entry_offset(0, 0));
    let buffer_entries = cbh.entry_offset(0);
    vec![
        ("VMH cache: keys", Use::Vmh, cache, states),
        ("VMH cache: states", Use::Vmh, cache + states, replacement - states),
        ("VMH cache: replacement", Use::Vmh, cache + replacement, entries - replacement),
        ("VMH cache: entries", Use::Vmh, cache + entries, vmh.bytes() - entries),
        ("CBH cache: replacement", Use::Cbh, map.cbh, buffer_entries),
        ("CBH cache: entries", Use::Cbh, map.cbh + buffer_entries, cbh.bytes() - buffer_entries),
    ]
}

fn static_tables(map: &MemoryMap, geometry: StaticGeometry) -> Vec<Part> {
    let (tables, buffers) = (geometry.table_offset(1), geometry.buffer_offset(0));
    let (imports, at) = (geometry.import_offset(0, 0), map.vmh);
    vec![
        ("VMH tables: top levels", Use::Vmh, at, tables),
        ("VMH tables: second level", Use::Vmh, at + tables, buffers - tables),
        ("CBH table", Use::Cbh, at + buffers, imports - buffers),
        ("import tables", Use::Imports, at + imports, geometry.bytes() - imports),
    ]
}

impl Holds {
    fn of(geometry: StaticGeometry) -> Holds {
        Holds {
            translations: geometry.translations(),
            buffers: geometry.cbh_entries,
            imports_of_each_process: geometry.import_entries,
        }
    }
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

impl Map {
    /// Bytes of SRAM and scratchpad that are used, what is in both counted once.
    pub fn total_bytes(&self) -> u32 {
        self.comparison.last().map_or(0, |row| row.bytes)
    }
}

impl Memory {
    /// Names what lies between the given regions too, so that the sum is the whole memory.
    ///
    /// # Panics
    /// If regions overlap or pass the end: the firmware's plan would be wrong.
    fn cover(bytes: u32, given: impl IntoIterator<Item = Part>) -> Memory {
        let mut regions = Vec::new();
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
        of(platform, Lookup::Cached(cache, KeyWidth::Bits64))
    }

    fn of(platform: &str, lookup: Lookup) -> Result<Map> {
        let personality = if matches!(lookup, Lookup::Static(_)) { "vmmc" } else { "mini" };
        Map::of(personality, platform, &Platform::load(platform).unwrap(), lookup, &PARTS)
    }

    const DEFAULT: Cache = Cache { entries: 16_384, line_entries: 64, ways: 4 };

    #[test]
    fn regions_cover_the_memory_without_gap_or_overlap() {
        let lookups = KeyWidth::ALL.map(|key| [Lookup::Cached(DEFAULT, key), Lookup::Static(key)]).concat();
        for (platform, lookup) in Platform::names().flat_map(|name| lookups.iter().map(move |lookup| (name, *lookup))) {
            let map = of(platform, lookup).unwrap();
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
    fn a_longer_key_takes_eight_bytes_of_each_buffer_and_slot_and_import() {
        let sums = |key| {
            let cached = of("lanai9", Lookup::Cached(DEFAULT, key)).unwrap();
            let fixed = of("lanai9", Lookup::Static(key)).unwrap();
            [
                cached.sram.sum(Use::Vmh),
                cached.sram.sum(Use::Cbh),
                cached.sram.sum(Use::Pch),
                fixed.sram.sum(Use::Imports),
            ]
        };
        let (narrow, wide) = (sums(KeyWidth::Bits64), sums(KeyWidth::Bits128));
        let more = [0, 1, 2].map(|n| wide[n] - narrow[n]);
        assert_eq!(more, [0, 1024 * 8, 8 * 8]);
        assert_eq!(wide[3] / 24, narrow[3] / 16);
    }

    #[test]
    fn static_tables_take_the_bytes_of_the_thesis_where_there_is_room_and_what_there_is_elsewhere() {
        let kbytes = |map: &Map, r#use| map.sram.sum(r#use) / 1024;
        let large = of("lanai9", Lookup::Static(KeyWidth::Bits64)).unwrap();
        let uses = [Use::Vmh, Use::Cbh, Use::Imports];
        assert_eq!(uses.map(|r#use| kbytes(&large, r#use)), [264, 162, 8 * 64]);
        let holds = Holds { translations: 65_536, buffers: 6954, imports_of_each_process: 4096 };
        assert_eq!((large.holds, large.cache), (Some(holds), None));
        let small = of("tigon2", Lookup::Static(KeyWidth::Bits64)).unwrap();
        assert!(small.sram.sum(Use::Free) < 16 * 1024, "{}", small.sram.sum(Use::Free));
        assert!(small.holds.is_some_and(|holds| holds.translations > 8 * 1024 && holds.buffers > 1000));
    }

    #[test]
    fn a_cache_that_does_not_fit_is_refused_with_one_that_does() {
        let tigon2 = Platform::load("tigon2").unwrap();
        for entries in [131_072, 1 << 31] {
            let cache = Cache { entries, ..DEFAULT };
            let error = check(&Lookup::Cached(cache, KeyWidth::Bits64), "tigon2", &tigon2).unwrap_err();
            assert_eq!(error.exit_status(), 2);
            assert!(error.to_string().contains("at most 32768 entries fit"), "{error}");
        }
        let cache = Lookup::Cached(Cache { entries: 131_072, ..DEFAULT }, KeyWidth::Bits64);
        assert!(check(&cache, "lanai9", &Platform::load("lanai9").unwrap()).is_ok());
    }

    #[test]
    fn only_keys_of_the_cache_and_the_width_of_keys_may_be_set() {
        let refused = |personality, entry: &str| parameters(personality, &[entry.into()]).unwrap_err().to_string();
        assert_eq!(parameters("mini", &["cache.ways=8".into()]).unwrap().0.ways, 8);
        assert_eq!(parameters("vmmc", &["key_bits=128".into()]).unwrap().1, KeyWidth::Bits128);
        assert!(refused("mini", "key_bits=96").contains("64 or 128"));
        assert!(refused("mini", "nodes=2").contains("cache.entries"));
        assert!(refused("mini", "cache.size=2").contains("size"));
        assert!(refused("vmmc", "cache.ways=8").contains("has no cache"));
    }

    proptest! {
        #[test]
        fn what_the_check_allows_has_a_map(log2 in 3u32..32, line_log2 in 3u32..8, ways_log2 in 1u32..4) {
            let cache = Cache { entries: 1 << log2, line_entries: 1 << line_log2, ways: 1 << ways_log2 };
            for name in Platform::names() {
                let platform = Platform::load(name).unwrap();
                // An image takes less than the step from one power of two to the next, so nearly all agree.
                if check(&Lookup::Cached(cache, KeyWidth::Bits64), name, &platform).is_ok() {
                    if let Ok(map) = map(name, cache) {
                        let sum: u32 = map.sram.regions.iter().map(|region| region.bytes).sum();
                        prop_assert_eq!(sum, platform.sram.bytes);
                    }
                }
            }
        }
    }
}
