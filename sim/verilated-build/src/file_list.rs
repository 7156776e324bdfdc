//! Reads `.f` lists of RTL files.
//!
//! One entry a word; `//` and `#` begin comments. Known entries: a file, `+incdir+FOLDER`,
//! `-IFOLDER`, `-f LIST` and `-F LIST`; anything else that begins with `-` or `+` is passed on. A
//! path is looked up from the folder of the list it stands in, and then from each folder above, so
//! that lists may be relative to themselves or to the root of the RTL.

use std::fs;
use std::path::{Path, PathBuf};

#[derive(Default, Debug)]
pub(crate) struct FileList {
    /// In order, each once.
    pub files: Vec<PathBuf>,
    pub include_dirs: Vec<PathBuf>,
    pub arguments: Vec<String>,
    /// The lists themselves.
    pub lists: Vec<PathBuf>,
}

impl FileList {
    pub(crate) fn add_file(&mut self, file: PathBuf) {
        if !self.files.contains(&file) {
            self.files.push(file);
        }
    }

    pub(crate) fn add_list(&mut self, list: &Path) -> Result<(), String> {
        if self.lists.iter().any(|seen| seen == list) {
            return Ok(());
        }
        self.lists.push(list.to_owned());
        let text = fs::read_to_string(list).map_err(|error| format!("{}: {error}", list.display()))?;
        let mut words = text.lines().flat_map(|line| {
            let line = line.split("//").next().unwrap_or("");
            line.split('#').next().unwrap_or("").split_whitespace()
        });
        while let Some(word) = words.next() {
            if let Some(folder) = word.strip_prefix("+incdir+").or_else(|| word.strip_prefix("-I")) {
                self.include_dirs.push(look_up(list, folder)?);
            } else if word == "-f" || word == "-F" {
                let nested = words.next().ok_or_else(|| format!("{}: {word} names no list", list.display()))?;
                self.add_list(&look_up(list, nested)?)?;
            } else if word.starts_with(['-', '+']) {
                self.arguments.push(word.to_owned());
            } else {
                let file = look_up(list, word)?;
                self.add_file(file);
            }
        }
        Ok(())
    }
}

fn look_up(list: &Path, entry: &str) -> Result<PathBuf, String> {
    list.ancestors()
        .skip(1)
        .map(|folder| folder.join(entry))
        .find(|path| path.exists())
        .and_then(|path| path.canonicalize().ok())
        .ok_or_else(|| format!("{}: there is no {entry}, neither beside the list nor above it", list.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_beside_the_list_and_above_it() {
        let root = std::env::temp_dir().join(format!("verilated-build-{}", std::process::id()));
        fs::create_dir_all(root.join("rtl/a")).unwrap();
        for file in ["rtl/top.sv", "rtl/a/one.sv", "rtl/a/two.sv"] {
            fs::write(root.join(file), "").unwrap();
        }
        fs::write(root.join("rtl/a/a.f"), "// comment\na/one.sv two.sv  # more\n+incdir+a -DX=1\n").unwrap();
        fs::write(root.join("rtl/top.f"), "-f a/a.f\na/two.sv\ntop.sv\n").unwrap();
        let mut list = FileList::default();
        list.add_list(&root.join("rtl/top.f")).unwrap();
        let names: Vec<_> = list.files.iter().map(|f| f.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["one.sv", "two.sv", "top.sv"]);
        assert_eq!(list.arguments, ["-DX=1"]);
        assert_eq!((list.include_dirs.len(), list.lists.len()), (1, 2));

        fs::write(root.join("rtl/bad.f"), "nowhere.sv").unwrap();
        let error = list.add_list(&root.join("rtl/bad.f")).unwrap_err();
        assert!(error.contains("bad.f: there is no nowhere.sv"), "{error}");
        fs::remove_dir_all(root).unwrap();
    }
}
