//! A NIC in memory that has SRAM, a transmit ring, host reads, timers and nothing else; what goes
//! out is what was released.

use std::collections::VecDeque;

use nic_device::{Device, Place, Words, DMA_RING_LOG2, MAC_RING_LOG2};
use nic_layout::ring::{Event, DMA_FLAG_ASSIST};
use nic_layout::trace::Marker;

pub struct Mock {
    pub sram: Vec<u32>,
    pub now: u32,
    pub timers: [Option<u32>; 2],
    reads: VecDeque<u32>,
    read_consumer: u16,
    transmit: VecDeque<(u32, u32)>,
    released: usize,
    transmit_consumer: u16,
    counters: Place,
}

impl Mock {
    pub fn new(sram_bytes: u32) -> Mock {
        Mock {
            sram: vec![0; sram_bytes as usize / 4],
            // Just before the wrap of the clock.
            now: u32::MAX - 500,
            timers: [None; 2],
            reads: VecDeque::new(),
            read_consumer: 0,
            transmit: VecDeque::new(),
            released: 0,
            transmit_consumer: 0,
            counters: Place(0),
        }
    }

    /// The oldest host read ends. False if there is none.
    pub fn step_read(&mut self) -> bool {
        let Some(control) = self.reads.pop_front() else { return false };
        self.read_consumer = self.read_consumer.wrapping_add(1);
        self.released += usize::from(control & DMA_FLAG_ASSIST != 0);
        true
    }

    /// The oldest released frame leaves.
    pub fn step_transmit(&mut self) -> Option<Vec<u32>> {
        if self.released == 0 {
            return None;
        }
        self.released -= 1;
        let (at, bytes) = self.transmit.pop_front().expect("a frame was released before it was placed");
        self.transmit_consumer = self.transmit_consumer.wrapping_add(1);
        Some((at..at + bytes).step_by(4).map(|at| self.read(at)).collect())
    }

    /// Whether a timer is due, which it then is no more.
    pub fn takes_timer(&mut self, timer: usize) -> bool {
        let is_due = self.timers[timer].is_some_and(|due| (self.now.wrapping_sub(due) as i32) >= 0);
        if is_due {
            self.timers[timer] = None;
        }
        is_due
    }
}

impl Words for Mock {
    fn read(&self, offset: u32) -> u32 {
        self.sram[offset as usize / 4]
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.sram[offset as usize / 4] = value;
    }
}

impl Device for Mock {
    fn now(&self) -> u32 {
        self.now
    }

    fn step<const ID: u8>(&mut self) {}

    fn trace(&mut self, _marker: Marker, _argument: u32) {}

    fn count_at(&mut self, sram_address: u32) {
        self.counters = Place(sram_address);
    }

    fn counters(&self) -> Place {
        self.counters
    }

    fn set_timer(&mut self, timer: usize, due: u32) {
        self.timers[timer] = Some(due);
    }

    fn post_dma_read(&mut self, index: u32, _bus: u32, _sram: u32, control: u32) {
        assert_eq!(index as u16, self.read_consumer.wrapping_add(self.reads.len() as u16));
        self.reads.push_back(control);
        assert!(self.reads.len() <= 1 << DMA_RING_LOG2, "the ring of host reads overflows");
    }

    fn dma_read_consumer(&self) -> u16 {
        self.read_consumer
    }

    fn place_transmit(&mut self, index: u32, sram: u32, length: u32) {
        assert_eq!(index as u16, self.transmit_consumer.wrapping_add(self.transmit.len() as u16));
        self.transmit.push_back((sram, length));
        assert!(self.transmit.len() <= 1 << MAC_RING_LOG2, "the transmit ring overflows");
    }

    fn release_transmit(&mut self) {
        self.released += 1;
        assert!(self.released <= self.transmit.len(), "more frames are released than were placed");
    }

    fn transmit_consumer(&self) -> u16 {
        self.transmit_consumer
    }

    // The link asks for none of what follows.

    fn pending(&self) -> u32 {
        unreachable!()
    }

    fn raise(&mut self, _event: Event) {
        unreachable!()
    }

    fn clear(&mut self, _event: Event) {
        unreachable!()
    }

    fn clear_all(&mut self, _events: u32) {
        unreachable!()
    }

    fn wake_on(&mut self, _events: u32) {
        unreachable!()
    }

    fn take_doorbell(&mut self) -> Option<usize> {
        unreachable!()
    }

    fn is_rung(&self, _slot: usize) -> bool {
        unreachable!()
    }

    fn doorbell(&self, _slot: usize) -> u32 {
        unreachable!()
    }

    fn written_mailboxes(&self, _of: u32) -> u32 {
        unreachable!()
    }

    fn clear_mailboxes(&mut self, _boxes: u32) {
        unreachable!()
    }

    fn mailbox(&self, _index: usize) -> u32 {
        unreachable!()
    }

    fn to_host(&mut self, _index: usize, _value: u32) {
        unreachable!()
    }

    fn dma_read_halted(&self) -> bool {
        false
    }

    fn resume_dma_read(&mut self) {
        unreachable!()
    }

    fn post_dma_write(&mut self, _index: u32, _bus: u32, _sram: u32, _control: u32) {
        unreachable!()
    }

    fn dma_write_consumer(&self) -> u16 {
        unreachable!()
    }

    fn dma_write_halted(&self) -> bool {
        unreachable!()
    }

    fn resume_dma_write(&mut self) {
        unreachable!()
    }

    fn shorten_transmit(&mut self, _index: u16, _length: u32) {
        unreachable!()
    }

    fn receive_consumer(&self) -> u16 {
        unreachable!()
    }

    fn received(&self, _index: u16) -> (u32, u32) {
        unreachable!()
    }

    fn expect(&mut self, _index: u16) {
        unreachable!()
    }

    fn receive_room(&self) -> u32 {
        unreachable!()
    }

    fn recycle(&mut self, _sram: u32) {
        unreachable!()
    }
}
