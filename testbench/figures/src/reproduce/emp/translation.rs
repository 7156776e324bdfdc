//! Translation on the NIC, which the thesis dismisses without a measurement (E-14).

use nicscope_account::results::Run;
use serde_json::json;

use super::setting::{self, Asked, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Chart, Finding, Picture, Report, Series, Table};
use crate::engine::{Experiment, Measure};

pub const TRANSLATION: Experiment = Experiment {
    id: "emp.mini",
    title: "addresses that the NIC looks up, against addresses that the process asks for (E-14)",
    thesis: "section 2.2.3: page tables on the NIC would be too large, and a cache of them would cost memory and work of the kernel",
    note: Some("the NIC has the cache of mini; the misses are those of arriving messages, and a thread of the driver serves them"),
    parameters: || json!({"platform": PLATFORM, "ratios": RATIOS, "sizes_bytes": SIZES_BYTES, "messages": MESSAGES}),
    images: setting::translating_images,
    measure: Measure::Report(|jobs| {
        let runs = setting::runs(TRANSLATION.id, jobs, &asked())?;
        Ok(report(&runs))
    }),
};

const MESSAGES: u32 = 40;
const SIZES_BYTES: [u32; 4] = [10, 1474, 4096, 16_384];
/// Shares of messages that miss: each is a whole number of [`MESSAGES`].
const RATIOS: [f64; 3] = [0.0, 0.1, 0.5];

/// The names of the curves: two of `emp`, then one of `emp-mini` for each ratio.
fn names() -> Vec<String> {
    let asked = ["asked once", "asked at each post"].map(String::from);
    asked.into_iter().chain(RATIOS.map(|ratio| format!("looked up, {} % miss", 100.0 * ratio))).collect()
}

fn asked() -> Vec<Asked> {
    let ping = || Asked::new("ping-pong").messages(&SIZES_BYTES, MESSAGES);
    let mini = |ratio: f64| ping().key("personality", "emp-mini").key("misses.ratios", ratio);
    let mut asked = vec![ping(), ping().key("emp.translate", "each-post")];
    asked.extend(RATIOS.map(mini));
    asked
}

fn latencies(run: &Run) -> Vec<f64> {
    run.rows.iter().map(|row| row.latency_ps.mean / 1e6).collect()
}

fn report(runs: &[Run]) -> Report {
    let curves: Vec<(String, Vec<f64>)> = names().into_iter().zip(runs.iter().map(latencies)).collect();
    let mut headings = vec!["addresses".to_owned()];
    headings.extend(SIZES_BYTES.map(|size| format!("{size} B, us")));
    let mut table = Table::new(format!("One-way latency on {PLATFORM}"), headings);
    for (name, values) in &curves {
        let mut row = vec![name.as_str().into()];
        row.extend(values.iter().map(|us| (*us).into()));
        table.row(row);
    }
    let chart = Chart::Lines {
        x: "message, bytes".into(),
        y: "latency beyond addresses asked for once, us".into(),
        series: beyond_first(&curves),
    };
    let title = format!("Ping-pong on {PLATFORM}: what an address costs");
    let picture = Picture { name: "latency".into(), title, chart };
    Report { tables: vec![table], pictures: vec![picture], findings: findings(&curves), ..Report::default() }
}

/// The curves behind the first, each without what the first has at the same size: beside whole
/// latencies of long messages nothing of them would be seen.
fn beyond_first(curves: &[(String, Vec<f64>)]) -> Vec<Series> {
    let Some(((_, first), others)) = curves.split_first() else { return Vec::new() };
    let points = |values: &[f64]| {
        let beyond = values.iter().zip(first).map(|(us, first)| us - first);
        SIZES_BYTES.iter().map(|size| f64::from(*size)).zip(beyond).collect()
    };
    others.iter().map(|(name, values)| Series { name: name.clone(), points: points(values) }).collect()
}

fn findings(curves: &[(String, Vec<f64>)]) -> Vec<Finding> {
    let at = |curve: usize, size: usize| curves.get(curve).and_then(|(_, values)| values.get(size)).copied();
    let short = |curve| at(curve, 0).unwrap_or(f64::NAN);
    let longest = |curve| at(curve, SIZES_BYTES.len() - 1).unwrap_or(f64::NAN);
    let often = curves.len() - 1;
    let (once, each_post, hits) = (short(0), short(1), short(2));
    vec![
        Finding::new(
            "E-14",
            "a lookup that hits costs a short message less than the system call of each post",
            hits < each_post,
            format!("us: {} looked up, {} asked at each post", digits(hits), digits(each_post)),
        ),
        Finding::new(
            "E-14",
            "addresses that are asked for once cost a short message nothing, and lookups do",
            once < hits,
            format!("us: {} asked once, {} looked up", digits(once), digits(hits)),
        ),
        Finding::new(
            "E-14",
            "a short message waits for a miss; in a message of 16 KB the frames behind the first one hide it",
            short(often) > 1.5 * hits && longest(often) < 1.02 * longest(2),
            format!(
                "us: {} instead of {} at {} B, {} instead of {} at 16 KB",
                digits(short(often)),
                digits(hits),
                SIZES_BYTES[0],
                digits(longest(often)),
                digits(longest(2))
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Curves with these latencies of the shortest and of the longest message.
    fn curves(ends: [(f64, f64); 4]) -> Vec<(String, Vec<f64>)> {
        ends.map(|(short, long)| (String::new(), vec![short, 30.0, 50.0, long])).into()
    }

    #[test]
    fn findings_compare_the_shortest_and_the_longest_message() {
        let holds = |ends| findings(&curves(ends)).iter().map(|it| it.holds).collect::<Vec<_>>();
        assert_eq!(holds([(10.0, 160.0), (14.0, 162.0), (12.0, 165.0), (27.0, 165.0)]), [true, true, true]);
        assert_eq!(holds([(13.0, 160.0), (14.0, 162.0), (15.0, 165.0), (27.0, 190.0)]), [false, true, false]);
        assert_eq!(holds([(13.0, 160.0), (14.0, 162.0), (12.0, 165.0), (12.5, 165.0)]), [true, false, false]);
    }

    #[test]
    fn the_picture_has_what_each_curve_costs_more() {
        let series = beyond_first(&curves([(10.0, 160.0), (14.0, 162.0), (12.0, 165.0), (27.0, 165.0)]));
        let points: Vec<Vec<(f64, f64)>> = series.into_iter().map(|series| series.points).collect();
        assert_eq!(points[0], [(10.0, 4.0), (1474.0, 0.0), (4096.0, 0.0), (16_384.0, 2.0)]);
        assert_eq!(points.len(), 3);
    }
}
