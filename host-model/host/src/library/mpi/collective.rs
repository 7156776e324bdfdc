//! Barrier and broadcast, of messages between ranks.

use super::error::MpiError;
use super::state::{Communicator, Operation, Request, TAG_MAX};
use crate::address::UserVirt;

/// Collective operations whose messages have tags of their own, before tags are used again.
const OPERATIONS: u32 = 4096;
/// Tags of one collective operation: one for each round of a barrier among up to 128 ranks.
const ROUNDS: u32 = 8;

impl Communicator {
    /// Waits until all ranks have come to the barrier: dissemination in ceil(log2 n) rounds. In
    /// round k a rank sends an empty message to the rank 2^k behind it, and waits for a message of
    /// the rank 2^k before it.
    ///
    /// # Errors
    /// A message fails.
    pub async fn barrier(&self) -> Result<(), MpiError> {
        let operation = self.next_collective();
        let (mut distance, mut round) = (1, 0);
        while distance < self.size {
            let tag = tag_of(operation, round);
            let (to, from) = ((self.rank + distance) % self.size, (self.rank + self.size - distance) % self.size);
            // An empty message needs no memory.
            let receive = self.start_receive(from, tag, UserVirt(0), 0).await?;
            let send = self.start_send(to, tag, UserVirt(0), 0).await?;
            self.wait(send).await?;
            self.wait(receive).await?;
            (distance, round) = (2 * distance, round + 1);
        }
        Ok(())
    }

    /// Sends the bytes of `root` to all ranks, along a binomial tree: a rank that has the bytes
    /// sends them to the rank 2^k behind it, for falling k. Ranks are counted from the root.
    ///
    /// # Errors
    /// No such rank, or a message fails.
    pub async fn broadcast(&self, root: u32, data: UserVirt, bytes: u32) -> Result<(), MpiError> {
        if root >= self.size {
            return Err(MpiError::NoRank { rank: root, last: self.size - 1 });
        }
        let tag = tag_of(self.next_collective(), 0);
        let from_root = (self.rank + self.size - root) % self.size;
        let mut distance = 1;
        while distance < self.size && from_root & distance == 0 {
            distance *= 2;
        }
        if from_root != 0 {
            let parent = (from_root - distance + root) % self.size;
            let receive = self.start_receive(parent, tag, data, bytes).await?;
            self.wait(receive).await?;
        }
        let mut sends = Vec::new();
        distance /= 2;
        while distance > 0 {
            let child = from_root + distance;
            if child < self.size {
                sends.push(self.start_send((child + root) % self.size, tag, data, bytes).await?);
            }
            distance /= 2;
        }
        for send in sends {
            self.wait(send).await?;
        }
        Ok(())
    }

    fn next_collective(&self) -> u32 {
        let mut state = self.state.borrow_mut();
        state.collectives += 1;
        state.collectives
    }

    async fn start_send(&self, to: u32, tag: u16, data: UserVirt, bytes: u32) -> Result<Request, MpiError> {
        self.start(Operation::Send { to, tag, data, bytes }).await
    }

    async fn start_receive(&self, from: u32, tag: u16, room: UserVirt, bytes: u32) -> Result<Request, MpiError> {
        self.start(Operation::Receive { from: Some(from), tag: Some(tag), room, bytes }).await
    }
}

/// The tag of the messages of a round of a collective operation.
fn tag_of(operation: u32, round: u32) -> u16 {
    TAG_MAX + 1 + (operation % OPERATIONS * ROUNDS + round) as u16
}
