use core::fmt::Debug;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

/// A set of members in one word, one bit each. The word is chosen by how many members there are:
/// the core takes one instruction for a word of 32 bits, and several for one of 64.
pub trait Members:
    Copy + Debug + Eq + BitAnd<Output = Self> + BitAndAssign + BitOr<Output = Self> + BitOrAssign + Not<Output = Self>
{
    /// How many members a set has room for, a power of two. They are numbered from 0.
    const ROOM: u32;
    /// No member.
    const NONE: Self;

    /// The set of one member. The number is taken modulo [`Self::ROOM`].
    fn only(member: usize) -> Self;

    /// Whether the set has a member below [`Self::ROOM`].
    fn has(self, member: usize) -> bool;

    /// The set without member 0; each other member has the number before its own.
    fn without_first(self) -> Self;

    /// The lowest number of a member at or behind `from`, round the end of the set.
    /// [`Self::ROOM`] or more if the set is empty.
    fn next_from(self, from: u32) -> u32;

    /// A word that is 0 if there is no member, and another number if there is one.
    fn any(self) -> u32;

    /// The numbers of the members, ascending.
    fn numbers(self) -> impl Iterator<Item = usize>;
}

macro_rules! members {
    ($word:ty, $any:expr) => {
        impl Members for $word {
            const ROOM: u32 = <$word>::BITS;
            const NONE: $word = 0;

            #[inline(always)]
            fn only(member: usize) -> $word {
                1 << (member & (Self::ROOM as usize - 1))
            }

            #[inline(always)]
            fn has(self, member: usize) -> bool {
                self >> member & 1 != 0
            }

            #[inline(always)]
            fn without_first(self) -> $word {
                self >> 1
            }

            #[inline(always)]
            fn next_from(self, from: u32) -> u32 {
                from + self.rotate_right(from).trailing_zeros()
            }

            #[inline(always)]
            fn any(self) -> u32 {
                $any(self)
            }

            #[inline(always)]
            fn numbers(self) -> impl Iterator<Item = usize> {
                let mut set = self;
                core::iter::from_fn(move || {
                    let lowest = set.trailing_zeros();
                    set &= set.wrapping_sub(1);
                    (lowest < Self::ROOM).then_some(lowest as usize)
                })
            }
        }
    };
}

members!(u32, |set| set);
members!(u64, |set: u64| (set | set >> 32) as u32);

#[cfg(test)]
mod tests {
    use super::*;

    fn check<M: Members>() {
        let last = M::ROOM as usize - 1;
        let set = M::only(1) | M::only(last);
        assert_eq!(set.numbers().collect::<Vec<_>>(), [1, last]);
        assert_eq!([0, 1, last].map(|member| set.has(member)), [false, true, true]);
        assert_eq!((M::only(last).any() != 0, M::only(0).any() != 0, M::NONE.any()), (true, true, 0));
        assert_eq!((set.next_from(0), set.next_from(2), set.next_from(M::ROOM - 1)), (1, M::ROOM - 1, M::ROOM - 1));
        assert_eq!(M::NONE.numbers().count(), 0);
        assert_eq!(set.without_first(), M::only(0) | M::only(last - 1));
    }

    #[test]
    fn a_set_of_either_width_has_its_members() {
        check::<u32>();
        check::<u64>();
    }
}
