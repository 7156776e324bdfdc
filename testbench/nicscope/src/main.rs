use std::process::ExitCode;

use clap::Parser;
use nicscope::cli::{Cli, Command};
use nicscope::commands;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::List(arguments) => commands::list(&arguments),
        Command::Run(arguments) => commands::run(&arguments),
        Command::Measure(arguments) => commands::measure(&arguments),
        Command::MemoryMap(arguments) => commands::memory_map(&arguments),
        Command::Explain(arguments) => commands::explain(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nicscope: {error}");
            ExitCode::from(error.exit_status())
        }
    }
}
