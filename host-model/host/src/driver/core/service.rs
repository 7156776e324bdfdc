//! A personality's part of the driver: what the core of the driver does not know.
//!
//! The core enumerates, boots, takes interrupts, sends commands, and has processes, pins and post
//! queues. Everything else is the service's: what the firmware looks up and where, what the NIC may
//! ask for, and what a process has to say before it posts. The boot reply names the personality;
//! [`ServiceEntry`] says which service belongs to it.

use std::any::Any;
use std::rc::Rc;

use async_trait::async_trait;
use nic_layout::boot::{SectionsWriter, REQUEST_WORDS};
use nic_layout::counter::Set;
use sim_pins::Ps;

use super::commands::Commands;
use super::context::Context;
use super::device::Device;
use super::error::DriverError;
use super::layout::Reply;
use super::options::DriverOptions;
use super::pins::{Pins, WaterMarks};
use crate::address::Pid;
use crate::driver::rdma::RdmaService;
use crate::platform::Platform;
use crate::processor::Cpu;

/// Adds to a request the section of the firmware that a service belongs to, if the options of the
/// run have something to say of it.
pub type AddRequest = fn(&Platform, &DriverOptions, &mut SectionsWriter<REQUEST_WORDS>);

/// The core of the driver, as services use it. Clones are the same.
#[derive(Clone)]
pub struct Core {
    /// Machine, NIC, options and counters.
    pub context: Rc<Context>,
    /// The way of commands to the firmware.
    pub commands: Rc<Commands>,
    /// Which pages are pinned.
    pub pins: Rc<Pins>,
}

/// How the NIC finds what it has of a process.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Places {
    /// By the process's number. Any number of processes share the post queues.
    #[default]
    Shared,
    /// Its tables by the number modulo the slots of the NIC, so there is one process for each slot.
    /// Post queues are shared.
    TablesBySlot,
    /// Its tables and its post queue, which it keeps for its life.
    AllBySlot,
}

/// A cause of an interrupt, as the handler hands it to the service.
pub struct Interrupt<'a> {
    /// The handler's processor time.
    pub cpu: &'a Cpu,
    /// The NIC, for reads and writes that the handler makes.
    pub device: &'a Device,
    /// Number of the cause's bit.
    pub cause: usize,
    /// When the interrupt was taken: INTA# was asserted, or still stood after the last handler.
    pub asserted_at: Ps,
    /// When the first instruction of the handler ran.
    pub handler_at: Ps,
}

/// A service as a value of its own type, for callers that know the personality. Every type has
/// this.
pub trait AsAny: Any {
    /// The same service.
    fn as_any(self: Rc<Self>) -> Rc<dyn Any>;
}

impl<T: Any> AsAny for T {
    fn as_any(self: Rc<T>) -> Rc<dyn Any> {
        self
    }
}

/// The service of one personality. It has its own state, and the core knows it by this alone.
#[async_trait(?Send)]
pub trait Service: AsAny {
    /// How the NIC finds its tables and its post queue of a process.
    fn places(&self) -> Places {
        Places::Shared
    }

    /// Processes that may have the NIC open at a time, if the personality has a limit of its own.
    fn processes_max(&self) -> usize {
        usize::MAX
    }

    /// Interrupt causes that it serves, a bit each.
    fn causes(&self) -> u32 {
        0
    }

    /// Starts its tasks. Interrupts are enabled afterwards.
    fn start(self: Rc<Self>) {}

    /// In the interrupt handler, with one of [`Self::causes`], which is cleared.
    async fn interrupt(&self, _interrupt: &Interrupt<'_>) -> Result<(), DriverError> {
        Ok(())
    }

    /// A process has the NIC open.
    fn open(&self, _pid: Pid) {}

    /// The process has memory, pins and a status page: tells the NIC of it.
    async fn admit(&self, _cpu: &Cpu, _pid: Pid) -> Result<(), DriverError> {
        Ok(())
    }

    /// A process ends: the NIC begins nothing new with what it has of the process. The fence that
    /// follows waits for what was begun.
    async fn hide(&self, _cpu: &Cpu, _pid: Pid) -> Result<(), DriverError> {
        Ok(())
    }

    /// What was begun has ended: takes back all that the NIC has of the process. Its pages are
    /// unpinned afterwards.
    async fn close(&self, _cpu: &Cpu, _pid: Pid) -> Result<(), DriverError> {
        Ok(())
    }

    /// The NIC was reset: unpins what is pinned for the driver itself on behalf of a process.
    fn end(&self, _pid: Pid) {}

    /// The NIC was reset: unpins what is pinned for the driver itself, on behalf of no process.
    fn unpin_own(&self) {}

    /// Gives a process water marks of its own (facts M-26), and unpins down to them.
    async fn set_water_marks(&self, _cpu: &Cpu, _pid: Pid, _marks: WaterMarks) -> Result<(), DriverError> {
        Err(DriverError::NoWaterMarks)
    }

    /// What the NIC has asked for and the driver has not served.
    fn outstanding(&self) -> u32 {
        0
    }

    /// Pages that are pinned for the driver itself.
    fn own_pins(&self) -> usize {
        0
    }

    /// Counts that do not add up (INV-38), in words.
    fn unbalanced(&self) -> Vec<String> {
        Vec::new()
    }

    /// Buffers and imports, of a personality that has them.
    fn rdma(self: Rc<Self>) -> Option<Rc<dyn RdmaService>> {
        None
    }
}

/// Makes a service from what the firmware has answered.
pub type MakeService = fn(&Core, &Reply) -> Result<Rc<dyn Service>, DriverError>;

/// Which service belongs to a personality.
#[derive(Clone, Copy, Debug)]
pub struct ServiceEntry {
    /// The number in the boot reply (`nic_layout::boot::ReplyState::personality`).
    pub personality: u32,
    /// What the firmware counts.
    pub counters: &'static [&'static Set],
    /// Offers the firmware its section of the boot request, if it has one.
    pub request: Option<AddRequest>,
    /// Makes the service once the firmware has answered.
    pub make: MakeService,
}
