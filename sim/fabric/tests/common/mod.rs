//! Nodes that send planned frames and write down what arrives.

#![allow(dead_code)]

use std::convert::Infallible;
use std::rc::Rc;

use sim_fabric::{
    link, run, Activity, CapturedFrame, Direction, Fault, FrameCounts, LinkConfig, Node, Port, RunOptions,
};
use sim_pins::{LinkSymbol, Ps, LINK_IDLE};
use sim_time::{Clock, Scheduler};

pub const LATENCY: Ps = Ps(200_000);

/// A frame of a plan: idle symbols before it, and its bytes.
#[derive(Clone, Debug)]
pub struct Planned {
    pub gap: usize,
    pub bytes: Vec<u8>,
}

/// Frame `number` with a preamble and a recognisable body.
pub fn frame(number: u8, body_bytes: usize) -> Vec<u8> {
    let mut bytes = vec![0x55; 7];
    bytes.push(0xD5);
    bytes.extend((0..body_bytes).map(|i| number.wrapping_mul(31).wrapping_add(i as u8)));
    bytes
}

pub fn symbols(plan: &[Planned]) -> Vec<LinkSymbol> {
    let mut symbols = Vec::new();
    for planned in plan {
        symbols.extend(std::iter::repeat_n(LINK_IDLE, planned.gap));
        symbols.extend(planned.bytes.iter().map(|&data| LinkSymbol { data, enable: true, error: false }));
    }
    symbols
}

/// The frames in a stream: the edge of each first symbol, and the bytes.
pub fn frames(stream: &[LinkSymbol]) -> Vec<(usize, Vec<u8>)> {
    let mut frames: Vec<(usize, Vec<u8>)> = Vec::new();
    let mut inside = false;
    for (edge, symbol) in stream.iter().enumerate() {
        if symbol.enable && !inside {
            frames.push((edge, Vec::new()));
        }
        if symbol.enable {
            frames.last_mut().unwrap().1.push(symbol.data);
        }
        inside = symbol.enable;
    }
    frames
}

const TX: usize = 0;
const RX: usize = 1;

pub struct Sender {
    port: Port,
    scheduler: Scheduler<2>,
    now: Ps,
    // Shows that a node may hold what cannot change threads.
    to_send: Rc<Vec<LinkSymbol>>,
    received: Vec<LinkSymbol>,
}

#[derive(PartialEq, Debug)]
pub struct Heard {
    pub received: Vec<LinkSymbol>,
    pub counts: FrameCounts,
    pub captured: Vec<CapturedFrame>,
}

impl Sender {
    pub fn new(port: Port, clock: Clock, to_send: Vec<LinkSymbol>) -> Sender {
        let scheduler = Scheduler::new([clock, port.rx.clock()]);
        Sender { port, scheduler, now: Ps::ZERO, to_send: Rc::new(to_send), received: Vec::new() }
    }
}

impl Node for Sender {
    type Error = Infallible;
    type Output = Heard;

    fn run_until(&mut self, end: Ps) -> Result<Activity, Infallible> {
        while let Some(instant) = self.scheduler.advance_before(end) {
            self.now = instant.at;
            if instant.rising.contains(RX) {
                let edge = self.scheduler.cycles(RX) - 1;
                self.received.push(self.port.rx.receive(edge));
            }
            if instant.rising.contains(TX) {
                let edge = self.scheduler.cycles(TX) - 1;
                let symbol = self.to_send.get(edge as usize).copied().unwrap_or(LINK_IDLE);
                self.port.tx.send(edge, symbol);
            }
        }
        self.port.tx.end_window(self.scheduler.cycles(TX));
        Ok(Activity::Busy) // until the end that the test set
    }

    fn now(&self) -> Ps {
        self.now
    }

    fn finish(mut self) -> Heard {
        let captured = self.port.tx.take_captured();
        Heard { received: self.received, counts: self.port.tx.counts().clone(), captured }
    }
}

pub struct Setup {
    pub window: Ps,
    pub threads: usize,
    pub seed: u64,
    pub end: Ps,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup { window: LATENCY, threads: 1, seed: 1, end: Ps::from_us(40) }
    }
}

/// Runs two nodes, A with faults on what it sends. Clocks differ by 100 ppm and a phase.
pub fn run_pair(plan_a: &[Planned], plan_b: &[Planned], faults: Vec<Box<dyn Fault>>, setup: &Setup) -> [Heard; 2] {
    let a_clock = Clock::new(125_000_000, Ps(0));
    let b_clock = Clock::new(125_012_500, Ps(3_210));
    let (a, b) = link(LinkConfig {
        latency: LATENCY,
        a_clock,
        b_clock,
        a_to_b: Direction { faults, capture: true },
        b_to_a: Direction::default(),
        seed: setup.seed,
        link_idx: 0,
    });
    let ends = vec![(a, a_clock, symbols(plan_a)), (b, b_clock, symbols(plan_b))];
    let builders: Vec<_> = ends
        .into_iter()
        .map(|(port, clock, to_send)| move || Ok::<_, Infallible>(Sender::new(port, clock, to_send)))
        .collect();
    let options = RunOptions { window: setup.window, end: setup.end, threads: setup.threads, between_windows: None };
    let run = run(builders, options);
    let mut heard = run.outputs.into_iter().map(|output| output.expect("it was built"));
    [heard.next().expect("A"), heard.next().expect("B")]
}
