//! The execute stage of a core, from the waves of a NIC.

use wellen::{simple, SignalRef};

/// Calls `look` at each clock of core A or B, with the time in ps and the address in the stage;
/// `None` while it is empty. A core that sleeps has no clocks.
///
/// # Errors
/// The file cannot be read, or has no such core.
pub fn each_clock(
    path: &str,
    core: &str,
    mut look: impl FnMut(u64, Option<u64>),
) -> Result<(), Box<dyn std::error::Error>> {
    let index = match core {
        "A" => 0,
        "B" => 1,
        _ => return Err("core A or B was expected".into()),
    };
    let core = format!("TOP.nic_top.gen_core[{index}].u_core.u_core");
    let mut waves = simple::read(path)?;
    let find = |name: &str| -> Result<SignalRef, String> {
        let (hierarchy, path) = (waves.hierarchy(), format!("{core}.{name}"));
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
    let mut was_high = true;
    for (at, &time) in waves.time_table().iter().enumerate() {
        let is_high = bits(clock, at) == Some(1);
        if is_high && !was_high {
            // The signal has no bit 0: it is always zero.
            look(time, (bits(valid, at) == Some(1)).then(|| 2 * bits(pc, at).unwrap_or(0)));
        }
        was_high = is_high;
    }
    Ok(())
}
