use nic_device::{Place, Words};

/// The semaphore between the cores.
pub trait Semaphore {
    /// Does `work` while this core owns the semaphore. What `work` stores is in SRAM before the
    /// other core can own it.
    fn with<R>(&mut self, work: impl FnOnce() -> R) -> R;
}

/// A core of the NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Core {
    /// Core A.
    A,
    /// Core B.
    B,
}

/// Which parts run, where any core may run any part: a part runs on one core at a time. The crate's
/// page says in which order a core looks, claims, releases and sleeps.
///
/// A word of SRAM for each core has the bit of the part that the core runs. A core stores only its
/// own word, so it needs the semaphore to claim a part and not to release it.
#[derive(Clone, Copy, Debug)]
pub struct Claims {
    own: Place,
    other: Place,
}

impl Claims {
    /// The bytes of SRAM that the claims take.
    pub const fn bytes() -> u32 {
        8
    }

    /// The claims at an offset of SRAM, a multiple of 4, for a core.
    pub fn at(words: &impl Words, offset_bytes: u32, core: Core) -> Claims {
        let (a, b) = (words.place(offset_bytes), words.place(offset_bytes).plus(4));
        match core {
            Core::A => Claims { own: a, other: b },
            Core::B => Claims { own: b, other: a },
        }
    }

    /// Makes all parts free. Call once, on one core, before either core claims.
    pub fn clear(&self, words: &mut impl Words) {
        words.put(self.own, 0, 0);
        words.put(self.other, 0, 0);
    }

    /// Claims a part for this core, which runs none: the lowest part of `ready` that the other
    /// core does not run. `ready` has a bit for each part. `None` if there is no such part. Then
    /// the core may sleep.
    ///
    /// The part's work may have been done since the core looked. So a part that is run may find
    /// nothing to do.
    #[inline(always)]
    pub fn claim(&self, words: &mut impl Words, semaphore: &mut impl Semaphore, ready: u32) -> Option<u32> {
        if ready == 0 {
            return None;
        }
        semaphore.with(|| {
            let free = ready & !words.get(self.other, 0);
            if free == 0 {
                return None;
            }
            words.put(self.own, 0, free & free.wrapping_neg());
            Some(free.trailing_zeros())
        })
    }

    /// Releases the part that this core runs. What the part has stored is in SRAM before the other
    /// core can claim it.
    ///
    /// The core looks at all parts again before it sleeps: the other core may have found work for
    /// this part, and sleep.
    #[inline(always)]
    pub fn release(&self, words: &mut impl Words) {
        words.put(self.own, 0, 0);
    }

    /// The part that the other core runs, as a bit, or 0. It may be out of date.
    ///
    /// A core that has claimed one of several ready parts may tell the other core, if that runs
    /// none.
    #[inline(always)]
    pub fn running_elsewhere(&self, words: &impl Words) -> u32 {
        words.get(self.other, 0)
    }
}
