//! Takes the geometries of the caches and the width of keys from the environment, and links the
//! image for the NIC.

use std::env;
use std::fs;
use std::path::Path;

/// Name of the variable, what it is, and its default: the geometry that the thesis recommends
/// (MC-6).
const GEOMETRY: [(&str, &str, u32); 6] = [
    ("NICSCOPE_VMH_ENTRIES", "ENTRIES", 16_384),
    ("NICSCOPE_VMH_LINE_ENTRIES", "LINE_ENTRIES", 64),
    ("NICSCOPE_VMH_WAYS", "WAYS", 4),
    ("NICSCOPE_CBH_ENTRIES", "CBH_ENTRIES", 1024),
    ("NICSCOPE_CBH_WAYS", "CBH_WAYS", 4),
    ("NICSCOPE_KEY_BITS", "KEY_BITS", 64),
];

/// Image and linker script: of which core it is.
const IMAGES: [(&str, &str); 12] = [
    ("mini", "core-a.ld"),
    ("mini-pair", "core-a.ld"),
    ("vmmc", "core-a.ld"),
    ("vmmc-pair", "core-a.ld"),
    ("echo", "core-a.ld"),
    ("echo-pair", "core-a.ld"),
    ("emp", "core-a.ld"),
    ("kernel", "core-a.ld"),
    ("emp-pair", "core-a.ld"),
    ("emp-mini", "core-a.ld"),
    ("cache-probe", "core-a.ld"),
    ("keeper", "core-b.ld"),
];

fn number(variable: &str, default: u32) -> u32 {
    println!("cargo:rerun-if-env-changed={variable}");
    let Ok(text) = env::var(variable) else {
        return default;
    };
    match text.parse::<u32>() {
        Ok(number) if number.is_power_of_two() => number,
        _ => panic!("{variable}={text}: a power of two was expected, such as {default}"),
    }
}

/// Places the state of core A. `nic_layout::nodes` reads and checks the room for nodes. The
/// scratchpad holds the state for 16 nodes beside the hot code. For more nodes the state lies in
/// SRAM: `cfg(state_in_sram)`.
fn place_state() {
    const NODES_IN_SCRATCHPAD: u32 = 16;
    println!("cargo:rustc-check-cfg=cfg(state_in_sram)");
    if number("NICSCOPE_NODES", NODES_IN_SCRATCHPAD) > NODES_IN_SCRATCHPAD {
        println!("cargo:rustc-cfg=state_in_sram");
    }
}

/// How the image of EMP finds posted receives: `cfg(matching_hashed)`, or the linear search.
/// Returns whether it is the hashed one.
fn choose_matching() -> bool {
    const VARIABLE: &str = "NICSCOPE_EMP_MATCHING";
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    println!("cargo:rustc-check-cfg=cfg(matching_hashed)");
    match env::var(VARIABLE).as_deref() {
        Err(_) | Ok("linear") => false,
        Ok("hashed") => {
            println!("cargo:rustc-cfg=matching_hashed");
            true
        }
        Ok(other) => panic!("{VARIABLE}={other}: linear or hashed was expected"),
    }
}

/// Name of a scheme, its type in `nic_emp`, and the linker script of core B. The first is the
/// default. The halves of `dynamic` are the cores of DSR.
const SCHEMES: [(&str, &str, &str); 6] = [
    ("dsr", "Dsr", "core-b-emp-full.ld"),
    ("base", "Base", "core-b-emp.ld"),
    ("so", "So", "core-b-emp.ld"),
    ("ro", "Ro", "core-b-emp.ld"),
    ("sr", "Sr", "core-b-emp-full.ld"),
    ("dynamic", "Dsr", "core-b-emp-lent.ld"),
];

/// The scheme by which two cores share the parts of EMP: its type, and the linker script of core B.
/// `cfg(scheme_dynamic)`: core A has all parts, and lends some.
fn scheme() -> (&'static str, &'static str) {
    const VARIABLE: &str = "NICSCOPE_EMP_SCHEME";
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    println!("cargo:rustc-check-cfg=cfg(scheme_dynamic)");
    let wanted = env::var(VARIABLE).unwrap_or_else(|_| SCHEMES[0].0.to_string());
    if wanted == "dynamic" {
        println!("cargo:rustc-cfg=scheme_dynamic");
    }
    match SCHEMES.iter().find(|(name, ..)| *name == wanted) {
        Some(&(_, scheme, script)) => (scheme, script),
        None => panic!("{VARIABLE}={wanted}: one of {:?} was expected", SCHEMES.map(|(name, ..)| name)),
    }
}

/// The folder of `from-sram.ld` of an image: which hot code runs from SRAM.
///
/// A planted defect takes room of the scratchpad, and its image need not be fast. Hashed matching,
/// and core A of two that has every part of the protocol, find no room for all hot code.
fn places_of(image: &str, has_defect: bool, is_hashed: bool, is_base: bool) -> &'static str {
    match image {
        "emp-mini" => "emp-mini",
        _ if has_defect => "emp-mini",
        "emp" if is_hashed => "all-parts",
        "emp-pair" if is_base => "all-parts",
        _ => "usual",
    }
}

/// Whether a defect is planted (`nic_layout::plant`).
fn has_defect() -> bool {
    const VARIABLE: &str = "NICSCOPE_PLANT";
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    env::var(VARIABLE).is_ok_and(|plant| !plant.is_empty())
}

fn main() {
    place_state();
    let is_hashed = choose_matching();
    let [entries, line_entries, ways, cbh_entries, cbh_ways, key_bits] =
        GEOMETRY.map(|(variable, _, default)| number(variable, default));
    if !(8..=128).contains(&line_entries) {
        panic!("NICSCOPE_VMH_LINE_ENTRIES={line_entries}: 8 to 128 were expected");
    }
    if !(2..=8).contains(&ways) {
        panic!("NICSCOPE_VMH_WAYS={ways}: 2, 4 or 8 was expected");
    }
    if entries < line_entries * ways {
        panic!("NICSCOPE_VMH_ENTRIES={entries}: at least one set, {} entries, was expected", line_entries * ways);
    }
    if cbh_ways > 8 {
        panic!("NICSCOPE_CBH_WAYS={cbh_ways}: 1, 2, 4 or 8 was expected");
    }
    if cbh_entries < cbh_ways {
        panic!("NICSCOPE_CBH_ENTRIES={cbh_entries}: at least one set, {cbh_ways} entries, was expected");
    }
    if key_bits != 64 && key_bits != 128 {
        panic!("NICSCOPE_KEY_BITS={key_bits}: 64 or 128 was expected");
    }
    let constants: String = GEOMETRY
        .iter()
        .zip([entries, line_entries, ways, cbh_entries, cbh_ways, key_bits])
        .map(|((_, name, _), value)| format!("pub const {name}: u32 = {value};\n"))
        .collect();
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("geometry.rs"), constants).expect("OUT_DIR is writable");

    let (scheme, core_b_script) = scheme();
    let text = format!("/// The scheme of this build.\npub type Scheme = nic_emp::{scheme};\n");
    fs::write(Path::new(&out).join("scheme.rs"), text).expect("OUT_DIR is writable");

    for script in
        ["core-a.ld", "core-b.ld", "core-b-emp.ld", "core-b-emp-full.ld", "core-b-emp-lent.ld", "sections.ld", "place"]
    {
        println!("cargo:rerun-if-changed={script}");
    }
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("riscv32") {
        let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
        let has_defect = has_defect();
        println!("cargo:rustc-link-arg-bins=-L{root}");
        for (image, script) in IMAGES.into_iter().chain([("emp-b", core_b_script)]) {
            println!(
                "cargo:rustc-link-arg-bin={image}=-L{root}/place/{}",
                places_of(image, has_defect, is_hashed, scheme == "Base")
            );
            println!("cargo:rustc-link-arg-bin={image}=-T{script}");
        }
    }
}
