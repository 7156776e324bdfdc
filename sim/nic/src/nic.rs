use std::path::Path;

use sim_pins::{LinkSymbol, PciDrive, PciLines, Ps};
use sim_time::{ClockSet, Instant};
use verilated::{Context, Model, TraceFormat};

use crate::models::{ParameterSet, Top};
use crate::pci;
use crate::recording::Recording;
use crate::waves::{WavePlan, WaveStep, WaveWindow};

/// The numbers of the NIC's clocks in a [`ClockSet`].
pub mod clock {
    /// The clock of cores, SRAM and engines.
    pub const CORE: usize = 0;
    /// The clock of the PCI bus.
    pub const PCI: usize = 1;
    /// The transmit clock of the link.
    pub const GMII_TX: usize = 2;
    /// The receive clock of the link, which is the sender's.
    pub const GMII_RX: usize = 3;
    /// How many clocks the NIC has.
    pub const COUNT: usize = 4;
}

/// Behind them in the build: the clocks of the cores, which stop while these sleep.
const CORE_A: u32 = clock::COUNT as u32;
const CORE_B: u32 = CORE_A + 1;

/// What to build.
#[derive(Clone, Debug)]
pub struct NicConfig {
    /// Which build of the NIC.
    pub parameters: ParameterSet,
    /// Needed for [`Nic::add_wave_window`] and [`Nic::open_waves`]. The same cycles, but slower.
    pub waves: bool,
    /// Where messages of the RTL go, and the seed of undefined values.
    pub context: Context,
    /// The seed by which crossings between clocks see some changes one clock late, as they do where
    /// a flip-flop samples while its input changes. `None`: never.
    pub late_crossings: Option<u32>,
}

impl NicConfig {
    /// A NIC without waves and without late crossings.
    pub fn new(parameters: ParameterSet) -> NicConfig {
        NicConfig { parameters, waves: false, context: Context::new(), late_crossings: None }
    }
}

/// An assertion of the RTL that failed, or a wave file that cannot be written; and when.
#[derive(Debug, thiserror::Error)]
#[error("NIC at {at}: {source}")]
pub struct Fault {
    /// Simulated time of the fault.
    pub at: Ps,
    /// What the model reports.
    pub source: verilated::Error,
}

/// One NIC.
pub struct Nic {
    top: Top,
    parameters: ParameterSet,
    now: Ps,
    rising: ClockSet,
    core_cycles: u64,
    /// Clocks of cores that never stop.
    unstoppable: u32,
    lines: PciLines,
    plan: WavePlan,
    next_wave_step: Ps,
    wave_format: TraceFormat,
    recording: Option<Box<Recording>>,
}

fn at_start(source: verilated::Error) -> Fault {
    Fault { at: Ps::ZERO, source }
}

impl Nic {
    /// A NIC in the state before its first reset.
    ///
    /// # Errors
    ///
    /// If the model could not be built.
    pub fn new(config: NicConfig) -> Result<Nic, Fault> {
        let late = config.late_crossings.map(|seed| format!("+nic_late_crossings={seed}"));
        let top = config.parameters.build(config.waves, config.context.plusargs(late)).map_err(at_start)?;
        Nic::of(top, config.parameters, TraceFormat::Fst)
    }

    /// A `tigon2` whose waves are VCD files, to learn what those cost.
    #[cfg(feature = "vcd")]
    pub fn with_vcd(context: Context) -> Result<Nic, Fault> {
        Nic::of(crate::models::tigon2_with_vcd(context).map_err(at_start)?, ParameterSet::Tigon2, TraceFormat::Vcd)
    }

    fn of(mut top: Top, parameters: ParameterSet, wave_format: TraceFormat) -> Result<Nic, Fault> {
        pci::sense(&top, &PciLines::IDLE);
        top.eval().map_err(at_start)?;
        Ok(Nic {
            top,
            parameters,
            now: Ps::ZERO,
            rising: ClockSet::EMPTY,
            core_cycles: 0,
            unstoppable: 0,
            lines: PciLines::IDLE,
            plan: WavePlan::default(),
            next_wave_step: Ps::MAX,
            wave_format,
            recording: None,
        })
    }

    /// The build of this NIC.
    pub fn parameters(&self) -> ParameterSet {
        self.parameters
    }

    /// The instant of the last tick.
    pub fn now(&self) -> Ps {
        self.now
    }

    /// Core clocks so far.
    pub fn core_cycles(&self) -> u64 {
        self.core_cycles
    }

    // ---- Pins -----------------------------------------------------------------------------------

    /// The levels that the next rising edge of the PCI clock samples. RST# acts at the next tick,
    /// whichever clocks rise in it.
    #[inline]
    pub fn sense_pci(&mut self, lines: &PciLines) {
        if self.lines != *lines {
            self.lines = *lines;
            pci::sense(&self.top, lines);
        }
    }

    /// What the NIC drives on the PCI bus until the next rising edge of the PCI clock.
    #[inline]
    pub fn drive(&self) -> PciDrive {
        pci::drive(&self.top)
    }

    /// The symbol that the next rising edge of the receive clock samples.
    #[inline]
    pub fn receive(&mut self, symbol: LinkSymbol) {
        self.top.gmii_rxd_i.set(symbol.data);
        self.top.gmii_rx_dv_i.set(symbol.enable as u8);
        self.top.gmii_rx_er_i.set(symbol.error as u8);
    }

    /// The symbol that the NIC drives since the last rising edge of the transmit clock.
    #[inline]
    pub fn transmit(&self) -> LinkSymbol {
        LinkSymbol {
            data: self.top.gmii_txd_o.get(),
            enable: self.top.gmii_tx_en_o.is_high(),
            error: self.top.gmii_tx_er_o.is_high(),
        }
    }

    /// The trace marker of this core clock: `{id[7:0], argument[23:0]}`. None unless the core clock
    /// rose in the last tick.
    #[inline]
    pub fn marker(&self) -> Option<u32> {
        (self.rising.contains(clock::CORE) && self.top.trace_a_valid_o.is_high()).then(|| self.top.trace_a_data_o.get())
    }

    /// The same of core B; never with one core.
    #[inline]
    pub fn marker_b(&self) -> Option<u32> {
        (self.rising.contains(clock::CORE) && self.top.trace_b_valid_o.is_high()).then(|| self.top.trace_b_data_o.get())
    }

    /// The probe pulses of this core clock, bits `nic_pkg::PROBE_*`. Zero unless the core clock
    /// rose in the last tick.
    #[inline]
    pub fn probes(&self) -> u16 {
        if self.rising.contains(clock::CORE) {
            self.top.probe_o.get()
        } else {
            0
        }
    }

    // ---- Time -----------------------------------------------------------------------------------

    /// Advances by one instant: the clocks in it rise together. An assertion of the RTL that fails
    /// in it is the error.
    #[inline]
    pub fn tick(&mut self, instant: Instant) -> Result<(), Fault> {
        let Instant { at, rising } = instant;
        if at >= self.next_wave_step {
            self.follow_wave_plan(at)?;
        }
        self.now = at;
        self.rising = rising;
        self.core_cycles += u64::from(rising.contains(clock::CORE));
        if self.recording.is_some() {
            return self.tick_recorded(instant);
        }
        let rising = self.with_cores(rising);
        self.top.tick(at.0, rising).map_err(|source| Fault { at, source })
    }

    /// The gates of the clocks: with the core clock rise those of the cores that want theirs.
    #[inline]
    fn with_cores(&self, rising: ClockSet) -> u32 {
        if !rising.contains(clock::CORE) {
            return rising.0;
        }
        let wanted =
            u32::from(self.top.core_a_clock_o.get()) << CORE_A | u32::from(self.top.core_b_clock_o.get()) << CORE_B;
        rising.0 | wanted | self.unstoppable
    }

    /// From now on no core's clock stops. The same cycles, but slower.
    pub fn keep_core_clocks_running(&mut self) {
        self.unstoppable = 1 << CORE_A | 1 << CORE_B;
    }

    // ---- Recording ------------------------------------------------------------------------------

    /// Records inputs and outputs from now on: before the first tick, since a recording is of a
    /// whole run.
    pub fn record(&mut self) {
        assert!(self.rising.is_empty(), "a recording begins before the first tick");
        self.recording = Some(Box::default());
    }

    /// What was recorded; empty if nothing was to be.
    pub fn take_recording(&mut self) -> Recording {
        self.recording.take().map(|recording| *recording).unwrap_or_default()
    }

    #[cold]
    fn tick_recorded(&mut self, instant: Instant) -> Result<(), Fault> {
        let mut recording = self.recording.take().expect("asked by the caller");
        let received = LinkSymbol {
            data: self.top.gmii_rxd_i.get(),
            enable: self.top.gmii_rx_dv_i.get() != 0,
            error: self.top.gmii_rx_er_i.get() != 0,
        };
        recording.note_inputs(instant, &self.lines, received);
        let rising = self.with_cores(instant.rising);
        self.top.tick(instant.at.0, rising).map_err(|source| Fault { at: instant.at, source })?;
        let trace = (self.top.trace_a_valid_o.is_high(), self.top.trace_a_data_o.get());
        recording.note_outputs(&self.drive(), self.transmit(), trace, self.top.probe_o.get());
        self.recording = Some(recording);
        Ok(())
    }

    // ---- Waves ----------------------------------------------------------------------------------

    /// Plans an FST file of all instants from `from` to before `to`. Windows are given in order and
    /// do not overlap.
    pub fn add_wave_window(&mut self, window: WaveWindow) {
        self.plan.add(window);
        self.next_wave_step = self.plan.next_step();
    }

    /// Begins a wave file now, beside the plan: it must be closed before the next window begins.
    pub fn open_waves(&mut self, path: impl AsRef<Path>) -> Result<(), Fault> {
        self.top.open_trace(self.wave_format, path, 0).map_err(|source| Fault { at: self.now, source })
    }

    /// Completes the open wave file, if there is one.
    pub fn close_waves(&mut self) -> Result<(), Fault> {
        self.top.close_trace().map_err(|source| Fault { at: self.now, source })
    }

    /// Takes what the RTL prints, instead of standard error.
    pub fn on_display(&mut self, display: impl FnMut(&str) + Send + 'static) {
        self.top.on_display(display);
    }

    #[cold]
    fn follow_wave_plan(&mut self, at: Ps) -> Result<(), Fault> {
        while let Some(step) = self.plan.step(at) {
            match step {
                WaveStep::Open(path) => self.open_waves(path)?,
                WaveStep::Close => self.close_waves()?,
            }
        }
        self.next_wave_step = self.plan.next_step();
        Ok(())
    }
}
