//! Where the clocks of a firmware go: clocks of core A by function, from the waves of a NIC.
//!
//! ```sh
//! nicscope run ping-pong --set personality=emp ... --waves 2880..2925
//! cargo run --release -p nicscope-waves --example profile -- \
//!     out/ping-pong/window-tigon2-0/node0.fst target/riscv32imc-unknown-none-elf/firmware/emp
//! ```
//!
//! The names of inlined functions come from `llvm-symbolizer`, which must be on PATH. A line has
//! the clocks, their share, and the function with those that it was inlined into.

use std::collections::BTreeMap;
use std::process::Command;

use wellen::{simple, SignalRef};

/// The execute stage of core A.
const CORE: &str = "TOP.nic_top.gen_core[0].u_core.u_core";
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
    let [waves, image] = arguments.as_slice() else {
        return Err("usage: profile WAVES.fst FIRMWARE".into());
    };
    let clocks = clocks_by_address(waves)?;
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
fn clocks_by_address(path: &str) -> Result<BTreeMap<u64, u64>, Box<dyn std::error::Error>> {
    let mut waves = simple::read(path)?;
    let find = |name: &str| -> Result<SignalRef, String> {
        let (hierarchy, path) = (waves.hierarchy(), format!("{CORE}.{name}"));
        let found = hierarchy.all_vars().find(|var| hierarchy[*var].full_name(hierarchy) == path);
        found.map(|var| hierarchy[var].signal_ref()).ok_or(format!("{path}: no such signal in these waves"))
    };
    let [clock, valid, pc] = [find("clk_i")?, find("x_valid_q")?, find("x_pc")?];
    waves.load_signals(&[clock, valid, pc]);
    let bits = |signal: SignalRef, at: usize| -> Option<u64> {
        let signal = waves.get_signal(signal)?;
        let text = signal.get_value_at(&signal.get_offset(at as u32)?, 0).to_bit_string()?;
        u64::from_str_radix(&text, 2).ok()
    };
    let mut clocks = BTreeMap::new();
    let mut was_high = true;
    for at in 0..waves.time_table().len() {
        let is_high = bits(clock, at) == Some(1);
        if is_high && !was_high && bits(valid, at) == Some(1) {
            // The signal has no bit 0: it is always zero.
            *clocks.entry(2 * bits(pc, at).unwrap_or(0)).or_default() += 1;
        }
        was_high = is_high;
    }
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
