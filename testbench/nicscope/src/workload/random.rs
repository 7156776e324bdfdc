//! Random sizes, alignments and places both ways at once.

use std::collections::VecDeque;

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::app::{pattern, App};
use super::places::AREA_BYTES;
use super::{Message, Step};
use crate::error::Result;

/// A message of the plan, which both nodes draw from the seed.
struct Planned {
    size_bytes: u32,
    from: u32,
    to: u32,
}

fn plan(app: &App, sender: usize, count: u32) -> Vec<Planned> {
    let bounds = &app.scenario.workload.sizes_bytes;
    let (least, most) = (*bounds.iter().min().expect("checked"), *bounds.iter().max().expect("checked"));
    let mut random = ChaCha8Rng::seed_from_u64(app.seed);
    random.set_stream(sender as u64 + 1);
    let mut below = |limit: u32| (u64::from(random.next_u32()) * u64::from(limit) >> 32) as u32;
    (0..count)
        .map(|_| {
            let size_bytes = least + below(most - least + 1);
            let room = AREA_BYTES - size_bytes + 1;
            Planned { size_bytes, from: below(room), to: below(room) }
        })
        .collect()
}

/// Each node sends half of the messages and has up to `outstanding` of them posted. A receiver compares when the sender's post has
/// ended, and the sender goes on when everything that it has posted is compared: places overlap, so the order of the writes decides.
pub async fn step(app: &mut App) -> Result<Step> {
    let workload = app.scenario.workload.clone();
    let count = workload.iterations.div_ceil(2);
    let (mine, theirs) = (plan(app, app.node, count), plan(app, app.peer, count));
    app.meet("step").await;
    let before = app.totals().await?;
    let begin = app.now();
    // What the region must hold: a dull model of the peer's writes.
    let mut model = vec![0xA5; AREA_BYTES as usize];
    let at = host_model::address::UserVirt(app.region.0 + app.places.hot(0));
    app.process.store(at, &model).map_err(|error| app.error(error))?;
    app.meet("cleared").await;
    let mut sent: Vec<Message> = Vec::new();
    // Each post of a batch has a place of its own to send from, which the largest message fits.
    let most = *workload.sizes_bytes.iter().max().expect("checked");
    let batch = workload.outstanding.min(AREA_BYTES / most) as usize;
    for (mine, theirs) in mine.chunks(batch).zip(theirs.chunks(batch)) {
        let first = app.sent;
        let mut posted = VecDeque::new();
        // A post's source must keep its bytes until it ends.
        for (slot, planned) in mine.iter().enumerate() {
            let share = AREA_BYTES / batch as u32;
            let from = slot as u32 * share + planned.from % (share - planned.size_bytes + 1);
            let to = app.places.hot(planned.to);
            let (message, handle) = app.send(planned.size_bytes, app.places.send(from), to).await?;
            sent.push(message);
            posted.push_back(handle);
        }
        for handle in posted {
            app.wait(handle).await?;
        }
        app.meet("batch").await;
        for (k, planned) in theirs.iter().enumerate() {
            let number = App::number(app.peer, first + k as u32);
            let bytes = pattern(number, planned.size_bytes);
            model[planned.to as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        let found = app.process.load(at, AREA_BYTES).map_err(|error| app.error(error))?;
        if let Some(byte) = (0..model.len()).find(|&byte| model[byte] != found[byte]) {
            return Err(app.error(format!(
                "byte {byte:#x} of the region is {:#04x}, must be {:#04x} after {} messages (INV-27)",
                found[byte],
                model[byte],
                app.compared + theirs.len() as u64
            )));
        }
        app.compared += theirs.len() as u64;
        app.meet("compared").await;
    }
    let end = app.now();
    let after = app.totals().await?;
    Ok(Step { size_bytes: 0, sent, begin, end, before, after })
}
