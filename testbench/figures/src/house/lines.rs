//! Bar 3: what a small personality costs in lines.

use std::fs;
use std::process::Command;

use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::image::workspace;

use super::scripts;
use crate::engine::{Figure, Target};

pub const NOTE: &str =
    "lines of the files that tools/house/house.toml calls its own, comments and blank lines included, tests and \
     manifests not; `code` are those that are neither blank nor a comment; `elsewhere` counts the places that name it \
     outside these files and the tables of personalities";

const LINES_MAX: f64 = 400.0;

pub fn measure() -> Result<Vec<Figure>> {
    let house = house()?;
    let personality = house.get("small").and_then(toml::Value::as_str).unwrap_or_default();
    let own = house.get("own").and_then(|own| own.get(personality)).and_then(toml::Value::as_array);
    let own = own.map_or(&[][..], Vec::as_slice).iter().filter_map(toml::Value::as_str);
    let files = files(&own.map(String::from).collect::<Vec<_>>())?;
    let elsewhere = match files.is_empty() {
        true => f64::NAN,
        false => scripts::count("personalities")?.named(personality),
    };
    Ok(of(&files, elsewhere))
}

/// What house.toml says of personalities.
fn house() -> Result<toml::Table> {
    let path = workspace().join("tools/house/house.toml");
    let text = fs::read_to_string(&path).map_err(|error| failed!("{}: {error}", path.display()))?;
    let house: toml::Table = text.parse().map_err(|error| failed!("{}: {error}", path.display()))?;
    let personalities = house.get("personalities").and_then(toml::Value::as_table);
    personalities.cloned().ok_or_else(|| failed!("{}: personalities: no such table", path.display()))
}

/// Whether a line is code: neither blank nor a comment.
fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with("//")
}

/// Whether a file counts: tests and manifests do not.
fn counts(name: &str) -> bool {
    name.ends_with(".rs") && !name.split('/').any(|part| part == "tests")
}

/// A file of the personality.
struct File {
    name: String,
    lines: usize,
    /// Lines that are neither blank nor a comment.
    code: usize,
}

/// Files of the project below those paths that count.
fn files(own: &[String]) -> Result<Vec<File>> {
    if own.is_empty() {
        return Ok(Vec::new());
    }
    let output = Command::new("git").args(["ls-files", "--"]).args(own).current_dir(workspace()).output();
    let output = output.map_err(|error| failed!("git: {error}"))?;
    if !output.status.success() {
        return Err(failed!("git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let listed = String::from_utf8_lossy(&output.stdout);
    let file = |name: &str| -> Result<File> {
        let text = fs::read_to_string(workspace().join(name)).map_err(|error| failed!("{name}: {error}"))?;
        let code = text.lines().filter(|line| is_code(line)).count();
        Ok(File { name: name.to_owned(), lines: text.lines().count(), code })
    };
    listed.lines().filter(|name| counts(name)).map(file).collect()
}

fn of(files: &[File], elsewhere: f64) -> Vec<Figure> {
    let of_file = |file: &File| {
        let id = format!("house.3.{}", file.name.replace('/', ".").trim_end_matches(".rs"));
        Figure::new(id, file.lines as f64, "lines", Target::None)
    };
    let sum = |count: fn(&File) -> usize| match files.is_empty() {
        true => f64::NAN,
        false => files.iter().map(|file| count(file) as f64).sum(),
    };
    let sums = [
        Figure::new("house.3.lines", sum(|file| file.lines), "lines", Target::AtMost(LINES_MAX)),
        Figure::new("house.3.code", sum(|file| file.code), "lines", Target::None),
        Figure::new("house.3.elsewhere", elsewhere, "places", Target::Exactly(0.0)),
    ];
    files.iter().map(of_file).chain(sums).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, lines: usize) -> File {
        File { name: name.to_owned(), lines, code: lines / 2 }
    }

    fn met(files: &[File], elsewhere: f64) -> Vec<bool> {
        of(files, elsewhere).iter().filter(|figure| figure.target != Target::None).map(Figure::ok).collect()
    }

    #[test]
    fn lines_are_added_and_a_personality_that_does_not_exist_misses() {
        let files = [file("firmware/echo/src/lib.rs", 300), file("host/echo.rs", 100)];
        assert_eq!(met(&files, 0.0), [true; 2]);
        assert_eq!(of(&files, 0.0)[0].id, "house.3.firmware.echo.src.lib");
        assert_eq!(met(&[file("a", 401)], 1.0), [false, false]);
        assert_eq!(met(&[], f64::NAN), [false, false]);
    }

    #[test]
    fn tests_and_manifests_do_not_count_and_comments_are_no_code() {
        let names = ["a/src/lib.rs", "a/tests/lib.rs", "a/Cargo.toml"];
        assert_eq!(names.map(counts), [true, false, false]);
        assert_eq!(["    x();", "", "  // Why.", "/// What."].map(is_code), [true, false, false, false]);
    }

    #[test]
    fn files_of_a_folder_are_counted() {
        let files = files(&["testbench/figures/src/house".to_owned()]).unwrap();
        let found = files.iter().find(|file| file.name.ends_with("house/lines.rs"));
        assert!(found.is_some_and(|file| file.lines > file.code && file.code > 50));
    }
}
