use nic_device::{DMA_RING_LOG2, MAC_RING_LOG2};
use nic_layout::boot::{BootError, BootReply, BootRequest, Personality, BOOT_READY, MAX_NODES};
use nic_layout::cbh::CbhGeometry;
use nic_layout::counter::Counter;
use nic_layout::fetch::DIRECTORY_BYTES;
use nic_layout::key::KeyWidth;
use nic_layout::post::POST_QUEUE_ENTRIES;
use nic_layout::ring::{DMA_DESCRIPTOR_BYTES, MAC_DESCRIPTOR_BYTES};
use nic_layout::static_tables::StaticGeometry;
use nic_layout::tables::{MISS_RING_ENTRIES, NOTIFY_RING_ENTRIES};
use nic_layout::vmh::VmhGeometry;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use nic_link::ACK_BUFFER_BYTES;

use crate::Config;

pub const PROCESS_ENTRY_BYTES: u32 = 32;
pub const MISS_ENTRY_BYTES: u32 = 16;
pub const NOTIFY_ENTRY_BYTES: u32 = 32;
/// Reads of other nodes that wait for their answer, and what is kept of each.
pub const READS_MAX: u32 = 16;
pub const READ_BYTES: u32 = 64;
/// What is kept of each read of an own process; as many are open.
pub const OPEN_READ_BYTES: u32 = 32;
/// Post queues of an image with caches, whose processes share them (M-52), if the driver does not ask for a number. With static tables each process has its own.
pub const POST_QUEUES_SHARED: u32 = 2;
/// Slots, and the entry of who gets the next queue ([`nic_layout::tables::NEXT_OWNER`]).
pub const PROCESS_ENTRIES: u32 = PROCESS_SLOTS as u32 + 1;
/// Four bits for each entry of a post queue.
pub const POST_ERROR_BYTES: u32 = POST_QUEUE_ENTRIES / 2;

/// What is kept of each fetch of translations, as many as the ring of host reads has places; behind them the numbers of those that began and that ended, and
/// for each peer how many had begun when its frame missed.
pub const FETCH_RECORD_BYTES: u32 = 16;
pub const FETCH_RECORDS: u32 = 1 << DMA_RING_LOG2;
pub const FETCHES_BYTES: u32 = FETCH_RECORDS * FETCH_RECORD_BYTES + 8 + 4 * MAX_NODES as u32;

/// Shapes of both caches, built into an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    pub vmh: VmhGeometry,
    pub cbh: CbhGeometry,
}

impl Geometry {
    pub const RECOMMENDED: Geometry = Geometry { vmh: VmhGeometry::RECOMMENDED, cbh: CbhGeometry::RECOMMENDED };
}

/// The lookup structures of a personality: what is wanted, and in a plan what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Two caches, of just this geometry.
    Mini(Geometry),
    /// Tables that hold at most so much: as the driver asks, less where the SRAM is full.
    Vmmc(StaticGeometry),
}

impl Shape {
    /// What the driver asks of an image with static tables.
    pub fn vmmc(request: &BootRequest, key: KeyWidth) -> Result<Shape, BootError> {
        let geometry = StaticGeometry {
            vmh_tables: request.vmh_tables_max,
            cbh_entries: request.cbh_entries_max,
            import_entries: request.import_entries_max,
            key,
        };
        // Tables are found by the slot of their process.
        if !matches!(request.post_queues, 0 | ALL_SLOTS) {
            return Err(BootError::PostQueuesOutOfRange);
        }
        geometry.check().map(Shape::Vmmc).map_err(|_| BootError::StaticTablesOutOfRange)
    }

    /// Part `part` of [`PARTS`] of what is wanted, and at least one of each. Caches cannot be cut.
    fn cut(self, part: u32) -> Shape {
        match self {
            Shape::Mini(_) => self,
            Shape::Vmmc(wanted) => {
                let of = |count: u32| (count * part / PARTS).max(1);
                Shape::Vmmc(StaticGeometry {
                    vmh_tables: of(wanted.vmh_tables),
                    cbh_entries: of(wanted.cbh_entries),
                    import_entries: of(wanted.import_entries),
                    key: wanted.key,
                })
            }
        }
    }

    /// Post queues, where the driver does not ask for a number.
    fn post_queues(self) -> u32 {
        match self {
            Shape::Mini(_) => POST_QUEUES_SHARED,
            Shape::Vmmc(_) => ALL_SLOTS,
        }
    }

    pub fn key(self) -> KeyWidth {
        match self {
            Shape::Mini(geometry) => geometry.cbh.key,
            Shape::Vmmc(geometry) => geometry.key,
        }
    }

    /// Of translations, and of the rest.
    fn bytes(self) -> (u32, u32) {
        match self {
            Shape::Mini(Geometry { vmh, cbh }) => (vmh.bytes(), cbh.bytes()),
            Shape::Vmmc(geometry) => {
                let translations = geometry.buffer_offset(0);
                (translations, geometry.bytes() - translations)
            }
        }
    }
}

const ALL_SLOTS: u32 = PROCESS_SLOTS as u32;

/// Static tables that do not fit are cut to so many parts of what is wanted, each by the same share.
const PARTS: u32 = 256;

/// Where everything is in SRAM, above the firmware image. Byte offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryMap {
    pub dma_read_ring: u32,
    pub dma_write_ring: u32,
    pub transmit_ring: u32,
    pub receive_ring: u32,
    /// Behind it the upper half of the key of each slot's post, where keys have 128 bits ([`MemoryMap::upper_key`]).
    pub process_table: u32,
    pub miss_ring: u32,
    pub notify_ring: u32,
    pub reads: u32,
    pub open_reads: u32,
    pub post_errors: u32,
    pub counters: u32,
    pub ack_buffers: u32,
    /// Of a NIC that fetches translations, 0 of others: a directory for each slot (`nic_layout::fetch`), and behind them what is kept of fetches.
    pub directories: u32,
    pub fetches: u32,
    /// The cache of translations, or the static tables of them, and behind it that of buffers; static tables are one piece, with the imports at its end.
    pub vmh: u32,
    pub cbh: u32,
    pub tx_buffers: u32,
    pub rx_buffers: u32,
    /// On a page boundary: each queue is a page that one process can reach.
    pub post_queues: u32,
    /// How many there are.
    pub post_queue_count: u32,
    /// First byte that nothing uses.
    pub free: u32,
}

/// Hands out memory from the bottom up; sizes are small, and the sum is checked once at the end.
struct Bump(u64);

impl Bump {
    fn take(&mut self, bytes: u64, align: u64) -> u32 {
        let start = self.0.next_multiple_of(align);
        self.0 = start + bytes;
        start as u32
    }
}

impl MemoryMap {
    /// From the process table.
    pub const fn upper_key(slot: u32) -> u32 {
        PROCESS_ENTRIES * PROCESS_ENTRY_BYTES + slot * KeyWidth::Bits128.upper_bytes()
    }

    pub const EMPTY: MemoryMap = MemoryMap {
        dma_read_ring: 0,
        dma_write_ring: 0,
        transmit_ring: 0,
        receive_ring: 0,
        process_table: 0,
        miss_ring: 0,
        notify_ring: 0,
        reads: 0,
        open_reads: 0,
        post_errors: 0,
        counters: 0,
        ack_buffers: 0,
        directories: 0,
        fetches: 0,
        vmh: 0,
        cbh: 0,
        tx_buffers: 0,
        rx_buffers: 0,
        post_queues: 0,
        post_queue_count: 0,
        free: 0,
    };

    /// The map, and what its lookup structures hold.
    pub fn plan(
        config: &Config,
        wanted: Shape,
        first_free: u32,
        sram_bytes: u32,
    ) -> Result<(MemoryMap, Shape), BootError> {
        for part in (0..=PARTS).rev() {
            let shape = wanted.cut(part);
            if let Some(map) = MemoryMap::lay_out(config, shape, first_free, sram_bytes) {
                return Ok((map, shape));
            }
            if shape == wanted.cut(0) {
                break;
            }
        }
        Err(BootError::DoesNotFitSram)
    }

    fn lay_out(config: &Config, shape: Shape, first_free: u32, sram_bytes: u32) -> Option<MemoryMap> {
        let (vmh_bytes, cbh_bytes) = shape.bytes();
        let post_queue_count = if config.post_queues == 0 { shape.post_queues() } else { config.post_queues };
        let fetches = u32::from(config.fetches_translations && matches!(shape, Shape::Mini(_)));
        let mut bump = Bump(u64::from(first_free));
        let mut take =
            |count: u32, each: u32, align: u32| bump.take(u64::from(count) * u64::from(each), u64::from(align));
        let mut map = MemoryMap {
            dma_read_ring: take(1 << DMA_RING_LOG2, DMA_DESCRIPTOR_BYTES, 16),
            dma_write_ring: take(1 << DMA_RING_LOG2, DMA_DESCRIPTOR_BYTES, 16),
            transmit_ring: take(1 << MAC_RING_LOG2, MAC_DESCRIPTOR_BYTES, 8),
            receive_ring: take(1 << MAC_RING_LOG2, MAC_DESCRIPTOR_BYTES, 8),
            // Upper halves of keys stand behind the entries.
            process_table: take(
                1,
                PROCESS_ENTRIES * PROCESS_ENTRY_BYTES + PROCESS_SLOTS as u32 * shape.key().upper_bytes(),
                16,
            ),
            miss_ring: take(MISS_RING_ENTRIES, MISS_ENTRY_BYTES, 16),
            notify_ring: take(NOTIFY_RING_ENTRIES, NOTIFY_ENTRY_BYTES, 16),
            reads: take(READS_MAX, READ_BYTES, 16),
            open_reads: take(READS_MAX, OPEN_READ_BYTES, 16),
            post_errors: take(post_queue_count, POST_ERROR_BYTES, 8),
            counters: take(Counter::COUNT as u32, 4, 8),
            ack_buffers: take(2 * MAX_NODES as u32, ACK_BUFFER_BYTES, 8),
            directories: take(fetches * PROCESS_SLOTS as u32, DIRECTORY_BYTES, 8) * fetches,
            fetches: take(fetches, FETCHES_BYTES, 8) * fetches,
            vmh: take(1, vmh_bytes, 8),
            cbh: take(1, cbh_bytes, 8),
            tx_buffers: take(config.tx_buffer_count, config.buffer_bytes, 8),
            rx_buffers: take(config.rx_buffer_count, config.buffer_bytes, 8),
            post_queues: take(post_queue_count, PAGE_BYTES, PAGE_BYTES),
            post_queue_count,
            free: 0,
        };
        if bump.0 > u64::from(sram_bytes) {
            return None;
        }
        map.free = bump.0 as u32;
        Some(map)
    }

    pub fn reply(&self, shape: Shape) -> BootReply {
        let reply = BootReply {
            state: BOOT_READY,
            error: 0,
            post_queues: self.post_queues,
            post_queue_count: self.post_queue_count,
            process_table: self.process_table,
            miss_ring: self.miss_ring,
            notify_ring: self.notify_ring,
            personality: 0,
            vmh_cache: 0,
            vmh_entries: 0,
            vmh_line_entries: 0,
            vmh_ways: 0,
            cbh_cache: 0,
            cbh_entries: 0,
            cbh_ways: 0,
            static_tables: 0,
            static_vmh_tables: 0,
            static_cbh_entries: 0,
            static_import_entries: 0,
            directories: self.directories,
            counters: self.counters,
            tx_buffers: self.tx_buffers,
            rx_buffers: self.rx_buffers,
            free: self.free,
            key_bits: shape.key().bits(),
        };
        match shape {
            Shape::Mini(Geometry { vmh, cbh }) => BootReply {
                personality: Personality::Mini as u32,
                vmh_cache: self.vmh,
                vmh_entries: vmh.entries,
                vmh_line_entries: vmh.line_entries,
                vmh_ways: vmh.ways,
                cbh_cache: self.cbh,
                cbh_entries: cbh.entries,
                cbh_ways: cbh.ways,
                ..reply
            },
            Shape::Vmmc(geometry) => BootReply {
                personality: Personality::Vmmc as u32,
                static_tables: self.vmh,
                static_vmh_tables: geometry.vmh_tables,
                static_cbh_entries: geometry.cbh_entries,
                static_import_entries: geometry.import_entries,
                ..reply
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nic_layout::boot::ReceiveMiss;

    const CONFIG: Config = Config {
        node: 0,
        node_count: 2,
        session: 0,
        frame_data_bytes_max: 1466,
        buffer_bytes: 1520,
        tx_buffer_count: 64,
        rx_buffer_count: 64,
        retransmit_cycles: 1,
        retransmit_limit: 1,
        ack_frames: 1,
        ack_cycles: 1,
        host_pages: 1,
        receive_miss: ReceiveMiss::TimeOut,
        held_frames_max: 0,
        post_queues: 0,
        fetches_translations: false,
        window_frames: 1,
        map: MemoryMap::EMPTY,
    };

    const MINI: Shape = Shape::Mini(Geometry::RECOMMENDED);
    const VMMC: Shape = Shape::Vmmc(StaticGeometry::OF_THE_THESIS);

    #[test]
    fn the_recommended_cache_and_the_buffers_of_the_papers_fit_512_kb() {
        let (map, shape) = MemoryMap::plan(&CONFIG, MINI, 48 * 1024, 512 * 1024).unwrap();
        assert_eq!(shape, MINI);
        assert_eq!(map.post_queues % PAGE_BYTES, 0);
        assert!(map.free < 400 * 1024, "{}", map.free);
    }

    #[test]
    fn parts_do_not_overlap_and_keep_their_alignment() {
        let (map, _) = MemoryMap::plan(&CONFIG, MINI, 12_345, 512 * 1024).unwrap();
        let parts = [
            (map.dma_read_ring, 512, 16),
            (map.dma_write_ring, 512, 16),
            (map.transmit_ring, 2048, 8),
            (map.receive_ring, 2048, 8),
            (map.process_table, 9 * 32, 16),
            (map.miss_ring, 1024, 16),
            (map.notify_ring, 1024, 16),
            (map.reads, 1024, 16),
            (map.open_reads, 512, 16),
            (map.post_errors, 2 * 64, 8),
            (map.counters, Counter::COUNT as u32 * 4, 4),
            (map.ack_buffers, 2048, 8),
            (map.vmh, VmhGeometry::RECOMMENDED.bytes(), 4),
            (map.cbh, CbhGeometry::RECOMMENDED.bytes(), 4),
            (map.tx_buffers, 64 * 1520, 8),
            (map.rx_buffers, 64 * 1520, 8),
            (map.post_queues, 2 * 4096, 4096),
        ];
        for window in parts.windows(2) {
            assert!(window[0].0 + window[0].1 <= window[1].0);
        }
        assert!(parts.iter().all(|(start, _, align)| start % align == 0));
        assert_eq!(map.free, map.post_queues + 2 * 4096);
    }

    #[test]
    fn post_queues_are_as_many_as_asked_for_or_as_the_personality_has() {
        let queues = |post_queues, shape| {
            let (map, _) = MemoryMap::plan(&Config { post_queues, ..CONFIG }, shape, 32 * 1024, 2048 * 1024).unwrap();
            assert_eq!(map.free, map.post_queues + map.post_queue_count * PAGE_BYTES);
            assert_eq!(map.reply(shape).post_queue_count, map.post_queue_count);
            map.post_queue_count
        };
        assert_eq!((queues(0, MINI), queues(1, MINI), queues(8, MINI)), (2, 1, 8));
        assert_eq!((queues(0, VMMC), queues(8, VMMC)), (8, 8));
    }

    #[test]
    fn only_a_cache_that_fetches_has_directories() {
        let fetches = Config { fetches_translations: true, ..CONFIG };
        let (map, _) = MemoryMap::plan(&fetches, MINI, 48 * 1024, 512 * 1024).unwrap();
        let (without, _) = MemoryMap::plan(&CONFIG, MINI, 48 * 1024, 512 * 1024).unwrap();
        assert!(map.ack_buffers + 2048 <= map.directories && map.fetches == map.directories + 8 * 4096);
        assert!(map.fetches + FETCHES_BYTES <= map.vmh);
        assert_eq!((without.directories, without.fetches, without.ack_buffers), (0, 0, map.ack_buffers));
        assert!(without.vmh < map.vmh);
        let (vmmc, _) = MemoryMap::plan(&fetches, VMMC, 48 * 1024, 2048 * 1024).unwrap();
        assert_eq!(vmmc.directories, 0);
    }

    #[test]
    fn static_tables_are_as_large_as_asked_where_the_sram_is_and_cut_alike_where_it_is_not() {
        let (map, shape) = MemoryMap::plan(&CONFIG, VMMC, 32 * 1024, 2048 * 1024).unwrap();
        assert_eq!(shape, VMMC);
        assert_eq!(map.cbh, map.vmh + StaticGeometry::OF_THE_THESIS.buffer_offset(0), "one piece");
        assert!(map.tx_buffers >= map.vmh + StaticGeometry::OF_THE_THESIS.bytes());

        let (map, shape) = MemoryMap::plan(&CONFIG, VMMC, 32 * 1024, 512 * 1024).unwrap();
        let Shape::Vmmc(geometry) = shape else { panic!("{shape:?}") };
        assert_eq!(map.cbh, map.vmh + geometry.buffer_offset(0), "one piece");
        assert!(map.tx_buffers >= map.vmh + geometry.bytes());
        // Not a part more would fit.
        assert!(
            map.free <= 512 * 1024 && map.free + 2 * 4096 + StaticGeometry::OF_THE_THESIS.bytes() / PARTS > 512 * 1024,
            "{geometry:?}"
        );
        let share = |have: u32, wanted: u32| f64::from(have) / f64::from(wanted);
        let shares = [
            share(geometry.vmh_tables, 64),
            share(geometry.cbh_entries, StaticGeometry::OF_THE_THESIS.cbh_entries),
            share(geometry.import_entries, 4096),
        ];
        assert!(shares.iter().all(|share| (share - shares[2]).abs() < 0.02), "{shares:?}");
    }

    #[test]
    fn static_tables_of_one_entry_each_are_the_least_there_is() {
        let least =
            Shape::Vmmc(StaticGeometry { vmh_tables: 1, cbh_entries: 1, import_entries: 1, key: KeyWidth::Bits64 });
        let (map, _) = MemoryMap::plan(&CONFIG, least, 32 * 1024, 512 * 1024).unwrap();
        assert_eq!(MemoryMap::plan(&CONFIG, VMMC, 32 * 1024, map.free).unwrap().1, least);
        assert_eq!(MemoryMap::plan(&CONFIG, VMMC, 32 * 1024, map.free - 1), Err(BootError::DoesNotFitSram));
    }

    #[test]
    fn the_reply_says_which_personality_it_is() {
        for (wanted, personality) in [(MINI, Personality::Mini), (VMMC, Personality::Vmmc)] {
            let (map, shape) = MemoryMap::plan(&CONFIG, wanted, 32 * 1024, 2048 * 1024).unwrap();
            let reply = map.reply(shape);
            assert_eq!(Personality::from_word(reply.personality), Some(personality));
            assert_eq!(reply.key_bits, 64);
            assert_eq!(reply.vmh_entries != 0, personality == Personality::Mini);
            assert_eq!(reply.static_vmh_tables != 0, personality == Personality::Vmmc);
        }
        assert_eq!(Personality::from_word(0), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let big = Config { tx_buffer_count: 64, rx_buffer_count: 128, buffer_bytes: 0xFFF8, ..CONFIG };
        assert_eq!(MemoryMap::plan(&big, MINI, 0, 512 * 1024), Err(BootError::DoesNotFitSram));
        assert_eq!(MemoryMap::plan(&CONFIG, MINI, u32::MAX, 512 * 1024), Err(BootError::DoesNotFitSram));
    }
}
