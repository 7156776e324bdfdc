//! A process and its messages.

use host_model::address::UserVirt;
use host_model::library::emp::{From, MessageError, Messages, Transfer};
use host_model::library::Process;
use nic_layout::personality::emp::descriptor::{Failure, RESERVED_TAG_MIN};
use nic_layout::personality::emp::OPEN_NUMBERS;
use nic_layout::PAGE_BYTES;
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use super::board::{broken, End, Sent, Wanted};
use super::number::Number;
use super::operation::{Op, ANY_SOURCE, ANY_TAG, BYTES_MAX, KEEP, OF_RECEIVE};
use super::plant::Plant;
use crate::case::NODES_MAX;
use crate::language::Seat;

/// Places for messages of each direction: so many of a size. The small ones are for many messages
/// that are open at once.
pub const PLACES: [(u32, u32); 3] = [(64, 1500), (9, 40_000), (2, BYTES_MAX)];
/// Numbers from the oldest open message to a peer on, at most: less than the NIC has for a peer, by
/// what single posts may add.
const NUMBERS_MAX: u32 = OPEN_NUMBERS * 3 / 4;
/// Looks at all messages before a post that finds no place is left out.
const LOOKS: u32 = 12;
/// Memory for one message.
#[derive(Clone, Copy)]
struct Place {
    at: UserVirt,
    bytes: u32,
    is_free: bool,
}

/// A message, or a receive, that was posted.
pub struct Message {
    pub transfer: Transfer,
    pub number: Number,
    pub place: usize,
    op: Op,
    pub is_send: bool,
    /// Sends to its peer that were posted before it.
    before: u32,
    /// It was given up.
    is_given_up: bool,
}

/// The process of a node, and its messages.
pub struct Side<'a> {
    pub seat: &'a Seat<Op>,
    pub process: Process<Messages>,
    places: [Vec<Place>; 2],
    pub open: Vec<Message>,
    /// Ended messages that keep their descriptors.
    kept: Vec<Message>,
    /// Sends to each node that were posted.
    sent: [u32; NODES_MAX],
}

impl Side<'_> {
    /// A process with locked memory.
    pub async fn open(seat: &Seat<Op>) -> Result<Side<'_>> {
        let process = seat.handle.open_with::<Messages>("soak").await.map_err(|error| failed!("{error}"))?;
        let mut places = [Vec::new(), Vec::new()];
        for places in &mut places {
            for (count, bytes) in PLACES {
                // Neighbours begin at different places of a page.
                let apart = if bytes < PAGE_BYTES { bytes } else { bytes.next_multiple_of(PAGE_BYTES) } + 1300;
                let all = count * apart;
                let start = process.alloc(all).map_err(|error| failed!("{error}"))?;
                process.lock(start, all).await.map_err(|error| failed!("{error}"))?;
                for index in 0..count {
                    let at = start + index * apart + bytes % 77;
                    places.push(Place { at, bytes, is_free: true });
                }
            }
        }
        Ok(Side { seat, process, places, open: Vec::new(), kept: Vec::new(), sent: [0; NODES_MAX] })
    }

    fn node(&self) -> usize {
        self.seat.node()
    }

    /// Whether a place of a direction is free.
    pub fn is_free(&self, is_send: bool, place: usize) -> bool {
        self.places[usize::from(is_send)][place].is_free
    }

    /// The smallest free place with room, after some looks.
    async fn place_within(&mut self, looks: u32, bytes: u32, is_send: bool) -> Result<Option<usize>> {
        for _ in 0..looks {
            let places = &self.places[usize::from(is_send)];
            let found = places.iter().position(|place| place.is_free && place.bytes >= bytes);
            if found.is_some() {
                return Ok(found);
            }
            self.look().await?;
            self.seat.sleep_us(5).await;
        }
        Ok(None)
    }

    /// Posts a message or a receive. It is left out if there is no place for it, or no descriptor.
    pub async fn post(&mut self, number: u32, op: &Op) -> Result<()> {
        if let Some(place) = self.place_within(LOOKS, op.bytes, op.is_of_send()).await? {
            self.post_at(Number { op: number, index: 0 }, op, place).await?;
        }
        Ok(())
    }

    /// Posts a message or a receive in a free place. False: there is no descriptor.
    pub async fn post_at(&mut self, number: Number, op: &Op, place: usize) -> Result<bool> {
        let is_send = op.is_of_send();
        self.places[usize::from(is_send)][place].is_free = false;
        let at = self.prepare(number, op, place, is_send)?;
        let posted = match is_send {
            true => self.process.send(op.peer as u16, op.tag, at, op.bytes).await,
            false => {
                let node = (!op.has(ANY_SOURCE)).then_some(op.peer as u16);
                let tag = (!op.has(ANY_TAG)).then_some(op.tag);
                self.process.receive(From { node, tag }, at, op.bytes).await
            }
        };
        match posted {
            Ok(transfer) => {
                let before = self.sent[op.peer];
                self.sent[op.peer] += u32::from(is_send);
                self.open.push(Message { transfer, number, place, op: *op, is_send, before, is_given_up: false });
            }
            Err(MessageError::NoDescriptor { .. }) => {
                self.forget(number, is_send);
                self.places[usize::from(is_send)][place].is_free = true;
                return Ok(false);
            }
            Err(error) => return Err(failed!("post {number}: {error}")),
        }
        Ok(true)
    }

    /// Fills the memory of a message, and tells the model before anything can come of it.
    fn prepare(&self, number: Number, op: &Op, place: usize, is_send: bool) -> Result<UserVirt> {
        let at = self.places[usize::from(is_send)][place].at;
        let node = self.node();
        let content = {
            let mut board = self.seat.shared.lock();
            if is_send {
                let Op { peer: to, tag, bytes, .. } = *op;
                let pattern = number.pattern();
                board.send(Sent { number, pattern, node, to, tag, bytes, end: End::Open, has_come: false })
            } else {
                let source = (!op.has(ANY_SOURCE)).then_some(op.peer);
                board.receives.insert((node, number), Wanted { source, tag: (!op.has(ANY_TAG)).then_some(op.tag) });
                let causes = &mut board.causes[node];
                causes.least_room = Some(causes.least_room.map_or(op.bytes, |room| room.min(op.bytes)));
                pattern(!number.pattern(), op.bytes)
            }
        };
        self.process.store(at, &content).map_err(|error| failed!("{error}"))?;
        Ok(at)
    }

    /// It was not posted after all.
    fn forget(&self, number: Number, is_send: bool) {
        let mut board = self.seat.shared.lock();
        match is_send {
            true => board.sends.retain(|sent| sent.number != number),
            false => _ = board.receives.remove(&(self.node(), number)),
        }
    }

    /// Posts a message again that has ended, with new bytes.
    pub async fn again(&mut self, number: u32, op: &Op) -> Result<()> {
        let is_send = !op.has(OF_RECEIVE);
        let Some(index) = self.kept.iter().position(|message| message.is_send == is_send) else { return Ok(()) };
        let message = self.kept.remove(index);
        let number = Number { op: number, index: 0 };
        self.prepare(number, &message.op, message.place, is_send)?;
        self.process.post_again(&message.transfer).await.map_err(|error| failed!("post {number}: {error}"))?;
        self.seat.shared.lock().count("messages posted again");
        let before = self.sent[message.op.peer];
        self.sent[message.op.peer] += u32::from(is_send);
        self.open.push(Message { number, before, is_given_up: false, ..message });
        Ok(())
    }

    /// Gives the youngest message up.
    pub async fn cancel(&mut self, op: &Op) -> Result<()> {
        let is_send = !op.has(OF_RECEIVE);
        match self.open.iter().rposition(|message| message.is_send == is_send) {
            Some(index) => self.give_up(index).await,
            None => Ok(()),
        }
    }

    /// Whether a send to a peer may be posted: the NIC takes no more while so many numbers stand
    /// behind the oldest open message. A message without a receive would keep the process in its
    /// next post, so it is given up before.
    pub async fn has_number(&mut self, peer: usize) -> Result<bool> {
        let Some(index) = self.open.iter().position(|it| it.is_send && it.op.peer == peer) else { return Ok(true) };
        if self.sent[peer] - self.open[index].before < NUMBERS_MAX || self.has_ended(index).await? {
            return Ok(true);
        }
        if !self.open[index].is_given_up {
            self.seat.shared.lock().count("sends given up for their numbers");
            self.give_up(index).await?;
        }
        Ok(false)
    }

    /// Gives the messages with some numbers up.
    pub async fn give_up_of(&mut self, count: &'static str, of: impl Fn(Number) -> bool) -> Result<()> {
        self.seat.shared.lock().count(count);
        for index in 0..self.open.len() {
            if of(self.open[index].number) {
                self.give_up(index).await?;
            }
        }
        Ok(())
    }

    async fn give_up(&mut self, index: usize) -> Result<()> {
        self.open[index].is_given_up = true;
        let Message { transfer, is_send, number, .. } = &self.open[index];
        {
            let mut board = self.seat.shared.lock();
            let causes = &mut board.causes[self.node()];
            match is_send {
                true => causes.gave_sends_up = true,
                false => causes.gave_receives_up = true,
            }
        }
        self.process.cancel(transfer).await.map_err(|error| failed!("message {number}: {error}"))
    }

    /// Looks at every open message once, and tells the model of those that have ended.
    pub async fn look(&mut self) -> Result<()> {
        let mut index = 0;
        while index < self.open.len() {
            if !self.has_ended(index).await? {
                index += 1;
            }
        }
        Ok(())
    }

    /// The same of the oldest messages of a direction with some numbers, up to the first that has
    /// not ended.
    pub async fn look_at_oldest(&mut self, is_send: bool, of: impl Fn(Number) -> bool) -> Result<()> {
        while let Some(index) = self.open.iter().position(|it| it.is_send == is_send && of(it.number)) {
            if !self.has_ended(index).await? {
                break;
            }
        }
        Ok(())
    }

    /// Looks at an open message. If it has ended, the model is told, and it is open no more.
    async fn has_ended(&mut self, index: usize) -> Result<bool> {
        let message = &self.open[index];
        let failure = match self.process.test(&message.transfer).await {
            Ok(None) => return Ok(false),
            Ok(Some(())) => None,
            Err(MessageError::Failed(failure)) => Some(failure),
            Err(MessageError::WildStat { .. }) if self.is_hostile() => return Ok(false),
            Err(error) => return Err(failed!("message {}: {error}", message.number)),
        };
        let message = self.open.remove(index);
        self.end(&message, failure).await?;
        if message.op.has(KEEP) {
            self.kept.push(message);
        } else {
            self.places[usize::from(message.is_send)][message.place].is_free = true;
            self.process.free(message.transfer);
        }
        Ok(true)
    }

    /// The model judges the end of a message.
    async fn end(&self, message: &Message, failure: Option<Failure>) -> Result<()> {
        let Message { number, op, is_send, .. } = message;
        let node = self.node();
        let arrival = match (is_send, failure) {
            (false, None) => Some(self.process.arrival(&message.transfer).await.map_err(|error| failed!("{error}"))?),
            _ => None,
        };
        let mut board = self.seat.shared.lock();
        if *is_send {
            let end = if failure.is_none() { End::Done } else { End::Failed };
            board.sends.iter_mut().filter(|sent| sent.number == *number).for_each(|sent| sent.end = end);
        } else {
            board.receives.remove(&(node, *number));
        }
        if let Some(failure) = failure {
            let peer = (*is_send || !op.has(ANY_SOURCE)).then_some(op.peer);
            return board.failed(node, if *is_send { "send" } else { "receive" }, peer, op.bytes, failure);
        }
        board.count("messages that have ended well");
        let Some(arrival) = arrival else { return Ok(()) };
        let is_tag = match op.has(ANY_TAG) {
            true => arrival.tag < RESERVED_TAG_MIN,
            false => arrival.tag == op.tag,
        };
        let is_wrong = arrival.bytes > op.bytes || !is_tag;
        if is_wrong && !board.causes[node].is_hostile {
            return Err(broken(27, format!("receive {number} of node {node}, {op}, has taken {arrival:?}")));
        }
        let at = self.places[0][message.place].at;
        let mut found = self.process.load(at, arrival.bytes.min(op.bytes)).map_err(|error| failed!("{error}"))?;
        match (self.seat.options.plant, found.last_mut()) {
            (Some(Plant::WrongByte), Some(byte)) => *byte = !*byte,
            (Some(Plant::ToldNever), _) => return Ok(()),
            (Some(Plant::ToldTwice), Some(_)) => {
                board.come(node, arrival.node.into(), arrival.tag, &found)?;
            }
            _ => {}
        }
        board.come(node, arrival.node.into(), arrival.tag, &found)
    }

    /// The numbers of the open messages, for a report.
    pub fn names(&self) -> String {
        self.open.iter().map(|message| message.number.to_string()).collect::<Vec<_>>().join(", ")
    }

    fn is_hostile(&self) -> bool {
        self.seat.shared.lock().causes[self.node()].is_hostile
    }

    /// Gives everything up that is open, and waits for its end.
    pub async fn end_all(&mut self) -> Result<()> {
        for index in 0..self.open.len() {
            self.give_up(index).await?;
        }
        let give_up = self.seat.handle.sim().now() + self.seat.options.give_up;
        while !self.open.is_empty() && !self.is_hostile() {
            self.look().await?;
            if self.seat.handle.sim().now() > give_up {
                let open = self.names();
                return Err(broken(
                    33,
                    format!("messages {open} of node {} were given up, and do not end", self.node()),
                ));
            }
            self.seat.sleep_us(2).await;
        }
        Ok(())
    }

    /// The process is not there any more. What it had posted is lost.
    pub fn lose(&self) {
        let node = self.node();
        let mut board = self.seat.shared.lock();
        for sent in board.sends.iter_mut().filter(|sent| sent.node == node && sent.end == End::Open) {
            sent.end = End::Lost;
        }
        board.receives.retain(|(of, _), _| *of != node);
    }
}
