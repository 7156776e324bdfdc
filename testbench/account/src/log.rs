//! What was seen of one node: at the pins, on the trace and probe ports, and by the host. Looking
//! costs no simulated time.

use host_model::events::{Event, EventKind, Subject};
use nic_layout::frame::link::FrameKind;
use nic_layout::frame::rdma::Packet;
use nic_layout::trace::{self, Marker};
use sim_pins::Ps;

/// The one-cycle pulses of `nic_top.probe_o`, by bit. The same numbers as `nic_pkg::PROBE_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Probe {
    /// The host rang a doorbell.
    Doorbell = 0,
    /// The host-read engine has fetched a descriptor.
    DmaReadStart = 1,
    /// The last byte of a host read is in SRAM, and its status is written.
    DmaReadDone = 2,
    /// The host-write engine has fetched a descriptor.
    DmaWriteStart = 3,
    /// The host has accepted the last byte of a host write.
    DmaWriteDone = 4,
    /// The MAC has fetched the descriptor of a frame to send.
    MacTxStart = 5,
    /// The last byte of a frame has left the MAC.
    MacTxDone = 6,
    /// A good frame is in the receive ring.
    MacRxDone = 7,
    /// A received frame ended in any other way.
    MacRxDrop = 8,
    /// A cause of INTA# rises.
    Interrupt = 9,
    /// The host wrote a mailbox.
    Mailbox = 10,
}

/// A frame that a node sent, as it stood on its GMII pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFrame {
    /// The edge of the first byte of the preamble.
    pub start: Ps,
    /// The edge after the last byte of the FCS.
    pub end: Ps,
    /// When its first byte comes to the other end of the node's cable: once for each copy, never if
    /// the cable has lost it.
    pub arrivals: Vec<Ps>,
    /// `None` for what is no frame of a message of ours.
    pub data: Option<DataFrame>,
    /// The frame from its destination address to its FCS.
    pub contents: Box<[u8]>,
}

/// What the header of a frame of a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataFrame {
    /// The number of its message.
    pub message: u32,
    /// Its sequence number between the two nodes.
    pub sequence: u32,
    /// A write, a request to read, or a reply.
    pub kind: FrameKind,
    /// Bytes of its data.
    pub bytes: u32,
}

impl DataFrame {
    /// Reads the header of a frame from its destination address on. `None` for anything but a frame
    /// of a message of ours.
    pub fn parse(bytes: &[u8]) -> Option<DataFrame> {
        let packet = Packet::new_checked(bytes).ok()?;
        let kind = packet.kind();
        let is_data = packet.is_ours() && [FrameKind::WRITE, FrameKind::READ, FrameKind::REPLY].contains(&kind);
        is_data.then(|| DataFrame {
            message: packet.message(),
            sequence: packet.sequence(),
            kind,
            bytes: packet.data().len() as u32,
        })
    }
}

/// A core of a NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Core {
    /// Core A, which every NIC has.
    A,
    /// Core B.
    B,
}

impl Core {
    /// Both cores.
    pub const BOTH: [Core; 2] = [Core::A, Core::B];
}

/// Everything of one node, each list in the order of time.
#[derive(Clone, Debug, Default)]
pub struct NodeLog {
    /// Events of the host model.
    pub host: Vec<Event>,
    /// Words of the trace port of core A.
    pub trace: Vec<(Ps, u32)>,
    /// Words of the trace port of core B.
    pub trace_b: Vec<(Ps, u32)>,
    /// Bits of the probe port, where any was set.
    pub probes: Vec<(Ps, u32)>,
    /// Frames that the node sent.
    pub sent: Vec<SentFrame>,
}

impl NodeLog {
    /// Markers of core A from `from` up to and including `to`.
    pub fn markers(&self, from: Ps, to: Ps) -> impl DoubleEndedIterator<Item = (Ps, Marker, u32)> + '_ {
        self.markers_of(Core::A, from, to)
    }

    /// Markers of a core from `from` up to and including `to`.
    pub fn markers_of(&self, core: Core, from: Ps, to: Ps) -> impl DoubleEndedIterator<Item = (Ps, Marker, u32)> + '_ {
        let words = match core {
            Core::A => &self.trace,
            Core::B => &self.trace_b,
        };
        let first = words.partition_point(|(at, _)| *at < from);
        let end = words.partition_point(|(at, _)| *at <= to).max(first);
        words[first..end]
            .iter()
            .filter_map(|(at, word)| trace::parse(*word).map(|(marker, argument)| (*at, marker, argument)))
    }

    /// The first marker of either core in this time that `wanted` accepts.
    pub fn find(&self, from: Ps, to: Ps, wanted: impl Fn(Marker, u32) -> bool) -> Option<(Ps, Core)> {
        let first = |core| {
            let mut all = self.markers_of(core, from, to);
            all.find(|(_, marker, argument)| wanted(*marker, *argument)).map(|(at, ..)| (at, core))
        };
        Core::BOTH.into_iter().filter_map(first).min()
    }

    /// The last marker of either core in this time that `wanted` accepts.
    pub fn find_last(&self, from: Ps, to: Ps, wanted: impl Fn(Marker, u32) -> bool) -> Option<(Ps, Core)> {
        let last = |core| {
            let mut all = self.markers_of(core, from, to).rev();
            all.find(|(_, marker, argument)| wanted(*marker, *argument)).map(|(at, ..)| (at, core))
        };
        Core::BOTH.into_iter().filter_map(last).max()
    }

    /// All markers of core B.
    pub fn markers_b(&self) -> impl Iterator<Item = (Ps, Marker, u32)> + '_ {
        self.markers_of(Core::B, Ps::ZERO, Ps::MAX)
    }

    /// The first pulse at or after a time.
    pub fn first_pulse(&self, probe: Probe, from: Ps) -> Option<Ps> {
        let first = self.probes.partition_point(|(at, _)| *at < from);
        self.probes[first..].iter().find(|(_, bits)| bits & (1 << probe as u32) != 0).map(|(at, _)| *at)
    }

    /// The last pulse at or before a time.
    pub fn last_pulse(&self, probe: Probe, to: Ps) -> Option<Ps> {
        let end = self.probes.partition_point(|(at, _)| *at <= to);
        self.probes[..end].iter().rev().find(|(_, bits)| bits & (1 << probe as u32) != 0).map(|(at, _)| *at)
    }

    /// How many pulses there were at or before a time.
    pub fn pulses(&self, probe: Probe, to: Ps) -> usize {
        let end = self.probes.partition_point(|(at, _)| *at <= to);
        self.probes[..end].iter().filter(|(_, bits)| bits & (1 << probe as u32) != 0).count()
    }

    /// The pulse before which there were so many.
    pub fn pulse(&self, probe: Probe, before: usize) -> Option<Ps> {
        self.probes.iter().filter(|(_, bits)| bits & (1 << probe as u32) != 0).nth(before).map(|(at, _)| *at)
    }

    /// Host events from `from` up to and including `to`.
    pub fn host_events(&self, from: Ps, to: Ps) -> impl Iterator<Item = &Event> + '_ {
        let first = self.host.partition_point(|event| event.at < from);
        self.host[first..].iter().take_while(move |event| event.at <= to)
    }

    /// The index that a post of that message has.
    pub fn index_of_post(&self, message: u32, kind: EventKind) -> Option<u32> {
        self.host.iter().find_map(|event| match event.subject {
            Subject::Post { message: own, index, .. } if own == message && event.kind == kind => Some(index),
            _ => None,
        })
    }

    /// When a post of that message number began, and the events of that post.
    pub fn post(&self, message: u32, kind: EventKind) -> Option<Ps> {
        self.host
            .iter()
            .find(|event| {
                event.kind == kind && matches!(event.subject, Subject::Post { message: m, .. } if m == message)
            })
            .map(|event| event.at)
    }

    /// When the first event of a kind about an arrived message happened.
    pub fn arrival(&self, message: u32, kind: EventKind) -> Option<Ps> {
        self.host
            .iter()
            .find(|event| {
                event.kind == kind && matches!(event.subject, Subject::Arrival { message: m, .. } if m == message)
            })
            .map(|event| event.at)
    }
}
