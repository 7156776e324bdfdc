//! Page accesses of a parallel program (`page_traces`), made one after the other.
//!
//! The watched node, `misses.node`, has the processes whose pages the program accesses, at the
//! addresses of the trace. For an access of the receive path, the other node writes to the page.
//! For an access of the send path, the watched node writes from the page. Pages that the program
//! sends from hold data before it begins. Pages that it only receives into do not exist until the
//! first miss pins them.

use std::collections::{BTreeMap, BTreeSet};

use host_model::address::UserVirt;
use host_model::library::{Export, Process};
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};
use nic_lookup::Path;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::{failed, scenario};
use page_traces::{sample, Access, FIRST_PAGE, PROCESSES_OF_A_NODE};

use super::app::{pattern, App};
use super::message::{Message, Note};
use super::step::{Step, Timed};

/// Seed of the trace, and of the sample of its accesses.
const TRACE_SEED: u64 = 1;
/// Pages of the other node in which messages of the program land in turn.
const SLOTS: u32 = 64;
/// First page of a heap. The pages between it and the shared pages are reserved and never touched.
const HEAP_FIRST_PAGE: u32 = 0x1_0000;
/// Bytes of a token. Its number tells the other node that its turn has come.
const TOKEN_BYTES: u32 = 8;
/// Numbers of tokens lie above those of messages (`scenario::MESSAGES_MAX`).
const FIRST_TOKEN: u32 = 4_000_000;

/// One process of a node, and the buffer of its counterpart on the other node.
struct Side {
    process: Process,
    start: UserVirt,
    peer_export: Export,
}

struct Replay<'a> {
    app: &'a mut App,
    /// The process with identifier n of the trace is at index n - 1.
    sides: Vec<Side>,
    is_watched: bool,
    size_bytes: u32,
}

/// Plays a sample of `workload.iterations` accesses of the program, and compares the pages that it
/// received into.
///
/// # Errors
/// There is no such program, an operation of a process fails, or a page holds wrong bytes (INV-27).
pub async fn step(app: &mut App) -> Result<Step> {
    let workload = app.scenario.workload.clone();
    let (size_bytes, count) = (workload.sizes_bytes[0], workload.iterations as usize);
    let name = workload.program.unwrap_or_default();
    let program = scenario::program(&name).ok_or_else(|| failed!("no program {name:?}"))?;
    let geometry = app.scenario.geometry()?;
    let (sample, _) = sample(geometry, &program.trace(TRACE_SEED), count, TRACE_SEED);
    let is_watched = app.node == app.scenario.misses.node;
    let shared_bytes = program.pages() * PAGE_BYTES;
    let mut sides = Vec::new();
    for side in 0..PROCESSES_OF_A_NODE {
        sides.push(open(app, side, is_watched, shared_bytes).await?);
    }
    let mut replay = Replay { app, sides, is_watched, size_bytes };
    replay.fill_what_is_sent(&sample.accesses)?;
    replay.app.meet("pages").await;
    let before = replay.app.totals().await?;
    replay.app.meet("counted").await;
    let begin = replay.app.now();
    let sent = replay.run(&sample.accesses).await?;
    let end = replay.app.now();
    replay.app.meet("done").await;
    replay.compare(&sample.accesses)?;
    let after = replay.app.totals().await?;
    Ok(Step { size_bytes, sent, begin, end, before, after, timed: Timed::default() })
}

async fn open(app: &mut App, side: u32, is_watched: bool, shared_bytes: u32) -> Result<Side> {
    let wrong = |error: &dyn std::fmt::Display| failed!("node {}: pages: {error}", app.node);
    let process = app.handle.open("program").await.map_err(|error| wrong(&error))?;
    let (start, bytes) = match is_watched {
        true => {
            let reserved = (FIRST_PAGE - HEAP_FIRST_PAGE) * PAGE_BYTES;
            process.alloc(reserved + shared_bytes).map_err(|error| wrong(&error))?;
            (UserVirt(FIRST_PAGE << PAGE_SHIFT), shared_bytes)
        }
        // Slots to receive into, and as many to send from.
        false => (process.alloc(2 * SLOTS * PAGE_BYTES).map_err(|error| wrong(&error))?, SLOTS * PAGE_BYTES),
    };
    let export = process.export(start, bytes).await.map_err(|error| wrong(&error))?;
    let note = Note::Export { export, cold: Vec::new(), region: start.0 };
    let notes = app.meeting.exchange(&format!("program {side}"), note).await;
    let Note::Export { export: peer_export, .. } = notes[app.peer] else {
        return Err(failed!("node {}: the other program came to the meeting without an export", app.node));
    };
    Ok(Side { process, start, peer_export })
}

impl Replay<'_> {
    fn wrong(&self, error: impl std::fmt::Display) -> Error {
        self.app.error(error)
    }

    fn side(&self, pid: u32) -> &Side {
        &self.sides[pid as usize - 1]
    }

    fn slot(k: usize) -> u32 {
        k as u32 % SLOTS * PAGE_BYTES
    }

    /// The bytes that access `k` writes.
    fn data(&self, k: usize) -> Vec<u8> {
        pattern(k as u32 + 1, self.size_bytes)
    }

    fn fill_what_is_sent(&self, accesses: &[Access]) -> Result<()> {
        if !self.is_watched {
            return Ok(());
        }
        let sent: BTreeSet<(u32, u32)> = accesses
            .iter()
            .filter(|access| access.path == Path::Send)
            .map(|access| (access.pid, access.page))
            .collect();
        for (pid, page) in sent {
            let at = UserVirt(page << PAGE_SHIFT);
            self.side(pid).process.store(at, &[1]).map_err(|error| self.wrong(error))?;
        }
        Ok(())
    }

    async fn run(&mut self, accesses: &[Access]) -> Result<Vec<Message>> {
        let mut sent = Vec::new();
        for (k, access) in accesses.iter().enumerate() {
            let is_mine = (access.path == Path::Send) == self.is_watched;
            let is_handed_over = accesses.get(k + 1).is_none_or(|next| next.path != access.path);
            if is_mine {
                self.write(k, access).await?;
                sent.push(Message { number: k as u32 + 1, size_bytes: self.size_bytes, sender: self.app.node });
                if is_handed_over {
                    self.hand_over(k as u32).await?;
                }
            } else {
                if access.path == Path::Send {
                    self.check_slot(k, access).await?;
                }
                if is_handed_over {
                    self.await_turn(k as u32).await?;
                }
            }
            if self.app.node == 0 {
                self.app.advance();
            }
        }
        Ok(sent)
    }

    async fn write(&self, k: usize, access: &Access) -> Result<()> {
        let side = self.side(access.pid);
        let in_region = (access.page - FIRST_PAGE) * PAGE_BYTES;
        let (from, to) = match self.is_watched {
            true => (UserVirt(side.start.0 + in_region), Replay::slot(k)),
            false => (UserVirt(side.start.0 + SLOTS * PAGE_BYTES + Replay::slot(k)), in_region),
        };
        side.process.store(from, &self.data(k)).map_err(|error| self.wrong(error))?;
        let handle = side.process.write(from, self.size_bytes, &side.peer_export, to, k as u32 + 1).await;
        let handle = handle.map_err(|error| self.wrong(error))?;
        side.process.wait(handle).await.map_err(|error| self.wrong(error))
    }

    /// Waits until the message of access `k` is in its slot of this node, and compares its bytes.
    async fn check_slot(&self, k: usize, access: &Access) -> Result<()> {
        let (side, expected) = (self.side(access.pid), self.data(k));
        let at = UserVirt(side.start.0 + Replay::slot(k));
        let arrived = side.process.wait_bytes(at, self.size_bytes, k as u32 + 1, move |bytes| bytes == expected).await;
        arrived.map_err(|error| self.wrong(error))
    }

    /// Gives the turn to the other node, after access `k`. Tokens go between the processes that
    /// every workload has, to a place that stays in the caches.
    async fn hand_over(&mut self, k: u32) -> Result<()> {
        let (from, number) = (self.app.places.send(0), FIRST_TOKEN + k);
        let token: Vec<u8> = [number, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        let start = UserVirt(self.app.region.0 + from);
        self.app.process.store(start, &token).map_err(|error| self.wrong(error))?;
        let handle = self.app.write(from, TOKEN_BYTES, self.app.places.hot(0).into(), number).await?;
        self.app.wait(handle).await
    }

    async fn await_turn(&mut self, k: u32) -> Result<()> {
        let number = FIRST_TOKEN + k;
        let at = UserVirt(self.app.region.0 + self.app.places.hot(0));
        let arrived = self.app.process.wait_bytes(at, 4, number, move |bytes| bytes == number.to_le_bytes()).await;
        arrived.map_err(|error| self.wrong(error))
    }

    /// Compares each accessed page with the bytes of its last access. An access of either path
    /// writes to the page: a message arrives there, or the process fills it before it sends.
    fn compare(&mut self, accesses: &[Access]) -> Result<()> {
        if !self.is_watched {
            return Ok(());
        }
        let last: BTreeMap<(u32, u32), usize> =
            accesses.iter().enumerate().map(|(k, access)| ((access.pid, access.page), k)).collect();
        for ((pid, page), k) in last {
            let at = UserVirt(page << PAGE_SHIFT);
            let found = self.side(pid).process.load(at, self.size_bytes).map_err(|error| self.wrong(error))?;
            if found != self.data(k) {
                return Err(self.wrong(format!("page {page:#x} of process {pid}: not what access {k} wrote (INV-27)")));
            }
        }
        self.app.compared += accesses.len() as u64;
        Ok(())
    }
}
