//! Paths of the package and the workspace that are being built.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the package whose build script runs.
pub(crate) fn package() -> PathBuf {
    PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"))
}

pub(crate) fn out_dir() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
}

/// The nearest folder above the package that states a workspace, or else the package itself.
/// Verilator runs there, so that its messages and the models' assertions name files as one sees
/// them from there.
pub(crate) fn root() -> PathBuf {
    let package = package();
    let states_workspace = |folder: &Path| {
        fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.lines().any(|line| line == "[workspace]"))
    };
    match package.ancestors().find(|folder| states_workspace(folder)) {
        Some(folder) => folder.to_owned(),
        None => package.clone(),
    }
}

/// A path of the package, absolute and without `..`, so that one file has one name.
pub(crate) fn from_package(path: &Path) -> PathBuf {
    let path = package().join(path);
    path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
