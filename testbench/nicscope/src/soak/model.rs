//! What must be so after a number of operations: a dull model without code of the product.
//!
//! It is told afterwards what was begun and what ended, each with the times at which that was seen, and then says for every byte of every process which values
//! it may have. Several are possible only where writes of different processes overlapped in time, or where a process ended in the middle of a
//! write. Nothing is known but this:
//!
//! * One post comes *before* another if it ended before the other began, or if both are writes of one process and it was posted first (FIFO).
//! * A post that had to go well has moved all its bytes; one that had to be refused none; one that met the end of a buffer or of a process, any part.

use std::collections::BTreeMap;
use std::fmt;

/// Simulated picoseconds.
pub type Time = u64;

/// A process, from its beginning to its end: node, place, and how many were there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Life {
    pub node: usize,
    pub process: usize,
    pub life: u32,
}

/// A buffer: its owner, and how many that one registered before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BufferName {
    pub owner: Life,
    pub number: u32,
}

#[derive(Clone, Debug)]
pub struct Buffer {
    /// In the memory of the owner.
    pub start: u32,
    pub bytes: u32,
    pub may_write: bool,
    pub may_read: bool,
    pub listens: bool,
    /// When its end began, and when it was over; the end of the owner is one, too.
    pub end_begun: Option<Time>,
    pub ended: Option<Time>,
}

/// How a post was seen to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Well,
    /// The node of the buffer refused it.
    Refused,
    /// A page of own memory does not exist.
    BadMemory,
    /// It ended together with others, some of them badly, and the library cannot tell which.
    Unclear,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The bytes that were sent.
    Write { data: Vec<u8>, notify: bool },
    /// Where they came in own memory, and what was there at the moment of the end.
    Read { to: u32, bytes: u32, found: Option<Vec<u8>> },
}

#[derive(Clone, Debug)]
pub struct Post {
    pub by: Life,
    /// Unique, ascending for each process.
    pub number: u32,
    /// `None`: a buffer that never was.
    pub buffer: Option<BufferName>,
    pub right_key: bool,
    /// Own memory ends in the middle of it.
    pub hole: bool,
    pub offset: u32,
    pub direction: Direction,
    pub begin: Time,
    /// `None`: its process ended first.
    pub end: Option<(Time, End)>,
}

/// What a handler was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub buffer: BufferName,
    pub number: u32,
    pub end_offset: u32,
}

/// What a node has seen since the last comparison.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// New processes, and what their memory held at first.
    pub begun: Vec<(Life, Vec<u8>)>,
    pub posts: Vec<Post>,
    pub told: Vec<Told>,
    /// Now: the memory of each process that lives, and how many of its posts have ended badly so far.
    pub now: Vec<(Life, Vec<u8>, u64)>,
}

/// What is wrong, with the statement that it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub rule: &'static str,
    pub what: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.what)
    }
}

pub const BYTES: &str = "INV-27, delivered bytes are those that were sent, and no byte beside them";
pub const READS: &str = "INV-28, a read that ended has brought what was there";
pub const ENDS: &str = "INV-24, 28, each post ends, well or refused as it must";
pub const TOLD: &str = "M-6, each write that notifies is told of once, in order";

fn wrong(rule: &'static str, what: String) -> Wrong {
    Wrong { rule, what }
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.node, self.process)?;
        match self.life {
            0 => Ok(()),
            life => write!(f, " (life {life})"),
        }
    }
}

/// What the model says of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Well,
    Refused,
    BadMemory,
    /// The buffer ended meanwhile.
    WellOrRefused,
    RefusedOrBadMemory,
    /// A page on either side may not have been pinned.
    WellOrNot,
    /// Its own process ended.
    Anything,
}

impl Verdict {
    /// Where pins fail: then there is no translation, here or there.
    fn where_pins_fail(self) -> Verdict {
        match self {
            Verdict::Well | Verdict::WellOrRefused | Verdict::WellOrNot => Verdict::WellOrNot,
            Verdict::Refused | Verdict::BadMemory | Verdict::RefusedOrBadMemory => Verdict::RefusedOrBadMemory,
            Verdict::Anything => Verdict::Anything,
        }
    }
}

/// Counts of what was decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    pub posts_well: u64,
    pub posts_refused: u64,
    /// Either end was right.
    pub posts_open: u64,
    /// The library could not tell them apart.
    pub posts_unclear: u64,
    pub notifications: u64,
    /// That were told of or were not, both being right.
    pub notifications_open: u64,
    pub bytes_compared: u64,
    /// Of them, with more than one right value.
    pub bytes_open: u64,
}

impl Decided {
    pub fn add(&mut self, more: &Decided) {
        self.posts_well += more.posts_well;
        self.posts_refused += more.posts_refused;
        self.posts_open += more.posts_open;
        self.posts_unclear += more.posts_unclear;
        self.notifications += more.notifications;
        self.notifications_open += more.notifications_open;
        self.bytes_compared += more.bytes_compared;
        self.bytes_open += more.bytes_open;
    }
}

struct Alive {
    memory: Vec<u8>,
    /// Posts that ended badly: those that had to, and those that may have.
    refused: u64,
    refused_perhaps: u64,
}

/// All processes of all nodes.
#[derive(Default)]
pub struct Model {
    alive: BTreeMap<Life, Alive>,
    pub decided: Decided,
    pins_fail: bool,
}

/// Bytes that came, or may have come, to the memory of a process.
struct Effect<'a> {
    range: std::ops::Range<u32>,
    begin: Time,
    /// `None`: perhaps never.
    end: Option<Time>,
    /// Writes of one process are in the order of their numbers. `None`: a read.
    order: Option<(Life, u32)>,
    /// It has come, all of it.
    certain: bool,
    /// `None`: whatever.
    data: Option<&'a [u8]>,
}

impl Effect<'_> {
    fn before(&self, other: &Effect) -> bool {
        self.end.is_some_and(|end| end < other.begin) || self.ordered_before(other.order)
    }

    fn ordered_before(&self, other: Option<(Life, u32)>) -> bool {
        self.order.zip(other).is_some_and(|(own, other)| own.0 == other.0 && own.1 < other.1)
    }

    fn covers(&self, part: &std::ops::Range<u32>) -> bool {
        self.range.start <= part.start && part.end <= self.range.end
    }
}

/// When memory was looked at: between two times, by whom.
struct Look {
    begin: Time,
    end: Time,
    order: Option<(Life, u32)>,
}

/// Cuts a range where an effect begins or ends, and tells for each part which effects are possible, and whether what was there before is.
fn parts<'e, 'd>(
    effects: &'e [Effect<'d>],
    range: std::ops::Range<u32>,
    look: &Look,
) -> Vec<(std::ops::Range<u32>, Vec<&'e Effect<'d>>, bool)> {
    let near: Vec<&Effect> =
        effects.iter().filter(|effect| effect.range.start < range.end && range.start < effect.range.end).collect();
    let mut cuts: Vec<u32> = near.iter().flat_map(|effect| [effect.range.start, effect.range.end]).collect();
    cuts.extend([range.start, range.end]);
    cuts.retain(|cut| range.start <= *cut && *cut <= range.end);
    cuts.sort_unstable();
    cuts.dedup();
    let part = |pair: &[u32]| {
        let part = pair[0]..pair[1];
        let here: Vec<&Effect> = near.iter().copied().filter(|effect| effect.covers(&part)).collect();
        // What was surely there when it was looked at.
        let there: Vec<&Effect> = here
            .iter()
            .copied()
            .filter(|effect| {
                effect.certain && (effect.end.is_some_and(|end| end <= look.begin) || effect.ordered_before(look.order))
            })
            .collect();
        let possible: Vec<&Effect> = here
            .iter()
            .copied()
            .filter(|effect| effect.begin <= look.end && !there.iter().any(|later| effect.before(later)))
            .collect();
        (part, possible, there.is_empty())
    };
    cuts.windows(2).map(part).collect()
}

impl Model {
    /// Of hosts that refuse to pin some pages, or never do.
    pub fn of_hosts(pins_fail: bool) -> Model {
        Model { pins_fail, ..Model::default() }
    }

    /// Judges what the nodes have seen until now. Nothing is under way any more: whatever has an end has ended.
    pub fn judge(&mut self, now: Time, seen: &[Seen], buffers: &BTreeMap<BufferName, Buffer>) -> Result<(), Wrong> {
        for (life, memory) in seen.iter().flat_map(|seen| &seen.begun) {
            self.alive.insert(*life, Alive { memory: memory.clone(), refused: 0, refused_perhaps: 0 });
        }
        let posts: Vec<(&Post, Verdict)> =
            seen.iter().flat_map(|seen| &seen.posts).map(|post| (post, self.verdict(post, buffers))).collect();
        for (post, verdict) in &posts {
            self.judge_end(post, *verdict)?;
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

    fn judge_end(&mut self, post: &Post, verdict: Verdict) -> Result<(), Wrong> {
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
                _ => Err(wrong(ENDS, format!("post {} of {} has not ended", post.number, post.by))),
            };
        };
        let right = match (verdict, end) {
            (_, End::Unclear) => {
                self.decided.posts_unclear += 1;
                true
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
                let what = format!("post {} of {} ended as {end:?}, and must end as {verdict:?}", post.number, post.by);
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

/// Compares a range with what it may hold. Gives how many bytes were compared, and for how many of them several values are right; or the first that
/// is wrong.
fn compare(
    effects: &[Effect],
    range: std::ops::Range<u32>,
    look: &Look,
    before: &[u8],
    found: impl Fn(u32) -> u8,
) -> Result<(u64, u64), u32> {
    let (mut bytes, mut open) = (0, 0);
    for (part, possible, before_is) in parts(effects, range, look) {
        let ways = possible.len() + usize::from(before_is);
        bytes += u64::from(part.end - part.start);
        open += if ways > 1 { u64::from(part.end - part.start) } else { 0 };
        for at in part {
            let value = found(at);
            let right = before_is && before[at as usize] == value
                || possible
                    .iter()
                    .any(|effect| effect.data.is_none_or(|data| data[(at - effect.range.start) as usize] == value));
            if !right {
                return Err(at);
            }
        }
    }
    Ok((bytes, open))
}

fn verdict(post: &Post, buffers: &BTreeMap<BufferName, Buffer>) -> Verdict {
    let (bytes, is_read) = match &post.direction {
        Direction::Write { data, .. } => (data.len() as u64, false),
        Direction::Read { bytes, .. } => (u64::from(*bytes), true),
    };
    let buffer = post.buffer.and_then(|name| buffers.get(&name)).filter(|_| post.right_key);
    let permitted = buffer.filter(|buffer| {
        let right = if is_read { buffer.may_read } else { buffer.may_write };
        let gone = buffer.ended.is_some_and(|ended| ended < post.begin);
        right && !gone && u64::from(post.offset) + bytes <= u64::from(buffer.bytes)
    });
    let Some(permitted) = permitted else {
        return match (post.end.is_some(), post.hole) {
            (true, false) => Verdict::Refused,
            (true, true) => Verdict::RefusedOrBadMemory,
            (false, _) => Verdict::Anything,
        };
    };
    let Some((end, _)) = post.end else { return Verdict::Anything };
    let ends_meanwhile = permitted.end_begun.is_some_and(|begun| begun <= end);
    match (post.hole, ends_meanwhile) {
        (false, false) => Verdict::Well,
        (false, true) => Verdict::WellOrRefused,
        (true, false) => Verdict::BadMemory,
        (true, true) => Verdict::RefusedOrBadMemory,
    }
}

/// Where a post's bytes went, if they may have gone anywhere.
fn effect<'a>(post: &'a Post, verdict: Verdict, buffers: &BTreeMap<BufferName, Buffer>) -> Option<(Life, Effect<'a>)> {
    let name = post.buffer.filter(|_| post.right_key)?;
    let buffer = buffers.get(&name)?;
    if buffer.ended.is_some_and(|ended| ended < post.begin) {
        return None;
    }
    let end = post.end.map(|(at, _)| at);
    // A post that may have gone well has, if it was seen to.
    let certain = match verdict {
        Verdict::Well => true,
        Verdict::WellOrRefused | Verdict::WellOrNot | Verdict::Anything => matches!(post.end, Some((_, End::Well))),
        Verdict::Refused | Verdict::BadMemory | Verdict::RefusedOrBadMemory => false,
    };
    match &post.direction {
        Direction::Write { data, .. } => {
            // Frames that lie before the end of the buffer are taken.
            let inside = (data.len() as u32).min(buffer.bytes.saturating_sub(post.offset));
            if !buffer.may_write || inside == 0 {
                return None;
            }
            let start = buffer.start + post.offset;
            let order = Some((post.by, post.number));
            let range = start..start + inside;
            let data = Some(&data[..inside as usize]).filter(|_| !post.hole);
            Some((name.owner, Effect { range, begin: post.begin, end: end.filter(|_| certain), order, certain, data }))
        }
        Direction::Read { to, bytes, found } => {
            let beyond = u64::from(post.offset) + u64::from(*bytes) > u64::from(buffer.bytes);
            if *bytes == 0 || !buffer.may_read || beyond {
                return None;
            }
            let data = found.as_deref().filter(|_| certain);
            let range = *to..*to + *bytes;
            let certain = data.is_some();
            Some((
                post.by,
                Effect { range, begin: post.begin, end: end.filter(|_| certain), order: None, certain, data },
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITER: Life = Life { node: 0, process: 0, life: 0 };
    const OTHER: Life = Life { node: 0, process: 1, life: 0 };
    const OWNER: Life = Life { node: 1, process: 0, life: 0 };
    const NAME: BufferName = BufferName { owner: OWNER, number: 0 };
    const BYTES_OF_ALL: usize = 64;

    /// The buffer is bytes 8 to 40 of the owner's memory, which holds zeros.
    struct Bench {
        buffer: Buffer,
        posts: Vec<Post>,
        told: Vec<Told>,
        memory: Vec<u8>,
        refused: u64,
    }

    impl Bench {
        fn new() -> Bench {
            let buffer = Buffer {
                start: 8,
                bytes: 32,
                may_write: true,
                may_read: true,
                listens: true,
                end_begun: None,
                ended: None,
            };
            Bench { buffer, posts: Vec::new(), told: Vec::new(), memory: vec![0; BYTES_OF_ALL], refused: 0 }
        }

        fn post(&mut self, by: Life, offset: u32, direction: Direction, times: (Time, Time), end: End) -> &mut Post {
            self.posts.push(Post {
                by,
                number: self.posts.len() as u32,
                buffer: Some(NAME),
                right_key: true,
                hole: false,
                offset,
                direction,
                begin: times.0,
                end: Some((times.1, end)),
            });
            self.posts.last_mut().expect("just pushed")
        }

        /// Four bytes of this value.
        fn write(&mut self, by: Life, offset: u32, value: u8, times: (Time, Time)) -> &mut Post {
            self.post(by, offset, Direction::Write { data: vec![value; 4], notify: false }, times, End::Well)
        }

        fn read(&mut self, found: [u8; 4], times: (Time, Time)) {
            self.memory[60..].fill(0);
            let direction = Direction::Read { to: 60, bytes: 4, found: Some(found.to_vec()) };
            self.post(OTHER, 0, direction, times, End::Well);
        }

        fn set(&mut self, from: usize, value: u8) {
            self.memory[from..from + 4].fill(value);
        }

        /// The statement that is broken, if one is.
        fn judge(&self) -> Option<&'static str> {
            let zeros = vec![0; BYTES_OF_ALL];
            let lives = [WRITER, OTHER, OWNER];
            let mut others = vec![(WRITER, zeros.clone(), self.refused), (OTHER, zeros.clone(), 0)];
            if let Some(Direction::Read { found: Some(found), .. }) = self.posts.last().map(|post| &post.direction) {
                others[1].1[60..].copy_from_slice(found);
            }
            others.push((OWNER, self.memory.clone(), 0));
            let seen = Seen {
                begun: lives.map(|life| (life, zeros.clone())).to_vec(),
                posts: self.posts.clone(),
                told: self.told.clone(),
                now: others,
            };
            let buffers = BTreeMap::from([(NAME, self.buffer.clone())]);
            Model::default().judge(1000, &[seen], &buffers).err().map(|wrong| wrong.rule)
        }
    }

    #[test]
    fn bytes_must_come_and_no_others() {
        let mut bench = Bench::new();
        bench.write(WRITER, 0, 5, (10, 20));
        assert_eq!(bench.judge(), Some(BYTES));
        bench.set(8, 5);
        assert_eq!(bench.judge(), None);
        bench.memory[12] = 5;
        assert_eq!(bench.judge(), Some(BYTES));
        bench.memory[12] = 0;
        bench.memory[63] = 1;
        assert_eq!(bench.judge(), Some(BYTES), "far from every buffer");
    }

    #[test]
    fn the_later_of_two_writes_stays_and_either_of_two_at_once() {
        let outcome = |by, second: (Time, Time), value| {
            let mut bench = Bench::new();
            bench.write(WRITER, 0, 5, (10, 20));
            bench.write(by, 0, 6, second);
            bench.set(8, value);
            bench.judge()
        };
        assert_eq!([5, 6, 7].map(|value| outcome(OTHER, (15, 30), value)), [None, None, Some(BYTES)]);
        assert_eq!([5, 6].map(|value| outcome(OTHER, (21, 30), value)), [Some(BYTES), None]);
        // Writes of one process are in order, however much they overlap.
        assert_eq!([5, 6].map(|value| outcome(WRITER, (10, 20), value)), [Some(BYTES), None]);
    }

    #[test]
    fn a_read_brings_what_stood_there_at_some_time() {
        let outcome = |times, found| {
            let mut bench = Bench::new();
            bench.write(WRITER, 0, 5, (10, 20));
            bench.set(8, 5);
            bench.read([found; 4], times);
            bench.judge()
        };
        assert_eq!([0, 5, 6].map(|found| outcome((15, 30), found)), [None, None, Some(READS)]);
        assert_eq!([0, 5].map(|found| outcome((20, 30), found)), [Some(READS), None]);
        assert_eq!([0, 5].map(|found| outcome((2, 9), found)), [None, Some(READS)]);
    }

    #[test]
    fn posts_end_as_they_must() {
        let outcome = |change: &dyn Fn(&mut Bench), end, refused| {
            let mut bench = Bench::new();
            bench.write(WRITER, 0, 0, (10, 20)).end = Some((20, end));
            change(&mut bench);
            bench.refused = refused;
            bench.judge()
        };
        let fine: &dyn Fn(&mut Bench) = &|_| ();
        assert_eq!(outcome(fine, End::Well, 0), None);
        assert_eq!(outcome(fine, End::Refused, 1), Some(ENDS));
        assert_eq!(outcome(fine, End::Well, 1), Some(ENDS), "the status page counts another");
        let wrongs: [&dyn Fn(&mut Bench); 5] = [
            &|bench| bench.posts[0].right_key = false,
            &|bench| bench.posts[0].buffer = None,
            &|bench| bench.posts[0].offset = 29,
            &|bench| bench.buffer.may_write = false,
            &|bench| (bench.buffer.end_begun, bench.buffer.ended) = (Some(5), Some(9)),
        ];
        for wrong in wrongs {
            assert_eq!(outcome(wrong, End::Refused, 1), None);
            assert_eq!(outcome(wrong, End::Well, 0), Some(ENDS));
            assert_eq!(outcome(wrong, End::Unclear, 1), None);
            assert_eq!(outcome(wrong, End::Unclear, 0), Some(ENDS), "it was refused, and nobody counted it");
        }
        let meanwhile: &dyn Fn(&mut Bench) = &|bench| bench.buffer.end_begun = Some(15);
        assert_eq!(
            [0, 1].map(|refused| outcome(meanwhile, [End::Well, End::Refused][refused], refused as u64)),
            [None; 2]
        );
        let hole: &dyn Fn(&mut Bench) = &|bench| bench.posts[0].hole = true;
        assert_eq!(outcome(hole, End::BadMemory, 1), None);
        assert_eq!(outcome(hole, End::Refused, 1), Some(ENDS));
        assert_eq!(outcome(&|bench| bench.posts[0].end = None, End::Well, 0), None, "its process ended");
    }

    #[test]
    fn who_listens_is_told_once_and_in_order() {
        let outcome = |numbers: &[u32], end_offset, end_begun| {
            let mut bench = Bench::new();
            for _ in 0..2 {
                let direction = Direction::Write { data: vec![0; 4], notify: true };
                bench.post(WRITER, 4, direction, (10, 20), End::Well);
            }
            bench.told = numbers.iter().map(|number| Told { buffer: NAME, number: *number, end_offset }).collect();
            bench.buffer.end_begun = end_begun;
            bench.judge()
        };
        assert_eq!(outcome(&[0, 1], 8, None), None);
        assert_eq!(outcome(&[1, 0], 8, None), Some(TOLD));
        assert_eq!(outcome(&[0, 0], 8, None), Some(TOLD));
        assert_eq!(outcome(&[0], 8, None), Some(TOLD));
        assert_eq!(outcome(&[0], 8, Some(25)), None, "the listener has gone");
        assert_eq!(outcome(&[0, 1], 9, None), Some(TOLD), "it ends elsewhere");
        assert_eq!(outcome(&[0, 1, 2], 8, None), Some(TOLD), "nobody wrote that");
    }
}
