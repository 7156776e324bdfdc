//! A process and its messages.

use host_model::address::UserVirt;
use host_model::library::emp::{From, MessageError, Messages, Transfer};
use host_model::library::Process;
use nic_layout::personality::emp::descriptor::{Failure, RESERVED_TAG_MIN};
use nic_layout::PAGE_BYTES;
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;

use super::board::{broken, End, Sent, Wanted, SEEN_AFTER};
use super::number::Number;
use super::operation::{Op, ANY_SOURCE, ANY_TAG, BYTES_MAX, KEEP, OF_RECEIVE};
use super::plant::Plant;
use crate::language::Seat;

/// Places for messages of each direction: so many of a size. The small ones are for many messages
/// that are open at once.
const PLACES: [(u32, u32); 3] = [(64, 1500), (9, 40_000), (2, BYTES_MAX)];
/// Looks at all messages before a post that finds no place is left out.
const LOOKS: u32 = 12;
/// Looks at the oldest message before a burst that finds no place gives up what earlier operations
/// have posted.
const LOOKS_BEFORE_LEFT: u32 = 20;
/// The same before it gives up everything.
const LOOKS_OF_BURST: u32 = 400;
/// The longest time that a burst waits for its peer, which may wait for others: less than an
/// operation may take.
const PARTNER_MAX: Ps = Ps::from_us(100_000);

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
    place: usize,
    op: Op,
    is_send: bool,
}

/// The process of a node, and its messages.
pub struct Side<'a> {
    pub seat: &'a Seat<Op>,
    pub process: Process<Messages>,
    places: [Vec<Place>; 2],
    pub open: Vec<Message>,
    /// Ended messages that keep their descriptors.
    kept: Vec<Message>,
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
        Ok(Side { seat, process, places, open: Vec::new(), kept: Vec::new() })
    }

    fn node(&self) -> usize {
        self.seat.node()
    }

    /// The smallest free place with room for a message of a burst. `burst`: its number.
    async fn place_of_burst(&mut self, op: &Op, burst: u32, bytes: u32) -> Result<Option<usize>> {
        let is_send = op.is_of_send();
        // The second look sees a place that the first one freed.
        let found = self.place_within(2, bytes, is_send, true).await?;
        if found.is_some() {
            return Ok(found);
        }
        self.come_to_burst(burst);
        self.wait_for_partner(op, burst).await?;
        let found = self.place_within(LOOKS_BEFORE_LEFT, bytes, is_send, true).await?;
        if found.is_some() {
            return Ok(found);
        }
        // Messages without a partner keep their places. Every burst would wait for them until the
        // next comparison. Those of earlier operations are given up first: most have no partner.
        self.give_up_of(is_send, "bursts that gave earlier messages up", |number| number.op != burst).await?;
        let found = self.place_within(LOOKS_OF_BURST, bytes, is_send, true).await?;
        if found.is_some() {
            return Ok(found);
        }
        self.give_up_of(is_send, "bursts that gave messages up", |_| true).await?;
        self.place_within(LOOKS_OF_BURST, bytes, is_send, true).await
    }

    /// Gives up the messages of a direction with some numbers.
    async fn give_up_of(&mut self, is_send: bool, count: &'static str, of: impl Fn(Number) -> bool) -> Result<()> {
        self.seat.shared.lock().count(count);
        for index in 0..self.open.len() {
            if self.open[index].is_send == is_send && of(self.open[index].number) {
                self.give_up(index).await?;
            }
        }
        Ok(())
    }

    /// Other nodes may see that this one has come to a burst.
    pub fn come_to_burst(&self, number: u32) {
        let visible = self.seat.handle.sim().now() + SEEN_AFTER;
        self.seat.shared.lock().come_to_burst(self.node(), number, visible);
    }

    /// Waits until the peer has come to its part of a burst, if it has one.
    async fn wait_for_partner(&mut self, op: &Op, burst: u32) -> Result<()> {
        let is_send = op.is_of_send();
        let other = if is_send { burst + 1 } else { burst.saturating_sub(1) };
        let is_partner =
            |it: &&Op| it.is_burst() && it.is_of_send() != is_send && (it.node, it.peer) == (op.peer, op.node);
        if self.seat.ops.get(other as usize).filter(is_partner).is_none() {
            return Ok(());
        }
        let limit = self.seat.handle.sim().now() + PARTNER_MAX;
        loop {
            let now = self.seat.handle.sim().now();
            if now >= limit || self.seat.shared.lock().is_at_burst(op.peer, other, now) {
                return Ok(());
            }
            self.look_at_oldest(is_send).await?;
            self.seat.sleep_us(5).await;
        }
    }

    /// The smallest free place with room, after some looks. `in_order`: messages mostly end so.
    async fn place_within(&mut self, looks: u32, bytes: u32, is_send: bool, in_order: bool) -> Result<Option<usize>> {
        for _ in 0..looks {
            let places = &self.places[usize::from(is_send)];
            let found = places.iter().position(|place| place.is_free && place.bytes >= bytes);
            if found.is_some() {
                return Ok(found);
            }
            match in_order {
                true => self.look_at_oldest(is_send).await?,
                false => self.look().await?,
            }
            self.seat.sleep_us(5).await;
        }
        Ok(None)
    }

    /// Posts what an operation says. A burst ends with the first message that has no place.
    pub async fn post(&mut self, number: u32, op: &Op) -> Result<()> {
        if !op.is_burst() {
            return self.post_one(Number { op: number, index: 0 }, op, None).await.map(|_| ());
        }
        // A message without a receive is refused, and comes again after a pause. Few bursts begin with
        // such messages.
        if op.is_of_send() && number % 8 != 0 {
            self.wait_for_partner(op, number).await?;
        }
        for index in 0..op.flags {
            if !self.post_one(Number { op: number, index }, &op.one(index), Some(op)).await? {
                break;
            }
        }
        Ok(())
    }

    /// False: there is no place, or no descriptor.
    async fn post_one(&mut self, number: Number, op: &Op, burst: Option<&Op>) -> Result<bool> {
        let is_send = op.is_of_send();
        let found = match burst {
            Some(burst) => self.place_of_burst(burst, number.op, op.bytes).await?,
            None => self.place_within(LOOKS, op.bytes, is_send, false).await?,
        };
        let Some(place) = found else { return Ok(false) };
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
            Ok(transfer) => self.open.push(Message { transfer, number, place, op: *op, is_send }),
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
        let mut bytes = pattern(number.pattern(), op.bytes);
        if !is_send {
            bytes.iter_mut().for_each(|byte| *byte = !*byte);
        }
        self.process.store(at, &bytes).map_err(|error| failed!("{error}"))?;
        let node = self.node();
        let mut board = self.seat.shared.lock();
        if is_send {
            let Op { peer, tag, bytes, .. } = *op;
            board.sends.push(Sent { number, node, to: peer, tag, bytes, end: End::Open, has_come: false });
        } else {
            let source = (!op.has(ANY_SOURCE)).then_some(op.peer);
            board.receives.insert((node, number), Wanted { source, tag: (!op.has(ANY_TAG)).then_some(op.tag) });
            let causes = &mut board.causes[node];
            causes.least_room = Some(causes.least_room.map_or(op.bytes, |room| room.min(op.bytes)));
        }
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
        self.open.push(Message { number, ..message });
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

    async fn give_up(&self, index: usize) -> Result<()> {
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

    /// The same of the oldest messages of a direction, up to the first that has not ended.
    async fn look_at_oldest(&mut self, is_send: bool) -> Result<()> {
        while let Some(index) = self.open.iter().position(|message| message.is_send == is_send) {
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
