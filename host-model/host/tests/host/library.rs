//! What a process posts and how it learns the end.

use host_model::address::{NodeId, UserVirt};
use host_model::events::{spans, subjects, EventKind, Subject};
use host_model::library::{Access, Export, Process, WriteError, WriteHandle};
use host_model::mock::Place;
use nic_layout::key::KeyWidth;
use nic_layout::post::{
    PostDescriptor, ProcessStatus, OP_READ, OP_WRITE, POST_FLAG_INLINE, POST_FLAG_NOTIFY, POST_QUEUE_ENTRIES,
};
use sim_pins::Ps;
use zerocopy::IntoBytes;

use crate::common::Bench;

const TO: Export = Export {
    node: NodeId(0),
    buffer: 5,
    key: [0x1111_2222, 0x3333_4444, 0, 0],
    key_width: KeyWidth::Bits64,
    length_bytes: 4096,
    access: Access::BOTH,
};

fn ready() -> (Bench, Process) {
    let mut bench = Bench::ready();
    let process = bench.open();
    bench.forget_writes();
    (bench, process)
}

#[test]
fn a_post_is_one_burst_of_32_bytes_and_then_its_doorbell() {
    let (mut bench, process) = ready();
    let from = process.alloc(4096).expect("room");
    let poster = process.clone();
    let handle = bench.run(|_| async move { poster.write(from + 8, 100, &TO, 24, 77).await.expect("room") });
    assert_eq!((handle.index, handle.message), (0, 77));
    let expected = PostDescriptor {
        op: OP_WRITE,
        flags: 0,
        destination_node: 0,
        length_bytes: 100,
        local_address: from.0 + 8,
        buffer: 5,
        buffer_offset: 24,
        key: [TO.key[0], TO.key[1]],
        message: 77,
    };
    let nic = bench.nic.borrow();
    assert_eq!(nic.posts, [(0, expected)]);
    assert_eq!(nic.doorbells, [(0, 1)]);
    let queue = nic.layout().post_queues;
    let places: Vec<Place> = nic.writes.iter().map(|written| written.place).collect();
    let descriptor: Vec<Place> = (0..8).map(|word| Place::Sram(queue + 4 * word)).collect();
    assert_eq!(&places[..8], descriptor);
    assert_eq!(places[8..], [Place::Register(0x1_0000)]);
    assert!(nic.writes[..8].iter().all(|written| written.burst == nic.writes[0].burst));
    assert_eq!(nic.writes[0].value, expected.as_bytes()[0] as u32);
}

#[test]
fn a_word_goes_with_its_post_and_more_in_the_next_entry() {
    let (mut bench, process) = ready();
    bench.nic.borrow_mut().completes_posts = false;
    let from = process.alloc(4096).expect("room");
    process.store(from, &(1..=32).collect::<Vec<u8>>()).expect("own memory");
    let poster = process.clone();
    let handles = bench.run(|_| async move {
        let word = poster.write(from, 3, &TO, 0, 5).await.expect("room");
        (word, poster.write(from, 32, &TO, 0, 6).await.expect("room"))
    });
    // The second takes two entries, and is known by the last.
    assert_eq!((handles.0.index, handles.1.index), (0, 2));
    let nic = bench.nic.borrow();
    assert_eq!(nic.doorbells, [(0, 1), (0, 3)]);
    let queue = nic.layout().post_queues;
    let first: PostDescriptor = nic.sram_read(queue);
    assert_eq!((first.flags, first.length_bytes, first.local_address), (POST_FLAG_INLINE, 3, 0x0003_0201));
    let second: PostDescriptor = nic.sram_read(queue + 32);
    assert_eq!((second.flags, second.length_bytes, second.local_address), (POST_FLAG_INLINE, 32, 0x0403_0201));
    let rest: [u8; 28] = nic.sram_read(queue + 64);
    assert_eq!(rest.to_vec(), (5..=32).collect::<Vec<u8>>());
    // A burst for the word and its doorbell; for the other one more.
    let mut bursts: Vec<u64> = nic.writes.iter().map(|written| written.burst).collect();
    bursts.dedup();
    assert_eq!(bursts.len(), 2 + 3);
}

/// M-48: the upper half begins the second entry of every post, and data that go with it stand
/// behind it.
#[test]
fn a_post_with_a_key_of_128_bits_takes_two_entries() {
    let mut bench = Bench::new();
    bench.nic.borrow_mut().cbh_geometry.key = KeyWidth::Bits128;
    bench.nic.borrow_mut().completes_posts = false;
    bench.boot().expect("the mock NIC boots");
    let process = bench.open();
    bench.forget_writes();
    let to = Export { key: [1, 2, 3, 4], key_width: KeyWidth::Bits128, ..TO };
    let from = process.alloc(4096).expect("room");
    process.store(from, &(1..=32).collect::<Vec<u8>>()).expect("own memory");
    let poster = process.clone();
    let handles = bench.run(|_| async move {
        poster.set_pio_bytes_max(32);
        let mut handles = Vec::new();
        for length in [29, 28, 3] {
            handles.push(poster.write(from, length, &to, 0, 5).await.expect("room"));
        }
        handles.push(poster.read(&to, 0, 8, from, 6).await.expect("room"));
        handles
    });
    assert_eq!(handles.iter().map(|handle| handle.index).collect::<Vec<_>>(), [1, 3, 5, 7]);
    let nic = bench.nic.borrow();
    assert_eq!(nic.doorbells, [(0, 2), (0, 4), (0, 6), (0, 8)]);
    let queue = nic.layout().post_queues;
    let post = |number: u32| -> (PostDescriptor, [u32; 2], [u8; 24]) {
        let at = queue + number * 64;
        (nic.sram_read(at), nic.sram_read(at + 32), nic.sram_read(at + 40))
    };
    for number in 0..4 {
        let (descriptor, upper, _) = post(number);
        assert_eq!((descriptor.key, upper), ([1, 2], [3, 4]), "post {number}");
    }
    let flags: Vec<u8> = (0..4).map(|number| post(number).0.flags).collect();
    assert_eq!(flags, [0, POST_FLAG_INLINE, POST_FLAG_INLINE, 0], "29 bytes are one too many");
    assert_eq!(post(1).0.local_address, 0x0403_0201);
    assert_eq!(post(1).2.to_vec(), (5..=28).collect::<Vec<u8>>());
}

/// Nodes with keys of another width would not understand the frames: connecting them reports it.
#[test]
fn a_buffer_of_a_node_with_keys_of_another_width_is_refused() {
    let (mut bench, process) = ready();
    let theirs = Export { key_width: KeyWidth::Bits128, ..TO };
    bench.forget_writes();
    let own = process.alloc(4096).expect("room");
    let poster = process.clone();
    let (import, write, read) = bench.run(|_| async move {
        (
            poster.import(&theirs).await,
            poster.write(own, 4, &theirs, 0, 1).await,
            poster.read(&theirs, 0, 4, own, 1).await,
        )
    });
    let text = import.expect_err("refused").to_string();
    assert!(text.contains("keys of 128 bits, and this one of 64") && text.contains("one width"), "{text}");
    let refused = WriteError::OtherKeyWidth { node: 0, theirs: 128, own: 64 };
    assert_eq!((write, read), (Err(refused), Err(refused)));
    assert_eq!(bench.writes(), []);
}

#[test]
fn a_post_of_two_entries_ends_once_with_its_own_outcome() {
    let (mut bench, process) = ready();
    bench.nic.borrow_mut().completes_posts = false;
    let from = process.alloc(4096).expect("room");
    let nic = bench.nic.clone();
    bench.run(|node| async move {
        let mut handles = Vec::new();
        for message in 0..3 {
            handles.push(process.write(from, 20, &TO, 0, message).await.expect("room"));
        }
        let status = ProcessStatus { refused: 1, last_error: 8, last_error_index: 3, ended: 6 };
        nic.borrow_mut().write_status(node.sim().now(), 0, status);
        assert_eq!(process.wait(handles[0]).await, Ok(()));
        let refused = process.wait(handles[1]).await.expect_err("refused");
        assert!(refused.to_string().contains("the node of the buffer refused it"), "{refused}");
        assert_eq!(process.wait(handles[2]).await, Ok(()));
    });
}

#[test]
fn reads_and_writes_that_notify_say_so() {
    let (mut bench, process) = ready();
    let own = process.alloc(4096).expect("room");
    bench.run(|_| async move {
        process.set_pio_bytes_max(0);
        process.read(&TO, 24, 100, own + 8, 77).await.expect("room");
        process.write_and_notify(own, 4, &TO, 0, 78).await.expect("room");
    });
    let nic = bench.nic.borrow();
    let (read, write) = (nic.posts[0].1, nic.posts[1].1);
    assert_eq!((read.op, read.flags, read.length_bytes), (OP_READ, 0, 100));
    assert_eq!((read.local_address, read.buffer_offset, read.key), (own.0 + 8, 24, [TO.key[0], TO.key[1]]));
    assert_eq!((write.op, write.flags, write.local_address), (OP_WRITE, POST_FLAG_NOTIFY, own.0));
}

#[test]
fn posts_of_several_tasks_of_a_process_keep_descriptor_and_doorbell_in_order() {
    let (mut bench, process) = ready();
    let from = process.alloc(4096).expect("room");
    bench.run(|node| async move {
        let tasks: Vec<_> = (0..5)
            .map(|message| {
                let process = process.clone();
                node.sim().spawn("poster", async move { process.write(from, 4, &TO, 0, message).await })
            })
            .collect();
        for task in tasks {
            task.await.expect("room");
        }
    });
    let nic = bench.nic.borrow();
    assert_eq!(nic.doorbells, [1, 2, 3, 4, 5].map(|value| (0, value)));
    let messages: Vec<u32> = nic.posts.iter().map(|(_, post)| post.message).collect();
    assert_eq!(messages, [0, 1, 2, 3, 4]);
}

#[test]
fn waiting_for_the_end_touches_no_bus() {
    let (mut bench, process) = ready();
    bench.nic.borrow_mut().completes_posts = false;
    let from = process.alloc(4096).expect("room");
    let poster = process.clone();
    let handle = bench.run(|_| async move { poster.write(from, 4, &TO, 0, 1).await.expect("room") });
    let writes = bench.writes().len();
    let waiter = process.clone();
    let ended = bench.host.spawn("waiter", move |_| async move { waiter.wait(handle).await });
    bench.us(20);
    assert!(!ended.is_ended());
    assert_eq!(bench.writes().len(), writes);
    let now = bench.now;
    bench.nic.borrow_mut().write_status(now, 0, ProcessStatus { ended: 1, ..ProcessStatus::default() });
    bench.us(1);
    assert_eq!(ended.take(), Some(Ok(())));
    // Seen at the next multiple of the 5 ns of a poll, and a cache miss of 125 ns.
    let events = bench.host.node().log().events();
    let seen = events.iter().find(|event| event.kind == EventKind::StatusSeen).expect("seen");
    let delay = seen.at - now;
    assert!(delay >= Ps::from_ns(125) && delay < Ps::from_ns(130), "{delay}");
}

async fn three_posts(process: &Process, from: UserVirt) -> Vec<WriteHandle> {
    let mut handles = Vec::new();
    for message in 0..3 {
        handles.push(process.write(from, 4, &TO, 0, message).await.expect("room"));
    }
    handles
}

#[test]
fn a_refused_post_tells_its_error_and_the_others_are_well() {
    let (mut bench, process) = ready();
    bench.nic.borrow_mut().completes_posts = false;
    let from = process.alloc(4096).expect("room");
    let nic = bench.nic.clone();
    bench.run(|node| async move {
        let handles = three_posts(&process, from).await;
        let status = ProcessStatus { refused: 1, last_error: 4, last_error_index: 1, ended: 3 };
        nic.borrow_mut().write_status(node.sim().now(), 0, status);
        assert_eq!(process.wait(handles[2]).await, Ok(()));
        assert_eq!(process.wait(handles[0]).await, Ok(()));
        let refused = process.wait(handles[1]).await.expect_err("refused");
        assert_eq!(refused, WriteError::Refused { index: 1, error: 4 });
        assert!(refused.to_string().contains("bad address of own memory"));
    });
}

#[test]
fn two_refusals_in_one_look_are_reported_as_unclear() {
    let (mut bench, process) = ready();
    bench.nic.borrow_mut().completes_posts = false;
    let from = process.alloc(4096).expect("room");
    let nic = bench.nic.clone();
    bench.run(|node| async move {
        let handles = three_posts(&process, from).await;
        let status = ProcessStatus { refused: 2, last_error: 2, last_error_index: 2, ended: 3 };
        nic.borrow_mut().write_status(node.sim().now(), 0, status);
        let unclear = WriteError::Unclear { last_index: 2, refused: 2, error: 2 };
        assert_eq!(process.wait(handles[0]).await, Err(unclear));
        assert_eq!(process.wait(handles[2]).await, Err(WriteError::Refused { index: 2, error: 2 }));
    });
}

#[test]
fn a_refusal_that_a_wild_doorbell_has_covered_is_not_taken_for_success() {
    let (mut bench, process) = ready();
    bench.nic.borrow_mut().completes_posts = false;
    let from = process.alloc(4096).expect("room");
    let nic = bench.nic.clone();
    bench.run(|node| async move {
        let handle = process.write(from, 4, &TO, 0, 1).await.expect("room");
        // 6 is a bad producer index: here 0, which is also the index of the post.
        let status = ProcessStatus { refused: 1, last_error: 6, last_error_index: 0, ended: 1 };
        nic.borrow_mut().write_status(node.sim().now(), 0, status);
        let unclear = WriteError::Unclear { last_index: 0, refused: 1, error: 6 };
        assert_eq!(process.wait(handle).await, Err(unclear));
        let handle = process.write(from, 4, &TO, 0, 2).await.expect("room");
        let status = ProcessStatus { refused: 1, last_error: 6, last_error_index: 1, ended: 2 };
        nic.borrow_mut().write_status(node.sim().now(), 0, status);
        assert_eq!(process.wait(handle).await, Ok(()), "nothing more was refused");
    });
}

/// The process looks between any two words of a write that tells of refusals, with or without
/// earlier ends that it has not seen.
#[test]
fn a_status_page_that_is_half_written_hides_no_refusal() {
    let earlier = |refused, last_error_index, ended| ProcessStatus {
        refused,
        last_error: if refused == 0 { 0 } else { 8 },
        last_error_index,
        ended,
    };
    // What the process has not seen yet, and what comes next: which posts are refused.
    let none = earlier(0, u32::MAX, 0);
    for (first, second, refused) in [
        (none, earlier(1, 0, 1), vec![0]),
        (none, earlier(2, 2, 3), vec![0, 2]),
        (earlier(0, u32::MAX, 1), earlier(1, 1, 2), vec![1]),
        (earlier(0, u32::MAX, 1), earlier(1, 2, 3), vec![2]),
        (earlier(1, 0, 1), earlier(2, 1, 2), vec![0, 1]),
        (earlier(1, 0, 1), earlier(3, 2, 3), vec![0, 1, 2]),
        (earlier(1, 0, 2), earlier(2, 2, 3), vec![0, 2]),
    ] {
        for words in 1..4 {
            let (mut bench, process) = ready();
            bench.nic.borrow_mut().completes_posts = false;
            let from = process.alloc(4096).expect("room");
            let nic = bench.nic.clone();
            let refused = refused.clone();
            bench.run(|node| async move {
                let handles = three_posts(&process, from).await;
                let now = || node.sim().now();
                nic.borrow_mut().write_status(now(), 0, first);
                nic.borrow_mut().write_status_words(now(), 0, second, 0..words);
                // A look that may find nothing.
                let last = handles[second.ended as usize - 1];
                let other = process.clone();
                let waiting = node.sim().spawn("wait", async move { other.wait(last).await });
                node.sim().sleep_for(Ps::from_us(1)).await;
                nic.borrow_mut().write_status_words(now(), 0, second, words..4);
                let mut ends = vec![waiting.await];
                for handle in handles[..second.ended as usize - 1].iter().rev() {
                    ends.push(process.wait(*handle).await);
                }
                ends.reverse();
                for (index, end) in ends.iter().enumerate() {
                    let is_well = !refused.contains(&(index as u32));
                    match end {
                        Ok(()) => assert!(is_well, "{first:?} {second:?} {words}: post {index} was refused"),
                        Err(WriteError::Refused { .. }) => {
                            assert!(!is_well, "{first:?} {second:?} {words}: post {index} was well")
                        }
                        Err(error) => assert!(matches!(error, WriteError::Unclear { .. }), "{error}"),
                    }
                }
                // One refusal alone is always known.
                if refused.len() == 1 {
                    assert!(ends.iter().all(|end| !matches!(end, Err(WriteError::Unclear { .. }))), "{ends:?}");
                }
            });
        }
    }
}

#[test]
fn a_status_page_that_is_ahead_of_the_posts_is_not_believed() {
    let (mut bench, process) = ready();
    bench.nic.borrow_mut().completes_posts = false;
    let from = process.alloc(4096).expect("room");
    let nic = bench.nic.clone();
    bench.run(|node| async move {
        let handle = process.write(from, 4, &TO, 0, 0).await.expect("room");
        nic.borrow_mut().write_status(node.sim().now(), 0, ProcessStatus { ended: 9, ..ProcessStatus::default() });
        assert_eq!(process.wait(handle).await, Err(WriteError::WildStatus { ended: 9, posted: 1 }));
    });
}

#[test]
fn a_full_queue_makes_the_poster_wait() {
    let (mut bench, process) = ready();
    bench.nic.borrow_mut().completes_posts = false;
    let from = process.alloc(4096).expect("room");
    let poster = process.clone();
    let all = bench.host.spawn("poster", move |_| async move {
        for message in 0..POST_QUEUE_ENTRIES + 2 {
            poster.write(from, 4, &TO, 0, message).await.expect("room in the end");
        }
    });
    bench.us(400);
    assert_eq!(bench.nic.borrow().doorbells.len(), POST_QUEUE_ENTRIES as usize);
    let now = bench.now;
    bench.nic.borrow_mut().write_status(now, 0, ProcessStatus { ended: 1, ..ProcessStatus::default() });
    bench.us(10);
    assert_eq!(bench.nic.borrow().doorbells.len(), POST_QUEUE_ENTRIES as usize + 1);
    assert!(!all.is_ended());
    let now = bench.now;
    bench.nic.borrow_mut().write_status(now, 0, ProcessStatus { ended: 2, ..ProcessStatus::default() });
    bench.us(10);
    assert!(all.is_ended());
    let places = bench.writes();
    let first = Place::Sram(bench.nic.borrow().layout().post_queues);
    assert_eq!(places.iter().filter(|(place, _)| *place == first).count(), 2, "the ring wraps");
}

#[test]
fn a_hostile_process_can_write_what_it_likes_into_its_own_pages() {
    let (mut bench, process) = ready();
    bench.nic.borrow_mut().completes_posts = false;
    let descriptor = PostDescriptor { op: 0xEE, ..PostDescriptor::default() };
    bench.run(|_| async move {
        process.post_raw(200, &descriptor).await.expect("mapped");
        process.ring_raw(0xDEAD_BEEF).await.expect("mapped");
    });
    let nic = bench.nic.borrow();
    assert_eq!(nic.sram_word(nic.layout().post_queues + (200 % 128) * 32) & 0xFF, 0xEE);
    assert_eq!(nic.doorbells, [(0, 0xDEAD_BEEF)]);
}

#[test]
fn arrival_is_seen_when_the_bytes_are_there() {
    let (mut bench, process) = ready();
    let buffer = process.alloc(4096).expect("room");
    let page = bench.host.node().memory().borrow_mut().pin(process.pid(), buffer.page()).expect("pinned");
    let waiter = process.clone();
    let seen = bench.host.spawn("waiter", move |node| async move {
        waiter.wait_bytes(buffer + 100, 8, 3, |bytes| bytes == b"complete").await.expect("mapped");
        node.sim().now()
    });
    bench.us(1);
    let first = bench.now;
    let memory = bench.host.node().memory().clone();
    memory.borrow_mut().dma_write(first, (page.start() + 100).on_bus(), b"comp");
    bench.us(1);
    assert!(!seen.is_ended());
    let second = bench.now;
    memory.borrow_mut().dma_write(second, (page.start() + 104).on_bus(), b"lete");
    bench.us(1);
    let delay = seen.take().expect("seen") - second;
    assert!(delay >= Ps::from_ns(125) && delay < Ps::from_ns(130), "{delay}");
    bench.host.node().memory().borrow_mut().unpin(page);
}

#[test]
fn the_life_of_a_post_is_cut_into_spans_that_add_up() {
    let (mut bench, process) = ready();
    let from = process.alloc(4096).expect("room");
    bench.run(|_| async move {
        let handle = process.write(from, 4, &TO, 0, 9).await.expect("room");
        process.wait(handle).await.expect("completed");
    });
    let events = bench.host.node().log().events();
    let [subject] = subjects(&events, |subject| matches!(subject, Subject::Post { .. }))[..] else {
        panic!("one post");
    };
    let spans = spans(&events, subject);
    use EventKind::*;
    let kinds: Vec<EventKind> = spans.iter().map(|span| span.from).collect();
    assert_eq!(kinds.first(), Some(&PostBegin));
    assert!(kinds.contains(&DescriptorWritten) && kinds.contains(&DoorbellWritten));
    assert_eq!(spans.last().map(|span| span.to), Some(StatusSeen));
    let own: Vec<Ps> = events.iter().filter(|event| event.subject == subject).map(|event| event.at).collect();
    let sum: u64 = spans.iter().map(|span| span.length.0).sum();
    assert_eq!(Ps(sum), *own.last().expect("some") - own[0]);
}

#[test]
fn copying_takes_the_time_of_the_platform_and_moves_the_bytes() {
    let (mut bench, process) = ready();
    let from = process.alloc(8192).expect("room");
    let worker = process.clone();
    let took = bench.run(|node| async move {
        worker.store(from, &[7; 2560]).expect("mapped");
        let begin = node.sim().now();
        worker.copy(from, from + 4096, 2560).await.expect("mapped");
        node.sim().now() - begin
    });
    assert_eq!(took, Ps::from_us(10), "2560 bytes at 256 bytes per microsecond");
    assert_eq!(process.load(from + 4096, 2560).expect("mapped"), [7; 2560]);
    assert_eq!(bench.host.accounting().usage[&("app", "copy")], Ps::from_us(10));
}

#[test]
fn the_same_seed_gives_the_same_events() {
    let run = || {
        let (mut bench, process) = ready();
        let from = process.alloc(4096).expect("room");
        bench.run(|_| async move {
            let export = process.export(from, 4096).await.expect("room");
            for message in 0..10 {
                let handle = process.write(from, 4, &export, 0, message).await.expect("room");
                process.wait(handle).await.expect("completed");
            }
        });
        let usage = bench.host.accounting().usage;
        (bench.host.node().log().events(), bench.writes(), usage)
    };
    assert_eq!(run(), run());
}
