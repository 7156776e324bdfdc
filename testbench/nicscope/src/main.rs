//! The `nicscope` command: scenarios, runs, accounts of latency, measurements.

mod cli;
mod commands;
mod commit;
mod output;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use commands::{compare, explain, keys, list, measure, memory_map, reproduce, run, soak};

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::List(arguments) => list::run(&arguments),
        Command::Keys(arguments) => keys::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Measure(arguments) => measure::run(&arguments),
        Command::MemoryMap(arguments) => memory_map::run(&arguments),
        Command::Soak(arguments) => soak::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nicscope: {error}");
            ExitCode::from(error.exit_status())
        }
    }
}
