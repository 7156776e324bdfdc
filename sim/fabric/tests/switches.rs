#[path = "common/station.rs"]
mod station;

use std::collections::BTreeMap;

use proptest::prelude::*;
use sim_fabric::{
    link, Channel, Corruption, Delay, Direction, Duplication, End, Fault, Hop, LinkConfig, Loss, MacAddress, Outcome,
    PortCounts, RunOptions, SwitchMode, SwitchModel, SwitchOutput, SwitchParameters, SwitchSettings, Topology,
    UnknownDestination,
};
use sim_pins::Ps;
use sim_time::Clock;
use station::{address, ethernet, tapped, unrelated, Received, Send, Stations, GAP, PREAMBLE};

const MODES: [SwitchMode; 2] = [SwitchMode::StoreAndForward, SwitchMode::CutThrough];

fn settings(mode: SwitchMode) -> SwitchSettings {
    SwitchSettings { mode: Some(mode), forwarding_ns: Some(1_000), ..SwitchSettings::default() }
}

fn one_switch(switch: SwitchSettings) -> Topology {
    Topology::Switch { switch }
}

fn send(edge: u64, to: usize, from: usize, number: u32, len: usize) -> Send {
    Send { edge, bytes: ethernet(address(to), from, number, len) }
}

fn bodies(received: &[Received]) -> Vec<Vec<u8>> {
    received.iter().map(|frame| frame.bytes.clone()).collect()
}

fn balanced(switches: &[SwitchOutput]) -> bool {
    switches.iter().all(|switch| switch.counts.balance() && switch.links.iter().all(|link| link.balance()))
}

#[test]
fn one_frame_takes_the_documented_time() {
    for (mode, known_after) in [(SwitchMode::StoreAndForward, PREAMBLE + 100), (SwitchMode::CutThrough, PREAMBLE + 13)]
    {
        let plans = vec![vec![send(50, 2, 0, 1, 100)], vec![], vec![]];
        let stations = Stations::new(one_switch(settings(mode)), plans);
        let (nodes, switches) = stations.run();
        let [hop] = switches[0].hops[..] else { panic!("one frame, one hop: {:?}", switches[0].hops) };
        let (sender, switch) = (unrelated(End::Node(0)), unrelated(End::Switch { switch: 0, port: 2 }));
        let rx = sender.delayed(stations.latency);
        assert_eq!((hop.ingress, hop.frame_idx, hop.egress, hop.bytes), (0, 0, 2, 100));
        assert_eq!((hop.first_in, hop.last_in), (rx.edge(50), rx.edge(50 + 107)));
        assert_eq!((hop.decided, hop.admitted), (rx.edge(50 + known_after as u64), hop.decided));
        assert_eq!(hop.ready, hop.decided + Ps::from_us(1));
        let start = switch.edges_before(hop.ready);
        assert_eq!((hop.first_out, hop.last_out), (switch.edge(start), switch.edge(start + 107)));
        let received = &nodes[2].received[0];
        assert_eq!(
            (received.first, received.last),
            (hop.first_out + stations.latency, hop.last_out + stations.latency)
        );
        assert_eq!(received.bytes, stations.plans[0][0].bytes);
        let sum = [hop.receive(), hop.input_wait(), hop.forward(), hop.queue_wait()].into_iter();
        assert_eq!(sum.fold(Ps::ZERO, |sum, span| sum + span), hop.first_out - hop.first_in);
        assert!(nodes[1].received.is_empty() && balanced(&switches));
    }
}

#[test]
fn a_cable_gives_what_a_link_gives() {
    let plans = vec![
        (0..20).map(|k| send(30 * k, 1, 0, k as u32, 64 + 7 * k as usize)).collect::<Vec<_>>(),
        (0..20).map(|k| send(45 * k, 0, 1, k as u32, 600)).collect(),
    ];
    let direction = |channel: Channel| Direction {
        faults: every_fault().into_iter().skip(usize::from(channel.from == End::Node(1))).collect(),
        capture: true,
    };
    let mut stations = Stations::new(Topology::Cable {}, plans);
    stations = Stations { seed: 9, direction: Box::leak(Box::new(direction)), ..stations };
    let (by_topology, switches) = stations.run();
    assert!(switches.is_empty());

    let (a, b) = link(LinkConfig {
        latency: stations.latency,
        a_clock: unrelated(End::Node(0)),
        b_clock: unrelated(End::Node(1)),
        a_to_b: direction(Channel { link_idx: 0, from: End::Node(0), to: End::Node(1) }),
        b_to_a: direction(Channel { link_idx: 0, from: End::Node(1), to: End::Node(0) }),
        seed: 9,
        link_idx: 0,
    });
    let mut ports = [Some(a), Some(b)];
    let builders: Vec<_> = (0..2).map(|node| stations.station(node, ports[node].take().unwrap())).collect();
    let options = RunOptions { window: stations.window, end: stations.end, threads: 2, between_windows: None };
    let by_link: Vec<_> = sim_fabric::run(builders, options).outputs.into_iter().flatten().collect();
    assert_eq!(by_topology, by_link);
}

fn every_fault() -> Vec<Box<dyn Fault>> {
    vec![
        Box::new(Loss { name: "loss".into(), probability: 0.1 }),
        Box::new(Corruption { name: "bits".into(), probability: 0.1, bytes: 2, offsets: Corruption::ANY_FRAME }),
        Box::new(Duplication { name: "twice".into(), probability: 0.1 }),
        Box::new(Delay { name: "late".into(), probability: 0.2, by: Ps::from_ns(100)..Ps::from_us(5) }),
    ]
}

/// The count of one input port that is not zero, besides what came in.
fn outcome(counts: &PortCounts) -> &'static str {
    let named = [
        ("forwarded", counts.forwarded),
        ("flooded", counts.flooded),
        ("bad FCS", counts.dropped_bad_fcs),
        ("runt", counts.dropped_runt),
        ("oversize", counts.dropped_oversize),
        ("unknown", counts.dropped_unknown),
        ("same port", counts.dropped_same_port),
    ];
    let found: Vec<_> = named.iter().filter(|(_, count)| *count != 0).collect();
    assert_eq!((found.len(), found[0].1, counts.frames_in, counts.undecided), (1, 1, 1, 0), "{counts:?}");
    found[0].0
}

#[test]
fn every_bad_or_strange_frame_has_its_outcome() {
    let nobody = MacAddress([0x02, 0, 0, 0, 9, 9]);
    let group = MacAddress([0xFF; 6]);
    let good = ethernet(address(1), 0, 1, 100);
    let mut bad = good.clone();
    bad[60] ^= 4;
    let cases = [
        ("good", good.clone(), ["forwarded", "forwarded"], ["forwarded", "forwarded"]),
        ("bad FCS", bad, ["bad FCS", "forwarded"], ["bad FCS", "forwarded"]),
        ("63 bytes", ethernet(address(1), 0, 1, 63), ["runt", "forwarded"], ["runt", "forwarded"]),
        ("no header", good[..PREAMBLE + 13].to_vec(), ["runt", "runt"], ["runt", "runt"]),
        ("no delimiter", vec![0x55; 100], ["runt", "runt"], ["runt", "runt"]),
        ("201 bytes", ethernet(address(1), 0, 1, 201), ["oversize", "forwarded"], ["oversize", "forwarded"]),
        ("to its own port", ethernet(address(0), 0, 1, 100), ["same port", "same port"], ["same port", "same port"]),
        ("to an unknown node", ethernet(nobody, 0, 1, 100), ["unknown", "unknown"], ["flooded", "flooded"]),
        ("to all", ethernet(group, 0, 1, 100), ["unknown", "unknown"], ["flooded", "flooded"]),
    ];
    for (name, bytes, when_dropping, when_flooding) in cases {
        for (unknown, expected) in
            [(UnknownDestination::Drop, when_dropping), (UnknownDestination::Flood, when_flooding)]
        {
            for (mode, expected) in MODES.into_iter().zip(expected) {
                let switch = SwitchSettings { unknown: Some(unknown), frame_bytes_max: Some(200), ..settings(mode) };
                let plans = vec![vec![Send { edge: 20, bytes: bytes.clone() }], vec![], vec![]];
                let (nodes, switches) = Stations::new(one_switch(switch), plans).run();
                let counts = &switches[0].counts;
                assert_eq!(outcome(&counts.ports[0]), expected, "{name}, {mode:?}");
                assert!(balanced(&switches));
                let reached: Vec<bool> = nodes.iter().map(|node| !node.received.is_empty()).collect();
                let right = match expected {
                    "forwarded" => [false, true, false],
                    "flooded" => [false, true, true],
                    _ => [false; 3],
                };
                assert_eq!(reached, right, "{name}, {mode:?}");
                assert_eq!(counts.ports[0].passed_bad_fcs, u64::from(expected == "forwarded" && name == "bad FCS"));
                let is_cut = expected == "forwarded" && name == "201 bytes";
                assert_eq!(counts.ports[0].passed_truncated, u64::from(is_cut));
                if is_cut {
                    let received = &nodes[1].received[0];
                    assert!(received.error && received.bytes.len() == PREAMBLE + 201, "cut off, and spoilt");
                }
            }
        }
    }
}

#[test]
fn frames_behind_one_that_is_cut_off_are_whole() {
    for mode in MODES {
        let switch = SwitchSettings { frame_bytes_max: Some(200), ..settings(mode) };
        let plans = vec![vec![send(10, 1, 0, 1, 900), send(10, 1, 0, 2, 100)], vec![]];
        let (nodes, switches) = Stations::new(one_switch(switch), plans.clone()).run();
        assert_eq!(nodes[1].received.last().unwrap().bytes, plans[0][1].bytes);
        assert_eq!(switches[0].counts.ports[0].frames_in, 2);
        assert!(balanced(&switches));
    }
}

#[test]
fn a_faster_output_port_stores_the_frame() {
    let fast = |end: End| match end {
        End::Switch { .. } => Clock::new(160_000_000, Ps(77)),
        End::Node(_) => Clock::new(125_000_000, Ps::ZERO),
    };
    let plans = vec![vec![send(10, 1, 0, 1, 1_000)], vec![]];
    let mut stations = Stations::new(one_switch(settings(SwitchMode::CutThrough)), plans);
    stations.clock = Box::leak(Box::new(fast));
    let (nodes, switches) = stations.run();
    assert_eq!(bodies(&nodes[1].received), [stations.plans[0][0].bytes.clone()]);
    assert!(switches[0].hops[0].decided > switches[0].hops[0].last_in);
}

/// What the dull model says of one run: hops, and tail drops by output port.
type Verdict = (Vec<Hop>, Vec<u64>);

/// A frame of which the dull model knows when it arrived.
struct Came {
    ingress: usize,
    frame_idx: u64,
    egress: usize,
    bytes: u32,
    first_in: Ps,
    last_in: Ps,
    end_in: Ps,
    decided: Ps,
}

/// Each output port alone: a list of frames, and the room they fill, summed anew for each frame.
fn dull(came: &[Came], ports: usize, parameters: SwitchParameters, clock: Clock) -> Verdict {
    let cut = parameters.mode == SwitchMode::CutThrough;
    let longest = u64::from(parameters.frame_bytes_max);
    let (mut hops, mut drops) = (Vec::new(), vec![0; ports]);
    for (egress, tail_drops) in drops.iter_mut().enumerate() {
        let mut offered: Vec<&Came> = came.iter().filter(|frame| frame.egress == egress).collect();
        offered.sort_by_key(|frame| (frame.decided, frame.ingress, frame.frame_idx));
        let mut taken: Vec<(&Came, Ps)> = Vec::new(); // with the time at which its room is free
        let mut free_edge = 0;
        for frame in offered {
            let room = |other: &Came| match cut && frame.decided < other.end_in {
                true => longest,
                false => u64::from(other.bytes),
            };
            let held: u64 =
                taken.iter().filter(|(_, until)| *until > frame.decided).map(|(other, _)| room(other)).sum();
            if held + room(frame) > u64::from(parameters.output_queue_bytes) {
                *tail_drops += 1;
                continue;
            }
            let ready = frame.decided + parameters.forwarding;
            let start = clock.edges_before(ready).max(free_edge);
            let end = start + PREAMBLE as u64 + u64::from(frame.bytes);
            free_edge = end + GAP;
            taken.push((frame, clock.edge(end)));
            let Came { ingress, frame_idx, bytes, first_in, last_in, decided, .. } = *frame;
            let (first_out, last_out) = (clock.edge(start), clock.edge(end - 1));
            let admitted = decided;
            hops.push(Hop {
                ingress,
                frame_idx,
                egress,
                bytes,
                first_in,
                last_in,
                decided,
                admitted,
                ready,
                first_out,
                last_out,
            });
        }
    }
    (sorted(hops), drops)
}

fn sorted(mut hops: Vec<Hop>) -> Vec<Hop> {
    hops.sort_by_key(|hop| (hop.ingress, hop.frame_idx, hop.egress));
    hops
}

/// When the frames of a plan arrive, counted from the plan and the clocks alone.
fn arrivals(stations: &Stations, parameters: SwitchParameters, destinations: &[Vec<usize>]) -> Vec<Came> {
    let mut came = Vec::new();
    for (ingress, plan) in stations.plans.iter().enumerate() {
        let rx = (stations.clock)(End::Node(ingress)).delayed(stations.latency);
        let mut free = 0;
        for (k, send) in plan.iter().enumerate() {
            let start = send.edge.max(free);
            let behind = start + send.bytes.len() as u64;
            free = behind + GAP;
            let decided = match parameters.mode {
                SwitchMode::StoreAndForward => behind,
                SwitchMode::CutThrough => start + PREAMBLE as u64 + 13,
            };
            came.push(Came {
                ingress,
                frame_idx: k as u64,
                egress: destinations[ingress][k],
                bytes: (send.bytes.len() - PREAMBLE) as u32,
                first_in: rx.edge(start),
                last_in: rx.edge(behind - 1),
                end_in: rx.edge(behind),
                decided: rx.edge(decided),
            });
        }
    }
    came
}

/// For each of so many nodes: gap, destination (never the node itself) and length of each frame.
fn traffic(nodes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<(u64, usize, usize)>>> {
    nodes.prop_flat_map(|nodes| {
        let frame = (0..400u64, 1..nodes, 64..400usize);
        prop::collection::vec(prop::collection::vec(frame, 0..25), nodes)
    })
}

fn plans(traffic: &[Vec<(u64, usize, usize)>]) -> (Vec<Vec<Send>>, Vec<Vec<usize>>) {
    let nodes = traffic.len();
    let mut destinations = vec![Vec::new(); nodes];
    let plans = traffic.iter().enumerate().map(|(from, frames)| {
        let mut edge = 0;
        let frames = frames.iter().enumerate().map(|(k, &(gap, away, len))| {
            edge += gap;
            let to = (from + away) % nodes;
            destinations[from].push(to);
            send(edge, to, from, k as u32, len)
        });
        frames.collect()
    });
    (plans.collect(), destinations)
}

fn any_switch() -> impl Strategy<Value = SwitchSettings> {
    (0..2usize, 0..3_000u64, 500..3_000u32).prop_map(|(mode, forwarding_ns, queue)| SwitchSettings {
        mode: Some(MODES[mode]),
        forwarding_ns: Some(forwarding_ns),
        output_queue_bytes: Some(queue),
        frame_bytes_max: Some(400),
        ..SwitchSettings::default()
    })
}

fn parameters(switch: SwitchSettings) -> SwitchParameters {
    let model = SwitchModel::GigabitEthernet.parameters();
    SwitchParameters {
        mode: switch.mode.unwrap_or(model.mode),
        forwarding: Ps::from_ns(switch.forwarding_ns.unwrap()),
        output_queue_bytes: switch.output_queue_bytes.unwrap(),
        frame_bytes_max: switch.frame_bytes_max.unwrap(),
        ..model
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_switch_does_what_a_list_for_each_port_does(traffic in traffic(2..7), switch in any_switch()) {
        let (plans, destinations) = plans(&traffic);
        let stations = Stations { end: Ps::from_us(400), ..Stations::new(one_switch(switch), plans) };
        let (nodes, switches) = stations.run();
        let parameters = parameters(switch);
        let clock = unrelated(End::Switch { switch: 0, port: 0 });
        let (hops, drops) = dull(&arrivals(&stations, parameters, &destinations), traffic.len(), parameters, clock);
        let counts = &switches[0].counts;
        prop_assert_eq!(sorted(switches[0].hops.clone()), hops.clone());
        prop_assert_eq!(counts.ports.iter().map(|port| port.dropped_tail).collect::<Vec<_>>(), drops);
        prop_assert!(counts.balance());
        prop_assert_eq!(counts.total(|port| port.undecided + port.queued), 0, "nothing is left");
        for port in &counts.ports {
            prop_assert!(port.queue_bytes_peak <= parameters.output_queue_bytes.into());
        }
        for (node, output) in nodes.iter().enumerate() {
            let mut expected: Vec<_> = hops.iter().filter(|hop| hop.egress == node).collect();
            expected.sort_by_key(|hop| hop.first_out);
            let expected: Vec<_> = expected
                .into_iter()
                .map(|hop| Received {
                    first: hop.first_out + stations.latency,
                    last: hop.last_out + stations.latency,
                    bytes: stations.plans[hop.ingress][hop.frame_idx as usize].bytes.clone(),
                    error: false,
                })
                .collect();
            prop_assert_eq!(&output.received, &expected);
        }
    }

    #[test]
    fn threads_and_windows_change_nothing(
        traffic in traffic(3..9), switch in any_switch(), seed: u64, window in 7_000..200_000u64, two_level: bool,
        backpressure: bool,
    ) {
        let (plans, _) = plans(&traffic);
        let switch = SwitchSettings { backpressure: Some(backpressure), ..switch };
        let topology = match two_level {
            true => Topology::TwoLevel { nodes_per_leaf: 2, spines: 2, switch },
            false => one_switch(switch),
        };
        let faulty = |_: Channel| Direction { faults: every_fault(), capture: true };
        let run = |window, threads| {
            let stations = Stations {
                window, threads, seed, direction: &faulty, obeys_stop: true, is_believed: true,
                ..Stations::new(topology, plans.clone())
            };
            let (mut nodes, mut switches) = stations.run();
            // A frame that a fault has delayed is recorded when it leaves, or at the end of the
            // window.
            let by_number = |frame: &sim_fabric::CapturedFrame| (frame.frame_idx, frame.is_copy);
            nodes.iter_mut().for_each(|node| node.captured.sort_by_key(by_number));
            let captured = switches.iter_mut().flat_map(|switch| &mut switch.captured);
            captured.for_each(|frames| frames.sort_by_key(by_number));
            (nodes, switches)
        };
        let one = run(Ps::from_ns(200), 1);
        prop_assert!(balanced(&one.1));
        prop_assert_eq!(&one, &run(Ps::from_ns(200), 2));
        prop_assert_eq!(&one, &run(Ps::from_ns(200), 3));
        prop_assert_eq!(&one, &run(Ps(window), 2));
    }

    #[test]
    fn backpressure_loses_nothing(traffic in traffic(2..7), switch in any_switch(), two_level: bool) {
        let (plans, destinations) = plans(&traffic);
        let switch = SwitchSettings { backpressure: Some(true), ..switch };
        let topology = match two_level && traffic.len() > 2 {
            true => Topology::TwoLevel { nodes_per_leaf: 2, spines: 2, switch },
            false => one_switch(switch),
        };
        let stations = Stations {
            end: Ps::from_us(800), obeys_stop: true, is_believed: true, ..Stations::new(topology, plans)
        };
        let (nodes, switches) = stations.run();
        prop_assert!(balanced(&switches));
        for switch in &switches {
            let counts = &switch.counts;
            prop_assert_eq!(counts.total(|port| port.dropped_in() + port.dropped_tail), 0);
            prop_assert_eq!(counts.total(|port| port.undecided + port.queued), 0, "nothing is stuck");
        }
        // Of each sender to each receiver, in order and whole.
        for (to, node) in nodes.iter().enumerate() {
            for (from, plan) in stations.plans.iter().enumerate() {
                let sent: Vec<_> =
                    (0..plan.len()).filter(|&k| destinations[from][k] == to).map(|k| plan[k].bytes.clone()).collect();
                let source = address(from).0;
                let got = node.received.iter().filter(|frame| frame.bytes[PREAMBLE + 6..PREAMBLE + 12] == source);
                prop_assert_eq!(got.map(|frame| frame.bytes.clone()).collect::<Vec<_>>(), sent);
            }
        }
    }
}

#[test]
fn a_sender_that_does_not_stop_fills_the_input_buffer() {
    let switch = SwitchSettings {
        backpressure: Some(true),
        output_queue_bytes: Some(2_000),
        frame_bytes_max: Some(1_000),
        ..settings(SwitchMode::StoreAndForward)
    };
    let burst = |from| (0..30).map(|k| send(0, 2, from, k, 1_000)).collect::<Vec<_>>();
    let plans = vec![burst(0), burst(1), vec![]];
    for (obeys_stop, is_believed, input_full, tail) in
        [(true, true, false, false), (false, true, true, false), (false, false, false, true)]
    {
        let stations = Stations {
            end: Ps::from_us(1_000),
            obeys_stop,
            is_believed,
            ..Stations::new(one_switch(switch), plans.clone())
        };
        let (_, switches) = stations.run();
        let counts = &switches[0].counts;
        assert_eq!(counts.total(|port| port.dropped_input_full) > 0, input_full);
        assert_eq!(counts.total(|port| port.dropped_tail) > 0, tail);
        assert!(balanced(&switches));
    }
}

#[test]
fn links_and_directions_have_faults_of_their_own() {
    let burst = |from: usize, to| (0..300).map(|k| send(0, to, from, k, 64)).collect::<Vec<_>>();
    let plans = vec![burst(0, 1), burst(1, 2), burst(2, 0)];
    let lossy = |channel: Channel| {
        let faults: Vec<Box<dyn Fault>> = match channel {
            Channel { from: End::Node(0 | 1), .. } | Channel { to: End::Node(0), .. } => {
                vec![Box::new(Loss { name: "loss".into(), probability: 0.3 })]
            }
            _ => vec![],
        };
        Direction { faults, capture: true }
    };
    let run = |seed| {
        let mut stations = Stations::new(one_switch(settings(SwitchMode::StoreAndForward)), plans.clone());
        stations = Stations { direction: Box::leak(Box::new(lossy)), end: Ps::from_us(400), seed, ..stations };
        stations.run()
    };
    let lost = |frames: &[sim_fabric::CapturedFrame]| -> Vec<u64> {
        frames.iter().filter(|frame| frame.outcome == Outcome::Lost).map(|frame| frame.frame_idx).collect()
    };
    let (nodes, switches) = run(5);
    let places = [lost(&nodes[0].captured), lost(&nodes[1].captured), lost(&switches[0].captured[0])];
    assert!(places.iter().all(|lost| (60..120).contains(&lost.len())), "{places:?}");
    assert!(places[0] != places[1] && places[1] != places[2] && places[0] != places[2]);
    assert!(lost(&nodes[2].captured).is_empty() && lost(&switches[0].captured[1]).is_empty());
    assert_eq!(lost(&run(5).0[0].captured), places[0]);
    assert_ne!(lost(&run(6).0[0].captured), places[0]);
}

#[test]
fn the_way_of_a_frame_adds_up_over_three_switches() {
    let topology = Topology::TwoLevel { nodes_per_leaf: 4, spines: 2, switch: settings(SwitchMode::CutThrough) };
    let plans: Vec<Vec<Send>> = (0..8)
        .map(|from| (0..40u32).map(|k| send(0, (from + 1 + k as usize % 7) % 8, from, k, 300)).collect())
        .collect();
    let stations = Stations { end: Ps::from_us(800), ..Stations::new(topology, plans) };
    let (nodes, switches) = stations.run();
    assert!(balanced(&switches));
    // By the time at which the first symbol reaches a switch and the port on which it does: the
    // next part of the way.
    let mut hops: BTreeMap<(usize, usize, Ps), Hop> = BTreeMap::new();
    for (switch, output) in switches.iter().enumerate() {
        hops.extend(output.hops.iter().map(|hop| ((switch, hop.ingress, hop.first_in), *hop)));
    }
    let mut long = 0;
    for (from, node) in nodes.iter().enumerate() {
        for frame in &node.captured {
            let to = usize::from(frame.contents()[5]);
            let mut path = vec![from / 4];
            let mut ingress = vec![from % 4];
            if to / 4 != from / 4 {
                path.extend([2 + to % 2, to / 4]);
                ingress.extend([from / 4, 4 + to % 2]);
                long += 1;
            }
            let mut at = frame.arrival.unwrap();
            let mut spans = at - frame.start;
            for (switch, ingress) in path.into_iter().zip(ingress) {
                let hop = hops[&(switch, ingress, at)];
                at = hop.first_out + stations.latency;
                spans = spans + hop.receive() + hop.input_wait() + hop.forward() + hop.queue_wait() + stations.latency;
            }
            let received = nodes[to].received.iter().find(|received| received.first == at).expect("it arrives then");
            assert_eq!(received.bytes, frame.bytes);
            assert_eq!(spans, received.first - frame.start);
        }
    }
    assert!(long > 100);
}

#[test]
fn sixty_four_nodes_reach_each_other() {
    for topology in [
        one_switch(settings(SwitchMode::StoreAndForward)),
        Topology::TwoLevel { nodes_per_leaf: 8, spines: 4, switch: settings(SwitchMode::StoreAndForward) },
    ] {
        let plans: Vec<Vec<Send>> =
            (0..64).map(|from| (1..64).map(|k| send(0, (from + k) % 64, from, k as u32, 64)).collect()).collect();
        let stations =
            Stations { end: Ps::from_us(200), threads: 2, direction: &tapped, ..Stations::new(topology, plans) };
        let (nodes, switches) = stations.run();
        assert!(nodes.iter().all(|node| node.received.len() == 63));
        assert!(balanced(&switches));
    }
}
