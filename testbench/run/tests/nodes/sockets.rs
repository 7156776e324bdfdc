//! Stream sockets over EMP, on whole nodes: every byte arrives once and in order, whatever the
//! sizes of writes and reads, and each end of a connection is reported.

use host_model::address::{NodeId, UserVirt};
use host_model::library::emp::Messages;
use host_model::library::sockets::{Connection, SocketError, Sockets, DATA_BYTES_MAX};
use nicscope_scenario::error::Result;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_fabric::{Fault, Loss};

use crate::common::{count, job, wrong, Bench, Member};

const PORT: u16 = 7;
const ROOM_BYTES: u32 = 64 * 1024;

/// The sockets of the process, with memory for data.
async fn open(member: &Member) -> Result<(Sockets, UserVirt)> {
    let process = member.handle.open_with::<Messages>("test").await.map_err(wrong)?;
    let memory = process.alloc(2 * ROOM_BYTES).map_err(wrong)?;
    Ok((Sockets::new(process), memory))
}

/// A connection of the two nodes. Node 1 listens.
async fn connect(member: &Member, sockets: &Sockets) -> Result<Connection> {
    if member.node == 0 {
        member.meet("listening", Vec::new()).await;
        return sockets.connect(1, PORT).await.map_err(wrong);
    }
    let listener = sockets.listen(PORT, 2).await.map_err(wrong)?;
    member.meet("listening", Vec::new()).await;
    let connection = listener.accept().await.map_err(wrong)?;
    listener.close().await;
    Ok(connection)
}

async fn close(member: &Member, sockets: &Sockets) -> Result<()> {
    member.meet("done", Vec::new()).await;
    sockets.process().close().await.map_err(wrong)
}

/// Byte `at` of the stream of a node.
fn byte(node: usize, at: u32) -> u8 {
    (at.wrapping_mul(2_654_435_761) >> 13) as u8 ^ node as u8
}

fn bytes(node: usize, at: u32, count: u32) -> Vec<u8> {
    (at..at + count).map(|at| byte(node, at)).collect()
}

/// A size that is small, near a message's limit, or large.
fn size(random: &mut ChaCha8Rng, left: u32) -> u32 {
    let most = [16, 1500, 20_000, ROOM_BYTES][(random.next_u32() % 4) as usize];
    (random.next_u32() % most + 1).min(left)
}

/// Writes a part of the own stream, or reads a part of the peer's, in random sizes, until both are
/// through. A side writes when that does not block, so the two sides never wait for each other.
async fn talk(connection: &Connection, sockets: &Sockets, memory: UserVirt, node: usize, all: [u32; 2]) -> Result<()> {
    let (process, peer) = (sockets.process(), 1 - node);
    let mut random = ChaCha8Rng::seed_from_u64(40 + node as u64);
    let (mut written, mut read) = (0, 0);
    while written < all[node] || read < all[peer] {
        let ready = connection.ready().await.map_err(wrong)?;
        if written < all[node] && ready.to_write && random.next_u32() % 3 > 0 {
            let part = size(&mut random, all[node] - written).min(DATA_BYTES_MAX);
            process.store(memory, &bytes(node, written, part)).map_err(wrong)?;
            connection.write(memory, part).await.map_err(wrong)?;
            written += part;
            if written == all[node] {
                connection.shutdown().await.map_err(wrong)?;
            }
        } else if read < all[peer] && (ready.to_read || written == all[node]) {
            let room = size(&mut random, ROOM_BYTES);
            let part = connection.read(memory + ROOM_BYTES, room).await.map_err(wrong)?;
            expect!(part > 0 && part <= room, "{part} bytes of {room}");
            let found = process.load(memory + ROOM_BYTES, part).map_err(wrong)?;
            expect!(found == bytes(peer, read, part), "bytes {read} to {} of node {peer}", read + part);
            read += part;
        }
    }
    let end = connection.read(memory, 1).await.map_err(wrong)?;
    expect!(end == 0, "{end} bytes behind the end");
    Ok(())
}

fn streams(all: [u32; 2], faults: [Vec<Box<dyn Fault>>; 2]) {
    let sides = std::array::from_fn::<_, 2, _>(|_| {
        job(move |member: Member| async move {
            let (sockets, memory) = open(&member).await?;
            let connection = connect(&member, &sockets).await?;
            talk(&connection, &sockets, memory, member.node, all).await?;
            connection.close().await.map_err(wrong)?;
            close(&member, &sockets).await
        })
    });
    Bench { personality: "emp", faults, ..Bench::default() }.run(sides);
}

#[test]
fn both_streams_are_exact_whatever_the_sizes() {
    streams([250_000, 250_000], [Vec::new(), Vec::new()]);
}

#[test]
fn a_stream_is_exact_on_a_link_that_loses_frames() {
    let loss = || -> Vec<Box<dyn Fault>> { vec![Box::new(Loss { name: "loss".into(), probability: 0.02 })] };
    streams([90_000, 90_000], [loss(), loss()]);
}

#[test]
fn a_side_that_has_ended_reads_on() {
    let ends = job(|member: Member| async move {
        let (sockets, memory) = open(&member).await?;
        let connection = connect(&member, &sockets).await?;
        connection.write(memory, 10).await.map_err(wrong)?;
        connection.shutdown().await.map_err(wrong)?;
        let refused = connection.write(memory, 1).await;
        expect!(refused == Err(SocketError::Ended), "{refused:?}");
        // More than the credits of a connection: the reader gives them back.
        let all = connection.read_all(memory, 2 * ROOM_BYTES).await.map_err(wrong)?;
        expect!(all == 2 * ROOM_BYTES, "{all} bytes");
        let found = sockets.process().load(memory, all).map_err(wrong)?;
        expect!(found == bytes(1, 0, all), "the answer");
        connection.close().await.map_err(wrong)?;
        close(&member, &sockets).await
    });
    let answers = job(|member: Member| async move {
        let (sockets, memory) = open(&member).await?;
        let connection = connect(&member, &sockets).await?;
        let all = connection.read_all(memory, 100).await.map_err(wrong)?;
        expect!(all == 10, "{all} bytes before the end");
        sockets.process().store(memory, &bytes(1, 0, 2 * ROOM_BYTES)).map_err(wrong)?;
        connection.write(memory, 2 * ROOM_BYTES).await.map_err(wrong)?;
        connection.close().await.map_err(wrong)?;
        close(&member, &sockets).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([ends, answers]);
}

/// A slow reader holds its writer back, and nothing is refused on the way.
#[test]
fn a_writer_does_not_outrun_its_reader() {
    const ALL: u32 = 300_000;
    let writes = job(|member: Member| async move {
        let (sockets, memory) = open(&member).await?;
        let connection = connect(&member, &sockets).await?;
        let begin = member.now();
        for at in (0..ALL).step_by(30_000) {
            sockets.process().store(memory, &bytes(0, at, 30_000)).map_err(wrong)?;
            connection.write(memory, 30_000).await.map_err(wrong)?;
        }
        let waited_us = (member.now() - begin).0 / 1_000_000;
        expect!(waited_us > 4000, "the writer was through after {waited_us} us");
        connection.close().await.map_err(wrong)?;
        close(&member, &sockets).await
    });
    let reads = job(|member: Member| async move {
        let (sockets, memory) = open(&member).await?;
        let connection = connect(&member, &sockets).await?;
        member.sleep_us(5000).await;
        for at in (0..ALL).step_by(30_000) {
            let part = connection.read_all(memory, 30_000).await.map_err(wrong)?;
            expect!(sockets.process().load(memory, part).map_err(wrong)? == bytes(0, at, 30_000), "byte {at}");
        }
        connection.close().await.map_err(wrong)?;
        close(&member, &sockets).await
    });
    let output = Bench { personality: "emp", ..Bench::default() }.run([writes, reads]);
    assert_eq!(count(&output, 1, nic_layout::counter::Counter::FirstsNotPosted), 0);
}

#[test]
fn a_peer_that_closes_or_does_not_listen_is_reported() {
    let client = job(|member: Member| async move {
        let (sockets, memory) = open(&member).await?;
        let refused = sockets.connect(1, PORT + 1).await.err();
        expect!(refused == Some(SocketError::Refused { node: 1, port: PORT + 1 }), "{refused:?}");
        let connection = connect(&member, &sockets).await?;
        let mut end = Ok(());
        for _ in 0..1000 {
            end = connection.write(memory, 20_000).await;
            if end.is_err() {
                break;
            }
        }
        expect!(end == Err(SocketError::Closed), "{end:?}");
        connection.close().await.map_err(wrong)?;
        close(&member, &sockets).await
    });
    let server = job(|member: Member| async move {
        let (sockets, memory) = open(&member).await?;
        let connection = connect(&member, &sockets).await?;
        connection.read(memory, 1).await.map_err(wrong)?;
        connection.close().await.map_err(wrong)?;
        close(&member, &sockets).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([client, server]);
}

/// The NIC of the peer is reset: the reader, which waits, learns of it.
#[test]
fn a_peer_that_starts_again_is_reported() {
    let resets = job(|member: Member| async move {
        let (sockets, _) = open(&member).await?;
        let _connection = connect(&member, &sockets).await?;
        member.meet("connected", Vec::new()).await;
        member.handle.reset_nic().await.map_err(wrong)?;
        sockets.process().close().await.map_err(wrong)?;
        member.meet("reset", Vec::new()).await;
        member.meet("done", Vec::new()).await;
        Ok(())
    });
    let reads = job(|member: Member| async move {
        let (sockets, memory) = open(&member).await?;
        let connection = connect(&member, &sockets).await?;
        member.meet("connected", Vec::new()).await;
        member.meet("reset", Vec::new()).await;
        // A message of the old time is under way when the driver learns of the new session.
        connection.write(memory, 100).await.map_err(wrong)?;
        member.handle.driver().restart_peer(sockets.process().cpu(), NodeId(0), 1).await.map_err(wrong)?;
        let flushed = connection.flush().await;
        expect!(flushed == Err(SocketError::Lost), "{flushed:?}");
        let end = connection.read(memory, 1).await;
        expect!(end == Err(SocketError::Lost), "{end:?}");
        drop(connection);
        close(&member, &sockets).await
    });
    Bench { personality: "emp", ..Bench::default() }.run([resets, reads]);
}
