//! Eight processes on each of two nodes write at once, while their lines push each other out of both caches and frames are lost: every byte
//! arrives, once, in the order of each process.

mod common;

use std::rc::Rc;

use common::{count, job, wrong, Bench, Member};
use host_model::address::UserVirt;
use host_model::executor::Task;
use host_model::library::{Export, Process};
use nic_layout::counter::Counter;
use nicscope::error::Result;
use nicscope::workload::app::pattern;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_fabric::{Corruption, Fault, Loss};

const PROCESSES: usize = 8;
/// Of each process, at most.
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

/// What a process sends: both nodes draw it from the seed.
fn plan(node: usize, process: usize, messages: u32) -> Vec<Planned> {
    let mut random = ChaCha8Rng::seed_from_u64(common::SEED);
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

/// A process with its buffer and, behind it, bytes that nobody may write.
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

    /// Compares the whole buffer, and what is beside it, with what the peer's writes make of it.
    fn compare(&self, plan: &[Planned]) -> Result<()> {
        let mut expected = vec![UNTOUCHED; (BUFFER_BYTES + BESIDE_BYTES) as usize];
        for message in plan {
            expected[message.to as usize..][..message.bytes as usize]
                .copy_from_slice(&pattern(message.number, message.bytes));
        }
        let found = self.process.load(self.buffer, BUFFER_BYTES + BESIDE_BYTES).map_err(wrong)?;
        if let Some(byte) = (0..found.len()).find(|&byte| found[byte] != expected[byte]) {
            let (pid, found, expected) = (self.process.pid().0, found[byte], expected[byte]);
            return Err(nicscope::failed!("byte {byte:#x} of process {pid} is {found:#04x}, must be {expected:#04x}"));
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
    // A post ends when the peer's NIC has taken its last frame; the bytes are in memory a little later.
    member.sleep_us(100).await;
    writers.iter().enumerate().try_for_each(|(n, writer)| writer.compare(&plan(member.peer(), n, messages)))
}

fn run_with(messages: u32, faults: impl Fn() -> Vec<Box<dyn Fault>>) {
    let bench = Bench { faults: [faults(), faults()], ..Bench::default() };
    let output =
        bench.run([job(move |member| all_write(member, messages)), job(move |member| all_write(member, messages))]);
    for node in 0..2 {
        let of = |counter| count(&output, node, counter);
        assert_eq!(of(Counter::PostsCompleted), u64::from(PROCESSES as u32 * messages));
        // The same addresses in each process fall into the same sets, so lines are pushed out and come back.
        assert!(of(Counter::SendMisses) as usize > PROCESSES, "{} misses", of(Counter::SendMisses));
        assert!(of(Counter::ReceiveMisses) > 0);
        assert_eq!(of(Counter::PeersLost), 0);
    }
}

#[test]
fn all_is_delivered_while_lines_push_each_other_out() {
    run_with(2, Vec::new);
}

#[test]
fn all_is_delivered_while_frames_are_lost_and_damaged_too() {
    run_with(MESSAGES, || {
        vec![
            Box::new(Loss { name: "loss".into(), probability: 0.03 }),
            Box::new(Corruption {
                name: "corruption".into(),
                probability: 0.03,
                bytes: 2,
                offsets: Corruption::ANY_FRAME,
            }),
        ]
    });
}

#[test]
fn a_ninth_process_is_told_that_all_slots_are_taken() {
    async fn nine(member: Member) -> Result<()> {
        let mut open = Vec::new();
        for _ in 0..PROCESSES {
            open.push(member.handle.open("one of eight").await.map_err(wrong)?);
        }
        let ninth = member.handle.open("ninth").await.err().map(|error| error.to_string());
        expect!(ninth.as_deref() == Some("all 8 process slots of the NIC are taken"), "{ninth:?}");
        open[3].close().await.map_err(wrong)?;
        member.handle.open("ninth").await.map(|_| ()).map_err(wrong)
    }
    async fn quiet(_: Member) -> Result<()> {
        Ok(())
    }
    Bench::default().run([job(nine), job(quiet)]);
}
