//! The account of one latency: spans that add up to it, to the picosecond.
//!
//! A message is always in exactly one stage. A [`Mark`] says when it enters the next one; the spans
//! between marks partition the time from the first to the last, so their sum cannot differ from the
//! latency. What a wrong account could still get wrong is the order: marks that run backwards in
//! time are refused.

use serde::{Deserialize, Serialize};
use sim_pins::Ps;

/// The clock in which a span is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// The host's processor: time charged from the platform file.
    Host,
    /// The PCI bus of the node.
    Pci,
    /// Core A of the node's NIC.
    Core,
    /// The byte clock of the link.
    Link,
}

impl Clock {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Clock::Host => "host",
            Clock::Pci => "PCI",
            Clock::Core => "core",
            Clock::Link => "link",
        }
    }
}

/// Frequencies of one platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequencies {
    /// Clock of a host's processor, in Hz.
    pub host_hz: u64,
    /// Clock of the PCI bus, in Hz.
    pub pci_hz: u64,
    /// Clock of the NIC's cores, in Hz.
    pub core_hz: u64,
    /// Clock of the link, which carries a byte in each period, in Hz.
    pub link_hz: u64,
}

impl Frequencies {
    /// The frequency of a clock, in Hz.
    pub const fn of(&self, clock: Clock) -> u64 {
        match clock {
            Clock::Host => self.host_hz,
            Clock::Pci => self.pci_hz,
            Clock::Core => self.core_hz,
            Clock::Link => self.link_hz,
        }
    }
}

/// From `at` on, the message is in `stage` on `node`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When the stage begins.
    pub at: Ps,
    /// The node, counted from 0.
    pub node: usize,
    /// The clock in which the stage is counted.
    pub clock: Clock,
    /// The name of the stage, as tables show it.
    pub stage: String,
}

/// One stage of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// The name of the stage, as tables show it.
    pub stage: String,
    /// The node, counted from 0.
    pub node: usize,
    /// The clock in which the span is counted.
    pub clock: Clock,
    /// From the start of the message.
    pub start_ps: u64,
    /// How long the stage takes, in ps.
    pub duration_ps: u64,
    /// Duration in periods of `clock`: whole where both ends are edges of it.
    pub cycles: f64,
}

/// One message from its post to its arrival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// The number of the message, which its sender gave it.
    pub message: u32,
    /// Data bytes of the message.
    pub size_bytes: u32,
    /// The latency as the application measured it.
    pub latency_ps: u64,
    /// The stages in their order. They cover the latency without a gap.
    pub spans: Vec<Span>,
}

impl Account {
    /// Partitions the time from the first mark to `end`. `None` when there is no mark, or one lies
    /// before its predecessor or after the end.
    pub fn from_marks(message: u32, size_bytes: u32, marks: &[Mark], end: Ps, hz: &Frequencies) -> Option<Account> {
        let start = marks.first()?.at;
        let mut spans: Vec<Span> = Vec::with_capacity(marks.len());
        for (mark, next) in marks.iter().zip(marks.iter().skip(1).map(|next| next.at).chain([end])) {
            let duration_ps = next.0.checked_sub(mark.at.0)?;
            let cycles = duration_ps as f64 * hz.of(mark.clock) as f64 / 1e12;
            match spans.last_mut() {
                Some(last) if last.stage == mark.stage && last.node == mark.node && last.clock == mark.clock => {
                    last.duration_ps += duration_ps;
                    last.cycles += cycles;
                }
                _ if duration_ps == 0 => {}
                _ => spans.push(Span {
                    stage: mark.stage.clone(),
                    node: mark.node,
                    clock: mark.clock,
                    start_ps: mark.at.0 - start.0,
                    duration_ps,
                    cycles,
                }),
            }
        }
        Some(Account { message, size_bytes, latency_ps: end.0.checked_sub(start.0)?, spans })
    }

    /// Latency minus the sum of the spans: zero, or a bug of ours.
    pub fn difference_ps(&self) -> i128 {
        self.latency_ps as i128 - self.spans.iter().map(|span| span.duration_ps as i128).sum::<i128>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HZ: Frequencies =
        Frequencies { host_hz: 800_000_000, pci_hz: 33_000_000, core_hz: 133_000_000, link_hz: 160_000_000 };

    fn mark(at: u64, stage: &str) -> Mark {
        Mark { at: Ps(at), node: 0, clock: Clock::Core, stage: stage.into() }
    }

    #[test]
    fn a_mark_that_runs_backwards_is_refused() {
        assert_eq!(Account::from_marks(0, 4, &[mark(10, "a"), mark(5, "b")], Ps(20), &HZ), None);
        assert_eq!(Account::from_marks(0, 4, &[mark(10, "a")], Ps(5), &HZ), None);
        assert_eq!(Account::from_marks(0, 4, &[], Ps(5), &HZ), None);
    }

    #[test]
    fn neighbours_of_one_stage_are_one_span() {
        let account = Account::from_marks(0, 4, &[mark(0, "a"), mark(5, "a"), mark(9, "b")], Ps(20), &HZ).unwrap();
        assert_eq!(account.spans.len(), 2);
        assert_eq!((account.spans[0].duration_ps, account.spans[1].duration_ps), (9, 11));
    }

    #[test]
    fn a_lost_span_shows_as_a_difference() {
        let mut account = Account::from_marks(0, 4, &[mark(0, "a"), mark(9, "b")], Ps(20), &HZ).unwrap();
        account.spans.pop();
        assert_eq!(account.difference_ps(), 11);
    }

    proptest! {
        #[test]
        fn spans_add_up_to_the_latency(mut times in prop::collection::vec(0u64..1_000_000_000, 1..60), tail in 0u64..1_000_000) {
            times.sort();
            let marks: Vec<Mark> = times.iter().map(|&at| mark(at, ["x", "y", "z"][at as usize % 3])).collect();
            let end = Ps(times[times.len() - 1] + tail);
            let account = Account::from_marks(0, 4, &marks, end, &HZ).unwrap();
            prop_assert_eq!(account.difference_ps(), 0);
            prop_assert_eq!(account.latency_ps, end.0 - times[0]);
        }
    }
}
