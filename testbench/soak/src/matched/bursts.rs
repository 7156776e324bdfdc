//! Bursts: operations that post many messages. Bursts of a node that follow each other in a list
//! are played together, so messages go both ways and to several peers at a time.

use nicscope_scenario::error::Result;
use sim_pins::Ps;

use super::board::SEEN_AFTER;
use super::number::Number;
use super::operation::{Op, What};
use super::side::{Side, PLACES};

/// Bursts that are played together, at most.
const TOGETHER: usize = 8;
/// Rounds without a post before what earlier operations have posted is given up.
const ROUNDS_BEFORE_LEFT: u32 = 20;
/// The same before everything is given up, and the bursts end.
const ROUNDS_BEFORE_ALL: u32 = 400;
/// The longest time that bursts wait for their peers, which may wait for others: less than an
/// operation may take.
const PARTNER_MAX: Ps = Ps::from_us(100_000);

/// A burst, and how far it is.
struct Burst<'a> {
    /// Its place in the list.
    number: u32,
    op: &'a Op,
    /// The next message to post.
    next: u32,
}

impl Burst<'_> {
    fn has_ended(&self) -> bool {
        self.next == self.op.flags
    }
}

/// The bursts that a node plays together from the operation `first` on, each with its number.
pub fn together(ops: &[Op], node: usize, nodes: usize, first: u32) -> Vec<(u32, Op)> {
    let behind = (first..).zip(&ops[first as usize..]);
    let own = behind.filter(|(_, op)| op.what == What::Settle || op.is_of(node, nodes));
    own.take_while(|(_, op)| op.is_burst()).take(TOGETHER).map(|(number, op)| (number, *op)).collect()
}

impl Side<'_> {
    /// Posts the messages of bursts, one of each in turn.
    pub async fn post_bursts(&mut self, ops: &[(u32, Op)]) -> Result<()> {
        let mut bursts: Vec<Burst> = ops.iter().map(|(number, op)| Burst { number: *number, op, next: 0 }).collect();
        for burst in bursts.iter().filter(|burst| burst.op.is_of_send()) {
            self.come_to_burst(burst.number);
        }
        let is_left = |number: Number| ops.iter().all(|(of_burst, _)| *of_burst != number.op);
        let waits_until = self.seat.handle.sim().now() + PARTNER_MAX;
        let mut rounds = 0;
        while !bursts.iter().all(Burst::has_ended) {
            let (mut has_posted, mut waits) = (false, false);
            let together = bursts.iter().filter(|burst| !burst.has_ended()).count();
            for burst in bursts.iter_mut().filter(|burst| !burst.has_ended()) {
                let is_send = burst.op.is_of_send();
                let has_partner = self.has_partner(burst, waits_until);
                // A message without a receive is refused, and comes again after a pause. Few bursts
                // begin with such messages.
                let may_begin = has_partner || burst.number % 8 == 0;
                let may_post = !is_send || may_begin && self.has_number(burst.op.peer).await?;
                let one = burst.op.one(burst.next);
                let place = if may_post { self.place_of_burst(burst.number, &one, together) } else { None };
                match place {
                    // Without a descriptor the burst ends.
                    Some(place) => {
                        let number = Number { op: burst.number, index: burst.next };
                        let is_posted = self.post_at(number, &one, place).await?;
                        burst.next = if is_posted { burst.next + 1 } else { burst.op.flags };
                        has_posted = true;
                    }
                    None => {
                        waits |= !has_partner;
                        self.look_at_oldest(is_send, |number| number.op == burst.number).await?;
                        self.look_at_oldest(is_send, is_left).await?;
                    }
                }
                // What there are places for is posted.
                if place.is_none() || burst.has_ended() {
                    self.come_to_burst(burst.number);
                }
            }
            if has_posted {
                rounds = 0;
                continue;
            }
            self.seat.sleep_us(2).await;
            rounds += u32::from(!waits);
            // Messages without a partner keep their places. Every burst would wait for them until the
            // next comparison. Those of earlier operations are given up first: most have no partner.
            if rounds == ROUNDS_BEFORE_LEFT {
                self.look().await?;
                self.give_up_of("bursts that gave earlier messages up", is_left).await?;
            } else if rounds == ROUNDS_BEFORE_ALL {
                // A peer may have ended in its part. Then nothing more of the bursts has a partner.
                self.give_up_of("bursts that gave messages up", |_| true).await?;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Other nodes may see that this one has come to a burst. A node that receives has posted what
    /// it has places for.
    pub fn come_to_burst(&self, number: u32) {
        let visible = self.seat.handle.sim().now() + SEEN_AFTER;
        self.seat.shared.lock().come_to_burst(number, visible);
    }

    /// Whether the peer has come to its part of a burst, has none, or was waited for long enough.
    fn has_partner(&self, burst: &Burst, waits_until: Ps) -> bool {
        let is_send = burst.op.is_of_send();
        let other = if is_send { burst.number + 1 } else { burst.number.wrapping_sub(1) };
        let is_partner = |it: &&Op| {
            it.is_burst() && it.is_of_send() != is_send && (it.node, it.peer) == (burst.op.peer, burst.op.node)
        };
        let now = self.seat.handle.sim().now();
        self.seat.ops.get(other as usize).filter(is_partner).is_none()
            || now >= waits_until
            || self.seat.shared.lock().is_at_burst(other, now)
    }

    /// A free place for a message of a burst. Each of the bursts that are played together has its
    /// share of the places of each size: one whose peer is late keeps no places of the others.
    /// A send has half as many. So the receiver, which sees later that a message has ended, has
    /// posted the next receive when its message comes. Otherwise the message would be refused.
    fn place_of_burst(&self, burst: u32, op: &Op, together: usize) -> Option<usize> {
        let is_send = op.is_of_send();
        let parts = if is_send { 2 * together } else { together };
        let mut first = 0;
        for (count, bytes) in PLACES {
            let of_size = first..first + count as usize;
            first = of_size.end;
            let of_burst = self.open.iter().filter(|it| it.is_send == is_send && it.number.op == burst);
            let used = of_burst.filter(|it| of_size.contains(&it.place)).count();
            if bytes >= op.bytes && used < (count as usize / parts).max(1) {
                let free = of_size.into_iter().find(|place| self.is_free(is_send, *place));
                if free.is_some() {
                    return free;
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_of_a_node_that_follow_each_other_are_played_together() {
        let text = [
            "sends 0 1 tag 1 bytes 4 flags 9",
            "receives 1 0 tag 1 bytes 4 flags 9",
            "sends 2 1 tag 1 bytes 4 flags 9",
            "receives 0 2 tag 1 bytes 4 flags 9",
            "sends 0 3 tag 1 bytes 4 flags 9",
            "send 1 0 tag 1 bytes 4 flags 0",
            "sends 0 1 tag 1 bytes 4 flags 9",
            "settle 0 0 tag 0 bytes 0 flags 0",
            "sends 0 1 tag 1 bytes 4 flags 9",
        ];
        let ops: Vec<Op> = text.iter().map(|line| line.parse().expect("an operation")).collect();
        let numbers =
            |node, first| together(&ops, node, 3, first).iter().map(|(number, _)| *number).collect::<Vec<_>>();
        // There is no node 3, and the settle ends what is played together.
        assert_eq!(numbers(0, 0), [0, 3, 6]);
        assert_eq!(numbers(1, 1), [1], "a single message ends it");
        let many = vec![ops[0]; 2 * TOGETHER];
        assert_eq!(together(&many, 0, 3, 2).len(), TOGETHER);
    }
}
