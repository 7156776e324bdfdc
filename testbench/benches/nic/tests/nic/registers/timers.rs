//! Timers.

use super::*;

/// The clocks until an event of a timer is pending, at most `limit`; and that event.
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
        // The event is pending one clock after COUNT reached the value, and the read that asked
        // sees it.
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
