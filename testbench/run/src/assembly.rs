//! Whole nodes, the cables and switches that join them, and a task on each node.
//!
//! Every run of the testbench is built here: scenarios, cases of the soak, experiments and tests.

use std::future::Future;
use std::ops::ControlFlow;
use std::path::PathBuf;

use host_management::{network, Daemon, Message};
use host_model::driver::DriverOptions;
use host_model::host::HostConfig;
use host_model::platform::Platform;
use nic_layout::frame::link::mac_address;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::request_error;
use sim_fabric::{Channel, Direction, Ending, Fabric, FabricConfig, MacAddress, RunOptions, SwitchOutput, Topology};
use sim_pins::Ps;

use crate::meeting::Meeting;
use crate::node::{transmit_clock, Handle, Node, NodeConfig, NodeOutput, Start};

/// A function that is called between windows with the time, and may end the run.
pub type BetweenWindows<'a> = &'a mut (dyn FnMut(Ps) -> ControlFlow<()> + Send);

/// What the nodes of a run share: their platform, the network between them, and limits of the run.
pub struct Assembly<'a> {
    /// The platform of every node.
    pub platform: &'a Platform,
    /// The cables and switches that join the nodes.
    pub topology: Topology,
    /// One-way latency of each cable.
    pub latency: Ps,
    /// The seed of the faults of the links.
    pub seed: u64,
    /// Threads that simulate; results do not depend on them.
    pub threads: usize,
    /// The simulated time at which the run is cut off.
    pub end: Ps,
    /// Faults and tap of each direction of each link.
    pub direction: &'a dyn Fn(Channel) -> Direction,
    /// Whether crossings between the clocks of each NIC see some changes one clock late.
    pub late_crossings: bool,
    /// Whether to record the way of each frame through each switch.
    pub records_hops: bool,
    /// Called between windows with the time; may end the run.
    pub between_windows: Option<BetweenWindows<'a>>,
}

/// One node of an assembly.
pub struct Member<S> {
    /// The driver's settings, with the node's number.
    pub driver: DriverOptions,
    /// Whether to record markers, probes, frames and host events.
    pub record: bool,
    /// Whether to record the inputs of the model, to play them again.
    pub record_inputs: bool,
    /// Waves of the model, as FST, between two times.
    pub waves: Option<(PathBuf, Ps, Ps)>,
    /// Makes the node's task, from the host and the meetings of all nodes.
    pub task: S,
}

impl<S> Member<S> {
    /// A node without any recording.
    pub fn new(driver: DriverOptions, task: S) -> Member<S> {
        Member { driver, record: false, record_inputs: false, waves: None, task }
    }
}

/// The result of a run of an assembly.
pub struct Finished<T> {
    /// Why the run ended, and when.
    pub ending: Ending<Error>,
    /// The results of the nodes that were built.
    pub nodes: Vec<NodeOutput<T>>,
    /// The results of the switches, leaves before spines.
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
            late_crossings: false,
            records_hops: false,
            between_windows: None,
        }
    }

    /// Builds the nodes in the order of `members`, and runs the task of each.
    ///
    /// # Errors
    /// The topology is impossible for so many nodes.
    pub fn run<T, M, S, F>(self, members: Vec<Member<S>>) -> Result<Finished<T>>
    where
        T: Send + 'static,
        M: Message,
        S: FnOnce(Handle, Meeting<M>) -> F + Send,
        F: Future<Output = Result<T>> + 'static,
    {
        let fabric = Fabric::new(FabricConfig {
            topology: &self.topology,
            nodes: members.len(),
            latency: self.latency,
            clock: &|_end| transmit_clock(self.platform),
            direction: self.direction,
            address: |node| MacAddress(mac_address(node as u16)),
            // Byte 4 is the session: a node that starts again keeps its port.
            address_mask: MacAddress([0xFF, 0xFF, 0xFF, 0xFF, 0, 0xFF]),
            nodes_obey_stop: false,
            records_hops: self.records_hops,
            seed: self.seed,
        })
        .map_err(|error| request_error!("{error}"))?;
        let costs = self.platform.management;
        let mut members = network(members.len()).into_iter().zip(members);
        let build = |index, port| {
            let (interface, member) = members.next().expect("the fabric has a port for each member");
            let Member { driver, record, record_inputs, waves, task } = member;
            let host = HostConfig { platform: self.platform.clone(), driver, trace: record };
            // Nodes differ: each crossing of each node is late in clocks of its own.
            let late_crossings = self.late_crossings.then(|| (self.seed as u32).wrapping_add(index as u32));
            let config = NodeConfig { index, host, port, late_crossings, record, record_inputs, waves };
            move || {
                Node::new(config, |host| {
                    let (sim, processors) = (host.node().sim().clone(), host.node().processors());
                    let daemon = Daemon::start(interface, costs, processors);
                    let meeting = Meeting::new(daemon.clone(), sim, costs);
                    let task = host.spawn("workload", |handle| task(handle, meeting));
                    Start { task, begin_window: Box::new(move |start| daemon.begin_window(start)) }
                })
            }
        };
        let options = RunOptions {
            // A message of either network must not arrive in the window in which it is sent.
            window: self.latency.min(Ps::from_ns(costs.latency_ns)),
            end: self.end,
            threads: self.threads,
            between_windows: self.between_windows,
        };
        let run = fabric.run(build, options);
        let nodes = run.nodes.outputs.into_iter().flatten().collect();
        Ok(Finished { ending: run.nodes.ending, nodes, switches: run.switches })
    }
}
