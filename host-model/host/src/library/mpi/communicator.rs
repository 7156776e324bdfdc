//! Requests: started, waited for, given up.

use super::error::MpiError;
use super::state::{Communicator, Entry, Operation, Request, Stage, Status, TAG_MAX};
use crate::address::{pages_of, UserVirt, VirtPage};

impl Communicator {
    /// Memory for messages, locked and known to the library: `MPI_Alloc_mem`. A message in other
    /// memory costs system calls at the first use of its pages.
    ///
    /// # Errors
    /// The process may not have or lock so much.
    pub async fn alloc(&self, bytes: u32) -> Result<UserVirt, MpiError> {
        let start = self.process.alloc(bytes)?;
        self.lock(start, bytes).await?;
        self.process.learn(start, bytes).await?;
        Ok(start)
    }

    // ---- Blocking -------------------------------------------------------------------------------

    /// Sends a message, and waits until its receiver has it: MPI's synchronous send.
    ///
    /// # Errors
    /// As [`Communicator::isend`] and [`Communicator::wait`].
    pub async fn send(&self, to: u32, tag: u16, data: UserVirt, bytes: u32) -> Result<(), MpiError> {
        let request = self.isend(to, tag, data, bytes).await?;
        self.wait(request).await.map(|_| ())
    }

    /// Receives a message.
    ///
    /// # Errors
    /// As [`Communicator::irecv`] and [`Communicator::wait`].
    pub async fn recv(
        &self,
        from: Option<u32>,
        tag: Option<u16>,
        room: UserVirt,
        bytes: u32,
    ) -> Result<Status, MpiError> {
        let request = self.irecv(from, tag, room, bytes).await?;
        self.wait(request).await
    }

    // ---- Requests -------------------------------------------------------------------------------

    /// Starts a send. The data must not change before the request has ended.
    ///
    /// # Errors
    /// No such rank or tag, or the data are in no memory of the process.
    pub async fn isend(&self, to: u32, tag: u16, data: UserVirt, bytes: u32) -> Result<Request, MpiError> {
        self.check(Some(to), Some(tag))?;
        self.start(Operation::Send { to, tag, data, bytes }).await
    }

    /// Starts a receive from a rank or [`ANY_SOURCE`], of a tag or [`ANY_TAG`].
    ///
    /// # Errors
    /// As [`Communicator::isend`].
    pub async fn irecv(
        &self,
        from: Option<u32>,
        tag: Option<u16>,
        room: UserVirt,
        bytes: u32,
    ) -> Result<Request, MpiError> {
        self.check(from, tag)?;
        self.start(Operation::Receive { from, tag, room, bytes }).await
    }

    /// Waits until the request has ended. The status of a receive says what has come.
    ///
    /// # Errors
    /// The message was longer than its receive, its peer is gone, or the request was given up.
    pub async fn wait(&self, request: Request) -> Result<Status, MpiError> {
        self.charge().await;
        loop {
            if let Some(end) = self.take_end(request.0)? {
                return end;
            }
            self.progress(request.0).await?;
            self.is_possible(request.0)?;
        }
    }

    /// Looks once. The request is given back if it has not ended.
    ///
    /// # Errors
    /// As [`Communicator::wait`].
    pub async fn test(&self, request: Request) -> Result<Result<Status, Request>, MpiError> {
        self.charge().await;
        self.progress(request.0).await?;
        match self.take_end(request.0)? {
            Some(end) => end.map(Ok),
            None => Ok(Err(request)),
        }
    }

    /// Waits for all requests. Each has its own result.
    pub async fn wait_all(&self, requests: Vec<Request>) -> Vec<Result<Status, MpiError>> {
        let mut ends = Vec::new();
        for request in requests {
            ends.push(self.wait(request).await);
        }
        ends
    }

    /// Gives a request up, and waits for its end: [`MpiError::Cancelled`], or what it had come to.
    ///
    /// # Errors
    /// As [`Communicator::wait`].
    pub async fn cancel(&self, request: Request) -> Result<Status, MpiError> {
        self.charge().await;
        self.give_up(request.0).await?;
        self.wait(request).await
    }

    // ---- Starting -------------------------------------------------------------------------------

    fn check(&self, rank: Option<u32>, tag: Option<u16>) -> Result<(), MpiError> {
        if let Some(rank) = rank.filter(|rank| *rank >= self.size) {
            return Err(MpiError::NoRank { rank, last: self.size - 1 });
        }
        match tag.filter(|tag| *tag > TAG_MAX) {
            Some(tag) => Err(MpiError::TagTooLarge { tag }),
            None => Ok(()),
        }
    }

    /// Starts an operation of the program, or of a collective operation.
    pub(super) async fn start(&self, operation: Operation) -> Result<Request, MpiError> {
        self.charge().await;
        let number = {
            let mut state = self.state.borrow_mut();
            state.next += 1;
            state.next
        };
        let stage = match operation {
            Operation::Send { to, tag, data, bytes } if to == self.rank => {
                self.send_to_self(tag, data, bytes).await?;
                Stage::Ended(Ok(Status { source: self.rank, tag, bytes }))
            }
            Operation::Send { data, bytes, .. } => {
                self.lock(data, bytes).await?;
                Stage::Waiting
            }
            Operation::Receive { from, room, bytes, .. } => {
                self.lock(room, bytes).await?;
                match self.take_kept(&operation).await? {
                    Some(end) => Stage::Ended(end),
                    None if from == Some(self.rank) => Stage::Own,
                    None => Stage::Waiting,
                }
            }
        };
        self.state.borrow_mut().requests.insert(number, Entry { operation, stage });
        self.post_waiting(operation.is_send()).await?;
        Ok(Request(number))
    }

    /// Locks the pages of a buffer at its first use, by a system call.
    async fn lock(&self, start: UserVirt, bytes: u32) -> Result<(), MpiError> {
        let is_locked = |page: VirtPage| self.state.borrow().locked.contains(&page);
        if pages_of(start, bytes).all(is_locked) {
            return Ok(());
        }
        self.process.lock(start, bytes).await?;
        self.state.borrow_mut().locked.extend(pages_of(start, bytes));
        Ok(())
    }

    /// The end of a request, which is forgotten with it.
    fn take_end(&self, number: u64) -> Result<Option<Result<Status, MpiError>>, MpiError> {
        let mut state = self.state.borrow_mut();
        match &state.requests.get(&number).ok_or(MpiError::NoRequest)?.stage {
            Stage::Ended(end) => {
                let end = end.clone();
                state.requests.remove(&number);
                Ok(Some(end))
            }
            _ => Ok(None),
        }
    }
}
