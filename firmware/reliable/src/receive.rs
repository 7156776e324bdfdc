/// The receiver's side of one peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveState {
    expected: u32,
    /// Frames taken or seen again since the last acknowledgement went out.
    owed: u32,
}

/// What a sequence number means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The next one: accept it, refuse it, or drop it as if it had never come.
    InOrder,
    /// Taken before: discard and acknowledge again.
    Duplicate,
    /// Something before it is missing: discard.
    Gap,
}

/// When to acknowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckDue {
    /// At once.
    Now,
    /// Within the delay; start it.
    Soon,
    /// The delay runs already.
    Waiting,
}

impl ReceiveState {
    /// Nothing has arrived; `first` is the first number that is expected.
    pub const fn new(first: u32) -> ReceiveState {
        ReceiveState { expected: first, owed: 0 }
    }

    /// Where a frame of this number stands.
    #[inline(always)]
    pub const fn classify(&self, sequence: u32) -> Arrival {
        let distance = sequence.wrapping_sub(self.expected);
        if distance == 0 {
            Arrival::InOrder
        } else if distance > u32::MAX / 2 {
            Arrival::Duplicate
        } else {
            Arrival::Gap
        }
    }

    /// The frame in order is accepted, or refused for good: it will be acknowledged. A frame
    /// dropped for a miss must not come here (INV-29).
    #[inline(always)]
    pub fn advance(&mut self) {
        self.expected = self.expected.wrapping_add(1);
    }

    /// A frame was taken, or taken before. `ends_message`: nothing may follow it, so do not wait
    /// (INV-30).
    #[inline(always)]
    pub fn owe(&mut self, ends_message: bool, frames_max: u32) -> AckDue {
        self.owed += 1;
        if ends_message || self.owed >= frames_max {
            AckDue::Now
        } else if self.owed == 1 {
            AckDue::Soon
        } else {
            AckDue::Waiting
        }
    }

    /// Whether frames were taken since the last acknowledgement.
    #[inline(always)]
    pub const fn owes(&self) -> bool {
        self.owed != 0
    }

    /// The number to send: all before it have been taken.
    #[inline(always)]
    pub const fn acknowledgement(&self) -> u32 {
        self.expected
    }

    /// That number is on its way.
    #[inline(always)]
    pub fn acknowledged(&mut self) {
        self.owed = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_expected_number_is_in_order() {
        let state = ReceiveState::new(0);
        assert_eq!(state.classify(0), Arrival::InOrder);
        assert_eq!(state.classify(u32::MAX), Arrival::Duplicate);
        assert_eq!(state.classify(1), Arrival::Gap);
        assert_eq!(state.classify(1 << 31), Arrival::Duplicate);
    }

    #[test]
    fn a_last_frame_is_acknowledged_at_once_and_others_by_count() {
        let mut state = ReceiveState::new(0);
        assert_eq!(state.owe(false, 3), AckDue::Soon);
        assert_eq!(state.owe(false, 3), AckDue::Waiting);
        assert_eq!(state.owe(false, 3), AckDue::Now);
        state.acknowledged();
        assert!(!state.owes());
        assert_eq!(state.owe(true, 3), AckDue::Now);
    }
}
