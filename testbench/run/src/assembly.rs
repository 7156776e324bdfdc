//! Whole nodes, the cables and switches that join them, and a task on each node.
//!
//! Every run of the testbench is built here: scenarios, cases of the soak, experiments and tests.

use std::future::Future;
use std::ops::ControlFlow;
use std::path::PathBuf;

use host_model::driver::DriverOptions;
use host_model::host::HostConfig;
use host_model::platform::Platform;
use nic_layout::frame::link::mac_address;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::request_error;
use sim_fabric::{Channel, Direction, Ending, Fabric, FabricConfig, MacAddress, RunOptions, SwitchOutput, Topology};
use sim_pins::Ps;

use crate::node::{transmit_clock, Handle, Node, NodeConfig, NodeOutput};

/// A function that is called between windows with the time, and may end the run.
pub type BetweenWindows<'a> = &'a mut (dyn FnMut(Ps) -> ControlFlow<()> + Send);

/// What joins the nodes, and how long they may run.
pub struct Assembly<'a> {
    /// Hosts, NICs and links of every node.
    pub platform: &'a Platform,
    /// The cables and switches.
    pub topology: Topology,
    /// One-way latency of each cable.
    pub latency: Ps,
    /// Decides the faults of the links.
    pub seed: u64,
    /// Threads that simulate; results do not depend on them.
    pub threads: usize,
    /// The run is cut off here.
    pub end: Ps,
    /// Faults and tap of each direction of each link.
    pub direction: &'a dyn Fn(Channel) -> Direction,
    /// Keep the way of each frame through each switch.
    pub records_hops: bool,
    /// Called between windows with the time; may end the run.
    pub between_windows: Option<BetweenWindows<'a>>,
}

/// One node of an assembly.
pub struct Member<S> {
    /// The driver's settings, with the node's number.
    pub driver: DriverOptions,
    /// Record markers, probes, frames and host events.
    pub record: bool,
    /// Record the inputs of the model, to play them again.
    pub record_inputs: bool,
    /// FST of the model between two times.
    pub waves: Option<(PathBuf, Ps, Ps)>,
    /// Makes the node's task.
    pub task: S,
}

impl<S> Member<S> {
    /// A node of which nothing is recorded.
    pub fn new(driver: DriverOptions, task: S) -> Member<S> {
        Member { driver, record: false, record_inputs: false, waves: None, task }
    }
}

/// What is left of an assembly.
pub struct Finished<T> {
    /// Why the run ended, and when.
    pub ending: Ending<Error>,
    /// The nodes that were built.
    pub nodes: Vec<NodeOutput<T>>,
    /// Each switch: leaves before spines.
    pub switches: Vec<SwitchOutput>,
}

/// A direction of a link without faults.
pub fn faultless(_channel: Channel) -> Direction {
    Direction { faults: Vec::new(), capture: false }
}

impl<'a> Assembly<'a> {
    /// Two nodes on a cable without faults.
    pub fn cable(platform: &'a Platform, latency: Ps, seed: u64, threads: usize, end: Ps) -> Assembly<'a> {
        Assembly {
            platform,
            topology: Topology::Cable {},
            latency,
            seed,
            threads,
            end,
            direction: &faultless,
            records_hops: false,
            between_windows: None,
        }
    }

    /// Builds the nodes in the order of `members`, and runs the task of each.
    ///
    /// # Errors
    /// The topology is impossible for so many nodes.
    pub fn run<T, S, F>(self, members: Vec<Member<S>>) -> Result<Finished<T>>
    where
        T: Send + 'static,
        S: FnOnce(Handle) -> F + Send,
        F: Future<Output = Result<T>> + 'static,
    {
        let fabric = Fabric::new(FabricConfig {
            topology: &self.topology,
            nodes: members.len(),
            latency: self.latency,
            clock: &|_end| transmit_clock(self.platform),
            direction: self.direction,
            address: |node| MacAddress(mac_address(node as u16)),
            nodes_obey_stop: false,
            records_hops: self.records_hops,
            seed: self.seed,
        })
        .map_err(|error| request_error!("{error}"))?;
        let mut members = members.into_iter();
        let build = |index, port| {
            let member = members.next().expect("the fabric has a port for each member");
            let Member { driver, record, record_inputs, waves, task } = member;
            let host = HostConfig { platform: self.platform.clone(), driver, trace: record };
            let config = NodeConfig { index, host, port, record, record_inputs, waves };
            move || Node::new(config, |host| host.spawn("workload", task))
        };
        let options = RunOptions {
            window: self.latency,
            end: self.end,
            threads: self.threads,
            between_windows: self.between_windows,
        };
        let run = fabric.run(build, options);
        let nodes = run.nodes.outputs.into_iter().flatten().collect();
        Ok(Finished { ending: run.nodes.ending, nodes, switches: run.switches })
    }
}
