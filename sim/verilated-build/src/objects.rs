//! Compiles C++ files, and keeps the objects of those that did not change.
//!
//! Verilator writes all its files anew in each run. Most are the same after a small edit of the
//! RTL, so an object is kept under a hash of everything that it was made from.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

pub(crate) struct Objects {
    folder: PathBuf,
    common: u64,
}

impl Objects {
    /// `folder` keeps the objects; `surroundings` is what all of them depend on (compiler,
    /// versions), beside the headers in `header_folders`.
    pub(crate) fn new(folder: PathBuf, surroundings: impl Hash, header_folders: &[&Path]) -> Objects {
        fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut hasher = DefaultHasher::new();
        surroundings.hash(&mut hasher);
        for header in header_folders.iter().flat_map(|folder| headers(folder)) {
            header.file_name().hash(&mut hasher);
            read(&header).hash(&mut hasher);
        }
        Objects { folder, common: hasher.finish() }
    }

    /// Compiles `sources` with `build`, in parallel, unless they were compiled with the same
    /// `flags_key` before.
    pub(crate) fn compile(&self, build: &cc::Build, flags_key: &str, sources: &[PathBuf]) -> Vec<PathBuf> {
        let kept: Vec<PathBuf> = sources.iter().map(|source| self.kept_name(flags_key, source)).collect();
        let missing: Vec<usize> = (0..sources.len()).filter(|&i| !kept[i].exists()).collect();
        if !missing.is_empty() {
            let mut build = build.clone();
            build.files(missing.iter().map(|&i| &sources[i])).out_dir(&self.folder);
            for (object, &i) in build.compile_intermediates().iter().zip(&missing) {
                self.forget_older(&sources[i]);
                fs::rename(object, &kept[i]).unwrap_or_else(|error| panic!("{}: {error}", kept[i].display()));
            }
        }
        kept
    }

    fn kept_name(&self, flags_key: &str, source: &Path) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (self.common, flags_key).hash(&mut hasher);
        read(source).hash(&mut hasher);
        self.folder.join(format!("{}-{:016x}.kept.o", stem(source), hasher.finish()))
    }

    fn forget_older(&self, source: &Path) {
        let prefix = format!("{}-", stem(source));
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(&prefix) && name.ends_with(".kept.o") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn stem(source: &Path) -> String {
    source.file_stem().unwrap_or(OsStr::new("")).to_string_lossy().into_owned()
}

fn headers(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut headers: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.extension() == Some(OsStr::new("h"))).collect();
    headers.sort();
    headers
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
