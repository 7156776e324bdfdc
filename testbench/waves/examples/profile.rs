//! Where the clocks of a firmware go: clocks of a core by function, from the waves of a NIC.
//!
//! ```sh
//! nicscope run ping-pong --set personality=emp ... --waves 2880..2925
//! cargo run --release -p nicscope-waves --example profile -- \
//!     out/ping-pong/window-tigon2-0/node0.fst target/riscv32imc-unknown-none-elf/firmware/emp [A|B]
//! ```
//!
//! The names of inlined functions come from `llvm-symbolizer`, which must be on PATH. A line has
//! the clocks, their share, and the function with those that it was inlined into.

mod stage;

use std::collections::BTreeMap;
use std::process::Command;

/// Functions that only pass a word on: their clocks belong to their callers.
const PLAIN: [&str; 12] = [
    "get",
    "put",
    "load",
    "store",
    "sram",
    "place",
    "plus",
    "read_volatile",
    "write_volatile",
    "wrapping_add",
    "wrapping_sub",
    "register",
];
/// Inlined functions that a line names at most.
const DEPTH: usize = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (waves, image, core) = match arguments.as_slice() {
        [waves, image] => (waves, image, "A"),
        [waves, image, core] => (waves, image, core.as_str()),
        _ => return Err("usage: profile WAVES.fst FIRMWARE [CORE]".into()),
    };
    let clocks = clocks_by_address(waves, core)?;
    let total: u64 = clocks.values().sum();
    let mut by_name: BTreeMap<String, u64> = BTreeMap::new();
    for (name, clocks) in names(image, clocks.keys().copied())?.into_iter().zip(clocks.values()) {
        *by_name.entry(name).or_default() += clocks;
    }
    let mut lines: Vec<(u64, String)> = by_name.into_iter().map(|(name, clocks)| (clocks, name)).collect();
    lines.sort_by(|a, b| b.cmp(a));
    for (clocks, name) in lines {
        println!("{clocks:>8} {:>5.1} %  {name}", 100.0 * clocks as f64 / total as f64);
    }
    Ok(())
}

/// How many clocks the instruction at each address was in the execute stage.
fn clocks_by_address(path: &str, core: &str) -> Result<BTreeMap<u64, u64>, Box<dyn std::error::Error>> {
    let mut clocks = BTreeMap::new();
    stage::each_clock(path, core, |_, address| {
        if let Some(address) = address {
            *clocks.entry(address).or_default() += 1;
        }
    })?;
    Ok(clocks)
}

/// A name for each address: the function there, and those that it was inlined into.
fn names(image: &str, addresses: impl Iterator<Item = u64>) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let addresses: Vec<String> = addresses.map(|address| format!("{address:#x}")).collect();
    let output = Command::new("llvm-symbolizer")
        .args(["--functions=short", "--inlines", "--output-style=JSON", "--obj", image])
        .args(&addresses)
        .output()
        .map_err(|error| format!("llvm-symbolizer: {error}"))?;
    let found: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout)?;
    let name_of = |frames: &serde_json::Value| {
        let all = frames["Symbol"].as_array().into_iter().flatten();
        let names = all.filter_map(|frame| frame["FunctionName"].as_str());
        // Without the types that a function was made for.
        let short = names.map(|name| name.split('<').next().unwrap_or(name));
        let kept: Vec<&str> = short.filter(|name| !name.is_empty() && !PLAIN.contains(name)).take(DEPTH).collect();
        kept.join(" < ")
    };
    Ok(found.iter().map(name_of).collect())
}
