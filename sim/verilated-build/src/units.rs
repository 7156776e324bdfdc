//! Joins the C++ files of a small model: alone, each would take as long as its headers take.

use std::fs;
use std::path::{Path, PathBuf};

/// Files with more text than this together stay apart: they compile beside each other, and after an
/// edit of the RTL only those that changed.
const JOINED_BYTES_MAX: usize = 64 * 1024;

/// Writes the text of all files into the file `joined`, unless it is too much. Returns the files to
/// compile.
pub(crate) fn join(joined: &Path, files: Vec<PathBuf>) -> Vec<PathBuf> {
    let read = |file: &PathBuf| fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let text = files.iter().map(read).collect::<Vec<_>>().join("\n");
    if files.len() < 2 || text.len() > JOINED_BYTES_MAX {
        return files;
    }
    fs::write(joined, text).unwrap_or_else(|error| panic!("{}: {error}", joined.display()));
    vec![joined.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path, bytes: usize) -> Vec<PathBuf> {
        let write = |name: &str| {
            let path = folder.join(name);
            fs::write(&path, format!("{name}{}", " ".repeat(bytes))).expect("a folder of the test");
            path
        };
        ["a.cpp", "b.cpp"].map(write).to_vec()
    }

    #[test]
    fn small_files_become_one_in_their_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let joined = folder.path().join("joined.cpp");
        assert_eq!(join(&joined, files(folder.path(), 0)), vec![joined.clone()]);
        assert_eq!(fs::read_to_string(joined).expect("it was written"), "a.cpp\nb.cpp");
    }

    #[test]
    fn large_files_and_a_single_one_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let joined = folder.path().join("joined.cpp");
        let large = files(folder.path(), JOINED_BYTES_MAX / 2);
        assert_eq!(join(&joined, large.clone()), large);
        assert_eq!(join(&joined, large[..1].to_vec()), large[..1]);
        assert!(!joined.exists());
    }
}
