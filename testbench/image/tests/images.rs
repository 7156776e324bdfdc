//! The linked images of the NIC: the stack of each fits the room that the linker script leaves, and
//! no image can reach a panic (INV-37).

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use nic_image::judge;

const TARGET: &str = "riscv32imc-unknown-none-elf";

/// Build parameters of an image (`firmware/nic/build.rs`): entries, entries of a line and ways of
/// the translation cache, entries and ways of the buffer cache, bits of a key; room for nodes.
type Parameters = [u32; 7];

const NAMES: [&str; 7] = [
    "NICSCOPE_VMH_ENTRIES",
    "NICSCOPE_VMH_LINE_ENTRIES",
    "NICSCOPE_VMH_WAYS",
    "NICSCOPE_CBH_ENTRIES",
    "NICSCOPE_CBH_WAYS",
    "NICSCOPE_KEY_BITS",
    "NICSCOPE_NODES",
];

const RECOMMENDED: Parameters = [16_384, 64, 4, 1024, 4, 64, 16];

/// Builds images and judges them: bytes of the deepest path and of the room.
fn judged(images: &[&str], parameters: Parameters) -> Vec<(u32, u32)> {
    judged_with(images, parameters, &[])
}

/// The same with further build parameters.
fn judged_with(images: &[&str], parameters: Parameters, more: &[(&str, &str)]) -> Vec<(u32, u32)> {
    /// The builds of all tests share a folder.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // One folder for all parameters: cargo then rebuilds only the crates that depend on them.
    let folder = workspace.join("target/judged");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(&workspace).args(["build", "--quiet", "-p", "nic-firmware", "--profile", "firmware"]);
    cargo.args(["--target", TARGET, "--target-dir"]).arg(&folder);
    cargo.args(images.iter().flat_map(|image| ["--bin", image]));
    cargo.envs(NAMES.iter().zip(parameters.map(|parameter| parameter.to_string())));
    cargo.envs(more.iter().copied());
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{parameters:?}: {}", String::from_utf8_lossy(&output.stderr));
    let verdict = |image: &&str| {
        let path = folder.join(TARGET).join("firmware").join(image);
        let file = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let stack = judge(&file).unwrap_or_else(|error| panic!("{image} with {parameters:?}: {error}"));
        println!("{image} {parameters:?} {more:?}: {} of {}", stack.deepest_bytes, stack.room_bytes);
        (stack.deepest_bytes, stack.room_bytes)
    };
    images.iter().map(verdict).collect()
}

#[test]
fn the_stack_of_every_image_fits_and_no_image_can_panic() {
    let all = [
        "mini",
        "mini-pair",
        "vmmc",
        "vmmc-pair",
        "echo",
        "echo-pair",
        "emp",
        "emp-mini",
        "emp-pair",
        "emp-b",
        "kernel",
        "cache-probe",
        "keeper",
    ];
    assert_eq!(judged(&all, RECOMMENDED).len(), all.len());
    judged(&all, WIDE_KEYS);
    for parameters in [SMALLEST, LARGEST] {
        judged(&["mini", "mini-pair"], parameters);
    }
}

/// Keys of 128 bits. Images with static tables have no other parameter.
const WIDE_KEYS: Parameters = [16_384, 64, 4, 1024, 4, 128, 16];
const SMALLEST: Parameters = [64, 8, 2, 4, 2, 64, 16];
const LARGEST: Parameters = [32_768, 128, 8, 1024, 8, 128, 16];

/// The smallest and the largest value of each parameter that shapes code, one at a time, and the
/// geometries of the random runs.
#[test]
#[ignore = "takes minutes: `make defects` runs it"]
fn no_geometry_of_the_caches_lets_an_image_panic_or_overrun_its_stack() {
    let others: [Parameters; 7] = [
        [16_384, 8, 2, 1024, 1, 64, 16],
        [16_384, 128, 8, 1024, 8, 64, 16],
        [64, 8, 2, 4, 2, 128, 16],
        [256, 16, 4, 16, 4, 64, 16],
        [1024, 128, 8, 1, 1, 128, 16],
        [16_384, 64, 4, 1024, 4, 64, 64],
        [16_384, 64, 4, 1024, 4, 128, 64],
    ];
    for parameters in others {
        judged(&["mini", "mini-pair"], parameters);
    }
}

/// The scratchpad is nearly full, so an image may not link with another scheme or matching.
#[test]
#[ignore = "takes minutes: `make defects` runs it"]
fn the_images_of_emp_fit_with_every_scheme_and_matching() {
    for matching in ["linear", "hashed"] {
        for scheme in ["base", "so", "ro", "dsr", "sr", "dynamic"] {
            let more = [("NICSCOPE_EMP_SCHEME", scheme), ("NICSCOPE_EMP_MATCHING", matching)];
            // The others have no scheme.
            let images: &[&str] =
                if scheme == "base" { &["emp", "emp-mini", "emp-pair", "emp-b"] } else { &["emp-pair", "emp-b"] };
            judged_with(images, RECOMMENDED, &more);
        }
    }
}
