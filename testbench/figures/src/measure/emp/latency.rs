//! Bar 1: latency of a short message, and the spans of which it consists.

use indexmap::IndexMap;
use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::matched_accounts;
use nicscope_run::progress::Progress;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use super::second_core;
use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub const NOTE: &str =
    "tigon2, one core, 10 bytes, half of a round trip by fact E-54. Spans are means of the messages \
     of that run, and add up to the latency";

const ITERATIONS: u32 = 60;
const SET: [&str; 4] = ["personality=emp", "platforms=tigon2", "misses.ratios=0.0", "workload.sizes_bytes=10"];

pub fn measure() -> Result<Vec<Figure>> {
    let thesis = "24.31 us (thesis), 23 us (first publication)";
    let mut figures = vec![
        Figure::new("emp.1.latency", latency_us("once")?, "us", Target::AtMost(10.0)).paper(thesis),
        Figure::new("emp.1.latency_each_post", latency_us("each-post")?, "us", Target::None).paper(thesis),
    ];
    figures.extend(second_core::latency()?);
    figures.extend(spans()?);
    Ok(figures)
}

/// Mean latency. `translate`: when the library asks for physical addresses.
fn latency_us(translate: &str) -> Result<f64> {
    let (iterations, translate) = (format!("workload.iterations={ITERATIONS}"), format!("emp.translate={translate}"));
    let results = run::run(&config("ping-pong", &[&SET[..], &[&*iterations, &*translate]].concat())?)?;
    results.check()?;
    let row = results.runs.iter().flat_map(|run| &run.rows).next();
    row.map(|row| row.latency_ps.mean / 1e6).ok_or_else(|| failed!("ping-pong has no row"))
}

/// Where the time of a message goes: the mean of each stage of its account.
fn spans() -> Result<Vec<Figure>> {
    let iterations = format!("workload.iterations={ITERATIONS}");
    let cluster = run::cluster_config(&config("ping-pong", &[&SET[..], &[&*iterations]].concat())?, "tigon2", 0.0)?;
    let output = cluster::run(&ClusterConfig { record: true, ..cluster.clone() }, &Progress::new("spans".into()))?;
    let accounts = matched_accounts::all(&cluster, &output)?;
    if accounts.is_empty() {
        return Err(failed!("ping-pong has no messages"));
    }
    // A stage of the sender and a stage of the receiver may have one name.
    let mut stages: IndexMap<String, u64> = IndexMap::new();
    for account in &accounts {
        let sender = account.spans.first().map_or(0, |span| span.node);
        for span in &account.spans {
            let side = if span.node == sender { "sender" } else { "receiver" };
            *stages.entry(id(&span.stage, side)).or_default() += span.duration_ps;
        }
    }
    let mean_us = |sum_ps: u64| sum_ps as f64 / 1e6 / accounts.len() as f64;
    let figures = stages.into_iter().map(|(id, sum_ps)| Figure::new(id, mean_us(sum_ps), "us", Target::None));
    Ok(figures.collect())
}

/// The name of the figure of a stage.
fn id(stage: &str, side: &str) -> String {
    let words: Vec<&str> =
        stage.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let side = if words.contains(&side) { "" } else { side };
    format!("emp.1.span_{}_{side}", words.join("_").to_lowercase()).trim_end_matches('_').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_figure_says_its_stage_and_its_side() {
        assert_eq!(id("sender: header", "sender"), "emp.1.span_sender_header");
        assert_eq!(id("event waits", "receiver"), "emp.1.span_event_waits_receiver");
        assert_eq!(id("MAC: data to the link's clock", "sender"), "emp.1.span_mac_data_to_the_link_s_clock_sender");
    }
}
