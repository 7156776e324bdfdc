//! EMP, two libraries over it, and the path through the kernel, on the same NIC in one table.

use nic_layout::vmh::VmhGeometry;
use nicscope_account::results::{Row, Run};
use nicscope_scenario::error::Result;
use serde_json::json;

use super::setting::{self, Asked, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Finding, Report, Table};
use crate::engine::{Experiment, Measure};

pub const LIBRARIES: Experiment = Experiment {
    id: "emp.libraries",
    title: "EMP, a library like MPI, stream sockets, and the path through the kernel, on the same NIC (EC-6)",
    thesis: "section 2.4: TCP has a much higher latency, and never more than about 600 Mb/s, on the same NIC",
    note: Some(
        "the kernel is a model: its work is charged by constants of the platform file (docs/libraries.md). Sockets over \
         EMP were published with 37 us for 4 bytes and 840 Mb/s, TCP with 120 us (Balaji et al., Cluster 2002), both of \
         other hosts",
    ),
    parameters: || json!({"platform": PLATFORM, "latency": LATENCY_BYTES, "stream": STREAM_BYTES}),
    images: || {
        let images = setting::images().into_iter();
        images.chain([("kernel", VmhGeometry::RECOMMENDED)]).collect()
    },
    measure: Measure::Report(measure),
};

const LATENCY_BYTES: [u32; 4] = [4, 10, 1024, 4096];
const STREAM_BYTES: u32 = 16_384;
const STREAM_COUNT: u32 = 100;

/// Name of a case, and the keys that make it.
const CASES: [(&str, &[(&str, &str)]); 4] = [
    ("EMP", &[]),
    ("MPI over EMP", &[("emp.library", "mpi")]),
    ("sockets over EMP", &[("emp.library", "sockets")]),
    ("kernel", &[("personality", "kernel")]),
];

fn asked(scenario: &'static str, sizes_bytes: &[u32], count: u32) -> impl Iterator<Item = Asked> {
    let base = Asked::new(scenario).messages(sizes_bytes, count).key("workload.outstanding", 2);
    CASES
        .into_iter()
        .map(move |(_, keys)| keys.iter().fold(base.clone(), |asked, (name, value)| asked.key(name, value)))
}

fn measure(jobs: usize) -> Result<Report> {
    let all: Vec<Asked> =
        asked("ping-pong", &LATENCY_BYTES, 30).chain(asked("stream", &[STREAM_BYTES], STREAM_COUNT)).collect();
    let runs = setting::runs(LIBRARIES.id, jobs, &all)?;
    let (latency, stream) = runs.split_at(CASES.len());
    let values = |runs: &[Run], value: fn(&Row) -> f64| -> Vec<Vec<f64>> {
        runs.iter().map(|run| run.rows.iter().map(value).collect()).collect()
    };
    let mbits_per_s = values(stream, |row| row.bandwidth_bits_per_s / 1e6).concat();
    Ok(report(&values(latency, |row| row.latency_ps.mean / 1e6), &mbits_per_s))
}

/// One row for each case.
fn report(latency_us: &[Vec<f64>], mbits_per_s: &[f64]) -> Report {
    let sizes = LATENCY_BYTES.map(|bytes| format!("{bytes} B, us"));
    let heads = std::iter::once("path".to_owned()).chain(sizes).chain(["16 KB, Mb/s".to_owned()]);
    let mut table = Table::new("One-way latency and bandwidth", heads);
    for (index, (name, _)) in CASES.iter().enumerate() {
        let latency = latency_us[index].iter().map(|us| (*us).into());
        table.row(std::iter::once((*name).into()).chain(latency).chain([mbits_per_s[index].into()]));
    }
    Report { tables: vec![table], findings: findings(latency_us, mbits_per_s), ..Report::default() }
}

/// Why the kernel's place in the order is not decided by runs alone.
const BY_CONSTANTS: &str =
    "system call, interrupt, wake-up, work for a frame and copies of the kernel are constants of the platform file";

fn findings(latency_us: &[Vec<f64>], mbits_per_s: &[f64]) -> Vec<Finding> {
    let [emp, mpi, sockets, kernel] = latency_us else { panic!("there are four cases") };
    let rises = |at: usize| emp[at] <= mpi[at] && mpi[at] <= sockets[at] && sockets[at] < kernel[at];
    let listed = |values: &[f64]| values.iter().map(|value| digits(*value)).collect::<Vec<_>>().join(", ");
    let of_size = |at: usize| listed(&[emp[at], mpi[at], sockets[at], kernel[at]]);
    vec![
        Finding::new(
            "EC-6",
            "the path through the kernel has a much higher latency than EMP",
            kernel.iter().zip(emp).take(2).all(|(kernel, emp)| *kernel > 2.0 * emp),
            format!("us of 10 bytes: {} and {}", digits(kernel[1]), digits(emp[1])),
        )
        .by_construction(BY_CONSTANTS),
        Finding::new(
            "EN-3",
            "the path through the kernel carries less than EMP one way",
            mbits_per_s[3] < mbits_per_s[0],
            format!("Mb/s: {} and {}", digits(mbits_per_s[3]), digits(mbits_per_s[0])),
        )
        .by_construction(BY_CONSTANTS),
        Finding::new(
            "EL-5",
            "latency rises from EMP over MPI and sockets to the kernel, at 10 bytes and at 1 KB",
            rises(1) && rises(2),
            format!("us of 10 bytes: {}; of 1 KB: {}", of_size(1), of_size(2)),
        ),
        Finding::new(
            "EL-5",
            "a library over EMP keeps 95 % of its bandwidth",
            mbits_per_s[1..3].iter().all(|library| *library >= 0.95 * mbits_per_s[0]),
            format!("Mb/s: {}", listed(&mbits_per_s[..3])),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_can_hold_and_can_fail() {
        let rows = |us: [f64; 4]| us.map(|us| vec![us; 4]);
        let holds = |found: &[Finding]| found.iter().map(|it| it.holds).collect::<Vec<_>>();
        let good = report(&rows([10.0, 11.0, 12.0, 40.0]), &[960.0, 958.0, 930.0, 600.0]);
        assert_eq!(holds(&good.findings), [true; 4]);
        let bad = report(&rows([10.0, 9.0, 12.0, 19.0]), &[900.0, 800.0, 900.0, 950.0]);
        assert_eq!(holds(&bad.findings), [false; 4]);
    }
}
