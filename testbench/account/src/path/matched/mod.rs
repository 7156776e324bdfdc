//! The way of a message that the receiver's NIC matches.
//!
//! The *last frame* is the frame whose data came last into host memory. The message is where its
//! last frame is. Before that frame leaves, the message is at the sender, which sends other frames.
//! A first frame that matches nothing is refused, and the message waits at its sender. A lost frame
//! waits for its time-out.
//!
//! The firmware may be on one core or on two: a step is where its marker is.
//!
//! * `frame`: headers. `work`: what the cores do. `flight`: from the wire to a core.
//! * `facts`: which markers, frames and descriptors belong to a message.
//! * `send`: from the post to the wire. `receive`: from the wire to the process.
//! * `answer`: refusals, and the acknowledgement.

mod answer;
mod facts;
mod flight;
mod frame;
mod receive;
mod send;
mod work;

use super::way::{PathError, Way};

impl Way<'_> {
    /// From the post to the descriptor that says that the message is there.
    pub(super) fn delivery(&mut self) -> Result<(), PathError> {
        let facts = self.facts()?;
        self.post_message(&facts)?;
        let (last, before) = facts.attempts.split_last().ok_or_else(|| self.journey.missing("no frame of it"))?;
        for (index, attempt) in before.iter().enumerate() {
            self.send(&facts, attempt)?;
            let next = &facts.attempts[index + 1];
            if attempt.header.frame() == next.header.frame() {
                self.lose(&facts, attempt)?;
            } else {
                // It has matched. From here on the message waits for another frame.
                self.fly(attempt.frame, self.journey.sender, self.journey.receiver);
            }
            // The next frame may be on its way before this one is judged.
            let begun = self.begun(&facts, next);
            self.marks.retain(|mark| mark.at <= begun);
        }
        self.send(&facts, last)?;
        self.receive(&facts, last)
    }
}
