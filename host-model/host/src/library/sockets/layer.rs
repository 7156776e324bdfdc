//! Connections of a process: listening, accepting, connecting.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use sim_pins::Ps;

use super::buffers::{Receives, Sends};
use super::connection::Connection;
use super::error::SocketError;
use super::wire::{request_tag, signal_tag, Header, Kind, HEADER_BYTES, IDENTIFIERS};
use crate::library::emp::{From, Messages};
use crate::library::process::Process;

/// The largest port.
pub const PORT_MAX: u16 = 0x3FFF;

/// A connection that no listener has accepted after this time is refused.
const CONNECT: Ps = Ps::from_us(20_000);

/// The sockets of a process. Clones are the same.
#[derive(Clone)]
pub struct Sockets(Rc<Layer>);

struct Layer {
    process: Process<Messages>,
    next_identifier: Cell<u16>,
}

impl Sockets {
    /// No connections yet.
    pub fn new(process: Process<Messages>) -> Sockets {
        Sockets(Rc::new(Layer { process, next_identifier: Cell::new(0) }))
    }

    /// The process.
    pub fn process(&self) -> &Process<Messages> {
        &self.0.process
    }

    /// Takes requests at a port; `backlog` of them may wait.
    ///
    /// # Errors
    /// The port is too large, or the process has no memory or no descriptors left.
    pub async fn listen(&self, port: u16, backlog: u32) -> Result<Listener, SocketError> {
        if port > PORT_MAX {
            return Err(SocketError::NoPort { port });
        }
        let from = From { node: None, tag: Some(request_tag(port)) };
        let requests = Receives::new(self.process(), from, backlog, HEADER_BYTES).await?;
        Ok(Listener { sockets: self.clone(), requests: RefCell::new(requests) })
    }

    /// Asks a listener for a connection, and waits until it is accepted.
    ///
    /// # Errors
    /// No listener has accepted in time, or the process has no memory or no descriptors left.
    pub async fn connect(&self, node: u16, port: u16) -> Result<Connection, SocketError> {
        if port > PORT_MAX {
            return Err(SocketError::NoPort { port });
        }
        let process = self.process();
        let identifier = self.identifier()?;
        let connection = Connection::new(process.clone(), node, identifier).await?;
        let deadline = process.cpu().sim().now() + CONNECT;
        let mut request = Sends::new(process, 1, HEADER_BYTES).await?;
        let header = Header { kind: Kind::Connect, value: identifier, bytes: 0 };
        request.post(process, (node, request_tag(port)), header, &[]).await?;
        while !request.is_idle() && process.cpu().sim().now() < deadline {
            request.look(process).await?;
        }
        let was_taken = request.is_idle();
        request.end(process).await;
        if was_taken && connection.await_accept(deadline).await? {
            return Ok(connection);
        }
        connection.forget().await;
        Err(SocketError::Refused { node, port })
    }

    /// Identifiers are not used twice: a late message must not reach another connection.
    fn identifier(&self) -> Result<u16, SocketError> {
        let identifier = self.0.next_identifier.get();
        if identifier == IDENTIFIERS {
            return Err(SocketError::NoConnection);
        }
        self.0.next_identifier.set(identifier + 1);
        Ok(identifier)
    }
}

/// A port at which a process takes requests.
pub struct Listener {
    sockets: Sockets,
    requests: RefCell<Receives>,
}

impl Listener {
    /// Waits for a request, and accepts it.
    ///
    /// # Errors
    /// The peer is gone, or the process has no memory or no descriptors left.
    #[allow(clippy::await_holding_refcell_ref, reason = "one task at a time accepts")]
    pub async fn accept(&self) -> Result<Connection, SocketError> {
        let process = self.sockets.process();
        let mut requests = self.requests.borrow_mut();
        let (node, asks) = loop {
            let Some(request) = requests.take(process).await? else { continue };
            let (header, node) = (request.header, request.source(process).await?);
            requests.give_back(process, request).await?;
            if header.kind == Kind::Connect && header.value < IDENTIFIERS {
                break (node, header.value);
            }
        };
        let identifier = self.sockets.identifier()?;
        let connection = Connection::new(process.clone(), node, identifier).await?;
        let header = Header { kind: Kind::Accept, value: identifier, bytes: 0 };
        connection.accept(asks, (node, signal_tag(asks)), header).await?;
        Ok(connection)
    }

    /// Takes no more requests. Requests that wait are refused.
    pub async fn close(self) {
        self.requests.into_inner().end(self.sockets.process(), std::iter::empty()).await;
    }
}
