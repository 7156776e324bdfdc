//! The part of a protocol that asks for nothing and keeps nothing in SRAM.

use nic_layout::boot::{BootError, Kind, Sections, SectionsWriter, REPLY_WORDS};
use nic_layout::frame::rdma::HEADER_BYTES;
use nic_layout::key::KeyWidth;
use nic_layout::nodes::IMAGE_NODES;
use nic_layout::PROCESS_SLOTS;

use crate::{Config, Frames, Part, Regions, FRAME_DATA_BYTES_LIMIT};

/// A protocol without sections and regions of its own. Its personality has this number, and its
/// frames have the shortest header. Each process has a post queue of its own. The image has room
/// for `NODES` nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plain<const PERSONALITY: u32, const NODES: usize = IMAGE_NODES>;

impl<const PERSONALITY: u32, const NODES: usize> Part for Plain<PERSONALITY, NODES> {
    type Places = ();

    const PERSONALITY: u32 = PERSONALITY;
    const NODES: usize = NODES;
    const ASKS: &'static [Kind] = &[];
    const ANSWERS: usize = 0;

    fn frames(&self) -> Frames {
        Frames {
            header_bytes: HEADER_BYTES as u32,
            less_data_bytes: 0,
            least_data_bytes: 0,
            data_bytes_limit: FRAME_DATA_BYTES_LIMIT,
        }
    }

    fn key(&self) -> KeyWidth {
        KeyWidth::Bits64
    }

    fn post_queues(&self) -> u32 {
        PROCESS_SLOTS as u32
    }

    fn check(&self, config: &Config<Self>) -> Result<(), BootError> {
        match [0, PROCESS_SLOTS as u32].contains(&config.post_queues) {
            true => Ok(()),
            false => Err(BootError::PostQueuesOutOfRange),
        }
    }

    fn plan(&self, _regions: &mut impl Regions) {}

    fn cut(self, _share: u32) -> Self {
        self
    }

    fn reply(&self, _places: &(), _reply: &mut SectionsWriter<REPLY_WORDS>) {}

    fn read(self, _request: &Sections<'_>) -> Result<Self, BootError> {
        Ok(self)
    }
}
