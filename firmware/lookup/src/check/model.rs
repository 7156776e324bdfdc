//! The model: lists, no words, no bits.

use nic_layout::vmh::{VmhGeometry, NO_TRANSLATION};

use super::Answer;
use crate::Path;

/// The page number that a fill with `seed` gives a page; some have none.
pub fn page_number(seed: u32, page: u32) -> u32 {
    if (page + seed) % 11 == 0 {
        NO_TRANSLATION
    } else {
        page ^ (seed << 12)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Empty,
    Reserved { pid: u32, line_page: u32 },
    Valid { pid: u32, line_page: u32, entries: Vec<u32> },
}

#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) content: Content,
    /// Send, receive.
    pub(super) locks: [u32; 2],
}

/// The dull model. Sets are lists of ways; `order` lists ways from the latest use to the first.
pub struct Model {
    geometry: VmhGeometry,
    pub(super) ways: Vec<Way>,
    order: Vec<Vec<u32>>,
    /// Outstanding references and reservations, oldest first.
    pub(super) references: Vec<(Path, u32)>,
    pub(super) reserved: Vec<u32>,
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

    pub(super) fn use_page(&mut self, path: Path, pid: u32, page: u32) -> Answer {
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
    pub(super) fn fill(&mut self, line: u32, seed: u32) -> (u32, u32) {
        let Content::Reserved { pid, line_page } = self.ways[line as usize].content else {
            unreachable!("the model's list of reserved lines is wrong");
        };
        let entries = (0..self.geometry.line_entries).map(|index| page_number(seed, line_page + index)).collect();
        self.ways[line as usize].content = Content::Valid { pid, line_page, entries };
        (pid, line_page)
    }

    pub(super) fn invalidate(&mut self, pid: u32, page: u32) -> Answer {
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
