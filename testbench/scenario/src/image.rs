//! The firmware image of a personality: built by cargo, with the caches' geometry and the width of keys as build parameters.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use host_model::elf;
use host_model::platform::Platform;
use nic_image::Stack;
use nic_layout::cbh::CbhGeometry;
use nic_layout::key::KeyWidth;
use nic_layout::plant::Plant;
use nic_layout::vmh::VmhGeometry;
use nic_plan::Geometry;

use crate::error::Result;
use crate::{failed, request_error};

const TARGET: &str = "riscv32imc-unknown-none-elf";

/// The folder that holds Cargo.toml of the workspace: the sources that this command was built from.
pub fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Builds the image with the recommended cache of buffers.
pub fn build(binary: &str, geometry: VmhGeometry) -> Result<PathBuf> {
    build_caches(binary, geometry, CbhGeometry::RECOMMENDED)
}

/// Builds the image with keys of some width.
pub fn build_with_keys(binary: &str, geometry: VmhGeometry, key: KeyWidth) -> Result<PathBuf> {
    build_caches(binary, geometry, CbhGeometry { key, ..CbhGeometry::RECOMMENDED })
}

/// Builds the image, or finds it up to date, and returns its path. Each geometry has a folder of its own, so that runs with
/// different ones do not rebuild each other's.
pub fn build_caches(binary: &str, geometry: VmhGeometry, cbh: CbhGeometry) -> Result<PathBuf> {
    let vmh = format!("C{}-L{}-A{}", geometry.entries, geometry.line_entries, geometry.ways);
    let CbhGeometry { entries, ways, key } = cbh;
    let is_usual = (entries, ways) == (CbhGeometry::RECOMMENDED.entries, CbhGeometry::RECOMMENDED.ways);
    let buffers = if is_usual { String::new() } else { format!("-B{entries}-A{ways}") };
    let keys = if key.is_wide() { format!("-K{}", key.bits()) } else { String::new() };
    let folder = match geometry == VmhGeometry::RECOMMENDED && cbh == CbhGeometry::RECOMMENDED {
        // The one that `make firmware` builds.
        true => workspace().join("target"),
        false => workspace().join("target/geometry").join(format!("{vmh}{buffers}{keys}")),
    };
    build_in(folder, binary, Geometry { vmh: geometry, cbh }, None)
}

/// Builds the image with a defect (`nic_layout::plant`), and reads it: the next one takes its place.
pub fn planted(binary: &str, geometry: VmhGeometry, plant: Plant) -> Result<Vec<u8>> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let geometry = Geometry { vmh: geometry, cbh: CbhGeometry::RECOMMENDED };
    let path = build_in(workspace().join("target/planted"), binary, geometry, Some(plant))?;
    std::fs::read(&path).map_err(|error| failed!("{}: {error}", path.display()))
}

fn build_in(folder: PathBuf, binary: &str, geometry: Geometry, plant: Option<Plant>) -> Result<PathBuf> {
    let Geometry { vmh, cbh } = geometry;
    if !workspace().join("Cargo.toml").is_file() {
        return Err(failed!(
            "the sources of the firmware are not in {} any more: build nicscope where they are now, or give --firmware",
            workspace().display()
        ));
    }
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(workspace())
        .args(["build", "--quiet", "-p", "nic-firmware", "--profile", "firmware", "--target", TARGET, "--bin", binary])
        .arg("--target-dir")
        .arg(&folder)
        .env("NICSCOPE_VMH_ENTRIES", vmh.entries.to_string())
        .env("NICSCOPE_VMH_LINE_ENTRIES", vmh.line_entries.to_string())
        .env("NICSCOPE_VMH_WAYS", vmh.ways.to_string())
        .env("NICSCOPE_CBH_ENTRIES", cbh.entries.to_string())
        .env("NICSCOPE_CBH_WAYS", cbh.ways.to_string())
        .env("NICSCOPE_KEY_BITS", cbh.key.bits().to_string())
        .env("NICSCOPE_PLANT", plant.map_or("", Plant::name))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed!("cannot run cargo to build the firmware: {error}; is Rust on PATH?"))?;
    if !output.status.success() {
        return Err(failed!("the firmware does not build:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let path = folder.join(TARGET).join("firmware").join(binary);
    stack(&path)?;
    Ok(path)
}

/// The deepest path of an image and the room for it. No image runs whose stack could reach its data, or that could panic.
pub fn stack(path: &Path) -> Result<Stack> {
    let file = std::fs::read(path).map_err(|error| failed!("{}: {error}", path.display()))?;
    nic_image::judge(&file).map_err(|error| failed!("firmware {}: {error}", path.display()))
}

/// Reads an image that a platform's NIC can load, or says why it cannot.
pub fn read(path: &Path, platform: &Platform) -> Result<Vec<u8>> {
    let file = std::fs::read(path).map_err(|error| request_error!("firmware {}: {error}", path.display()))?;
    elf::read(&file, platform.sram.bytes).map_err(|error| request_error!("firmware {}: {error}", path.display()))?;
    Ok(file)
}
