//! The instructions of core A one after the other, with the clocks of each.
use std::collections::HashMap;
use std::process::Command;
use wellen::{simple, SignalRef};
const CORE: &str = "TOP.nic_top.gen_core[0].u_core.u_core";
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, image] = arguments.as_slice() else { return Err("usage: trail WAVES.fst FIRMWARE".into()) };
    let text = Command::new("llvm-objdump").args(["-d", "--no-show-raw-insn", "--mattr=+m,+c,+zba,+zbb,+zbs", "-C", image]).output()?;
    let mut lines: HashMap<u64, String> = HashMap::new();
    let mut function = String::new();
    for line in String::from_utf8_lossy(&text.stdout).lines() {
        if line.ends_with(">:") { function = line.split('<').nth(1).unwrap_or("").trim_end_matches(">:").chars().take(40).collect(); }
        if let Some((address, rest)) = line.split_once(':') {
            if let Ok(address) = u64::from_str_radix(address.trim(), 16) { lines.insert(address, format!("{:<50} {function}", rest.trim().replace('\t', " "))); }
        }
    }
    let mut waves = simple::read(path)?;
    let find = |name: &str| -> Result<SignalRef, String> {
        let (hierarchy, path) = (waves.hierarchy(), format!("{CORE}.{name}"));
        let found = hierarchy.all_vars().find(|var| hierarchy[*var].full_name(hierarchy) == path);
        found.map(|var| hierarchy[var].signal_ref()).ok_or(format!("{path}: no such signal"))
    };
    let [clock, valid, pc] = [find("clk_i")?, find("x_valid_q")?, find("x_pc")?];
    waves.load_signals(&[clock, valid, pc]);
    let bits = |signal: SignalRef, at: usize| -> Option<u64> {
        let signal = waves.get_signal(signal)?;
        let text = signal.get_value_at(&signal.get_offset(at as u32)?, 0).to_bit_string()?;
        u64::from_str_radix(&text, 2).ok()
    };
    let (mut was_high, mut last, mut count, mut bubbles, mut start) = (true, 0u64, 0u32, 0u32, 0u64);
    let mut clock_number = 0;
    let table = waves.time_table().to_vec();
    for at in 0..table.len() {
        let is_high = bits(clock, at) == Some(1);
        if is_high && !was_high {
            clock_number += 1;
            let is_valid = bits(valid, at) == Some(1);
            let here = 2 * bits(pc, at).unwrap_or(0);
            if is_valid && here == last { count += 1; }
            else if is_valid {
                if count != 0 { println!("{:>10.3} {count:>3} {last:6x} {}", start as f64 / 1e6, lines.get(&last).map_or("?", |l| l)); }
                if bubbles != 0 { println!("           {bubbles:>3} --"); }
                (last, count, bubbles, start) = (here, 1, 0, table[at]);
            } else {
                if bubbles == 0 && count != 0 { println!("{:>10.3} {count:>3} {last:6x} {}", start as f64 / 1e6, lines.get(&last).map_or("?", |l| l)); count = 0; last = 0; }
                bubbles += 1;
            }
        }
        was_high = is_high;
    }
    let _ = clock_number;
    Ok(())
}
