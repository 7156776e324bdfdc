use std::collections::VecDeque;
use std::path::PathBuf;

use sim_pins::Ps;

/// A span of time whose waves are written to an FST file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaveWindow {
    /// The file to be written.
    pub path: PathBuf,
    /// First instant in the file.
    pub from: Ps,
    /// The window ends before this instant.
    pub to: Ps,
}

/// Tells when to open and when to close.
#[derive(Default, Debug)]
pub(crate) struct WavePlan {
    /// In order, not overlapping.
    coming: VecDeque<WaveWindow>,
    /// The end of the open one.
    open_until: Option<Ps>,
}

pub(crate) enum WaveStep {
    Open(PathBuf),
    Close,
}

impl WavePlan {
    /// # Panics
    /// If the window begins before the end of a window that was added earlier.
    pub(crate) fn add(&mut self, window: WaveWindow) {
        let free_from = self.coming.back().map(|last| last.to).or(self.open_until).unwrap_or(Ps::ZERO);
        assert!(window.from >= free_from, "wave windows are given in order and do not overlap");
        self.coming.push_back(window);
    }

    /// The time of the next step; the far end of time if there is none.
    pub(crate) fn next_step(&self) -> Ps {
        match (self.open_until, self.coming.front()) {
            (Some(end), _) => end,
            (None, Some(window)) => window.from,
            (None, None) => Ps::MAX,
        }
    }

    /// What to do at `now`, if its time has come. Ask until there is nothing more.
    pub(crate) fn step(&mut self, now: Ps) -> Option<WaveStep> {
        if now < self.next_step() {
            return None;
        }
        if self.open_until.take().is_some() {
            return Some(WaveStep::Close);
        }
        let window = self.coming.pop_front()?;
        self.open_until = Some(window.to);
        Some(WaveStep::Open(window.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_open_and_close_at_their_times() {
        let mut plan = WavePlan::default();
        assert_eq!(plan.next_step(), Ps::MAX);
        for (from, to) in [(10, 20), (20, 30)] {
            plan.add(WaveWindow { path: PathBuf::new(), from: Ps(from), to: Ps(to) });
        }
        let mut steps =
            |now| std::iter::from_fn(|| plan.step(Ps(now))).map(|s| matches!(s, WaveStep::Open(_))).collect::<Vec<_>>();
        assert!(steps(9).is_empty());
        assert_eq!(steps(10), [true]);
        assert_eq!(steps(25), [false, true], "the second one begins where the first one ends");
        assert_eq!(steps(40), [false]);
        assert_eq!(plan.next_step(), Ps::MAX);
    }
}
