//! The driver against the mock NIC: enumeration, boot, processes, buffers, commands.

use std::collections::BTreeSet;

use host_model::address::SramAddr;
use host_model::bus::BusFault;
use host_model::driver::{DriverError, DriverOptions, MessagesOptions, Verify};
use host_model::elf::ImageError;
use host_model::library::Access;
use host_model::mock::{elf_image, elf_image_at, BootScript, MockReply, Place};
use host_model::processor::Priority;
use nic_layout::boot::{
    BootError, CrashRecord, Kind, LinkRequest, NicRequest, Refusal, Sections, BOOT_MAGIC, CAUSE_CRASH, CRASH_PANIC,
    CRASH_TRAP, LAYOUT_VERSION,
};
use nic_layout::cbh::{cbh_pid, BUFFER_ID_MAX};
use nic_layout::counter::Counter;
use nic_layout::keeper::{self, KeeperRequest, KEEPER_MAGIC};
use nic_layout::key::Key;
use nic_layout::personality::emp::pair::{self, PairRequest, PAIR_MAGIC};
use nic_layout::post::POST_QUEUE_ENTRIES;
use nic_layout::registers::{ident, interrupt};
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_FORGET_BUFFER};
use nic_layout::tables::ProcessEntry;
use nic_layout::PROCESS_SLOTS;
use sim_pins::Ps;

use crate::common::{options, platform, Bench};

#[test]
fn enumeration_gives_addresses_and_lets_the_nic_on_the_bus() {
    let bench = Bench::ready();
    let nic = bench.nic.borrow();
    assert_eq!(nic.config(0x10), 0xE008_0000);
    assert_eq!(nic.config(0x14), 0xE000_0008);
    assert_eq!(nic.config(0x04) & 0xFFFF, 0x146, "memory, master, parity, SERR#");
    assert_eq!(nic.config(0x0C) & 0xFFFF, 64 << 8 | 8);
    assert_eq!(nic.config(0x3C) & 0xFF, 11);
}

#[test]
fn the_boot_request_says_what_the_platform_is() {
    let bench = Bench::ready();
    let nic = bench.nic.borrow();
    let words = nic.request();
    assert_eq!((words[0], words[1]), (BOOT_MAGIC, LAYOUT_VERSION));
    let request = Sections::parse(&words, BOOT_MAGIC).unwrap();
    let board: NicRequest = request.get().unwrap();
    let link: LinkRequest = request.get().unwrap();
    assert_eq!((link.node, link.node_count, link.session), (1, 2, 0));
    assert_eq!((board.core_hz, board.sram_bytes), (88_000_000, 524_288));
    assert_eq!((link.retransmit_cycles, link.ack_cycles), (22_000, 1_760));
    assert_eq!(board.host_pages, 4096);
    // Every firmware has to know the first two. A NIC with post queues takes the third, and services
    // offer the others. EMP has one only when a run says how it cuts messages.
    let kinds: Vec<(Kind, bool)> = request.entries().map(|entry| (entry.kind(), entry.is_offer())).collect();
    let needed = [Kind::NIC, Kind::LINK].map(|kind| (kind, false));
    assert_eq!(kinds[..2], needed);
    assert_eq!(kinds[2..], [Kind::POSTS, Kind::CACHES, Kind::STATIC_TABLES].map(|kind| (kind, true)));
    assert_eq!(nic.register(ident::CORE_CONTROL), 1);
    assert_eq!(nic.register(interrupt::ENABLE), 0b111 | 1 << CAUSE_CRASH);
}

#[test]
fn the_core_is_held_while_the_firmware_is_loaded() {
    let bench = Bench::ready();
    let control = Place::Register(ident::CORE_CONTROL.offset().0);
    let writes = bench.writes();
    let position = |wanted| writes.iter().position(|write| *write == wanted).expect("written");
    let (held, released) = (position((control, 0)), position((control, 1)));
    let firmware = position((Place::Sram(0x400), 1));
    let request = position((Place::Sram(0), BOOT_MAGIC));
    assert!(held < firmware && firmware < request && request < released);
}

#[test]
fn an_empty_bus_is_reported_with_what_is_there() {
    let mut bench = Bench::new();
    bench.nic.borrow_mut().set_config(0, 0x1234_5678);
    assert_eq!(bench.boot(), Err(DriverError::NoDevice { found: vec![0x1234_5678] }));
    assert!(!bench.host.node().driver().is_ready());
}

#[test]
fn a_device_that_is_not_ours_or_of_another_size_is_refused() {
    let mut bench = Bench::new();
    bench.nic.borrow_mut().set_register(ident::ID, 0xBAD);
    assert_eq!(bench.boot(), Err(DriverError::WrongId { read: 0xBAD }));
    let mut bench = Bench::new();
    bench.nic.borrow_mut().set_register(ident::VERSION, 0x0007_0000);
    assert_eq!(bench.boot(), Err(DriverError::WrongVersion { read: 7, known: 1 }));
    let mut bench = Bench::new();
    bench.nic.borrow_mut().set_register(ident::SRAM_BYTES, 1024);
    assert_eq!(bench.boot(), Err(DriverError::WrongSramBytes { nic: 1024, platform: 524_288 }));
}

#[test]
fn a_word_that_reads_back_wrong_is_named() {
    let mut options = options();
    options.verify = Verify::Whole;
    let mut bench = Bench::with(platform(), options);
    let nic = bench.nic.clone();
    let outcome = bench.run(|node| async move {
        let (spoiler, sim) = (nic.clone(), node.sim().clone());
        node.sim().spawn("spoiler", async move {
            while spoiler.borrow().sram_word(0x40C) != 4 {
                sim.sleep_for(Ps::from_ns(10)).await;
            }
            spoiler.borrow_mut().set_sram_word(0x408, 0x99);
        });
        node.boot(&elf_image(&[1, 2, 3, 4])).await
    });
    let expected = DriverError::VerifyFailed { address: SramAddr(0x408), written: 3, read: 0x99 };
    assert_eq!(outcome, Err(expected));
}

#[test]
fn a_wrong_image_never_reaches_the_nic() {
    let mut bench = Bench::new();
    let outcome = bench.run(|node| async move { node.boot(b"#!/bin/sh").await });
    assert_eq!(outcome, Err(DriverError::Image(ImageError::NotElf)));
    assert!(!bench.writes().iter().any(|(place, _)| matches!(place, Place::Sram(_))));
}

#[test]
fn a_refusal_a_crash_and_silence_are_told_apart() {
    let boot = |script| {
        let mut bench = Bench::new();
        bench.nic.borrow_mut().boot = script;
        bench.boot().expect_err("it does not start")
    };
    let refused = boot(BootScript::Refuse(BootError::OtherLayout));
    assert_eq!(refused, DriverError::BootRefused(BootError::OtherLayout.into()));
    assert!(refused.to_string().contains("another version of the layouts"));
    let record = CrashRecord { kind: CRASH_TRAP, cause: 5, pc: 0x1000_0444, value: 0x1234 };
    let crashed = boot(BootScript::Crash(record));
    assert_eq!(crashed, DriverError::Crashed(record));
    assert!(crashed.to_string().contains("mcause 0x5, mepc 0x10000444"));
    let silent = boot(BootScript::Silent);
    assert!(matches!(silent, DriverError::BootTimeout { .. }) && silent.to_string().contains("5000000.000 ns"));
}

#[test]
fn every_reason_for_which_firmware_refuses_to_start_has_a_text() {
    let all = BootError::all(Kind::LINK);
    let texts: BTreeSet<String> = all
        .iter()
        .map(|&error| {
            let mut bench = Bench::new();
            bench.nic.borrow_mut().boot = BootScript::Refuse(error);
            let refused = bench.boot().expect_err("it does not start");
            assert_eq!(refused, DriverError::BootRefused(error.into()));
            let text = refused.to_string();
            assert!(!text.contains("does not know"), "{text}");
            text
        })
        .collect();
    assert_eq!(texts.len(), all.len());
    assert!(texts.iter().any(|text| text.contains("section `link` is missing (error 16)")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("neither to fetch translations nor not to (error 12)")));
    let unknown = DriverError::BootRefused(Refusal([40, 0])).to_string();
    assert!(unknown.contains("a reason that the driver does not know (error 40)"), "{unknown}");
}

type Spoiler = fn(&mut MockReply);

#[test]
fn an_impossible_boot_reply_is_refused() {
    let spoilers: [(&str, Spoiler); 10] = [
        ("post_queues", |reply| reply.post_queues += 4),
        ("process_table", |reply| reply.process_table = 0xFFFF_FFF0),
        ("cbh_cache", |reply| reply.cbh_cache = 524_288),
        ("cbh_entries", |reply| reply.cbh_entries = 1 << 30),
        ("cbh_entries or cbh_ways", |reply| reply.cbh_ways = 3),
        ("key_bits", |reply| reply.key_bits = 96),
        ("miss_ring", |reply| reply.miss_ring += 2),
        ("vmh_cache", |reply| reply.vmh_cache = 524_284),
        ("vmh_entries", |reply| reply.vmh_entries = 1 << 31),
        ("vmh_line_entries or vmh_ways", |reply| reply.vmh_line_entries = 0),
    ];
    for (name, spoil) in spoilers {
        let mut bench = Bench::new();
        bench.nic.borrow_mut().spoil_reply = Some(spoil);
        let Err(DriverError::BadLayout { what, .. }) = bench.boot() else { panic!("{name} accepted") };
        assert_eq!(what, name);
    }
}

#[test]
fn nothing_works_before_the_boot() {
    let mut bench = Bench::new();
    let outcome = bench.run(|node| async move { node.open("app").await.err() });
    assert_eq!(outcome, Some(DriverError::NotReady));
}

#[test]
fn a_process_gets_a_slot_and_the_nic_learns_of_it_last_word_first() {
    let mut bench = Bench::ready();
    bench.forget_writes();
    let process = bench.open();
    let nic = bench.nic.borrow();
    let address = nic.layout().process_table;
    let entry: ProcessEntry = nic.sram_read(address);
    assert_eq!((entry.state, entry.pid), (1, process.pid().0));
    assert_eq!(entry.status_address % 16, 0);
    assert_eq!(bench.writes().last(), Some(&(Place::Sram(address), 1)));
    let memory = bench.host.node().memory().borrow();
    assert_eq!(memory.counts().pinned_now, 1, "the status page");
}

#[test]
fn slots_end_and_come_back_with_new_numbers() {
    let mut bench = Bench::with(platform(), DriverOptions { processes_max: PROCESS_SLOTS, ..options() });
    bench.boot().expect("boots");
    let processes: Vec<_> = (0..PROCESS_SLOTS).map(|_| bench.open()).collect();
    let full = bench.run(|node| async move { node.open("late").await.err() });
    assert_eq!(full, Some(DriverError::NoSlot { slots: PROCESS_SLOTS }));
    let victim = processes[3].clone();
    bench.run(|_| async move { victim.close().await.expect("open") });
    let heir = bench.open();
    assert_eq!(heir.queue().expect("free").slot, 3);
    assert!(processes.iter().all(|process| process.pid() != heir.pid()));
    let again = processes[3].clone();
    let outcome = bench.run(|_| async move { again.close().await });
    assert_eq!(outcome, Err(DriverError::ProcessEnded(processes[3].pid().0)));
}

#[test]
fn a_closed_process_leaves_nothing_behind() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let closing = process.clone();
    bench.run(|_| async move {
        let start = closing.alloc(8192).expect("room");
        closing.export(start, 8192).await.expect("registered");
    });
    bench.forget_writes();
    bench.run(|_| async move { process.close().await.expect("open") });
    let nic = bench.nic.borrow();
    let layout = nic.layout();
    assert_eq!(nic.sram_word(layout.process_table), 0);
    let command = bench.writes().iter().position(|(_, value)| *value == COMMAND_CLOSE);
    let state = bench.writes().iter().position(|(place, _)| *place == Place::Sram(layout.process_table));
    assert!(state < command, "the slot is closed before the firmware is told");
    assert_eq!(bench.host.node().memory().borrow().counts().pinned_now, 0);
    drop(nic);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn buffers_must_lie_in_the_process_and_may_have_any_identifier() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let pid = process.pid();
    let exports = bench.run(|_| async move {
        let start = process.alloc(4096).expect("room");
        assert_eq!(process.export(start, 0).await, Err(DriverError::BadBuffer));
        assert_eq!(process.export(host_model::address::UserVirt(0x1000), 8).await, Err(DriverError::BadBuffer));
        assert_eq!(process.export(host_model::address::UserVirt(u32::MAX), 2).await, Err(DriverError::BadBuffer));
        let mut exports = vec![process.export_under(BUFFER_ID_MAX, start, 8, Access::WRITE).await.expect("free")];
        assert_eq!(
            process.export_under(BUFFER_ID_MAX, start, 8, Access::WRITE).await,
            Err(DriverError::BufferIdTaken { id: BUFFER_ID_MAX })
        );
        assert_eq!(
            process.export_under(1 << 20, start, 8, Access::WRITE).await,
            Err(DriverError::BufferIdTaken { id: 1 << 20 })
        );
        // Many more than the NIC's cache has entries.
        for _ in 0..1000 {
            exports.push(process.export(start, 8).await.expect("room"));
        }
        exports
    });
    let words: BTreeSet<u32> = exports.iter().map(|export| export.buffer).collect();
    let keys: BTreeSet<Key> = exports.iter().map(|export| export.key).collect();
    assert_eq!((words.len(), keys.len()), (1001, 1001));
    assert!(words.iter().all(|word| cbh_pid(*word) == pid.0));
    assert_eq!(bench.host.node().driver().rdma().expect("buffers").buffers(pid), 1001);
}

#[test]
fn pinning_at_export_is_a_setting() {
    for (pin_at_export, pinned) in [(false, 1), (true, 4)] {
        let mut options = options();
        options.pin_at_export = pin_at_export;
        let mut bench = Bench::with(platform(), options);
        bench.boot().expect("boots");
        let process = bench.open();
        bench.run(|_| async move {
            let start = process.alloc(3 * 4096).expect("room");
            process.export(start, 3 * 4096).await.expect("registered");
        });
        assert_eq!(bench.host.node().memory().borrow().counts().pinned_now, pinned);
        assert_eq!(bench.host.faults(), Vec::<String>::new());
    }
}

#[test]
fn a_command_without_an_answer_times_out_and_a_wrong_answer_is_none() {
    for answer in [None, Some((|command| command + 8) as fn(u32) -> u32)] {
        let mut bench = Bench::ready();
        let process = bench.open();
        bench.nic.borrow_mut().command_answer = answer;
        let outcome = bench.run(|_| async move {
            let start = process.alloc(4096).expect("room");
            let export = process.export(start, 8).await.expect("room");
            process.withdraw(&export).await
        });
        assert!(matches!(outcome, Err(DriverError::CommandTimeout { command: COMMAND_FORGET_BUFFER, .. })));
        assert_eq!(bench.host.node().driver().counts().wild_answers, u64::from(answer.is_some()));
    }
}

#[test]
fn a_crash_while_running_ends_the_driver_with_the_record() {
    let mut bench = Bench::ready();
    let record = CrashRecord { kind: CRASH_PANIC, cause: 77, pc: 0, value: 0 };
    bench.nic.borrow_mut().crash(record);
    bench.us(50);
    assert_eq!(bench.host.node().driver().crash(), Some(record));
    assert!(bench.host.faults()[0].contains("panic at source line 77"));
    let outcome = bench.run(|node| async move { node.open("late").await.err() });
    assert_eq!(outcome, Some(DriverError::Crashed(record)));
}

#[test]
fn a_store_that_nobody_takes_is_a_fault() {
    let mut bench = Bench::ready();
    let process = bench.open();
    bench.nic.borrow_mut().set_config(4, 0);
    bench.run(|_| async move { process.ring_raw(1).await.expect("mapped") });
    bench.us(1);
    let faults = bench.host.faults();
    assert!(faults[0].contains(&BusFault::MasterAbort.to_string()), "{faults:?}");
}

#[test]
fn an_unknown_cause_and_an_early_release_of_the_line_are_counted() {
    let mut bench = Bench::ready();
    bench.nic.borrow_mut().set_register(interrupt::ENABLE, u32::MAX);
    bench.nic.borrow_mut().raise(20);
    bench.us(20);
    let counts = bench.host.node().driver().counts();
    assert_eq!((counts.interrupts, counts.unknown_causes, counts.spurious_interrupts), (1, 1, 0));
    bench.nic.borrow_mut().raise(0);
    bench.us(2);
    bench.nic.borrow_mut().set_register(interrupt::CAUSE, 0);
    bench.us(20);
    let counts = bench.host.node().driver().counts();
    assert_eq!((counts.interrupts, counts.spurious_interrupts), (2, 1));
}

#[test]
fn the_queue_page_of_each_slot_is_its_own() {
    let mut bench = Bench::ready();
    let (first, second) = (bench.open(), bench.open());
    let bytes = POST_QUEUE_ENTRIES * 32;
    let (first, second) = (first.queue().expect("free"), second.queue().expect("free"));
    assert_eq!(second.post_queue.0 - first.post_queue.0, bytes);
    assert_eq!(second.doorbell.0 - first.doorbell.0, 4096);
}

// ---- Two cores -------------------------------------------------------------------------------

const IMAGE_B: u32 = keeper::AREA_ADDRESS + keeper::IMAGE;

/// A platform with two cores, and a NIC with two cores.
fn pair() -> Bench {
    let mut platform = platform();
    platform.core.count = 2;
    let bench = Bench::with(platform, options());
    bench.nic.borrow_mut().set_register(ident::CAPABILITIES, 2);
    bench
}

fn boot_pair(bench: &mut Bench, a: Vec<u8>, b: Vec<u8>) -> Result<(), DriverError> {
    bench.run(|node| async move { node.boot_pair(&a, &b).await })
}

fn boot_good_pair(bench: &mut Bench) -> Result<(), DriverError> {
    boot_pair(bench, elf_image(&[1, 2, 3, 4]), elf_image_at(IMAGE_B, &[5, 6]))
}

#[test]
fn core_b_is_loaded_before_any_core_runs_and_starts_when_core_a_is_ready() {
    let mut bench = pair();
    boot_good_pair(&mut bench).unwrap();
    let control = Place::Register(ident::CORE_CONTROL.offset().0);
    let writes = bench.writes();
    let position = |wanted| writes.iter().position(|write| *write == wanted).expect("written");
    let (held, a, both) = (position((control, 0)), position((control, 1)), position((control, 3)));
    let (image, request) =
        (position((Place::Sram(IMAGE_B), 5)), position((Place::Sram(keeper::AREA_ADDRESS), KEEPER_MAGIC)));
    assert!(held < image && image < a && a < request && request < both);
    let nic = bench.nic.borrow();
    assert_eq!(nic.register(ident::BOOT_ADDRESS_B), 0x1000_0000 + IMAGE_B);
    let of_a: NicRequest = Sections::parse(&nic.request(), BOOT_MAGIC).unwrap().get().unwrap();
    assert_eq!(of_a.sram_bytes, keeper::AREA_ADDRESS, "core A does not know of the area of core B");
    let of_b: KeeperRequest = nic.sram_read(keeper::AREA_ADDRESS);
    assert_eq!((of_b.layout_version, of_b.period_cycles), (LAYOUT_VERSION, 8_800));
}

#[test]
fn images_on_the_wrong_side_and_nics_with_one_core_are_refused_before_anything_runs() {
    let mut bench = pair();
    let low = boot_pair(&mut bench, elf_image(&[1]), elf_image(&[5])).unwrap_err();
    assert_eq!(low, DriverError::WrongCore { address: SramAddr(0x400) });
    let mut bench = pair();
    let high = boot_pair(&mut bench, elf_image_at(IMAGE_B, &[1]), elf_image_at(IMAGE_B, &[5])).unwrap_err();
    assert_eq!(high, DriverError::WrongCore { address: SramAddr(IMAGE_B) });
    let mut bench = Bench::new();
    let one = boot_good_pair(&mut bench).unwrap_err();
    assert_eq!(one, DriverError::NoCoreB { cores: 0 });
    let control = Place::Register(ident::CORE_CONTROL.offset().0);
    assert!(!bench.writes().iter().any(|(place, value)| *place == control && *value != 0));
}

#[test]
fn a_refusal_a_crash_and_silence_of_core_b_are_told_apart() {
    let boot = |script| {
        let mut bench = pair();
        bench.nic.borrow_mut().boot_b = script;
        boot_good_pair(&mut bench).expect_err("it does not start")
    };
    assert_eq!(
        boot(BootScript::Refuse(BootError::OtherLayout)),
        DriverError::BootRefused(BootError::OtherLayout.into())
    );
    let record = CrashRecord { kind: CRASH_TRAP, cause: 7, pc: 0x1007_C844, value: 0x1234 };
    let crashed = boot(BootScript::Crash(record));
    assert_eq!(crashed, DriverError::CrashedB(record));
    assert!(crashed.to_string().contains("core B") && crashed.to_string().contains("mcause 0x7"));
    assert!(matches!(boot(BootScript::Silent), DriverError::BootTimeout { .. }));
}

#[test]
fn a_crash_of_core_b_while_running_ends_the_driver_and_stopping_holds_both() {
    let mut bench = pair();
    boot_good_pair(&mut bench).unwrap();
    bench.run(|node| async move { node.driver().stop().await }).unwrap();
    assert_eq!(bench.nic.borrow().register(ident::CORE_CONTROL), 0);

    let mut bench = pair();
    boot_good_pair(&mut bench).unwrap();
    let record = CrashRecord { kind: CRASH_TRAP, cause: 5, pc: 0x1007_C900, value: 0 };
    bench.nic.borrow_mut().crash_b(record);
    bench.us(50);
    assert_eq!(bench.host.node().driver().failure(), Some(DriverError::CrashedB(record)));
    assert_eq!(bench.host.node().driver().crash(), None, "core A is well");
}

#[test]
fn a_core_b_that_runs_parts_has_an_area_of_its_own_and_counts_for_itself() {
    let image_b = pair::AREA_ADDRESS + pair::IMAGE;
    let messages = MessagesOptions { mtu_bytes: 1500, collection_frames: 3, resend_us: 250, flow_control: None };
    let start = || {
        let mut platform = platform();
        platform.core.count = 2;
        let bench = Bench::with(platform, DriverOptions { messages: Some(messages), ..options() });
        bench.nic.borrow_mut().set_register(ident::CAPABILITIES, 2);
        bench
    };
    let low = boot_pair(&mut start(), elf_image(&[1]), elf_image_at(image_b - 4, &[5])).unwrap_err();
    assert_eq!(low, DriverError::WrongCore { address: SramAddr(image_b - 4) });

    let mut bench = start();
    boot_pair(&mut bench, elf_image(&[1]), elf_image_at(image_b, &[5])).unwrap();
    let counter = Counter::FramesSent;
    {
        let mut nic = bench.nic.borrow_mut();
        let of_a: NicRequest = Sections::parse(&nic.request(), BOOT_MAGIC).unwrap().get().unwrap();
        assert_eq!(of_a.sram_bytes, pair::AREA_ADDRESS, "core A does not know of the area of core B");
        let of_b: PairRequest = nic.sram_read(pair::AREA_ADDRESS + pair::REQUEST);
        assert_eq!(of_b, PairRequest { magic: PAIR_MAGIC, layout_version: LAYOUT_VERSION });
        let of_a = nic.layout().counters + counter.offset();
        nic.sram_write(of_a, &5_u32);
        nic.sram_write(pair::AREA_ADDRESS + pair::COUNTERS + counter.offset(), &(u32::MAX - 1));
    }
    let (kept, counters) = bench
        .run(|node| async move {
            let cpu = node.cpu("test", Priority::User);
            Ok::<_, DriverError>((node.driver().read_keeper(&cpu).await?, node.driver().read_counters(&cpu).await?))
        })
        .unwrap();
    assert_eq!((kept, counters[counter as usize]), (None, 3), "counters wrap");

    let record = CrashRecord { kind: CRASH_TRAP, cause: 5, pc: image_b, value: 0 };
    bench.nic.borrow_mut().crash_b_in(pair::AREA_ADDRESS, record);
    bench.us(50);
    assert_eq!(bench.host.node().driver().failure(), Some(DriverError::CrashedB(record)));
}

#[test]
fn totals_are_read_whole_or_given_up() {
    let mut bench = pair();
    boot_good_pair(&mut bench).unwrap();
    let read = |bench: &mut Bench| {
        bench.run(|node| async move {
            let cpu = node.cpu("test", Priority::User);
            node.driver().read_keeper(&cpu).await
        })
    };
    let high = keeper::AREA_ADDRESS + keeper::TOTALS + 8 * Counter::FramesSent as u32 + 4;
    bench.nic.borrow_mut().sram_write(high, &3_u32);
    let folds = keeper::AREA_ADDRESS + keeper::REPLY + 8;
    bench.nic.borrow_mut().sram_write(folds, &8_u32);
    let kept = read(&mut bench).unwrap().expect("there is a core B");
    assert_eq!((kept.rounds, kept.totals[Counter::FramesSent as usize]), (4, 3 << 32));
    bench.nic.borrow_mut().sram_write(folds, &9_u32);
    assert!(matches!(read(&mut bench), Err(DriverError::KeeperBusy { .. })));

    let mut one = Bench::ready();
    assert_eq!(read(&mut one), Ok(None));
}
