//! Cursors against a list of the addresses of every byte.

use std::collections::BTreeMap;

use nic_device::{Place, Words};
use nic_layout::personality::emp::descriptor::{chain_words, Failure, Format, Page};
use nic_layout::personality::emp::list;
use nic_layout::PAGE_BYTES;
use nic_scatter::{Cursor, Lists, Step};
use proptest::prelude::*;

const CURSOR: u32 = 0;
const CHAIN: u32 = 64;
const LIST: u32 = 4096;

/// List pages in host memory; one of them at a time is in the SRAM.
struct Host {
    pages: BTreeMap<u32, Vec<u8>>,
    loaded: Option<u32>,
}

impl Lists for Host {
    fn find(&self, address: u32) -> Option<Place> {
        (self.loaded == Some(address)).then_some(Place(LIST))
    }
}

/// A message and everything that its cursor reads.
struct Message {
    words: Vec<u32>,
    host: Host,
    pages: Vec<Page>,
    loads: u32,
    /// Steps that the cursor could do.
    steps: u32,
}

const FIRST_LIST: u32 = 0x10_0000;

impl Message {
    fn new(format: Format, pages: &[Page]) -> Message {
        let mut message = Message {
            words: vec![0; 4096],
            host: Host { pages: BTreeMap::new(), loaded: None },
            pages: pages.to_vec(),
            loads: 0,
            steps: 0,
        };
        let mut first = pages[0];
        match format {
            Format::Page => {}
            Format::Chain => {
                for (n, pair) in pages[1..].chunks(2).enumerate() {
                    let pair = [pair[0], pair.get(1).copied().unwrap_or_default()];
                    for (word, value) in chain_words(pair).into_iter().enumerate() {
                        message.words.write(CHAIN + 20 * (n as u32 + 1) + 4 * word as u32, value);
                    }
                }
            }
            Format::List => {
                let chunks = pages.chunks(list::PAGES as usize);
                let last = chunks.len() - 1;
                for (n, chunk) in chunks.enumerate() {
                    let mut bytes = chunk.iter().flat_map(|&page| list::entry(page)).collect::<Vec<u8>>();
                    bytes.resize(PAGE_BYTES as usize, 0);
                    if n < last {
                        let link = Page { address: u64::from(FIRST_LIST + PAGE_BYTES * (n as u32 + 1)), bytes: 0 };
                        bytes[(list::LINK * list::ENTRY_BYTES) as usize..][..10].copy_from_slice(&list::entry(link));
                    }
                    message.host.pages.insert(FIRST_LIST + PAGE_BYTES * n as u32, bytes);
                }
                first = Page { address: u64::from(FIRST_LIST), bytes: 0 };
            }
        }
        message.cursor().start(&mut message.words, format, first).unwrap();
        message
    }

    fn cursor(&self) -> Cursor {
        Cursor::at(Place(CURSOR))
    }

    /// Seeks, and loads what the cursor asks for.
    fn seek(&mut self, offset: u32) -> Step {
        loop {
            let step = self.cursor().seek(&mut self.words, &self.host, Place(CHAIN), offset);
            let Step::Load(address) = step else { return step };
            if self.host.loaded == Some(address) {
                continue;
            }
            let Some(bytes) = self.host.pages.get(&address) else { return Step::Bad(Failure::BusError) };
            for (n, word) in bytes.chunks(4).enumerate() {
                self.words.write(LIST + 4 * n as u32, u32::from_le_bytes(word.try_into().unwrap()));
            }
            self.host.loaded = Some(address);
            self.loads += 1;
        }
    }

    /// Where a byte is, and how many follow it in its page.
    fn expected(&self, offset: u32) -> Option<(u32, u32)> {
        let mut left = offset;
        for page in &self.pages {
            if left < u32::from(page.bytes) {
                return Some((page.address as u32 + left, u32::from(page.bytes) - left));
            }
            left -= u32::from(page.bytes);
        }
        None
    }

    fn check(&mut self, offset: u32) {
        let expected = self.expected(offset);
        match (self.seek(offset), expected) {
            (Step::Run(run), Some(expected)) => assert_eq!((run.address, run.bytes), expected, "byte {offset}"),
            (Step::Bad(Failure::BadList), None) => {}
            (step, expected) => panic!("byte {offset}: {step:?}, expected {expected:?}"),
        }
    }
}

impl Message {
    /// Goes on to the page behind the page of a byte, in one step if the cursor can.
    fn step_behind(&mut self, offset: u32) {
        let Step::Run(run) = self.seek(offset) else { return };
        let next = offset + run.bytes;
        let found = self.cursor().step(&mut self.words, &self.host, Place(CHAIN), next);
        if found.bytes != 0 {
            assert_eq!(Some((found.address, found.bytes)), self.expected(next), "byte {next}");
            self.steps += 1;
        }
        self.check(next);
    }
}

/// Pages of any length at any place of their page, no two at one address.
fn pages(count: impl Strategy<Value = usize>) -> impl Strategy<Value = Vec<Page>> {
    count.prop_flat_map(|count| proptest::collection::vec((0..PAGE_BYTES, any::<u32>()), count)).prop_map(|pages| {
        let page = |(n, (start, bytes)): (usize, (u32, u32))| Page {
            address: u64::from(0x100_0000 + PAGE_BYTES * n as u32 + start),
            bytes: (1 + bytes % (PAGE_BYTES - start)) as u16,
        };
        pages.into_iter().enumerate().map(page).collect()
    })
}

fn whole_pages(count: u32) -> Vec<Page> {
    (0..count).map(|n| Page { address: u64::from(0x100_0000 + 2 * PAGE_BYTES * n), bytes: PAGE_BYTES as u16 }).collect()
}

proptest! {
    #[test]
    fn one_page_is_found_from_any_byte(pages in pages(Just(1)), offsets in proptest::collection::vec(0_u32..5000, 1..20)) {
        let mut message = Message::new(Format::Page, &pages);
        offsets.into_iter().for_each(|offset| message.check(offset));
    }

    #[test]
    fn a_chain_is_walked_in_any_order(
        pages in pages(2..=7_usize),
        offsets in proptest::collection::vec(0_u32..30_000, 1..40),
    ) {
        let mut message = Message::new(Format::Chain, &pages);
        for offset in offsets {
            message.check(offset);
            message.step_behind(offset / 3);
        }
    }

    #[test]
    fn a_list_is_walked_in_any_order(
        pages in pages(prop_oneof![1..=9_usize, 400..=420_usize, 810..=830_usize]),
        offsets in proptest::collection::vec(any::<u32>(), 1..40),
    ) {
        let length = pages.iter().map(|page| u32::from(page.bytes)).sum::<u32>();
        let mut message = Message::new(Format::List, &pages);
        // A little beyond the end too.
        for offset in offsets {
            message.check(offset % (length + 100));
            message.step_behind(offset / 3 % (length + 100));
        }
    }
}

#[test]
fn the_longest_message_loads_each_list_page_once() {
    let mut message = Message::new(Format::List, &whole_pages(4096));
    for offset in (0..4096 * PAGE_BYTES).step_by(1486) {
        message.check(offset);
    }
    assert_eq!(message.loads, 11);
}

#[test]
fn a_step_leads_from_each_page_to_the_next_of_its_list_page() {
    for (format, pages, steps) in [(Format::Page, 1, 0), (Format::Chain, 7, 6), (Format::List, 408, 407)] {
        let mut message = Message::new(format, &whole_pages(pages));
        (0..pages).for_each(|page| message.step_behind(page * PAGE_BYTES));
        assert_eq!(message.steps, steps, "{format:?}");
    }
}

#[test]
fn a_frame_that_comes_late_costs_no_load_inside_a_list_page() {
    let mut message = Message::new(Format::List, &whole_pages(400));
    for offset in [390 * PAGE_BYTES, 0, 200 * PAGE_BYTES + 17, 399 * PAGE_BYTES, 3] {
        message.check(offset);
    }
    assert_eq!(message.loads, 1);
}

#[test]
fn wrong_pages_are_refused() {
    let cross = Page { address: 4000, bytes: 200 };
    let start = |format, page| {
        let mut words = vec![0; 64];
        Cursor::at(Place(0)).start(&mut words, format, page)
    };
    for format in [Format::Page, Format::Chain] {
        assert_eq!(start(format, cross), Err(Failure::BadList));
        assert_eq!(start(format, Page { address: 1 << 33, bytes: 8 }), Err(Failure::BadList));
    }
    assert_eq!(start(Format::List, Page { address: 2, bytes: 0 }), Err(Failure::BadList));
    assert_eq!(start(Format::Page, Page::default()), Ok(()), "a message of no bytes");

    let good = Page { address: 0x5000, bytes: 100 };
    for format in [Format::Chain, Format::List] {
        let mut message = Message::new(format, &[good, cross]);
        assert_eq!(message.seek(50), Step::Run(nic_scatter::Run { address: 0x5032, bytes: 50 }));
        assert_eq!(message.seek(100), Step::Bad(Failure::BadList));
        assert_eq!(
            message.seek(99),
            Step::Run(nic_scatter::Run { address: 0x5063, bytes: 1 }),
            "the rest is still there"
        );
    }
}

#[test]
fn a_list_that_leads_to_itself_ends_where_its_bytes_do() {
    let mut pages = whole_pages(408);
    pages.push(pages[0]);
    let mut message = Message::new(Format::List, &pages);
    let link = list::entry(Page { address: u64::from(FIRST_LIST), bytes: 0 });
    let first = message.host.pages.get_mut(&FIRST_LIST).unwrap();
    first[(list::LINK * list::ENTRY_BYTES) as usize..][..10].copy_from_slice(&link);
    for offset in (0..(16 << 20)).step_by(100_000) {
        assert!(matches!(message.seek(offset), Step::Run(_)), "{offset}");
    }
}
