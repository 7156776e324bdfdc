//! What a target does wrong, or awkwardly, on purpose.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Unusual behaviour in one transaction. Beats count data phases from 0. The default is none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TargetActs {
    /// STOP# without data: the master must repeat the transaction.
    pub retry: bool,
    /// STOP# together with TRDY#: this beat moves, and is the last.
    pub disconnect_with_beat: Option<u32>,
    /// STOP# instead of TRDY#: this beat does not move. 0 is taken as `retry` is: use that.
    pub disconnect_before_beat: Option<u32>,
    /// Target abort at this beat, counted from 0.
    pub abort_at_beat: Option<u32>,
    /// Wrong PAR behind this beat of a read.
    pub bad_parity_at_beat: Option<u32>,
    /// Wait states more before this beat (beat, clocks).
    pub wait_at_beat: Option<(u32, u32)>,
    /// No ACK64# to a 64-bit request.
    pub narrow: bool,
}

impl TargetActs {
    /// Retry, and nothing else.
    pub const RETRY: TargetActs = TargetActs {
        retry: true,
        disconnect_with_beat: None,
        disconnect_before_beat: None,
        abort_at_beat: None,
        bad_parity_at_beat: None,
        wait_at_beat: None,
        narrow: false,
    };

    pub(crate) fn wait_before(&self, beat: u32) -> u32 {
        match self.wait_at_beat {
            Some((at, clocks)) if at == beat => clocks,
            _ => 0,
        }
    }
}

/// Random but legal behaviour: ratios from 0 to 1 of the transactions that are hit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RandomActs {
    /// Seed of the draws; the same seed gives the same behaviour.
    pub seed: u64,
    /// Transactions that are retried.
    pub retry_ratio: f64,
    /// Transactions that are disconnected.
    pub disconnect_ratio: f64,
    /// Transactions with wait states.
    pub wait_ratio: f64,
    /// Transactions whose 64-bit request is answered with 32 bits.
    pub narrow_ratio: f64,
    /// Beats at which disconnects and waits happen: 0 to this.
    pub last_beat: u32,
}

/// The behaviour of the transactions to come: first those that were planned one by one, then random
/// ones.
#[derive(Debug, Default)]
pub struct Misbehaviour {
    planned: VecDeque<TargetActs>,
    random: Option<(RandomActs, ChaCha8Rng)>,
}

impl Misbehaviour {
    /// Plans one transaction, behind those already planned. A transaction that is repeated counts
    /// again.
    pub fn plan(&mut self, acts: TargetActs) {
        self.planned.push_back(acts);
    }

    /// Plans a retry storm.
    pub fn plan_retries(&mut self, count: usize) {
        self.planned.extend(std::iter::repeat_n(TargetActs::RETRY, count));
    }

    /// Forgets the transactions that were planned and have not begun.
    pub fn forget_planned(&mut self) {
        self.planned.clear();
    }

    /// Draws the behaviour of transactions that are not planned; `None` ends that.
    pub fn randomise(&mut self, random: Option<RandomActs>) {
        self.random = random.map(|random| (random, ChaCha8Rng::seed_from_u64(random.seed)));
    }

    /// Planned transactions that have not begun.
    pub fn planned_count(&self) -> usize {
        self.planned.len()
    }

    pub(crate) fn next(&mut self) -> TargetActs {
        if let Some(acts) = self.planned.pop_front() {
            return acts;
        }
        let Some((random, rng)) = &mut self.random else {
            return TargetActs::default();
        };
        let mut hit = |ratio: f64| f64::from(rng.next_u32()) < ratio * f64::from(u32::MAX);
        let (retry, disconnect, with_data, wait, narrow) = (
            hit(random.retry_ratio),
            hit(random.disconnect_ratio),
            hit(0.5),
            hit(random.wait_ratio),
            hit(random.narrow_ratio),
        );
        let beat = rng.next_u32() % (random.last_beat + 1);
        let clocks = 1 + rng.next_u32() % 4;
        TargetActs {
            retry,
            disconnect_with_beat: (disconnect && with_data).then_some(beat),
            disconnect_before_beat: (disconnect && !with_data && beat > 0).then_some(beat),
            wait_at_beat: wait.then_some((beat, clocks)),
            narrow,
            ..TargetActs::default()
        }
    }
}
