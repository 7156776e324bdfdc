//! The work of core B of a NIC: totals of the counters of core A.

use nic_device::Words;
use nic_layout::counter::{Counter, Sum, SETS};

/// Number of sums in all counter sets together.
const SUMS: usize = {
    let (mut count, mut set) = (0, 0);
    while set < SETS.len() {
        count += SETS[set].sums.len();
        set += 1;
    }
    count
};

/// For each sum of each set, the number of the first sum with its name: both are one equation. The
/// table is made when the image is built, since to compare names costs core B time.
const EQUATION_OF: [usize; SUMS] = {
    let mut equations = [0; SUMS];
    let mut number = 0;
    while number < SUMS {
        while !is_same(sum_of(equations[number]).name, sum_of(number).name) {
            equations[number] += 1;
        }
        number += 1;
    }
    equations
};

/// The sum with this number. Numbers run through all sets.
const fn sum_of(mut number: usize) -> &'static Sum {
    let mut set = 0;
    while number >= SETS[set].sums.len() {
        number -= SETS[set].sums.len();
        set += 1;
    }
    &SETS[set].sums[number]
}

const fn is_same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

/// The values of the counters at the last [`Keeper::fold`]. Counters and totals start at zero.
pub struct Keeper {
    /// With room for all counters, so that no index of one needs a check.
    last: [u32; Counter::COUNT],
}

impl Keeper {
    /// A keeper before the first [`Keeper::fold`].
    pub const fn new() -> Keeper {
        Keeper { last: [0; Counter::COUNT] }
    }

    /// Adds the increments of the counters at SRAM offset `counters` to the totals of 64 bits at
    /// `totals`. A counter may wrap once between two calls.
    pub fn fold(&mut self, words: &mut impl Words, counters: u32, totals: u32) {
        for (index, last) in self.last.iter_mut().enumerate().take(Counter::LINKED_COUNT) {
            let now = words.read(counters + 4 * index as u32);
            let gained = now.wrapping_sub(*last);
            *last = now;
            if gained != 0 {
                let total = totals + 8 * index as u32;
                let low = words.read(total);
                let sum = low.wrapping_add(gained);
                words.write(total, sum);
                if sum < low {
                    let high = words.read(total + 4);
                    words.write(total + 4, high.wrapping_add(1));
                }
            }
        }
    }

    /// The number of equations of INV-38 that the counters broke at the last [`Keeper::fold`].
    pub fn violations(&self) -> u32 {
        let value = |counter: Counter| self.last.get(counter as usize).copied().unwrap_or(0);
        let sum = |counters: &[Counter]| counters.iter().fold(0, |sum: u32, &counter| sum.wrapping_add(value(counter)));
        let mut surpluses = [0u32; SUMS];
        for (equation, part) in EQUATION_OF.iter().zip(SETS.iter().flat_map(|set| set.sums)) {
            if let Some(surplus) = surpluses.get_mut(*equation) {
                *surplus = surplus.wrapping_add(sum(part.whole)).wrapping_sub(sum(part.parts));
            }
        }
        let mut violations = 0;
        for (surplus, part) in surpluses.iter().zip(SETS.iter().flat_map(|set| set.sums)) {
            // Counters wrap. The whole exceeds its parts by less than 2^31, so the sign of the
            // difference tells which is larger.
            let surplus = *surplus as i32;
            let exact = part.under_way.is_none();
            violations += u32::from(surplus < 0 || (exact && surplus != 0));
        }
        violations
    }
}

impl Default for Keeper {
    fn default() -> Keeper {
        Keeper::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTALS: u32 = 4 * Counter::LINKED_COUNT as u32;

    fn memory() -> Vec<u32> {
        vec![0; 3 * Counter::LINKED_COUNT]
    }

    fn total(memory: &[u32], counter: Counter) -> u64 {
        let at = Counter::LINKED_COUNT + 2 * counter as usize;
        u64::from(memory[at]) | u64::from(memory[at + 1]) << 32
    }

    #[test]
    fn totals_are_the_sums_of_what_counters_gained_however_often_they_wrap() {
        let (mut keeper, mut memory) = (Keeper::new(), memory());
        let mut expected = [0_u64; Counter::LINKED_COUNT];
        let mut noise = 1_u32;
        for _ in 0..200 {
            for (counter, sum) in expected.iter_mut().enumerate() {
                noise = noise.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F);
                // The low bits of such a sequence repeat after four.
                let gained = if noise >> 30 == 0 { 0 } else { noise };
                memory[counter] = memory[counter].wrapping_add(gained);
                *sum += u64::from(gained);
            }
            keeper.fold(&mut memory, 0, TOTALS);
            for &counter in Counter::linked() {
                assert_eq!(total(&memory, counter), expected[counter as usize], "{}", counter.name());
            }
        }
        assert!(expected.iter().all(|&sum| sum > u64::from(u32::MAX)));
    }

    #[test]
    fn what_does_not_add_up_is_counted() {
        let (mut keeper, mut memory) = (Keeper::new(), memory());
        let mut violations = |changes: &[(Counter, u32)]| {
            for &(counter, by) in changes {
                memory[counter as usize] = memory[counter as usize].wrapping_add(by);
            }
            keeper.fold(&mut memory, 0, TOTALS);
            keeper.violations()
        };
        assert_eq!(violations(&[]), 0);
        assert_eq!(violations(&[(Counter::FramesSent, 3), (Counter::FramesAcknowledged, 2)]), 0, "one is under way");
        assert_eq!(violations(&[(Counter::FramesAcknowledged, 2)]), 1, "more than were sent");
        assert_eq!(violations(&[(Counter::FramesSent, 1)]), 0);
        assert_eq!(violations(&[(Counter::FramesReceived, 1)]), 1, "exact at any time");
        assert_eq!(violations(&[(Counter::FramesGap, 1)]), 0);
    }

    #[test]
    fn counters_that_wrap_still_add_up() {
        let (mut keeper, mut memory) = (Keeper::new(), memory());
        for _ in 0..5 {
            for counter in [Counter::FramesReceived, Counter::FramesAccepted] {
                memory[counter as usize] = memory[counter as usize].wrapping_add(0x6000_0000);
            }
            keeper.fold(&mut memory, 0, TOTALS);
            assert_eq!(keeper.violations(), 0);
        }
    }
}
