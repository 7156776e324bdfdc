//! The way of a frame through the cables and switches between two nodes.

use sim_fabric::{End, Hop, SwitchOutput, Topology};
use sim_pins::Ps;

use crate::log::SentFrame;

/// What joins the nodes of a run, and the way of each frame through each switch.
pub struct Network<'a> {
    cables: Vec<[End; 2]>,
    switches: &'a [SwitchOutput],
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
    /// A network with cables of the one-way latency `latency`. The hops and the cables of the
    /// switches were recorded.
    pub fn new(topology: &Topology, nodes: usize, switches: &'a [SwitchOutput], latency: Ps) -> Network<'a> {
        Network { cables: topology.cables(nodes).unwrap_or_default(), switches, latency }
    }

    /// One-way latency of each cable.
    pub fn latency(&self) -> Ps {
        self.latency
    }

    /// The ways of a frame of node `sender` to another node, in the order of arrival: several if a
    /// cable has doubled it, none if a cable or a switch has lost it.
    pub fn passages(&self, sender: usize, frame: &SentFrame) -> Vec<Passage<'a>> {
        let mut found = Vec::new();
        self.follow(End::Node(sender), &frame.arrivals, frame.end - frame.start, &[], &mut found);
        found.sort_by_key(|passage| passage.arrived);
        found
    }

    /// Follows the copies of a frame that leave `from`, and are at the other end of the cable at
    /// `arrivals`.
    fn follow(&self, from: End, arrivals: &[Ps], length: Ps, hops: &[(usize, &'a Hop)], found: &mut Vec<Passage<'a>>) {
        let Some(to) = self.other_end(from) else { return };
        for first in arrivals {
            let End::Switch { switch, port } = to else {
                found.push(Passage { hops: hops.to_vec(), arrived: *first + length });
                continue;
            };
            let Some(passed) = self.switches.get(switch) else { continue };
            let own = |hop: &&Hop| hop.ingress == port && hop.first_in == *first;
            let Some(hop) = passed.hops.iter().find(own) else { continue };
            let sent = passed.captured.get(hop.egress).into_iter().flatten();
            let again: Vec<Ps> =
                sent.filter(|frame| frame.start == hop.first_out).filter_map(|frame| frame.arrival).collect();
            let next = End::Switch { switch, port: hop.egress };
            let hops: Vec<_> = hops.iter().copied().chain([(switch, hop)]).collect();
            self.follow(next, &again, hop.last_out - hop.first_out, &hops, found);
        }
    }

    fn other_end(&self, end: End) -> Option<End> {
        let cable = self.cables.iter().find(|cable| cable.contains(&end))?;
        Some(cable[usize::from(cable[0] == end)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_fabric::{CapturedFrame, Outcome, SwitchSettings};

    const LATENCY: Ps = Ps(10);

    /// From the first to the last symbol of a frame.
    const LENGTH: Ps = Ps(50);

    fn sent(start: u64, arrivals: &[u64]) -> SentFrame {
        let arrivals = arrivals.iter().map(|at| Ps(*at)).collect();
        SentFrame { start: Ps(start), end: Ps(start) + LENGTH, arrivals, data: None, contents: Box::default() }
    }

    /// A switch that frames have passed, each from one port to another, 80 ps from the first symbol
    /// in to the first symbol out. `late`: how much later than usual each copy comes over the next
    /// cable.
    fn passed(ways: &[(usize, usize, u64)], late: &[u64]) -> SwitchOutput {
        let mut output = SwitchOutput { captured: vec![Vec::new(); 2], ..SwitchOutput::default() };
        for (ingress, egress, first_in) in ways {
            let [first_in, first_out] = [0, 80].map(|after| Ps(first_in + after));
            output.hops.push(Hop {
                ingress: *ingress,
                frame_idx: 0,
                egress: *egress,
                bytes: 64,
                first_in,
                last_in: first_in + LENGTH,
                decided: first_in + Ps(60),
                admitted: first_in + Ps(60),
                ready: first_in + Ps(70),
                first_out,
                last_out: first_out + LENGTH,
            });
            for late in late {
                output.captured[*egress].push(CapturedFrame {
                    frame_idx: 0,
                    is_copy: false,
                    start: first_out,
                    end: first_out + LENGTH,
                    bytes: Vec::new(),
                    error: false,
                    outcome: Outcome::Delivered,
                    arrival: Some(first_out + LATENCY + Ps(*late)),
                });
            }
        }
        output
    }

    #[test]
    fn a_frame_is_followed_from_switch_to_switch_and_not_found_where_it_was_lost() {
        let topology = Topology::TwoLevel { nodes_per_leaf: 1, spines: 1, switch: SwitchSettings::default() };
        // Ports of a leaf: its node, the spine. Ports of the spine: its leaves.
        let switches =
            |late: &[u64]| [passed(&[(0, 1, 110)], &[0]), passed(&[(1, 0, 290)], &[0]), passed(&[(0, 1, 200)], late)];
        let whole = switches(&[0]);
        let network = Network::new(&topology, 2, &whole, LATENCY);
        let passages = network.passages(0, &sent(100, &[110]));
        let hops = [(0, &whole[0].hops[0]), (2, &whole[2].hops[0]), (1, &whole[1].hops[0])];
        assert_eq!(passages, [Passage { hops: hops.to_vec(), arrived: Ps(290 + 80 + 10 + 50) }]);
        assert_eq!(network.passages(0, &sent(101, &[111])), []);
        // The cable behind the spine has lost it, or the first one.
        assert_eq!(Network::new(&topology, 2, &switches(&[]), LATENCY).passages(0, &sent(100, &[110])), []);
        assert_eq!(network.passages(0, &sent(100, &[])), []);
    }

    #[test]
    fn each_copy_of_a_frame_arrives_when_its_cable_says() {
        let arrived = |network: &Network<'_>, arrivals: &[u64]| {
            network.passages(0, &sent(100, arrivals)).iter().map(|passage| passage.arrived.0).collect::<Vec<_>>()
        };
        let cable = Network::new(&Topology::Cable {}, 2, &[], LATENCY);
        assert_eq!(arrived(&cable, &[110, 172]), [160, 222]);
        assert_eq!(arrived(&cable, &[940]), [990], "held back");
        // Both copies pass the switch, whose next cable doubles them again.
        let topology = Topology::Switch { switch: SwitchSettings::default() };
        let switch = [passed(&[(0, 1, 110), (0, 1, 310)], &[62, 0])];
        let switched = Network::new(&topology, 2, &switch, LATENCY);
        assert_eq!(arrived(&switched, &[110, 310]), [250, 312, 450, 512]);
    }
}
