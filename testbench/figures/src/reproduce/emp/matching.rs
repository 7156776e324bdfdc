//! Matching by the number of posted receives: the linear search of the thesis and lists by a hash.

use std::sync::Arc;

use host_model::address::NodeId;
use host_model::driver::DriverOptions;
use host_model::library::emp::{From, Messages};
use host_model::platform::Platform;
use nic_layout::trace::Marker;
use nicscope_account::log::NodeLog;
use nicscope_run::assembly::{Assembly, Member};
use nicscope_run::meeting::Meeting;
use nicscope_run::node::Handle;
use nicscope_run::run::DEFAULT_SEED;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::failed;
use nicscope_scenario::image;
use nicscope_scenario::scenario::{Emp, Matching};
use serde_json::json;
use sim_fabric::Ending;
use sim_pins::Ps;

use super::setting::{self, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Chart, Finding, Picture, Report, Series, Table};
use crate::engine::{work, Experiment, Measure};

pub const MATCHING: Experiment = Experiment {
    id: "emp.matching",
    title: "matching by the number of posted receives, linear and hashed (E-44)",
    thesis: "a linear search of all posted records for each frame (E-35), named as the reason why receive bookkeeping \
             is the dearest step",
    note: Some(
        "clocks from the frame that the core takes to the receive that it finds, with all checks of the header; with \
         no match: to the refusal that leaves. The others ask for tags of their own",
    ),
    parameters: || json!({"platform": PLATFORM, "others": OTHERS, "messages": MESSAGES, "kinds": KINDS}),
    images: setting::images,
    measure: Measure::Report(measure),
};

/// Posted receives that do not match.
const OTHERS: [u32; 6] = [0, 1, 10, 30, 100, 400];
/// Messages of each kind that are measured, and one before them that is not.
const MESSAGES: usize = 5;
const ALL: usize = MESSAGES + 1;

/// What stands where among the others.
pub const KINDS: [&str; 4] = ["match first", "match last", "match leaves all open, last", "no match"];

const SEARCHES: [Matching; 2] = [Matching::Linear, Matching::Hashed];

const LATENCY: Ps = Ps::from_ns(400);
const WATCHDOG: Ps = Ps::from_us(400_000);
const MESSAGE_BYTES: u32 = 10;
const PAGE_BYTES: u32 = 4096;
/// Tags of the messages; the others have tags from [`OTHER_TAG`] on.
const TAG_FIRST: u16 = 1;
const TAG_LAST: u16 = 2;
const TAG_OPEN: u16 = 3;
const TAG_NONE: u16 = 4;
const OTHER_TAG: u16 = 0x100;
/// The pause in which a message that nothing matches is refused.
const REFUSED_US: u64 = 30;

/// A search, the receives that do not match, and whether half of them leave the source open.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub search: Matching,
    pub others: u32,
    pub is_mixed: bool,
}

fn measure(jobs: usize) -> Result<Report> {
    let cases: Vec<Case> =
        SEARCHES.into_iter().flat_map(|search| OTHERS.map(|others| Case { search, others, is_mixed: false })).collect();
    Ok(report(&work::each(MATCHING.id, jobs, &cases, |case| clocks(*case))?))
}

/// Mean clocks of each of [`KINDS`].
///
/// # Errors
/// The image cannot be built, or the run fails.
pub fn clocks(case: Case) -> Result<[f64; KINDS.len()]> {
    let platform = Platform::load(PLATFORM).map_err(wrong)?;
    let firmware = Arc::new(image::read(&image::build_matching("emp", case.search)?, &platform)?);
    let member = |index| {
        let driver = DriverOptions {
            messages: Some(Emp::default().of_driver()),
            ..DriverOptions::new(NodeId(index as u16), 2, DEFAULT_SEED)
        };
        let firmware = firmware.clone();
        let task = move |handle, meeting| whole(index, handle, meeting, firmware, case);
        Member { record: index == 1, ..Member::new(driver, task) }
    };
    let run = Assembly::cable(&platform, LATENCY, DEFAULT_SEED, 1, WATCHDOG).run((0..2).map(member).collect())?;
    match run.ending {
        Ending::AllFinished { .. } => {}
        Ending::Failed { node, at, error } => return Err(failed!("{case:?}: node {node} at {at}: {error}")),
        other => return Err(failed!("{case:?}: {other:?}")),
    }
    if let Some(fault) = run.nodes.iter().flat_map(|node| &node.faults).next() {
        return Err(failed!("{case:?}: {fault}"));
    }
    let spans = spans(&run.nodes[1].log);
    if spans.len() != KINDS.len() * ALL {
        return Err(failed!("{case:?}: {} messages came to their end", spans.len()));
    }
    // The first of each kind finds no code in the instruction cache.
    let mean = |of: &[Ps]| of[1..].iter().map(|span| span.0 as f64).sum::<f64>() / MESSAGES as f64;
    let clocks_per_ps = platform.core.clock_hz as f64 / 1e12;
    Ok([0, 1, 2, 3].map(|kind| mean(&spans[kind * ALL..][..ALL]) * clocks_per_ps))
}

/// From each first frame that was taken to its receive that was found, or else to its refusal.
fn spans(log: &NodeLog) -> Vec<Ps> {
    let (mut spans, mut taken) = (Vec::new(), Ps::ZERO);
    for (at, marker, argument) in log.markers(Ps::ZERO, Ps::MAX) {
        // Messages have the numbers from 0 on. The first that are matched stand before the others.
        let is_refusal = marker == Marker::AckSent
            && spans.len() >= (KINDS.len() - 1) * ALL
            && (argument & 0xFFFF) as usize == spans.len();
        match marker {
            Marker::ReceiveBegin => taken = at,
            Marker::MessageMatched => spans.push(at - taken),
            _ if is_refusal => spans.push(at - taken),
            _ => {}
        }
    }
    spans
}

async fn whole(node: usize, handle: Handle, meeting: Meeting<u64>, firmware: Arc<Vec<u8>>, case: Case) -> Result<()> {
    handle.boot(&firmware).await.map_err(wrong)?;
    let process = handle.open_with::<Messages>("process").await.map_err(wrong)?;
    let room = process.alloc(PAGE_BYTES).map_err(wrong)?;
    process.lock(room, PAGE_BYTES).await.map_err(wrong)?;
    process.learn(room, PAGE_BYTES).await.map_err(wrong)?;
    let receive = |node, tag| process.receive(From { node, tag }, room, MESSAGE_BYTES);
    let mut first = Vec::new();
    if node == 1 {
        for _ in 0..ALL {
            first.push(receive(Some(0), Some(TAG_FIRST)).await.map_err(wrong)?);
        }
        for other in 0..case.others {
            let source = if case.is_mixed && other % 2 == 1 { None } else { Some(0) };
            receive(source, Some(OTHER_TAG + other as u16)).await.map_err(wrong)?;
        }
    }
    for tag in [TAG_FIRST, TAG_LAST, TAG_OPEN, TAG_NONE] {
        for turn in 0..ALL {
            let mut posted = None;
            if node == 1 {
                posted = match tag {
                    TAG_FIRST => Some(first.remove(0)),
                    TAG_LAST => Some(receive(Some(0), Some(tag)).await.map_err(wrong)?),
                    TAG_OPEN => Some(receive(None, None).await.map_err(wrong)?),
                    _ => None,
                };
            }
            meeting.exchange(&format!("posted {tag} {turn}"), 0).await;
            if node == 0 {
                let transfer = process.send(1, tag, room, MESSAGE_BYTES).await.map_err(wrong)?;
                if tag == TAG_NONE {
                    handle.sim().sleep_for(Ps::from_us(REFUSED_US)).await;
                    process.cancel(&transfer).await.map_err(wrong)?;
                    // It ends as one that was given up.
                    let _ = process.wait_message(&transfer).await;
                } else {
                    process.wait_message(&transfer).await.map_err(wrong)?;
                }
                process.free(transfer);
            }
            if let Some(transfer) = posted {
                process.wait_message(&transfer).await.map_err(wrong)?;
                process.free(transfer);
            }
            meeting.exchange(&format!("ended {tag} {turn}"), 0).await;
        }
    }
    process.close().await.map_err(wrong)?;
    meeting.exchange("end", 0).await;
    Ok(())
}

fn wrong(error: impl std::fmt::Display) -> Error {
    failed!("{error}")
}

/// `rows`: all numbers of others with the linear search, then with the hash.
fn report(rows: &[[f64; KINDS.len()]]) -> Report {
    let mut table = Table::new(
        format!("Clocks from the frame taken to the receive found on {PLATFORM}"),
        ["search", "others"].into_iter().chain(KINDS),
    );
    let mut series = Vec::new();
    for (search, rows) in SEARCHES.iter().zip(rows.chunks(OTHERS.len())) {
        for (others, row) in OTHERS.iter().zip(rows) {
            table.row([search.name().into(), (*others).into()].into_iter().chain(row.iter().map(|it| (*it).into())));
        }
        series.extend(KINDS.iter().enumerate().map(|(kind, name)| Series {
            name: format!("{}: {name}", search.name()),
            points: OTHERS.iter().zip(rows).map(|(others, row)| (f64::from(*others), row[kind])).collect(),
        }));
    }
    let chart = Chart::Lines { x: "posted receives that do not match".into(), y: "core clocks".into(), series };
    let picture = Picture { name: "clocks".into(), title: format!("Matching a message ({PLATFORM})"), chart };
    Report { tables: vec![table], pictures: vec![picture], findings: findings(rows), ..Report::default() }
}

fn findings(rows: &[[f64; KINDS.len()]]) -> Vec<Finding> {
    let (linear, hashed) = rows.split_at(OTHERS.len());
    let ends = |rows: &[[f64; KINDS.len()]], kind: usize| (rows[0][kind], rows[rows.len() - 1][kind]);
    let grows = |rows: &[[f64; KINDS.len()]], kind| ends(rows, kind).1 - ends(rows, kind).0;
    let many = f64::from(OTHERS[OTHERS.len() - 1]);
    vec![
        Finding::new(
            "E-44",
            "the linear search makes matching dearer, the more receives are posted",
            grows(linear, 1) > many && grows(linear, 3) > many,
            format!("clocks for each other receive: {}", digits(grows(linear, 1) / many)),
        ),
        Finding::new(
            "beyond",
            "with a hash, what is posted does not matter",
            (0..KINDS.len()).all(|kind| grows(hashed, kind) < 50.0),
            format!(
                "clocks more behind {many}: {}",
                (0..KINDS.len()).map(|kind| digits(grows(hashed, kind))).collect::<Vec<_>>().join(", ")
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_can_hold_and_can_fail() {
        let rows = |linear: f64, hashed: f64| -> Vec<[f64; 4]> {
            [linear, hashed]
                .iter()
                .flat_map(|entry| OTHERS.map(|others| [100.0 + entry * f64::from(others); 4]))
                .collect()
        };
        let holds = |rows: &[[f64; 4]]| findings(rows).iter().map(|it| it.holds).collect::<Vec<_>>();
        assert_eq!(holds(&rows(6.0, 0.0)), [true, true]);
        assert_eq!(holds(&rows(0.0, 6.0)), [false, false]);
    }

    #[test]
    fn the_search_walks_past_the_others_and_the_hash_does_not() {
        let [few, many] =
            [0, 40].map(|others| clocks(Case { search: Matching::Linear, others, is_mixed: false }).unwrap());
        assert!((few[0] - many[0]).abs() < 20.0 && many[1] > few[1] + 40.0 * 4.0, "{few:?} {many:?}");
        let [few, many] =
            [0, 40].map(|others| clocks(Case { search: Matching::Hashed, others, is_mixed: false }).unwrap());
        assert!(few.iter().zip(many).all(|(few, many)| (few - many).abs() < 60.0), "{few:?} {many:?}");
    }
}
