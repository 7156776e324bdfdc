//! Each rule is broken once, and its checker must report it.

use bench_core::asm::*;
use bench_core::bench::Timing;
use bench_core::directed::*;
use bench_core::lockstep::{Failure, Lockstep};
use bench_core::models::{BenchCore, BenchObiChecker, CoreModel, Inputs, PortInputs, CLOCK_CORE, CLOCK_FREE};
use verilated::{Context, Error, Model};

/// One clock of a port, as the checker sees it.
#[derive(Clone, Copy, Default)]
struct Port {
    req: bool,
    gnt: bool,
    addr: u32,
    we: bool,
    be: u8,
    wdata: u32,
    rvalid: bool,
}

const IDLE: Port = Port { req: false, gnt: false, addr: 0, we: false, be: 0xF, wdata: 0, rvalid: false };
const WAITING_READ: Port = Port { req: true, addr: 0x100, ..IDLE };
const READ: Port = Port { gnt: true, ..WAITING_READ };
const WAITING_WRITE: Port = Port { we: true, wdata: 5, ..WAITING_READ };
const ANSWER: Port = Port { rvalid: true, ..IDLE };

/// The report of the checker about a sequence of clocks after reset.
fn verdict(sequence: &[Port]) -> Option<String> {
    let mut checker = BenchObiChecker::new(Context::new()).expect("builds");
    let mut time_ps = 0;
    let mut clock = |rst_n: bool, port: &Port| {
        checker.rst_ni.set_bool(rst_n);
        checker.req_i.set_bool(port.req);
        checker.gnt_i.set_bool(port.gnt);
        checker.addr_i.set(port.addr);
        checker.we_i.set_bool(port.we);
        checker.be_i.set(port.be);
        checker.wdata_i.set(port.wdata);
        checker.rvalid_i.set_bool(port.rvalid);
        time_ps += 10_000;
        checker.on_display(|_| {});
        checker.tick(time_ps, 1)
    };
    clock(false, &IDLE).expect("nothing is checked in reset");
    for port in sequence {
        match clock(true, port) {
            Ok(()) => {}
            Err(Error::Stopped(stop)) => return Some(stop.message),
            Err(error) => panic!("{error}"),
        }
    }
    None
}

#[track_caller]
fn fires(assertion: &str, sequence: &[Port]) {
    let message = verdict(sequence).unwrap_or_else(|| panic!("{assertion} did not fire"));
    assert!(message.contains(assertion), "{message}");
}

#[test]
fn correct_sequences_pass_the_port_checker() {
    assert_eq!(verdict(&[IDLE, READ, ANSWER, IDLE]), None);
    assert_eq!(verdict(&[WAITING_READ, WAITING_READ, READ, ANSWER]), None);
    assert_eq!(verdict(&[READ, READ, ANSWER, ANSWER]), None);
    assert_eq!(verdict(&[READ, Port { rvalid: true, ..READ }, Port { rvalid: true, ..READ }, ANSWER]), None);
}

#[test]
fn a_withdrawn_request_is_seen() {
    fires("RequestHeldUntilGrant", &[WAITING_READ, IDLE]);
}

#[test]
fn a_request_that_changes_while_it_waits_is_seen() {
    fires("AddressHeldUntilGrant", &[WAITING_READ, Port { addr: 0x104, ..WAITING_READ }]);
    fires("AddressHeldUntilGrant", &[WAITING_READ, WAITING_WRITE]);
    fires("AddressHeldUntilGrant", &[WAITING_WRITE, Port { be: 1, ..WAITING_WRITE }]);
    fires("DataHeldUntilGrant", &[WAITING_WRITE, Port { wdata: 6, ..WAITING_WRITE }]);
}

#[test]
fn a_third_outstanding_access_is_seen() {
    fires("AtMostTwoOutstanding", &[READ, READ, READ]);
}

#[test]
fn an_answer_to_nothing_is_seen() {
    fires("AnswerWasAskedFor", &[ANSWER]);
    fires("AnswerWasAskedFor", &[READ, ANSWER, ANSWER]);
    fires("AnswerWasAskedFor", &[Port { rvalid: true, ..READ }]);
}

#[test]
fn odd_addresses_and_empty_writes_are_seen() {
    fires("AddressIsOfAWord", &[Port { addr: 0x102, ..WAITING_READ }]);
    fires("SomethingIsWritten", &[Port { be: 0, ..WAITING_WRITE }]);
}

/// The report of the assertions inside the core when a port answers without a request.
fn core_verdict(instr_rvalid: bool, data_rvalid: bool) -> String {
    let mut core = BenchCore::build(Context::new()).expect("builds");
    core.on_display(|_| {});
    for clock in 0..10 {
        let port = |rvalid| PortInputs { rvalid: rvalid && clock >= 5, ..PortInputs::default() };
        let (instr, data) = (port(instr_rvalid), port(data_rvalid));
        core.drive(&Inputs { reset: clock < 3, instr, data, ..Inputs::default() });
        if let Err(Error::Stopped(stop)) = core.tick(10_000 * (clock + 1), CLOCK_FREE | CLOCK_CORE) {
            return stop.message;
        }
    }
    String::from("nothing")
}

#[test]
fn the_core_watches_both_of_its_ports() {
    let data = core_verdict(false, true);
    assert!(data.contains("u_data_checker.AnswerWasAskedFor"), "{data}");
    let instr = core_verdict(true, false);
    assert!(instr.contains("nic_core"), "{instr}");
}

/// Runs a program whose memory is changed behind the reference's back.
fn tampered(change: impl Fn(&mut Lockstep)) -> String {
    let mut p = program();
    p.li(T0, DATA).put(lw(A0, 0, T0)).put(addi(A1, ZERO, 1));
    park(&mut p);
    let mut core = start(&p, Timing::IDEAL);
    change(&mut core);
    match core.run(100) {
        Err(Failure::Mismatch { what, listing, .. }) => format!("{what}\n{listing}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lockstep_sees_a_wrong_load() {
    let report = tampered(|core| core.bench.memory.poke(DATA, 1));
    assert!(report.contains("rd value: core 0x1, reference 0x0"), "{report}");
    assert!(report.contains("lw x10, 0(x5)"), "{report}");
}

#[test]
fn lockstep_sees_a_wrong_instruction() {
    let report = tampered(|core| core.bench.memory.poke(BASE + 12, addi(A1, ZERO, 2).bits()));
    assert!(report.contains("insn: core 0x200593, reference 0x100593"), "{report}");
}

#[test]
fn lockstep_sees_a_fence_that_is_none() {
    let report = tampered(|core| core.bench.memory.poke(BASE + 12, fence_i().bits()));
    assert!(report.contains("fence_i_o in the clock before: core 0x1, reference 0x0"), "{report}");
}
