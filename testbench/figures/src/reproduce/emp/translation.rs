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
/// Shares of messages that miss.
const RATIOS: [f64; 4] = [0.0, 0.01, 0.1, 0.5];

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
    let series = curves
        .iter()
        .map(|(name, values)| Series {
            name: name.clone(),
            points: SIZES_BYTES.iter().zip(values).map(|(size, us)| (f64::from(*size), *us)).collect(),
        })
        .collect();
    let chart = Chart::Lines { x: "message, bytes".into(), y: "one-way latency, us".into(), series };
    let picture = Picture { name: "latency".into(), title: format!("Ping-pong on {PLATFORM}"), chart };
    Report { tables: vec![table], pictures: vec![picture], findings: findings(&curves), ..Report::default() }
}

fn findings(curves: &[(String, Vec<f64>)]) -> Vec<Finding> {
    let at = |curve: usize, size: usize| curves.get(curve).and_then(|(_, values)| values.get(size)).copied();
    let short = |curve| at(curve, 0).unwrap_or(f64::NAN);
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
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lookup_is_judged_by_the_first_size() {
        let curve = |us: f64| ("".to_owned(), vec![us, 50.0]);
        let holds = |curves: &[(String, Vec<f64>)]| findings(curves).iter().map(|it| it.holds).collect::<Vec<_>>();
        assert_eq!(holds(&[curve(10.0), curve(14.0), curve(12.0)]), [true, true]);
        assert_eq!(holds(&[curve(13.0), curve(14.0), curve(15.0)]), [false, true]);
    }
}
