//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use nicscope_run::run::DEFAULT_SEED;
use nicscope_scenario::personality;
use nicscope_waves::WaveFileFormat;

/// Measures, in clock cycles, what it costs a network interface to look things up.
///
/// Exit status: 0 done; 1 the run failed or a check was violated; 2 the request was wrong.
#[derive(Debug, Parser)]
#[command(name = "nicscope", version, max_term_width = 120)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List scenarios, platforms, personalities and groups of figures
    List(ListArgs),
    /// List the keys of a scenario: values, defaults and what they mean
    Keys(KeysArgs),
    /// Run a scenario and print its tables
    Run(RunArgs),
    /// Make tables and figures of the papers again, ours beside them, and decide their trends
    Reproduce(ReproduceArgs),
    /// Measure the figures of docs/measurements.md again, beside their targets
    Measure(MeasureArgs),
    /// Play random operations on whole clusters, and compare every byte with what must be there
    Soak(SoakArgs),
    /// Print the bytes of NIC memory by use, from the linked firmware
    MemoryMap(MemoryMapArgs),
    /// Print the account of one hit and one miss of an earlier run, span by span
    Explain(ExplainArgs),
    /// Print the messages of earlier runs side by side, and in what the runs differ
    Compare(CompareArgs),
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// One JSON object on standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct KeysArgs {
    /// Print the page docs/keys.md
    #[arg(long)]
    pub markdown: bool,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// Name of a scenario (see `nicscope list`) or path of a TOML file
    pub scenario: String,
    /// Override a key of the scenario, as in --set workload.iterations=100
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Seed of everything random, a whole number
    #[arg(long, value_name = "NUMBER", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// Folder for results, waves and accounts; made if missing [default: out/SCENARIO]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub json: bool,
    /// Threads to simulate nodes on; results do not depend on it [default: one for each node, at
    /// most the machine's cores]
    #[arg(long, value_name = "NUMBER")]
    pub threads: Option<usize>,
    /// What to record waves of: never, always, failure, miss, or two simulated times in us as
    /// FROM..TO (docs/waves.md)
    #[arg(long, value_name = "WHEN", default_value = "miss")]
    pub waves: String,
    /// Format of the waves of both nodes together; those of each NIC's model are FST
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = WaveFormat::Fst)]
    pub wave_format: WaveFormat,
    /// Firmware image to load instead of the scenario's personality [default: built for the
    /// scenario's cache]
    #[arg(long, value_name = "ELF")]
    pub firmware: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WaveFormat {
    Fst,
    Vcd,
}

impl From<WaveFormat> for WaveFileFormat {
    fn from(format: WaveFormat) -> WaveFileFormat {
        match format {
            WaveFormat::Fst => WaveFileFormat::Fst,
            WaveFormat::Vcd => WaveFileFormat::Vcd,
        }
    }
}

#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// Experiments (see `nicscope list`), or the beginning of their names [default: all]
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Folder for results and pictures; what it holds of this build is not measured again [default:
    /// out/reproduce]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub json: bool,
    /// Runs at a time; results do not depend on it [default: one for each of the machine's cores]
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<usize>,
    /// Measure again what the folder holds
    #[arg(long)]
    pub fresh: bool,
    /// File of the project for the verdicts; those of other experiments in it stay
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Group of figures (see `nicscope list`)
    pub group: String,
    /// Only these bars of the group, as in --only 2,3 [default: all]
    #[arg(long, value_delimiter = ',', value_name = "BAR")]
    pub only: Vec<u32>,
    /// One JSON object on standard output: {"figures": [{"id", "value", "unit", "target", "paper",
    /// "source", "decided", "ok"}]}
    #[arg(long)]
    pub json: bool,
    /// Folder for results [default: out/measure]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Take what the folder holds of this build, and measure the rest
    #[arg(long)]
    pub resume: bool,
}

#[derive(Debug, Args)]
pub struct SoakArgs {
    /// Operations in all; what the folder holds of this build and seed counts
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000)]
    pub operations: u64,
    /// Seed of everything random, a whole number
    #[arg(long, value_name = "NUMBER", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// Personality of the NICs (see `nicscope list`)
    #[arg(long, value_name = "NAME", default_value = personality::NAMES[0])]
    pub personality: String,
    /// Cases at a time; results do not depend on it [default: one for each of the machine's cores,
    /// at most two]
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<usize>,
    /// Folder for progress, and for a case that fails with its waves [default: out/soak]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Begin anew
    #[arg(long)]
    pub fresh: bool,
    /// File of the project for what was played; in it stay campaigns of other personalities and
    /// seeds
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Play one case from a file
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct MemoryMapArgs {
    /// Personality (see `nicscope list`)
    pub personality: String,
    /// Platform whose memory is mapped
    #[arg(long, value_name = "NAME", default_value = "tigon2")]
    pub platform: String,
    /// Override cache.*, key_bits, nic.post_queues, misses.service, cores, nodes, emp.scheme,
    /// emp.matching or emp.mtu_bytes, as in --set
    /// cache.ways=8 [default: 16384 entries, lines of 64, 4 ways]
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// One JSON object on standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Folder that `nicscope run` wrote
    pub dir: PathBuf,
    /// Message size in bytes [default: the smallest of the run]
    #[arg(long, value_name = "BYTES")]
    pub size: Option<u32>,
    /// Platform [default: every one of the run]
    #[arg(long, value_name = "NAME")]
    pub platform: Option<String>,
    /// One JSON object on standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Folders of `nicscope run`: the same workload, with another personality or other keys
    #[arg(value_name = "DIR", required = true, num_args = 2..)]
    pub dirs: Vec<PathBuf>,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub json: bool,
}
