//! The generator of the register map: its committed output is up to date, and it refuses what it
//! cannot express.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

/// A Python with the package `systemrdl-compiler`: `$NICSCOPE_PYTHON`, or the Python of the
/// project's environment, or of the system.
fn python() -> Option<PathBuf> {
    let candidates = [
        std::env::var_os("NICSCOPE_PYTHON").map(PathBuf::from),
        Some(repository().join(".venv/bin/python")),
        Some(PathBuf::from("python3")),
    ];
    let usable = |python: &PathBuf| {
        Command::new(python).args(["-c", "import systemrdl"]).output().is_ok_and(|output| output.status.success())
    };
    let found = candidates.into_iter().flatten().find(usable);
    if found.is_none() {
        eprintln!(
            "SKIPPED: no Python with systemrdl-compiler; `pip install systemrdl-compiler` in .venv, \
             or set NICSCOPE_PYTHON"
        );
    }
    found
}

fn generate(python: &Path, arguments: &[&str]) -> Output {
    let program = repository().join("tools/registers/generate.py");
    Command::new(python).arg(program).args(arguments).output().unwrap()
}

fn temporary(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn committed_files_are_what_the_map_says() {
    let Some(python) = python() else { return };
    let folder = temporary("drift");
    let output = generate(&python, &["--out", folder.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in ["rtl/registers/nic_regs_pkg.sv", "firmware/layout/src/registers.rs", "docs/registers.md"] {
        let committed = fs::read_to_string(repository().join(file)).unwrap();
        let generated = fs::read_to_string(folder.join(file)).unwrap();
        assert!(committed == generated, "{file} is stale: run tools/registers/generate.py");
    }
    let check = generate(&python, &["--check"]);
    assert!(check.status.success(), "--check agrees");
}

#[test]
fn check_tells_which_file_is_stale() {
    let Some(python) = python() else { return };
    let folder = temporary("stale");
    let folder = folder.to_str().unwrap();
    assert!(generate(&python, &["--out", folder]).status.success());
    let file = Path::new(folder).join("docs/registers.md");
    fs::write(&file, "old").unwrap();
    let output = generate(&python, &["--out", folder, "--check"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("docs/registers.md") && !message.contains("nic_regs_pkg"), "{message}");
    assert_eq!(fs::read_to_string(file).unwrap(), "old", "nothing was written");
}

#[test]
fn generated_rust_is_formatted() {
    let file = repository().join("firmware/layout/src/registers.rs");
    let Ok(output) = Command::new("rustfmt").args(["--edition", "2021", "--check"]).arg(file).output() else {
        eprintln!("SKIPPED: no rustfmt");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Runs the generator on a map with this body, which it must refuse with a message that holds
/// `part`.
fn refused(python: &Path, name: &str, body: &str, part: &str) {
    let folder = temporary(name);
    let map = folder.join("map.rdl");
    let defaults = "default regwidth = 32; default sw = rw; default hw = r;";
    fs::write(&map, format!("addrmap bad {{ {defaults} {body} }};")).unwrap();
    let output = generate(python, &["--rdl", map.to_str().unwrap(), "--out", folder.to_str().unwrap()]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{name}: {message}");
    assert!(message.contains(part), "{name}: {part} expected in: {message}");
    assert!(!folder.join("docs").exists(), "{name}: nothing was written");
}

#[test]
fn maps_that_cannot_be_expressed_are_refused_by_name() {
    let Some(python) = python() else { return };
    let refused = |name: &str, body: &str, part: &str| refused(&python, name, body, part);
    let one = "field {} value[31:0] = 0;";

    refused("top_register", &format!("reg {{ {one} }} LOST @ 0;"), "LOST");
    refused("misaligned_file", &format!("regfile {{ reg {{ {one} }} R @ 0; }} ODD @ 0x80;"), "ODD");
    refused("outside_slot", &format!("regfile {{ reg {{ {one} }} R @ 0x100; }} F @ 0;"), "F.R");
    refused("outside_page", &format!("regfile {{ reg {{ {one} }} R @ 0; }} F @ 0x1000;"), "F");
    refused("wide", "regfile { reg { regwidth = 64; field {} value[63:0] = 0; } WIDE @ 0; } F @ 0;", "F.WIDE");
    refused(
        "mixed_access",
        "regfile { reg { field { sw = r; } a[0:0]; field {} b[1:1] = 0; } MIXED @ 0; } F @ 0;",
        "F.MIXED",
    );
    refused(
        "undescribed_field",
        "regfile { reg { field { desc = \"A.\"; } a[0:0] = 0; field {} b[1:1] = 0; } R @ 0; } F @ 0;",
        "F.R.b",
    );
    refused("write_effect", "regfile { reg { field { onwrite = wot; } a[0:0] = 0; } R @ 0; } F @ 0;", "F.R.a");
    refused("read_effect", "regfile { reg { field { onread = rclr; } a[0:0] = 0; } R @ 0; } F @ 0;", "F.R.a");
    refused("stride", &format!("regfile {{ reg {{ {one} }} R[4] @ 0 += 8; }} F @ 0;"), "F.R");
    refused("file_array", &format!("regfile {{ reg {{ {one} }} R @ 0; }} F[2] @ 0 += 0x100;"), "F");
    refused(
        "same_slot",
        &format!("regfile {{ reg {{ {one} }} R @ 0; }} A @ 0; regfile {{ reg {{ {one} }} R @ 4; }} A @ 0x100;"),
        "A",
    );
    refused(
        "exported_twice",
        &format!("regfile {{ reg {{ {one} }} B_MASK @ 0; reg {{ {one} }} B @ 4; }} A @ 0;"),
        "A_B_MASK",
    );
    refused("overlap", &format!("regfile {{ reg {{ {one} }} R @ 0; reg {{ {one} }} S @ 0; }} F @ 0;"), "'S'");
}
