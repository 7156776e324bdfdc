//! Platform files: the built-in ones hold, and a wrong one is refused with the key, the value and
//! what is right.

use host_model::platform::{Platform, PlatformError};
use proptest::prelude::*;

const TIGON2: &str = include_str!("../../platforms/tigon2.toml");

fn refusal(text: &str) -> String {
    match Platform::parse("changed", text) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    }
}

/// The file with the line of one key replaced.
fn with(key: &str, line: &str) -> String {
    let replaced = TIGON2.lines().map(|old| if old.starts_with(&format!("{key} =")) { line } else { old });
    replaced.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_built_in_platform_loads() {
    let names: Vec<&str> = Platform::names().collect();
    assert_eq!(names, ["tigon2", "lanai9"]);
    for name in names {
        Platform::load(name).expect("a built-in platform is right");
    }
}

#[test]
fn every_constant_of_a_built_in_platform_names_its_source() {
    for text in [TIGON2, include_str!("../../platforms/lanai9.toml")] {
        for line in text.lines().filter(|line| line.contains(" = ") && !line.starts_with("description")) {
            assert!(line.contains(" # "), "no source: {line}");
        }
    }
}

#[test]
fn an_unknown_platform_is_answered_with_the_known_ones() {
    let error = Platform::load("tigon3").expect_err("no such platform");
    let text = error.to_string();
    assert!(text.contains("tigon3") && text.contains("tigon2, lanai9"), "{text}");
}

#[test]
fn a_path_works_as_a_name() {
    let path = std::env::temp_dir().join(format!("platform-{}.toml", std::process::id()));
    std::fs::write(&path, TIGON2).expect("writable");
    let loaded = Platform::load(path.to_str().expect("a plain path")).expect("the same text");
    std::fs::remove_file(&path).expect("removable");
    assert_eq!(loaded, Platform::load("tigon2").expect("built in"));
    let gone = Platform::load(path.to_str().expect("a plain path"));
    assert!(matches!(gone, Err(PlatformError::Unreadable { .. })));
}

#[test]
fn an_unknown_key_is_named_with_those_that_exist() {
    let text = refusal(&TIGON2.replace("[sram]", "[sram]\nkilobytes = 512"));
    assert!(text.contains("kilobytes") && text.contains("expected `bytes`"), "{text}");
}

#[test]
fn a_missing_key_is_named() {
    let text = refusal(&with("pin_page_ns", ""));
    assert!(text.contains("missing field `pin_page_ns`"), "{text}");
}

#[test]
fn a_value_of_the_wrong_type_is_shown_in_its_line() {
    let text = refusal(&with("memory_mib", "memory_mib = \"much\""));
    assert!(text.contains("memory_mib = \"much\"") && text.contains("expected u32"), "{text}");
}

#[test]
fn impossible_values_name_key_value_and_what_is_right() {
    for (key, line, right) in [
        ("width_bits", "width_bits = 16", "pci.width_bits = 16 is impossible: 32 or 64"),
        ("frame_data_bytes_max", "frame_data_bytes_max = 1500", "a multiple of 8 from 64 to 16384"),
        ("processor_count", "processor_count = 0", "host.processor_count = 0 is impossible: 1 to 64"),
        ("pinned_pages_low", "pinned_pages_low = 40000", "at most host.pinned_pages_high"),
        ("rx_count", "rx_count = 1", "buffers.rx_count = 1 is impossible: 2 to 256"),
        ("ack_us", "ack_us = 250", "less than protocol.retransmit_us"),
        ("latency_ns", "latency_ns = 0", "nodes run ahead of one another by it"),
        ("syscall_ns", "syscall_ns = 2000000000", "at most 1000000000"),
        ("bytes", "bytes = 4294967288", "sram.bytes = 4294967288 is impossible"),
        ("count", "count = 3", "core.count = 3 is impossible: the NIC has 1 core or 2"),
    ] {
        let text = refusal(&with(key, line));
        assert!(text.contains(right), "{text}");
    }
    let text = refusal(&TIGON2.replace("bytes = 524_288", "bytes = 1_048_576"));
    assert!(text.contains("sram.bytes = 1048576 is impossible: the NIC is built with 524288 or 2097152"), "{text}");
    let text = refusal(&TIGON2.replace("count = 1 ", "count = 2 ").replace("bytes = 524_288", "bytes = 2_097_152"));
    assert!(text.contains("core.count = 2 is impossible"), "{text}");
    let text = refusal(&TIGON2.replace("_count = 64 ", "_count = 250 "));
    assert!(text.contains("all buffers together"), "{text}");
}

#[test]
fn a_file_that_is_not_toml_is_refused_with_the_line() {
    let text = refusal("description = ");
    assert!(text.contains("line 1"), "{text}");
}

proptest! {
    /// Whatever one character becomes: an answer, not a panic.
    #[test]
    fn a_damaged_file_is_refused_or_read(position in 0..TIGON2.len(), character in prop::char::range(' ', '~')) {
        prop_assume!(TIGON2.is_char_boundary(position) && TIGON2.is_char_boundary(position + 1));
        let mut text = TIGON2.to_owned();
        text.replace_range(position..=position, &character.to_string());
        let _ = Platform::parse("damaged", &text);
    }
}

/// Key with its section, and value, of each line.
fn constants(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or("").trim();
        match (line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')), line.split_once(" = ")) {
            (Some(name), _) => section = name.to_owned(),
            (None, Some((key, value))) if key != "description" => {
                found.push((format!("{section}.{key}"), value.replace('_', "")));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn the_table_of_constants_in_the_docs_is_that_of_the_files() {
    let docs = include_str!("../../../../docs/host-model.md");
    let (tigon2, lanai9) = (constants(TIGON2), constants(include_str!("../../platforms/lanai9.toml")));
    assert_eq!(tigon2.len(), lanai9.len());
    assert!(tigon2.iter().any(|(key, value)| key == "bridge.read_first_clock" && value == "12"));
    for ((key, tigon2), (other, lanai9)) in tigon2.iter().zip(&lanai9) {
        assert_eq!(key, other);
        let row = format!("| `{key}` | {tigon2} | {lanai9} | ");
        let line = docs.lines().find(|line| line.starts_with(&row));
        let line = line.unwrap_or_else(|| panic!("docs/host-model.md lacks {row}"));
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        assert!(
            cells.len() == 5 && cells.iter().all(|cell| !cell.trim().is_empty()),
            "source or flattery lacks: {line}"
        );
    }
    let header = "| Key | `tigon2` | `lanai9` | Source | Flatters |";
    let table = docs.lines().skip_while(|line| *line != header).skip(2).take_while(|line| line.starts_with('|'));
    assert_eq!(table.count(), tigon2.len(), "rows of constants that are in no file");
}

#[test]
fn a_bridge_that_the_standard_does_not_allow_is_refused() {
    let refused = |key: &str, value: u32, right: &str| {
        let text = refusal(&with(key, &format!("{key} = {value}")));
        assert!(text.contains(&format!("bridge.{key} = {value}")) && text.contains(right), "{text}");
    };
    refused("devsel_clock", 4, "1 (fast), 2 (medium) or 3 (slow)");
    refused("read_first_clock", 17, "bridge.devsel_clock to 16");
    refused("write_first_clock", 1, "bridge.devsel_clock to 16");
    refused("line_wait_clocks", 8, "0 to 7 less bridge.beat_wait_clocks");
    refused("boundary_bytes", 1000, "a power of two");
}

#[test]
fn the_bridge_of_a_platform_is_that_of_its_bus() {
    let text = with("read_first_clock", "read_first_clock = 9");
    let platform = Platform::parse("changed", &text).expect("possible");
    let settings = host_model::pci::PciBus::settings(&platform);
    assert_eq!((settings.read_first_clock, settings.write_first_clock, settings.boundary_bytes), (9, 2, 4096));
}
