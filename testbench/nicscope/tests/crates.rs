//! The crates of the command, as docs/design.md has them, are those of the manifests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A crate, its folder, and the crates below `testbench` that it depends on outside its tests.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Crate {
    name: String,
    folder: String,
    needs: BTreeSet<String>,
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// The rows of the table in a text: the only table with a crate in its first column.
fn documented(text: &str) -> Vec<Crate> {
    let section = text.split("\n## ").find(|section| section.starts_with("Crates of the command\n"));
    let rows = section.expect("design.md has the section").lines().filter(|line| line.starts_with("| `"));
    let names = |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_owned).collect() };
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let one = |cell: &str| names(cell).pop().expect("a name");
        Crate { name: one(cells[1]), folder: one(cells[2]), needs: names(cells[4]).into_iter().collect() }
    })
    .collect()
}

/// The crates that the command reaches, from the manifests.
fn built() -> Vec<Crate> {
    let output = Command::new(env!("CARGO"))
        .current_dir(workspace())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let folder_of = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path")).to_owned();
        let folder = manifest.parent().expect("a folder").canonicalize().expect("it exists");
        folder.strip_prefix(workspace()).expect("below the workspace").display().to_string()
    };
    let find = |name: &str| packages.iter().find(|package| package["name"] == name);
    let is_of_testbench = |name: &str| find(name).is_some_and(|found| folder_of(found).starts_with("testbench/"));
    let (mut crates, mut left) = (Vec::<Crate>::new(), vec!["nicscope".to_owned()]);
    while let Some(name) = left.pop() {
        if crates.iter().any(|known| known.name == name) {
            continue;
        }
        let package = find(&name).expect("a package of the workspace");
        let dependencies = package["dependencies"].as_array().expect("dependencies").iter();
        let needs: BTreeSet<String> = dependencies
            .filter(|dependency| dependency["kind"].is_null())
            .map(|dependency| dependency["name"].as_str().expect("a name").to_owned())
            .filter(|name| is_of_testbench(name))
            .collect();
        left.extend(needs.iter().cloned());
        crates.push(Crate { folder: folder_of(package), name, needs });
    }
    crates
}

/// What is wrong with a table, in words.
fn wrong(table: &[Crate], built: &[Crate]) -> Vec<String> {
    let mut found = Vec::new();
    for known in built {
        match table.iter().find(|row| row.name == known.name) {
            None => found.push(format!("{} has no row", known.name)),
            Some(row) if row != known => found.push(format!("{row:?} is {known:?}")),
            Some(_) => {}
        }
        if known.folder.starts_with("testbench/benches/") {
            found.push(format!("{} is a bench, and the command contains it", known.name));
        }
    }
    for (index, row) in table.iter().enumerate() {
        if !built.iter().any(|known| known.name == row.name) {
            found.push(format!("{} is not part of the command", row.name));
        }
        let above: BTreeSet<&String> = table[..index].iter().map(|row| &row.name).collect();
        let below = row.needs.iter().filter(|need| !above.contains(need));
        found.extend(below.map(|need| format!("{} depends on {need}, which is not above it", row.name)));
    }
    found
}

#[test]
fn the_table_of_crates_is_what_is_built() {
    let text = std::fs::read_to_string(workspace().join("docs/design.md")).expect("it is there");
    assert_eq!(wrong(&documented(&text), &built()), Vec::<String>::new());
}

#[test]
fn a_table_that_differs_is_found() {
    let row = |name: &str, folder: &str, needs: &[&str]| Crate {
        name: name.into(),
        folder: folder.into(),
        needs: needs.iter().map(|need| need.to_string()).collect(),
    };
    let (low, top) = (row("low", "testbench/low", &[]), row("top", "testbench/top", &["low"]));
    let built = [top.clone(), low.clone()];
    assert!(wrong(&[low.clone(), top.clone()], &built).is_empty());
    assert_eq!(wrong(&[top.clone(), low.clone()], &built), ["top depends on low, which is not above it"]);
    assert_eq!(wrong(std::slice::from_ref(&low), &built), ["top has no row"]);
    assert_eq!(wrong(&[low.clone(), top.clone(), row("more", "x", &[])], &built), ["more is not part of the command"]);
    assert_eq!(wrong(&[low.clone(), row("top", "testbench/top", &[])], &built).len(), 1);
    let bench = row("low", "testbench/benches/low", &[]);
    assert_eq!(wrong(&[bench.clone(), top.clone()], &[top, bench]), ["low is a bench, and the command contains it"]);
}
