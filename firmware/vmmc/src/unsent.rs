//! Posts whose frame is built in one pass and that could not be sent.

use nic_device::Device;
use nic_layout::post::PostError;
use nic_link::Barrier;

use crate::wire::Layers;
use crate::Tables;

/// Why a post was not sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unsent {
    /// There is no room for the frame.
    Blocked,
    /// The post fails with an error, and takes this many entries of the queue.
    Refused(PostError, u32),
}

impl Unsent {
    #[cold]
    pub(crate) fn of(barrier: Barrier, entries: u32) -> Unsent {
        match barrier {
            Barrier::Unreachable => Unsent::Refused(PostError::PeerUnreachable, entries),
            Barrier::Full => Unsent::Blocked,
        }
    }
}

/// Handles the next post of a slot, which was not sent. A post without room for its frame counts as
/// not read.
#[cold]
#[inline(never)]
pub(crate) fn stop<T: Tables>(layers: &mut Layers<T>, dev: &mut impl Device, slot: usize, unsent: Unsent) {
    let Unsent::Refused(error, entries) = unsent else {
        return layers.block(dev, slot);
    };
    if entries != 1 {
        layers.posts.fetch_first_half(&mut layers.records, slot);
    }
    let next = layers.posts.fetched(slot).wrapping_add(1);
    layers.posts.fetch_up_to(slot, next);
    layers.refuse_fetched(dev, slot, error);
}
