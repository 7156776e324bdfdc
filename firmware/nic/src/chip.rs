//! The NIC as the protocol sees it.

use nic_device::{rarely, Place, Words};
use nic_device::{Device, DMA_RING_LOG2, MAC_RING_LOG2};
use nic_layout::frame::link::FRAME_BYTES_MIN;
use nic_layout::personality::emp::pair::{AREA_ADDRESS, NEXT_FRAME};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::registers::{dma_read, dma_write, doorbell, event_a, event_b, mac_rx, mac_tx, mailbox, timer};
use nic_layout::ring::Event;
use nic_layout::trace::{Marker, FOR_BUFFER};
use nic_plan::rings::EnginePlaces;
use nic_plan::LinkSettings;

use crate::memory::{get, load, load_index, put, read_sram, sram, step, store, trace, write_sram};
use crate::ring::{DmaRing, MacRing};
use crate::semaphore::locked_by;

/// One core gives receive buffers back.
pub const ALONE: u32 = 0;

/// The side of a core, 1 or 2, in what both cores share. Otherwise [`ALONE`].
pub const fn side(core: u32, is_shared: bool) -> u32 {
    if is_shared {
        core
    } else {
        ALONE
    }
}

/// Rings and registers of one NIC, as one core has them.
///
/// `SHARE`: whether both cores give receive buffers back. Then it is the number of this core plus
/// one, and a buffer goes back under the semaphore. [`ALONE`]: one core does it.
///
/// `FRAMES`: the same of frames that are placed in the transmit ring.
pub struct Chip<const SHARE: u32 = ALONE, const FRAMES: u32 = ALONE> {
    read_ring: DmaRing,
    write_ring: DmaRing,
    transmit_ring: MacRing,
    receive_ring: MacRing,
    /// Buffers given to the receive ring. If both cores give buffers back, the register of the ring
    /// says it.
    recycled: u32,
    counters: Place,
}

impl<const SHARE: u32, const FRAMES: u32> Chip<SHARE, FRAMES> {
    /// Before [`Self::start`]: all zero, so that it may live in memory that start-up clears.
    pub const NOWHERE: Chip<SHARE, FRAMES> = Chip {
        read_ring: DmaRing::NOWHERE,
        write_ring: DmaRing::NOWHERE,
        transmit_ring: MacRing::NOWHERE,
        receive_ring: MacRing::NOWHERE,
        recycled: 0,
        counters: Place(0),
    };

    /// Points the engines to their rings. They stay disabled until [`Self::enable`], so the indices
    /// may be set.
    ///
    /// Firmware that ran before may have been stopped anywhere. So the DMA engines are reset, and
    /// nothing that they had begun or read ahead is left.
    ///
    /// `header_bytes` is the length of the longest header, link and protocol together. With it and
    /// the most data of a frame the MAC refuses frames that are too long.
    pub fn start(&mut self, places: &EnginePlaces, link: &LinkSettings, header_bytes: u32) {
        store(dma_read::CONTROL, dma_read::CONTROL_RESET.with_reset(true));
        store(dma_write::CONTROL, dma_write::CONTROL_RESET.with_reset(true));
        store(mac_tx::CONTROL, mac_tx::CONTROL_RESET);
        store(mac_rx::CONTROL, mac_rx::CONTROL_RESET);
        while load(dma_read::CONTROL).reset() || load(dma_write::CONTROL).reset() {}

        store(dma_read::RING_BASE, places.dma_read_ring);
        store(dma_read::RING_LOG2, DMA_RING_LOG2);
        store(dma_write::RING_BASE, places.dma_write_ring);
        store(dma_write::RING_LOG2, DMA_RING_LOG2);

        let frame_bytes_max = (header_bytes + link.frame_data_bytes_max).max(FRAME_BYTES_MIN as u32);
        store(mac_tx::RING_BASE, places.transmit_ring);
        store(mac_tx::RING_LOG2, MAC_RING_LOG2);
        store(mac_tx::PRODUCER, 0);
        store(mac_tx::CONSUMER, 0);
        store(mac_rx::RING_BASE, places.receive_ring);
        store(mac_rx::RING_LOG2, MAC_RING_LOG2);
        store(mac_rx::PRODUCER, 0);
        store(mac_rx::CONSUMER, 0);
        store(mac_rx::BUFFER_BYTES, link.buffer_bytes);
        store(mac_rx::MAX_FRAME, frame_bytes_max);

        if FRAMES != ALONE {
            write_sram(AREA_ADDRESS + NEXT_FRAME, 0);
        }
        self.join(places);
    }

    /// Takes the rings as another core has set them up and left them.
    pub fn join(&mut self, places: &EnginePlaces) {
        self.recycled = load(mac_rx::PRODUCER);
        self.read_ring = DmaRing::new(places.dma_read_ring);
        self.write_ring = DmaRing::new(places.dma_write_ring);
        self.transmit_ring = MacRing::new(places.transmit_ring);
        self.receive_ring = MacRing::new(places.receive_ring);
    }

    /// Starts the engines. From now on the events of `events`, one bit each, end a wait.
    pub fn enable(&mut self, events: u32) {
        store(dma_read::CONTROL, dma_read::CONTROL_RESET.with_enable(true));
        store(dma_write::CONTROL, dma_write::CONTROL_RESET.with_enable(true));
        store(mac_tx::CONTROL, mac_tx::CONTROL_RESET.with_enable(true));
        store(mac_rx::CONTROL, mac_rx::CONTROL_RESET.with_enable(true));
        store(event_a::CLEAR, u32::MAX);
        self.wake_on(events);
    }
}

impl<const SHARE: u32, const FRAMES: u32> Chip<SHARE, FRAMES> {
    /// Gives a buffer to the receive ring, behind those that the other core has given.
    #[inline(always)]
    fn recycle_shared(&mut self, sram_address: u32) {
        if is_planted(Plant::BuffersUnlocked) {
            return self.recycle_now(sram_address);
        }
        trace(Marker::SemaphoreAsked, FOR_BUFFER);
        locked_by(SHARE.wrapping_sub(1), || {
            trace(Marker::SemaphoreOwned, FOR_BUFFER);
            self.recycle_now(sram_address);
        });
    }

    #[inline(always)]
    fn recycle_now(&self, sram_address: u32) {
        let recycled = load(mac_rx::PRODUCER);
        self.receive_ring.place(recycled, sram_address, 0);
        store(mac_rx::PRODUCER, recycled.wrapping_add(1));
    }
}

impl<const SHARE: u32, const FRAMES: u32> Words for Chip<SHARE, FRAMES> {
    #[inline(always)]
    fn read(&self, offset_bytes: u32) -> u32 {
        read_sram(offset_bytes)
    }

    #[inline(always)]
    fn write(&mut self, offset_bytes: u32, value: u32) {
        write_sram(offset_bytes, value);
    }

    #[inline(always)]
    fn place(&self, offset_bytes: u32) -> Place {
        sram(offset_bytes)
    }

    #[inline(always)]
    fn get(&self, place: Place, distance_bytes: u32) -> u32 {
        get(place, distance_bytes)
    }

    #[inline(always)]
    fn put(&mut self, place: Place, distance_bytes: u32, value: u32) {
        put(place, distance_bytes, value);
    }
}

impl<const SHARE: u32, const FRAMES: u32> Device for Chip<SHARE, FRAMES> {
    #[inline(always)]
    fn now(&self) -> u32 {
        load(timer::COUNT)
    }

    #[inline(always)]
    fn trace(&mut self, marker: Marker, argument: u32) {
        trace(marker, argument);
    }

    #[inline(always)]
    fn step<const ID: u8>(&mut self) {
        step::<ID>();
    }

    fn count_at(&mut self, sram_address: u32) {
        self.counters = sram(sram_address);
    }

    #[inline(always)]
    fn counters(&self) -> Place {
        self.counters
    }

    #[inline(always)]
    fn pending(&self) -> u32 {
        load(event_a::PENDING)
    }

    #[inline(always)]
    fn raise(&mut self, event: Event) {
        store(event_a::SET, event.bit());
    }

    #[inline(always)]
    fn tell(&mut self) {
        // Edge-triggered (E-49): an event that is pending is not set again.
        let is_pending = load(event_b::PENDING) & Event::Entry.bit() != 0;
        if !is_pending {
            store(event_b::SET, Event::Entry.bit());
        }
        trace(Marker::PeerTold, u32::from(!is_pending));
    }

    #[inline(always)]
    fn clear(&mut self, event: Event) {
        store(event_a::CLEAR, event.bit());
    }

    #[inline(always)]
    fn clear_all(&mut self, events: u32) {
        store(event_a::CLEAR, events);
    }

    #[inline(always)]
    fn wake_on(&mut self, events: u32) {
        store(event_a::ENABLE, events);
    }

    #[inline(always)]
    fn set_timer(&mut self, timer: usize, due: u32) {
        if let Some(compare) = timer::COMPARE.get(timer) {
            store(compare, due);
        }
    }

    #[inline(always)]
    fn take_doorbell(&mut self) -> Option<usize> {
        let rung = load(doorbell::PENDING);
        let lowest = rung & rung.wrapping_neg();
        store(doorbell::CLEAR, lowest);
        if rung != lowest {
            rarely();
            self.raise(Event::Doorbell);
        }
        (rung != 0).then_some(rung.trailing_zeros() as usize)
    }

    fn is_rung(&self, slot: usize) -> bool {
        load(doorbell::PENDING) >> (slot & 31) & 1 != 0
    }

    #[inline(always)]
    fn doorbell(&self, slot: usize) -> u32 {
        doorbell::VALUE.get(slot).map_or(0, load)
    }

    #[inline(always)]
    fn written_mailboxes(&self, of: u32) -> u32 {
        load(mailbox::PENDING) & of
    }

    #[inline(always)]
    fn clear_mailboxes(&mut self, boxes: u32) {
        store(mailbox::CLEAR, boxes);
    }

    #[inline(always)]
    fn mailbox(&self, index: usize) -> u32 {
        mailbox::TO_NIC.get(index).map_or(0, load)
    }

    #[inline(always)]
    fn to_host(&mut self, index: usize, value: u32) {
        if let Some(to_host) = mailbox::TO_HOST.get(index) {
            store(to_host, value);
        }
    }

    #[inline(always)]
    fn post_dma_read(&mut self, index: u32, bus_address: u32, sram_address: u32, control: u32) {
        self.read_ring.post(dma_read::PRODUCER, index, bus_address, sram_address, control);
    }

    #[inline(always)]
    fn dma_read_consumer(&self) -> u16 {
        load_index(dma_read::CONSUMER)
    }

    #[inline(always)]
    fn dma_read_halted(&self) -> bool {
        load(dma_read::STATUS).halted()
    }

    fn resume_dma_read(&mut self) {
        store(dma_read::RESUME, dma_read::Resume::default());
    }

    #[inline(always)]
    fn post_dma_write(&mut self, index: u32, bus_address: u32, sram_address: u32, control: u32) {
        self.write_ring.post(dma_write::PRODUCER, index, bus_address, sram_address, control);
    }

    #[inline(always)]
    fn dma_write_consumer(&self) -> u16 {
        load_index(dma_write::CONSUMER)
    }

    fn dma_write_halted(&self) -> bool {
        load(dma_write::STATUS).halted()
    }

    fn resume_dma_write(&mut self) {
        store(dma_write::RESUME, dma_write::Resume::default());
    }

    #[inline(always)]
    fn place_transmit(&mut self, index: u32, sram_address: u32, length_bytes: u32) {
        self.transmit_ring.place(index, sram_address, length_bytes);
    }

    const SHARES_FRAMES: bool = FRAMES != ALONE;

    #[inline(always)]
    fn claim_transmit(&mut self, own: u32) -> u32 {
        if FRAMES == ALONE {
            return own;
        }
        locked_by(FRAMES.wrapping_sub(1), || {
            let next = read_sram(AREA_ADDRESS + NEXT_FRAME);
            write_sram(AREA_ADDRESS + NEXT_FRAME, next.wrapping_add(1));
            next
        })
    }

    #[inline(always)]
    fn send_apart(&mut self, sram_address: u32, length_bytes: u32) -> Option<u32> {
        if FRAMES == ALONE {
            return None;
        }
        locked_by(FRAMES.wrapping_sub(1), || {
            let next = read_sram(AREA_ADDRESS + NEXT_FRAME);
            if load_index(mac_tx::PRODUCER) != next as u16 {
                return None;
            }
            write_sram(AREA_ADDRESS + NEXT_FRAME, next.wrapping_add(1));
            self.transmit_ring.place(next, sram_address, length_bytes);
            store(mac_tx::ADVANCE, 1);
            Some(next)
        })
    }

    #[inline(always)]
    fn release_transmit(&mut self) {
        store(mac_tx::ADVANCE, 1);
    }

    fn shorten_transmit(&mut self, index: u16, length_bytes: u32) {
        self.transmit_ring.set_control(u32::from(index), length_bytes);
    }

    #[inline(always)]
    fn transmit_consumer(&self) -> u16 {
        load_index(mac_tx::CONSUMER)
    }

    #[inline(always)]
    fn receive_consumer(&self) -> u16 {
        load_index(mac_rx::CONSUMER)
    }

    #[inline(always)]
    fn received(&self, _index: u16) -> (u32, u32) {
        self.receive_ring.received()
    }

    #[inline(always)]
    fn expect(&mut self, index: u16) {
        self.receive_ring.go_to(u32::from(index));
    }

    #[inline(always)]
    fn receive_room(&self) -> u32 {
        // From registers: each core may give buffers to the ring.
        load_index(mac_rx::PRODUCER).wrapping_sub(load_index(mac_rx::CONSUMER)).into()
    }

    #[inline(always)]
    fn recycle(&mut self, sram_address: u32) {
        if SHARE != ALONE {
            return self.recycle_shared(sram_address);
        }
        self.receive_ring.place(self.recycled, sram_address, 0);
        self.recycled = self.recycled.wrapping_add(1);
        store(mac_rx::PRODUCER, self.recycled);
    }
}
