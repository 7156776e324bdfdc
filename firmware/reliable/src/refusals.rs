/// Which of the last 32 frames of a peer were refused.
///
/// A bit for each frame, at the low five bits of its number: so it says the same whichever later
/// number stands beside it, as long as the sender has no more than 32 frames in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusals {
    bits: u32,
    /// The number refused last.
    newest: u32,
}

/// Frames that one word tells of: no sender may have more in flight.
pub const REFUSALS_WINDOW: u32 = u32::BITS;

impl Refusals {
    /// Nothing was refused.
    pub const NONE: Refusals = Refusals { bits: 0, newest: 0 };

    /// Whether some may still have to be told.
    #[inline(always)]
    pub const fn any(&self) -> bool {
        self.bits != 0
    }

    /// A frame is refused, later than all before.
    pub fn refuse(&mut self, sequence: u32) {
        self.bits = self.before(sequence) | 1 << (sequence % REFUSALS_WINDOW);
        self.newest = sequence;
    }

    /// Those among the 32 frames before `expected`; forgets older ones.
    pub fn before(&mut self, expected: u32) -> u32 {
        let younger = expected.wrapping_sub(self.newest).wrapping_sub(1);
        // Frames behind the newest were not refused, and stand where older ones stood.
        let stale = match 1u32.checked_shl(younger) {
            Some(bit) => (bit - 1).rotate_left(self.newest.wrapping_add(1) % REFUSALS_WINDOW),
            None => u32::MAX,
        };
        self.bits &= !stale;
        self.bits
    }

    /// The oldest of those among the 32 frames before `expected`, or `expected`.
    pub fn oldest_before(&mut self, expected: u32) -> u32 {
        match self.before(expected).rotate_right(expected % REFUSALS_WINDOW) {
            0 => expected,
            bits => expected.wrapping_sub(REFUSALS_WINDOW).wrapping_add(bits.trailing_zeros()),
        }
    }
}

/// Whether `bits` tell that a frame was refused.
#[inline(always)]
pub const fn is_refused(bits: u32, sequence: u32) -> bool {
    bits >> (sequence % REFUSALS_WINDOW) & 1 != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_refusal_is_told_until_32_frames_have_followed() {
        let mut refusals = Refusals::NONE;
        refusals.refuse(u32::MAX);
        assert!(is_refused(refusals.before(0), u32::MAX));
        assert_eq!(refusals.oldest_before(30), u32::MAX);
        assert!(is_refused(refusals.before(31), u32::MAX));
        assert_eq!(refusals.oldest_before(32), 32);
        assert!(!refusals.any());
    }

    proptest! {
        /// Against a list of what was refused, wherever the numbers wrap.
        #[test]
        fn the_bits_are_those_of_the_last_32_frames(first in any::<u32>(), refused in prop::collection::vec(any::<bool>(), 1..150)) {
            let mut refusals = Refusals::NONE;
            for (n, &is) in refused.iter().enumerate() {
                let sequence = first.wrapping_add(n as u32);
                if is {
                    refusals.refuse(sequence);
                }
                let expected = sequence.wrapping_add(1);
                let (bits, oldest) = (refusals.clone().before(expected), refusals.clone().oldest_before(expected));
                let from = n.saturating_sub(31);
                for (m, &was) in refused.iter().enumerate().take(n + 1).skip(from) {
                    prop_assert_eq!(is_refused(bits, first.wrapping_add(m as u32)), was);
                }
                let found = (from..=n).find(|&m| refused[m]).map_or(expected, |m| first.wrapping_add(m as u32));
                prop_assert_eq!(oldest, found);
                prop_assert_eq!(bits != 0, refused[from..=n].contains(&true));
            }
        }
    }
}
