//! The operations of a process on whole nodes: reads, refusals, notifications, and inline data.
//!
//! The tests run with cold caches, with lost frames, and with processes that end meanwhile.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use host_model::address::UserVirt;
use host_model::library::{Access, Export, Process, WriteError};
use nic_layout::counter::Counter;
use nic_layout::post::PostError;
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use sim_fabric::{Fault, Loss};
use sim_pins::Ps;

use crate::common::{count, job, wrong, Bench, Member};

const BUFFER_BYTES: u32 = 5 * 4096;

/// Opens a process with a buffer that holds the pattern of its node's number.
async fn open(member: &Member, access: Access) -> Result<(Process, UserVirt, Export)> {
    let process = member.handle.open("process").await.map_err(wrong)?;
    // Not at the start of a page, so a long message crosses pages within frames.
    let at = UserVirt(process.alloc(BUFFER_BYTES + 4096).map_err(wrong)?.0 + 100);
    process.store(at, &pattern(member.node as u32, BUFFER_BYTES)).map_err(wrong)?;
    let export = process.export_as(at, BUFFER_BYTES, access).await.map_err(wrong)?;
    Ok((process, at, export))
}

fn piece(of: usize, offset: u32, bytes: u32) -> Vec<u8> {
    pattern(of as u32, BUFFER_BYTES)[offset as usize..(offset + bytes) as usize].to_vec()
}

// ---- Reads --------------------------------------------------------------------------------------

/// Offset and length of reads in bytes: a word, nothing, less and more than a frame, across pages,
/// the whole buffer.
const READS: [(u32, u32); 7] =
    [(8, 4), (100, 0), (3, 1001), (1000, 4096), (4000, 9001), (BUFFER_BYTES, 0), (0, BUFFER_BYTES)];

/// Both nodes read from each other at once. The first reads miss in the caches of the owner and of
/// the reader.
async fn read_from_each_other(member: Member) -> Result<()> {
    let (process, _, export) = open(&member, Access::READ).await?;
    let exports = member.meet("exports", vec![export]).await;
    let to = process.alloc(READS.len() as u32 * 8 * 4096).map_err(wrong)?;
    let mut posted = Vec::new();
    for (n, (offset, bytes)) in READS.into_iter().enumerate() {
        let to = UserVirt(to.0 + n as u32 * 8 * 4096 + 4000);
        posted.push((process.read(&exports[0], offset, bytes, to, n as u32).await.map_err(wrong)?, to));
    }
    for ((handle, to), (offset, bytes)) in posted.into_iter().zip(READS) {
        process.wait(handle).await.map_err(wrong)?;
        // When the read ends, all its bytes are in memory (INV-28).
        let found = process.load(to, bytes).map_err(wrong)?;
        expect!(found == piece(member.peer(), offset, bytes), "{bytes} bytes read at {offset} are others");
        let behind = process.load(to + bytes, 64).map_err(wrong)?;
        expect!(behind.iter().all(|byte| *byte == 0), "bytes behind {bytes} read at {offset} were written");
    }
    Ok(())
}

#[test]
fn nodes_read_from_each_other_with_cold_caches() {
    let output = Bench::default().run([job(read_from_each_other), job(read_from_each_other)]);
    for node in 0..2 {
        assert_eq!(count(&output, node, Counter::ReadsCompleted), READS.len() as u64);
        assert_eq!(count(&output, node, Counter::ReadsAnswered), READS.len() as u64);
        assert!(count(&output, node, Counter::FramesDroppedMiss) > 0, "both caches were cold");
    }
}

fn losses() -> [Vec<Box<dyn Fault>>; 2] {
    [0, 1].map(|_| vec![Box::new(Loss { name: "loss".into(), probability: 0.1 }) as Box<dyn Fault>])
}

#[test]
fn reads_survive_lost_frames() {
    let bench = Bench { faults: losses(), ..Bench::default() };
    let output = bench.run([job(read_from_each_other), job(read_from_each_other)]);
    assert!(count(&output, 0, Counter::FramesRetransmitted) + count(&output, 1, Counter::FramesRetransmitted) > 0);
}

/// A process reads the bytes that it has written: the read request follows the write, and the owner
/// serves it only when the write is in memory.
async fn write_then_read(member: Member) -> Result<()> {
    let (process, at, export) = open(&member, Access::BOTH).await?;
    let exports = member.meet("exports", vec![export]).await;
    for round in 0..10 {
        let bytes = 1 + round * 500;
        let to = UserVirt(at.0 + 3 * 4096);
        process.store(at, &pattern(100 + round, bytes)).map_err(wrong)?;
        process.write(at, bytes, &exports[0], 4096, round).await.map_err(wrong)?;
        let read = process.read(&exports[0], 4096, bytes, to, round).await.map_err(wrong)?;
        process.wait(read).await.map_err(wrong)?;
        expect!(process.load(to, bytes).map_err(wrong)? == pattern(100 + round, bytes), "round {round} read old bytes");
    }
    member.meet("done", Vec::new()).await;
    Ok(())
}

async fn lend(member: Member) -> Result<()> {
    let (_, _, export) = open(&member, Access::BOTH).await?;
    member.meet("exports", vec![export]).await;
    member.meet("done", Vec::new()).await;
    Ok(())
}

#[test]
fn a_process_reads_what_it_has_written() {
    Bench::default().run([job(write_then_read), job(lend)]);
}

// ---- Refusals -----------------------------------------------------------------------------------

async fn ends_with(
    process: &Process,
    post: std::result::Result<host_model::library::WriteHandle, WriteError>,
    error: PostError,
    what: &str,
) -> Result<()> {
    let handle = post.map_err(wrong)?;
    let found = process.wait(handle).await;
    let expected = Err(WriteError::Refused { index: handle.index, error: error as u32 });
    expect!(found == expected, "{what}: {found:?} instead of {expected:?}");
    Ok(())
}

/// Every read or write that the owner refuses ends with the same error, and good posts between them
/// end well.
async fn ask_for_too_much(member: Member) -> Result<()> {
    let (process, at, _) = open(&member, Access::BOTH).await?;
    let exports = member.meet("exports", Vec::new()).await;
    let (writable, readable) = (exports[0], exports[1]);
    let wrong_key = |export: Export| Export { key: [export.key[0], !export.key[1], 0, 0], ..export };
    let gone = |export: Export| Export { buffer: export.buffer + 100, ..export };
    for bytes in [4, 5000] {
        for (what, to, offset) in [
            ("write with a wrong key", wrong_key(writable), 0),
            ("write to no buffer", gone(writable), 0),
            ("write out of bounds", writable, BUFFER_BYTES - 3),
            ("write to what may only be read", readable, 0),
        ] {
            ends_with(&process, process.write(at, bytes, &to, offset, 1).await, PostError::Refused, what).await?;
        }
        for (what, from, offset) in [
            ("read with a wrong key", wrong_key(readable), 0),
            ("read of no buffer", gone(readable), 0),
            ("read out of bounds", readable, BUFFER_BYTES - 3),
            ("read of what may only be written", writable, 0),
        ] {
            ends_with(&process, process.read(&from, offset, bytes, at, 1).await, PostError::Refused, what).await?;
        }
        let fine = process.read(&readable, 0, bytes, at, 1).await.map_err(wrong)?;
        process.wait(fine).await.map_err(wrong)?;
    }
    // The heap grows by 128 pages, and this process has the first six.
    let nowhere = UserVirt(at.0 + 256 * 4096);
    let post = process.read(&readable, 0, 3000, nowhere, 1).await;
    ends_with(&process, post, PostError::BadLocalAddress, "read to nowhere").await?;
    let fine = process.read(&readable, 7, 3000, at, 1).await.map_err(wrong)?;
    process.wait(fine).await.map_err(wrong)?;
    expect!(
        process.load(at, 3000).map_err(wrong)? == piece(member.peer(), 7, 3000),
        "the last read brought other bytes"
    );
    member.meet("done", Vec::new()).await;
    Ok(())
}

async fn refuse(member: Member) -> Result<()> {
    let (process, at, writable) = open(&member, Access::WRITE).await?;
    let readable = process.export_as(at, BUFFER_BYTES, Access::READ).await.map_err(wrong)?;
    member.meet("exports", vec![writable, readable]).await;
    member.meet("done", Vec::new()).await;
    let found = process.load(at, BUFFER_BYTES).map_err(wrong)?;
    expect!(found == piece(member.node, 0, BUFFER_BYTES), "something refused was written");
    Ok(())
}

#[test]
fn whatever_is_refused_ends_with_one_error() {
    let output = Bench::default().run([job(ask_for_too_much), job(refuse)]);
    assert_eq!(count(&output, 0, Counter::PostsRefusedOwner), 16);
    assert_eq!(count(&output, 0, Counter::PostsRefusedLocal), 1);
}

#[test]
fn refusals_are_told_though_frames_are_lost() {
    let output = Bench { faults: losses(), ..Bench::default() }.run([job(ask_for_too_much), job(refuse)]);
    assert_eq!(count(&output, 0, Counter::PostsRefusedOwner), 16);
}

// ---- Notifications ------------------------------------------------------------------------------

const NOTIFYING: u32 = 60;

fn size(number: u32) -> u32 {
    [0, 4, 32, 33, 3000][number as usize % 5]
}

async fn notify(member: Member) -> Result<()> {
    let (process, at, _) = open(&member, Access::BOTH).await?;
    let exports = member.meet("exports", Vec::new()).await;
    let mut last = None;
    for number in 0..NOTIFYING {
        let (from, offset) = (UserVirt(at.0 + number * 8), number * 100);
        // Before it, a notification to a buffer without a listener, and a write without
        // notification.
        process.write_and_notify(from, 8, &exports[1], 0, 999).await.map_err(wrong)?;
        process.write(from, 8, &exports[0], 0, 998).await.map_err(wrong)?;
        last = Some(process.write_and_notify(from, size(number), &exports[0], offset, number).await.map_err(wrong)?);
    }
    process.wait(last.expect("there are some")).await.map_err(wrong)?;
    member.meet("done", Vec::new()).await;
    Ok(())
}

async fn be_notified(member: Member) -> Result<()> {
    let process = member.handle.open("listener").await.map_err(wrong)?;
    let at = process.alloc(2 * BUFFER_BYTES).map_err(wrong)?;
    let (export, told) = process.export_with_notifications(at, BUFFER_BYTES, Access::WRITE).await.map_err(wrong)?;
    let unheard = process.export(UserVirt(at.0 + BUFFER_BYTES), 4096).await.map_err(wrong)?;
    member.meet("exports", vec![export, unheard]).await;
    for number in 0..NOTIFYING {
        let notification = told.next().await;
        expect!(notification.message == number, "{notification:?} instead of number {number}");
        let end = number * 100 + size(number);
        expect!(notification.end_offset == end, "{notification:?} ends elsewhere than {end}");
        // A later message may overwrite the bytes behind the first hundred.
        let bytes = size(number).min(100);
        let found = process.load(UserVirt(at.0 + number * 100), bytes).map_err(wrong)?;
        let expected = piece(member.peer(), number * 8, bytes);
        expect!(found == expected, "message {number} is told of before it is there");
    }
    member.meet("done", Vec::new()).await;
    Ok(())
}

#[test]
fn each_write_that_notifies_is_told_of_once_in_order_when_its_bytes_are_there() {
    let output = Bench::default().run([job(notify), job(be_notified)]);
    assert_eq!(count(&output, 1, Counter::NotificationsRead), 2 * u64::from(NOTIFYING));
    let driver = &output.nodes[1].accounting.driver;
    assert_eq!((driver.notifications_heard, driver.notifications_unheard), (NOTIFYING.into(), NOTIFYING.into()));
}

/// With a late interrupt the ring of 32 notifications runs full. Then writes wait, and none is
/// lost.
#[test]
fn a_full_ring_of_notifications_delays_writes_and_loses_none() {
    let bench = Bench { change: |platform| platform.host.interrupt_delay_ns = 400_000, ..Bench::default() };
    let output = bench.run([job(notify), job(be_notified)]);
    assert!(count(&output, 1, Counter::FramesDroppedNotify) > 0, "the ring was never full");
    assert_eq!(count(&output, 1, Counter::NotificationsRead), 2 * u64::from(NOTIFYING));
}

// ---- Inline data --------------------------------------------------------------------------------

/// Every length up to 33 bytes, from several alignments. Up to 32 bytes go with their post, without
/// a DMA read. The source is overwritten as soon as the doorbell was rung.
async fn write_short(member: Member) -> Result<()> {
    let (process, at, _) = open(&member, Access::BOTH).await?;
    let exports = member.meet("exports", Vec::new()).await;
    for bytes in 0..=32 {
        let from = UserVirt(at.0 + bytes % 5);
        process.store(from, &pattern(1000 + bytes, bytes)).map_err(wrong)?;
        process.write(from, bytes, &exports[0], bytes * 40, bytes).await.map_err(wrong)?;
        process.store(from, &[0xEE; 32]).map_err(wrong)?;
    }
    let last = process.write(at, 33, &exports[0], 33 * 40, 33).await.map_err(wrong)?;
    process.wait(last).await.map_err(wrong)?;
    member.meet("done", Vec::new()).await;
    Ok(())
}

async fn receive_short(member: Member) -> Result<()> {
    let process = member.handle.open("receiver").await.map_err(wrong)?;
    let at = process.alloc(4096).map_err(wrong)?;
    let export = process.export(at, 4096).await.map_err(wrong)?;
    member.meet("exports", vec![export]).await;
    member.meet("done", Vec::new()).await;
    for bytes in 0..=32 {
        let found = process.load(UserVirt(at.0 + bytes * 40), 40).map_err(wrong)?;
        let (data, behind) = found.split_at(bytes as usize);
        expect!(data == pattern(1000 + bytes, bytes), "{bytes} bytes came as {data:02x?}");
        expect!(behind.iter().all(|byte| *byte == 0), "{bytes} bytes came with more behind them");
    }
    Ok(())
}

#[test]
fn short_writes_go_with_their_post_and_without_a_lookup() {
    let output = Bench::default().run([job(write_short), job(receive_short)]);
    assert_eq!(count(&output, 0, Counter::PostsCompleted), 34);
    assert_eq!(count(&output, 0, Counter::SendHits), 1, "only the last one is read from memory");
}

// ---- Processes that end -------------------------------------------------------------------------

/// A process ends with outstanding reads. A read of its successor brings the right bytes.
async fn end_while_reading(member: Member) -> Result<()> {
    let exports = member.meet("exports", Vec::new()).await;
    for life in 0..4 {
        let process = member.handle.open("short life").await.map_err(wrong)?;
        let to = process.alloc(8 * BUFFER_BYTES).map_err(wrong)?;
        for read in 0..6 {
            process.read(&exports[0], 0, BUFFER_BYTES, to + read * BUFFER_BYTES, 1).await.map_err(wrong)?;
        }
        member.sleep_us(100 * life).await;
        process.close().await.map_err(wrong)?;
    }
    let process = member.handle.open("long life").await.map_err(wrong)?;
    let to = process.alloc(BUFFER_BYTES).map_err(wrong)?;
    let handle = process.read(&exports[0], 0, BUFFER_BYTES, to, 2).await.map_err(wrong)?;
    process.wait(handle).await.map_err(wrong)?;
    let found = process.load(to, BUFFER_BYTES).map_err(wrong)?;
    expect!(found == piece(member.peer(), 0, BUFFER_BYTES), "the successor read other bytes");
    member.meet("done", Vec::new()).await;
    Ok(())
}

#[test]
fn a_process_that_ends_while_it_reads_leaves_nothing_behind() {
    let output = Bench::default().run([job(end_while_reading), job(lend)]);
    assert!(count(&output, 0, Counter::ReadsFailed) > 0, "no read was under way");
}

/// The owner of a buffer ends while it is read. The reads end well or with the error, and the
/// reader goes on.
async fn read_from_the_dying(member: Member) -> Result<()> {
    let (process, _, _) = open(&member, Access::BOTH).await?;
    let exports = member.meet("exports", Vec::new()).await;
    let to = process.alloc(8 * BUFFER_BYTES).map_err(wrong)?;
    let mut posted = Vec::new();
    for read in 0..8 {
        posted.push(process.read(&exports[0], 0, BUFFER_BYTES, to + read * BUFFER_BYTES, 1).await.map_err(wrong)?);
    }
    let mut refused = 0;
    for handle in posted {
        match process.wait(handle).await {
            Ok(()) => expect!(refused == 0, "a read ended well after the buffer was gone"),
            // The library cannot tell apart posts that end between two of its polls.
            Err(WriteError::Refused { error, .. } | WriteError::Unclear { error, .. }) => {
                expect!(error == PostError::Refused as u32, "error {error}");
                refused += 1;
            }
            Err(other) => return Err(wrong(other)),
        }
    }
    expect!(refused > 0, "all reads were served before the process ended");
    Ok(())
}

async fn die(member: Member) -> Result<()> {
    let (process, _, export) = open(&member, Access::READ).await?;
    member.meet("exports", vec![export]).await;
    member.sleep_us(500).await;
    process.close().await.map_err(wrong)
}

#[test]
fn reads_of_a_process_that_ends_are_refused() {
    Bench::default().run([job(read_from_the_dying), job(die)]);
}

// ---- Latencies ----------------------------------------------------------------------------------

#[derive(Clone, Default)]
struct Shortest(Rc<Cell<Option<Ps>>>);

impl Shortest {
    fn note(&self, took: Ps) {
        self.0.set(Some(self.0.get().map_or(took, |least| least.min(took))));
    }
}

async fn time_reads(member: Member) -> Result<()> {
    let (process, at, _) = open(&member, Access::BOTH).await?;
    let exports = member.meet("exports", Vec::new()).await;
    let limits_us = if member.handle.platform().link.frame_data_bytes_max == 4096 { [20, 120] } else { [26, 120] };
    for (bytes, limit_us) in [4, 4096].into_iter().zip(limits_us) {
        let shortest = Shortest::default();
        for _ in 0..6 {
            let begin = member.now();
            let handle = process.read(&exports[0], 0, bytes, at, 1).await.map_err(wrong)?;
            process.wait(handle).await.map_err(wrong)?;
            shortest.note(member.now() - begin);
        }
        let took = shortest.0.get().expect("six");
        println!("read of {bytes} bytes: {took}");
        expect!(took < Ps::from_us(limit_us), "a read of {bytes} bytes took {took}");
    }
    member.meet("done", Vec::new()).await;
    Ok(())
}

#[test]
fn a_read_takes_little_more_than_two_messages() {
    for platform in ["tigon2", "lanai9"] {
        println!("{platform}");
        Bench { platform, ..Bench::default() }.run([job(time_reads), job(lend)]);
    }
}

/// Simulated time of the notifying write's post, for the other node. Both nodes have the same time.
static POSTED_AT: AtomicU64 = AtomicU64::new(0);

async fn notify_in_time(member: Member) -> Result<()> {
    let (process, at, _) = open(&member, Access::BOTH).await?;
    let exports = member.meet("exports", Vec::new()).await;
    for number in 0..4 {
        member.sleep_us(300).await;
        POSTED_AT.store(member.now().0, Ordering::Relaxed);
        process.write_and_notify(at, 4, &exports[0], 0, number).await.map_err(wrong)?;
        member.meet("told", Vec::new()).await;
    }
    Ok(())
}

async fn time_notifications(member: Member) -> Result<()> {
    let process = member.handle.open("listener").await.map_err(wrong)?;
    let at = process.alloc(4096).map_err(wrong)?;
    let (export, told) = process.export_with_notifications(at, 4096, Access::WRITE).await.map_err(wrong)?;
    member.meet("exports", vec![export]).await;
    for number in 0..4 {
        let notification = told.next().await;
        let took = Ps(member.now().0 - POSTED_AT.load(Ordering::Relaxed));
        expect!(notification.message == number, "{notification:?} instead of number {number}");
        println!("from post to handler: {took}");
        // The first message finds the cache cold. The bound is the latency of a word (5 us), the
        // interrupt (10 us), its handler (4 us) and the notification (13 us), plus half of their
        // sum for waiting.
        expect!(number == 0 || took < Ps::from_us(48), "notification {number} took {took}");
        member.meet("told", Vec::new()).await;
    }
    Ok(())
}

#[test]
fn a_notification_takes_little_more_than_its_message_and_an_interrupt() {
    for platform in ["tigon2", "lanai9"] {
        println!("{platform}");
        Bench { platform, ..Bench::default() }.run([job(notify_in_time), job(time_notifications)]);
    }
}
