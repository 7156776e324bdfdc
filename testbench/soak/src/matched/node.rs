//! A node of a case: it plays the operations of the list that are for it, ends its process and
//! resets its NIC when the list says so, and compares with the other nodes.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use host_model::address::{NodeId, Pid};
use host_model::executor::{until, Notify};
use host_model::processor::Priority;
use nic_layout::tables::PID_MAX;
use nicscope_run::workload::app::Totals;
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;

use super::board::{broken, News, SEEN_AFTER};
use super::operation::{Op, What};
use super::plant::Plant;
use super::side::Side;
use super::{board, bursts, hostile};
use crate::language::Seat;

/// Time for the NICs to come to rest: all copies of frames that a link may hold back.
const REST: Ps = Ps::from_us(300);
/// The time between two looks at the board.
const LOOK: Ps = Ps::from_us(5);
/// The longest time of an operation of a hostile process, which may wait for what it has spoiled.
const HOSTILE_MAX: Ps = Ps::from_us(2_000);

/// Why a process is ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blow {
    Kill,
    Reset,
}

/// Blows that have fallen and were not met, and how many are still to come.
#[derive(Default)]
struct Blows {
    fallen: RefCell<Vec<Blow>>,
    coming: Cell<u32>,
    changed: Notify,
}

/// The result of `future`, or `None` if a blow falls first. Then `future` is dropped in whatever
/// step it is.
async fn unless<T>(blows: &Blows, future: impl Future<Output = T>) -> Option<T> {
    let mut stop = pin!(blows.changed.wait_until(|| !blows.fallen.borrow().is_empty()));
    let mut future = pin!(future);
    std::future::poll_fn(|cx| {
        if stop.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        future.as_mut().poll(cx).map(Some)
    })
    .await
}

struct Player<'a> {
    seat: &'a Seat<Op>,
    side: Side<'a>,
    blows: Rc<Blows>,
    meetings: u32,
    /// Operations before it were played together with an earlier one.
    next: u32,
}

/// Boots the node, and plays its operations to the end of its process.
pub async fn play(seat: Seat<Op>) -> Result<NodeReport> {
    seat.boot().await?;
    let failure: Rc<RefCell<Option<String>>> = Rc::default();
    if seat.ops.iter().any(|op| op.what == What::Reset) {
        seat.handle.sim().spawn("management", heed(seat.handle.clone(), seat.shared.clone(), failure.clone()));
    }
    let side = Side::open(&seat).await?;
    let mut player = Player { seat: &seat, side, blows: Rc::default(), meetings: 0, next: 0 };
    player.meet().await;
    for (number, op) in (0..).zip(seat.ops.iter()) {
        if let Some(what) = failure.borrow_mut().take() {
            return Err(failed!("{what}"));
        }
        player.operate(number, op).await?;
    }
    player.settle().await?;
    player.end().await
}

impl<'a> Player<'a> {
    fn now(&self) -> Ps {
        self.seat.handle.sim().now()
    }

    async fn meet(&mut self) {
        self.meetings += 1;
        self.seat.meeting.exchange(&self.meetings.to_string(), ()).await;
    }

    /// The same, and looks at messages until the others are there. No message of this node could
    /// move when it came. Yet a message may end here, and another node waits for that.
    async fn meet_looking(&mut self) -> Result<()> {
        self.meetings += 1;
        let (seat, name) = (self.seat, self.meetings.to_string());
        let mut meeting = pin!(seat.meeting.exchange(&name, ()));
        while std::future::poll_fn(|cx| Poll::Ready(meeting.as_mut().poll(cx).is_pending())).await {
            self.side.look().await?;
            seat.handle.sim().sleep_for(LOOK).await;
        }
        Ok(())
    }

    async fn operate(&mut self, number: u32, op: &Op) -> Result<()> {
        if op.what == What::Settle {
            return self.settle().await;
        }
        let nodes = self.seat.cluster.topology.nodes;
        if !op.is_of(self.seat.node(), nodes) || number < self.next {
            return Ok(());
        }
        let bursts = bursts::together(&self.seat.ops, op.node, nodes, number);
        if let Some((last, _)) = bursts.last() {
            self.next = last + 1;
        }
        match op.what {
            What::Kill => self.strike(Blow::Kill, op.bytes),
            What::Reset => self.strike(Blow::Reset, op.bytes),
            _ => {}
        }
        let is_hostile = self.seat.shared.lock().causes[op.node].is_hostile;
        let limit = if is_hostile { HOSTILE_MAX } else { self.seat.options.give_up };
        let (sim, end) = (self.seat.handle.sim().clone(), self.now() + limit);
        let blows = self.blows.clone();
        let done = unless(&blows, until(&sim, end, step(&mut self.side, number, op, &bursts))).await;
        // A blow may have ended the process before some of the bursts began. Their peers must not
        // wait for them.
        bursts.iter().for_each(|(burst, _)| self.side.come_to_burst(*burst));
        match done {
            Some(Some(result)) => result?,
            Some(None) if is_hostile => self.succeed().await?,
            Some(None) => return Err(broken(33, format!("operation {number} of node {} does not end: {op}", op.node))),
            None => self.meet_blow().await?,
        }
        if op.what == What::End {
            self.succeed().await?;
        }
        Ok(())
    }

    fn strike(&self, blow: Blow, after_us: u32) {
        let (blows, sim) = (self.blows.clone(), self.seat.handle.sim().clone());
        blows.coming.set(blows.coming.get() + 1);
        self.seat.handle.sim().spawn("blow", async move {
            sim.sleep_for(Ps::from_us(after_us.into())).await;
            blows.fallen.borrow_mut().push(blow);
            blows.coming.set(blows.coming.get() - 1);
            blows.changed.notify();
        });
    }

    /// The process is closed with what it has open, and a successor takes its place.
    async fn succeed(&mut self) -> Result<()> {
        self.side.lose();
        self.seat.shared.lock().causes[self.seat.node()].was_killed = true;
        self.side.process.close().await.map_err(|error| failed!("{error}"))?;
        self.side = Side::open(self.seat).await?;
        Ok(())
    }

    /// Blows have fallen: the process ends, or its NIC was reset under it.
    async fn meet_blow(&mut self) -> Result<()> {
        loop {
            let next = self.blows.fallen.borrow_mut().pop();
            match next {
                None => return Ok(()),
                Some(Blow::Kill) => {
                    self.seat.shared.lock().count("processes killed");
                    self.succeed().await?;
                }
                Some(Blow::Reset) => self.reset().await?,
            }
        }
    }

    async fn reset(&mut self) -> Result<()> {
        let node = self.seat.node();
        {
            let mut board = self.seat.shared.lock();
            board.causes[node].was_reset = true;
            board.count("resets");
        }
        self.side.lose();
        let session = self.seat.handle.reset_nic().await.map_err(|error| failed!("{error}"))?;
        self.side.process.close().await.map_err(|error| failed!("{error}"))?;
        let news = {
            let mut board = self.seat.shared.lock();
            board.news.push(News { node, session, visible: self.now() + SEEN_AFTER, heeded: 0 });
            board.news.len() - 1
        };
        let give_up = self.now() + self.seat.options.give_up;
        while self.seat.shared.lock().news[news].heeded + 1 < self.seat.cluster.topology.nodes {
            if self.now() > give_up {
                return Err(broken(33, format!("not all peers have told their NICs that node {node} was reset")));
            }
            self.seat.handle.sim().sleep_for(LOOK).await;
        }
        self.side = Side::open(self.seat).await?;
        Ok(())
    }

    /// Waits for blows that are to come.
    async fn outlast(&mut self) -> Result<()> {
        loop {
            self.meet_blow().await?;
            if self.blows.coming.get() == 0 && self.blows.fallen.borrow().is_empty() {
                return Ok(());
            }
            self.side.look().await?;
            self.seat.handle.sim().sleep_for(LOOK).await;
        }
    }

    /// Waits until nothing can be delivered any more, gives the rest up, and compares.
    async fn settle(&mut self) -> Result<()> {
        let node = self.seat.node();
        let blows = self.blows.clone();
        while blows.coming.get() != 0 || !blows.fallen.borrow().is_empty() {
            // A look may be ended in any step.
            let blows = blows.clone();
            match unless(&blows, self.outlast_once()).await {
                Some(result) => result?,
                None => self.outlast().await?,
            }
        }
        self.meet().await;
        let give_up = self.now() + self.seat.options.give_up;
        loop {
            self.side.look().await?;
            if !self.seat.shared.lock().may_move(node) {
                break;
            }
            if self.now() > give_up {
                let open = self.side.names();
                return Err(broken(
                    33,
                    format!("messages {open} are open at node {node}, and receives for them are posted"),
                ));
            }
            self.seat.handle.sim().sleep_for(LOOK).await;
        }
        self.meet_looking().await?;
        self.side.end_all().await?;
        self.meet().await;
        self.seat.handle.sim().sleep_for(REST).await;
        if self.seat.shared.lock().causes[node].is_hostile {
            self.succeed().await?;
        }
        self.meet().await;
        self.seat.shared.lock().settle(node)?;
        self.meet().await;
        if node == 0 {
            self.seat.shared.lock().forget();
            self.seat.shared.compared.at(self.now());
        }
        self.meet().await;
        Ok(())
    }

    async fn outlast_once(&mut self) -> Result<()> {
        self.side.look().await?;
        self.seat.handle.sim().sleep_for(LOOK).await;
        Ok(())
    }

    /// Ends the process, and checks that nothing is left of it (INV-36).
    async fn end(mut self) -> Result<NodeReport> {
        let seat = self.seat;
        self.side.process.close().await.map_err(|error| failed!("{error}"))?;
        self.meet().await;
        seat.handle.sim().sleep_for(REST).await;
        seat.sleep_us(seat.cluster.topology.last_frames_us()).await;
        if seat.options.plant == Some(Plant::PinStays) {
            pin_a_page(seat)?;
        }
        let memory = seat.handle.memory().borrow().counts();
        if memory.pinned_now != 0 {
            return Err(broken(36, format!("{} pages are pinned when all processes have ended", memory.pinned_now)));
        }
        let totals = Totals::read(&seat.handle).await.map_err(|error| failed!("{error}"))?;
        self.meet().await;
        Ok(NodeReport::of_totals(totals))
    }
}

/// Pins a page of a process that there is not.
fn pin_a_page(seat: &Seat<Op>) -> Result<()> {
    let mut memory = seat.handle.memory().borrow_mut();
    let ghost = Pid(PID_MAX);
    memory.create_space(ghost);
    let pinned = memory.reserve(ghost, 1).and_then(|address| memory.pin(ghost, address.page()));
    pinned.map(|_| ()).map_err(|error| failed!("{error}"))
}

/// Does one operation, or bursts together from it on.
async fn step(side: &mut Side<'_>, number: u32, op: &Op, bursts: &[(u32, Op)]) -> Result<()> {
    match op.what {
        What::Send | What::Receive => side.post(number, op).await,
        What::Sends | What::Receives => side.post_bursts(bursts).await,
        What::Again => side.again(number, op).await,
        What::Cancel => side.cancel(op).await,
        What::Wait => {
            side.seat.sleep_us(op.bytes.into()).await;
            side.look().await
        }
        What::End => side.end_all().await,
        What::Hostile => hostile::act(side, op).await,
        What::Kill | What::Reset | What::Settle => Ok(()),
    }
}

/// Tells the driver of each node that was reset.
async fn heed(handle: nicscope_run::node::Handle, common: board::Common, failure: Rc<RefCell<Option<String>>>) {
    let cpu = handle.cpu("management", Priority::KernelThread);
    let own = usize::from(handle.id().0);
    let mut next = 0;
    loop {
        handle.sim().sleep_for(LOOK).await;
        let now = handle.sim().now();
        let news = common.lock().news.get(next).cloned();
        let Some(News { node, session, .. }) = news.filter(|news| news.visible <= now) else { continue };
        if node != own {
            if let Err(error) = handle.driver().restart_peer(&cpu, NodeId(node as u16), session).await {
                failure.borrow_mut().get_or_insert(format!("restart of peer {node}: {error}"));
                return;
            }
            common.lock().news[next].heeded += 1;
        }
        next += 1;
    }
}
