use sim_pins::Ps;

const PS_PER_S: u64 = 1_000_000_000_000;

/// A clock without drift: rising edge k lies at `phase + floor(k * 10^12 / hz)` picoseconds, k = 0,
/// 1, ...
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    hz: u64,
    phase: Ps,
}

impl Clock {
    /// # Panics
    /// Unless the frequency is between 1 Hz and 10^12 Hz.
    pub fn new(hz: u64, phase: Ps) -> Clock {
        assert!((1..=PS_PER_S).contains(&hz), "a clock of {hz} Hz");
        Clock { hz, phase }
    }

    /// Frequency in hertz.
    pub fn hz(&self) -> u64 {
        self.hz
    }

    /// The time of edge 0.
    pub fn phase(&self) -> Ps {
        self.phase
    }

    /// The same clock, later: what a wire of that latency makes of it.
    pub fn delayed(&self, by: Ps) -> Clock {
        Clock { hz: self.hz, phase: self.phase + by }
    }

    /// The time of edge `index`.
    pub fn edge(&self, index: u64) -> Ps {
        let after_phase = u128::from(index) * u128::from(PS_PER_S) / u128::from(self.hz);
        self.phase + Ps(after_phase as u64)
    }

    /// How many edges lie before `time`; so also the index of the first edge at or after it.
    pub fn edges_before(&self, time: Ps) -> u64 {
        if time <= self.phase {
            return 0;
        }
        // floor(k P / hz) < t  <=>  k P < t hz  <=>  k < ceil(t hz / P)
        let scaled = u128::from((time - self.phase).0) * u128::from(self.hz);
        scaled.div_ceil(u128::from(PS_PER_S)) as u64
    }

    /// A span of time in cycles of this clock.
    pub fn cycles(&self, span: Ps) -> f64 {
        span.0 as f64 * self.hz as f64 / PS_PER_S as f64
    }

    /// The longest distance between two edges.
    pub fn period_ceil(&self) -> Ps {
        Ps(PS_PER_S.div_ceil(self.hz))
    }
}

/// Walks over the edges of a clock: whole picoseconds and a fraction, as Bresenham drew lines.
#[derive(Clone, Debug)]
pub(crate) struct Edges {
    pub next: Ps,
    pub index: u64,
    whole_ps: u64,
    /// `part / hz` picoseconds are added per cycle beside the whole ones.
    part: u64,
    /// Fractions collected so far, below `hz`.
    collected: u64,
    hz: u64,
}

impl Edges {
    pub(crate) fn from_first(clock: &Clock) -> Edges {
        Edges {
            next: clock.phase,
            index: 0,
            whole_ps: PS_PER_S / clock.hz,
            part: PS_PER_S % clock.hz,
            collected: 0,
            hz: clock.hz,
        }
    }

    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        self.index += 1;
        self.collected += self.part;
        let carry = self.collected >= self.hz;
        self.collected -= if carry { self.hz } else { 0 };
        self.next += Ps(self.whole_ps + carry as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_clocks_have_their_edges() {
        let pci = Clock::new(66_000_000, Ps(0));
        assert_eq!([0, 1, 2, 3].map(|k| pci.edge(k).0), [0, 15_151, 30_303, 45_454]);
        let gmii = Clock::new(125_000_000, Ps(300));
        assert_eq!(gmii.edge(1_000_000), Ps(8_000_000_300));
        assert_eq!(gmii.cycles(Ps::from_us(1)), 125.0);
        assert_eq!(pci.period_ceil(), Ps(15_152));
    }

    #[test]
    fn a_clock_does_not_drift_in_a_day() {
        let clock = Clock::new(133_000_000, Ps(0));
        assert_eq!(clock.edge(133_000_000 * 86_400), Ps(86_400 * PS_PER_S));
    }

    proptest! {
        /// Edge k is the largest whole t with t * hz <= k * 10^12: checked without a division.
        #[test]
        fn edges_are_the_floor_of_the_exact_rational(hz in 1..=1_000_000_000u64, phase in 0..1_000_000u64, k in 0..1_000_000u64) {
            let t = u128::from(Clock::new(hz, Ps(phase)).edge(k).0 - phase);
            let (hz, exact) = (u128::from(hz), u128::from(k) * u128::from(PS_PER_S));
            prop_assert!(t * hz <= exact && exact < (t + 1) * hz);
        }

        #[test]
        fn counting_edges_undoes_listing_them(hz in 1..=10_000_000_000u64, phase in 0..1_000_000u64, k in 0..1_000_000u64) {
            let clock = Clock::new(hz, Ps(phase));
            let at = clock.edge(k);
            prop_assert_eq!(clock.edges_before(at), k);
            prop_assert_eq!(clock.edges_before(at + Ps(1)), k + 1);
        }

        #[test]
        fn walking_meets_every_edge(hz in 1..=2_000_000_000u64, phase in 0..10_000u64, steps in 1..3000u64) {
            let clock = Clock::new(hz, Ps(phase));
            let mut edges = Edges::from_first(&clock);
            for k in 0..steps {
                prop_assert_eq!((edges.next, edges.index), (clock.edge(k), k));
                edges.advance();
            }
        }
    }
}
