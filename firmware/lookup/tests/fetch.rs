//! Lines that the NIC fetches from the host's table (M-58), while the host takes translations away:
//! what is valid is what the table holds.

use std::collections::VecDeque;

use nic_device::Words;
use nic_layout::vmh::{
    key, key_line_page, key_pid, VmhGeometry, KEY_RESERVED, KEY_STATE_MASK, KEY_VALID, NO_TRANSLATION,
};
use nic_lookup::{fill_words, Fetched, Lookup, Path, Reserve, Vmh};
use proptest::prelude::*;

const GEOMETRY: VmhGeometry = VmhGeometry { entries: 64, line_entries: 8, ways: 2 };
const PID: u32 = 3;
/// Half as many lines again as a set has ways, in two of the four sets.
const LINES: u32 = 6;
const HOST_PAGES: u32 = 1 << 20;

fn first_page(line: u32) -> u32 {
    (line / 2 * GEOMETRY.sets() + line % 2) * GEOMETRY.line_entries
}

/// A transfer of a line, from the time that its line was reserved.
struct Fetch {
    line: u32,
    page: u32,
    /// What was read of the table.
    data: Option<Vec<u32>>,
}

struct Bench {
    cache: Vmh<64, 8, 2>,
    words: Vec<u32>,
    /// The host's table, by virtual page.
    table: Vec<u32>,
    fetches: VecDeque<Fetch>,
    /// Lines that the host was asked to fill, with the key.
    asked: VecDeque<(u32, u32)>,
    locked: Vec<u32>,
    next: u32,
    lost: u32,
    filled: u32,
}

impl Bench {
    fn new() -> Bench {
        let mut words = vec![0xDEAD_BEEF; GEOMETRY.bytes() as usize / 4];
        let cache = Vmh::new(&words, 0);
        cache.reset(&mut words);
        let table = vec![NO_TRANSLATION; (LINES * GEOMETRY.sets() * GEOMETRY.line_entries) as usize];
        let (fetches, asked) = (VecDeque::new(), VecDeque::new());
        Bench { cache, words, table, fetches, asked, locked: Vec::new(), next: 0, lost: 0, filled: 0 }
    }

    fn key(&self, line: u32) -> u32 {
        self.words.read(GEOMETRY.key_offset(line))
    }

    fn step(&mut self, random: u64) -> Result<(), TestCaseError> {
        let bits = |low: u32, count: u32| (random >> low) as u32 & ((1 << count) - 1);
        let first = first_page(bits(8, 8) % LINES);
        let page = first + bits(16, 3);
        match bits(0, 3) {
            0..=2 => self.look_up(page)?,
            3 => {
                if let Some(fetch) = self.fetches.iter_mut().find(|fetch| fetch.data.is_none()) {
                    let first = GEOMETRY.line_page(fetch.page) as usize;
                    fetch.data = Some(self.table[first..first + GEOMETRY.line_entries as usize].to_vec());
                }
            }
            4 => self.end_one(bits(20, 4) != 0)?,
            5 => {
                if let Some((line, asked)) = self.asked.pop_front().filter(|(line, asked)| self.key(*line) == *asked) {
                    let table = &self.table;
                    let writes: Vec<_> = fill_words(GEOMETRY, line, asked, |page| table[page as usize]).collect();
                    writes.into_iter().for_each(|(at, word)| self.words.write(at, word));
                }
            }
            6 => {
                if !self.locked.is_empty() {
                    let line = self.locked.swap_remove(bits(20, 8) as usize % self.locked.len());
                    prop_assert!(self.cache.unlock(&mut self.words, Path::Receive, line));
                }
            }
            _ => {
                // The driver changes a line of its table, and takes it from the NIC.
                let pinned = bits(20, 2) != 0;
                for page in first..first + GEOMETRY.line_entries {
                    self.next += 1;
                    self.table[page as usize] = if pinned { self.next } else { NO_TRANSLATION };
                }
                self.cache.invalidate(&mut self.words, PID, page);
                let taken = key(PID, first, KEY_RESERVED);
                self.asked.retain(|(_, asked)| *asked != taken);
            }
        }
        self.check()
    }

    fn look_up(&mut self, page: u32) -> Result<(), TestCaseError> {
        match self.cache.lookup(&mut self.words, Path::Receive, PID, page) {
            Lookup::Hit { line, entry } => {
                prop_assert_eq!(entry, self.table[page as usize], "INV-20: a hit is what the table holds");
                self.locked.push(line);
            }
            Lookup::Pending => {}
            Lookup::Absent => {
                if let Reserve::Line(line) = self.cache.reserve(&mut self.words, PID, page) {
                    let is_under_way = self.fetches.iter().any(|fetch| fetch.line == line);
                    prop_assert!(!is_under_way, "INV-19: line {line} is given away while a transfer goes there");
                    self.cache.begin_fetch(&mut self.words, line);
                    self.fetches.push_back(Fetch { line, page, data: None });
                }
            }
        }
        Ok(())
    }

    /// Transfers end in their order.
    fn end_one(&mut self, came: bool) -> Result<(), TestCaseError> {
        if self.fetches.front().is_none_or(|fetch| fetch.data.is_none()) {
            return Ok(());
        }
        let Some(Fetch { line, page, data }) = self.fetches.pop_front() else { return Ok(()) };
        for (n, word) in (0..).zip(data.into_iter().flatten()).filter(|_| came) {
            self.words.write(GEOMETRY.entry_offset(line, n), word);
        }
        let had = self.key(line) & !KEY_STATE_MASK == key(PID, GEOMETRY.line_page(page), 0) && self.key(line) != 0;
        let ended = self.cache.end_fetch(&mut self.words, line, (PID, page), came, HOST_PAGES);
        prop_assert!(self.cache.unlock(&mut self.words, Path::Send, line), "INV-15: it was locked");
        match ended {
            Fetched::Filled => self.filled += 1,
            Fetched::Unfilled => self.asked.push_back((line, key(PID, GEOMETRY.line_page(page), KEY_RESERVED))),
            Fetched::Lost => self.lost += 1,
        }
        prop_assert_eq!(ended == Fetched::Lost, !had, "INV-19: lost is what was taken away");
        Ok(())
    }

    /// INV-19, INV-20: every valid line holds what the table holds; INV-16: what is reserved is
    /// being fetched, or asked for.
    fn check(&self) -> Result<(), TestCaseError> {
        for line in 0..GEOMETRY.lines() {
            let found = self.key(line);
            let first = key_line_page(found);
            match found & KEY_STATE_MASK {
                KEY_VALID => {
                    prop_assert_eq!(key_pid(found), PID);
                    for n in 0..GEOMETRY.line_entries {
                        let entry = self.words.read(GEOMETRY.entry_offset(line, n));
                        let expected = self.table[(first + n) as usize];
                        prop_assert_eq!(entry, expected, "INV-19: line {} is not what the table holds", line);
                    }
                }
                KEY_RESERVED => {
                    let fetched = self.fetches.iter().any(|fetch| fetch.line == line);
                    let owed = fetched || self.asked.contains(&(line, found));
                    prop_assert!(owed, "INV-16: line {line} is reserved, and nobody answers");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

proptest! {
    #[test]
    fn valid_lines_hold_what_the_table_holds(list in prop::collection::vec(any::<u64>(), 1..400)) {
        let mut bench = Bench::new();
        for random in list {
            bench.step(random)?;
        }
    }
}

#[test]
fn fetches_are_filled_and_lost_in_such_lists() {
    let mut bench = Bench::new();
    let mut random = 1u64;
    for _ in 0..20_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bench.step(random.rotate_left(29)).expect("no rule is broken");
    }
    assert!(bench.filled > 100 && bench.lost > 100, "{} filled, {} lost", bench.filled, bench.lost);
}

#[test]
fn a_fetch_of_a_page_without_translation_or_of_an_error_leaves_the_line_reserved() {
    for came in [false, true] {
        let mut bench = Bench::new();
        bench.look_up(first_page(0)).expect("legal");
        let Fetch { line, page, .. } = bench.fetches.pop_front().expect("it missed");
        bench.words.write(GEOMETRY.entry_offset(line, 0), if came { HOST_PAGES } else { 7 });
        let ended = bench.cache.end_fetch(&mut bench.words, line, (PID, page), came, HOST_PAGES);
        assert_eq!((ended, bench.key(line)), (Fetched::Unfilled, key(PID, page, KEY_RESERVED)));
    }
}
