//! Reads what Verilator generated: lists of files, ports, sensitivities.

use std::path::{Path, PathBuf};

/// The C++ files of `V*_classes.mk`.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct Classes {
    /// Run in each evaluation.
    pub fast: Vec<String>,
    /// Constructors, `initial`, declarations of traces.
    pub slow: Vec<String>,
}

impl Classes {
    pub(crate) fn parse(makefile: &str) -> Classes {
        let mut classes = Classes::default();
        let joined = makefile.replace("\\\n", " ");
        for line in joined.lines() {
            let Some((variable, names)) = line.split_once("+=") else {
                continue;
            };
            let list = match variable.trim() {
                "VM_CLASSES_FAST" | "VM_SUPPORT_FAST" => &mut classes.fast,
                "VM_CLASSES_SLOW" | "VM_SUPPORT_SLOW" => &mut classes.slow,
                _ => continue, // the runtime itself
            };
            list.extend(names.split_whitespace().map(str::to_owned));
        }
        classes
    }
}

/// The RTL files behind a `V*__ver.d`, without Verilator's own.
pub(crate) fn rtl_dependencies(depfile: &str, working_dir: &Path, verilator_root: &Path) -> Vec<PathBuf> {
    let dependencies = depfile.split_once(" : ").map_or("", |(_, right)| right);
    let mut files: Vec<PathBuf> = dependencies
        .split_whitespace()
        .map(|file| working_dir.join(file))
        .filter(|file| !file.starts_with(verilator_root) && !file.ends_with("verilator_bin"))
        .collect();
    files.sort();
    files.dedup();
    files
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Input,
    Output,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Port {
    pub name: String,
    pub direction: Direction,
    pub width_bits: u32,
}

impl Port {
    /// The type of the variable that Verilator makes.
    pub(crate) fn rust_type(&self) -> String {
        match self.width_bits {
            0..=8 => "u8".to_owned(),
            9..=16 => "u16".to_owned(),
            17..=32 => "u32".to_owned(),
            33..=64 => "u64".to_owned(),
            wide => format!("[u32; {}]", wide.div_ceil(32)),
        }
    }

    pub(crate) fn is_wide(&self) -> bool {
        self.width_bits > 64
    }
}

/// The ports in the class of the top module: lines such as `VL_IN8(&clk_i,0,0);`.
pub(crate) fn ports(header: &str) -> Result<Vec<Port>, String> {
    let mut ports = Vec::new();
    for line in header.lines() {
        let line = line.trim();
        let Some((kind, arguments)) = line.strip_prefix("VL_").and_then(|rest| rest.split_once('(')) else {
            continue;
        };
        let direction = match kind.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'W') {
            "IN" => Direction::Input,
            "OUT" => Direction::Output,
            "INOUT" => return Err(format!("{line}: split an inout port into _i, _o and _oe_o")),
            _ => continue,
        };
        let mut words = arguments.trim_end_matches([')', ';']).split(',');
        let name = words.next().unwrap_or("");
        let Some(name) = name.strip_prefix('&').filter(|name| name.chars().all(|c| c == '_' || c.is_alphanumeric()))
        else {
            return Err(format!("{line}: ports of the top module must be plain vectors, not arrays"));
        };
        let mut bound = || words.next().and_then(|word| word.trim().parse::<i64>().ok());
        let (Some(msb), Some(lsb)) = (bound(), bound()) else {
            return Err(format!("{line}: the width is not understood"));
        };
        let width_bits = (msb.abs_diff(lsb) + 1) as u32;
        ports.push(Port { name: name.to_owned(), direction, width_bits });
    }
    Ok(ports)
}

/// True when all clocked logic waits for rising edges of `clocks`, and for nothing else but falling
/// edges of resets.
///
/// Generated code names each sensitivity of the design in a message for debugging:
/// `trigger index 0 is active: @(posedge clk_i)`.
pub(crate) fn waits_for_rising_edges_only<'a>(sources: impl Iterator<Item = &'a str>, clocks: &[String]) -> bool {
    let mut understood = false;
    for source in sources {
        for sensitivity in sensitivities(source) {
            understood = true;
            if sensitivity.starts_with("Internal") {
                continue;
            }
            let Some(list) = sensitivity.strip_prefix("@(").and_then(|s| s.strip_suffix(')')) else {
                return false;
            };
            let known = |event: &str| {
                event.strip_prefix("posedge ").is_some_and(|name| clocks.iter().any(|clock| clock == name))
                    || event.strip_prefix("negedge ").is_some_and(is_reset)
            };
            if !list.split(" or ").all(known) {
                return false;
            }
        }
    }
    understood
}

fn sensitivities(source: &str) -> impl Iterator<Item = &str> {
    let messages = source.split("trigger index ").skip(1).filter_map(|piece| piece.split_once(" is active: "));
    messages.map(|(_, rest)| rest.split("\\n").next().unwrap_or(rest))
}

/// The inputs whose falling edge clears registers at once.
pub(crate) fn reset_pads<'a>(sources: &[String], ports: &'a [Port]) -> Vec<&'a Port> {
    let falls = |port: &&Port| {
        let edge = format!("negedge {}", port.name);
        let lists = sources.iter().flat_map(|source| sensitivities(source));
        lists
            .flat_map(|list| list.trim_start_matches("@(").trim_end_matches(')').split(" or "))
            .any(|known| known == edge)
    };
    ports.iter().filter(|port| port.direction == Direction::Input && is_reset(&port.name)).filter(falls).collect()
}

/// Whether a net is named as a reset is: it falls with an input, and never with a clock.
fn is_reset(net: &str) -> bool {
    net.rsplit('.').next().is_some_and(|name| name.contains("rst_"))
}

/// The functions of a source: what stands before the opening brace, from the line of the name on,
/// and the body.
pub(crate) fn function_bodies(source: &str) -> impl Iterator<Item = (&str, &str)> {
    // Functions end with a brace in the first column.
    source.split("\n}\n").filter_map(|function| {
        let (head, body) = function.split_once(") {\n")?;
        let head = &function[..head.len() + 1];
        Some((head.lines().last().unwrap_or(head), body))
    })
}

/// Whether code names a port of the model.
pub(crate) fn mentions(body: &str, port: &str) -> bool {
    let named = |name: String| {
        let ends = |at: usize| !body[at + name.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_');
        body.match_indices(name.as_str()).any(|(at, _)| ends(at))
    };
    named(format!("->{port}")) || named(format!(".{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_makefile_gives_fast_and_slow_files() {
        let text = "VM_TRACE = 1\nVM_CLASSES_FAST += \\\n\tA \\\n\tA__0 \\\n\nVM_CLASSES_SLOW += \\\n  A__Slow \\\n\n\
                    VM_SUPPORT_FAST += \\\n  A__Trace \\\n\nVM_SUPPORT_SLOW += \\\n  A__Syms \\\n\nVM_GLOBAL_FAST += \\\n  verilated \\\n";
        let classes = Classes::parse(text);
        assert_eq!(classes.fast, ["A", "A__0", "A__Trace"]);
        assert_eq!(classes.slow, ["A__Slow", "A__Syms"]);
    }

    #[test]
    fn ports_of_every_width_have_the_type_of_their_variable() {
        let header =
            "class A {\n VL_IN8(&clk_i,0,0);\n VL_OUT16(&a_o,8,0);\n VL_IN(&b_i,31,0);\n VL_OUT64(&c_o,32,0);\n \
                      VL_INW(&d_i,99,0,4);\n VL_UNCOPYABLE(A);\n";
        let ports = ports(header).unwrap();
        let types: Vec<_> = ports.iter().map(|p| (p.width_bits, p.rust_type())).collect();
        let expected = [(1, "u8"), (9, "u16"), (32, "u32"), (33, "u64"), (100, "[u32; 4]")];
        assert_eq!(types, expected.map(|(width, name)| (width, name.to_owned())));
        assert_eq!(ports[1].direction, Direction::Output);
    }

    #[test]
    fn arrays_and_inouts_are_refused_with_a_remedy() {
        assert!(ports("VL_IN8((&a_i)[4],7,0);").unwrap_err().contains("plain vectors"));
        assert!(ports("VL_INOUT8(&a,7,0);").unwrap_err().contains("_oe_o"));
    }

    #[test]
    fn falling_edges_and_unknown_clocks_are_noticed() {
        let clocks = ["clk_i".to_owned(), "clk_b_i".to_owned()];
        let message = |event: &str| format!("'act' region trigger index 0 is active: {event}\\n\");");
        let only = |events: &[&str]| {
            let sources: Vec<String> = events.iter().map(|event| message(event)).collect();
            waits_for_rising_edges_only(sources.iter().map(String::as_str), &clocks)
        };
        assert!(only(&["Internal 'ico' trigger - first iteration", "@(posedge clk_i)", "@(posedge clk_b_i)"]));
        assert!(only(&["@(posedge clk_i or posedge clk_b_i)"]));
        assert!(!only(&["@(posedge clk_i)", "@(negedge clk_i)"]));
        assert!(only(&["@(posedge clk_i or negedge top.rst_core_n)"]));
        assert!(!only(&["@(posedge clk_i or negedge top.gated_clk)"]));
        assert!(!only(&["@(posedge top.gated_clk)"]));
        assert!(!only(&[]), "generated code that is not understood is not trusted");
    }

    #[test]
    fn rtl_files_are_told_from_verilators_own() {
        let files = rtl_dependencies(
            "o/A.cpp o/A.h  : /usr/bin/verilator_bin /v/include/verilated_std.sv rtl/b.sv rtl/a.sv ",
            Path::new("/work"),
            Path::new("/v"),
        );
        assert_eq!(files, [PathBuf::from("/work/rtl/a.sv"), PathBuf::from("/work/rtl/b.sv")]);
    }
}
