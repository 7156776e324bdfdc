//! The boot request: what the driver asks of the firmware.

use nic_layout::boot::{LinkRequest, NicRequest, PostsRequest, SectionsWriter};

use super::options::DriverOptions;
use super::service::ServiceEntry;
use crate::platform::Platform;

/// The words of a boot request: the sections of every firmware, and an offer for each of
/// `services`. Public, because the firmware's memory map follows from it.
///
/// `None` if the offers of so many services do not fit the boot block.
pub fn boot_request(platform: &Platform, options: &DriverOptions, services: &[ServiceEntry]) -> Option<Vec<u32>> {
    let offers = || services.iter().filter_map(|service| service.request);
    // How many offers are made depends on the options, and the directory is as long as they need.
    let mut trial = SectionsWriter::request(offers().count());
    offers().for_each(|add| add(platform, options, &mut trial));
    let mut request = SectionsWriter::request(3 + trial.count());
    request.push(&NicRequest {
        core_hz: platform.core.clock_hz as u32,
        // Above lies the area of core B.
        sram_bytes: platform.sram.bytes
            - if platform.core.count > 1 { options.duty_of_core_b().area_bytes() } else { 0 },
        host_pages: platform.host_pages(),
    });
    request.push(&LinkRequest {
        node: options.node.0.into(),
        node_count: options.node_count,
        session: options.session,
        frame_data_bytes_max: platform.link.frame_data_bytes_max,
        tx_buffer_count: platform.buffers.tx_count,
        rx_buffer_count: platform.buffers.rx_count,
        buffer_bytes: platform.buffers.bytes,
        retransmit_cycles: platform.core_cycles(platform.protocol.retransmit_us),
        retransmit_limit: platform.protocol.retransmit_limit,
        ack_frames: platform.protocol.ack_frames,
        ack_cycles: platform.core_cycles(platform.protocol.ack_us),
    });
    request.offer(&PostsRequest { post_queues: options.post_queues.unwrap_or(0) });
    offers().for_each(|add| add(platform, options, &mut request));
    request.finish().map(<[u32]>::to_vec)
}
