//! The set-up of a connection (M-3, M-4, M-48): a buffer is exported and published, its key is sent
//! to the importer over the management network, the importer connects, and the first word is
//! written.

use std::sync::Arc;

use host_management::Importers;
use host_model::address::{NodeId, UserVirt};
use host_model::driver::DriverOptions;
use host_model::library::{Access, Export, Process};
use host_model::platform::Platform;
use serde_json::{json, Value};
use sim_fabric::Ending;
use sim_pins::Ps;

use super::setting::{CACHE, COMPARED, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Bar, Chart, Finding, Group, Picture, Report, Table};
use crate::engine::{work, Experiment, Measure};
use nicscope_run::assembly::{Assembly, Member};
use nicscope_run::meeting::Meeting;
use nicscope_run::node::Handle;
use nicscope_run::run::DEFAULT_SEED;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::{failed, image};

pub const CONNECT: Experiment = Experiment {
    id: "mini.connect",
    title: "set-up of a connection: export, key to the importer, connect, first word (M-48)",
    thesis: "no times; the base pins every page when a buffer is registered, and its NIC sets the connection up",
    parameters,
    images: || COMPARED.map(|personality| (personality, nic_layout::vmh::VmhGeometry::RECOMMENDED)).to_vec(),
    note: None,
    measure: Measure::Report(measure),
};

/// Pages of the exported buffers, one connection for each. The warm-up has a buffer of its own.
const PAGES: [u32; 3] = [1, 16, 128];
const PAGE_BYTES: u32 = 4096;
const WORD_BYTES: u32 = 4;
/// The nodes of a connection.
const IMPORTER: NodeId = NodeId(0);
const OWNER: usize = 1;
const LATENCY: Ps = Ps::from_ns(400);
const WATCHDOG: Ps = Ps::from_us(400_000);

fn parameters() -> Value {
    json!({
        "platform": PLATFORM, "cache": CACHE, "personalities": COMPARED, "pages": PAGES, "word_bytes": WORD_BYTES,
        "key_bits": 64,
    })
}

/// The steps of one connection, in us.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Steps {
    /// The owner registers the buffer and publishes it at its daemon.
    export_us: f64,
    /// The importer asks its daemon, and has the handle and the key.
    key_us: f64,
    /// The importer connects to the buffer.
    connect_us: f64,
    /// The first word, from its post to its acknowledgement.
    first_us: f64,
    /// The second word.
    second_us: f64,
}

impl Steps {
    /// From the export until a word takes what every later word takes.
    fn set_up_us(&self) -> f64 {
        self.export_us + self.key_us + self.connect_us + self.first_us - self.second_us
    }
}

fn measure(jobs: usize) -> Result<Report> {
    let rows = work::each(CONNECT.id, jobs, &COMPARED, |personality| run(personality))?;
    Ok(report(&rows))
}

/// All connections with one personality, in the order of [`PAGES`].
fn run(personality: &str) -> Result<Vec<Steps>> {
    let platform = Platform::load(PLATFORM).map_err(|error| failed!("{error}"))?;
    let firmware = Arc::new(image::read(&image::build(personality, CACHE.geometry()?)?, &platform)?);
    let member = |index| {
        let driver = DriverOptions::new(NodeId(index as u16), 2, DEFAULT_SEED);
        let firmware = firmware.clone();
        Member::new(driver, move |handle, meeting| whole(handle, meeting, firmware))
    };
    let assembly = Assembly::cable(&platform, LATENCY, DEFAULT_SEED, 1, WATCHDOG);
    let run = assembly.run((0..2).map(member).collect())?;
    if let Ending::Failed { node, at, error } = run.ending {
        return Err(failed!("{personality}: node {node} at {at}: {error}"));
    }
    if let Some(fault) = run.nodes.iter().flat_map(|node| &node.faults).next() {
        return Err(failed!("{personality}: {fault}"));
    }
    let outcomes: Option<Vec<Vec<Steps>>> = run.nodes.into_iter().map(|node| node.outcome).collect();
    let outcomes = outcomes.ok_or_else(|| failed!("{personality}: the connections were not set up"))?;
    // Each node has measured its own steps.
    let whole = |(importer, owner): (&Steps, &Steps)| Steps { export_us: owner.export_us, ..*importer };
    Ok(outcomes[0].iter().zip(&outcomes[1]).map(whole).collect())
}

/// Node 1 owns the buffers, node 0 connects to them and writes. The first connection is a warm-up:
/// it finds what the first post of a process finds.
async fn whole(handle: Handle, meeting: Meeting<Export>, firmware: Arc<Vec<u8>>) -> Result<Vec<Steps>> {
    handle.boot(&firmware).await.map_err(wrong)?;
    let process = handle.open("process").await.map_err(wrong)?;
    let mut found = Vec::new();
    for (connection, pages) in [1].into_iter().chain(PAGES).enumerate() {
        let memory = process.alloc(pages * PAGE_BYTES).map_err(wrong)?;
        let end = Connection { handle: &handle, process: &process, meeting: &meeting, name: connection.to_string() };
        found.push(match handle.id() {
            IMPORTER => end.import(memory).await?,
            _ => end.export(memory, pages).await?,
        });
    }
    Ok(found.split_off(1))
}

/// One end of a connection.
struct Connection<'a> {
    handle: &'a Handle,
    process: &'a Process,
    meeting: &'a Meeting<Export>,
    /// The buffer is published under this name.
    name: String,
}

impl Connection<'_> {
    async fn export(self, memory: UserVirt, pages: u32) -> Result<Steps> {
        let daemon = self.meeting.daemon();
        let buffer = (memory, pages * PAGE_BYTES);
        let begin = self.now();
        daemon.export(self.process, &self.name, buffer, Access::WRITE, Importers::All).await.map_err(wrong)?;
        let export_us = self.us_since(begin);
        daemon.barrier(&self.name).await;
        daemon.barrier("used").await;
        Ok(Steps { export_us, ..Steps::default() })
    }

    async fn import(self, memory: UserVirt) -> Result<Steps> {
        let daemon = self.meeting.daemon();
        self.process.register(memory, PAGE_BYTES).await.map_err(wrong)?;
        daemon.barrier(&self.name).await;
        let begin = self.now();
        let pid = Some(self.process.pid().0);
        let export: Export = daemon.lookup_as(pid, OWNER, &self.name).await.map_err(wrong)?.into();
        let key_us = self.us_since(begin);
        let begin = self.now();
        self.process.connect(&export).await.map_err(wrong)?;
        let connect_us = self.us_since(begin);
        let first_us = self.word(memory, &export).await?;
        let second_us = self.word(memory, &export).await?;
        daemon.barrier("used").await;
        Ok(Steps { export_us: 0.0, key_us, connect_us, first_us, second_us })
    }

    /// A word from its post to its acknowledgement.
    async fn word(&self, from: UserVirt, to: &Export) -> Result<f64> {
        let begin = self.now();
        let post = self.process.write(from, WORD_BYTES, to, 0, 0).await.map_err(wrong)?;
        self.process.wait(post).await.map_err(wrong)?;
        Ok(self.us_since(begin))
    }

    fn now(&self) -> Ps {
        self.handle.sim().now()
    }

    fn us_since(&self, begin: Ps) -> f64 {
        (self.now() - begin).0 as f64 / 1e6
    }
}

fn wrong(error: impl std::fmt::Display) -> Error {
    failed!("{error}")
}

/// `rows` in the order of [`COMPARED`], each row in the order of [`PAGES`].
fn report(rows: &[Vec<Steps>]) -> Report {
    let columns = ["firmware", "pages", "export", "key", "connect", "first word", "second word", "set-up"];
    let title = format!("Set-up of a connection on {PLATFORM}, management network of 100 Mb/s, us");
    let mut table = Table::new(title, columns);
    let mut groups = Vec::new();
    for (personality, row) in COMPARED.into_iter().zip(rows) {
        let mut bars = Vec::new();
        for (pages, steps) in PAGES.into_iter().zip(row) {
            let Steps { export_us, key_us, connect_us, first_us, second_us } = *steps;
            let set_up_us = steps.set_up_us();
            let times = [export_us, key_us, connect_us, first_us, second_us, set_up_us];
            table.row([personality.into(), pages.into()].into_iter().chain(times.map(Into::into)));
            bars.push(Bar {
                name: pages.to_string(),
                values: vec![export_us, key_us, connect_us, first_us - second_us],
            });
        }
        groups.push(Group { name: personality.into(), bars });
    }
    let parts = ["export", "key to the importer", "connect", "first word beyond the second"];
    let picture = Picture {
        name: "steps".into(),
        title: format!("Set-up of a connection, by pages of the buffer ({PLATFORM})"),
        chart: Chart::Stacks { y: "us".into(), parts: parts.map(Into::into).to_vec(), groups },
    };
    Report { tables: vec![table], pictures: vec![picture], findings: findings(rows), ..Report::default() }
}

/// The share by which the times of one step may differ, since turns of the firmware fall otherwise.
const SMALL: f64 = 0.05;

fn findings(rows: &[Vec<Steps>]) -> Vec<Finding> {
    let (caches, tables) = (&rows[0], &rows[1]);
    let smallest_and_largest = |row: &[Steps], of: fn(&Steps) -> f64| (of(&row[0]), of(row.last().expect("has rows")));
    let (small, large) = smallest_and_largest(tables, |steps| steps.export_us);
    let (cached_small, cached_large) = smallest_and_largest(caches, |steps| steps.export_us);
    let (connect, connect_tables) = (caches[0].connect_us, tables[0].connect_us);
    let (key_small, key_large) = smallest_and_largest(caches, |steps| steps.key_us);
    let first = caches[0].first_us - caches[0].second_us;
    let first_tables = tables[0].first_us - tables[0].second_us;
    let pages = PAGES[PAGES.len() - 1];
    vec![
        Finding::new(
            "M-3",
            "the base pins all pages of a buffer when it is registered; with caches nothing is pinned until it is used",
            large > 2.0 * small && cached_large < (1.0 + SMALL) * cached_small,
            format!(
                "an export of 1 and {pages} pages takes {} and {} us in the base, {} and {} with caches",
                digits(small),
                digits(large),
                digits(cached_small),
                digits(cached_large)
            ),
        ),
        Finding::new(
            "M-4",
            "the NIC of the base sets the connection up with the remote side; with caches no NIC takes part",
            connect < connect_tables,
            format!("connecting takes {} us in the base, {} with caches", digits(connect_tables), digits(connect)),
        ),
        Finding::new(
            "M-48",
            "the key is sent when the connection is set up, whatever the size of the buffer",
            (key_large - key_small).abs() < SMALL * key_small,
            format!("request and reply take {} us for 1 page, {} for {pages}", digits(key_small), digits(key_large)),
        )
        .by_construction("one message of the management network carries handle and key"),
        Finding::new(
            "M-20",
            "with caches the first write to a buffer pays for what the base does at registration",
            first > 0.0 && first > first_tables,
            format!(
                "the first word takes {} us more than the second, {} in the base",
                digits(first),
                digits(first_tables)
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(large_export_us: [f64; 2], connect_us: f64, key_us: f64, first_us: f64) -> Vec<Vec<Steps>> {
        let steps =
            |export_us, connect_us, first_us| Steps { export_us, key_us: 180.0, connect_us, first_us, second_us: 10.0 };
        let row = |large, connect_us, first_us| {
            let mut row = vec![steps(30.0, connect_us, first_us); PAGES.len()];
            row.last_mut().unwrap().export_us = large;
            row
        };
        let mut rows = vec![row(large_export_us[0], connect_us, first_us), row(large_export_us[1], 80.0, 10.0)];
        rows[0].last_mut().unwrap().key_us = key_us;
        rows
    }

    fn holds(rows: &[Vec<Steps>]) -> Vec<bool> {
        findings(rows).iter().map(|finding| finding.holds).collect()
    }

    #[test]
    fn each_statement_can_fail() {
        assert_eq!(holds(&rows([30.0, 300.0], 8.0, 180.0, 500.0)), [true; 4]);
        assert_eq!(holds(&rows([90.0, 300.0], 8.0, 180.0, 500.0)), [false, true, true, true]);
        assert_eq!(holds(&rows([30.0, 31.0], 8.0, 180.0, 500.0)), [false, true, true, true]);
        assert_eq!(holds(&rows([30.0, 300.0], 90.0, 180.0, 500.0)), [true, false, true, true]);
        assert_eq!(holds(&rows([30.0, 300.0], 8.0, 200.0, 500.0)), [true, true, false, true]);
        assert_eq!(holds(&rows([30.0, 300.0], 8.0, 180.0, 10.0)), [true, true, true, false]);
    }

    #[test]
    fn a_connection_is_set_up_when_words_take_what_they_always_take() {
        let steps = Steps { export_us: 1.0, key_us: 20.0, connect_us: 300.0, first_us: 4000.0, second_us: 2.0 };
        assert_eq!(steps.set_up_us(), 4319.0);
    }

    #[test]
    fn the_base_pins_at_registration_and_the_caches_pay_at_the_first_write() {
        let rows: Vec<Vec<Steps>> = COMPARED.iter().map(|personality| run(personality).expect("it runs")).collect();
        assert!(findings(&rows).iter().all(|finding| finding.holds), "{rows:?}");
        assert_eq!(rows[0], run(COMPARED[0]).expect("it runs"));
    }
}
