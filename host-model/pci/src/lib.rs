//! Bus functional model of conventional PCI (2.3) at pin level: everything on the bus except the
//! NIC.
//!
//! [`Bus`] is the central arbiter, the host bridge as master and as target, RST# and REQ64#, the
//! pull-ups and a protocol checker. The NIC, RTL or [`mock::MockNic`], is a [`sim_pins::PciDrive`];
//! main memory is a [`HostMemory`].
//!
//! ```
//! use host_pci::mock::{MockMemory, MockNic, MockNicSettings};
//! use host_pci::{Answer, Bus, Settings, Transaction};
//! use sim_pins::Ps;
//!
//! let mut bus = Bus::new(Settings::default()).unwrap();
//! let mut nic = MockNic::new(MockNicSettings::default());
//! let mut memory = MockMemory::new(1 << 16);
//! let id = bus.submit(Transaction::config_read(bus.settings().nic_device, 0));
//! let mut at = Ps::ZERO;
//! let completion = loop {
//!     at += Ps::from_ns(30); // one rising edge of a 33 MHz clock
//!     let lines = bus.rising_edge(at, nic.drive(), &mut memory);
//!     nic.rising_edge(at, &lines); // RTL: put the lines on its pins, then raise its clock
//!     if let Some(completion) = bus.next_completion() {
//!         break completion;
//!     }
//! };
//! assert_eq!((completion.id, completion.result), (id, Ok(Answer::Read(vec![0x5678_1234]))));
//! assert!(bus.violations().is_empty());
//! ```
//!
//! What a NIC or a program can cause is an [`Incident`], a [`Violation`] or an error in a
//! [`Completion`]; a panic is a bug of the caller.

#![deny(missing_docs)]

mod address;
mod agent;
mod arbiter;
mod bus;
mod checker;
mod command;
mod delivery;
mod host_target;
mod initiator;
mod listener;
mod master;
mod memory;
mod misbehave;
pub mod mock;
mod pins;
mod reset;
mod settings;
mod target;
mod tracker;
mod transaction;
mod write_buffer;

pub use address::BusAddr;
pub use arbiter::{AgentId, GrantFaults, Parking};
pub use bus::{Bus, InterruptLine};
pub use checker::{Rule, Violation};
pub use command::Command;
pub use delivery::Delivery;
pub use listener::{Beat, BusSerial, End, Listener, Outcome, Start};
pub use master::{MasterHabits, Word};
pub use memory::{HostMemory, MemoryFault};
pub use misbehave::{Misbehaviour, RandomActs, TargetActs};
pub use settings::{FaultAnswer, Settings, SettingsError};
pub use tracker::{BusCounters, MasterCounters};
pub use transaction::{Answer, BusError, Completion, Incident, ReadKind, Transaction, TransactionId};
