//! The personality `kernel` on whole nodes: streams of the operating system are exact, on good and
//! on bad links.

use host_model::address::UserVirt;
use host_model::driver::kernel::{Peer, StreamError};
use host_model::library::kernel::KernelStreams;
use host_model::library::Process;
use nic_layout::counter::Counter;
use nicscope_account::results::Results;
use nicscope_run::run::{run, RunConfig};
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario;
use sim_fabric::{Fault, Loss};

use crate::common::{count, job, wrong, Bench, Member};

fn kernel(name: &str, changes: &[&str]) -> Results {
    const KERNEL: [&str; 3] = ["personality=\"kernel\"", "platforms=[\"tigon2\"]", "misses.ratios=[0.0]"];
    let overrides: Vec<String> = KERNEL.iter().chain(changes).map(|entry| entry.to_string()).collect();
    let scenario = scenario::load(name, &overrides).expect("a scenario");
    run(&RunConfig { scenario, seed: 1, threads: 1, firmware: None }).expect("the run ends well")
}

#[test]
fn both_workloads_run_and_all_sums_hold() {
    for name in ["ping-pong", "stream"] {
        let sizes = ["workload.sizes_bytes=[4,1460,1461,9000]", "workload.iterations=4", "workload.warm_up=1"];
        let results = kernel(name, &sizes);
        assert_eq!(results.runs[0].broken(), Vec::<String>::new(), "{name}");
        assert_eq!(results.runs[0].rows.len(), 4, "{name}");
    }
}

const PORT: u16 = 9;
const ALL: u32 = 200_000;

async fn open(member: &Member) -> Result<(Process<KernelStreams>, Peer, UserVirt)> {
    let process = member.handle.open_with::<KernelStreams>("test").await.map_err(wrong)?;
    let memory = process.alloc(ALL).map_err(wrong)?;
    let peer = Peer { node: member.peer() as u16, port: PORT };
    process.open_stream(peer).await;
    member.meet("open", Vec::new()).await;
    Ok((process, peer, memory))
}

/// Node 0 writes in odd sizes, node 1 reads in other sizes, to the end of the stream.
fn one_stream(faults: [Vec<Box<dyn Fault>>; 2]) -> nicscope_run::cluster::ClusterOutput {
    let writes = job(|member: Member| async move {
        let (process, peer, memory) = open(&member).await?;
        process.store(memory, &pattern(3, ALL)).map_err(wrong)?;
        let (mut done, mut size) = (0, 1);
        while done < ALL {
            let part = size.min(ALL - done);
            process.send_stream(peer, memory + done, part).await.map_err(wrong)?;
            (done, size) = (done + part, size * 7 % 30_011);
        }
        process.end_stream(peer).await.map_err(wrong)?;
        let refused = process.send_stream(peer, memory, 1).await;
        expect!(refused == Err(StreamError::NotOpen), "{refused:?}");
        member.meet("done", Vec::new()).await;
        process.close().await.map_err(wrong)
    });
    let reads = job(|member: Member| async move {
        let (process, peer, memory) = open(&member).await?;
        let (mut done, mut size) = (0, 5);
        loop {
            let part = process.receive_stream(peer, memory + done, size.min(ALL - done).max(1)).await.map_err(wrong)?;
            if part == 0 {
                break;
            }
            (done, size) = (done + part, size * 11 % 20_011);
        }
        expect!(done == ALL, "{done} bytes");
        expect!(process.load(memory, ALL).map_err(wrong)? == pattern(3, ALL), "the bytes");
        process.end_stream(peer).await.map_err(wrong)?;
        member.meet("done", Vec::new()).await;
        process.close().await.map_err(wrong)
    });
    Bench { personality: "kernel", faults, ..Bench::default() }.run([writes, reads])
}

#[test]
fn a_stream_is_exact_and_one_interrupt_serves_several_frames() {
    let output = one_stream([Vec::new(), Vec::new()]);
    let (frames, interrupts) = (count(&output, 1, Counter::FramesPlaced), output.nodes[1].accounting.driver.interrupts);
    assert!(frames > 138, "{frames} frames");
    assert!(interrupts < frames, "{interrupts} interrupts for {frames} frames");
    assert_eq!(count(&output, 1, Counter::FramesUnplaced), 0);
}

#[test]
fn a_stream_is_exact_on_a_link_that_loses_frames() {
    let loss = || -> Vec<Box<dyn Fault>> { vec![Box::new(Loss { name: "loss".into(), probability: 0.03 })] };
    let output = one_stream([loss(), loss()]);
    let (sent, came) = (output.nodes[0].frames.sent, count(&output, 1, Counter::FramesReceived));
    assert!(sent > came && came > 138, "{sent} frames left, {came} came");
}
