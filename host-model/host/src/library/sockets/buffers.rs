//! Locked memory of a connection, cut into buffers, each with at most one posted message.

use std::collections::VecDeque;

use nic_layout::PAGE_BYTES;
use sim_pins::Ps;

use super::error::SocketError;
use super::wire::{Header, HEADER_BYTES};
use crate::address::UserVirt;
use crate::library::emp::{From, MessageError, Messages, Transfer};
use crate::library::process::Process;

/// Buffers side by side in locked memory.
struct Memory {
    start: UserVirt,
    bytes: u32,
}

impl Memory {
    async fn new(process: &Process<Messages>, count: u32, bytes: u32) -> Result<Memory, SocketError> {
        let all = (count * bytes).next_multiple_of(PAGE_BYTES);
        let start = process.alloc(all)?;
        process.lock(start, all).await?;
        process.learn(start, all).await?;
        Ok(Memory { start, bytes })
    }

    fn room(&self, buffer: u32) -> UserVirt {
        self.start + buffer * self.bytes
    }
}

/// Buffers with posted receives of one source and tag. Messages fill them in the order of the
/// posts.
pub(super) struct Receives {
    memory: Memory,
    /// In the order of their posts.
    posted: VecDeque<(Transfer, u32)>,
}

/// A buffer that a message has filled, with its receive that has ended.
pub(super) struct Filled {
    transfer: Transfer,
    buffer: u32,
    pub header: Header,
    /// The bytes behind the header.
    pub data: UserVirt,
}

impl Filled {
    /// The node that sent the message.
    pub async fn source(&self, process: &Process<Messages>) -> Result<u16, SocketError> {
        Ok(process.arrival(&self.transfer).await?.node)
    }
}

impl Receives {
    pub async fn new(process: &Process<Messages>, from: From, count: u32, bytes: u32) -> Result<Receives, SocketError> {
        let memory = Memory::new(process, count, bytes).await?;
        let mut posted = VecDeque::new();
        for buffer in 0..count {
            posted.push_back((process.receive(from, memory.room(buffer), bytes).await?, buffer));
        }
        Ok(Receives { memory, posted })
    }

    /// Looks once whether the oldest receive has ended. A message that is none of this library is
    /// dropped.
    pub async fn take(&mut self, process: &Process<Messages>) -> Result<Option<Filled>, SocketError> {
        let Some((transfer, _)) = self.posted.front() else { return Ok(None) };
        if process.test(transfer).await?.is_none() {
            return Ok(None);
        }
        let Some((transfer, buffer)) = self.posted.pop_front() else { return Ok(None) };
        let at = self.memory.room(buffer);
        match Header::of_bytes(&process.load(at, HEADER_BYTES)?) {
            Some(header) => Ok(Some(Filled { transfer, buffer, header, data: at + HEADER_BYTES })),
            None => {
                process.post_again(&transfer).await?;
                self.posted.push_back((transfer, buffer));
                Ok(None)
            }
        }
    }

    /// Posts the receive of a buffer again.
    pub async fn give_back(&mut self, process: &Process<Messages>, filled: Filled) -> Result<(), SocketError> {
        process.post_again(&filled.transfer).await?;
        self.posted.push_back((filled.transfer, filled.buffer));
        Ok(())
    }

    /// Gives all receives up, and their descriptors back.
    pub async fn end(&mut self, process: &Process<Messages>, filled: impl Iterator<Item = Filled>) {
        filled.for_each(|filled| process.free(filled.transfer));
        for (transfer, _) in std::mem::take(&mut self.posted) {
            give_up(process, transfer).await;
        }
    }
}

/// Buffers for messages to send.
pub(super) struct Sends {
    memory: Memory,
    free: Vec<u32>,
    /// In the order of their posts, with the time of the post.
    posted: VecDeque<(Transfer, u32, Ps)>,
}

impl Sends {
    pub async fn new(process: &Process<Messages>, count: u32, bytes: u32) -> Result<Sends, SocketError> {
        Ok(Sends {
            memory: Memory::new(process, count, bytes).await?,
            free: (0..count).collect(),
            posted: VecDeque::new(),
        })
    }

    pub fn has_free(&self) -> bool {
        !self.free.is_empty()
    }

    pub fn is_idle(&self) -> bool {
        self.posted.is_empty()
    }

    /// The time of the oldest post that has not ended.
    pub fn oldest(&self) -> Option<Ps> {
        self.posted.front().map(|(_, _, at)| *at)
    }

    /// Copies a message to a free buffer, and posts it. There must be a free buffer.
    pub async fn post(
        &mut self,
        process: &Process<Messages>,
        to: (u16, u16),
        header: Header,
        data: &[u8],
    ) -> Result<(), SocketError> {
        let Some(buffer) = self.free.pop() else { return Ok(()) };
        let at = self.memory.room(buffer);
        process.store(at, &header.to_bytes())?;
        process.store(at + HEADER_BYTES, data)?;
        let (node, tag) = to;
        let transfer = process.send(node, tag, at, HEADER_BYTES + data.len() as u32).await?;
        self.posted.push_back((transfer, buffer, process.cpu().sim().now()));
        Ok(())
    }

    /// Looks once whether the oldest send has ended.
    pub async fn look(&mut self, process: &Process<Messages>) -> Result<(), SocketError> {
        let Some((transfer, ..)) = self.posted.front() else { return Ok(()) };
        let end = process.test(transfer).await;
        if end == Ok(None) {
            return Ok(());
        }
        if let Some((transfer, buffer, _)) = self.posted.pop_front() {
            process.free(transfer);
            self.free.push(buffer);
        }
        end?;
        Ok(())
    }

    /// Gives all sends up, and their descriptors back.
    pub async fn end(&mut self, process: &Process<Messages>) {
        for (transfer, buffer, _) in std::mem::take(&mut self.posted) {
            give_up(process, transfer).await;
            self.free.push(buffer);
        }
    }
}

/// Cancels a message, and waits for its end. After a reset of the NIC there is nothing to cancel.
async fn give_up(process: &Process<Messages>, transfer: Transfer) {
    if process.cancel(&transfer).await.is_err() {
        return;
    }
    loop {
        match process.test(&transfer).await {
            Ok(None) => {}
            Ok(Some(())) | Err(MessageError::Failed(_)) => break,
            Err(_) => return,
        }
    }
    process.free(transfer);
}
