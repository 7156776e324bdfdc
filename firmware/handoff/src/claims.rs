use nic_device::{Place, Words};

/// The semaphore that the two cores share (E-5).
pub trait Semaphore {
    /// Does `work` while this core owns the semaphore.
    fn with<R>(&mut self, work: impl FnOnce() -> R) -> R;
}

/// Parts that are being run, one bit each: the dynamic schedule (EL-1).
///
/// A core claims a part before it runs it, and gives it back afterwards. So a part runs on one core
/// at a time. A core that gives a part back looks for work again, the work of that part included:
/// the other core may have passed over work for the part because it was claimed.
#[derive(Clone, Copy, Debug)]
pub struct Claims {
    place: Place,
}

impl Claims {
    /// Bytes of SRAM.
    pub const BYTES: u32 = 8;

    /// The claims at an SRAM offset.
    pub fn at(words: &impl Words, offset: u32) -> Claims {
        Claims { place: words.place(offset) }
    }

    /// No part is claimed.
    pub fn clear(self, words: &mut impl Words) {
        words.put(self.place, 0, 0);
    }

    /// Claims the first of the `ready` parts that no core runs. `None` if there is none.
    #[inline(always)]
    pub fn claim(self, words: &mut impl Words, semaphore: &mut impl Semaphore, ready: u32) -> Option<u32> {
        semaphore.with(|| {
            let claimed = words.get(self.place, 0);
            let free = ready & !claimed;
            if free == 0 {
                return None;
            }
            let first = free & free.wrapping_neg();
            words.put(self.place, 0, claimed | first);
            Some(first.trailing_zeros())
        })
    }

    /// Gives a part back.
    #[inline(always)]
    pub fn release(self, words: &mut impl Words, semaphore: &mut impl Semaphore, part: u32) {
        semaphore.with(|| {
            let claimed = words.get(self.place, 0);
            words.put(self.place, 0, claimed & !(1 << part));
        });
    }
}
