//! The account of one hit and one miss of an earlier run.

use std::path::Path;

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Cell, CellAlignment, Table};
use nicscope_scenario::error::Result;
use nicscope_scenario::request_error;
use nicscope_scenario::scenario::Scenario;
use serde::Serialize;

use crate::account::Account;
use crate::category::{self, Share};
use crate::results::{Results, Run, RESULTS_SCHEMA};
use crate::tables;

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub struct Explanation<'a> {
    /// The name of the scenario.
    pub scenario: &'a str,
    /// The seed of the run.
    pub seed: u64,
    /// Data bytes of the messages.
    pub size_bytes: u32,
    /// For each platform a hit, then a miss, as far as there were any.
    pub messages: Vec<Message<'a>>,
}

/// One message that is explained.
#[derive(Debug, Serialize)]
pub struct Message<'a> {
    /// The name of the platform.
    pub platform: &'a str,
    /// Whether its destination was found.
    pub outcome: Outcome,
    /// Its stages.
    pub account: &'a Account,
    /// The latency by category; the times add up to it.
    pub shares: Vec<Share>,
}

/// Whether the destination of a message was found where it arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Every lookup hit.
    Hit,
    /// A lookup missed.
    Miss,
    /// The message of the hit, until its sender knew that it was accepted.
    Acceptance,
}

impl Outcome {
    /// What is explained.
    fn name(self, scenario: &Scenario) -> &'static str {
        match self {
            Outcome::Hit if scenario.has_messages() => "until the receiver sees it",
            Outcome::Hit => "a hit",
            Outcome::Miss if scenario.refuses_messages() => "refused first, since nothing was posted",
            Outcome::Miss => "a miss",
            Outcome::Acceptance => "until the sender sees that it was accepted",
        }
    }

    fn accounts(self, run: &Run) -> &[Account] {
        match self {
            Outcome::Hit => &run.hits,
            Outcome::Miss => &run.misses,
            Outcome::Acceptance => &run.acceptances,
        }
    }
}

/// Reads what a run wrote.
pub fn read(folder: &Path) -> Result<Results> {
    if !folder.is_dir() {
        return Err(request_error!("{}: no such folder; give the one that `nicscope run` wrote", folder.display()));
    }
    let path = folder.join("results.json");
    let shown = path.display();
    let text = std::fs::read_to_string(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            request_error!("{}: has no results.json; give a folder that `nicscope run` wrote", folder.display())
        }
        _ => request_error!("{shown}: cannot be read ({error}); run the scenario again"),
    })?;
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| request_error!("{shown}: damaged ({error}); run the scenario again"))?;
    match value.get("schema").and_then(serde_json::Value::as_u64) {
        Some(schema) if schema == u64::from(RESULTS_SCHEMA) => {}
        Some(schema) => {
            return Err(request_error!(
                "{shown}: has schema {schema}, this nicscope reads schema {RESULTS_SCHEMA}; run the scenario again"
            ));
        }
        None => return Err(request_error!("{shown}: names no schema, so it is no result of `nicscope run`")),
    }
    serde_json::from_value(value).map_err(|error| request_error!("{shown}: damaged ({error}); run the scenario again"))
}

/// Chooses the messages that were asked for.
pub fn explain<'a>(results: &'a Results, size: Option<u32>, platform: Option<&str>) -> Result<Explanation<'a>> {
    if results.runs.iter().all(|run| run.hits.is_empty() && run.misses.is_empty()) {
        return Err(request_error!(
            "scenario {} keeps no accounts of messages; explain a run of kind ping-pong or fetch",
            results.scenario.name
        ));
    }
    let mut platforms: Vec<&str> = results.runs.iter().map(|run| run.platform.as_str()).collect();
    platforms.dedup();
    if let Some(wanted) = platform {
        if !platforms.contains(&wanted) {
            return Err(request_error!("--platform {wanted}: not in this run; it has {}", platforms.join(", ")));
        }
        platforms.retain(|name| *name == wanted);
    }
    let of = |name: &str| results.runs.iter().filter(move |run| run.platform == name).collect::<Vec<_>>();
    let mut sizes: Vec<u32> = platforms
        .iter()
        .flat_map(|name| of(name))
        .flat_map(|run| run.hits.iter().chain(&run.misses))
        .map(|account| account.size_bytes)
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let size_bytes = match size {
        Some(size) if sizes.contains(&size) => size,
        Some(size) => {
            let names: Vec<String> = sizes.iter().map(u32::to_string).collect();
            return Err(request_error!("--size {size}: not in this run; it has {} bytes", names.join(", ")));
        }
        None => {
            *sizes.first().ok_or_else(|| request_error!("this run kept no accounts on {}", platforms.join(", ")))?
        }
    };
    let mut messages = Vec::new();
    for name in platforms {
        for outcome in [Outcome::Hit, Outcome::Acceptance, Outcome::Miss] {
            // Runs are in the order of their ratio of misses, so the hit is one of the run without any.
            let mut accounts = of(name).into_iter().flat_map(|run| outcome.accounts(run).iter().map(move |a| (run, a)));
            if let Some((run, account)) = accounts.find(|(_, account)| account.size_bytes == size_bytes) {
                let shares = category::shares(account);
                messages.push(Message { platform: &run.platform, outcome, account, shares });
            }
        }
    }
    Ok(Explanation { scenario: &results.scenario.name, seed: results.seed, size_bytes, messages })
}

/// The explanation for people.
pub fn text(results: &Results, explanation: &Explanation) -> String {
    let mut text = String::new();
    for message in &explanation.messages {
        let title = format!("{}: {}", message.platform, message.outcome.name(&results.scenario));
        text.push_str(&tables::account(&title, message.account));
        text.push_str(&shares(message));
        text.push('\n');
    }
    for run in results.runs.iter().filter(|run| run.miss_ratio > 0.0) {
        let has_miss = run.misses.iter().any(|account| account.size_bytes == explanation.size_bytes);
        let shown = explanation.messages.iter().any(|message| message.platform == run.platform);
        if shown && !has_miss {
            let sizes: Vec<String> = run.misses.iter().map(|account| account.size_bytes.to_string()).collect();
            text.push_str(&format!(
                "{}: no measured message of {} B missed; sizes with a miss: {}\n",
                run.platform,
                explanation.size_bytes,
                if sizes.is_empty() { "none".into() } else { sizes.join(", ") }
            ));
        }
    }
    text
}

/// The account by category.
fn shares(message: &Message) -> String {
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY);
    table.set_header(["by category", "us", "share"].map(|name| right(name.into())));
    for share in &message.shares {
        table.add_row([
            Cell::new(share.category.name()),
            right(tables::us(share.duration_ps as f64)),
            right(format!("{:.1} %", share.share_ratio * 100.0)),
        ]);
    }
    format!("{table}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{Clock, Span};
    use nicscope_scenario::scenario;

    fn account(message: u32, size_bytes: u32) -> Account {
        let span = |stage: &str, clock, start_ps, duration_ps| Span {
            stage: stage.into(),
            node: 0,
            clock,
            start_ps,
            duration_ps,
            cycles: 1.0,
        };
        let spans = vec![
            span("library: descriptor", Clock::Host, 0, 250),
            span("sender: lookup", Clock::Core, 250, 500),
            span("event waits", Clock::Core, 750, 250),
        ];
        Account { message, size_bytes, latency_ps: 1000, spans }
    }

    fn results() -> Results {
        let run = |platform: &str, miss_ratio: f64, misses: Vec<Account>| Run {
            hits: vec![account(1, 4), account(2, 64)],
            misses,
            ..Run::empty(platform, miss_ratio)
        };
        Results {
            schema: RESULTS_SCHEMA,
            version: "0".into(),
            seed: 1,
            scenario: scenario::load("ping-pong", &[]).unwrap(),
            runs: vec![
                run("tigon2", 0.0, Vec::new()),
                run("tigon2", 0.25, vec![account(9, 4)]),
                run("lanai9", 0.0, Vec::new()),
            ],
        }
    }

    #[test]
    fn a_hit_and_a_miss_of_the_smallest_size_are_explained() {
        let results = results();
        let explanation = explain(&results, None, None).unwrap();
        let found: Vec<_> = explanation.messages.iter().map(|m| (m.platform, m.outcome, m.account.message)).collect();
        assert_eq!(found, [("tigon2", Outcome::Hit, 1), ("tigon2", Outcome::Miss, 9), ("lanai9", Outcome::Hit, 1)]);
        let text = text(&results, &explanation);
        assert!(text.contains("tigon2: a miss") && text.contains("25.0 %") && text.contains("50.0 %"), "{text}");
    }

    #[test]
    fn a_message_that_is_matched_is_explained_for_both_of_its_processes() {
        let mut results = results();
        results.scenario = scenario::load("ping-pong", &["personality=emp".into()]).unwrap();
        results.runs[0].acceptances = vec![account(1, 4)];
        let explanation = explain(&results, None, Some("tigon2")).unwrap();
        let text = text(&results, &explanation);
        let titles = [
            "tigon2: until the receiver sees it: message 1",
            "tigon2: until the sender sees that it was accepted: message 1",
            "tigon2: refused first, since nothing was posted: message 9",
        ];
        let found: Vec<_> = titles.iter().filter_map(|title| text.find(title)).collect();
        assert!(found.len() == 3 && found.is_sorted(), "{text}");
    }

    #[test]
    fn a_size_without_a_miss_says_which_have_one() {
        let results = results();
        let explanation = explain(&results, Some(64), Some("tigon2")).unwrap();
        assert_eq!(explanation.messages.len(), 1);
        assert!(text(&results, &explanation).contains("no measured message of 64 B missed; sizes with a miss: 4\n"));
    }

    #[test]
    fn wrong_requests_name_what_there_is() {
        let results = results();
        let message = |size, platform| {
            let error = explain(&results, size, platform).unwrap_err();
            assert_eq!(error.exit_status(), 2);
            error.to_string()
        };
        assert!(message(Some(5), None).contains("4, 64 bytes"));
        assert!(message(None, Some("lanai4")).contains("tigon2, lanai9"));
        let mut stream = results.clone();
        stream.runs.iter_mut().for_each(|run| (run.hits, run.misses) = (Vec::new(), Vec::new()));
        assert!(explain(&stream, None, None).unwrap_err().to_string().contains("keeps no accounts"));
    }

    #[test]
    fn files_that_are_no_results_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |what: &str| {
            let error = read(folder.path()).unwrap_err();
            assert_eq!(error.exit_status(), 2);
            assert!(error.to_string().contains(what), "{error}");
        };
        refused("has no results.json");
        let write = |text: &str| std::fs::write(folder.path().join("results.json"), text).unwrap();
        write("{\"schema\": 1, \"runs\"");
        refused("damaged");
        write("[]");
        refused("names no schema");
        write("{\"schema\": 4711}");
        refused("has schema 4711, this nicscope reads schema");
        write("{\"schema\": 1}");
        refused("damaged (missing field");
        let missing = read(&folder.path().join("nowhere")).unwrap_err();
        assert!(missing.exit_status() == 2 && missing.to_string().contains("no such folder"));
        write(&serde_json::to_string(&results()).unwrap());
        assert_eq!(read(folder.path()).unwrap(), results());
    }
}
