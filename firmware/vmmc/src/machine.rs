use nic_device::Place;
use nic_layout::boot::{ReceiveMiss, MAX_NODES};
use nic_layout::frame::word;
use nic_layout::post::{inline_bytes_max, upper_key_bytes, ProcessStatus};
use nic_layout::PROCESS_SLOTS;

use crate::command::Fence;
use crate::dma::{ReadUse, WriteUse};
use crate::notify::Notifications;
use crate::owner::Frames;
use crate::pieces::whole_bytes_max;
use crate::post::{Record, Slot, NO_STATUS, RECORDS};
use crate::receive_miss::ReceiveMisses;
use crate::reply::{Replies, READS_MASK};
use crate::turn::Answer;
use crate::{Plan, Tables};
use nic_device::Device;
use nic_dma::{HostReads, HostWrites};
use nic_fair::{Circle, PassedOver, SlotQueue};
use nic_link::{Link, LinkConfig};
use nic_plan::{Lookup, Rdma, READS_MAX};

/// The protocol of one node.
///
/// The event loop calls [`Self::turn`] over and over (turn.rs). Each call does a bounded amount of work and returns.
///
/// All zero before [`Self::start`], so that it may live in memory that start-up clears.
///
/// In this order: what is small and used by every frame lies within reach of a load's 12-bit offset from the start, the tables behind it.
#[repr(C)]
pub struct Machine<T: Tables> {
    pub(crate) settings: Settings,
    pub(crate) tables: T,
    /// Tables of the driver.
    pub(crate) places: Places,

    // Posts (post.rs, send.rs).
    /// Slots with something to send. Those that wait, for the driver to fill a line, or for room anywhere; in bits 31:16 reads of others that do.
    pub(crate) queue: SlotQueue,
    pub(crate) parked: u32,
    pub(crate) blocked: u32,
    /// Slots whose status page is behind, and those whose status is being written.
    pub(crate) status_dirty: u32,
    pub(crate) status_busy: u32,
    /// Host writes posted when that of a slot was.
    pub(crate) status_marks: [u16; PROCESS_SLOTS],

    /// The longest message that is not cut (pieces.rs).
    pub(crate) whole_bytes_max: u32,
    /// Reads of others that have a reply to send, in bits 31:16. They, and peers whose frames are sent again, wait while the host-read ring is full.
    pub(crate) jobs: u32,
    pub(crate) unasked_stalled: bool,
    /// What is put off (turn.rs): slots with posts that have ended; and for how many turns.
    pub(crate) unsettled: Circle,
    pub(crate) ack_is_next: bool,
    pub(crate) put_off_turns: u32,
    pub(crate) answer: Answer,
    /// Events that end a wait; all of [`Self::EVENTS`] when it is 0.
    pub(crate) wakes: u32,
    /// Events that gave way to others.
    pub(crate) passed_over: PassedOver,

    // Reception (receive.rs).
    pub(crate) receive_taken: u16,
    pub(crate) receive_stalled: bool,

    // The driver (translate.rs, command.rs).
    pub(crate) misses_raised: u32,
    pub(crate) misses_served: u32,
    pub(crate) fence: Fence,

    // DMA under way (dma.rs).
    pub(crate) reads: HostReads<ReadUse>,
    pub(crate) writes: HostWrites<WriteUse>,

    // Tables.
    pub(crate) slots: [Slot; PROCESS_SLOTS],
    pub(crate) status: [ProcessStatus; PROCESS_SLOTS],
    pub(crate) link: Link<Frames<T>>,
    pub(crate) records: [Record; RECORDS],

    // What few frames use: reads and notifications (open_reads.rs, reply.rs, notify.rs).
    /// Reads of own processes that each peer has not answered.
    pub(crate) open_reads: [u8; MAX_NODES],
    /// Places of open reads, and how many each peer has.
    pub(crate) reads_open: u32,
    pub(crate) reads_share: u32,
    pub(crate) notifications: Notifications,
    pub(crate) replies: Replies,

    // Frames that miss where they arrive (receive_miss.rs).
    pub(crate) receive_misses: ReceiveMisses,
}

/// What is kept of the configuration, and of the memory map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub frame_data_bytes_max: u32,
    pub host_pages: u32,
    pub receive_miss: ReceiveMiss,
    pub held_frames_max: u32,
    pub process_table: u32,
    pub post_queue_count: u32,
    pub post_errors: u32,
    pub miss_ring: u32,
    pub notify_ring: u32,
    pub reads: u32,
    pub open_reads: u32,
    pub directories: u32,
    pub fetches: u32,
    pub vmh: u32,
}

impl Settings {
    const EMPTY: Settings = Settings {
        frame_data_bytes_max: 0,
        host_pages: 0,
        receive_miss: ReceiveMiss::TimeOut,
        held_frames_max: 0,
        process_table: 0,
        post_queue_count: 0,
        post_errors: 0,
        miss_ring: 0,
        notify_ring: 0,
        reads: 0,
        open_reads: 0,
        directories: 0,
        fetches: 0,
        vmh: 0,
    };

    fn new<L: Lookup>(plan: &nic_plan::Plan<Rdma<L>>) -> Settings {
        let (config, places) = (&plan.config, &plan.places);
        let (misses, lookup) = (config.part.lookup.misses(), &places.part.lookup);
        Settings {
            frame_data_bytes_max: config.link.frame_data_bytes_max,
            host_pages: config.host_pages,
            receive_miss: misses.receive,
            held_frames_max: misses.held_frames_max,
            process_table: places.posts.process_table,
            post_queue_count: places.posts.post_queue_count,
            post_errors: places.posts.post_errors,
            miss_ring: places.rings.miss_ring,
            notify_ring: places.rings.notify_ring,
            reads: places.part.reads,
            open_reads: places.part.open_reads,
            directories: lookup.directories,
            fetches: lookup.fetches,
            vmh: lookup.vmh,
        }
    }
}

/// Where words lie that every frame needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Places {
    pub process_table: Place,
    pub post_queues: Place,
}

impl Places {
    const EMPTY: Places = Places { process_table: Place(0), post_queues: Place(0) };
}

impl<T: Tables> Default for Machine<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Tables> Machine<T> {
    /// Of every frame.
    pub const HEADER_BYTES: u32 = word::data(T::KEY);
    /// What type words on the link differ in from those of [`word::kind`].
    pub(crate) const MARK: u32 = word::mark(T::KEY);
    pub(crate) const IS_WIDE: bool = T::KEY.is_wide();
    /// What posts have in a second entry before their data, the upper half of their key, and what then is left for data.
    pub(crate) const UPPER_KEY_BYTES: u32 = upper_key_bytes(T::KEY, T::HAS_IMPORTS);
    pub(crate) const HAS_SECOND_ENTRY: bool = Self::UPPER_KEY_BYTES != 0;
    pub(crate) const INLINE_BYTES_MAX: u32 = inline_bytes_max(T::KEY, T::HAS_IMPORTS);

    pub const fn new() -> Self {
        Machine {
            settings: Settings::EMPTY,
            tables: T::NOWHERE,
            places: Places::EMPTY,
            slots: [Slot::EMPTY; PROCESS_SLOTS],
            records: [Record::EMPTY; RECORDS],
            status: [NO_STATUS; PROCESS_SLOTS],
            queue: SlotQueue::EMPTY,
            parked: 0,
            blocked: 0,
            status_dirty: 0,
            status_busy: 0,
            status_marks: [0; PROCESS_SLOTS],
            whole_bytes_max: 0,
            jobs: 0,
            link: Link::new(),
            unasked_stalled: false,
            unsettled: Circle::EMPTY,
            ack_is_next: false,
            put_off_turns: 0,
            answer: Answer::NotAwaited,
            wakes: 0,
            passed_over: PassedOver::NONE,
            receive_taken: 0,
            receive_stalled: false,
            open_reads: [0; MAX_NODES],
            reads_open: 0,
            reads_share: 0,
            replies: Replies::EMPTY,
            notifications: Notifications::EMPTY,
            reads: HostReads::new(ReadUse::UNUSED),
            writes: HostWrites::new(WriteUse::UNUSED),
            misses_raised: 0,
            misses_served: 0,
            fence: Fence::EMPTY,
            receive_misses: ReceiveMisses::NONE,
        }
    }

    /// Takes a checked configuration and its places, and prepares SRAM and rings. Call once, before any event.
    pub fn start(&mut self, dev: &mut impl Device, plan: &Plan<T>) {
        let (config, places) = (&plan.config.link, &plan.places);
        self.whole_bytes_max = whole_bytes_max(config.frame_data_bytes_max);
        self.reads_share = READS_MAX / config.node_count.max(1);
        self.settings = Settings::new(plan);
        let lookup = &places.part.lookup;
        self.tables = T::start(dev, lookup, &plan.config.part.lookup);
        dev.count_at(places.counters);
        let posts = &places.posts;
        self.places =
            Places { process_table: dev.place(posts.process_table), post_queues: dev.place(posts.post_queues) };
        // Tables, rings of the driver and counters lie before what is looked up, in one piece, and hold whatever SRAM held at power-up.
        for (start, end) in [(posts.process_table, lookup.vmh), (posts.post_queues, places.free)] {
            for at in (start..end).step_by(4) {
                dev.write(at, 0);
            }
        }
        let link = LinkConfig {
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
        };
        self.link.start(dev, &link);
        for index in 0..config.rx_buffer_count {
            dev.recycle(places.link.rx_buffers + index * config.buffer_bytes);
        }
    }

    /// Lets slots, and reads of others, try again.
    #[inline(always)]
    pub(crate) fn wake(&mut self, slots: u32) {
        if slots != 0 {
            self.wake_slots(slots);
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_slots(&mut self, slots: u32) {
        // Who waited for a line has had its turn: it goes on before another's miss can push the line out again (INV-33). More may wait than a set has ways.
        let filled = self.parked & slots;
        self.parked &= !slots;
        self.blocked &= !slots;
        self.jobs |= slots & READS_MASK;
        for slot in 0..PROCESS_SLOTS {
            if slots & !filled & (1 << slot) != 0 {
                self.queue.push(slot);
            }
        }
        for slot in (0..PROCESS_SLOTS).rev() {
            if filled & (1 << slot) != 0 {
                self.queue.push_front(slot);
            }
        }
    }
}
