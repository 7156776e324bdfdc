use crate::fault::Outcome;

/// Where the frames of one direction ended. Every frame is counted once, when its last symbol has
/// been sent.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FrameCounts {
    /// Frames that were sent into the link.
    pub sent: u64,
    /// Passed unchanged and in time.
    pub delivered: u64,
    /// Frames that never arrive.
    pub lost: u64,
    /// Frames that arrive once more.
    pub duplicated: u64,
    /// By fault layer, in the order of the stack: its name and the frames it took.
    pub by_layer: Vec<(String, u64)>,
}

impl FrameCounts {
    pub(crate) fn count(&mut self, outcome: &Outcome, layer: Option<usize>) {
        self.sent += 1;
        self.lost += u64::from(*outcome == Outcome::Lost);
        self.duplicated += u64::from(*outcome == Outcome::Duplicated);
        match layer {
            Some(layer) if *outcome != Outcome::Delivered => self.by_layer[layer].1 += 1,
            _ => self.delivered += 1,
        }
    }

    /// Frames that begin at the other end, once nothing is held any more.
    pub fn arriving(&self) -> u64 {
        self.sent - self.lost + self.duplicated
    }

    /// Whether every frame is in exactly one count.
    pub fn balance(&self) -> bool {
        self.sent == self.delivered + self.by_layer.iter().map(|(_, count)| count).sum::<u64>()
    }

    /// Frames that the layers of this name took.
    pub fn of_layer(&self, name: &str) -> u64 {
        self.by_layer.iter().filter(|(layer, _)| layer == name).map(|(_, count)| count).sum()
    }
}
