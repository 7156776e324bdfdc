//! A process reads the memory of a process on another node, one read after the other (fact MN-3,
//! fetch).

use host_model::address::UserVirt;
use nicscope_scenario::error::Result;

use super::app::{pattern, App};
use super::message::Message;
use super::places::AREA_BYTES;
use super::step::{measure, Done, Step};

/// All reads of one size. The first node of each pair reads. A read begins with the call of the
/// library and ends when the library reports its end.
pub async fn step(app: &mut App, size_bytes: u32) -> Result<Step> {
    measure(app, size_bytes, async |app: &mut App, count, measured| fetches(app, size_bytes, count, measured).await)
        .await
}

/// Makes `count` reads, each as soon as the one before has ended.
///
/// The owner, the other node of the pair, writes the expected bytes before the first read. The
/// reader puts different bytes where they shall arrive.
async fn fetches(app: &mut App, size_bytes: u32, count: u32, measured: bool) -> Result<Done> {
    let [reader, owner] = app.pair();
    let lent = app.number(owner, app.sent);
    let mut places = Vec::new();
    for k in 0..count {
        let from = match measured {
            true => app.target(owner, k, 0),
            false => app.places.hot(0).into(),
        };
        places.push(from);
        if app.node == owner {
            let place = UserVirt(app.region.0 + from.offset);
            app.process.store(place, &pattern(lent, size_bytes)).map_err(|error| app.error(error))?;
        }
    }
    app.meet("ready").await;
    let mut done = Done::default();
    for from in places {
        let k = app.sent;
        let number = app.number(reader, k);
        app.advance();
        if app.node == owner {
            continue;
        }
        // Two places in turn, as in a ping-pong.
        let to = app.places.send(k % 2 * (AREA_BYTES / 2));
        app.clear(lent, size_bytes, to)?;
        done.timed.begun.push(app.now());
        let handle = app.read(from, size_bytes, to, number).await?;
        app.wait(handle).await?;
        done.timed.ended.push(app.now());
        app.compare(lent, size_bytes, to)?;
        done.sent.push(Message { number, size_bytes, sender: app.node });
    }
    app.meet("read").await;
    Ok(done)
}
