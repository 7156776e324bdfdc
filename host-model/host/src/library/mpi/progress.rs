//! Requests on their way to their end. The NIC does the work; the library polls descriptors, and
//! posts requests that found no descriptor.
//!
//! Messages of a rank to itself reach a receive without the NIC.

use nic_layout::personality::emp::descriptor::{
    chain_descriptors, Failure, CHAIN_PAGES_MAX, RECEIVE_DESCRIPTORS, SEND_DESCRIPTORS,
};

use super::error::MpiError;
use super::state::{Communicator, Operation, Stage, Status};
use crate::address::UserVirt;
use crate::library::emp::{From, MessageError};

/// Descriptors that one request takes at most.
const CHAIN_MAX: u32 = chain_descriptors(CHAIN_PAGES_MAX);
/// Descriptors of each kind that requests leave to collective operations.
const KEPT: u32 = 16;

impl Communicator {
    /// Looks at a request once. While requests wait for descriptors, all requests are looked at,
    /// since each that ends has descriptors to give.
    pub(super) async fn progress(&self, number: u64) -> Result<(), MpiError> {
        let (has_waiting, looked_at) = {
            let requests = &self.state.borrow().requests;
            let has_waiting = requests.values().any(|entry| matches!(entry.stage, Stage::Waiting));
            let looked_at = requests.keys().copied().filter(|at| *at == number || has_waiting);
            (has_waiting, looked_at.collect::<Vec<u64>>())
        };
        for number in looked_at {
            self.look(number).await?;
        }
        if has_waiting {
            self.post_waiting(true).await?;
            self.post_waiting(false).await?;
        }
        Ok(())
    }

    /// A receive from the own rank alone ends only if a message is there.
    pub(super) fn is_possible(&self, number: u64) -> Result<(), MpiError> {
        match self.state.borrow().requests.get(&number).map(|entry| &entry.stage) {
            Some(Stage::Own) => Err(MpiError::NotSent),
            _ => Ok(()),
        }
    }

    /// Polls the descriptor of a request once, and takes its end.
    pub(super) async fn look(&self, number: u64) -> Result<(), MpiError> {
        let Some((operation, transfer)) = self.posted(number) else { return Ok(()) };
        let end = match self.process.test(&transfer).await {
            Ok(None) => return Ok(()),
            Ok(Some(())) => match operation {
                Operation::Send { tag, bytes, .. } => Ok(Status { source: self.rank, tag, bytes }),
                Operation::Receive { .. } => {
                    let arrival = self.process.arrival(&transfer).await?;
                    Ok(Status { source: arrival.node.into(), tag: arrival.tag, bytes: arrival.bytes })
                }
            },
            Err(MessageError::Failed(failure)) => Err(failed(&operation, failure)),
            Err(error) => return Err(error.into()),
        };
        self.process.free(transfer);
        self.set_stage(number, Stage::Ended(end));
        Ok(())
    }

    /// Posts requests of a kind that wait for descriptors, in their order, as far as the NIC has
    /// descriptors.
    pub(super) async fn post_waiting(&self, is_send: bool) -> Result<(), MpiError> {
        loop {
            let waiting = self.next_waiting(is_send);
            let Some((number, operation)) = waiting else { return Ok(()) };
            let posted = match operation {
                Operation::Send { to, tag, data, bytes } => self.process.send(to as u16, tag, data, bytes).await,
                Operation::Receive { from, tag, room, bytes } => {
                    let from = From { node: from.map(|rank| rank as u16), tag };
                    self.process.receive(from, room, bytes).await
                }
            };
            match posted {
                Ok(transfer) => {
                    self.set_stage(number, Stage::Posted(transfer));
                }
                Err(MessageError::NoDescriptor { .. }) => return Ok(()),
                Err(error) => self.set_stage(number, Stage::Ended(Err(error.into()))),
            }
        }
    }

    /// The request to post next. Collective operations go first, and the other requests leave them
    /// descriptors: no rank may wait in a barrier for descriptors that messages behind it give
    /// back.
    fn next_waiting(&self, is_send: bool) -> Option<(u64, Operation)> {
        let state = self.state.borrow();
        let of_kind = || state.requests.iter().filter(|(_, entry)| entry.operation.is_send() == is_send);
        let waiting = |is_collective: bool| {
            let mut waiting = of_kind().filter(|(_, entry)| matches!(entry.stage, Stage::Waiting));
            let found = waiting.find(|(_, entry)| entry.operation.is_collective() == is_collective);
            found.map(|(number, entry)| (*number, entry.operation))
        };
        if let Some(next) = waiting(true) {
            return Some(next);
        }
        let next = waiting(false)?;
        let posted = of_kind().map(|(_, entry)| match &entry.stage {
            Stage::Posted(transfer) => transfer.descriptors(),
            _ => 0,
        });
        let all = if is_send { SEND_DESCRIPTORS } else { RECEIVE_DESCRIPTORS };
        (posted.sum::<u32>() + CHAIN_MAX + KEPT <= all).then_some(next)
    }

    /// Asks the NIC to give a request up.
    pub(super) async fn give_up(&self, number: u64) -> Result<(), MpiError> {
        match self.posted(number) {
            Some((operation, transfer)) if operation.is_send() => self.process.cancel(&transfer).await?,
            Some((_, transfer)) => self.process.withdraw(&transfer).await?,
            None => {
                let has_begun = match self.state.borrow().requests.get(&number) {
                    Some(entry) => matches!(entry.stage, Stage::Ended(_)),
                    None => return Err(MpiError::NoRequest),
                };
                if !has_begun {
                    self.set_stage(number, Stage::Ended(Err(MpiError::Cancelled)));
                }
            }
        }
        Ok(())
    }

    // ---- Without the NIC ------------------------------------------------------------------------

    /// Gives a message to the oldest receive of this rank that takes it, or keeps a copy.
    pub(super) async fn send_to_self(&self, tag: u16, data: UserVirt, bytes: u32) -> Result<(), MpiError> {
        let contents = self.process.load(data, bytes)?;
        match self.hand(tag, &contents).await? {
            true => Ok(()),
            false => {
                self.charge_copy(bytes).await;
                self.state.borrow_mut().kept.push_back((tag, contents));
                Ok(())
            }
        }
    }

    /// Gives a message to the oldest receive that takes it. A receive that the NIC has is taken
    /// back first; if it has ended by then, it has another message. Whether a receive has the
    /// message.
    async fn hand(&self, tag: u16, contents: &[u8]) -> Result<bool, MpiError> {
        loop {
            let oldest = self.state.borrow().requests.iter().find_map(|(number, entry)| {
                let is_open = !matches!(entry.stage, Stage::Ended(_)) && entry.operation.takes(self.rank, tag);
                is_open.then_some((*number, entry.operation))
            });
            let Some((number, operation)) = oldest else { return Ok(false) };
            if let Some((_, transfer)) = self.posted(number) {
                self.process.withdraw(&transfer).await?;
                while self.posted(number).is_some() {
                    self.look(number).await?;
                }
                let end = self.state.borrow().requests.get(&number).map(|entry| entry.stage.clone());
                if !matches!(end, Some(Stage::Ended(Err(MpiError::Cancelled)))) {
                    continue;
                }
            }
            let end = self.deliver(&operation, tag, contents).await?;
            self.set_stage(number, Stage::Ended(end));
            return Ok(true);
        }
    }

    /// The message of this rank for a new receive that came before it: the oldest that it takes.
    pub(super) async fn take_kept(&self, receive: &Operation) -> Result<Option<Result<Status, MpiError>>, MpiError> {
        let found = {
            let mut state = self.state.borrow_mut();
            let at = state.kept.iter().position(|(tag, _)| receive.takes(self.rank, *tag));
            at.and_then(|at| state.kept.remove(at))
        };
        match found {
            Some((tag, contents)) => self.deliver(receive, tag, &contents).await.map(Some),
            None => Ok(None),
        }
    }

    /// Copies a message to the room of a receive.
    async fn deliver(
        &self,
        receive: &Operation,
        tag: u16,
        contents: &[u8],
    ) -> Result<Result<Status, MpiError>, MpiError> {
        let Operation::Receive { room, bytes, .. } = *receive else { return Ok(Err(MpiError::NoRequest)) };
        let length = contents.len() as u32;
        if length > bytes {
            return Ok(Err(MpiError::Truncated { room_bytes: bytes }));
        }
        self.charge_copy(length).await;
        self.process.store(room, contents)?;
        Ok(Ok(Status { source: self.rank, tag, bytes: length }))
    }

    async fn charge_copy(&self, bytes: u32) {
        self.process.cpu().charge("mpi copy", self.process.0.costs.memcpy(bytes)).await;
    }
}

/// The failure of a message in words of MPI.
fn failed(operation: &Operation, failure: Failure) -> MpiError {
    match (operation, failure) {
        (Operation::Receive { bytes, .. }, Failure::Truncated) => MpiError::Truncated { room_bytes: *bytes },
        (Operation::Send { .. }, Failure::Aborted) => MpiError::Refused,
        (_, Failure::Cancelled) => MpiError::Cancelled,
        (_, other) => MessageError::Failed(other).into(),
    }
}
