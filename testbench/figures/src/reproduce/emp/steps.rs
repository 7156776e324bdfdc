//! The steps of the latency curve: a frame more, and a page more (EC-2).

use nicscope_account::results::Run;
use serde_json::json;

use super::setting::{self, Asked, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Chart, Finding, Picture, Report, Series, Table};
use crate::engine::{Experiment, Measure};

pub const STEPS: Experiment = Experiment {
    id: "emp.steps",
    title: "latency by size across the borders of frames and pages (EC-2)",
    thesis: "Figure 2.7: jumps at each 1500 bytes, a frame more, and at each 4096 bytes, a DMA more",
    note: Some("a message's memory begins at a page"),
    parameters: || json!({"platform": PLATFORM, "sizes_bytes": SIZES_BYTES, "messages": MESSAGES}),
    images: setting::images,
    measure: Measure::Report(|jobs| {
        let asked: Vec<Asked> =
            SIZES_BYTES.iter().map(|size| Asked::new("ping-pong").messages(&[*size], MESSAGES)).collect();
        Ok(report(&points(&setting::runs(STEPS.id, jobs, &asked)?)))
    }),
};

const MESSAGES: u32 = 10;
/// The last size of one frame, and of two.
const FRAMES: [u32; 2] = [1474, 2960];
/// The last size of one page.
const PAGE: u32 = 4096;
/// Sizes between the borders, and at each border the last before it and the first behind it.
const SIZES_BYTES: [u32; 14] =
    [700, 1000, 1300, FRAMES[0], FRAMES[0] + 1, 1800, 2400, FRAMES[1], FRAMES[1] + 1, 3400, 3900, PAGE, PAGE + 1, 4400];

fn points(runs: &[Run]) -> Vec<(u32, f64)> {
    runs.iter().flat_map(|run| &run.rows).map(|row| (row.size_bytes, row.latency_ps.mean / 1e6)).collect()
}

fn report(points: &[(u32, f64)]) -> Report {
    let mut table = Table::new(format!("One-way latency on {PLATFORM}"), ["size B", "us"]);
    for (size_bytes, us) in points {
        table.row([(*size_bytes).into(), (*us).into()]);
    }
    let series = Series {
        name: "EMP".into(),
        points: points.iter().map(|(size_bytes, us)| (f64::from(*size_bytes), *us)).collect(),
    };
    let chart = Chart::Lines { x: "message, bytes".into(), y: "one-way latency, us".into(), series: vec![series] };
    let picture = Picture { name: "latency".into(), title: format!("Ping-pong on {PLATFORM}"), chart };
    Report { tables: vec![table], pictures: vec![picture], findings: findings(points), ..Report::default() }
}

/// What the byte behind a border costs more than a byte elsewhere, in us.
fn jump(points: &[(u32, f64)], border: u32) -> f64 {
    let at = |size: u32| points.iter().find(|(size_bytes, _)| *size_bytes == size).map(|(_, us)| *us);
    at(border + 1).zip(at(border)).map_or(f64::NAN, |(behind, before)| behind - before)
}

/// A step is more than a hundred bytes cost where the curve is even.
fn is_step(points: &[(u32, f64)], jump_us: f64) -> bool {
    let [(first, first_us), ..] = points else { return false };
    let Some((last, last_us)) = points.iter().take_while(|(size, _)| *size <= FRAMES[0]).last() else { return false };
    let hundred_us = 100.0 * (last_us - first_us) / f64::from(last - first);
    jump_us > hundred_us
}

fn findings(points: &[(u32, f64)]) -> Vec<Finding> {
    let frames = FRAMES.map(|border| jump(points, border));
    let page = jump(points, PAGE);
    vec![
        Finding::new(
            "EC-2",
            "the latency jumps where a message needs a frame more",
            frames.iter().all(|us| is_step(points, *us)),
            format!("us at {} and {} bytes: {}, {}", FRAMES[0], FRAMES[1], digits(frames[0]), digits(frames[1])),
        ),
        Finding::new(
            "EC-2",
            "the latency jumps where a message needs a page more",
            is_step(points, page),
            format!("us at {PAGE} bytes: {}", digits(page)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_curve_has_no_steps_and_a_jump_is_one() {
        let even: Vec<(u32, f64)> = SIZES_BYTES.iter().map(|size| (*size, f64::from(*size) * 0.02)).collect();
        assert!(findings(&even).iter().all(|finding| !finding.holds));
        let step = |size: u32| f64::from([FRAMES[0], FRAMES[1], PAGE].iter().filter(|it| size > **it).count() as u32);
        let stepped: Vec<(u32, f64)> = even.iter().map(|(size, us)| (*size, us + 3.0 * step(*size))).collect();
        assert!(findings(&stepped).iter().all(|finding| finding.holds));
    }
}
