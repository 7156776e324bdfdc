use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// A point in, or a span of, simulated time in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Ps(pub u64);

impl Ps {
    /// The beginning of the simulation.
    pub const ZERO: Ps = Ps(0);
    /// A time that no simulation reaches: 213 days.
    pub const MAX: Ps = Ps(u64::MAX);

    /// Nanoseconds in picoseconds.
    pub const fn from_ns(ns: u64) -> Ps {
        Ps(ns * 1_000)
    }

    /// Microseconds in picoseconds.
    pub const fn from_us(us: u64) -> Ps {
        Ps(us * 1_000_000)
    }

    /// In nanoseconds, for people: it is rounded from 2^53 ps on.
    pub fn as_ns_f64(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// In microseconds, for people: it is rounded from 2^53 ps on.
    pub fn as_us_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The difference, or zero if `other` is later.
    pub fn saturating_sub(self, other: Ps) -> Ps {
        Ps(self.0.saturating_sub(other.0))
    }
}

impl Add for Ps {
    type Output = Ps;
    fn add(self, other: Ps) -> Ps {
        Ps(self.0 + other.0)
    }
}

impl AddAssign for Ps {
    fn add_assign(&mut self, other: Ps) {
        self.0 += other.0;
    }
}

impl Sub for Ps {
    type Output = Ps;
    fn sub(self, other: Ps) -> Ps {
        Ps(self.0 - other.0)
    }
}

impl fmt::Display for Ps {
    /// Nanoseconds with picoseconds behind the point: `1234.567 ns`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} ns", self.0 / 1_000, self.0 % 1_000)
    }
}
