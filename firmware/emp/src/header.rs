//! Headers of frames.

use nic_device::{Device, Place};
use nic_layout::frame::link::word as link;
use nic_layout::frame::link::FrameKind;
use nic_layout::nodes::IMAGE_NODES;
use nic_layout::personality::emp::frame::word;

/// What of a header does not depend on the frame.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// The second word of the addresses for each peer.
    to: [u32; IMAGE_NODES],
    first: u32,
    last: u32,
    node: u8,
    session: u8,
    /// The word of node, session and length of a frame without data.
    own: u32,
}

impl Addresses {
    /// Those of no node.
    pub const NONE: Addresses = Addresses { to: [0; IMAGE_NODES], first: 0, last: 0, node: 0, session: 0, own: 0 };

    /// Those of a node whose peers have session 0.
    pub fn new(node: u8, session: u8) -> Addresses {
        let own = link::station(node, session);
        let [first, _, last] = link::addresses(0, own);
        let mut to = [0; IMAGE_NODES];
        for (peer, second) in to.iter_mut().enumerate() {
            *second = link::addresses(link::station(peer as u8, 0), own)[1];
        }
        Addresses { to, first, last, node, session, own: link::node_length(node, session, 0) }
    }

    /// A peer has another session.
    pub fn set_session(&mut self, peer: u32, session: u8) {
        let own = link::station(self.node, self.session);
        self.to[peer as usize & NODE_MASK] = link::addresses(link::station(peer as u8, session), own)[1];
    }

    /// Writes the words that are the same in every frame. A buffer keeps them.
    pub fn prepare(&self, dev: &mut impl Device, at: Place) {
        dev.put(at, link::ADDRESS_0, self.first);
        dev.put(at, link::ADDRESS_2, self.last);
    }

    /// Writes the words of a frame that say where it goes, and what about. Its buffer has the
    /// others.
    #[inline(always)]
    pub fn put_to(&self, dev: &mut impl Device, at: Place, peer: u32, numbers: u32) {
        dev.put(at, link::ADDRESS_1, self.to[peer as usize & NODE_MASK]);
        dev.put(at, word::NUMBERS, numbers);
    }

    /// Writes the other words that every frame has, except its offset.
    #[inline(always)]
    pub fn put(&self, dev: &mut impl Device, at: Place, kind: FrameKind, peer: u32, data_bytes: u32, numbers: u32) {
        dev.put(at, link::ADDRESS_1, self.to[peer as usize & NODE_MASK]);
        dev.put(at, link::TYPE, word::kind(kind));
        dev.put(at, link::NODE_LENGTH, link::with_data_bytes(self.own, data_bytes));
        dev.put(at, word::NUMBERS, numbers);
    }
}

/// Indices of peers need a mask and no check.
pub const NODE_MASK: usize = IMAGE_NODES - 1;
const _: () = assert!(IMAGE_NODES.is_power_of_two());

/// The second word of the addresses of frames for a node: its number and session, and the first
/// bytes of the address of every node.
pub fn own_address(node: u8, session: u8) -> u32 {
    link::addresses(link::station(node, session), 0)[1]
}

/// The third word of the addresses of frames from the node and session in a header's word: the last
/// bytes of the address of every node, and node and session in the order of the wire.
#[inline(always)]
pub const fn source_address(node_length: u32) -> u32 {
    let (node, session) = (link::node(node_length), link::session(node_length));
    node << 24 | session << 16 | LAST_BYTES
}

/// What all addresses have in the third word.
const LAST_BYTES: u32 = link::addresses(0, 0)[2];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_sender_follows_from_its_header() {
        for (node, session) in [(0, 0), (5, 255), (63, 3)] {
            let [_, _, last] = link::addresses(0, link::station(node, session));
            assert_eq!(source_address(link::node_length(node, session, 1486)), last);
        }
    }
}
