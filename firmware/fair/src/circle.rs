/// A set of up to 32 that are served one after the other, in a circle: whoever waits is served before another one is served twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circle {
    waiting: u32,
    /// Where the search for the next one begins.
    from: u32,
}

impl Circle {
    pub const EMPTY: Circle = Circle { waiting: 0, from: 0 };

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Who waits, as bits.
    #[inline(always)]
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Adds those whose bits are set.
    #[inline(always)]
    pub fn add(&mut self, members: u32) {
        self.waiting |= members;
    }

    #[inline(always)]
    pub fn remove(&mut self, member: usize) {
        self.waiting &= !(1 << (member & 31));
    }

    /// Takes the next one out. `None` if nobody waits.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<usize> {
        if self.waiting == 0 {
            return None;
        }
        let from = self.from & 31;
        let next = (from + self.waiting.rotate_right(from).trailing_zeros()) & 31;
        self.from = next + 1;
        self.remove(next as usize);
        Some(next as usize)
    }
}

/// Chooses among events that are set again at any time, and may be cleared by others: those that were passed over come before new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedOver(u32);

impl PassedOver {
    pub const NONE: PassedOver = PassedOver(0);

    /// Of the pending events, those that one is to be chosen from.
    #[inline(always)]
    pub fn first_of(&self, pending: u32) -> u32 {
        match pending & self.0 {
            0 => pending,
            older => older,
        }
    }

    /// `served` was chosen of `candidates`.
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
        let mut circle = Circle::EMPTY;
        circle.add(0b1011);
        assert_eq!((circle.pop(), circle.pop()), (Some(0), Some(1)));
        circle.add(0b0101);
        assert_eq!((circle.pop(), circle.pop(), circle.pop(), circle.pop()), (Some(2), Some(3), Some(0), None));
    }

    proptest! {
        #[test]
        fn nobody_in_a_circle_is_passed_more_than_once_by_another(adds in prop::collection::vec(any::<u32>(), 1..40)) {
            let mut circle = Circle::EMPTY;
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
