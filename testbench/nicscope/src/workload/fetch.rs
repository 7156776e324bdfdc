//! A process reads from another one's memory, one read after the other (fact MN-3, fetch).

use host_model::address::UserVirt;

use super::app::{pattern, App};
use super::places::AREA_BYTES;
use super::{measure, Done, Message, Step};
use crate::error::Result;

/// Node 0 reads, from the call of the library to the end that it reports.
pub async fn step(app: &mut App, size_bytes: u32) -> Result<Step> {
    measure(app, size_bytes, async |app: &mut App, count, measured| fetches(app, size_bytes, count, measured).await)
        .await
}

/// Node 1 writes what the next read must find, while no read is under way.
async fn fetches(app: &mut App, size_bytes: u32, count: u32, measured: bool) -> Result<Done> {
    let mut done = Done::default();
    for k in 0..count {
        let owner = 1;
        let from = match measured {
            true => app.target(owner, k, 0),
            false => app.places.hot(0).into(),
        };
        let number = App::number(0, app.sent);
        app.advance();
        if app.node == owner {
            let place = UserVirt(app.region.0 + from.offset);
            app.process.store(place, &pattern(number, size_bytes)).map_err(|error| app.error(error))?;
            app.meet("ready").await;
            app.meet("read").await;
            continue;
        }
        // Two places in turn, as processes that send have them.
        let to = app.places.send(number / 2 % 2 * (AREA_BYTES / 2));
        app.clear(number, size_bytes, to)?;
        app.meet("ready").await;
        done.timed.begun.push(app.now());
        let handle = app.read(from, size_bytes, to, number).await?;
        app.wait(handle).await?;
        done.timed.ended.push(app.now());
        app.compare(number, size_bytes, to)?;
        done.sent.push(Message { number, size_bytes, sender: app.node });
        app.meet("read").await;
    }
    Ok(done)
}
