//! A list of operations as text, in which a failing search is kept and which `tests/replay.rs`
//! runs.
//!
//! ```text
//! # Why this list is worth keeping.
//! geometry 64 8 2
//! use send 1 0x0
//! fill 0 1
//! ```

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use nic_layout::vmh::VmhGeometry;
use nic_lookup::check::CacheOp;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::request_error;

use crate::geometry;

/// A list of operations, and its geometry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The lines that begin with `#`, without the `#`.
    pub remarks: Vec<String>,
    /// The geometry of the cache.
    pub geometry: VmhGeometry,
    /// The operations.
    pub ops: Vec<CacheOp>,
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for remark in &self.remarks {
            writeln!(f, "# {remark}")?;
        }
        writeln!(f, "{}", geometry::name(self.geometry))?;
        self.ops.iter().try_for_each(|op| writeln!(f, "{op}"))
    }
}

impl FromStr for List {
    type Err = Error;

    /// Semicolons also end lines, so that a list fits into an environment variable.
    fn from_str(text: &str) -> Result<List> {
        let (mut remarks, mut shape, mut ops) = (Vec::new(), None, Vec::new());
        for line in text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(remark) = line.strip_prefix('#') {
                remarks.push(remark.trim().to_owned());
            } else if let Some(numbers) = line.strip_prefix("geometry ") {
                shape = Some(geometry_of(numbers)?);
            } else {
                ops.push(line.parse().map_err(|error| request_error!("{error}"))?);
            }
        }
        let geometry = shape.ok_or_else(|| request_error!("the list has no line such as `geometry 64 8 2`"))?;
        Ok(List { remarks, geometry, ops })
    }
}

fn geometry_of(numbers: &str) -> Result<VmhGeometry> {
    let wrong =
        || request_error!("`geometry {numbers}`: entries, entries of a line and ways were expected, as `64 8 2`");
    let numbers: Vec<u32> =
        numbers.split_whitespace().map(str::parse).collect::<std::result::Result<_, _>>().map_err(|_| wrong())?;
    let [entries, line_entries, ways] = numbers[..] else { return Err(wrong()) };
    VmhGeometry { entries, line_entries, ways }
        .check()
        .map_err(|error| request_error!("geometry {entries} {line_entries} {ways}: no cache can have it ({error:?})"))
}

impl List {
    /// Reads a list from a file. An error names the file.
    pub fn load(path: &Path) -> Result<List> {
        let text = fs::read_to_string(path).map_err(|error| request_error!("{}: {error}", path.display()))?;
        text.parse().map_err(|error| request_error!("{}: {error}", path.display()))
    }

    /// The lists of a folder, in the order of their names; none if the folder does not exist.
    pub fn load_folder(folder: &Path) -> Result<Vec<(PathBuf, List)>> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
        let mut paths: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "ops"))
            .collect();
        paths.sort();
        paths.into_iter().map(|path| List::load(&path).map(|list| (path, list))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Two uses.\ngeometry 64 8 2\nuse send 1 0x0\nfill 0 1\nuse receive 1 0x1\n";

    #[test]
    fn text_and_list_are_the_same() {
        let list: List = TEXT.parse().expect("it is a list");
        assert_eq!(list.to_string(), TEXT);
        assert_eq!(TEXT.replace('\n', ";").parse::<List>().expect("in one line"), list);
    }

    #[test]
    fn wrong_text_says_what_would_be_right() {
        let error = |text: &str| text.parse::<List>().expect_err("it is wrong").to_string();
        assert!(error("use send 1 0x0").contains("geometry 64 8 2"));
        assert!(error("geometry 64 8").contains("entries, entries of a line and ways"));
        assert!(error("geometry 63 8 2").contains("NotAPowerOfTwo"));
        assert!(error("geometry 64 8 2\nuse sideways").contains("`use sideways` is not a cache operation"));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        assert!(List::load(Path::new("no/such.ops")).expect_err("there is none").to_string().contains("no/such.ops"));
    }
}
