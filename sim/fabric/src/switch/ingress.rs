//! An input port: finds frames in the symbols of a window, and tells when their header and their
//! end have arrived.

use std::collections::{BTreeMap, VecDeque};

use sim_pins::{LinkSymbol, Ps};

use crate::address::MacAddress;
use crate::receiver::Receiver;
use crate::switch::model::FRAME_BYTES_MIN;
use crate::wire::TimedSymbol;

/// The byte after which a frame's contents begin (IEEE 802.3, 3.2.2).
const START_OF_FRAME: u8 = 0xD5;
/// Destination, source and type: what a cut-through switch reads before it forwards.
pub(super) const HEADER_BYTES: usize = 14;
/// What CRC-32 of a frame with its FCS gives (IEEE 802.3, 3.2.9), as `crc32fast` counts it.
const CRC_OF_GOOD_FRAME: u32 = 0x2144_DF1C;

/// Input port and number of a frame.
pub(super) type FrameKey = (usize, u64);

/// A frame in a switch, from its first symbol until the last port that sends it has done so.
#[derive(Debug)]
pub(super) struct Frame {
    /// From the preamble on.
    pub symbols: Vec<LinkSymbol>,
    first_edge: u64,
    /// The index of the start-of-frame byte.
    delimiter: Option<usize>,
    /// The symbols behind `frame_bytes_max` were cut off.
    pub is_truncated: bool,
    /// The end has arrived, in the order of events.
    pub has_ended: bool,
    pub first_in: Ps,
    pub decided: Ps,
    pub admitted: Ps,
    /// Where it goes; empty before the decision, and of a dropped frame.
    pub outputs: Vec<usize>,
    /// Output ports that have not sent it yet.
    pub holders: usize,
    pub fate: FrameFate,
}

/// What the switch has decided for a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrameFate {
    Undecided,
    /// In the input buffer, for lack of room in an output queue.
    Waiting,
    Passed,
    Dropped,
}

impl Frame {
    fn new(first_edge: u64, first_in: Ps) -> Frame {
        Frame {
            symbols: Vec::new(),
            first_edge,
            delimiter: None,
            is_truncated: false,
            has_ended: false,
            first_in,
            decided: Ps::ZERO,
            admitted: Ps::ZERO,
            outputs: Vec::new(),
            holders: 0,
            fate: FrameFate::Undecided,
        }
    }

    fn take(&mut self, symbol: LinkSymbol) {
        if self.delimiter.is_none() && symbol.data == START_OF_FRAME {
            self.delimiter = Some(self.symbols.len());
        }
        self.symbols.push(symbol);
    }

    /// Makes the last symbol the end of the frame, and spoils it for every receiver.
    fn truncate(&mut self) {
        self.is_truncated = true;
        if let Some(last) = self.symbols.last_mut() {
            last.error = true;
        }
    }

    /// Symbols from the destination address on, as far as they have been taken from the wire.
    fn contents(&self) -> &[LinkSymbol] {
        self.delimiter.map_or(&[], |delimiter| &self.symbols[delimiter + 1..])
    }

    /// Bytes from the destination address to the FCS.
    pub fn bytes(&self) -> u32 {
        self.contents().len() as u32
    }

    /// `None` of a frame that is too short to have one.
    pub fn destination(&self) -> Option<MacAddress> {
        let bytes = self.contents().get(..6)?;
        Some(MacAddress(std::array::from_fn(|i| bytes[i].data)))
    }

    pub fn is_runt(&self) -> bool {
        self.bytes() < FRAME_BYTES_MIN
    }

    /// The FCS is wrong, or RX_ER stood with a symbol.
    pub fn is_bad(&self) -> bool {
        let bytes: Vec<u8> = self.contents().iter().map(|symbol| symbol.data).collect();
        self.symbols.iter().any(|symbol| symbol.error) || crc32fast::hash(&bytes) != CRC_OF_GOOD_FRAME
    }
}

/// Something that has arrived at an input port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arrival {
    /// The last byte of the MAC header.
    Header,
    /// The first symbol behind the frame, or the first one too many.
    End,
}

pub(super) struct Ingress {
    pub rx: Receiver,
    /// By their numbers: frames that have arrived.
    closed: BTreeMap<u64, Frame>,
    /// The frame that is arriving.
    open: Option<(u64, Frame)>,
    /// The edge behind the last symbol.
    next_edge: u64,
    /// Symbols up to the next gap belong to a frame that was cut off.
    is_overlong: bool,
    /// The number of the next frame.
    pub next_idx: u64,
    /// The sender obeys stop signals.
    pub has_backpressure: bool,
    /// Frames for full output queues, behind backpressure.
    pub waiting: VecDeque<u64>,
    pub waiting_bytes: u64,
    pub waiting_bytes_max: u64,
    pub is_sender_stopped: bool,
}

impl Ingress {
    pub(super) fn new(rx: Receiver, has_backpressure: bool, waiting_bytes_max: u64) -> Ingress {
        Ingress {
            rx,
            closed: BTreeMap::new(),
            open: None,
            next_edge: 0,
            is_overlong: false,
            next_idx: 0,
            has_backpressure,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            waiting_bytes_max,
            is_sender_stopped: false,
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.closed.is_empty() && self.open.is_none()
    }

    /// # Panics
    /// If the port does not hold the frame.
    pub(super) fn frame(&mut self, idx: u64) -> &mut Frame {
        let open = self.open.as_mut().filter(|(number, _)| *number == idx).map(|(_, frame)| frame);
        open.or_else(|| self.closed.get_mut(&idx)).expect("a frame is held until all ports have sent it")
    }

    /// Removes a frame that has arrived, if it is still here and `is_over` says so.
    pub(super) fn remove_if(&mut self, idx: u64, is_over: impl FnOnce(&Frame) -> bool) {
        if self.closed.get(&idx).is_some_and(is_over) {
            self.closed.remove(&idx);
        }
    }

    /// When the last symbol of a frame stood on the pins.
    pub(super) fn last_in(&mut self, idx: u64) -> Ps {
        let clock = self.rx.clock();
        let frame = self.frame(idx);
        clock.edge(frame.first_edge + frame.symbols.len() as u64 - 1)
    }

    /// Takes what arrives before `end`. `arrived` is told frame, time and what it was, in the order
    /// of time.
    pub(super) fn take_until(&mut self, end: Ps, bytes_max: u32, mut arrived: impl FnMut(u64, Ps, Arrival)) {
        let clock = self.rx.clock();
        let end_edge = clock.edges_before(end);
        while let Some(TimedSymbol { edge, symbol }) = self.rx.next_before(end_edge) {
            if edge != self.next_edge || !symbol.enable {
                self.close(&mut arrived);
            }
            self.next_edge = edge + 1;
            if !symbol.enable || self.is_overlong {
                continue;
            }
            let (idx, frame) = self.open.get_or_insert_with(|| {
                self.next_idx += 1;
                (self.next_idx - 1, Frame::new(edge, clock.edge(edge)))
            });
            frame.take(symbol);
            if frame.bytes() > bytes_max {
                frame.truncate();
                self.close(&mut arrived);
                self.is_overlong = true;
            } else if frame.bytes() as usize == HEADER_BYTES {
                arrived(*idx, clock.edge(edge), Arrival::Header);
            }
        }
        if self.next_edge < end_edge {
            self.close(&mut arrived);
        }
    }

    /// The symbol at `next_edge` is no part of the frame.
    fn close(&mut self, arrived: &mut impl FnMut(u64, Ps, Arrival)) {
        self.is_overlong = false;
        if let Some((idx, frame)) = self.open.take() {
            arrived(idx, self.rx.clock().edge(self.next_edge), Arrival::End);
            self.closed.insert(idx, frame);
        }
    }
}
