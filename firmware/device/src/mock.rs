//! A device in memory, for tests on the host. What firmware posts waits until the test takes a step
//! for the engine.

use std::collections::{BTreeMap, VecDeque};

use nic_layout::ring::{Event, DMA_FLAG_ASSIST, DMA_FLAG_EVENT};
use nic_layout::trace::{Marker, STEP_MAX};

use crate::{Device, Place, SharedDevice, Words, DMA_RING_LOG2, MAC_RING_LOG2};

/// The device: SRAM, rings, registers.
pub struct Hardware {
    /// All words of SRAM.
    pub sram: Vec<u32>,
    /// Core clocks.
    pub now: u32,
    /// Events that are pending, one bit each.
    pub pending: u32,
    /// Events that would end a wait.
    pub wakes: u32,
    /// Doorbell pages that were written and not taken, one bit each.
    pub doorbells: u32,
    /// The last value of each doorbell.
    pub doorbell_values: [u32; 16],
    /// Mailboxes to the NIC that were written and not taken, one bit each.
    pub mailboxes: u32,
    /// Values of the mailboxes to the NIC.
    pub to_nic: [u32; 8],
    /// Values of the mailboxes to the host.
    pub to_host: [u32; 8],
    /// Interrupt causes.
    pub causes: u32,
    /// When each timer is due, if it is set.
    pub timers: [Option<u32>; 3],
    /// Host reads under way: bus address, SRAM address, control word.
    pub reads: VecDeque<(u32, u32, u32)>,
    /// Host reads that have ended, as the engine counts them.
    pub read_consumer: u16,
    /// The engine of host reads stopped after an error.
    pub read_halted: bool,
    /// What a command reads ahead of its descriptor: from where, and how many bytes no descriptor
    /// has taken yet.
    pub read_ahead: (u32, u32),
    /// Host writes under way: bus address, SRAM address, control word.
    pub writes: VecDeque<(u32, u32, u32)>,
    /// Host writes that have ended.
    pub write_consumer: u16,
    /// The engine of host writes stopped after an error.
    pub write_halted: bool,
    /// A host write ends when it is posted, if none is under way.
    pub writes_at_once: bool,
    /// Host writes that have ended so, with their data: bus address, bytes.
    pub written_at_once: VecDeque<(u32, Vec<u8>)>,
    /// Placed and not yet sent; of those, released.
    pub transmit: VecDeque<(u32, u32)>,
    /// Frames at the begin of `transmit` that may leave.
    pub released: u32,
    /// Frames whose numbers were claimed.
    claimed: u32,
    /// Frames that have left.
    pub transmit_consumer: u16,
    /// SRAM addresses of free receive buffers.
    pub receive_free: VecDeque<u32>,
    /// SRAM address and length in bytes of frames that arrived, by their index.
    pub received: BTreeMap<u16, (u32, u32)>,
    /// Frames that have arrived.
    pub receive_consumer: u16,
    /// The frame that is to be looked at next.
    expected: u16,
    counters: Place,
    /// Markers since the test last cleared them.
    pub trace: Vec<(Marker, u32)>,
    /// What the other core has of its own, if the NIC has two.
    pub other: Other,
    /// Whether core B runs, of two.
    runs_b: bool,
}

/// What each core of a NIC has of its own. [`Hardware`] has these of the core that runs.
pub struct Other {
    /// Events that are pending there, one bit each.
    pub pending: u32,
    /// When each of its timers is due, if it is set.
    pub timers: [Option<u32>; 3],
    /// Events that would end a wait of it.
    pub wakes: u32,
    expected: u16,
    counters: Place,
}

impl Words for Hardware {
    fn read(&self, offset: u32) -> u32 {
        assert_eq!(offset % 4, 0);
        self.sram[offset as usize / 4]
    }

    fn write(&mut self, offset: u32, value: u32) {
        assert_eq!(offset % 4, 0);
        self.sram[offset as usize / 4] = value;
    }
}

impl Device for Hardware {
    fn now(&self) -> u32 {
        self.now
    }

    fn trace(&mut self, marker: Marker, argument: u32) {
        self.trace.push((marker, argument));
    }

    fn step<const ID: u8>(&mut self) {
        assert!(ID <= STEP_MAX, "marker {ID:#x} does not fit the instruction");
        self.trace.push((Marker::from_id(ID).expect("a marker of the list"), 0));
    }

    fn count_at(&mut self, sram_address: u32) {
        self.counters = Place(sram_address);
    }

    fn counters(&self) -> Place {
        self.counters
    }

    fn pending(&self) -> u32 {
        self.pending
    }

    fn raise(&mut self, event: Event) {
        self.pending |= event.bit();
    }

    fn tell(&mut self) {
        self.other.pending |= Event::Entry.bit();
    }

    fn clear(&mut self, event: Event) {
        self.pending &= !event.bit();
    }

    fn clear_all(&mut self, events: u32) {
        self.pending &= !events;
    }

    fn wake_on(&mut self, events: u32) {
        self.wakes = events;
    }

    fn set_timer(&mut self, timer: usize, due: u32) {
        self.timers[timer] = Some(due);
    }

    fn take_doorbell(&mut self) -> Option<usize> {
        let page = (self.doorbells != 0).then(|| self.doorbells.trailing_zeros() as usize)?;
        self.doorbells &= !(1 << page);
        if self.doorbells != 0 {
            self.raise(Event::Doorbell);
        }
        Some(page)
    }

    fn is_rung(&self, slot: usize) -> bool {
        self.doorbells >> slot & 1 != 0
    }

    fn doorbell(&self, slot: usize) -> u32 {
        self.doorbell_values[slot]
    }

    fn written_mailboxes(&self, of: u32) -> u32 {
        self.mailboxes & of
    }

    fn clear_mailboxes(&mut self, boxes: u32) {
        self.mailboxes &= !boxes;
    }

    fn mailbox(&self, index: usize) -> u32 {
        self.to_nic[index]
    }

    fn to_host(&mut self, index: usize, value: u32) {
        self.to_host[index] = value;
        self.causes |= 1 << index;
    }

    fn post_dma_read(&mut self, index: u32, bus: u32, sram: u32, control: u32) {
        assert_eq!(index as u16, self.read_consumer.wrapping_add(self.reads.len() as u16));
        self.reads.push_back((bus, sram, control));
        assert!(self.reads.len() <= 1 << DMA_RING_LOG2, "host-read ring overflows");
        // The engine may do at once what is posted.
        let releases = self.reads.iter().filter(|(_, _, control)| control & DMA_FLAG_ASSIST != 0).count();
        assert!(self.released as usize + releases <= self.transmit.len(), "a frame is released before it is placed");
    }

    fn dma_read_consumer(&self) -> u16 {
        self.read_consumer
    }

    fn dma_read_halted(&self) -> bool {
        self.read_halted
    }

    fn resume_dma_read(&mut self) {
        self.read_halted = false;
    }

    fn post_dma_write(&mut self, index: u32, bus: u32, sram: u32, control: u32) {
        assert_eq!(index as u16, self.write_consumer.wrapping_add(self.writes.len() as u16));
        if self.writes_at_once && self.writes.is_empty() && !self.write_halted {
            let data = self.get(sram, (control & 0xFFFF) as usize);
            if !data.is_empty() {
                self.written_at_once.push_back((bus, data));
            }
            self.write_consumer = self.write_consumer.wrapping_add(1);
            if control & DMA_FLAG_EVENT != 0 {
                self.raise_in_both(Event::DmaWrite);
            }
            return;
        }
        self.writes.push_back((bus, sram, control));
        assert!(self.writes.len() <= 1 << DMA_RING_LOG2, "host-write ring overflows");
    }

    fn dma_write_consumer(&self) -> u16 {
        self.write_consumer
    }

    fn dma_write_halted(&self) -> bool {
        self.write_halted
    }

    fn resume_dma_write(&mut self) {
        self.write_halted = false;
    }

    fn place_transmit(&mut self, index: u32, sram: u32, length: u32) {
        assert_eq!(index as u16, self.transmit_consumer.wrapping_add(self.transmit.len() as u16));
        self.transmit.push_back((sram, length));
        assert!(self.transmit.len() <= 1 << MAC_RING_LOG2, "transmit ring overflows");
    }

    const SHARES_FRAMES: bool = true;

    fn claim_transmit(&mut self, _own: u32) -> u32 {
        self.claimed += 1;
        self.claimed - 1
    }

    fn send_apart(&mut self, sram: u32, length: u32) -> Option<u32> {
        let number = self.claimed;
        if number as u16 != self.transmit_consumer.wrapping_add(self.released as u16) {
            return None;
        }
        self.claimed += 1;
        self.place_transmit(number, sram, length);
        self.release_transmit();
        Some(number)
    }

    fn release_transmit(&mut self) {
        self.released += 1;
        assert!(self.released as usize <= self.transmit.len(), "more frames released than placed");
    }

    fn shorten_transmit(&mut self, index: u16, length: u32) {
        let ahead = index.wrapping_sub(self.transmit_consumer);
        assert!(u32::from(ahead) >= self.released, "the frame was released already");
        self.transmit[usize::from(ahead)].1 = length;
    }

    fn transmit_consumer(&self) -> u16 {
        self.transmit_consumer
    }

    fn receive_consumer(&self) -> u16 {
        self.receive_consumer
    }

    fn expect(&mut self, index: u16) {
        self.expected = index;
    }

    fn received(&self, index: u16) -> (u32, u32) {
        assert_eq!(index, self.expected, "a frame that was not the next is looked at");
        self.received[&index]
    }

    fn receive_room(&self) -> u32 {
        self.receive_free.len() as u32
    }

    fn recycle(&mut self, sram: u32) {
        assert!(!self.receive_free.contains(&sram), "a receive buffer came back twice");
        self.receive_free.push_back(sram);
    }
}

impl SharedDevice for Hardware {
    fn set(&mut self, events: u32) {
        self.pending |= events;
    }

    fn set_in_core_a(&mut self, events: u32) {
        match self.runs_b {
            true => self.other.pending |= events,
            false => self.pending |= events,
        }
    }

    fn set_timer_of_core_a(&mut self, timer: usize, due: u32) {
        match self.runs_b {
            true => self.other.timers[timer] = Some(due),
            false => self.timers[timer] = Some(due),
        }
    }
}

impl Hardware {
    /// A device with so much SRAM, which holds whatever it held at power-up.
    pub fn new(sram_bytes: u32) -> Hardware {
        Hardware {
            sram: vec![0xA5A5_A5A5; sram_bytes as usize / 4],
            // Just before the wrap of the clock.
            now: u32::MAX - 2000,
            pending: 0,
            wakes: u32::MAX,
            doorbells: 0,
            doorbell_values: [0; 16],
            mailboxes: 0,
            to_nic: [0; 8],
            to_host: [0; 8],
            causes: 0,
            timers: [None; 3],
            reads: VecDeque::new(),
            read_consumer: 0,
            read_halted: false,
            read_ahead: (0, 0),
            writes: VecDeque::new(),
            write_consumer: 0,
            write_halted: false,
            writes_at_once: false,
            written_at_once: VecDeque::new(),
            transmit: VecDeque::new(),
            released: 0,
            claimed: 0,
            transmit_consumer: 0,
            receive_free: VecDeque::new(),
            received: BTreeMap::new(),
            receive_consumer: 0,
            expected: 0,
            counters: Place(0),
            trace: Vec::new(),
            other: Other { pending: 0, timers: [None; 3], wakes: u32::MAX, expected: 0, counters: Place(0) },
            runs_b: false,
        }
    }

    /// The other core runs from now on.
    pub fn swap_cores(&mut self) {
        std::mem::swap(&mut self.pending, &mut self.other.pending);
        std::mem::swap(&mut self.timers, &mut self.other.timers);
        std::mem::swap(&mut self.wakes, &mut self.other.wakes);
        self.swap_parts();
        self.runs_b = !self.runs_b;
    }

    /// The core runs the parts that the other core runs otherwise: they expect another frame, and
    /// count elsewhere.
    pub fn swap_parts(&mut self) {
        std::mem::swap(&mut self.expected, &mut self.other.expected);
        std::mem::swap(&mut self.counters, &mut self.other.counters);
    }

    /// The hardware raises an event: it becomes pending in both cores.
    pub fn raise_in_both(&mut self, event: Event) {
        self.pending |= event.bit();
        self.other.pending |= event.bit();
    }

    /// A transfer of data begins: where the one before it ended, if its command read ahead.
    pub fn read_on(&mut self, bus: u32, bytes: u32, ahead: u32) {
        let (expected, left) = self.read_ahead;
        self.read_ahead = if left == 0 {
            (bus + bytes, ahead)
        } else {
            let goes_on = bus == expected && bus % 8 == 0 && bytes <= left && ahead == 0;
            assert!(goes_on, "a host read does not go on where the command of the one before it reads ahead");
            (bus + bytes, left - bytes)
        };
    }

    /// The byte at an address.
    pub fn byte(&self, at: u32) -> u8 {
        self.sram[at as usize / 4].to_le_bytes()[at as usize % 4]
    }

    fn set_byte(&mut self, at: u32, value: u8) {
        let word = &mut self.sram[at as usize / 4];
        let mut bytes = word.to_le_bytes();
        bytes[at as usize % 4] = value;
        *word = u32::from_le_bytes(bytes);
    }

    /// Writes bytes from an address on.
    pub fn put(&mut self, at: u32, bytes: &[u8]) {
        for (index, &byte) in bytes.iter().enumerate() {
            self.set_byte(at + index as u32, byte);
        }
    }

    /// `count` bytes from an address on.
    pub fn get(&self, at: u32, count: usize) -> Vec<u8> {
        (0..count as u32).map(|index| self.byte(at + index)).collect()
    }
}
