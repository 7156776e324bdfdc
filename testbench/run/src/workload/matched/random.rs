//! Messages of random sizes, tags and alignments both ways at once.
//!
//! Messages go in batches. The receives of a batch are posted in another order than its messages,
//! some of them after the messages. A receive takes the oldest message of its tag, so both ends
//! know which message each receive takes.

use nic_layout::PAGE_BYTES;
use nicscope_scenario::error::Result;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use host_model::library::emp::From;

use super::side::{Posted, Side};
use super::slots::Slots;
use crate::workload::step::Timed;
use crate::workload::Step;

/// Tags of the messages.
const TAGS: u32 = 3;

/// A message of the plan. Both nodes of a pair draw the same plan from the seed.
struct Planned {
    size_bytes: u32,
    tag: u16,
    /// Offsets in a page, of the memory that it is sent from and that it goes to.
    from: u32,
    to: u32,
    /// Bytes of its receive beyond its own.
    spare_bytes: u32,
    /// The turn of its receive: the least comes first.
    turn: u32,
    any_source: bool,
}

impl Side {
    fn plan(&self, sender: usize, count: u32) -> Vec<Planned> {
        let bounds = &self.scenario.workload.sizes_bytes;
        let (least, most) = (bounds.iter().min().copied().unwrap_or(0), bounds.iter().max().copied().unwrap_or(0));
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(sender as u64 + 1);
        let mut below = |limit: u32| ((u64::from(random.next_u32()) * u64::from(limit)) >> 32) as u32;
        (0..count)
            .map(|_| Planned {
                size_bytes: least + below(most - least + 1),
                tag: below(TAGS) as u16,
                from: below(PAGE_BYTES),
                to: below(PAGE_BYTES),
                spare_bytes: below(64),
                turn: below(u32::MAX),
                any_source: below(2) == 0,
            })
            .collect()
    }

    /// Plays all messages. Each node sends half of them, a batch at a time.
    pub(super) async fn random(&mut self) -> Result<Step> {
        let workload = self.scenario.workload.clone();
        let count = workload.iterations.div_ceil(2);
        let (mine, theirs) = (self.plan(self.node, count), self.plan(self.peer, count));
        let batch = workload.outstanding as usize;
        let most = workload.sizes_bytes.iter().max().copied().unwrap_or(0);
        // An offset in the first page, and spare bytes behind the message.
        let room_bytes = most + 2 * PAGE_BYTES;
        let (from, to) =
            (self.slots(room_bytes, workload.outstanding).await?, self.slots(room_bytes, workload.outstanding).await?);
        self.meet("step").await;
        let before = self.totals().await?;
        self.meet("counted").await;
        let (begin, mut sent, mut timed) = (self.now(), Vec::new(), Timed::default());
        for (turn, (mine, theirs)) in mine.chunks(batch).zip(theirs.chunks(batch)).enumerate() {
            let began = self.now();
            let mut order: Vec<usize> = (0..theirs.len()).collect();
            order.sort_by_key(|&index| theirs[index].turn);
            // Receives of a tag take its messages in the order of their posts.
            let mut receives = Vec::new();
            let half = order.len() / 2;
            self.post_random(theirs, &order[..half], &mut receives, &to).await?;
            let mut sends = Vec::new();
            for (slot, planned) in mine.iter().enumerate() {
                let at = from.at(slot as u32) + planned.from;
                let number = self.number(self.node, self.sent);
                self.sent += 1;
                sent.push(self.fill(number, planned.size_bytes, at)?);
                let send = self.process.send(self.peer as u16, planned.tag, at, planned.size_bytes).await;
                sends.push(self.posted(send)?);
            }
            self.post_random(theirs, &order[half..], &mut receives, &to).await?;
            for send in sends {
                self.end(send).await?;
            }
            let first = self.arrived;
            for (index, (receive, at)) in receives {
                self.wait(&receive).await?;
                self.take((receive, at), self.number(self.peer, first + index as u32), theirs[index].size_bytes)?;
            }
            self.arrived += theirs.len() as u32;
            timed.rounds.push((began, self.now()));
            self.meet(&format!("batch {turn}")).await;
        }
        let end = self.now();
        let after = self.totals().await?;
        Ok(Step { size_bytes: 0, sent, begin, end, before, after, timed })
    }

    /// Posts receives in the given order. Each is kept with the index of the message that it takes:
    /// the first of its tag that no earlier receive of the batch takes.
    async fn post_random(
        &self,
        theirs: &[Planned],
        order: &[usize],
        receives: &mut Vec<(usize, Posted)>,
        to: &Slots,
    ) -> Result<()> {
        for &place in order {
            let tag = theirs[place].tag;
            let is_taken = |index: &usize| receives.iter().any(|(taken, _)| taken == index);
            let of_tag = (0..theirs.len()).filter(|&index| theirs[index].tag == tag);
            let Some(index) = of_tag.into_iter().find(|index| !is_taken(index)) else { continue };
            let planned = &theirs[index];
            let at = to.at(place as u32) + planned.to;
            let node = if planned.any_source { None } else { Some(self.peer as u16) };
            let bytes = planned.size_bytes + planned.spare_bytes;
            let receive = self.process.receive(From { node, tag: Some(tag) }, at, bytes).await;
            receives.push((index, (self.posted(receive)?, at)));
        }
        Ok(())
    }
}
