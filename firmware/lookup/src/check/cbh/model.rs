//! The model: a list for each set, no words, no bits.

use nic_layout::cbh::{cbh_id, CbhGeometry, Descriptor};
use nic_layout::key::KeyWidth;

use super::CbhAnswer;

/// The descriptor that a fill with `seed` gives a buffer.
pub fn descriptor(width: KeyWidth, seed: u32, cbh: u32) -> Descriptor {
    let mixed = cbh.wrapping_mul(0x9E37_79B1) ^ seed;
    Descriptor {
        start_address: mixed,
        length_bytes: mixed >> 7,
        key: width.cut([mixed ^ 0x5555_5555, !mixed, mixed.rotate_left(7), mixed ^ 0xAAAA_AAAA]),
        permissions: seed & 3,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Empty,
    Reserved { cbh: u32 },
    Valid { cbh: u32, descriptor: Descriptor },
    Invalid { cbh: u32 },
}

impl Content {
    fn cbh(self) -> Option<u32> {
        match self {
            Content::Empty => None,
            Content::Reserved { cbh } | Content::Valid { cbh, .. } | Content::Invalid { cbh } => Some(cbh),
        }
    }
}

/// The dull model. `order` lists the ways of a set from the latest use to the first.
pub struct CbhModel {
    pub(super) geometry: CbhGeometry,
    pub(super) entries: Vec<Content>,
    order: Vec<Vec<u32>>,
    /// Entries that wait for the driver, oldest first.
    pub(super) reserved: Vec<u32>,
}

impl CbhModel {
    pub fn new(geometry: CbhGeometry) -> CbhModel {
        let order = vec![(0..geometry.ways).collect(); geometry.sets() as usize];
        CbhModel { geometry, entries: vec![Content::Empty; geometry.entries as usize], order, reserved: Vec::new() }
    }

    fn find(&self, cbh: u32) -> Option<u32> {
        (0..self.geometry.entries).find(|&number| self.entries[number as usize].cbh() == Some(cbh))
    }

    fn touch(&mut self, number: u32, to_front: bool) {
        let way = number % self.geometry.ways;
        let order = &mut self.order[(number / self.geometry.ways) as usize];
        order.retain(|&other| other != way);
        let place = if to_front { 0 } else { order.len() };
        order.insert(place, way);
    }

    pub(super) fn use_buffer(&mut self, cbh: u32) -> CbhAnswer {
        if let Some(number) = self.find(cbh) {
            let answer = match self.entries[number as usize] {
                Content::Valid { descriptor, .. } => CbhAnswer::Valid { number, descriptor },
                Content::Invalid { .. } => CbhAnswer::Invalid,
                // Whose use changes no order: it has been the latest since it was reserved, or
                // others were used.
                _ => return CbhAnswer::Pending,
            };
            self.touch(number, true);
            return answer;
        }
        let set = cbh_id(cbh) % self.geometry.sets();
        let oldest_first = self.order[set as usize].iter().rev().map(|way| set * self.geometry.ways + way);
        let is_free = |number: &u32| !matches!(self.entries[*number as usize], Content::Reserved { .. });
        let Some(number) = oldest_first.into_iter().find(is_free) else {
            return CbhAnswer::NoWay;
        };
        self.entries[number as usize] = Content::Reserved { cbh };
        self.reserved.push(number);
        self.touch(number, true);
        CbhAnswer::Reserved { number }
    }

    /// The buffer that a reserved entry waits for.
    pub(super) fn awaited(&self, number: u32) -> u32 {
        match self.entries[number as usize] {
            Content::Reserved { cbh } => cbh,
            _ => unreachable!("the model's list of reserved entries is wrong"),
        }
    }

    pub(super) fn forget(&mut self, cbh: u32) -> CbhAnswer {
        let Some(number) = self.find(cbh) else {
            return CbhAnswer::Nothing;
        };
        self.entries[number as usize] = Content::Empty;
        self.reserved.retain(|&other| other != number);
        self.touch(number, false);
        CbhAnswer::Done
    }

    /// The entries that wait for the driver, oldest first.
    pub fn reserved(&self) -> &[u32] {
        &self.reserved
    }
}
