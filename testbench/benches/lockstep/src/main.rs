//! `bench-lockstep run` compares a given number of instructions; `bench-lockstep replay` repeats
//! one failure.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use std::{fs, io};

use bench_lockstep::campaign::Campaign;
use bench_lockstep::isa::Isa;
use clap::{Parser, Subcommand};
use serde::{Deserialize, Serialize};

#[derive(Parser)]
#[command(about = "The core against QEMU, instruction by instruction")]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Compares batch after batch. A run that was interrupted continues, if the core is the same.
    Run {
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 100_000_000)]
        instructions: u64,
        /// Begins from the start.
        #[arg(long)]
        fresh: bool,
        #[arg(long, default_value = "out/lockstep")]
        out: PathBuf,
    },
    /// Runs one program of a batch, or a whole batch, and shrinks what fails.
    Replay {
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long)]
        batch: u64,
        #[arg(long)]
        program: Option<usize>,
        /// The file for waves of the shortest program.
        #[arg(long)]
        waves: Option<PathBuf>,
    },
}

/// The progress of a run.
#[derive(Serialize, Deserialize, Default, PartialEq)]
struct Progress {
    seed: u64,
    /// The hash of the core's files. The numbers mean nothing for another core.
    core: String,
    batches: u64,
    instructions: u64,
    interrupts: u64,
    traps: u64,
    halts: u64,
    steps: u64,
    seconds: f64,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().what {
        What::Run { seed, instructions, fresh, out } => run(seed, instructions, fresh, &out),
        What::Replay { seed, batch, program, waves } => replay(seed, batch, program, waves),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("lockstep: {message}");
            ExitCode::FAILURE
        }
    }
}

fn campaign(seed: u64) -> Result<Campaign, String> {
    let isa = Isa::of_core().map_err(|error| error.to_string())?;
    println!("lockstep: {isa}, seed {seed}");
    Ok(Campaign::new(seed, isa))
}

fn run(seed: u64, instructions: u64, fresh: bool, out: &std::path::Path) -> Result<(), String> {
    let campaign = campaign(seed)?;
    let core = format!("{:016x}", core_hash().map_err(|error| format!("cannot read the core: {error}"))?);
    let file = out.join("progress.json");
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let earlier = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str::<Progress>(&text).ok());
    let mut done = match earlier {
        Some(earlier) if !fresh && earlier.seed == seed && earlier.core == core => {
            println!("lockstep: goes on behind {} instructions", earlier.instructions);
            earlier
        }
        _ => {
            let totals = campaign.directed()?;
            println!("lockstep: {} directed instructions agree", totals.instructions);
            Progress { seed, core, ..Progress::default() }
        }
    };
    while done.instructions < instructions {
        let start = Instant::now();
        let totals = campaign.batch(done.batches)?;
        done.batches += 1;
        done.instructions += totals.instructions;
        done.interrupts += totals.interrupts;
        done.traps += totals.traps;
        done.halts += totals.halts;
        done.steps += totals.steps;
        done.seconds += start.elapsed().as_secs_f64();
        let text = serde_json::to_string_pretty(&done).expect("plain numbers");
        fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
        if done.batches % 20 == 0 || done.instructions >= instructions {
            let Progress { instructions: n, interrupts, traps, halts, steps, seconds, .. } = done;
            let share = 100.0 * n as f64 / instructions as f64;
            println!(
                "lockstep: {n} instructions ({share:.1} %), {interrupts} interrupts, {traps} traps, {halts} halts, {steps} steps, \
                 {:.0} each second",
                n as f64 / seconds
            );
        }
    }
    println!("lockstep: {} instructions agree, 0 mismatches", done.instructions);
    Ok(())
}

fn replay(seed: u64, batch: u64, program: Option<usize>, waves: Option<PathBuf>) -> Result<(), String> {
    let campaign = campaign(seed)?;
    let totals = match program {
        Some(program) => campaign.replay(batch, program, waves.as_deref())?,
        None => campaign.batch(batch)?,
    };
    println!("lockstep: no mismatch in {} instructions", totals.instructions);
    Ok(())
}

/// The FNV-1a hash of the core's files, so that a run does not continue with another core.
fn core_hash() -> io::Result<u64> {
    let mut files: Vec<PathBuf> =
        fs::read_dir("rtl/core")?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.sort();
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    for file in files {
        for byte in fs::read(file)? {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
    Ok(hash)
}
