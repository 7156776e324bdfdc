//! The contract of a language of operations.
//!
//! A language is the type of its operations. Drawing, shortening, searching and campaigns know
//! operations through [`Operation`] only; the table of personalities names a language as a
//! [`Language`](crate::campaign::Language), which hides the type.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::future::Future;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use host_model::driver::DriverError;
use nic_layout::plant::Plant;
use nicscope_run::meeting::Meeting;
use nicscope_run::node::Handle;
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use sim_pins::Ps;

use crate::case::{Case, Cluster};

/// One operation of a list, and with it the language of its list.
///
/// Every operation is legal at any place of any list, on clusters of any size: an operation without
/// an object does nothing. So a list stays legal when operations are taken out of it.
pub trait Operation: Clone + Debug + PartialEq + Display + FromStr<Err = Error> + Send + Sync + 'static {
    /// The name of the language, for errors.
    const LANGUAGE: &'static str;
    /// The names of all kinds of operations, in the order of reports.
    const KINDS: &'static [&'static str];
    /// Defects that tests plant between the product and the model.
    type Plant: Copy + Debug + PartialEq + Send + 'static;
    /// What the nodes of a case share: the model, and what one node must know of another.
    type Shared: Clone + Send + 'static;

    /// The name of the operation's kind, one of [`Operation::KINDS`].
    fn kind_name(&self) -> &'static str;

    /// Simpler operations that may fail in the same way, the simplest first.
    fn simpler(&self) -> Vec<Self>;

    /// The case `number` of a seed, with 2 to [`crate::case::NODES_MAX`] nodes and a number of
    /// operations within `ops`. The same seed and number always give the same case.
    fn draw(seed: u64, number: u64, ops: Range<usize>) -> Case<Self>;

    /// What the nodes of a case share, before any of them runs.
    fn share(cluster: &Cluster, compared: Compared) -> Self::Shared;

    /// Counts of the model's decisions, by name.
    fn decided(shared: &Self::Shared) -> BTreeMap<&'static str, u64>;

    /// Boots a node, plays the operations of the list that are for it, has the model judge them,
    /// and checks that nothing is left at the end.
    ///
    /// # Errors
    /// The first failure on this node, or the first violation that the model found.
    fn play(seat: Seat<Self>) -> impl Future<Output = Result<NodeReport>> + 'static;
}

/// The way to play a case.
#[derive(Clone, Debug)]
pub struct Options<P> {
    /// The simulated time after which an operation counts as hung: tens of times the longest wait
    /// for a retransmission.
    pub give_up: Ps,
    /// The folder for waves of each node, and the two times between which they are recorded.
    pub waves: Option<(PathBuf, Ps, Ps)>,
    /// The planted defect.
    pub plant: Option<P>,
    /// The defect that the firmware of core A is built with.
    pub in_firmware: Option<Plant>,
}

impl<P> Default for Options<P> {
    fn default() -> Options<P> {
        Options { give_up: Ps::from_us(200_000), waves: None, plant: None, in_firmware: None }
    }
}

/// A defect that tests plant between the product and the model, and how it is found.
#[derive(Clone, Copy, Debug)]
pub struct Planted<P: 'static> {
    /// The defect.
    pub plant: P,
    /// Statements, one of which the defect breaks.
    pub breaks: &'static [Statement],
}

/// The time of the last comparison that went well, which the nodes of a case share.
#[derive(Clone, Debug, Default)]
pub struct Compared(Arc<AtomicU64>);

impl Compared {
    /// A comparison went well at a simulated time.
    pub fn at(&self, now: Ps) {
        self.0.store(now.0, Ordering::Relaxed);
    }

    /// The time of the last comparison; 0 before the first.
    pub fn last(&self) -> Ps {
        Ps(self.0.load(Ordering::Relaxed))
    }
}

/// The images of the cores of a NIC.
#[derive(Clone)]
pub struct Firmware {
    /// The image of core A, as ELF.
    pub first: Arc<Vec<u8>>,
    /// The image of core B, as ELF, if there is a core B.
    pub second: Option<Arc<Vec<u8>>>,
}

/// One node of a case, and everything that its operations need.
pub struct Seat<O: Operation> {
    /// The host of the node and its NIC.
    pub handle: Handle,
    /// Barriers of all nodes.
    pub meeting: Meeting<()>,
    /// The images of the NIC's cores.
    pub firmware: Firmware,
    /// The operations of all nodes, in their order.
    pub ops: Arc<Vec<O>>,
    /// What the nodes share.
    pub shared: O::Shared,
    /// The cluster of the case.
    pub cluster: Cluster,
    /// How the case is played.
    pub options: Options<O::Plant>,
}

impl<O: Operation> Seat<O> {
    /// The number of the node, from 0 on.
    pub fn node(&self) -> usize {
        usize::from(self.handle.id().0)
    }

    /// Boots the NIC with the images of its cores.
    ///
    /// # Errors
    /// The driver refuses an image, or the NIC does not answer.
    pub async fn boot(&self) -> Result<()> {
        let Firmware { first, second } = &self.firmware;
        let booted = match second {
            None => self.handle.boot(first).await,
            Some(second) => self.handle.boot_pair(first, second).await,
        };
        booted.map_err(|error: DriverError| failed!("{error}"))
    }

    /// Waits for a time, in us.
    pub async fn sleep_us(&self, us: u64) {
        self.handle.sim().sleep_for(Ps::from_us(us)).await;
    }
}
