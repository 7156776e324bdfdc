use sim_pins::{LinkSymbol, Ps};
use sim_time::Clock;

use crate::capture::CapturedFrame;
use crate::fault::{Fate, FaultStack, Outcome};
use crate::frame::FrameCounts;
use crate::line::{Held, Line};
use crate::wire::{FlowChange, Wire};

/// The sending end of one direction, with its faults and its tap.
pub struct Transmitter {
    wire: Wire,
    clock: Clock,
    latency: Ps,
    faults: FaultStack,
    line: Line<Option<CapturedFrame>>,
    frame: Option<Passing>,
    counts: FrameCounts,
    capture: Option<Vec<CapturedFrame>>,
    frames_begun: u64,
    /// Whether the receiver has stopped this sender, and what it has said of later times.
    is_stopped: bool,
    flow: Vec<FlowChange>,
}

/// The frame that is being sent.
struct Passing {
    start_edge: u64,
    fate: Fate,
    layer: Option<usize>,
    /// Where it starts on the line, if it passes now.
    line_start: Option<u64>,
    /// As sent; kept if a copy, a delay or the tap wants it.
    symbols: Vec<LinkSymbol>,
    length: u32,
    corrupted: bool,
}

impl Transmitter {
    pub(crate) fn new(wire: Wire, clock: Clock, latency: Ps, faults: FaultStack, capture: bool) -> Transmitter {
        let by_layer = faults.names().map(|name| (name.to_owned(), 0)).collect();
        Transmitter {
            wire,
            clock,
            latency,
            faults,
            line: Line::new(),
            frame: None,
            counts: FrameCounts { by_layer, ..FrameCounts::default() },
            capture: capture.then(Vec::new),
            frames_begun: 0,
            is_stopped: false,
            flow: Vec::new(),
        }
    }

    /// Takes the symbol that the sender drives from edge `edge` of its transmit clock on. Edges
    /// come in order; idle ones may be left out, except the one behind a frame.
    #[inline(always)]
    pub fn send(&mut self, edge: u64, symbol: LinkSymbol) {
        if symbol.enable || symbol.error || self.frame.is_some() {
            self.send_active(edge, symbol);
        }
    }

    /// Makes everything before edge `next_edge` known to the receiver. Each window ends with it.
    pub fn end_window(&mut self, next_edge: u64) {
        if let Some(last) = next_edge.checked_sub(1) {
            self.release(last);
        }
        let out = &mut self.line.out;
        self.wire.with(|contents| {
            contents.symbols.append(out);
            contents.complete_before = next_edge;
        });
    }

    /// No frame is being sent. Together with an idle transmitter: edges may be skipped.
    pub fn is_idle(&self) -> bool {
        self.frame.is_none()
    }

    /// Whether a frame may begin at `edge`: the receiver has not stopped this sender, as far as the
    /// sender knows by then. Always true of a link without backpressure. Ask for edges in order,
    /// within the window.
    pub fn may_begin(&mut self, edge: u64) -> bool {
        let said = self.take_flow();
        self.flow.extend(said);
        let now = self.clock.edge(edge);
        while self.flow.first().is_some_and(|change| change.at <= now) {
            self.is_stopped = self.flow.remove(0).is_stopped;
        }
        !self.is_stopped
    }

    /// The transmit clock.
    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }

    /// Takes what the receiver has said since the last time: when it stops this sender or lets it
    /// go on.
    pub(crate) fn take_flow(&mut self) -> Vec<FlowChange> {
        self.wire.with(|contents| std::mem::take(&mut contents.flow))
    }

    /// Where the frames have ended so far.
    pub fn counts(&self) -> &FrameCounts {
        &self.counts
    }

    /// Takes the frames that the tap has recorded since the last time.
    pub fn take_captured(&mut self) -> Vec<CapturedFrame> {
        self.capture.as_mut().map(std::mem::take).unwrap_or_default()
    }

    #[inline(never)]
    fn send_active(&mut self, edge: u64, symbol: LinkSymbol) {
        if !symbol.enable {
            if let Some(frame) = self.frame.take() {
                self.end_frame(edge, frame);
            }
            if symbol.error {
                self.line.between(edge, symbol);
            }
            return;
        }
        let mut frame = match self.frame.take() {
            Some(frame) => frame,
            None => self.begin_frame(edge),
        };
        if frame.line_start.is_some() {
            let mut passed = symbol;
            if let Fate::Corrupt(hits) = &frame.fate {
                for &(offset, flip) in hits {
                    if offset == frame.length {
                        passed.data ^= flip;
                    }
                }
            }
            frame.corrupted |= passed != symbol;
            self.line.pass(edge, passed);
        }
        if self.capture.is_some() || matches!(frame.fate, Fate::Duplicate | Fate::Delay(_)) {
            frame.symbols.push(symbol);
        }
        frame.length += 1;
        self.frame = Some(frame);
    }

    fn begin_frame(&mut self, edge: u64) -> Passing {
        self.release(edge);
        let (fate, layer) = self.faults.decide(self.frames_begun);
        self.frames_begun += 1;
        let passes = matches!(fate, Fate::Pass | Fate::Corrupt(_) | Fate::Duplicate);
        let line_start = passes.then(|| self.line.begin(edge));
        Passing { start_edge: edge, fate, layer, line_start, symbols: Vec::new(), length: 0, corrupted: false }
    }

    /// `edge` is the first one behind the frame.
    fn end_frame(&mut self, edge: u64, frame: Passing) {
        if frame.line_start.is_some() {
            self.line.end(edge);
        }
        let outcome = match frame.fate {
            Fate::Corrupt(_) if frame.corrupted => Outcome::Corrupted,
            Fate::Pass | Fate::Corrupt(_) => Outcome::Delivered,
            Fate::Lose => Outcome::Lost,
            Fate::Duplicate => Outcome::Duplicated,
            Fate::Delay(_) => Outcome::Delayed,
        };
        self.counts.count(&outcome, frame.layer);

        let captured = self.capture.is_some().then(|| CapturedFrame {
            frame_idx: self.frames_begun - 1,
            is_copy: false,
            start: self.clock.edge(frame.start_edge),
            end: self.clock.edge(edge - 1),
            bytes: frame.symbols.iter().map(|symbol| symbol.data).collect(),
            error: frame.symbols.iter().any(|symbol| symbol.error),
            outcome,
            arrival: frame.line_start.map(|start| self.clock.edge(start) + self.latency),
        });
        match frame.fate {
            Fate::Duplicate => {
                let label = captured.clone().map(|original| CapturedFrame { is_copy: true, ..original });
                self.line.hold(Held { due: edge, symbols: frame.symbols, label });
                self.record(captured);
            }
            // The tap gets it when it is on its way.
            Fate::Delay(by) => {
                let due = frame.start_edge + self.clock.edges_before(self.clock.phase() + by);
                self.line.hold(Held { due: due.max(edge), symbols: frame.symbols, label: captured });
            }
            Fate::Pass | Fate::Lose | Fate::Corrupt(_) => self.record(captured),
        }
        self.release(edge);
    }

    fn release(&mut self, edge: u64) {
        let (clock, latency, capture) = (self.clock, self.latency, &mut self.capture);
        self.line.release(edge, |label, start| {
            if let (Some(capture), Some(mut frame)) = (capture.as_mut(), label) {
                frame.arrival = Some(clock.edge(start) + latency);
                capture.push(frame);
            }
        });
    }

    fn record(&mut self, frame: Option<CapturedFrame>) {
        if let (Some(capture), Some(frame)) = (self.capture.as_mut(), frame) {
            capture.push(frame);
        }
    }
}
