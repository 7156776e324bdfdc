//! The access rules of the register blocks, and the meaning of each register.

mod doorbells;
mod events;
mod host;
mod interrupts;
mod semaphores;
mod timers;
mod two_cores;

use bench_nic::registers::{RegisterBench, Who, ALL_BYTES};
use nic_layout::registers::{
    self, doorbell, event_a, event_b, ident, interrupt, mailbox, semaphore, timer, timer_b, Access, Entry, Offset,
};
use nic_layout::ring::Event;
use proptest::prelude::*;

/// The slots of slaves in other folders: DMA engines, MAC, PCI, SRAM.
const ELSEWHERE_FROM: u32 = 0x800;

const DOORBELL_PAGES: u32 = 0x1_0000;
const DOORBELL_PAGE_BYTES: u32 = 0x1000;

fn bench() -> RegisterBench {
    RegisterBench::new(1).unwrap()
}

/// Every register of the blocks in this bench, arrays element by element.
fn entries() -> impl Iterator<Item = (Entry, Offset)> {
    registers::ALL
        .iter()
        .filter(|entry| entry.offset.0 < ELSEWHERE_FROM)
        .flat_map(|entry| (0..entry.count).map(|i| (*entry, Offset(entry.offset.0 + 4 * i))))
}

fn event(event: Event) -> u32 {
    1 << event as u32
}

#[test]
fn the_map_is_identified_by_its_first_registers() {
    let mut b = bench();
    assert_eq!(b.read(Who::Host, ident::ID).unwrap(), 0x4E53_4350);
    let version = b.read(Who::Host, ident::VERSION).unwrap();
    assert_eq!((version.major(), version.minor()), (1, 1));
    assert_eq!(b.read(Who::Host, ident::SRAM_BYTES).unwrap(), 8192);
    let capabilities = b.read(Who::Core, ident::CAPABILITIES).unwrap();
    assert_eq!(capabilities.cores(), 2);
    assert_eq!(capabilities.doorbell_pages(), 16);
    assert_eq!((capabilities.scratchpad_kib(), capabilities.scratchpad_b_kib()), (4, 2));
    assert!(capabilities.pci_64());
}

#[test]
fn reset_values_are_those_of_the_map() {
    let mut b = bench();
    for (entry, at) in entries() {
        if let Some(reset) = entry.reset {
            assert_eq!(b.read_offset(Who::Host, at).unwrap(), reset, "{} {at:?}", entry.name);
        }
    }
}

#[test]
fn plain_registers_hold_what_was_written_and_only_their_bits() {
    for who in [Who::Host, Who::Core] {
        for (entry, at) in entries().filter(|(entry, _)| entry.access == Access::ReadWrite) {
            let mut b = bench();
            let mask = match entry.name {
                // The register reads the owner, and not the value that was written.
                "SEMAPHORE.CORE_A" | "SEMAPHORE.CORE_B" => continue,
                // The window moves in steps of its size.
                "IDENT.WINDOW_BASE" => 0x001F_F800,
                _ => entry.mask,
            };
            for value in [u32::MAX, 0x1234_5678, 0] {
                b.write_bytes(who, at, value, ALL_BYTES).unwrap();
                let got = b.read_offset(who, at).unwrap();
                assert_eq!(got, value & mask, "{} {at:?} by {who:?}", entry.name);
            }
        }
    }
}

#[test]
fn read_only_registers_ignore_writes_and_write_only_ones_read_zero() {
    let mut b = bench();
    for (entry, at) in entries() {
        match entry.access {
            Access::ReadOnly if !entry.name.contains("CYCLES") && !entry.name.ends_with(".COUNT") => {
                let before = b.read_offset(Who::Core, at).unwrap();
                b.write_bytes(Who::Core, at, !before, ALL_BYTES).unwrap();
                assert_eq!(b.read_offset(Who::Core, at).unwrap(), before, "{}", entry.name);
            }
            Access::WriteOnly => {
                assert_eq!(b.read_offset(Who::Core, at).unwrap(), 0, "{}", entry.name);
            }
            _ => {}
        }
    }
}

#[test]
fn registers_are_written_whole_or_not_at_all() {
    let mut b = bench();
    let takes_bytes = |name: &str| name == "IDENT.SCRATCH" || name.starts_with("MAILBOX.TO_");
    for (entry, at) in entries().filter(|(entry, _)| entry.access != Access::ReadOnly) {
        if takes_bytes(entry.name) {
            b.write_bytes(Who::Core, at, 0x1122_3344, ALL_BYTES).unwrap();
            b.write_bytes(Who::Core, at, 0xAABB_CCDD, 0b0101).unwrap();
            assert_eq!(b.read_offset(Who::Core, at).unwrap(), 0x11BB_33DD, "{}", entry.name);
            continue;
        }
        let before = b.read_offset(Who::Core, at).unwrap();
        for bytes in 0..ALL_BYTES {
            b.write_bytes(Who::Core, at, u32::MAX, bytes).unwrap();
        }
        assert_eq!(b.read_offset(Who::Core, at).unwrap(), before, "{}", entry.name);
        assert_eq!(b.read(Who::Core, event_a::PENDING).unwrap(), 0, "{}", entry.name);
    }
}

#[test]
fn each_slot_reaches_its_slave_only() {
    let mut b = bench();
    let slots = [(0x800, 0), (0x880, 1), (0x900, 2), (0xA00, 3), (0xB00, 4), (0xC00, 5), (0xE00, 6)];
    for at in (0..0x1000).step_by(4) {
        b.present_core(Offset(at), None);
        b.model.settle().unwrap();
        let owner = slots.iter().rfind(|(base, _)| *base <= at && !(0xD00..0xE00).contains(&at));
        let expected = owner.map_or(0, |(_, bit)| 1 << bit);
        assert_eq!(b.model.elsewhere_sel_o.get(), expected, "{at:#x}");
    }
}

#[test]
fn the_cycle_counter_counts_clocks_and_its_halves_belong_together() {
    let mut b = bench();
    let first = b.read(Who::Core, ident::CYCLES_LO).unwrap();
    let start = b.model.cycle();
    for _ in 0..1000 {
        b.model.clock().unwrap();
    }
    let second = b.read(Who::Core, ident::CYCLES_LO).unwrap();
    assert_eq!(u64::from(second - first), b.model.cycle() - start);
    assert_eq!(b.read(Who::Core, ident::CYCLES_HI).unwrap(), 0);
}

#[test]
fn a_core_read_is_answered_in_the_clock_after_its_grant() {
    let mut b = bench();
    b.present_core(ident::ID.offset(), None);
    b.model.settle().unwrap();
    assert!(b.model.core_gnt_o.is_high());
    assert_eq!(b.model.rdata_o.get(), 0);
    b.model.clock().unwrap();
    b.model.core_req_i.set(0);
    b.model.settle().unwrap();
    assert_eq!(b.model.rdata_o.get(), 0x4E53_4350);
    b.model.clock().unwrap();
    assert_eq!(b.model.rdata_o.get(), 0);
}

#[test]
fn host_and_core_take_turns_on_the_bus() {
    let mut b = bench();
    b.present_core(ident::ID.offset(), None);
    b.present_host(false, ident::ID.offset().0, None, 1);
    let mut grants = Vec::new();
    for _ in 0..20 {
        b.model.settle().unwrap();
        let (core, host) = (b.model.core_gnt_o.is_high(), b.model.host_ready_o.is_high());
        assert!(core != host, "one in every clock");
        grants.push(core);
        b.model.clock().unwrap();
    }
    assert!(grants.windows(2).all(|pair| pair[0] != pair[1]));
}
