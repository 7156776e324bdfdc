//! A hostile process posts and rings the doorbell with arbitrary values, and does no harm.
//!
//! Each wild post is refused with its documented error and counted. No byte is written outside the
//! buffer to which the process has the key. Another process on the same NIC is served meanwhile.

use std::cell::Cell;
use std::rc::Rc;

use host_model::address::{BusAddr, Pid, UserVirt};
use host_model::bus::BusFault;
use host_model::driver::STATUS_PAGE;
use host_model::library::{Export, Process, WriteError};
use host_model::pio::Pio;
use host_model::processor::Priority;
use nic_layout::counter::Counter;
use nic_layout::post::{
    PostDescriptor, PostError, ProcessStatus, MESSAGE_BYTES_MAX, OP_READ, OP_WRITE, POST_FLAG_INLINE, POST_FLAG_NOTIFY,
};
use nic_layout::registers::ident;
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use sim_pins::Ps;

use crate::common::{changes, count, job, receive, register, send, wrong, Bench, Member, Snapshot};

/// Data bytes of a full frame on the platform.
const FRAME: u32 = 1464;
/// The victim's buffer. It lies inside a larger region, and begins and ends within pages.
const BUFFER_OFFSET: u32 = 4 * 4096 + 100;
const BUFFER_BYTES: u32 = 5000;
const REGION_BYTES: u32 = 16 * 4096;
const UNTOUCHED: u8 = 0x5A;
/// Round trips of the honest processes, with messages of these sizes in turn.
const ROUNDS: u32 = 100;
const SIZES: [u32; 5] = [4, 700, 1464, 3000, 6000];
const HONEST_BYTES: u32 = 8192;

/// Begin and end of a task.
#[derive(Clone, Default)]
struct Times(Rc<Cell<(Ps, Ps)>>);

/// The expected end of a post.
type End = std::result::Result<(), PostError>;

/// Posts of the hostile process, in order: a name, the descriptor and the expected end. `victim` is
/// the victim's buffer with its key, `own` the start of the hostile process's memory.
fn wild_posts(victim: &Export, own: UserVirt) -> Vec<(&'static str, PostDescriptor, End)> {
    use PostError::*;
    let good = PostDescriptor {
        op: OP_WRITE,
        flags: 0,
        destination_node: victim.node.0,
        length_bytes: 100,
        local_address: own.0,
        buffer: victim.buffer,
        buffer_offset: 0,
        key: [victim.key[0], victim.key[1]],
        message: 0xBAD,
    };
    // The heap grows by 128 pages. The pages behind them do not exist.
    let heap_end = own.0 + 128 * 4096;
    let [low, high, ..] = victim.key;
    vec![
        ("operation 0", PostDescriptor { op: 0, ..good }, Err(UnknownOperation)),
        ("operation 255", PostDescriptor { op: 255, ..good }, Err(UnknownOperation)),
        ("the node itself", PostDescriptor { destination_node: 0, ..good }, Err(NoSuchNode)),
        ("node 2 of 2", PostDescriptor { destination_node: 2, ..good }, Err(NoSuchNode)),
        ("node 65535", PostDescriptor { destination_node: u16::MAX, ..good }, Err(NoSuchNode)),
        ("too long", PostDescriptor { length_bytes: MESSAGE_BYTES_MAX + 1, ..good }, Err(LengthOutOfRange)),
        ("4 GB", PostDescriptor { length_bytes: u32::MAX, ..good }, Err(LengthOutOfRange)),
        ("offset wraps", PostDescriptor { buffer_offset: u32::MAX, ..good }, Err(LengthOutOfRange)),
        ("source wraps", PostDescriptor { local_address: u32::MAX, length_bytes: 2, ..good }, Err(BadLocalAddress)),
        (
            "source wraps by one",
            PostDescriptor { local_address: 0xFFFF_F000, length_bytes: 0x1001, ..good },
            Err(BadLocalAddress),
        ),
        ("nothing at the last page", PostDescriptor { local_address: 0xFFFF_FF9C, ..good }, Err(BadLocalAddress)),
        ("nothing at page 0", PostDescriptor { local_address: 0, ..good }, Err(BadLocalAddress)),
        // The bytes of the first frame lie before the hole, and arrive.
        (
            "a hole in the source",
            PostDescriptor { local_address: heap_end - 2000, length_bytes: 3000, buffer_offset: 3000, ..good },
            Err(BadLocalAddress),
        ),
        // The sender learns of every refusal of the receiver by the same error.
        ("no such buffer", PostDescriptor { buffer: 200, ..good }, Err(Refused)),
        ("buffer 256", PostDescriptor { buffer: 256, ..good }, Err(Refused)),
        ("the last buffer", PostDescriptor { buffer: u32::MAX, ..good }, Err(Refused)),
        ("wrong low key", PostDescriptor { key: [low ^ 1, high], ..good }, Err(Refused)),
        ("wrong high key", PostDescriptor { key: [low, high ^ 1 << 31], ..good }, Err(Refused)),
        ("keys swapped, 3 frames", PostDescriptor { key: [high, low], length_bytes: 3 * FRAME, ..good }, Err(Refused)),
        ("one byte beyond", PostDescriptor { buffer_offset: BUFFER_BYTES - 99, ..good }, Err(Refused)),
        ("all beyond", PostDescriptor { buffer_offset: BUFFER_BYTES, ..good }, Err(Refused)),
        ("far beyond", PostDescriptor { buffer_offset: u32::MAX - 100, ..good }, Err(Refused)),
        ("nothing, beyond", PostDescriptor { buffer_offset: BUFFER_BYTES + 1, length_bytes: 0, ..good }, Err(Refused)),
        ("nothing, at the end", PostDescriptor { buffer_offset: BUFFER_BYTES, length_bytes: 0, ..good }, Ok(())),
        ("nothing, from nowhere", PostDescriptor { local_address: u32::MAX, length_bytes: 0, ..good }, Ok(())),
        // Three frames fit into the buffer, four do not.
        ("longer than the buffer", PostDescriptor { length_bytes: 7 * FRAME, ..good }, Err(Refused)),
        ("unknown flags", PostDescriptor { flags: 0xFF, ..good }, Err(UnknownOperation)),
        (
            "a read that notifies",
            PostDescriptor { op: OP_READ, flags: POST_FLAG_NOTIFY, ..good },
            Err(UnknownOperation),
        ),
        ("a read of what may only be written", PostDescriptor { op: OP_READ, ..good }, Err(Refused)),
        (
            "33 bytes in the queue",
            PostDescriptor { flags: POST_FLAG_INLINE, length_bytes: 33, ..good },
            Err(LengthOutOfRange),
        ),
        ("no second entry", PostDescriptor { flags: POST_FLAG_INLINE, length_bytes: 5, ..good }, Err(LengthOutOfRange)),
        ("nobody listens", PostDescriptor { flags: POST_FLAG_NOTIFY, buffer_offset: 4800, ..good }, Ok(())),
    ]
}

/// The bytes of the victim's buffer after the attack: only good posts have written.
fn expected_buffer() -> Vec<u8> {
    let mut expected = vec![UNTOUCHED; BUFFER_BYTES as usize];
    let source = pattern(0xBAD, 128 * 4096);
    let mut put = |offset: usize, from: usize, bytes: usize| {
        expected[offset..offset + bytes].copy_from_slice(&source[from..from + bytes]);
    };
    put(3000, 128 * 4096 - 2000, FRAME as usize);
    put(0, 0, 3 * FRAME as usize);
    put(4800, 0, 100);
    expected
}

/// The status page of a process, which its NIC writes.
fn status(process: &Process) -> Result<ProcessStatus> {
    let bytes = process.load(STATUS_PAGE.start(), 16).map_err(wrong)?;
    let word = |n: usize| u32::from_le_bytes([bytes[4 * n], bytes[4 * n + 1], bytes[4 * n + 2], bytes[4 * n + 3]]);
    Ok(ProcessStatus { refused: word(0), last_error: word(1), last_error_index: word(2), ended: word(3) })
}

async fn attack(member: Member, process: Process, own: UserVirt, victim: Export, times: Times) -> Result<()> {
    let begin = member.now();
    let mut refused = 0;
    for (what, descriptor, end) in wild_posts(&victim, own) {
        let handle = process.post(&descriptor, [0; 2]).await.map_err(wrong)?;
        let found = process.wait(handle).await;
        let as_told = match end {
            Ok(()) => found == Ok(()),
            Err(error) => found == Err(WriteError::Refused { index: handle.index, error: error as u32 }),
        };
        expect!(as_told, "{what}: {found:?} instead of {end:?}");
        refused += u32::from(end.is_err());
        expect!(status(&process)?.refused == refused, "{what}: {:?} after {refused} refusals", status(&process)?);
    }
    // Producer indices beyond the room of the queue, or before the last index.
    let ended = status(&process)?.ended;
    for value in [ended + 129, ended - 1, ended ^ 1 << 31, 0, u32::MAX] {
        process.ring_raw(value).await.map_err(wrong)?;
        member.sleep_us(20).await;
        let status = status(&process)?;
        let told = status.last_error == PostError::BadProducerIndex as u32 && status.last_error_index == value;
        expect!(told && status.ended == ended, "doorbell {value:#x}: {status:?}");
    }
    // The last index again is good, and so is the next post.
    process.ring_raw(ended).await.map_err(wrong)?;
    member.sleep_us(20).await;
    let fine = wild_posts(&victim, own).pop().expect("there are posts").1;
    let handle = process.post(&fine, [0; 2]).await.map_err(wrong)?;
    process.wait(handle).await.map_err(wrong)?;
    times.0.set((begin, member.now()));
    Ok(())
}

/// Doorbell pages without a process: of 16 pages, 2 belong to processes.
const STRANGE_PAGES: u32 = 14;

async fn ring_closed_pages(member: &Member, process: &Process) -> Result<()> {
    let driver = member.handle.driver();
    let device = driver.device(process.cpu()).map_err(wrong)?;
    for page in 2..16 {
        // Each page at another offset.
        device.pio.write(device.resources.registers + 0x1_0000 + page * 0x1000 + page * 252, 1).await;
        member.sleep_us(5).await;
    }
    Ok(())
}

/// Round trips of two honest processes; node 0 begins.
async fn honest(member: Member, process: Process, at: UserVirt, peer: Export, times: Times) -> Result<()> {
    let (begin, from) = (member.now(), UserVirt(at.0 + HONEST_BYTES));
    for round in 0..ROUNDS {
        let bytes = SIZES[round as usize % SIZES.len()];
        // Different places, so that the awaited bytes cannot be there yet.
        let offset = round * 40 % (HONEST_BYTES - 6000);
        let (ping, pong) = (1000 + 2 * round, 1001 + 2 * round);
        if member.node == 0 {
            send(&process, from, &peer, offset, ping, bytes).await?;
            receive(&process, UserVirt(at.0 + offset), pong, bytes).await?;
        } else {
            receive(&process, UserVirt(at.0 + offset), ping, bytes).await?;
            send(&process, from, &peer, offset, pong, bytes).await?;
        }
    }
    times.0.set((begin, member.now()));
    Ok(())
}

async fn open_honest(member: &Member) -> Result<(Process, UserVirt, Export)> {
    let process = member.handle.open("honest").await.map_err(wrong)?;
    let at = process.alloc(2 * HONEST_BYTES).map_err(wrong)?;
    let export = process.export(at, HONEST_BYTES).await.map_err(wrong)?;
    Ok((process, at, export))
}

async fn attacked_from(member: Member) -> Result<()> {
    let hostile = member.handle.open("hostile").await.map_err(wrong)?;
    let own = hostile.alloc(128 * 4096).map_err(wrong)?;
    hostile.store(own, &pattern(0xBAD, 128 * 4096)).map_err(wrong)?;
    let (process, at, export) = open_honest(&member).await?;
    let exports = member.meet("exports", vec![export]).await;
    let before = member.memory();

    let (during, all) = (Times::default(), Times::default());
    let sim = member.handle.sim();
    let task = attack(member.clone(), hostile.clone(), own, exports[1], during.clone());
    let attack = sim.spawn("attack", task);
    honest(member.clone(), process.clone(), at, exports[0], all.clone()).await?;
    attack.await?;
    let ((attack_begin, attack_end), (begin, end)) = (during.0.get(), all.0.get());
    expect!(
        begin <= attack_begin && attack_end < end,
        "the attack lasted longer than honest work: {attack_end}, {end}"
    );
    ring_closed_pages(&member, &hostile).await?;
    only_changed(&member, &before, &[(process.pid(), at, 2 * HONEST_BYTES)])
}

async fn attacked(member: Member) -> Result<()> {
    let victim = member.handle.open("victim").await.map_err(wrong)?;
    let region = victim.alloc(REGION_BYTES).map_err(wrong)?;
    victim.store(region, &[UNTOUCHED; REGION_BYTES as usize]).map_err(wrong)?;
    let buffer = UserVirt(region.0 + BUFFER_OFFSET);
    let open = victim.export(buffer, BUFFER_BYTES).await.map_err(wrong)?;
    let (process, at, export) = open_honest(&member).await?;
    let exports = member.meet("exports", vec![export, open]).await;
    let before = member.memory();
    honest(member.clone(), process.clone(), at, exports[0], Times::default()).await?;
    // The attack has ended: the honest process of the other node works longer than it.
    let found = victim.load(buffer, BUFFER_BYTES).map_err(wrong)?;
    expect!(found == expected_buffer(), "the buffer holds what nobody was allowed to write");
    let allowed = [(process.pid(), at, 2 * HONEST_BYTES), (victim.pid(), buffer, BUFFER_BYTES)];
    only_changed(&member, &before, &allowed)
}

/// Checks that the memory of the node is as before, except for these ranges and the status pages.
fn only_changed(member: &Member, before: &Snapshot, ranges: &[(Pid, UserVirt, u32)]) -> Result<()> {
    for (pid, address) in changes(before, &member.memory()) {
        let in_status = UserVirt(address).page() == STATUS_PAGE && UserVirt(address).offset_in_page() < 16;
        let allowed =
            ranges.iter().any(|(owner, start, bytes)| pid == *owner && (start.0..start.0 + bytes).contains(&address));
        expect!(allowed || in_status, "a byte of process {} at {address:#x} has changed", pid.0);
    }
    Ok(())
}

#[test]
fn wild_posts_and_doorbells_are_refused_and_honest_work_goes_on() {
    let output = Bench::default().run([job(attacked_from), job(attacked)]);
    let sender = |counter| count(&output, 0, counter);
    let receiver = |counter| count(&output, 1, counter);
    assert_eq!(sender(Counter::PostsRefusedOperation), 2 + 2);
    assert_eq!(sender(Counter::PostsRefusedNode), 3);
    assert_eq!(sender(Counter::PostsRefusedLength), 3 + 2);
    assert_eq!(sender(Counter::PostsRefusedLocal), 5);
    assert_eq!(sender(Counter::DoorbellsWild), 5);
    assert_eq!(sender(Counter::DoorbellsClosed), u64::from(STRANGE_PAGES));
    assert_eq!(receiver(Counter::FramesRefusedBuffer), 3);
    assert_eq!(receiver(Counter::FramesRefusedKey), 2 + 3);
    // The message that was too long has 1 to 4 frames beyond the buffer: its sender stops when it
    // processes the first refusal.
    assert!((4 + 1..=4 + 4).contains(&receiver(Counter::FramesRefusedBounds)));
    assert_eq!(sender(Counter::PostsRefusedOwner), 11 + 1);
    assert_eq!(receiver(Counter::PostsCompleted), u64::from(ROUNDS));
    assert_eq!(sender(Counter::PostsCompleted), u64::from(ROUNDS) + 3 + 1);
    assert_eq!(register(&output, 0, "host_refused"), 0);
}

// ---- Loads and stores of the host to addresses without a register -------------------------------

/// Offsets in BAR 0 without a register: in the slots of blocks, behind them, in the hole before the
/// low SRAM, and up to the doorbells.
const NOTHING: [u32; 9] = [0x034, 0x0FC, 0x7FC, 0xDFC, 0x1000, 0x13FC, 0x2000, 0x8000, 0xFFFC];

async fn misread(member: Member) -> Result<()> {
    let cpu = member.handle.cpu("stranger", Priority::User);
    let device = member.handle.driver().device(&cpu).map_err(wrong)?;
    let registers = device.resources.registers;
    for offset in NOTHING {
        let found = device.pio.read(registers + offset).await.map_err(wrong)?;
        expect!(found == 0, "{offset:#x} reads {found:#x}");
        device.pio.write(registers + offset, u32::MAX).await;
    }
    // The window, moved beyond the SRAM of this platform.
    device.write(ident::WINDOW_BASE, device.resources.sram_bytes).await;
    let found = device.pio.read(registers + 0x1800).await.map_err(wrong)?;
    expect!(found == 0, "the window beyond the SRAM reads {found:#x}");
    device.write(ident::WINDOW_BASE, 0).await;
    // Doorbells read zero, and the NIC does not count that as a refusal.
    let found = device.pio.read(registers + 0x1_2340).await.map_err(wrong)?;
    expect!(found == 0, "a doorbell page reads {found:#x}");
    // No target answers behind both BARs.
    let beyond: BusAddr = registers + 0x2_0000;
    let found = Pio::read(&device.pio, beyond).await;
    expect!(found == Err(BusFault::MasterAbort), "behind the BARs: {found:?}");
    Ok(())
}

async fn quiet(_: Member) -> Result<()> {
    Ok(())
}

#[test]
fn what_holds_nothing_reads_zero_drops_writes_and_is_counted() {
    let output = Bench::default().run([job(misread), job(quiet)]);
    assert_eq!(register(&output, 0, "host_refused"), 2 * NOTHING.len() as u64 + 1);
    assert_eq!(register(&output, 1, "host_refused"), 0);
}

// ---- A process that ends with outstanding posts -------------------------------------------------

async fn end_early(member: Member) -> Result<()> {
    let exports = member.meet("exports", Vec::new()).await;
    for life in 0..3 {
        let process = member.handle.open("short life").await.map_err(wrong)?;
        let from = process.alloc(65_536).map_err(wrong)?;
        process.store(from, &pattern(life, 65_536)).map_err(wrong)?;
        let mut first = None;
        for _ in 0..20 {
            let posted = process.write(from, 10_000, &exports[0], 0, life).await.map_err(wrong)?;
            first.get_or_insert(posted);
        }
        // By then some posts have ended, some are outstanding, and the NIC has not read some.
        member.sleep_us(100 * u64::from(life)).await;
        if life == 2 {
            process.wait(first.expect("a first post")).await.map_err(wrong)?;
        }
        process.close().await.map_err(wrong)?;
    }
    let process = member.handle.open("long life").await.map_err(wrong)?;
    let from = process.alloc(10_000).map_err(wrong)?;
    send(&process, from, &exports[0], 0, 77, 10_000).await?;
    expect!(process.status().ended == 1, "{:?}", process.status());
    member.meet("sent", Vec::new()).await;
    Ok(())
}

async fn outlive(member: Member) -> Result<()> {
    let process = member.handle.open("receiver").await.map_err(wrong)?;
    let at = process.alloc(12_000).map_err(wrong)?;
    process.store(at, &[UNTOUCHED; 12_000]).map_err(wrong)?;
    let export = process.export(at, 10_000).await.map_err(wrong)?;
    member.meet("exports", vec![export]).await;
    receive(&process, at, 77, 10_000).await?;
    member.meet("sent", Vec::new()).await;
    let behind = process.load(UserVirt(at.0 + 10_000), 2000).map_err(wrong)?;
    expect!(behind.iter().all(|byte| *byte == UNTOUCHED), "bytes behind the buffer were written");
    expect!(
        process.load(at, 10_000).map_err(wrong)? == pattern(77, 10_000),
        "an ended process wrote after its successor"
    );
    Ok(())
}

#[test]
fn a_process_that_ends_with_posts_under_way_leaves_nothing_behind() {
    let output = Bench::default().run([job(end_early), job(outlive)]);
    // Three processes made 20 posts each: some ended well, some were closed, and the NIC never read
    // some.
    let (ended, closed) = (count(&output, 0, Counter::PostsCompleted), count(&output, 0, Counter::PostsClosed));
    assert!(closed > 0 && ended > 1 && ended + closed <= 61, "{ended} ended, {closed} closed");
}
