//! A monitor with the watches of messages, and a scripted node 0 whose peer is node 1.

use nic_layout::frame::link::{self, FrameKind};
use nic_layout::personality::emp::descriptor::{offset_bytes, stat, Descriptor, Format};
use nic_layout::personality::emp::frame::{self, word};
use nic_layout::personality::emp::{MAILBOX_RECEIVE, MAILBOX_SEND};
use nic_layout::registers::{ident, mailbox};
use nic_layout::ring::{restart_peer, MAILBOX_COMMAND};
use nic_layout::trace::{self, Marker};
use nic_layout::WINDOW_OFFSET;
use nic_monitor::watches::{Messages, Receives, Sends, Watch, Watches};
use nic_monitor::{Monitor, Pins, Places, Transfer};
use sim_pins::{LinkSymbol, Ps};

use crate::bench::on_wire;

/// The first interval of a time-out.
pub const RESEND_US: u64 = 100;
pub const REGISTERS: u32 = 0xF000_0000;
pub const SRAM: u32 = 0xE000_0000;
/// SRAM offset of the descriptors.
pub const START: u32 = 0x2_0000;
pub const PAGE: u32 = 0x0123_4000;
pub const SEND: u32 = 7;
pub const RECEIVE: u32 = 300;

struct Host;

impl Pins for Host {
    fn pinned(&self, _pid: u32, page: u32) -> Option<u32> {
        Some(page)
    }
}

pub struct Bench {
    pub monitor: Monitor,
    at: Ps,
}

impl Bench {
    pub fn new() -> Bench {
        let mut monitor = Monitor::new(0);
        let places =
            Places { registers: REGISTERS, sram: SRAM, sram_bytes: 0x8_0000, posts: None, host_pages: 0x10_0000 };
        let watches: Vec<Box<dyn Watch>> = vec![
            Box::new(Messages::new(START)),
            Box::<Receives>::default(),
            Box::new(Sends::new(Ps::from_us(RESEND_US))),
        ];
        monitor.place(places, Watches::new(watches));
        Bench { monitor, at: Ps::ZERO }
    }

    pub fn transfer(&mut self, by_nic: bool, is_write: bool, address: u32, value: u32) -> &mut Bench {
        self.at = Ps(self.at.0 + 30_000);
        let transfer = Transfer { at: self.at, by_nic, is_write, address, data: value.into(), byte_enables: 0xF };
        self.monitor.transfers(&[transfer], &Host);
        self
    }

    /// The host posts a message from node 1, or to it, with tag 0.
    pub fn post(&mut self, number: u32, format: Format, address: u32, bytes: u32, more: &[[u32; 5]]) -> &mut Bench {
        let page_bytes = if format == Format::List { 0 } else { bytes.min(100) as u16 };
        let length_bytes = bytes;
        self.post_of(number, Descriptor { format, page_bytes, length_bytes, address: address.into(), ..POSTED }, more)
    }

    /// The host writes a descriptor through the window, and its number to a mailbox.
    pub fn post_of(&mut self, number: u32, descriptor: Descriptor, more: &[[u32; 5]]) -> &mut Bench {
        let offset = offset_bytes(number);
        self.transfer(false, true, REGISTERS + ident::WINDOW_BASE.offset().0, START + offset / 2048 * 2048);
        let words = [descriptor.words()].into_iter().chain(more.iter().copied()).flatten();
        for (word, value) in (0..).zip(words) {
            self.transfer(false, true, REGISTERS + WINDOW_OFFSET + offset % 2048 + 4 * word, value);
        }
        let mailbox = if number < 200 { MAILBOX_SEND } else { MAILBOX_RECEIVE };
        self.transfer(false, true, REGISTERS + mailbox::TO_NIC.at(mailbox).offset().0, number)
    }

    /// The host polls the descriptor.
    pub fn sees(&mut self, number: u32, stat: u8) -> &mut Bench {
        self.transfer(false, false, SRAM + START + offset_bytes(number), stat.into())
    }

    pub fn dma_write(&mut self, address: u32) -> &mut Bench {
        self.transfer(true, true, address, 0)
    }

    pub fn dma_read(&mut self, address: u32, value: u32) -> &mut Bench {
        self.transfer(true, false, address, value)
    }

    pub fn broken(&self) -> Option<u8> {
        self.monitor.violation().map(|violation| violation.invariant.0)
    }

    /// The firmware shows a marker.
    pub fn mark(&mut self, marker: Marker, argument: u32) -> &mut Bench {
        self.at = Ps(self.at.0 + 30_000);
        self.monitor.marker(self.at, trace::word(marker, argument), &Host);
        self
    }

    /// The driver tells the firmware of the new session of a node, and the firmware obeys.
    pub fn restarts(&mut self, node: u8, session: u8) -> &mut Bench {
        let word = restart_peer(node, session);
        self.transfer(false, true, REGISTERS + mailbox::TO_NIC.at(MAILBOX_COMMAND).offset().0, word);
        self.mark(Marker::Command, word & trace::ARGUMENT_MASK)
    }

    /// Time goes by.
    pub fn wait_us(&mut self, us: u64) -> &mut Bench {
        self.at = Ps(self.at.0 + Ps::from_us(us).0);
        self
    }

    /// A receive is posted, and the firmware has taken it.
    pub fn receive(&mut self, record: u32, flags: u8, tag: u16) -> &mut Bench {
        let address = u64::from(PAGE + 4096 * record);
        let descriptor = Descriptor { flags, tag, address, page_bytes: 4096, length_bytes: 4096, ..POSTED };
        self.post_of(200 + record, descriptor, &[]).mark(Marker::ReceivePosted, record)
    }

    /// A frame of node 1 comes, and the firmware takes it from its ring.
    pub fn come(&mut self, frame: Frame) -> &mut Bench {
        for symbol in frame.symbols(1, 0) {
            self.monitor.received(self.at, symbol);
        }
        self.monitor.judged(true);
        self.mark(Marker::ReceiveBegin, 0)
    }

    /// A frame leaves for node 1.
    pub fn leave(&mut self, frame: Frame) -> &mut Bench {
        for symbol in frame.symbols(0, 1) {
            self.monitor.sent(self.at, symbol);
        }
        self
    }

    /// A first frame comes, and takes a receive.
    pub fn matches(&mut self, frame: Frame, record: u32) -> &mut Bench {
        self.come(frame).mark(Marker::MessageMatched, record)
    }
}

/// A descriptor of a message of one page, with node 1 and tag 0.
pub const POSTED: Descriptor = Descriptor {
    stat: stat::POSTED,
    format: Format::Page,
    flags: 0,
    node: 1,
    tag: 0,
    page_bytes: 100,
    length_bytes: 100,
    address: PAGE as u64,
};

/// A frame of EMP.
#[derive(Clone, Copy)]
pub struct Frame {
    pub kind: FrameKind,
    pub session: u8,
    pub message: u16,
    pub number: u16,
    pub bytes: u16,
    pub offset: u32,
    pub length: u32,
    pub tag: u16,
    /// Tag distance and oldest distance.
    pub distances: (u8, u8),
    pub collection_frames: u32,
}

/// The first frame of message 0 with tag 0, which is short.
pub const SHORT: Frame = Frame {
    kind: frame::FIRST,
    session: 0,
    message: 0,
    number: 0,
    bytes: 20,
    offset: 0,
    length: 20,
    tag: 0,
    distances: (0, 0),
    collection_frames: 3,
};

/// The first frame of a message of four frames and two collections.
pub const LONG: Frame = Frame { bytes: 100, length: 100 + 3 * 112, ..SHORT };

impl Frame {
    /// Another frame of a message like [`LONG`].
    pub fn data(self, number: u16) -> Frame {
        let offset = 100 + 112 * (u32::from(number) - 1);
        Frame { kind: frame::DATA, number, bytes: 112, offset, ..self }
    }

    /// The answer to this frame.
    pub fn answer(self, kind: FrameKind) -> Frame {
        Frame { kind, bytes: 0, offset: 0, ..self }
    }

    /// The frame on the wire. The sessions of both nodes are [`Frame::session`] of the peer, node
    /// 1, and 0 of this node.
    fn symbols(self, from: u8, to: u8) -> Vec<LinkSymbol> {
        let station = |node: u8| link::word::station(node, if node == 1 { self.session } else { 0 });
        let [a, b, c] = link::word::addresses(station(to), station(from));
        let session = if from == 1 { self.session } else { 0 };
        let mut words = vec![a, b, c, word::kind(self.kind), link::word::node_length(from, session, self.bytes)];
        words.push(word::numbers(self.message, self.number));
        words.push(self.offset);
        if self.kind == frame::FIRST {
            words.extend([
                self.length,
                word::tag(self.tag, self.distances.0, self.distances.1),
                self.collection_frames,
            ]);
        }
        words.resize(words.len().max(15) + usize::from(self.bytes) / 4, 0);
        on_wire(&words)
    }
}
