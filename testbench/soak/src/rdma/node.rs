//! A node of a case.
//!
//! The node hands operations to its processes in their order, and waits until all have ended. Then
//! the model judges what all nodes have seen. After the end of all processes, the node checks that
//! nothing is left of them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use host_model::address::{Pid, VirtPage};
use host_model::driver::{DriverError, STATUS_PAGE};
use host_model::executor::{until, Channel, Notify};
use host_model::processor::Priority;
use nic_layout::counter::Counter;
use nic_layout::PAGE_BYTES;
use nicscope_run::meeting::Meeting;
use nicscope_run::workload::app::Totals;
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use sim_pins::Ps;

use super::actor::{actor, retire_last, HEAP_PAGES, IMAGE_BYTES, PAGES_BEFORE_HOLE};
use super::model::{Decided, Model, Seen, Wrong, BYTES};
use super::operation::{Op, PROCESSES};
use super::plant::Plant;
use super::planted;
use super::restart::{heed, restart};
use super::state::{Actor, Board, Shared, State};
use super::turns::Restarts;
use crate::case::{Cluster, Nodes};
use crate::language::{Compared, Seat};
use crate::personality::{self, Personality};

#[derive(Default)]
struct Court {
    model: Model,
    seen: Vec<Seen>,
    rounds: u64,
    verdict: Option<Wrong>,
}

#[derive(Clone)]
pub struct Common {
    board: Arc<Shared<Board>>,
    court: Arc<Shared<Court>>,
    compared: Compared,
    /// Pins of a thousand that the kernel refuses.
    refuses: u32,
    personality: &'static Personality,
    topology: Nodes,
}

impl Common {
    pub fn new(cluster: &Cluster, compared: Compared) -> Common {
        let Cluster { refuses, personality, topology, .. } = *cluster;
        let court = Court { model: Model::of_hosts(refuses != 0), ..Court::default() };
        let (board, court) = (Arc::new(Shared(Mutex::default())), Arc::new(Shared(Mutex::new(court))));
        Common { board, court, compared, refuses, personality: personality::of(personality), topology }
    }

    /// Counts of the model's decisions so far.
    pub fn decided(&self) -> Decided {
        self.court.lock().model.decided
    }
}

/// Boots a node, plays the operations of the list that are for it, and ends all its processes.
///
/// # Errors
/// The first failure on this node, or the first violation that the model found.
pub(super) async fn play_node(seat: Seat<Op>) -> Result<NodeReport> {
    seat.boot().await?;
    let index = seat.node();
    let Seat { handle, meeting, ops, shared: common, cluster, options, .. } = seat;
    let seed = cluster.seed;
    handle.memory().borrow_mut().refuse_pins(common.refuses, seed ^ index as u64);
    let cpu = handle.cpu("referee", Priority::User);
    let state = Rc::new(State {
        node: index,
        nodes: common.topology.nodes,
        cpu,
        board: common.board.clone(),
        personality: common.personality,
        plant: options.plant,
        seen: RefCell::default(),
        actors: (0..PROCESSES).map(|_| Actor::default()).collect(),
        restarts: Restarts::default(),
        pending: Cell::new(PROCESSES as u32),
        open_posts: Cell::new(0),
        changed: Notify::new(),
        failure: RefCell::default(),
        next_number: Cell::new(0),
        handle,
    });
    for process in 0..PROCESSES {
        state.sim().spawn("process", actor(state.clone(), process, seed));
    }
    if ops.iter().any(|op| matches!(op, Op::Reset { .. } | Op::Restart { .. })) {
        state.sim().spawn("management", heed(state.clone()));
    }
    let mut node = Player { state, common, meeting, give_up: options.give_up, meetings: 0 };
    node.until_done().await?;
    node.meet().await;
    node.common.compared.at(node.state.sim().now());
    for op in ops.iter().filter(|op| op.node().is_none_or(|of| of == index)) {
        node.state.no_failure()?;
        match op {
            Op::Pause { us, .. } => node.sleep_us(u64::from(*us)).await,
            Op::Settle => node.settle().await?,
            op => node.hand_out(op).await,
        }
    }
    node.settle().await?;
    node.end().await
}

/// The error of an invariant that does not hold.
fn broken(invariant: u8, what: String) -> Error {
    let statement = Statement::Invariant(invariant);
    Error::broken(statement, format!("{statement}: {what}"))
}

struct Player {
    state: Rc<State>,
    common: Common,
    meeting: Meeting<()>,
    give_up: Ps,
    meetings: u32,
}

/// The most operations that wait for one process. More would begin long after they were handed out.
const AHEAD: usize = 3;

impl Player {
    async fn sleep_us(&self, us: u64) {
        self.state.sim().sleep_for(Ps::from_us(us)).await;
    }

    async fn meet(&mut self) {
        self.meetings += 1;
        let name = self.meetings.to_string();
        self.meeting.exchange(&name, ()).await;
    }

    async fn hand_out(&self, op: &Op) {
        let (state, op) = (self.state.clone(), *op);
        let process = match op {
            Op::Post(post) => post.who.process,
            Op::Export { who, .. } | Op::Withdraw { who, .. } | Op::Wait { who } | Op::End { who } => who.process,
            Op::Kill { who, after_us } => {
                state.count_pending(1);
                let sim = state.sim().clone();
                let killer = state.clone();
                sim.spawn("killer", async move {
                    killer.sim().sleep_for(Ps::from_us(after_us.into())).await;
                    killer.actors[who.process].kill();
                });
                return;
            }
            Op::Reset { after_us, .. } | Op::Restart { after_us, .. } => {
                state.count_pending(1);
                let under_traffic = matches!(op, Op::Reset { .. });
                let sim = state.sim().clone();
                sim.spawn("restart", restart(state.clone(), after_us, under_traffic));
                return;
            }
            Op::Invalidate { who, .. } => who.process,
            Op::Pause { .. } | Op::Settle => return,
        };
        let inbox: &Channel<Op> = &state.actors[process].inbox;
        state.changed.wait_until(|| inbox.len() < AHEAD || state.failure.borrow().is_some()).await;
        state.count_pending(1);
        inbox.send(op);
    }

    async fn until_done(&self) -> Result<()> {
        let state = &self.state;
        let idle = || state.pending.get() == 0 && state.open_posts.get() == 0 || state.failure.borrow().is_some();
        let end = state.sim().now() + self.give_up;
        let in_time = until(state.sim(), end, state.changed.wait_until(idle)).await;
        state.no_failure()?;
        if in_time.is_none() {
            let seen = state.seen.borrow();
            let open: Vec<String> = seen
                .posts
                .iter()
                .filter(|post| post.end.is_none())
                .map(|post| format!("{} of {}", post.number, post.by))
                .collect();
            let (pending, give_up) = (state.pending.get(), self.give_up);
            return Err(broken(33, format!("{pending} operations and posts {open:?} have not ended within {give_up}")));
        }
        Ok(())
    }

    async fn counter(&self, counter: Counter) -> Result<u32> {
        let driver = self.state.handle.driver();
        let read = async {
            let (device, layout) = (driver.device(&self.state.cpu)?, driver.layout()?);
            Ok(device.read_sram(layout.counters + counter.offset()).await?)
        };
        read.await.map_err(|error: DriverError| failed!("{error}"))
    }

    /// Waits until this node's NIC and driver are at rest: until the sums agree that differ while a
    /// frame, a read, a notification, a fetch or a miss is not complete.
    async fn until_quiet(&self) -> Result<()> {
        use Counter::*;
        const BALANCES: [(&[Counter], &[Counter]); 5] = [
            (&[FramesSent], &[FramesAcknowledged, FramesAbandoned]),
            (&[FramesHeld], &[FramesRetaken]),
            (&[ReadsTaken], &[ReadsAnswered, ReadsGivenUp]),
            (&[NotificationsTaken], &[NotificationsRead]),
            (&[SendFetches, ReceiveFetches], &[FetchesFilled, FetchesLost, FetchesUnfilled]),
        ];
        let end = self.state.sim().now() + self.give_up;
        for (whole, parts) in BALANCES {
            loop {
                let (mut left, mut right) = (0u32, 0u32);
                // The parts are read first, because they never exceed the whole.
                for part in parts {
                    right = right.wrapping_add(self.counter(*part).await?);
                }
                for whole in whole {
                    left = left.wrapping_add(self.counter(*whole).await?);
                }
                if left == right {
                    break;
                }
                if self.state.sim().now() > end {
                    let what = format!(
                        "{whole:?} is {left} and {parts:?} {right}, though no process asks for anything any more"
                    );
                    return Err(broken(32, what));
                }
                self.sleep_us(10).await;
            }
        }
        while self.state.handle.driver().misses_outstanding() != 0 {
            if self.state.sim().now() > end {
                return Err(broken(16, "the driver has not served all misses".into()));
            }
            self.sleep_us(10).await;
        }
        Ok(())
    }

    /// Waits until all nodes are at rest, and has the model compare everything.
    async fn settle(&mut self) -> Result<()> {
        self.until_done().await?;
        self.meet().await;
        self.until_quiet().await?;
        self.meet().await;
        // No frame is on its way now. The data of the last frames still go to memory and to
        // handlers.
        self.until_quiet().await?;
        self.sleep_us(20).await;
        let seen = self.take_seen()?;
        let now = self.state.sim().now();
        self.common.court.lock().seen.push(seen);
        self.meet().await;
        let mut board = self.common.board.lock();
        let mut court = self.common.court.lock();
        let court = &mut *court;
        if court.seen.len() == self.common.topology.nodes {
            let seen = std::mem::take(&mut court.seen);
            court.rounds += 1;
            let restarts = std::mem::take(&mut board.restarts);
            court.verdict = court.model.judge(now.0, &seen, &board.buffers, &restarts).err();
        }
        let verdict = court.verdict.clone();
        if let Some(wrong) = verdict {
            return Err(Error::broken(wrong.rule.statement, wrong));
        }
        self.common.compared.at(now);
        Ok(())
    }

    /// What this node has seen since the last comparison, and the present memory of its processes.
    fn take_seen(&self) -> Result<Seen> {
        let mut seen = std::mem::take(&mut *self.state.seen.borrow_mut());
        let mut images = BTreeMap::new();
        for actor in &self.state.actors {
            let life = actor.life.borrow();
            let Some(life) = life.as_ref() else { continue };
            let memory = life.process.load(life.base, IMAGE_BYTES).map_err(|error| failed!("{error}"))?;
            images.insert(life.process.pid(), life.base.page());
            seen.now.push((life.name, memory, u64::from(life.process.status().refused)));
        }
        self.check_other_pages(&images)?;
        Ok(seen)
    }

    /// Checks that the pages of processes that no operation names hold zeros. The pages before the
    /// hole are exempt: a read into the hole may have begun there.
    fn check_other_pages(&self, images: &BTreeMap<Pid, VirtPage>) -> Result<()> {
        let snapshot = self.state.handle.memory().borrow().snapshot();
        for ((pid, page), contents) in &snapshot {
            let Some(base) = images.get(pid) else { continue };
            if *page == STATUS_PAGE {
                continue;
            }
            let index = page.0.wrapping_sub(base.0);
            let named =
                index < IMAGE_BYTES / PAGE_BYTES || (HEAP_PAGES - PAGES_BEFORE_HOLE..HEAP_PAGES).contains(&index);
            if let Some(at) = contents.iter().position(|byte| *byte != 0).filter(|_| !named) {
                let rule = BYTES;
                let what = format!("{rule}: byte {at:#x} of page {index:#x} of process {} was written", pid.0);
                return Err(Error::broken(rule.statement, what));
            }
        }
        Ok(())
    }

    /// Ends all processes, and checks that nothing is left of them (INV-36, 38).
    async fn end(mut self) -> Result<NodeReport> {
        for actor in &self.state.actors {
            retire_last(&self.state, actor).await?;
        }
        self.meet().await;
        self.until_quiet().await?;
        self.meet().await;
        self.until_quiet().await?;
        self.sleep_us(self.common.topology.last_frames_us()).await;
        self.check_nothing_left().await?;
        self.meet().await;
        let totals = Totals::read(&self.state.handle).await.map_err(|error| failed!("{error}"))?;
        Ok(NodeReport::of_totals(totals))
    }

    async fn check_nothing_left(&self) -> Result<()> {
        match self.state.plant {
            Some(Plant::LinesStay) => {
                let left = (self.state.personality.leave)(self.state.handle.driver(), &self.state.cpu).await;
                left.map_err(|error| failed!("{error}"))?;
            }
            Some(Plant::PinStays) => planted::pin_a_page(&self.state),
            _ => {}
        }
        let memory = self.state.handle.memory().borrow().counts();
        if memory.pinned_now != 0 || memory.pins != memory.unpins {
            return Err(broken(36, format!("{} pages are pinned when all processes have ended", memory.pinned_now)));
        }
        let driver = self.state.handle.driver();
        let counts = driver.counts();
        let unpinned = if self.common.refuses == 0 { counts.pin_failures } else { 0 };
        let refused = [counts.rejected_entries, counts.rejected_producers, counts.wild_answers, unpinned];
        if refused.iter().any(|count| *count != 0) {
            return Err(broken(35, format!("the driver refused words of its own NIC: {counts:?}")));
        }
        let left = (self.state.personality.left)(driver, &self.state.cpu).await;
        match left.map_err(|error| failed!("{error}"))? {
            Some(left) => Err(broken(36, format!("{left} when all processes have ended"))),
            None => Ok(()),
        }
    }
}
