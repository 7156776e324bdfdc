use nic_device::{RX_BUFFERS_MAX, TX_BUFFERS_MAX};
use nic_layout::boot::{BootError, BootRequest, ReceiveMiss, BOOT_MAGIC, LAYOUT_VERSION, MAX_NODES};
use nic_layout::frame::{header_bytes, FRAME_BYTES_MIN};
use nic_layout::key::KeyWidth;
use nic_layout::post::INLINE_BYTES_MAX;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use nic_link::{LOST_RESTART_LOG2, WINDOW_MAX};
use nic_reliable::SendWindow;

use crate::MemoryMap;

/// A frame of one page touches at most two pages at either end.
pub const FRAME_DATA_BYTES_LIMIT: u32 = PAGE_BYTES;

/// Frames that miss may be held up to this number ([`ReceiveMiss::Hold`]).
pub const HELD_FRAMES_LIMIT: u32 = 16;

/// A boot request that was checked, and where things are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    pub node: u32,
    pub node_count: u32,
    pub session: u32,
    pub frame_data_bytes_max: u32,
    pub buffer_bytes: u32,
    pub tx_buffer_count: u32,
    pub rx_buffer_count: u32,
    pub retransmit_cycles: u32,
    pub retransmit_limit: u32,
    pub ack_frames: u32,
    pub ack_cycles: u32,
    pub host_pages: u32,
    pub receive_miss: ReceiveMiss,
    pub held_frames_max: u32,
    /// Post queues that the driver asks for; 0: as many as the personality has by itself.
    pub post_queues: u32,
    /// Translations are read from the host's tables, if the image has a cache of them.
    pub fetches_translations: bool,
    /// Frames in flight to one peer: so many that all peers together cannot hold every buffer while one of them is slow, if buffers suffice.
    pub window_frames: u32,
    pub map: MemoryMap,
}

impl Config {
    pub const EMPTY: Config = Config {
        node: 0,
        node_count: 0,
        session: 0,
        frame_data_bytes_max: 0,
        buffer_bytes: 0,
        tx_buffer_count: 0,
        rx_buffer_count: 0,
        retransmit_cycles: 0,
        retransmit_limit: 0,
        ack_frames: 0,
        ack_cycles: 0,
        host_pages: 0,
        receive_miss: ReceiveMiss::TimeOut,
        held_frames_max: 0,
        post_queues: 0,
        fetches_translations: false,
        window_frames: 0,
        map: MemoryMap::EMPTY,
    };

    /// Checks everything that the driver wrote, except that it fits the SRAM: that is for [`MemoryMap::plan`].
    pub fn check(request: &BootRequest, key: KeyWidth) -> Result<Config, BootError> {
        if request.magic != BOOT_MAGIC {
            return Err(BootError::BadMagic);
        }
        if request.layout_version != LAYOUT_VERSION {
            return Err(BootError::OtherLayout);
        }
        if request.node_count < 2 || request.node_count > MAX_NODES as u32 || request.node >= request.node_count {
            return Err(BootError::NodeOutOfRange);
        }
        if request.session > 0xFF {
            return Err(BootError::SessionOutOfRange);
        }
        // A frame is as long as with the shorter key.
        let data = request.frame_data_bytes_max.saturating_sub(key.upper_bytes());
        let buffer = request.buffer_bytes;
        // What a post carries itself fits one frame.
        if !(INLINE_BYTES_MAX..=FRAME_DATA_BYTES_LIMIT).contains(&data)
            || buffer % 8 != 0
            || buffer > 0xFFF8
            || buffer < header_bytes(key) as u32 + data
            || buffer < FRAME_BYTES_MIN as u32
        {
            return Err(BootError::BufferSize);
        }
        if request.tx_buffer_count == 0
            || request.tx_buffer_count > TX_BUFFERS_MAX
            || request.rx_buffer_count == 0
            || request.rx_buffer_count > RX_BUFFERS_MAX
        {
            return Err(BootError::BufferCount);
        }
        let Some(receive_miss) = ReceiveMiss::from_word(request.receive_miss) else {
            return Err(BootError::ReceiveMissOutOfRange);
        };
        // Held frames keep buffers from the MAC: one at least stays with it.
        if request.held_frames_max >= request.rx_buffer_count || request.held_frames_max > HELD_FRAMES_LIMIT {
            return Err(BootError::ReceiveMissOutOfRange);
        }
        if request.fetches_translations > 1 {
            return Err(BootError::FetchOutOfRange);
        }
        let half_lap = u64::from(u32::MAX / 2);
        if request.retransmit_cycles == 0
            || SendWindow::interval_max(request.retransmit_cycles) << LOST_RESTART_LOG2 >= half_lap
            || request.ack_cycles == 0
            || u64::from(request.ack_cycles) >= half_lap
            || request.ack_frames == 0
        {
            return Err(BootError::IntervalOutOfRange);
        }
        if request.post_queues > PROCESS_SLOTS as u32 {
            return Err(BootError::PostQueuesOutOfRange);
        }
        let share = request.tx_buffer_count / (request.node_count - 1);
        Ok(Config {
            node: request.node,
            node_count: request.node_count,
            session: request.session,
            frame_data_bytes_max: data,
            buffer_bytes: buffer,
            tx_buffer_count: request.tx_buffer_count,
            rx_buffer_count: request.rx_buffer_count,
            retransmit_cycles: request.retransmit_cycles,
            retransmit_limit: request.retransmit_limit,
            ack_frames: request.ack_frames,
            ack_cycles: request.ack_cycles,
            // Page numbers that do not fit a bus address are wild whatever the driver says.
            host_pages: request.host_pages.min(1 << 20),
            receive_miss,
            held_frames_max: request.held_frames_max,
            post_queues: request.post_queues,
            fetches_translations: request.fetches_translations != 0,
            window_frames: share.clamp(1, WINDOW_MAX),
            map: MemoryMap::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use nic_layout::static_tables::StaticGeometry;

    use super::*;
    use crate::Shape;

    const GOOD: BootRequest = BootRequest {
        magic: BOOT_MAGIC,
        layout_version: LAYOUT_VERSION,
        node: 1,
        node_count: 4,
        core_hz: 88_000_000,
        sram_bytes: 512 * 1024,
        frame_data_bytes_max: 1466,
        tx_buffer_count: 64,
        rx_buffer_count: 64,
        buffer_bytes: 1520,
        retransmit_cycles: 22_000,
        retransmit_limit: 16,
        ack_frames: 4,
        ack_cycles: 4400,
        host_pages: 1 << 17,
        session: 0,
        receive_miss: ReceiveMiss::Hold as u32,
        held_frames_max: 4,
        vmh_tables_max: 64,
        cbh_entries_max: 1024,
        import_entries_max: 4096,
        post_queues: 0,
        fetches_translations: 1,
    };

    fn check(request: &BootRequest) -> Result<Config, BootError> {
        Config::check(request, KeyWidth::Bits64)
    }

    #[test]
    fn with_longer_keys_a_frame_carries_less_and_is_as_long() {
        let wide = |request| Config::check(&request, KeyWidth::Bits128);
        assert_eq!(wide(GOOD).unwrap().frame_data_bytes_max, 1458);
        assert_eq!(wide(BootRequest { frame_data_bytes_max: 39, ..GOOD }), Err(BootError::BufferSize));
        assert_eq!(wide(BootRequest { frame_data_bytes_max: 7, ..GOOD }), Err(BootError::BufferSize));
    }

    #[test]
    fn a_good_request_is_taken_and_buffers_are_shared_among_peers() {
        assert_eq!(check(&GOOD).unwrap().window_frames, 21);
        assert_eq!(check(&BootRequest { node_count: 2, ..GOOD }).unwrap().window_frames, 32);
    }

    #[test]
    fn each_bad_request_is_refused_with_its_reason() {
        let cases = [
            (BootRequest { magic: 0, ..GOOD }, BootError::BadMagic),
            (BootRequest { layout_version: 0, ..GOOD }, BootError::OtherLayout),
            (BootRequest { node: 4, ..GOOD }, BootError::NodeOutOfRange),
            (BootRequest { node_count: 17, ..GOOD }, BootError::NodeOutOfRange),
            (BootRequest { node: 0, node_count: 1, ..GOOD }, BootError::NodeOutOfRange),
            (BootRequest { session: 256, ..GOOD }, BootError::SessionOutOfRange),
            (BootRequest { frame_data_bytes_max: 31, ..GOOD }, BootError::BufferSize),
            (BootRequest { frame_data_bytes_max: 4097, buffer_bytes: 8192, ..GOOD }, BootError::BufferSize),
            (BootRequest { buffer_bytes: 1512, ..GOOD }, BootError::BufferSize),
            (BootRequest { buffer_bytes: 1521, ..GOOD }, BootError::BufferSize),
            (BootRequest { tx_buffer_count: 65, ..GOOD }, BootError::BufferCount),
            (BootRequest { rx_buffer_count: 0, ..GOOD }, BootError::BufferCount),
            (BootRequest { retransmit_cycles: 1 << 25, ..GOOD }, BootError::IntervalOutOfRange),
            (BootRequest { receive_miss: 3, ..GOOD }, BootError::ReceiveMissOutOfRange),
            (BootRequest { held_frames_max: 17, ..GOOD }, BootError::ReceiveMissOutOfRange),
            (BootRequest { held_frames_max: 8, rx_buffer_count: 8, ..GOOD }, BootError::ReceiveMissOutOfRange),
            (BootRequest { fetches_translations: 2, ..GOOD }, BootError::FetchOutOfRange),
            (BootRequest { ack_cycles: 0, ..GOOD }, BootError::IntervalOutOfRange),
            (BootRequest { post_queues: 9, ..GOOD }, BootError::PostQueuesOutOfRange),
            (BootRequest { ack_frames: 0, ..GOOD }, BootError::IntervalOutOfRange),
        ];
        for (request, error) in cases {
            assert_eq!(check(&request), Err(error), "{request:?}");
        }
    }

    #[test]
    fn processes_of_static_tables_keep_their_queues() {
        for post_queues in [0, 8] {
            assert!(Shape::vmmc(&BootRequest { post_queues, ..GOOD }, KeyWidth::Bits64).is_ok());
        }
        let shared = BootRequest { post_queues: 2, ..GOOD };
        assert_eq!(Shape::vmmc(&shared, KeyWidth::Bits64), Err(BootError::PostQueuesOutOfRange));
        assert!(check(&shared).is_ok(), "an image with caches shares them");
    }

    #[test]
    fn static_tables_are_checked_where_there_are_any() {
        let tables = StaticGeometry { vmh_tables: 64, cbh_entries: 1024, import_entries: 4096, key: KeyWidth::Bits64 };
        assert_eq!(Shape::vmmc(&GOOD, KeyWidth::Bits64), Ok(Shape::Vmmc(tables)));
        for bad in [
            BootRequest { vmh_tables_max: 256, ..GOOD },
            BootRequest { cbh_entries_max: 0, ..GOOD },
            BootRequest { import_entries_max: u32::MAX, ..GOOD },
        ] {
            assert_eq!(Shape::vmmc(&bad, KeyWidth::Bits64), Err(BootError::StaticTablesOutOfRange));
            assert!(check(&bad).is_ok(), "an image with caches has no use for them");
        }
    }
}
