//! A NIC that runs cache operations: the firmware `cache-probe`, booted over PCI, its command ring,
//! and the memory of the cache.

mod machine;

use std::fs;
use std::path::Path;

use host_model::address::SramAddr;
use host_model::driver::mini::Mini;
use host_model::driver::{Device, DriverError};
use host_model::processor::Priority;
use nic_layout::boot::CAUSE_CRASH;
use nic_layout::probe::*;
use nic_layout::registers::{interrupt, mailbox};
use nic_layout::vmh::VmhGeometry;
use nic_lookup::host::{Answer, Target};
use nic_lookup::{fill_words, release_words, Path as LookupPath};
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::{failed, image};
use sim_pins::Ps;

pub use machine::Machine;

/// The word that fills the memory of the cache before the cache is made in it: the value of
/// `nic_lookup::host::InMemory::default`.
pub const GARBAGE: u32 = 0xDEAD_BEEF;

/// The number of words behind the cache that must never change.
const GUARD_WORDS: u32 = 8;
const GUARD: u32 = 0x6A6A_6A6A;

/// A NIC with the firmware `cache-probe`. Every access goes over PCI, as the driver's accesses do.
pub struct Probe {
    machine: Machine,
    device: Device,
    geometry: VmhGeometry,
    commands: SramAddr,
    results: SramAddr,
    cache: SramAddr,
    /// The number of commands posted so far, free-running.
    posted: u32,
    /// The core clocks of the last operation of [`Target`].
    last_cycles: u32,
}

impl Probe {
    /// Builds the firmware for the geometry, if it is not up to date, and boots it. The cache is
    /// then empty, in memory that held [`GARBAGE`]. With `waves` the models can record waves, and
    /// run slower.
    pub fn boot(geometry: VmhGeometry, waves: bool) -> Result<Probe> {
        let file = image::build("cache-probe", geometry)?;
        let firmware = fs::read(&file).map_err(|error| failed!("cannot read {}: {error}", file.display()))?;
        let mut machine = Machine::new(waves)?;
        let (device, reply, caches) = machine.run("boot", |node| async move {
            node.boot(&firmware).await.map_err(of_driver)?;
            let device = node.driver().device(&node.cpu("probe", Priority::User)).map_err(of_driver)?;
            let caches = *node.driver().service::<Mini>().map_err(of_driver)?.caches();
            // The probe answers through the mailbox of misses. There are no misses here, so the
            // interrupt of the mailbox stays off.
            device.write(interrupt::ENABLE, 1 << CAUSE_CRASH).await;
            let reply: ProbeReply = device.read_struct(SramAddr(PROBE_REPLY_ADDRESS)).await.map_err(of_bus)?;
            Ok((device, reply, caches))
        })?;
        if caches.geometry != geometry {
            return Err(failed!("{} has the {:?}, not the {geometry:?}", file.display(), caches.geometry));
        }
        let mut probe = Probe {
            machine,
            device,
            geometry,
            commands: SramAddr(reply.commands),
            results: SramAddr(reply.results),
            cache: caches.vmh_cache,
            posted: 0,
            last_cycles: 0,
        };
        probe.write(0, vec![GARBAGE; geometry.bytes() as usize / 4])?;
        probe.write(geometry.bytes(), vec![GUARD; GUARD_WORDS as usize])?;
        probe.reset()?;
        Ok(probe)
    }

    /// The geometry of the cache.
    pub fn geometry(&self) -> VmhGeometry {
        self.geometry
    }

    /// Posts commands, at most a full ring, and rings the doorbell once for all. An error of the
    /// bus or the driver.
    pub fn post(&mut self, commands: &[ProbeCommand]) -> Result<()> {
        assert!(commands.len() as u32 <= PROBE_RING_ENTRIES, "more commands than the ring holds");
        let slots: Vec<(SramAddr, ProbeCommand)> = commands
            .iter()
            .enumerate()
            .map(|(index, &command)| (slot(self.commands, self.posted.wrapping_add(index as u32)), command))
            .collect();
        self.posted = self.posted.wrapping_add(commands.len() as u32);
        let (device, producer) = (self.device.clone(), self.posted);
        self.machine.run("post commands", |_| async move {
            for (address, command) in slots {
                device.write_struct(address, &command).await;
            }
            device.write(mailbox::TO_NIC.at(MAILBOX_PROBE), producer).await;
            Ok(())
        })
    }

    /// Waits until the firmware has obeyed all posted commands, and reads the results of the last
    /// `count`. An error if the firmware does not answer in time.
    pub fn collect(&mut self, count: u32) -> Result<Vec<ProbeResult>> {
        let (device, producer) = (self.device.clone(), self.posted);
        let first = producer.wrapping_sub(count);
        let slots: Vec<SramAddr> = (0..count).map(|index| slot(self.results, first.wrapping_add(index))).collect();
        self.machine.run("await results", |_| async move {
            while device.read(mailbox::TO_HOST.at(MAILBOX_PROBE)).await.map_err(of_bus)? != producer {}
            let mut results = Vec::with_capacity(slots.len());
            for address in slots {
                results.push(device.read_struct(address).await.map_err(of_bus)?);
            }
            Ok(results)
        })
    }

    /// Posts one command and returns its result.
    pub fn obey(&mut self, command: ProbeCommand) -> Result<ProbeResult> {
        self.post(&[command])?;
        Ok(self.collect(1)?[0])
    }

    /// Writes the producer index without a check, for tests of an index that makes no sense.
    pub fn ring(&mut self, producer: u32) -> Result<()> {
        let device = self.device.clone();
        self.machine.run("ring", |_| async move {
            device.write(mailbox::TO_NIC.at(MAILBOX_PROBE), producer).await;
            Ok(())
        })
    }

    /// Lets simulated time pass.
    pub fn wait(&mut self, span: Ps) -> Result<()> {
        self.machine.run("wait", |node| async move {
            node.sim().sleep_for(span).await;
            Ok(())
        })
    }

    /// Makes the firmware empty the cache.
    pub fn reset(&mut self) -> Result<()> {
        let result = self.obey(ProbeCommand { op: PROBE_RESET, ..ProbeCommand::default() })?;
        match result.answer {
            ANSWER_DONE => Ok(()),
            other => Err(failed!("the firmware answered {other} to a reset")),
        }
    }

    /// Writes words at a byte offset of the cache.
    pub fn write(&mut self, offset: u32, words: Vec<u32>) -> Result<()> {
        let (device, address) = (self.device.clone(), self.cache + offset);
        self.machine.run("write the cache", |_| async move {
            device.write_sram(address, &words).await;
            Ok(())
        })
    }

    /// Reads words at a byte offset of the cache.
    pub fn read(&mut self, offset: u32, count: u32) -> Result<Vec<u32>> {
        let (device, address) = (self.device.clone(), self.cache + offset);
        self.machine.run("read the cache", |_| async move {
            let mut words = Vec::with_capacity(count as usize);
            for index in 0..count {
                words.push(device.read_sram(address + 4 * index).await.map_err(of_bus)?);
            }
            Ok(words)
        })
    }

    /// Checks that the words behind the cache are unchanged, and that no rule of the bus was
    /// broken.
    pub fn check_surroundings(&mut self) -> Result<()> {
        let found = self.read(self.geometry.bytes(), GUARD_WORDS)?;
        if found != [GUARD; GUARD_WORDS as usize] {
            return Err(failed!("words behind the cache have changed: {found:x?}"));
        }
        self.machine.check_bus()
    }

    /// The simulated time.
    pub fn now(&self) -> Ps {
        self.machine.now()
    }

    /// The core clocks since the machine was made.
    pub fn core_cycles(&self) -> u64 {
        self.machine.core_cycles()
    }

    /// The core clocks that the firmware measured around the last operation of [`Target`].
    pub fn last_cycles(&self) -> u32 {
        self.last_cycles
    }

    /// Opens an FST file that records everything from now on. An error if the file cannot be
    /// written or the model has no waves.
    pub fn open_waves(&mut self, path: &Path) -> Result<()> {
        self.machine.open_waves(path)
    }

    /// Ends the FST file.
    pub fn close_waves(&mut self) -> Result<()> {
        self.machine.close_waves()
    }

    fn answer(&mut self, command: ProbeCommand) -> Result<Answer> {
        let result = self.obey(command)?;
        self.last_cycles = result.cycles;
        Ok(match result.answer {
            ANSWER_HIT => Answer::Hit { line: result.line, entry: result.entry },
            ANSWER_RESERVED => Answer::Reserved { line: result.line },
            ANSWER_PENDING => Answer::Pending,
            ANSWER_NO_WAY => Answer::NoWay,
            ANSWER_DONE => Answer::Done,
            ANSWER_NOTHING => Answer::Nothing,
            other => return Err(failed!("the firmware answered {other} to {command:?}")),
        })
    }
}

/// The command that looks up a page.
pub fn use_command(path: LookupPath, pid: u32, page: u32) -> ProbeCommand {
    ProbeCommand { op: PROBE_USE, pid_path: pid | (path as u32) << 16, page_or_line: page, reserved: 0 }
}

impl Target for Probe {
    type Error = Error;

    fn use_page(&mut self, path: LookupPath, pid: u32, page: u32) -> Result<Answer> {
        self.answer(use_command(path, pid, page))
    }

    fn unlock(&mut self, path: LookupPath, line: u32) -> Result<Answer> {
        self.answer(ProbeCommand { op: PROBE_UNLOCK, ..use_command(path, 0, line) })
    }

    fn invalidate(&mut self, pid: u32, page: u32) -> Result<Answer> {
        self.answer(ProbeCommand { op: PROBE_INVALIDATE, ..use_command(LookupPath::Send, pid, page) })
    }

    fn fill(&mut self, line: u32, miss_key: u32, page_number: &dyn Fn(u32) -> u32) -> Result<()> {
        // In the driver's order: runs of entries, then the key.
        let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
        for (offset, value) in fill_words(self.geometry, line, miss_key, page_number) {
            match runs.last_mut() {
                Some((start, run)) if *start + 4 * run.len() as u32 == offset => run.push(value),
                _ => runs.push((offset, vec![value])),
            }
        }
        runs.into_iter().try_for_each(|(offset, words)| self.write(offset, words))
    }

    fn release(&mut self, line: u32) -> Result<()> {
        let (offset, value) = release_words(self.geometry, line);
        self.write(offset, vec![value])
    }
}

/// The address of a slot in either ring. Commands and results both have 16 bytes.
fn slot(ring: SramAddr, index: u32) -> SramAddr {
    ring + (index % PROBE_RING_ENTRIES) * size_of::<ProbeCommand>() as u32
}

fn of_driver(error: DriverError) -> Error {
    failed!("driver: {error}")
}

fn of_bus(fault: host_model::bus::BusFault) -> Error {
    failed!("bus: {fault}")
}
