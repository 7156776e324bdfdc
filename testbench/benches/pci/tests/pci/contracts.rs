//! The assertions of the RTL fire when their contract is broken.

use bench_pci::{Bench, BenchError, BenchPciParts, Hand, Setup, BAR1};
use proptest::prelude::*;
use sim_pins::{PciDrive, PciPin};
use verilated::{Context, Error, Model as _};

fn message_of(result: Result<(), Error>) -> String {
    match result {
        Err(Error::Stopped(stop)) => stop.message,
        other => panic!("no assertion fired: {other:?}"),
    }
}

fn assertion_of(result: Result<(), BenchError>) -> String {
    match result {
        Err(BenchError::Model(error)) => message_of(Err(error)),
        other => panic!("no assertion fired: {other:?}"),
    }
}

fn parts() -> BenchPciParts {
    let mut parts = BenchPciParts::new(Context::new()).unwrap();
    for clock in 0..4 {
        parts.tick(clock, 1).unwrap();
    }
    parts.rst_ni.set(1);
    parts
}

/// One clock; inputs are set by the caller.
fn clock(parts: &mut BenchPciParts) -> Result<(), Error> {
    parts.tick(1000, 1)
}

#[test]
fn a_command_of_no_bytes_is_refused_by_both_engines() {
    let mut bench = Bench::new(Setup::default()).unwrap();
    bench.core.start_read(0x1000, 0);
    assert!(assertion_of(bench.run_pci_clocks(20)).contains("LengthIsNotZero"));
    let mut bench = Bench::new(Setup::default()).unwrap();
    bench.core.start_write(0x1000, &[]);
    assert!(assertion_of(bench.run_pci_clocks(20)).contains("LengthIsNotZero"));
}

#[test]
fn answers_that_nobody_asked_for_are_noticed() {
    let mut bench = Bench::new(Setup::default()).unwrap();
    bench.core.answer_unasked(&[0; 9]);
    assert!(assertion_of(bench.run_pci_clocks(40)).contains("AnswersFitTheReservedRoom"));
}

#[test]
fn frame_asserted_anew_inside_a_transaction_is_noticed() {
    let mut hand = Hand::new().unwrap();
    let mut own = PciDrive { ad_enable: 1, cbe_enable: 1, ..PciDrive::NONE };
    own.levels.ad = u64::from(BAR1);
    own.levels.cbe_n = 0b0111;
    own.enables.set(PciPin::Frame, true);
    let fired = [false, false, true, false, false, false].into_iter().find_map(|frame_high| {
        own.levels.control.set(PciPin::Frame, frame_high);
        hand.clock(own).err()
    });
    let error = fired.map_or(Ok(()), Err);
    assert!(assertion_of(error).contains("ClaimsOneTransactionAtATime"));
}

#[test]
fn a_range_never_moves_more_than_it_holds() {
    let mut parts = parts();
    parts.range_narrow_i.set(1);
    assert!(message_of(clock(&mut parts)).contains("NeverMovesMoreThanIsLeft"));
}

#[test]
fn a_range_moves_one_width_at_a_time() {
    let mut parts = parts();
    parts.range_load_i.set(1);
    parts.range_len_bytes_i.set(100);
    clock(&mut parts).unwrap();
    parts.range_load_i.set(0);
    parts.range_wide_i.set(1);
    parts.range_narrow_i.set(1);
    assert!(message_of(clock(&mut parts)).contains("MovesOneWidthAtATime"));
}

#[test]
fn target_and_master_never_share_ad() {
    let mut parts = parts();
    parts.lanes_target_oe_i.set(1);
    parts.lanes_master_oe_i.set(1);
    assert!(message_of(clock(&mut parts)).contains("OneDriverOfAd"));
}

#[test]
fn a_delayed_read_asks_for_one_to_eight_dwords() {
    for dwords in [0, 9, 15] {
        let mut parts = parts();
        parts.read_attempt_i.set(1);
        parts.read_dwords_i.set(dwords);
        assert!(message_of(clock(&mut parts)).contains("AsksForOneToEight"));
    }
}

#[test]
fn a_delayed_read_hands_out_only_what_is_there() {
    let mut parts = parts();
    parts.read_next_i.set(1);
    assert!(message_of(clock(&mut parts)).contains("TakesOnlyWhatIsThere"));
}

proptest! {
    /// Data phases in any mixture of widths enable each byte of the command once, and no other
    /// byte.
    #[test]
    fn a_range_enables_each_byte_once(addr in 0..64u32, len in 1..200u16, widths in prop::collection::vec(any::<bool>(), 60)) {
        let mut parts = parts();
        parts.range_load_i.set(1);
        parts.range_addr_i.set(addr);
        parts.range_len_bytes_i.set(len);
        clock(&mut parts).unwrap();
        parts.range_load_i.set(0);
        parts.eval().unwrap();

        let mut at = (addr & !3) as usize;
        let mut counts = vec![0u32; 512];
        let mut widths = widths.into_iter().chain(std::iter::repeat(false));
        while parts.range_left_dwords_o.get() > 0 {
            let dwords = (at..(addr as usize + len as usize).next_multiple_of(4)).count() / 4;
            prop_assert_eq!(parts.range_left_dwords_o.get() as usize, dwords);
            let words = ((addr as usize + len as usize).next_multiple_of(8) - (at & !7)) / 8;
            prop_assert_eq!(parts.range_left_words_o.get() as usize, words);
            let wide = widths.next().unwrap_or(false);
            let (base, enables) = if wide {
                (at & !7, parts.range_be_wide_o.get())
            } else {
                (at, parts.range_be_narrow_o.get())
            };
            for byte in (0..8).filter(|byte| enables >> byte & 1 != 0) {
                counts[base + byte] += 1;
            }
            at = if wide { (at & !7) + 8 } else { at + 4 };
            parts.range_wide_i.set(u8::from(wide));
            parts.range_narrow_i.set(u8::from(!wide));
            clock(&mut parts).unwrap();
            parts.range_wide_i.set(0);
            parts.range_narrow_i.set(0);
            parts.eval().unwrap();
        }
        for (byte, &count) in counts.iter().enumerate() {
            let inside = (addr as usize..addr as usize + len as usize).contains(&byte);
            prop_assert_eq!(count, u32::from(inside), "byte {}", byte);
        }
    }
}
