//! The machine, the caches and the runs that the experiments on miNI have in common.

use nic_layout::vmh::VmhGeometry;
use nicscope_run::run::{RunConfig, DEFAULT_SEED};
use nicscope_scenario::error::Result;
use nicscope_scenario::personality;
use nicscope_scenario::scenario::{self, Cache, Scenario};

/// The machine of the thesis (MN-2).
pub const PLATFORM: &str = "lanai9";

/// The firmware whose misses are measured.
pub const PERSONALITY: &str = "mini";

/// The two firmwares that the thesis compares: with caches, and its base with static tables.
pub const COMPARED: [&str; 2] = [PERSONALITY, "vmmc"];

/// The cache that the thesis recommends.
pub const CACHE: Cache = Cache {
    entries: VmhGeometry::RECOMMENDED.entries,
    line_entries: VmhGeometry::RECOMMENDED.line_entries,
    ways: VmhGeometry::RECOMMENDED.ways,
};

/// A scenario on the thesis's machine, with its caches.
pub fn scenario(name: &str, personality: &str) -> Result<Scenario> {
    let mut scenario = scenario::load(name, &[])?;
    scenario.platforms = vec![PLATFORM.into()];
    scenario.personality = personality::named(personality)?;
    scenario.cache = CACHE;
    Ok(scenario)
}

/// A run on one thread: several go at a time.
pub fn on_one_thread(scenario: Scenario) -> RunConfig {
    RunConfig { scenario, seed: DEFAULT_SEED, threads: 1, firmware: None }
}
