//! Compiles the kernels in C, and links each image for its placement.

use std::env;

/// Image and linker script.
const IMAGES: [(&str, &str); 6] = [
    ("kernels-rust-scratchpad", "scratchpad.ld"),
    ("kernels-rust-sram", "sram.ld"),
    ("kernels-c-scratchpad", "scratchpad.ld"),
    ("kernels-c-sram", "sram.ld"),
    ("dispatch", "scratchpad.ld"),
    ("pair", "pair.ld"),
];

fn main() {
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() != Ok("riscv32") {
        return;
    }
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    for script in ["scratchpad.ld", "sram.ld", "pair.ld", "sections.ld"] {
        println!("cargo:rerun-if-changed={script}");
    }
    for (image, script) in IMAGES {
        if cfg!(feature = "c") || !image.contains("-c-") {
            println!("cargo:rustc-link-arg-bin={image}=-L{root}");
            println!("cargo:rustc-link-arg-bin={image}=-T{script}");
        }
    }
    #[cfg(feature = "c")]
    compile_c();
}

/// With the instructions that Rust may use, and the optimisation that C is published with.
#[cfg(feature = "c")]
fn compile_c() {
    const FILES: [&str; 9] = ["lookup", "copy", "crc", "machine", "matrix", "search", "sort", "hash", "filter"];
    println!("cargo:rerun-if-changed=c/kernels.h");
    let mut build = cc::Build::new();
    for file in FILES {
        println!("cargo:rerun-if-changed=c/{file}.c");
        build.file(format!("c/{file}.c"));
    }
    build
        .opt_level(2)
        // As published cores are measured: the debug information of the profile would bring a frame
        // pointer.
        .debug(false)
        .force_frame_pointer(false)
        .std("c11")
        .flag(march())
        .flag("-mabi=ilp32")
        .flag("-ffreestanding")
        // As Rust does (.cargo/config.toml): a jump to an instruction that straddles two words
        // costs a clock more.
        .flag("-falign-functions=4")
        .flag("-falign-jumps=4")
        // A loop that copies stays a loop.
        .flag_if_supported("-fno-tree-loop-distribute-patterns")
        .warnings_into_errors(true)
        .extra_warnings(true)
        .compile("kernels_c");
}

/// The extensions that the compiler of Rust was given, in the order that a C compiler wants. Not
/// Zbs: with it GCC 12 ends in an internal error where the constant 2048 is needed.
#[cfg(feature = "c")]
fn march() -> String {
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |name: &str| features.split(',').any(|feature| feature == name);
    let letters: String = ["m", "a", "c"].into_iter().filter(|letter| has(letter)).collect();
    let long: String = ["zba", "zbb"].into_iter().filter(|name| has(name)).map(|name| format!("_{name}")).collect();
    format!("-march=rv32i{letters}{long}")
}
