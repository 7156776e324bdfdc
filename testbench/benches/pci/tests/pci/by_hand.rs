//! The target, clock by clock, in situations that a well-behaved bridge does not cause.

use bench_pci::{Ending, Hand, Plan, BAR0, BAR1};
use sim_pins::PciPin;

const MEMORY_READ: u8 = 0b0110;
const MEMORY_WRITE: u8 = 0b0111;
const CONFIG_READ: u8 = 0b1010;
const MEMORY_READ_MULTIPLE: u8 = 0b1100;
const MEMORY_READ_LINE: u8 = 0b1110;
const MEMORY_WRITE_AND_INVALIDATE: u8 = 0b1111;

fn write(address: u32, data: &[u32]) -> Plan {
    let phases: Vec<(u32, u8)> = data.iter().map(|&data| (data, 0xF)).collect();
    Plan::new(MEMORY_WRITE, address, &phases)
}

fn read(command: u8, address: u32, dwords: usize) -> Plan {
    Plan::new(command, address, &vec![(0, 0xF); dwords])
}

#[test]
fn devsel_is_medium_and_data_come_with_it() {
    let mut hand = Hand::new().unwrap();
    let report = hand.run(&write(BAR1, &[1])).unwrap();
    assert_eq!((report.devsel_clock, report.first_answer_clock), (Some(2), Some(2)));
    assert_eq!(report.ending, Ending::Completed);
    let mut config = read(CONFIG_READ, 0, 1);
    config.idsel = true;
    let report = hand.run(&config).unwrap();
    assert_eq!((report.devsel_clock, report.first_answer_clock), (Some(2), Some(2)));
    assert_eq!(report.words, [0x4943_4E53]);
}

#[test]
fn a_write_burst_moves_a_dword_every_clock() {
    let mut hand = Hand::new().unwrap();
    let data: Vec<u32> = (0..20).collect();
    let report = hand.run(&write(BAR1, &data)).unwrap();
    assert_eq!((report.ending, report.words.len()), (Ending::Completed, 20));
    // Address 0, data 2 to 21, then IRDY# turns around.
    let last_data = hand.seen.iter().rposition(|lines| lines.low(PciPin::Trdy)).unwrap();
    assert_eq!(last_data, 21);
}

#[test]
fn target_lines_are_driven_high_for_one_clock_and_then_float() {
    let mut hand = Hand::new().unwrap();
    hand.run(&write(BAR1, &[1])).unwrap();
    for pin in [PciPin::Devsel, PciPin::Trdy, PciPin::Stop] {
        let driven: Vec<bool> = hand.nic.iter().map(|drive| drive.enables.get(pin)).collect();
        assert_eq!(driven[..6], [false, false, true, true, false, false], "{pin:?}");
        assert!(hand.nic[3].levels.control.get(pin), "{pin:?} is high before it floats");
    }
}

#[test]
fn commands_that_are_not_for_memory_or_configuration_are_not_claimed() {
    let mut hand = Hand::new().unwrap();
    for command in [0b0000, 0b0001, 0b0010, 0b0011, 0b0100, 0b0101, 0b1000, 0b1001, 0b1101] {
        let report = hand.run(&Plan::new(command, BAR1, &[(0, 0xF)])).unwrap();
        assert_eq!(report.ending, Ending::MasterAbort, "command {command:#06b}");
    }
}

#[test]
fn configuration_needs_idsel_type_0_and_function_0() {
    let mut hand = Hand::new().unwrap();
    for (address, idsel, claimed) in [
        (0, true, true),
        (0, false, false),
        (1, true, false),
        (0x100, true, false),
        (0x700, true, false),
        (2, true, false),
    ] {
        let mut plan = read(CONFIG_READ, address, 1);
        plan.idsel = idsel;
        let report = hand.run(&plan).unwrap();
        assert_eq!(report.ending != Ending::MasterAbort, claimed, "{address:#x} {idsel}");
    }
}

#[test]
fn a_configuration_burst_is_disconnected_after_one_dword() {
    let mut hand = Hand::new().unwrap();
    let mut plan = read(CONFIG_READ, 0, 4);
    plan.idsel = true;
    let report = hand.run(&plan).unwrap();
    assert_eq!((report.ending, report.words.len()), (Ending::DisconnectWithData, 1));
}

#[test]
fn a_burst_order_other_than_linear_is_disconnected_after_one_dword() {
    let mut hand = Hand::new().unwrap();
    hand.run(&write(BAR1, &[1, 2, 3, 4, 5, 6, 7, 8])).unwrap();
    for order in 1..4 {
        let report = hand.run(&write(BAR1 + 0x100 + order, &[9, 9, 9])).unwrap();
        assert_eq!((report.ending, report.words.len()), (Ending::DisconnectWithData, 1));
        let report = hand.insist(&read(MEMORY_READ_LINE, BAR1 + order, 3)).unwrap();
        assert_eq!((report.ending, &report.words[..]), (Ending::DisconnectWithData, &[1][..]));
    }
}

#[test]
fn the_end_of_a_bar_disconnects_a_burst_with_its_last_dword() {
    let mut hand = Hand::new().unwrap();
    for end in [BAR0 + 0x2_0000, BAR1 + 0x8_0000] {
        let report = hand.run(&write(end - 8, &[1, 2, 3])).unwrap();
        assert_eq!((report.ending, report.words.len()), (Ending::DisconnectWithData, 2));
    }
}

#[test]
fn registers_are_read_one_dword_at_a_time() {
    let mut hand = Hand::new().unwrap();
    hand.run(&write(BAR0, &[1, 2, 3])).unwrap();
    let report = hand.insist(&read(MEMORY_READ_MULTIPLE, BAR0, 3)).unwrap();
    assert_eq!((report.ending, &report.words[..]), (Ending::DisconnectWithData, &[1][..]));
}

#[test]
fn prefetched_data_are_delivered_in_one_burst() {
    let mut hand = Hand::new().unwrap();
    hand.run(&write(BAR1, &[1, 2, 3, 4, 5, 6, 7, 8, 9])).unwrap();
    for (command, start, expected) in [
        (MEMORY_READ, 0, &[1, 2][..]),
        (MEMORY_READ, 4, &[2][..]),
        (MEMORY_READ_LINE, 0, &[1, 2, 3, 4, 5, 6, 7, 8][..]),
        (MEMORY_READ_MULTIPLE, 20, &[6, 7, 8][..]),
    ] {
        let report = hand.insist(&read(command, BAR1 + start, 20)).unwrap();
        assert_eq!((report.ending, &report.words[..]), (Ending::DisconnectWithData, expected));
        let clocks = hand.seen.iter().filter(|lines| lines.low(PciPin::Trdy)).count();
        assert_eq!(clocks, expected.len(), "one dword a clock");
    }
}

#[test]
fn a_delayed_read_is_given_only_to_its_own_repetition() {
    let mut hand = Hand::new().unwrap();
    hand.run(&write(BAR1, &[1, 2, 3])).unwrap();
    let first = read(MEMORY_READ, BAR1 + 8, 1);
    let report = hand.run(&first).unwrap();
    assert_eq!((report.ending, report.first_answer_clock), (Ending::Retry, Some(2)));
    hand.idle(50).unwrap();
    for other in [
        read(MEMORY_READ, BAR1, 1),
        read(MEMORY_READ_LINE, BAR1 + 8, 1),
        Plan::new(MEMORY_READ, BAR1 + 8, &[(0, 0x3)]),
        read(MEMORY_READ, BAR0 + 8, 1),
    ] {
        assert_eq!(hand.run(&other).unwrap().ending, Ending::Retry, "{other:?}");
        hand.idle(50).unwrap();
    }
    assert_eq!(hand.run(&first).unwrap().words, [3]);
}

/// Runs a read again and again until it is not retried.
fn read_at_last(hand: &mut Hand, plan: &Plan) -> Vec<u32> {
    for _ in 0..20 {
        let report = hand.run(plan).unwrap();
        if report.ending != Ending::Retry {
            return report.words;
        }
        hand.idle(20).unwrap();
    }
    panic!("retried for ever: {plan:?}");
}

/// Two requesters behind one bridge: the answer was fetched for the first, and the second reads the
/// same dword behind a write of its own.
#[test]
fn an_answer_from_before_a_write_is_not_given_to_a_read_behind_it() {
    // The write that changes the dword, and one that the core might answer by changing it.
    for written in [BAR1 + 0x40, BAR0 + 0x100] {
        let mut hand = Hand::new().unwrap();
        hand.run(&write(BAR1 + 0x40, &[1])).unwrap();
        let plan = read(MEMORY_READ, BAR1 + 0x40, 1);
        assert_eq!(hand.run(&plan).unwrap().ending, Ending::Retry);
        hand.idle(60).unwrap();
        hand.run(&write(written, &[2])).unwrap();
        let expected = if written == BAR1 + 0x40 { 2 } else { 3 };
        if expected == 3 {
            hand.core.sram[0x40] = 3;
        }
        assert_eq!(read_at_last(&mut hand, &plan), [expected], "write to {written:#x}");
        assert_eq!(hand.core.counts.target_discards, 0);
    }
}

/// The write comes while the answer is on its way.
#[test]
fn a_write_in_any_clock_after_the_request_comes_before_the_answer() {
    for clocks in 0..40 {
        let mut hand = Hand::new().unwrap();
        hand.core.answer_clocks = 20;
        hand.run(&write(BAR1 + 0x40, &[1])).unwrap();
        let plan = read(MEMORY_READ, BAR1 + 0x40, 1);
        assert_eq!(hand.run(&plan).unwrap().ending, Ending::Retry);
        hand.idle(clocks).unwrap();
        hand.run(&write(BAR1 + 0x40, &[2])).unwrap();
        assert_eq!(read_at_last(&mut hand, &plan), [2], "after {clocks} clocks");
    }
}

#[test]
fn a_read_among_writes_without_end_is_served() {
    let mut hand = Hand::new().unwrap();
    let plan = read(MEMORY_READ, BAR1 + 0x80, 1);
    let (mut attempts, mut retried_writes) = (0, 0);
    loop {
        attempts += 1;
        assert!(attempts < 100, "never served");
        if hand.run(&plan).unwrap().ending != Ending::Retry {
            break;
        }
        let report = hand.run(&write(BAR1, &[attempts])).unwrap();
        retried_writes += u32::from(report.ending == Ending::Retry);
    }
    assert!(retried_writes > 0, "writes held the read up until one was retried");
}

/// A bridge that must write before it repeats its read.
#[test]
fn writes_wait_for_a_read_that_does_not_return_for_256_clocks_at_most() {
    let mut hand = Hand::new().unwrap();
    let plan = read(MEMORY_READ, BAR1 + 0x80, 1);
    while hand.run(&write(BAR1, &[7])).unwrap().ending != Ending::Retry {
        assert_eq!(hand.run(&plan).unwrap().ending, Ending::Retry);
    }
    let begin = hand.clocks;
    while hand.run(&write(BAR1, &[8])).unwrap().ending == Ending::Retry {}
    let clocks = hand.clocks - begin;
    assert!((100..300).contains(&clocks), "{clocks}");
    assert_eq!(read_at_last(&mut hand, &plan), [0]);
    assert_eq!(read_at_last(&mut hand, &read(MEMORY_READ, BAR1, 1)), [8]);
}

#[test]
fn a_delayed_read_that_nobody_fetches_is_discarded_and_counted() {
    let mut hand = Hand::new().unwrap();
    hand.run(&write(BAR1, &[1])).unwrap();
    hand.run(&read(MEMORY_READ_LINE, BAR1, 1)).unwrap();
    hand.idle((1 << 15) - 100).unwrap();
    // The core changes the dword.
    hand.core.sram[0] = 2;
    assert_eq!(hand.core.counts.target_discards, 0);
    hand.idle(200).unwrap();
    assert_eq!(hand.core.counts.target_discards, 1);
    assert_eq!(hand.insist(&read(MEMORY_READ_LINE, BAR1, 1)).unwrap().words, [2], "fetched again");
}

#[test]
fn a_master_of_64_bits_is_served_with_32() {
    let mut hand = Hand::new().unwrap();
    let mut plan = write(BAR1, &[1, 2, 3, 4]);
    plan.req64 = true;
    let report = hand.run(&plan).unwrap();
    assert!(!report.ack64);
    assert_eq!(report.words.len(), 4);
    let report = hand.insist(&read(MEMORY_READ_LINE, BAR1, 4)).unwrap();
    assert_eq!(report.words, [1, 2, 3, 4]);
    assert!(hand.nic.iter().all(|drive| drive.ad_enable & 2 == 0 && !drive.enables.get(PciPin::Ack64)));
}

#[test]
fn memory_write_and_invalidate_is_a_write() {
    let mut hand = Hand::new().unwrap();
    let mut plan = write(BAR1, &[1, 2, 3, 4, 5, 6, 7, 8]);
    plan.command = MEMORY_WRITE_AND_INVALIDATE;
    assert_eq!(hand.run(&plan).unwrap().ending, Ending::Completed);
    assert_eq!(hand.insist(&read(MEMORY_READ, BAR1 + 28, 1)).unwrap().words, [8]);
}

#[test]
fn fast_back_to_back_writes_all_land() {
    let mut hand = Hand::new().unwrap();
    for k in 0..5 {
        let mut plan = write(BAR1 + 4 * k, &[k + 1]);
        plan.fast_back_to_back = k < 4;
        assert_eq!(hand.run(&plan).unwrap().ending, Ending::Completed);
    }
    assert_eq!(hand.insist(&read(MEMORY_READ_LINE, BAR1, 5)).unwrap().words, [1, 2, 3, 4, 5]);
}

#[test]
fn a_dword_without_bytes_never_reaches_the_core() {
    // The core side asserts that it sees no access.
    let mut hand = Hand::new().unwrap();
    let plan = Plan::new(MEMORY_WRITE, BAR0 + 0x1_0000, &[(1, 0xF), (2, 0), (3, 0x8)]);
    assert_eq!(hand.run(&plan).unwrap().words.len(), 3);
    hand.idle(30).unwrap();
    assert_eq!(hand.core.counts.target_writes, 2);
    assert_eq!(hand.core.registers[0x1_0000..0x1_000C], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn perr_comes_two_clocks_after_the_data_and_is_high_before_it_floats() {
    let mut hand = Hand::new().unwrap();
    hand.spoil_par = true;
    hand.run(&write(BAR1, &[7])).unwrap();
    let data = hand.seen.iter().position(|lines| lines.low(PciPin::Trdy)).unwrap();
    let perr: Vec<(bool, bool)> = hand
        .nic
        .iter()
        .map(|drive| (drive.enables.get(PciPin::Perr), drive.levels.control.get(PciPin::Perr)))
        .collect();
    assert!(!perr[data].0 && !perr[data + 1].0);
    assert_eq!(perr[data + 2], (true, false));
    assert_eq!(perr[data + 3], (true, true));
    assert!(!perr[data + 4].0);
}
