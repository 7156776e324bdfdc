//! One process writes to another as fast as its NIC takes posts (fact E-55). Some posts are always
//! outstanding.

use std::collections::VecDeque;

use nicscope_scenario::error::Result;

use super::app::App;
use super::message::Message;
use super::places::AREA_BYTES;
use super::step::{measure, Step};

/// All messages of one size. The first node of each pair sends, the other receives and compares.
pub async fn step(app: &mut App, size_bytes: u32) -> Result<Step> {
    measure(app, size_bytes, async |app: &mut App, count, measured| {
        Ok(stream(app, size_bytes, count, measured).await?.into())
    })
    .await
}

/// Sends, or receives, `count` messages.
///
/// A slot is used again only after the receiver has compared its bytes: at most half as many
/// messages are outstanding as there are slots, and the receiver awaits the messages in order.
pub async fn stream(app: &mut App, size_bytes: u32, count: u32, measured: bool) -> Result<Vec<Message>> {
    let slot_bytes = size_bytes.next_multiple_of(64);
    let slots = AREA_BYTES / slot_bytes;
    let outstanding = app.scenario.workload.outstanding.min(slots / 2).max(1);
    let slot = |k: u32| k % slots * slot_bytes;
    let target = |app: &mut App, receiver, k| match measured {
        true => app.target(receiver, k, slot(k)),
        false => app.places.hot(slot(k)).into(),
    };
    let mut sent = Vec::new();
    if app.is_first() {
        let mut posted = VecDeque::new();
        for k in 0..count {
            if posted.len() as u32 == outstanding {
                let oldest = posted.pop_front().expect("there are posts outstanding");
                app.wait(oldest).await?;
            }
            let peer = app.peer;
            let to = target(app, peer, k);
            let (message, handle) = app.send(size_bytes, app.places.send(slot(k)), to).await?;
            posted.push_back(handle);
            sent.push(message);
        }
        for handle in posted {
            app.wait(handle).await?;
        }
    } else {
        for k in 0..count {
            let number = app.number(app.peer, app.sent);
            app.advance();
            let node = app.node;
            let at = target(app, node, k);
            app.receive(number, size_bytes, at.offset).await?;
        }
    }
    Ok(sent)
}
