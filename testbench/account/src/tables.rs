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

/// A table whose cells are all numbers.
pub fn of_numbers(headings: &[String], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut lines = table(&headings.iter().map(String::as_str).collect::<Vec<_>>());
    for row in rows {
        lines.add_row(numbers(row));
    }
    format!("{lines}\n")
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
    for (span, times) in shown(&account.spans) {
        let mut cells = vec![Cell::new(&span.stage)];
        cells.extend(numbers([
            if times > 1 { format!("{times} times") } else { us(span.start_ps as f64) },
            span.duration_ps.to_string(),
            cycles(&span),
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

/// A table shows so many spans one by one.
const ROWS_MAX: usize = 48;

/// The spans of a table, and how many each stands for. Where stages of a long account come again
/// and again, each stage is one row: the sum of its spans.
fn shown(spans: &[Span]) -> Vec<(Span, usize)> {
    let alike = |a: &Span, b: &Span| a.stage == b.stage && a.node == b.node && a.clock == b.clock;
    let is_repeated = |span: &Span| spans.iter().filter(|other| alike(span, other)).count() > 2;
    let first = spans.iter().position(is_repeated).unwrap_or(spans.len());
    let end = spans.iter().rposition(is_repeated).map_or(first, |last| last + 1);
    if spans.len() <= ROWS_MAX {
        return spans.iter().map(|span| (span.clone(), 1)).collect();
    }
    let mut rows: Vec<(Span, usize)> = spans[..first].iter().map(|span| (span.clone(), 1)).collect();
    for span in &spans[first..end] {
        match rows[first..].iter_mut().find(|(row, _)| alike(row, span)) {
            Some((row, times)) => {
                row.duration_ps += span.duration_ps;
                row.cycles += span.cycles;
                *times += 1;
            }
            None => rows.push((span.clone(), 1)),
        }
    }
    rows.extend(spans[end..].iter().map(|span| (span.clone(), 1)));
    rows
}

/// Whole where both ends of the span are edges of its clock.
fn cycles(span: &Span) -> String {
    match span.clock {
        Clock::Host => String::new(),
        _ if (span.cycles - span.cycles.round()).abs() < 1e-3 => format!("{:.0}", span.cycles.round()),
        _ => format!("{:.1}", span.cycles),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_account_has_a_row_for_each_stage_that_comes_again() {
        let span = |stage: &str, duration_ps| Span {
            stage: stage.into(),
            node: 0,
            clock: Clock::Core,
            start_ps: 0,
            duration_ps,
            cycles: 1.0,
        };
        let mut spans = vec![span("post", 5)];
        for _ in 0..30 {
            spans.extend([span("frame", 2), span("idle", 1)]);
        }
        spans.push(span("poll", 7));
        let rows: Vec<_> =
            shown(&spans).iter().map(|(row, times)| (row.stage.clone(), row.duration_ps, *times)).collect();
        let expected = [("post", 5, 1), ("frame", 60, 30), ("idle", 30, 30), ("poll", 7, 1)];
        assert_eq!(rows, expected.map(|(stage, ps, times)| (stage.to_string(), ps, times)));
        assert_eq!(shown(&spans[..40]).len(), 40);
    }
}
