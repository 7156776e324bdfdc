//! The clock of a core stops while it sleeps, and no pin of the NIC shows it (docs/core.md, Sleep).

use bench_debug::debugger::{Debugger, Dmi};
use bench_nic::assembler::*;
use bench_nic::models::{WatchedNic, WatchedPair};
use bench_nic::nic::{Nic, NicError, NicPins, BAR0};
use host_pci::{BusAddr, Settings, Transaction};
use nic_layout::boot::FIRMWARE_ADDRESS;
use nic_layout::registers::{event_a, event_b, ident, sram, timer, Offset};
use nic_layout::CORE_SRAM_BASE;
use verilated::{Context, Error, Model};

const PROGRAM_B: u32 = 0x2000;
/// The events that programs set: of core A, and of core B.
const EVENT_A: u32 = 5;
const TIMER_0: u32 = 6;
const EVENT_B: u32 = 7;

fn at(offset: Offset) -> i32 {
    offset.0 as i32
}

/// Writes the counters of core A to the trace port.
const COUNTERS: [u32; 6] = [
    csrr(T2, CSR_MCYCLE),
    csrw(CSR_TRACE, T2),
    csrr(T2, CSR_MINSTRET),
    csrw(CSR_TRACE, T2),
    csrr(T2, CSR_MHPMCOUNTER10),
    csrw(CSR_TRACE, T2),
];

/// Serves two events by `nic.dispatch`: writes its counters to the trace port, and sets the event
/// of core B.
fn dispatching() -> Vec<u32> {
    const HANDLER: i32 = 0x400 + 4 * 15;
    let mut program = vec![
        lui(S0, 0x40000),
        lui(T1, 0x10000),
        addi(T1, T1, HANDLER),
        addi(T0, ZERO, EVENT_A as i32),
        csrw(CSR_MEVINDEX, T0),
        csrw(CSR_MEVHANDLER, T1),
        addi(T0, ZERO, TIMER_0 as i32),
        csrw(CSR_MEVINDEX, T0),
        csrw(CSR_MEVHANDLER, T1),
        addi(S1, ZERO, 1 << EVENT_A | 1 << TIMER_0),
        addi(T2, ZERO, 1 << EVENT_B),
        sw(S1, at(event_a::ENABLE.offset()), S0),
        sw(S1, at(event_a::CLEAR.offset()), S0),
        dispatch(T0), // 13
        j(-4),
    ];
    assert_eq!(program.len() as i32 * 4 + 0x400, HANDLER);
    program.extend(COUNTERS);
    program.extend([
        addi(T2, ZERO, 1 << EVENT_B),
        sw(T2, at(event_b::SET.offset()), S0),
        sw(S1, at(event_a::CLEAR.offset()), S0),
        j(-4 * (15 + 6 + 3 - 13)),
    ]);
    program
}

/// Waits in `wfi` for an event of its core, and counts it.
fn waiting(event: u32) -> Vec<u32> {
    vec![
        lui(S0, 0x40000),
        addi(T0, ZERO, 1),
        slli(T0, T0, 11),
        csrw(CSR_MIE, T0),
        addi(T0, ZERO, 4 * event as i32),
        addi(S1, ZERO, 1 << event),
        addi(T2, ZERO, 0),
        sw(S1, at(event_a::ENABLE.offset()), S0),
        WFI, // 8
        lw(T1, at(event_a::NEXT.offset()), S0),
        bne(T1, T0, -8),
        sw(S1, at(event_a::CLEAR.offset()), S0),
        addi(T2, T2, 1),
        csrw(CSR_TRACE, T2),
        csrr(T1, CSR_MHPMCOUNTER10),
        csrw(CSR_TRACE, T1),
        j(-32),
    ]
}

fn started<M: NicPins>(keep_core_clocks_running: bool, program_a: &[u32]) -> Result<Nic<M>, NicError> {
    // A target that answers with a retry drives old data, so both must begin with the same
    // contents.
    let mut nic = Nic::<M>::with_context(Settings::default(), Context::new().zeroed())?;
    nic.keep_core_clocks_running = keep_core_clocks_running;
    nic.seen = Some(Vec::new());
    nic.configure()?;
    nic.sram_write(FIRMWARE_ADDRESS, program_a)?;
    nic.sram_write(PROGRAM_B, &waiting(EVENT_B))?;
    nic.write(ident::BOOT_ADDRESS_B, CORE_SRAM_BASE + PROGRAM_B)?;
    nic.write(ident::CORE_CONTROL, ident::CoreControl::default().with_run_a(true).with_run_b(true))?;
    Ok(nic)
}

/// Runs the same program with and without the clocks of sleeping cores. All pins at all times, and
/// all values that the host reads, must be the same. Returns the NIC whose clocks stop.
#[track_caller]
fn same<M: NicPins>(program_a: &[u32], host: impl Fn(&mut Nic<M>) -> Result<Vec<u32>, NicError>) -> Nic<M> {
    let [(mut awake, told), (mut gated, told_gated)] = [true, false].map(|keep_core_clocks_running| {
        let mut nic = started::<M>(keep_core_clocks_running, program_a).unwrap();
        let told = host(&mut nic).unwrap();
        nic.check_bus().unwrap();
        (nic, told)
    });
    assert_eq!(told, told_gated, "what the host read");
    let (awake, seen) = (awake.seen.take().unwrap(), gated.seen.take().unwrap());
    if let Some((with, without)) = awake.iter().zip(&seen).find(|(with, without)| with != without) {
        panic!("with all clocks: {with:?}\nwithout: {without:?}");
    }
    assert_eq!(awake.len(), seen.len());
    gated
}

/// A host that wakes core A at all distances from its last event, itself and by a timer, and reads
/// registers meanwhile.
fn wakes<M: NicPins>(nic: &mut Nic<M>) -> Result<Vec<u32>, NicError> {
    let mut told = Vec::new();
    nic.run_core_cycles(600)?;
    for round in 0..60 {
        match round % 3 {
            0 => nic.write(event_a::SET, 1 << EVENT_A)?,
            1 => {
                let now = nic.read(timer::COUNT)?;
                nic.write(timer::COMPARE.at(0), now.wrapping_add(150 + 3 * round))?;
            }
            // One of the events is disabled and must not be served.
            _ => nic.write(event_a::SET, 1 << EVENT_A | 2)?,
        }
        nic.run_core_cycles(u64::from(7 * round % 97))?;
        told.push(nic.read(ident::CORE_STATUS)?.0);
        nic.run_core_cycles(200)?;
        told.push(nic.read(sram::GRANTS.at(5))?);
        told.push(nic.read(event_a::NEXT)?);
    }
    Ok(told)
}

#[test]
fn cores_that_wait_in_dispatch_and_wfi_do_the_same_with_their_clocks_stopped() {
    let nic = same::<WatchedPair>(&dispatching(), wakes);
    assert!(nic.trace.len() > 150 && nic.trace_b.len() > 50, "{} {}", nic.trace.len(), nic.trace_b.len());
    let cycles = nic.core_cycles();
    assert!(nic.clocks_unwanted.iter().all(|unwanted| unwanted * 2 > cycles), "{:?} of {cycles}", nic.clocks_unwanted);
}

#[test]
fn one_core_in_wfi_does_the_same_with_its_clock_stopped() {
    let nic = same::<WatchedNic>(&waiting(EVENT_A), wakes);
    assert!(nic.trace.len() >= 80, "{}", nic.trace.len());
    assert!(nic.clocks_unwanted[0] * 2 > nic.core_cycles(), "{:?}", nic.clocks_unwanted);
}

#[test]
fn a_sleeping_core_is_stopped_and_started_again_in_the_same_clock() {
    let nic = same::<WatchedPair>(&dispatching(), |nic| {
        for round in 0..6 {
            nic.run_core_cycles(500 + 7 * round)?;
            nic.write(event_a::SET, 1 << EVENT_A)?;
            nic.run_core_cycles(300)?;
            let run_a = ident::CoreControl::default().with_run_a(true);
            nic.write(ident::CORE_CONTROL, run_a)?;
            nic.run_core_cycles(40 + round)?;
            nic.write(ident::CORE_CONTROL, run_a.with_run_b(true))?;
        }
        Ok(vec![])
    });
    assert_eq!(nic.trace_b.iter().filter(|&&word| word == 1).count(), 6, "{:?}", nic.trace_b);
    assert!(nic.clocks_unwanted.iter().all(|&unwanted| unwanted > 500), "{:?}", nic.clocks_unwanted);
}

/// The debug module of a NIC, over PCI.
struct OverPci<'a>(&'a mut Nic<WatchedNic>);

impl Dmi for OverPci<'_> {
    type Error = NicError;

    fn read(&mut self, at: Offset) -> Result<u32, NicError> {
        Ok(self.0.access(Transaction::read_dword(BusAddr(BAR0 + at.0)))?[0])
    }

    fn write(&mut self, at: Offset, value: u32) -> Result<(), NicError> {
        self.0.access(Transaction::write_dword(BusAddr(BAR0 + at.0), value)).map(drop)
    }
}

#[test]
fn a_debugger_halts_a_core_whose_clock_is_stopped() {
    let nic = same::<WatchedNic>(&dispatching(), |nic| {
        nic.run_core_cycles(600)?;
        let mut told = Vec::new();
        for _ in 0..3 {
            let mut debugger = Debugger::new(OverPci(nic)).unwrap();
            debugger.halt().unwrap();
            told.push(debugger.pc().unwrap());
            debugger.resume().unwrap();
            nic.write(event_a::SET, 1 << EVENT_A)?;
            nic.run_core_cycles(400)?;
        }
        Ok(told)
    });
    assert_eq!(nic.trace.len(), 9);
    assert!(nic.clocks_unwanted[0] > 500, "{:?}", nic.clocks_unwanted);
}

#[test]
fn a_core_that_misses_its_clock_is_seen() {
    let mut nic = started::<WatchedNic>(false, &waiting(EVENT_A)).unwrap();
    nic.run_core_cycles(100).unwrap();
    // Only `clk_core_i` rises, and the core is busy.
    let ticks = (1..4).map(|clock| nic.model.tick(nic.now().0 + clock * 1_000, 1));
    let stopped = ticks.filter_map(Result::err).next();
    match stopped {
        Some(Error::Stopped(stop)) => assert!(stop.message.contains("ClockComesWhenWanted"), "{stop}"),
        other => panic!("it was not seen: {other:?}"),
    }
}
