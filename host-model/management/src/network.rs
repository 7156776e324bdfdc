//! What passes between the threads of two hosts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sim_pins::Ps;

use crate::packet::Packet;

/// A message on its way.
#[derive(Debug)]
pub(crate) struct Envelope<T> {
    /// The window in which the sender's thread handed it over, by its begin.
    window: Ps,
    pub arrival: Ps,
    pub from: usize,
    /// Counts the messages of the sender.
    pub sequence: u64,
    pub packet: Packet<T>,
}

/// The end of the wire at one host. Senders add to it in any order; the receiver sorts.
#[derive(Debug)]
struct Mailbox<T> {
    /// Spares an idle host the lock. A message of an earlier window is seen, because threads meet
    /// between windows.
    has_mail: AtomicBool,
    envelopes: Mutex<Vec<Envelope<T>>>,
}

/// A host's connection to the management network.
#[derive(Debug)]
pub struct Interface<T> {
    node: usize,
    /// By host, this one included.
    mailboxes: Arc<[Mailbox<T>]>,
    /// When the present window began.
    window: Ps,
    next_sequence: u64,
}

/// Makes the interfaces of `nodes` hosts, in their order.
pub fn network<T>(nodes: usize) -> Vec<Interface<T>> {
    let mailbox = |_| Mailbox { has_mail: AtomicBool::new(false), envelopes: Mutex::default() };
    let mailboxes: Arc<[Mailbox<T>]> = (0..nodes).map(mailbox).collect();
    let interface = |node| Interface { node, mailboxes: mailboxes.clone(), window: Ps::ZERO, next_sequence: 0 };
    (0..nodes).map(interface).collect()
}

impl<T> Interface<T> {
    /// The number of this host.
    pub fn node(&self) -> usize {
        self.node
    }

    /// How many hosts there are.
    pub fn nodes(&self) -> usize {
        self.mailboxes.len()
    }

    pub(crate) fn post(&mut self, to: usize, arrival: Ps, packet: Packet<T>) {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        let envelope = Envelope { window: self.window, arrival, from: self.node, sequence, packet };
        let mailbox = &self.mailboxes[to];
        let mut envelopes = mailbox.envelopes.lock().unwrap_or_else(PoisonError::into_inner);
        envelopes.push(envelope);
        mailbox.has_mail.store(true, Ordering::Release);
    }

    /// Goes on to the window that begins at `start`, and takes what was sent to this host in the
    /// windows before it, in any order.
    pub(crate) fn begin_window(&mut self, start: Ps) -> Vec<Envelope<T>> {
        self.window = start;
        let mailbox = &self.mailboxes[self.node];
        if !mailbox.has_mail.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut envelopes = mailbox.envelopes.lock().unwrap_or_else(PoisonError::into_inner);
        // Another host may be in this window already. What it sends there is for the next one, or
        // results would depend on which thread came first.
        let (taken, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut *envelopes).into_iter().partition(|envelope| envelope.window < start);
        mailbox.has_mail.store(!kept.is_empty(), Ordering::Release);
        *envelopes = kept;
        drop(envelopes);
        if let Some(late) = taken.iter().find(|envelope| envelope.arrival < start) {
            panic!(
                "a message of host {} arrived at {}, but is seen from {start} on: management.latency_ns must not be shorter than a window",
                late.from, late.arrival
            );
        }
        taken
    }
}
