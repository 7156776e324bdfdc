//! Clocks per instruction of compiled code (kernels/kernels.rs), warm, from memory as quick as the
//! scratchpad, while every instruction is compared with the reference. The numbers are those of
//! docs/core.md.

use bench_core::bench::Timing;
use bench_core::insn::Insn;
use bench_core::lockstep::{End, Lockstep};
use bench_core::memory::Memory;

const BASE: u32 = 0x1000_0000;
const LEN_BYTES: u32 = 0x8000;
const IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.bin"));
const NAMES: [&str; 4] = ["look-up", "copy", "checksum", "states"];

/// The counts of one kernel between its two markers, in one run.
struct Run {
    instructions: u64,
    clocks: u64,
    result: u32,
    /// Clocks lost after control transfers, after loads, and for other causes.
    lost: [u64; 3],
}

/// Every kernel, cold and warm.
fn runs() -> Vec<[Run; 4]> {
    let mut memory = Memory::new(BASE, LEN_BYTES);
    for (index, bytes) in IMAGE.chunks(4).enumerate() {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        memory.poke(BASE + 4 * index as u32, u32::from_le_bytes(word));
    }
    let mut lockstep = Lockstep::new(memory, BASE, Timing::IDEAL, 1).expect("builds");
    lockstep.keep_steps = true;
    let end = lockstep.run(1_000_000).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(end, End::Parked, "the kernels come to their end");
    let retired_until = |clock| lockstep.steps.partition_point(|step| step.clock < clock) as u64;
    let lost = |ends: &[(u64, u32)]| {
        let mut lost = [0; 3];
        let steps = &lockstep.steps[retired_until(ends[0].0) as usize..=retired_until(ends[1].0) as usize];
        for pair in steps.windows(2) {
            let class = match Insn::decode(pair[0].rvfi.insn) {
                Insn::Jal { .. } | Insn::Jalr { .. } | Insn::Branch { .. } => 0,
                Insn::Load { .. } => 1,
                _ => 2,
            };
            lost[class] += pair[1].clock - pair[0].clock - 1;
        }
        lost
    };
    let run = |ends: &[(u64, u32)]| Run {
        lost: lost(ends),
        instructions: retired_until(ends[1].0) - retired_until(ends[0].0),
        clocks: ends[1].0 - ends[0].0,
        result: ends[1].1,
    };
    let runs: Vec<Run> = lockstep.traces.chunks(2).map(run).collect();
    assert_eq!(runs.len(), 8);
    let mut runs = runs.into_iter();
    (0..2).map(|_| std::array::from_fn(|_| runs.next().expect("eight"))).collect()
}

#[test]
fn the_kernels_keep_their_clocks_per_instruction() {
    let all = runs();
    let [cold, warm] = &all[..] else { panic!("two rounds") };
    for (name, run) in NAMES.iter().zip(warm) {
        let each = run.clocks as f64 / run.instructions as f64;
        let [branches, loads, rest] = run.lost;
        println!(
            "{name}: {} instructions, {} clocks, {each:.3} each; lost behind branches {branches}, loads {loads}, else {rest}",
            run.instructions, run.clocks
        );
    }
    // Each counts the same, however long it is.
    let mix = warm.iter().map(|run| run.clocks as f64 / run.instructions as f64).sum::<f64>() / 4.0;
    println!("mix: {mix:.3} clocks per instruction");
    for (cold, warm) in cold.iter().zip(warm) {
        assert_eq!(cold.result, warm.result, "the same work twice");
    }
    assert!(mix < 1.21, "{mix}");
}
