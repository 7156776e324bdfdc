//! The constants that the documentation of the hardware quotes are equal to those of the code.

use std::fs;
use std::path::{Path, PathBuf};

use nic_layout::boot::{
    BOOT_BLOCK_ADDRESS, BOOT_REPLY_ADDRESS, CRASH_RECORD_ADDRESS, FIRMWARE_ADDRESS, LAYOUT_VERSION,
};
use nic_layout::{CORE_REGISTER_BASE, CORE_SCRATCHPAD_BASE, CORE_SRAM_BASE};

/// Page, a text in it, and the constant that stands at `{}` in that text.
type Claim = (&'static str, &'static str, u64);

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn text(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The words of a page with one blank between them, wherever its lines end.
fn page(path: &str) -> String {
    text(path).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The number that a parameter, a local parameter or a member of an enumeration has in an RTL file.
fn rtl(path: &str, name: &str) -> u64 {
    let text = text(path);
    let mut values = text.lines().filter_map(|line| {
        let (left, right) = line.split("//").next()?.split_once('=')?;
        (left.split_whitespace().last()? == name).then(|| number(right.trim())).flatten()
    });
    values.next().unwrap_or_else(|| panic!("{path} has no number for {name}"))
}

/// The number at the start of a text: decimal, `0x` or Verilog's sized literals, with `_` between
/// digits.
fn number(text: &str) -> Option<u64> {
    let literal: String = text.chars().take_while(|c| c.is_alphanumeric() || "_'".contains(*c)).collect();
    let literal = literal.trim_end_matches('_').replace('_', "");
    let (digits, radix) = match literal.split_once('\'') {
        Some((_, sized)) => (sized.get(1..)?.to_owned(), if sized.starts_with('h') { 16 } else { 10 }),
        None => match literal.strip_prefix("0x") {
            Some(digits) => (digits.to_owned(), 16),
            None => (literal.chars().take_while(char::is_ascii_digit).collect(), 10),
        },
    };
    u64::from_str_radix(&digits, radix).ok()
}

/// The fault of a claim about a page, if it has one.
fn fault(page: &str, pattern: &str, value: u64) -> Option<String> {
    let (before, after) = pattern.split_once("{}").expect("the pattern says where the constant stands");
    let quoted: Vec<u64> = page
        .match_indices(before)
        .map(|(at, _)| &page[at + before.len()..])
        .filter(|rest| {
            let digits = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            rest[digits..].starts_with(after)
        })
        .filter_map(number)
        .collect();
    match quoted.as_slice() {
        [] => Some(format!("says nothing like: {pattern}")),
        numbers if numbers.iter().any(|&quoted| quoted != value) => {
            Some(format!("says {numbers:?} where the code has {value} ({value:#x}): {pattern}"))
        }
        _ => None,
    }
}

const TOP: &str = "rtl/nic/nic_top.sv";
const NIC: &str = "rtl/nic/nic_pkg.sv";
const DEBUG: &str = "rtl/debug/nic_debug_pkg.sv";
const WAIT: &str = "rtl/checkers/nic_sram_wait_checker.sv";
const ARBITER: &str = "rtl/memory/nic_sram_arbiter.sv";

fn claims() -> Vec<Claim> {
    let area = rtl(DEBUG, "AREA_BASE") & !0xFFF;
    let rest_wait = |ports: &str| 4 * (rtl(NIC, ports) - rtl(NIC, "SRAM_CORE_DATA")) - 1;
    let start = u64::from(CORE_SRAM_BASE + FIRMWARE_ADDRESS);
    vec![
        ("docs/interfaces.md", "version {} of `nic_layout::boot`", LAYOUT_VERSION.into()),
        ("docs/interfaces.md", "SRAM bytes 0 to {} are the boot block", (FIRMWARE_ADDRESS - 1).into()),
        ("docs/interfaces.md", "firmware is loaded from {} and", FIRMWARE_ADDRESS.into()),
        ("docs/interfaces.md", "starts at `{}`", start),
        ("docs/interfaces.md", "| core | `{}` + n | SRAM byte n", CORE_SRAM_BASE.into()),
        ("docs/interfaces.md", "| core | `{}` + n | its own scratchpad", CORE_SCRATCHPAD_BASE.into()),
        ("docs/interfaces.md", "| core | `{}` + n | register offset n", CORE_REGISTER_BASE.into()),
        ("docs/interfaces.md", "| core | `{}` to the end | debug area", rtl(DEBUG, "AREA_BASE")),
        (
            "docs/interfaces.md",
            "doorbell page of process p, 0 to {}:",
            rtl("rtl/nic/nic_identification.sv", "DoorbellPages") - 1,
        ),
        ("docs/interfaces.md", "`probe_o[{}:0]`", rtl(NIC, "PROBES") - 1),
        ("docs/interfaces.md", "`SramBytes` ({}, ", rtl(TOP, "SramBytes")),
        ("docs/interfaces.md", "`ScratchpadBytes` ({}, ", rtl(TOP, "ScratchpadBytes")),
        ("docs/interfaces.md", "`ScratchpadBytesB` ({})", rtl(TOP, "ScratchpadBytesB")),
        ("docs/interfaces.md", "`IcacheBytes` ({}, ", rtl(TOP, "IcacheBytes")),
        ("docs/interfaces.md", "Inter-frame gap {} bytes", rtl("rtl/link/nic_mac_pkg.sv", "GAP_BYTES")),
        ("docs/interfaces.md", "A write to CSR `{}` (trace)", rtl("rtl/core/nic_core_csr.sv", "Trace")),
        ("docs/core.md", "| {} | trace |", rtl("rtl/core/nic_core_csr.sv", "Trace")),
        ("docs/debug.md", "offset `{}` + 4 a is DMI address a", rtl("rtl/registers/nic_regs_pkg.sv", "DEBUG_BASE")),
        ("docs/debug.md", "| `{}` | a store says PARKED", area | rtl(DEBUG, "AT_PARKED")),
        ("docs/debug.md", "| `{}` | a store says that the command ended", area | rtl(DEBUG, "AT_EXCEPTION")),
        ("docs/debug.md", "| `{}` | a store says that the transfer is done", area | rtl(DEBUG, "AT_STARTED")),
        ("docs/debug.md", "| `{}` | a store says that the core leaves", area | rtl(DEBUG, "AT_RESUMING")),
        ("docs/debug.md", "| `{}` | `data0`, `data1` |", area | rtl(DEBUG, "AT_DATA")),
        ("docs/debug.md", "| `{}` | entry:", area | rtl(DEBUG, "AT_CODE")),
        ("docs/firmware.md", "the boot block below `{}` is not", FIRMWARE_ADDRESS.into()),
        ("docs/firmware.md", "The core starts at `{}`", start),
        ("docs/firmware.md", "| SRAM `{}` | boot block", BOOT_BLOCK_ADDRESS.into()),
        ("docs/firmware.md", "`ReplyState` and reply (`{}`)", BOOT_REPLY_ADDRESS.into()),
        ("docs/firmware.md", "`CrashRecord` (`{}`)", CRASH_RECORD_ADDRESS.into()),
        ("docs/memory.md", "| link | receive, transmit | {} |", rtl(WAIT, "LinkWaitMaxCycles")),
        ("docs/memory.md", "| DMA | read, write | {} |", rtl(WAIT, "DmaWaitMaxCycles")),
        ("docs/memory.md", "data and instructions of each core, host | {} |", rest_wait("SRAM_PORTS")),
        ("docs/memory.md", "data and instructions of each core, host | 11 | {} |", rest_wait("SRAM_PORTS_PAIR")),
        ("docs/memory.md", "*patience* goes first: {} clocks for the rest", rtl(ARBITER, "RestPatienceCycles")),
        ("docs/memory.md", "clocks for the rest, {} for DMA", rtl(ARBITER, "DmaPatienceCycles")),
        ("docs/events.md", "| {} | `MAC_RX` |", rtl(NIC, "EVENT_MAC_RX")),
        ("docs/events.md", "| {} | `DMA_WRITE` |", rtl(NIC, "EVENT_DMA_WRITE")),
        ("docs/events.md", "| {} | `DMA_READ` |", rtl(NIC, "EVENT_DMA_READ")),
        ("docs/events.md", "| {} | `MAC_TX` |", rtl(NIC, "EVENT_MAC_TX")),
        ("docs/events.md", "| {} | `MAILBOX` |", rtl(NIC, "EVENT_MAILBOX")),
        ("docs/events.md", "| {} | `DOORBELL` |", rtl(NIC, "EVENT_DOORBELL")),
        ("docs/events.md", "| {} to 9 | `TIMER_0`", rtl(NIC, "EVENT_TIMER_0")),
        ("docs/events.md", "| {} | `DMA_ERROR` |", rtl(NIC, "EVENT_DMA_ERROR")),
        ("docs/events.md", "| {} | `MAC_ERROR` |", rtl(NIC, "EVENT_MAC_ERROR")),
    ]
}

#[test]
fn documented_constants_are_those_of_the_code() {
    let faults: Vec<String> = claims()
        .into_iter()
        .filter_map(|(path, pattern, value)| fault(&page(path), pattern, value).map(|fault| format!("{path} {fault}")))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Both pages state what the assertion `OneAccessAtATime` of `nic_core_load_store` holds the core
/// to.
#[test]
fn the_number_of_outstanding_accesses_is_documented_as_asserted() {
    assert!(text("rtl/core/nic_core_load_store.sv").contains("OneAccessAtATime:"));
    let rtl = text("rtl/core/nic_core.sv").replace("//", " ");
    let rtl = rtl.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(rtl.contains("At most two fetches and one data access are outstanding."));
    assert!(page("docs/interfaces.md").contains("At most two fetches and one data access are outstanding."));
    assert!(page("docs/core.md").contains("at most one data access is outstanding"));
}

#[test]
fn a_page_that_says_another_number_or_none_is_found() {
    let page = "| 3 | `MAC_TX` | and version 5 of the layout, at `0x1000_0400`";
    assert_eq!(fault(page, "| {} | `MAC_TX` |", 3), None);
    assert_eq!(fault(page, "at `{}`", 0x1000_0400), None);
    let wrong = fault(page, "version {} of the layout", 6).expect("another number");
    assert!(wrong.contains("[5]") && wrong.contains('6'), "{wrong}");
    let missing = fault(page, "{} cores", 2).expect("no such text");
    assert!(missing.contains("nothing like"), "{missing}");
}

#[test]
fn numbers_are_read_in_every_notation_of_the_code_and_the_pages() {
    let cases =
        [("7", 7), ("0xFFFF_F800", 0xFFFF_F800), ("32'hFFFF_F800", 0xFFFF_F800), ("12'h7c0", 0x7C0), ("5'd14", 14)];
    for (text, value) in cases {
        assert_eq!(number(text), Some(value), "{text}");
    }
    assert_eq!(number("`x`"), None);
}
