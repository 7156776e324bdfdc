//! The library that is like MPI, on whole nodes: programs of random sends and receives keep MPI's
//! order, and collective operations keep away from messages.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use host_model::address::UserVirt;
use host_model::library::emp::Messages;
use host_model::library::mpi::{Communicator, MpiError, Request, Status, ANY_SOURCE, ANY_TAG};
use nicscope_run::workload::app::pattern;
use nicscope_scenario::error::Result;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::{job, wrong, Bench, Member};

const BUFFER_BYTES: u32 = 8192;
const BUFFERS: u32 = 64;

async fn open(member: &Member, size: u32) -> Result<(Communicator, UserVirt)> {
    let process = member.handle.open_with::<Messages>("rank").await.map_err(wrong)?;
    let memory = process.alloc(BUFFERS * BUFFER_BYTES).map_err(wrong)?;
    member.meet("open", Vec::new()).await;
    Ok((Communicator::new(process, member.node as u32, size), memory))
}

async fn close(ranks: &Communicator) -> Result<()> {
    ranks.barrier().await.map_err(wrong)?;
    ranks.process().close().await.map_err(wrong)
}

// ---- Random programs ----------------------------------------------------------------------------

/// A message of a program. Its contents are the pattern of its number.
#[derive(Clone, Copy, Debug)]
struct Sent {
    number: u32,
    from: u32,
    to: u32,
    tag: u16,
    bytes: u32,
}

/// A receive of a program, with what came.
#[derive(Clone, Copy, Debug)]
struct Received {
    from: Option<u32>,
    tag: Option<u16>,
    status: Status,
    number: u32,
}

impl Received {
    fn takes(&self, sent: &Sent) -> bool {
        self.from.is_none_or(|from| from == sent.from) && self.tag.is_none_or(|tag| tag == sent.tag)
    }
}

/// All messages of a program, in the order in which each rank sends its own.
fn program(seed: u64, ranks: u32, messages: u32) -> Vec<Sent> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |limit: u32| random.next_u32() % limit;
    (0..messages)
        .map(|number| Sent {
            number,
            from: below(ranks),
            to: below(ranks),
            tag: below(3) as u16,
            bytes: [0, 4, 60, 1474, 1475, 5000][below(6) as usize] + 4,
        })
        .collect()
}

/// One rank: random receives before, between and behind its sends, then receives of anything until
/// all its messages have come.
async fn play(ranks: &Communicator, memory: UserVirt, program: &[Sent], seed: u64) -> Result<Vec<Received>> {
    let me = ranks.rank();
    let mut random = ChaCha8Rng::seed_from_u64(seed * 64 + u64::from(me));
    let mut below = |limit: u32| random.next_u32() % limit;
    let buffer = |index: u32| memory + index * BUFFER_BYTES;
    let mut outgoing: Vec<Sent> = program.iter().filter(|sent| sent.from == me).copied().collect();
    outgoing.reverse();
    let expected = program.iter().filter(|sent| sent.to == me).count();
    let (mut sends, mut next_buffer) = (Vec::new(), 0);
    // In the order of the posts; the number of a receive is its place here.
    let mut asked: Vec<(Option<u32>, Option<u16>, UserVirt)> = Vec::new();
    let mut open: Vec<(usize, Request)> = Vec::new();
    let mut received: BTreeMap<usize, Received> = BTreeMap::new();
    while received.len() < expected || !outgoing.is_empty() {
        // Some of the other receives match nothing.
        let of_anything =
            open.iter().filter(|(index, _)| asked[*index].0.is_none() && asked[*index].1.is_none()).count();
        let wants_any = outgoing.is_empty() && of_anything + received.len() < expected;
        let is_send = !outgoing.is_empty() && below(2) == 0;
        if is_send {
            let Some(sent) = outgoing.pop() else { continue };
            let at = buffer(next_buffer);
            next_buffer += 1;
            ranks.process().store(at, &pattern(sent.number, sent.bytes)).map_err(wrong)?;
            ranks.process().store(at, &sent.number.to_le_bytes()).map_err(wrong)?;
            sends.push(ranks.isend(sent.to, sent.tag, at, sent.bytes).await.map_err(wrong)?);
        } else if wants_any || (!outgoing.is_empty() && below(2) == 0 && open.len() < expected) {
            let from = if wants_any || below(2) == 0 { ANY_SOURCE } else { Some(below(ranks.size())) };
            let tag = if wants_any || below(3) == 0 { ANY_TAG } else { Some(below(3) as u16) };
            let room = buffer(next_buffer);
            next_buffer += 1;
            let request = ranks.irecv(from, tag, room, BUFFER_BYTES).await.map_err(wrong)?;
            open.push((asked.len(), request));
            asked.push((from, tag, room));
        } else if !open.is_empty() {
            let (index, request) = open.remove(below(open.len() as u32) as usize);
            match ranks.test(request).await.map_err(wrong)? {
                Err(request) => open.push((index, request)),
                Ok(status) => {
                    let (from, tag, room) = asked[index];
                    let head = ranks.process().load(room, 4).map_err(wrong)?;
                    let number = u32::from_le_bytes(head.try_into().expect("four bytes"));
                    let found = ranks.process().load(room, status.bytes).map_err(wrong)?;
                    expect!(found[4..] == pattern(number, status.bytes)[4..], "message {number} is wrong");
                    received.insert(index, Received { from, tag, status, number });
                }
            }
        }
        expect!(next_buffer <= BUFFERS, "the program has more messages than buffers");
    }
    for (_, request) in open {
        let end = ranks.cancel(request).await;
        expect!(end == Err(MpiError::Cancelled), "a receive that nothing matches: {end:?}");
    }
    for end in ranks.wait_all(sends).await {
        end.map_err(wrong)?;
    }
    Ok(received.into_values().collect())
}

/// What came to a rank, in the order of the posts, is what MPI allows.
fn judge(program: &[Sent], rank: u32, received: &[Received]) {
    let mine: Vec<&Sent> = program.iter().filter(|sent| sent.to == rank).collect();
    assert_eq!(received.len(), mine.len(), "rank {rank}");
    let place = |sent: &Sent| {
        let places: Vec<_> = (0..received.len()).filter(|at| received[*at].number == sent.number).collect();
        assert_eq!(places.len(), 1, "rank {rank}: message {} came {} times", sent.number, places.len());
        places[0]
    };
    for sent in &mine {
        let at = place(sent);
        let receive = &received[at];
        assert!(receive.takes(sent), "rank {rank}: {receive:?} took {sent:?}");
        let expected = Status { source: sent.from, tag: sent.tag, bytes: sent.bytes };
        assert_eq!(receive.status, expected, "rank {rank}");
        // No message of the same rank overtakes another that the same receive takes.
        for earlier in mine.iter().filter(|other| other.from == sent.from && other.number < sent.number) {
            assert!(
                !receive.takes(earlier) || place(earlier) < at,
                "rank {rank}: message {} overtook message {}",
                sent.number,
                earlier.number
            );
        }
    }
}

fn random_programs<const RANKS: usize>(seed: u64, messages: u32) {
    let plan = Arc::new(program(seed, RANKS as u32, messages));
    let results: Arc<Mutex<BTreeMap<u32, Vec<Received>>>> = Arc::default();
    let jobs = std::array::from_fn::<_, RANKS, _>(|_| {
        let (plan, results) = (plan.clone(), results.clone());
        job(move |member: Member| async move {
            let (ranks, memory) = open(&member, RANKS as u32).await?;
            let received = play(&ranks, memory, &plan, seed).await?;
            results.lock().expect("nobody panics with it").insert(ranks.rank(), received);
            close(&ranks).await
        })
    });
    Bench { personality: "emp", ..Bench::default() }.run(jobs);
    let results = results.lock().expect("nobody panics with it");
    for rank in 0..RANKS as u32 {
        judge(&plan, rank, &results[&rank]);
    }
}

#[test]
fn random_programs_of_two_ranks_keep_the_order() {
    for seed in 1..4 {
        random_programs::<2>(seed, 24);
    }
}

#[test]
fn random_programs_of_four_ranks_keep_the_order() {
    random_programs::<4>(9, 48);
}

// ---- Single properties --------------------------------------------------------------------------

#[test]
fn a_broadcast_reaches_all_ranks_and_no_rank_leaves_a_barrier_early() {
    let ranks = std::array::from_fn::<_, 4, _>(|_| {
        job(|member: Member| async move {
            let (ranks, memory) = open(&member, 4).await?;
            for root in 0..4 {
                if root == ranks.rank() {
                    // The last to come.
                    member.sleep_us(40).await;
                    ranks.process().store(memory, &pattern(root, 3000)).map_err(wrong)?;
                }
                ranks.broadcast(root, memory, 3000).await.map_err(wrong)?;
                let found = ranks.process().load(memory, 3000).map_err(wrong)?;
                expect!(found == pattern(root, 3000), "broadcast of rank {root}");
            }
            ranks.barrier().await.map_err(wrong)?;
            let begin = member.now();
            let late = 30 * u64::from(ranks.rank());
            member.sleep_us(late).await;
            ranks.barrier().await.map_err(wrong)?;
            let waited_us = (member.now() - begin).0 / 1_000_000;
            expect!(waited_us >= 85, "rank {} left the barrier after {waited_us} us", ranks.rank());
            close(&ranks).await
        })
    });
    Bench { personality: "emp", ..Bench::default() }.run(ranks);
}

/// A receive of any tag stands while its rank goes through a barrier and a broadcast.
#[test]
fn a_receive_of_any_tag_takes_no_message_of_a_collective_operation() {
    let waits = job(|member: Member| async move {
        let (ranks, memory) = open(&member, 2).await?;
        let any = ranks.irecv(ANY_SOURCE, ANY_TAG, memory, BUFFER_BYTES).await.map_err(wrong)?;
        // The peer comes first, so its messages find the receive of any tag.
        member.sleep_us(100).await;
        ranks.barrier().await.map_err(wrong)?;
        ranks.broadcast(1, memory + BUFFER_BYTES, 2000).await.map_err(wrong)?;
        let found = ranks.process().load(memory + BUFFER_BYTES, 2000).map_err(wrong)?;
        expect!(found == pattern(5, 2000), "the broadcast");
        let status = ranks.wait(any).await.map_err(wrong)?;
        expect!(status == Status { source: 1, tag: 77, bytes: 700 }, "{status:?}");
        let found = ranks.process().load(memory, 700).map_err(wrong)?;
        expect!(found == pattern(6, 700), "the message");
        close(&ranks).await
    });
    let sends = job(|member: Member| async move {
        let (ranks, memory) = open(&member, 2).await?;
        member.sleep_us(50).await;
        ranks.barrier().await.map_err(wrong)?;
        ranks.process().store(memory, &pattern(5, 2000)).map_err(wrong)?;
        ranks.broadcast(1, memory, 2000).await.map_err(wrong)?;
        ranks.process().store(memory, &pattern(6, 700)).map_err(wrong)?;
        ranks.send(0, 77, memory, 700).await.map_err(wrong)?;
        close(&ranks).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([waits, sends]);
}

#[test]
fn a_rank_sends_to_itself_and_what_is_wrong_is_reported() {
    let tries = job(|member: Member| async move {
        let (ranks, memory) = open(&member, 2).await?;
        let at = |buffer: u32| memory + buffer * BUFFER_BYTES;
        let process = ranks.process().clone();
        // Kept, then received; in the order of the sends.
        for number in 0..2 {
            process.store(at(number), &pattern(number, 100)).map_err(wrong)?;
            ranks.send(0, 5, at(number), 100).await.map_err(wrong)?;
        }
        for number in 0..2 {
            let status = ranks.recv(ANY_SOURCE, Some(5), at(4), 100).await.map_err(wrong)?;
            expect!(status == Status { source: 0, tag: 5, bytes: 100 }, "{status:?}");
            expect!(process.load(at(4), 100).map_err(wrong)? == pattern(number, 100), "message {number}");
        }
        // Received by the oldest receive, which the NIC has.
        let any = ranks.irecv(ANY_SOURCE, ANY_TAG, at(5), 100).await.map_err(wrong)?;
        let own = ranks.irecv(Some(0), Some(6), at(6), 100).await.map_err(wrong)?;
        ranks.send(0, 6, at(1), 100).await.map_err(wrong)?;
        expect!(ranks.wait(any).await.map_err(wrong)?.source == 0, "the oldest receive");
        expect!(process.load(at(5), 100).map_err(wrong)? == pattern(1, 100), "the oldest receive");
        expect!(ranks.wait(own).await == Err(MpiError::NotSent), "nothing was sent to it");
        // Too long, for the own rank and for the other.
        let short = ranks.irecv(Some(0), Some(7), at(6), 99).await.map_err(wrong)?;
        ranks.send(0, 7, at(1), 100).await.map_err(wrong)?;
        expect!(ranks.wait(short).await == Err(MpiError::Truncated { room_bytes: 99 }), "too long");
        let refused = ranks.send(1, 7, at(1), 100).await;
        expect!(refused == Err(MpiError::Refused), "too long: {refused:?}");
        let none = ranks.send(2, 0, at(0), 1).await;
        expect!(none == Err(MpiError::NoRank { rank: 2, last: 1 }), "{none:?}");
        let large = ranks.send(1, 0x8000, at(0), 1).await;
        expect!(large == Err(MpiError::TagTooLarge { tag: 0x8000 }), "{large:?}");
        close(&ranks).await
    });
    let peer = job(|member: Member| async move {
        let (ranks, memory) = open(&member, 2).await?;
        let short = ranks.recv(Some(0), Some(7), memory, 99).await;
        expect!(short == Err(MpiError::Truncated { room_bytes: 99 }), "{short:?}");
        close(&ranks).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([tries, peer]);
}

/// More receives and more sends than the NIC has descriptors.
#[test]
fn requests_wait_for_descriptors() {
    const MESSAGES: u32 = 450;
    let receives = job(|member: Member| async move {
        let (ranks, memory) = open(&member, 2).await?;
        let mut requests = Vec::new();
        for number in 0..MESSAGES {
            requests.push(ranks.irecv(Some(1), Some(1), memory + 8 * number, 8).await.map_err(wrong)?);
        }
        ranks.barrier().await.map_err(wrong)?;
        for end in ranks.wait_all(requests).await {
            end.map_err(wrong)?;
        }
        let found = ranks.process().load(memory, 8 * MESSAGES).map_err(wrong)?;
        for (number, bytes) in found.chunks(8).enumerate() {
            expect!(bytes == (number as u64).to_le_bytes(), "message {number}");
        }
        close(&ranks).await
    });
    let sends = job(|member: Member| async move {
        let (ranks, memory) = open(&member, 2).await?;
        let numbers: Vec<u8> = (0..u64::from(MESSAGES)).flat_map(u64::to_le_bytes).collect();
        ranks.process().store(memory, &numbers).map_err(wrong)?;
        ranks.barrier().await.map_err(wrong)?;
        let mut requests = Vec::new();
        for number in 0..MESSAGES {
            requests.push(ranks.isend(0, 1, memory + 8 * number, 8).await.map_err(wrong)?);
        }
        for end in ranks.wait_all(requests).await {
            end.map_err(wrong)?;
        }
        close(&ranks).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([receives, sends]);
}
