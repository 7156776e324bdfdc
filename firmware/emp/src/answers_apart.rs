//! Answers of a receiver whose transmitter runs on the other core.

use nic_device::{rarely, Device};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::frame::{word, ACK, HEADER_BYTES};
use nic_layout::trace::Marker;

use crate::header::Addresses;
use crate::places::{Places, Settings};
use crate::transmitter::{ANSWERS, ANSWERS_APART, ANSWER_BYTES};

/// Stands for the transmitter on the core of the receiver. Acknowledgements leave from here, so
/// that the core of the transmitter has no part in them: the host answers a message as soon as it
/// is there, and needs that core then. Other answers are rare and go by the queue. So do all while
/// a frame of the transmitter waits for its data.
#[derive(Debug)]
pub struct AnswersApart {
    /// The number behind the last frame of each buffer.
    last: [u32; ANSWERS_APART as usize],
    /// The buffer that is taken next.
    next: u32,
    /// Frames that have left, counted without end, when this core has looked.
    left: u32,
    first: u32,
    /// Frames that the core may take without a look at the queues to the other core.
    pub(crate) allowed: u32,
    has_flow_control: bool,
    pub(crate) addresses: Addresses,
}

impl AnswersApart {
    /// Before [`Self::start`].
    pub const NOWHERE: AnswersApart = AnswersApart {
        last: [0; ANSWERS_APART as usize],
        next: 0,
        left: 0,
        first: 0,
        allowed: 0,
        has_flow_control: false,
        addresses: Addresses::NONE,
    };

    /// Makes the buffers ready. The peers have these sessions.
    pub fn start(&mut self, dev: &mut impl Device, settings: &Settings, places: &Places, sessions: impl Fn(u32) -> u8) {
        self.first = places.answer_buffers + ANSWERS * ANSWER_BYTES;
        self.has_flow_control = settings.has_flow_control();
        self.addresses = Addresses::new(settings.node as u8, settings.session as u8);
        for peer in 0..settings.node_count {
            self.addresses.set_session(peer, sessions(peer));
        }
        for number in 0..ANSWERS_APART {
            let at = dev.place(self.first + number * ANSWER_BYTES);
            self.addresses.prepare(dev, at);
            self.addresses.put(dev, at, ACK, 0, 0, 0);
            dev.put(at, word::OFFSET, 0);
        }
    }

    /// Sends an acknowledgement. False: it goes by the queue.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub fn send(&mut self, dev: &mut impl Device, node: u32, numbers: u32) -> bool {
        let index = (self.next % ANSWERS_APART) as usize;
        if !self.has_left(self.last[index]) {
            rarely();
            let consumer = dev.transmit_consumer();
            self.left = self.left.wrapping_add(u32::from(consumer.wrapping_sub(self.left as u16)));
            if !self.has_left(self.last[index]) {
                return false;
            }
        }
        let offset = self.first + self.next * ANSWER_BYTES;
        let at = dev.place(offset);
        self.addresses.put_to(dev, at, node, numbers);
        if self.has_flow_control {
            rarely();
            let room = dev.receive_room();
            dev.put(at, word::OFFSET, room);
        }
        let Some(number) = dev.send_apart(offset, HEADER_BYTES) else {
            rarely();
            return false;
        };
        dev.trace(Marker::AckSent, numbers);
        self.last[index] = number.wrapping_add(1);
        self.next = (self.next + 1) % ANSWERS_APART;
        dev.count(Counter::FramesToMac);
        true
    }

    #[inline(always)]
    fn has_left(&self, number: u32) -> bool {
        self.left.wrapping_sub(number) <= u32::MAX / 2
    }
}
