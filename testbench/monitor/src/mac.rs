//! Frames between the end of their arrival on the link and the judgement of the receiving MAC.

use std::collections::VecDeque;

use crate::header::Ended;
use crate::Header;

/// The number of frames that are remembered before the MAC is known to receive.
const UNHEARD_FRAMES: usize = 8;

/// The frames that have ended on the link, and that the MAC has not judged.
///
/// The MAC judges each frame that it receives once, in the order of arrival: it keeps the frame in
/// its ring, or it drops the frame. A frame that begins before the firmware has enabled the MAC is
/// not received. So the first judgement is about the frame that ended last, since a judgement
/// comes sooner than the end of a next frame; each later one is about the oldest frame here.
///
/// One kind of loss has no place in that order: a frame for which the crossing from the link's
/// clock had no room. The MAC counts it in OVERFLOWS.
#[derive(Debug, Default)]
pub(crate) struct Mac {
    ended: VecDeque<Ended>,
    /// Whether the MAC receives, so that each frame in `ended` will be judged.
    is_receiving: bool,
}

impl Mac {
    /// A frame has ended on the link.
    pub fn end(&mut self, frame: Ended) {
        if !self.is_receiving && self.ended.len() == UNHEARD_FRAMES {
            self.ended.pop_front();
        }
        self.ended.push_back(frame);
    }

    /// The MAC has judged a frame. Returns the frame's header if the frame came whole.
    /// `is_started`: whether the NIC's firmware is known to run.
    pub fn judge(&mut self, is_started: bool) -> Option<Header> {
        if !self.is_receiving {
            self.is_receiving = is_started;
            let last = self.ended.pop_back();
            self.ended.clear();
            return last.and_then(Ended::header);
        }
        self.ended.pop_front().and_then(Ended::header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(sequence: u32) -> Ended {
        let mut header = Header::default();
        header.sequence = sequence;
        Ended::Whole(header)
    }

    fn judged(mac: &mut Mac, is_started: bool) -> Option<u32> {
        mac.judge(is_started).map(|header| header.sequence)
    }

    #[test]
    fn frames_are_judged_in_the_order_of_their_arrival() {
        let mut mac = Mac::default();
        mac.end(frame(0));
        assert_eq!(judged(&mut mac, true), Some(0));
        mac.end(frame(1));
        mac.end(Ended::Damaged);
        mac.end(frame(2));
        assert_eq!(judged(&mut mac, true), Some(1));
        assert_eq!(judged(&mut mac, true), None, "the damaged frame has its place");
        assert_eq!(judged(&mut mac, true), Some(2));
        assert_eq!(judged(&mut mac, true), None, "no frame is left");
    }

    #[test]
    fn frames_before_the_first_judgement_were_not_received() {
        let mut mac = Mac::default();
        for sequence in 0..20 {
            mac.end(frame(sequence));
        }
        assert!(mac.ended.len() <= UNHEARD_FRAMES);
        assert_eq!(judged(&mut mac, false), Some(19));
        // The firmware is not known to run, so this frame may be one that the MAC ignored.
        mac.end(frame(20));
        mac.end(frame(21));
        assert_eq!(judged(&mut mac, true), Some(21));
        mac.end(frame(22));
        mac.end(frame(23));
        assert_eq!(judged(&mut mac, true), Some(22));
    }
}
