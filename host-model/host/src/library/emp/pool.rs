//! Descriptors of one kind that are free.

use nic_layout::personality::emp::descriptor::{left_in_bank, offset_bytes, DESCRIPTOR_BYTES};

/// Bytes that a processor of the thesis's time combines in one write.
const BUFFER_BYTES: u32 = 32;

/// The free ones of the descriptors from one number to another.
#[derive(Debug)]
pub(super) struct Pool {
    first: u32,
    is_free: Vec<bool>,
    /// Whether the highest numbers are taken first.
    from_above: bool,
}

impl Pool {
    /// The descriptors from `first` on, `count` of them, all free.
    pub fn new(first: u32, count: u32, from_above: bool) -> Pool {
        Pool { first, is_free: vec![true; count as usize], from_above }
    }

    /// Takes so many side by side in one bank. Gives the number of the first.
    pub fn take(&mut self, needed: u32) -> Option<u32> {
        let count = self.is_free.len() as u32;
        let fits = |pool: &Pool, at: u32| {
            at + needed <= count
                && needed <= left_in_bank(pool.first + at)
                && pool.is_free[at as usize..(at + needed) as usize].iter().all(|is_free| *is_free)
        };
        // A descriptor that lies in one write-combining buffer is one write of the bus.
        let is_whole =
            |at: u32| needed == 1 && offset_bytes(self.first + at) % BUFFER_BYTES + DESCRIPTOR_BYTES <= BUFFER_BYTES;
        let order = |turn: u32| if self.from_above { count - 1 - turn } else { turn };
        let all = || (0..count).map(order).filter(|at| fits(self, *at));
        let found = all().find(|at| is_whole(*at)).or_else(|| all().next())?;
        self.is_free[found as usize..(found + needed) as usize].fill(false);
        Some(self.first + found)
    }

    /// Gives so many back, from the first on.
    ///
    /// # Panics
    /// One of them is free: a bug of the library.
    pub fn give_back(&mut self, first: u32, count: u32) {
        for number in first..first + count {
            let is_free = &mut self.is_free[(number - self.first) as usize];
            assert!(!*is_free, "descriptor {number} is given back twice");
            *is_free = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use nic_layout::personality::emp::descriptor::{BANK_DESCRIPTORS, SEND_DESCRIPTORS};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_full_pool_has_none_to_give() {
        let mut pool = Pool::new(0, 3, false);
        assert_eq!((pool.take(2), pool.take(2), pool.take(1), pool.take(1)), (Some(0), None, Some(2), None));
        pool.give_back(0, 2);
        assert_eq!(pool.take(2), Some(0));
    }

    #[test]
    fn the_first_sends_are_in_the_bank_of_the_first_receives() {
        let (mut sends, mut receives) = (Pool::new(0, SEND_DESCRIPTORS, true), Pool::new(SEND_DESCRIPTORS, 440, false));
        let (send, receive) = (sends.take(4).unwrap(), receives.take(4).unwrap());
        assert_eq!(send / BANK_DESCRIPTORS, receive / BANK_DESCRIPTORS);
    }

    proptest! {
        /// Whatever is taken and given back, no descriptor has two owners, and none crosses a bank.
        #[test]
        fn no_descriptor_has_two_owners(steps in proptest::collection::vec((1u32..5, any::<bool>()), 1..200)) {
            let mut pool = Pool::new(0, SEND_DESCRIPTORS, true);
            let mut owned: Vec<(u32, u32)> = Vec::new();
            for (needed, gives_back) in steps {
                if gives_back && !owned.is_empty() {
                    let (first, count) = owned.remove(needed as usize % owned.len());
                    pool.give_back(first, count);
                } else if let Some(first) = pool.take(needed) {
                    prop_assert!(owned.iter().all(|(other, count)| first + needed <= *other || other + count <= first));
                    prop_assert_eq!(first / BANK_DESCRIPTORS, (first + needed - 1) / BANK_DESCRIPTORS);
                    owned.push((first, needed));
                }
            }
        }
    }
}
