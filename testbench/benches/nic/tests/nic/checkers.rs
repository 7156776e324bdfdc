//! Every rule of every checker, broken once.

use bench_nic::clocked::Clocked;
use bench_nic::models::BenchCheckers;
use verilated::{Context, Error};

/// The checkers after reset, with all ports idle.
fn quiet() -> Clocked<BenchCheckers> {
    let mut model = Clocked::new(BenchCheckers::new(Context::new()).unwrap());
    model.rst_ni.set(0);
    model.clock().unwrap();
    model.rst_ni.set(1);
    for _ in 0..20 {
        model.clock().unwrap();
    }
    model
}

/// The next clock must break the rule of this name.
#[track_caller]
fn breaks(model: &mut Clocked<BenchCheckers>, rule: &str) {
    match model.clock() {
        Err(Error::Stopped(stop)) => {
            assert!(stop.message.contains(&format!(".{rule}:")), "{rule} expected: {stop}");
        }
        other => panic!("{rule} did not fire: {other:?}"),
    }
}

#[test]
fn a_withdrawn_sram_request_is_seen() {
    let mut model = quiet();
    model.sram_req_i.set(1);
    model.clock().unwrap();
    model.sram_req_i.set(0);
    breaks(&mut model, "RequestHeldUntilGrant");
}

#[test]
fn a_waiting_sram_request_that_changes_its_address_is_seen() {
    let mut model = quiet();
    model.sram_req_i.set(1);
    model.clock().unwrap();
    model.sram_addr_i.set(8);
    breaks(&mut model, "AddressHeldUntilGrant");
}

#[test]
fn a_waiting_sram_write_that_changes_its_data_is_seen() {
    let mut model = quiet();
    model.sram_req_i.set(1);
    model.sram_we_i.set(1);
    model.clock().unwrap();
    model.sram_wdata_i.set(1);
    breaks(&mut model, "DataHeldUntilGrant");
}

#[test]
fn a_grant_without_a_request_is_seen() {
    let mut model = quiet();
    model.sram_gnt_i.set(1);
    breaks(&mut model, "GrantAnswersARequest");
}

#[test]
fn a_read_that_is_not_answered_is_seen() {
    let mut model = quiet();
    model.sram_req_i.set(1);
    model.sram_gnt_i.set(1);
    model.clock().unwrap();
    model.sram_req_i.set(0);
    model.sram_gnt_i.set(0);
    breaks(&mut model, "ReadAnsweredInTheNextClock");
}

#[test]
fn an_answer_that_nobody_asked_for_is_seen() {
    let mut model = quiet();
    model.sram_rvalid_i.set(1);
    breaks(&mut model, "ReadAnsweredInTheNextClock");
}

#[test]
fn an_address_beyond_the_sram_is_seen() {
    let mut model = quiet();
    model.sram_req_i.set(1);
    model.sram_addr_i.set(4096);
    breaks(&mut model, "AddressInsideSram");
}

#[test]
fn a_request_that_waits_beyond_its_bound_is_seen() {
    for (port, bound, rule) in [
        (0, 3, "LinkIsInTime"),
        (1, 3, "LinkIsInTime"),
        (2, 33, "DmaIsInTime"),
        (3, 33, "DmaIsInTime"),
        (4, 11, "CoreIsInTime"),
        (5, 11, "CoreIsInTime"),
        (6, 11, "HostIsInTime"),
    ] {
        let mut model = quiet();
        model.wait_req_i.set(1 << port);
        for _ in 0..=bound {
            model.clock().unwrap();
        }
        breaks(&mut model, rule);
    }
}

#[test]
fn with_two_cores_requests_of_cores_and_host_may_wait_longer_and_no_longer_than_that() {
    for (port, bound, rule) in [
        (0, 3, "LinkIsInTime"),
        (3, 33, "DmaIsInTime"),
        (4, 19, "CoreIsInTime"),
        (5, 19, "CoreIsInTime"),
        (6, 19, "HostIsInTime"),
        (7, 19, "CoreBIsInTime"),
        (8, 19, "CoreBIsInTime"),
    ] {
        let mut model = quiet();
        model.wait_pair_i.set(1);
        model.wait_req_i.set(1 << port);
        for _ in 0..=bound {
            model.clock().unwrap();
        }
        breaks(&mut model, rule);
    }
}

#[test]
fn a_register_slave_that_speaks_unasked_is_seen() {
    let mut model = quiet();
    model.reg_rdata_i.set(1);
    breaks(&mut model, "SilentUnlessRead");

    let mut model = quiet();
    model.reg_sel_i.set(1);
    model.clock().unwrap();
    model.reg_sel_i.set(0);
    model.reg_rdata_i.set(1);
    model.clock().unwrap();
    breaks(&mut model, "SilentUnlessRead");

    let mut model = quiet();
    model.reg_sel_i.set(1);
    model.reg_we_i.set(1);
    model.clock().unwrap();
    model.reg_rdata_i.set(1);
    breaks(&mut model, "SilentUnlessRead");
}

/// Sends bytes with TX_EN; the line is still enabled afterwards.
fn send(model: &mut Clocked<BenchCheckers>, bytes: impl IntoIterator<Item = u8>) {
    model.tx_en_i.set(1);
    for byte in bytes {
        model.txd_i.set(byte);
        model.clock().unwrap();
    }
}

fn gap(model: &mut Clocked<BenchCheckers>, cycles: u32) {
    model.tx_en_i.set(0);
    model.tx_er_i.set(0);
    for _ in 0..cycles {
        model.clock().unwrap();
    }
}

fn frame(bytes: usize) -> impl Iterator<Item = u8> {
    let preamble = [0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5];
    preamble.into_iter().chain((0..bytes).map(|i| i as u8))
}

#[test]
fn shortest_frames_with_shortest_gaps_are_allowed() {
    let mut model = quiet();
    for _ in 0..3 {
        send(&mut model, frame(64));
        gap(&mut model, 12);
    }
}

#[test]
fn a_gap_of_eleven_bytes_is_seen() {
    let mut model = quiet();
    send(&mut model, frame(100));
    gap(&mut model, 11);
    model.tx_en_i.set(1);
    model.txd_i.set(0x55);
    breaks(&mut model, "GapIsLongEnough");
}

#[test]
fn a_broken_preamble_is_seen() {
    for place in 0..7 {
        let mut model = quiet();
        send(&mut model, frame(64).take(place));
        model.tx_en_i.set(1);
        model.txd_i.set(0xD5);
        breaks(&mut model, "PreambleIsRegular");
    }
    let mut model = quiet();
    send(&mut model, frame(64).take(7));
    model.txd_i.set(0x55);
    breaks(&mut model, "DelimiterFollows");
}

#[test]
fn a_frame_of_63_bytes_is_seen_unless_it_was_given_up() {
    let mut model = quiet();
    send(&mut model, frame(63));
    model.tx_en_i.set(0);
    breaks(&mut model, "FrameIsLongEnough");

    let mut model = quiet();
    send(&mut model, frame(20));
    model.tx_er_i.set(1);
    send(&mut model, [0]);
    gap(&mut model, 12);
    send(&mut model, frame(64));
    gap(&mut model, 1);
}

#[test]
fn an_error_outside_a_frame_is_seen() {
    let mut model = quiet();
    model.tx_er_i.set(1);
    breaks(&mut model, "ErrorIsInsideAFrame");
}
