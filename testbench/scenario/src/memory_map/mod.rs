//! Bytes of NIC memory by use.
//!
//! The sizes come from the linked firmware, and from the code (`nic_plan`) by which the firmware
//! lays out its tables at boot.

mod comparison;
mod limits;
mod parts;
mod regions;

use std::path::Path;

use host_model::address::{NodeId, SramAddr};
use host_model::driver::{boot_request, DriverOptions, Duty, MessagesOptions, SERVICES};
use host_model::platform::Platform;
use nic_image::Stack;
use nic_layout::boot::FIRMWARE_ADDRESS;
use nic_layout::cbh::CbhGeometry;
use nic_layout::keeper;
use nic_layout::key::KeyWidth;
use nic_layout::nodes::{image_nodes_for, NODES_MAX, NODES_USUAL};
use nic_layout::static_tables::StaticGeometry;
use nic_layout::vmh::VmhGeometry;
use nic_matching::{Hashed, Linear, Posted};
use nic_plan::{Caches, Config, Cursor, Geometry, Piece, Plain, Plan, Rdma, Regions, StaticTables};
use serde::Serialize;

use crate::error::Result;
use crate::personality::{self, Lookup as Looks, Personality};
use crate::scenario::{Cache, Matching, MissService, Scenario};
use crate::{failed, image, platform, request_error, scenario};

pub use comparison::Comparison;
pub use limits::Limit;
use parts::ImageParts;
use regions::Part;
pub use regions::{Memory, Region, Use};

/// The memory of one NIC with one personality.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Map {
    /// Name of the personality.
    pub personality: String,
    /// Name of the platform.
    pub platform: String,
    /// Width of every protection key, in bits: 64 or 128.
    pub key_bits: u32,
    /// Geometry of the cache of translations, if the personality has caches.
    pub cache: Option<Cache>,
    /// What the tables hold, if the personality has static tables.
    pub holds: Option<Holds>,
    /// The SRAM that all blocks of the NIC share.
    pub sram: Memory,
    /// The scratchpad of core A.
    pub scratchpad: Memory,
    /// The stack of the image that core A runs.
    pub stack: Stack,
    /// The scratchpad and the stack of core B, on a NIC with two cores.
    pub core_b: Option<CoreB>,
    /// The memories of a NIC of a paper, beside what we use of them. Empty if there is no such
    /// paper.
    pub limits: Vec<Limit>,
    /// Uses of the memory, beside what papers have published of such systems (MN-1).
    pub comparison: Vec<Comparison>,
}

/// The memory of core B that is its own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoreB {
    /// Name of the image.
    pub image: &'static str,
    /// The scratchpad of core B.
    pub scratchpad: Memory,
    /// The stack of the image.
    pub stack: Stack,
}

/// The numbers of entries of static tables. They fill the SRAM that nothing else needs, up to the
/// sizes of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Holds {
    /// Pages that may be registered.
    pub translations: u32,
    /// Exported buffers.
    pub buffers: u32,
    /// Imported buffers of each process.
    pub imports_of_each_process: u32,
}

/// The keys of a scenario that decide the layout of the NIC's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    lookup: Lookup,
    key: KeyWidth,
    post_queues: Option<u32>,
    miss_service: MissService,
    /// Nodes that the image has room for: [`NODES_USUAL`] or [`NODES_MAX`].
    image_nodes: usize,
    /// How the image of EMP finds posted receives.
    matching: Matching,
}

/// How a personality looks handles up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lookup {
    Cached(Cache),
    /// Tables as large as the SRAM allows.
    Static,
    None,
    /// Posted receives.
    Matched(MessagesOptions),
    /// The same, with a cache of translations.
    MatchedCached(Cache, MessagesOptions),
    /// Rings of frames.
    Frames,
}

impl Lookup {
    fn cache(self) -> Option<Cache> {
        match self {
            Lookup::Cached(cache) | Lookup::MatchedCached(cache, _) => Some(cache),
            Lookup::Static | Lookup::None | Lookup::Matched(_) | Lookup::Frames => None,
        }
    }

    /// The same with a cache of so many entries.
    fn with_entries(self, entries: u32) -> Lookup {
        match self {
            Lookup::Cached(cache) => Lookup::Cached(Cache { entries, ..cache }),
            Lookup::MatchedCached(cache, messages) => Lookup::MatchedCached(Cache { entries, ..cache }, messages),
            other => other,
        }
    }
}

impl Wanted {
    /// Reads the keys of a scenario.
    ///
    /// # Errors
    /// `key_bits` is neither 64 nor 128.
    pub fn of(scenario: &Scenario) -> Result<Wanted> {
        Ok(Wanted {
            lookup: match scenario.personality.lookup {
                Looks::Cached => Lookup::Cached(scenario.cache),
                Looks::Static => Lookup::Static,
                Looks::None => Lookup::None,
                Looks::Frames => Lookup::Frames,
                Looks::Matched => Lookup::Matched(scenario.emp.of_driver()),
                Looks::MatchedCached => Lookup::MatchedCached(scenario.cache, scenario.emp.of_driver()),
            },
            key: scenario.key_width()?,
            post_queues: scenario.nic.post_queues,
            miss_service: scenario.misses.service,
            image_nodes: image_nodes_for(scenario.nodes),
            matching: scenario.emp.matching,
        })
    }
}

/// The memory map of the NICs of a scenario on a platform. Builds the image unless it is up to
/// date.
///
/// # Errors
/// The scenario is impossible on the platform, the image cannot be built or read, or the lookup
/// structures do not fit beside the image.
pub fn of(scenario: &Scenario, platform_name: &str) -> Result<Map> {
    let platform = platform::load(platform_name, scenario)?;
    let wanted = Wanted::of(scenario)?;
    check(&wanted, platform_name, &platform)?;
    let path = scenario.image_of_core_a(platform.core.count)?;
    let first = Image::read(&path, &platform)?;
    let second = match scenario.image_of_core_b(platform.core.count)? {
        Some(path) => Some(Image::read(&path, &platform)?),
        None => None,
    };
    Map::of(scenario.personality, platform_name, &platform, wanted, first, second)
}

/// What a memory map needs of an image.
struct Image {
    parts: ImageParts,
    stack: Stack,
}

impl Image {
    fn read(path: &Path, platform: &Platform) -> Result<Image> {
        let file = image::read(path, platform)?;
        let parts = ImageParts::of(&file).map_err(|error| failed!("firmware {}: {error}", path.display()))?;
        Ok(Image { parts, stack: image::stack(path)? })
    }
}

/// The keys on which a memory map depends. The first stands for all keys of the cache.
const KEYS: [&str; 9] = [
    "cache.",
    "key_bits",
    "nic.post_queues",
    "misses.service",
    "cores",
    "nodes",
    "emp.scheme",
    "emp.matching",
    "emp.mtu_bytes",
];

/// A scenario with a personality and overrides.
///
/// # Errors
/// There is no such personality, an override names another key than [`KEYS`], or its value is
/// wrong.
pub fn scenario(personality: &str, overrides: &[String]) -> Result<Scenario> {
    let has_caches = personality::named(personality)?.has_caches();
    for entry in overrides {
        let key = entry.split('=').next().unwrap_or_default().trim();
        let is_of_cache = key.starts_with(KEYS[0]);
        if is_of_cache && !has_caches {
            return Err(request_error!("--set {entry}: {personality} has no cache"));
        }
        if !is_of_cache && !KEYS.contains(&key) {
            return Err(request_error!(
                "--set {entry}: a memory map depends on cache.entries, cache.line_entries, cache.ways, {} only",
                KEYS[1..].join(", ")
            ));
        }
    }
    let has_nodes = overrides.iter().any(|entry| entry.trim_start().starts_with(KEYS[5]));
    // A cable joins two nodes only.
    let topology = format!("topology.kind={}", if has_nodes { "switch" } else { "cable" });
    let fixed = [format!("personality={personality}"), "misses.ratios=0.0".to_owned(), topology];
    // The memory is the same under every workload.
    let workloads = personality::named(personality)?.workloads;
    // Flows go between any number of nodes, pairs between an even number.
    let of_flows = workloads.iter().find(|kind| has_nodes && kind.has_flows());
    let kind = of_flows.unwrap_or(&workloads[0]);
    scenario::load(&kind.name(), &[&fixed, overrides].concat())
}

/// Checks, before an image exists, that the lookup structures can fit the platform's SRAM beside
/// buffers and queues.
///
/// # Errors
/// They do not fit, or the geometry is impossible. The text names the largest cache that fits.
pub fn check(wanted: &Wanted, platform_name: &str, platform: &Platform) -> Result<()> {
    if let Some(cache) = wanted.lookup.cache() {
        cache.geometry()?;
        // Checked first: the products of larger numbers would overflow.
        if u64::from(cache.entries) * 4 >= u64::from(platform.sram.bytes) {
            return Err(does_not_fit(wanted, platform_name, platform));
        }
    }
    plan(wanted, platform, FIRMWARE_ADDRESS).map(|_| ()).map_err(|()| does_not_fit(wanted, platform_name, platform))
}

/// Checks that the lookup structures fit the platform's SRAM above the linked image `file`.
///
/// # Errors
/// They do not fit, or the file is no image.
pub fn check_image(wanted: &Wanted, platform_name: &str, platform: &Platform, file: &[u8]) -> Result<()> {
    let first_free =
        parts::first_free(file, platform.sram.bytes).map_err(|error| request_error!("firmware: {error}"))?;
    plan(wanted, platform, first_free).map(|_| ()).map_err(|()| does_not_fit(wanted, platform_name, platform))
}

fn does_not_fit(wanted: &Wanted, platform_name: &str, platform: &Platform) -> crate::error::Error {
    let Some(cache) = wanted.lookup.cache() else {
        return request_error!(
            "the {} bytes of SRAM of {platform_name} leave no room for tables beside buffers and queues",
            platform.sram.bytes
        );
    };
    // The largest power of two that fits, with lines and ways as they are.
    let fits = |entries: &u32| {
        let smaller = Cache { entries: *entries, ..cache };
        let wanted = Wanted { lookup: wanted.lookup.with_entries(*entries), ..*wanted };
        smaller.geometry().is_ok() && plan(&wanted, platform, IMAGE_BYTES_ABOUT).is_ok()
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

/// About the size of an image, in bytes. It serves only for the advice in an error.
const IMAGE_BYTES_ABOUT: u32 = 24 * 1024;

/// A plan of the firmware, as a list.
struct Planned {
    /// Name, use, start and length of each piece, in the order of addresses.
    parts: Vec<Part>,
    /// First byte that nothing uses.
    free: u32,
    /// The entries of static tables, if there are any.
    holds: Option<Holds>,
}

/// Records the regions that the parts of a plan take.
struct List {
    cursor: Cursor,
    parts: Vec<Part>,
}

impl Regions for List {
    fn take(&mut self, owner: &'static str, align: u32, pieces: &[Piece]) -> u32 {
        let start = self.cursor.take(owner, align, pieces);
        let mut at = start;
        for piece in pieces {
            self.parts.push((piece.name, piece.r#use.into(), at, piece.bytes));
            at += piece.bytes;
        }
        start
    }
}

/// Lays the SRAM out as the firmware does at boot, from `first_free` on.
fn plan(wanted: &Wanted, platform: &Platform, first_free: u32) -> Result<Planned, ()> {
    match wanted.image_nodes {
        NODES_USUAL => plan_for::<NODES_USUAL>(wanted, platform, first_free),
        _ => plan_for::<NODES_MAX>(wanted, platform, first_free),
    }
}

impl Wanted {
    fn options(&self) -> DriverOptions {
        DriverOptions {
            post_queues: self.post_queues,
            messages: match self.lookup {
                Lookup::Matched(messages) | Lookup::MatchedCached(_, messages) => Some(messages),
                _ => None,
            },
            miss_service: self.miss_service.of_driver(),
            ..DriverOptions::new(NodeId(0), 2, 0)
        }
    }

    fn duty(&self) -> Duty {
        self.options().duty_of_core_b()
    }
}

/// [`plan`] of an image with room for `NODES` nodes.
fn plan_for<const NODES: usize>(wanted: &Wanted, platform: &Platform, first_free: u32) -> Result<Planned, ()> {
    let options = wanted.options();
    let request = boot_request(platform, &options, SERVICES).ok_or(())?;
    let key = wanted.key;
    match wanted.lookup {
        // The CBH cache has one geometry in all images that runs build.
        Lookup::Cached(cache) => {
            let vmh = cache.geometry().map_err(|_| ())?;
            let cbh = CbhGeometry { key, ..CbhGeometry::RECOMMENDED };
            let lookup = Caches::built(Geometry { vmh, cbh });
            planned::<Rdma<Caches, NODES>>(&request, Rdma::new(lookup), first_free, |_| None)
        }
        Lookup::Static => {
            let lookup = StaticTables::built(key);
            planned::<Rdma<StaticTables, NODES>>(&request, Rdma::new(lookup), first_free, |part| {
                Some(Holds::of(part.lookup.geometry))
            })
        }
        // The number of the personality moves no region.
        Lookup::None => planned::<Plain<0, NODES>>(&request, Plain, first_free, |_| None),
        Lookup::Frames => frames(&request, first_free),
        Lookup::Matched(_) => match wanted.matching {
            Matching::Linear => matched::<Linear>(&request, first_free, None),
            Matching::Hashed => matched::<Hashed>(&request, first_free, None),
        },
        Lookup::MatchedCached(cache, _) => {
            let geometry = cache.geometry().map_err(|_| ())?;
            match wanted.matching {
                Matching::Linear => matched::<Linear>(&request, first_free, Some(geometry)),
                Matching::Hashed => matched::<Hashed>(&request, first_free, Some(geometry)),
            }
        }
    }
}

/// The plan of EMP, which has parts of its own. `cache`: of its translations, if it has one.
fn matched<P: Posted>(request: &[u32], first_free: u32, cache: Option<VmhGeometry>) -> Result<Planned, ()> {
    let config = nic_emp::Config::read(request).map_err(|_| ())?;
    let mut list = List { cursor: Cursor::new(first_free), parts: vec![] };
    config.lay_out::<P, nic_emp::Physical>(&mut list);
    if let Some(geometry) = cache {
        nic_emp::lay_out_translations(geometry, &mut list);
    }
    let free = list.cursor.end(config.sram_bytes).ok_or(())?;
    Ok(Planned { parts: list.parts, free, holds: None })
}

/// The plan of the NIC that only moves frames.
fn frames(request: &[u32], first_free: u32) -> Result<Planned, ()> {
    let config = nic_raw::Config::read(request).map_err(|_| ())?;
    let plan = nic_raw::Plan::of(&config, first_free, config.sram_bytes).map_err(|_| ())?;
    let mut list = List { cursor: Cursor::new(first_free), parts: vec![] };
    config.lay_out(&mut list);
    Ok(Planned { parts: list.parts, free: plan.free, holds: None })
}

fn planned<P: nic_plan::Part>(
    request: &[u32],
    built: P,
    first_free: u32,
    holds: fn(P) -> Option<Holds>,
) -> Result<Planned, ()> {
    let config = Config::read(request, built).map_err(|_| ())?;
    let plan = Plan::of(&config, first_free, config.sram_bytes).map_err(|_| ())?;
    let mut list = List { cursor: Cursor::new(first_free), parts: vec![] };
    plan.config.lay_out(&mut list);
    Ok(Planned { parts: list.parts, free: plan.places.free, holds: holds(plan.config.part) })
}

impl Map {
    fn of(
        personality: &Personality,
        platform_name: &str,
        platform: &Platform,
        wanted: Wanted,
        first: Image,
        second: Option<Image>,
    ) -> Result<Map> {
        let Image { parts, stack } = first;
        let planned =
            plan(&wanted, platform, parts.end).map_err(|()| does_not_fit(&wanted, platform_name, platform))?;
        let sram = sram(&parts, &planned, platform, second.as_ref().map(|image| (wanted.duty().area(), &image.parts)));
        let scratchpad = scratchpad(&parts);
        let core_b = second.map(|Image { parts, stack }| CoreB {
            image: personality.image_of_core_b.unwrap_or_default(),
            scratchpad: self::scratchpad(&parts),
            stack,
        });
        let of_core_b = core_b.as_ref().map(|core_b| (&core_b.scratchpad, &core_b.stack));
        let limits = limits::beside(personality.memory_limits, &sram, [Some((&scratchpad, &stack)), of_core_b]);
        let comparison = comparison::compare(&sram, &scratchpad, personality.memory_of_others);
        let holds = planned.holds;
        let cache = wanted.lookup.cache();
        let (personality, platform, key_bits) = (personality.name.into(), platform_name.into(), wanted.key.bits());
        Ok(Map { personality, platform, key_bits, cache, holds, sram, scratchpad, stack, core_b, limits, comparison })
    }
}

fn sram(parts: &ImageParts, planned: &Planned, platform: &Platform, core_b: Option<(SramAddr, &ImageParts)>) -> Memory {
    let image: [Part; 5] = [
        ("boot block", Use::Program, 0, FIRMWARE_ADDRESS),
        ("code", Use::Program, parts.code.0, parts.code.1),
        ("read-only data", Use::Program, parts.read_only.0, parts.read_only.1),
        ("state of the core", Use::Program, parts.state.0, parts.state.1),
        ("hot code and its data, to be copied", Use::Program, parts.end - parts.hot_bytes(), parts.hot_bytes()),
    ];
    let bytes = platform.sram.bytes;
    let end = core_b.map_or(bytes, |(area, _)| area.0);
    let free: Part = ("free", Use::Free, planned.free, end - planned.free);
    let second = core_b.map(|(area, image)| of_core_b(area.0, image, bytes));
    let all = image.into_iter().chain(planned.parts.iter().copied()).chain([free]);
    Memory::cover(bytes, all.chain(second.into_iter().flatten()))
}

/// The area of core B, which ends with the SRAM.
fn of_core_b(area: u32, image: &ImageParts, end: u32) -> [Part; 6] {
    [
        ("core B: request, reply, counts", Use::Program, area, keeper::IMAGE),
        ("core B: code", Use::Program, image.code.0, image.code.1),
        ("core B: read-only data", Use::Program, image.read_only.0, image.read_only.1),
        ("core B: state", Use::Program, image.state.0, image.state.1),
        ("core B: hot code and its data", Use::Program, image.end - image.hot_bytes(), image.hot_bytes()),
        ("core B: free", Use::Free, image.end, end - image.end),
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
    /// Whether something was published that the map can be compared with.
    pub fn has_published(&self) -> bool {
        self.comparison.iter().any(|row| !row.published.is_empty())
    }

    /// Used bytes of SRAM and scratchpad. Code and data that are in both count once.
    pub fn total_bytes(&self) -> u32 {
        self.comparison.last().map_or(0, |row| row.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PARTS: ImageParts = ImageParts {
        code: (0x400, 9000),
        read_only: (0x400 + 9000, 24),
        state: (0x400 + 9024, 0),
        hot_code: (0, 8000),
        hot_data: (8000, 136),
        static_bytes: (8192, 6720),
        scratchpad_bytes: 16_384,
        end: 0x400 + 9024 + 8136,
    };

    const NO_STACK: Stack = Stack { deepest_bytes: 0, room_bytes: 0, path: vec![] };

    const CACHED: Wanted = Wanted {
        lookup: Lookup::Cached(DEFAULT),
        key: KeyWidth::Bits64,
        post_queues: None,
        miss_service: MissService::KernelThread,
        image_nodes: NODES_USUAL,
        matching: Matching::Linear,
    };
    const STATIC: Wanted = Wanted { lookup: Lookup::Static, ..CACHED };
    const MATCHED: Wanted = Wanted {
        lookup: Lookup::Matched(MessagesOptions {
            mtu_bytes: 1500,
            collection_frames: 3,
            resend_us: 250,
            flow_control: None,
        }),
        ..CACHED
    };

    fn with(cache: Cache) -> Wanted {
        Wanted { lookup: Lookup::Cached(cache), ..CACHED }
    }

    fn of(platform: &str, wanted: Wanted) -> Result<Map> {
        let personality = match wanted.lookup {
            Lookup::Static => "vmmc",
            Lookup::Matched(_) => "emp",
            Lookup::MatchedCached(..) => "emp-mini",
            _ => "mini",
        };
        Map::of(
            personality::named(personality)?,
            platform,
            &Platform::load(platform).unwrap(),
            wanted,
            image(PARTS),
            None,
        )
    }

    fn image(parts: ImageParts) -> Image {
        Image { parts, stack: NO_STACK }
    }

    const DEFAULT: Cache = Cache { entries: 16_384, line_entries: 64, ways: 4 };

    #[test]
    fn the_window_shows_whole_banks_of_descriptors() {
        let map = of("tigon2", MATCHED).unwrap();
        let region = map.sram.regions.iter().find(|region| region.name == "descriptors").unwrap();
        assert_eq!((region.start % 2048, region.bytes), (0, 14_336));
    }

    #[test]
    fn regions_cover_the_memory_without_gap_or_overlap() {
        let keys = KeyWidth::ALL.map(|key| [Wanted { key, ..CACHED }, Wanted { key, ..STATIC }]).concat();
        let others = [
            Wanted { post_queues: Some(1), ..CACHED },
            Wanted { image_nodes: NODES_MAX, ..CACHED },
            Wanted { post_queues: Some(8), miss_service: MissService::Nic, ..CACHED },
            MATCHED,
        ];
        let all = [keys, others.to_vec()].concat();
        for (platform, wanted) in Platform::names().flat_map(|name| all.iter().map(move |wanted| (name, *wanted))) {
            let map = of(platform, wanted).unwrap();
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
        let map = of("tigon2", CACHED).unwrap();
        assert_eq!(map.sram.sum(Use::Vmh), 4 * 16_384 + 2 * 4 * 256 + 4 * 64);
        assert_eq!(map.sram.sum(Use::Buffers), 128 * 1520 + 2 * 16 * 64);
    }

    #[test]
    fn a_longer_key_takes_eight_bytes_of_each_buffer_and_slot_and_import() {
        let sums = |key| {
            let cached = of("lanai9", Wanted { key, ..CACHED }).unwrap();
            let fixed = of("lanai9", Wanted { key, ..STATIC }).unwrap();
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
        let large = of("lanai9", STATIC).unwrap();
        let uses = [Use::Vmh, Use::Cbh, Use::Imports];
        assert_eq!(uses.map(|r#use| kbytes(&large, r#use)), [264, 162, 8 * 64]);
        let holds = Holds { translations: 65_536, buffers: 6954, imports_of_each_process: 4096 };
        assert_eq!((large.holds, large.cache), (Some(holds), None));
        let small = of("tigon2", STATIC).unwrap();
        assert!(small.sram.sum(Use::Free) < 16 * 1024, "{}", small.sram.sum(Use::Free));
        assert!(small.holds.is_some_and(|holds| holds.translations > 8 * 1024 && holds.buffers > 1000));
    }

    #[test]
    fn a_cache_that_does_not_fit_is_refused_with_one_that_does() {
        let tigon2 = Platform::load("tigon2").unwrap();
        for entries in [131_072, 1 << 31] {
            let cache = Cache { entries, ..DEFAULT };
            let error = check(&with(cache), "tigon2", &tigon2).unwrap_err();
            assert_eq!(error.exit_status(), 2);
            assert!(error.to_string().contains("at most 32768 entries fit"), "{error}");
        }
        let large = with(Cache { entries: 131_072, ..DEFAULT });
        assert!(check(&large, "lanai9", &Platform::load("lanai9").unwrap()).is_ok());
    }

    #[test]
    fn queues_and_directories_take_what_the_firmware_gives_them() {
        let bytes = |wanted: Wanted, name: &str| {
            let map = of("lanai9", wanted).unwrap();
            map.sram.regions.iter().filter(|region| region.name == name).map(|region| region.bytes).sum::<u32>()
        };
        for (post_queues, count) in [(None, 2), (Some(1), 1), (Some(8), 8)] {
            assert_eq!(bytes(Wanted { post_queues, ..CACHED }, "post queues"), count * 4096);
        }
        let fetched = Wanted { miss_service: MissService::Nic, ..CACHED };
        assert_eq!([CACHED, fetched].map(|wanted| bytes(wanted, "directories of the host's tables")), [0, 8 * 4096]);
    }

    /// An image of core B, in the area of its duty.
    fn core_b(duty: Duty) -> ImageParts {
        let start = duty.area().0 + keeper::IMAGE;
        ImageParts {
            code: (start, 900),
            read_only: (start + 900, 0),
            state: (start + 900, 0),
            hot_code: (0, 500),
            hot_data: (500, 0),
            static_bytes: (500, 300),
            scratchpad_bytes: 8192,
            end: start + 1400,
        }
    }

    #[test]
    fn a_second_core_has_the_end_of_the_memory() {
        let mut platform = Platform::load("tigon2").unwrap();
        for (name, wanted) in [("mini", CACHED), ("emp", MATCHED)] {
            let free = |platform: &Platform, second: Option<ImageParts>| {
                let personality = personality::named(name).unwrap();
                let map = Map::of(personality, "tigon2", platform, wanted, image(PARTS), second.map(image)).unwrap();
                let last = *map.sram.regions.last().unwrap();
                assert_eq!(last.start + last.bytes, platform.sram.bytes);
                let free = map.sram.regions.iter().find(|region| region.name == "free").unwrap().bytes;
                (last.name, free, map.core_b.map(|core_b| core_b.scratchpad.bytes), map.limits)
            };
            let duty = wanted.duty();
            platform.core.count = 1;
            let (_, alone, none, _) = free(&platform, None);
            platform.core.count = 2;
            let (last, shared, scratchpad, limits) = free(&platform, Some(core_b(duty)));
            assert_eq!((last, shared, none, scratchpad), ("core B: free", alone - duty.area_bytes(), None, Some(8192)));
            // Static bytes, hot code and the deepest stack.
            let used: Vec<u32> = limits.iter().skip(1).map(|limit| limit.used_bytes).collect();
            assert_eq!(used, if name == "emp" { vec![8192 + 6720, 800] } else { vec![] });
        }
    }

    #[test]
    fn only_what_shapes_the_memory_may_be_set() {
        let refused = |personality, entry: &str| scenario(personality, &[entry.into()]).unwrap_err().to_string();
        let wanted = |personality, entry: &str| Wanted::of(&scenario(personality, &[entry.into()]).unwrap()).unwrap();
        assert_eq!(wanted("mini", "cache.ways=8"), with(Cache { ways: 8, ..DEFAULT }));
        assert_eq!(wanted("vmmc", "key_bits=128"), Wanted { key: KeyWidth::Bits128, ..STATIC });
        assert_eq!(wanted("mini", "nic.post_queues=5"), Wanted { post_queues: Some(5), ..CACHED });
        assert_eq!(wanted("mini", "misses.service=nic"), Wanted { miss_service: MissService::Nic, ..CACHED });
        assert_eq!(scenario("mini", &["cores=2".into()]).unwrap().cores, 2);
        assert!(refused("mini", "key_bits=96").contains("64 or 128"));
        assert_eq!(wanted("mini", "nodes=34"), Wanted { image_nodes: NODES_MAX, ..CACHED });
        assert!(refused("vmmc", "nodes=34").contains("2 to 16"));
        assert!(refused("mini", "link.latency_ns=2").contains("cache.entries"));
        assert!(refused("mini", "cache.size=2").contains("size"));
        assert!(refused("mini", "nic.post_queues=9").contains("1 to 8"));
        assert!(refused("vmmc", "cache.ways=8").contains("has no cache"));
        assert!(refused("emp", "emp.scheme=sr").contains("cores = 2"));
        let pair = scenario("emp", &["cores=2".into(), "emp.scheme=sr".into()]).unwrap();
        assert_eq!(pair.scheme(2), Some(crate::scenario::Scheme::Sr));
    }

    proptest! {
        #[test]
        fn what_the_check_allows_has_a_map(log2 in 3u32..32, line_log2 in 3u32..8, ways_log2 in 1u32..4) {
            let cache = Cache { entries: 1 << log2, line_entries: 1 << line_log2, ways: 1 << ways_log2 };
            for name in Platform::names() {
                let platform = Platform::load(name).unwrap();
                // An image takes less than the step from one power of two to the next, so nearly
                // all agree.
                if check(&with(cache), name, &platform).is_ok() {
                    if let Ok(map) = of(name, with(cache)) {
                        let sum: u32 = map.sram.regions.iter().map(|region| region.bytes).sum();
                        prop_assert_eq!(sum, platform.sram.bytes);
                    }
                }
            }
        }
    }
}
