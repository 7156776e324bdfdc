//! Drives a model of the core clock by clock, with a memory behind both ports.

use std::collections::VecDeque;

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use verilated::Context;

use crate::memory::{BusError, Memory};
use crate::models::{CoreModel, Inputs, Outputs, PortInputs, Rvfi, CLOCK_CORE, CLOCK_FREE};

/// How quick memory, and how frequent interrupts and events are. Percentages are chances in each clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    pub instr_gnt_percent: u32,
    pub instr_rvalid_percent: u32,
    /// That a look at an instruction finds it: always in a scratchpad, never behind a cache.
    pub look_percent: u32,
    pub data_gnt_percent: u32,
    pub data_rvalid_percent: u32,
    pub irq_rises_percent: u32,
    pub irq_falls_percent: u32,
    /// For benches with a debugger.
    pub halts_permille: u32,
    pub event_rises_percent: u32,
    /// It goes, or another one takes its place.
    pub event_falls_percent: u32,
}

impl Timing {
    /// Grants at once, answers in the next clock, no interrupts, no events.
    pub const IDEAL: Timing = Timing {
        instr_gnt_percent: 100,
        instr_rvalid_percent: 100,
        look_percent: 100,
        data_gnt_percent: 100,
        data_rvalid_percent: 100,
        irq_rises_percent: 0,
        irq_falls_percent: 0,
        halts_permille: 0,
        event_rises_percent: 0,
        event_falls_percent: 0,
    };

    /// The same for data and for what is in a cache.
    pub const CACHED: Timing = Timing { look_percent: 0, ..Timing::IDEAL };

    pub const SLOW: Timing = Timing {
        instr_gnt_percent: 60,
        instr_rvalid_percent: 50,
        look_percent: 50,
        data_gnt_percent: 50,
        data_rvalid_percent: 40,
        irq_rises_percent: 0,
        irq_falls_percent: 0,
        halts_permille: 0,
        event_rises_percent: 0,
        event_falls_percent: 0,
    };
}

/// An access that was granted on the data port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Granted {
    pub addr: u32,
    pub we: bool,
    pub be: u8,
    pub wdata: u32,
}

/// What happened in one clock.
#[derive(PartialEq, Debug)]
pub struct Clock {
    pub outputs: Outputs,
    pub rvfi: Option<Rvfi>,
    pub granted: Option<Granted>,
    /// The level of `irq_i` in this clock.
    pub irq: bool,
    /// The event on the pins in this clock.
    pub event: Option<u8>,
}

/// Period of the simulated clock, for waves only.
pub const CLOCK_PS: u64 = 10_000;

/// A fetch that was granted. One of the debug area is judged when it is answered: the first leaves before debug mode begins.
struct Fetched {
    word: Result<u32, BusError>,
    of_debug_area: bool,
}

pub struct Bench<M> {
    pub model: M,
    pub memory: Memory,
    pub timing: Timing,
    /// Level that a test drives; random interrupts come on top.
    pub irq: bool,
    /// The event that waits to be served; if there is none, random ones do.
    pub event: Option<u8>,
    pub debug_req: bool,
    /// What a core in debug mode finds at these addresses; at other times nothing is there.
    pub debug_area: Option<Memory>,
    /// The core has its clock while it sleeps, too.
    pub keep_clock_running: bool,
    /// Clocks without that of the core.
    pub stopped: u64,
    inputs: Inputs,
    rng: ChaCha8Rng,
    instr_answers: VecDeque<Fetched>,
    data_answers: VecDeque<Result<u32, BusError>>,
    time_ps: u64,
}

impl<M: CoreModel> Bench<M> {
    pub const HART_ID: u32 = 7;

    /// A core that comes out of reset with the next clock.
    pub fn new(memory: Memory, boot_addr: u32, timing: Timing, seed: u64) -> Result<Bench<M>, verilated::Error> {
        let model = M::build(Context::new().randomized(seed as u32))?;
        Bench::with_model(model, memory, boot_addr, timing, seed)
    }

    /// The same with a model that was used before.
    pub fn with_model(
        model: M,
        memory: Memory,
        boot_addr: u32,
        timing: Timing,
        seed: u64,
    ) -> Result<Bench<M>, verilated::Error> {
        let mut bench = Bench {
            model,
            memory,
            timing,
            irq: false,
            event: None,
            debug_req: false,
            debug_area: None,
            keep_clock_running: false,
            stopped: 0,
            inputs: Inputs { reset: true, boot_addr, hart_id: Self::HART_ID, ..Inputs::default() },
            rng: ChaCha8Rng::seed_from_u64(seed),
            instr_answers: VecDeque::new(),
            data_answers: VecDeque::new(),
            time_ps: 0,
        };
        for _ in 0..2 {
            bench.model.drive(&bench.inputs);
            bench.model.eval()?;
            bench.edge()?;
        }
        bench.inputs.reset = false;
        Ok(bench)
    }

    /// Draws waits and interrupts from another seed from here on.
    pub fn reseed(&mut self, seed: u64) {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
    }

    fn edge(&mut self) -> Result<(), verilated::Error> {
        self.time_ps += CLOCK_PS;
        let gated = !self.keep_clock_running && !self.model.outputs().clock;
        self.stopped += u64::from(gated);
        self.model.tick(self.time_ps, if gated { CLOCK_FREE } else { CLOCK_FREE | CLOCK_CORE })
    }

    fn chance(&mut self, percent: u32) -> bool {
        match percent {
            0 => false,
            100.. => true,
            _ => self.rng.next_u32() % 100 < percent,
        }
    }

    /// Answers a port's oldest access, or drives nonsense that the core must not look at.
    fn port(&mut self, gnt_percent: u32, answer: Option<Result<u32, BusError>>) -> PortInputs {
        let gnt = self.chance(gnt_percent);
        match answer {
            Some(answer) => {
                PortInputs { gnt, rvalid: true, rdata: answer.unwrap_or(0xDEAD_DEAD), err: answer.is_err() }
            }
            None if gnt_percent < 100 => {
                let noise = self.rng.next_u32();
                PortInputs { gnt, rvalid: false, rdata: noise, err: noise & 1 == 1 }
            }
            None => PortInputs { gnt, ..PortInputs::default() },
        }
    }

    /// Levels on the pins, of which one may be followed by another at once.
    fn random_event(&mut self) -> Option<u8> {
        let Timing { event_rises_percent, event_falls_percent, .. } = self.timing;
        let event = self.inputs.event;
        if event.is_some() && !self.chance(event_falls_percent) {
            return event;
        }
        self.chance(event_rises_percent).then(|| (self.rng.next_u32() % 32) as u8)
    }

    /// Passes one clock.
    pub fn clock(&mut self) -> Result<Clock, verilated::Error> {
        let timing = self.timing;
        let instr = if self.instr_answers.is_empty() || !self.chance(timing.instr_rvalid_percent) {
            None
        } else {
            self.instr_answers.pop_front()
        };
        let instr = instr.map(|fetched| match fetched.of_debug_area && !self.model.outputs().debug_mode {
            true => Err(BusError),
            false => fetched.word,
        });
        let data = if self.data_answers.is_empty() || !self.chance(timing.data_rvalid_percent) {
            None
        } else {
            self.data_answers.pop_front()
        };
        let random_irq = self.inputs.irq && !self.irq;
        let random_irq =
            if random_irq { !self.chance(timing.irq_falls_percent) } else { self.chance(timing.irq_rises_percent) };
        self.inputs.irq = self.irq || random_irq;
        self.inputs.event = self.event.or_else(|| self.random_event());
        self.inputs.debug_req = self.debug_req;
        self.inputs.instr = self.port(timing.instr_gnt_percent, instr);
        self.inputs.data = self.port(timing.data_gnt_percent, data);
        self.inputs.data_slow = timing.data_gnt_percent < 100 && self.rng.next_u32() & 1 == 1;
        self.inputs.sram_waits = timing.data_gnt_percent < 100 && self.rng.next_u32() & 3 == 3;
        self.inputs.semaphore_waits = timing.data_gnt_percent < 100 && self.rng.next_u32() & 7 == 7;
        self.inputs.busy = !self.instr_answers.is_empty();
        self.model.drive(&self.inputs);
        self.model.eval()?;

        let outputs = self.model.outputs();
        if outputs.instr_req && self.inputs.instr.gnt {
            let at = outputs.instr_addr;
            let area = self.debug_area.as_ref().filter(|area| area.covers(at));
            let word = area.unwrap_or(&self.memory).read(at);
            self.instr_answers.push_back(Fetched { word, of_debug_area: area.is_some() });
        }
        // Only what answers at once and without error does so to a look.
        let found = outputs.look.filter(|_| self.chance(timing.look_percent));
        self.inputs.look = found.and_then(|at| self.memory.read(at).ok());
        let mut granted = None;
        if outputs.data_req && self.inputs.data.gnt {
            let Outputs { data_addr: addr, data_we: we, data_be: be, data_wdata: wdata, .. } = outputs;
            let area = self.debug_area.as_mut().filter(|area| outputs.debug_mode && area.covers(addr));
            let memory = area.unwrap_or(&mut self.memory);
            self.data_answers.push_back(match we {
                true => memory.write(addr, be, wdata).map(|()| 0xDEAD_BEEF),
                false => memory.read(addr),
            });
            granted = Some(Granted { addr, we, be, wdata });
        }
        let rvfi = self.model.rvfi();
        self.edge()?;
        Ok(Clock { outputs, rvfi, granted, irq: self.inputs.irq, event: self.inputs.event })
    }
}
