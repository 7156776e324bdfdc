/// The sender's side of one peer: `unacknowledged <= n < next` are in flight, at most a window of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendWindow {
    unacknowledged: u32,
    next: u32,
    /// Retransmissions since the peer last acknowledged something new.
    tries: u16,
    /// What [`Self::interval`] is longer than its base, in sixteenths of the base.
    added: u16,
}

/// What an acknowledgement means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledged {
    /// Nothing new.
    Nothing,
    /// So many frames, from the oldest in flight on.
    Frames(u32),
    /// It covers what was never sent, or is of an earlier lap: ignore it (INV-29).
    Wild,
}

/// What to do when the retransmission timer expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expired {
    /// Nothing is in flight.
    Nothing,
    /// Send all frames in flight again, the oldest first.
    Resend,
    /// The peer does not answer: end its frames in an error (INV-32).
    GiveUp,
}

/// The longest interval is 2^4 times the shortest.
const BACKOFF_LOG2_MAX: u32 = 4;

impl SendWindow {
    /// Nothing was sent; `first` is the first number.
    pub const fn new(first: u32) -> SendWindow {
        SendWindow { unacknowledged: first, next: first, tries: 0, added: 0 }
    }

    /// Frames that were sent and not acknowledged.
    #[inline(always)]
    pub const fn in_flight(&self) -> u32 {
        self.next.wrapping_sub(self.unacknowledged)
    }

    /// Oldest frame in flight, if there is one; otherwise the next to be sent.
    #[inline(always)]
    pub const fn oldest(&self) -> u32 {
        self.unacknowledged
    }

    /// The number of the next frame.
    #[inline(always)]
    pub const fn next(&self) -> u32 {
        self.next
    }

    /// Takes the next number. The caller has seen that [`Self::in_flight`] is below its window.
    #[inline(always)]
    pub fn issue(&mut self) -> u32 {
        let sequence = self.next;
        self.next = sequence.wrapping_add(1);
        sequence
    }

    /// The peer expects `acknowledge` next.
    #[inline(always)]
    pub fn acknowledge(&mut self, acknowledge: u32) -> Acknowledged {
        let frames = acknowledge.wrapping_sub(self.unacknowledged);
        if frames == 0 {
            return Acknowledged::Nothing;
        }
        if frames <= self.in_flight() {
            self.unacknowledged = acknowledge;
            (self.tries, self.added) = (0, 0);
            return Acknowledged::Frames(frames);
        }
        // An old acknowledgement that was overtaken lies behind us; anything ahead is wild.
        if frames > u32::MAX / 2 {
            Acknowledged::Nothing
        } else {
            Acknowledged::Wild
        }
    }

    /// The retransmission timer expired; `limit` retransmissions in a row are allowed, at most
    /// `u16::MAX`. `salt` decides the next [`Self::interval`]: the first two follow at `base`,
    /// since a miss at the receiver costs one on average and two when the driver is slow. Then the
    /// longest time doubles, up to 16 times `base`, and the sender waits between `base` and that.
    /// `salt` decides how long: a word that differs from time to time and from node to node. The
    /// time alone does not do, since NICs that start together count alike.
    ///
    /// With equal times, senders whose frames push each other's lines out of one set of a cache
    /// come back in the same order each time. With more senders than ways, each misses each time
    /// (INV-33).
    pub fn expire(&mut self, limit: u32, salt: u32) -> Expired {
        if self.in_flight() == 0 {
            return Expired::Nothing;
        }
        if u32::from(self.tries) >= limit.min(u32::from(u16::MAX)) {
            return Expired::GiveUp;
        }
        self.tries += 1;
        if self.tries > 1 {
            let doublings = u32::from(self.tries - 1).min(BACKOFF_LOG2_MAX);
            let most = (16 << doublings) - 16;
            // The highest byte of this product depends on each bit of the word.
            let share = salt.wrapping_mul(0x9E37_79B9) >> 24;
            self.added = (most - ((most * share) >> 8)) as u16;
        }
        Expired::Resend
    }

    /// Time to wait before the next retransmission, in the unit of `base` ([`Self::expire`]).
    #[inline(always)]
    pub const fn interval(&self, base: u32) -> u32 {
        base + (base >> 4) * self.added as u32
    }

    /// The longest that [`Self::interval`] can be.
    pub const fn interval_max(base: u32) -> u64 {
        (base as u64) << BACKOFF_LOG2_MAX
    }

    /// Gives up all frames in flight; their number.
    pub fn abandon(&mut self) -> u32 {
        let frames = self.in_flight();
        self.unacknowledged = self.next;
        frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledgement_never_covers_what_was_not_sent() {
        let mut window = SendWindow::new(u32::MAX - 1);
        assert_eq!(window.issue(), u32::MAX - 1);
        assert_eq!(window.issue(), u32::MAX);
        assert_eq!(window.acknowledge(1), Acknowledged::Wild);
        assert_eq!(window.acknowledge(0), Acknowledged::Frames(2));
        assert_eq!(window.in_flight(), 0);
    }

    #[test]
    fn an_acknowledgement_never_moves_back() {
        let mut window = SendWindow::new(0);
        window.issue();
        window.issue();
        assert_eq!(window.acknowledge(2), Acknowledged::Frames(2));
        assert_eq!(window.acknowledge(1), Acknowledged::Nothing);
        assert_eq!(window.oldest(), 2);
    }

    #[test]
    fn a_silent_peer_is_given_up_after_the_limit_with_bounded_backoff() {
        let mut window = SendWindow::new(7);
        assert_eq!(window.expire(8, 0), Expired::Nothing);
        window.issue();
        let intervals: [u32; 8] = std::array::from_fn(|_| {
            // With this salt the longest.
            assert_eq!(window.expire(8, 0), Expired::Resend);
            window.interval(160)
        });
        assert_eq!(intervals, [160, 320, 640, 1280, 2560, 2560, 2560, 2560]);
        assert_eq!(window.expire(8, 0), Expired::GiveUp);
        assert_eq!(window.abandon(), 1);
    }

    #[test]
    fn progress_ends_the_backoff() {
        let mut window = SendWindow::new(0);
        window.issue();
        window.issue();
        (0..5).for_each(|_| assert_eq!(window.expire(8, 9), Expired::Resend));
        assert_eq!(window.acknowledge(1), Acknowledged::Frames(1));
        assert_eq!(window.interval(100), 100);
    }

    #[test]
    fn from_the_third_on_the_intervals_scatter() {
        let mut window = SendWindow::new(0);
        window.issue();
        let base = 8800;
        for longest in [base, 2 * base, 4 * base, 8 * base, 16 * base, 16 * base] {
            let intervals: Vec<u32> = (0..0x8000)
                .map(|salt| {
                    let mut window = window;
                    assert_eq!(window.expire(8, salt), Expired::Resend);
                    window.interval(base)
                })
                .collect();
            window.expire(8, 0);
            assert!(intervals.iter().all(|interval| (base..=longest).contains(interval)));
            let distinct: std::collections::BTreeSet<&u32> = intervals.iter().collect();
            // In steps of a sixteenth of the base.
            assert_eq!(distinct.len() as u32, ((longest / base - 1) * 16).max(1));
        }
    }
}
