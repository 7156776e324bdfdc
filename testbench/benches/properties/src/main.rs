//! `make properties`: millions of random operations on both caches of the firmware, against their
//! models (docs/properties.md). Interrupted, it goes on where it was, if the caches are the same.

mod search;

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use serde::{Deserialize, Serialize};

use search::SEARCHES;

#[derive(Parser)]
#[command(about = "Random operations on the lookup caches, against their models")]
struct Arguments {
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 200_000_000)]
    operations: u64,
    /// Begins from the start.
    #[arg(long)]
    fresh: bool,
    #[arg(long, default_value = "out/properties")]
    out: PathBuf,
}

/// The progress of a run.
#[derive(Serialize, Deserialize, Default, PartialEq)]
struct Progress {
    seed: u64,
    /// The hash of the caches' sources. The numbers mean nothing for other caches.
    caches: u64,
    /// The number of lists that each search has run.
    lists: u64,
    operations: Vec<u64>,
    seconds: f64,
}

const SHOW_EVERY: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("properties: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let path = arguments.out.join("progress.json");
    let new = Progress {
        seed: arguments.seed,
        caches: sources().map_err(|error| format!("the sources of the caches cannot be read: {error}"))?,
        operations: vec![0; SEARCHES.len()],
        ..Progress::default()
    };
    let before = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Progress>(&bytes).ok());
    let fits = |found: &Progress| (found.seed, found.caches) == (new.seed, new.caches) && !arguments.fresh;
    let mut progress = before.filter(|found| fits(found) && found.operations.len() == SEARCHES.len()).unwrap_or(new);
    if progress.lists != 0 {
        println!("properties: goes on behind {} operations", total(&progress));
    }
    let before = progress.seconds;
    let (begin, mut shown) = (Instant::now(), Instant::now());
    while total(&progress) < arguments.operations {
        for (search, operations) in SEARCHES.iter().zip(&mut progress.operations) {
            *operations += search.run(progress.seed, progress.lists)?;
        }
        progress.lists += 1;
        if shown.elapsed() > SHOW_EVERY {
            shown = Instant::now();
            progress.seconds = before + begin.elapsed().as_secs_f64();
            show(&progress, arguments.operations);
            save(&path, &progress)?;
        }
    }
    progress.seconds = before + begin.elapsed().as_secs_f64();
    save(&path, &progress)?;
    if io::stderr().is_terminal() {
        eprintln!();
    }
    for (search, operations) in SEARCHES.iter().zip(&progress.operations) {
        println!("{:30} {operations:>12} operations in {} lists", search.name, progress.lists);
    }
    println!(
        "{:30} {:>12} operations agree with the models, seed {}, {:.0} s",
        "together",
        total(&progress),
        progress.seed,
        progress.seconds
    );
    Ok(())
}

fn total(progress: &Progress) -> u64 {
    progress.operations.iter().sum()
}

fn show(progress: &Progress, wanted: u64) {
    if io::stderr().is_terminal() {
        let done = total(progress);
        let left = progress.seconds * (wanted as f64 / done as f64 - 1.0);
        eprint!("\r{done} of {wanted} operations, {left:.0} s left   ");
        let _not_vital = io::stderr().flush();
    }
}

fn save(path: &Path, progress: &Progress) -> Result<(), String> {
    let text = serde_json::to_string_pretty(progress).map_err(|error| error.to_string())?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let part = path.with_extension("part");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&part, text))
        .and_then(|()| fs::rename(&part, path))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The hash of the sources of the caches and their models.
fn sources() -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    hash_folder(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../firmware/lookup/src")), &mut hasher)?;
    Ok(hasher.finish())
}

fn hash_folder(folder: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        if entry.file_type()?.is_dir() {
            hash_folder(&entry.path(), hasher)?;
        } else {
            fs::read(entry.path())?.hash(hasher);
        }
    }
    Ok(())
}
