//! Bar 2: clock and size on an FPGA, by the synthesis of docs/synthesis.md.

use std::fs;
use std::process::{Command, Stdio};

use indexmap::IndexMap;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::image::workspace;
use serde::Deserialize;

use crate::engine::{Figure, Target};

pub const NOTE: &str = "ECP5-85 of speed grade 6, each part alone, the best of its placements; docs/synthesis.md";

const PARTS: [&str; 3] = ["core", "pci", "link"];

/// What `tools/synth/synth.py` writes of a part; it says more.
#[derive(Deserialize)]
struct Part {
    lut4: u32,
    flip_flops: u32,
    block_memories: u32,
    clocks: IndexMap<String, Clock>,
}

#[derive(Deserialize)]
struct Clock {
    target_mhz: f64,
    best_mhz: f64,
}

pub fn measure() -> Result<Vec<Figure>> {
    // synth.py also ends with status 1 if the clock is too slow. So only its results tell whether
    // it ran; those of an earlier run are removed first.
    for part in PARTS {
        let _ = fs::remove_file(workspace().join(path(part)));
    }
    call("tools/setup.sh", &["synth"])?;
    call(".venv/bin/python", &["tools/synth/synth.py"])?;
    let mut figures = Vec::new();
    for part in PARTS {
        let path = path(part);
        let text = fs::read_to_string(workspace().join(&path))
            .map_err(|error| failed!("{path}: {error}; `make synth PART={part}` says why"))?;
        figures.extend(of(part, &serde_json::from_str(&text).map_err(|error| failed!("{path}: {error}"))?));
    }
    Ok(figures)
}

fn path(part: &str) -> String {
    format!("out/synth/{part}.json")
}

/// Runs a command of the project; what it prints goes to standard error.
fn call(program: &str, arguments: &[&str]) -> Result<()> {
    eprintln!("nicscope: {program} {}", arguments.join(" "));
    let program_path = workspace().join(program);
    Command::new(program_path)
        .args(arguments)
        .current_dir(workspace())
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .status()
        .map(|_| ())
        .map_err(|error| failed!("{program}: {error}"))
}

fn of(name: &str, part: &Part) -> Vec<Figure> {
    let mut figures: Vec<Figure> = part
        .clocks
        .iter()
        .map(|(clock, found)| {
            let figure =
                Figure::new(format!("core.2.{name}.{clock}"), found.best_mhz, "MHz", Target::AtLeast(found.target_mhz));
            match name {
                "core" => figure.paper("81 to 88 VexRiscv, 81 PicoRV32, 30 Hazard3 (a like flow)"),
                _ => figure,
            }
        })
        .collect();
    let sizes = [("lut4", part.lut4), ("flip_flops", part.flip_flops), ("block_memories", part.block_memories)];
    figures
        .extend(sizes.map(|(size, count)| {
            Figure::new(format!("core.2.{name}.{size}"), f64::from(count), "cells", Target::None)
        }));
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_below_its_promise_is_missed() {
        let part = r#"{"part": "core", "lut4": 5000, "flip_flops": 900, "block_memories": 10, "multipliers": 4,
            "clocks": {"clk_i": {"target_mhz": 88.0, "best_mhz": 56.1, "worst_mhz": 50.0}}}"#;
        let figures = of("core", &serde_json::from_str(part).unwrap());
        assert_eq!(figures[0].id, "core.2.core.clk_i");
        assert!(!figures[0].ok());
        assert!(figures[1..].iter().all(Figure::ok));
    }
}
