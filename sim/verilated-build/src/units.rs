//! Joins small C++ files of a model: alone, each would take as long as its headers take.

use std::fs;
use std::path::{Path, PathBuf};

/// The text of a joined file at most. Longer files stay apart: they compile beside each other, and
/// after an edit of the RTL only those that changed.
const JOINED_BYTES_MAX: usize = 64 * 1024;

/// Writes the texts of small files, in their order, into as few files as the limit allows: the n-th
/// is `joined` with `_n` behind its name. Returns the files to compile.
pub(crate) fn join(joined: &Path, files: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut units: Vec<PathBuf> = Vec::new();
    let mut groups: Vec<(Vec<PathBuf>, String)> = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        match groups.iter_mut().find(|(_, together)| together.len() + text.len() < JOINED_BYTES_MAX) {
            Some((members, together)) => {
                members.push(file);
                together.push('\n');
                together.push_str(&text);
            }
            None if text.len() < JOINED_BYTES_MAX => groups.push((vec![file], text)),
            None => units.push(file),
        }
    }
    for (n, (members, text)) in groups.into_iter().enumerate() {
        match &members[..] {
            [alone] => units.push(alone.clone()),
            _ => {
                let unit = numbered(joined, n);
                fs::write(&unit, text).unwrap_or_else(|error| panic!("{}: {error}", unit.display()));
                units.push(unit);
            }
        }
    }
    units
}

fn numbered(joined: &Path, n: usize) -> PathBuf {
    let stem = joined.file_stem().unwrap_or_default().to_string_lossy();
    joined.with_file_name(format!("{stem}_{n}.cpp"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files<const N: usize>(folder: &Path, bytes: [usize; N]) -> [PathBuf; N] {
        let mut n = 0;
        bytes.map(|bytes| {
            let path = folder.join(format!("{n}.cpp"));
            fs::write(&path, format!("{n}{}", " ".repeat(bytes))).expect("a folder of the test");
            n += 1;
            path
        })
    }

    #[test]
    fn small_files_become_one_in_their_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let joined = folder.path().join("joined.cpp");
        let unit = folder.path().join("joined_0.cpp");
        assert_eq!(join(&joined, files(folder.path(), [0, 0]).to_vec()), vec![unit.clone()]);
        assert_eq!(fs::read_to_string(unit).expect("it was written"), "0\n1");
    }

    #[test]
    fn large_files_and_a_single_one_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let joined = folder.path().join("joined.cpp");
        let [large, small] = files(folder.path(), [JOINED_BYTES_MAX, 0]);
        assert_eq!(join(&joined, vec![small.clone(), large.clone()]), vec![large, small]);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn what_does_not_fit_into_one_becomes_two_and_nothing_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let half = JOINED_BYTES_MAX / 2;
        let [a, b, c, d] = files(folder.path(), [half, half, 0, 0]);
        let units = join(&folder.path().join("joined.cpp"), vec![a, b.clone(), c, d]);
        assert_eq!(units, [folder.path().join("joined_0.cpp"), b]);
        let text = fs::read_to_string(&units[0]).expect("it was written");
        assert!(text.len() < JOINED_BYTES_MAX && text.ends_with("\n2\n3"), "{} bytes", text.len());
    }
}
