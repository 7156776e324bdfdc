//! The host on the pin-level bus: the same driver and library, with the mock NIC of `host-pci` at
//! the other end.

use std::collections::VecDeque;

use host_model::address::{BusAddr, NodeId};
use host_model::driver::DriverOptions;
use host_model::events::{EventKind, Subject};
use host_model::host::{Host, HostConfig, Node};
use host_model::mock::{elf_image, MockReply};
use host_model::pci::PciBus;
use host_model::platform::Platform;
use host_model::processor::Priority;
use host_pci::mock::{DmaCompletion, HostWrite, MockNic, MockNicSettings};
use host_pci::{BusError, Word};
use nic_layout::boot::{caches, BOOT_REPLY_ADDRESS};
use nic_layout::post::ProcessStatus;
use nic_layout::registers::{ident, interrupt, mailbox};
use nic_layout::ring::{MAILBOX_FILLED, MAILBOX_MISS};
use nic_layout::tables::{MissEntry, ProcessEntry};
use nic_layout::vmh::{key, VmhGeometry, KEY_RESERVED, KEY_VALID};
use sim_pins::Ps;
use zerocopy::{FromBytes, IntoBytes};

const GEOMETRY: VmhGeometry = VmhGeometry { entries: 256, line_entries: 8, ways: 2 };

fn layout() -> MockReply {
    MockReply {
        post_queues: 0x1_0000,
        post_queue_count: 8,
        process_table: 0x2_0000,
        miss_ring: 0x2_4000,
        notify_ring: 0,
        personality: caches::PERSONALITY,
        vmh_cache: 0x2_5000,
        vmh_entries: GEOMETRY.entries,
        vmh_line_entries: GEOMETRY.line_entries,
        vmh_ways: GEOMETRY.ways,
        cbh_cache: 0x2_9000,
        cbh_entries: 16,
        cbh_ways: 2,
        counters: 0x2_8000,
        tx_buffers: 0x3_0000,
        rx_buffers: 0x3_0000,
        free: 0x3_0000,
        key_bits: 64,
        ..MockReply::default()
    }
}

/// Host, bus and NIC, with as much firmware as the test needs: it boots.
struct Bench {
    host: Host<PciBus>,
    nic: MockNic,
    now: Ps,
    clock: Ps,
    writes: VecDeque<(Ps, HostWrite)>,
}

impl Bench {
    fn new(platform: &str) -> Bench {
        let mut platform = Platform::load(platform).expect("built in");
        platform.host.memory_mib = 16;
        platform.host.pinned_pages_max = 2048;
        let sram_bytes = platform.sram.bytes;
        let clock = platform.pci_clock();
        let config = HostConfig { platform, driver: DriverOptions::new(NodeId(0), 2, 7), trace: true };
        let host = Host::new(config, |platform, memory| PciBus::new(PciBus::settings(platform), memory));
        let settings = MockNicSettings {
            vendor: 0x4E53,
            device: 0x4943,
            bar_bytes: [0x2_0000, sram_bytes],
            records_host_writes: true,
            ..MockNicSettings::default()
        };
        let mut nic = MockNic::new(settings);
        for (register, value) in [
            (ident::ID.offset(), ident::ID_RESET),
            (ident::VERSION.offset(), ident::VERSION_RESET.0),
            (ident::SRAM_BYTES.offset(), sram_bytes),
        ] {
            nic.bar_mut(0)[register.0 as usize..][..4].copy_from_slice(&value.to_le_bytes());
        }
        let host = host.expect("good settings");
        Bench { host, nic, now: Ps::ZERO, clock, writes: VecDeque::new() }
    }

    fn step(&mut self) {
        self.now += self.clock;
        let lines = self.host.rising_edge(self.now, self.nic.drive());
        self.nic.rising_edge(self.now, &lines);
        while let Some(write) = self.nic.next_host_write() {
            let register = |offset: nic_layout::registers::Offset| write.bar == 0 && write.offset_bytes == offset.0;
            if register(ident::CORE_CONTROL.offset()) && write.word.data & 1 == 1 {
                let reply = layout().bytes();
                self.nic.bar_mut(1)[BOOT_REPLY_ADDRESS as usize..][..reply.len()].copy_from_slice(&reply);
            }
            if register(interrupt::CAUSE.offset()) {
                self.set_register(interrupt::STATUS.offset().0, 0);
                self.nic.set_interrupt(false);
            }
            self.writes.push_back((self.now, write));
        }
    }

    fn set_register(&mut self, offset: u32, value: u32) {
        self.nic.bar_mut(0)[offset as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }

    fn sram<T: FromBytes>(&self, address: u32) -> T {
        T::read_from_bytes(&self.nic.bar(1)[address as usize..][..size_of::<T>()]).expect("as long")
    }

    fn run<T: 'static, F: std::future::Future<Output = T> + 'static>(&mut self, make: impl FnOnce(Node) -> F) -> T {
        let task = self.host.spawn("test", make);
        for _ in 0..4_000_000 {
            self.step();
            if let Some(value) = task.take() {
                while !self.host.is_quiet() {
                    self.step();
                }
                return value;
            }
        }
        panic!("still running: {:?}", self.host.live_tasks());
    }

    fn clocks(&mut self, count: u32) {
        (0..count).for_each(|_| self.step());
    }

    fn boot(&mut self) {
        let image: Vec<u32> = (0..256).collect();
        self.run(|node| async move { node.boot(&elf_image(&image)).await }).expect("boots");
    }

    fn dma_end(&mut self) -> DmaCompletion {
        for _ in 0..10_000 {
            self.step();
            if let Some(end) = self.nic.next_dma_completion() {
                return end;
            }
        }
        panic!("the DMA does not end");
    }
}

#[test]
fn every_platform_boots_over_pins() {
    for name in Platform::names() {
        let mut bench = Bench::new(name);
        bench.boot();
        assert_eq!(bench.host.faults(), Vec::<String>::new(), "{name}");
        let word: u32 = bench.sram(0x400 + 4 * 255);
        assert_eq!(word, 255);
    }
}

#[test]
fn a_post_goes_out_and_its_status_comes_back_by_dma() {
    let mut bench = Bench::new("tigon2");
    bench.boot();
    let process = bench.run(|node| async move { node.open("app").await }).expect("a slot");
    let from = process.alloc(4096).expect("room");
    let poster = process.clone();
    bench.writes.clear();
    let handle = bench.run(|_| async move {
        let export = poster.export(from, 4096).await.expect("room");
        poster.write(from, 64, &export, 0, 5).await.expect("room")
    });
    let doorbell = bench.writes.back().expect("written").1;
    assert_eq!((doorbell.bar, doorbell.offset_bytes, doorbell.word.data), (0, 0x1_0000, 1));
    let entry: ProcessEntry = bench.sram(layout().process_table);
    let status = ProcessStatus { ended: 1, ..ProcessStatus::default() };
    let words =
        status.as_bytes().chunks(4).map(|word| Word::full(u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
    bench.nic.dma_write(BusAddr(entry.status_address), words.collect());
    bench.run(|_| async move { process.wait(handle).await }).expect("completed");
    assert_eq!(bench.host.faults(), Vec::<String>::new());
    let events = bench.host.node().log().events();
    let seen: Vec<EventKind> =
        events.iter().filter(|event| matches!(event.subject, Subject::Post { .. })).map(|event| event.kind).collect();
    assert_eq!(seen.last(), Some(&EventKind::StatusSeen));
    assert!(seen.contains(&EventKind::DoorbellWritten));
}

#[test]
fn a_miss_goes_from_the_pin_of_the_interrupt_to_the_filled_line() {
    let mut bench = Bench::new("lanai9");
    bench.boot();
    let process = bench.run(|node| async move { node.open("app").await }).expect("a slot");
    let start = process.alloc(8 * 4096).expect("room");
    process.store(start, b"first touch").expect("mapped");
    let first = GEOMETRY.line_page(start.page().0);
    let line = GEOMETRY.set_of(first) * GEOMETRY.ways;
    let entry = MissEntry { key: key(process.pid().0, first, KEY_RESERVED), line, kind: 0, cycles: 0 };
    let ring = layout().miss_ring as usize;
    bench.nic.bar_mut(1)[ring..][..size_of::<MissEntry>()].copy_from_slice(entry.as_bytes());
    bench.set_register(mailbox::TO_HOST.at(MAILBOX_MISS).offset().0, 1);
    bench.set_register(interrupt::STATUS.offset().0, 1 << MAILBOX_MISS);
    bench.nic.set_interrupt(true);
    bench.clocks(4_000);

    let valid: u32 = bench.sram(layout().vmh_cache + GEOMETRY.key_offset(line));
    assert_eq!(valid, key(process.pid().0, first, KEY_VALID));
    let last = bench.writes.back().expect("written").1;
    let filled = mailbox::TO_NIC.at(MAILBOX_FILLED).offset().0;
    assert_eq!((last.bar, last.offset_bytes, last.word.data), (0, filled, 1));
    assert_eq!(bench.host.faults(), Vec::<String>::new());

    // The page that the NIC was given is the one that holds the bytes.
    let page: u32 = bench.sram(layout().vmh_cache + GEOMETRY.entry_offset(line, start.page().0 - first));
    bench.nic.dma_read(BusAddr(page << 12), 3);
    let words = bench.dma_end().result.expect("pinned");
    assert_eq!(words.as_bytes()[..11], *b"first touch");
}

#[test]
fn dma_to_a_page_that_is_not_pinned_is_aborted_and_fails_the_run() {
    let mut bench = Bench::new("tigon2");
    bench.boot();
    let process = bench.run(|node| async move { node.open("app").await }).expect("a slot");
    let start = process.alloc(4096).expect("room");
    let page = bench.host.node().memory().borrow_mut().touch(process.pid(), start.page()).expect("mapped");
    bench.nic.dma_write(page.start().on_bus(), vec![Word::full(1); 4]);
    assert_eq!(bench.dma_end().result, Err(BusError::TargetAbort));
    assert_eq!(process.load(start, 4).expect("mapped"), [0; 4]);
    bench.nic.dma_read(BusAddr(0x4000_0000), 1);
    assert_eq!(bench.dma_end().result, Err(BusError::MasterAbort));
    let faults = bench.host.faults();
    assert!(faults.len() >= 2 && faults.iter().all(|fault| fault.starts_with("INV-26 at")), "{faults:?}");
}

/// What the bus measures, and the platform charges, for the accesses of a processor: printed, and
/// held in wide bounds.
#[test]
fn the_cost_of_programmed_io_is_near_the_published_one() {
    for (name, published_ns, least_mb_per_s) in [("tigon2", 380, 100), ("lanai9", 500, 60)] {
        let mut bench = Bench::new(name);
        bench.boot();
        let (read, burst) = bench.run(|node| async move {
            let cpu = node.cpu("probe", Priority::User);
            let device = node.driver().device(&cpu).expect("booted");
            let begin = node.sim().now();
            for _ in 0..16 {
                device.read(ident::ID).await.expect("answers");
            }
            let read = (node.sim().now() - begin).0 / 16;
            let begin = node.sim().now();
            device.write_sram(host_model::address::SramAddr(0x4000), &[0x55; 4096]).await;
            (read, (node.sim().now() - begin).0)
        });
        let mb_per_s = 16_384_000_000 / (burst / 1000);
        println!("{name}: PIO read {read} ps (published {published_ns} ns), write-combined stores {mb_per_s} KB/s");
        assert!((published_ns * 300..published_ns * 2_000).contains(&read), "{name}: {read} ps");
        assert!(mb_per_s > least_mb_per_s * 1000 / 2, "{name}: {mb_per_s} KB/s");
    }
}

#[test]
fn an_idle_host_costs_little_per_clock() {
    let mut bench = Bench::new("tigon2");
    bench.boot();
    bench.clocks(100);
    let drive = *bench.nic.drive();
    // The best of several batches: other jobs share the machine.
    let batch_ns = (0..10).map(|_| {
        let begin = std::time::Instant::now();
        for _ in 0..200_000 {
            bench.now += bench.clock;
            bench.host.rising_edge(bench.now, &drive);
        }
        begin.elapsed().as_nanos() as f64 / 2e5
    });
    let ns = batch_ns.fold(f64::INFINITY, f64::min);
    println!("an edge of an idle host: {ns:.1} ns");
    assert!(ns < 200.0, "{ns}");
}
