//! The watch of pages fires on each kind of DMA that no posted descriptor allows, and on no other.

use nic_layout::personality::emp::descriptor::{chain_words, offset_bytes, stat, Format, Page};
use nic_layout::personality::emp::{list, MAILBOX_RECEIVE};
use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_CLOSE, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};

use super::bench::{Bench, PAGE, RECEIVE, REGISTERS, SEND, SRAM, START};

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
    let ended = |bench: &mut Bench| _ = bench.sees(RECEIVE, stat::FAILED).dma_write(PAGE);
    assert_eq!(after(&ended), Some(27), "after its end");
    let done = REGISTERS + mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE).offset().0;
    let command = REGISTERS + mailbox::TO_NIC.at(MAILBOX_COMMAND).offset().0;
    let closed = |bench: &mut Bench| {
        bench.transfer(false, true, command, COMMAND_CLOSE);
        bench.transfer(false, false, done, COMMAND_CLOSE).dma_write(PAGE);
    };
    assert_eq!(after(&closed), Some(36), "after the end of the process");
}

#[test]
fn what_was_not_posted_allows_nothing() {
    let mut bench = Bench::new();
    bench.post(RECEIVE, Format::Page, PAGE, 100, &[]).sees(RECEIVE, stat::FAILED);
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

/// The words of a list page with these entries: number, address, bytes.
fn entries(pages: &[(u32, u32, u16)]) -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    for (number, address, length) in pages {
        let at = (number * list::ENTRY_BYTES) as usize;
        bytes[at..at + 10].copy_from_slice(&list::entry(Page { address: (*address).into(), bytes: *length }));
    }
    bytes
}

/// The NIC reads a list page.
fn read(bench: &mut Bench, at: u32, bytes: &[u8]) {
    for (word, value) in (0..).zip(bytes.chunks_exact(4)) {
        bench.dma_read(at + 4 * word, u32::from_le_bytes([value[0], value[1], value[2], value[3]]));
    }
}

#[test]
fn a_post_of_a_descriptor_in_use_leaves_the_pages_of_its_message() {
    let head = |bench: &mut Bench| {
        bench.transfer(
            false,
            true,
            SRAM + START + offset_bytes(RECEIVE),
            u32::from(stat::POSTED) | (Format::List as u32) << 8 | 1 << 16,
        );
    };
    let mail = |bench: &mut Bench| {
        bench.transfer(false, true, REGISTERS + mailbox::TO_NIC.at(MAILBOX_RECEIVE).offset().0, RECEIVE);
    };
    // A list page that the NIC has read.
    let in_use = || {
        let mut bench = Bench::new();
        bench.post(RECEIVE, Format::List, PAGE, 4096, &[]);
        read(&mut bench, PAGE, &entries(&[(0, 0x70_0000, 4096)]));
        head(&mut bench);
        mail(&mut bench);
        bench
    };
    assert_eq!(in_use().dma_write(0x70_0000).broken(), None);
    assert_eq!(in_use().dma_write(0x71_0000).broken(), Some(27), "no list names it");
    let ended = in_use().sees(RECEIVE, stat::FAILED).dma_write(0x70_0000).broken();
    assert_eq!(ended, Some(27), "behind its end");
    // Another page is posted in the same descriptor: the NIC may have either.
    let replaced = || {
        let mut bench = Bench::new();
        bench.post(RECEIVE, Format::Page, PAGE, 100, &[]).post(RECEIVE, Format::Page, PAGE + 0x4000, 100, &[]);
        bench
    };
    assert_eq!(replaced().dma_write(PAGE).dma_write(PAGE + 0x4000).broken(), None);
    assert_eq!(replaced().dma_write(PAGE + 0x2000).broken(), Some(27), "neither of them");
    assert_eq!(replaced().sees(RECEIVE, stat::DONE).dma_write(PAGE).broken(), Some(27), "behind the end");
    // Posted again behind its end, the list page names nothing until the NIC has read it.
    let mut bench = in_use();
    bench.sees(RECEIVE, stat::FAILED).post(RECEIVE, Format::List, PAGE, 4096, &[]);
    assert_eq!(bench.dma_write(0x70_0000).broken(), Some(27));
}

#[test]
fn pages_of_a_list_are_allowed_when_the_nic_has_read_them() {
    let (list, link) = (PAGE, PAGE + 0x10_0000);
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
