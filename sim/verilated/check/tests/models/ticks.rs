use std::path::Path;

use verilated::{Context, Model};
use verilated_check::{BothEdges, Cleared, EveryWidth, TwoClocks, TwoClocksFst};

const A: u32 = 0b01;
const B: u32 = 0b10;

/// Every edge by hand, falling ones too.
fn tick_by_hand(top: &mut TwoClocks, rising: u32) {
    top.clk_a_i.set((rising & A != 0) as u8);
    top.clk_b_i.set((rising & B != 0) as u8);
    top.eval().unwrap();
    top.clk_a_i.set(0);
    top.clk_b_i.set(0);
    top.eval().unwrap();
}

#[test]
fn tick_equals_edges_by_hand_in_every_order() {
    let mut ticked = TwoClocks::new(Context::new()).unwrap();
    let mut by_hand = TwoClocks::new(Context::new()).unwrap();
    let mut random = 0x2545_F491_4F6C_DD1Du64;
    for i in 0..10_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let rising = (random >> 20) as u32 & (A | B);
        let add = random as u32;
        ticked.add_i.set(add);
        by_hand.add_i.set(add);
        ticked.tick(1000 * i, rising).unwrap();
        tick_by_hand(&mut by_hand, rising);
        let seen = |top: &TwoClocks| (top.a_o.get(), top.b_o.get(), top.sum_o.get());
        assert_eq!(seen(&ticked), seen(&by_hand), "step {i}, rising {rising:#04b}");
    }
}

/// With Debian's Verilator; newer ones generate code that is left to itself.
#[test]
fn edges_are_direct_where_all_logic_waits_for_rising_ones() {
    if TwoClocks::VERILATOR == "5.006" {
        assert_eq!((TwoClocks::DIRECT_EDGES, TwoClocksFst::DIRECT_EDGES, BothEdges::DIRECT_EDGES), (true, true, false));
        // Registers that a reset clears at once are no hindrance.
        assert_eq!((Cleared::POSEDGE_ONLY, Cleared::DIRECT_EDGES), (true, true));
    }
}

#[test]
fn waves_that_open_and_close_change_no_value() {
    let mut ticked = TwoClocksFst::new(Context::new()).unwrap();
    let mut by_hand = TwoClocks::new(Context::new()).unwrap();
    by_hand.eval().unwrap(); // an edge is one only against an earlier level
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ticks.fst");
    for i in 0..1_000u32 {
        match i % 50 {
            20 => ticked.open_fst(&path, 0).unwrap(),
            40 => ticked.close_trace().unwrap(),
            _ => {}
        }
        // No period of the pattern divides the one of the waves.
        let rising = [A, B, A | B, A, B, B, A | B][i as usize % 7];
        ticked.add_i.set(i / 3);
        by_hand.add_i.set(i / 3);
        ticked.tick(1000 * u64::from(i), rising).unwrap();
        tick_by_hand(&mut by_hand, rising);
        let expected = (by_hand.a_o.get(), by_hand.b_o.get(), by_hand.sum_o.get());
        assert_eq!((ticked.a_o.get(), ticked.b_o.get(), ticked.sum_o.get()), expected, "step {i}");
    }
}

#[test]
fn clocks_that_rise_together_sample_before_either_acts() {
    let mut top = TwoClocks::new(Context::new()).unwrap();
    top.add_i.set(0);
    top.tick(1000, A).unwrap();
    top.tick(2000, A | B).unwrap();
    assert_eq!((top.a_o.get(), top.b_o.get()), (2, 1), "b saw a as it was before the edge");
}

#[test]
fn rising_edges_alone_are_recognised() {
    const { assert!(TwoClocks::POSEDGE_ONLY && !BothEdges::POSEDGE_ONLY) };
    assert_eq!(TwoClocks::CLOCKS, ["clk_a_i", "clk_b_i"]);
}

#[test]
fn unchanged_inputs_are_recognised() {
    // EveryWidth has no logic between inputs and registers to be saved.
    const { assert!(TwoClocks::KNOWS_UNCHANGED_INPUTS && !EveryWidth::KNOWS_UNCHANGED_INPUTS) };
}

#[test]
fn every_changed_input_reaches_the_logic_behind_it() {
    let mut top = TwoClocks::new(Context::new()).unwrap();
    for add in [0, 1, 1, 0x8000_0000, 0, 0, 7] {
        top.add_i.set(add);
        for _ in 0..2 {
            top.eval().unwrap();
            assert_eq!(top.sum_o.get(), top.a_o.get().wrapping_add(add));
        }
        top.tick(1_000, B).unwrap();
        assert_eq!(top.sum_o.get(), top.a_o.get().wrapping_add(add));
        top.tick(1_000, A).unwrap();
        assert_eq!(
            top.sum_o.get(),
            top.a_o.get().wrapping_add(add),
            "also when the register changes and not the input"
        );
    }
}

#[test]
fn a_reset_that_clears_at_once_acts_as_by_hand_in_any_clock() {
    let mut ticked = Cleared::new(Context::new()).unwrap();
    let mut by_hand = Cleared::new(Context::new()).unwrap();
    for top in [&mut ticked, &mut by_hand] {
        top.pad_rst_ni.set(1);
        top.eval().unwrap();
        top.pad_rst_ni.set(0);
    }
    let mut random = 0x2545_F491_4F6C_DD1Du64;
    let mut in_reset = 0;
    for i in 0..20_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let rising = (random >> 20) as u32 & (A | B);
        // Mostly the pad is high for long; a pulse may have no edge of either clock.
        let level =
            u8::from(if ticked.pad_rst_ni.get() == 1 { (random >> 40) % 40 != 0 } else { (random >> 40) % 3 == 0 });
        for top in [&mut ticked, &mut by_hand] {
            top.pad_rst_ni.set(level);
            top.add_i.set(random as u32);
        }
        ticked.tick(1000 * i, rising).unwrap();
        // What a pad clears is clear before the edge.
        by_hand.eval().unwrap();
        by_hand.clk_a_i.set((rising & A != 0) as u8);
        by_hand.clk_b_i.set((rising & B != 0) as u8);
        by_hand.eval().unwrap();
        by_hand.clk_a_i.set(0);
        by_hand.clk_b_i.set(0);
        by_hand.eval().unwrap();
        let seen =
            |top: &Cleared| (top.a_o.get(), top.b_o.get(), top.a_clocks_o.get(), top.b_clocks_o.get(), top.sum_o.get());
        assert_eq!(seen(&ticked), seen(&by_hand), "step {i}, rising {rising:#04b}, reset {level}");
        if level == 0 {
            in_reset += 1;
            assert_eq!((ticked.a_o.get(), ticked.b_o.get()), (0, 0), "step {i}: also without a clock");
        }
    }
    assert!((500..5_000).contains(&in_reset));
}

#[test]
fn logic_on_falling_edges_gets_them_all() {
    let mut top = BothEdges::new(Context::new()).unwrap();
    for i in 0..5 {
        top.tick(1000 * i, 1).unwrap();
    }
    assert_eq!((top.rise_o.get(), top.fall_o.get()), (5, 5));
}
