use nic_fair::Members;

/// One deadline for each of `N` nodes on one hardware timer. The word `S` has room for a set of
/// them.
///
/// The hardware timer runs to the earliest deadline that was ever set, not to the earliest that
/// still stands: moving a deadline back, which every acknowledgement does, costs one store and no
/// register access. The timer then fires early, finds nothing, and is set anew.
///
/// Times are clock counts that wrap; deadlines lie less than 2^31 clocks ahead.
#[derive(Clone, Copy, Debug)]
pub struct Alarms<const N: usize, S = u32> {
    due: [u32; N],
    armed: S,
    /// What the hardware timer is set to.
    timer: Option<u32>,
}

#[inline(always)]
const fn is_before(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) > u32::MAX / 2
}

impl<const N: usize, S: Members> Alarms<N, S> {
    const INDEX_MASK: usize = {
        assert!(N.is_power_of_two() && N <= S::ROOM as usize);
        N - 1
    };

    /// No deadline is set.
    pub const fn new() -> Self {
        Alarms { due: [0; N], armed: S::NONE, timer: None }
    }

    /// Sets or moves the deadline of a node. `Some`: set the hardware timer to this.
    #[inline(always)]
    #[must_use]
    pub fn set(&mut self, node: usize, due: u32) -> Option<u32> {
        let node = node & Self::INDEX_MASK;
        self.due[node] = due;
        self.armed |= S::only(node);
        match self.timer {
            Some(timer) if !is_before(due, timer) => None,
            _ => {
                self.timer = Some(due);
                Some(due)
            }
        }
    }

    /// Forgets the deadline of a node.
    #[inline(always)]
    pub fn cancel(&mut self, node: usize) {
        self.armed &= !S::only(node & Self::INDEX_MASK);
    }

    /// Whether the node has a deadline.
    #[inline(always)]
    pub fn is_set(&self, node: usize) -> bool {
        self.armed & S::only(node & Self::INDEX_MASK) != S::NONE
    }

    /// The hardware timer fired. The nodes whose deadline has passed; they are no longer set.
    pub fn expire(&mut self, now: u32) -> S {
        self.timer = None;
        let mut expired = S::NONE;
        let (mut armed, mut node) = (self.armed, 0);
        while armed != S::NONE {
            if armed.has(0) && !is_before(now, self.due[node & Self::INDEX_MASK]) {
                expired |= S::only(node);
            }
            (armed, node) = (armed.without_first(), node + 1);
        }
        self.armed &= !expired;
        expired
    }

    /// After [`Self::expire`], and after the expired nodes were set again: what to set the hardware
    /// timer to.
    #[must_use]
    pub fn restart(&mut self) -> Option<u32> {
        let (mut armed, mut node) = (self.armed, 0);
        while armed != S::NONE {
            let due = self.due[node & Self::INDEX_MASK];
            if armed.has(0) && self.timer.is_none_or(|timer| is_before(due, timer)) {
                self.timer = Some(due);
            }
            (armed, node) = (armed.without_first(), node + 1);
        }
        self.timer
    }
}

impl<const N: usize, S: Members> Default for Alarms<N, S> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against a plain list of deadlines, with a timer that fires whenever it is due: no alarm
        /// is early, none is late, across the wrap.
        #[test]
        fn alarms_agree_with_a_list(start in any::<u32>(), steps in prop::collection::vec((0usize..4, 0u32..100, any::<bool>()), 1..200)) {
            let mut alarms = Alarms::<4>::new();
            let mut list: [Option<u64>; 4] = [None; 4];
            let mut timer: Option<u32> = None;
            let mut elapsed = 0u64;
            for (node, delay, set) in steps {
                let now = start.wrapping_add(elapsed as u32);
                if set {
                    list[node] = Some(elapsed + u64::from(delay));
                    timer = alarms.set(node, now.wrapping_add(delay)).or(timer);
                } else {
                    list[node] = None;
                    alarms.cancel(node);
                }
                for _ in 0..10 {
                    elapsed += 1;
                    let now = start.wrapping_add(elapsed as u32);
                    let mut expired = 0;
                    if timer.is_some_and(|timer| (now.wrapping_sub(timer) as i32) >= 0) {
                        timer = None;
                        expired = alarms.expire(now);
                        timer = alarms.restart().or(timer);
                    }
                    for (node, due) in list.iter_mut().enumerate() {
                        let passed = due.is_some_and(|due| due <= elapsed);
                        prop_assert_eq!(passed, expired & (1 << node) != 0, "node {} at {}", node, elapsed);
                        if passed {
                            *due = None;
                        }
                    }
                }
            }
        }
    }
}
