//! What it costs that processes share post queues (M-52): words of eight processes, posted in
//! turns, with fewer queues and with one for each.

use std::sync::Arc;

use host_model::address::{NodeId, UserVirt};
use host_model::driver::DriverOptions;
use host_model::library::{Export, Process};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{json, Value};
use sim_fabric::Ending;
use sim_pins::Ps;

use super::setting::{CACHE, PERSONALITY, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Bar, Chart, Finding, Group, Picture, Report, Table};
use crate::engine::{work, Experiment, Measure};
use nicscope_run::assembly::{Assembly, Member};
use nicscope_run::meeting::Meeting;
use nicscope_run::node::Handle;
use nicscope_run::run::DEFAULT_SEED;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::{failed, image};

pub const QUEUES: Experiment = Experiment {
    id: "mini.queues",
    title: "what a word takes when processes share post queues that are mapped on demand (M-52)",
    thesis: "Section 5: proposed and not built; little is lost where few processes are active",
    parameters,
    images: || vec![(PERSONALITY, nic_layout::vmh::VmhGeometry::RECOMMENDED)],
    note: None,
    measure: Measure::Report(measure),
};

const PROCESSES: usize = 8;
/// The last has one for each process: what the others are compared with.
const QUEUES_OF_A_NIC: [u32; 4] = [1, 2, 4, 8];
/// Words of each order. A process posts a word when the word before it has been acknowledged,
/// whichever process posted that word.
const WORDS: usize = 40;
const WORD_BYTES: u32 = 4;
const LATENCY: Ps = Ps::from_ns(400);
const WATCHDOG: Ps = Ps::from_us(400_000);

/// The order in which processes post.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Order {
    name: &'static str,
    /// Processes that post.
    active: usize,
    /// In turn, or drawn.
    in_turn: bool,
}

const ORDERS: [Order; 5] = [
    Order { name: "one", active: 1, in_turn: true },
    Order { name: "two in turn", active: 2, in_turn: true },
    Order { name: "four in turn", active: 4, in_turn: true },
    Order { name: "eight in turn", active: 8, in_turn: true },
    Order { name: "eight at random", active: 8, in_turn: false },
];

impl Order {
    fn processes(self) -> Vec<usize> {
        let mut random = ChaCha8Rng::seed_from_u64(DEFAULT_SEED);
        let mut draw = |n: usize| match self.in_turn {
            true => n % self.active,
            false => random.next_u32() as usize % self.active,
        };
        (0..WORDS).map(&mut draw).collect()
    }
}

fn parameters() -> Value {
    json!({
        "platform": PLATFORM, "cache": CACHE, "personality": PERSONALITY, "processes": PROCESSES, "queues": QUEUES_OF_A_NIC,
        "words": WORDS, "word_bytes": WORD_BYTES, "orders": ORDERS.map(|order| order.name),
    })
}

/// Words of one order: from the post until it is acknowledged, those whose process had its queue,
/// and those whose process took a page fault first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Words {
    mean_us: f64,
    mapped_us: f64,
    fault_us: f64,
    faults: usize,
}

fn words(times: &[(bool, Ps)]) -> Words {
    let mean = |wanted: &dyn Fn(bool) -> bool| {
        let chosen: Vec<f64> =
            times.iter().filter(|(fault, _)| wanted(*fault)).map(|(_, ps)| ps.0 as f64 / 1e6).collect();
        (chosen.len(), chosen.iter().sum::<f64>() / chosen.len() as f64)
    };
    let (faults, fault_us) = mean(&|fault| fault);
    Words { mean_us: mean(&|_| true).1, mapped_us: mean(&|fault| !fault).1, fault_us, faults }
}

fn measure(jobs: usize) -> Result<Report> {
    let geometry = CACHE.geometry()?;
    let platform = host_model::platform::Platform::load(PLATFORM).map_err(|error| failed!("{error}"))?;
    let firmware = Arc::new(image::read(&image::build(PERSONALITY, geometry)?, &platform)?);
    let rows = work::each(QUEUES.id, jobs, &QUEUES_OF_A_NIC, |queues| run(*queues, &platform, &firmware))?;
    Ok(report(&rows))
}

/// All orders with so many queues.
fn run(queues: u32, platform: &host_model::platform::Platform, firmware: &Arc<Vec<u8>>) -> Result<Vec<Words>> {
    let member = |index| {
        let driver =
            DriverOptions { post_queues: Some(queues), ..DriverOptions::new(NodeId(index as u16), 2, DEFAULT_SEED) };
        let firmware = firmware.clone();
        Member::new(driver, move |handle, meeting| whole(index, handle, meeting, firmware))
    };
    let assembly = Assembly::cable(platform, LATENCY, DEFAULT_SEED, 1, WATCHDOG);
    let run = assembly.run((0..2).map(member).collect())?;
    if let Ending::Failed { node, at, error } = run.ending {
        return Err(failed!("{queues} queues: node {node} at {at}: {error}"));
    }
    let nodes = run.nodes;
    if let Some(fault) = nodes.iter().flat_map(|node| &node.faults).next() {
        return Err(failed!("{queues} queues: {fault}"));
    }
    let outcome = nodes.into_iter().next().and_then(|node| node.outcome);
    let times = outcome.ok_or_else(|| failed!("{queues} queues: the words did not end"))?;
    Ok(times.iter().map(|times| words(times)).collect())
}

type Times = Vec<(bool, Ps)>;

/// Node 0 posts; node 1 has the buffer.
async fn whole(
    node: usize,
    handle: Handle,
    meeting: Meeting<Vec<Export>>,
    firmware: Arc<Vec<u8>>,
) -> Result<Vec<Times>> {
    handle.boot(&firmware).await.map_err(wrong)?;
    let mut processes = Vec::new();
    for _ in 0..if node == 0 { PROCESSES } else { 1 } {
        let process = handle.open("process").await.map_err(wrong)?;
        let memory = process.alloc(4096).map_err(wrong)?;
        processes.push((process, memory));
    }
    let (process, memory) = &processes[0];
    let export = process.export(*memory, 4096).await.map_err(wrong)?;
    // Node 1 has the buffer.
    let theirs = meeting.exchange("exports", vec![export]).await[1][0];
    let mut times = Vec::new();
    if node == 0 {
        // Everything that can miss has missed before.
        for (process, memory) in &processes {
            word(&handle, process, *memory, &theirs).await?;
        }
        for order in ORDERS {
            let mut of_order = Vec::new();
            let order = order.processes();
            // The first words find what the order before has left.
            for (n, process) in order.iter().cycle().take(PROCESSES + WORDS).enumerate() {
                let (process, memory) = &processes[*process];
                let time = word(&handle, process, *memory, &theirs).await?;
                if n >= PROCESSES {
                    of_order.push(time);
                }
            }
            times.push(of_order);
        }
    }
    meeting.exchange("end", Vec::new()).await;
    Ok(times)
}

/// One word to the buffer and its acknowledgement: whether its process had no queue, and how long
/// it took.
async fn word(handle: &Handle, process: &Process, from: UserVirt, to: &Export) -> Result<(bool, Ps)> {
    let is_fault = process.queue().is_none();
    let begin = handle.sim().now();
    let post = process.write(from, WORD_BYTES, to, 0, 0).await.map_err(wrong)?;
    process.wait(post).await.map_err(wrong)?;
    Ok((is_fault, handle.sim().now() - begin))
}

fn wrong(error: impl std::fmt::Display) -> Error {
    failed!("{error}")
}

/// `rows` in the order of [`QUEUES_OF_A_NIC`], each row in the order of [`ORDERS`].
fn report(rows: &[Vec<Words>]) -> Report {
    let columns = ["processes that post", "queues", "page faults", "without a fault", "with one", "mean of all"];
    let title = format!(
        "A word from its post to its acknowledgement on {PLATFORM}, {WORDS} words of {PROCESSES} processes, us"
    );
    let mut table = Table::new(title, columns);
    let mut groups = Vec::new();
    let or_none = |count: usize, value: f64| if count == 0 { "-".into() } else { value.into() };
    for (index, order) in ORDERS.iter().enumerate() {
        let mut bars = Vec::new();
        for (queues, row) in QUEUES_OF_A_NIC.into_iter().zip(rows) {
            let words = row[index];
            table.row([
                order.name.into(),
                queues.into(),
                (words.faults as u32).into(),
                or_none(WORDS - words.faults, words.mapped_us),
                or_none(words.faults, words.fault_us),
                words.mean_us.into(),
            ]);
            bars.push(Bar { name: queues.to_string(), values: vec![words.mean_us] });
        }
        groups.push(Group { name: order.name.into(), bars });
    }
    let picture = Picture {
        name: "words".into(),
        title: format!("Words of processes that share post queues ({PLATFORM})"),
        chart: Chart::Stacks {
            y: "post to acknowledgement, us".into(),
            parts: vec!["mean of all words".into()],
            groups,
        },
    };
    Report { tables: vec![table], pictures: vec![picture], findings: findings(rows), ..Report::default() }
}

/// What may differ without a fault: turns of the firmware that fall otherwise.
const SMALL: f64 = 0.02;

fn findings(rows: &[Vec<Words>]) -> Vec<Finding> {
    let own = rows.last().expect("there are rows");
    let mut few = Vec::new();
    let mut many = Vec::new();
    for (queues, row) in QUEUES_OF_A_NIC.into_iter().zip(rows) {
        for (index, order) in ORDERS.iter().enumerate() {
            let (words, own) = (row[index], own[index]);
            match order.active <= queues as usize {
                true => few.push((words.faults, words.mean_us / own.mean_us - 1.0)),
                false => many.push((words.faults, words.fault_us - own.mean_us)),
            }
        }
    }
    let largest = few.iter().map(|(_, loss)| loss.abs()).fold(0.0, f64::max);
    let added: Vec<f64> = many.iter().map(|(_, added)| *added).collect();
    let (least, most) = (added.iter().copied().fold(f64::MAX, f64::min), added.iter().copied().fold(0.0, f64::max));
    vec![
        Finding::new(
            "M-52",
            "while no more processes post than there are queues, nobody takes a fault and nothing is lost",
            few.iter().all(|(faults, loss)| *faults == 0 && loss.abs() < SMALL),
            format!("at most {} % from the mean with a queue for each", digits(100.0 * largest)),
        ),
        Finding::new(
            "M-52",
            "beyond that a word that finds no queue waits for its page",
            many.iter().all(|(faults, added)| *faults > 0 && *added > 0.0),
            format!("a fault adds {} to {} us", digits(least), digits(most)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With so many queues: a word takes so long, and where more processes post, some take a fault.
    fn rows(few: (usize, f64), many: (usize, f64)) -> Vec<Vec<Words>> {
        let row = |queues: u32| {
            let words = |order: &Order| match order.active <= queues as usize {
                true if queues == 8 => Words { mean_us: 10.0, mapped_us: 10.0, fault_us: f64::NAN, faults: 0 },
                true => Words { mean_us: few.1, mapped_us: few.1, fault_us: f64::NAN, faults: few.0 },
                false => Words { mean_us: many.1, mapped_us: 10.0, fault_us: many.1, faults: many.0 },
            };
            ORDERS.iter().map(words).collect()
        };
        QUEUES_OF_A_NIC.into_iter().map(row).collect()
    }

    fn holds(rows: &[Vec<Words>]) -> Vec<bool> {
        findings(rows).iter().map(|finding| finding.holds).collect()
    }

    #[test]
    fn each_statement_can_fail() {
        assert_eq!(holds(&rows((0, 10.1), (40, 90.0))), [true, true]);
        assert_eq!(holds(&rows((1, 10.1), (40, 90.0))), [false, true]);
        assert_eq!(holds(&rows((0, 12.0), (40, 90.0))), [false, true]);
        assert_eq!(holds(&rows((0, 10.1), (0, 10.0))), [true, false]);
        assert_eq!(holds(&rows((0, 10.1), (40, 9.0))), [true, false]);
    }

    #[test]
    fn means_are_of_words_with_a_fault_and_of_those_without() {
        let words = words(&[(false, Ps::from_us(4)), (true, Ps::from_us(60)), (false, Ps::from_us(8))]);
        assert_eq!(words, Words { mean_us: 24.0, mapped_us: 6.0, fault_us: 60.0, faults: 1 });
    }
}
