use std::thread;

use verilated::{AnyModel, Context, Error, Model, StopKind};
use verilated_check::{EveryWidth, Talker, TwoClocksFst, TwoClocksFstPins, TwoClocksVcd, Unreset};

fn is_send<T: Send>() {}

#[test]
fn models_may_change_threads() {
    is_send::<Talker>();
    let mut top = Talker::new(Context::new()).unwrap();
    top.tick(1_000, 1).unwrap();
    top.rst_ni.set(1);
    let top = thread::spawn(move || {
        (2..12).for_each(|k| top.tick(1_000 * k, 1).unwrap());
        top
    });
    assert_eq!(top.join().unwrap().count_o.get(), 10);
}

#[test]
fn two_models_and_two_instances_run_on_two_threads_undisturbed() {
    let run = |stop_at: u64| {
        let mut talker = Talker::new(Context::new()).unwrap();
        let mut wide = EveryWidth::new(Context::new()).unwrap();
        talker.tick(0, 1).unwrap();
        talker.rst_ni.set(1);
        for k in 1..=stop_at {
            wide.double_i.set(k);
            wide.tick(1_000 * k, 1).unwrap();
            assert_eq!(wide.double_o.get(), !k);
            talker.do_i.set((k == stop_at) as u8);
            match talker.tick(1_000 * k, 1) {
                Ok(()) => assert!(k < stop_at),
                Err(Error::Stopped(stop)) => {
                    assert_eq!((k, stop.kind, stop.time_ps), (stop_at, StopKind::Stop, 1_000 * stop_at));
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(talker.count_o.get(), stop_at as u8);
    };
    thread::scope(|scope| {
        scope.spawn(|| run(20_000));
        scope.spawn(|| run(30_000));
    });
}

#[test]
fn parameters_belong_to_their_model() {
    let one = TwoClocksFst::new(Context::new()).unwrap();
    let three = TwoClocksVcd::new(Context::new()).unwrap();
    // Models with the same pins are one type.
    let mut models: [AnyModel<TwoClocksFstPins>; 2] = [one.into(), three.into()];
    for model in &mut models {
        model.tick(1_000, 1).unwrap();
    }
    assert_eq!(models.map(|model| model.a_o.get()), [1, 3]);
}

#[test]
#[should_panic(expected = "names a clock that TwoClocksFst does not have")]
fn a_clock_that_does_not_exist_is_refused() {
    let _ = TwoClocksFst::new(Context::new()).unwrap().tick(0, 0b100);
}

#[test]
fn unset_registers_are_random_by_seed() {
    let initial = |context: Context| {
        let mut top = Unreset::new(context).unwrap();
        top.eval().unwrap();
        top.data_o.get()
    };
    let [a, again, b] = [7, 7, 8].map(|seed| initial(Context::new().randomized(seed)));
    assert_eq!(a, again);
    assert!(a != b && a != 0);
    assert_eq!(initial(Context::new()), 0);
}

#[test]
fn coverage_is_written() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("coverage.dat");
    let mut top = Talker::new(Context::new()).unwrap();
    top.tick(1_000, 1).unwrap();
    top.write_coverage(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("# SystemC::Coverage") && text.contains("talker.sv"), "{text}");
    assert!(top.write_coverage("no/such/folder/coverage.dat").is_err());
}
