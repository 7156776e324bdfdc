//! Defects that are planted in the firmware or the driver, one at a time, and the invariants that
//! find them.
//!
//! Every defect gets the same workload. On two nodes, processes evict each other's lines from small
//! caches, make posts that must be refused, and withdraw buffers that others use. With static
//! tables no line is evicted; processes release imports of outstanding posts instead. Only the
//! monitor, the bus and the driver check the run. It ends at the first violation that they find.

use std::collections::VecDeque;
use std::sync::Arc;

use host_model::address::{NodeId, UserVirt};
use host_model::driver::{DriverOptions, DriverPlant, MissService};
use host_model::library::{Access, Export, Process};
use host_model::platform::Platform;
use nic_layout::plant::Plant;
use nic_layout::vmh::VmhGeometry;
use nicscope_run::assembly::{self, Assembly};
use nicscope_run::meeting::Meeting;
use nicscope_run::node::{error_of, Handle};
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use nicscope_scenario::image;
use nicscope_scenario::personality::{Lookup, Personality, PERSONALITIES};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_fabric::Ending;
use sim_pins::Ps;

use crate::personality;

/// The place of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The firmware, which is built with the defect.
    Firmware(Plant),
    /// The driver of the host model.
    Driver(DriverPlant),
}

/// A defect, and the invariant that must find it.
#[derive(Clone, Copy, Debug)]
pub struct Defect {
    /// The name in reports.
    pub name: &'static str,
    /// The part of the node that has the defect.
    pub place: Place,
    /// The number of the invariant (docs/properties.md).
    pub invariant: u8,
    /// The nodes on which the defect shows.
    pub setting: Setting,
}

/// The kind of nodes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Caches, whose misses the kernel thread serves.
    Caches,
    /// Caches of a NIC that fetches translations.
    FetchingCaches,
    /// Static tables, whose lookups never miss.
    StaticTables,
}

impl Setting {
    /// All settings.
    pub const ALL: [Setting; 3] = [Setting::Caches, Setting::FetchingCaches, Setting::StaticTables];

    /// The first personality that looks handles up in this way.
    ///
    /// # Panics
    /// If there is no such personality.
    pub fn personality(self) -> &'static Personality {
        let lookup = match self {
            Setting::Caches | Setting::FetchingCaches => Lookup::Cached,
            Setting::StaticTables => Lookup::Static,
        };
        PERSONALITIES
            .into_iter()
            .find(|personality| personality.lookup == lookup)
            .expect("a personality with such tables")
    }

    fn options(self, options: DriverOptions) -> DriverOptions {
        match self {
            Setting::Caches | Setting::StaticTables => options,
            // With a queue for each process, pages of one process are unpinned while the NIC
            // fetches lines of others.
            Setting::FetchingCaches => {
                DriverOptions { miss_service: MissService::Nic, post_queues: Some(PROCESSES as u32), ..options }
            }
        }
    }
}

const fn of_firmware(plant: Plant, invariant: u8) -> Defect {
    Defect { name: plant.name(), place: Place::Firmware(plant), invariant, setting: Setting::Caches }
}

const fn of_driver(name: &'static str, plant: DriverPlant, invariant: u8) -> Defect {
    Defect { name, place: Place::Driver(plant), invariant, setting: Setting::Caches }
}

const fn of_static_tables(plant: Plant, invariant: u8) -> Defect {
    Defect { setting: Setting::StaticTables, ..of_firmware(plant, invariant) }
}

/// All defects.
pub const DEFECTS: [Defect; 21] = [
    of_firmware(Plant::StaleBuffer, 19),
    of_firmware(Plant::StaleLine, 19),
    of_firmware(Plant::SecondMiss, 18),
    of_firmware(Plant::LockedVictim, 15),
    of_firmware(Plant::VictimOffByOne, 14),
    of_firmware(Plant::DuplicateTag, 13),
    of_firmware(Plant::UncheckedKey, 21),
    of_firmware(Plant::LostWakeUp, 10),
    of_firmware(Plant::AcknowledgedMiss, 29),
    of_firmware(Plant::EarlyUnlock, 21),
    of_firmware(Plant::BusyQueue, 39),
    of_driver("keep-queue", DriverPlant::KeepQueue, 39),
    of_driver("unpin-cached", DriverPlant::UnpinCached, 17),
    of_driver("reserve-leak", DriverPlant::ReserveLeak, 16),
    Defect { setting: Setting::FetchingCaches, ..of_firmware(Plant::StaleFetch, 19) },
    of_static_tables(Plant::StaleBuffer, 19),
    of_static_tables(Plant::UncheckedKey, 21),
    of_static_tables(Plant::EarlyUnlock, 21),
    of_static_tables(Plant::StaleImport, 19),
    of_static_tables(Plant::UncheckedBound, 22),
    of_static_tables(Plant::OtherProcess, 21),
];

/// The end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The first violation; `None` if no check found one.
    pub found: Option<Found>,
    /// Simulated time at the end of the run.
    pub at: Ps,
    /// Lookups that the monitors followed.
    pub lookups: u64,
}

/// A violation.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The number of the broken invariant; `None` for a violation without a number.
    pub invariant: Option<u8>,
    /// The text of the error.
    pub what: String,
}

/// Few lines and two ways, so processes with the same addresses evict each other's lines.
const GEOMETRY: VmhGeometry = VmhGeometry { entries: 1024, line_entries: 32, ways: 2 };
/// Nodes of a run, on a cable.
const NODES: usize = 2;
const PLATFORM: &str = "tigon2";
const LATENCY: Ps = Ps::from_ns(400);
/// The simulated time after which a run counts as hung: several times the time of the workload.
const WATCHDOG: Ps = Ps::from_us(100_000);
const PROCESSES: usize = 4;
const ROUNDS: u32 = 40;
const OUTSTANDING: usize = 3;
const AREA_PAGES: u32 = 96;
const AREA_BYTES: u32 = AREA_PAGES * 4096;
const MESSAGE_BYTES_MAX: u32 = 6000;
/// High water mark: fewer pages than a process uses, so that pages are unpinned.
const PINNED_PAGES_HIGH: u32 = 64;
const PINNED_PAGES_LOW: u32 = 40;
/// The round in which each process withdraws one of its buffers.
const WITHDRAWAL: u32 = ROUNDS / 3;

/// Runs, each with another seed, after which a defect counts as not found. Some defects show only
/// in a race that not every run meets.
const RUNS: usize = 4;

/// Runs the workload with a defect until it is found, at most four times. The seeds of the runs
/// follow `seed`.
///
/// # Errors
/// The firmware does not build, or the nodes cannot be built.
pub fn run(defect: &Defect, seed: u64, threads: usize) -> Result<Outcome> {
    let mut outcome = run_on(defect.setting, Some(defect), seed, threads)?;
    for seed in (seed..).take(RUNS).skip(1) {
        if outcome.found.is_none() {
            outcome = run_on(defect.setting, Some(defect), seed, threads)?;
        }
    }
    Ok(outcome)
}

/// Runs the workload once without a defect.
///
/// # Errors
/// As [`run`].
pub fn run_sound(setting: Setting, seed: u64, threads: usize) -> Result<Outcome> {
    run_on(setting, None, seed, threads)
}

fn run_on(setting: Setting, defect: Option<&Defect>, seed: u64, threads: usize) -> Result<Outcome> {
    let personality = setting.personality().name;
    let mut platform = Platform::load(PLATFORM).map_err(|error| failed!("{error}"))?;
    platform.host.pinned_pages_high = PINNED_PAGES_HIGH;
    platform.host.pinned_pages_low = PINNED_PAGES_LOW;
    let firmware = Arc::new(match defect.map(|defect| defect.place) {
        Some(Place::Firmware(plant)) => image::planted(personality, GEOMETRY, plant)?,
        _ => image::read(&image::build(personality, GEOMETRY)?, &platform)?,
    });
    let plant = defect.and_then(|defect| match defect.place {
        Place::Driver(plant) => Some(plant),
        Place::Firmware(_) => None,
    });
    let member = |index| {
        let driver = DriverOptions { plant, ..DriverOptions::new(NodeId(index as u16), NODES as u32, seed) };
        let firmware = firmware.clone();
        assembly::Member::new(setting.options(driver), move |handle, meeting| {
            whole(setting, index, handle, meeting, firmware, seed)
        })
    };
    let assembly = Assembly::cable(&platform, LATENCY, seed, threads, WATCHDOG);
    let run = assembly.run((0..NODES).map(member).collect())?;
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
    let found = error.map(|error| Found {
        invariant: match error.statement() {
            Some(Statement::Invariant(number)) => Some(number),
            _ => None,
        },
        what: error.to_string(),
    });
    Ok(Outcome { found, at, lookups })
}

/// The two buffers of each process: the first stays, and the second is withdrawn.
type Exports = Vec<[Export; 2]>;

async fn whole(
    setting: Setting,
    node: usize,
    handle: Handle,
    meeting: Meeting<Exports>,
    firmware: Arc<Vec<u8>>,
    seed: u64,
) -> Result<()> {
    handle.boot(&firmware).await.map_err(wrong)?;
    let (mut members, mut exports) = (Vec::new(), Vec::new());
    for _ in 0..PROCESSES {
        let process = handle.open("process").await.map_err(wrong)?;
        let area = process.alloc(AREA_BYTES).map_err(wrong)?;
        let own = [
            process.export_as(area, AREA_BYTES, Access::BOTH).await.map_err(wrong)?,
            process.export_as(area, AREA_BYTES, Access::BOTH).await.map_err(wrong)?,
        ];
        exports.push(own);
        members.push((process, area, own[1]));
    }
    let all = meeting.exchange("exports", exports).await;
    let theirs = Arc::new(all[(node + 1) % NODES].clone());
    let tasks: Vec<_> = members
        .into_iter()
        .enumerate()
        .map(|(n, (process, area, temporary))| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream((node * PROCESSES + n) as u64);
            let member =
                Member { setting, handle: handle.clone(), process, area, temporary, theirs: theirs.clone(), random };
            let work = async move {
                match setting {
                    Setting::Caches | Setting::FetchingCaches => member.work().await,
                    Setting::StaticTables => member.work_with_imports().await,
                }
            };
            handle.sim().spawn("process", work)
        })
        .collect();
    for task in tasks {
        task.await?;
    }
    meeting.exchange("done", Vec::new()).await;
    handle.sim().sleep_for(Ps::from_us(500)).await;
    Ok(())
}

struct Member {
    setting: Setting,
    handle: Handle,
    process: Process,
    area: UserVirt,
    temporary: Export,
    theirs: Arc<Exports>,
    random: ChaCha8Rng,
}

impl Member {
    fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.random.next_u32()) * u64::from(limit)) >> 32) as u32
    }

    /// Posts, withdraws and invalidates. The ends of posts are not checked, because many posts must
    /// be refused.
    async fn work(mut self) -> Result<()> {
        self.process.set_pio_bytes_max(0);
        let mut posted = VecDeque::new();
        for round in 0..ROUNDS {
            if posted.len() == OUTSTANDING {
                let oldest = posted.pop_front().expect("as many as that");
                let _refused = self.process.wait(oldest).await;
            }
            if round == WITHDRAWAL {
                let temporary = self.temporary;
                self.process.withdraw(&temporary).await.map_err(wrong)?;
            }
            let bytes = 1 + self.below(MESSAGE_BYTES_MAX);
            let (own, offset) = (self.below(AREA_BYTES - bytes), self.below(AREA_BYTES - bytes));
            let own = UserVirt(self.area.0 + own);
            let to = self.theirs[self.random.next_u32() as usize % PROCESSES];
            let (stays, goes) = (to[0], to[1]);
            let handle = match self.below(8) {
                0 => self.process.read(&stays, offset, bytes, own, round).await,
                1 => self.process.read(&with_wrong_key(&stays), offset, bytes, own, round).await,
                2 => self.process.write(own, bytes, &unknown(&stays), offset, round).await,
                3 | 4 => self.process.write(own, bytes, &goes, offset, round).await,
                5 => {
                    let cpu = self.process.cpu().clone();
                    let invalidate = personality::of(self.setting.personality()).invalidate;
                    invalidate(self.handle.driver(), &cpu, self.process.pid(), own).await.map_err(wrong)?;
                    self.process.write(own, bytes, &stays, offset, round).await
                }
                _ => self.process.write(own, bytes, &stays, offset, round).await,
            };
            posted.push_back(handle.map_err(wrong)?);
        }
        for handle in posted {
            let _refused = self.process.wait(handle).await;
        }
        Ok(())
    }

    /// As [`Member::work`], with posts that name imports and registered memory.
    async fn work_with_imports(mut self) -> Result<()> {
        self.process.set_pio_bytes_max(0);
        self.process.register(self.area, AREA_BYTES).await.map_err(wrong)?;
        let theirs = self.theirs.clone();
        for [stays, goes] in theirs.iter() {
            for export in [*stays, *goes, with_wrong_key(stays), unknown(stays)] {
                self.process.import(&export).await.map_err(wrong)?;
            }
        }
        let mut posted = VecDeque::new();
        for round in 0..ROUNDS {
            while posted.len() >= OUTSTANDING {
                let oldest = posted.pop_front().expect("as many as that");
                let _refused = self.process.wait(oldest).await;
            }
            if round == WITHDRAWAL {
                let temporary = self.temporary;
                self.process.withdraw(&temporary).await.map_err(wrong)?;
            }
            let bytes = 1 + self.below(MESSAGE_BYTES_MAX);
            let (own, offset) = (self.below(AREA_BYTES - bytes), self.below(AREA_BYTES - bytes));
            let own = UserVirt(self.area.0 + own);
            let [stays, goes] = theirs[self.random.next_u32() as usize % PROCESSES];
            // The message number tells the posts of a node apart.
            let message = round + ROUNDS * self.process.pid().0;
            let handle = match self.below(8) {
                0 => self.process.read(&stays, offset, bytes, own, message).await,
                1 => self.process.read(&with_wrong_key(&stays), offset, bytes, own, message).await,
                2 => self.process.write(own, bytes, &unknown(&stays), offset, message).await,
                3 => self.process.write(own, bytes, &stays, AREA_BYTES - bytes / 2, message).await,
                4 => self.process.write(own, bytes, &goes, offset, message).await,
                5 => {
                    // The import is released although posts that name it are outstanding. The NIC
                    // must refuse those that it has not fetched.
                    for _ in 1..OUTSTANDING {
                        let handle = self.process.write(own, bytes, &stays, offset, message).await;
                        posted.push_back(handle.map_err(wrong)?);
                    }
                    let handle = self.process.write(own, bytes, &stays, offset, message).await;
                    self.process.release_import(&stays).await.map_err(wrong)?;
                    self.process.import(&stays).await.map_err(wrong)?;
                    handle
                }
                _ => self.process.write(own, bytes, &stays, offset, message).await,
            };
            posted.push_back(handle.map_err(wrong)?);
        }
        for handle in posted {
            let _refused = self.process.wait(handle).await;
        }
        Ok(())
    }
}

/// The same buffer with a wrong key.
fn with_wrong_key(export: &Export) -> Export {
    Export { key: [export.key[0], !export.key[1], 0, 0], ..*export }
}

/// A buffer that never existed.
fn unknown(export: &Export) -> Export {
    Export { buffer: export.buffer + 100, ..*export }
}

fn wrong<E: std::fmt::Display>(error: E) -> nicscope_scenario::error::Error {
    failed!("{error}")
}
