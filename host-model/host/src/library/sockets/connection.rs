//! One connection: a stream of bytes each way.

use std::cell::RefCell;
use std::collections::VecDeque;

use sim_pins::Ps;

use super::buffers::{Filled, Receives, Sends};
use super::error::SocketError;
use super::wire::{data_tag, signal_tag, Header, Kind, CREDITS, DATA_BYTES_MAX, HEADER_BYTES, MESSAGE_BYTES, SIGNALS};
use crate::address::UserVirt;
use crate::library::emp::{From, Messages};
use crate::library::process::Process;

/// Messages of a stream that may be under way at once.
const SENDS: u32 = 4;
/// A reader gives credits back when it owes so many.
const OWED_MAX: u32 = CREDITS / 2;
/// A message takes a posted receive at once. If it has none after this time, the peer's process is
/// gone.
const LOST: Ps = Ps::from_us(50_000);
/// A reader that got nothing for this time asks whether the peer is there.
const IDLE: Ps = Ps::from_us(10_000);
/// A reader looks for signals once in so many polls.
const SIGNAL_POLLS: u32 = 8;

/// A connection. One task at a time may use it.
pub struct Connection {
    process: Process<Messages>,
    node: u16,
    state: RefCell<State>,
}

/// What would not block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ready {
    /// A read gives bytes, or the end of the stream.
    pub to_read: bool,
    /// A write of at most [`DATA_BYTES_MAX`](super::DATA_BYTES_MAX) bytes goes at once.
    pub to_write: bool,
}

struct State {
    /// The identifier that the peer's node has given this connection.
    peer: u16,
    receives: Receives,
    signals: Receives,
    sends: Sends,
    signals_out: Sends,
    /// Buffers with bytes that were not read, oldest first.
    unread: VecDeque<Filled>,
    /// Bytes of the oldest of them that were read.
    read_bytes: u32,
    /// Messages that the peer has room for.
    credit: u32,
    /// Credits of the peer that were not sent back.
    owed: u32,
    has_ended: bool,
    peer_has_ended: bool,
    /// The peer takes no more data.
    is_closed: bool,
    is_lost: bool,
}

impl Connection {
    pub(super) async fn new(process: Process<Messages>, node: u16, own: u16) -> Result<Connection, SocketError> {
        let from = |tag| From { node: Some(node), tag: Some(tag) };
        let state = State {
            peer: 0,
            receives: Receives::new(&process, from(data_tag(own)), CREDITS, MESSAGE_BYTES).await?,
            signals: Receives::new(&process, from(signal_tag(own)), SIGNALS, HEADER_BYTES).await?,
            sends: Sends::new(&process, SENDS, MESSAGE_BYTES).await?,
            signals_out: Sends::new(&process, SIGNALS, HEADER_BYTES).await?,
            unread: VecDeque::new(),
            read_bytes: 0,
            credit: CREDITS,
            owed: 0,
            has_ended: false,
            peer_has_ended: false,
            is_closed: false,
            is_lost: false,
        };
        Ok(Connection { process, node, state: RefCell::new(state) })
    }

    /// The node of the peer.
    pub fn node(&self) -> u16 {
        self.node
    }

    // ---- Calls ----------------------------------------------------------------------------------

    /// Writes all bytes to the stream. It returns when they are in buffers of this side.
    ///
    /// # Errors
    /// [`SocketError::Closed`]: the peer reads no more. [`SocketError::Lost`]: the peer is gone.
    #[allow(clippy::await_holding_refcell_ref, reason = "one task at a time uses a connection")]
    pub async fn write(&self, data: UserVirt, bytes: u32) -> Result<(), SocketError> {
        self.charge().await;
        let (process, mut state) = (&self.process, self.state.borrow_mut());
        if state.has_ended {
            return Err(SocketError::Ended);
        }
        let mut done = 0;
        while done < bytes {
            let part = (bytes - done).min(DATA_BYTES_MAX);
            state.room(process).await?;
            process.cpu().charge("socket copy", process.0.costs.memcpy(part)).await;
            let contents = process.load(data + done, part)?;
            state.send(process, self.node, Kind::Data, &contents).await?;
            done += part;
        }
        Ok(())
    }

    /// Waits for bytes, and copies up to `bytes` of them. 0: the peer has ended its stream.
    ///
    /// # Errors
    /// [`SocketError::Lost`]: the peer is gone.
    #[allow(clippy::await_holding_refcell_ref, reason = "one task at a time uses a connection")]
    pub async fn read(&self, room: UserVirt, bytes: u32) -> Result<u32, SocketError> {
        self.charge().await;
        let (process, mut state) = (&self.process, self.state.borrow_mut());
        state.await_bytes(process, self.node).await?;
        let mut done = 0;
        while done < bytes {
            let Some(oldest) = state.unread.front() else { break };
            let part = (oldest.header.bytes - state.read_bytes).min(bytes - done);
            process.cpu().charge("socket copy", process.0.costs.memcpy(part)).await;
            let contents = process.load(oldest.data + state.read_bytes, part)?;
            process.store(room + done, &contents)?;
            done += part;
            state.read_bytes += part;
            state.give_back(process, self.node).await?;
        }
        Ok(done)
    }

    /// Reads until the room is full, or the peer has ended its stream. Gives the bytes read.
    ///
    /// # Errors
    /// As [`Connection::read`].
    pub async fn read_all(&self, room: UserVirt, bytes: u32) -> Result<u32, SocketError> {
        let mut done = 0;
        while done < bytes {
            match self.read(room + done, bytes - done).await? {
                0 => break,
                part => done += part,
            }
        }
        Ok(done)
    }

    /// Looks once what would not block: the system call `poll`.
    ///
    /// # Errors
    /// [`SocketError::Lost`]: the peer is gone.
    #[allow(clippy::await_holding_refcell_ref, reason = "one task at a time uses a connection")]
    pub async fn ready(&self) -> Result<Ready, SocketError> {
        self.charge().await;
        let (process, mut state) = (&self.process, self.state.borrow_mut());
        state.take_data(process).await?;
        state.take_signal(process).await?;
        if !state.sends.has_free() {
            state.look_at_sends(process).await?;
        }
        Ok(Ready {
            to_read: !state.unread.is_empty() || state.peer_has_ended,
            to_write: state.credit > 0 && state.sends.has_free(),
        })
    }

    /// Ends the stream to the peer. The stream from the peer goes on.
    ///
    /// # Errors
    /// As [`Connection::write`].
    #[allow(clippy::await_holding_refcell_ref, reason = "one task at a time uses a connection")]
    pub async fn shutdown(&self) -> Result<(), SocketError> {
        self.charge().await;
        let mut state = self.state.borrow_mut();
        if !state.has_ended {
            state.room(&self.process).await?;
            state.send(&self.process, self.node, Kind::End, &[]).await?;
            state.has_ended = true;
        }
        Ok(())
    }

    /// Waits until the peer's node has all bytes that were written.
    ///
    /// # Errors
    /// As [`Connection::write`].
    #[allow(clippy::await_holding_refcell_ref, reason = "one task at a time uses a connection")]
    pub async fn flush(&self) -> Result<(), SocketError> {
        let mut state = self.state.borrow_mut();
        while !state.sends.is_idle() {
            state.look_at_sends(&self.process).await?;
            state.take_signal(&self.process).await?;
            if state.is_closed {
                return Err(SocketError::Closed);
            }
        }
        Ok(())
    }

    /// Ends both streams. Bytes that the peer has written and this side has not read are dropped,
    /// and the peer's next write fails.
    ///
    /// # Errors
    /// As [`Connection::write`]. The connection is gone all the same.
    pub async fn close(self) -> Result<(), SocketError> {
        let ended = match self.shutdown().await {
            Ok(()) => self.flush().await,
            Err(error) => Err(error),
        };
        let told = self.tell_closed().await;
        self.forget().await;
        match ended {
            // Each side may be the first to close.
            Err(SocketError::Closed) => told,
            _ => ended.and(told),
        }
    }

    // ---- Opening and ending ---------------------------------------------------------------------

    /// The side that asked for the connection waits for its acceptance.
    #[allow(clippy::await_holding_refcell_ref, reason = "one task at a time uses a connection")]
    pub(super) async fn await_accept(&self, deadline: Ps) -> Result<bool, SocketError> {
        let (process, mut state) = (&self.process, self.state.borrow_mut());
        while process.cpu().sim().now() < deadline {
            let Some(signal) = state.signals.take(process).await? else { continue };
            let header = signal.header;
            state.signals.give_back(process, signal).await?;
            if header.kind == Kind::Accept {
                state.peer = header.value;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The side that accepts tells the other side its identifier.
    #[allow(clippy::await_holding_refcell_ref, reason = "one task at a time uses a connection")]
    pub(super) async fn accept(&self, peer: u16, to: (u16, u16), header: Header) -> Result<(), SocketError> {
        let mut state = self.state.borrow_mut();
        state.peer = peer;
        state.signals_out.post(&self.process, to, header, &[]).await
    }

    /// Tells a peer that may still write, and waits until the peer has the signal.
    #[allow(clippy::await_holding_refcell_ref, reason = "one task at a time uses a connection")]
    async fn tell_closed(&self) -> Result<(), SocketError> {
        let (process, mut state) = (&self.process, self.state.borrow_mut());
        // The end of the peer's stream may have come and not been looked at.
        while state.take_data(process).await? {}
        state.take_signal(process).await?;
        if state.peer_has_ended || state.is_closed || state.is_lost {
            return Ok(());
        }
        if !state.signals_out.has_free() {
            state.signals_out.end(process).await;
        }
        state.signal(process, self.node, Kind::Closed).await?;
        let begin = process.cpu().sim().now();
        while !state.signals_out.is_idle() && !state.peer_has_ended && !state.is_closed {
            state.signals_out.look(process).await?;
            state.take_signal(process).await?;
            while state.take_data(process).await? {}
            if process.cpu().sim().now() > begin + LOST {
                return Err(SocketError::Lost);
            }
        }
        Ok(())
    }

    /// Gives all messages up, and their descriptors back.
    pub(super) async fn forget(self) {
        let (process, mut state) = (self.process, self.state.into_inner());
        state.sends.end(&process).await;
        state.signals_out.end(&process).await;
        let unread = std::mem::take(&mut state.unread);
        state.receives.end(&process, unread.into_iter()).await;
        state.signals.end(&process, std::iter::empty()).await;
    }

    async fn charge(&self) {
        let span = Ps::from_ns(self.process.0.costs.socket_call_ns);
        self.process.cpu().charge("socket", span).await;
    }
}

impl State {
    /// Waits until the peer has room for a message, and this side a buffer.
    async fn room(&mut self, process: &Process<Messages>) -> Result<(), SocketError> {
        loop {
            if self.is_lost {
                return Err(SocketError::Lost);
            }
            if self.is_closed {
                return Err(SocketError::Closed);
            }
            if self.credit > 0 && self.sends.has_free() {
                return Ok(());
            }
            if !self.sends.has_free() {
                self.look_at_sends(process).await?;
            }
            // Credits come with signals, and with data of the peer.
            self.take_signal(process).await?;
            if self.credit == 0 {
                self.take_data(process).await?;
            }
        }
    }

    /// Looks at the oldest message under way.
    async fn look_at_sends(&mut self, process: &Process<Messages>) -> Result<(), SocketError> {
        let looked = self.sends.look(process).await;
        self.note_loss(looked)?;
        let now = process.cpu().sim().now();
        if self.sends.oldest().is_some_and(|posted| now > posted + LOST) {
            self.is_lost = true;
            return Err(SocketError::Lost);
        }
        Ok(())
    }

    fn note_loss<T>(&mut self, result: Result<T, SocketError>) -> Result<T, SocketError> {
        self.is_lost |= matches!(result, Err(SocketError::Lost));
        result
    }

    /// Sends a message of the stream. There must be room.
    async fn send(
        &mut self,
        process: &Process<Messages>,
        node: u16,
        kind: Kind,
        data: &[u8],
    ) -> Result<(), SocketError> {
        self.credit -= 1;
        let header = Header { kind, value: self.take_owed(), bytes: data.len() as u32 };
        self.sends.post(process, (node, data_tag(self.peer)), header, data).await
    }

    async fn signal(&mut self, process: &Process<Messages>, node: u16, kind: Kind) -> Result<(), SocketError> {
        let header = Header { kind, value: self.take_owed(), bytes: 0 };
        self.signals_out.post(process, (node, signal_tag(self.peer)), header, &[]).await
    }

    fn take_owed(&mut self) -> u16 {
        std::mem::take(&mut self.owed) as u16
    }

    /// Waits until there are bytes to read, or the peer has ended.
    async fn await_bytes(&mut self, process: &Process<Messages>, node: u16) -> Result<(), SocketError> {
        let (mut polls, mut since) = (0, process.cpu().sim().now());
        while self.unread.is_empty() && !self.peer_has_ended {
            if self.is_lost {
                return Err(SocketError::Lost);
            }
            if self.take_data(process).await? {
                continue;
            }
            // A peer that has closed has said so behind its last byte.
            if self.is_closed {
                return Ok(());
            }
            polls += 1;
            if polls % SIGNAL_POLLS == 0 {
                self.take_signal(process).await?;
            }
            let now = process.cpu().sim().now();
            if now > since + IDLE {
                since = now;
                let looked = self.signals_out.look(process).await;
                self.note_loss(looked)?;
                if self.signals_out.has_free() {
                    self.signal(process, node, Kind::Credit).await?;
                }
            }
        }
        Ok(())
    }

    /// Looks whether a message of the stream has come. Whether one has.
    async fn take_data(&mut self, process: &Process<Messages>) -> Result<bool, SocketError> {
        let taken = self.receives.take(process).await;
        let Some(filled) = self.note_loss(taken)? else { return Ok(false) };
        self.credit += u32::from(filled.header.value);
        match filled.header.kind {
            Kind::Data if filled.header.bytes > 0 => self.unread.push_back(filled),
            kind => {
                self.peer_has_ended |= kind == Kind::End;
                self.receives.give_back(process, filled).await?;
            }
        }
        Ok(true)
    }

    /// Looks whether a signal has come, and obeys it.
    async fn take_signal(&mut self, process: &Process<Messages>) -> Result<(), SocketError> {
        let taken = self.signals.take(process).await;
        let Some(signal) = self.note_loss(taken)? else { return Ok(()) };
        self.credit += u32::from(signal.header.value);
        self.is_closed |= signal.header.kind == Kind::Closed;
        self.signals.give_back(process, signal).await
    }

    /// Gives the oldest buffer back if it was read to its end, and sends credits that are due. A
    /// peer that has ended needs none.
    async fn give_back(&mut self, process: &Process<Messages>, node: u16) -> Result<(), SocketError> {
        match self.unread.front() {
            Some(oldest) if oldest.header.bytes == self.read_bytes => {}
            _ => return Ok(()),
        }
        let Some(oldest) = self.unread.pop_front() else { return Ok(()) };
        self.read_bytes = 0;
        self.receives.give_back(process, oldest).await?;
        self.owed += 1;
        if self.owed < OWED_MAX || self.peer_has_ended || self.is_closed {
            return Ok(());
        }
        let looked = self.signals_out.look(process).await;
        self.note_loss(looked)?;
        // Without a free buffer the credits go with the next message.
        if self.signals_out.has_free() {
            self.signal(process, node, Kind::Credit).await?;
        }
        Ok(())
    }
}
