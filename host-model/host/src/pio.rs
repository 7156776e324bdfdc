//! Programmed I/O: what a processor does to reach the NIC, charged for its part and measured on the
//! bus.
//!
//! * A load is uncached: the processor waits until its dword has come, and cannot be interrupted
//!   meanwhile.
//! * A store is posted: the processor goes on as soon as the bridge has room. Stores to consecutive
//!   addresses leave together, in aligned blocks of the size of a write-combining buffer.

use std::cell::Cell;
use std::rc::Rc;

use sim_pins::Ps;

use crate::address::BusAddr;
use crate::bus::{BusFault, BusPort, Request};
use crate::events::Note;
use crate::platform::HostCosts;
use crate::processor::Cpu;

/// The way of one task to the bus.
#[derive(Clone)]
pub struct Pio {
    cpu: Cpu,
    port: BusPort,
    read: Ps,
    write: Ps,
    combining_bytes: u32,
    gate: Gate,
}

/// Lets the accesses of many tasks through until it is shut. Clones are the same gate.
#[derive(Clone, Default)]
pub struct Gate(Rc<Cell<bool>>);

impl Gate {
    /// From now on stores go nowhere and loads fail with [`BusFault::Reset`].
    pub fn shut(&self) {
        self.0.set(true);
    }

    /// Whether the gate is shut.
    pub fn is_shut(&self) -> bool {
        self.0.get()
    }
}

impl Pio {
    /// Access to the bus through `port`, charged to `cpu` by the costs of the platform.
    pub fn new(cpu: Cpu, port: BusPort, costs: &HostCosts) -> Pio {
        Pio {
            cpu,
            port,
            read: Ps::from_ns(costs.pio_read_ns),
            write: Ps::from_ns(costs.pio_write_ns),
            combining_bytes: costs.write_combining_bytes,
            gate: Gate::default(),
        }
    }

    /// The same way, through a gate.
    pub fn through(self, gate: Gate) -> Pio {
        Pio { gate, ..self }
    }

    /// The processor time that accesses are charged to.
    pub fn cpu(&self) -> &Cpu {
        &self.cpu
    }

    /// Loads one dword: the processor is busy until the data have come.
    pub async fn read(&self, address: BusAddr) -> Result<u32, BusFault> {
        self.transact(Request::Read { address }).await
    }

    /// Reads a dword of configuration space of function 0; `register` is its byte offset.
    pub async fn config_read(&self, device: u8, register: u8) -> Result<u32, BusFault> {
        self.transact(Request::ConfigRead { device, register }).await
    }

    /// Configuration writes are not posted.
    pub async fn config_write(&self, device: u8, register: u8, value: u32) -> Result<(), BusFault> {
        self.transact(Request::ConfigWrite { device, register, value }).await.map(|_| ())
    }

    async fn transact(&self, request: Request) -> Result<u32, BusFault> {
        if self.gate.is_shut() {
            return Err(BusFault::Reset);
        }
        let transaction = async {
            let answer = self.port.transact(request).await;
            self.cpu.sim().sleep_for(self.read).await;
            answer
        };
        self.cpu.stall("pio read", transaction).await
    }

    /// One store.
    pub async fn write(&self, address: BusAddr, value: u32) {
        self.write_words(address, &[value], None).await;
    }

    /// Stores to consecutive dwords. `note` is recorded when the last of them has been taken by the
    /// NIC.
    pub async fn write_words(&self, address: BusAddr, words: &[u32], note: Option<Note>) {
        let mut rest = words;
        let mut address = address;
        while !rest.is_empty() {
            let room = (self.combining_bytes - address.0 % self.combining_bytes) / 4;
            let (block, behind) = rest.split_at(rest.len().min(room as usize));
            let note = note.filter(|_| behind.is_empty());
            self.cpu.charge("pio write", self.write).await;
            if self.gate.is_shut() {
                return;
            }
            self.cpu.stall("pio write", self.port.post(address, block.to_vec(), note)).await;
            address = address + 4 * block.len() as u32;
            rest = behind;
        }
    }
}
