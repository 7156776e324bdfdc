//! Nodes that start again while others go on: the NIC is reset under traffic with its firmware on
//! it, its peer is told, and both go on (INV-12, 17, 19, 23, 26, 31, 34, 36, 38).

use std::collections::VecDeque;

use host_model::address::{NodeId, UserVirt};
use host_model::library::{Access, Export, Process, WriteError};
use host_model::processor::Priority;
use nic_layout::counter::Counter;
use nic_layout::plant::Plant;
use nic_layout::post::PostError;
use nicscope_run::run::{self, RunConfig, DEFAULT_SEED};
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario;
use rand_chacha::ChaCha8Rng;
use sim_fabric::{Fate, Fault};
use sim_pins::Ps;

use crate::common::{count, job, receive, send, wrong, Bench, Member};

/// Several frames each, so that a reset meets posts of which some frames are still to be sent.
const BYTES: u32 = 6000;
const SLOT_BYTES: u32 = 2 * 4096;
const SLOTS: u32 = 4;
const AREA_BYTES: u32 = SLOTS * SLOT_BYTES;
/// The session of a node that was reset once.
const NEXT: u32 = 1;
/// Messages in each direction after the restart.
const AFTER: u32 = 12;

/// A process with a buffer, and with memory to send from behind it.
struct Side {
    process: Process,
    at: UserVirt,
    export: Export,
}

impl Side {
    async fn open(member: &Member, name: &'static str) -> Result<Side> {
        let process = member.handle.open(name).await.map_err(wrong)?;
        let at = process.alloc(2 * AREA_BYTES).map_err(wrong)?;
        let export = process.export_as(at, AREA_BYTES, Access::BOTH).await.map_err(wrong)?;
        process.register(at + AREA_BYTES, AREA_BYTES).await.map_err(wrong)?;
        Ok(Side { process, at, export })
    }

    /// Sends one message after the other, a few at a time, until one ends badly. Gives how many
    /// ended well, and the error.
    async fn stream(process: Process, source: UserVirt, to: Export) -> (u32, WriteError) {
        let (mut under_way, mut well) = (VecDeque::new(), 0);
        for number in 0.. {
            let offset = number % SLOTS * SLOT_BYTES;
            process.store(source + offset, &pattern(number, BYTES)).expect("own memory");
            match process.write(source + offset, BYTES, &to, offset, number).await {
                Ok(handle) => under_way.push_back(handle),
                Err(error) => return (well, error),
            }
            if under_way.len() as u32 == SLOTS {
                let oldest = under_way.pop_front().expect("it has some");
                if let Err(error) = process.wait(oldest).await {
                    return (well, error);
                }
                well += 1;
            }
        }
        unreachable!("the loop has no end")
    }

    /// A stream has come here, which was cut off: each slot has whole bytes of two messages that
    /// followed each other there.
    fn check_slots(&self) -> Result<()> {
        for slot in 0..SLOTS {
            let found = self.process.load(self.at + slot * SLOT_BYTES, BYTES).map_err(wrong)?;
            let mut before = vec![0; BYTES as usize];
            let mut is_known = false;
            for number in (slot..2000).step_by(SLOTS as usize) {
                let next = pattern(number, BYTES);
                is_known |= (0..found.len()).all(|at| found[at] == before[at] || found[at] == next[at]);
                before = next;
            }
            expect!(is_known, "slot {slot}");
        }
        Ok(())
    }
}

/// Both ways, one after the other.
async fn exchange(member: &Member, side: &Side, to: &Export, name: &'static str) -> Result<()> {
    let source = side.at + AREA_BYTES;
    for number in 1000..1000 + AFTER {
        let offset = number % SLOTS * SLOT_BYTES;
        if member.node == 0 {
            send(&side.process, source, to, offset, number, BYTES).await?;
            receive(&side.process, side.at + offset, number + 500, BYTES).await?;
        } else {
            receive(&side.process, side.at + offset, number, BYTES).await?;
            send(&side.process, source, to, offset, number + 500, BYTES).await?;
        }
    }
    member.meet(name, Vec::new()).await;
    Ok(())
}

/// Nothing is pinned for the NIC.
fn nothing_is_pinned(member: &Member) -> Result<()> {
    let pinned = member.handle.memory().borrow().counts().pinned_now;
    expect!(pinned == 0, "{pinned} pages are pinned");
    Ok(())
}

/// Node 0: its NIC is reset under a stream in both directions.
async fn is_reset(member: Member) -> Result<()> {
    let side = Side::open(&member, "before").await?;
    let peer = member.meet("exports", vec![side.export]).await[0];
    side.process.import(&peer).await.map_err(wrong)?;
    let stream = Side::stream(side.process.clone(), side.at + AREA_BYTES, peer);
    let stream = member.handle.sim().spawn("stream", stream);
    member.sleep_us(3000).await;

    let session = member.handle.reset_nic().await.map_err(wrong)?;
    expect!(session == NEXT && member.handle.driver().session() == NEXT, "session {session}");
    let (well, error) = stream.await;
    expect!(error == WriteError::NicReset && well > 0, "after {well} messages: {error:?}");
    nothing_is_pinned(&member)?;
    let late = side.process.write(side.at, 100, &peer, 0, 1).await;
    expect!(late == Err(WriteError::NicReset), "{late:?}");
    side.process.close().await.map_err(wrong)?;

    let next = Side::open(&member, "after").await?;
    expect!(next.process.pid() != side.process.pid(), "two processes have one number");
    expect!(next.export.key != side.export.key, "the key of an earlier incarnation");
    // The peer tries the dead incarnation again meanwhile.
    member.sleep_us(2500).await;
    member.meet("restart", vec![next.export]).await;
    member.meeting.announce_session(session).await.map_err(wrong)?;
    let peer = member.meet("restarted", Vec::new()).await[0];
    next.process.import(&peer).await.map_err(wrong)?;
    exchange(&member, &next, &peer, "exchanged").await
}

/// Node 1: its peer starts again.
async fn goes_on(member: Member) -> Result<()> {
    let side = Side::open(&member, "goes on").await?;
    let old = member.meet("exports", vec![side.export]).await[0];
    side.process.import(&old).await.map_err(wrong)?;
    let stream = Side::stream(side.process.clone(), side.at + AREA_BYTES, old);
    let stream = member.handle.sim().spawn("stream", stream);

    let new = member.meet("restart", Vec::new()).await[0];
    let cpu = member.handle.cpu("management", Priority::KernelThread);
    let driver = member.handle.driver();
    let of_itself = driver.restart_peer(&cpu, NodeId(1), NEXT).await;
    expect!(of_itself.is_err(), "a node was taken as its own peer");
    let session = member.meeting.heed_session(0, &member.handle).await.map_err(wrong)?;
    expect!(session == NEXT, "session {session}");
    let (well, end) = stream.await;
    let unreachable = PostError::PeerUnreachable as u32;
    let is_told = match end {
        WriteError::Refused { error, .. } | WriteError::Unclear { error, .. } => error == unreachable,
        _ => false,
    };
    expect!(is_told && well > 0, "after {well} messages: {end:?}");
    side.check_slots()?;

    // What the dead incarnation has exported opens nothing.
    let late = side.process.write(side.at, 100, &old, 0, 1).await.map_err(wrong)?;
    let end = side.process.wait(late).await;
    expect!(matches!(end, Err(WriteError::Refused { error, .. }) if error == PostError::Refused as u32), "{end:?}");
    side.process.import(&new).await.map_err(wrong)?;
    member.meet("restarted", vec![side.export]).await;
    exchange(&member, &side, &new, "exchanged").await
}

fn resets(personality: &'static str) {
    let bench = Bench { personality, ..Bench::default() };
    let output = bench.run([job(is_reset), job(goes_on)]);
    // The peer sent to the dead incarnation until it was told.
    assert!(count(&output, 0, Counter::FramesMalformed) > 0);
    assert!(count(&output, 1, Counter::FramesAbandoned) > 0);
    assert!(count(&output, 1, Counter::PostsRefusedPeer) > 0);
}

#[test]
fn both_sides_go_on_after_a_reset_under_a_stream() {
    resets("mini");
}

#[test]
fn both_sides_go_on_after_a_reset_with_static_tables() {
    resets("vmmc");
}

/// When the frame that is late arrives.
const LATE: Ps = Ps::from_us(14_000);

/// The first frame arrives late.
struct FirstIsLate;

impl Fault for FirstIsLate {
    fn name(&self) -> &str {
        "late"
    }

    fn fate(&mut self, frame_idx: u64, _: &mut ChaCha8Rng) -> Fate {
        match frame_idx {
            0 => Fate::Delay(LATE),
            _ => Fate::Pass,
        }
    }
}

async fn sends_before_its_reset(member: Member) -> Result<()> {
    let side = Side::open(&member, "before").await?;
    let peer = member.meet("exports", Vec::new()).await[0];
    side.process.import(&peer).await.map_err(wrong)?;
    let begin = member.now();
    send(&side.process, side.at + AREA_BYTES, &peer, 0, 1, 1000).await?;
    member.meet("sent", Vec::new()).await;
    let session = member.handle.reset_nic().await.map_err(wrong)?;
    side.process.close().await.map_err(wrong)?;
    member.meet("restart", Vec::new()).await;
    member.meeting.announce_session(session).await.map_err(wrong)?;
    member.meet("restarted", Vec::new()).await;
    expect!(member.now() < begin + LATE, "the late frame is not late enough");
    member.handle.sim().sleep_until(begin + LATE + Ps::from_us(100)).await;

    member.meet("arrived", Vec::new()).await;
    let next = Side::open(&member, "after").await?;
    next.process.import(&peer).await.map_err(wrong)?;
    send(&next.process, next.at + AREA_BYTES, &peer, 0, 2, 1000).await
}

async fn gets_it_after_the_restart(member: Member) -> Result<()> {
    let side = Side::open(&member, "goes on").await?;
    member.meet("exports", vec![side.export]).await;
    receive(&side.process, side.at, 1, 1000).await?;
    member.meet("sent", Vec::new()).await;
    side.process.store(side.at, &[0; 1000]).map_err(wrong)?;
    member.meet("restart", Vec::new()).await;
    member.meeting.heed_session(0, &member.handle).await.map_err(wrong)?;
    member.meet("restarted", Vec::new()).await;
    member.meet("arrived", Vec::new()).await;
    let found = side.process.load(side.at, 1000).map_err(wrong)?;
    expect!(found == [0; 1000], "a frame of a dead incarnation has written");
    receive(&side.process, side.at, 2, 1000).await
}

fn late_frame(personality: &'static str, plant: Option<Plant>) -> nicscope_run::cluster::ClusterOutput {
    let faults: [Vec<Box<dyn Fault>>; 2] = [vec![Box::new(FirstIsLate)], Vec::new()];
    let bench = Bench { personality, faults, plants: [None, plant], ..Bench::default() };
    bench.run([job(sends_before_its_reset), job(gets_it_after_the_restart)])
}

/// The late frame has the number that is expected of the new incarnation, and its buffer and key
/// are good.
#[test]
fn a_late_frame_of_a_dead_incarnation_is_dropped_and_counted() {
    for personality in ["mini", "vmmc"] {
        let output = late_frame(personality, None);
        assert_eq!(count(&output, 1, Counter::FramesStrange), 1, "{personality}");
    }
}

#[test]
#[should_panic(expected = "INV-31")]
fn firmware_that_accepts_it_is_found() {
    late_frame("mini", Some(Plant::OldSession));
}

/// The scenario of the command: either node is reset, at several times.
#[test]
fn a_scenario_resets_a_nic_and_says_what_became_of_the_messages() {
    for (personality, node, after_us) in [("mini", 0, 3000), ("mini", 1, 1237), ("vmmc", 1, 2011)] {
        let set = [
            format!("personality=\"{personality}\""),
            format!("restart.node={node}"),
            format!("restart.after_us={after_us}"),
        ];
        let scenario = scenario::load("restart", &set).unwrap();
        let results = run::run(&RunConfig { scenario, seed: DEFAULT_SEED, threads: 1, firmware: None }).unwrap();
        results.check().unwrap();
        let restarts = &results.runs[0].restarts;
        assert_eq!(restarts.len(), 2);
        for (index, restart) in restarts.iter().enumerate() {
            assert_eq!(restart.reset.is_some(), index == node, "{personality}: {restart:?}");
            assert!(restart.ended_well > 0 && restart.under_way > 0, "{personality}: {restart:?}");
            assert_eq!(restart.exchanged, 12);
        }
        let reset = restarts[node].reset.unwrap();
        assert_eq!(reset.session, NEXT);
        // A call, a message and its answer, at least, on the management network.
        assert!(reset.ready_after_ps > 0 && reset.told_after_ps > 100_000_000, "{reset:?}");
    }
}

/// Results are the same for any number of threads.
#[test]
fn a_scenario_with_a_reset_has_one_result() {
    let run = |threads| {
        let set = ["workload.iterations=2".to_owned(), "restart.after_us=800".to_owned()];
        let scenario = scenario::load("restart", &set).unwrap();
        run::run(&RunConfig { scenario, seed: DEFAULT_SEED, threads, firmware: None }).unwrap()
    };
    assert_eq!(run(1), run(2));
}
