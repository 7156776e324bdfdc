//! The claims of a node about its frames and posts, compared with the bytes on the link and with
//! the peer: only described bytes leave (INV-25), and a good end implies acceptance (INV-28).

use std::collections::BTreeSet;

use host_model::address::UserVirt;
use host_model::library::{Access, Export, WriteError};
use nic_layout::trace::{parse, Marker};
use nicscope_account::log::NodeLog;
use nicscope_run::cluster::ClusterOutput;
use nicscope_run::workload::app::pattern;
use nicscope_run::{acceptance, leaks};
use nicscope_scenario::error::Result;
use sim_fabric::{Fault, Loss};

use crate::common::{job, wrong, Bench, Member};

/// Messages that node 0 writes: number, offset in the buffer, bytes.
const WRITES: [(u32, u32, u32); 8] = [
    (1, 0, 1),
    (2, 9, 4),
    (3, 100, 33),
    (4, 1000, 512),
    (5, 2001, 513),
    (6, 3003, 1464),
    (7, 4095, 4098),
    (8, 8192, 6001),
];
/// A write with a wrong key: its data leave, and the owner refuses it.
const REFUSED: (u32, u32, u32) = (60, 77, 1300);
/// A post that describes 8 bytes more than the buffer of the message has.
const LEAKING: (u32, u32, u32) = (70, 500, 100);
/// The read that node 0 makes of node 1: number, offset in the buffer, bytes.
const READ: (u32, u32, u32) = (50, 20_001, 3001);

const BUFFER_BYTES: u32 = 8 * 4096;
/// The value of every byte that no post describes.
const POISON: u8 = 0xA5;

fn poisoned(bytes: u32) -> Vec<u8> {
    vec![POISON; bytes as usize]
}

/// The bytes that a message may carry, by their place in the remote buffer, or in what a read asks
/// for.
fn described(message: u32, offset: u32, length: usize) -> Option<Vec<u8>> {
    let writes = WRITES.into_iter().chain([REFUSED, LEAKING]);
    let (number, start, bytes) = writes.chain([(READ.0, 0, READ.2)]).find(|(number, ..)| *number == message)?;
    let from = offset.checked_sub(start)? as usize;
    pattern(number, bytes).get(from..from + length).map(<[u8]>::to_vec)
}

async fn writer(member: Member, leaks: bool) -> Result<()> {
    let process = member.handle.open("writer").await.map_err(wrong)?;
    let memory = process.alloc(BUFFER_BYTES).map_err(wrong)?;
    process.register(memory, BUFFER_BYTES).await.map_err(wrong)?;
    let export = member.meet("exports", Vec::new()).await[0];
    process.connect(&export).await.map_err(wrong)?;
    let no_key = Export { key: export.key.map(|word| !word), ..export };
    process.import(&no_key).await.map_err(wrong)?;
    let refused = std::iter::once((REFUSED, no_key, 0));
    let leaking = leaks.then_some((LEAKING, export, 8));
    let writes = WRITES.map(|write| (write, export, 0)).into_iter().chain(refused).chain(leaking);
    for ((number, offset, bytes), target, more) in writes {
        process.store(memory, &poisoned(BUFFER_BYTES)).map_err(wrong)?;
        let from = memory + (4096 - number);
        process.store(from, &pattern(number, bytes)).map_err(wrong)?;
        let handle = process.write(from, bytes + more, &target, offset, number).await.map_err(wrong)?;
        let end = process.wait(handle).await;
        let is_refused = matches!(end, Err(WriteError::Refused { .. }));
        expect!(is_refused == (number == REFUSED.0) && (is_refused || end.is_ok()), "message {number}: {end:?}");
    }
    let (number, offset, bytes) = READ;
    let handle = process.read(&export, offset, bytes, memory, number).await.map_err(wrong)?;
    process.wait(handle).await.map_err(wrong)?;
    expect!(process.load(memory, bytes).map_err(wrong)? == pattern(number, bytes), "the read brought other bytes");
    member.meet("written", Vec::new()).await;
    Ok(())
}

async fn owner(member: Member) -> Result<()> {
    let process = member.handle.open("owner").await.map_err(wrong)?;
    let buffer = process.alloc(BUFFER_BYTES).map_err(wrong)?;
    process.store(buffer, &poisoned(BUFFER_BYTES)).map_err(wrong)?;
    let (number, offset, bytes) = READ;
    process.store(UserVirt(buffer.0 + offset), &pattern(number, bytes)).map_err(wrong)?;
    let export = process.export_as(buffer, BUFFER_BYTES, Access::BOTH).await.map_err(wrong)?;
    member.meet("exports", vec![export]).await;
    member.meet("written", Vec::new()).await;
    Ok(())
}

fn run(personality: &'static str, loss: f64, leaks: bool) -> ClusterOutput {
    let loss = || -> Vec<Box<dyn Fault>> { vec![Box::new(Loss { name: "loss".into(), probability: loss })] };
    let bench = Bench { personality, record: true, faults: [loss(), loss()], ..Bench::default() };
    bench.run([job(move |member| writer(member, leaks)), job(owner)])
}

fn judge_frames(output: &ClusterOutput) -> leaks::Judged {
    let mut judged = leaks::Judged::default();
    for frame in output.nodes.iter().flat_map(|node| &node.log.sent) {
        judged.add(&frame.contents, described);
    }
    judged
}

fn judge_ends(sender: &NodeLog, peer: &NodeLog) -> acceptance::Judged {
    acceptance::of_writes(sender, peer, &BTreeSet::from([REFUSED.0]))
}

#[test]
fn no_byte_outside_the_described_buffers_leaves_and_no_write_ends_before_the_peer_has_taken_it() {
    for personality in ["mini", "vmmc"] {
        let output = run(personality, 0.05, false);
        let frames = judge_frames(&output);
        assert_eq!(frames.broken, Vec::<String>::new(), "{personality}");
        let all: u32 = WRITES.iter().chain([&REFUSED, &READ]).map(|(.., bytes)| bytes).sum();
        assert!(frames.data_bytes >= all.into() && frames.padding_bytes > 0, "{personality}: {frames:?}");
        let ends = judge_ends(&output.nodes[0].log, &output.nodes[1].log);
        assert_eq!(ends.broken, Vec::<String>::new(), "{personality}");
        assert!(ends.frames > WRITES.len() as u64, "{personality}: {} frames", ends.frames);
    }
}

#[test]
fn bytes_beyond_a_described_buffer_and_padding_that_is_not_zero_are_found() {
    let output = run("mini", 0.0, true);
    let found = judge_frames(&output).broken;
    assert!(found.len() == 1 && found[0].contains("of message 70"), "{found:?}");

    let short = output.nodes[0].log.sent.iter().find(|frame| frame.data.is_some_and(|data| data.message == 1));
    let mut contents = short.expect("message 1 was sent").contents.to_vec();
    let last = contents.len() - 5;
    contents[last] = POISON;
    let mut judged = leaks::Judged::default();
    judged.add(&contents, described);
    assert!(judged.broken.len() == 1 && judged.broken[0].contains("not padding"), "{:?}", judged.broken);
}

#[test]
fn an_end_without_acceptance_at_the_peer_is_found() {
    let output = run("mini", 0.0, false);
    let (sender, peer) = (&output.nodes[0].log, &output.nodes[1].log);
    let judged = judge_ends(sender, peer);
    assert_eq!(judged.broken, Vec::<String>::new());
    let is_accepted = |word: u32| matches!(parse(word), Some((Marker::Accepted, _)));
    let at = peer.trace.iter().position(|(_, word)| is_accepted(*word)).expect("frames were accepted");

    let mut silent = peer.clone();
    silent.trace.remove(at);
    let found = judge_ends(sender, &silent).broken;
    assert!(found.len() == 1 && found[0].ends_with("never accepted"), "{found:?}");

    let mut late = peer.clone();
    late.trace[at].0 = output.ended_at;
    let found = judge_ends(sender, &late).broken;
    assert!(found.len() == 1 && found[0].contains("accepted at"), "{found:?}");
}
