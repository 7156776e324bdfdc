//! The instructions of core A one after the other, from the waves of a NIC: the time in us, the
//! clocks in the execute stage, the address and the instruction. A line `--` has the clocks in
//! which that stage was empty. A core that sleeps has no clocks.
//!
//! ```sh
//! nicscope run ping-pong --set personality=emp ... --waves 2880..2925
//! cargo run --release -p nicscope-waves --example trail -- \
//!     out/ping-pong/window-tigon2-0/node0.fst target/riscv32imc-unknown-none-elf/firmware/emp
//! ```
//!
//! The instructions come from `llvm-objdump`, which must be on PATH.

use std::collections::HashMap;
use std::process::Command;

use wellen::{simple, SignalRef};

/// The execute stage of core A.
const CORE: &str = "TOP.nic_top.gen_core[0].u_core.u_core";
const PS_PER_US: f64 = 1e6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, image] = arguments.as_slice() else {
        return Err("usage: trail WAVES.fst FIRMWARE".into());
    };
    let code = instructions(image)?;
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
    // The address in the stage, or none; since when; and for how many clocks.
    let (mut address, mut since, mut clocks) = (None, 0, 0_u32);
    let mut was_high = true;
    for (at, &time) in waves.time_table().iter().enumerate() {
        let is_high = bits(clock, at) == Some(1);
        if is_high && !was_high {
            // The signal has no bit 0: it is always zero.
            let now = (bits(valid, at) == Some(1)).then(|| 2 * bits(pc, at).unwrap_or(0));
            if now != address && clocks != 0 {
                print(address, since, clocks, &code);
            }
            if now != address {
                (address, since, clocks) = (now, time, 0);
            }
            clocks += 1;
        }
        was_high = is_high;
    }
    Ok(())
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
