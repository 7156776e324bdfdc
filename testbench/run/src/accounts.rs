//! Accounts of the messages of a run.

use host_model::platform::Platform;
use nicscope_account::account::{Account, Frequencies};
use nicscope_account::log::NodeLog;
use nicscope_account::path::{Journey, Operation};
use nicscope_account::results::Run;
use nicscope_account::route::Network;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;

use crate::cluster::{self, ClusterConfig, ClusterOutput};
use crate::workload::Message;

/// What all accounts of a run are made from.
pub(crate) struct Accountant<'a> {
    config: &'a ClusterConfig,
    logs: Vec<&'a NodeLog>,
    network: Network<'a>,
}

/// An account, and whether a lookup or a matching of its message came to nothing.
pub(crate) struct Made {
    pub account: Account,
    pub missed: bool,
}

impl<'a> Accountant<'a> {
    pub(crate) fn new(config: &'a ClusterConfig, output: &'a ClusterOutput) -> Accountant<'a> {
        let latency = cluster::link_latency(&config.scenario);
        Accountant {
            config,
            logs: output.nodes.iter().map(|node| &node.log).collect(),
            network: Network::new(&output.topology, output.nodes.len(), &output.switches, latency),
        }
    }

    /// The account of a message. `since`: when its time begins, if that is before its post.
    pub(crate) fn account(&self, message: Message, operation: Operation, since: Option<Ps>) -> Result<Made> {
        let journey = Journey {
            message: message.number,
            size_bytes: message.size_bytes,
            operation,
            sender: message.sender,
            receiver: self.config.scenario.peer(message.sender),
            since,
            logs: &self.logs,
            network: &self.network,
            hz: frequencies(&self.config.platform),
        };
        let account = journey.account().map_err(|error| failed!("the account of {error}"))?;
        Ok(Made { account, missed: journey.missed() })
    }
}

/// Makes the account of each message, and returns the latencies in ps. The run keeps the accounts
/// of one hit and one miss.
pub(crate) fn latencies(
    config: &ClusterConfig,
    output: &ClusterOutput,
    operation: Operation,
    sent: impl Iterator<Item = Message>,
    run: &mut Run,
) -> Result<Vec<u64>> {
    let accountant = Accountant::new(config, output);
    let mut kept = Kept::default();
    let mut latencies = Vec::new();
    for message in sent {
        let made = accountant.account(message, operation, None)?;
        latencies.push(made.account.latency_ps);
        count(run, made.account.difference_ps());
        kept.add(made);
    }
    kept.put(run);
    Ok(latencies)
}

/// Counts an account whose spans differ from its latency by so much.
pub(crate) fn count(run: &mut Run, difference_ps: i128) {
    run.largest_difference_ps = run.largest_difference_ps.max(difference_ps.unsigned_abs() as u64);
    run.accounts += 1;
}

/// Accounts of one size, of which a run keeps two.
#[derive(Default)]
pub(crate) struct Kept {
    hits: Vec<Account>,
    misses: Vec<Account>,
}

impl Kept {
    pub(crate) fn add(&mut self, made: Made) {
        match made.missed {
            true => self.misses.push(made.account),
            false => self.hits.push(made.account),
        }
    }

    /// The middle hit and the first miss. Gives the message of the hit.
    pub(crate) fn put(self, run: &mut Run) -> Option<u32> {
        let Kept { hits, misses } = self;
        let hit = hits.get(hits.len() / 2);
        run.hits.extend(hit.cloned());
        run.misses.extend(misses.first().cloned());
        hit.map(|account| account.message)
    }
}

/// The clock frequencies of a platform's parts, for accounts.
fn frequencies(platform: &Platform) -> Frequencies {
    Frequencies {
        host_hz: platform.host.processor_clock_hz,
        pci_hz: platform.pci.clock_hz,
        core_hz: platform.core.clock_hz,
        link_hz: platform.link.clock_hz,
    }
}
