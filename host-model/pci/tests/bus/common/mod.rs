//! A bus, a mock NIC and a flat memory, run together.

use host_pci::mock::{DmaCompletion, MockMemory, MockNic, MockNicSettings};
use host_pci::{
    Answer, Beat, Bus, BusAddr, BusError, Completion, End, Listener, Settings, Start, Transaction, TransactionId,
    Violation,
};
use sim_pins::{PciLines, Ps};
use std::sync::{Arc, Mutex};

/// 33 MHz.
pub const PERIOD: Ps = Ps(30_000);
pub const BAR_0: BusAddr = BusAddr(0xE000_0000);
pub const BAR_1: BusAddr = BusAddr(0xE100_0000);
pub const MEMORY_BYTES: usize = 1 << 16;
/// No test needs more clocks for one thing than this.
pub const WATCHDOG_CLOCKS: u64 = 200_000;

pub struct Bench {
    pub bus: Bus,
    pub nic: MockNic,
    pub memory: MockMemory,
    pub at: Ps,
    pub lines: PciLines,
    pub clocks: u64,
}

impl Bench {
    pub fn new(settings: Settings, nic: MockNicSettings) -> Bench {
        Bench {
            bus: Bus::new(settings).expect("the settings are legal"),
            nic: MockNic::new(nic),
            memory: MockMemory::new(MEMORY_BYTES),
            at: Ps::ZERO,
            lines: PciLines::IDLE,
            clocks: 0,
        }
    }

    /// Out of reset, BARs placed, memory, mastering and parity response on.
    pub fn running(settings: Settings, nic: MockNicSettings) -> Bench {
        let mut bench = Bench::new(settings, nic);
        bench.set_up();
        bench
    }

    /// The NIC's latency timer is 32 clocks.
    pub fn set_up(&mut self) {
        self.set_up_with_timer(32);
    }

    pub fn set_up_with_timer(&mut self, latency_timer_clocks: u8) {
        let device = self.bus.settings().nic_device;
        for (register, data) in
            [(0x10, BAR_0.0), (0x14, BAR_1.0), (0x0C, u32::from(latency_timer_clocks) << 8 | 8), (0x04, 0x0146)]
        {
            self.run(Transaction::config_write(device, register, data)).expect("configuration is writable");
        }
    }

    pub fn clock(&mut self) {
        self.at += PERIOD;
        self.clocks += 1;
        self.lines = self.bus.rising_edge(self.at, self.nic.drive(), &mut self.memory);
        self.nic.rising_edge(self.at, &self.lines);
    }

    pub fn clocks(&mut self, count: u64) {
        for _ in 0..count {
            self.clock();
        }
    }

    /// Submits and waits for the completion.
    pub fn run(&mut self, transaction: Transaction) -> Result<Answer, BusError> {
        let id = self.bus.submit(transaction);
        self.completion_of(id).result
    }

    pub fn completion_of(&mut self, id: TransactionId) -> Completion {
        for _ in 0..WATCHDOG_CLOCKS {
            self.clock();
            while let Some(completion) = self.bus.next_completion() {
                if completion.id == id {
                    return completion;
                }
            }
        }
        panic!("{id:?} hangs");
    }

    pub fn read(&mut self, addr: BusAddr) -> u32 {
        match self.run(Transaction::read_dword(addr)) {
            Ok(Answer::Read(words)) => words[0],
            other => panic!("a read of {addr} gave {other:?}"),
        }
    }

    pub fn next_dma(&mut self) -> DmaCompletion {
        for _ in 0..WATCHDOG_CLOCKS {
            if let Some(completion) = self.nic.next_dma_completion() {
                return completion;
            }
            self.clock();
        }
        panic!("the DMA hangs");
    }

    /// Until nothing is on its way.
    pub fn drain(&mut self) {
        for _ in 0..WATCHDOG_CLOCKS {
            if self.bus.is_idle() && self.nic.is_idle() {
                return self.clocks(8);
            }
            self.clock();
        }
        panic!("the bus does not come to rest");
    }

    pub fn expect_clean(&self) {
        assert_eq!(self.bus.violations(), &[] as &[Violation]);
    }
}

/// What a listener heard.
#[derive(Default)]
pub struct Log {
    pub starts: Vec<(Ps, Start)>,
    pub first_data: Vec<(Ps, Beat)>,
    pub ends: Vec<(Ps, End)>,
    pub interrupts: Vec<(Ps, bool)>,
}

struct Logger(Arc<Mutex<Log>>);

impl Listener for Logger {
    fn start(&mut self, at: Ps, start: &Start) {
        self.0.lock().unwrap().starts.push((at, *start));
    }
    fn first_data(&mut self, at: Ps, beat: &Beat) {
        self.0.lock().unwrap().first_data.push((at, *beat));
    }
    fn end(&mut self, at: Ps, end: &End) {
        self.0.lock().unwrap().ends.push((at, *end));
    }
    fn interrupt(&mut self, at: Ps, asserted: bool) {
        self.0.lock().unwrap().interrupts.push((at, asserted));
    }
}

/// Listens to the bus from now on.
pub fn listen(bench: &mut Bench) -> Arc<Mutex<Log>> {
    let log = Arc::new(Mutex::new(Log::default()));
    bench.bus.set_listener(Some(Box::new(Logger(log.clone()))));
    log
}
