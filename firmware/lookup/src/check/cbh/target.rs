//! What operations run on.

use nic_layout::cbh::{entry, Descriptor, PERMISSIONS_SHIFT, STATE_INVALID, STATE_RESERVED};

use crate::{cbh_deny_word, cbh_fill_words, cbh_release_word, Cbh, Find, Reserve};
use nic_device::Words;

/// What a step answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CbhAnswer {
    Valid { number: u32, descriptor: Descriptor },
    Invalid,
    Reserved { number: u32 },
    Pending,
    NoWay,
    Done,
    Nothing,
}

/// What can run operations.
pub trait CbhTarget {
    fn use_buffer(&mut self, cbh: u32) -> CbhAnswer;
    fn forget(&mut self, cbh: u32) -> CbhAnswer;
    /// As the driver does: [`cbh_fill_words`].
    fn fill(&mut self, number: u32, descriptor: &Descriptor);
    /// As the driver does: [`cbh_deny_word`].
    fn deny(&mut self, number: u32);
    /// As the driver does: [`cbh_release_word`].
    fn release(&mut self, number: u32);
}

/// A cache at offset 0 of host memory.
pub struct CbhInMemory<const E: u32, const W: u32, const K: u32 = 64> {
    pub cache: Cbh<E, W, K>,
    pub words: Vec<u32>,
}

impl<const E: u32, const W: u32, const K: u32> Default for CbhInMemory<E, W, K> {
    fn default() -> Self {
        // Garbage, as in an SRAM after power-up.
        let mut words = vec![0xDEAD_BEEF; Cbh::<E, W, K>::GEOMETRY.bytes() as usize / 4];
        let cache = Cbh::new(&words, 0);
        cache.reset(&mut words);
        CbhInMemory { cache, words }
    }
}

impl<const E: u32, const W: u32, const K: u32> CbhTarget for CbhInMemory<E, W, K> {
    fn use_buffer(&mut self, cbh: u32) -> CbhAnswer {
        match self.cache.find(&mut self.words, cbh) {
            Find::Valid { entry: number, state } => {
                let at = self.cache.place(number);
                let word = |offset| self.words.get(at, offset);
                let upper = |offset| if K == 128 { word(offset) } else { 0 };
                let descriptor = Descriptor {
                    start_address: word(entry::START),
                    length_bytes: word(entry::LENGTH),
                    key: [word(entry::KEY_0), word(entry::KEY_1), upper(entry::KEY_2), upper(entry::KEY_3)],
                    permissions: state >> PERMISSIONS_SHIFT,
                };
                CbhAnswer::Valid { number, descriptor }
            }
            Find::Not { state: STATE_INVALID } => CbhAnswer::Invalid,
            Find::Not { state: STATE_RESERVED } => CbhAnswer::Pending,
            Find::Not { .. } => match self.cache.reserve(&mut self.words, cbh) {
                Reserve::Line(number) => CbhAnswer::Reserved { number },
                Reserve::NoWay => CbhAnswer::NoWay,
            },
        }
    }

    fn forget(&mut self, cbh: u32) -> CbhAnswer {
        if self.cache.forget(&mut self.words, cbh) {
            CbhAnswer::Done
        } else {
            CbhAnswer::Nothing
        }
    }

    fn fill(&mut self, number: u32, descriptor: &Descriptor) {
        for (offset, value) in cbh_fill_words(Cbh::<E, W, K>::GEOMETRY, number, descriptor) {
            self.words.write(offset, value);
        }
    }

    fn deny(&mut self, number: u32) {
        let (offset, value) = cbh_deny_word(Cbh::<E, W, K>::GEOMETRY, number);
        self.words.write(offset, value);
    }

    fn release(&mut self, number: u32) {
        let (offset, value) = cbh_release_word(Cbh::<E, W, K>::GEOMETRY, number);
        self.words.write(offset, value);
    }
}
