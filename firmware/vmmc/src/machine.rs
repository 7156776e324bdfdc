use nic_device::Place;
use nic_layout::boot::MAX_NODES;
use nic_layout::counter::Counter;
use nic_layout::frame::word;
use nic_layout::frame::FrameKind;
use nic_layout::post::{inline_bytes_max, upper_key_bytes, ProcessStatus};
use nic_layout::PROCESS_SLOTS;
use nic_reliable::{Alarms, Refusals};

use crate::command::Fence;
use crate::dma::{ReadTags, WriteTags};
use crate::fair::{Circle, PassedOver};
use crate::frames::{FreeFrames, TxFrame, FRAME_RECORDS};
use crate::link::Peer;
use crate::notify::Notifications;
use crate::pieces::whole_bytes_max;
use crate::post::{Record, Slot, NO_STATUS, RECORDS};
use crate::queue::SlotQueue;
use crate::receive_miss::ReceiveMisses;
use crate::reply::{Replies, READS_MASK};
use crate::turn::Answer;
use crate::{Config, Tables};
use nic_device::Device;
use nic_plan::{Shape, ACK_BUFFER_BYTES, READS_MAX};

pub(crate) const RETRANSMIT_TIMER: usize = 0;
pub(crate) const ACK_TIMER: usize = 1;

/// The protocol of one node.
///
/// The event loop calls [`Self::turn`] over and over (turn.rs). Each call does a bounded amount of work and returns.
///
/// All zero before [`Self::start`], so that it may live in memory that start-up clears.
///
/// In this order: what is small and used by every frame lies within reach of a load's 12-bit offset from the start, the tables behind it.
#[repr(C)]
pub struct Machine<T> {
    pub(crate) config: Config,
    pub(crate) tables: T,
    /// Tables of the driver and counters.
    pub(crate) places: Places,
    /// The words of a frame's header that never change.
    pub(crate) address_words: [u32; 3],
    pub(crate) node_word: u32,

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

    // Frames and peers (link.rs, frames.rs).
    /// Frames placed in the transmit ring, and those that left it; without end.
    pub(crate) transmit_placed: u32,
    pub(crate) transmit_done: u32,
    /// The last place of the transmit ring at which a free buffer may be (pieces.rs).
    pub(crate) lingering: Option<u32>,
    /// The longest message that is not cut (pieces.rs).
    pub(crate) whole_bytes_max: u32,
    /// Frames that no post asks for: bits 15:0 peers whose frames must go again, bits 31:16 reads of others that have a reply to send. They wait while
    /// the host-read ring is full.
    pub(crate) unasked: u32,
    pub(crate) unasked_stalled: bool,
    /// Peers that get no new frames: those that are `lost` or `halted`.
    pub(crate) barred: u32,
    /// Peers that must learn which of their frames were refused.
    pub(crate) refusing: u32,
    /// Numbers of nodes that are no peers.
    pub(crate) strangers: u32,
    /// What is put off (turn.rs): slots with posts that have ended, peers that shall have an acknowledgement, one that sent one; and for how many turns.
    pub(crate) unsettled: Circle,
    pub(crate) acks_due: Circle,
    /// The peer whose last data frame acknowledged something new, as a bit, and what; none: 0.
    pub(crate) heard: u32,
    pub(crate) heard_acknowledge: u32,
    pub(crate) ack_is_next: bool,
    pub(crate) put_off_turns: u32,
    pub(crate) answer: Answer,
    /// Events that end a wait; all of [`Self::EVENTS`] when it is 0.
    pub(crate) wakes: u32,
    /// Events that gave way to others.
    pub(crate) passed_over: PassedOver,
    pub(crate) retransmit: Alarms<MAX_NODES>,
    pub(crate) ack_delay: Alarms<MAX_NODES>,

    // Reception (receive.rs).
    pub(crate) receive_taken: u16,
    pub(crate) receive_stalled: bool,

    // The driver (translate.rs, command.rs).
    pub(crate) misses_raised: u32,
    pub(crate) misses_served: u32,
    pub(crate) fence: Fence,

    // DMA under way (dma.rs).
    pub(crate) reads: ReadTags,
    pub(crate) writes: WriteTags,

    // Tables.
    pub(crate) slots: [Slot; PROCESS_SLOTS],
    pub(crate) free: FreeFrames,
    pub(crate) peers: [Peer; MAX_NODES],
    pub(crate) status: [ProcessStatus; PROCESS_SLOTS],
    pub(crate) frames: [TxFrame; FRAME_RECORDS],
    pub(crate) records: [Record; RECORDS],

    // What few frames use: refusals (link.rs), reads and notifications (open_reads.rs, reply.rs, notify.rs).
    pub(crate) refusals: [Refusals; MAX_NODES],
    /// Reads of own processes that each peer has not answered.
    pub(crate) open_reads: [u8; MAX_NODES],
    /// Places of open reads, and how many each peer has.
    pub(crate) reads_open: u32,
    pub(crate) reads_share: u32,
    pub(crate) notifications: Notifications,
    pub(crate) replies: Replies,

    // Frames that miss where they arrive (receive_miss.rs), and peers that get no frames.
    pub(crate) receive_misses: ReceiveMisses,
    /// Peers that did not answer `retransmit_limit` times. For good: only a new session knows again where both sides stand.
    pub(crate) lost: u32,
    /// Peers that told of a miss and will tell when they take frames again (receive_miss.rs).
    pub(crate) halted: u32,
}

/// Where words lie that every frame needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Places {
    pub counters: Place,
    pub process_table: Place,
    pub post_queues: Place,
}

impl Places {
    const EMPTY: Places = Places { counters: Place(0), process_table: Place(0), post_queues: Place(0) };
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
            config: Config::EMPTY,
            tables: T::NOWHERE,
            places: Places::EMPTY,
            address_words: [0; 3],
            node_word: 0,
            slots: [Slot::EMPTY; PROCESS_SLOTS],
            records: [Record::EMPTY; RECORDS],
            status: [NO_STATUS; PROCESS_SLOTS],
            queue: SlotQueue::EMPTY,
            parked: 0,
            blocked: 0,
            status_dirty: 0,
            status_busy: 0,
            status_marks: [0; PROCESS_SLOTS],
            peers: [Peer::EMPTY; MAX_NODES],
            frames: [TxFrame::EMPTY; FRAME_RECORDS],
            free: FreeFrames::EMPTY,
            transmit_placed: 0,
            transmit_done: 0,
            lingering: None,
            whole_bytes_max: 0,
            unasked: 0,
            unasked_stalled: false,
            barred: 0,
            refusing: 0,
            strangers: 0,
            unsettled: Circle::EMPTY,
            acks_due: Circle::EMPTY,
            heard: 0,
            heard_acknowledge: 0,
            ack_is_next: false,
            put_off_turns: 0,
            answer: Answer::NotAwaited,
            wakes: 0,
            passed_over: PassedOver::NONE,
            retransmit: Alarms::new(),
            ack_delay: Alarms::new(),
            receive_taken: 0,
            receive_stalled: false,
            refusals: [Refusals::NONE; MAX_NODES],
            open_reads: [0; MAX_NODES],
            reads_open: 0,
            reads_share: 0,
            replies: Replies::EMPTY,
            notifications: Notifications::EMPTY,
            reads: ReadTags::EMPTY,
            writes: WriteTags::EMPTY,
            misses_raised: 0,
            misses_served: 0,
            fence: Fence::EMPTY,
            receive_misses: ReceiveMisses::NONE,
            lost: 0,
            halted: 0,
        }
    }

    /// Takes a checked configuration, with its memory map and what its tables hold, and prepares SRAM and rings. Call once, before any event.
    pub fn start(&mut self, dev: &mut impl Device, config: Config, shape: Shape) {
        self.config = config;
        self.whole_bytes_max = whole_bytes_max(config.frame_data_bytes_max);
        self.strangers = (u32::MAX << config.node_count) | 1 << config.node;
        self.reads_share = READS_MAX / config.node_count.max(1);
        let map = config.map;
        self.tables = T::start(dev, &map, shape);
        self.places = Places {
            counters: dev.place(map.counters),
            process_table: dev.place(map.process_table),
            post_queues: dev.place(map.post_queues),
        };
        // Tables, rings of the driver and counters lie before what is looked up, in one piece, and hold whatever SRAM held at power-up.
        for (start, end) in [(map.process_table, map.vmh), (map.post_queues, map.free)] {
            for at in (start..end).step_by(4) {
                dev.write(at, 0);
            }
        }
        self.address_words = word::addresses(config.node as u16, config.node as u16);
        self.node_word = word::node_length(config.node as u8, config.session as u8, 0);
        for peer in &mut self.peers {
            peer.identity = Peer::NOBODY;
        }
        for node in 0..config.node_count {
            self.start_peer(dev, node);
        }
        for index in 0..config.tx_buffer_count {
            let address = map.tx_buffers + index * config.buffer_bytes;
            let frame = &mut self.frames[index as usize & (FRAME_RECORDS - 1)];
            // As far from the transmit ring as a number can be.
            frame.transmit_index = 1 << 31;
            self.free.give(index as usize);
            dev.write(address + word::ADDRESS_0, self.address_words[0]);
            dev.write(address + word::ADDRESS_2, self.address_words[2]);
        }
        for index in 0..config.rx_buffer_count {
            dev.recycle(map.rx_buffers + index * config.buffer_bytes);
        }
    }

    fn start_peer(&mut self, dev: &mut impl Device, node: u32) {
        let addresses = word::addresses(node as u16, self.config.node as u16);
        for at in [self.ack_buffer(node as usize), self.notice_buffer(node as usize)] {
            for offset in (0..Self::HEADER_BYTES).step_by(4) {
                dev.write(at + offset, 0);
            }
            dev.write(at + word::ADDRESS_0, addresses[0]);
            dev.write(at + word::ADDRESS_1, addresses[1]);
            dev.write(at + word::ADDRESS_2, addresses[2]);
            dev.write(at + word::TYPE, word::kind(FrameKind::Acknowledge, 0) ^ Self::MARK);
            dev.write(at + word::NODE_LENGTH, self.node_word);
        }
        let peer = &mut self.peers[node as usize & (MAX_NODES - 1)];
        peer.address_word = addresses[1];
        if node != self.config.node {
            peer.identity = word::node_length(node as u8, self.config.session as u8, 0);
        }
    }

    #[inline(always)]
    pub(crate) fn ack_buffer(&self, node: usize) -> u32 {
        self.config.map.ack_buffers + node as u32 * ACK_BUFFER_BYTES
    }

    /// Of what tells a peer of misses.
    pub(crate) fn notice_buffer(&self, node: usize) -> u32 {
        self.ack_buffer(MAX_NODES + node)
    }

    #[inline(always)]
    pub(crate) fn count(&self, dev: &mut impl Device, counter: Counter) {
        self.count_many(dev, counter, 1);
    }

    #[inline(always)]
    pub(crate) fn count_many(&self, dev: &mut impl Device, counter: Counter, count: u32) {
        dev.add(self.places.counters, counter.offset(), count);
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
        self.unasked |= slots & READS_MASK;
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
