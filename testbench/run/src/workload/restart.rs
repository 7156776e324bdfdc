//! A NIC that is reset under a stream in both directions, and what becomes of it: both sides go on
//! (INV-12, 27, 28, 31).
//!
//! Node 0 and node 1 write to each other without a pause. After a while the NIC of one of them is
//! reset, with its firmware on it and frames under way. Its process starts anew. The management
//! network carries the new session to the other node. Then both exchange messages of which every
//! byte is compared.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use host_model::address::UserVirt;
use host_model::library::{Access, Export, Process, WriteError};
use nic_layout::post::PostError;
use nicscope_account::results::{Reset, Restart};
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use sim_pins::Ps;

use super::app::pattern;
use super::{NodeReport, Note, Work};
use crate::meeting::Meeting;
use crate::node::Handle;

const PAGE_BYTES: u32 = 4096;
/// No stream before a reset has more messages.
const MESSAGES_MAX: u32 = 100_000;

/// The node at work.
#[derive(Clone)]
struct Player {
    work: Work,
    handle: Handle,
    meeting: Meeting<Note>,
    bytes: u32,
}

/// A process with a buffer, and with memory to send from behind it.
struct Side {
    process: Process,
    at: UserVirt,
    export: Export,
}

/// What a stream has done until it was cut off.
struct CutOff {
    ended_well: u32,
    under_way: u32,
    error: WriteError,
}

/// Plays the workload on one node.
///
/// # Errors
/// An operation of a process fails other than by the reset, or a message has wrong bytes (INV-27).
pub async fn play(work: Work, handle: Handle, meeting: Meeting<Note>) -> Result<NodeReport> {
    let bytes = work.scenario.workload.sizes_bytes[0];
    let player = Player { work, handle, meeting, bytes };
    let plan = player.work.scenario.restart.ok_or_else(|| failed!("the scenario names no node to reset"))?;
    let (node, peer) = (player.work.node, player.other());
    let side = player.open("before").await?;
    let to = player.meet("exports", side.export).await?;
    side.process.connect(&to).await.map_err(|error| player.error(error))?;
    let stream = player.clone().stream(side.process.clone(), player.source(&side), to);
    let stream = player.handle.sim().spawn("stream", stream);

    let (cut_off, arrived, reset, next) = if node == plan.node {
        player.handle.sim().sleep_for(Ps::from_us(plan.after_us)).await;
        let begun = player.now();
        let session = player.handle.reset_nic().await.map_err(|error| player.error(error))?;
        let ready = player.now();
        let cut_off = stream.await?;
        let arrived = player.arrived(&side)?;
        side.process.close().await.map_err(|error| player.error(error))?;
        player.meeting.announce_session(session).await.map_err(|error| player.error(error))?;
        let told = player.now();
        let reset =
            Reset { session, begun_ps: begun.0, ready_after_ps: (ready - begun).0, told_after_ps: (told - ready).0 };
        (cut_off, arrived, Some(reset), player.open("after").await?)
    } else {
        player.meeting.heed_session(peer, &player.handle).await.map_err(|error| player.error(error))?;
        let cut_off = stream.await?;
        (cut_off, player.arrived(&side)?, None, side)
    };
    let is_expected = match cut_off.error {
        WriteError::NicReset => reset.is_some(),
        WriteError::Refused { error, .. } | WriteError::Unclear { error, .. } => {
            reset.is_none() && error == PostError::PeerUnreachable as u32
        }
        _ => false,
    };
    if !is_expected {
        return Err(player.error(cut_off.error));
    }
    let to = player.meet("restarted", next.export).await?;
    next.process.connect(&to).await.map_err(|error| player.error(error))?;
    player.exchange(&next, &to).await?;
    player.meeting.exchange("end", Note::Here).await;
    let restart = Restart {
        ended_well: cut_off.ended_well,
        under_way: cut_off.under_way,
        arrived,
        exchanged: player.work.scenario.workload.iterations,
        reset,
    };
    let report = NodeReport::at_rest(node, &player.handle).await?;
    Ok(NodeReport { restart: Some(restart), compared: u64::from(restart.exchanged), ..report })
}

impl Player {
    fn other(&self) -> usize {
        self.work.scenario.peer(self.work.node)
    }

    fn now(&self) -> Ps {
        self.handle.sim().now()
    }

    fn error(&self, error: impl std::fmt::Display) -> Error {
        failed!("node {}: {error}", self.work.node)
    }

    fn slots(&self) -> u32 {
        self.work.scenario.workload.outstanding
    }

    fn slot_bytes(&self) -> u32 {
        self.bytes.next_multiple_of(PAGE_BYTES)
    }

    fn area_bytes(&self) -> u32 {
        self.slots() * self.slot_bytes()
    }

    fn source(&self, side: &Side) -> UserVirt {
        side.at + self.area_bytes()
    }

    /// The number of message `k` of node `sender`.
    fn number(&self, sender: usize, k: u32) -> u32 {
        k * self.work.scenario.nodes as u32 + sender as u32 + 1
    }

    async fn open(&self, name: &'static str) -> Result<Side> {
        let wrong = |error: &dyn std::fmt::Display| self.error(error);
        let process = self.handle.open(name).await.map_err(|error| wrong(&error))?;
        process.set_pio_bytes_max(self.work.scenario.workload.pio_bytes_max);
        let area = self.area_bytes();
        let at = process.alloc(2 * area).map_err(|error| wrong(&error))?;
        let export = process.export_as(at, area, Access::WRITE).await.map_err(|error| wrong(&error))?;
        process.register(at + area, area).await.map_err(|error| wrong(&error))?;
        Ok(Side { process, at, export })
    }

    /// Gives the export to the peer, and returns the export of the peer.
    async fn meet(&self, name: &str, export: Export) -> Result<Export> {
        let note = Note::Export { export, cold: Vec::new(), region: 0 };
        match self.meeting.exchange(name, note).await.swap_remove(self.other()) {
            Note::Export { export, .. } => Ok(export),
            Note::Here => Err(self.error("the peer came to the meeting without an export")),
        }
    }

    /// Writes one message after the other, until one ends badly.
    async fn stream(self, process: Process, source: UserVirt, to: Export) -> Result<CutOff> {
        let (mut under_way, mut ended_well) = (VecDeque::new(), 0);
        for k in 0..MESSAGES_MAX {
            if under_way.len() as u32 == self.slots() {
                let oldest = under_way.pop_front().expect("it has some");
                if let Err(error) = process.wait(oldest).await {
                    return Ok(CutOff { ended_well, under_way: under_way.len() as u32 + 1, error });
                }
                ended_well += 1;
            }
            let offset = k % self.slots() * self.slot_bytes();
            let number = self.number(self.work.node, k);
            process.store(source + offset, &pattern(number, self.bytes)).map_err(|error| self.error(error))?;
            match process.write(source + offset, self.bytes, &to, offset, number).await {
                Ok(handle) => under_way.push_back(handle),
                Err(error) => return Ok(CutOff { ended_well, under_way: under_way.len() as u32, error }),
            }
            self.work.messages.fetch_add(1, Ordering::Relaxed);
        }
        Err(self.error(format!("{MESSAGES_MAX} messages and no reset")))
    }

    /// How many messages of the stream have arrived whole. Each slot holds whole bytes of two
    /// messages that follow each other there.
    fn arrived(&self, side: &Side) -> Result<u32> {
        let mut arrived = 0;
        for slot in 0..self.slots() {
            let at = side.at + slot * self.slot_bytes();
            let found = side.process.load(at, self.bytes).map_err(|error| self.error(error))?;
            let mut before = vec![0; self.bytes as usize];
            let mut whole = found.iter().all(|byte| *byte == 0).then_some(0);
            for k in (slot..MESSAGES_MAX).step_by(self.slots() as usize) {
                if whole.is_some() {
                    break;
                }
                let next = pattern(self.number(self.other(), k), self.bytes);
                if found == next {
                    whole = Some(k + 1);
                } else if (0..found.len()).all(|byte| [before[byte], next[byte]].contains(&found[byte])) {
                    whole = Some((k + 1).saturating_sub(self.slots()));
                }
                before = next;
            }
            let node = self.work.node;
            let wrong = || {
                let text =
                    format!("node {node}: INV-27: slot {slot} holds bytes of no two messages that follow each other");
                Error::broken(Statement::Invariant(27), text)
            };
            arrived = arrived.max(whole.ok_or_else(wrong)?);
        }
        Ok(arrived)
    }

    /// Messages in turn: the first node writes, the other compares and writes back.
    async fn exchange(&self, side: &Side, to: &Export) -> Result<()> {
        let (node, peer) = (self.work.node, self.other());
        for k in MESSAGES_MAX..MESSAGES_MAX + self.work.scenario.workload.iterations {
            let offset = k % self.slots() * self.slot_bytes();
            if node > peer {
                self.receive(side, offset, self.number(peer, k)).await?;
            }
            let (source, number) = (self.source(side) + offset, self.number(node, k));
            side.process.store(source, &pattern(number, self.bytes)).map_err(|error| self.error(error))?;
            let written = side.process.write(source, self.bytes, to, offset, number).await;
            let handle = written.map_err(|error| self.error(error))?;
            side.process.wait(handle).await.map_err(|error| self.error(error))?;
            if node < peer {
                self.receive(side, offset, self.number(peer, k)).await?;
            }
            self.work.messages.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn receive(&self, side: &Side, offset: u32, number: u32) -> Result<()> {
        let expected = pattern(number, self.bytes);
        let arrives = side.process.wait_bytes(side.at + offset, self.bytes, number, move |found| found == expected);
        arrives.await.map_err(|error| self.error(error))
    }
}
