//! From a plan of the SRAM to an engine that runs.

use nic_device::Device;
use nic_link::LinkConfig;
use nic_plan::{Part, Plan};
use nic_posts::PostsConfig;

use crate::{Engine, LayersConfig, Protocol};

/// A protocol that an image boots with.
pub trait Boot: Protocol {
    /// What the protocol asks of the boot request and of the SRAM.
    type Part: Part;

    /// The part as the image has it, before a boot request is read.
    const BUILT: Self::Part;

    /// The protocol when the NIC starts. It prepares the tables that it planned.
    fn prepare(dev: &mut impl Device, plan: &Plan<Self::Part>) -> Self;

    /// SRAM offset behind the last byte that has to hold zeros before the start. The zeros begin
    /// with the process table. They cover the tables of the driver, the counters, and those regions
    /// of the part that [`Self::prepare`] leaves alone.
    fn zeros_end(plan: &Plan<Self::Part>) -> u32 {
        plan.places.link.tx_buffers
    }
}

impl<P: Part> From<&Plan<P>> for LayersConfig {
    #[inline(always)]
    fn from(plan: &Plan<P>) -> LayersConfig {
        let (config, places) = (&plan.config.link, &plan.places);
        LayersConfig {
            link: LinkConfig {
                node: config.node,
                node_count: config.node_count,
                session: config.session,
                window_frames: config.window_frames,
                ack_frames: config.ack_frames,
                ack_cycles: config.ack_cycles,
                retransmit_cycles: config.retransmit_cycles,
                retransmit_limit: config.retransmit_limit,
                tx_buffers: places.link.tx_buffers,
                tx_buffer_count: config.tx_buffer_count,
                buffer_bytes: config.buffer_bytes,
                ack_buffers: places.link.ack_buffers,
            },
            posts: PostsConfig {
                process_table: places.posts.process_table,
                post_queues: places.posts.post_queues,
                post_queue_count: places.posts.post_queue_count,
                post_errors: places.posts.post_errors,
            },
            counters: places.counters,
            frame_data_bytes_max: config.frame_data_bytes_max,
            rx_buffers: places.link.rx_buffers,
            rx_buffer_count: config.rx_buffer_count,
        }
    }
}

impl<P: Boot> Engine<P> {
    /// Takes a checked configuration and its places, and prepares SRAM and rings. Call once, before
    /// any event.
    pub fn boot(&mut self, dev: &mut impl Device, plan: &Plan<P::Part>) {
        let protocol = P::prepare(dev, plan);
        let posts = &plan.places.posts;
        // SRAM holds anything at power-up.
        for (start, end) in [(posts.process_table, P::zeros_end(plan)), (posts.post_queues, plan.places.free)] {
            for at in (start..end).step_by(4) {
                dev.write(at, 0);
            }
        }
        self.start(dev, protocol, &plan.into());
    }
}
