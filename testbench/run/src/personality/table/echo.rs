//! Every frame goes back to its sender.

use host_model::driver::echo::Echo;
use nic_layout::personality::echo::{BACK, DATA_BYTES_MAX, OP_ECHO, OP_ECHOED};
use nic_layout::post::PostDescriptor;
use nic_monitor::watches::{Answers, Dma, Link, Posts, Watches};

use crate::personality::entry::Personality;
use crate::workload::messages::{self, Messages};

/// The entry of `echo`.
pub const ENTRY: Personality = Personality {
    name: "echo",
    check: messages::check::<Echoes>,
    play: messages::play::<Echoes>,
    watches: |driver| {
        driver.service::<Echo>().ok()?;
        let answers = Box::new(Answers::new(|frame| frame.buffer == BACK));
        Some(Watches::new(vec![Box::<Posts>::default(), Box::<Dma>::default(), answers, Box::<Link>::default()]))
    },
    cold_buffers: |_, _| None,
};

/// Messages that come back to the descriptors of their posts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Echoes;

impl Messages for Echoes {
    const BYTES_MAX: u32 = DATA_BYTES_MAX;

    fn post(node: usize, message: u32, bytes: &[u8]) -> PostDescriptor {
        let post = PostDescriptor { op: OP_ECHO, destination_node: node as u16, message, ..PostDescriptor::default() };
        post.carrying(bytes)
    }

    fn has_returned(operation: u8) -> bool {
        operation == OP_ECHOED
    }
}
