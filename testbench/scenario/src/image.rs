//! The firmware image of a personality.
//!
//! Cargo builds it. The geometry of the caches, the width of keys, the room for nodes and the
//! search for posted receives are build parameters.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fs4::FileExt;
use host_model::elf;
use host_model::platform::Platform;
use nic_image::Stack;
use nic_layout::cbh::CbhGeometry;
use nic_layout::key::KeyWidth;
use nic_layout::nodes::{image_nodes_for, NODES_USUAL};
use nic_layout::plant::Plant;
use nic_layout::vmh::VmhGeometry;
use nic_plan::Geometry;

use crate::error::Result;
use crate::scenario::{Matching, Scheme};
use crate::{failed, request_error};

const TARGET: &str = "riscv32imc-unknown-none-elf";

/// The folder of the workspace's Cargo.toml, with the sources from which this command was built.
pub fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Builds the image `binary` with the recommended CBH cache and 64-bit keys, and returns its path.
///
/// # Errors
/// As [`build_caches`].
pub fn build(binary: &str, geometry: VmhGeometry) -> Result<PathBuf> {
    build_caches(binary, geometry, CbhGeometry::RECOMMENDED)
}

/// Builds the image `binary` with the recommended CBH cache and keys of a width, and returns its
/// path.
///
/// # Errors
/// As [`build_caches`].
pub fn build_with_keys(binary: &str, geometry: VmhGeometry, key: KeyWidth) -> Result<PathBuf> {
    build_caches(binary, geometry, CbhGeometry { key, ..CbhGeometry::RECOMMENDED })
}

/// Builds the image `binary` with the recommended CBH cache and keys of a width, for clusters of
/// `nodes` nodes, and returns its path. `matching`: of the image of EMP.
///
/// # Errors
/// As [`build_caches`].
pub fn build_for(
    binary: &str,
    geometry: VmhGeometry,
    key: KeyWidth,
    nodes: usize,
    matching: Matching,
) -> Result<PathBuf> {
    build_sized(binary, geometry, CbhGeometry { key, ..CbhGeometry::RECOMMENDED }, image_nodes_for(nodes), matching)
}

/// Builds the image `binary` of EMP, and returns its path.
///
/// # Errors
/// As [`build_caches`].
pub fn build_matching(binary: &str, matching: Matching) -> Result<PathBuf> {
    build_sized(binary, VmhGeometry::RECOMMENDED, CbhGeometry::RECOMMENDED, NODES_USUAL, matching)
}

/// Builds the image `binary` for clusters of at most [`NODES_USUAL`] nodes unless it is up to date,
/// and returns its path.
///
/// Each geometry has a folder of its own below `target`, so runs with different geometries do not
/// rebuild the images of each other.
///
/// # Errors
/// The sources are gone, cargo does not run or refuses the sources, or [`stack`] refuses the image.
pub fn build_caches(binary: &str, geometry: VmhGeometry, cbh: CbhGeometry) -> Result<PathBuf> {
    build_sized(binary, geometry, cbh, NODES_USUAL, Matching::Linear)
}

fn build_sized(
    binary: &str,
    geometry: VmhGeometry,
    cbh: CbhGeometry,
    nodes: usize,
    matching: Matching,
) -> Result<PathBuf> {
    let vmh = format!("C{}-L{}-A{}", geometry.entries, geometry.line_entries, geometry.ways);
    let CbhGeometry { entries, ways, key } = cbh;
    let is_usual = (entries, ways) == (CbhGeometry::RECOMMENDED.entries, CbhGeometry::RECOMMENDED.ways);
    let buffers = if is_usual { String::new() } else { format!("-B{entries}-A{ways}") };
    let keys = if key.is_wide() { format!("-K{}", key.bits()) } else { String::new() };
    let many = if nodes == NODES_USUAL { String::new() } else { format!("-N{nodes}") };
    let hashed = matching.suffix();
    let is_recommended = geometry == VmhGeometry::RECOMMENDED && cbh == CbhGeometry::RECOMMENDED;
    let folder = match is_recommended && nodes == NODES_USUAL && matching == Matching::Linear {
        // `make firmware` builds this image too.
        true => workspace().join("target"),
        false => workspace().join("target/geometry").join(format!("{vmh}{buffers}{keys}{many}{hashed}")),
    };
    build_in(folder, binary, Geometry { vmh: geometry, cbh }, nodes, matching, Choice::default())
}

/// Builds the image `binary` of a NIC whose two cores share the parts of EMP, unless it is up to
/// date, and returns its path. Each scheme has a folder of its own.
///
/// # Errors
/// As [`build_caches`].
pub fn build_scheme(binary: &str, scheme: Scheme, matching: Matching) -> Result<PathBuf> {
    let geometry = Geometry { vmh: VmhGeometry::RECOMMENDED, cbh: CbhGeometry::RECOMMENDED };
    let folder = workspace().join("target/schemes").join(format!("{}{}", scheme.name(), matching.suffix()));
    build_in(folder, binary, geometry, NODES_USUAL, matching, Choice { scheme: Some(scheme), ..Choice::default() })
}

/// Builds the image `binary` with a planted defect (`nic_layout::plant`), and returns the ELF file.
///
/// All planted images share one folder. A lock on a file keeps other threads and processes out
/// until the image is read.
///
/// # Errors
/// As [`build_caches`], or the file cannot be read.
pub fn planted(binary: &str, geometry: VmhGeometry, plant: Plant) -> Result<Vec<u8>> {
    build_planted(binary, geometry, plant, None)
}

/// The same of an image of a NIC whose two cores share the parts of EMP.
///
/// # Errors
/// As [`planted`].
pub fn planted_scheme(binary: &str, scheme: Scheme, plant: Plant) -> Result<Vec<u8>> {
    build_planted(binary, VmhGeometry::RECOMMENDED, plant, Some(scheme))
}

fn build_planted(binary: &str, geometry: VmhGeometry, plant: Plant, scheme: Option<Scheme>) -> Result<Vec<u8>> {
    let _turn = turn_at(&workspace().join("target/planted.lock"))?;
    let geometry = Geometry { vmh: geometry, cbh: CbhGeometry::RECOMMENDED };
    let path = build_in(
        workspace().join("target/planted"),
        binary,
        geometry,
        NODES_USUAL,
        Matching::Linear,
        Choice { plant: Some(plant), scheme },
    )?;
    std::fs::read(&path).map_err(|error| failed!("{}: {error}", path.display()))
}

/// Waits for the lock on a file, which is made if it is not there. The lock ends with the value.
fn turn_at(path: &Path) -> Result<File> {
    let opened = File::options().create(true).append(true).open(path);
    let locked = opened.and_then(|file| FileExt::lock(&file).map(|()| file));
    locked.map_err(|error| failed!("{}: {error}", path.display()))
}

/// What an image has that the usual one has not.
#[derive(Clone, Copy, Default)]
struct Choice {
    plant: Option<Plant>,
    scheme: Option<Scheme>,
}

fn build_in(
    folder: PathBuf,
    binary: &str,
    geometry: Geometry,
    nodes: usize,
    matching: Matching,
    choice: Choice,
) -> Result<PathBuf> {
    let plant = choice.plant.map_or("", Plant::name);
    // Without a scheme the variable is not set, as in `make firmware`.
    let scheme = choice.scheme.map(|scheme| ("NICSCOPE_EMP_SCHEME", scheme.name()));
    let Geometry { vmh, cbh } = geometry;
    if !workspace().join("Cargo.toml").is_file() {
        return Err(failed!(
            "the sources of the firmware are not in {} any more: build nicscope where they are now, or give --firmware",
            workspace().display()
        ));
    }
    if !folder.exists() {
        begin_with_compiled(&workspace().join("target"), &folder);
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
        .env("NICSCOPE_NODES", nodes.to_string())
        .env("NICSCOPE_EMP_MATCHING", matching.name())
        .env("NICSCOPE_PLANT", plant)
        .env_remove("NICSCOPE_EMP_SCHEME")
        .envs(scheme)
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

/// Makes a new folder for images, with what `make firmware` has compiled: cargo then compiles only
/// the crate that reads the build parameters, in a tenth of the time. Does nothing if that fails:
/// cargo compiles everything in an empty folder, too.
fn begin_with_compiled(compiled: &Path, folder: &Path) {
    let new = folder.with_extension(format!("{}.new", std::process::id()));
    // With the times of the files: cargo compares them.
    let copy = |part: &str| {
        let to = new.join(part);
        std::fs::create_dir_all(&to).is_ok_and(|()| {
            let copied = Command::new("cp").arg("-a").arg(compiled.join(part).join("firmware")).arg(&to).output();
            copied.is_ok_and(|copied| copied.status.success())
        })
    };
    // Another process may have made the folder meanwhile.
    if !(copy("") && copy(TARGET) && std::fs::rename(&new, folder).is_ok()) {
        _ = std::fs::remove_dir_all(&new);
    }
}

/// The deepest path of an image's calls and the room for its stack.
///
/// # Errors
/// The file cannot be read, its stack could reach its data, or it could panic. Such an image never
/// runs.
pub fn stack(path: &Path) -> Result<Stack> {
    let file = std::fs::read(path).map_err(|error| failed!("{}: {error}", path.display()))?;
    nic_image::judge(&file).map_err(|error| failed!("firmware {}: {error}", path.display()))
}

/// Reads the ELF file of an image for the NIC of a platform.
///
/// # Errors
/// The file cannot be read, or the NIC cannot load it: no RISC-V program, or segments outside SRAM.
pub fn read(path: &Path, platform: &Platform) -> Result<Vec<u8>> {
    let file = std::fs::read(path).map_err(|error| request_error!("firmware {}: {error}", path.display()))?;
    elf::read(&file, platform.sram.bytes).map_err(|error| request_error!("firmware {}: {error}", path.display()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_waits_for_the_end_of_the_one_before() {
        let here = tempfile::tempdir().expect("a folder");
        let path = here.path().join("lock");
        let first = turn_at(&path).expect("a turn");
        let other = File::options().append(true).open(&path).expect("a file");
        assert!(FileExt::try_lock(&other).is_err(), "another file would share the turn");
        drop(first);
        assert!(turn_at(&path).is_ok());
        assert!(turn_at(here.path()).is_err(), "a folder is no lock");
    }

    #[test]
    fn a_new_folder_begins_with_what_is_compiled_or_is_not_there() {
        let here = tempfile::tempdir().expect("a folder");
        let (compiled, folder) = (here.path().join("compiled"), here.path().join("schemes/so"));
        begin_with_compiled(&compiled, &folder);
        assert!(!folder.exists());
        let (of_host, of_target) = ("firmware/deps", "riscv32imc-unknown-none-elf/firmware/deps");
        for part in [of_host, of_target] {
            std::fs::create_dir_all(compiled.join(part)).expect("a folder");
            std::fs::write(compiled.join(part).join("a.rlib"), part).expect("a file");
        }
        let written = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        let library = std::fs::File::options().write(true).open(compiled.join(of_host).join("a.rlib")).expect("a file");
        library.set_modified(written).expect("a time");
        begin_with_compiled(&compiled, &folder);
        let copied = folder.join(of_host).join("a.rlib");
        assert_eq!(std::fs::metadata(&copied).and_then(|it| it.modified()).expect("a time"), written);
        assert_eq!(std::fs::read_to_string(folder.join(of_target).join("a.rlib")).expect("a file"), of_target);
        let names = std::fs::read_dir(here.path().join("schemes")).expect("a folder").count();
        assert_eq!(names, 1, "nothing else is left");
    }
}
