//! Eight processes on each of two nodes write at once, while they evict each other's lines from
//! both caches and frames are lost.
//!
//! Every byte must arrive once, in the order of its process. With fewer post queues than processes,
//! the processes also take the queues from each other (M-52).

use std::rc::Rc;

use host_model::address::UserVirt;
use host_model::executor::Task;
use host_model::library::{Export, Process, WriteError};
use nic_layout::counter::Counter;
use nic_layout::post::PostError;
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_fabric::{Corruption, Fault, Loss};

use crate::common::{count, job, receive, send, wrong, Bench, Member, SEED};

const PROCESSES: usize = 8;
/// Messages of each process, at most.
const MESSAGES: u32 = 4;
const OUTSTANDING: usize = 3;
const MESSAGE_BYTES_MAX: u32 = 5000;
const BUFFER_BYTES: u32 = 12 * 4096;
const BESIDE_BYTES: u32 = 4096;
const UNTOUCHED: u8 = 0xC3;

struct Planned {
    number: u32,
    bytes: u32,
    from: u32,
    to: u32,
}

/// The messages of a process. Both nodes draw the same plan from the seed.
fn plan(node: usize, process: usize, messages: u32) -> Vec<Planned> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    random.set_stream((node * PROCESSES + process) as u64);
    let mut below = |limit: u32| ((u64::from(random.next_u32()) * u64::from(limit)) >> 32) as u32;
    (0..messages)
        .map(|k| {
            let bytes = 1 + below(MESSAGE_BYTES_MAX);
            let number = (node as u32 * 100 + process as u32) * 100 + k + 1;
            Planned { number, bytes, from: k * 2 * 4096 + below(3000), to: below(BUFFER_BYTES - bytes + 1) }
        })
        .collect()
}

/// A process with its buffer. Behind the buffer lie bytes that no process may write.
struct Writer {
    process: Process,
    buffer: UserVirt,
}

impl Writer {
    async fn open(member: &Member) -> Result<(Writer, Export)> {
        let process = member.handle.open("writer").await.map_err(wrong)?;
        let buffer = process.alloc(BUFFER_BYTES + BESIDE_BYTES + 2 * MESSAGES * 4096).map_err(wrong)?;
        process.store(buffer, &vec![UNTOUCHED; (BUFFER_BYTES + BESIDE_BYTES) as usize]).map_err(wrong)?;
        let export = process.export(buffer, BUFFER_BYTES).await.map_err(wrong)?;
        Ok((Writer { process, buffer }, export))
    }

    async fn write(self: Rc<Self>, plan: Vec<Planned>, to: Export) -> Result<()> {
        let mut posted = std::collections::VecDeque::new();
        for message in plan {
            if posted.len() == OUTSTANDING {
                let oldest = posted.pop_front().expect("as many as that");
                self.process.wait(oldest).await.map_err(wrong)?;
            }
            let from = UserVirt(self.buffer.0 + BUFFER_BYTES + BESIDE_BYTES + message.from);
            self.process.store(from, &pattern(message.number, message.bytes)).map_err(wrong)?;
            let handle = self.process.write(from, message.bytes, &to, message.to, message.number);
            posted.push_back(handle.await.map_err(wrong)?);
        }
        for handle in posted {
            self.process.wait(handle).await.map_err(wrong)?;
        }
        Ok(())
    }

    /// Compares the whole buffer, and the bytes behind it, with a model of the peer's writes.
    fn compare(&self, plan: &[Planned]) -> Result<()> {
        let mut expected = vec![UNTOUCHED; (BUFFER_BYTES + BESIDE_BYTES) as usize];
        for message in plan {
            expected[message.to as usize..][..message.bytes as usize]
                .copy_from_slice(&pattern(message.number, message.bytes));
        }
        let found = self.process.load(self.buffer, BUFFER_BYTES + BESIDE_BYTES).map_err(wrong)?;
        if let Some(byte) = (0..found.len()).find(|&byte| found[byte] != expected[byte]) {
            let (pid, found, expected) = (self.process.pid().0, found[byte], expected[byte]);
            return Err(nicscope_scenario::failed!(
                "byte {byte:#x} of process {pid} is {found:#04x}, must be {expected:#04x}"
            ));
        }
        Ok(())
    }
}

async fn all_write(member: Member, messages: u32) -> Result<()> {
    let (mut writers, mut exports) = (Vec::new(), Vec::new());
    for _ in 0..PROCESSES {
        let (writer, export) = Writer::open(&member).await?;
        writers.push(Rc::new(writer));
        exports.push(export);
    }
    let theirs = member.meet("exports", exports).await;
    let spawn = |(n, writer): (usize, &Rc<Writer>)| {
        member.handle.sim().spawn("writer", writer.clone().write(plan(member.node, n, messages), theirs[n]))
    };
    let tasks: Vec<Task<Result<()>>> = writers.iter().enumerate().map(spawn).collect();
    for task in tasks {
        task.await?;
    }
    member.meet("written", Vec::new()).await;
    // A post ends when the peer's NIC has accepted its last frame. The bytes are in memory a little
    // later.
    member.sleep_us(100).await;
    writers.iter().enumerate().try_for_each(|(n, writer)| writer.compare(&plan(member.peer(), n, messages)))
}

fn run_with(queues: u32, messages: u32, faults: impl Fn() -> Vec<Box<dyn Fault>>) {
    let bench = Bench { faults: [faults(), faults()], post_queues: Some(queues), ..Bench::default() };
    let output =
        bench.run([job(move |member| all_write(member, messages)), job(move |member| all_write(member, messages))]);
    for node in 0..2 {
        let of = |counter| count(&output, node, counter);
        assert_eq!(of(Counter::PostsCompleted), u64::from(PROCESSES as u32 * messages));
        // All processes use the same addresses, which fall into the same sets. So lines are
        // evicted, and are fetched again if all processes post at the same time. The first miss of
        // a process may be one of either path: source and buffer lie in one line.
        let misses = [Counter::SendMisses, Counter::ReceiveMisses].map(of);
        let all_at_once = queues as usize == PROCESSES;
        assert!(misses[0] as usize > PROCESSES || !all_at_once, "{misses:?}");
        assert!((misses[0] + misses[1]) as usize >= PROCESSES, "{misses:?}");
        assert!(misses[1] > 0 || !all_at_once, "{misses:?}");
        assert_eq!(of(Counter::PeersLost), 0);
        let driver = output.nodes[node].accounting.driver;
        match queues as usize {
            PROCESSES => assert_eq!(driver.page_faults, 0),
            queues => assert!(driver.queues_taken as usize >= PROCESSES - queues, "{driver:?}"),
        }
    }
}

/// Runs with a queue for each process, and with fewer.
fn for_all_queues(messages: u32, faults: impl Fn() -> Vec<Box<dyn Fault>>) {
    for queues in [8, 3, 1] {
        run_with(queues, messages, &faults);
    }
}

fn bad_wire() -> Vec<Box<dyn Fault>> {
    vec![
        Box::new(Loss { name: "loss".into(), probability: 0.03 }),
        Box::new(Corruption { name: "corruption".into(), probability: 0.03, bytes: 2, offsets: Corruption::ANY_FRAME }),
    ]
}

#[test]
fn all_is_delivered_while_lines_push_each_other_out() {
    for_all_queues(2, Vec::new);
}

#[test]
fn all_is_delivered_while_frames_are_lost_and_damaged_too() {
    for_all_queues(MESSAGES, bad_wire);
}

#[test]
fn static_tables_have_a_queue_for_each_process_and_no_more() {
    async fn nine(member: Member) -> Result<()> {
        let mut open = Vec::new();
        for _ in 0..PROCESSES {
            open.push(member.handle.open("one of eight").await.map_err(wrong)?);
        }
        expect!(open.iter().all(|process| process.queue().is_some()), "each has its own");
        let ninth = member.handle.open("ninth").await.err().map(|error| error.to_string());
        expect!(ninth.as_deref() == Some("all 8 process slots of the node are taken"), "{ninth:?}");
        open[3].close().await.map_err(wrong)?;
        member.handle.open("ninth").await.map(|_| ()).map_err(wrong)
    }
    Bench { personality: "vmmc", ..Bench::default() }.run([job(nine), job(quiet)]);
}

async fn quiet(_: Member) -> Result<()> {
    Ok(())
}

#[test]
fn twenty_processes_and_no_more_share_two_queues() {
    async fn twenty(member: Member) -> Result<()> {
        let mut open = Vec::new();
        for _ in 0..20 {
            open.push(member.handle.open("one of twenty").await.map_err(wrong)?);
        }
        let late = member.handle.open("late").await.err().map(|error| error.to_string());
        expect!(late.as_deref() == Some("all 20 process slots of the node are taken"), "{late:?}");
        let theirs = member.meet("exports", Vec::new()).await[0];
        for (n, process) in open.iter().enumerate() {
            let from = process.alloc(4096).map_err(wrong)?;
            send(process, from, &theirs, 64 * n as u32, n as u32 + 1, 40).await?;
        }
        // In the reverse order only the first two still have their queues.
        for (n, process) in open.iter().enumerate().rev() {
            let from = process.alloc(4096).map_err(wrong)?;
            send(process, from, &theirs, 64 * n as u32, n as u32 + 101, 40).await?;
        }
        member.meet("sent", Vec::new()).await;
        Ok(())
    }
    async fn takes(member: Member) -> Result<()> {
        let process = member.handle.open("takes").await.map_err(wrong)?;
        let buffer = process.alloc(4096).map_err(wrong)?;
        let export = process.export(buffer, 4096).await.map_err(wrong)?;
        member.meet("exports", vec![export]).await;
        member.meet("sent", Vec::new()).await;
        for n in 0..20 {
            receive(&process, UserVirt(buffer.0 + 64 * n), n + 101, 40).await?;
        }
        Ok(())
    }
    let output = Bench { processes_max: 20, ..Bench::default() }.run([job(twenty), job(takes)]);
    let driver = output.nodes[0].accounting.driver;
    assert_eq!((driver.page_faults, driver.queues_taken, driver.queues_found_free), (36, 36, 0));
    assert_eq!(count(&output, 0, Counter::PostsCompleted), 40);
}

/// Exports a buffer of two pages.
async fn owner(member: Member) -> Result<()> {
    let process = member.handle.open("owner").await.map_err(wrong)?;
    let buffer = process.alloc(8192).map_err(wrong)?;
    let export = process.export(buffer, 8192).await.map_err(wrong)?;
    member.meet("exports", vec![export]).await;
    Ok(())
}

#[test]
fn errors_reach_a_process_whose_queue_is_taken_and_the_next_owner_sees_nothing() {
    async fn taken(member: Member) -> Result<()> {
        let (first, second) =
            (member.handle.open("first").await.map_err(wrong)?, member.handle.open("second").await.map_err(wrong)?);
        let theirs = member.meet("exports", Vec::new()).await[0];
        let wrong_key = Export { key: [theirs.key[0], !theirs.key[1], 0, 0], ..theirs };
        let from = first.alloc(8192).map_err(wrong)?;
        let mut posted = Vec::new();
        for n in 0..6 {
            let to = if n % 2 == 0 { &wrong_key } else { &theirs };
            // The write misses, has several frames, and the owner refuses every other one.
            posted.push(first.write(from, 6000, to, 0, n).await.map_err(wrong)?);
        }
        let mut found = 0;
        for offset in (0..4096).step_by(4) {
            let word = second.peek_raw(offset).await.map_err(wrong)?.map_err(wrong)?;
            found += u32::from(word != 0);
        }
        expect!(found == 0 && first.queue().is_none(), "{found} words of the first process");
        // All posts had ended before, three of them with errors. The library cannot tell apart
        // posts that end between two of its polls.
        let mut bad = 0;
        for handle in posted {
            bad += u32::from(first.wait(handle).await.is_err());
        }
        expect!(first.status().refused == 3 && bad >= 3, "{:?}, {bad}", first.status());
        // The index of the next error is right, although the queue has changed its process twice.
        let handle = first.write(from, 64, &wrong_key, 0, 9).await.map_err(wrong)?;
        let end = first.wait(handle).await;
        let refused = Err(WriteError::Refused { index: 6, error: PostError::Refused as u32 });
        expect!(handle.index == 6 && end == refused, "{end:?}");
        Ok(())
    }
    let output = Bench { post_queues: Some(1), ..Bench::default() }.run([job(taken), job(owner)]);
    assert_eq!(output.nodes[0].accounting.driver.queues_taken, 2);
}

#[test]
fn processes_that_end_while_queues_change_hands_leave_them_to_others() {
    async fn ends(member: Member) -> Result<()> {
        let theirs = member.meet("exports", Vec::new()).await[0];
        for round in 0..12_u32 {
            let mut open = Vec::new();
            for n in 0..4 {
                let process = member.handle.open("short").await.map_err(wrong)?;
                let from = process.alloc(8192).map_err(wrong)?;
                let poster = process.clone();
                let task = member.handle.sim().spawn("posts", async move {
                    for k in 0..4 {
                        if poster.write(from, 600, &theirs, 0, 100 * n + k).await.is_err() {
                            return;
                        }
                    }
                });
                open.push((process, task));
            }
            member.sleep_us(u64::from(43 * round)).await;
            // In turn: the owner of the queue, the process that takes it, and the waiting
            // processes.
            for n in 0..4 {
                let (process, task) = &open[((n + round) % 4) as usize];
                task.abort();
                process.close().await.map_err(wrong)?;
            }
            expect!(member.handle.driver().free_post_queues() == 1, "round {round}");
        }
        Ok(())
    }
    let output = Bench { post_queues: Some(1), ..Bench::default() }.run([job(ends), job(owner)]);
    let driver = output.nodes[0].accounting.driver;
    assert!(driver.queues_taken > 0 && driver.page_faults_given_up > 0 && driver.queues_found_free > 0, "{driver:?}");
}
