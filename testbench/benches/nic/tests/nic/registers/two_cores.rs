//! The registers that each of two cores sees, and the events that they set for each other.

use super::*;

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
    // The release register takes the number of a core; any master may write it.
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

/// The accesses of the three masters to the events of a core in one clock, besides the hardware.
#[derive(Clone, Copy, Debug)]
enum Touch {
    Set(u32),
    Clear(u32),
}

/// One access: its master, the core whose events it changes, and the change.
fn touch() -> impl Strategy<Value = (Who, bool, Touch)> {
    let who = prop_oneof![Just(Who::Core), Just(Who::CoreB), Just(Who::Host)];
    let bits = prop_oneof![(0_u32..32).prop_map(|bit| 1 << bit), any::<u32>()];
    let what = (any::<bool>(), bits).prop_map(|(set, bits)| if set { Touch::Set(bits) } else { Touch::Clear(bits) });
    (who, any::<bool>(), what)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// INV-10 across cores. In every clock each of the three masters may ask, and the hardware may
    /// set events. The master that is served sets or clears events. Events that the hardware sets
    /// win. Nothing else changes.
    #[test]
    fn no_event_that_a_core_sets_in_the_other_is_lost_and_none_is_invented(
        accesses in prop::collection::vec((prop::collection::vec(touch(), 0..3), 0_u32..0x10), 1..80),
    ) {
        const HARDWARE: [u32; 4] = [0, 1, 2, 3];
        let mut b = bench();
        let mut pending = [0_u32; 2];
        // The waiting access of each master: the core whose events it changes, and the change.
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
                // Core B sees its own events at the first offset.
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
