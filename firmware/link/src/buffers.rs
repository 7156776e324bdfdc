use nic_device::{rarely, Device, TX_BUFFERS_MAX};

/// Records for [`TX_BUFFERS_MAX`] buffers, rounded up so that an index needs a mask and no check.
const RECORDS: usize = 64;
const _: () = assert!(TX_BUFFERS_MAX as usize <= RECORDS);

/// What is kept of the frame in a buffer.
#[derive(Clone, Copy, Debug)]
struct Frame<O> {
    /// Its last place in the transmit ring, counted without end.
    transmit_index: u32,
    /// Header and data.
    length_bytes: u16,
    owner: O,
}

/// Buffers that hold no frame, the longest unused first: by the time a buffer is taken again, the
/// MAC has long sent its last copy.
#[derive(Clone, Copy, Debug)]
struct Free {
    ring: [u8; RECORDS],
    taken: u32,
    given: u32,
    /// The address of the next one, once it is known that the transmit ring holds no copy of it;
    /// else 0.
    ready: u32,
}

impl Free {
    const EMPTY: Free = Free { ring: [0; RECORDS], taken: 0, given: 0, ready: 0 };

    #[inline(always)]
    fn give(&mut self, buffer: usize) {
        self.ring[self.given as usize & (RECORDS - 1)] = buffer as u8;
        self.given = self.given.wrapping_add(1);
    }

    /// The next that [`Self::take`] takes.
    #[inline(always)]
    fn first(&self) -> Option<usize> {
        if self.taken == self.given {
            return None;
        }
        Some(self.next())
    }

    /// The same where the caller knows that there is one.
    #[inline(always)]
    fn next(&self) -> usize {
        self.ring[self.taken as usize & (RECORDS - 1)] as usize & (RECORDS - 1)
    }

    #[inline(always)]
    fn take(&mut self) {
        self.taken = self.taken.wrapping_add(1);
        self.ready = 0;
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.given.wrapping_sub(self.taken)
    }
}

/// The frames in the transmit buffers. `O` says to what of the protocol a frame belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames<O>([Frame<O>; RECORDS]);

impl<O: Copy> Frames<O> {
    /// `unused` stands where no owner is.
    pub(crate) const fn new(unused: O) -> Self {
        Frames([Frame { transmit_index: 0, length_bytes: 0, owner: unused }; RECORDS])
    }

    #[inline(always)]
    fn at(&self, buffer: usize) -> &Frame<O> {
        &self.0[buffer & (RECORDS - 1)]
    }

    /// Notes what a buffer holds.
    #[inline(always)]
    pub(crate) fn note(&mut self, buffer: usize, transmit_index: u32, length_bytes: u32, owner: O) {
        let frame = &mut self.0[buffer & (RECORDS - 1)];
        frame.transmit_index = transmit_index;
        frame.length_bytes = length_bytes as u16;
        frame.owner = owner;
    }

    #[inline(always)]
    pub(crate) fn owner(&self, buffer: usize) -> O {
        self.at(buffer).owner
    }

    /// The frame of a buffer has no more than `length_bytes` now. It was not released yet.
    pub(crate) fn shorten(&mut self, dev: &mut impl Device, buffer: usize, length_bytes: u32) {
        let frame = &mut self.0[buffer & (RECORDS - 1)];
        frame.length_bytes = length_bytes as u16;
        dev.shorten_transmit(frame.transmit_index as u16, length_bytes);
    }
}

/// Transmit buffers and their ring. Each buffer holds one frame with a number until the peer has
/// acknowledged the frame, and is in the ring at most once. What the frames are is apart
/// ([`Frames`]): a longer table, which the link keeps behind the words that every frame needs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct TransmitBuffers {
    /// Where the first buffer is in SRAM, and the size of each.
    first_address: u32,
    buffer_bytes: u32,
    /// Frames placed in the transmit ring, and those that left it; counted without end.
    placed: u32,
    done: u32,
    /// The last place of the transmit ring at which a free buffer may be.
    lingering: Option<u32>,
    free: Free,
}

impl TransmitBuffers {
    /// No buffers.
    pub(crate) const NONE: TransmitBuffers =
        TransmitBuffers { first_address: 0, buffer_bytes: 0, placed: 0, done: 0, lingering: None, free: Free::EMPTY };

    /// `count` buffers of `buffer_bytes` from `first_address` on, all free.
    pub(crate) fn start<O: Copy>(&mut self, frames: &mut Frames<O>, first_address: u32, buffer_bytes: u32, count: u32) {
        self.first_address = first_address;
        self.buffer_bytes = buffer_bytes;
        for buffer in 0..count as usize {
            // As far from the transmit ring as a number can be.
            frames.0[buffer & (RECORDS - 1)].transmit_index = 1 << 31;
            self.free.give(buffer);
        }
    }

    /// Where a buffer begins in SRAM.
    #[inline(always)]
    pub(crate) fn address(&self, buffer: usize) -> u32 {
        self.first_address + buffer as u32 * self.buffer_bytes
    }

    /// The address of the free buffer that has rested longest, if the MAC is done with it. It stays
    /// free until it is taken.
    ///
    /// Most often it was found when the one before it was taken.
    #[inline(always)]
    pub(crate) fn ready<O: Copy>(&mut self, dev: &mut impl Device, frames: &Frames<O>) -> Option<u32> {
        if self.free.ready == 0 {
            rarely();
            self.find_ready(dev, frames);
            if self.free.ready == 0 {
                return None;
            }
        }
        Some(self.free.ready)
    }

    /// The address that [`Self::ready`] gave.
    #[inline(always)]
    pub(crate) fn ready_address(&self) -> u32 {
        self.free.ready
    }

    /// The number of the buffer that [`Self::take`] takes next. 0 if there is none.
    #[inline(always)]
    pub(crate) fn first(&self) -> usize {
        self.free.first().unwrap_or(0)
    }

    /// The same where the caller knows that there is one.
    #[inline(always)]
    pub(crate) fn next(&self) -> usize {
        self.free.next()
    }

    /// Buffers that are free.
    #[inline(always)]
    pub(crate) fn free_count(&self) -> u32 {
        self.free.count()
    }

    /// Looks whether the MAC is done with the buffer that is taken next.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub(crate) fn find_ready<O: Copy>(&mut self, dev: &mut impl Device, frames: &Frames<O>) {
        if let Some(buffer) = self.free.first() {
            if !self.is_in_ring(dev, frames, buffer) {
                self.free.ready = self.address(buffer);
            }
        }
    }

    /// Takes the buffer that is next.
    #[inline(always)]
    pub(crate) fn take(&mut self) {
        self.free.take();
    }

    /// The frame in a buffer was acknowledged or given up.
    #[inline(always)]
    pub(crate) fn give<O: Copy>(&mut self, frames: &Frames<O>, buffer: usize) {
        self.free.give(buffer);
        self.note_lingering(frames.at(buffer).transmit_index);
    }

    /// Puts a frame at the end of the transmit ring. Its place, counted without end.
    #[inline(always)]
    pub(crate) fn place(&mut self, dev: &mut impl Device, address: u32, length_bytes: u32) -> u32 {
        let index = self.placed;
        dev.place_transmit(index, address, length_bytes);
        self.placed = index.wrapping_add(1);
        index
    }

    /// Puts the frame of a buffer into the ring once more.
    pub(crate) fn place_again<O: Copy>(&mut self, dev: &mut impl Device, frames: &mut Frames<O>, buffer: usize) {
        let frame = &mut frames.0[buffer & (RECORDS - 1)];
        frame.transmit_index = self.placed;
        let length_bytes = u32::from(frame.length_bytes);
        self.place(dev, self.address(buffer), length_bytes);
    }

    /// How many frames were placed since the frame of a buffer was.
    #[inline(always)]
    pub(crate) fn age<O: Copy>(&self, frames: &Frames<O>, buffer: usize) -> u32 {
        self.placed.wrapping_sub(frames.at(buffer).transmit_index)
    }

    /// Frames in the transmit ring, as far as is known.
    #[inline(always)]
    pub(crate) fn in_ring(&self) -> u32 {
        self.placed.wrapping_sub(self.done)
    }

    /// Whether the transmit ring holds a copy of the frame that was not sent yet.
    #[inline(always)]
    pub(crate) fn is_in_ring<O: Copy>(&mut self, dev: &mut impl Device, frames: &Frames<O>, buffer: usize) -> bool {
        let age = self.age(frames, buffer);
        if age > self.in_ring() {
            return false;
        }
        self.update_done(dev);
        age <= self.in_ring()
    }

    #[inline(always)]
    pub(crate) fn update_done(&mut self, dev: &mut impl Device) {
        let advance = dev.transmit_consumer().wrapping_sub(self.done as u16);
        self.done = self.done.wrapping_add(u32::from(advance));
    }

    /// A buffer is free whose frame was last placed there. As far as is known it may still be in
    /// the transmit ring: a frame that was sent again, or a frame that its peer acknowledges before
    /// this copy was sent.
    #[inline(always)]
    fn note_lingering(&mut self, place: u32) {
        if self.placed.wrapping_sub(place) <= self.in_ring() {
            let before = self.lingering.unwrap_or(place);
            let is_later = (place.wrapping_sub(before) as i32) > 0;
            self.lingering = Some(if is_later { place } else { before });
        }
    }

    /// Whether a free buffer may still be in the transmit ring.
    #[inline(always)]
    pub(crate) fn linger(&mut self, dev: &mut impl Device) -> bool {
        let Some(place) = self.lingering else { return false };
        self.update_done(dev);
        let lingers = (self.done.wrapping_sub(place) as i32) <= 0;
        if !lingers {
            self.lingering = None;
        }
        lingers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_in_the_order_given() {
        let mut free = Free::EMPTY;
        (0..3).for_each(|buffer| free.give(buffer));
        assert_eq!(free.first(), Some(0));
        free.take();
        free.give(0);
        assert_eq!(free.count(), 3);
        free.take();
        free.take();
        assert_eq!(free.first(), Some(0));
    }
}
