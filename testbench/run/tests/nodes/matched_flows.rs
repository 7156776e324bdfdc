//! The personality `emp` with many nodes behind a switch, with flow control, and with jumbo frames:
//! every message arrives and is compared.

use nicscope_account::results::{Results, Run};
use nicscope_run::run::{run, RunConfig};
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario;

fn emp(name: &str, changes: &[&str], threads: usize) -> Result<Results> {
    const EMP: [&str; 3] = ["personality=\"emp\"", "platforms=[\"tigon2\"]", "misses.ratios=[0.0]"];
    let overrides: Vec<String> = EMP.iter().chain(changes).map(|entry| entry.to_string()).collect();
    run(&RunConfig { scenario: scenario::load(name, &overrides)?, seed: 1, threads, firmware: None })
}

/// The run, in which every sum holds.
fn checked(name: &str, changes: &[&str]) -> Run {
    let results = emp(name, changes, 1).unwrap_or_else(|error| panic!("{error}"));
    results.check().unwrap_or_else(|error| panic!("{error}"));
    results.runs.into_iter().next().expect("a run")
}

#[test]
fn all_to_all_and_ring_deliver_every_message() {
    for (name, flows) in [("all-to-all", 12), ("ring", 4)] {
        let few = ["nodes=4", "workload.sizes_bytes=[10,5000]", "workload.iterations=6"];
        let run = checked(name, &few);
        assert_eq!(run.flows.len(), flows, "{name}");
        assert!(run.flows.iter().all(|flow| flow.compared_messages == 2 * (6 + 2)), "{name}: {:?}", run.flows);
    }
}

#[test]
fn threads_change_nothing() {
    let few = ["nodes=3", "workload.sizes_bytes=[3000]", "workload.iterations=4"];
    let text = |threads| serde_json::to_string(&emp("all-to-all", &few, threads).unwrap()).unwrap();
    assert_eq!(text(1), text(2));
}

/// Seven senders overrun the queue of their receiver's port. Frames are lost, and the path of each
/// becomes narrow.
#[test]
fn an_incast_that_loses_frames_delivers_every_message_at_nine_tenths_of_the_wire() {
    for flow_control in ["emp.flow_control=false", "emp.flow_control=true"] {
        let run = checked("incast", &["workload.sizes_bytes=[16384]", "workload.iterations=12", flow_control]);
        assert!(run.flows.iter().all(|flow| flow.compared_messages == 12 + 2), "{:?}", run.flows);
        assert!(run.switches[0][0]["dropped_tail"] > 0, "{:?}", run.switches[0][0]);
        // Counts of the whole run: a path may become narrow in the warm-up, and then lose no more
        // frames in the messages that are measured.
        let sum = |counter: &str| run.counters.iter().map(|node| node[counter]).sum::<u64>();
        let waits = ["firmware.Timeouts", "firmware.PathsNarrowed", "firmware.MessagesHeld"].map(sum);
        assert!(waits.iter().all(|waits| *waits > 0), "{waits:?}");
        let row = &run.rows[0];
        assert!(row.bandwidth_bits_per_s > 0.9 * 966.2e6, "{flow_control}: {} b/s", row.bandwidth_bits_per_s);
    }
}

/// Time-outs expire, since the receiver has 48 messages to take, but no frame is lost. A peer would
/// drop a message that comes before an older one.
#[test]
fn late_messages_of_an_incast_keep_their_order() {
    for flow_control in ["emp.flow_control=false", "emp.flow_control=true"] {
        let many = ["nodes=4", "workload.sizes_bytes=[64]", "workload.iterations=160", "workload.outstanding=16"];
        let run = checked("incast", &[&many[..], &[flow_control]].concat());
        let waits = run.rows[0].waits.expect("emp has waits");
        assert!(waits.timeouts > 0 && waits.narrowed > 0, "{waits:?}");
        assert_eq!((waits.no_buffer, waits.early), (0, 0), "{waits:?}");
    }
}

/// Hosts post 64 short messages, each as soon as the NIC has taken the one before. Both NICs
/// receive more than they send, since acknowledgements come on top. While a core took a post in
/// each turn, the frames that had arrived waited for 400 us, and a third of the rate was left.
#[test]
fn posts_wait_while_frames_wait() {
    let short = |outstanding| {
        let keys = ["workload.sizes_bytes=[64]", "workload.iterations=100", outstanding];
        let row = checked("both-ways", &keys).rows.remove(0);
        (row.bandwidth_bits_per_s, row.waits.expect("emp has waits").timeouts)
    };
    let (two, _) = short("workload.outstanding=2");
    let (many, timeouts) = short("workload.outstanding=64");
    assert_eq!(timeouts, 0);
    assert!(many > 0.75 * two, "{many} of {two} b/s");
}

/// 64 short messages are open, and the path is narrow after a loss. While each frame cost a search
/// over all messages that wait, a twelfth of the rate of two open messages was left.
#[test]
fn a_narrow_path_with_many_open_messages_keeps_a_fifth_of_the_rate_of_two() {
    let short = ["workload.sizes_bytes=[64]", "workload.iterations=400"];
    let rate = |more: &[&str]| {
        let run = checked("both-ways", &[&short[..], more].concat());
        (run.rows[0].bandwidth_bits_per_s, run.rows[0].retransmissions)
    };
    let two = rate(&["workload.outstanding=2"]).0;
    let (many, again) = rate(&["workload.outstanding=64", "faults.loss_ratio=0.005"]);
    assert!(again > 0 && many > 0.2 * two, "{many} of {two} b/s, {again} frames sent again");
}

/// A NIC that is slow to all whose buffers are not nearly all free is slow to its peer.
#[test]
fn flow_control_slows_a_sender() {
    let stream = |flow_control: &str| {
        let marks = ["emp.slow_below=64", "emp.slower_below=32"];
        // Without warm-up: the level is found in the measured messages.
        let few = ["workload.sizes_bytes=[16384]", "workload.iterations=12", "workload.outstanding=2", flow_control];
        let run = checked("stream", &[&few[..], &marks[..], &["workload.warm_up=0"]].concat());
        (run.rows[0].bandwidth_bits_per_s, run.rows[0].waits.expect("emp has waits"))
    };
    let (without, waits) = stream("emp.flow_control=false");
    assert_eq!((waits.slowed, waits.held), (0, 0));
    let (with, waits) = stream("emp.flow_control=true");
    // Some buffer is taken whenever a frame is acknowledged, so each second frame time is a pause.
    assert!(waits.slowed > 0 && waits.held > 0 && with < 0.6 * without, "{with} and {without} b/s: {waits:?}");
    // A pause is no loss.
    assert_eq!((waits.timeouts, waits.early), (0, 0), "{waits:?}");
}

#[test]
fn more_buffers_than_there_are_cannot_be_free() {
    let text = emp("stream", &["emp.flow_control=true", "emp.slow_below=128"], 1).unwrap_err().to_string();
    assert!(text.contains("at most the 64 receive buffers"), "{text}");
}

#[test]
fn random_messages_take_the_receives_of_their_tags() {
    let run = checked("random", &["workload.iterations=40", "workload.sizes_bytes=[0,20000]"]);
    assert_eq!(run.rows[0].messages, 40);
    assert!(run.rows[0].waits.expect("emp has waits").refusals > 0, "every receive was posted in time");
}

#[test]
fn jumbo_frames_carry_messages_of_any_size() {
    let jumbo = ["emp.mtu_bytes=9000", "workload.sizes_bytes=[0,40000]", "workload.iterations=30"];
    let run = checked("random", &[&jumbo[..], &["nodes=4", "topology.kind=switch"]].concat());
    assert_eq!(run.rows[0].messages, 60);
    let few = ["emp.mtu_bytes=9000", "workload.sizes_bytes=[65536]", "workload.iterations=12"];
    let run = checked("stream", &[&few[..], &["workload.outstanding=2", "workload.warm_up=0"]].concat());
    // 65536 bytes are 8 frames of 8986 bytes, the first of 8974.
    assert_eq!(run.counters[1]["firmware.FramesPlaced"], 12 * 8);
}
