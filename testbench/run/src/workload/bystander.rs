//! A process whose words all hit, beside a process whose messages miss (facts M-11).
//!
//! Both processes send from the first node of a pair to the other, so a miss of the one may delay
//! the other.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use host_model::address::UserVirt;
use host_model::executor::Sim;
use host_model::library::{Export, Process};
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::failed;
use sim_pins::Ps;

use super::app::App;
use super::message::{Message, Note};
use super::step::{measure, Step};
use super::stream;

/// Interval between two words. A word goes out on time even if earlier words have not arrived.
const PERIOD: Ps = Ps::from_us(20);
/// Bytes of a word: its number, and whether it is the last.
const WORD_BYTES: u32 = 8;
/// Places for words, in turn: so many that no place is written again before it was read.
const SLOTS: u32 = 4096;
/// Posts that may be outstanding. A stall as long as a time-out takes several intervals of words.
const OUTSTANDING: usize = 40;
/// Words that bring their line and their buffer into the caches.
const WARM_UP: u32 = 4;
/// Numbers of words lie above those of all messages of a run (`scenario::MESSAGES_MAX`).
const FIRST_NUMBER: u32 = 4_000_000;

/// The second process of a node.
pub struct Bystander {
    node: usize,
    /// The number of pairs of nodes: the step between the numbers of a pair's words, so numbers of
    /// different pairs differ.
    pairs: u32,
    sim: Sim,
    process: Process,
    region: UserVirt,
    peer_export: Export,
    /// Words that this node has sent, or received.
    words: Cell<u32>,
}

impl Bystander {
    /// Opens the process, exports its region and learns the region of its counterpart.
    ///
    /// # Errors
    /// An operation of the process fails.
    pub async fn open(app: &App) -> Result<Bystander> {
        let App { node, peer, handle, places, meeting, .. } = app;
        let (node, peer) = (*node, *peer);
        let wrong = |error: &dyn std::fmt::Display| failed!("node {node}: bystander: {error}");
        let process = handle.open("bystander").await.map_err(|error| wrong(&error))?;
        // At the offset of the other process's hot places: in no set whose lines are evicted.
        let reserved = process.alloc(places.hot(0) + SLOTS * WORD_BYTES + places.alignment_bytes());
        let reserved = reserved.map_err(|error| wrong(&error))?;
        let region = UserVirt(reserved.0.next_multiple_of(places.alignment_bytes()) + places.hot(0));
        let export = process.export(region, SLOTS * WORD_BYTES).await.map_err(|error| wrong(&error))?;
        let note = Note::Export { export, cold: Vec::new(), region: region.0 };
        let notes = meeting.exchange("bystanders", note).await;
        let Note::Export { export: peer_export, .. } = notes[peer] else {
            return Err(failed!("node {node}: the other bystander came to the meeting without an export"));
        };
        let pairs = (app.scenario.nodes / 2) as u32;
        Ok(Bystander { node, pairs, sim: handle.sim().clone(), process, region, peer_export, words: Cell::new(0) })
    }

    fn wrong(&self, error: impl std::fmt::Display) -> Error {
        failed!("node {}: bystander: {error}", self.node)
    }

    /// The number of word `k` of this pair.
    fn number(&self, k: u32) -> u32 {
        FIRST_NUMBER + k * self.pairs + self.node as u32 / 2
    }

    fn slot(k: u32) -> u32 {
        k % SLOTS * WORD_BYTES
    }

    /// Sends a word every [`PERIOD`] until `is_over`.
    async fn send(self: Rc<Self>, is_over: Rc<Cell<bool>>) -> Result<Vec<Message>> {
        let (mut sent, mut posted) = (Vec::new(), VecDeque::new());
        loop {
            let k = self.words.replace(self.words.get() + 1);
            let (number, is_last) = (self.number(k), is_over.get());
            let from = UserVirt(self.region.0 + Bystander::slot(k));
            let word: Vec<u8> = [number, u32::from(is_last)].iter().flat_map(|word| word.to_le_bytes()).collect();
            self.process.store(from, &word).map_err(|error| self.wrong(error))?;
            if posted.len() == OUTSTANDING {
                let oldest = posted.pop_front().expect("as many as that");
                self.process.wait(oldest).await.map_err(|error| self.wrong(error))?;
            }
            let handle = self.process.write(from, WORD_BYTES, &self.peer_export, Bystander::slot(k), number).await;
            posted.push_back(handle.map_err(|error| self.wrong(error))?);
            sent.push(Message { number, size_bytes: WORD_BYTES, sender: self.node });
            if is_last {
                break;
            }
            self.sim.sleep_for(PERIOD).await;
        }
        for handle in posted {
            self.process.wait(handle).await.map_err(|error| self.wrong(error))?;
        }
        Ok(sent)
    }

    /// Polls for the words in order, up to the last.
    async fn receive(self: Rc<Self>) -> Result<Vec<Message>> {
        loop {
            let k = self.words.replace(self.words.get() + 1);
            let (number, at) = (self.number(k), UserVirt(self.region.0 + Bystander::slot(k)));
            let expected = number.to_le_bytes();
            let arrived = self.process.wait_bytes(at, WORD_BYTES, number, move |bytes| bytes[..4] == expected).await;
            arrived.map_err(|error| self.wrong(error))?;
            let found = self.process.load(at, WORD_BYTES).map_err(|error| self.wrong(error))?;
            if found[4] != 0 {
                return Ok(Vec::new());
            }
        }
    }
}

/// A stream of messages of one size beside the words. The words are measured, and not the messages.
pub async fn step(app: &mut App, bystander: &Rc<Bystander>, size_bytes: u32) -> Result<Step> {
    measure(app, size_bytes, async |app: &mut App, count, measured| {
        Ok(beside(app, bystander, size_bytes, count, measured).await?.into())
    })
    .await
}

async fn beside(
    app: &mut App,
    bystander: &Rc<Bystander>,
    size_bytes: u32,
    count: u32,
    measured: bool,
) -> Result<Vec<Message>> {
    let is_over = Rc::new(Cell::new(false));
    let sim = app.handle.sim().clone();
    let words = match app.is_first() {
        true => sim.spawn("bystander", bystander.clone().send(is_over.clone())),
        false => sim.spawn("bystander", bystander.clone().receive()),
    };
    stream::stream(app, size_bytes, count, measured).await?;
    is_over.set(true);
    let mut sent = words.await?;
    sent.drain(..sent.len().min(WARM_UP as usize));
    Ok(sent)
}
