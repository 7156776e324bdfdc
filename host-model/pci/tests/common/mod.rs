//! A bus, a mock NIC and a flat memory, run together.
#![allow(dead_code)]

use host_pci::mock::{DmaCompletion, MockMemory, MockNic, MockNicSettings};
use host_pci::{
    Answer, Bus, BusAddr, BusError, Completion, Settings, Transaction, TransactionId, Violation,
};
use sim_pins::{PciLines, Ps};

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

    pub fn set_up(&mut self) {
        let device = self.bus.settings().nic_device;
        for (register, data) in [
            (0x10, BAR_0.0),
            (0x14, BAR_1.0),
            (0x0C, 0x2008),
            (0x04, 0x0146),
        ] {
            self.run(Transaction::config_write(device, register, data))
                .expect("configuration is writable");
        }
    }

    pub fn clock(&mut self) {
        self.at += PERIOD;
        self.clocks += 1;
        self.lines = self
            .bus
            .rising_edge(self.at, self.nic.drive(), &mut self.memory);
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
