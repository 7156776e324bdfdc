//! Runs single operations of the translation cache for the host (`nic_layout::probe`): the same
//! lists that test the cache on a host replay here on the core, its SRAM and its bus.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(target_arch = "riscv32")]
mod image {
    use nic_firmware::boot;
    use nic_firmware::geometry::{ENTRIES, KEY_BITS, LINE_ENTRIES, WAYS};
    use nic_firmware::memory::{load, read_sram, store, trace, wait_for_event, write_sram, Sram};
    use nic_layout::boot::caches::{CachesReply, PERSONALITY};
    use nic_layout::boot::{
        BootError, CountersReply, LinkReply, LinkRequest, NicReply, NicRequest, PostsReply, RingsReply, Sections,
        SectionsWriter, BOOT_MAGIC,
    };
    use nic_layout::probe::*;
    use nic_layout::registers::{event_a, mailbox, timer};
    use nic_layout::ring::Event;
    use nic_layout::trace::Marker;
    use nic_lookup::{Lookup, Path, Reserve, Vmh};

    type Cache = Vmh<ENTRIES, LINE_ENTRIES, WAYS>;

    const SLOT_BYTES: u32 = 16;

    /// Answer, line, entry.
    type Answer = (u32, u32, u32);

    #[link_section = ".fast.text"]
    #[inline(never)]
    fn use_page(cache: &Cache, path: Path, pid: u32, page: u32) -> Answer {
        match cache.lookup(&mut Sram, path, pid, page) {
            Lookup::Hit { line, entry } => (ANSWER_HIT, line, entry),
            Lookup::Pending => (ANSWER_PENDING, 0, 0),
            Lookup::Absent => match cache.reserve(&mut Sram, pid, page) {
                Reserve::Line(line) => (ANSWER_RESERVED, line, 0),
                Reserve::NoWay => (ANSWER_NO_WAY, 0, 0),
            },
        }
    }

    #[inline(never)]
    fn reset(cache: &Cache) -> Answer {
        cache.reset(&mut Sram);
        (ANSWER_DONE, 0, 0)
    }

    #[link_section = ".fast.text"]
    #[inline(never)]
    fn obey(cache: &Cache, at: u32) -> Answer {
        let pid_path = read_sram(at + 4);
        let page_or_line = read_sram(at + 8);
        let (pid, page) = (pid_path & 0xFFF, page_or_line & 0xF_FFFF);
        let path = if pid_path & 0x1_0000 == 0 { Path::Send } else { Path::Receive };
        let done = |done: bool| (if done { ANSWER_DONE } else { ANSWER_NOTHING }, 0, 0);
        match read_sram(at) {
            PROBE_USE => use_page(cache, path, pid, page),
            PROBE_UNLOCK => done(cache.unlock(&mut Sram, path, page_or_line & (Cache::GEOMETRY.lines() - 1))),
            PROBE_INVALIDATE => done(cache.invalidate(&mut Sram, pid, page)),
            PROBE_RESET => reset(cache),
            _ => (ANSWER_UNKNOWN, 0, 0),
        }
    }

    #[no_mangle]
    extern "C" fn main() -> ! {
        let words = boot::request();
        let asked = Sections::parse(&words, BOOT_MAGIC).and_then(|request| Ok((request.get()?, request.get()?)));
        let (nic, link): (NicRequest, LinkRequest) = match asked {
            Ok(asked) => asked,
            Err(error) => boot::refuse(error),
        };
        let geometry = Cache::GEOMETRY;
        let commands = (boot::first_free() + 15) & !15;
        let results = commands + PROBE_RING_ENTRIES * SLOT_BYTES;
        let vmh_cache = results + PROBE_RING_ENTRIES * SLOT_BYTES;
        let free = vmh_cache + geometry.bytes();
        if free > boot::sram_bytes(nic.sram_bytes) {
            boot::refuse(BootError::DoesNotFitSram);
        }
        let cache = Cache::new(&Sram, vmh_cache);
        reset(&cache);
        write_sram(PROBE_REPLY_ADDRESS, commands);
        write_sram(PROBE_REPLY_ADDRESS + 4, results);
        store(event_a::CLEAR, u32::MAX);
        store(event_a::ENABLE, Event::Mailbox.bit());
        trace(Marker::Ready, link.node);
        let mut reply = SectionsWriter::reply(6);
        reply.push(&NicReply { free });
        reply.push(&LinkReply { tx_buffers: 0, rx_buffers: 0 });
        reply.push(&PostsReply { post_queues: 0, post_queue_count: 1, process_table: 0, key_bits: KEY_BITS });
        reply.push(&RingsReply { miss_ring: 0, notify_ring: 0 });
        reply.push(&CountersReply { counters: 0 });
        reply.push(&CachesReply {
            vmh_cache,
            vmh_entries: geometry.entries,
            vmh_line_entries: geometry.line_entries,
            vmh_ways: geometry.ways,
            // There is no cache of buffers; a driver wants one of some geometry.
            cbh_cache: 0,
            cbh_entries: 1,
            cbh_ways: 1,
            directories: 0,
        });
        boot::reply(PERSONALITY, reply);
        run(&cache, commands, results)
    }

    #[link_section = ".fast.text"]
    #[inline(never)]
    fn run(cache: &Cache, commands: u32, results: u32) -> ! {
        let read_cost = {
            let start = load(timer::COUNT);
            load(timer::COUNT).wrapping_sub(start)
        };
        let mut done = 0u32;
        loop {
            wait_for_event();
            store(event_a::CLEAR, Event::Mailbox.bit());
            store(mailbox::CLEAR, 1 << MAILBOX_PROBE);
            let producer = load(mailbox::TO_NIC.at(MAILBOX_PROBE));
            // An index that is not ahead by a ring at most is none.
            if producer.wrapping_sub(done) > PROBE_RING_ENTRIES {
                continue;
            }
            while done != producer {
                let slot = (done % PROBE_RING_ENTRIES) * SLOT_BYTES;
                trace(Marker::ProbeBegin, done);
                let start = load(timer::COUNT);
                let (answer, line, entry) = obey(cache, commands + slot);
                let cycles = load(timer::COUNT).wrapping_sub(start).wrapping_sub(read_cost);
                trace(Marker::ProbeEnd, done);
                write_sram(results + slot, answer);
                write_sram(results + slot + 4, line);
                write_sram(results + slot + 8, entry);
                write_sram(results + slot + 12, cycles);
                done = done.wrapping_add(1);
            }
            store(mailbox::TO_HOST.at(MAILBOX_PROBE), done);
        }
    }
}
