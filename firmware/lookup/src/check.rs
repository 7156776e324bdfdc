//! Lists of cache operations, and a model too dull to be wrong that says what each must answer (INV-13 to 16, 18, 20).
//!
//! The same list runs on [`Vmh`] over host memory and, through the firmware `cache-probe`, on the RTL. A failing list is printed as text, and
//! text parses back to the list.

use std::fmt;
use std::str::FromStr;

use nic_layout::vmh::{key, VmhGeometry, KEY_RESERVED, NO_TRANSLATION};

use crate::{fill_words, release_words, Lookup, Path, Reserve, Vmh, Words};

/// One step. `nth` counts what is outstanding, oldest first, modulo how many there are; with none the step does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheOp {
    /// Look a page up; lock on a hit, reserve when absent.
    Use {
        path: Path,
        pid: u32,
        page: u32,
    },
    /// End the nth reference.
    Unlock {
        nth: u32,
    },
    /// Fill the nth reserved line; `seed` chooses the page numbers.
    Fill {
        nth: u32,
        seed: u32,
    },
    /// Give the nth reserved line back.
    Release {
        nth: u32,
    },
    Invalidate {
        pid: u32,
        page: u32,
    },
}

impl CacheOp {
    /// Makes an operation of any number. Processes and pages are few, so that tags collide.
    pub fn draw(random: u64, geometry: VmhGeometry) -> CacheOp {
        let bits = |low: u32, count: u32| (random >> low) as u32 & ((1 << count) - 1);
        let pid = 1 + bits(8, 1);
        // Half as many lines again as one set holds, of two neighbouring sets.
        let set = bits(10, 1) & (geometry.sets() - 1);
        let turn = bits(11, 16) % (geometry.ways + geometry.ways / 2);
        let page = (turn * geometry.sets() + set) * geometry.line_entries + bits(27, 7) % geometry.line_entries;
        let nth = bits(40, 8);
        match bits(0, 4) {
            0..=7 => CacheOp::Use { path: if bits(9, 1) == 0 { Path::Send } else { Path::Receive }, pid, page },
            8..=10 => CacheOp::Unlock { nth },
            11..=13 => CacheOp::Fill { nth, seed: bits(48, 8) },
            14 => CacheOp::Release { nth },
            _ => CacheOp::Invalidate { pid, page },
        }
    }
}

impl fmt::Display for CacheOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            CacheOp::Use { path: Path::Send, pid, page } => write!(f, "use send {pid} {page:#x}"),
            CacheOp::Use { path: Path::Receive, pid, page } => write!(f, "use receive {pid} {page:#x}"),
            CacheOp::Unlock { nth } => write!(f, "unlock {nth}"),
            CacheOp::Fill { nth, seed } => write!(f, "fill {nth} {seed}"),
            CacheOp::Release { nth } => write!(f, "release {nth}"),
            CacheOp::Invalidate { pid, page } => write!(f, "invalidate {pid} {page:#x}"),
        }
    }
}

/// The line that is not an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnOperation(pub String);

impl fmt::Display for NotAnOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a cache operation; one reads like `use send 3 0x41`, `unlock 0`, `fill 0 7`, `release 0`, `invalidate 3 0x41`", self.0)
    }
}

impl std::error::Error for NotAnOperation {}

impl FromStr for CacheOp {
    type Err = NotAnOperation;

    fn from_str(line: &str) -> Result<CacheOp, NotAnOperation> {
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).map_err(|_| NotAnOperation(line.to_owned())),
            None => text.parse().map_err(|_| NotAnOperation(line.to_owned())),
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        Ok(match words[..] {
            ["use", "send", pid, page] => CacheOp::Use { path: Path::Send, pid: number(pid)?, page: number(page)? },
            ["use", "receive", pid, page] => {
                CacheOp::Use { path: Path::Receive, pid: number(pid)?, page: number(page)? }
            }
            ["unlock", nth] => CacheOp::Unlock { nth: number(nth)? },
            ["fill", nth, seed] => CacheOp::Fill { nth: number(nth)?, seed: number(seed)? },
            ["release", nth] => CacheOp::Release { nth: number(nth)? },
            ["invalidate", pid, page] => CacheOp::Invalidate { pid: number(pid)?, page: number(page)? },
            _ => return Err(NotAnOperation(line.to_owned())),
        })
    }
}

/// What a step answers. The numbers of `nic_layout::probe`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Hit { line: u32, entry: u32 },
    Reserved { line: u32 },
    Pending,
    NoWay,
    Done,
    Nothing,
}

/// What can run operations: a cache in host memory, or a NIC behind its pins.
pub trait Target {
    type Error;

    fn use_page(&mut self, path: Path, pid: u32, page: u32) -> Result<Answer, Self::Error>;
    fn unlock(&mut self, path: Path, line: u32) -> Result<Answer, Self::Error>;
    fn invalidate(&mut self, pid: u32, page: u32) -> Result<Answer, Self::Error>;
    /// As the driver does: [`fill_words`].
    fn fill(&mut self, line: u32, miss_key: u32, page_number: &dyn Fn(u32) -> u32) -> Result<(), Self::Error>;
    /// As the driver does: [`release_words`].
    fn release(&mut self, line: u32) -> Result<(), Self::Error>;
}

/// Look up, and reserve when absent: the step that all users of the cache share.
pub fn use_page<const E: u32, const L: u32, const W: u32>(
    cache: &Vmh<E, L, W>,
    memory: &mut impl Words,
    path: Path,
    pid: u32,
    page: u32,
) -> Answer {
    match cache.lookup(memory, path, pid, page) {
        Lookup::Hit { line, entry } => Answer::Hit { line, entry },
        Lookup::Pending => Answer::Pending,
        Lookup::Absent => match cache.reserve(memory, pid, page) {
            Reserve::Line(line) => Answer::Reserved { line },
            Reserve::NoWay => Answer::NoWay,
        },
    }
}

/// A cache at offset 0 of host memory.
pub struct InMemory<const E: u32, const L: u32, const W: u32> {
    pub cache: Vmh<E, L, W>,
    pub words: Vec<u32>,
}

impl<const E: u32, const L: u32, const W: u32> Default for InMemory<E, L, W> {
    fn default() -> Self {
        let cache = Vmh::new(0);
        // Garbage, as in an SRAM after power-up.
        let mut words = vec![0xDEAD_BEEF; Vmh::<E, L, W>::GEOMETRY.bytes() as usize / 4];
        cache.reset(&mut words);
        InMemory { cache, words }
    }
}

impl<const E: u32, const L: u32, const W: u32> Target for InMemory<E, L, W> {
    type Error = std::convert::Infallible;

    fn use_page(&mut self, path: Path, pid: u32, page: u32) -> Result<Answer, Self::Error> {
        Ok(use_page(&self.cache, &mut self.words, path, pid, page))
    }

    fn unlock(&mut self, path: Path, line: u32) -> Result<Answer, Self::Error> {
        Ok(if self.cache.unlock(&mut self.words, path, line) { Answer::Done } else { Answer::Nothing })
    }

    fn invalidate(&mut self, pid: u32, page: u32) -> Result<Answer, Self::Error> {
        Ok(if self.cache.invalidate(&mut self.words, pid, page) { Answer::Done } else { Answer::Nothing })
    }

    fn fill(&mut self, line: u32, miss_key: u32, page_number: &dyn Fn(u32) -> u32) -> Result<(), Self::Error> {
        for (offset, value) in fill_words(Vmh::<E, L, W>::GEOMETRY, line, miss_key, page_number) {
            self.words.write(offset, value);
        }
        Ok(())
    }

    fn release(&mut self, line: u32) -> Result<(), Self::Error> {
        let (offset, value) = release_words(Vmh::<E, L, W>::GEOMETRY, line);
        self.words.write(offset, value);
        Ok(())
    }
}

/// The page number that a fill with `seed` gives a page; some have none.
pub fn page_number(seed: u32, page: u32) -> u32 {
    if (page + seed) % 11 == 0 {
        NO_TRANSLATION
    } else {
        page ^ (seed << 12)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Empty,
    Reserved { pid: u32, line_page: u32 },
    Valid { pid: u32, line_page: u32, entries: Vec<u32> },
}

#[derive(Clone, Debug)]
struct Way {
    content: Content,
    /// Send, receive.
    locks: [u32; 2],
}

/// The dull model. Sets are lists of ways; `order` lists ways from the latest use to the first.
pub struct Model {
    geometry: VmhGeometry,
    ways: Vec<Way>,
    order: Vec<Vec<u32>>,
    /// Outstanding references and reservations, oldest first.
    references: Vec<(Path, u32)>,
    reserved: Vec<u32>,
}

impl Model {
    pub fn new(geometry: VmhGeometry) -> Model {
        let ways = vec![Way { content: Content::Empty, locks: [0; 2] }; geometry.lines() as usize];
        let order = vec![(0..geometry.ways).collect(); geometry.sets() as usize];
        Model { geometry, ways, order, references: Vec::new(), reserved: Vec::new() }
    }

    fn find(&self, pid: u32, page: u32) -> Option<u32> {
        let (set, page) = (self.geometry.set_of(page), self.geometry.line_page(page));
        (set * self.geometry.ways..(set + 1) * self.geometry.ways).find(|&line| {
            match self.ways[line as usize].content {
                Content::Empty => false,
                Content::Reserved { pid: p, line_page } | Content::Valid { pid: p, line_page, .. } => {
                    (p, line_page) == (pid, page)
                }
            }
        })
    }

    fn touch(&mut self, line: u32, to_front: bool) {
        let way = line % self.geometry.ways;
        let order = &mut self.order[(line / self.geometry.ways) as usize];
        order.retain(|&other| other != way);
        let place = if to_front { 0 } else { order.len() };
        order.insert(place, way);
    }

    fn use_page(&mut self, path: Path, pid: u32, page: u32) -> Answer {
        if let Some(line) = self.find(pid, page) {
            let Content::Valid { entries, .. } = &self.ways[line as usize].content else {
                return Answer::Pending;
            };
            let entry = entries[(page % self.geometry.line_entries) as usize];
            self.ways[line as usize].locks[path as usize] += 1;
            self.references.push((path, line));
            self.touch(line, true);
            return Answer::Hit { line, entry };
        }
        let set = self.geometry.set_of(page);
        let victim = self.order[set as usize].iter().rev().map(|way| set * self.geometry.ways + way).find(|&line| {
            let way = &self.ways[line as usize];
            way.locks == [0; 2] && !matches!(way.content, Content::Reserved { .. })
        });
        let Some(line) = victim else {
            return Answer::NoWay;
        };
        self.ways[line as usize].content = Content::Reserved { pid, line_page: self.geometry.line_page(page) };
        self.reserved.push(line);
        self.touch(line, true);
        Answer::Reserved { line }
    }

    /// Fills a reserved line; its process and first page.
    fn fill(&mut self, line: u32, seed: u32) -> (u32, u32) {
        let Content::Reserved { pid, line_page } = self.ways[line as usize].content else {
            unreachable!("the model's list of reserved lines is wrong");
        };
        let entries = (0..self.geometry.line_entries).map(|index| page_number(seed, line_page + index)).collect();
        self.ways[line as usize].content = Content::Valid { pid, line_page, entries };
        (pid, line_page)
    }

    fn invalidate(&mut self, pid: u32, page: u32) -> Answer {
        let Some(line) = self.find(pid, page) else {
            return Answer::Nothing;
        };
        self.ways[line as usize].content = Content::Empty;
        self.reserved.retain(|&other| other != line);
        self.touch(line, false);
        Answer::Done
    }

    /// The lines that DMA refers to, oldest reference first.
    pub fn references(&self) -> &[(Path, u32)] {
        &self.references
    }

    /// The lines that wait for the driver, oldest first.
    pub fn reserved(&self) -> &[u32] {
        &self.reserved
    }
}

/// How often each answer came: a list that never hits tests little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub hits: u32,
    pub reserved: u32,
    pub pending: u32,
    pub no_way: u32,
    pub fills: u32,
    pub unlocks: u32,
    pub invalidations: u32,
}

impl Coverage {
    pub fn add(&mut self, more: Coverage) {
        self.hits += more.hits;
        self.reserved += more.reserved;
        self.pending += more.pending;
        self.no_way += more.no_way;
        self.fills += more.fills;
        self.unlocks += more.unlocks;
        self.invalidations += more.invalidations;
    }

    /// The rarest answer or operation.
    pub fn least(&self) -> u32 {
        let counts =
            [self.hits, self.reserved, self.pending, self.no_way, self.fills, self.unlocks, self.invalidations];
        counts.into_iter().min().unwrap_or(0)
    }
}

#[derive(Debug)]
pub enum Failure<E> {
    /// Step `index` answered other than the model.
    Mismatch {
        index: usize,
        op: CacheOp,
        expected: Answer,
        got: Answer,
    },
    Target {
        index: usize,
        op: CacheOp,
        error: E,
    },
}

/// A target and the model, one step after another. What a step breaks is found at that step.
pub struct Walk {
    model: Model,
    coverage: Coverage,
    index: usize,
}

impl Walk {
    pub fn new(geometry: VmhGeometry) -> Walk {
        Walk { model: Model::new(geometry), coverage: Coverage::default(), index: 0 }
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Runs one operation on a target whose cache was empty before the first, and compares the answer with the model's. `None`: nothing was
    /// outstanding, or the driver did it alone.
    pub fn step<T: Target + ?Sized>(
        &mut self,
        op: CacheOp,
        target: &mut T,
    ) -> Result<Option<Answer>, Failure<T::Error>> {
        let index = self.index;
        self.index += 1;
        let failed = |error| Failure::Target { index, op, error };
        let (model, coverage) = (&mut self.model, &mut self.coverage);
        let (expected, got) = match op {
            CacheOp::Use { path, pid, page } => {
                let expected = model.use_page(path, pid, page);
                match expected {
                    Answer::Hit { .. } => coverage.hits += 1,
                    Answer::Reserved { .. } => coverage.reserved += 1,
                    Answer::Pending => coverage.pending += 1,
                    _ => coverage.no_way += 1,
                }
                (expected, target.use_page(path, pid, page).map_err(failed)?)
            }
            CacheOp::Unlock { nth } => {
                if model.references.is_empty() {
                    return Ok(None);
                }
                let (path, line) = model.references.remove(nth as usize % model.references.len());
                model.ways[line as usize].locks[path as usize] -= 1;
                coverage.unlocks += 1;
                (Answer::Done, target.unlock(path, line).map_err(failed)?)
            }
            CacheOp::Fill { nth, seed } => {
                if model.reserved.is_empty() {
                    return Ok(None);
                }
                let line = model.reserved.remove(nth as usize % model.reserved.len());
                let (pid, line_page) = model.fill(line, seed);
                coverage.fills += 1;
                target
                    .fill(line, key(pid, line_page, KEY_RESERVED), &|page| page_number(seed, page))
                    .map_err(failed)?;
                return Ok(None);
            }
            CacheOp::Release { nth } => {
                if model.reserved.is_empty() {
                    return Ok(None);
                }
                let line = model.reserved.remove(nth as usize % model.reserved.len());
                model.ways[line as usize].content = Content::Empty;
                target.release(line).map_err(failed)?;
                return Ok(None);
            }
            CacheOp::Invalidate { pid, page } => {
                coverage.invalidations += 1;
                (model.invalidate(pid, page), target.invalidate(pid, page).map_err(failed)?)
            }
        };
        if expected != got {
            return Err(Failure::Mismatch { index, op, expected, got });
        }
        Ok(Some(got))
    }
}

/// Runs a list on a target and compares each answer with the model.
pub fn replay<T: Target>(
    geometry: VmhGeometry,
    ops: &[CacheOp],
    target: &mut T,
) -> Result<Coverage, Failure<T::Error>> {
    let mut walk = Walk::new(geometry);
    for &op in ops {
        walk.step(op, target)?;
    }
    Ok(walk.coverage())
}
