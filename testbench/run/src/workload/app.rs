//! The process that plays a workload on one node, with one exported region.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use host_model::address::UserVirt;
use host_model::driver::{DriverError, Kept, Notifications};
use host_model::library::{Export, Process, WriteHandle};
use host_model::processor::Priority;
use nic_layout::counter::{Counter, Set};
use nic_layout::post::INLINE_BYTES_MAX;
use nic_layout::registers as regs;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario::{MissedCache, MissedSide, Scenario};
use sim_pins::Ps;

use super::message::{Message, Note};
use super::places::{self, Places};
use crate::meeting::Meeting;
use crate::node::Handle;

/// A process with its node, its region and its peer.
pub struct App {
    /// The index of the node.
    pub node: usize,
    /// The other node of the pair: 0 and 1, 2 and 3, and so on are pairs.
    pub peer: usize,
    /// The node: its driver, its processors and the simulated time.
    pub handle: Handle,
    /// The process as the library sees it.
    pub process: Process,
    /// The scenario of the run.
    pub scenario: Arc<Scenario>,
    /// Places for messages in the region, the same on all nodes.
    pub places: Places,
    /// Virtual address of the exported region.
    pub region: UserVirt,
    /// The region of the peer.
    pub peer_export: Export,
    /// The regions of all nodes, by node. The process is connected to its receivers only, and may
    /// write to no others.
    pub exports: Vec<Export>,
    /// More buffers of the peer with the bytes of its region: more buffers of one set of the CBH
    /// cache than the set has ways. Empty unless messages shall miss in that cache.
    pub cold_exports: Vec<Export>,
    /// Share of messages that shall miss, 0 to 1.
    pub miss_ratio: f64,
    /// The seed of the run.
    pub seed: u64,
    /// Notifications of writes to the region, in a workload that asks for them.
    pub told: Option<Notifications>,
    /// The meetings by which the processes of all nodes find each other.
    pub meeting: Meeting<Note>,
    /// Meetings so far, which make the name of each meeting unique.
    pub meetings: u32,
    /// Messages so far that shall miss, over all sizes.
    pub turn: u32,
    /// Messages that this node has sent; those that it has received, if only its peer sends.
    pub sent: u32,
    /// Messages so far of all nodes together.
    pub messages: Arc<AtomicU64>,
    /// Messages whose every byte was compared on this node.
    pub compared: u64,
    /// Messages of each flow so far.
    pub posted_to_each: u32,
    /// Messages of flows so far, by the other node.
    pub flows: Flows,
}

/// A number of messages and the sum of their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Messages.
    pub messages: u64,
    /// Bytes of data in all of them.
    pub bytes: u64,
}

impl Sum {
    /// Counts one more message of `size_bytes` bytes.
    pub fn add(&mut self, size_bytes: u32) {
        self.messages += 1;
        self.bytes += u64::from(size_bytes);
    }
}

/// The messages between a node and the others in a workload of flows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// Posts that have ended, by receiver.
    pub sent: BTreeMap<usize, Sum>,
    /// Messages whose every byte was compared, by sender.
    pub compared: BTreeMap<usize, Sum>,
}

/// The destination of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Offset in bytes in the region of the receiver.
    pub offset: u32,
    /// Index in [`App::cold_exports`]; `None` for the buffer that stays in the CBH cache.
    pub cold_buffer: Option<usize>,
    /// The receiver; `None` for the peer.
    pub node: Option<usize>,
}

impl From<u32> for Target {
    fn from(offset: u32) -> Target {
        Target { offset, cold_buffer: None, node: None }
    }
}

/// Time for core B to add up all counters: many times its interval.
const KEEPER_HAS_DONE: Ps = Ps::from_us(1_000);

/// All counters of a node's NIC, read by the driver through PCI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The sets of counters that the firmware of the personality keeps.
    pub sets: &'static [&'static Set],
    /// Values of the firmware's counters, in the order of [`Counter::ALL`].
    pub firmware: Vec<u32>,
    /// Names and values of the counters that are registers.
    pub rtl: Vec<(&'static str, u32)>,
}

impl Totals {
    /// Reads every counter through the driver. The reads are PIO, so they belong outside the
    /// measured time.
    ///
    /// # Errors
    /// The NIC is not booted, or a PCI transaction fails.
    pub async fn read(handle: &Handle) -> Result<Totals, DriverError> {
        let cpu = handle.cpu("read counters", Priority::User);
        let driver = handle.driver();
        let firmware = driver.read_counters(&cpu).await?;
        let device = driver.device(&cpu)?;
        let mut rtl = Vec::new();
        macro_rules! read {
            ($($name:literal: $register:expr),* $(,)?) => {
                $(rtl.push(($name, u32::from(device.read($register).await?)));)*
            };
        }
        read! {
            "mac_tx_frames": regs::mac_tx::FRAMES,
            "mac_tx_underruns": regs::mac_tx::UNDERRUNS,
            "mac_tx_refused": regs::mac_tx::REFUSED,
            "mac_tx_skipped": regs::mac_tx::SKIPPED,
            "mac_rx_frames": regs::mac_rx::FRAMES,
            "mac_rx_bad_fcs": regs::mac_rx::BAD_FCS,
            "mac_rx_runts": regs::mac_rx::RUNTS,
            "mac_rx_giants": regs::mac_rx::GIANTS,
            "mac_rx_errors": regs::mac_rx::RX_ERRORS,
            "mac_rx_bad_preambles": regs::mac_rx::BAD_PREAMBLES,
            "mac_rx_no_buffer": regs::mac_rx::NO_BUFFER,
            "mac_rx_overflows": regs::mac_rx::OVERFLOWS,
            "mac_rx_started": regs::mac_rx::STARTED,
            "dma_read_descriptors": regs::dma_read::DESCRIPTORS,
            "dma_read_bytes": regs::dma_read::BYTES,
            "dma_read_errors": regs::dma_read::ERRORS,
            "dma_read_refused": regs::dma_read::REFUSED,
            "dma_write_descriptors": regs::dma_write::DESCRIPTORS,
            "dma_write_bytes": regs::dma_write::BYTES,
            "dma_write_errors": regs::dma_write::ERRORS,
            "dma_write_refused": regs::dma_write::REFUSED,
            "host_refused": regs::ident::HOST_REFUSED,
            "pci_parity_errors": regs::pci::PARITY_ERRORS,
            "pci_master_retries": regs::pci::MASTER_RETRIES,
            "pci_master_aborts": regs::pci::MASTER_ABORTS,
            "pci_target_discards": regs::pci::TARGET_DISCARDS,
        }
        if driver.has_core_b() {
            // The ports of both cores, as nic_pkg::sram_port_e numbers them.
            read! {
                "sram_waits_core_a_data": regs::sram::WAITS.at(4),
                "sram_waits_core_a_insn": regs::sram::WAITS.at(5),
                "sram_waits_core_b_data": regs::sram::WAITS.at(7),
                "sram_waits_core_b_insn": regs::sram::WAITS.at(8),
            }
        }
        Ok(Totals { sets: driver.counter_sets(), firmware, rtl })
    }

    /// The value of a counter of the firmware; 0 if its firmware has no such counter.
    pub fn firmware(&self, counter: Counter) -> u64 {
        self.firmware.get(counter as usize).map_or(0, |value| u64::from(*value))
    }

    /// The value of a counter that is a register.
    ///
    /// # Panics
    /// If no register counter has the name: a bug of the caller.
    pub fn rtl(&self, name: &str) -> u64 {
        let found = self.rtl.iter().find(|(known, _)| *known == name);
        u64::from(found.unwrap_or_else(|| panic!("no counter {name}")).1)
    }
}

/// The bytes of message `number`. They differ between messages and between places in a message, so
/// a misplaced byte is found.
pub fn pattern(number: u32, size_bytes: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_bytes as usize + 8);
    let mut state = u64::from(number) << 32 | 0x9E37_79B9;
    while bytes.len() < size_bytes as usize {
        // splitmix64
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bytes.extend_from_slice(&(word ^ (word >> 31)).to_le_bytes());
    }
    bytes.truncate(size_bytes as usize);
    bytes
}

/// Bytes of a message that is too long to go with its post, so the sender looks its page up.
const BY_DMA_BYTES: u32 = INLINE_BYTES_MAX + 4;

/// What core B keeps of a node's counters, when core A has been at rest for a while.
pub async fn kept(handle: &Handle) -> Result<Option<Kept>, DriverError> {
    if !handle.driver().has_core_b() {
        return Ok(None);
    }
    handle.sim().sleep_for(KEEPER_HAS_DONE).await;
    let cpu = handle.cpu("read totals", Priority::User);
    handle.driver().read_keeper(&cpu).await
}

impl App {
    /// An error that names this node.
    pub fn error(&self, what: impl std::fmt::Display) -> nicscope_scenario::error::Error {
        failed!("node {}: {what}", self.node)
    }

    /// Simulated time of this node.
    pub fn now(&self) -> Ps {
        self.handle.sim().now()
    }

    /// Waits until the processes of all nodes have come to the same point of the workload.
    pub async fn meet(&mut self, name: &str) {
        self.meetings += 1;
        let name = format!("{name} {}", self.meetings);
        self.meeting.exchange(&name, Note::Here).await;
    }

    /// The number of message `k` of node `sender`. The numbers of all nodes differ, and none is
    /// zero.
    pub fn number(&self, sender: usize, k: u32) -> u32 {
        k * self.scenario.nodes as u32 + sender as u32 + 1
    }

    /// Whether this node is the first of its pair, which begins.
    pub fn is_first(&self) -> bool {
        self.node < self.peer
    }

    /// The nodes of the pair: first the node that begins.
    pub fn pair(&self) -> [usize; 2] {
        [self.node.min(self.peer), self.node.max(self.peer)]
    }

    /// The destination of measured message `k` to `receiver`. `slot` is the offset in the area of
    /// messages that hit.
    ///
    /// Both nodes of a pair must ask once for each message, so that they agree on the destinations.
    pub fn target(&mut self, receiver: usize, k: u32, slot: u32) -> Target {
        let misses = &self.scenario.misses;
        let is_missed = misses.side == MissedSide::Receive && receiver == misses.node;
        let ratio = if is_missed { self.miss_ratio } else { 0.0 };
        if !places::misses(k, ratio) {
            return self.places.hot(slot).into();
        }
        // The count goes on from one size to the next: the first places of one size may still be in
        // the cache when the next size begins.
        self.turn += 1;
        let turn = self.turn - 1;
        match self.scenario.misses.cache {
            MissedCache::Vmh => self.places.cold(turn).into(),
            MissedCache::Cbh => {
                let cold_buffer = Some(turn as usize % self.cold_exports.len());
                Target { offset: self.places.hot(slot), cold_buffer, node: None }
            }
        }
    }

    /// The offset in the region from which this node sends measured message `k`: `usual`, or a
    /// place whose line has been evicted.
    pub fn source(&mut self, k: u32, usual: u32) -> u32 {
        let misses = &self.scenario.misses;
        if misses.side == MissedSide::Receive || misses.node != self.node || !places::misses(k, self.miss_ratio) {
            return usual;
        }
        self.turn += 1;
        self.places.cold(self.turn - 1)
    }

    /// Brings the lines and buffers of all messages that shall hit into the caches of both sides.
    ///
    /// # Errors
    /// A write fails.
    pub async fn warm(&mut self) -> Result<()> {
        for receiver in self.scenario.receivers(self.node) {
            for offset in self.places.lines().collect::<Vec<_>>() {
                let to = Target { node: Some(receiver), ..self.places.hot(offset).into() };
                let handle = self.write(self.places.send(offset), BY_DMA_BYTES, to, u32::MAX).await?;
                self.wait(handle).await?;
            }
        }
        self.meet("warm").await;
        Ok(())
    }

    /// The buffer of the receiver that a target lies in.
    fn export_of(&self, target: Target) -> &Export {
        match (target.node, target.cold_buffer) {
            (Some(node), _) => &self.exports[node],
            (None, Some(cold)) => &self.cold_exports[cold],
            (None, None) => &self.peer_export,
        }
    }

    /// Posts a write from an offset of the region, with `number` for the traces.
    ///
    /// # Errors
    /// The library refuses the post.
    pub async fn write(&self, from: u32, size_bytes: u32, to: Target, number: u32) -> Result<WriteHandle> {
        let from = UserVirt(self.region.0 + from);
        let posted = self.process.write(from, size_bytes, self.export_of(to), to.offset, number).await;
        posted.map_err(|error| self.error(error))
    }

    /// Posts a read of the peer's memory into an offset of the region, with `number` for the
    /// traces.
    ///
    /// # Errors
    /// The library refuses the post.
    pub async fn read(&self, from: Target, size_bytes: u32, to: u32, number: u32) -> Result<WriteHandle> {
        let to = UserVirt(self.region.0 + to);
        let posted = self.process.read(self.export_of(from), from.offset, size_bytes, to, number).await;
        posted.map_err(|error| self.error(error))
    }

    /// Waits until a post has ended.
    ///
    /// # Errors
    /// The post ended with an error.
    pub async fn wait(&self, handle: WriteHandle) -> Result<()> {
        self.process.wait(handle).await.map_err(|error| self.error(error))
    }

    /// Counts one more message of this node.
    pub fn advance(&mut self) {
        self.sent += 1;
        self.messages.fetch_add(1, Ordering::Relaxed);
    }

    /// Stores the bytes of the next message at an offset of the region, and posts it as a write.
    ///
    /// # Errors
    /// The store or the post fails.
    pub async fn send(&mut self, size_bytes: u32, from: u32, to: Target) -> Result<(Message, WriteHandle)> {
        let message = self.prepare(size_bytes, from)?;
        let handle = self.write(from, size_bytes, to, message.number).await?;
        Ok((message, handle))
    }

    /// As [`App::send`], with a notification of the receiving process.
    ///
    /// # Errors
    /// The store or the post fails.
    pub async fn send_and_notify(&mut self, size_bytes: u32, from: u32, to: Target) -> Result<(Message, WriteHandle)> {
        let message = self.prepare(size_bytes, from)?;
        let start = UserVirt(self.region.0 + from);
        let (export, number) = (self.export_of(to), message.number);
        let posted = self.process.write_and_notify(start, size_bytes, export, to.offset, number).await;
        Ok((message, posted.map_err(|error| self.error(error))?))
    }

    /// Stores the bytes of the next message at an offset of the region.
    fn prepare(&mut self, size_bytes: u32, from: u32) -> Result<Message> {
        let number = self.number(self.node, self.sent);
        self.advance();
        let start = UserVirt(self.region.0 + from);
        self.process.store(start, &pattern(number, size_bytes)).map_err(|error| self.error(error))?;
        Ok(Message { number, size_bytes, sender: self.node })
    }

    /// Stores the complement of an expected message where it shall arrive, so that every byte of
    /// the message is seen to arrive.
    ///
    /// # Errors
    /// The place is outside the region.
    pub fn clear(&self, number: u32, size_bytes: u32, at: u32) -> Result<()> {
        let other: Vec<u8> = pattern(number, size_bytes).iter().map(|byte| !byte).collect();
        self.process.store(UserVirt(self.region.0 + at), &other).map_err(|error| self.error(error))
    }

    /// Polls for the last bytes of a message, then compares all its bytes.
    ///
    /// # Errors
    /// A byte is wrong (INV-27), or the place is outside the region.
    pub async fn receive(&mut self, number: u32, size_bytes: u32, at: u32) -> Result<()> {
        let expected = pattern(number, size_bytes);
        let tail = size_bytes.min(4);
        let tail_start = UserVirt(self.region.0 + at + size_bytes - tail);
        let last = expected[(size_bytes - tail) as usize..].to_vec();
        self.process
            .wait_bytes(tail_start, tail, number, move |bytes| bytes == last)
            .await
            .map_err(|error| self.error(error))?;
        self.compare(number, size_bytes, at)
    }

    /// Compares all bytes of a message that has arrived.
    ///
    /// # Errors
    /// A byte is wrong (INV-27), or the place is outside the region.
    pub fn compare(&mut self, number: u32, size_bytes: u32, at: u32) -> Result<()> {
        let expected = pattern(number, size_bytes);
        let found = self.process.load(UserVirt(self.region.0 + at), size_bytes).map_err(|error| self.error(error))?;
        if let Some(byte) = (0..size_bytes as usize).find(|&byte| found[byte] != expected[byte]) {
            return Err(self.error(format!(
                "message {number} of {size_bytes} B at {at:#x}: byte {byte} is {:#04x}, must be {:#04x} (INV-27)",
                found[byte], expected[byte]
            )));
        }
        self.compared += 1;
        Ok(())
    }

    /// All counters of this node: [`Totals::read`].
    ///
    /// # Errors
    /// The driver cannot read them.
    pub async fn totals(&self) -> Result<Totals> {
        Totals::read(&self.handle).await.map_err(|error| self.error(error))
    }
}
