//! Results as tables for people.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Cell, CellAlignment, Table};
use nic_image::StackUse;
use nicscope_scenario::scenario::WorkloadKind;

use crate::account::{Account, Clock, Span};
use crate::results::{Reset, Restart, Results, Row, Run};

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY);
    table.set_header(header.iter().map(|name| Cell::new(name).set_alignment(CellAlignment::Right)));
    table
}

fn numbers(cells: impl IntoIterator<Item = String>) -> Vec<Cell> {
    cells.into_iter().map(|text| Cell::new(text).set_alignment(CellAlignment::Right)).collect()
}

/// A time in us, with three decimals. `ps`: the time in ps.
pub fn us(ps: f64) -> String {
    format!("{:.3}", ps / 1e6)
}

/// A table of sizes for each platform and ratio of misses.
pub fn results(results: &Results) -> String {
    let mut text = String::new();
    for run in &results.runs {
        text.push_str(&format!(
            "{} on {}: {}, core {} MHz\n",
            results.scenario.name,
            run.platform,
            match run.miss_ratio {
                _ if results.scenario.workload.kind == WorkloadKind::Pages =>
                    "lookups as the program makes them".into(),
                0.0 => "every lookup hits".to_string(),
                ratio => format!("{:.0} % of messages miss on node {}", ratio * 100.0, results.scenario.misses.node),
            },
            run.core_hz as f64 / 1e6,
        ));
        let mut rows = table(&[
            "size B",
            "messages",
            "latency us",
            "min",
            "max",
            "core cycles",
            "Mb/s",
            "hits",
            "misses",
            "retransmissions",
        ]);
        for row in &run.rows {
            rows.add_row(numbers([
                row.size_bytes.to_string(),
                row.messages.to_string(),
                latency(row, us(row.latency_ps.mean)),
                latency(row, us(row.latency_ps.min as f64)),
                latency(row, us(row.latency_ps.max as f64)),
                latency(row, format!("{:.0}", row.latency_core_cycles)),
                format!("{:.1}", row.bandwidth_bits_per_s / 1e6),
                row.hits.to_string(),
                row.misses.to_string(),
                row.retransmissions.to_string(),
            ]));
        }
        text.push_str(&format!("{rows}\n"));
        text.push_str(&checks(run));
        text.push_str(&restarts(run));
        text.push_str(&stacks(run));
        text.push('\n');
    }
    text
}

/// Workloads whose messages overlap have no latencies.
fn latency(row: &Row, text: String) -> String {
    match row.latency_ps.max {
        0 => "-".into(),
        _ => text,
    }
}

/// One line on the sums.
fn checks(run: &Run) -> String {
    let broken: Vec<String> = run
        .conservation
        .iter()
        .filter(|equation| !equation.holds())
        .map(|equation| format!("  {}: {} is not {}\n", equation.statement, equation.left, equation.right))
        .collect();
    let mut text = String::new();
    if run.accounts > 0 {
        text.push_str(&format!(
            "spans of {} messages add up to their latencies, largest difference {} ps; ",
            run.accounts, run.largest_difference_ps
        ));
    }
    match broken.is_empty() {
        true => text.push_str(&format!("{} sums of counters agree\n", run.conservation.len())),
        false => text.push_str(&format!("SUMS OF COUNTERS DISAGREE:\n{}", broken.concat())),
    }
    text
}

/// One line on each node, and one on the reset, of a run in which a NIC was reset.
fn restarts(run: &Run) -> String {
    let mut text = String::new();
    for (node, restart) in run.restarts.iter().enumerate() {
        let Restart { ended_well, under_way, arrived, exchanged, reset } = restart;
        text.push_str(&format!(
            "node {node}: {ended_well} messages ended well, {under_way} were cut off; {arrived} of the peer had arrived \
             whole; {exchanged} each way afterwards\n"
        ));
        if let Some(Reset { session, begun_ps, ready_after_ps, told_after_ps }) = reset {
            text.push_str(&format!(
                "node {node}: reset at {} us, ready {} us later as session {session}, which all NICs knew {} us later\n",
                us(*begun_ps as f64),
                us(*ready_after_ps as f64),
                us(*told_after_ps as f64)
            ));
        }
    }
    text
}

/// One line on each stack with a canary.
fn stacks(run: &Run) -> String {
    let mut text = String::new();
    for (node, cores) in run.stacks.iter().enumerate() {
        for (stack, core) in cores.iter().zip(["A", "B"]) {
            let StackUse { used_bytes, deepest_bytes, room_bytes } = stack;
            text.push_str(&format!(
                "stack of core {core}, node {node}: {used_bytes} bytes used, at most {deepest_bytes} by the analysis of the \
                 image, {room_bytes} are free\n"
            ));
        }
    }
    text
}

/// One message, span by span.
pub fn account(title: &str, account: &Account) -> String {
    let mut rows = table(&["", "from us", "ps", "cycles", "clock", "node"]);
    for span in &account.spans {
        let mut cells = vec![Cell::new(&span.stage)];
        cells.extend(numbers([
            us(span.start_ps as f64),
            span.duration_ps.to_string(),
            cycles(span),
            span.clock.name().to_string(),
            span.node.to_string(),
        ]));
        rows.add_row(cells);
    }
    let mut total = vec![Cell::new("sum of spans")];
    let sum: u64 = account.spans.iter().map(|span| span.duration_ps).sum();
    total.extend(numbers([String::new(), sum.to_string(), String::new(), String::new(), String::new()]));
    rows.add_row(total);
    let mut latency = vec![Cell::new("measured latency")];
    latency.extend(numbers([
        String::new(),
        account.latency_ps.to_string(),
        String::new(),
        String::new(),
        format!("difference {} ps", account.difference_ps()),
    ]));
    rows.add_row(latency);
    format!("{title}: message {} of {} B\n{rows}\n", account.message, account.size_bytes)
}

/// Whole where both ends of the span are edges of its clock.
fn cycles(span: &Span) -> String {
    match span.clock {
        Clock::Host => String::new(),
        _ if (span.cycles - span.cycles.round()).abs() < 1e-3 => format!("{:.0}", span.cycles.round()),
        _ => format!("{:.1}", span.cycles),
    }
}
