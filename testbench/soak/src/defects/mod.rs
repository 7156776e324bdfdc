//! Defects that are planted in the firmware or the driver, one at a time, and the invariants that
//! find them.
//!
//! The table of personalities says which defects each personality has, and the workload that shows
//! each ([`Workload`]). Only the monitor, the bus and the driver check the run; lists of operations
//! are also compared. The run ends at the first violation.

mod hostile;
mod job;
mod late_frame;
pub mod recorded;

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

use host_model::address::NodeId;
use host_model::driver::{DriverOptions, MissService};
use host_model::platform::Platform;
use nic_layout::vmh::VmhGeometry;
use nicscope_run::assembly::{self, Assembly};
use nicscope_run::node::error_of;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::failed;
use nicscope_scenario::image;
use nicscope_scenario::personality::Personality as InScenarios;
use sim_fabric::Ending;
use sim_pins::Ps;

use crate::campaign::FIND_CASES;
use crate::case::Nodes;
use crate::clusters;
use crate::defect::{Defect, Drawn, Found, Outcome, Place, Workload};
use crate::personality;
use crate::random::Random;

use job::{wrong, Job};

/// The settings of a driver for a workload.
fn settings(workload: Workload, options: DriverOptions) -> DriverOptions {
    match workload {
        Workload::Caches | Workload::StaticTables | Workload::LateFrame => options,
        Workload::Lists | Workload::ListsOnTwoCores => options,
        // With a queue for each process, pages of one process are unpinned while the NIC
        // fetches lines of others.
        Workload::FetchingCaches => {
            DriverOptions { miss_service: MissService::Nic, post_queues: Some(hostile::PROCESSES as u32), ..options }
        }
    }
}

/// The defects of a personality.
pub fn of(personality: &InScenarios) -> &'static [Defect] {
    personality::of(personality).defects
}

/// The topology that a seed draws: 2 to [`crate::case::NODES_MAX`] nodes, on a cable or behind
/// switches.
pub fn drawn_nodes(seed: u64) -> Nodes {
    let mut random = Random::new(seed, 0);
    let cluster = clusters::cluster(&mut random);
    clusters::cluster_of_nodes(cluster, &mut random).topology
}

/// Few lines and two ways, so processes with the same addresses evict each other's lines.
const GEOMETRY: VmhGeometry = VmhGeometry { entries: 1024, line_entries: 32, ways: 2 };
const PLATFORM: &str = "tigon2";
const LATENCY: Ps = Ps::from_ns(400);
/// The simulated time after which a run counts as hung: several times the time of the workload.
const WATCHDOG: Ps = Ps::from_us(100_000);
/// High water mark: fewer pages than a process uses, so that pages are unpinned.
const PINNED_PAGES_HIGH: u32 = 64;
const PINNED_PAGES_LOW: u32 = 40;

/// Runs, each with another seed, after which a defect counts as not found. Some defects show only
/// in a race that not every run meets.
const RUNS: usize = 4;

/// The nodes of a run.
#[derive(Clone, Copy, Debug)]
pub struct Bench {
    /// The personality of all NICs.
    pub personality: &'static InScenarios,
    /// The number of nodes, and what joins them. [`Workload::Lists`] draws its own.
    pub nodes: Nodes,
    /// The seed of the first run.
    pub seed: u64,
    /// Threads that simulate; results do not depend on them.
    pub threads: usize,
}

impl Bench {
    /// Runs the workload with a defect until the defect is found, at most four times. The seeds of
    /// the runs follow [`Bench::seed`].
    ///
    /// # Errors
    /// The firmware does not build, or the nodes cannot be built.
    pub fn run(self, defect: &Defect) -> Result<Outcome> {
        let mut outcome = self.run_on(defect.workload, Some(defect), 0..FIND_CASES)?;
        for seed in (self.seed..).take(RUNS).skip(1) {
            if outcome.found.is_none() {
                outcome = Bench { seed, ..self }.run_on(defect.workload, Some(defect), 0..FIND_CASES)?;
            }
        }
        Ok(outcome)
    }

    /// Plays one list with a defect, which has shown the defect before. Most lists show none, so
    /// this takes a fraction of the time of [`Bench::run`]. Where the list shows nothing any more,
    /// because firmware or lists have changed since, the rest is as [`Bench::run`].
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn run_from(self, defect: &Defect, Drawn { seed, list }: Drawn) -> Result<Outcome> {
        let bench = Bench { seed, ..self };
        match bench.run_on(defect.workload, Some(defect), list..list + 1)? {
            outcome if outcome.found.is_some() => Ok(outcome),
            _ => self.run(defect),
        }
    }

    /// Runs a workload once without a defect: `cases` lists if it has lists.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn run_sound(self, workload: Workload, cases: u64) -> Result<Outcome> {
        self.run_on(workload, None, 0..cases)
    }

    fn run_on(self, workload: Workload, defect: Option<&Defect>, lists: Range<u64>) -> Result<Outcome> {
        let (in_firmware, in_driver) = match defect.map(|defect| defect.place) {
            Some(Place::Firmware(plant)) => (Some(plant), None),
            Some(Place::Driver(plant)) => (None, Some(plant)),
            None => (None, None),
        };
        let Bench { personality: in_scenarios, nodes: Nodes { nodes, .. }, seed, threads } = self;
        let personality = personality::of(in_scenarios);
        if workload.has_lists() {
            return personality.language.find(in_scenarios, workload, in_firmware, seed, lists);
        }
        let mut platform = Platform::load(PLATFORM).map_err(|error| failed!("{error}"))?;
        platform.host.pinned_pages_high = PINNED_PAGES_HIGH;
        platform.host.pinned_pages_low = PINNED_PAGES_LOW;
        let firmware = Arc::new(match in_firmware {
            Some(plant) => image::planted(personality.name, GEOMETRY, plant)?,
            None => image::read(&image::build(personality.name, GEOMETRY)?, &platform)?,
        });
        let member = |node| {
            let driver =
                DriverOptions { plant: in_driver, ..DriverOptions::new(NodeId(node as u16), nodes as u32, seed) };
            let firmware = firmware.clone();
            let task =
                move |handle, meeting| whole(Job { workload, personality, node, handle, meeting, seed }, firmware);
            assembly::Member::new(settings(workload, driver), task)
        };
        let topology = self.nodes.of_fabric();
        let mut assembly = Assembly { topology, ..Assembly::cable(&platform, LATENCY, seed, threads, WATCHDOG) };
        if workload == Workload::LateFrame {
            assembly.direction = &late_frame::direction;
        }
        let run = assembly.run((0..nodes).map(member).collect())?;
        let nodes = run.nodes;
        let lookups = nodes.iter().map(|node| node.seen.map_or(0, |seen| seen.lookups.iter().sum())).sum();
        let at_end = || {
            let violation = nodes.iter().find_map(|node| node.violation.as_ref()).map(error_of);
            violation.or_else(|| nodes.iter().flat_map(|node| node.faults.iter().cloned()).next().map(Error::Failed))
        };
        let (at, error) = match run.ending {
            Ending::AllFinished { at } | Ending::Interrupted { at } => (at, at_end()),
            Ending::TimeIsUp { at } => (at, Some(at_end().unwrap_or_else(|| failed!("the workload did not end")))),
            Ending::Failed { at, error, .. } => (at, Some(error)),
        };
        let found = error.map(|error| Found::new(error.statement(), error.to_string()));
        Ok(Outcome { found, at, lookups, list: None })
    }
}

async fn whole(job: Job, firmware: Arc<Vec<u8>>) -> Result<()> {
    job.handle.boot(&firmware).await.map_err(wrong)?;
    let (handle, meeting) = (job.handle.clone(), job.meeting.clone());
    let work: Pin<Box<dyn Future<Output = Result<()>>>> = match job.workload {
        Workload::LateFrame => Box::pin(late_frame::play(job)),
        _ => Box::pin(hostile::play(job)),
    };
    work.await?;
    meeting.exchange("done", Vec::new()).await;
    handle.sim().sleep_for(Ps::from_us(500)).await;
    Ok(())
}
