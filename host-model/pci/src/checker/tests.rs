//! Each rule fires: traffic of the bridge and the mock NIC, which is clean, is recorded and then
//! falsified at one place.

use super::*;
use crate::mock::{MockMemory, MockNic, MockNicSettings};
use crate::{AgentId, Settings};
use crate::{Bus, BusAddr, TargetActs, Transaction as Access, Word};
use sim_pins::PciPin::*;
use sim_pins::{PciDrive, PciPin, Ps};

const BAR: BusAddr = BusAddr(0xE000_0000);

/// A recorded stretch of bus traffic. Edges count from the first address phase in it (0); earlier
/// ones are negative.
struct Trace {
    settings: Settings,
    samples: Vec<Sample>,
    address_edge: usize,
}

/// Runs `stimulus` on a bus that is set up and at rest, and records its last part.
fn record(settings: Settings, nic: MockNicSettings, stimulus: impl FnOnce(&mut Bus, &mut MockNic)) -> Trace {
    let mut bus = Bus::new(Settings { recovery_clocks: 8, ..settings.clone() }).unwrap();
    let mut nic = MockNic::new(nic);
    let mut memory = MockMemory::new(1 << 14);
    let mut at = Ps::ZERO;
    let mut samples = Vec::new();
    let mut clocks = |bus: &mut Bus, nic: &mut MockNic, count: usize| {
        for _ in 0..count {
            at += Ps(30_000);
            samples.push(bus.next_sample(at, nic.drive()));
            let lines = bus.rising_edge(at, nic.drive(), &mut memory);
            nic.rising_edge(at, &lines);
        }
    };
    for (register, data) in [(0x10, BAR.0), (0x0C, 0x2000), (0x04, 0x46)] {
        bus.submit(Access::config_write(4, register, data));
    }
    clocks(&mut bus, &mut nic, 200);
    stimulus(&mut bus, &mut nic);
    clocks(&mut bus, &mut nic, 200);
    assert_eq!(bus.violations(), [], "the recorded traffic is clean");
    let address_edge =
        200 + samples[200..].iter().position(|s| s.low(Frame)).expect("there is a transaction after set-up");
    Trace { settings, samples, address_edge }
}

impl Trace {
    fn sample(&mut self, edge: i32) -> &mut Sample {
        &mut self.samples[(self.address_edge as i32 + edge) as usize]
    }

    /// What `agent` drives on `pin` at `edge`: a level, or nothing.
    fn set(mut self, agent: AgentId, edge: i32, pin: PciPin, level: Option<bool>) -> Trace {
        self.change(agent, edge, |drive| {
            drive.enables.set(pin, level.is_some());
            drive.levels.control.set(pin, level.unwrap_or(true));
        });
        self
    }

    fn nic(self, edge: i32, pin: PciPin, level: Option<bool>) -> Trace {
        self.set(AgentId::Nic, edge, pin, level)
    }

    fn bridge(self, edge: i32, pin: PciPin, level: Option<bool>) -> Trace {
        self.set(AgentId::Bridge, edge, pin, level)
    }

    fn change(&mut self, agent: AgentId, edge: i32, change: impl FnOnce(&mut PciDrive)) {
        let sample = self.sample(edge);
        change(match agent {
            AgentId::Bridge => &mut sample.bridge,
            AgentId::Nic => &mut sample.nic,
        });
        (sample.lines, sample.conflict) = sample.bridge.resolve(&sample.nic);
    }

    fn changed(mut self, agent: AgentId, edge: i32, change: impl FnOnce(&mut PciDrive)) -> Trace {
        self.change(agent, edge, change);
        self
    }

    /// Says the clock at `edge` over again, `times` more.
    fn stretched(mut self, edge: i32, times: usize) -> Trace {
        let idx = (self.address_edge as i32 + edge) as usize;
        let sample = self.samples[idx];
        self.samples.splice(idx..idx, std::iter::repeat_n(sample, times));
        self
    }

    fn rules(&self) -> Vec<Rule> {
        let mut checker = Checker::new(&self.settings);
        for sample in &self.samples {
            checker.advance(sample);
        }
        checker.take_violations().iter().map(|violation| violation.rule).collect()
    }

    #[track_caller]
    fn breaks(&self, rule: Rule) {
        let rules = self.rules();
        assert!(rules.contains(&rule), "expected {rule:?}, found {rules:?}");
    }
}

const LOW: Option<bool> = Some(false);
const HIGH: Option<bool> = Some(true);
const FLOAT: Option<bool> = None;

/// Address 0; DEVSEL# at 2; data at 4, 5, 6, 7; idle at 8.
fn burst_write() -> Trace {
    record(Settings::default(), MockNicSettings::default(), |bus, _| {
        bus.submit(Access::write_dwords(BAR, &[1, 2, 3, 4]));
    })
}

/// Address 0; DEVSEL# at 2; data at 4; idle at 5.
fn single_read() -> Trace {
    record(Settings::default(), MockNicSettings::default(), |bus, _| {
        bus.submit(Access::read_dword(BAR + 8));
    })
}

/// Address 0; DEVSEL# and STOP# at 2, FRAME# high at 3; idle at 4; then again.
fn retried_write() -> Trace {
    record(Settings::default(), MockNicSettings::default(), |bus, nic| {
        nic.misbehaviour().plan(TargetActs::RETRY);
        bus.submit(Access::write_dwords(BAR, &[1, 2, 3, 4]));
    })
}

/// A master abort: address 0, IRDY# high again at 5.
fn unclaimed_read() -> Trace {
    record(Settings::default(), MockNicSettings::default(), |bus, _| {
        bus.submit(Access::read_dword(BusAddr(0xF000_0000)));
    })
}

/// The NIC writes memory: address 0, data at 2, 3, 4 (64 bits); idle at 5.
fn dma_write() -> Trace {
    record(Settings::default(), MockNicSettings::default(), |_, nic| {
        nic.dma_write(BusAddr(0x100), (0..6).map(Word::full).collect());
    })
}

/// The NIC reads memory in 64 bits: address 0, data from 12.
fn dma_read() -> Trace {
    record(Settings::default(), MockNicSettings::default(), |_, nic| nic.dma_read(BusAddr(0x100), 6))
}

#[test]
fn recorded_traffic_is_clean() {
    for trace in [burst_write(), single_read(), retried_write(), unclaimed_read(), dma_write(), dma_read()] {
        assert_eq!(trace.rules(), []);
    }
}

#[test]
fn every_rule_has_its_place() {
    for rule in Rule::ALL {
        assert!(rule.place().starts_with("PCI 2.3"), "{rule:?}");
    }
}

#[test]
fn every_rule_has_a_test_in_which_it_fires() {
    let this_file: String = include_str!("tests.rs").split_whitespace().collect();
    for rule in Rule::ALL {
        assert!(this_file.contains(&format!(".breaks(Rule::{rule:?})")), "{rule:?} never fires");
    }
}

// ---- Drivers ------------------------------------------------------------------------------------

#[test]
fn two_drivers_break_one_driver() {
    burst_write().nic(4, Frame, LOW).breaks(Rule::OneDriver);
    burst_write().changed(AgentId::Nic, 4, |drive| drive.ad_enable = 1).breaks(Rule::OneDriver);
}

#[test]
fn driving_right_after_another_breaks_turnaround() {
    burst_write().nic(8, Frame, HIGH).breaks(Rule::Turnaround);
    single_read().changed(AgentId::Nic, 1, |drive| drive.ad_enable = 1).breaks(Rule::Turnaround);
}

#[test]
fn floating_while_low_breaks_sustained_high() {
    burst_write().bridge(8, Irdy, FLOAT).breaks(Rule::SustainedHigh);
    burst_write().nic(8, Devsel, FLOAT).breaks(Rule::SustainedHigh);
}

#[test]
fn driving_on_an_idle_bus_breaks_floats_afterwards() {
    burst_write().nic(9, Trdy, HIGH).breaks(Rule::FloatsAfterwards);
    burst_write().bridge(9, Irdy, HIGH).breaks(Rule::FloatsAfterwards);
}

#[test]
fn driving_in_reset_breaks_floats_in_reset() {
    let mut trace = burst_write();
    trace.address_edge = 5;
    trace.nic(0, Devsel, HIGH).breaks(Rule::FloatsInReset);
}

#[test]
fn a_floating_parked_bus_breaks_parked_drives() {
    let mut trace = burst_write();
    let parked = trace.address_edge - 60;
    for sample in &mut trace.samples[parked..] {
        sample.bridge.cbe_enable = 0;
    }
    trace.breaks(Rule::ParkedDrives);
}

// ---- Arbitration --------------------------------------------------------------------------------

#[test]
fn frame_without_grant_breaks_frame_with_grant() {
    let mut trace = burst_write();
    trace.sample(-1).bridge_granted = false;
    trace.breaks(Rule::FrameWithGrant);
    dma_write().bridge(-1, Gnt, HIGH).breaks(Rule::FrameWithGrant);
}

#[test]
fn frame_on_a_busy_bus_breaks_frame_with_grant() {
    // Fast back-to-back: FRAME# in the clock after the last data phase.
    burst_write().bridge(8, Frame, LOW).breaks(Rule::FrameWithGrant);
}

#[test]
fn a_grant_that_jumps_breaks_grant_gap() {
    let mut trace = burst_write().bridge(-8, Gnt, LOW);
    trace.sample(-8).bridge_granted = false;
    trace.breaks(Rule::GrantGap);
}

#[test]
fn asking_on_after_stop_breaks_request_released() {
    let mut trace = retried_write();
    trace.sample(4).bridge_asks = true;
    trace.breaks(Rule::RequestReleased);
    let mut trace = retried_write();
    trace.sample(3).bridge_asks = true;
    trace.sample(5).bridge_asks = true;
    trace.breaks(Rule::RequestReleased);
}

#[test]
fn one_clock_before_and_the_idle_clock_are_release_enough() {
    let mut trace = retried_write();
    trace.sample(5).bridge_asks = true;
    assert_eq!(trace.rules(), []);
}

#[test]
fn bursting_on_without_grant_breaks_latency_timer_ends() {
    let mut trace = burst_write();
    trace.settings.latency_timer_clocks = 1;
    for edge in 4..8 {
        trace.sample(edge).bridge_granted = false;
    }
    trace.breaks(Rule::LatencyTimerEnds);
}

// ---- The master ---------------------------------------------------------------------------------

#[test]
fn frame_high_with_irdy_high_breaks_frame_rises_with_irdy() {
    burst_write().bridge(7, Irdy, HIGH).breaks(Rule::FrameRisesWithIrdy);
}

#[test]
fn frame_low_again_breaks_frame_not_reasserted() {
    single_read().bridge(3, Frame, LOW).breaks(Rule::FrameNotReasserted);
}

#[test]
fn frame_high_in_a_wait_state_breaks_frame_held() {
    burst_write().bridge(3, Frame, HIGH).breaks(Rule::FrameHeld);
}

#[test]
fn irdy_high_in_a_wait_state_breaks_irdy_held() {
    burst_write().bridge(3, Irdy, HIGH).breaks(Rule::IrdyHeld);
}

#[test]
fn giving_up_before_subtractive_decode_breaks_irdy_held() {
    unclaimed_read().bridge(4, Irdy, HIGH).breaks(Rule::IrdyHeld);
}

#[test]
fn irdy_low_after_the_end_breaks_irdy_released() {
    burst_write().bridge(8, Irdy, LOW).breaks(Rule::IrdyReleased);
}

#[test]
fn a_slow_master_breaks_irdy_within_8() {
    let slow = MockNicSettings { irdy_wait_clocks: 7, ..MockNicSettings::default() };
    let trace = record(Settings::default(), slow, |_, nic| {
        nic.dma_write(BusAddr(0x100), vec![Word::full(1)]);
    });
    assert_eq!(trace.rules(), []);
    trace.stretched(7, 1).breaks(Rule::IrdyWithin8);
}

#[test]
fn frame_low_after_stop_breaks_ends_after_stop() {
    retried_write().bridge(3, Frame, LOW).breaks(Rule::EndsAfterStop);
}

#[test]
fn a_reserved_command_breaks_command_known() {
    burst_write().changed(AgentId::Bridge, 0, |drive| drive.levels.cbe_n = 0xF4).breaks(Rule::CommandKnown);
}

#[test]
fn a_partial_word_breaks_invalidate_whole_words() {
    let with = |byte_enables| {
        let words = vec![Word { data: 1, byte_enables }; 4];
        let trace = record(Settings::default(), MockNicSettings::default(), move |bus, _| {
            bus.submit(Access::MemoryWrite { addr: BAR, words });
        });
        trace.changed(AgentId::Bridge, 0, |drive| drive.levels.cbe_n = 0xFF)
    };
    with(0b0111).breaks(Rule::InvalidateWholeWords);
    assert!(!with(0b1111).rules().contains(&Rule::InvalidateWholeWords));
}

// ---- The target ---------------------------------------------------------------------------------

#[test]
fn a_response_to_nothing_breaks_response_in_transaction() {
    burst_write().nic(-4, Devsel, LOW).breaks(Rule::ResponseInTransaction);
}

#[test]
fn trdy_before_devsel_breaks_devsel_first() {
    burst_write().nic(1, Trdy, LOW).breaks(Rule::DevselFirst);
}

#[test]
fn devsel_high_in_the_middle_breaks_devsel_held() {
    burst_write().nic(3, Devsel, HIGH).breaks(Rule::DevselHeld);
}

#[test]
fn trdy_low_without_devsel_breaks_target_abort_encoding() {
    burst_write().nic(4, Devsel, HIGH).breaks(Rule::TargetAbortEncoding);
}

#[test]
fn a_response_that_changes_before_irdy_breaks_response_held() {
    let slow = MockNicSettings { irdy_wait_clocks: 5, ..MockNicSettings::default() };
    let trace = record(Settings::default(), slow, |_, nic| {
        nic.dma_write(BusAddr(0x100), vec![Word::full(1)]);
    });
    trace.bridge(4, Trdy, HIGH).breaks(Rule::ResponseHeld);
}

#[test]
fn stop_high_before_frame_breaks_stop_held() {
    retried_write().nic(3, Stop, HIGH).breaks(Rule::StopHeld);
}

#[test]
fn devsel_low_after_the_end_breaks_response_released() {
    burst_write().nic(8, Devsel, LOW).breaks(Rule::ResponseReleased);
}

#[test]
fn slow_targets_break_the_latency_rules() {
    let slow = MockNicSettings { first_clock: 16, beat_wait_clocks: 7, ..MockNicSettings::default() };
    let trace = || {
        record(Settings::default(), slow.clone(), |bus, _| {
            bus.submit(Access::write_dwords(BAR, &[1, 2]));
        })
    };
    assert_eq!(trace().rules(), []);
    trace().stretched(15, 1).breaks(Rule::FirstDataWithin16);
    trace().stretched(20, 1).breaks(Rule::LaterDataWithin8);
}

#[test]
fn early_read_data_break_read_turnaround() {
    single_read().nic(1, Devsel, LOW).nic(1, Trdy, LOW).breaks(Rule::ReadTurnaround);
}

// ---- Data and parity ----------------------------------------------------------------------------

#[test]
fn moving_data_break_ad_stable() {
    burst_write().changed(AgentId::Bridge, 3, |drive| drive.levels.ad ^= 1).breaks(Rule::AdStable);
}

#[test]
fn moving_byte_enables_break_cbe_stable() {
    burst_write().changed(AgentId::Bridge, 3, |drive| drive.levels.cbe_n ^= 1).breaks(Rule::CbeStable);
}

#[test]
fn wrong_or_missing_par_breaks_parity() {
    let trace = burst_write();
    let right = trace.samples[trace.address_edge + 1].high(Par);
    trace.bridge(1, Par, Some(!right)).breaks(Rule::Parity);
    burst_write().bridge(5, Par, FLOAT).breaks(Rule::Parity);
    single_read().nic(5, Par, FLOAT).breaks(Rule::Parity);
}

#[test]
fn wrong_par64_breaks_parity64() {
    let trace = dma_write();
    let right = trace.samples[trace.address_edge + 3].high(Par64);
    trace.nic(3, Par64, Some(!right)).breaks(Rule::Parity64);
}

#[test]
fn silence_about_wrong_data_breaks_parity_error_reported() {
    let trace = burst_write();
    let right = trace.samples[trace.address_edge + 5].high(Par);
    trace.bridge(5, Par, Some(!right)).breaks(Rule::ParityErrorReported);
}

#[test]
fn perr_without_reason_breaks_perr_has_reason() {
    burst_write().nic(6, Perr, LOW).breaks(Rule::PerrHasReason);
}

// ---- 64 bits ------------------------------------------------------------------------------------

#[test]
fn req64_out_of_step_breaks_req64_with_frame() {
    dma_write().nic(2, Req64, HIGH).breaks(Rule::Req64WithFrame);
    burst_write().bridge(2, Req64, LOW).breaks(Rule::Req64WithFrame);
}

#[test]
fn ack64_out_of_step_breaks_ack64_with_devsel() {
    burst_write().nic(4, Ack64, LOW).breaks(Rule::Ack64WithDevsel);
    dma_write().bridge(3, Ack64, HIGH).breaks(Rule::Ack64WithDevsel);
}

// ---- The whole checker --------------------------------------------------------------------------

#[test]
fn a_checker_that_is_off_finds_nothing() {
    let mut trace = burst_write().nic(4, Frame, LOW);
    trace.settings.checks = false;
    assert_eq!(trace.rules(), []);
}

#[test]
#[should_panic(expected = "OneDriver (PCI 2.3, section 3.3; INV-1): NIC and bridge both drive FRAME#")]
fn a_violation_can_stop_the_run_at_once() {
    let mut trace = burst_write().nic(4, Frame, LOW);
    trace.settings.on_violation = Some(|violation| panic!("{violation}"));
    trace.rules();
}
