//! The model of the soak: the right results of a number of operations. It shares no code with the
//! product.
//!
//! The nodes report afterwards which posts, buffers and processes began and ended, each with the
//! time at which that was seen. From that the model derives the values that each byte of each
//! process may have. Several values are possible only if writes of different processes overlapped
//! in time, or if a process ended during a write. The model uses three rules:
//!
//! * A post comes *before* another post if it ended before the other began, or if both are writes
//!   of one process and it was posted first (FIFO).
//! * A post that met the restart of the buffer's node may have ended with the error for a lost
//!   peer.
//! * A post that had to end well has moved all its bytes. A post that had to be refused has moved
//!   none. A post that met the end of a buffer or of a process may have moved any part.

mod effect;
mod seen;
#[cfg(test)]
mod tests;
mod verdict;

use std::collections::BTreeMap;
use std::fmt;

use nicscope_scenario::error::Statement;

pub use seen::{Buffer, BufferName, Direction, End, Life, Post, Restart, Seen, Time, Told};

use effect::{compare, effect, Effect, Look};
use verdict::{verdict, Verdict};

/// An observation that cannot be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The rule that it breaks.
    pub rule: Rule,
    /// The observation, for the report.
    pub what: String,
}

/// A part of a numbered statement that the model decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The statement, by its number in docs/properties.md and docs/requirements.md.
    pub statement: Statement,
    /// The part that the model decides. A report prints it behind the number.
    text: &'static str,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.statement, self.text)
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.what)
    }
}

/// The rule of memory: each byte of each process has a value that the posts explain.
pub const BYTES: Rule = Rule {
    statement: Statement::Invariant(27),
    text: "delivered bytes are those that were sent, and no byte beside them",
};
/// The rule of reads: each byte stood in the buffer at some time between the read's begin and end.
pub const READS: Rule =
    Rule { statement: Statement::Invariant(28), text: "a read that ended has brought what was there" };
/// The rule of ends: each post ends, and well or with the right error.
pub const ENDS: Rule =
    Rule { statement: Statement::Invariant(24), text: "28, each post ends, well or refused as it must" };
/// The rule of notifications: one for each write that asks for it, in the order of its process.
pub const TOLD: Rule =
    Rule { statement: Statement::Requirement(6), text: "each write that notifies is told of once, in order" };

fn wrong(rule: Rule, what: String) -> Wrong {
    Wrong { rule, what }
}

/// Counts of the model's decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Posts that had to end well.
    pub posts_well: u64,
    /// Posts that had to be refused.
    pub posts_refused: u64,
    /// Posts with more than one right end, because a buffer or a process ended meanwhile.
    pub posts_open: u64,
    /// Posts whose ends the library could not tell apart.
    pub posts_unclear: u64,
    /// Posts that ended because the buffer's node started again.
    pub posts_lost: u64,
    /// Notifications that arrived.
    pub notifications: u64,
    /// Notifications that did not arrive and did not have to.
    pub notifications_open: u64,
    /// Bytes of processes and of reads that were compared.
    pub bytes_compared: u64,
    /// Compared bytes with more than one right value.
    pub bytes_open: u64,
}

impl Decided {
    /// The counts by their names in reports.
    pub fn by_name(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("posts that had to end well", self.posts_well),
            ("posts that had to be refused", self.posts_refused),
            ("posts whose buffer or process ended meanwhile", self.posts_open),
            ("posts whose end the library could not tell", self.posts_unclear),
            ("posts whose peer started again", self.posts_lost),
            ("notifications", self.notifications),
            ("bytes compared", self.bytes_compared),
            ("bytes with more than one right value", self.bytes_open),
        ])
    }
}

struct Alive {
    memory: Vec<u8>,
    /// Posts that had to end badly.
    refused: u64,
    /// Posts that may have ended badly.
    refused_perhaps: u64,
}

/// The model of all processes of all nodes.
#[derive(Default)]
pub struct Model {
    alive: BTreeMap<Life, Alive>,
    /// Counts of the decisions so far.
    pub decided: Decided,
    pins_fail: bool,
}

impl Model {
    /// A model for hosts that may refuse to pin a page, or for hosts that never do.
    pub fn of_hosts(pins_fail: bool) -> Model {
        Model { pins_fail, ..Model::default() }
    }

    /// Judges what the nodes have seen since the last call. `now` is the time at which their memory
    /// was read; all operations have ended by then.
    ///
    /// # Errors
    /// The first observation that cannot be right.
    pub fn judge(
        &mut self,
        now: Time,
        seen: &[Seen],
        buffers: &BTreeMap<BufferName, Buffer>,
        restarts: &[Restart],
    ) -> Result<(), Wrong> {
        for (life, memory) in seen.iter().flat_map(|seen| &seen.begun) {
            self.alive.insert(*life, Alive { memory: memory.clone(), refused: 0, refused_perhaps: 0 });
        }
        let posts: Vec<(&Post, Verdict)> =
            seen.iter().flat_map(|seen| &seen.posts).map(|post| (post, self.verdict(post, buffers))).collect();
        for (post, verdict) in &posts {
            let may_be_lost = restarts.iter().any(|restart| restart.meets(post));
            self.judge_end(post, *verdict, may_be_lost)?;
        }
        self.judge_told(seen, &posts, buffers)?;
        self.judge_memory(now, seen, &posts, buffers)?;
        for (life, _, refused) in seen.iter().flat_map(|seen| &seen.now) {
            let alive = self.alive.get(life).ok_or_else(|| wrong(ENDS, format!("process {life} never began")))?;
            let possible = alive.refused..=alive.refused + alive.refused_perhaps;
            if !possible.contains(refused) {
                let (least, most) = (possible.start(), possible.end());
                let what = format!(
                    "process {life} was told of {refused} posts that ended badly, and must be of {least} to {most}"
                );
                return Err(wrong(ENDS, what));
            }
        }
        let living: Vec<Life> = seen.iter().flat_map(|seen| &seen.now).map(|(life, ..)| *life).collect();
        self.alive.retain(|life, _| living.contains(life));
        Ok(())
    }

    fn verdict(&self, post: &Post, buffers: &BTreeMap<BufferName, Buffer>) -> Verdict {
        let verdict = verdict(post, buffers);
        match self.pins_fail {
            true => verdict.where_pins_fail(),
            false => verdict,
        }
    }

    /// `may_be_lost`: the post met a restart of the buffer's node, and may have ended for it.
    fn judge_end(&mut self, post: &Post, verdict: Verdict, may_be_lost: bool) -> Result<(), Wrong> {
        if let Some(alive) = self.alive.get_mut(&post.by) {
            match verdict {
                Verdict::Well => {}
                Verdict::Refused | Verdict::BadMemory | Verdict::RefusedOrBadMemory => alive.refused += 1,
                Verdict::WellOrRefused | Verdict::WellOrNot | Verdict::Anything => alive.refused_perhaps += 1,
            }
        }
        match verdict {
            Verdict::Well => self.decided.posts_well += 1,
            Verdict::Refused | Verdict::BadMemory | Verdict::RefusedOrBadMemory => self.decided.posts_refused += 1,
            Verdict::WellOrRefused | Verdict::WellOrNot | Verdict::Anything => self.decided.posts_open += 1,
        }
        let Some((_, end)) = post.end else {
            return match verdict {
                Verdict::Anything => Ok(()),
                _ => Err(wrong(ENDS, format!("{post} has not ended"))),
            };
        };
        let right = match (verdict, end) {
            (_, End::Unclear) => {
                self.decided.posts_unclear += 1;
                true
            }
            (_, End::Lost) => {
                self.decided.posts_lost += u64::from(may_be_lost);
                may_be_lost
            }
            (Verdict::Anything, _) => end != End::Other,
            (Verdict::Well, end) => end == End::Well,
            (Verdict::Refused, end) => end == End::Refused,
            (Verdict::BadMemory, end) => end == End::BadMemory,
            (Verdict::WellOrRefused, end) => matches!(end, End::Well | End::Refused),
            (Verdict::WellOrNot, end) => matches!(end, End::Well | End::Refused | End::BadMemory),
            (Verdict::RefusedOrBadMemory, end) => matches!(end, End::Refused | End::BadMemory),
        };
        match right {
            true => Ok(()),
            false => {
                let what = format!("{post} ended as {end:?}, and must end as {verdict:?}");
                Err(wrong(ENDS, what))
            }
        }
    }

    fn judge_told(
        &mut self,
        seen: &[Seen],
        posts: &[(&Post, Verdict)],
        buffers: &BTreeMap<BufferName, Buffer>,
    ) -> Result<(), Wrong> {
        let mut told: BTreeMap<u32, Told> = BTreeMap::new();
        let mut last: BTreeMap<(BufferName, Life), u32> = BTreeMap::new();
        let by_number: BTreeMap<u32, &(&Post, Verdict)> = posts.iter().map(|entry| (entry.0.number, entry)).collect();
        for it in seen.iter().flat_map(|seen| &seen.told) {
            let number = it.number;
            if told.insert(number, *it).is_some() {
                return Err(wrong(TOLD, format!("{} was told twice of post {number}", it.buffer.owner)));
            }
            let asked = by_number.get(&number).filter(|(post, verdict)| {
                let notifies = matches!(&post.direction, Direction::Write { data, notify: true }
                    if post.offset.wrapping_add(data.len() as u32) == it.end_offset);
                let may = !matches!(verdict, Verdict::Refused | Verdict::BadMemory | Verdict::RefusedOrBadMemory);
                notifies && post.right_key && post.buffer == Some(it.buffer) && may
            });
            let Some((post, _)) = asked else {
                return Err(wrong(
                    TOLD,
                    format!("{} was told of post {number}, which did not ask for it: {it:?}", it.buffer.owner),
                ));
            };
            let before = last.insert((it.buffer, post.by), number);
            if before.is_some_and(|before| before > number) {
                return Err(wrong(
                    TOLD,
                    format!("{} was told of post {number} of {} too late", it.buffer.owner, post.by),
                ));
            }
        }
        for (post, verdict) in posts {
            let Direction::Write { notify: true, .. } = post.direction else { continue };
            let listens = post.buffer.and_then(|name| buffers.get(&name)).filter(|buffer| buffer.listens);
            let Some(buffer) = listens else { continue };
            let must = *verdict == Verdict::Well && buffer.end_begun.is_none();
            match told.contains_key(&post.number) {
                true => self.decided.notifications += 1,
                false if must => {
                    return Err(wrong(TOLD, format!("nobody was told of post {} of {}", post.number, post.by)))
                }
                false => self.decided.notifications_open += 1,
            }
        }
        Ok(())
    }

    fn judge_memory(
        &mut self,
        now: Time,
        seen: &[Seen],
        posts: &[(&Post, Verdict)],
        buffers: &BTreeMap<BufferName, Buffer>,
    ) -> Result<(), Wrong> {
        let mut effects: BTreeMap<Life, Vec<Effect>> = BTreeMap::new();
        for (post, verdict) in posts {
            let (life, effect) = match effect(post, *verdict, buffers) {
                Some(effect) => effect,
                None => continue,
            };
            effects.entry(life).or_default().push(effect);
        }
        let none = Vec::new();
        for (post, verdict) in posts {
            let Direction::Read { found: Some(found), .. } = &post.direction else { continue };
            let (Some((end, End::Well)), Some(name)) = (post.end, post.buffer) else { continue };
            if matches!(verdict, Verdict::Refused | Verdict::BadMemory) || found.is_empty() {
                continue;
            }
            let (Some(buffer), Some(owner)) = (buffers.get(&name), self.alive.get(&name.owner)) else { continue };
            let start = buffer.start + post.offset;
            let look = Look { begin: post.begin, end, order: Some((post.by, post.number)) };
            let of_owner = effects.get(&name.owner).unwrap_or(&none);
            let range = start..start + found.len() as u32;
            let compared = compare(of_owner, range, &look, &owner.memory, |at| found[(at - start) as usize]);
            let (bytes, open) = compared.map_err(|at| {
                let offset = at - start;
                wrong(
                    READS,
                    format!(
                        "read {} of {} brought {:#04x} as byte {offset}, which stood at {at:#x} of {} at no time",
                        post.number, post.by, found[offset as usize], name.owner
                    ),
                )
            })?;
            self.decided.bytes_compared += bytes;
            self.decided.bytes_open += open;
        }
        for (life, memory, _) in seen.iter().flat_map(|seen| &seen.now) {
            let Some(alive) = self.alive.get_mut(life) else { continue };
            let look = Look { begin: now, end: now, order: None };
            let of_life = effects.get(life).unwrap_or(&none);
            let whole = 0..memory.len().min(alive.memory.len()) as u32;
            let compared = compare(of_life, whole, &look, &alive.memory, |at| memory[at as usize]);
            let (bytes, open) = compared.map_err(|at| {
                let near = of_life.iter().filter(|effect| effect.range.contains(&at)).count();
                let (is, was) = (memory[at as usize], alive.memory[at as usize]);
                let what = match near {
                    0 => format!("byte {at:#x} of {life} is {is:#04x}, was {was:#04x}, and nobody may have written it"),
                    _ => format!("byte {at:#x} of {life} is {is:#04x}, which none of {near} posts can have left there"),
                };
                wrong(BYTES, what)
            })?;
            self.decided.bytes_compared += bytes;
            self.decided.bytes_open += open;
            alive.memory.copy_from_slice(memory);
        }
        Ok(())
    }
}
