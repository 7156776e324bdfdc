//! A node starts again while others go on: its NIC is reset, and every peer is told of the session.
//!
//! The management of the cluster is a list on the board. A node that starts again adds an entry,
//! and each peer gives its driver the new session and says so.

use std::rc::Rc;

use host_model::address::NodeId;
use host_model::processor::Priority;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;

use super::model::Restart;
use super::state::State;
use super::turns::News;

/// The time between two looks at the board.
const LOOK: Ps = Ps::from_us(5);
/// The time from an entry on the board until other nodes see it: longer than a node may run ahead
/// of the others.
const SEEN_AFTER: Ps = Ps::from_us(2);

/// Starts the node again after a time. With `under_traffic` the processes lose the NIC in whatever
/// step they are; otherwise they are killed and closed first.
pub(super) async fn restart(state: Rc<State>, after_us: u32, under_traffic: bool) {
    state.sim().sleep_for(Ps::from_us(after_us.into())).await;
    let turn = state.restarts.turn.acquire().await;
    if let Err(error) = begin_again(&state, under_traffic).await {
        state.fail(format!("restart of node {}: {error}", state.node));
    }
    drop(turn);
    state.restarts.hold(&state.changed, false, false);
    state.count_pending(-1);
}

async fn begin_again(state: &State, under_traffic: bool) -> Result<()> {
    let restarts = &state.restarts;
    restarts.hold(&state.changed, true, true);
    state.changed.wait_until(|| restarts.is_still()).await;
    // No other task of the node runs until the driver has begun the reset: each process is killed
    // before a call of it can end with an error of the reset.
    for actor in &state.actors {
        state.count_pending(1);
        actor.kill();
    }
    if under_traffic {
        state.actors.iter().for_each(|actor| actor.abort_tasks());
    } else {
        restarts.hold(&state.changed, false, true);
        let is_empty = || state.actors.iter().all(|actor| actor.life.borrow().is_none());
        state.changed.wait_until(|| restarts.is_still() && is_empty()).await;
    }
    let begun = state.sim().now().0;
    let number = {
        let mut board = state.board.lock();
        let own = board.buffers.iter_mut().filter(|(name, _)| name.owner.node == state.node);
        own.for_each(|(_, buffer)| _ = buffer.end_begun.get_or_insert(begun));
        board.restarts.push(Restart { node: state.node, begun, over: None });
        board.restarts.len() - 1
    };
    let session = state.handle.reset_nic().await.map_err(|error| failed!("{error}"))?;
    let ended = state.sim().now();
    let news = {
        let mut board = state.board.lock();
        let own = board.buffers.iter_mut().filter(|(name, _)| name.owner.node == state.node);
        own.for_each(|(_, buffer)| _ = buffer.ended.get_or_insert(ended.0));
        let visible = ended + SEEN_AFTER;
        board.news.push(News { node: state.node, session, visible, heeded: Vec::new() });
        board.news.len() - 1
    };
    loop {
        state.sim().sleep_for(LOOK).await;
        let now = state.sim().now();
        let mut board = state.board.lock();
        let heeded = board.news[news].heeded.iter().filter(|visible| **visible <= now).count();
        if heeded + 1 == state.nodes {
            board.restarts[number].over = Some(now.0);
            return Ok(());
        }
    }
}

/// Tells the driver of each node that starts again.
pub(super) async fn heed(state: Rc<State>) {
    let cpu = state.handle.cpu("management", Priority::KernelThread);
    let mut next = 0;
    loop {
        state.sim().sleep_for(LOOK).await;
        let now = state.sim().now();
        let news = state.board.lock().news.get(next).map(|news| (news.node, news.session, news.visible));
        let Some((node, session, _)) = news.filter(|(.., visible)| *visible <= now) else { continue };
        if node != state.node {
            if let Err(error) = state.handle.driver().restart_peer(&cpu, NodeId(node as u16), session).await {
                return state.fail(format!("restart of peer {node}: {error}"));
            }
            let visible = state.sim().now() + SEEN_AFTER;
            state.board.lock().news[next].heeded.push(visible);
        }
        next += 1;
    }
}
