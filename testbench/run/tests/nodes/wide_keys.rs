//! Keys of 128 bits on whole nodes (M-48, INV-21, INV-24).
//!
//! Posts, frames, buffers and imports carry them, and each bit counts. Nodes with keys of different
//! widths refuse each other's frames.

use host_model::address::{NodeId, UserVirt};
use host_model::driver::DriverError;
use host_model::library::{Access, Export, Process, WriteError};
use nic_layout::counter::Counter;
use nic_layout::key::KeyWidth;
use nic_layout::post::PostError;
use nicscope_scenario::error::Result;

use crate::common::{count, job, wrong, Bench, Member};

const WIDE: [KeyWidth; 2] = [KeyWidth::Bits128; 2];
const BUFFER_BYTES: u32 = 8192;

struct Owner {
    process: Process,
    at: UserVirt,
    export: Export,
    own: UserVirt,
}

async fn open(member: &Member) -> Result<Owner> {
    let process = member.handle.open("process").await.map_err(wrong)?;
    let at = process.alloc(BUFFER_BYTES).map_err(wrong)?;
    let own = process.alloc(2 * BUFFER_BYTES).map_err(wrong)?;
    process.register(own, 2 * BUFFER_BYTES).await.map_err(wrong)?;
    process.store(own, &[0x3C; BUFFER_BYTES as usize]).map_err(wrong)?;
    let export = process.export_as(at, BUFFER_BYTES, Access::BOTH).await.map_err(wrong)?;
    Ok(Owner { process, at, export, own })
}

/// Lengths of writes in bytes: inline, the most that goes inline with such a key, more, two pages.
const LENGTHS: [u32; 6] = [4, 28, 29, 32, 1464, 6000];

async fn use_the_key(member: Member) -> Result<()> {
    let Owner { process, export, own, .. } = open(&member).await?;
    let to = member.meet("exports", vec![export]).await[0];
    expect!(to.key_width == KeyWidth::Bits128 && to.key.iter().all(|word| *word != 0), "{to:?}");
    process.import(&to).await.map_err(wrong)?;
    for (message, length) in (0..).zip(LENGTHS) {
        let from = UserVirt(own.0 + message);
        let bytes: Vec<u8> = (0..length).map(|n| (n * 7 + message) as u8).collect();
        process.store(from, &bytes).map_err(wrong)?;
        let write = process.write(from, length, &to, 100, message).await.map_err(wrong)?;
        process.wait(write).await.map_err(wrong)?;
        let back = UserVirt(own.0 + BUFFER_BYTES);
        let read = process.read(&to, 100, length, back, message).await.map_err(wrong)?;
        process.wait(read).await.map_err(wrong)?;
        expect!(process.load(back, length).map_err(wrong)? == bytes, "{length} bytes came back as others");
    }
    member.meet("used", Vec::new()).await;
    Ok(())
}

#[test]
fn both_personalities_write_and_read_with_the_whole_key() {
    for (platform, personality) in [("tigon2", "mini"), ("lanai9", "mini"), ("tigon2", "vmmc")] {
        let output =
            Bench { platform, personality, keys: WIDE, ..Bench::default() }.run([job(use_the_key), job(use_the_key)]);
        assert_eq!(count(&output, 0, Counter::ReadsCompleted), LENGTHS.len() as u64, "{personality}");
        assert_eq!(count(&output, 0, Counter::FramesRefusedKey), 0);
    }
}

/// Node 0 posts with one bit of the key after the other wrong, by turns as an inline write, a write
/// by DMA, a write with notification, and a read.
async fn guess(member: Member) -> Result<()> {
    let Owner { process, at, export, own } = open(&member).await?;
    let right = member.meet("exports", vec![export]).await[0];
    if member.node == 1 {
        member.meet("guessed", Vec::new()).await;
        let found = process.load(at, BUFFER_BYTES).map_err(wrong)?;
        expect!(found.iter().all(|byte| *byte == 0), "something was written with a wrong key");
        return Ok(());
    }
    for bit in 0..128u32 {
        let mut export = right;
        export.key[bit as usize / 32] ^= 1 << (bit % 32);
        process.import(&export).await.map_err(wrong)?;
        let handle = match bit % 4 {
            0 => process.write(own, 4, &export, 8, bit).await,
            1 => process.write(own, 100, &export, 8, bit).await,
            2 => process.write_and_notify(own, 100, &export, 8, bit).await,
            _ => process.read(&export, 0, 100, UserVirt(own.0 + BUFFER_BYTES), bit).await,
        }
        .map_err(wrong)?;
        let end = process.wait(handle).await;
        let refused = Err(WriteError::Refused { index: handle.index, error: PostError::Refused as u32 });
        expect!(end == refused, "bit {bit}: {end:?}");
        process.release_import(&export).await.map_err(wrong)?;
    }
    let found = process.load(UserVirt(own.0 + BUFFER_BYTES), BUFFER_BYTES).map_err(wrong)?;
    expect!(found.iter().all(|byte| *byte == 0), "something was read with a wrong key");
    member.meet("guessed", Vec::new()).await;
    Ok(())
}

#[test]
fn no_bit_of_the_key_may_be_wrong() {
    for personality in ["mini", "vmmc"] {
        let output = Bench { personality, keys: WIDE, ..Bench::default() }.run([job(guess), job(guess)]);
        let refused = count(&output, 1, Counter::FramesRefusedKey);
        assert_eq!(refused, 128, "{personality}");
        assert_eq!(count(&output, 1, Counter::NotificationsTaken), 0);
    }
}

/// Node 1 has the longer keys. A connection to the other node fails with an error that names both
/// widths. The peer drops the frames of a post that is made in spite of it.
async fn connect(member: Member) -> Result<()> {
    let Owner { process, at, export, own } = open(&member).await?;
    let theirs = member.meet("exports", vec![export]).await[0];
    let [own_bits, their_bits] = [export, theirs].map(|export| export.key_width.bits());
    expect!(own_bits != their_bits, "both have {own_bits}");
    let node = theirs.node.0;
    let import = process.import(&theirs).await;
    expect!(import == Err(DriverError::OtherKeyWidth { node, theirs: their_bits, own: own_bits }), "{import:?}");
    let write = process.write(own, 4, &theirs, 0, 1).await;
    expect!(write == Err(WriteError::OtherKeyWidth { node, theirs: their_bits, own: own_bits }), "{write:?}");
    // The buffer as if its node had keys of the same width.
    let disguised = Export { key_width: export.key_width, node: NodeId(node), ..theirs };
    let handle = process.write(own, 100, &disguised, 0, 2).await.map_err(wrong)?;
    let end = process.wait(handle).await;
    let unreachable = Err(WriteError::Refused { index: handle.index, error: PostError::PeerUnreachable as u32 });
    expect!(end == unreachable, "{end:?}");
    member.meet("tried", Vec::new()).await;
    let found = process.load(at, BUFFER_BYTES).map_err(wrong)?;
    expect!(found.iter().all(|byte| *byte == 0), "a frame of the other width was taken");
    Ok(())
}

#[test]
fn nodes_of_different_widths_refuse_each_other() {
    let change = |platform: &mut host_model::platform::Platform| platform.protocol.retransmit_limit = 2;
    let output = Bench { keys: [KeyWidth::Bits64, KeyWidth::Bits128], change, ..Bench::default() }
        .run([job(connect), job(connect)]);
    for node in 0..2 {
        assert!(count(&output, node, Counter::FramesForeign) > 0);
        assert_eq!(count(&output, node, Counter::FramesAccepted), 0);
    }
}
