//! Random sizes, alignments and places both ways at once.

use host_model::address::UserVirt;
use nicscope_scenario::error::Result;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_pins::Ps;

use super::app::{pattern, App};
use super::message::Message;
use super::places::AREA_BYTES;
use super::step::{Step, Timed};

/// A message of the plan. Both nodes of a pair draw the same plan from the seed.
struct Planned {
    size_bytes: u32,
    /// Offset in the area that messages are sent from. The batch decides the part of the area.
    from: u32,
    /// Offset in the area of the receiver.
    to: u32,
}

fn plan(app: &App, sender: usize, count: u32) -> Vec<Planned> {
    let bounds = &app.scenario.workload.sizes_bytes;
    let (least, most) = (*bounds.iter().min().expect("checked"), *bounds.iter().max().expect("checked"));
    let mut random = ChaCha8Rng::seed_from_u64(app.seed);
    random.set_stream(sender as u64 + 1);
    let mut below = |limit: u32| ((u64::from(random.next_u32()) * u64::from(limit)) >> 32) as u32;
    (0..count)
        .map(|_| {
            let size_bytes = least + below(most - least + 1);
            let room = AREA_BYTES - size_bytes + 1;
            Planned { size_bytes, from: below(room), to: below(room) }
        })
        .collect()
}

/// Interval between two comparisons of the region with its model.
const LOOK: Ps = Ps::from_us(20);
/// Time after which missing bytes are an error: tens of times the longest wait for a
/// retransmission.
const GIVE_UP: Ps = Ps::from_us(200_000);

/// Plays all messages. Each node sends half of them, a batch at a time.
///
/// Places overlap, so the order of the writes decides the contents of the region. After each batch
/// the whole region is compared with a model. A write that is made twice is found when it covers a
/// later write.
///
/// # Errors
/// An operation of a process fails, or the region holds wrong bytes (INV-27).
pub async fn step(app: &mut App) -> Result<Step> {
    let workload = app.scenario.workload.clone();
    let count = workload.iterations.div_ceil(2);
    let (mine, theirs) = (plan(app, app.node, count), plan(app, app.peer, count));
    app.meet("step").await;
    let before = app.totals().await?;
    let begin = app.now();
    let mut region = Region::clear(app)?;
    app.meet("cleared").await;
    let mut sent: Vec<Message> = Vec::new();
    // Each post of a batch has a place of its own to send from, which the largest message fits.
    let most = *workload.sizes_bytes.iter().max().expect("checked");
    let batch = workload.outstanding.min(AREA_BYTES / most) as usize;
    let mut timed = Timed::default();
    for (mine, theirs) in mine.chunks(batch).zip(theirs.chunks(batch)) {
        let (first, began) = (app.sent, app.now());
        let mut posted = Vec::new();
        // A post's source must keep its bytes until it ends.
        let share = AREA_BYTES / batch as u32;
        for (slot, planned) in mine.iter().enumerate() {
            let from = slot as u32 * share + planned.from % (share - planned.size_bytes + 1);
            let (message, handle) =
                app.send(planned.size_bytes, app.places.send(from), app.places.hot(planned.to).into()).await?;
            sent.push(message);
            posted.push(handle);
        }
        for handle in posted {
            app.wait(handle).await?;
        }
        for (k, planned) in theirs.iter().enumerate() {
            region.write(planned.to, &pattern(app.number(app.peer, first + k as u32), planned.size_bytes));
        }
        region.await_match(app).await?;
        app.compared += theirs.len() as u64;
        timed.rounds.push((began, app.now()));
        // The next batch would change what the peer is about to compare.
        app.meet("compared").await;
    }
    let end = app.now();
    let after = app.totals().await?;
    region.check(app)?;
    Ok(Step { size_bytes: 0, sent, begin, end, before, after, timed })
}

/// A model of the region: it makes the peer's writes in their order.
struct Region {
    at: UserVirt,
    model: Vec<u8>,
}

impl Region {
    fn clear(app: &App) -> Result<Region> {
        let region = Region { at: UserVirt(app.region.0 + app.places.hot(0)), model: vec![0xA5; AREA_BYTES as usize] };
        app.process.store(region.at, &region.model).map_err(|error| app.error(error))?;
        Ok(region)
    }

    fn write(&mut self, at: u32, bytes: &[u8]) {
        self.model[at as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    fn found(&self, app: &App) -> Result<Vec<u8>> {
        app.process.load(self.at, AREA_BYTES).map_err(|error| app.error(error))
    }

    /// Waits until the region is as its model.
    ///
    /// A post ends when the peer's NIC has accepted all its frames. The bytes may come to host
    /// memory a little later.
    async fn await_match(&self, app: &App) -> Result<()> {
        let give_up = app.now() + GIVE_UP;
        while app.now() < give_up {
            if self.found(app)? == self.model {
                return Ok(());
            }
            app.handle.sim().sleep_until(app.now() + LOOK).await;
        }
        self.check(app)
    }

    fn check(&self, app: &App) -> Result<()> {
        let found = self.found(app)?;
        let wrong = |byte: &usize| self.model[*byte] != found[*byte];
        let Some(byte) = (0..found.len()).find(wrong) else {
            return Ok(());
        };
        Err(app.error(format!(
            "byte {byte:#x} of the region is {:#04x}, must be {:#04x}; {} bytes are wrong, after {} messages (INV-27)",
            found[byte],
            self.model[byte],
            (0..found.len()).filter(wrong).count(),
            app.compared
        )))
    }
}
