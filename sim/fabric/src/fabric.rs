//! Builds and runs a cluster: nodes, switches and the cables between them.

use std::collections::BTreeMap;

use sim_pins::Ps;
use sim_time::Clock;

use crate::address::MacAddress;
use crate::link::{link, Direction, LinkConfig, Port};
use crate::runner::{run, Activity, Node, Run, RunOptions};
use crate::setting::SettingError;
use crate::switch::{Switch, SwitchOutput, SwitchPort};
use crate::topology::{End, Topology};

/// One direction of a link of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Channel {
    /// Number of the link. Link n belongs to node n; with a cable, link 0 belongs to both nodes.
    /// Links between switches follow.
    pub link_idx: usize,
    /// The device that sends.
    pub from: End,
    /// The device that receives.
    pub to: End,
}

/// What a cluster is made of.
pub struct FabricConfig<'a> {
    /// Devices and cables.
    pub topology: &'a Topology,
    /// The number of nodes.
    pub nodes: usize,
    /// Latency of each cable, and so the length of the windows.
    pub latency: Ps,
    /// The transmit clock of a device at one end of a cable. The clocks need not be related.
    pub clock: &'a dyn Fn(End) -> Clock,
    /// Faults and tap of a direction. The faults draw from the seed and the number of the direction
    /// alone.
    pub direction: &'a dyn Fn(Channel) -> Direction,
    /// The address to which frames for a node are sent.
    pub address: fn(usize) -> MacAddress,
    /// The bits of an address by which switches know a node: ones. The other bits are the nodes'
    /// own affair, so that a node may take a new address when it starts again.
    pub address_mask: MacAddress,
    /// The transmitters of the nodes obey stop signals
    /// ([`Transmitter::may_begin`](crate::Transmitter::may_begin)); with GMII they do not. Links
    /// between switches always have backpressure, if the switches use it.
    pub nodes_obey_stop: bool,
    /// Keep the way of each frame through each switch.
    pub records_hops: bool,
    /// Decides the faults.
    pub seed: u64,
}

/// A cluster whose nodes are still to be built.
pub struct Fabric {
    ports: Vec<Port>,
    switches: Vec<Switch>,
}

/// A finished run of a cluster.
#[derive(Debug)]
pub struct FabricRun<E, O> {
    /// Why the run ended, and what is left of each node.
    pub nodes: Run<E, O>,
    /// What is left of each switch: leaves before spines.
    pub switches: Vec<SwitchOutput>,
}

impl Fabric {
    /// Makes the cables and switches of a topology.
    ///
    /// # Errors
    /// The first key of the topology whose value cannot be built.
    pub fn new(config: FabricConfig) -> Result<Fabric, SettingError> {
        let wiring = config.topology.wiring(config.nodes)?;
        let mut ports: BTreeMap<End, Port> = BTreeMap::new();
        for (link_idx, &[a, b]) in wiring.cables.iter().enumerate() {
            let (a_port, b_port) = link(LinkConfig {
                latency: config.latency,
                a_clock: (config.clock)(a),
                b_clock: (config.clock)(b),
                a_to_b: (config.direction)(Channel { link_idx, from: a, to: b }),
                b_to_a: (config.direction)(Channel { link_idx, from: b, to: a }),
                seed: config.seed,
                link_idx: link_idx as u64,
            });
            ports.insert(a, a_port);
            ports.insert(b, b_port);
        }
        let mut switches = Vec::new();
        for (switch, plan) in wiring.switches.iter().enumerate() {
            let routes = plan.routes.iter().enumerate().map(|(node, &port)| ((config.address)(node), port)).collect();
            let cabled = (0..plan.port_count).map(|port| {
                let end = End::Switch { switch, port };
                let is_node = matches!(wiring.peer(end), End::Node(_));
                SwitchPort {
                    port: ports.remove(&end).expect("every port of a switch has a cable"),
                    has_backpressure: config.nodes_obey_stop || !is_node,
                    latency: config.latency,
                }
            });
            let cabled = cabled.collect();
            switches.push(Switch::new(plan.parameters, (routes, config.address_mask), cabled, config.records_hops));
        }
        Ok(Fabric { ports: ports.into_values().collect(), switches })
    }

    /// Builds node n with `build(n, port)`, which is called here and gives what runs on the node's
    /// thread, and runs the cluster as [`run`](crate::run) does. Switches run on the same threads,
    /// behind the nodes.
    ///
    /// # Panics
    /// If a node panics, or the window is zero or longer than the latency.
    pub fn run<N, B>(
        self,
        mut build: impl FnMut(usize, Port) -> B,
        options: RunOptions,
    ) -> FabricRun<N::Error, N::Output>
    where
        N: Node,
        B: FnOnce() -> Result<N, N::Error> + Send,
    {
        let nodes = self.ports.into_iter().enumerate().map(|(node, port)| Parts::Node(build(node, port)));
        let switches = self.switches.into_iter().map(|switch| Parts::Switch(Box::new(switch)));
        let builders: Vec<_> = nodes
            .chain(switches)
            .map(|parts| {
                move || match parts {
                    Parts::Node(build) => build().map(Device::Node),
                    Parts::Switch(switch) => Ok(Device::Switch(switch)),
                }
            })
            .collect();
        let Run { ending, outputs } = run(builders, options);
        let (mut of_nodes, mut of_switches) = (Vec::new(), Vec::new());
        for output in outputs {
            match output {
                Some(DeviceOutput::Switch(output)) => of_switches.push(*output),
                Some(DeviceOutput::Node(output)) => of_nodes.push(Some(output)),
                None => of_nodes.push(None),
            }
        }
        FabricRun { nodes: Run { ending, outputs: of_nodes }, switches: of_switches }
    }
}

enum Parts<B> {
    Node(B),
    Switch(Box<Switch>),
}

/// What runs in the windows.
enum Device<N> {
    Node(N),
    Switch(Box<Switch>),
}

enum DeviceOutput<O> {
    Node(O),
    Switch(Box<SwitchOutput>),
}

impl<N: Node> Node for Device<N> {
    type Error = N::Error;
    type Output = DeviceOutput<N::Output>;

    fn run_until(&mut self, end: Ps) -> Result<Activity, N::Error> {
        match self {
            Device::Node(node) => node.run_until(end),
            Device::Switch(switch) => Ok(switch.run_until(end)),
        }
    }

    fn now(&self) -> Ps {
        match self {
            Device::Node(node) => node.now(),
            Device::Switch(switch) => switch.now(),
        }
    }

    fn finish(self) -> DeviceOutput<N::Output> {
        match self {
            Device::Node(node) => DeviceOutput::Node(node.finish()),
            Device::Switch(switch) => DeviceOutput::Switch(Box::new(switch.finish())),
        }
    }
}
