//! Where the time of a message goes, in a few words.

use serde::{Deserialize, Serialize};

use crate::account::{Account, Clock, Span};
use crate::path::is_of_a_core;

/// What a message is in the hands of, in the order of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Work of the hosts' processors, and their delays.
    Host,
    /// Transactions on a PCI bus.
    Pci,
    /// Instructions of a core.
    Firmware,
    /// DMA, MAC and clock crossings inside a NIC.
    Hardware,
    /// Bytes on the link, and in switches.
    Link,
    /// Nothing works on the message.
    Waiting,
}

impl Category {
    /// All categories, in the order of tables.
    pub const ALL: [Category; 6] =
        [Category::Host, Category::Pci, Category::Firmware, Category::Hardware, Category::Link, Category::Waiting];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Host => "host",
            Category::Pci => "PCI",
            Category::Firmware => "firmware",
            Category::Hardware => "NIC hardware",
            Category::Link => "link",
            Category::Waiting => "waiting",
        }
    }

    /// The category of a span, from its clock and the name of its stage.
    pub fn of(span: &Span) -> Category {
        const WAITS: [&str; 4] = ["waits", "parked", "blocked", "idle"];
        let words = || span.stage.split([' ', ':']);
        if words().any(|word| WAITS.contains(&word)) {
            return Category::Waiting;
        }
        match span.clock {
            Clock::Host => Category::Host,
            Clock::Pci => Category::Pci,
            Clock::Link if span.stage.starts_with("link") || span.stage.starts_with("switch") => Category::Link,
            Clock::Core if is_of_a_core(&span.stage) => Category::Firmware,
            Clock::Link | Clock::Core => Category::Hardware,
        }
    }
}

/// The time in one category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// What works on the message.
    pub category: Category,
    /// The time of all spans of the category, in ps.
    pub duration_ps: u64,
    /// Its share of the latency, 0 to 1.
    pub share_ratio: f64,
}

/// Every category with its time; they add up to the latency.
pub fn shares(account: &Account) -> Vec<Share> {
    Category::ALL
        .into_iter()
        .map(|category| {
            let own = account.spans.iter().filter(|span| Category::of(span) == category);
            let duration_ps = own.map(|span| span.duration_ps).sum();
            Share { category, duration_ps, share_ratio: duration_ps as f64 / account.latency_ps.max(1) as f64 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(stage: &str, clock: Clock, duration_ps: u64) -> Span {
        Span { stage: stage.into(), node: 0, clock, start_ps: 0, duration_ps, cycles: 0.0 }
    }

    #[test]
    fn stages_fall_into_the_category_that_a_reader_expects() {
        for (stage, clock, category) in [
            ("library: descriptor", Clock::Host, Category::Host),
            ("miss thread wakes", Clock::Host, Category::Host),
            ("PIO: doorbell", Clock::Pci, Category::Pci),
            ("DMA read: transfer", Clock::Pci, Category::Pci),
            ("sender: lookup", Clock::Core, Category::Firmware),
            ("MAC: descriptor", Clock::Core, Category::Hardware),
            ("MAC: end of frame to the ring", Clock::Link, Category::Hardware),
            ("link: frame", Clock::Link, Category::Link),
            ("switch 0: forward", Clock::Link, Category::Link),
            ("switch 0: waits in the queue", Clock::Link, Category::Waiting),
            ("event waits", Clock::Core, Category::Waiting),
            ("DMA read: waits", Clock::Core, Category::Waiting),
            ("receiver: parked", Clock::Core, Category::Waiting),
            ("receiver: firmware idle", Clock::Core, Category::Waiting),
            ("waits for the sender's time-out", Clock::Host, Category::Waiting),
        ] {
            assert_eq!(Category::of(&span(stage, clock, 1)), category, "{stage}");
        }
    }

    proptest! {
        #[test]
        fn shares_add_up_to_the_latency(durations in prop::collection::vec(0u64..1_000_000_000, 1..40)) {
            let clocks = [Clock::Host, Clock::Pci, Clock::Core, Clock::Link];
            let spans: Vec<Span> = durations.iter().enumerate().map(|(index, &ps)| span("x", clocks[index % 4], ps)).collect();
            let latency_ps = durations.iter().sum();
            let account = Account { message: 1, size_bytes: 4, latency_ps, spans };
            prop_assert_eq!(shares(&account).iter().map(|share| share.duration_ps).sum::<u64>(), latency_ps);
        }
    }
}
