//! A process of a workload: one region that it exports, one peer.

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

pub struct App {
    pub node: usize,
    /// The other node of the pair: 0 and 1, 2 and 3, and so on are pairs.
    pub peer: usize,
    pub handle: Handle,
    pub process: Process,
    pub scenario: Arc<Scenario>,
    pub places: Places,
    pub region: UserVirt,
    pub peer_export: Export,
    /// Buffers of all nodes, by node, of which this one may write to those that it is connected to.
    pub exports: Vec<Export>,
    /// More of the peer's buffers, of the same bytes: of one set of the CBH cache, and more than it has ways. Only with messages that shall miss there.
    pub cold_exports: Vec<Export>,
    pub miss_ratio: f64,
    pub seed: u64,
    /// What tells this process of writes, where the workload asks for that.
    pub told: Option<Notifications>,
    pub meeting: Meeting<Note>,
    pub meetings: u32,
    /// Messages so far that shall miss, of all sizes.
    pub turn: u32,
    /// Messages that this node has sent, or awaited where only the other one sends.
    pub sent: u32,
    /// Of all nodes.
    pub messages: Arc<AtomicU64>,
    pub compared: u64,
    /// Messages of each flow so far.
    pub posted_to_each: u32,
    /// Messages of flows so far, by the other node.
    pub flows: Flows,
}

/// Messages and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub messages: u64,
    pub bytes: u64,
}

impl Sum {
    pub fn add(&mut self, size_bytes: u32) {
        self.messages += 1;
        self.bytes += u64::from(size_bytes);
    }
}

/// What a node has exchanged with others in a workload of flows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// Posts that have ended, by receiver.
    pub sent: BTreeMap<usize, Sum>,
    /// Messages whose every byte was compared, by sender.
    pub compared: BTreeMap<usize, Sum>,
}

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// In the region of the receiver.
    pub offset: u32,
    /// One of [`App::cold_exports`]; `None` for the buffer that is always found.
    pub cold_buffer: Option<usize>,
    /// The node that receives; `None` for the other one of the pair.
    pub node: Option<usize>,
}

impl From<u32> for Target {
    fn from(offset: u32) -> Target {
        Target { offset, cold_buffer: None, node: None }
    }
}

/// Many times the interval in which core B adds up.
const KEEPER_HAS_DONE: Ps = Ps::from_us(1_000);

/// Every counter of a node, read by the driver through PCI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// What the firmware counts.
    pub sets: &'static [&'static Set],
    /// In the order of [`Counter::ALL`].
    pub firmware: Vec<u32>,
    /// Names of registers and their values.
    pub rtl: Vec<(&'static str, u32)>,
}

impl Totals {
    /// Reads every counter through the driver: PIO, so outside of what is measured.
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
        Ok(Totals { sets: driver.counter_sets(), firmware, rtl })
    }

    pub fn firmware(&self, counter: Counter) -> u64 {
        u64::from(self.firmware[counter as usize])
    }

    /// # Panics
    /// If there is no such counter: a bug of ours.
    pub fn rtl(&self, name: &str) -> u64 {
        let found = self.rtl.iter().find(|(known, _)| *known == name);
        u64::from(found.unwrap_or_else(|| panic!("no counter {name}")).1)
    }
}

/// The bytes of a message: different for each message and place, so that one taken for another is found.
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

/// So many bytes do not go with their post: the sender looks up where they are.
const BY_DMA_BYTES: u32 = INLINE_BYTES_MAX + 4;

impl App {
    pub fn error(&self, what: impl std::fmt::Display) -> nicscope_scenario::error::Error {
        failed!("node {}: {what}", self.node)
    }

    pub fn now(&self) -> Ps {
        self.handle.sim().now()
    }

    /// Waits until the peer has come here too.
    pub async fn meet(&mut self, name: &str) {
        self.meetings += 1;
        let name = format!("{name} {}", self.meetings);
        self.meeting.exchange(&name, Note::Here).await;
    }

    /// The number of message `k` of a node; numbers of all nodes differ and none is zero.
    pub fn number(&self, sender: usize, k: u32) -> u32 {
        k * self.scenario.nodes as u32 + sender as u32 + 1
    }

    /// Whether this node is the one of its pair that begins.
    pub fn is_first(&self) -> bool {
        self.node < self.peer
    }

    /// The nodes of the pair: first the node that begins.
    pub fn pair(&self) -> [usize; 2] {
        [self.node.min(self.peer), self.node.max(self.peer)]
    }

    /// Where message `k` to `receiver` lands in its region, of the messages that are measured. Both nodes ask once for each message, so
    /// that they agree.
    pub fn target(&mut self, receiver: usize, k: u32, slot: u32) -> Target {
        let misses = &self.scenario.misses;
        let is_missed = misses.side == MissedSide::Receive && receiver == misses.node;
        let ratio = if is_missed { self.miss_ratio } else { 0.0 };
        if !places::misses(k, ratio) {
            return self.places.hot(slot).into();
        }
        // Never from the start again: the first places of one size may still be in the cache when the next size begins.
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

    /// Where message `k` of this node is sent from, of those that are measured: `usual`, or a place whose line has been evicted.
    pub fn source(&mut self, k: u32, usual: u32) -> u32 {
        let misses = &self.scenario.misses;
        if misses.side == MissedSide::Receive || misses.node != self.node || !places::misses(k, self.miss_ratio) {
            return usual;
        }
        self.turn += 1;
        self.places.cold(self.turn - 1)
    }

    /// Brings every line that hits shall find into both caches.
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

    /// The buffer of the peer that a target lies in.
    fn export_of(&self, target: Target) -> &Export {
        match (target.node, target.cold_buffer) {
            (Some(node), _) => &self.exports[node],
            (None, Some(cold)) => &self.cold_exports[cold],
            (None, None) => &self.peer_export,
        }
    }

    pub async fn write(&self, from: u32, size_bytes: u32, to: Target, number: u32) -> Result<WriteHandle> {
        let from = UserVirt(self.region.0 + from);
        let posted = self.process.write(from, size_bytes, self.export_of(to), to.offset, number).await;
        posted.map_err(|error| self.error(error))
    }

    /// Posts a read of the peer's memory.
    pub async fn read(&self, from: Target, size_bytes: u32, to: u32, number: u32) -> Result<WriteHandle> {
        let to = UserVirt(self.region.0 + to);
        let posted = self.process.read(self.export_of(from), from.offset, size_bytes, to, number).await;
        posted.map_err(|error| self.error(error))
    }

    pub async fn wait(&self, handle: WriteHandle) -> Result<()> {
        self.process.wait(handle).await.map_err(|error| self.error(error))
    }

    /// Goes on to the next message.
    pub fn advance(&mut self) {
        self.sent += 1;
        self.messages.fetch_add(1, Ordering::Relaxed);
    }

    /// Puts a message's bytes in place and posts it.
    pub async fn send(&mut self, size_bytes: u32, from: u32, to: Target) -> Result<(Message, WriteHandle)> {
        let message = self.prepare(size_bytes, from)?;
        let handle = self.write(from, size_bytes, to, message.number).await?;
        Ok((message, handle))
    }

    /// The same, and the process there is told.
    pub async fn send_and_notify(&mut self, size_bytes: u32, from: u32, to: Target) -> Result<(Message, WriteHandle)> {
        let message = self.prepare(size_bytes, from)?;
        let start = UserVirt(self.region.0 + from);
        let (export, number) = (self.export_of(to), message.number);
        let posted = self.process.write_and_notify(start, size_bytes, export, to.offset, number).await;
        Ok((message, posted.map_err(|error| self.error(error))?))
    }

    /// The next message, with its bytes in place.
    fn prepare(&mut self, size_bytes: u32, from: u32) -> Result<Message> {
        let number = self.number(self.node, self.sent);
        self.advance();
        let start = UserVirt(self.region.0 + from);
        self.process.store(start, &pattern(number, size_bytes)).map_err(|error| self.error(error))?;
        Ok(Message { number, size_bytes, sender: self.node })
    }

    /// Makes sure that a message that is expected is not there yet: every byte differs.
    pub fn clear(&self, number: u32, size_bytes: u32, at: u32) -> Result<()> {
        let other: Vec<u8> = pattern(number, size_bytes).iter().map(|byte| !byte).collect();
        self.process.store(UserVirt(self.region.0 + at), &other).map_err(|error| self.error(error))
    }

    /// Polls for the last bytes of a message, then compares all of them.
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

    /// Compares all bytes of a message that is there.
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

    /// What core B keeps, when it has had time to add up all that happened.
    pub async fn kept(&self) -> Result<Option<Kept>> {
        if !self.handle.driver().has_core_b() {
            return Ok(None);
        }
        self.handle.sim().sleep_for(KEEPER_HAS_DONE).await;
        let cpu = self.handle.cpu("read totals", Priority::User);
        self.handle.driver().read_keeper(&cpu).await.map_err(|error| self.error(error))
    }

    pub async fn totals(&self) -> Result<Totals> {
        Totals::read(&self.handle).await.map_err(|error| self.error(error))
    }
}
