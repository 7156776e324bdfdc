//! The boot request: what the driver asks of the firmware.

use nic_layout::boot::{BootRequest, BOOT_MAGIC, LAYOUT_VERSION};
use nic_layout::keeper;

use super::options::{DriverOptions, MissService};
use crate::platform::Platform;

/// What the driver asks of the firmware. Public, because the firmware's memory map follows from it.
pub fn boot_request(platform: &Platform, options: &DriverOptions) -> BootRequest {
    BootRequest {
        magic: BOOT_MAGIC,
        layout_version: LAYOUT_VERSION,
        node: options.node.0.into(),
        node_count: options.node_count,
        core_hz: platform.core.clock_hz as u32,
        // Above lies the area of core B.
        sram_bytes: platform.sram.bytes - if platform.core.count > 1 { keeper::AREA_BYTES } else { 0 },
        frame_data_bytes_max: platform.link.frame_data_bytes_max,
        tx_buffer_count: platform.buffers.tx_count,
        rx_buffer_count: platform.buffers.rx_count,
        buffer_bytes: platform.buffers.bytes,
        retransmit_cycles: platform.core_cycles(platform.protocol.retransmit_us),
        retransmit_limit: platform.protocol.retransmit_limit,
        ack_frames: platform.protocol.ack_frames,
        ack_cycles: platform.core_cycles(platform.protocol.ack_us),
        host_pages: platform.host_pages(),
        session: options.session,
        receive_miss: options.receive_miss as u32,
        held_frames_max: options.held_frames_max,
        vmh_tables_max: options.static_tables.vmh_tables,
        cbh_entries_max: options.static_tables.cbh_entries,
        import_entries_max: options.static_tables.import_entries,
        post_queues: options.post_queues.unwrap_or(0),
        fetches_translations: u32::from(options.miss_service == MissService::Nic),
    }
}
