//! The events of a core: set, cleared, passed to the core, interrupting.

use super::*;

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

/// A plain model of `nic_events`: all events, one clock after the other.
#[derive(Clone, Copy, Default)]
struct Events {
    pending: u32,
    enabled: u32,
    /// The events that the core sees, one clock later.
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

/// The events that come from pins of the bench.
const BY_PINS: u32 = 0b1100_0000_1111;

/// In each clock there may be some events and an access of the core: a register of the block, the
/// value, and the byte enables.
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
