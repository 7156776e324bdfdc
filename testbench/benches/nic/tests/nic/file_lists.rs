//! The lists of RTL files agree with each other and with the folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn rtl() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../rtl").canonicalize().unwrap()
}

fn list(name: &str) -> Vec<String> {
    let text = fs::read_to_string(rtl().join(name)).unwrap();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or("").trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn the_list_of_the_nic_holds_the_lists_of_the_folders_and_its_top() {
    let all = list("nic/nic.f");
    let parts =
        ["memory/memory.f", "core/core.f", "pci/pci.f", "dma/dma.f", "debug/debug.f", "link/link.f", "nic/registers.f"];
    let mut expected: BTreeSet<String> = parts.iter().flat_map(|part| list(part)).collect();
    expected.insert("nic/nic_core_complex.sv".to_owned());
    expected.insert("nic/nic_top.sv".to_owned());
    assert_eq!(all.iter().cloned().collect::<BTreeSet<_>>(), expected);
    assert_eq!(all.len(), expected.len(), "each file once");
}

#[test]
fn the_fusesoc_core_holds_the_list_of_the_nic() {
    let text = fs::read_to_string(rtl().join("../nicscope.core")).unwrap();
    let listed = text.lines().filter_map(|line| line.trim().strip_prefix("- rtl/")).map(str::to_owned);
    assert_eq!(listed.collect::<Vec<_>>(), list("nic/nic.f"));
}

#[test]
fn every_module_stands_in_the_file_of_its_name_and_in_a_list() {
    let mut listed: BTreeSet<String> = list("nic/nic.f").into_iter().collect();
    listed.extend(list("checkers/checkers.f"));
    listed.insert("checkers/nic_top_bind.sv".to_owned());
    for folder in fs::read_dir(rtl()).unwrap() {
        let folder = folder.unwrap().path();
        for file in fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_none_or(|extension| extension != "sv") {
                continue;
            }
            let name = format!(
                "{}/{}",
                folder.file_name().unwrap().to_str().unwrap(),
                file.file_name().unwrap().to_str().unwrap()
            );
            let is_watched_elsewhere = name.starts_with("checkers/");
            assert!(listed.contains(&name) || is_watched_elsewhere, "{name} is in no list");
        }
    }
}
