//! A switch: frames arrive on the receive clocks of its ports, wait in output queues, and leave on
//! its own transmit clocks.
//!
//! 1. A frame is decided when enough of it has arrived: with [`SwitchMode::StoreAndForward`] all of
//!    it, with [`SwitchMode::CutThrough`] its MAC header. If an output port is so much faster than
//!    the input port that it could run out of symbols, the switch stores the frame in both modes.
//! 2. The destination address gives the output port, by a static table; there is no learning.
//! 3. The output queue takes the frame if it has room for all of its bytes. As long as the length
//!    is not known, the queue reserves room for the longest frame. Otherwise the frame is dropped
//!    (tail drop), or waits at its input port (backpressure).
//! 4. After the forwarding delay, and when all earlier frames of the queue have left, the frame
//!    starts at the next edge of the transmit clock. The gap between frames is 12 symbols. The room
//!    is free when the last symbol has left.
//!
//! **Backpressure.** While frames of an input port wait, the port stops its sender, which obeys
//! between frames and sees the signal one latency later. Frames that wait are served in the order
//! of their decisions, each input port in its own order. Myrinet stops a sender within a frame;
//! this model does not, and has an input buffer for what is under way instead.
//!
//! **Order.** Events of one picosecond are handled in the order of `Event`, then by port. So
//! results depend neither on the number of threads nor on the length of the windows.

mod counts;
mod egress;
mod hop;
mod ingress;
mod model;

use std::collections::BTreeSet;

use sim_pins::Ps;

pub use counts::{PortCounts, SwitchCounts};
pub use hop::Hop;
pub use model::{SwitchMode, SwitchModel, SwitchParameters, SwitchSettings, UnknownDestination};

use crate::address::MacAddress;
use crate::capture::CapturedFrame;
use crate::frame::FrameCounts;
use crate::link::Port;
use crate::runner::Activity;
use egress::{Egress, Queued};
use ingress::{Arrival, Frame, FrameFate, FrameKey, Ingress, HEADER_BYTES};

/// The count of an outcome.
type Count = fn(&mut PortCounts) -> &mut u64;

/// What happens in a switch. The order of the variants is the order at one instant: room is freed
/// before it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    /// The first edge behind a frame on an output port.
    SendEnd(usize),
    /// The receiver of an output port stops it, or lets it go on.
    Flow(usize, bool),
    /// The end of a frame has arrived.
    FrameEnd(FrameKey),
    /// The MAC header of a frame has arrived.
    Header(FrameKey),
    /// The first frame of an output queue may start.
    Start(usize),
}

/// A port of a switch, as the fabric makes it.
pub(crate) struct SwitchPort {
    pub port: Port,
    /// The device at the other end obeys stop signals.
    pub has_backpressure: bool,
    /// From this port to the device at the other end.
    pub latency: Ps,
}

/// A switch as a device of the fabric.
pub(crate) struct Switch {
    parameters: SwitchParameters,
    /// Output ports by destination.
    routes: Vec<(MacAddress, usize)>,
    /// The bits of a destination that the routes have.
    address_mask: MacAddress,
    ingresses: Vec<Ingress>,
    egresses: Vec<Egress>,
    events: BTreeSet<(Ps, Event)>,
    counts: Vec<PortCounts>,
    hops: Option<Vec<Hop>>,
    now: Ps,
}

/// What is left of a switch after a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SwitchOutput {
    /// Where frames went, port by port.
    pub counts: SwitchCounts,
    /// How frames ended on the cables that leave the switch, in the order of the ports.
    pub links: Vec<FrameCounts>,
    /// Frames that have left, in the order of their last symbols. Empty unless hops are recorded.
    pub hops: Vec<Hop>,
    /// What the taps of the cables that leave the switch have recorded, in the order of the ports.
    pub captured: Vec<Vec<CapturedFrame>>,
}

impl Switch {
    pub(crate) fn new(
        parameters: SwitchParameters,
        (mut routes, address_mask): (Vec<(MacAddress, usize)>, MacAddress),
        ports: Vec<SwitchPort>,
        records_hops: bool,
    ) -> Switch {
        routes.iter_mut().for_each(|route| route.0 = route.0.masked(address_mask));
        routes.sort_unstable();
        let counts = vec![PortCounts::default(); ports.len()];
        let (mut ingresses, mut egresses) = (Vec::new(), Vec::new());
        for SwitchPort { port, has_backpressure, latency } in ports {
            let frame = u64::from(parameters.frame_bytes_max) + 8;
            // The sender stops one latency after the signal, and what it sent until then takes
            // another one to arrive.
            let under_way = port.rx.clock().edges_before(port.rx.clock().phase() + latency + latency);
            let has_backpressure = has_backpressure && parameters.backpressure;
            ingresses.push(Ingress::new(port.rx, has_backpressure, under_way + 3 * frame));
            egresses.push(Egress::new(port.tx, parameters.output_queue_bytes));
        }
        let hops = records_hops.then(Vec::new);
        Switch {
            parameters,
            routes,
            address_mask,
            ingresses,
            egresses,
            events: BTreeSet::new(),
            counts,
            hops,
            now: Ps::ZERO,
        }
    }

    /// Handles everything before `end`.
    pub(crate) fn run_until(&mut self, end: Ps) -> Activity {
        let bytes_max = self.parameters.frame_bytes_max;
        for (port, ingress) in self.ingresses.iter_mut().enumerate() {
            let events = &mut self.events;
            ingress.take_until(end, bytes_max, |idx, at, what| {
                let key = (port, idx);
                events.insert(match what {
                    Arrival::Header => (at, Event::Header(key)),
                    Arrival::End => (at, Event::FrameEnd(key)),
                });
            });
        }
        if self.parameters.backpressure {
            for (port, egress) in self.egresses.iter_mut().enumerate() {
                for change in egress.tx.take_flow() {
                    self.events.insert((change.at, Event::Flow(port, change.is_stopped)));
                }
            }
        }
        while let Some(&(at, event)) = self.events.first().filter(|(at, _)| *at < end) {
            self.events.pop_first();
            self.now = at;
            self.handle(event);
        }
        for egress in &mut self.egresses {
            let end_edge = egress.clock().edges_before(end);
            if let Some((ingress, idx)) = egress.sending.map(|sending| sending.queued.key) {
                egress.emit(self.ingresses[ingress].frame(idx), end_edge);
            }
            egress.tx.end_window(end_edge);
        }
        match self.ingresses.iter().all(Ingress::is_idle) {
            true => Activity::Finished,
            false => Activity::Busy,
        }
    }

    pub(crate) fn now(&self) -> Ps {
        self.now
    }

    pub(crate) fn finish(mut self) -> SwitchOutput {
        for (port, counts) in self.counts.iter_mut().enumerate() {
            counts.frames_in = self.ingresses[port].next_idx;
            let decided = counts.forwarded + counts.flooded + counts.dropped_in();
            counts.undecided = counts.frames_in - decided;
            let egress = &self.egresses[port];
            counts.queued = egress.queue.len() as u64 + u64::from(egress.sending.is_some());
        }
        SwitchOutput {
            counts: SwitchCounts { ports: self.counts },
            links: self.egresses.iter().map(|egress| egress.tx.counts().clone()).collect(),
            hops: self.hops.unwrap_or_default(),
            captured: self.egresses.iter_mut().map(|egress| egress.tx.take_captured()).collect(),
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Header(key) => self.header(key),
            Event::FrameEnd(key) => self.frame_end(key),
            Event::Start(port) => self.start(port),
            Event::SendEnd(port) => self.send_end(port),
            Event::Flow(port, is_stopped) => {
                self.egresses[port].is_stopped = is_stopped;
                self.plan_start(port);
            }
        }
    }

    fn frame(&mut self, (port, idx): FrameKey) -> &mut Frame {
        self.ingresses[port].frame(idx)
    }

    fn header(&mut self, key: FrameKey) {
        if self.parameters.mode == SwitchMode::CutThrough {
            let outputs = self.outputs(key);
            if outputs.iter().flatten().all(|&egress| self.can_cut_through(key.0, egress)) {
                self.decide(key, outputs);
            }
        }
    }

    fn frame_end(&mut self, key: FrameKey) {
        let frame = self.frame(key);
        frame.has_ended = true;
        let (bytes, symbols) = (u64::from(frame.bytes()), frame.symbols.len());
        match frame.fate {
            FrameFate::Undecided => match self.fault_of(key) {
                Some(count) => self.drop_frame(key, count),
                None => {
                    let outputs = self.outputs(key);
                    self.decide(key, outputs);
                }
            },
            FrameFate::Passed => {
                self.count_passed(key);
                for egress in self.frame(key).outputs.clone() {
                    self.egresses[egress].settle(key, bytes);
                    if let Some(at) = self.egresses[egress].end_of(key, symbols) {
                        self.events.insert((at, Event::SendEnd(egress)));
                    }
                }
            }
            FrameFate::Waiting => {
                let ingress = &mut self.ingresses[key.0];
                ingress.waiting_bytes = ingress.waiting_bytes - u64::from(self.parameters.frame_bytes_max) + bytes;
            }
            FrameFate::Dropped => {}
        }
        self.forget(key);
        self.admit_waiting();
    }

    /// The count of a stored frame that must not be forwarded.
    fn fault_of(&mut self, key: FrameKey) -> Option<Count> {
        let frame = self.frame(key);
        if frame.is_truncated {
            Some(|counts| &mut counts.dropped_oversize)
        } else if frame.is_runt() {
            Some(|counts| &mut counts.dropped_runt)
        } else if frame.is_bad() {
            Some(|counts| &mut counts.dropped_bad_fcs)
        } else {
            None
        }
    }

    /// Where a frame goes, or, for a frame without a way, the count that it belongs to.
    fn outputs(&mut self, key: FrameKey) -> Result<Vec<usize>, Count> {
        let Some(destination) = self.frame(key).destination() else {
            return Err(|counts| &mut counts.dropped_runt);
        };
        match self.route(destination) {
            Ok(route) if self.routes[route].1 == key.0 => Err(|counts| &mut counts.dropped_same_port),
            Ok(route) => Ok(vec![self.routes[route].1]),
            Err(_) if self.parameters.unknown == UnknownDestination::Flood => {
                Ok((0..self.egresses.len()).filter(|&port| port != key.0).collect())
            }
            Err(_) => Err(|counts| &mut counts.dropped_unknown),
        }
    }

    /// Whether the output port cannot catch up with the input port before the longest frame is
    /// over.
    fn can_cut_through(&self, ingress: usize, egress: usize) -> bool {
        let (fast, slow) = (self.egresses[egress].clock().hz(), self.ingresses[ingress].rx.clock().hz());
        // The frame starts with at least the header in hand. Symbol i leaves after it has arrived
        // if header / slow + i / fast >= i / slow; one symbol is kept for the rounding to edges.
        let symbols = u128::from(self.parameters.frame_bytes_max) + 8;
        symbols * u128::from(fast.saturating_sub(slow)) <= (HEADER_BYTES as u128 - 1) * u128::from(fast)
    }

    fn decide(&mut self, key: FrameKey, outputs: Result<Vec<usize>, Count>) {
        let now = self.now;
        let outputs = match outputs {
            Ok(outputs) => outputs,
            Err(count) => return self.drop_frame(key, count),
        };
        let bytes = self.bytes_to_hold(key);
        let frame = self.frame(key);
        (frame.decided, frame.outputs, frame.fate) = (now, outputs, FrameFate::Waiting);
        let ingress = &mut self.ingresses[key.0];
        if !ingress.has_backpressure {
            self.admit(key);
        } else if ingress.waiting_bytes + bytes > ingress.waiting_bytes_max {
            self.drop_frame(key, |counts| &mut counts.dropped_input_full);
        } else {
            ingress.waiting.push_back(key.1);
            ingress.waiting_bytes += bytes;
            self.admit_waiting();
        }
    }

    /// Room that a frame needs.
    fn bytes_to_hold(&mut self, key: FrameKey) -> u64 {
        let longest = self.parameters.frame_bytes_max;
        let frame = self.frame(key);
        u64::from(if frame.has_ended { frame.bytes() } else { longest })
    }

    /// Admits waiting frames as far as there is room, in the order in which they were decided. No
    /// frame overtakes another frame of its input port, nor a frame that was decided earlier and
    /// waits for the same queue.
    fn admit_waiting(&mut self) {
        if !self.parameters.backpressure {
            return;
        }
        loop {
            let mut heads: Vec<(Ps, FrameKey)> = Vec::new();
            for port in 0..self.ingresses.len() {
                if let Some(&idx) = self.ingresses[port].waiting.front() {
                    heads.push((self.frame((port, idx)).decided, (port, idx)));
                }
            }
            heads.sort_unstable();
            let mut claimed: Vec<usize> = Vec::new();
            let mut chosen = None;
            for (_, key) in heads {
                let bytes = self.bytes_to_hold(key);
                let outputs = self.frame(key).outputs.clone();
                if outputs.iter().all(|egress| !claimed.contains(egress) && self.egresses[*egress].has_room(bytes)) {
                    chosen = Some((key, bytes));
                    break;
                }
                claimed.extend(outputs);
            }
            let Some((key, bytes)) = chosen else {
                break;
            };
            let ingress = &mut self.ingresses[key.0];
            ingress.waiting.pop_front();
            ingress.waiting_bytes -= bytes;
            self.admit(key);
        }
        for ingress in self.ingresses.iter_mut().filter(|ingress| ingress.has_backpressure) {
            let is_sender_stopped = !ingress.waiting.is_empty();
            if ingress.is_sender_stopped != is_sender_stopped {
                ingress.is_sender_stopped = is_sender_stopped;
                ingress.rx.set_stopped(self.now, is_sender_stopped);
            }
        }
    }

    /// Offers a frame to the output queues of its outputs.
    fn admit(&mut self, key: FrameKey) {
        let (now, bytes) = (self.now, self.bytes_to_hold(key));
        let frame = self.frame(key);
        (frame.admitted, frame.fate) = (now, FrameFate::Passed);
        let offered = std::mem::take(&mut frame.outputs);
        let has_ended = frame.has_ended;
        // Not told by the number of outputs: a flooded frame has one output in a switch of two
        // ports.
        let is_known = self.is_known(key);
        let counts = &mut self.counts[key.0];
        match is_known {
            true => counts.forwarded += 1,
            false => counts.flooded += 1,
        }
        let ready = now + self.parameters.forwarding;
        let mut outputs = Vec::new();
        for egress in offered {
            self.counts[egress].offered += 1;
            if self.egresses[egress].has_room(bytes) {
                self.egresses[egress].put(Queued { key, ready, bytes });
                let peak = &mut self.counts[egress].queue_bytes_peak;
                *peak = (*peak).max(self.egresses[egress].held_bytes);
                outputs.push(egress);
            } else {
                self.counts[egress].dropped_tail += 1;
            }
        }
        let frame = self.frame(key);
        frame.holders = outputs.len();
        frame.outputs = outputs.clone();
        if has_ended {
            self.count_passed(key);
        }
        for egress in outputs {
            self.plan_start(egress);
        }
        self.forget(key);
    }

    fn is_known(&mut self, key: FrameKey) -> bool {
        let destination = self.frame(key).destination();
        destination.is_some_and(|destination| self.route(destination).is_ok())
    }

    /// The place of the route to a destination.
    fn route(&self, destination: MacAddress) -> Result<usize, usize> {
        self.routes.binary_search_by_key(&destination.masked(self.address_mask), |route| route.0)
    }

    /// The end of a frame that was passed on has arrived: its faults are known.
    fn count_passed(&mut self, key: FrameKey) {
        let frame = self.frame(key);
        let (is_truncated, is_bad) = (frame.is_truncated, frame.is_bad());
        let counts = &mut self.counts[key.0];
        counts.passed_truncated += u64::from(is_truncated);
        counts.passed_bad_fcs += u64::from(is_bad && !is_truncated);
    }

    fn drop_frame(&mut self, key: FrameKey, count: Count) {
        *count(&mut self.counts[key.0]) += 1;
        let frame = self.frame(key);
        (frame.fate, frame.holders) = (FrameFate::Dropped, 0);
        frame.outputs.clear();
        self.forget(key);
    }

    /// Throws the frame away if it has arrived and no output port needs it any more.
    fn forget(&mut self, key: FrameKey) {
        self.ingresses[key.0].remove_if(key.1, |frame| {
            let is_over = matches!(frame.fate, FrameFate::Passed | FrameFate::Dropped);
            frame.has_ended && is_over && frame.holders == 0
        });
    }

    fn plan_start(&mut self, port: usize) {
        if let Some(at) = self.egresses[port].next_start(self.now) {
            self.egresses[port].is_start_planned = true;
            self.events.insert((at, Event::Start(port)));
        }
    }

    fn start(&mut self, port: usize) {
        let egress = &mut self.egresses[port];
        egress.is_start_planned = false;
        if egress.is_stopped {
            return; // the signal that lets it go on plans the start anew
        }
        let key = egress.start(self.now);
        let frame = self.frame(key);
        if frame.has_ended {
            let symbols = frame.symbols.len();
            let at = self.egresses[port].end_of(key, symbols).expect("it has just begun");
            self.events.insert((at, Event::SendEnd(port)));
        }
    }

    fn send_end(&mut self, port: usize) {
        let sending = self.egresses[port].sending.expect("a frame that ends has begun");
        let key = sending.queued.key;
        let ingress = &mut self.ingresses[key.0];
        let frame = ingress.frame(key.1);
        frame.holders -= 1;
        self.egresses[port].finish(frame);
        let (bytes, symbols) = (frame.bytes(), frame.symbols.len() as u64);
        let (first_in, decided, admitted) = (frame.first_in, frame.decided, frame.admitted);
        self.counts[port].frames_out += 1;
        self.counts[port].bytes_out += u64::from(bytes);
        if let Some(hops) = &mut self.hops {
            let clock = self.egresses[port].clock();
            let last_in = ingress.last_in(key.1);
            hops.push(Hop {
                ingress: key.0,
                frame_idx: key.1,
                egress: port,
                bytes,
                first_in,
                last_in,
                decided,
                admitted,
                ready: sending.queued.ready,
                first_out: clock.edge(sending.start_edge),
                last_out: clock.edge(sending.start_edge + symbols - 1),
            });
        }
        self.forget(key);
        self.plan_start(port);
        self.admit_waiting();
    }
}
