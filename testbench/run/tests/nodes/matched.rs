//! The personality `emp` on whole nodes: messages arrive exactly, whatever the link does, and take
//! the receives that the ordering rule says; what cannot be delivered is reported.

use host_model::address::UserVirt;
use host_model::driver::DriverError;
use host_model::library::emp::{Arrival, From, MessageError, Messages, Transfer};
use host_model::library::Process;
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{offset_bytes, stat, Descriptor, Failure, Format, SEND_DESCRIPTORS};
use nic_layout::personality::emp::{MAILBOX_RECEIVE, MAILBOX_SEND, MESSAGE_BYTES_MAX};
use nic_layout::registers::mailbox;
use nic_layout::trace::Marker;
use nicscope_account::results::Results;
use nicscope_run::run::{run, RunConfig};
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use nicscope_scenario::image;
use nicscope_scenario::scenario::{self, Matching};
use sim_pins::Ps;
use std::sync::{Arc, Mutex};

use crate::common::{count, job, wrong, Bench, Member, BAD_LINK};

// ---- Scenarios ----------------------------------------------------------------------------------

fn emp(name: &str, changes: &[&str], threads: usize) -> Result<Results> {
    const EMP: [&str; 3] = ["personality=\"emp\"", "platforms=[\"tigon2\"]", "misses.ratios=[0.0]"];
    let overrides: Vec<String> = EMP.iter().chain(changes).map(|entry| entry.to_string()).collect();
    run(&RunConfig { scenario: scenario::load(name, &overrides)?, seed: 1, threads, firmware: None })
}

/// Every sum of the run holds. The retransmissions of all steps.
fn check(results: &Results) -> u64 {
    let run = &results.runs[0];
    assert_eq!(run.broken(), Vec::<String>::new());
    run.rows.iter().map(|row| row.retransmissions).sum()
}

/// Sizes at which a message has one frame more, a page more, or another format.
const SIZES: &str = "workload.sizes_bytes=[0,1,1474,1475,4096,4097,28672,28673]";

#[test]
fn messages_of_every_format_arrive() {
    let results = emp("ping-pong", &[SIZES, "workload.iterations=3", "workload.warm_up=1"], 1).unwrap();
    assert_eq!(check(&results), 0);
    assert!(results.runs[0].rows.iter().all(|row| row.messages == 6 && row.latency_ps.min > 0));
}

#[test]
fn a_message_longer_than_a_list_page_arrives() {
    // 409 pages: one more than a list page names.
    let sizes = "workload.sizes_bytes=[1675264]";
    let results = emp("stream", &[sizes, "workload.iterations=1", "workload.warm_up=0"], 1).unwrap();
    check(&results);
    assert_eq!(results.runs[0].rows[0].messages, 1);
}

/// A receive that the warm-up leaves behind would take the first measured message.
#[test]
fn a_warm_up_without_messages_leaves_no_receive_behind() {
    for library in ["emp", "mpi", "sockets"] {
        let library = format!("emp.library={library:?}");
        let few = [&library, "workload.warm_up=0", "workload.iterations=2", "workload.sizes_bytes=[10]"];
        for name in ["ping-pong", "stream"] {
            let results = emp(name, &few, 1).unwrap();
            assert_eq!(check(&results), 0, "{library}, {name}");
            assert!(results.runs[0].rows[0].messages > 0, "{library}, {name}");
        }
    }
}

#[test]
fn messages_arrive_exactly_on_a_bad_link() {
    for name in ["stream", "both-ways"] {
        // Most of the time is waiting for time-outs.
        let few =
            ["workload.sizes_bytes=[10,9000]", "workload.iterations=30", "workload.outstanding=3", "emp.resend_us=100"];
        let results = emp(name, &[&few[..], &BAD_LINK[..]].concat(), 1).unwrap();
        assert!(check(&results) > 0, "{name}: nothing was lost");
    }
}

#[test]
fn threads_change_nothing() {
    let few = ["workload.sizes_bytes=[10,6000]", "workload.iterations=8"];
    let run = |threads| serde_json::to_string(&emp("both-ways", &few, threads).unwrap()).unwrap();
    assert_eq!(run(1), run(2));
}

#[test]
fn settings_of_a_scenario_reach_the_nic() {
    let frames = |changes: &[&str]| {
        let few = ["workload.sizes_bytes=[12000]", "workload.iterations=4", "workload.warm_up=0"];
        let results = emp("stream", &[&few[..], changes].concat(), 1).unwrap();
        check(&results);
        let counter = |node: usize, name: &str| results.runs[0].counters[node][&format!("firmware.{name}")];
        (counter(1, "FramesPlaced"), counter(0, "CollectionsAccepted"))
    };
    // 12000 bytes are 9 frames: 1474 bytes and 8 of up to 1486.
    assert_eq!(frames(&[]), (36, 12));
    assert_eq!(frames(&["emp.collection_frames=8"]), (36, 8));
    // 986 bytes of each frame, 974 of the first.
    assert_eq!(frames(&["emp.mtu_bytes=1000"]), (4 * 13, 4 * 5));
}

#[test]
fn wrong_settings_are_refused() {
    let refused = |name: &str, changes: &[&str]| emp(name, changes, 1).unwrap_err().to_string();
    for (change, what) in [
        ("emp.mtu_bytes=9001", "must be 27 to 9000"),
        ("emp.slow_below=24", "power of two"),
        ("emp.slower_below=32", "power of two below"),
        ("emp.collection_frames=9", "must be 1 to 8"),
        ("emp.resend_us=0", "must be 1 to 100000"),
        ("emp.posted_ahead=401", "must be 0 to 400"),
        ("emp.scheme=\"dsr\"", "only with cores = 2"),
        ("workload.sizes_bytes=[16777217]", "must be 0 to 16777216"),
        ("workload.kind=\"fetch\"", "does not play"),
        ("personality=\"mini\"", "does not play"),
    ] {
        let text = refused("both-ways", &[change]);
        assert!(text.contains(what), "{change}: {text}");
    }
    let text = refused("stream", &["personality=\"mini\"", "emp.collection_frames=2"]);
    assert!(text.contains("only with personality"), "{text}");
}

// ---- Processes ----------------------------------------------------------------------------------

const ROOM_BYTES: u32 = 8 * 4096;

/// A process with locked memory.
async fn open(member: &Member) -> Result<(Process<Messages>, UserVirt)> {
    let process = member.handle.open_with::<Messages>("test").await.map_err(wrong)?;
    let memory = process.alloc(ROOM_BYTES).map_err(wrong)?;
    process.lock(memory, ROOM_BYTES).await.map_err(wrong)?;
    Ok((process, memory))
}

/// Sends a message with the pattern of its tag.
async fn send(process: &Process<Messages>, to: usize, tag: u16, at: UserVirt, bytes: u32) -> Result<Transfer> {
    process.store(at, &pattern(tag.into(), bytes)).map_err(wrong)?;
    process.send(to as u16, tag, at, bytes).await.map_err(wrong)
}

/// The message of a receive has these bytes.
fn compare(process: &Process<Messages>, at: UserVirt, tag: u16, bytes: u32) -> Result<()> {
    let found = process.load(at, bytes).map_err(wrong)?;
    expect!(found == pattern(tag.into(), bytes), "message {tag} is not as it was sent");
    Ok(())
}

fn failed(end: std::result::Result<(), MessageError>) -> Option<Failure> {
    match end {
        Err(MessageError::Failed(failure)) => Some(failure),
        _ => None,
    }
}

/// Ends like this, with both processes closed.
async fn close(member: &Member, process: &Process<Messages>) -> Result<()> {
    member.meet("done", Vec::new()).await;
    process.close().await.map_err(wrong)
}

#[test]
fn a_message_takes_the_oldest_receive_that_it_matches() {
    let sender = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        member.meet("posted", Vec::new()).await;
        let mut sends = Vec::new();
        for (index, tag) in [5, 9, 5, 7].into_iter().enumerate() {
            sends.push(send(&process, 1, tag, at + 4096 * index as u32, 100 * u32::from(tag)).await?);
        }
        for transfer in sends {
            process.wait_message(&transfer).await.map_err(wrong)?;
            process.free(transfer);
        }
        close(&member, &process).await
    });
    let receiver = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        let (any, node) = (None, Some(0));
        let wanted = [(any, Some(9)), (node, Some(5)), (any, any), (node, any)];
        let mut receives = Vec::new();
        for (index, (node, tag)) in wanted.into_iter().enumerate() {
            receives.push(process.receive(From { node, tag }, at + 4096 * index as u32, 4096).await.map_err(wrong)?);
        }
        member.meet("posted", Vec::new()).await;
        // In the order of sending: 5 takes the second, 9 the first, the other 5 the third.
        for (index, tag) in [9, 5, 5, 7].into_iter().enumerate() {
            process.wait_message(&receives[index]).await.map_err(wrong)?;
            let arrival = process.arrival(&receives[index]).await.map_err(wrong)?;
            let expected = Arrival { node: 0, tag, bytes: 100 * u32::from(tag) };
            expect!(arrival == expected, "receive {index}: {arrival:?}");
            compare(&process, at + 4096 * index as u32, tag, arrival.bytes)?;
        }
        close(&member, &process).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([sender, receiver]);
}

/// A receive that a process posts, and gives up before the messages are sent.
#[derive(Clone, Copy, Debug)]
struct Plan {
    from: From,
    is_cancelled: bool,
}

/// Receives with any mix of wildcards, and the tags of as many messages. Messages that nothing else
/// matches find one of the last receives.
fn plan(seed: u64) -> (Vec<Plan>, Vec<u16>) {
    const MESSAGES: usize = 60;
    let mut state = seed;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (state >> 33) % below
    };
    let mut receives: Vec<Plan> = (0..MESSAGES)
        .map(|_| Plan {
            from: From {
                node: (draw(2) == 0).then_some(0),
                // Some tags are asked for often, some by nobody.
                tag: (draw(4) != 0).then_some(draw(9) as u16 * 257),
            },
            is_cancelled: draw(6) == 0,
        })
        .collect();
    receives.extend([Plan { from: From { node: None, tag: None }, is_cancelled: false }; MESSAGES]);
    let tags = (0..MESSAGES).map(|_| draw(12) as u16 * 257).collect();
    (receives, tags)
}

/// The receives that the messages take, word by word as the rule says.
fn taken(receives: &[Plan], tags: &[u16]) -> Vec<usize> {
    let mut posted: Vec<usize> = (0..receives.len()).filter(|index| !receives[*index].is_cancelled).collect();
    let take = |tag: &u16| {
        let is_match = |index: &usize| receives[*index].from.tag.is_none_or(|wanted| wanted == *tag);
        let at = posted.iter().position(is_match).expect("the last receives match any message");
        posted.remove(at)
    };
    tags.iter().map(take).collect()
}

/// The receives that are matched on a NIC with this search, in the order of matching.
fn matched_in_order(search: Matching, seed: u64) -> Vec<usize> {
    const BYTES: u32 = 8;
    let sender = job(move |member: Member| async move {
        let (process, at) = open(&member).await?;
        member.meet("posted", Vec::new()).await;
        let (mut sends, (_, tags)) = (std::collections::VecDeque::new(), plan(seed));
        for tag in tags {
            if sends.len() == 8 {
                let transfer = sends.pop_front().expect("eight are posted");
                process.wait_message(&transfer).await.map_err(wrong)?;
                process.free(transfer);
            }
            sends.push_back(process.send(1, tag, at, BYTES).await.map_err(wrong)?);
        }
        for transfer in sends {
            process.wait_message(&transfer).await.map_err(wrong)?;
        }
        close(&member, &process).await
    });
    // The record of each receive.
    let records: Arc<Mutex<Vec<u32>>> = Arc::default();
    let known = records.clone();
    let receiver = job(move |member: Member| async move {
        let (process, at) = open(&member).await?;
        let (mut posted, (receives, tags)) = (Vec::new(), plan(seed));
        for Plan { from, .. } in &receives {
            posted.push(process.receive(*from, at, BYTES).await.map_err(wrong)?);
        }
        let records = posted.iter().map(|transfer| transfer.number() - SEND_DESCRIPTORS).collect();
        *known.lock().expect("nobody panics with it") = records;
        for (transfer, _) in posted.iter().zip(&receives).filter(|(_, receive)| receive.is_cancelled) {
            process.cancel(transfer).await.map_err(wrong)?;
            let end = process.wait_message(transfer).await;
            expect!(failed(end.clone()) == Some(Failure::Cancelled), "cancelled: {end:?}");
        }
        member.meet("posted", Vec::new()).await;
        for (index, tag) in taken(&receives, &tags).into_iter().zip(&tags) {
            process.wait_message(&posted[index]).await.map_err(wrong)?;
            let arrival = process.arrival(&posted[index]).await.map_err(wrong)?;
            expect!(arrival == Arrival { node: 0, tag: *tag, bytes: BYTES }, "receive {index}: {arrival:?}");
        }
        close(&member, &process).await
    });
    let image = std::fs::read(image::build_matching("emp", search).unwrap()).unwrap();
    let bench = Bench { personality: "emp", firmware: Some(Arc::new(image)), record: true, ..Bench::default() };
    let output = bench.run([sender, receiver]);
    let markers = output.nodes[1].log.markers(Ps::ZERO, Ps::MAX);
    let records = records.lock().expect("nobody panics with it");
    let index = |record| records.iter().position(|it| *it == record).expect("a receive has the record");
    markers.filter(|(_, marker, _)| *marker == Marker::MessageMatched).map(|(.., record)| index(record)).collect()
}

#[test]
fn both_searches_match_the_same_receives_in_the_same_order() {
    for seed in [1, 2] {
        let (receives, tags) = plan(seed);
        let expected = taken(&receives, &tags);
        for search in [Matching::Linear, Matching::Hashed] {
            assert_eq!(matched_in_order(search, seed), expected, "{search:?}, seed {seed}");
        }
    }
}

#[test]
fn a_message_waits_for_its_receive() {
    let sender = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        let transfer = send(&process, 1, 3, at, 5000).await?;
        member.sleep_us(300).await;
        expect!(process.test(&transfer).await.map_err(wrong)?.is_none(), "nothing is posted");
        member.meet("too early", Vec::new()).await;
        process.wait_message(&transfer).await.map_err(wrong)?;
        close(&member, &process).await
    });
    let receiver = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        member.meet("too early", Vec::new()).await;
        let receive = process.receive(From::default(), at, ROOM_BYTES).await.map_err(wrong)?;
        process.wait_message(&receive).await.map_err(wrong)?;
        compare(&process, at, 3, 5000)?;
        close(&member, &process).await
    });
    let output = Bench { personality: "emp", ..Bench::default() }.run([sender, receiver]);
    assert!(count(&output, 0, Counter::RefusalsTaken) > 0);
    assert!(count(&output, 1, Counter::FirstsNotPosted) > 0);
}

#[test]
fn what_cannot_be_delivered_is_reported_to_both() {
    let sender = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        member.meet("posted", Vec::new()).await;
        let too_long = send(&process, 1, 1, at, 5000).await?;
        let end = process.wait_message(&too_long).await;
        expect!(failed(end.clone()) == Some(Failure::Aborted), "too long: {end:?}");
        let cancelled = send(&process, 1, 2, at, 5000).await?;
        process.cancel(&cancelled).await.map_err(wrong)?;
        let end = process.wait_message(&cancelled).await;
        expect!(failed(end.clone()) == Some(Failure::Cancelled), "cancelled: {end:?}");
        close(&member, &process).await
    });
    let receiver = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        let short = process.receive(From { node: None, tag: Some(1) }, at, 4999).await.map_err(wrong)?;
        let never = process.receive(From { node: None, tag: Some(4) }, at, 4999).await.map_err(wrong)?;
        member.meet("posted", Vec::new()).await;
        let end = process.wait_message(&short).await;
        expect!(failed(end.clone()) == Some(Failure::Truncated), "short: {end:?}");
        process.cancel(&never).await.map_err(wrong)?;
        let end = process.wait_message(&never).await;
        expect!(failed(end.clone()) == Some(Failure::Cancelled), "never: {end:?}");
        close(&member, &process).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([sender, receiver]);
}

/// Gives messages up one after the other. All end as `Cancelled`.
async fn give_all_up(process: &Process<Messages>, transfers: &[Transfer]) -> Result<()> {
    for transfer in transfers {
        process.cancel(transfer).await.map_err(wrong)?;
    }
    for transfer in transfers {
        let end = process.wait_message(transfer).await;
        expect!(failed(end.clone()) == Some(Failure::Cancelled), "given up: {end:?}");
    }
    Ok(())
}

/// The NIC is busy with the end of one message while the host gives up the next: no number in the
/// mailbox replaces another.
#[test]
fn messages_that_are_given_up_one_after_the_other_all_end() {
    const MESSAGES: u16 = 24;
    let gives_up = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        let mut transfers = Vec::new();
        for tag in 0..MESSAGES {
            transfers.push(send(&process, 1, tag, at, 40).await?);
            let never = From { node: None, tag: Some(100 + tag) };
            transfers.push(process.receive(never, at, 40).await.map_err(wrong)?);
        }
        member.meet("posted", Vec::new()).await;
        give_all_up(&process, &transfers).await?;
        close(&member, &process).await
    });
    let sends_too = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        let mut transfers = Vec::new();
        member.meet("posted", Vec::new()).await;
        for tag in 0..MESSAGES {
            transfers.push(send(&process, 0, 200 + tag, at, 40).await?);
        }
        give_all_up(&process, &transfers).await?;
        close(&member, &process).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([gives_up, sends_too]);
}

#[test]
fn the_driver_refuses_what_it_must() {
    let tries = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        let second = member.handle.open_with::<Messages>("second").await.err();
        expect!(second == Some(DriverError::NoSlot { slots: 1 }), "a second opener: {second:?}");
        let other = member.handle.open("other").await.err();
        expect!(other == Some(DriverError::NoRemoteMemory), "remote memory: {other:?}");
        let unlocked = process.alloc(4096).map_err(wrong)?;
        let end = process.send(1, 0, unlocked, 10).await.err();
        let expected = MessageError::Driver(DriverError::NotLocked { address: unlocked });
        expect!(end == Some(expected), "not locked: {end:?}");
        let end = process.send(1, 0, at, MESSAGE_BYTES_MAX + 1).await.err();
        expect!(end == Some(MessageError::TooLong { bytes: MESSAGE_BYTES_MAX + 1 }), "too long: {end:?}");
        close(&member, &process).await?;
        // The NIC is free again.
        let (process, _) = open(&member).await?;
        process.close().await.map_err(wrong)
    });
    let waits = job(|member: Member| async move {
        let (process, _) = open(&member).await?;
        close(&member, &process).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([tries, waits]);
}

/// The thesis's applications lock all their memory at their start (facts E-15).
#[test]
fn a_process_locks_all_its_memory_at_once() {
    let locks = job(|member: Member| async move {
        let process = member.handle.open_with::<Messages>("locks").await.map_err(wrong)?;
        let areas = [1, 4096, 3 * 4096 + 1].map(|bytes| (bytes, process.alloc(bytes).map_err(wrong)));
        let pinned = || member.handle.memory().borrow().counts().pinned_now;
        let before = pinned();
        process.lock_all().await.map_err(wrong)?;
        expect!(pinned() - before == 1 + 1 + 4, "{} pages were locked", pinned() - before);
        for (bytes, at) in areas {
            process.learn(at?, bytes).await.map_err(wrong)?;
        }
        // What is locked is not locked again, and what comes later is not locked.
        process.lock_all().await.map_err(wrong)?;
        expect!(pinned() - before == 6, "{} pages were locked", pinned() - before);
        let later = process.alloc(4096).map_err(wrong)?;
        let end = process.learn(later, 1).await.err();
        expect!(end == Some(DriverError::NotLocked { address: later }), "a later page: {end:?}");
        close(&member, &process).await?;
        expect!(pinned() == 0, "{} pages are locked when the process has ended", pinned());
        Ok(())
    });
    let waits = job(|member: Member| async move {
        let (process, _) = open(&member).await?;
        close(&member, &process).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([locks, waits]);
}

/// A process that writes what it likes into descriptors and mailboxes.
#[test]
fn a_hostile_process_harms_its_own_messages_only() {
    const MESSAGES: u32 = 12;
    let hostile = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        let device = member.handle.driver().device(process.cpu()).map_err(wrong)?;
        let banks = member.handle.driver().service::<host_model::driver::emp::Emp>().map_err(wrong)?.descriptors();
        let good = Descriptor {
            stat: stat::POSTED,
            format: Format::Page,
            flags: 0,
            node: 1,
            tag: 1,
            page_bytes: 10,
            length_bytes: 10,
            address: 0,
        };
        // Each fails at once: a node that is none, this node, a format that is none, a length
        // beyond the page, a length beyond any.
        let none = good.words();
        let wild = [
            Descriptor { node: 77, ..good }.words(),
            Descriptor { node: 0, ..good }.words(),
            [none[0] | 3 << 8, none[1], none[2], none[3], none[4]],
            Descriptor { length_bytes: 11, ..good }.words(),
            Descriptor { length_bytes: u32::MAX, ..good }.words(),
        ];
        for (number, words) in wild.into_iter().enumerate() {
            let address = banks + offset_bytes(number as u32);
            device.write_sram(address, &words).await;
            device.write(mailbox::TO_NIC.at(MAILBOX_SEND), number as u32).await;
            member.sleep_us(20).await;
            let found = device.read_sram(address).await.map_err(wrong)? as u8;
            expect!(Failure::of_stat(found).is_some(), "wild send {number}: {found:#x}");
        }
        // Numbers that are none, of the other kind, or of descriptors that are not posted.
        for number in [0, 150, 199, 200, 639, 640, 0xFFFF, u32::MAX] {
            for mailbox in [MAILBOX_SEND, MAILBOX_RECEIVE] {
                device.write(mailbox::TO_NIC.at(mailbox), number).await;
                member.sleep_us(10).await;
            }
        }
        // A flood: the mailboxes hold the last number only.
        for number in 0..200 {
            device.write(mailbox::TO_NIC.at(MAILBOX_SEND), number % 7).await;
        }
        member.meet("posted", Vec::new()).await;
        for number in 0..MESSAGES {
            let transfer = send(&process, 1, 4, at, 700 * number).await?;
            process.wait_message(&transfer).await.map_err(wrong)?;
            process.free(transfer);
        }
        close(&member, &process).await
    });
    let honest = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        member.meet("posted", Vec::new()).await;
        for number in 0..MESSAGES {
            let receive = process.receive(From::default(), at, ROOM_BYTES).await.map_err(wrong)?;
            process.wait_message(&receive).await.map_err(wrong)?;
            compare(&process, at, 4, 700 * number)?;
            process.free(receive);
        }
        close(&member, &process).await
    });
    let output = Bench { personality: "emp", ..Bench::default() }.run([hostile, honest]);
    assert!(count(&output, 0, Counter::MailboxesWild) >= 16);
    assert_eq!(count(&output, 0, Counter::SendsFailed), 5);
}

/// A NIC is reset while messages are under way. Its peer's messages fail, and both go on.
#[test]
fn a_nic_that_is_reset_fails_what_was_under_way() {
    let resets = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        member.meet("posted", Vec::new()).await;
        let lost = send(&process, 1, 1, at, ROOM_BYTES).await?;
        let session = member.handle.reset_nic().await.map_err(wrong)?;
        expect!(session == 1, "session {session}");
        let end = process.wait_message(&lost).await;
        expect!(end.is_err(), "the NIC was reset: {end:?}");
        process.close().await.map_err(wrong)?;
        member.meet("reset", Vec::new()).await;
        let (process, at) = open(&member).await?;
        member.meet("told", Vec::new()).await;
        let again = send(&process, 1, 2, at, 3000).await?;
        process.wait_message(&again).await.map_err(wrong)?;
        close(&member, &process).await
    });
    let peer = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        let begun = process.receive(From::default(), at, ROOM_BYTES).await.map_err(wrong)?;
        let lost = send(&process, 0, 1, at, 100).await?;
        member.meet("posted", Vec::new()).await;
        member.meet("reset", Vec::new()).await;
        let node = host_model::address::NodeId(0);
        member.handle.driver().restart_peer(process.cpu(), node, 1).await.map_err(wrong)?;
        let end = process.wait_message(&lost).await;
        expect!(failed(end.clone()) == Some(Failure::PeerRestarted), "send to the peer: {end:?}");
        // The receive may have begun, and then fails; or it waits for the next message.
        let has_failed = process.test(&begun).await.is_err();
        if has_failed {
            process.post_again(&begun).await.map_err(wrong)?;
        }
        member.meet("told", Vec::new()).await;
        process.wait_message(&begun).await.map_err(wrong)?;
        compare(&process, at, 2, 3000)?;
        close(&member, &process).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([resets, peer]);
}

/// A peer that has started again takes nothing of the time before. The NIC tells it 16 times that a
/// message was given up, and the driver waits for that before it fails a close.
#[test]
fn a_process_closes_though_its_peer_has_started_again() {
    let resets = job(|member: Member| async move {
        let (process, _) = open(&member).await?;
        member.meet("posted", Vec::new()).await;
        member.handle.reset_nic().await.map_err(wrong)?;
        let _ = process.close().await;
        member.meet("reset", Vec::new()).await;
        member.meet("closed", Vec::new()).await;
        Ok(())
    });
    let closes = job(|member: Member| async move {
        let (process, at) = open(&member).await?;
        send(&process, 1, 1, at, 100).await?;
        member.meet("posted", Vec::new()).await;
        member.meet("reset", Vec::new()).await;
        process.close().await.map_err(wrong)?;
        member.meet("closed", Vec::new()).await;
        Ok(())
    });
    let output = Bench { personality: "emp", ..Bench::default() }.run([closes, resets]);
    assert_eq!(count(&output, 0, Counter::SendsFailed), 1);
    assert!(count(&output, 1, Counter::FramesAborts) == 0, "the peer must be silent");
}
