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
        // The gate may be shut while the load waits for a processor.
        let transaction = async {
            if self.gate.is_shut() {
                return Err(BusFault::Reset);
            }
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
            // The gate may be shut while the store waits for a processor, or for room.
            let post = async {
                self.port.await_room().await;
                if !self.gate.is_shut() {
                    self.port.post(address, block.to_vec(), note);
                }
            };
            self.cpu.stall("pio write", post).await;
            if self.gate.is_shut() {
                return;
            }
            address = address + 4 * block.len() as u32;
            rest = behind;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::NodeId;
    use crate::bus::{Completion, RequestId};
    use crate::events::EventLog;
    use crate::executor::Executor;
    use crate::platform::Platform;
    use crate::processor::{Priority, Processors};

    /// A task that posts a write and then loads, on a port with room for one write that never ends
    /// by itself. Gives the requests that reached the bus in 10 us, and what the load found.
    fn requests(shut_at: Option<Ps>) -> (usize, Option<Result<u32, BusFault>>) {
        let platform = Platform::load("tigon2").expect("it comes with the crate");
        let mut executor = Executor::new();
        let sim = executor.sim();
        let processors = Processors::new(sim.clone(), 1, 1_000_000_000);
        let port = BusPort::new(1, EventLog::silent(NodeId(0)));
        let gate = Gate::default();
        let pio = Pio::new(processors.cpu("task", Priority::User), port.clone(), &platform.host).through(gate.clone());
        // Another task's write fills the port.
        port.post(BusAddr(0x1000), vec![0], None);
        let (_, first) = port.take_outgoing().expect("it was posted");
        assert!(matches!(first, Request::Write { .. }));
        let found = Rc::new(Cell::new(None));
        let result = found.clone();
        sim.spawn("task", async move {
            pio.write(BusAddr(0x2000), 1).await;
            result.set(Some(pio.read(BusAddr(0x3000)).await));
        });
        if let Some(at) = shut_at {
            let (sim, gate) = (sim.clone(), gate.clone());
            sim.clone().spawn("driver", async move {
                sim.sleep_until(at).await;
                gate.shut();
            });
        }
        executor.run_until(Ps::from_us(5));
        // The reset of the bus ends the write, which makes room.
        let at = Ps::from_us(5);
        port.complete(Completion { id: RequestId(0), at, result: Err(BusFault::Reset) });
        executor.run_until(Ps::from_us(10));
        let mut count = 0;
        while port.take_outgoing().is_some() {
            count += 1;
        }
        (count, found.get())
    }

    #[test]
    fn a_store_that_waits_for_room_goes_nowhere_once_the_gate_is_shut() {
        assert_eq!(requests(None), (2, None), "the store, and the load that awaits its answer");
        assert_eq!(requests(Some(Ps::from_us(3))), (0, Some(Err(BusFault::Reset))));
        assert_eq!(requests(Some(Ps::ZERO)), (0, Some(Err(BusFault::Reset))));
    }
}
