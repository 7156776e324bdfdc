//! The personality `emp-mini` on whole nodes: messages arrive exactly while pages miss in the NIC's
//! cache, and a message whose page does not exist fails.

use host_model::address::UserVirt;
use host_model::library::emp::{From, MessageError, Messages};
use nic_layout::personality::emp::descriptor::Failure;
use nic_layout::PAGE_BYTES;
use nicscope_account::results::Results;
use nicscope_run::run::{run, RunConfig};
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario;

use crate::common::{job, wrong, Bench, Member};

fn translated(name: &str, changes: &[&str]) -> Result<Results> {
    const COMMON: [&str; 2] = ["personality=\"emp-mini\"", "platforms=[\"tigon2\"]"];
    let overrides: Vec<String> = COMMON.iter().chain(changes).map(|entry| entry.to_string()).collect();
    run(&RunConfig { scenario: scenario::load(name, &overrides)?, seed: 1, threads: 1, firmware: None })
}

/// Every sum of the run holds. Misses of the run, and messages.
fn check(results: &Results) -> (u64, u64) {
    let run = &results.runs[0];
    assert_eq!(run.broken(), Vec::<String>::new());
    run.rows.iter().fold((0, 0), |(misses, messages), row| (misses + row.misses, messages + u64::from(row.messages)))
}

#[test]
fn messages_of_every_format_arrive_though_each_misses() {
    let sizes = "workload.sizes_bytes=[1,1474,4097,28673]";
    for side in ["receive", "send"] {
        let side = format!("misses.side=\"{side}\"");
        let few = ["workload.iterations=6", "workload.warm_up=1", "misses.ratios=[1.0]", sizes, &side];
        let (misses, messages) = check(&translated("ping-pong", &few).unwrap());
        // Those that arrive at node 1, or leave it, are half of all.
        assert_eq!((misses, messages), (24, 48), "{side}");
    }
}

#[test]
fn messages_arrive_both_ways_while_some_miss() {
    for node in ["misses.node=0", "misses.node=1"] {
        for side in ["misses.side=\"receive\"", "misses.side=\"send\""] {
            let few = ["workload.sizes_bytes=[9000]", "workload.iterations=20", "misses.ratios=[0.25]", node, side];
            let (misses, messages) = check(&translated("both-ways", &few).unwrap());
            assert_eq!((misses, messages), (5, 40), "{node} {side}");
        }
    }
}

#[test]
fn lines_are_replaced_under_a_small_cache() {
    let small = ["cache.entries=1024", "cache.line_entries=8", "cache.ways=2"];
    let few =
        ["workload.sizes_bytes=[20000]", "workload.iterations=12", "misses.ratios=[0.0]", "workload.outstanding=3"];
    check(&translated("stream", &[&few[..], &small[..]].concat()).unwrap());
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    for (change, what) in [
        ("misses.cache=\"cbh\"", "has no buffers"),
        ("misses.service=\"nic\"", "the host serves misses"),
        ("cores=2", "one core"),
    ] {
        let text = translated("both-ways", &[change]).unwrap_err().to_string();
        assert!(text.contains(what), "{change}: {text}");
    }
}

/// Far from everything that a process of these tests has.
const NOWHERE: UserVirt = UserVirt(0x7000_0000);

#[test]
fn a_page_that_does_not_exist_fails_its_message_and_no_other() {
    let sender = job(|member: Member| async move {
        let process = member.handle.open_with::<Messages>("test").await.map_err(wrong)?;
        let at = process.alloc(2 * PAGE_BYTES).map_err(wrong)?;
        process.store(at, &[7; 100]).map_err(wrong)?;
        member.meet("posted", Vec::new()).await;
        // No page to send from, then none to receive into, then both.
        let missing = process.send(1, 1, NOWHERE, 5000).await.map_err(wrong)?;
        let end = process.wait_message(&missing).await;
        expect!(end == Err(MessageError::Failed(Failure::BadAddress)), "send: {end:?}");
        let refused = process.send(1, 2, at, 100).await.map_err(wrong)?;
        let end = process.wait_message(&refused).await;
        expect!(end == Err(MessageError::Failed(Failure::Aborted)), "receive: {end:?}");
        let good = process.send(1, 3, at, 100).await.map_err(wrong)?;
        process.wait_message(&good).await.map_err(wrong)?;
        member.meet("done", Vec::new()).await;
        process.close().await.map_err(wrong)
    });
    let receiver = job(|member: Member| async move {
        let process = member.handle.open_with::<Messages>("test").await.map_err(wrong)?;
        let at = process.alloc(PAGE_BYTES).map_err(wrong)?;
        let wanted = |tag| From { node: None, tag: Some(tag) };
        let missing = process.receive(wanted(2), NOWHERE, 100).await.map_err(wrong)?;
        let good = process.receive(wanted(3), at, 100).await.map_err(wrong)?;
        member.meet("posted", Vec::new()).await;
        let end = process.wait_message(&missing).await;
        expect!(end == Err(MessageError::Failed(Failure::BadAddress)), "{end:?}");
        process.wait_message(&good).await.map_err(wrong)?;
        let found = process.load(at, 100).map_err(wrong)?;
        expect!(found == [7; 100], "the message is not as it was sent");
        member.meet("done", Vec::new()).await;
        process.close().await.map_err(wrong)
    });
    Bench { personality: "emp-mini", ..Bench::default() }.run([sender, receiver]);
}

#[test]
fn a_process_ends_while_the_nic_waits_for_its_pages() {
    let sender = job(|member: Member| async move {
        for _ in 0..3 {
            let process = member.handle.open_with::<Messages>("test").await.map_err(wrong)?;
            let at = process.alloc(64 * PAGE_BYTES).map_err(wrong)?;
            process.store(at, &vec![1; 64 * PAGE_BYTES as usize]).map_err(wrong)?;
            member.meet("posted", Vec::new()).await;
            for tag in 0..4 {
                process.send(1, tag, at + 16 * PAGE_BYTES * u32::from(tag), 60_000).await.map_err(wrong)?;
            }
            // The pages of the first message are missed now, those of the last perhaps later.
            process.close().await.map_err(wrong)?;
            member.meet("closed", Vec::new()).await;
        }
        Ok(())
    });
    let receiver = job(|member: Member| async move {
        for round in 0..3 {
            let process = member.handle.open_with::<Messages>("test").await.map_err(wrong)?;
            let at = process.alloc(64 * PAGE_BYTES).map_err(wrong)?;
            for tag in 0..4 {
                let from = From { node: None, tag: Some(tag) };
                process.receive(from, at + 16 * PAGE_BYTES * u32::from(tag), 60_000).await.map_err(wrong)?;
            }
            member.meet("posted", Vec::new()).await;
            member.sleep_us(10 + 40 * round).await;
            process.close().await.map_err(wrong)?;
            member.meet("closed", Vec::new()).await;
        }
        Ok(())
    });
    Bench { personality: "emp-mini", ..Bench::default() }.run([sender, receiver]);
}
