//! Steps of a workload: the messages of one size, their times, and counters before and after.

use nicscope_scenario::error::Result;
use sim_pins::Ps;

use super::app::{App, Totals};
use super::message::Message;

/// One step of a run on one node: the messages of one size.
#[derive(Clone, Debug)]
pub struct Step {
    /// Bytes of each message; 0 if the sizes differ.
    pub size_bytes: u32,
    /// The messages that this node sent, without the warm-up.
    pub sent: Vec<Message>,
    /// Simulated time of this node before the first measured message.
    pub begin: Ps,
    /// Simulated time of this node after the last measured message.
    pub end: Ps,
    /// Counters of this node before the step, but after its warm-up.
    pub before: Totals,
    /// Counters of this node after the step.
    pub after: Totals,
    /// Times that the workload took itself.
    pub timed: Timed,
}

/// Times of messages, for workloads that look at the clock themselves.
///
/// The node where a message begins notes the begin, and the node where it ends notes the end, both
/// in the order of the messages. The two may be different nodes.
#[derive(Clone, Debug, Default)]
pub struct Timed {
    /// Begins of the messages that begin on this node.
    pub begun: Vec<Ps>,
    /// Ends of the messages that end on this node.
    pub ended: Vec<Ps>,
    /// Begin and end of each round on this node, for workloads that play in rounds. The time
    /// between two rounds is not measured.
    pub rounds: Vec<(Ps, Ps)>,
}

/// What the measured part of a step leaves: the messages that the node sent, and their times if the
/// workload takes them.
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

/// Plays one step: the warm-up, then the measured messages, with the counters read before and
/// after.
///
/// `work` gets the number of messages, and whether they are measured.
///
/// # Errors
/// `work` fails, or the counters cannot be read.
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
