//! Doorbell pages and mailboxes.

use super::*;

#[test]
fn a_doorbell_is_an_event_in_the_next_clock() {
    let mut b = bench();
    b.write(Who::Core, event_a::ENABLE, event(Event::Doorbell)).unwrap();
    b.present_host(false, DOORBELL_PAGES + 5 * DOORBELL_PAGE_BYTES + 0x7FC, Some((77, ALL_BYTES)), 1);
    b.model.settle().unwrap();
    assert!(b.model.host_ready_o.is_high() && b.model.probe_doorbell_o.is_high());
    b.accept_host().unwrap();
    assert!(b.model.irq_o.is_high() && !b.model.probe_doorbell_o.is_high());
    assert_eq!(b.read(Who::Core, doorbell::PENDING).unwrap(), 1 << 5);
    assert_eq!(b.read(Who::Core, doorbell::VALUE.at(5)).unwrap(), 77);
    assert_eq!(b.read(Who::Core, event_a::PENDING).unwrap(), event(Event::Doorbell));
}

#[test]
fn every_dword_of_a_doorbell_page_rings_its_process_only() {
    let mut b = bench();
    for page in 0..16 {
        for offset in [0, 4, 0x800, 0xFFC] {
            let at = Offset(DOORBELL_PAGES + DOORBELL_PAGE_BYTES * page + offset);
            b.write_bytes(Who::Host, at, page << 16 | offset, ALL_BYTES).unwrap();
            assert_eq!(b.read(Who::Core, doorbell::PENDING).unwrap(), 1 << page);
            let value = b.read(Who::Core, doorbell::VALUE.at(page as usize)).unwrap();
            assert_eq!(value, page << 16 | offset);
            b.write(Who::Core, doorbell::CLEAR, 1 << page).unwrap();
        }
    }
}

#[test]
fn bytes_that_a_doorbell_write_leaves_out_are_zero_and_none_rings_nothing() {
    let mut b = bench();
    let at = Offset(DOORBELL_PAGES);
    b.write_bytes(Who::Host, at, u32::MAX, ALL_BYTES).unwrap();
    b.write_bytes(Who::Host, at, 0xAABB_CCDD, 0b0110).unwrap();
    assert_eq!(b.read(Who::Core, doorbell::VALUE.at(0)).unwrap(), 0x00BB_CC00);
    b.write(Who::Core, doorbell::CLEAR, 1).unwrap();
    b.write_bytes(Who::Host, at, u32::MAX, 0).unwrap();
    assert_eq!(b.read(Who::Core, doorbell::PENDING).unwrap(), 0);
    assert_eq!(b.read(Who::Core, doorbell::VALUE.at(0)).unwrap(), 0x00BB_CC00);
}

#[test]
fn a_core_cannot_ring_and_doorbell_pages_read_zero() {
    let mut b = bench();
    b.write_bytes(Who::Core, Offset(DOORBELL_PAGES), 1, ALL_BYTES).unwrap();
    assert_eq!(b.read(Who::Core, doorbell::PENDING).unwrap(), 0);
    b.write_bytes(Who::Host, Offset(DOORBELL_PAGES), 1, ALL_BYTES).unwrap();
    assert_eq!(b.read_offset(Who::Host, Offset(DOORBELL_PAGES)).unwrap(), 0);
    assert_eq!(b.read_offset(Who::Core, Offset(DOORBELL_PAGES)).unwrap(), 0);
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), 0);
}

#[test]
fn a_mailbox_to_the_nic_is_an_event_when_the_host_writes_it() {
    let mut b = bench();
    for n in 0..8 {
        b.write(Who::Core, mailbox::TO_NIC.at(n), 1).unwrap();
        assert_eq!(b.read(Who::Core, mailbox::PENDING).unwrap(), 0, "a core wrote");
        b.write(Who::Host, mailbox::TO_NIC.at(n), 2).unwrap();
        assert_eq!(b.read(Who::Core, mailbox::PENDING).unwrap(), 1 << n);
        assert_eq!(b.read(Who::Core, event_a::PENDING).unwrap(), event(Event::Mailbox));
        assert_eq!(b.read(Who::Core, mailbox::TO_NIC.at(n)).unwrap(), 2);
        b.write(Who::Core, mailbox::CLEAR, 1 << n).unwrap();
        b.write(Who::Core, event_a::CLEAR, event(Event::Mailbox)).unwrap();
    }
}

#[test]
fn a_mailbox_to_the_host_is_an_interrupt_cause_when_a_core_writes_it() {
    let mut b = bench();
    b.write(Who::Host, interrupt::ENABLE, 0xFF).unwrap();
    for n in 0..8 {
        b.write(Who::Host, mailbox::TO_HOST.at(n), 1).unwrap();
        assert_eq!(b.read(Who::Host, interrupt::CAUSE).unwrap(), 0, "the host wrote");
        b.write(Who::Core, mailbox::TO_HOST.at(n), 2).unwrap();
        assert_eq!(b.read(Who::Host, interrupt::CAUSE).unwrap(), 1 << n);
        assert_eq!(b.read(Who::Host, mailbox::TO_HOST.at(n)).unwrap(), 2);
        assert!(b.model.inta_o.is_high());
        b.write(Who::Host, interrupt::CAUSE, 1 << n).unwrap();
    }
}
