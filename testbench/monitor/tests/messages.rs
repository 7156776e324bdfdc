//! The watch of messages fires on each kind of DMA that no posted descriptor allows, and on no
//! other.

use nic_layout::personality::emp::descriptor::{chain_words, offset_bytes, stat, Descriptor, Format, Page};
use nic_layout::personality::emp::{list, MAILBOX_RECEIVE, MAILBOX_SEND};
use nic_layout::registers::{ident, mailbox};
use nic_layout::ring::{COMMAND_CLOSE, MAILBOX_COMMAND_DONE};
use nic_layout::WINDOW_OFFSET;
use nic_monitor::watches::{Messages, Watches};
use nic_monitor::{Monitor, Pins, Places, Transfer};
use sim_pins::Ps;

const REGISTERS: u32 = 0xF000_0000;
const SRAM: u32 = 0xE000_0000;
/// SRAM offset of the descriptors.
const START: u32 = 0x2_0000;
const PAGE: u32 = 0x0123_4000;
const SEND: u32 = 7;
const RECEIVE: u32 = 300;

struct Host;

impl Pins for Host {
    fn pinned(&self, _pid: u32, page: u32) -> Option<u32> {
        Some(page)
    }
}

struct Bench {
    monitor: Monitor,
    at: Ps,
}

impl Bench {
    fn new() -> Bench {
        let mut monitor = Monitor::new(0);
        let places =
            Places { registers: REGISTERS, sram: SRAM, sram_bytes: 0x8_0000, posts: None, host_pages: 0x10_0000 };
        monitor.place(places, Watches::new(vec![Box::new(Messages::new(START))]));
        Bench { monitor, at: Ps::ZERO }
    }

    fn transfer(&mut self, by_nic: bool, is_write: bool, address: u32, value: u32) -> &mut Bench {
        self.at = Ps(self.at.0 + 30_000);
        let transfer = Transfer { at: self.at, by_nic, is_write, address, data: value.into(), byte_enables: 0xF };
        self.monitor.transfers(&[transfer], &Host);
        self
    }

    /// The host writes a descriptor through the window, and its number to a mailbox.
    fn post(&mut self, number: u32, format: Format, address: u32, bytes: u32, more: &[[u32; 5]]) -> &mut Bench {
        let page_bytes = if format == Format::List { 0 } else { bytes.min(100) as u16 };
        let descriptor = Descriptor {
            stat: stat::POSTED,
            format,
            flags: 0,
            node: 1,
            tag: 0,
            page_bytes,
            length_bytes: bytes,
            address: address.into(),
        };
        let offset = offset_bytes(number);
        self.transfer(false, true, REGISTERS + ident::WINDOW_BASE.offset().0, START + offset / 2048 * 2048);
        let words = [descriptor.words()].into_iter().chain(more.iter().copied()).flatten();
        for (word, value) in (0..).zip(words) {
            self.transfer(false, true, REGISTERS + WINDOW_OFFSET + offset % 2048 + 4 * word, value);
        }
        let mailbox = if number < 200 { MAILBOX_SEND } else { MAILBOX_RECEIVE };
        self.transfer(false, true, REGISTERS + mailbox::TO_NIC.at(mailbox).offset().0, number)
    }

    /// The host polls the descriptor.
    fn sees(&mut self, number: u32, stat: u8) -> &mut Bench {
        self.transfer(false, false, SRAM + START + offset_bytes(number), stat.into())
    }

    fn dma_write(&mut self, address: u32) -> &mut Bench {
        self.transfer(true, true, address, 0)
    }

    fn dma_read(&mut self, address: u32, value: u32) -> &mut Bench {
        self.transfer(true, false, address, value)
    }

    fn broken(&self) -> Option<u8> {
        self.monitor.violation().map(|violation| violation.invariant.0)
    }
}

#[test]
fn dma_of_posted_messages_is_allowed() {
    let mut bench = Bench::new();
    bench.post(RECEIVE, Format::Page, PAGE, 100, &[]).dma_write(PAGE).dma_write(PAGE + 96);
    bench.post(SEND, Format::Page, PAGE + 4096, 100, &[]).dma_read(PAGE + 4096, 0).dma_read(PAGE + 4192, 0);
    bench.sees(RECEIVE, stat::TAKEN).dma_write(PAGE + 4);
    assert_eq!(bench.broken(), None);
}

#[test]
fn dma_beside_a_page_breaks_a_rule() {
    let after = |step: &dyn Fn(&mut Bench)| {
        let mut bench = Bench::new();
        bench.post(RECEIVE, Format::Page, PAGE, 100, &[]).post(SEND, Format::Page, PAGE + 4096, 100, &[]);
        step(&mut bench);
        bench.broken()
    };
    assert_eq!(after(&|bench| _ = bench.dma_write(PAGE + 100)), Some(27), "behind the receive");
    assert_eq!(after(&|bench| _ = bench.dma_write(PAGE - 4)), Some(27), "before it");
    assert_eq!(after(&|bench| _ = bench.dma_write(PAGE + 98)), Some(27), "half of it behind");
    assert_eq!(after(&|bench| _ = bench.dma_write(PAGE + 4096)), Some(27), "into the send");
    assert_eq!(after(&|bench| _ = bench.dma_read(PAGE, 0)), Some(25), "from the receive");
    assert_eq!(after(&|bench| _ = bench.dma_read(PAGE + 4196, 0)), Some(25), "behind the send");
    let ended = |bench: &mut Bench| _ = bench.sees(RECEIVE, stat::DONE).dma_write(PAGE);
    assert_eq!(after(&ended), Some(27), "after its end");
    let done = REGISTERS + mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE).offset().0;
    let closed = |bench: &mut Bench| _ = bench.transfer(false, false, done, COMMAND_CLOSE).dma_write(PAGE);
    assert_eq!(after(&closed), Some(36), "after the end of the process");
}

#[test]
fn what_was_not_posted_allows_nothing() {
    let mut bench = Bench::new();
    bench.post(RECEIVE, Format::Page, PAGE, 100, &[]).sees(RECEIVE, stat::DONE);
    // The descriptor stands there, but its first byte is not `POSTED`.
    bench.transfer(false, true, SRAM + START + offset_bytes(RECEIVE), stat::FREE.into());
    bench.transfer(false, true, REGISTERS + mailbox::TO_NIC.at(MAILBOX_RECEIVE).offset().0, RECEIVE);
    assert_eq!(bench.dma_write(PAGE).broken(), Some(27));
}

#[test]
fn every_page_of_a_chain_is_allowed() {
    let page = |address: u32, bytes| Page { address: address.into(), bytes };
    let more = [chain_words([page(PAGE + 0x5000, 40), page(PAGE + 0x9000, 20)])];
    let mut bench = Bench::new();
    bench.post(RECEIVE, Format::Chain, PAGE, 160, &more);
    bench.dma_write(PAGE).dma_write(PAGE + 0x5024).dma_write(PAGE + 0x9010);
    assert_eq!(bench.broken(), None);
    assert_eq!(bench.dma_write(PAGE + 0x5028).broken(), Some(27));
}

#[test]
fn pages_of_a_list_are_allowed_when_the_nic_has_read_them() {
    let (list, link) = (PAGE, PAGE + 0x10_0000);
    let entries = |pages: &[(u32, u32, u16)]| {
        let mut bytes = vec![0; 4096];
        for (number, address, length) in pages {
            let at = (number * list::ENTRY_BYTES) as usize;
            bytes[at..at + 10].copy_from_slice(&list::entry(Page { address: (*address).into(), bytes: *length }));
        }
        bytes
    };
    let read = |bench: &mut Bench, at: u32, bytes: &[u8]| {
        for (word, value) in (0..).zip(bytes.chunks_exact(4)) {
            bench.dma_read(at + 4 * word, u32::from_le_bytes([value[0], value[1], value[2], value[3]]));
        }
    };
    let first = entries(&[(0, 0x70_0000, 4096), (1, 0x90_0000, 100), (list::LINK, link, 0)]);
    let mut bench = Bench::new();
    bench.post(RECEIVE, Format::List, list, 4400, &[]);
    read(&mut bench, list, &first);
    bench.dma_write(0x70_0FFC).dma_write(0x90_0000);
    assert_eq!(bench.broken(), None);
    read(&mut bench, link, &entries(&[(0, 0xA0_0000, 204)]));
    bench.dma_write(0xA0_0000 + 200);
    assert_eq!(bench.broken(), None, "{:?}", bench.monitor.violation());
    assert_eq!(bench.dma_write(0x90_0064).broken(), Some(27));
    // Before the list page was read, it names nothing.
    let mut bench = Bench::new();
    bench.post(RECEIVE, Format::List, list, 4400, &[]);
    assert_eq!(bench.dma_write(0x70_0000).broken(), Some(27));
}
