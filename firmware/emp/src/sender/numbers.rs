//! The numbers of messages to each peer, and which messages are open: not known to be matched.

use nic_device::Device;
use nic_layout::personality::emp::frame::word;
use nic_layout::personality::emp::OPEN_NUMBERS;

use super::peer::{Peer, NONE};
use super::state::Sender;
use crate::header::NODE_MASK;
use crate::places::send_record as record;

impl Sender {
    fn peer(&mut self, node: u32) -> &mut Peer {
        &mut self.peers[node as usize & NODE_MASK]
    }

    /// The word with the record of a number.
    #[inline(always)]
    fn number_at(&self, node: u32, number: u16) -> u32 {
        self.places.sent + 4 * ((node & NODE_MASK as u32) * OPEN_NUMBERS + u32::from(number) % OPEN_NUMBERS)
    }

    /// All messages to a peer have ended: numbers begin at 0.
    pub(super) fn forget_numbers(&mut self, dev: &mut impl Device, node: u32) {
        *self.peer(node) = Peer::NEW;
        for number in 0..OPEN_NUMBERS as u16 {
            let at = self.number_at(node, number);
            dev.write(at, NONE);
        }
    }

    /// Whether a peer has a number that is not in use.
    #[inline(always)]
    pub(super) fn has_number(&mut self, node: u32) -> bool {
        let peer = self.peer(node);
        u32::from(peer.next.wrapping_sub(peer.oldest)) < OPEN_NUMBERS
    }

    /// The same frame of the youngest message to a node: what the planted defect takes.
    pub(super) fn as_newest(&mut self, node: u32, numbers: u32) -> u32 {
        numbers & !0xFFFF | u32::from(self.peer(node).next.wrapping_sub(1))
    }

    /// Gives a record the next number of a peer. [`Self::has_number`].
    #[inline(always)]
    pub(super) fn take_number(&mut self, dev: &mut impl Device, node: u32, record: u32) -> u16 {
        let peer = self.peer(node);
        let number = peer.next;
        peer.next = number.wrapping_add(1);
        let at = self.number_at(node, number);
        dev.write(at, record);
        number
    }

    /// The record that a number of a peer has, if any.
    #[inline(always)]
    pub(super) fn record_of(&self, dev: &impl Device, node: u32, number: u16) -> Option<u32> {
        let record = dev.read(self.number_at(node, number));
        (record != NONE).then_some(record)
    }

    /// The message with a number has ended.
    #[inline(always)]
    pub(super) fn give_number(&mut self, dev: &mut impl Device, node: u32, number: u16) {
        let at = self.number_at(node, number);
        dev.write(at, NONE);
        let mut peer = *self.peer(node);
        while peer.oldest != peer.next && dev.read(self.number_at(node, peer.oldest)) == NONE {
            peer.oldest = peer.oldest.wrapping_add(1);
        }
        *self.peer(node) = peer;
    }

    /// The number that a message to a peer gets next, and whether no message to the peer is open.
    #[inline(always)]
    pub(super) fn next_number(&mut self, node: u32) -> (u16, bool) {
        let peer = self.peer(node);
        (peer.next, u32::from(peer.last_open) == NONE)
    }

    /// Every number of a peer before this one has ended.
    pub(super) fn oldest_number(&self, node: u32) -> u16 {
        self.peers[node as usize & NODE_MASK].oldest
    }

    /// Gives a record its number. No other message to the peer is open.
    #[inline(always)]
    pub(super) fn open_alone(&mut self, dev: &mut impl Device, node: u32, record: u32, tag: u16) {
        let number = self.take_number(dev, node, record);
        let at = self.record(record);
        dev.put(at, record::NODE_NUMBER, node | u32::from(number) << 16);
        let peer = self.peer(node);
        (peer.first_open, peer.last_open) = (record as u8, record as u8);
        dev.put(at, record::TAG, u32::from(tag) | NONE << 16 | NONE << 24);
    }

    /// The same of a message behind others that are open. The word of its tag and distances.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text.behind")]
    pub(super) fn open_behind(&mut self, dev: &mut impl Device, node: u32, record: u32, tag: u16) -> u32 {
        let number = self.take_number(dev, node, record);
        dev.put(self.record(record), record::NODE_NUMBER, node | u32::from(number) << 16);
        self.open(dev, node, record, tag);
        let (of_tag, oldest) = self.distances(dev, node, number, record);
        word::tag(tag, of_tag as u8, oldest as u8)
    }

    /// Adds a message, the youngest, to those that are open.
    #[inline(always)]
    pub(super) fn open(&mut self, dev: &mut impl Device, node: u32, record: u32, tag: u16) {
        let peer = self.peer(node);
        let older = u32::from(peer.last_open);
        peer.last_open = record as u8;
        if older == NONE {
            peer.first_open = record as u8;
        } else {
            let at = self.record(older);
            let word = dev.get(at, record::TAG);
            dev.put(at, record::TAG, word & 0x00FF_FFFF | record << 24);
        }
        let at = self.record(record);
        dev.put(at, record::TAG, u32::from(tag) | older << 16 | NONE << 24);
    }

    /// Removes a message from those that are open.
    #[inline(always)]
    pub(super) fn close(&mut self, dev: &mut impl Device, node: u32, record: u32) {
        let at = self.record(record);
        let word = dev.get(at, record::TAG);
        let (older, younger) = ((word >> 16) & 0xFF, word >> 24);
        if older == NONE {
            self.peer(node).first_open = younger as u8;
        } else {
            let at = self.record(older);
            let word = dev.get(at, record::TAG);
            dev.put(at, record::TAG, word & 0x00FF_FFFF | younger << 24);
        }
        if younger == NONE {
            self.peer(node).last_open = older as u8;
        } else {
            let at = self.record(younger);
            let word = dev.get(at, record::TAG);
            dev.put(at, record::TAG, word & 0xFF00_FFFF | older << 16);
        }
    }

    /// Tag distance and oldest distance of an open message.
    #[inline(always)]
    pub(super) fn distances(&mut self, dev: &impl Device, node: u32, number: u16, record: u32) -> (u32, u32) {
        let first = u32::from(self.peer(node).first_open);
        if first == record {
            return (0, 0);
        }
        let number_of = |record: u32| (dev.get(self.record(record), record::NODE_NUMBER) >> 16) as u16;
        let oldest = u32::from(number.wrapping_sub(number_of(first)));
        let own = dev.get(self.record(record), record::TAG);
        let mut older = (own >> 16) & 0xFF;
        while older != NONE {
            let word = dev.get(self.record(older), record::TAG);
            if word as u16 == own as u16 {
                return (u32::from(number.wrapping_sub(number_of(older))), oldest);
            }
            older = (word >> 16) & 0xFF;
        }
        (0, oldest)
    }
}
