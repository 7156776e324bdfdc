//! A node of a case: both ends of a message play the same operation, and the receiver compares it.

use std::collections::VecDeque;

use host_model::address::UserVirt;
use host_model::library::emp::{From, Messages, Transfer};
use host_model::library::Process;
use nic_layout::PAGE_BYTES;
use nicscope_run::workload::app::{pattern, Totals};
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use sim_pins::Ps;

use super::operation::{Op, What, BYTES_MAX};
use super::plant::Plant;
use crate::language::Seat;

/// Messages of each direction that a process has under way at most.
const UNDER_WAY_MAX: usize = 12;
/// Bytes from the memory of one message to the next.
const STRIDE: u32 = BYTES_MAX.next_multiple_of(PAGE_BYTES) + PAGE_BYTES;

/// A message under way. Its operation has the same number.
struct Message {
    transfer: Transfer,
    number: u32,
    at: UserVirt,
    bytes: u32,
}

/// The process of a node, and its messages.
struct Side<'a> {
    seat: &'a Seat<Op>,
    process: Process<Messages>,
    memory: UserVirt,
    sends: VecDeque<Message>,
    receives: VecDeque<Message>,
}

impl Side<'_> {
    async fn open(seat: &Seat<Op>) -> Result<Side<'_>> {
        let process = seat.handle.open_with::<Messages>("soak").await.map_err(|error| failed!("{error}"))?;
        // One place more than messages: a process fills the next before it waits for the oldest.
        let bytes = 2 * (UNDER_WAY_MAX as u32 + 1) * STRIDE;
        let memory = process.alloc(bytes).map_err(|error| failed!("{error}"))?;
        process.lock(memory, bytes).await.map_err(|error| failed!("{error}"))?;
        Ok(Side { seat, process, memory, sends: VecDeque::new(), receives: VecDeque::new() })
    }

    /// The memory of a message. Neighbours begin at different places of a page.
    fn place(&self, number: u32, is_send: bool) -> UserVirt {
        let places = UNDER_WAY_MAX as u32 + 1;
        let place = number % places + if is_send { 0 } else { places };
        self.memory + place * STRIDE + number * 52 % PAGE_BYTES
    }

    /// Places are used in turn, so those with the same place have ended.
    async fn make_room(&mut self, number: u32, is_send: bool) -> Result<()> {
        let places = UNDER_WAY_MAX as u32 + 1;
        loop {
            let list = if is_send { &self.sends } else { &self.receives };
            let is_taken = list.iter().any(|message| message.number % places == number % places);
            if list.len() < UNDER_WAY_MAX && !is_taken {
                return Ok(());
            }
            match is_send {
                true => self.end_send().await?,
                false => self.end_receive().await?,
            }
        }
    }

    async fn send(&mut self, number: u32, op: &Op) -> Result<()> {
        self.make_room(number, true).await?;
        let at = self.place(number, true);
        self.process.store(at, &pattern(number, op.bytes)).map_err(|error| failed!("{error}"))?;
        let transfer = self.process.send(op.to as u16, number as u16, at, op.bytes).await;
        let transfer = transfer.map_err(|error| failed!("message {number}: {error}"))?;
        self.sends.push_back(Message { transfer, number, at, bytes: op.bytes });
        Ok(())
    }

    /// A third of the receives takes messages of any node: the tag alone names the message.
    async fn receive(&mut self, number: u32, op: &Op) -> Result<()> {
        self.make_room(number, false).await?;
        let at = self.place(number, false);
        let wrong: Vec<u8> = pattern(number, op.bytes).iter().map(|byte| !byte).collect();
        self.process.store(at, &wrong).map_err(|error| failed!("{error}"))?;
        let node = (number % 3 != 0).then_some(op.node as u16);
        let transfer = self.process.receive(From { node, tag: Some(number as u16) }, at, op.bytes).await;
        let transfer = transfer.map_err(|error| failed!("receive {number}: {error}"))?;
        self.receives.push_back(Message { transfer, number, at, bytes: op.bytes });
        Ok(())
    }

    async fn end(&self, message: &Message) -> Result<()> {
        let give_up = self.seat.handle.sim().now() + self.seat.options.give_up;
        let failed =
            |what: String| Error::broken(Statement::Invariant(33), format!("message {}: {what}", message.number));
        loop {
            match self.process.test(&message.transfer).await {
                Ok(Some(())) => return Ok(()),
                Ok(None) if self.seat.handle.sim().now() > give_up => return Err(failed("does not end".into())),
                Ok(None) => self.seat.sleep_us(2).await,
                Err(error) => return Err(failed(error.to_string())),
            }
        }
    }

    async fn end_send(&mut self) -> Result<()> {
        let Some(message) = self.sends.pop_front() else { return Ok(()) };
        self.end(&message).await?;
        self.process.free(message.transfer);
        Ok(())
    }

    async fn end_receive(&mut self) -> Result<()> {
        let Some(message) = self.receives.pop_front() else { return Ok(()) };
        self.end(&message).await?;
        let mut expected = pattern(message.number, message.bytes);
        if let (Some(Plant::WrongByte), Some(byte)) = (self.seat.options.plant, expected.first_mut()) {
            *byte = !*byte;
        }
        let found = self.process.load(message.at, message.bytes).map_err(|error| failed!("{error}"))?;
        if found != expected {
            let statement = Statement::Invariant(27);
            let at = found.iter().zip(&expected).position(|(found, expected)| found != expected);
            let text = format!("{statement}: message {} has a wrong byte at {at:?}", message.number);
            return Err(Error::broken(statement, text));
        }
        self.seat.shared.at(self.seat.handle.sim().now());
        self.process.free(message.transfer);
        Ok(())
    }

    async fn end_all(&mut self) -> Result<()> {
        while !self.receives.is_empty() {
            self.end_receive().await?;
        }
        while !self.sends.is_empty() {
            self.end_send().await?;
        }
        Ok(())
    }

    async fn close(mut self) -> Result<()> {
        self.end_all().await?;
        self.process.close().await.map_err(|error| failed!("{error}"))
    }
}

async fn meet(seat: &Seat<Op>, meetings: &mut u32) {
    *meetings += 1;
    seat.meeting.exchange(&meetings.to_string(), ()).await;
}

/// Time for the NICs to come to rest: all copies of frames that a link may hold back.
const REST: Ps = Ps::from_us(300);

/// Boots the node, and plays its operations to the end of its process.
pub async fn play(seat: Seat<Op>) -> Result<NodeReport> {
    seat.boot().await?;
    let (node, nodes, mut meetings) = (seat.node(), seat.cluster.topology.nodes, 0);
    let mut side = Side::open(&seat).await?;
    meet(&seat, &mut meetings).await;
    for (number, op) in (0..).zip(seat.ops.iter()) {
        match op.what {
            What::Send if op.to < nodes && op.node < nodes && op.to != op.node => {
                if op.node == node {
                    side.send(number, op).await?;
                } else if op.to == node {
                    side.receive(number, op).await?;
                }
            }
            What::Wait if op.node == node => side.end_all().await?,
            What::End if op.node == node => {
                side.close().await?;
                side = Side::open(&seat).await?;
            }
            What::Settle => {
                side.end_all().await?;
                meet(&seat, &mut meetings).await;
            }
            What::Send | What::Wait | What::End => {}
        }
    }
    side.close().await?;
    meet(&seat, &mut meetings).await;
    seat.handle.sim().sleep_for(REST).await;
    seat.sleep_us(seat.cluster.topology.last_frames_us()).await;
    let totals = Totals::read(&seat.handle).await.map_err(|error| failed!("{error}"))?;
    meet(&seat, &mut meetings).await;
    Ok(NodeReport::of_totals(totals))
}
