//! Bar 7: how long a developer waits after a change. Builds and tests a clone of the last commit,
//! from nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, request_error};

use crate::engine::{Figure, Target};

pub const NOTE: &str =
    "of a clone of the last commit, built from nothing; other work on the machine makes the times longer";

/// A typical edit of a source: `old` becomes `new` in `file`.
struct Edit {
    file: &'static str,
    old: &'static str,
    new: &'static str,
}

/// Firmware that every message passes. The next run has other code in the image.
const FIRMWARE: Edit =
    Edit { file: "firmware/engine/src/receive.rs", old: "\nuse ", new: "\n#[used]\nstatic EDITED: u8 = 1;\nuse " };

/// Logic in the middle of the NIC that changes what every model does.
const RTL: Edit = Edit {
    file: "rtl/memory/nic_sram_arbiter.sv",
    old: "      link_tx_turn_q   <= 1'b0;\n",
    new: "      // A line more.\n      link_tx_turn_q   <= 1'b1;\n",
};

pub fn measure() -> Result<Vec<Figure>> {
    let clone = Clone::of_checkout()?;
    let build = clone.seconds("clean build", "make build && cargo test --release --workspace --no-run")?;
    let test = clone.seconds("all tests", "make test")?;
    clone.edit(&FIRMWARE)?;
    let firmware = clone.seconds("build after an edit of the firmware", "make build")?;
    clone.edit(&RTL)?;
    let rtl = clone.seconds("build after an edit of the RTL", "make build")?;
    Ok(vec![
        Figure::new("machine.7.clean_build", build / 60.0, "minutes", Target::AtMost(6.0)),
        Figure::new("machine.7.test", test / 60.0, "minutes, when built", Target::None),
        Figure::new("machine.7.test_of_a_clone", (build + test) / 60.0, "minutes", Target::AtMost(15.0)),
        Figure::new("machine.7.firmware_edit_to_run", firmware, "s", Target::AtMost(15.0)),
        Figure::new("machine.7.rtl_edit_to_run", rtl, "s", Target::AtMost(90.0)),
    ])
}

/// A clone that goes away with its value.
struct Clone(PathBuf);

impl Clone {
    fn of_checkout() -> Result<Clone> {
        let found = Command::new("git").args(["rev-parse", "--show-toplevel"]).output();
        let checkout = match found {
            Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_string(),
            _ => return Err(request_error!("bar 7 builds the project: run it in a git checkout of it")),
        };
        if !Path::new(&checkout).join(RTL.file).is_file() {
            return Err(request_error!("bar 7 builds the project: {checkout} is another one"));
        }
        let clone = Clone(std::env::temp_dir().join(format!("nicscope-times-{}", std::process::id())));
        let status = Command::new("git").args(["clone", "--quiet", &checkout]).arg(&clone.0).status();
        match status {
            Ok(status) if status.success() => Ok(clone),
            _ => Err(failed!("cannot clone {checkout} to {}", clone.0.display())),
        }
    }

    fn edit(&self, edit: &Edit) -> Result<()> {
        let path = self.0.join(edit.file);
        let text = fs::read_to_string(&path).map_err(|error| failed!("{}: {error}", edit.file))?;
        if !text.contains(edit.old) {
            return Err(failed!("{}: there is no {:?} to edit", edit.file, edit.old));
        }
        let edited = text.replacen(edit.old, edit.new, 1);
        fs::write(&path, edited).map_err(|error| failed!("{}: {error}", edit.file))
    }

    /// Wall time of a shell command in the clone; what it prints is shown if it fails.
    fn seconds(&self, what: &str, command: &str) -> Result<f64> {
        eprintln!("nicscope: {what}: {command}");
        let start = Instant::now();
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(&self.0)
            // The clone builds in its own folder.
            .env_remove("CARGO_TARGET_DIR")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| failed!("sh: {error}"))?;
        let seconds = start.elapsed().as_secs_f64();
        match output.status.success() {
            true => Ok(seconds),
            false => {
                let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
                let lines: Vec<&str> = text.lines().collect();
                let last = lines[lines.len().saturating_sub(20)..].join("\n");
                Err(failed!("{what}: {command}: {}\n{last}", output.status))
            }
        }
    }
}

impl Drop for Clone {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkout() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("a crate two folders below the root")
    }

    #[test]
    fn each_edit_finds_its_place() {
        for edit in [FIRMWARE, RTL] {
            assert!(fs::read_to_string(checkout().join(edit.file)).unwrap().contains(edit.old), "{}", edit.file);
        }
    }

    #[test]
    fn a_command_that_fails_says_what_it_printed() {
        let folder = Clone(std::env::temp_dir().join(format!("nicscope-times-test-{}", std::process::id())));
        fs::create_dir_all(&folder.0).unwrap();
        assert!(folder.seconds("nothing", "true").unwrap() >= 0.0);
        let error = folder.seconds("a build", "echo no such crate; false").unwrap_err().to_string();
        assert!(error.contains("a build") && error.contains("no such crate"), "{error}");
    }
}
