//! Time-outs: frames are retransmitted, and peers that do not answer are given up.

use nic_device::Device;
use nic_layout::post::PostError;
use nic_link::{Ended, Overdue};
use nic_posts::Owner;

use crate::layers::Layers;
use crate::protocol::Protocol;

/// Fails the owner of a frame that has failed.
#[cold]
#[inline(never)]
pub(crate) fn fail_frame<P: Protocol>(
    protocol: &mut P,
    layers: &mut Layers<P::Types>,
    dev: &mut impl Device,
    owner: Owner,
    error: PostError,
) {
    if owner.is_post() {
        layers.fail_post(dev, owner, error);
    } else {
        protocol.on_frame_failed(layers, dev, owner, error);
    }
}

/// Handles the timer of retransmissions.
pub(crate) fn on_retransmit_timer<P: Protocol>(protocol: &mut P, layers: &mut Layers<P::Types>, dev: &mut impl Device) {
    for node in layers.link.expire_retransmit(dev) {
        layers.process_deferred(dev);
        match layers.link.check_overdue(dev, node) {
            Overdue::Idle => layers.probe(dev, node),
            Overdue::NotSent => {}
            Overdue::Unanswered => {
                layers.go_on(node);
                layers.retransmit();
                if let Some(ended) = layers.link.retry(dev, node) {
                    end_frames_badly(protocol, layers, dev, ended);
                    protocol.on_peer_lost(layers, dev, node);
                    // A post that is still being issued, and a job, end when they are served next.
                    layers.run.wake_blocked();
                }
            }
        }
    }
    layers.link.restart_retransmit_timer(dev);
}

/// Ends all frames to a peer that is lost or has started again: buffers become free, posts fail
/// (INV-32). The protocol ends its other work afterwards.
#[cold]
#[inline(never)]
pub(crate) fn end_frames_badly<P: Protocol>(
    protocol: &mut P,
    layers: &mut Layers<P::Types>,
    dev: &mut impl Device,
    ended: Ended,
) {
    for sequence in ended.sequences() {
        let owner = layers.link.owner(ended.node, sequence);
        fail_frame(protocol, layers, dev, owner, PostError::PeerUnreachable);
        layers.take_back(ended.node, sequence);
    }
}

/// Handles the timer of acknowledgements.
pub(crate) fn on_ack_timer<P: Protocol>(protocol: &mut P, layers: &mut Layers<P::Types>, dev: &mut impl Device) {
    layers.link.expire_acks(dev);
    protocol.on_timer(layers, dev);
    layers.link.restart_ack_timer(dev);
}
