//! The way of a frame through the cables and switches between two nodes.

use sim_fabric::{End, Hop, Topology};
use sim_pins::Ps;

/// What joins the nodes of a run, and the way of each frame through each switch.
pub struct Network<'a> {
    cables: Vec<[End; 2]>,
    /// By switch.
    hops: Vec<&'a [Hop]>,
    latency: Ps,
}

/// A frame that has passed the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage<'a> {
    /// The switches in their order, each with the frame's way through it; none on a cable.
    pub hops: Vec<(usize, &'a Hop)>,
    /// When the last symbol stood on the pins of the receiver.
    pub arrived: Ps,
}

impl<'a> Network<'a> {
    /// A network with cables of the one-way latency `latency`. `hops` are those of each switch.
    pub fn new(topology: &Topology, nodes: usize, hops: Vec<&'a [Hop]>, latency: Ps) -> Network<'a> {
        Network { cables: topology.cables(nodes).unwrap_or_default(), hops, latency }
    }

    /// One-way latency of each cable.
    pub fn latency(&self) -> Ps {
        self.latency
    }

    /// The way of the frame whose first and last symbol node `sender` put on its pins at `start`
    /// and `end`. `None` if a link or a switch has lost it, or a link has delayed it.
    pub fn passage(&self, sender: usize, start: Ps, end: Ps) -> Option<Passage<'a>> {
        let (mut at, mut first, mut last) = (End::Node(sender), start, end);
        let mut hops = Vec::new();
        while let End::Switch { switch, port } = self.other_end(at)? {
            let arrives = first + self.latency;
            let own = |hop: &&Hop| hop.ingress == port && hop.first_in == arrives;
            let hop = self.hops.get(switch)?.iter().find(own)?;
            hops.push((switch, hop));
            (at, first, last) = (End::Switch { switch, port: hop.egress }, hop.first_out, hop.last_out);
        }
        Some(Passage { hops, arrived: last + self.latency })
    }

    fn other_end(&self, end: End) -> Option<End> {
        let cable = self.cables.iter().find(|cable| cable.contains(&end))?;
        Some(cable[usize::from(cable[0] == end)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_fabric::SwitchSettings;

    #[test]
    fn a_frame_is_followed_from_switch_to_switch_and_not_found_where_it_was_lost() {
        let topology = Topology::TwoLevel { nodes_per_leaf: 1, spines: 1, switch: SwitchSettings::default() };
        // Ports of a leaf: its node, the spine. Ports of the spine: its leaves.
        let hop = |ingress, egress, first_in: u64| Hop {
            ingress,
            frame_idx: 0,
            egress,
            bytes: 64,
            first_in: Ps(first_in),
            last_in: Ps(first_in + 50),
            decided: Ps(first_in + 60),
            admitted: Ps(first_in + 60),
            ready: Ps(first_in + 70),
            first_out: Ps(first_in + 80),
            last_out: Ps(first_in + 130),
        };
        let (up, across, down) = ([hop(0, 1, 110)], [hop(0, 1, 200)], [hop(1, 0, 290)]);
        let network = |spine| Network::new(&topology, 2, vec![&up, &down, spine], Ps(10));
        let passage = network(&across).passage(0, Ps(100), Ps(150)).expect("it arrives");
        assert_eq!(passage.hops, [(0, &up[0]), (2, &across[0]), (1, &down[0])]);
        assert_eq!(passage.arrived, Ps(290 + 130 + 10));
        assert_eq!(network(&[]).passage(0, Ps(100), Ps(150)), None);
        assert_eq!(network(&across).passage(0, Ps(101), Ps(151)), None);
    }
}
