//! The access rules of the register blocks, and the meaning of each.

use bench_nic::registers::{RegisterBench, Who, ALL_BYTES};
use nic_layout::registers::{
    self, doorbell, event_a, event_b, ident, interrupt, mailbox, semaphore, timer, timer_b, Access, Entry, Offset,
};
use nic_layout::ring::Event;
use proptest::prelude::*;

/// Slots of slaves that live in other folders: DMA engines, MAC, PCI, SRAM.
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
                // Reads who owns, not what was written.
                "SEMAPHORE.CORE_A" | "SEMAPHORE.CORE_B" => continue,
                // A window that moves in steps of its size.
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

// ---- Events --------------------------------------------------------------------------

#[test]
fn hardware_events_are_pending_in_the_next_clock() {
    for bit in [0, 1, 2, 3, 10, 11] {
        let mut b = bench();
        b.write(Who::Core, event_a::ENABLE, 1 << bit).unwrap();
        b.model.event_set_i.set(1 << bit);
        b.model.clock().unwrap();
        b.model.event_set_i.set(0);
        b.model.settle().unwrap();
        assert!(b.model.irq_o.is_high(), "event {bit}");
        assert_eq!(b.read(Who::Core, event_a::PENDING).unwrap(), 1 << bit);
        b.write(Who::Core, event_a::CLEAR, 1 << bit).unwrap();
        assert!(!b.model.irq_o.is_high());
        assert_eq!(b.read(Who::Core, event_a::PENDING).unwrap(), 0);
    }
}

#[test]
fn an_event_set_and_cleared_in_the_same_clock_stays_pending() {
    let mut b = bench();
    for bit in [0, 1, 2, 3, 10, 11] {
        b.write(Who::Core, event_a::SET, 1 << bit).unwrap();
        b.present_core(event_a::CLEAR.offset(), Some((u32::MAX, ALL_BYTES)));
        b.model.event_set_i.set(1 << bit);
        b.accept_core().unwrap();
        b.model.event_set_i.set(0);
        assert_eq!(b.read(Who::Core, event_a::PENDING).unwrap(), 1 << bit);
    }
}

#[test]
fn only_enabled_events_interrupt_the_core() {
    let mut b = bench();
    b.write(Who::Core, event_a::SET, 0xFFFF_0000).unwrap();
    assert!(!b.model.irq_o.is_high());
    b.write(Who::Core, event_a::ENABLE, 0x8000_0000).unwrap();
    assert!(b.model.irq_o.is_high());
    b.write(Who::Core, event_a::CLEAR, 0x8000_0000).unwrap();
    assert!(!b.model.irq_o.is_high());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn next_is_four_times_the_lowest_pending_and_enabled(pending: u32, enabled: u32) {
        let mut b = bench();
        b.write(Who::Core, event_a::SET, pending).unwrap();
        b.write(Who::Core, event_a::ENABLE, enabled).unwrap();
        let next = b.read(Who::Core, event_a::NEXT).unwrap();
        prop_assert_eq!(next, 4 * (pending & enabled).trailing_zeros());
    }
}

/// What nic_events does, written down dully: all events, one clock after the other.
#[derive(Clone, Copy, Default)]
struct Events {
    pending: u32,
    enabled: u32,
    /// What is told to the core: one clock behind.
    next: Option<u32>,
}

impl Events {
    fn clock(&mut self, set: u32, write: Option<(Offset, u32)>) {
        self.next = (0..32).find(|bit| self.pending & self.enabled & 1 << bit != 0);
        match write {
            Some((at, value)) if at == event_a::CLEAR.offset() => self.pending &= !value,
            Some((at, value)) if at == event_a::SET.offset() => self.pending |= value,
            Some((at, value)) if at == event_a::ENABLE.offset() => self.enabled = value,
            _ => {}
        }
        self.pending |= set;
    }
}

/// Those that come by pins of the bench.
const BY_PINS: u32 = 0b1100_0000_1111;

/// In each clock perhaps some events, and perhaps an access of the core: a register of the block, what is written, and which bytes.
type Moment = (u32, Option<(usize, u32, bool)>);

fn accesses() -> impl Strategy<Value = Vec<Moment>> {
    let bits =
        || prop_oneof![1 => Just(0), 1 => Just(u32::MAX), 2 => (0..32u32).prop_map(|bit| 1 << bit), 2 => any::<u32>()];
    let pins = prop_oneof![3 => Just(0), 1 => any::<u32>()].prop_map(|pins| pins & BY_PINS);
    let access = (0..5usize, bits(), prop::bool::weighted(0.9));
    prop::collection::vec((pins, prop::option::of(access)), 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_core_is_told_the_lowest_pending_and_enabled_event_one_clock_later(accesses in accesses()) {
        let registers = [
            event_a::SET.offset(), event_a::CLEAR.offset(), event_a::ENABLE.offset(), event_a::NEXT.offset(), event_a::PENDING.offset(),
        ];
        let mut b = bench();
        let mut events = Events::default();
        b.model.clock().unwrap();
        for (pins, access) in accesses {
            b.model.event_set_i.set(pins as u16);
            b.model.core_req_i.set(0);
            let writes = access.filter(|access| access.0 < 3);
            if let Some((register, value, whole)) = access {
                let bytes = if whole { ALL_BYTES } else { 0b0111 };
                b.present_core(registers[register], writes.map(|_| (value, bytes)));
            }
            b.model.settle().unwrap();
            prop_assert_eq!(b.model.core_gnt_o.is_high(), access.is_some());
            let active = events.pending & events.enabled;
            events.clock(pins, writes.filter(|write| write.2).map(|(register, value, _)| (registers[register], value)));
            b.model.clock().unwrap();
            prop_assert_eq!(b.model.next_valid_o.is_high(), events.next.is_some());
            if let Some(next) = events.next {
                prop_assert_eq!(u32::from(b.model.next_o.get()), next);
            }
            prop_assert_eq!(b.model.irq_o.is_high(), events.pending & events.enabled != 0);
            if access.is_some_and(|access| access.0 == 3) {
                prop_assert_eq!(b.model.rdata_o.get(), 4 * active.trailing_zeros(), "NEXT");
                prop_assert_eq!(b.model.rdata_o.get(), events.next.map_or(128, |next| 4 * next), "NEXT is what the core is told");
            }
        }
    }
}

#[test]
fn each_core_is_told_its_own_next_event() {
    let mut b = bench();
    b.write(Who::Core, event_a::ENABLE, 1 << 20).unwrap();
    b.write(Who::CoreB, event_a::ENABLE, 1 << 30).unwrap();
    let mut told = |set: Option<Who>| {
        if let Some(who) = set {
            b.write(who, event_a::SET, u32::MAX).unwrap();
        }
        b.model.clock().unwrap();
        let m = &b.model;
        [(m.next_valid_o.is_high(), m.next_o.get()), (m.next_valid_b_o.is_high(), m.next_b_o.get())]
    };
    assert_eq!(told(None).map(|next| next.0), [false, false]);
    let only_b = told(Some(Who::CoreB));
    assert_eq!((only_b[0].0, only_b[1]), (false, (true, 30)));
    assert_eq!(told(Some(Who::Core)), [(true, 20), (true, 30)]);
}

#[test]
fn next_names_every_event() {
    let mut b = bench();
    b.write(Who::Core, event_a::ENABLE, u32::MAX).unwrap();
    assert_eq!(b.read(Who::Core, event_a::NEXT).unwrap(), 128);
    for bit in (0..32).rev() {
        b.write(Who::Core, event_a::SET, 1 << bit).unwrap();
        assert_eq!(b.read(Who::Core, event_a::NEXT).unwrap(), 4 * bit);
    }
}

// ---- Doorbells and mailboxes -----------------------------------------------------------

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

// ---- Interrupt ---------------------------------------------------------------------------

#[test]
fn inta_is_low_exactly_while_an_enabled_cause_is_set() {
    let mut b = bench();
    b.write(Who::Core, interrupt::SET, 0x0001_0100).unwrap();
    b.model.clock().unwrap();
    assert!(!b.model.inta_o.is_high(), "not enabled");
    b.write(Who::Host, interrupt::ENABLE, 0x0001_0100).unwrap();
    assert!(b.model.probe_interrupt_o.is_high());
    b.model.clock().unwrap();
    assert!(b.model.inta_o.is_high() && !b.model.probe_interrupt_o.is_high());
    assert_eq!(b.read(Who::Host, interrupt::STATUS).unwrap(), 0x0001_0100);
    b.write(Who::Host, interrupt::CAUSE, 0x0000_0100).unwrap();
    b.model.clock().unwrap();
    assert!(b.model.inta_o.is_high(), "one cause is left");
    b.write(Who::Host, interrupt::CAUSE, 0x0001_0000).unwrap();
    b.model.clock().unwrap();
    assert!(!b.model.inta_o.is_high());
    b.write(Who::Core, interrupt::SET, 0x0001_0000).unwrap();
    b.model.clock().unwrap();
    assert!(b.model.inta_o.is_high());
    b.write(Who::Host, interrupt::ENABLE, 0).unwrap();
    b.model.clock().unwrap();
    assert!(!b.model.inta_o.is_high());
}

// ---- Timers ------------------------------------------------------------------------------

/// Clocks until an event of the timers is pending, at most `limit`; and which.
fn clocks_until_timer(b: &mut RegisterBench, limit: u32) -> Option<(u32, u32)> {
    b.write(Who::Core, event_a::ENABLE, 0x3C0).unwrap();
    for cycles in 0..limit {
        if b.model.irq_o.is_high() {
            return Some((cycles, b.read(Who::Core, event_a::PENDING).unwrap()));
        }
        b.model.clock().unwrap();
    }
    None
}

#[test]
fn a_timer_fires_once_when_its_time_has_come() {
    for n in 0..4 {
        let mut b = bench();
        let now = b.read(Who::Core, timer::COUNT).unwrap();
        b.write(Who::Core, timer::COMPARE.at(n), now + 50).unwrap();
        assert_eq!(b.read(Who::Core, timer::ARM).unwrap(), 1 << n);
        let (_, pending) = clocks_until_timer(&mut b, 100).unwrap();
        assert_eq!(pending, event(Event::Timer0) << n);
        // Pending one clock after COUNT reached it, and seen by the read that asked.
        let seen = b.read(Who::Core, timer::COUNT).unwrap();
        assert!((now + 51..now + 54).contains(&seen), "{now} {seen}");
        assert_eq!(b.read(Who::Core, timer::ARM).unwrap(), 0);
        b.write(Who::Core, event_a::CLEAR, u32::MAX).unwrap();
        assert_eq!(clocks_until_timer(&mut b, 100), None, "it fires once");
    }
}

#[test]
fn a_time_that_has_passed_fires_at_once_and_one_beyond_half_the_range_has() {
    for ago in [1, 1000, (1 << 31) - 200] {
        let mut b = bench();
        let now = b.read(Who::Core, timer::COUNT).unwrap();
        b.write(Who::Core, timer::COMPARE.at(0), now.wrapping_sub(ago)).unwrap();
        let (cycles, _) = clocks_until_timer(&mut b, 100).unwrap();
        assert!(cycles < 3, "{ago} clocks ago");
    }
    let mut b = bench();
    let now = b.read(Who::Core, timer::COUNT).unwrap();
    b.write(Who::Core, timer::COMPARE.at(0), now.wrapping_add((1 << 31) - 1)).unwrap();
    assert_eq!(clocks_until_timer(&mut b, 200), None, "it is ahead, across the wrap of signed numbers");
}

#[test]
fn a_disarmed_timer_is_silent_and_arming_keeps_its_time() {
    let mut b = bench();
    let now = b.read(Who::Core, timer::COUNT).unwrap();
    b.write(Who::Core, timer::COMPARE.at(2), now + 20).unwrap();
    b.write(Who::Core, timer::DISARM, 4).unwrap();
    assert_eq!(clocks_until_timer(&mut b, 100), None);
    b.write(Who::Core, timer::ARM, 4).unwrap();
    let (_, pending) = clocks_until_timer(&mut b, 5).unwrap();
    assert_eq!(pending, event(Event::Timer2));
}

// ---- Semaphore ---------------------------------------------------------------------------

#[derive(Clone, Copy, Debug)]
enum Step {
    Ask(bool),
    Release(bool),
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The queue of who wants it is at most two long: the first owns.
    #[test]
    fn the_semaphore_has_one_owner_in_the_order_of_asking(
        steps in prop::collection::vec((any::<bool>(), any::<bool>()), 1..40),
    ) {
        let mut b = bench();
        let mut queue: Vec<bool> = Vec::new();
        for (release, core_b) in steps {
            let step = if release { Step::Release(core_b) } else { Step::Ask(core_b) };
            match step {
                Step::Ask(core_b) => {
                    let at = if core_b { semaphore::CORE_B.offset() } else { semaphore::CORE_A.offset() };
                    b.write_bytes(Who::Core, at, 0, ALL_BYTES).unwrap();
                    if !queue.contains(&core_b) {
                        queue.push(core_b);
                    }
                }
                Step::Release(core_b) => {
                    let value = u32::from(core_b);
                    b.write_bytes(Who::Core, semaphore::RELEASE.offset(), value, ALL_BYTES).unwrap();
                    queue.retain(|&waiting| waiting != core_b);
                }
            }
            let a = b.read(Who::Core, semaphore::CORE_A).unwrap().owned();
            let other = b.read(Who::Core, semaphore::CORE_B).unwrap().owned();
            prop_assert_eq!(a, queue.first() == Some(&false));
            prop_assert_eq!(other, queue.first() == Some(&true));
        }
    }
}

// ---- Two cores ---------------------------------------------------------------------------

#[test]
fn a_core_finds_its_own_events_timers_and_request_at_the_same_offsets_as_the_other() {
    let mut b = bench();
    b.write(Who::CoreB, event_a::ENABLE, 0x5A).unwrap();
    assert_eq!(b.read(Who::Host, event_b::ENABLE).unwrap(), 0x5A);
    assert_eq!(b.read(Who::Core, event_b::ENABLE).unwrap(), 0x5A);
    assert_eq!(b.read(Who::CoreB, event_a::ENABLE).unwrap(), 0x5A);
    assert_eq!(b.read(Who::Core, event_a::ENABLE).unwrap(), 0);
    assert_eq!(b.read(Who::CoreB, event_b::ENABLE).unwrap(), 0);

    b.write(Who::CoreB, timer::DISARM, 0).unwrap();
    let due = b.read(Who::CoreB, timer::COUNT).unwrap() + 1_000;
    b.write(Who::CoreB, timer::COMPARE.at(2), due).unwrap();
    assert_eq!(b.read(Who::Host, timer_b::COMPARE.at(2)).unwrap(), due);
    assert_eq!(b.read(Who::Host, timer_b::ARM).unwrap(), 4);
    assert_eq!(b.read(Who::Core, timer::ARM).unwrap(), 0);

    b.write_bytes(Who::CoreB, semaphore::CORE_A.offset(), 0, ALL_BYTES).unwrap();
    assert!(b.read(Who::CoreB, semaphore::CORE_A).unwrap().owned());
    assert!(b.read(Who::Host, semaphore::CORE_B).unwrap().owned());
    assert!(!b.read(Who::Core, semaphore::CORE_A).unwrap().owned());
    // Release takes the number of the core, whoever writes it.
    b.write_bytes(Who::CoreB, semaphore::RELEASE.offset(), 1, ALL_BYTES).unwrap();
    assert!(!b.read(Who::Host, semaphore::CORE_B).unwrap().owned());
}

#[test]
fn all_else_is_the_same_register_for_both_cores() {
    let own = |at: u32| {
        [event_a::PENDING.offset().0, event_b::PENDING.offset().0, semaphore::CORE_A.offset().0]
            .iter()
            .any(|base| at & !0xFF == base & !0xFF)
            || at & !0xFF == timer::COUNT.offset().0 & !0xFF
    };
    for (entry, at) in entries().filter(|(entry, at)| entry.access == Access::ReadWrite && !own(at.0)) {
        let mut b = bench();
        b.write_bytes(Who::CoreB, at, u32::MAX, ALL_BYTES).unwrap();
        let (a, other) = (b.read_offset(Who::Core, at).unwrap(), b.read_offset(Who::CoreB, at).unwrap());
        assert_eq!(a, other, "{} {at:?}", entry.name);
        assert!(a != 0, "{} {at:?}: nothing was written", entry.name);
    }
}

#[test]
fn the_hardware_s_events_are_pending_in_both_cores_and_a_timer_s_in_its_own() {
    let mut b = bench();
    b.write(Who::Core, event_a::ENABLE, u32::MAX).unwrap();
    for bit in [0, 1, 2, 3, 10, 11] {
        b.model.event_set_i.set(1 << bit);
        b.model.clock().unwrap();
        b.model.event_set_i.set(0);
        b.model.settle().unwrap();
        assert!(b.model.irq_o.is_high() && !b.model.irq_b_o.is_high(), "only A has enabled it");
        for who in [Who::Core, Who::CoreB] {
            assert_eq!(b.read(who, event_a::PENDING).unwrap(), 1 << bit);
            b.write(who, event_a::CLEAR, u32::MAX).unwrap();
        }
    }
    b.write_bytes(Who::Host, Offset(DOORBELL_PAGES), 1, ALL_BYTES).unwrap();
    b.write(Who::Host, mailbox::TO_NIC.at(0), 1).unwrap();
    let both = event(Event::Doorbell) | event(Event::Mailbox);
    for who in [Who::Core, Who::CoreB] {
        assert_eq!(b.read(who, event_a::PENDING).unwrap(), both);
        b.write(who, event_a::CLEAR, u32::MAX).unwrap();
    }
    let now = b.read(Who::CoreB, timer::COUNT).unwrap();
    b.write(Who::CoreB, timer::COMPARE.at(1), now + 10).unwrap();
    for _ in 0..20 {
        b.model.clock().unwrap();
    }
    assert_eq!(b.read(Who::CoreB, event_a::PENDING).unwrap(), event(Event::Timer1));
    assert_eq!(b.read(Who::Core, event_a::PENDING).unwrap(), 0);
}

#[test]
fn each_core_has_its_run_bit_its_boot_address_and_its_sleep_bit() {
    let mut b = bench();
    for (control, a, other) in [(1, true, false), (2, false, true), (3, true, true), (0, false, false)] {
        b.write(Who::Host, ident::CORE_CONTROL, ident::CoreControl(control)).unwrap();
        b.model.settle().unwrap();
        assert_eq!((b.model.run_a_o.is_high(), b.model.run_b_o.is_high()), (a, other));
    }
    b.model.sleep_b_i.set(1);
    let status = b.read(Who::Host, ident::CORE_STATUS).unwrap();
    assert_eq!((status.sleep_a(), status.sleep_b()), (false, true));
    b.write(Who::Host, ident::BOOT_ADDRESS_B, 0x1000_8000).unwrap();
    assert_eq!(b.read(Who::Host, ident::BOOT_ADDRESS).unwrap(), 0x1000_0400);
    assert_eq!(b.read(Who::Host, ident::BOOT_ADDRESS_B).unwrap(), 0x1000_8000);
}

#[test]
fn three_who_ask_in_every_clock_take_turns_on_the_bus() {
    let mut b = bench();
    b.present_core(ident::ID.offset(), None);
    b.present_core_b(ident::ID.offset(), None);
    b.present_host(false, ident::ID.offset().0, None, 1);
    let mut grants = Vec::new();
    for _ in 0..30 {
        b.model.settle().unwrap();
        let m = &b.model;
        let granted = [m.core_gnt_o.is_high(), m.core_b_gnt_o.is_high(), m.host_ready_o.is_high()];
        assert_eq!(granted.iter().filter(|&&granted| granted).count(), 1, "one in every clock");
        grants.push(granted.iter().position(|&granted| granted).unwrap());
        b.model.clock().unwrap();
    }
    assert!(grants.windows(3).all(|three| (0..3).all(|who| three.contains(&who))), "{grants:?}");
}

/// What the three may do to the events of a core in one clock, besides the hardware.
#[derive(Clone, Copy, Debug)]
enum Touch {
    Set(u32),
    Clear(u32),
}

/// One access: whose, of which core's events, and what.
fn touch() -> impl Strategy<Value = (Who, bool, Touch)> {
    let who = prop_oneof![Just(Who::Core), Just(Who::CoreB), Just(Who::Host)];
    let bits = prop_oneof![(0_u32..32).prop_map(|bit| 1 << bit), any::<u32>()];
    let what = (any::<bool>(), bits).prop_map(|(set, bits)| if set { Touch::Set(bits) } else { Touch::Clear(bits) });
    (who, any::<bool>(), what)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// INV-10 across cores. In every clock each of the three may ask, and the hardware may set: whoever is served sets or clears, hardware
    /// sets win, nothing else changes.
    #[test]
    fn no_event_that_a_core_sets_in_the_other_is_lost_and_none_is_invented(
        accesses in prop::collection::vec((prop::collection::vec(touch(), 0..3), 0_u32..0x10), 1..80),
    ) {
        const HARDWARE: [u32; 4] = [0, 1, 2, 3];
        let mut b = bench();
        let mut pending = [0_u32; 2];
        // An access of each that waits: of which core's events, and what.
        let mut waits: [Option<(bool, Touch)>; 3] = [None; 3];
        let mut accesses = accesses.into_iter();
        loop {
            let next = accesses.next();
            let (asked, hardware) = next.clone().unwrap_or_default();
            for (who, of_b, touch) in asked {
                let slot = &mut waits[who as usize];
                if slot.is_some() {
                    continue;
                }
                *slot = Some((of_b, touch));
                // To core B its own come first.
                let first = of_b == (who == Who::CoreB);
                let (at, bits) = match (touch, first) {
                    (Touch::Set(bits), true) => (event_a::SET.offset(), bits),
                    (Touch::Set(bits), false) => (event_b::SET.offset(), bits),
                    (Touch::Clear(bits), true) => (event_a::CLEAR.offset(), bits),
                    (Touch::Clear(bits), false) => (event_b::CLEAR.offset(), bits),
                };
                match who {
                    Who::Core => b.present_core(at, Some((bits, ALL_BYTES))),
                    Who::CoreB => b.present_core_b(at, Some((bits, ALL_BYTES))),
                    Who::Host => b.present_host(false, at.0, Some((bits, ALL_BYTES)), 1),
                }
            }
            let hardware = HARDWARE.iter().fold(0, |bits, &event| bits | (hardware >> event & 1) << event);
            b.model.event_set_i.set(hardware as u16);
            b.model.settle().unwrap();
            let m = &b.model;
            let granted = [m.host_ready_o.is_high(), m.core_gnt_o.is_high(), m.core_b_gnt_o.is_high()];
            for who in [Who::Host, Who::Core, Who::CoreB] {
                let Some((of_b, touch)) = waits[who as usize] else { continue };
                if !granted[who as usize] {
                    continue;
                }
                waits[who as usize] = None;
                let events = &mut pending[usize::from(of_b)];
                match touch {
                    Touch::Set(bits) => *events |= bits,
                    Touch::Clear(bits) => *events &= !bits,
                }
            }
            pending.iter_mut().for_each(|events| *events |= hardware);
            b.model.clock().unwrap();
            for (who, granted) in granted.into_iter().enumerate() {
                if granted {
                    match who {
                        0 => b.model.host_valid_i.set(0),
                        1 => b.model.core_req_i.set(0),
                        _ => b.model.core_b_req_i.set(0),
                    }
                }
            }
            if next.is_none() && waits.iter().all(Option::is_none) {
                break;
            }
        }
        b.model.event_set_i.set(0);
        b.model.settle().unwrap();
        prop_assert_eq!(b.read(Who::Host, event_a::PENDING).unwrap(), pending[0]);
        prop_assert_eq!(b.read(Who::Host, event_b::PENDING).unwrap(), pending[1]);
    }
}

// ---- Host router -------------------------------------------------------------------------

#[test]
fn the_host_reads_back_what_it_wrote_to_sram_byte_by_byte() {
    let mut b = bench();
    for dword in 0..8 {
        b.sram_write(0x40 + 4 * dword, 0x0101_0101 * dword, ALL_BYTES).unwrap();
    }
    b.sram_write(0x44, 0xAABB_CCDD, 0b1001).unwrap();
    let expected: Vec<u32> = (0..8).map(|i| if i == 1 { 0xAA01_01DD } else { 0x0101_0101 * i }).collect();
    assert_eq!(b.sram_read(0x40, 8).unwrap(), expected);
    for dwords in 1..=8 {
        for first in 0..=(8 - dwords) {
            let got = b.sram_read(0x40 + 4 * first, dwords as u8).unwrap();
            assert_eq!(got, expected[first as usize..(first + dwords) as usize]);
        }
    }
}

#[test]
fn the_low_kilobyte_and_the_window_show_the_same_sram() {
    let mut b = bench();
    for (address, value) in [(0, 1), (0x3FC, 2), (0x800, 3), (0xFFC, 4), (0x1000, 5), (0x1FFC, 6)] {
        b.sram_write(address, value, ALL_BYTES).unwrap();
    }
    assert_eq!(b.read_offset(Who::Host, Offset(0x1400)).unwrap(), 1);
    assert_eq!(b.read_offset(Who::Host, Offset(0x17FC)).unwrap(), 2);
    for (base, low, high) in [(0x800, 3, 4), (0x1800, 0, 6)] {
        b.write(Who::Host, ident::WINDOW_BASE, base).unwrap();
        if low != 0 {
            assert_eq!(b.read_offset(Who::Host, Offset(0x1800)).unwrap(), low);
        }
        assert_eq!(b.read_offset(Who::Host, Offset(0x1FFC)).unwrap(), high);
    }
    b.write_bytes(Who::Host, Offset(0x1800), 9, ALL_BYTES).unwrap();
    assert_eq!(b.sram_read(0x1800, 1).unwrap(), [9]);
    b.write_bytes(Who::Host, Offset(0x1404), 8, ALL_BYTES).unwrap();
    assert_eq!(b.sram_read(4, 1).unwrap(), [8]);
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), 0);
}

#[test]
fn what_holds_nothing_reads_zero_and_is_counted() {
    let mut b = bench();
    let is_register = |at: u32| registers::ALL.iter().any(|e| (e.offset.0..e.offset.0 + 4 * e.count).contains(&at));
    let mut refused = 0;
    for at in (0..0x1000_u32).step_by(4).chain([0x1000, 0x13FC, 0x2000, 0x7FFC, 0xFFFC]) {
        if is_register(at) {
            continue;
        }
        b.write_bytes(Who::Host, Offset(at), u32::MAX, ALL_BYTES).unwrap();
        assert_eq!(b.read_offset(Who::Host, Offset(at)).unwrap(), 0, "{at:#x}");
        refused += 2;
    }
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), refused);

    // Beyond an SRAM of 8 KB: the BAR, dword by dword, and a window that was moved there.
    assert_eq!(b.sram_read(8192 - 8, 4).unwrap()[2..], [0, 0]);
    b.write(Who::Host, ident::WINDOW_BASE, 8192).unwrap();
    assert_eq!(b.read_offset(Who::Host, Offset(0x1800)).unwrap(), 0);
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), refused + 3);
    // A core reads zero and is not counted.
    assert_eq!(b.read_offset(Who::Core, Offset(0xF00)).unwrap(), 0);
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), refused + 3);
}

#[test]
fn every_register_of_the_map_is_there_for_the_host() {
    let mut b = bench();
    for entry in registers::ALL {
        for i in 0..entry.count {
            b.read_offset(Who::Host, Offset(entry.offset.0 + 4 * i)).unwrap();
        }
    }
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), 0);
}

/// An access of the host in the random test.
#[derive(Clone, Copy, Debug)]
enum HostAccess {
    Write(u32, u32),
    Read(u32, u8),
    Scratch(u32),
    ReadScratch,
}

fn host_access() -> impl Strategy<Value = HostAccess> {
    prop_oneof![
        (0_u32..64, any::<u32>()).prop_map(|(dword, value)| HostAccess::Write(dword, value)),
        (0_u32..56, 1_u8..=8).prop_map(|(dword, count)| HostAccess::Read(dword, count)),
        any::<u32>().prop_map(HostAccess::Scratch),
        Just(HostAccess::ReadScratch),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Requests follow each other without a pause, while another port of the SRAM interferes.
    #[test]
    fn host_accesses_take_effect_in_bus_order(
        accesses in prop::collection::vec(host_access(), 1..80),
        noise: u64,
    ) {
        let mut b = bench();
        let mut sram = [0_u32; 64];
        for dword in 0..64 {
            b.sram_write(4 * dword, 0, ALL_BYTES).unwrap();
        }
        let (mut scratch, mut expected, mut got) = (0, Vec::new(), Vec::new());
        let mut next = 0;
        for cycle in 0..4000 {
            if next < accesses.len() {
                match accesses[next] {
                    HostAccess::Write(dword, value) => b.present_host(true, 4 * dword, Some((value, ALL_BYTES)), 1),
                    HostAccess::Read(dword, count) => b.present_host(true, 4 * dword, None, count),
                    HostAccess::Scratch(value) => {
                        b.present_host(false, ident::SCRATCH.offset().0, Some((value, ALL_BYTES)), 1);
                    }
                    HostAccess::ReadScratch => b.present_host(false, ident::SCRATCH.offset().0, None, 1),
                }
            }
            let busy = noise >> (cycle % 64) & 1 == 1;
            b.model.other_req_i.set_bool(busy);
            b.model.settle().unwrap();
            let ready = next < accesses.len() && b.model.host_ready_o.is_high();
            b.model.clock().unwrap();
            if ready {
                match accesses[next] {
                    HostAccess::Write(dword, value) => sram[dword as usize] = value,
                    HostAccess::Read(dword, count) => {
                        let words = &sram[dword as usize..dword as usize + usize::from(count)];
                        let last = words.len() - 1;
                        expected.extend(words.iter().enumerate().map(|(i, &word)| (word, i == last)));
                    }
                    HostAccess::Scratch(value) => scratch = value,
                    HostAccess::ReadScratch => expected.push((scratch, true)),
                }
                next += 1;
                b.model.host_valid_i.set(0);
                b.model.settle().unwrap();
            }
            if b.model.host_rsp_valid_o.is_high() {
                got.push((b.model.host_rsp_data_o.get(), b.model.host_rsp_last_o.is_high()));
            }
        }
        prop_assert_eq!(next, accesses.len());
        prop_assert_eq!(got, expected);
    }
}
