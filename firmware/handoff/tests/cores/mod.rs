//! Two cores as threads of `loom`, which runs every interleaving of their accesses.
//!
//! The accesses of a NIC's cores to SRAM and registers are made in program order, and a read sees
//! every write before it. `loom` may answer a load with an older value, whatever its ordering. It
//! does not do so for an exchange or an addition. So each access is one of these, and a run is an
//! interleaving of the accesses.
#![allow(dead_code, reason = "each test uses its part of this")]

use std::sync::{Arc, Mutex};

use loom::sync::atomic::{AtomicU32, Ordering::SeqCst};
use loom::thread::{self, Thread};
use nic_device::Words;
use nic_handoff::Bell;

/// A word that both cores see.
#[derive(Clone)]
pub struct Word(Arc<AtomicU32>);

impl Word {
    pub fn new(value: u32) -> Word {
        Word(Arc::new(AtomicU32::new(value)))
    }

    pub fn get(&self) -> u32 {
        self.0.fetch_add(0, SeqCst)
    }

    /// Stores a value and returns the value before.
    pub fn put(&self, value: u32) -> u32 {
        self.0.swap(value, SeqCst)
    }

    /// Sets bits. The value before.
    pub fn or(&self, bits: u32) -> u32 {
        self.0.fetch_or(bits, SeqCst)
    }

    /// Keeps bits. The value before.
    pub fn and(&self, bits: u32) -> u32 {
        self.0.fetch_and(bits, SeqCst)
    }

    /// Adds. The value before.
    pub fn add(&self, count: u32) -> u32 {
        self.0.fetch_add(count, SeqCst)
    }

    /// Subtracts. The value before.
    pub fn subtract(&self, count: u32) -> u32 {
        self.0.fetch_sub(count, SeqCst)
    }
}

/// SRAM, zeros at first. A clone is the same memory.
#[derive(Clone)]
pub struct Sram(Arc<[Word]>);

impl Sram {
    pub fn new(bytes: u32) -> Sram {
        Sram((0..bytes / 4).map(|_| Word::new(0)).collect())
    }
}

impl Words for Sram {
    fn read(&self, offset_bytes: u32) -> u32 {
        self.0[offset_bytes as usize / 4].get()
    }

    fn write(&mut self, offset_bytes: u32, value: u32) {
        self.0[offset_bytes as usize / 4].put(value);
    }
}

/// The event of a core, and the core while it sleeps.
#[derive(Clone)]
pub struct CoreBell {
    rung: Word,
    /// Not a point at which `loom` changes threads. So what follows an access of `rung` belongs to
    /// that access.
    asleep: Arc<Mutex<Option<Thread>>>,
}

impl CoreBell {
    pub fn new() -> CoreBell {
        CoreBell { rung: Word::new(0), asleep: Arc::default() }
    }

    /// `wfi`: ends when the bell rings, at once if it does. If it never rings again, and the other
    /// threads end or sleep too, `loom` reports a deadlock.
    pub fn sleep(&self) {
        while self.rung.get() == 0 {
            *self.asleep.lock().unwrap() = Some(thread::current());
            thread::park();
        }
    }
}

impl Bell for CoreBell {
    fn is_rung(&self) -> bool {
        self.rung.get() == 1
    }

    fn ring(&mut self) {
        self.rung.put(1);
        if let Some(core) = self.asleep.lock().unwrap().take() {
            core.unpark();
        }
    }

    fn clear(&mut self) {
        self.rung.put(0);
    }
}

/// Runs a model in every interleaving of its threads, and prints how many there are. `switches`
/// leaves out those in which more often a core stops that could go on.
pub fn check(name: &str, switches: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let runs = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = switches;
    let start = std::time::Instant::now();
    builder.check(move || {
        counted.fetch_add(1, SeqCst);
        model();
    });
    println!("{name}: {runs:?} interleavings in {:.1?}", start.elapsed());
}
