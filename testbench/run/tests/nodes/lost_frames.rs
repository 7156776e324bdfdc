//! An exchange of four frames and its acknowledgement survives the loss or the damage of any one
//! frame.

use host_model::address::UserVirt;
use nic_layout::counter::Counter;
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use rand_chacha::ChaCha8Rng;
use sim_fabric::{Fate, Fault, LossOfFrames};

use crate::common::{count, job, wrong, Bench, Member};

/// Four frames on a platform with 1464 bytes of data in each.
const BYTES: u32 = 4 * 1464;

/// Changes one byte of one frame.
struct Damage {
    frame: u64,
    offset: u32,
}

impl Fault for Damage {
    fn name(&self) -> &str {
        // The name by which the sums of a run know that such a frame reaches the peer.
        "corruption"
    }

    fn fate(&mut self, frame_idx: u64, _: &mut ChaCha8Rng) -> Fate {
        match frame_idx == self.frame {
            true => Fate::Corrupt(vec![(self.offset, 0x10)]),
            false => Fate::Pass,
        }
    }
}

async fn send(member: Member) -> Result<()> {
    let process = member.handle.open("sender").await.map_err(wrong)?;
    let from = process.alloc(BYTES).map_err(wrong)?;
    process.store(from, &pattern(1, BYTES)).map_err(wrong)?;
    let exports = member.meet("exports", Vec::new()).await;
    let handle = process.write(from, BYTES, &exports[0], 8, 1).await.map_err(wrong)?;
    process.wait(handle).await.map_err(wrong)
}

async fn receive(member: Member) -> Result<()> {
    let process = member.handle.open("receiver").await.map_err(wrong)?;
    let buffer = process.alloc(BYTES + 16).map_err(wrong)?;
    let export = process.export(buffer, BYTES + 16).await.map_err(wrong)?;
    member.meet("exports", vec![export]).await;
    let start = UserVirt(buffer.0 + 8);
    let expected = pattern(1, BYTES);
    let whole = expected.clone();
    process.wait_bytes(start, BYTES, 1, move |bytes| bytes == whole).await.map_err(wrong)?;
    // The bytes must stay as they are while repeated frames arrive.
    member.sleep_us(600).await;
    expect!(process.load(start, BYTES).map_err(wrong)? == expected, "the message was overwritten");
    for edge in [buffer, UserVirt(start.0 + BYTES)] {
        expect!(process.load(edge, 8).map_err(wrong)? == [0; 8], "a byte beside the message was written");
    }
    Ok(())
}

/// Runs the exchange with a fault on the frames of one node, and returns the number of
/// retransmitted frames of the sender.
fn exchange(node: usize, fault: Box<dyn Fault>) -> u64 {
    let mut bench = Bench::default();
    bench.faults[node].push(fault);
    let output = bench.run([job(send), job(receive)]);
    // A post that ends with an error fails the task that waits for it.
    assert_eq!(count(&output, 0, Counter::PostsCompleted), 1);
    assert_eq!(count(&output, 1, Counter::FramesAccepted), 4);
    count(&output, 0, Counter::FramesRetransmitted)
}

fn lose(frames: &[u64]) -> Box<dyn Fault> {
    Box::new(LossOfFrames { name: "loss".into(), frames: frames.to_vec() })
}

/// Frames that the receiver drops in every run. It misses first on the buffer, then on the page, so
/// it accepts no frame before the four frames are sent for the third time. Among frames 0 to 11,
/// only a fault of the last four matters.
const DROPPED: u64 = 8;

#[test]
fn any_data_frame_may_be_lost() {
    for frame in 0..DROPPED + 5 {
        exchange(0, lose(&[frame]));
    }
}

#[test]
fn any_acknowledgement_may_be_lost() {
    for frame in 0..3 {
        exchange(1, lose(&[frame]));
    }
}

#[test]
fn the_same_frame_may_be_lost_again_and_again() {
    let frames: Vec<u64> = (0..DROPPED + 16).step_by(3).collect();
    assert!(exchange(0, lose(&frames)) > DROPPED);
}

#[test]
fn a_damaged_byte_anywhere_in_a_frame_costs_a_repetition_and_nothing_else() {
    // Preamble, start, addresses, type, session, sequence, acknowledgement, buffer, key, data, last
    // byte of data, check sequence.
    for offset in [3, 7, 8, 15, 20, 25, 29, 33, 37, 46, 100, 8 + 48 + 1463, 8 + 48 + 1464 + 2] {
        let repeated = exchange(0, Box::new(Damage { frame: DROPPED + 1, offset }));
        assert!(repeated > DROPPED, "offset {offset}: {repeated} frames were sent again");
    }
}

#[test]
fn a_damaged_acknowledgement_acknowledges_nothing() {
    for offset in [8, 22, 33, 50, 69] {
        exchange(1, Box::new(Damage { frame: 0, offset }));
    }
}
