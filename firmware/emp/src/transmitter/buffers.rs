use nic_device::{rarely, Device, MAC_RING_LOG2};
use nic_layout::counter::Counter;
use nic_layout::frame::link::FRAME_BYTES_MIN;
use nic_layout::ring::MAC_FLAG_EVENT;

use crate::places::{Places, Settings};

/// Answers of the transmitter in the transmit ring at most.
pub const ANSWERS: u32 = 16;
/// Answers of a receiver on the other core in the transmit ring at most. Their buffers lie behind
/// those of the transmitter.
pub const ANSWERS_APART: u32 = 16;
/// Bytes of the buffer of an answer.
pub const ANSWER_BYTES: u32 = (FRAME_BYTES_MIN as u32).next_multiple_of(8);

/// Frames with data that wait for the wire at most. More would hide no latency of the bus. They
/// would only wait longer behind each other, and the timers of their collections run meanwhile.
pub const TRANSMIT_BUFFERS: u32 = 4;

const BUFFERS: usize = TRANSMIT_BUFFERS as usize;
const _: () = assert!(BUFFERS.is_power_of_two() && TRANSMIT_BUFFERS + ANSWERS + ANSWERS_APART <= 1 << MAC_RING_LOG2);

/// The transmit ring, and the buffers of its frames. Buffers are taken in turn, so the next buffer
/// has rested longest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    /// Frames that were placed, and those that have left, counted without end.
    placed: u32,
    left: u32,
    /// SRAM offset of the buffer that is taken next, and its number.
    next_offset: u32,
    next: u32,
    next_answer: u32,
    first: u32,
    first_answer: u32,
    count: u32,
    buffer_bytes: u32,
    /// The number behind the last frame of each buffer.
    last: [u32; BUFFERS],
    last_answer: [u32; ANSWERS as usize],
    /// Whether `placed` is the number of the next frame. Otherwise the other core may place a frame
    /// before it.
    is_claimed: bool,
}

impl Ring {
    pub const NOWHERE: Ring = Ring {
        placed: 0,
        left: 0,
        next_offset: 0,
        next: 0,
        next_answer: 0,
        first: 0,
        first_answer: 0,
        count: 0,
        buffer_bytes: 0,
        last: [0; BUFFERS],
        last_answer: [0; ANSWERS as usize],
        is_claimed: false,
    };

    pub fn new(settings: &Settings, places: &Places) -> Ring {
        Ring {
            next_offset: places.transmit_buffers,
            first: places.transmit_buffers,
            first_answer: places.answer_buffers,
            count: settings.transmit_buffers,
            buffer_bytes: settings.buffer_bytes,
            ..Ring::NOWHERE
        }
    }

    /// Claims the number of the frame that is placed next.
    #[inline(always)]
    pub fn claim<D: Device>(&mut self, dev: &mut D) {
        if D::SHARES_FRAMES && !self.is_claimed {
            self.is_claimed = true;
            self.placed = dev.claim_transmit(self.placed);
        }
    }

    /// The number of the frame that is placed next, as the transmit ring counts. [`Self::claim`].
    #[inline(always)]
    pub fn next_number(&self) -> u16 {
        self.placed as u16
    }

    /// The SRAM offset of the buffer that is taken next.
    #[inline(always)]
    pub fn next_buffer(&self) -> u32 {
        self.next_offset
    }

    /// Whether the last frame of that buffer has left.
    #[inline(always)]
    pub fn is_ready(&mut self, dev: &mut impl Device) -> bool {
        let last = self.last[self.next as usize % BUFFERS];
        self.have_left(dev, last)
    }

    /// The same for an answer.
    #[inline(always)]
    pub fn ready_answer(&mut self, dev: &mut impl Device) -> Option<u32> {
        let last = self.last_answer[(self.next_answer % ANSWERS) as usize];
        self.have_left(dev, last).then_some(self.first_answer + self.next_answer * ANSWER_BYTES)
    }

    /// Whether all frames before this number have left.
    #[inline(always)]
    fn have_left(&mut self, dev: &mut impl Device, number: u32) -> bool {
        if self.left.wrapping_sub(number) <= u32::MAX / 2 {
            return true;
        }
        self.look(dev);
        self.left.wrapping_sub(number) <= u32::MAX / 2
    }

    /// Looks how many frames have left.
    #[inline(always)]
    pub fn look(&mut self, dev: &impl Device) {
        let consumer = dev.transmit_consumer();
        self.left = self.left.wrapping_add(u32::from(consumer.wrapping_sub(self.left as u16)));
    }

    /// Puts the frame in [`Self::next_buffer`] at the end of the ring. It leaves when it is
    /// released.
    #[inline(always)]
    pub fn place(&mut self, dev: &mut impl Device, control: u32) {
        self.put(dev, self.next_offset, control, self.count / 2);
        self.take();
    }

    /// The buffer that is taken next has the frame that was placed last.
    #[inline(always)]
    fn take(&mut self) {
        self.last[self.next as usize % BUFFERS] = self.placed;
        self.next += 1;
        self.next_offset += self.buffer_bytes;
        if self.next == self.count {
            (self.next, self.next_offset) = (0, self.first);
        }
    }

    /// Lets the frame in [`Self::next_buffer`] leave at once, where both cores place frames. All
    /// frames of this core are released. False: nothing was done.
    #[inline(always)]
    pub fn send(&mut self, dev: &mut impl Device, control: u32) -> bool {
        // Frames of the other core count as well in the ring, but take no buffers of this one.
        let mut before = self.next + self.count / 2;
        if before >= self.count {
            before -= self.count;
        }
        let event = match self.have_left(dev, self.last[before as usize % BUFFERS]) {
            true => 0,
            false => MAC_FLAG_EVENT,
        };
        let Some(number) = dev.send_apart(self.next_offset, control | event) else { return false };
        self.placed = number.wrapping_add(1);
        dev.count(Counter::FramesToMac);
        self.take();
        true
    }

    /// The same with the frame of [`Self::ready_answer`].
    #[inline(always)]
    pub fn place_answer(&mut self, dev: &mut impl Device, offset: u32, length_bytes: u32) {
        self.put(dev, offset, length_bytes, ANSWERS / 2);
        self.last_answer[(self.next_answer % ANSWERS) as usize] = self.placed;
        self.next_answer = (self.next_answer + 1) % ANSWERS;
    }

    /// `many`: with so many frames in the ring, a part may soon wait for a buffer. Then the end of
    /// the frame is an event.
    #[inline(always)]
    fn event(&mut self, dev: &impl Device, many: u32) -> u32 {
        if self.placed.wrapping_sub(self.left) < many {
            return 0;
        }
        rarely();
        self.look(dev);
        if self.placed.wrapping_sub(self.left) >= many {
            MAC_FLAG_EVENT
        } else {
            0
        }
    }

    #[inline(always)]
    fn put<D: Device>(&mut self, dev: &mut D, offset: u32, control: u32, many: u32) {
        if D::SHARES_FRAMES {
            self.claim(dev);
            self.is_claimed = false;
        }
        let event = self.event(dev, many);
        dev.place_transmit(self.placed, offset, control | event);
        self.placed = self.placed.wrapping_add(1);
        match D::SHARES_FRAMES {
            true => dev.count(Counter::FramesToMac),
            // As many as were placed since the start.
            false => dev.put(dev.counters(), Counter::FramesToMac.offset(), self.placed),
        }
    }
}
