use std::sync::{Arc, Mutex};

use verilated::{Context, Error, Model, Stop, StopKind};
use verilated_check::{NeverSettles, Talker};

const ASSERT: u8 = 1;
const ERROR: u8 = 2;
const FATAL: u8 = 3;
const STOP: u8 = 4;
const FINISH: u8 = 5;
const DISPLAY: u8 = 6;
const WARNING: u8 = 7;

fn talker() -> Talker {
    let mut top = Talker::new(Context::new()).unwrap();
    top.tick(1_000, 1).unwrap();
    top.rst_ni.set(1);
    top.tick(2_000, 1).unwrap();
    top
}

fn stop_of(result: Result<(), Error>) -> Stop {
    match result {
        Err(Error::Stopped(stop)) => *stop,
        other => panic!("the model should have stopped: {other:?}"),
    }
}

fn ask(top: &mut Talker, what: u8) -> Stop {
    top.do_i.set(what);
    stop_of(top.tick(12_345, 1))
}

#[test]
fn a_failed_assertion_is_an_error_with_place_and_time() {
    let stop = ask(&mut talker(), ASSERT);
    assert_eq!((stop.kind, stop.time_ps), (StopKind::Stop, 12_345));
    assert_eq!(stop.file, "sim/verilated/check/rtl/talker.sv");
    assert!(stop.message.contains("AskedNotToFail"), "{stop}");
    assert!(stop.to_string().contains("talker.sv:35 at 12.345 ns: Assertion failed in TOP.talker"), "{stop}");
}

#[test]
fn severity_tasks_are_errors_with_their_text() {
    let error = ask(&mut talker(), ERROR);
    assert!(error.message.contains("an error of 1"), "{error}");
    let fatal = ask(&mut talker(), FATAL);
    assert!(fatal.message.contains("fatal at 1"), "{fatal}");
}

#[test]
fn stop_and_finish_do_not_end_the_process() {
    assert_eq!(ask(&mut talker(), STOP).kind, StopKind::Stop);
    let mut top = talker();
    assert_eq!(ask(&mut top, FINISH).kind, StopKind::Finish);
    assert_eq!(ask(&mut top, FINISH).kind, StopKind::Finish, "nor the second time");
}

#[test]
fn the_instant_of_a_failure_is_evaluated_to_its_end() {
    let mut top = talker();
    let before = top.count_o.get();
    ask(&mut top, ASSERT);
    assert_eq!(top.count_o.get(), before + 1);
    top.do_i.set(0);
    top.tick(13_000, 1).unwrap();
    assert_eq!(top.count_o.get(), before + 2, "and the model may go on");
}

#[test]
fn assertions_can_be_switched_off() {
    let mut top = talker();
    top.set_assertions(false);
    top.do_i.set(ASSERT);
    top.tick(3_000, 1).unwrap();
    top.set_assertions(true);
    stop_of(top.tick(4_000, 1));
}

#[test]
fn displayed_text_goes_to_the_hook() {
    let heard = Arc::new(Mutex::new(String::new()));
    let mut top = talker();
    let sink = Arc::clone(&heard);
    top.on_display(move |text| sink.lock().unwrap().push_str(text));
    top.do_i.set(DISPLAY);
    top.tick(3_000, 1).unwrap();
    assert_eq!(*heard.lock().unwrap(), "count is 1 at 3000\n");
    top.do_i.set(WARNING);
    top.tick(4_000, 1).unwrap();
    assert!(heard.lock().unwrap().contains("only a warning"));
}

#[test]
fn plusargs_reach_the_model() {
    let quiet = talker();
    let mut loud = Talker::new(Context::new().plusargs(["+verbose"])).unwrap();
    loud.eval().unwrap();
    assert_eq!((quiet.verbose_o.get(), loud.verbose_o.get()), (0, 1));
}

#[test]
fn logic_that_does_not_settle_is_fatal_and_returns() {
    let mut top = NeverSettles::new(Context::new()).unwrap();
    top.eval().unwrap();
    top.enable_i.set(1);
    let stop = stop_of(top.eval());
    assert_eq!(stop.kind, StopKind::Fatal);
    assert!(stop.message.contains("converge"), "{stop}");
}
