//! Folders and files of results.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use nic_layout::vmh::VmhGeometry;
use nicscope_account::results::Results;
use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, image, request_error};

/// Makes the folder, and finds out early that it cannot be written.
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

pub fn write_json(results: &Results, folder: &Path) -> Result<PathBuf> {
    let path = folder.join("results.json");
    let text = serde_json::to_string_pretty(results).map_err(|error| failed!("results: {error}"))?;
    // Under another name until it is whole: who ends nicscope in between finds the old results.
    let part = folder.join(".results.json");
    std::fs::write(&part, text + "\n")
        .and_then(|()| std::fs::rename(&part, &path))
        .map_err(|error| failed!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}

/// Under another name until it is whole: who ends nicscope in between finds the old file.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let part = path.with_extension("part");
    fs::write(&part, text)
        .and_then(|()| fs::rename(&part, path))
        .map_err(|error| failed!("cannot write {}: {error}", path.display()))
}

/// Name of a build: what this program and its firmware images are made of, byte by byte. RTL, host model and cache are part of the program.
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
