//! The images of kernels: cargo builds them, and they are read as ELF files.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use host_model::elf;

use crate::machine::SRAM_BYTES;
use crate::Error;

const TARGET: &str = "riscv32imc-unknown-none-elf";
const C_COMPILER: &str = "riscv64-unknown-elf-gcc";

/// The language in which the kernels of an image are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Rust, by the compiler of the firmware.
    Rust,
    /// C, by the compiler `riscv64-unknown-elf-gcc`.
    C,
}

/// The memory in which code and data of the kernels lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// Both lie in the scratchpad, one clock for each access.
    Scratchpad,
    /// Both lie in the SRAM: code is fetched through the instruction cache. The stack stays in the
    /// scratchpad.
    Sram,
}

impl Language {
    /// Both languages.
    pub const ALL: [Language; 2] = [Language::Rust, Language::C];

    /// The name in image names and reports.
    pub fn name(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::C => "c",
        }
    }
}

impl Placement {
    /// Both memories.
    pub const ALL: [Placement; 2] = [Placement::Scratchpad, Placement::Sram];

    /// The name in image names and reports.
    pub fn name(self) -> &'static str {
        match self {
            Placement::Scratchpad => "scratchpad",
            Placement::Sram => "sram",
        }
    }
}

/// Whether the C compiler for the core is installed.
pub fn has_c() -> bool {
    let found = Command::new(C_COMPILER).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// Builds an image of kernels, if it is not up to date, and reads it. An error if the build fails
/// or the C compiler is missing.
pub fn kernels(language: Language, placement: Placement) -> Result<elf::Image, Error> {
    if language == Language::C && !has_c() {
        return Err(Error::Image(format!("{C_COMPILER} is missing: run tools/setup.sh bench")));
    }
    image(&format!("kernels-{}-{}", language.name(), placement.name()), language)
}

/// The image that serves events (`nic_kernels::report::dispatch`).
pub fn dispatch() -> Result<elf::Image, Error> {
    image("dispatch", Language::Rust)
}

/// The image in which two cores affect each other (`nic_kernels::report::pair`).
pub fn pair() -> Result<elf::Image, Error> {
    image("pair", Language::Rust)
}

fn image(name: &str, language: Language) -> Result<elf::Image, Error> {
    let workspace = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let folder: PathBuf = workspace.join("target");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(workspace)
        .args(["build", "--quiet", "-p", "nic-kernels", "--profile", "firmware", "--target", TARGET, "--bin", name])
        .arg("--target-dir")
        .arg(&folder)
        // The environment that cargo sets for a test would reach the build script of the image.
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null());
    if language == Language::C {
        cargo.args(["--features", "c"]);
    }
    let output =
        cargo.output().map_err(|error| Error::Image(format!("cannot run cargo: {error}; is Rust on PATH?")))?;
    if !output.status.success() {
        return Err(Error::Image(format!("{name} does not build:\n{}", String::from_utf8_lossy(&output.stderr))));
    }
    let path = folder.join(TARGET).join("firmware").join(name);
    let file = std::fs::read(&path).map_err(|error| Error::Image(format!("{}: {error}", path.display())))?;
    elf::read(&file, SRAM_BYTES).map_err(|error| Error::Image(format!("{name}: {error}")))
}
