//! A host on the mock NIC, with a clock.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::Future;
use std::rc::Rc;

use host_model::address::NodeId;
use host_model::driver::{DriverError, DriverOptions, ServiceEntry, SERVICES};
use host_model::host::{Host, HostConfig, Node};
use host_model::library::Process;
use host_model::mock::{elf_image, MockBus, MockNic, Place, Written};
use host_model::platform::Platform;
use sim_pins::{PciDrive, Ps};

pub const CLOCK: Ps = Ps::from_ns(30);

pub struct Bench {
    pub host: Host<MockBus>,
    pub nic: Rc<RefCell<MockNic>>,
    pub now: Ps,
}

pub fn platform() -> Platform {
    let mut platform = Platform::load("tigon2").expect("built in");
    platform.host.memory_mib = 16;
    platform.host.pinned_pages_max = 2048;
    platform.host.pinned_pages_high = 1024;
    platform.host.pinned_pages_low = 512;
    platform
}

pub fn options() -> DriverOptions {
    DriverOptions::new(NodeId(1), 2, 42)
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with(platform(), options())
    }

    pub fn with(platform: Platform, driver: DriverOptions) -> Bench {
        Bench::serving(platform, driver, SERVICES)
    }

    /// With these personalities.
    pub fn serving(platform: Platform, driver: DriverOptions, services: &'static [ServiceEntry]) -> Bench {
        let mut nic = None;
        let config = HostConfig { platform, driver, trace: true };
        let host = Host::with_services(config, services, |platform, memory| {
            let (bus, mock) = MockBus::new(platform.sram.bytes, memory);
            nic = Some(mock);
            Ok::<_, Infallible>(bus)
        });
        let Ok(host) = host;
        Bench { host, nic: nic.expect("set above"), now: Ps::ZERO }
    }

    /// Booted.
    pub fn ready() -> Bench {
        let mut bench = Bench::new();
        bench.boot().expect("the mock NIC boots");
        bench
    }

    pub fn boot(&mut self) -> Result<(), DriverError> {
        self.run(|node| async move { node.boot(&elf_image(&[1, 2, 3, 4])).await })
    }

    pub fn open(&mut self) -> Process {
        self.run(|node| async move { node.open("app").await.expect("a free slot") })
    }

    pub fn clocks(&mut self, count: u64) {
        for _ in 0..count {
            self.now += CLOCK;
            self.host.rising_edge(self.now, &PciDrive::NONE);
        }
    }

    pub fn us(&mut self, us: u64) {
        self.clocks(us * 1_000_000 / CLOCK.0);
    }

    /// Runs a task to its end, and its posted writes to the NIC.
    pub fn run<T: 'static, F: Future<Output = T> + 'static>(&mut self, make: impl FnOnce(Node) -> F) -> T {
        let task = self.host.spawn("test", make);
        for _ in 0..2_000_000 {
            self.clocks(1);
            if let Some(value) = task.take() {
                while !self.host.is_quiet() {
                    self.clocks(1);
                }
                return value;
            }
        }
        panic!("still running after 60 ms: {:?}", self.host.live_tasks());
    }

    /// Forgets the writes so far.
    pub fn forget_writes(&self) {
        self.nic.borrow_mut().writes.clear();
    }

    /// Place and value of each write since, in bus order.
    pub fn writes(&self) -> Vec<(Place, u32)> {
        let nic = self.nic.borrow();
        nic.writes.iter().map(|Written { place, value, .. }| (*place, *value)).collect()
    }
}
