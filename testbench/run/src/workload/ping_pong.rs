//! Two processes of each pair of nodes write to each other in turn.

use std::collections::VecDeque;

use host_model::library::WriteHandle;
use nicscope_scenario::error::Result;

use super::app::{App, Target};
use super::message::Message;
use super::places::AREA_BYTES;
use super::step::{measure, Step};

/// All round trips of one size. The first node of each pair begins.
pub async fn step(app: &mut App, size_bytes: u32) -> Result<Step> {
    measure(app, size_bytes, async |app: &mut App, count, measured| {
        Ok(round_trips(app, size_bytes, count, measured).await?.into())
    })
    .await
}

/// Plays `count` round trips.
///
/// A node prepares the place of the peer's next message before it sends the message that the peer
/// answers. It sends from two places in turn, so it waits for the end of a write only before it
/// fills the same place again, and not before it polls for the answer.
async fn round_trips(app: &mut App, size_bytes: u32, count: u32, measured: bool) -> Result<Vec<Message>> {
    // Both nodes have sent as many messages, so a node knows the numbers of its peer.
    let first = app.sent;
    let (node, peer) = (app.node, app.peer);
    let target = |app: &mut App, receiver: usize, k: u32| match measured {
        true => app.target(receiver, k, 0),
        false => app.places.hot(0).into(),
    };
    // Two messages in a row go to different places.
    let source = |app: &mut App, k: u32| {
        let usual = app.places.send(app.sent % 2 * (AREA_BYTES / 2));
        if measured {
            app.source(k, usual)
        } else {
            usual
        }
    };
    let mut mine = target(app, node, 0);
    app.clear(app.number(peer, first), size_bytes, mine.offset)?;
    app.meet("ready").await;
    let mut posted = VecDeque::new();
    let mut sent = Vec::new();
    for k in 0..count {
        let number = app.number(peer, first + k);
        if app.is_first() {
            let theirs = target(app, peer, k);
            let from = source(app, k);
            sent.push(send(app, size_bytes, from, theirs, &mut posted).await?);
        }
        app.receive(number, size_bytes, mine.offset).await?;
        if k + 1 < count {
            mine = target(app, node, k + 1);
            app.clear(app.number(peer, first + k + 1), size_bytes, mine.offset)?;
        }
        if !app.is_first() {
            let theirs = target(app, peer, k);
            let from = source(app, k);
            sent.push(send(app, size_bytes, from, theirs, &mut posted).await?);
        }
    }
    for handle in posted {
        app.wait(handle).await?;
    }
    Ok(sent)
}

async fn send(
    app: &mut App,
    size_bytes: u32,
    from: u32,
    to: Target,
    posted: &mut VecDeque<WriteHandle>,
) -> Result<Message> {
    if posted.len() == 2 {
        let oldest = posted.pop_front().expect("there are two");
        app.wait(oldest).await?;
    }
    let (message, handle) = app.send(size_bytes, from, to).await?;
    posted.push_back(handle);
    Ok(message)
}
