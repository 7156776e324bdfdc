//! A NIC with its host, and one step of each of its parts.

use nic_device::Device;
use nic_device::Words;
use nic_layout::boot::caches::CachesRequest;
use nic_layout::boot::static_tables::StaticTablesRequest;
use nic_layout::boot::{LinkRequest, NicRequest, PostsRequest, SectionsWriter};
use nic_layout::counter::{conservation, Counter};
use nic_layout::post::ProcessStatus;
use nic_layout::ring::{Event, DMA_AHEAD_SHIFT, DMA_FLAG_ASSIST, DMA_FLAG_EVENT};
use nic_plan::{Places, Rdma};
use nic_vmmc::{Config, Machine, Plan, Tables};
use zerocopy::FromBytes;

use super::{Hardware, Host, Settings, GEOMETRY, HOST_PAGES, SESSION, SRAM_BYTES, STATIC, UPPER_KEY};

/// SRAM offsets of the structures that tests read and write.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    pub process_table: u32,
    pub post_queues: u32,
    pub miss_ring: u32,
    pub notify_ring: u32,
    pub counters: u32,
    pub directories: u32,
    pub vmh: u32,
    pub cbh: u32,
}

impl Map {
    fn of<L: nic_plan::Lookup>(places: &Places<Rdma<L>>) -> Map {
        let lookup = places.part.lookup;
        Map {
            process_table: places.posts.process_table,
            post_queues: places.posts.post_queues,
            miss_ring: places.rings.miss_ring,
            notify_ring: places.rings.notify_ring,
            counters: places.counters,
            directories: lookup.directories,
            vmh: lookup.vmh,
            cbh: lookup.cbh,
        }
    }
}

/// A NIC with its host. `T` is the tables of its personality.
pub struct NodeOf<T: Tables> {
    pub machine: Machine<T>,
    pub hardware: Hardware,
    pub host: Host,
    pub map: Map,
    pub posted: [u32; 8],
    /// The upper half of the key in further posts, if keys have 128 bits.
    pub upper_key: [u32; 2],
    /// Whether the last turn found nothing to do.
    pub is_idle: bool,
}

impl<T: Tables> NodeOf<T> {
    pub(super) fn new(node: u32, settings: &Settings) -> NodeOf<T> {
        NodeOf::of_session(node, settings, SESSION)
    }

    /// A node that starts with this session, and takes its peers to have it too.
    pub fn of_session(node: u32, settings: &Settings, session: u8) -> NodeOf<T> {
        let mut request = SectionsWriter::request(5);
        request.push(&NicRequest { core_hz: 88_000_000, sram_bytes: SRAM_BYTES, host_pages: HOST_PAGES });
        request.push(&LinkRequest {
            node,
            node_count: settings.nodes,
            session: session.into(),
            frame_data_bytes_max: settings.frame_data_bytes_max,
            tx_buffer_count: settings.tx_buffers,
            rx_buffer_count: settings.rx_buffers,
            buffer_bytes: (48 + settings.frame_data_bytes_max).max(60).next_multiple_of(8),
            retransmit_cycles: settings.retransmit_cycles,
            retransmit_limit: settings.retransmit_limit,
            ack_frames: 4,
            ack_cycles: 40,
        });
        request.push(&PostsRequest { post_queues: 8 });
        request.offer(&CachesRequest {
            receive_miss: settings.receive_miss as u32,
            held_frames_max: settings.held_frames_max.min(settings.rx_buffers - 1),
            fetches_translations: u32::from(settings.fetches),
        });
        request.offer(&StaticTablesRequest {
            vmh_tables_max: STATIC.vmh_tables,
            cbh_entries_max: STATIC.cbh_entries,
            import_entries_max: STATIC.import_entries,
        });
        let config = Config::<T>::read(request.finish().unwrap(), T::BUILT).unwrap();
        let plan = Plan::<T>::of(&config, 0x4000, SRAM_BYTES).unwrap();
        let mut machine = Machine::new();
        let mut hardware = Hardware::new(SRAM_BYTES);
        machine.boot(&mut hardware, &plan);
        let host = Host::new(u64::from(node));
        NodeOf {
            machine,
            hardware,
            host,
            map: Map::of(&plan.places),
            posted: [0; 8],
            upper_key: UPPER_KEY,
            is_idle: false,
        }
    }

    pub fn counter(&self, counter: Counter) -> u32 {
        self.hardware.read(self.map.counters + counter.offset())
    }

    /// Checks INV-38. If `is_idle`, no frame and no post is outstanding, so all equations are
    /// exact.
    pub fn check_sums(&self, is_idle: bool) {
        for equation in conservation(<T::Lookup as nic_plan::Lookup>::COUNTERS) {
            let surplus = equation.surplus(|counter| self.counter(counter));
            let exact = is_idle || equation.under_way.is_none();
            assert!(surplus == 0 || (!exact && surplus > 0), "{}: surplus {surplus}", equation.name);
        }
    }

    /// Number of locked lines. INV-15: it is 0 when no DMA is in flight.
    pub fn locked_lines(&self) -> u32 {
        (0..GEOMETRY.lines())
            .map(|line| u32::from(self.hardware.read(self.map.vmh + GEOMETRY.state_offset(line)) != 0))
            .sum()
    }

    /// Frames that no peer has acknowledged. A reply may be among them after its post has ended.
    fn in_flight(&self) -> u32 {
        let ended = self.counter(Counter::FramesAcknowledged).wrapping_add(self.counter(Counter::FramesAbandoned));
        self.counter(Counter::FramesSent).wrapping_sub(ended)
    }

    fn check_page(&self, bus: u32, bytes: u32) {
        let (first, last) = (bus >> 12, (bus + bytes - 1) >> 12);
        assert_eq!(first, last, "one transfer crosses a page");
        assert!(self.host.pinned.contains(&first), "DMA to page {first:#x}, which is not pinned");
    }

    pub fn step_read(&mut self, error: bool) {
        if self.hardware.read_halted {
            return;
        }
        let Some((bus, sram, control)) = self.hardware.reads.pop_front() else {
            return;
        };
        let bytes = control & 0xFFFF;
        self.hardware.read_consumer = self.hardware.read_consumer.wrapping_add(1);
        if bytes != 0 {
            self.hardware.read_on(bus, bytes, control >> DMA_AHEAD_SHIFT);
            self.check_page(bus, bytes + self.hardware.read_ahead.1);
            if error {
                self.hardware.read_ahead = (0, 0);
                self.hardware.read_halted = true;
                self.hardware.raise(Event::DmaError);
                return;
            }
            let data = self.host.memory[bus as usize..(bus + bytes) as usize].to_vec();
            self.hardware.put(sram, &data);
        }
        if control & DMA_FLAG_ASSIST != 0 {
            self.hardware.release_transmit();
        }
        if control & DMA_FLAG_EVENT != 0 {
            self.hardware.raise(Event::DmaRead);
        }
    }

    pub fn step_write(&mut self, error: bool) {
        if self.hardware.write_halted {
            return;
        }
        let Some((bus, sram, control)) = self.hardware.writes.pop_front() else {
            return;
        };
        let bytes = control & 0xFFFF;
        self.check_page(bus, bytes);
        self.hardware.write_consumer = self.hardware.write_consumer.wrapping_add(1);
        if error {
            self.hardware.write_halted = true;
            self.hardware.raise(Event::DmaError);
            return;
        }
        let data = self.hardware.get(sram, bytes as usize);
        self.host.memory[bus as usize..][..bytes as usize].copy_from_slice(&data);
        if self.host.status_pages.contains(&(bus >> 12)) {
            self.host.statuses.push((bus >> 12, ProcessStatus::read_from_bytes(&data).unwrap()));
        }
        if control & DMA_FLAG_EVENT != 0 {
            self.hardware.raise(Event::DmaWrite);
        }
    }

    /// Takes the frame that leaves now, padded. `None` if no frame is released.
    pub fn step_transmit(&mut self) -> Option<Vec<u8>> {
        if self.hardware.released == 0 {
            return None;
        }
        self.hardware.released -= 1;
        let (at, length) = self.hardware.transmit.pop_front().unwrap();
        self.hardware.transmit_consumer = self.hardware.transmit_consumer.wrapping_add(1);
        let mut frame = self.hardware.get(at, length as usize);
        frame.resize(frame.len().max(60), 0);
        Some(frame)
    }

    /// A frame arrives; without a buffer the MAC drops it.
    pub fn deliver(&mut self, frame: &[u8]) {
        let Some(buffer) = self.hardware.receive_free.pop_front() else {
            return;
        };
        self.hardware.put(buffer, frame);
        let index = self.hardware.receive_consumer;
        self.hardware.received.insert(index, (buffer, frame.len() as u32));
        self.hardware.receive_consumer = index.wrapping_add(1);
        self.hardware.raise(Event::MacRx);
    }

    /// One turn of the event loop.
    pub fn step_firmware(&mut self) {
        for timer in 0..2 {
            let due = self.hardware.timers[timer].is_some_and(|due| (self.hardware.now.wrapping_sub(due) as i32) >= 0);
            if due {
                self.hardware.timers[timer] = None;
                self.hardware.raise([Event::Timer0, Event::Timer1][timer]);
            }
        }
        let pending = self.hardware.pending;
        self.is_idle = !self.machine.turn(&mut self.hardware, pending);
        self.hardware.trace.clear();
    }

    pub fn is_quiet(&self) -> bool {
        self.hardware.pending & self.hardware.wakes == 0
            && self.is_idle
            && self.hardware.reads.is_empty()
            && self.hardware.writes.is_empty()
            && self.hardware.transmit.is_empty()
            && self.misses_waiting() == 0
            && self.notifications_waiting() == 0
            && self.in_flight() == 0
    }
}
