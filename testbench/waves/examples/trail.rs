//! The instructions of a core one after the other, from the waves of a NIC: the time in us, the
//! clocks in the execute stage, the address and the instruction. A line `--` has the clocks in
//! which that stage was empty. A core that sleeps has no clocks.
//!
//! ```sh
//! nicscope run ping-pong --set personality=emp ... --waves 2880..2925
//! cargo run --release -p nicscope-waves --example trail -- \
//!     out/ping-pong/window-tigon2-0/node0.fst target/riscv32imc-unknown-none-elf/firmware/emp [A|B]
//! ```
//!
//! The instructions come from `llvm-objdump`, which must be on PATH.

mod stage;

use std::collections::HashMap;
use std::process::Command;

const PS_PER_US: f64 = 1e6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, image, core) = match arguments.as_slice() {
        [path, image] => (path, image, "A"),
        [path, image, core] => (path, image, core.as_str()),
        _ => return Err("usage: trail WAVES.fst FIRMWARE [CORE]".into()),
    };
    let code = instructions(image)?;
    // The address in the stage, or none; since when; and for how many clocks.
    let (mut address, mut since, mut clocks) = (None, 0, 0_u32);
    stage::each_clock(path, core, |time, now| {
        if now != address {
            if clocks != 0 {
                print(address, since, clocks, &code);
            }
            (address, since, clocks) = (now, time, 0);
        }
        clocks += 1;
    })
}

fn print(address: Option<u64>, since: u64, clocks: u32, code: &HashMap<u64, String>) {
    match address {
        None => println!("{:10} {clocks:4} --", ""),
        Some(address) => {
            let text = code.get(&address).map_or("?", String::as_str);
            println!("{:10.3} {clocks:4} {address:8x} {text}", since as f64 / PS_PER_US);
        }
    }
}

/// The instruction at each address.
fn instructions(image: &str) -> Result<HashMap<u64, String>, Box<dyn std::error::Error>> {
    let output = Command::new("llvm-objdump")
        .args(["-d", "--no-show-raw-insn", "--mattr=+m,+c,+zba,+zbb,+zbs", image])
        .output()
        .map_err(|error| format!("llvm-objdump: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let of = |line: &str| {
        let (address, rest) = line.split_once(':')?;
        Some((u64::from_str_radix(address.trim(), 16).ok()?, rest.trim().replace('\t', " ")))
    };
    Ok(text.lines().filter_map(of).collect())
}
