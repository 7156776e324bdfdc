//! The first data frame of node 0 to node 1 arrives once more after node 0 was reset: a frame of a
//! dead incarnation, whose sequence number, buffer and key are good.

use host_model::address::NodeId;
use host_model::library::Access;
use host_model::processor::Priority;
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use rand_chacha::ChaCha8Rng;
use sim_fabric::{Channel, Direction, End, Fate, Fault};
use sim_pins::Ps;

use super::job::{wrong, Job};

/// The time from the sending of the frame to its late arrival: longer than a reset takes.
const LATE: Ps = Ps::from_us(14_000);
const BYTES: u32 = 1000;
/// The session of a node that was reset once.
const NEXT: u32 = 1;

/// The first frame arrives late. The sender retransmits it meanwhile.
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

/// The first frame of node 0 is late; no other link has a fault.
pub(super) fn direction(channel: Channel) -> Direction {
    let faults: Vec<Box<dyn Fault>> = match channel.from {
        End::Node(0) => vec![Box::new(FirstIsLate)],
        _ => Vec::new(),
    };
    Direction { faults, capture: false }
}

/// Node 0 sends and is reset, node 1 receives, and the other nodes are told.
pub(super) async fn play(job: Job) -> Result<()> {
    let Job { node, handle, meeting, .. } = job;
    let process = handle.open("process").await.map_err(wrong)?;
    let at = process.alloc(2 * 4096).map_err(wrong)?;
    let export = process.export_as(at, 4096, Access::BOTH).await.map_err(wrong)?;
    let all = meeting.exchange("exports", vec![[export; 2]]).await;
    let begin = handle.sim().now();
    match node {
        0 => {
            let (from, to) = (at + 4096, all[1][0][0]);
            process.register(from, 4096).await.map_err(wrong)?;
            process.import(&to).await.map_err(wrong)?;
            process.store(from, &pattern(1, BYTES)).map_err(wrong)?;
            let post = process.write(from, BYTES, &to, 0, 1).await.map_err(wrong)?;
            process.wait(post).await.map_err(wrong)?;
        }
        1 => {
            let expected = pattern(1, BYTES);
            process.wait_bytes(at, BYTES, 1, move |found| found == expected).await.map_err(wrong)?;
        }
        _ => {}
    }
    meeting.exchange("sent", Vec::new()).await;
    if node == 0 {
        handle.reset_nic().await.map_err(wrong)?;
        process.close().await.map_err(wrong)?;
    }
    meeting.exchange("reset", Vec::new()).await;
    if node != 0 {
        let cpu = handle.cpu("management", Priority::KernelThread);
        handle.driver().restart_peer(&cpu, NodeId(0), NEXT).await.map_err(wrong)?;
    }
    meeting.exchange("told", Vec::new()).await;
    if handle.sim().now() >= begin + LATE {
        return Err(failed!("the late frame has come before node 0 was reset"));
    }
    handle.sim().sleep_until(begin + LATE + Ps::from_us(1000)).await;
    Ok(())
}
