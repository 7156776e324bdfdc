//! Nodes that send whole Ethernet frames at planned times and write down what arrives and when.

use std::convert::Infallible;

use sim_fabric::{
    Activity, CapturedFrame, Direction, Fabric, FabricConfig, FrameCounts, MacAddress, Node, Port, RunOptions,
    SwitchOutput, Topology,
};
use sim_pins::{LinkSymbol, Ps, LINK_IDLE};
use sim_time::{Clock, Scheduler};

/// The gap between frames, in symbols.
pub const GAP: u64 = 12;
pub const PREAMBLE: usize = 8;

pub fn address(node: usize) -> MacAddress {
    MacAddress([0x02, 0, 0, 0, 0, node as u8])
}

/// A frame with preamble and FCS: `len` bytes from the destination address to the FCS, at least 18.
pub fn ethernet(to: MacAddress, from: usize, number: u32, len: usize) -> Vec<u8> {
    let mut body = to.0.to_vec();
    body.extend(address(from).0);
    body.extend([0x88, 0xB5]);
    body.extend((0..len - 18).map(|i| (number as usize * 37 + i) as u8));
    let fcs = crc32fast::hash(&body);
    body.extend(fcs.to_le_bytes());
    let mut bytes = vec![0x55; PREAMBLE - 1];
    bytes.push(0xD5);
    bytes.extend(body);
    bytes
}

/// A frame of a plan: the first edge at which it may start, and its bytes with preamble.
#[derive(Clone, Debug)]
pub struct Send {
    pub edge: u64,
    pub bytes: Vec<u8>,
}

/// What has arrived: when the first and the last symbol stood on the pins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Received {
    pub first: Ps,
    pub last: Ps,
    pub bytes: Vec<u8>,
    pub error: bool,
}

const TX: usize = 0;
const RX: usize = 1;

pub struct Station {
    port: Port,
    scheduler: Scheduler<2>,
    plan: Vec<Send>,
    obeys_stop: bool,
    /// Next frame of the plan, and next symbol of it.
    next: (usize, usize),
    free_edge: u64,
    received: Vec<Received>,
    is_in_frame: bool,
    now: Ps,
}

#[derive(PartialEq, Debug)]
pub struct StationOutput {
    pub received: Vec<Received>,
    pub counts: FrameCounts,
    pub captured: Vec<CapturedFrame>,
}

impl Station {
    fn symbol(&mut self, edge: u64) -> LinkSymbol {
        let Some(send) = self.plan.get(self.next.0) else {
            return LINK_IDLE;
        };
        if self.next.1 == 0 {
            let is_free = edge >= send.edge && edge >= self.free_edge;
            if !is_free || (self.obeys_stop && !self.port.tx.may_begin(edge)) {
                return LINK_IDLE;
            }
        }
        let data = send.bytes[self.next.1];
        self.next.1 += 1;
        if self.next.1 == send.bytes.len() {
            self.next = (self.next.0 + 1, 0);
            self.free_edge = edge + 1 + GAP;
        }
        LinkSymbol { data, enable: true, error: false }
    }

    fn take(&mut self, at: Ps, symbol: LinkSymbol) {
        if symbol.enable && !self.is_in_frame {
            self.received.push(Received { first: at, last: at, bytes: Vec::new(), error: false });
        }
        self.is_in_frame = symbol.enable;
        if symbol.enable {
            let frame = self.received.last_mut().expect("it has begun");
            frame.bytes.push(symbol.data);
            frame.last = at;
            frame.error |= symbol.error;
        }
    }
}

impl Node for Station {
    type Error = Infallible;
    type Output = StationOutput;

    fn run_until(&mut self, end: Ps) -> Result<Activity, Infallible> {
        while let Some(instant) = self.scheduler.advance_before(end) {
            self.now = instant.at;
            if instant.rising.contains(RX) {
                let symbol = self.port.rx.receive(self.scheduler.cycles(RX) - 1);
                self.take(instant.at, symbol);
            }
            if instant.rising.contains(TX) {
                let edge = self.scheduler.cycles(TX) - 1;
                let symbol = self.symbol(edge);
                self.port.tx.send(edge, symbol);
            }
        }
        self.port.tx.end_window(self.scheduler.cycles(TX));
        Ok(Activity::Busy) // until the end that the test set
    }

    fn now(&self) -> Ps {
        self.now
    }

    fn finish(mut self) -> StationOutput {
        let captured = self.port.tx.take_captured();
        StationOutput { received: self.received, counts: self.port.tx.counts().clone(), captured }
    }
}

/// A cluster of stations.
pub struct Stations<'a> {
    pub topology: Topology,
    /// One for each node.
    pub plans: Vec<Vec<Send>>,
    pub latency: Ps,
    pub window: Ps,
    pub threads: usize,
    pub end: Ps,
    pub seed: u64,
    pub obeys_stop: bool,
    /// Whether the switches believe that the nodes obey.
    pub is_believed: bool,
    pub clock: &'a dyn Fn(sim_fabric::End) -> Clock,
    pub direction: &'a dyn Fn(sim_fabric::Channel) -> Direction,
}

/// Clocks that differ by up to 100 ppm and a phase.
pub fn unrelated(end: sim_fabric::End) -> Clock {
    match end {
        sim_fabric::End::Node(node) => Clock::new(125_000_000 + 1_777 * (node as u64 % 8), Ps(node as u64 * 911)),
        sim_fabric::End::Switch { switch, .. } => Clock::new(125_012_500 - 9_000 * switch as u64 % 25_000, Ps(3_210)),
    }
}

pub fn tapped(_: sim_fabric::Channel) -> Direction {
    Direction { faults: Vec::new(), capture: true }
}

impl Stations<'static> {
    pub fn new(topology: Topology, plans: Vec<Vec<Send>>) -> Stations<'static> {
        let latency = Ps::from_ns(200);
        Stations {
            topology,
            plans,
            latency,
            window: latency,
            threads: 1,
            end: Ps::from_us(100),
            seed: 1,
            obeys_stop: false,
            is_believed: false,
            clock: &unrelated,
            direction: &tapped,
        }
    }
}

impl Stations<'_> {
    /// What builds station `node` on its thread.
    pub fn station(&self, node: usize, port: Port) -> impl FnOnce() -> Result<Station, Infallible> + std::marker::Send {
        let (plan, obeys_stop) = (self.plans[node].clone(), self.obeys_stop);
        let clock = (self.clock)(sim_fabric::End::Node(node));
        move || {
            let scheduler = Scheduler::new([clock, port.rx.clock()]);
            let (next, free_edge, now) = ((0, 0), 0, Ps::ZERO);
            let received = Vec::new();
            Ok(Station { port, scheduler, plan, obeys_stop, next, free_edge, received, is_in_frame: false, now })
        }
    }

    pub fn run(&self) -> (Vec<StationOutput>, Vec<SwitchOutput>) {
        let config = FabricConfig {
            topology: &self.topology,
            nodes: self.plans.len(),
            latency: self.latency,
            clock: self.clock,
            direction: self.direction,
            address,
            address_mask: MacAddress::ALL_BITS,
            nodes_obey_stop: self.is_believed,
            records_hops: true,
            seed: self.seed,
        };
        let fabric = Fabric::new(config).expect("the test builds what can be built");
        let build = |node: usize, port: Port| self.station(node, port);
        let options = RunOptions { window: self.window, end: self.end, threads: self.threads, between_windows: None };
        let run = fabric.run(build, options);
        let stations = run.nodes.outputs.into_iter().map(|output| output.expect("it was built")).collect();
        (stations, run.switches)
    }
}
