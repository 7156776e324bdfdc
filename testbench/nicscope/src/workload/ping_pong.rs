//! Two processes write to each other in turn.

use super::app::App;
use super::{Message, Step};
use crate::error::Result;

/// Warm-up and measured round trips of one size. Node 0 begins.
pub async fn step(app: &mut App, size_bytes: u32) -> Result<Step> {
    app.meet("step").await;
    let workload = app.scenario.workload.clone();
    round_trips(app, size_bytes, workload.warm_up, false).await?;
    app.meet("warmed up").await;
    let before = app.totals().await?;
    app.meet("counted").await;
    let begin = app.now();
    let sent = round_trips(app, size_bytes, workload.iterations, true).await?;
    let end = app.now();
    app.meet("done").await;
    let after = app.totals().await?;
    Ok(Step { size_bytes, sent, begin, end, before, after })
}

async fn round_trips(app: &mut App, size_bytes: u32, count: u32, measured: bool) -> Result<Vec<Message>> {
    let mut sent = Vec::new();
    for k in 0..count {
        // Both sides have sent as many messages, so the peer's next number is known.
        let number = App::number(app.peer, app.sent);
        let target = |app: &mut App, receiver| match measured {
            true => app.target(receiver, k, 0),
            false => app.places.hot(0),
        };
        let (node, peer) = (app.node, app.peer);
        let (mine, theirs) = (target(app, node), target(app, peer));
        app.clear(number, size_bytes, mine)?;
        if app.node == 0 {
            let (message, handle) = app.send(size_bytes, app.places.send(0), theirs).await?;
            app.receive(number, size_bytes, mine).await?;
            app.wait(handle).await?;
            sent.push(message);
        } else {
            app.receive(number, size_bytes, mine).await?;
            let (message, handle) = app.send(size_bytes, app.places.send(0), theirs).await?;
            app.wait(handle).await?;
            sent.push(message);
        }
    }
    Ok(sent)
}
