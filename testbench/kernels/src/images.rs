//! The images: built by cargo, and read.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use host_model::elf;

use crate::machine::SRAM_BYTES;
use crate::Error;

const TARGET: &str = "riscv32imc-unknown-none-elf";
const C_COMPILER: &str = "riscv64-unknown-elf-gcc";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Rust,
    C,
}

/// Where code and data of the kernels lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    Scratchpad,
    /// Code behind the instruction cache; the stack stays in the scratchpad.
    Sram,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::Rust, Language::C];

    pub fn name(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::C => "c",
        }
    }
}

impl Placement {
    pub const ALL: [Placement; 2] = [Placement::Scratchpad, Placement::Sram];

    pub fn name(self) -> &'static str {
        match self {
            Placement::Scratchpad => "scratchpad",
            Placement::Sram => "sram",
        }
    }
}

/// The C compiler for the core is installed.
pub fn has_c() -> bool {
    let found = Command::new(C_COMPILER).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// Builds an image of kernels, or finds it up to date.
pub fn kernels(language: Language, placement: Placement) -> Result<elf::Image, Error> {
    if language == Language::C && !has_c() {
        return Err(Error::Image(format!("{C_COMPILER} is missing: run tools/setup.sh bench")));
    }
    image(&format!("kernels-{}-{}", language.name(), placement.name()), language)
}

/// Serves events (`report::dispatch`).
pub fn dispatch() -> Result<elf::Image, Error> {
    image("dispatch", Language::Rust)
}

/// What two cores do to each other (`report::pair`).
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
        // What cargo tells a test would reach the build script of the image.
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
