//! One NIC in one host, without a link to others.

use std::future::Future;
use std::path::Path;

use host_model::address::NodeId;
use host_model::driver::DriverOptions;
use host_model::host::{Host, HostConfig, Node};
use host_model::pci::PciBus;
use host_model::platform::Platform;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_nic::{clock, Nic, NicConfig, ParameterSet};
use sim_pins::Ps;
use sim_time::{Clock, Scheduler};

/// The limit of simulated time for a task of the host. No correct task takes longer.
const WATCHDOG: Ps = Ps::from_us(50_000);

/// The NIC and the host of a platform, connected at the PCI pins. Time passes only in
/// [`Machine::run`].
pub struct Machine {
    nic: Nic,
    host: Host<PciBus>,
    scheduler: Scheduler<{ clock::COUNT }>,
}

impl Machine {
    /// The machine of platform `tigon2`. With `waves` it behaves the same, but runs slower and can
    /// record waves.
    pub fn new(waves: bool) -> Result<Machine> {
        let platform = Platform::load("tigon2").map_err(|error| failed!("{error}"))?;
        let clocks = [platform.core.clock_hz, platform.pci.clock_hz, platform.link.clock_hz, platform.link.clock_hz];
        let parameters = ParameterSet::Tigon2;
        let nic = NicConfig { waves, ..NicConfig::new(parameters) };
        let driver = DriverOptions::new(NodeId(0), 2, 0);
        let config = HostConfig { platform, driver, trace: false };
        Ok(Machine {
            nic: Nic::new(nic).map_err(|fault| failed!("{fault}"))?,
            host: Host::new(config, |platform, memory| PciBus::new(PciBus::settings(platform), memory))
                .map_err(|error| failed!("{error}"))?,
            scheduler: Scheduler::new(clocks.map(|hz| Clock::new(hz, Ps::ZERO))),
        })
    }

    /// Runs a task of the host to its end, and returns its result. An error if it takes longer than
    /// the limit, or a rule of the driver was broken.
    pub fn run<T: 'static, F: Future<Output = Result<T>> + 'static>(
        &mut self,
        what: &'static str,
        make: impl FnOnce(Node) -> F,
    ) -> Result<T> {
        let task = self.host.spawn(what, make);
        let watchdog = self.now() + WATCHDOG;
        while !task.is_ended() {
            let instant = self.scheduler.advance();
            let at = instant.at;
            let is_pci = instant.rising.contains(clock::PCI);
            if is_pci {
                let lines = self.host.rising_edge(at, &self.nic.drive());
                self.nic.sense_pci(&lines);
            }
            self.nic.tick(instant).map_err(|fault| failed!("{fault}"))?;
            if at > watchdog {
                task.abort();
                return Err(failed!("`{what}` has not ended at {at}, after {WATCHDOG} of simulated time"));
            }
            if is_pci {
                self.check_driver()?;
            }
        }
        task.take().expect("the task has ended")
    }

    fn check_driver(&self) -> Result<()> {
        match self.host.node().driver().failure() {
            Some(failure) => Err(failed!("driver: {failure}")),
            None => Ok(()),
        }
    }

    /// Fails if a rule of the bus was broken so far, or a write was lost.
    pub fn check_bus(&mut self) -> Result<()> {
        let faults = self.host.faults();
        if faults.is_empty() {
            return Ok(());
        }
        Err(failed!("checks were violated: {}", faults.join("; ")))
    }

    /// The simulated time.
    pub fn now(&self) -> Ps {
        self.nic.now()
    }

    /// The core clocks since the machine was made.
    pub fn core_cycles(&self) -> u64 {
        self.nic.core_cycles()
    }

    /// Opens an FST file that records everything from now on. An error if the file cannot be
    /// written or the model has no waves.
    pub fn open_waves(&mut self, path: &Path) -> Result<()> {
        self.nic.open_waves(path).map_err(|fault| failed!("{fault}"))
    }

    /// Ends the FST file.
    pub fn close_waves(&mut self) -> Result<()> {
        self.nic.close_waves().map_err(|fault| failed!("{fault}"))
    }
}
