//! The canary in the stacks of the firmware (INV-37): how deep they grow in runs, and a frame that
//! the analysis of the image does not know.

use std::sync::Arc;

use host_model::library::Export;
use nic_image::Canary;
use nic_layout::vmh::VmhGeometry;
use nicscope_run::canary;
use nicscope_run::run::{self, RunConfig, DEFAULT_SEED};
use nicscope_scenario::error::{Result, Statement};
use nicscope_scenario::{image, scenario};
use object::{Object, ObjectSection, ObjectSymbol};

use crate::common::{job, receive, send, wrong, Bench, Member};

#[test]
fn the_stack_of_each_core_stays_within_its_analysed_depth() {
    for (personality, cores, largest_bytes) in [("mini", 2, 6000), ("vmmc", 1, 6000), ("echo", 1, 20)] {
        let set = [
            "nic.stack_canary=true".into(),
            format!("personality=\"{personality}\""),
            format!("cores={cores}"),
            "platforms=[\"tigon2\"]".into(),
            format!("workload.sizes_bytes=[1,{largest_bytes}]"),
            "workload.iterations=100".into(),
        ];
        let scenario = scenario::load("random", &set).unwrap();
        let results = run::run(&RunConfig { scenario, seed: DEFAULT_SEED, threads: 1, firmware: None }).unwrap();
        results.check().unwrap();
        let stacks = &results.runs[0].stacks;
        assert_eq!(stacks.iter().map(Vec::len).collect::<Vec<_>>(), [cores, cores], "{personality}");
        for stack in stacks.iter().flatten() {
            // The canary was there: less than half of the stack would mean that it sees another.
            let half = stack.deepest_bytes / 2;
            assert!((half..=stack.deepest_bytes).contains(&stack.used_bytes), "{personality}: {stack:?}");
        }
    }
}

/// Moves a message from node 0 to node 1, and measures the stack of core A.
async fn moves_and_measures(member: Member, canary: Arc<Canary>) -> Result<()> {
    const BYTES: u32 = 3000;
    let process = member.handle.open("app").await.map_err(wrong)?;
    let at = process.alloc(2 * BYTES).map_err(wrong)?;
    let export: Export = process.export(at, BYTES).await.map_err(wrong)?;
    process.register(at + BYTES, BYTES).await.map_err(wrong)?;
    let peer = member.meet("exports", vec![export]).await[0];
    match member.node {
        0 => send(&process, at + BYTES, &peer, 0, 1, BYTES).await?,
        _ => receive(&process, at, 1, BYTES).await?,
    }
    member.meet("moved", Vec::new()).await;
    member.sleep_us(1000).await;
    canary::measure(&member.handle, std::slice::from_ref(&canary)).await.map(|_| ())
}

fn image_of_mini() -> Vec<u8> {
    std::fs::read(image::build("mini", VmhGeometry::RECOMMENDED).unwrap()).unwrap()
}

/// The image with a frame of `main` that is 112 bytes larger than in the image that was analysed.
/// `main` never returns, and all deep paths lead through it.
fn with_a_larger_frame(file: &[u8]) -> Vec<u8> {
    /// `c.addi sp, -16` and `c.addi16sp sp, -128`.
    const FRAMES: [[u8; 2]; 2] = [[0x41, 0x11], [0x19, 0x71]];
    let elf = object::File::parse(file).unwrap();
    let main = elf.symbol_by_name("main").unwrap();
    let section = elf.section_by_index(main.section_index().unwrap()).unwrap();
    let offset = (section.file_range().unwrap().0 + main.address() - section.address()) as usize;
    let mut changed = file.to_vec();
    let frame = &mut changed[offset..offset + 2];
    assert_eq!(frame, FRAMES[0], "main begins with its frame");
    frame.copy_from_slice(&FRAMES[1]);
    changed
}

/// Runs both nodes with the image that the canary gives, or with one whose code differs from what
/// was analysed.
fn run_with(change: fn(&[u8]) -> Vec<u8>) {
    let canary = Arc::new(Canary::plant(&image_of_mini()).unwrap());
    let firmware = Some(Arc::new(change(canary.planted())));
    let task = || {
        let canary = canary.clone();
        job(|member| moves_and_measures(member, canary))
    };
    Bench { firmware, ..Bench::default() }.run([task(), task()]);
}

#[test]
fn an_image_that_is_as_analysed_passes() {
    run_with(<[u8]>::to_vec);
}

#[test]
#[should_panic(expected = "INV-37: core A: the stack grew to")]
fn a_frame_that_the_analysis_does_not_know_is_found() {
    run_with(with_a_larger_frame);
}

/// The error of such a run is one of the invariant, by its type.
#[test]
fn a_stack_that_is_too_deep_is_an_error_of_its_invariant() {
    let canary = Canary::plant(&image_of_mini()).unwrap();
    let too_deep = canary.judge(0x2000_4000 - 1000).expect_err("mini takes less");
    let error = canary::broken("A", &too_deep);
    assert_eq!(error.statement(), Some(Statement::Invariant(37)));
}
