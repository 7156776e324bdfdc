//! The target side of an agent: decodes, claims, moves data, ends transactions, clock by clock.

use crate::misbehave::TargetActs;
use crate::pins::{bus_idle, Pins};
use crate::{BusAddr, Command};
use sim_pins::{PciLines, PciPin};

/// An address phase, as a target latches it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressPhase {
    pub command: Command,
    pub address: BusAddr,
    pub ask_64: bool,
    pub idsel: bool,
}

/// How a target answers one transaction. Clocks count from the address phase: a signal "at clock k"
/// is seen by all agents k edges after the edge that saw the address.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// DEVSEL# at this clock: 1 fast, 2 medium, 3 slow.
    pub devsel_clock: u32,
    /// First TRDY# at this clock, or with DEVSEL#, or after the turnaround of a read, whichever is
    /// last.
    pub first_clock: u32,
    /// Wait states in each later data phase.
    pub beat_wait_clocks: u32,
    /// Wait states more when a burst enters a new cache line.
    pub line_wait_clocks: u32,
    pub line_bytes: u32,
    /// STOP# with the last data before a multiple of this many bytes; 0: never.
    pub boundary_bytes: u32,
    /// STOP# with the first data: no bursts.
    pub single: bool,
    /// Answer a 64-bit request with ACK64#.
    pub wide: bool,
    pub acts: TargetActs,
}

/// The target cannot do the access and will abort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal;

/// What stands behind a target.
pub trait TargetBackend {
    fn claim(&mut self, phase: &AddressPhase) -> Option<Claim>;
    /// Data for a read of 4 bytes, or of 8 at a multiple of 8. `last`: the master has said that it
    /// wants no more.
    fn read(&mut self, address: BusAddr, wide: bool, last: bool) -> Result<u64, Refusal>;
    /// Bytes of a write; an error is answered with target abort in the next data phase, if there is
    /// one.
    fn write(&mut self, address: BusAddr, data: u64, byte_enables: u8, wide: bool) -> Result<(), Refusal>;
    /// Asked before TRDY# is promised for the beat at this address.
    fn permits(&mut self, address: BusAddr, is_write: bool) -> Result<(), Refusal>;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Idle,
    Active,
    /// DEVSEL#, TRDY#, STOP# are driven high before they float.
    Turn,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    Wait,
    Data,
    DataAndStop,
    Stop,
    Abort,
}

#[derive(Debug)]
pub(crate) struct Target {
    state: State,
    frame_was_low: bool,
    claim: Option<Claim>,
    address: BusAddr,
    is_read: bool,
    wide: bool,
    /// Clocks since the address phase.
    clocks: u32,
    ready_clock: u32,
    beat: u32,
    devsel: bool,
    ever_devsel: bool,
    answer: Answer,
    refused: bool,
    ad: u64,
}

impl Target {
    pub fn new() -> Target {
        Target {
            state: State::Idle,
            frame_was_low: false,
            claim: None,
            address: BusAddr(0),
            is_read: false,
            wide: false,
            clocks: 0,
            ready_clock: 0,
            beat: 0,
            devsel: false,
            ever_devsel: false,
            answer: Answer::Wait,
            refused: false,
            ad: 0,
        }
    }

    pub fn reset(&mut self) {
        *self = Target::new();
    }

    pub fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// Whether data of a write arrive on these lines, and whether 64 bits of them.
    pub fn receives(&self, lines: &PciLines) -> Option<bool> {
        (self.gives_data() && !self.is_read && lines.low(PciPin::Irdy)).then_some(self.wide)
    }

    /// Whether PAR behind the clock that ended with this edge is to be wrong.
    pub fn spoils_parity(&self) -> bool {
        let spoilt_beat = self.claim.as_ref().and_then(|claim| claim.acts.bad_parity_at_beat);
        self.gives_data() && self.is_read && spoilt_beat == Some(self.beat)
    }

    fn gives_data(&self) -> bool {
        self.state == State::Active && matches!(self.answer, Answer::Data | Answer::DataAndStop)
    }

    /// One clock. `own` says that this agent is the master of what is on the bus.
    pub fn advance(&mut self, lines: &PciLines, own: bool, backend: &mut impl TargetBackend) {
        let frame_fell = lines.low(PciPin::Frame) && !self.frame_was_low;
        self.frame_was_low = lines.low(PciPin::Frame);
        match self.state {
            State::Idle | State::Turn => {
                self.state = State::Idle;
                if frame_fell && !own {
                    self.latch_address(lines, backend);
                }
            }
            State::Active => {
                self.clocks += 1;
                if bus_idle(lines) {
                    // The master gave up before the first data phase ended.
                    self.state = State::Turn;
                    return;
                }
                self.complete(lines, backend);
            }
        }
        if self.state == State::Active {
            self.prepare(lines, backend);
        }
    }

    fn latch_address(&mut self, lines: &PciLines, backend: &mut impl TargetBackend) {
        let Some(command) = Command::decode(lines.cbe_n) else {
            return;
        };
        let phase = AddressPhase {
            command,
            address: BusAddr(lines.ad as u32),
            ask_64: lines.low(PciPin::Req64),
            idsel: lines.high(PciPin::Idsel),
        };
        let Some(claim) = backend.claim(&phase) else {
            return;
        };
        let wide = claim.wide && phase.ask_64 && !claim.acts.narrow;
        let turnaround = if command.is_read() { 2 } else { 1 };
        let first_clock = if claim.acts.retry { turnaround } else { claim.first_clock.max(turnaround) };
        *self = Target {
            state: State::Active,
            frame_was_low: true,
            address: if wide { BusAddr(phase.address.0 & !7) } else { phase.address.dword() },
            is_read: command.is_read(),
            wide,
            ready_clock: first_clock.max(claim.devsel_clock) + claim.acts.wait_before(0),
            claim: Some(claim),
            ..Target::new()
        };
    }

    fn beat_bytes(&self) -> u32 {
        if self.wide {
            8
        } else {
            4
        }
    }

    /// Ends the data phase if both sides were ready.
    fn complete(&mut self, lines: &PciLines, backend: &mut impl TargetBackend) {
        if self.answer == Answer::Wait || lines.high(PciPin::Irdy) {
            return;
        }
        let Some(claim) = self.claim else { return };
        if self.gives_data() {
            if !self.is_read {
                let byte_enables = if self.wide { !lines.cbe_n } else { !lines.cbe_n & 0xF };
                self.refused |= backend.write(self.address, lines.ad, byte_enables, self.wide).is_err();
            }
            self.beat += 1;
            self.address = self.address + self.beat_bytes();
        }
        if lines.high(PciPin::Frame) {
            self.state = State::Turn;
            return;
        }
        match self.answer {
            Answer::Data => {
                let new_line = self.address.starts_block(claim.line_bytes);
                let wait = claim.beat_wait_clocks + if new_line { claim.line_wait_clocks } else { 0 };
                self.ready_clock = self.clocks + 1 + wait + claim.acts.wait_before(self.beat);
                self.answer = Answer::Wait;
            }
            // STOP# stays until FRAME# goes high; nothing moves any more.
            Answer::DataAndStop => self.answer = Answer::Stop,
            Answer::Stop | Answer::Abort | Answer::Wait => {}
        }
    }

    /// Decides what to drive until the next edge.
    fn prepare(&mut self, lines: &PciLines, backend: &mut impl TargetBackend) {
        let Some(claim) = self.claim else { return };
        let next_clock = self.clocks + 1;
        if self.answer != Answer::Wait {
            return;
        }
        let devsel_seen = self.devsel;
        self.devsel |= next_clock >= claim.devsel_clock;
        self.ever_devsel |= self.devsel;
        if next_clock < self.ready_clock || !self.devsel {
            return;
        }
        let acts = &claim.acts;
        if acts.retry || (self.beat > 0 && acts.disconnect_before_beat == Some(self.beat)) {
            self.answer = Answer::Stop;
            return;
        }
        let mut refused = self.refused || acts.abort_at_beat == Some(self.beat);
        if !refused && (self.beat == 0 || self.address.starts_block(claim.line_bytes)) {
            refused = backend.permits(self.address, !self.is_read).is_err();
        }
        let last = lines.high(PciPin::Frame);
        if !refused && self.is_read {
            match backend.read(self.address, self.wide, last) {
                Ok(data) => self.ad = data,
                Err(Refusal) => refused = true,
            }
        }
        if refused {
            self.refused = true;
            // Target abort takes DEVSEL# away, which all must have seen for a clock.
            if devsel_seen {
                self.answer = Answer::Abort;
                self.devsel = false;
            }
            return;
        }
        let after = self.address + self.beat_bytes();
        let at_boundary = claim.boundary_bytes != 0 && after.starts_block(claim.boundary_bytes);
        let stop = claim.single || at_boundary || acts.disconnect_with_beat == Some(self.beat);
        self.answer = if stop && !last { Answer::DataAndStop } else { Answer::Data };
    }

    pub fn put(&self, pins: &mut Pins) {
        if self.state == State::Idle || !self.ever_devsel {
            return;
        }
        let turn = self.state == State::Turn;
        pins.drive(PciPin::Devsel, turn || !self.devsel);
        if self.wide {
            pins.drive(PciPin::Ack64, turn || !self.devsel);
        }
        pins.drive(PciPin::Trdy, turn || !self.gives_data());
        let stop = matches!(self.answer, Answer::DataAndStop | Answer::Stop | Answer::Abort);
        pins.drive(PciPin::Stop, turn || !stop);
        // AD belongs to the master until the edge after the address phase.
        if self.is_read && !turn && self.clocks >= 1 {
            pins.drive_ad(self.ad, self.wide);
        }
    }
}
