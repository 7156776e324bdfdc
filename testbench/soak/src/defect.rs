//! A defect of firmware or driver, and the end of a run with it.

use host_model::driver::DriverPlant;
use nic_layout::plant::Plant;
use nicscope_scenario::error::Statement;
use serde::{Deserialize, Serialize};
use sim_pins::Ps;

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
    /// The numbers of other invariants, which may find it first: the drawn cases decide.
    pub or: &'static [u8],
    /// The NIC may not answer a command of the driver first: an error without a number.
    pub or_silence: bool,
    /// The workload that shows the defect.
    pub workload: Workload,
}

/// What the nodes do until a defect shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Processes evict each other's lines from small caches, make posts that must be refused, and
    /// withdraw buffers that others use. The kernel thread serves the misses.
    Caches,
    /// The same with a NIC that fetches translations.
    FetchingCaches,
    /// The same with static tables. No line is evicted; processes release imports of outstanding
    /// posts instead.
    StaticTables,
    /// A frame of a NIC arrives after the NIC was reset.
    LateFrame,
    /// Random lists of operations in the language of the personality.
    Lists,
    /// The same on NICs whose two cores share the parts of the firmware.
    ListsOnTwoCores,
}

impl Workload {
    /// Whether random lists are played, which draw nodes of their own.
    pub fn has_lists(self) -> bool {
        matches!(self, Workload::Lists | Workload::ListsOnTwoCores)
    }
}

impl Defect {
    /// A defect of the firmware.
    pub const fn of_firmware(plant: Plant, invariant: u8, workload: Workload) -> Defect {
        Defect { name: plant.name(), place: Place::Firmware(plant), invariant, or: &[], or_silence: false, workload }
    }

    /// A defect of the driver.
    pub const fn of_driver(name: &'static str, plant: DriverPlant, invariant: u8, workload: Workload) -> Defect {
        Defect { name, place: Place::Driver(plant), invariant, or: &[], or_silence: false, workload }
    }

    /// The same defect, which one of other invariants may find first.
    pub const fn or(self, invariants: &'static [u8]) -> Defect {
        Defect { or: invariants, ..self }
    }

    /// The same defect, with which the NIC may not answer a command of the driver.
    pub const fn or_silence(self) -> Defect {
        Defect { or_silence: true, ..self }
    }

    /// Whether a violation of this invariant finds the defect. `None`: it has no number.
    pub fn is_found_by(&self, invariant: Option<u8>) -> bool {
        match invariant {
            Some(number) => number == self.invariant || self.or.contains(&number),
            None => self.or_silence,
        }
    }
}

/// A random list of operations, by what draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    /// The seed of all lists of a run.
    pub seed: u64,
    /// The number of the list, from 0 on.
    pub list: u64,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The first violation; `None` if no check found one.
    pub found: Option<Found>,
    /// Simulated time at the end of the run.
    pub at: Ps,
    /// Lookups that the monitors followed.
    pub lookups: u64,
    /// The list that showed the violation; `None` if none did, or the workload has no lists.
    pub list: Option<Drawn>,
}

/// A violation.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The number of the broken invariant; `None` for a violation without a number.
    pub invariant: Option<u8>,
    /// The text of the error.
    pub what: String,
}

impl Found {
    /// A violation of a statement; `None` for a violation without a number.
    pub fn new(statement: Option<Statement>, what: String) -> Found {
        let invariant = match statement {
            Some(Statement::Invariant(number)) => Some(number),
            _ => None,
        };
        Found { invariant, what }
    }
}
