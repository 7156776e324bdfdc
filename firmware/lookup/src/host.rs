//! One interface to a cache in host memory and to a cache behind the pins of a NIC.

use crate::{fill_words, release_words, Lookup, Path, Reserve, Vmh};
use nic_device::Words;

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
        // Garbage, as in an SRAM after power-up.
        let mut words = vec![0xDEAD_BEEF; Vmh::<E, L, W>::GEOMETRY.bytes() as usize / 4];
        let cache = Vmh::new(&words, 0);
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
