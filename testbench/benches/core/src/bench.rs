//! Drives a model of the core clock by clock, with a memory at both ports.

use std::collections::VecDeque;

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use verilated::Context;

use crate::memory::{BusError, Memory};
use crate::models::{time_at, CoreModel, Inputs, Outputs, PortInputs, Rvfi, CLOCK_CORE, CLOCK_FREE};

/// How quickly memory answers, and how often interrupts and events come. Percentages are chances in
/// each clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// The chance that the port of instructions is granted.
    pub instr_gnt_percent: u32,
    /// The chance that a granted fetch is answered.
    pub instr_rvalid_percent: u32,
    /// The chance that a look at a possible instruction finds the word: 100 in a scratchpad, 0
    /// behind a cache.
    pub look_percent: u32,
    /// The chance that the port of data is granted.
    pub data_gnt_percent: u32,
    /// The chance that a granted access to data is answered.
    pub data_rvalid_percent: u32,
    /// The chance that the interrupt line rises.
    pub irq_rises_percent: u32,
    /// The chance that the interrupt line falls.
    pub irq_falls_percent: u32,
    /// The chance, in each clock, of a halt request, in a thousandth; for benches with a debugger.
    pub halts_permille: u32,
    /// The chance that an event appears on the pins.
    pub event_rises_percent: u32,
    /// The chance that the event disappears or another one takes its place.
    pub event_falls_percent: u32,
}

impl Timing {
    /// Ideal memory: it grants at once and answers in the next clock. There are no interrupts and
    /// no events.
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

    /// As [`Timing::IDEAL`], but instructions come from a cache: looks find nothing.
    pub const CACHED: Timing = Timing { look_percent: 0, ..Timing::IDEAL };

    /// Slow memory: grants and answers come after random waits. There are no interrupts and no
    /// events.
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
    /// The address.
    pub addr: u32,
    /// Whether the access is a write.
    pub we: bool,
    /// The byte enables, a bit for each byte of the word.
    pub be: u8,
    /// The word that is written.
    pub wdata: u32,
}

/// The observations of one clock.
#[derive(PartialEq, Debug)]
pub struct Clock {
    /// The outputs of the core.
    pub outputs: Outputs,
    /// The instruction that retired, if one did.
    pub rvfi: Option<Rvfi>,
    /// The access that was granted on the data port, if one was.
    pub granted: Option<Granted>,
    /// The level of `irq_i` in this clock.
    pub irq: bool,
    /// The event on the pins in this clock.
    pub event: Option<u8>,
}

/// The period of the simulated clock in ps. It matters for waves only.
pub const CLOCK_PS: u64 = 10_000;

/// A fetch that was granted. Whether the debug area may answer is decided when the answer is given,
/// since the first fetch from it is granted before debug mode begins.
struct Fetched {
    word: Result<u32, BusError>,
    of_debug_area: bool,
}

/// A core with a memory at both ports, and the drivers of its other pins.
pub struct Bench<M> {
    /// The model of the core.
    pub model: M,
    /// The memory, for instructions and data.
    pub memory: Memory,
    /// The waits, interrupts and events that are drawn.
    pub timing: Timing,
    /// The level of the interrupt line that a test drives. Random interrupts are added to it.
    pub irq: bool,
    /// The event that a test puts on the pins. If there is none, random events come.
    pub event: Option<u8>,
    /// The level of the debug request.
    pub debug_req: bool,
    /// The memory of the debug area, which a core sees in debug mode only. At other times its
    /// addresses give errors.
    pub debug_area: Option<Memory>,
    /// Whether the core keeps its clock while it sleeps.
    pub keep_clock_running: bool,
    /// The number of clocks in which the core's clock stood still.
    pub stopped: u64,
    inputs: Inputs,
    rng: ChaCha8Rng,
    instr_answers: VecDeque<Fetched>,
    data_answers: VecDeque<Result<u32, BusError>>,
    time_ps: u64,
    /// The clocks since reset.
    clocks: u64,
}

impl<M: CoreModel> Bench<M> {
    /// The number of the hart, which `mhartid` shows.
    pub const HART_ID: u32 = 7;

    /// Builds a model whose core leaves reset with the next clock. The seed decides the initial
    /// values of registers, and all that is random. An error of the model.
    pub fn new(memory: Memory, boot_addr: u32, timing: Timing, seed: u64) -> Result<Bench<M>, verilated::Error> {
        let model = M::build(Context::new().randomized(seed as u32))?;
        Bench::with_model(model, memory, boot_addr, timing, seed)
    }

    /// As [`Bench::new`], with a model that was used before.
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
            clocks: 0,
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

    /// Answers the oldest access of a port. Without an answer it drives nonsense, which the core
    /// must ignore.
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

    /// Draws the event on the pins. An event may follow another at once.
    fn random_event(&mut self) -> Option<u8> {
        let Timing { event_rises_percent, event_falls_percent, .. } = self.timing;
        let event = self.inputs.event;
        if event.is_some() && !self.chance(event_falls_percent) {
            return event;
        }
        self.chance(event_rises_percent).then(|| (self.rng.next_u32() % 32) as u8)
    }

    /// Advances by one clock, and returns its observations. An error of the model, for example a
    /// failed assertion.
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
        self.inputs.time = time_at(self.clocks);
        self.clocks += 1;
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
        // A look finds a word only if the word would come at once and without an error.
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
