//! What a workload does of one size: messages, their times, and counters before and after.

use nicscope_scenario::error::Result;
use sim_pins::Ps;

use super::app::{App, Totals};
use super::message::Message;

/// One step of a run: the messages of one size.
#[derive(Clone, Debug)]
pub struct Step {
    pub size_bytes: u32,
    /// What this node sent, without the warm-up.
    pub sent: Vec<Message>,
    pub begin: Ps,
    pub end: Ps,
    /// Counters of this node before and after, the warm-up left out.
    pub before: Totals,
    pub after: Totals,
    pub timed: Timed,
}

/// When messages began and ended, for workloads that look at the clock themselves. The node where a
/// message begins notes the begin, and the node where it ends the end, both in the order of the
/// messages.
#[derive(Clone, Debug, Default)]
pub struct Timed {
    pub begun: Vec<Ps>,
    pub ended: Vec<Ps>,
    /// Begin and end of each round on this node, for workloads that play in rounds: the time in
    /// between is not measured.
    pub rounds: Vec<(Ps, Ps)>,
}

/// What a node did of one size: the messages that it sent, and their times where it took them.
#[derive(Debug, Default)]
pub struct Done {
    pub sent: Vec<Message>,
    pub timed: Timed,
}

impl From<Vec<Message>> for Done {
    fn from(sent: Vec<Message>) -> Done {
        Done { sent, timed: Timed::default() }
    }
}

/// A step: the warm-up, then what is measured, counted before and after. `work` is told how many
/// messages, and whether they are measured.
pub async fn measure(
    app: &mut App,
    size_bytes: u32,
    work: impl AsyncFn(&mut App, u32, bool) -> Result<Done>,
) -> Result<Step> {
    app.meet("step").await;
    let (warm_up, iterations) = (app.scenario.workload.warm_up, app.scenario.workload.iterations);
    work(app, warm_up, false).await?;
    app.meet("warmed up").await;
    let before = app.totals().await?;
    app.meet("counted").await;
    let begin = app.now();
    let Done { sent, timed } = work(app, iterations, true).await?;
    let end = app.now();
    app.meet("done").await;
    let after = app.totals().await?;
    Ok(Step { size_bytes, sent, begin, end, before, after, timed })
}
