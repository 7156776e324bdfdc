//! The master side of an agent: one transaction at a time, clock by clock.

use crate::pins::{bus_idle, Pins};
use crate::{BusAddr, Command};
use sim_pins::{PciLines, PciPin};

/// One dword of a burst. Byte enables are active high: bit k enables AD[8k+7:8k].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Word {
    /// The four bytes, the lowest address in the lowest bits.
    pub data: u32,
    /// Bytes that count, active high: bit 0 is the byte of the lowest address.
    pub byte_enables: u8,
}

impl Word {
    /// A word of which all four bytes count.
    pub const fn full(data: u32) -> Word {
        Word { data, byte_enables: 0xF }
    }
}

/// What a master does in one transaction, or in several if it is interrupted.
#[derive(Clone, Debug)]
pub struct Burst {
    pub command: Command,
    /// What stands on AD[31:0] in the address phase; word 0 is there.
    pub address: BusAddr,
    /// Asserts IDSEL of the NIC's slot in the address phase.
    pub idsel: bool,
    /// Ask for 64 bits. Taken up only from an even dword and with at least three words to go: a
    /// shorter burst would have to end before ACK64# is known.
    pub ask_64: bool,
}

/// How the master spends time, and what it does wrong on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MasterHabits {
    /// Clocks, from FRAME#, that a burst may run on after GNT# is gone.
    pub latency_timer_clocks: u32,
    /// Wait states before IRDY# in each data phase, at most 7.
    pub irdy_wait_clocks: u32,
    /// Wrong PAR behind this data phase of the next write (counted in words).
    pub bad_parity_at_word: Option<u32>,
    /// Wrong PAR behind the next address phase.
    pub bad_address_parity: bool,
}

impl Default for MasterHabits {
    fn default() -> MasterHabits {
        MasterHabits {
            latency_timer_clocks: 32,
            irdy_wait_clocks: 0,
            bad_parity_at_word: None,
            bad_address_parity: false,
        }
    }
}

/// How a transaction ended for its master.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BurstEnd {
    /// All words moved.
    Done,
    /// STOP# before the first word.
    Retry,
    /// STOP# later; the rest is still to be moved.
    Disconnect,
    /// The latency timer ran out without GNT#; the rest is still to be moved.
    TimerExpired,
    /// STOP# without DEVSEL#.
    TargetAbort,
    /// No DEVSEL#.
    MasterAbort,
}

/// The end of a transaction, and how many words moved in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BurstReport {
    pub end: BurstEnd,
    pub words: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Idle,
    Address,
    Data,
    /// IRDY# is driven high before it floats.
    Turn,
}

/// DEVSEL# must come by this clock after the address phase (subtractive decode), or the master
/// aborts.
const SUBTRACTIVE_CLOCKS: u32 = 4;

#[derive(Debug)]
pub(crate) struct Master {
    state: State,
    /// Loaded and not ended.
    burst: Option<Burst>,
    words: Vec<Word>,
    next: usize,
    ask_64: bool,
    /// Known with DEVSEL#.
    wide: Option<bool>,
    frame_low: bool,
    irdy_low: bool,
    stopped: bool,
    /// Clocks since the address phase.
    clocks: u32,
    irdy_wait: u32,
    timer: u32,
    /// Clocks for which REQ# stays away after a target's STOP#.
    hold_off: u8,
}

impl Master {
    pub fn new() -> Master {
        Master {
            state: State::Idle,
            burst: None,
            words: Vec::new(),
            next: 0,
            ask_64: false,
            wide: None,
            frame_low: false,
            irdy_low: false,
            stopped: false,
            clocks: 0,
            irdy_wait: 0,
            timer: 0,
            hold_off: 0,
        }
    }

    pub fn reset(&mut self) {
        *self = Master { words: std::mem::take(&mut self.words), ..Master::new() };
    }

    pub fn is_free(&self) -> bool {
        self.burst.is_none()
    }

    /// Nothing loaded, and nothing of the last transaction still to count down.
    pub fn is_settled(&self) -> bool {
        self.is_free() && self.state == State::Idle && self.hold_off == 0
    }

    pub fn on_bus(&self) -> bool {
        matches!(self.state, State::Address | State::Data)
    }

    /// Takes up a burst. For reads the words give the number and the byte enables, and later hold
    /// the data.
    pub fn load(&mut self, burst: Burst, words: impl Iterator<Item = Word>) {
        assert!(self.is_free(), "a master holds one burst at a time");
        self.words.clear();
        self.words.extend(words);
        assert!(!self.words.is_empty(), "a burst has at least one word");
        self.ask_64 = burst.ask_64 && burst.address.0 & 7 == 0 && self.words.len() >= 3;
        self.burst = Some(burst);
        self.next = 0;
    }

    /// The words of the last burst, with the data that a read brought.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Whether REQ# should be asserted.
    pub fn wants_bus(&self) -> bool {
        self.burst.is_some() && !self.on_bus() && self.hold_off == 0
    }

    /// Whether PAR behind the clock that ended with this edge is to be wrong.
    pub fn spoils_parity(&self, habits: &MasterHabits) -> bool {
        match self.state {
            State::Address => habits.bad_address_parity,
            State::Data => self.is_write() && habits.bad_parity_at_word.is_some_and(|word| self.covers(word as usize)),
            _ => false,
        }
    }

    /// Whether IRDY# and TRDY# move data out of a write on these lines.
    pub fn sends(&self, lines: &PciLines) -> bool {
        self.state == State::Data && self.is_write() && self.irdy_low && lines.low(PciPin::Trdy)
    }

    /// Whether data arrive for a read on these lines, and whether 64 bits of them.
    pub fn receives(&self, lines: &PciLines) -> Option<bool> {
        (self.state == State::Data && !self.is_write() && self.irdy_low && lines.low(PciPin::Trdy))
            .then(|| self.wide.unwrap_or(lines.low(PciPin::Ack64)) && self.ask_64)
    }

    fn covers(&self, word: usize) -> bool {
        word == self.next || (self.is_wide() && word == self.next + 1)
    }

    fn is_write(&self) -> bool {
        self.burst.as_ref().is_some_and(|burst| !burst.command.is_read())
    }

    /// Whether the upper half of the bus takes part, as far as known.
    fn is_wide(&self) -> bool {
        self.ask_64 && self.wide != Some(false)
    }

    fn beat_words(&self) -> usize {
        if self.is_wide() {
            2
        } else {
            1
        }
    }

    fn is_last_beat(&self) -> bool {
        self.next + self.beat_words() >= self.words.len()
    }

    /// One clock. `granted` is this master's GNT# at the edge.
    pub fn advance(&mut self, lines: &PciLines, granted: bool, habits: &MasterHabits) -> Option<BurstReport> {
        match self.state {
            State::Idle | State::Turn => {
                self.state = State::Idle;
                self.hold_off = self.hold_off.saturating_sub(1);
                if self.burst.is_some() && self.hold_off == 0 && granted && bus_idle(lines) {
                    self.state = State::Address;
                    self.timer = habits.latency_timer_clocks;
                    self.wide = None;
                    self.frame_low = true;
                    self.irdy_low = false;
                    self.stopped = false;
                }
                None
            }
            State::Address => {
                self.state = State::Data;
                self.clocks = 0;
                self.timer = self.timer.saturating_sub(1);
                self.enter_data_phase(granted, habits);
                None
            }
            State::Data => {
                self.clocks += 1;
                self.timer = self.timer.saturating_sub(1);
                self.data(lines, granted, habits)
            }
        }
    }

    fn enter_data_phase(&mut self, granted: bool, habits: &MasterHabits) {
        self.irdy_low = false;
        self.irdy_wait = habits.irdy_wait_clocks;
        self.may_assert_irdy(granted);
    }

    fn may_assert_irdy(&mut self, granted: bool) {
        if self.irdy_wait > 0 {
            self.irdy_wait -= 1;
            return;
        }
        self.irdy_low = true;
        let must_end = self.stopped || (self.timer == 0 && !granted);
        self.frame_low = !(self.is_last_beat() || must_end);
    }

    fn data(&mut self, lines: &PciLines, granted: bool, habits: &MasterHabits) -> Option<BurstReport> {
        let devsel = lines.low(PciPin::Devsel);
        if devsel && self.wide.is_none() {
            self.wide = Some(lines.low(PciPin::Ack64));
        }
        let (trdy, stop) = (lines.low(PciPin::Trdy), lines.low(PciPin::Stop));
        self.stopped |= stop;

        if self.irdy_low && (trdy || stop) {
            if trdy {
                self.move_beat(lines);
            }
            if !self.frame_low {
                return Some(self.end(!devsel && stop));
            }
            if stop {
                // One more data phase with FRAME# high and IRDY# low, in which nothing moves.
                self.frame_low = false;
            } else {
                self.enter_data_phase(granted, habits);
            }
        } else if self.wide.is_none() && self.clocks >= SUBTRACTIVE_CLOCKS {
            if self.irdy_low && !self.frame_low {
                self.leave();
                return Some(BurstReport { end: BurstEnd::MasterAbort, words: 0 });
            }
            // FRAME# may go high only with IRDY# low.
            self.irdy_low = true;
            self.frame_low = false;
        } else if !self.irdy_low {
            self.may_assert_irdy(granted);
        }
        None
    }

    fn move_beat(&mut self, lines: &PciLines) {
        let wide = self.is_wide();
        if !self.is_write() {
            self.words[self.next].data = lines.ad as u32;
            if let (true, Some(word)) = (wide, self.words.get_mut(self.next + 1)) {
                word.data = (lines.ad >> 32) as u32;
            }
        }
        self.next = (self.next + self.beat_words()).min(self.words.len());
    }

    fn end(&mut self, aborted: bool) -> BurstReport {
        let end = if aborted {
            BurstEnd::TargetAbort
        } else if self.next == self.words.len() {
            BurstEnd::Done
        } else if !self.stopped {
            BurstEnd::TimerExpired
        } else if self.next == 0 {
            BurstEnd::Retry
        } else {
            BurstEnd::Disconnect
        };
        self.leave();
        BurstReport { end, words: self.next }
    }

    fn leave(&mut self) {
        self.state = State::Turn;
        self.burst = None;
        if self.stopped {
            // PCI 2.3, appendix C: REQ# goes away for two clocks, one of them the idle clock that
            // follows now. Counted down by the two edges after this one.
            self.hold_off = 2;
        }
    }

    pub fn put(&self, pins: &mut Pins) {
        match (self.state, &self.burst) {
            (State::Address, Some(burst)) => {
                pins.drive(PciPin::Frame, false);
                if self.ask_64 {
                    pins.drive(PciPin::Req64, false);
                }
                pins.drive_ad(u64::from(burst.address.0), self.ask_64);
                pins.drive_cbe(0xF0 | burst.command as u8, self.ask_64);
            }
            (State::Data, Some(burst)) => {
                pins.drive(PciPin::Frame, !self.frame_low);
                pins.drive(PciPin::Irdy, !self.irdy_low);
                if self.ask_64 {
                    pins.drive(PciPin::Req64, !self.frame_low);
                }
                let word = |idx: usize| self.words.get(idx).copied().unwrap_or_default();
                let wide = self.is_wide();
                let low = word(self.next);
                let high = if wide { word(self.next + 1) } else { Word::default() };
                pins.drive_cbe(!(low.byte_enables | high.byte_enables << 4), wide);
                if !burst.command.is_read() {
                    pins.drive_ad(u64::from(low.data) | u64::from(high.data) << 32, wide);
                }
            }
            (State::Turn, _) => pins.drive(PciPin::Irdy, true),
            _ => {}
        }
    }

    /// Whether IDSEL of the NIC's slot stands high with the address.
    pub fn selects(&self) -> bool {
        self.state == State::Address && self.burst.as_ref().is_some_and(|burst| burst.idsel)
    }
}
