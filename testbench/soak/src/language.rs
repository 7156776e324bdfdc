//! The contract of a language of operations.
//!
//! A language is the type of its operations. Drawing, shortening, searching and campaigns know
//! operations through [`Operation`] only; the table of personalities names a language as a
//! [`Language`], which hides the type.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::future::Future;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use host_model::driver::DriverError;
use nicscope_run::meeting::Meeting;
use nicscope_run::node::Handle;
use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::failed;
use sim_pins::Ps;

use crate::campaign::{self, Campaign, Progress};
use crate::case::{Case, Cluster};
use crate::play::{Compared, Firmware, Options};

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
    pub options: Options<O>,
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

/// A language, for callers that do not know its operations.
pub trait Language: Sync {
    /// The name of the language.
    fn name(&self) -> &'static str;

    /// The names of all kinds of operations, in the order of reports.
    fn kinds(&self) -> &'static [&'static str];

    /// Plays cases until the operations are as many as requested, or a case fails. Returns the
    /// progress, and the report of the failing case after it was shortened.
    ///
    /// # Errors
    /// As those of [`campaign::run`].
    fn soak(&self, campaign: &Campaign) -> Result<(Progress, Option<String>)>;

    /// Plays the case in a file, and returns its counts.
    ///
    /// # Errors
    /// As those of [`campaign::replay`].
    fn replay(&self, file: &Path, folder: &Path) -> Result<Progress>;
}

/// The language whose operations are `O`.
pub struct LanguageOf<O>(PhantomData<fn() -> O>);

impl<O> LanguageOf<O> {
    /// The only value.
    pub const VALUE: LanguageOf<O> = LanguageOf(PhantomData);
}

impl<O: Operation> Language for LanguageOf<O> {
    fn name(&self) -> &'static str {
        O::LANGUAGE
    }

    fn kinds(&self) -> &'static [&'static str] {
        O::KINDS
    }

    fn soak(&self, campaign: &Campaign) -> Result<(Progress, Option<String>)> {
        campaign::run_in::<O>(campaign)
    }

    fn replay(&self, file: &Path, folder: &Path) -> Result<Progress> {
        campaign::replay_in::<O>(file, folder)
    }
}
