//! A process writes to another process with a notification (fact MN-3, notification). The receiver
//! waits for the notification and does not poll.

use nicscope_scenario::error::Result;

use super::app::App;
use super::step::{measure, Done, Step};

/// All messages of one size. The first node of each pair writes. A message begins with the call of
/// the library, and ends when the process of the other node runs with its notification.
pub async fn step(app: &mut App, size_bytes: u32) -> Result<Step> {
    measure(app, size_bytes, async |app: &mut App, count, measured| notify(app, size_bytes, count, measured).await)
        .await
}

/// One message at a time: the writer sends the next when the receiver waits again.
async fn notify(app: &mut App, size_bytes: u32, count: u32, measured: bool) -> Result<Done> {
    let [writer, reader] = app.pair();
    let mut done = Done::default();
    let first = app.sent;
    for k in 0..count {
        let (node, number) = (app.node, app.number(writer, first + k));
        let to = match measured {
            true => app.target(reader, k, 0),
            false => app.places.hot(0).into(),
        };
        if node == writer {
            app.meet("ready").await;
            done.timed.begun.push(app.now());
            let (message, handle) = app.send_and_notify(size_bytes, app.places.send(0), to).await?;
            app.wait(handle).await?;
            done.sent.push(message);
        } else {
            app.advance();
            app.clear(number, size_bytes, to.offset)?;
            let told = app.told.clone().ok_or_else(|| app.error("it does not listen"))?;
            app.meet("ready").await;
            let notification = told.next().await;
            done.timed.ended.push(app.now());
            if notification.message != number {
                return Err(app.error(format!("told of message {} instead of {number}", notification.message)));
            }
            app.compare(number, size_bytes, to.offset)?;
        }
        app.meet("told").await;
    }
    Ok(done)
}
