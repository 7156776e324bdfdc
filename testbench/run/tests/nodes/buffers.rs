//! The life of a buffer on whole nodes (M-39 to M-45, M-49).
//!
//! The owner's NIC asks its host for a buffer that does not exist, and gets a negative entry. It
//! gets the descriptor after the buffer was registered, and drops it when the buffer is withdrawn.

use host_model::address::{NodeId, UserVirt};
use host_model::library::{Access, Export, Process, WriteError};
use nic_layout::cbh::{cbh, BUFFER_ID_MAX};
use nic_layout::counter::Counter;
use nic_layout::key::KeyWidth;
use nic_layout::post::PostError;
use nicscope_scenario::error::Result;

use crate::common::{count, job, receive, send, wrong, Bench, Member};

const BYTES: u32 = 100;
/// Identifier of the buffer: any number that is not in use.
const ID: u32 = BUFFER_ID_MAX - 5;

/// Posts a write that the owner must refuse.
async fn refused(process: &Process, from: UserVirt, to: &Export, number: u32) -> Result<()> {
    let handle = process.write(from, BYTES, to, 0, number).await.map_err(wrong)?;
    let end = process.wait(handle).await;
    let expected = Err(WriteError::Refused { index: handle.index, error: PostError::Refused as u32 });
    expect!(end == expected, "message {number} ended with {end:?}");
    Ok(())
}

async fn writer(member: Member) -> Result<()> {
    let process = member.handle.open("writer").await.map_err(wrong)?;
    let from = process.alloc(4096).map_err(wrong)?;
    let unknown = member.meet("unknown", Vec::new()).await[0];
    // The second frame finds the negative entry of the first.
    refused(&process, from, &unknown, 1).await?;
    refused(&process, from, &unknown, 2).await?;
    member.meet("refused", Vec::new()).await;
    let known = member.meet("registered", Vec::new()).await[0];
    expect!(known.buffer == unknown.buffer, "{known:?} has another identifier than {unknown:?}");
    send(&process, from, &known, 0, 3, BYTES).await?;
    send(&process, from, &known, BYTES, 4, BYTES).await?;
    member.meet("arrived", Vec::new()).await;
    member.meet("withdrawn", Vec::new()).await;
    refused(&process, from, &known, 5).await?;
    member.meet("ended", Vec::new()).await;
    let buffers = member.meet("many", Vec::new()).await;
    for (number, buffer) in (100..).zip(&buffers) {
        send(&process, from, buffer, 4 * (number - 100), number, 4).await?;
    }
    Ok(())
}

/// Buffers of one set: more than the set has ways.
const MANY: u32 = 6;

async fn owner(member: Member) -> Result<()> {
    let process = member.handle.open("owner").await.map_err(wrong)?;
    let at = process.alloc(4096).map_err(wrong)?;
    let driver = member.handle.driver();
    let unknown = Export {
        node: NodeId(member.node as u16),
        buffer: cbh(process.pid().0, ID),
        key: [1, 2, 0, 0],
        key_width: KeyWidth::Bits64,
        length_bytes: 4096,
        access: Access::WRITE,
    };
    member.meet("unknown", vec![unknown]).await;
    member.meet("refused", Vec::new()).await;
    let counts = driver.counts();
    expect!((counts.denials, counts.buffer_fills, counts.fills) == (1, 0, 0), "{counts:?}");

    let known = process.export_under(ID, at, 4096, Access::WRITE).await.map_err(wrong)?;
    member.meet("registered", vec![known]).await;
    receive(&process, at, 3, BYTES).await?;
    receive(&process, UserVirt(at.0 + BYTES), 4, BYTES).await?;
    member.meet("arrived", Vec::new()).await;
    let counts = driver.counts();
    expect!((counts.denials, counts.buffer_fills, counts.fills) == (1, 1, 1), "{counts:?}");

    process.withdraw(&known).await.map_err(wrong)?;
    let before = process.load(at, 4096).map_err(wrong)?;
    member.meet("withdrawn", Vec::new()).await;
    member.meet("ended", Vec::new()).await;
    expect!(process.load(at, 4096).map_err(wrong)? == before, "a withdrawn buffer was written");
    expect!(driver.counts().denials == 2, "{:?}", driver.counts());

    let mut buffers = Vec::new();
    for n in 0..MANY {
        // All identifiers fall into one set.
        buffers.push(process.export_under(n << 10, at, 4096, Access::WRITE).await.map_err(wrong)?);
    }
    member.meet("many", buffers).await;
    for n in 0..MANY {
        receive(&process, UserVirt(at.0 + 4 * n), 100 + n, 4).await?;
    }
    Ok(())
}

#[test]
fn a_buffer_is_denied_registered_found_and_forgotten() {
    let output = Bench::default().run([job(writer), job(owner)]);
    let owner = |counter| count(&output, 1, counter);
    // One miss each for the unknown, the registered and the withdrawn buffer, and for each of many.
    assert_eq!(owner(Counter::BufferMisses), 3 + u64::from(MANY));
    // A miss drops one frame at least, and more if the service takes longer than the sender's
    // timer.
    assert!(owner(Counter::FramesDroppedBuffer) >= 3 + u64::from(MANY));
    assert_eq!(owner(Counter::FramesRefusedBuffer), 3);
    assert_eq!(count(&output, 0, Counter::PostsRefusedOwner), 3);
    // One message found its buffer and missed its page.
    assert_eq!((owner(Counter::FramesAccepted), owner(Counter::FramesDroppedMiss)), (2 + u64::from(MANY), 1));
}
