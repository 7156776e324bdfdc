//! Folders and files of results.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use nic_layout::vmh::VmhGeometry;
use nicscope_account::results::Results;
use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, image, request_error};

/// Creates the folder, and makes sure before a run that files can be written there.
///
/// # Errors
/// The folder cannot be created or written.
pub fn prepare_folder(path: &Path) -> Result<()> {
    let probe = path.join(".nicscope");
    std::fs::create_dir_all(path)
        .and_then(|()| std::fs::write(&probe, b""))
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(|error| {
            request_error!(
                "--out {}: cannot be written ({error}); name a folder of yours, or a new one",
                path.display()
            )
        })
}

/// Writes the results as `results.json` into a folder, and returns the path.
///
/// # Errors
/// The file cannot be written.
pub fn write_json(results: &Results, folder: &Path) -> Result<PathBuf> {
    let path = folder.join("results.json");
    let text = serde_json::to_string_pretty(results).map_err(|error| failed!("results: {error}"))?;
    // Under another name until it is complete: if nicscope is ended before, the old results stay.
    let part = folder.join(".results.json");
    std::fs::write(&part, text + "\n")
        .and_then(|()| std::fs::rename(&part, &path))
        .map_err(|error| failed!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}

/// Replaces a file. The text has another name until it is complete, so the old file stays if
/// nicscope is ended before.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let part = path.with_extension("part");
    fs::write(&part, text)
        .and_then(|()| fs::rename(&part, path))
        .map_err(|error| failed!("cannot write {}: {error}", path.display()))
}

/// The name of a build: a hash, in hexadecimal, of this program and of firmware images with their
/// geometries. The program contains the models of RTL, host and cache.
///
/// # Errors
/// An image cannot be built, or a file cannot be read.
pub fn build(images: &[(&str, VmhGeometry)]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    let program = std::env::current_exe().map_err(|error| failed!("cannot find this program: {error}"))?;
    let mut add = |path: &Path| -> Result<()> {
        hasher.write(&fs::read(path).map_err(|error| failed!("cannot read {}: {error}", path.display()))?);
        Ok(())
    };
    add(&program)?;
    for (binary, geometry) in images {
        add(&image::build(binary, *geometry)?)?;
    }
    Ok(format!("{:016x}", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_has_one_name() {
        assert_eq!(build(&[]).unwrap(), build(&[]).unwrap());
    }
}
