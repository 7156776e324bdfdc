use sim_pins::Ps;

use crate::clock::{Clock, Edges};

/// A set of clocks of a [`Scheduler`], by their number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ClockSet(pub u32);

impl ClockSet {
    /// No clock.
    pub const EMPTY: ClockSet = ClockSet(0);

    /// The set of one clock, by its number from 0 to 31.
    pub const fn of(clock: usize) -> ClockSet {
        ClockSet(1 << clock)
    }

    /// Whether the clock is in the set.
    pub const fn contains(self, clock: usize) -> bool {
        self.0 >> clock & 1 != 0
    }

    /// The set with this clock added.
    pub const fn with(self, clock: usize) -> ClockSet {
        ClockSet(self.0 | 1 << clock)
    }

    /// Whether no clock is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A moment at which some clocks rise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instant {
    /// The time of the edges.
    pub at: Ps,
    /// The clocks that rise at this time.
    pub rising: ClockSet,
}

/// Merges the edges of `N` unrelated clocks into one sequence of instants.
///
/// It is asked at every instant of a simulation, for three or four clocks: so no heap, but a look
/// at each.
#[derive(Clone, Debug)]
pub struct Scheduler<const N: usize> {
    clocks: [Clock; N],
    edges: [Edges; N],
    next: Instant,
}

impl<const N: usize> Scheduler<N> {
    /// A scheduler of 1 to 32 clocks, before their first edges.
    ///
    /// # Panics
    ///
    /// If there are none, or more.
    pub fn new(clocks: [Clock; N]) -> Scheduler<N> {
        assert!((1..=32).contains(&N), "1 to 32 clocks");
        let edges = std::array::from_fn(|i| Edges::from_first(&clocks[i]));
        let mut scheduler = Scheduler { clocks, edges, next: Instant { at: Ps::ZERO, rising: ClockSet::EMPTY } };
        scheduler.find_next();
        scheduler
    }

    /// The instant that [`advance`](Scheduler::advance) gives next.
    #[inline(always)]
    pub fn peek(&self) -> Instant {
        self.next
    }

    /// Gives the next instant and goes behind it.
    #[inline(always)]
    pub fn advance(&mut self) -> Instant {
        let now = self.next;
        for i in 0..N {
            if now.rising.contains(i) {
                self.edges[i].advance();
            }
        }
        self.find_next();
        now
    }

    /// The next instant, if it lies before `end`.
    #[inline(always)]
    pub fn advance_before(&mut self, end: Ps) -> Option<Instant> {
        (self.next.at < end).then(|| self.advance())
    }

    /// How many edges of a clock were given so far.
    #[inline(always)]
    pub fn cycles(&self, clock: usize) -> u64 {
        self.edges[clock].index
    }

    /// A clock, by its number.
    pub fn clock(&self, clock: usize) -> &Clock {
        &self.clocks[clock]
    }

    #[inline(always)]
    fn find_next(&mut self) {
        let mut at = Ps::MAX;
        for edges in &self.edges {
            at = at.min(edges.next);
        }
        let mut rising = 0;
        for (i, edges) in self.edges.iter().enumerate() {
            rising |= u32::from(edges.next == at) << i;
        }
        self.next = Instant { at, rising: ClockSet(rising) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clocks_that_rise_together_come_together() {
        let clock = |hz| Clock::new(hz, Ps::ZERO);
        let mut scheduler = Scheduler::new([clock(100_000_000), clock(50_000_000)]);
        let rising: Vec<u32> = (0..4).map(|_| scheduler.advance().rising.0).collect();
        assert_eq!(rising, [0b11, 0b01, 0b11, 0b01]);
        assert_eq!((scheduler.cycles(0), scheduler.cycles(1)), (4, 2));
        assert_eq!(scheduler.peek().at, Ps::from_ns(40));
        assert_eq!(scheduler.advance_before(Ps::from_ns(40)), None);
    }

    proptest! {
        /// The dull model: all edges of all clocks up to some time, sorted.
        #[test]
        fn instants_are_the_sorted_edges_of_all_clocks(
            hz in prop::array::uniform4(1_000_000..400_000_000u64),
            phase in prop::array::uniform4(0..20_000u64),
        ) {
            let clocks: [Clock; 4] = std::array::from_fn(|i| Clock::new(hz[i], Ps(phase[i])));
            let mut expected = std::collections::BTreeMap::<Ps, ClockSet>::new();
            let end = Ps::from_us(2);
            for (i, clock) in clocks.iter().enumerate() {
                for k in 0..clock.edges_before(end) {
                    let rising = expected.entry(clock.edge(k)).or_default();
                    *rising = rising.with(i);
                }
            }
            let mut scheduler = Scheduler::new(clocks);
            let mut seen = Vec::new();
            while let Some(instant) = scheduler.advance_before(end) {
                seen.push((instant.at, instant.rising));
            }
            prop_assert_eq!(seen, expected.into_iter().collect::<Vec<_>>());
            for (i, clock) in clocks.iter().enumerate() {
                prop_assert_eq!(scheduler.cycles(i), clock.edges_before(end));
            }
        }
    }
}
