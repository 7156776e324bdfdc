//! Tables and figures of the thesis on miNI.

mod buffer_misses;
mod costs;
mod curves;
mod head_of_line;
mod lookup;
mod memory;
mod miss_times;
mod misses;
mod ping_pong;
mod queues;
mod retransmit;
mod services;
mod traces;

use nic_layout::vmh::VmhGeometry;

use super::Experiment;
use nicscope_run::run::RunConfig;
use nicscope_run::run::DEFAULT_SEED;
use nicscope_scenario::error::Result;
use nicscope_scenario::personality;
use nicscope_scenario::scenario::{self, Cache, Scenario};

/// The machine of the thesis (MN-2).
const PLATFORM: &str = "lanai9";

/// The firmware whose misses are measured.
const PERSONALITY: &str = "mini";

/// The two firmwares that the thesis compares: with caches, and its base with static tables.
pub const COMPARED: [&str; 2] = [PERSONALITY, "vmmc"];

/// The cache that the thesis recommends.
const CACHE: Cache = Cache {
    entries: VmhGeometry::RECOMMENDED.entries,
    line_entries: VmhGeometry::RECOMMENDED.line_entries,
    ways: VmhGeometry::RECOMMENDED.ways,
};

/// A scenario on the thesis's machine, with its caches.
fn scenario(name: &str, personality: &str) -> Result<Scenario> {
    let mut scenario = scenario::load(name, &[])?;
    scenario.platforms = vec![PLATFORM.into()];
    scenario.personality = personality::named(personality)?;
    scenario.cache = CACHE;
    Ok(scenario)
}

/// A run on one thread: several go at a time.
fn on_one_thread(scenario: Scenario) -> RunConfig {
    RunConfig { scenario, seed: DEFAULT_SEED, threads: 1, firmware: None }
}

/// All of them, in the order in which they are shown.
pub const EXPERIMENTS: [Experiment; 11] = [
    memory::TABLE_1_1,
    costs::TABLE_4_2,
    misses::FIGURE_4_1,
    buffer_misses::FIGURE_4_4,
    traces::FIGURE_4_2,
    miss_times::TABLES_4_6_4_7,
    retransmit::INTERVAL,
    head_of_line::HEAD_OF_LINE,
    services::SERVICES,
    lookup::CYCLES,
    queues::QUEUES,
];
