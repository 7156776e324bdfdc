//! The personality with static tables on whole nodes (M-3, M-4, M-13; INV-21, 26, 27, 36, 38).
//!
//! The tests cover refusals and their reasons, processes that end with imports, exports and posts,
//! and random messages, the same as with the caches.

use std::rc::Rc;

use host_model::driver::vmmc::Vmmc;
use host_model::library::{Access, Export, Process, WriteError, WriteHandle};
use nic_layout::counter::Counter;
use nic_layout::post::PostError;
use nicscope_account::results::Results;
use nicscope_run::run::{self, RunConfig};
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario;
use sim_fabric::{Fault, Loss};

use crate::common::{count, job, receive, send, wrong, Bench, Member, SEED};

const BYTES: u32 = 6000;
const PAGES: u32 = 4;

fn bench() -> Bench {
    Bench { personality: "vmmc", ..Bench::default() }
}

/// Checks that a post ends with the error `why`.
async fn refused(
    process: &Process,
    handle: std::result::Result<WriteHandle, WriteError>,
    why: PostError,
) -> Result<()> {
    let handle = handle.map_err(wrong)?;
    let end = process.wait(handle).await;
    let expected = Err(WriteError::Refused { index: handle.index, error: why as u32 });
    expect!(end == expected, "message {} ended with {end:?}", handle.message);
    Ok(())
}

async fn writer(member: Member) -> Result<()> {
    let process = member.handle.open("writer").await.map_err(wrong)?;
    let memory = process.alloc(PAGES * 4096).map_err(wrong)?;
    let exports = member.meet("exports", Vec::new()).await;
    let (both, only_written) = (exports[0], exports[1]);

    let early = process.write(memory, BYTES, &both, 0, 1).await;
    expect!(matches!(early, Err(WriteError::NotImported { .. })), "{early:?}");
    process.import(&both).await.map_err(wrong)?;
    process.import(&only_written).await.map_err(wrong)?;
    // The process has not registered the memory of the data.
    refused(&process, process.write(memory, BYTES, &both, 0, 2).await, PostError::BadLocalAddress).await?;
    process.register(memory, PAGES * 4096).await.map_err(wrong)?;
    send(&process, memory, &both, 100, 3, BYTES).await?;
    let handle = process.read(&both, 100, BYTES, memory + BYTES, 4).await.map_err(wrong)?;
    process.wait(handle).await.map_err(wrong)?;
    let (sent, read) = (process.load(memory, BYTES), process.load(memory + BYTES, BYTES));
    expect!(sent == read && sent.is_ok(), "what was written is not what was read");

    // The import itself forbids these posts, so no frame goes to the owner.
    refused(&process, process.read(&only_written, 0, 4, memory, 5).await, PostError::ImportForbids).await?;
    refused(&process, process.write(memory, 4, &both, 4 * 4096 - 3, 6).await, PostError::ImportTooShort).await?;
    process.release_import(&only_written).await.map_err(wrong)?;
    let late = process.write(memory, 4, &only_written, 0, 7).await;
    expect!(matches!(late, Err(WriteError::NotImported { .. })), "{late:?}");

    // The owner has withdrawn the buffer and checks again, although the import still allows the
    // posts.
    member.meet("written", Vec::new()).await;
    member.meet("withdrawn", Vec::new()).await;
    refused(&process, process.write(memory, 100, &both, 0, 8).await, PostError::Refused).await?;
    refused(&process, process.read(&both, 0, 100, memory, 9).await, PostError::Refused).await?;
    process.unregister(memory, PAGES * 4096).await.map_err(wrong)?;
    refused(&process, process.write(memory, 100, &both, 0, 10).await, PostError::BadLocalAddress).await?;
    process.close().await.map_err(wrong)?;
    nothing_is_left(&member)
}

async fn owner(member: Member) -> Result<()> {
    let process = member.handle.open("owner").await.map_err(wrong)?;
    let at = process.alloc(2 * PAGES * 4096).map_err(wrong)?;
    let both = process.export_as(at, PAGES * 4096, Access::BOTH).await.map_err(wrong)?;
    let only_written = process.export(at + PAGES * 4096, 4096).await.map_err(wrong)?;
    member.meet("exports", vec![both, only_written]).await;
    receive(&process, at + 100, 3, BYTES).await?;
    member.meet("written", Vec::new()).await;
    process.withdraw(&both).await.map_err(wrong)?;
    member.meet("withdrawn", Vec::new()).await;
    process.close().await.map_err(wrong)?;
    nothing_is_left(&member)
}

/// A connection that the owner does not confirm leaves no import, and can be tried again.
async fn connects(member: Member) -> Result<()> {
    let process = member.handle.open("connects").await.map_err(wrong)?;
    let exports = member.meet("exports", Vec::new()).await;
    let free = || member.handle.driver().service::<Vmmc>().map(|vmmc| vmmc.free().2).ok();
    for (n, export) in exports.iter().enumerate() {
        let before = free();
        let wrong_key = Export { key: [export.key[0] ^ 1, export.key[1], 0, 0], ..*export };
        let refused = process.connect(&wrong_key).await.map_err(|error| error.to_string());
        let expected = format!("the NIC refused post {}: the node of the buffer refused it", 2 * n);
        expect!(refused == Err(expected), "{refused:?}");
        expect!(free() == before, "{:?} imports, {before:?} before", free());
        process.connect(export).await.map_err(wrong)?;
    }
    process.close().await.map_err(wrong)?;
    nothing_is_left(&member)
}

async fn is_connected_to(member: Member) -> Result<()> {
    let process = member.handle.open("owner").await.map_err(wrong)?;
    let at = process.alloc(2 * 4096).map_err(wrong)?;
    let only_written = process.export(at, 4096).await.map_err(wrong)?;
    let only_read = process.export_as(at + 4096, 4096, Access::READ).await.map_err(wrong)?;
    member.meet("exports", vec![only_written, only_read]).await;
    Ok(())
}

#[test]
fn a_connection_is_confirmed_by_the_owner_of_the_buffer() {
    let output = bench().run([job(connects), job(is_connected_to)]);
    assert_eq!(count(&output, 1, Counter::FramesRefusedKey), 2);
    assert_eq!(count(&output, 0, Counter::PostsCompleted), 2);
}

/// Checks INV-36 after the last process has ended: all entries are free and no page is pinned.
fn nothing_is_left(member: &Member) -> Result<()> {
    let (driver, pinned) = (member.handle.driver(), member.handle.memory().borrow().counts().pinned_now);
    let vmmc = driver.service::<Vmmc>().map_err(wrong)?;
    let tables = vmmc.tables();
    let all = (tables.geometry.vmh_tables as usize, tables.geometry.cbh_entries as usize, 0);
    expect!(vmmc.free() == all, "{:?} of {all:?} are free", vmmc.free());
    expect!(pinned == 0, "{pinned} pages are pinned");
    Ok(())
}

#[test]
fn imports_permissions_bounds_and_registered_memory_are_checked_before_anything_is_sent() {
    let output = bench().run([job(writer), job(owner)]);
    assert_eq!(count(&output, 0, Counter::PostsRefusedImport), 2);
    assert_eq!(count(&output, 1, Counter::FramesRefusedBuffer), 2);
    for node in 0..2 {
        for counter in [Counter::SendMisses, Counter::ReceiveMisses, Counter::BufferMisses] {
            assert_eq!(count(&output, node, counter), 0, "{counter:?}");
        }
        assert_eq!(output.nodes[node].accounting.driver.misses, 0);
    }
}

const ROUNDS: u64 = 12;

/// A process posts writes and reads and ends before they do, in each round later. The next process
/// takes its slot.
async fn ending(member: Member) -> Result<()> {
    for round in 0..ROUNDS {
        let process = member.handle.open("ending").await.map_err(wrong)?;
        let memory = process.alloc(8 * 4096).map_err(wrong)?;
        let own = process.export_as(memory, 8 * 4096, Access::BOTH).await.map_err(wrong)?;
        let theirs: Export = member.meet("open", vec![own]).await[0];
        process.import(&theirs).await.map_err(wrong)?;
        process.register(memory, 2 * 4096).await.map_err(wrong)?;
        for message in 0..3 {
            process.write(memory, 8000, &theirs, 0, message).await.map_err(wrong)?;
            process.read(&theirs, 0, 8000, memory + 4 * 4096, message + 100).await.map_err(wrong)?;
        }
        // Node 0 a little before node 1.
        member.sleep_us(round * 31 + 7 * member.node as u64).await;
        process.close().await.map_err(wrong)?;
        nothing_is_left(&member)?;
        member.meet("closed", Vec::new()).await;
    }
    // Frames that were lost last are sent again, a few times at most.
    member.sleep_us(4_000).await;
    Ok(())
}

#[test]
fn a_process_that_ends_with_imports_exports_and_posts_leaves_nothing_and_is_written_no_more() {
    let faults: [Vec<Box<dyn Fault>>; 2] =
        [0, 1].map(|_| vec![Box::new(Loss { name: "loss".into(), probability: 0.05 }) as Box<dyn Fault>]);
    // A DMA to a page of a process that has ended is a fault of the run (INV-26).
    let output = Bench { faults, ..bench() }.run([job(ending), job(ending)]);
    assert!(count(&output, 0, Counter::PostsClosed) + count(&output, 1, Counter::PostsClosed) > 0);
}

/// Eight processes with the same addresses import buffers and write. The NIC must look each post up
/// in the tables of its own process.
async fn crowd(member: Member) -> Result<()> {
    let mut processes = Vec::new();
    let mut exports = Vec::new();
    for _ in 0..8 {
        let process = member.handle.open("one of many").await.map_err(wrong)?;
        // The same addresses in each process.
        let memory = process.alloc(4 * 4096).map_err(wrong)?;
        exports.push(process.export(memory, 2 * 4096).await.map_err(wrong)?);
        process.register(memory + 2 * 4096, 2 * 4096).await.map_err(wrong)?;
        processes.push((process, memory));
    }
    let theirs = Rc::new(member.meet("exports", exports).await);
    let number = |node: usize, slot: usize| (node * 8 + slot) as u32 + 1;
    for (slot, (process, memory)) in processes.iter().enumerate() {
        process.connect(&theirs[slot]).await.map_err(wrong)?;
        send(process, *memory + 2 * 4096 + 1000, &theirs[slot], 1500, number(member.node, slot), 5000).await?;
    }
    for (slot, (process, memory)) in processes.iter().enumerate() {
        receive(process, *memory + 1500, number(member.peer(), slot), 5000).await?;
    }
    member.meet("arrived", Vec::new()).await;
    for (process, _) in &processes {
        process.close().await.map_err(wrong)?;
    }
    nothing_is_left(&member)
}

#[test]
fn eight_processes_with_the_same_addresses_have_each_their_own_pages() {
    bench().run([job(crowd), job(crowd)]);
}

fn random(personality: &str, cores: u32) -> Results {
    let settings = [format!("personality={personality}"), format!("cores={cores}"), "workload.iterations=80".into()];
    let scenario = scenario::load("random", &settings).expect("a scenario");
    let config = RunConfig { scenario, seed: SEED, threads: 1, firmware: None };
    let results = run::run(&config).unwrap_or_else(|error| panic!("{personality}: {error}"));
    results.check().unwrap_or_else(|error| panic!("{personality}: {error}"));
    results
}

/// Every byte is compared although frames are lost, and the sums of counters agree.
#[test]
fn random_messages_arrive_with_either_personality() {
    for (personality, has_misses) in [("mini", true), ("vmmc", false)] {
        let results = random(personality, 1);
        let misses: u64 = results.runs[0]
            .counters
            .iter()
            .flat_map(|counters| {
                // A personality with static tables does not have the set of counters of caches.
                let count = |name| counters.get(&format!("firmware.{name}")).copied();
                let misses = ["SendMisses", "ReceiveMisses", "BufferMisses"].map(count);
                assert!(misses.iter().all(|count| count.is_some() == has_misses), "{personality}: {misses:?}");
                misses.map(Option::unwrap_or_default)
            })
            .sum();
        assert_eq!(misses > 0, has_misses, "{personality}: {misses} misses");
    }
}

#[test]
fn random_messages_arrive_with_static_tables_and_a_core_that_keeps_totals() {
    random("vmmc", 2);
}
