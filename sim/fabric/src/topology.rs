//! Which devices a cluster has, and which cables join them.

use serde::{Deserialize, Serialize};

use crate::setting::{demand, within, SettingError};
use crate::switch::{SwitchParameters, SwitchSettings, UnknownDestination};

/// The most nodes of a cluster.
pub const NODES_MAX: usize = 64;

/// How nodes are joined. A scenario holds it, for example `topology = { kind = "switch" }`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Topology {
    /// Two nodes at the ends of one cable.
    Cable {},
    /// 2 to 64 nodes at one switch: node n at port n.
    Switch {
        /// The switch.
        #[serde(default)]
        switch: SwitchSettings,
    },
    /// Leaf switches with the nodes, joined by spine switches.
    ///
    /// Node n is at port n mod `nodes_per_leaf` of leaf n / `nodes_per_leaf`. The ports behind
    /// those of the nodes go to the spines, in their order; port l of each spine goes to leaf l.
    /// Routes are static: a frame for node d of another leaf goes through spine d mod `spines`, so
    /// that frames between two nodes have one path and keep their order.
    TwoLevel {
        /// Nodes at each leaf; the last leaf may have fewer.
        nodes_per_leaf: usize,
        /// Spine switches, 1 to 64.
        spines: usize,
        /// Every leaf and every spine.
        #[serde(default)]
        switch: SwitchSettings,
    },
}

/// An end of a cable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    /// The link port of a node.
    Node(usize),
    /// A port of a switch; leaves come before spines.
    Switch {
        /// Which switch.
        switch: usize,
        /// Which of its ports.
        port: usize,
    },
}

/// A topology for a number of nodes, as cables and routes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wiring {
    /// Link i joins the two ends `cables[i]`. Link n belongs to node n, and the node is its first
    /// end.
    pub cables: Vec<[End; 2]>,
    pub switches: Vec<SwitchWiring>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SwitchWiring {
    pub port_count: usize,
    /// The output port of each node.
    pub routes: Vec<usize>,
    pub parameters: SwitchParameters,
}

impl Wiring {
    /// The other end of a cable.
    pub fn peer(&self, end: End) -> End {
        let cable = self.cables.iter().find(|cable| cable.contains(&end)).expect("every port has a cable");
        cable[usize::from(cable[0] == end)]
    }
}

impl Topology {
    /// Whether the topology can be built for `nodes` nodes.
    ///
    /// # Errors
    /// The first key whose value cannot be built, with its value and the possible values.
    pub fn check(&self, nodes: usize) -> Result<(), SettingError> {
        self.wiring(nodes).map(|_| ())
    }

    /// The ends of each cable of a cluster of `nodes` nodes. Behind switches, cable n joins node n,
    /// its first end, to a switch; the cables between switches follow.
    ///
    /// # Errors
    /// The first key whose value cannot be built, as for [`check`](Topology::check).
    pub fn cables(&self, nodes: usize) -> Result<Vec<[End; 2]>, SettingError> {
        Ok(self.wiring(nodes)?.cables)
    }

    /// The number of switches that a frame from one node to another passes.
    pub fn hops(&self, from: usize, to: usize) -> usize {
        match *self {
            Topology::Cable {} => 0,
            Topology::Switch { .. } => 1,
            Topology::TwoLevel { nodes_per_leaf, .. } if from / nodes_per_leaf == to / nodes_per_leaf => 1,
            Topology::TwoLevel { .. } => 3,
        }
    }

    pub(crate) fn wiring(&self, nodes: usize) -> Result<Wiring, SettingError> {
        match *self {
            Topology::Cable {} => {
                demand("nodes", nodes, nodes == 2, "a cable joins 2 nodes; topology.kind = \"switch\" joins more")?;
                Ok(Wiring { cables: vec![[End::Node(0), End::Node(1)]], switches: Vec::new() })
            }
            Topology::Switch { switch } => {
                within("nodes", nodes as u64, 2..=NODES_MAX as u64)?;
                let parameters = switch.parameters("topology.switch")?;
                let cable = |node| [End::Node(node), End::Switch { switch: 0, port: node }];
                let switch = SwitchWiring { port_count: nodes, routes: (0..nodes).collect(), parameters };
                Ok(Wiring { cables: (0..nodes).map(cable).collect(), switches: vec![switch] })
            }
            Topology::TwoLevel { nodes_per_leaf, spines, switch } => two_level(nodes, nodes_per_leaf, spines, switch),
        }
    }
}

fn two_level(
    nodes: usize,
    nodes_per_leaf: usize,
    spines: usize,
    switch: SwitchSettings,
) -> Result<Wiring, SettingError> {
    within("nodes", nodes as u64, 2..=NODES_MAX as u64)?;
    let right = format!("1 to {}: nodes = {nodes} need two leaves or more", nodes - 1);
    demand("topology.nodes_per_leaf", nodes_per_leaf, (1..nodes).contains(&nodes_per_leaf), right)?;
    within("topology.spines", spines as u64, 1..=64)?;
    let parameters = switch.parameters("topology.switch")?;
    let floods = parameters.unknown == UnknownDestination::Flood;
    let right = "drop: with two spines or more a flooded frame would circulate for ever";
    demand("topology.switch.unknown", "flood", !floods || spines == 1, right)?;
    let leaves = nodes.div_ceil(nodes_per_leaf);
    let nodes_of = |leaf: usize| nodes_per_leaf.min(nodes - leaf * nodes_per_leaf);

    let mut cables: Vec<_> = (0..nodes)
        .map(|node| [End::Node(node), End::Switch { switch: node / nodes_per_leaf, port: node % nodes_per_leaf }])
        .collect();
    for leaf in 0..leaves {
        for spine in 0..spines {
            let up = End::Switch { switch: leaf, port: nodes_of(leaf) + spine };
            cables.push([up, End::Switch { switch: leaves + spine, port: leaf }]);
        }
    }
    let leaf_route = |leaf: usize, node: usize| match node / nodes_per_leaf == leaf {
        true => node % nodes_per_leaf,
        false => nodes_of(leaf) + node % spines,
    };
    let mut switches: Vec<_> = (0..leaves)
        .map(|leaf| SwitchWiring {
            port_count: nodes_of(leaf) + spines,
            routes: (0..nodes).map(|node| leaf_route(leaf, node)).collect(),
            parameters,
        })
        .collect();
    let spine =
        SwitchWiring { port_count: leaves, routes: (0..nodes).map(|node| node / nodes_per_leaf).collect(), parameters };
    switches.extend(std::iter::repeat_n(spine, spines));
    Ok(Wiring { cables, switches })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::switch::SwitchMode;

    fn read(text: &str) -> Result<Topology, String> {
        #[derive(Deserialize)]
        struct Scenario {
            topology: Topology,
        }
        toml::from_str::<Scenario>(text).map(|scenario| scenario.topology).map_err(|error| error.message().to_owned())
    }

    /// Follows the routes from node to node and gives the switches on the way.
    fn path(wiring: &Wiring, from: usize, to: usize) -> Vec<usize> {
        let mut switches = Vec::new();
        let mut at = wiring.peer(End::Node(from));
        while let End::Switch { switch, .. } = at {
            assert!(switches.len() < 4, "a loop from {from} to {to}");
            switches.push(switch);
            at = wiring.peer(End::Switch { switch, port: wiring.switches[switch].routes[to] });
        }
        assert_eq!(at, End::Node(to));
        switches
    }

    #[test]
    fn every_route_leads_to_its_node_by_the_documented_switches() {
        for nodes in [2, 3, 8, 16, 63, 64] {
            let mut topologies = vec![Topology::Switch { switch: SwitchSettings::default() }];
            for nodes_per_leaf in [1, 2, 5, 7].into_iter().filter(|&count| count < nodes) {
                for spines in [1, 2, 3] {
                    let switch = SwitchSettings::default();
                    topologies.push(Topology::TwoLevel { nodes_per_leaf, spines, switch });
                }
            }
            for topology in topologies {
                let wiring = topology.wiring(nodes).unwrap();
                for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
                    if from != to {
                        assert_eq!(path(&wiring, from, to).len(), topology.hops(from, to));
                    }
                }
            }
        }
        let two = Topology::TwoLevel { nodes_per_leaf: 2, spines: 3, switch: SwitchSettings::default() };
        assert_eq!(path(&two.wiring(8).unwrap(), 0, 7), [0, 4 + 7 % 3, 3], "leaf, spine d mod spines, leaf");
    }

    #[test]
    fn no_port_has_two_cables() {
        let topology = Topology::TwoLevel { nodes_per_leaf: 3, spines: 2, switch: SwitchSettings::default() };
        let wiring = topology.wiring(8).unwrap();
        let mut ends: Vec<End> = wiring.cables.iter().flatten().copied().collect();
        ends.sort();
        ends.dedup();
        assert_eq!(ends.len(), 2 * wiring.cables.len());
        assert!((0..8).all(|node| wiring.cables[node][0] == End::Node(node)), "link n is that of node n");
    }

    #[test]
    fn a_scenario_holds_a_topology() {
        assert_eq!(read("topology = { kind = \"cable\" }"), Ok(Topology::Cable {}));
        let text = "topology = { kind = \"switch\", switch = { model = \"crossbar\", output_queue_bytes = 65536 } }";
        let topology = read(text).unwrap();
        let Topology::Switch { switch } = topology else { panic!("{topology:?}") };
        let parameters = switch.parameters("topology.switch").unwrap();
        assert_eq!((parameters.mode, parameters.output_queue_bytes), (SwitchMode::CutThrough, 65_536));
        let two = "[topology]\nkind = \"two-level\"\nnodes_per_leaf = 4\nspines = 2\nswitch.mode = \"cut-through\"";
        let Topology::TwoLevel { nodes_per_leaf: 4, spines: 2, switch } = read(two).unwrap() else { panic!("two") };
        assert_eq!(switch.mode, Some(SwitchMode::CutThrough));
        let written = toml::to_string(&read(two).unwrap()).unwrap();
        assert_eq!(toml::from_str::<Topology>(&written).unwrap(), read(two).unwrap(), "{written}");
    }

    #[test]
    fn an_unknown_key_or_value_is_refused() {
        for text in [
            "topology = { kind = \"ring\" }",
            "topology = { kind = \"cable\", switch = {} }",
            "topology = { kind = \"switch\", spines = 2 }",
            "topology = { kind = \"switch\", switch = { queue = 1 } }",
            "topology = { kind = \"two-level\", spines = 2 }",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_built_is_named_with_what_could() {
        let message = |topology: &str, nodes| read(topology).unwrap().check(nodes).unwrap_err().to_string();
        assert_eq!(
            message("topology = { kind = \"cable\" }", 3),
            "nodes = 3 is impossible: a cable joins 2 nodes; topology.kind = \"switch\" joins more"
        );
        assert_eq!(message("topology = { kind = \"switch\" }", 65), "nodes = 65 is impossible: 2 to 64");
        assert_eq!(
            message("topology = { kind = \"switch\", switch = { output_queue_bytes = 100 } }", 4),
            "topology.switch.output_queue_bytes = 100 is impossible: topology.switch.frame_bytes_max, here 9022, to 67108864"
        );
        assert_eq!(
            message("topology = { kind = \"two-level\", nodes_per_leaf = 8, spines = 1 }", 8),
            "topology.nodes_per_leaf = 8 is impossible: 1 to 7: nodes = 8 need two leaves or more"
        );
        let text =
            "topology = { kind = \"two-level\", nodes_per_leaf = 4, spines = 2, switch = { unknown = \"flood\" } }";
        assert!(message(text, 8).starts_with("topology.switch.unknown = flood is impossible: drop: "));
        assert!(
            message("topology = { kind = \"switch\", switch = { forwarding_ns = 2000000 } }", 4).contains("1000000")
        );
        assert!(message("topology = { kind = \"switch\", switch = { frame_bytes_max = 10 } }", 4).contains("64 to"));
        assert!(message("topology = { kind = \"two-level\", nodes_per_leaf = 4, spines = 0 }", 8).contains("1 to 64"));
    }
}
