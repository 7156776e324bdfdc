use crate::Members;

/// A set of waiting members that are served round robin: no other member is served twice while a
/// member waits. The word `M` bounds their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circle<M = u32> {
    waiting: M,
    /// The number at which the search for the next member begins.
    from: u32,
}

impl<M: Members> Circle<M> {
    /// No member waits; the search begins at member 0.
    pub const EMPTY: Self = Circle { waiting: M::NONE, from: 0 };

    /// Whether no member waits.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.waiting == M::NONE
    }

    /// The waiting members, one bit each.
    #[inline(always)]
    pub fn waiting(&self) -> M {
        self.waiting
    }

    /// Adds the members whose bits are set.
    #[inline(always)]
    pub fn add(&mut self, members: M) {
        self.waiting |= members;
    }

    /// Removes a member that waits no longer. The order of the others stays.
    #[inline(always)]
    pub fn remove(&mut self, member: usize) {
        self.waiting &= !M::only(member);
    }

    /// Takes the next member out. `None` if no member waits.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<usize> {
        if self.waiting == M::NONE {
            return None;
        }
        let from = self.from & (M::ROOM - 1);
        let next = self.waiting.next_from(from) & (M::ROOM - 1);
        self.from = next + 1;
        self.remove(next as usize);
        Some(next as usize)
    }
}

/// Keeps a choice by priority fair: the events that were pending at the last choice and were not
/// chosen come before new ones. Events may be set and cleared by others between two choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedOver(u32);

impl PassedOver {
    /// No event was passed over.
    pub const NONE: PassedOver = PassedOver(0);

    /// The events from which the caller must choose: the pending ones that were passed over, or all
    /// pending ones if there are none such.
    #[inline(always)]
    pub fn first_of(&self, pending: u32) -> u32 {
        match pending & self.0 {
            0 => pending,
            older => older,
        }
    }

    /// Records that the caller chose `served` from `candidates`.
    #[inline(always)]
    pub fn chose(&mut self, candidates: u32, served: u32) {
        self.0 = candidates & !served;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_circle_serves_each_once_from_where_it_stands() {
        let mut circle = Circle::<u32>::EMPTY;
        circle.add(0b1011);
        assert_eq!((circle.pop(), circle.pop()), (Some(0), Some(1)));
        circle.add(0b0101);
        assert_eq!((circle.pop(), circle.pop(), circle.pop(), circle.pop()), (Some(2), Some(3), Some(0), None));
    }

    #[test]
    fn a_circle_of_64_serves_beyond_32_and_round_the_end() {
        let mut circle = Circle::<u64>::EMPTY;
        circle.add(1 << 63 | 1 << 33 | 1);
        assert_eq!((circle.pop(), circle.pop()), (Some(0), Some(33)));
        circle.add(1 << 32);
        circle.remove(0);
        assert_eq!((circle.pop(), circle.pop(), circle.pop()), (Some(63), Some(32), None));
    }

    proptest! {
        #[test]
        fn nobody_in_a_circle_is_passed_more_than_once_by_another(adds in prop::collection::vec(any::<u32>(), 1..40)) {
            let mut circle = Circle::<u32>::EMPTY;
            let mut passed = [[0u32; 32]; 32];
            for add in adds {
                circle.add(add);
                let before = circle.waiting;
                let Some(served) = circle.pop() else { continue };
                prop_assert!(before >> served & 1 == 1);
                passed[served] = [0; 32];
                for waits in (0..32).filter(|waits| circle.waiting >> waits & 1 == 1) {
                    passed[waits][served] += 1;
                    prop_assert!(passed[waits][served] <= 1, "{served} was served twice while {waits} waited");
                }
            }
        }

        #[test]
        fn no_event_waits_for_ever(pending in prop::collection::vec(any::<u8>(), 1..60)) {
            let (mut passed_over, mut waits_since) = (PassedOver::NONE, [0u32; 8]);
            let mut level = 0u32;
            for new in pending {
                level |= u32::from(new);
                if level == 0 {
                    continue;
                }
                let candidates = passed_over.first_of(level);
                let served = candidates & candidates.wrapping_neg();
                passed_over.chose(candidates, served);
                level &= !served;
                for (event, waits) in waits_since.iter_mut().enumerate() {
                    *waits = if level >> event & 1 == 1 { *waits + 1 } else { 0 };
                    prop_assert!(*waits < 16);
                }
            }
        }
    }
}
