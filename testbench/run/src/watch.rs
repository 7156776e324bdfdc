//! Passes what happens at a node's pins and in its host to the node's monitor (`nic_monitor`).

use host_model::address::{Pid, VirtPage};
use host_model::host::Host;
use host_model::memory::Memory;
use host_model::pci::PciBus;
use nic_monitor::{Monitor, Pins, Places, PostPlaces, Tap, Transfer};
use nicscope_account::log::Probe;
use sim_pins::Ps;

use crate::personality;

/// The pinned pages of a host, for the monitor.
struct Pinned<'a>(&'a Memory);

impl Pins for Pinned<'_> {
    fn pinned(&self, pid: u32, page: u32) -> Option<u32> {
        self.0.pinned(Pid(pid), VirtPage(page)).map(|frame| frame.0)
    }
}

/// The transfers that were seen on the bus of a host.
pub struct Line {
    tap: Tap,
    /// A buffer for the transfers of one clock edge, kept to save its allocation.
    transfers: Vec<Transfer>,
    /// Resets of the NIC that the monitor knows of.
    resets: u32,
}

/// Connects a tap to the bus of a host, and makes its memory record which pages are unpinned.
pub fn tap(host: &mut Host<PciBus>) -> Line {
    let tap = Tap::default();
    host.bus().bus().set_listener(Some(Box::new(tap.clone())));
    host.node().memory().borrow_mut().watch_unpins();
    Line { tap, transfers: Vec::new(), resets: 0 }
}

/// Tells the monitor what happened at an edge of the PCI clock: unpinned pages, then transfers.
#[inline]
pub fn host(monitor: &mut Monitor, line: &mut Line, host: &Host<PciBus>, at: Ps) {
    let memory = host.node().memory();
    let resets = host.node().driver().resets();
    if resets != line.resets {
        line.resets = resets;
        monitor.reset();
    }
    if memory.borrow().has_unpinned() {
        for frame in memory.borrow_mut().take_unpinned() {
            monitor.unpinned(at, frame.0);
        }
    }
    if line.tap.has_some() {
        line.tap.exchange(&mut line.transfers);
        if !monitor.is_placed() {
            place(monitor, host);
        }
        monitor.transfers(&line.transfers, &Pinned(&memory.borrow()));
        line.transfers.clear();
    }
}

/// Passes a word of a core's trace port to the monitor.
pub fn marker(monitor: &mut Monitor, host: &Host<PciBus>, at: Ps, word: u32) {
    monitor.marker(at, word, &Pinned(&host.node().memory().borrow()));
}

/// Passes the probe pulses of a core clock to the monitor.
#[inline]
pub fn probes(monitor: &mut Monitor, probes: u16) {
    let has = |probe: Probe| probes & 1 << probe as u16 != 0;
    if has(Probe::MacRxDone) {
        monitor.judged(true);
    } else if has(Probe::MacRxDrop) {
        monitor.judged(false);
    }
}

/// Tells the monitor where the NIC's tables are, as soon as the driver knows.
#[cold]
fn place(monitor: &mut Monitor, host: &Host<PciBus>) {
    let node = host.node();
    let (Ok(layout), Some(resources)) = (node.driver().layout(), node.driver().resources()) else { return };
    let Some(watches) = personality::watches(node.driver()) else { return };
    let places = Places {
        registers: resources.registers.0,
        sram: resources.sram.0,
        sram_bytes: resources.sram_bytes,
        posts: layout.posts().ok().map(|posts| PostPlaces {
            process_table: posts.process_entry(0).0,
            queues: posts.queue(0).0,
            queue_count: posts.queue_count as u32,
        }),
        host_pages: node.platform().host_pages(),
    };
    monitor.place(places, watches);
}
