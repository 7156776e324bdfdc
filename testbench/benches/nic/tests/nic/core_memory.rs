//! The memory system of a core: routing, errors, order, latency, and the instruction cache.

use std::collections::VecDeque;

use bench_nic::clocked::Clocked;
use bench_nic::models::BenchCoreMemory;
use proptest::prelude::*;
use verilated::{Context, Error};

const SRAM: u32 = 0x1000_0000;
const SRAM_BYTES: u32 = 65_536;
const SCRATCHPAD: u32 = 0x2000_0000;
const SCRATCHPAD_BYTES: u32 = 4_096;
const REGISTERS: u32 = 0x4000_0000;
const DEBUG: u32 = 0xFFFF_F800;
const ICACHE_BYTES: u32 = 1_024;
const LINE_BYTES: u32 = 32;

/// The address below which instructions are fetched and above which data are written.
const DATA_FROM: u32 = SRAM_BYTES / 2;

struct Bench {
    model: Clocked<BenchCoreMemory>,
    sram: Vec<u32>,
    scratchpad: Vec<u32>,
}

impl Bench {
    /// A core after reset, with SRAM and scratchpad filled.
    fn new() -> Result<Bench, Error> {
        let model = Clocked::new(BenchCoreMemory::new(Context::new().randomized(1))?);
        let sram = (0..SRAM_BYTES / 4).map(|word| word.wrapping_mul(0x9E37_79B9)).collect();
        let scratchpad = (0..SCRATCHPAD_BYTES / 4).map(|word| !word).collect();
        let mut bench = Bench { model, sram, scratchpad };
        let m = &mut bench.model;
        m.rst_ni.set(0);
        m.core_rst_ni.set(0);
        m.fence_i_i.set(0);
        m.insn_req_i.set(0);
        m.data_req_i.set(0);
        m.look_i.set(0);
        m.other_req_i.set(0);
        // Outside debug mode.
        m.debug_insn_err_i.set(1);
        m.debug_data_err_i.set(1);
        m.clock()?;
        m.clock()?;
        m.rst_ni.set(1);
        m.other_req_i.set(1);
        m.other_we_i.set(1);
        for (i, pair) in bench.sram.chunks(2).enumerate() {
            m.other_addr_i.set(8 * i as u32);
            m.other_wdata_i.set(u64::from(pair[1]) << 32 | u64::from(pair[0]));
            m.clock()?;
        }
        m.other_req_i.set(0);
        m.other_we_i.set(0);
        m.core_rst_ni.set(1);
        for word in 0..SCRATCHPAD_BYTES / 4 {
            bench.store(SCRATCHPAD + 4 * word, !word)?;
        }
        // The cache empties itself meanwhile.
        for _ in 0..ICACHE_BYTES / LINE_BYTES {
            bench.model.clock()?;
        }
        Ok(bench)
    }

    /// Stores one whole word, without other accesses.
    fn store(&mut self, address: u32, value: u32) -> Result<(), Error> {
        let m = &mut self.model;
        m.data_req_i.set(1);
        m.data_addr_i.set(address);
        m.data_we_i.set(1);
        m.data_be_i.set(0xF);
        m.data_wdata_i.set(value);
        m.settle()?;
        while !m.data_gnt_o.is_high() {
            m.clock()?;
            m.settle()?;
        }
        m.clock()?;
        m.data_req_i.set(0);
        m.settle()?;
        assert!(m.data_rvalid_o.is_high());
        Ok(())
    }

    /// The clocks from the grant of a load to its answer, and the answer; `None` for an error.
    fn load(&mut self, address: u32) -> Result<(u32, Option<u32>), Error> {
        let m = &mut self.model;
        m.data_req_i.set(1);
        m.data_addr_i.set(address);
        m.data_we_i.set(0);
        m.data_be_i.set(0xF);
        m.settle()?;
        while !m.data_gnt_o.is_high() {
            m.clock()?;
            m.settle()?;
        }
        let mut cycles = 0;
        loop {
            m.clock()?;
            cycles += 1;
            m.data_req_i.set(0);
            m.settle()?;
            if m.data_rvalid_o.is_high() {
                let answer = (!m.data_err_o.is_high()).then(|| m.data_rdata_o.get());
                return Ok((cycles, answer));
            }
        }
    }

    /// The clocks from the grant of a fetch to its answer, and the answer; `None` for an error.
    fn fetch(&mut self, address: u32) -> Result<(u32, Option<u32>), Error> {
        let m = &mut self.model;
        m.insn_req_i.set(1);
        m.insn_addr_i.set(address);
        m.settle()?;
        while !m.insn_gnt_o.is_high() {
            m.clock()?;
            m.settle()?;
        }
        let mut cycles = 0;
        loop {
            m.clock()?;
            cycles += 1;
            m.insn_req_i.set(0);
            m.settle()?;
            if m.insn_rvalid_o.is_high() {
                let answer = (!m.insn_err_o.is_high()).then(|| m.insn_rdata_o.get());
                return Ok((cycles, answer));
            }
        }
    }

    fn idle(&mut self, cycles: u32) -> Result<(), Error> {
        for _ in 0..cycles {
            self.model.clock()?;
        }
        Ok(())
    }

    /// The word that a fetch must return.
    fn code_at(&self, address: u32) -> Option<u32> {
        if (SRAM..SRAM + SRAM_BYTES).contains(&address) {
            Some(self.sram[(address - SRAM) as usize / 4])
        } else if (SCRATCHPAD..SCRATCHPAD + SCRATCHPAD_BYTES).contains(&address) {
            Some(self.scratchpad[(address - SCRATCHPAD) as usize / 4])
        } else {
            None
        }
    }

    /// Performs an access on the reference, and returns the answer that must come.
    fn perform(&mut self, access: DataAccess) -> Due {
        let word = match access.address {
            a if a >> 24 == SRAM >> 24 => &mut self.sram[(a - SRAM) as usize / 4],
            a if a >> 24 == SCRATCHPAD >> 24 => &mut self.scratchpad[(a - SCRATCHPAD) as usize / 4],
            a if a >> 24 == REGISTERS >> 24 => {
                return if access.write.is_none() { Due::Registers } else { Due::Anything }
            }
            _ => return Due::Error,
        };
        let Some((bytes, value)) = access.write else {
            return Due::Word(*word);
        };
        let enabled = (0..4).filter(|i| bytes >> i & 1 == 1);
        let mask = enabled.fold(0, |mask, i| mask | 0xFF << (8 * i));
        *word = (*word & !mask) | (value & mask);
        Due::Anything
    }
}

/// The answer that must come to a data access.
#[derive(Clone, Copy, Debug)]
enum Due {
    Error,
    Anything,
    Word(u32),
    /// The data of the register bus in the clock of the answer.
    Registers,
}

#[test]
fn loads_are_answered_in_the_clock_after_the_grant_from_registers_and_a_shared_sram_one_later() {
    let mut bench = Bench::new().unwrap();
    assert_eq!(bench.load(SRAM + 20).unwrap(), (1, Some(bench.sram[5])));
    assert_eq!(bench.load(SRAM + 24).unwrap(), (1, Some(bench.sram[6])));
    assert_eq!(bench.load(SCRATCHPAD + 24).unwrap(), (1, Some(!6)));
    bench.model.reg_gnt_i.set(1);
    bench.model.reg_rdata_i.set(0x1234);
    assert_eq!(bench.load(REGISTERS + 0x500).unwrap(), (2, Some(0x1234)));
    // The link asks in the clock of the load, and in no other.
    let m = &mut bench.model;
    m.other_req_i.set(1);
    m.data_req_i.set(1);
    m.data_addr_i.set(SRAM + 20);
    m.data_we_i.set(0);
    m.clock().unwrap();
    m.other_req_i.set(0);
    m.data_req_i.set(0);
    m.settle().unwrap();
    assert!(!m.data_rvalid_o.is_high());
    m.clock().unwrap();
    m.settle().unwrap();
    assert_eq!((m.data_rvalid_o.get(), m.data_rdata_o.get()), (1, bench.sram[5]));
}

/// The word that a look finds in the next clock.
fn look(bench: &mut Bench, address: u32) -> Option<u32> {
    let m = &mut bench.model;
    m.look_i.set(1);
    m.look_addr_i.set(address);
    m.clock().unwrap();
    m.look_i.set(0);
    m.settle().unwrap();
    let found = m.look_valid_o.is_high().then(|| m.look_rdata_o.get());
    m.clock().unwrap();
    m.settle().unwrap();
    assert!(!m.look_valid_o.is_high(), "for one clock");
    found
}

#[test]
fn a_look_finds_what_is_in_the_scratchpad_and_nothing_else() {
    let mut bench = Bench::new().unwrap();
    for word in [0, 1, 500, SCRATCHPAD_BYTES / 4 - 1] {
        assert_eq!(look(&mut bench, SCRATCHPAD + 4 * word), Some(!word));
    }
    bench.fetch(SRAM).unwrap();
    for address in [SRAM, SCRATCHPAD + SCRATCHPAD_BYTES, SCRATCHPAD - 4, REGISTERS, DEBUG, 0] {
        assert_eq!(look(&mut bench, address), None, "{address:#x}");
    }
    // Nor is an access disturbed by looks while it waits.
    bench.model.reg_gnt_i.set(0);
    bench.model.reg_rdata_i.set(0x1234);
    let m = &mut bench.model;
    m.data_req_i.set(1);
    m.data_addr_i.set(REGISTERS);
    m.data_we_i.set(0);
    m.clock().unwrap();
    m.data_req_i.set(0);
    for word in 0..3 {
        assert_eq!(look(&mut bench, SCRATCHPAD + 4 * word), Some(!word));
        assert!(!bench.model.data_rvalid_o.is_high());
    }
    let m = &mut bench.model;
    m.reg_gnt_i.set(1);
    m.clock().unwrap();
    m.settle().unwrap();
    assert_eq!((m.data_rvalid_o.get(), m.data_rdata_o.get()), (1, 0x1234));
}

#[test]
fn a_look_beside_a_request_is_refused_by_an_assertion() {
    let mut bench = Bench::new().unwrap();
    bench.model.look_i.set(1);
    bench.model.look_addr_i.set(SCRATCHPAD);
    let error = bench.load(SCRATCHPAD).unwrap_err();
    assert!(error.to_string().contains("LooksOrAccesses"), "{error}");
}

#[test]
fn a_cache_hit_takes_one_clock_and_a_miss_three() {
    let mut bench = Bench::new().unwrap();
    assert_eq!(bench.fetch(SRAM + 8).unwrap(), (3, Some(bench.sram[2])));
    bench.idle(5).unwrap();
    for word in 0..8 {
        assert_eq!(bench.fetch(SRAM + 4 * word).unwrap(), (1, Some(bench.sram[word as usize])));
    }
    assert_eq!(bench.fetch(SCRATCHPAD + 4).unwrap(), (1, Some(!1)));
}

#[test]
fn a_miss_brings_the_line_and_no_more() {
    let mut bench = Bench::new().unwrap();
    let mut fills = 0;
    bench.model.insn_req_i.set(1);
    bench.model.insn_addr_i.set(SRAM + 16);
    bench.model.clock().unwrap();
    bench.model.insn_req_i.set(0);
    for _ in 0..10 {
        bench.model.settle().unwrap();
        fills += u32::from(bench.model.fill_o.is_high());
        bench.model.clock().unwrap();
    }
    assert_eq!(fills, LINE_BYTES / 8);
}

#[test]
fn straight_code_on_cached_lines_fetches_in_every_clock() {
    let mut bench = Bench::new().unwrap();
    for line in 0..8 {
        bench.fetch(SRAM + LINE_BYTES * line).unwrap();
        bench.idle(6).unwrap();
    }
    bench.model.insn_req_i.set(1);
    for word in 0..64 {
        bench.model.insn_addr_i.set(SRAM + 4 * word);
        bench.model.settle().unwrap();
        assert!(bench.model.insn_gnt_o.is_high(), "word {word}");
        if word > 0 {
            assert_eq!(bench.model.insn_rdata_o.get(), bench.sram[word as usize - 1]);
        }
        bench.model.clock().unwrap();
    }
}

#[test]
fn nowhere_answers_with_an_error() {
    let mut bench = Bench::new().unwrap();
    for address in [
        0,
        0x0FFF_FFFC,
        SRAM + SRAM_BYTES,
        0x10FF_FFFC,
        SCRATCHPAD - 4,
        SCRATCHPAD + SCRATCHPAD_BYTES,
        REGISTERS - 4,
        REGISTERS + 0x2_0000,
        DEBUG - 4,
    ] {
        // Accesses to a sixteenth of the addresses that has neither SRAM nor scratchpad go through
        // the queue.
        let clocks = if matches!(address >> 28, 1 | 2) { 1 } else { 2 };
        assert_eq!(bench.load(address).unwrap(), (clocks, None), "load from {address:#x}");
        assert_eq!(bench.fetch(address).unwrap(), (1, None), "fetch from {address:#x}");
    }
    assert_eq!(bench.fetch(REGISTERS).unwrap(), (1, None), "registers are not instructions");
}

#[test]
fn the_debug_area_is_the_end_of_the_addresses_and_behind_the_register_stage() {
    let mut bench = Bench::new().unwrap();
    for address in [DEBUG, 0xFFFF_FFFC] {
        for (error, answer) in [(1, None), (0, Some(0x1357_9BDF))] {
            bench.model.debug_insn_err_i.set(error);
            bench.model.debug_data_err_i.set(error);
            bench.model.debug_insn_rdata_i.set(0x1357_9BDF);
            bench.model.debug_data_rdata_i.set(0x1357_9BDF);
            assert_eq!(bench.load(address).unwrap(), (2, answer), "load from {address:#x}");
            assert_eq!(bench.fetch(address).unwrap(), (1, answer), "fetch from {address:#x}");
        }
    }
}

#[test]
fn bytes_reach_registers_as_the_core_gave_them() {
    let mut bench = Bench::new().unwrap();
    let m = &mut bench.model;
    m.reg_gnt_i.set(0);
    m.data_req_i.set(1);
    m.data_addr_i.set(REGISTERS + 0x1_2344);
    m.data_we_i.set(1);
    m.data_be_i.set(0b0110);
    m.data_wdata_i.set(0x00AB_CD00);
    m.clock().unwrap();
    m.data_req_i.set(0);
    m.settle().unwrap();
    assert!(m.data_rvalid_o.is_high() && m.data_gnt_o.is_high(), "a store is answered when it is in the queue");
    for _ in 0..3 {
        m.settle().unwrap();
        assert!(m.reg_req_o.is_high() && m.data_stores_o.is_high(), "waits for the bus");
        m.clock().unwrap();
    }
    assert_eq!(m.reg_addr_o.get(), 0x1_2344);
    assert_eq!((m.reg_we_o.get(), m.reg_be_o.get(), m.reg_wdata_o.get()), (1, 0b0110, 0x00AB_CD00));
    m.reg_gnt_i.set(1);
    m.clock().unwrap();
    m.settle().unwrap();
    assert!(!m.reg_req_o.is_high() && !m.data_stores_o.is_high(), "made");
}

#[test]
fn a_store_is_answered_before_it_is_made_and_nothing_overtakes_it() {
    let mut bench = Bench::new().unwrap();
    let m = &mut bench.model;
    m.reg_gnt_i.set(1);
    m.other_req_i.set(1);
    m.data_req_i.set(1);
    m.data_addr_i.set(SRAM + DATA_FROM);
    m.data_we_i.set(1);
    m.data_be_i.set(0xF);
    m.data_wdata_i.set(0x77);
    m.clock().unwrap();
    m.data_addr_i.set(REGISTERS + 0x500);
    m.data_we_i.set(0);
    m.settle().unwrap();
    assert!(m.data_rvalid_o.is_high() && m.data_gnt_o.is_high(), "answered, and there is room for one more");
    m.clock().unwrap();
    for _ in 0..2 {
        m.settle().unwrap();
        assert!(
            !m.data_rvalid_o.is_high() && !m.data_gnt_o.is_high() && !m.reg_req_o.is_high(),
            "while the link has the SRAM"
        );
        m.clock().unwrap();
    }
    m.other_req_i.set(0);
    m.data_req_i.set(0);
    m.clock().unwrap();
    m.settle().unwrap();
    assert!(m.reg_req_o.is_high() && !m.data_rvalid_o.is_high(), "the register comes behind the store");
    m.clock().unwrap();
    m.settle().unwrap();
    assert!(m.data_rvalid_o.is_high() && m.data_gnt_o.is_high());
    assert_eq!(bench.load(SRAM + DATA_FROM).unwrap(), (1, Some(0x77)));
}

#[test]
fn stores_to_sram_follow_each_other_in_every_clock_and_a_load_behind_them_sees_the_last() {
    let mut bench = Bench::new().unwrap();
    let m = &mut bench.model;
    m.data_req_i.set(1);
    m.data_we_i.set(1);
    m.data_be_i.set(0xF);
    for i in 0..8 {
        m.data_addr_i.set(SRAM + DATA_FROM + 4 * (i % 2));
        m.data_wdata_i.set(i);
        m.settle().unwrap();
        assert!(m.data_gnt_o.is_high(), "store {i}");
        m.clock().unwrap();
    }
    m.data_req_i.set(0);
    assert_eq!(bench.load(SRAM + DATA_FROM + 4).unwrap(), (2, Some(7)), "behind the last store");
    assert_eq!(bench.load(SRAM + DATA_FROM).unwrap(), (1, Some(6)));
}

#[test]
fn fence_i_empties_the_cache() {
    let mut bench = Bench::new().unwrap();
    assert_eq!(bench.fetch(SRAM).unwrap().0, 3);
    bench.idle(6).unwrap();
    bench.store(SRAM, 0x5555).unwrap();
    assert_eq!(bench.fetch(SRAM).unwrap(), (1, Some(bench.sram[0])), "it does not watch stores");
    bench.model.fence_i_i.set(1);
    bench.idle(1).unwrap();
    bench.model.fence_i_i.set(0);
    assert_eq!(bench.fetch(SRAM).unwrap(), (3, Some(0x5555)));
}

#[test]
fn reset_of_the_core_empties_the_cache() {
    let mut bench = Bench::new().unwrap();
    assert_eq!(bench.fetch(SRAM).unwrap().0, 3);
    bench.idle(6).unwrap();
    assert_eq!(bench.fetch(SRAM).unwrap().0, 1);
    bench.model.core_rst_ni.set(0);
    bench.idle(1).unwrap();
    // New firmware, as the driver loads it.
    bench.model.other_req_i.set(1);
    bench.model.other_we_i.set(1);
    bench.model.other_addr_i.set(0);
    bench.model.other_wdata_i.set(0x5555);
    bench.idle(1).unwrap();
    bench.model.other_req_i.set(0);
    bench.model.other_we_i.set(0);
    bench.model.core_rst_ni.set(1);
    assert_eq!(bench.fetch(SRAM).unwrap(), (3, Some(0x5555)));
}

#[test]
fn a_core_may_be_reset_in_the_middle_of_anything() {
    let mut bench = Bench::new().unwrap();
    for at in 0..12 {
        bench.model.insn_req_i.set(1);
        bench.model.insn_addr_i.set(SRAM + 0x2000 + LINE_BYTES * at);
        bench.model.data_req_i.set(1);
        bench.model.data_we_i.set(0);
        bench.model.data_addr_i.set(SRAM + 0x100);
        bench.model.other_req_i.set(1);
        bench.idle(at).unwrap();
        bench.model.core_rst_ni.set(0);
        bench.idle(1).unwrap();
        bench.model.insn_req_i.set(0);
        bench.model.data_req_i.set(0);
        bench.model.other_req_i.set(0);
        bench.model.core_rst_ni.set(1);
        bench.idle(1).unwrap();
        assert!(!bench.model.insn_rvalid_o.is_high() && !bench.model.data_rvalid_o.is_high());
        assert_eq!(bench.fetch(SRAM + 0x40).unwrap(), (3, Some(bench.sram[16])));
    }
}

/// A data access of the random test.
#[derive(Clone, Copy, Debug)]
struct DataAccess {
    address: u32,
    write: Option<(u8, u32)>,
}

fn data_access() -> impl Strategy<Value = DataAccess> {
    let address = prop_oneof![
        6 => (0_u32..32).prop_map(|word| SRAM + DATA_FROM + 4 * word),
        4 => (0_u32..16).prop_map(|word| SCRATCHPAD + SCRATCHPAD_BYTES / 2 + 4 * word),
        2 => (0_u32..1024).prop_map(|word| REGISTERS + 4 * word),
        1 => any::<u32>().prop_map(|address| 0x8000_0000 | (address & !3)),
    ];
    let write = prop_oneof![Just(None), (1_u8..16, any::<u32>()).prop_map(Some)];
    (address, write).prop_map(|(address, write)| DataAccess { address, write })
}

/// A sequence of fetches, as code makes it.
fn fetches() -> impl Strategy<Value = Vec<u32>> {
    let start = prop_oneof![
        8 => (0_u32..DATA_FROM / 4 - 24).prop_map(|word| SRAM + 4 * word),
        4 => (0_u32..ICACHE_BYTES / 2).prop_map(|word| SRAM + 4 * word),
        2 => (0_u32..256).prop_map(|word| SCRATCHPAD + 4 * word),
        1 => (0_u32..8).prop_map(|word| SRAM + SRAM_BYTES - 16 + 4 * word),
    ];
    (start, 1_u32..24).prop_map(|(start, words)| (0..words).map(|w| start + 4 * w).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Both ports at once, the SRAM and the register bus refusing at random.
    #[test]
    fn fetches_and_data_accesses_return_what_memory_holds(
        runs in prop::collection::vec(fetches(), 1..20),
        data in prop::collection::vec(data_access(), 1..150),
        noise in prop::collection::vec(any::<u8>(), 64),
    ) {
        let code: Vec<u32> = runs.concat();
        let mut bench = Bench::new().unwrap();
        let (mut fetched, mut answered) = (0, 0);
        let mut fetches: VecDeque<u32> = VecDeque::new();
        let mut data_next = 0;
        let mut data_due: VecDeque<Due> = VecDeque::new();
        let mut data_answered = 0;

        for cycle in 0..20_000_u32 {
            if answered == code.len() && data_answered == data.len() {
                break;
            }
            let noise = noise[cycle as usize % noise.len()];
            let m = &mut bench.model;
            m.other_req_i.set(u8::from(noise & 3 == 0 || m.other_req_i.get() == 1 && m.other_gnt_o.get() == 0));
            m.other_addr_i.set(0);
            m.reg_gnt_i.set(noise >> 2 & 1);

            let ask_insn = fetched < code.len() && fetches.len() < 2 && (noise & 0x30 != 0 || m.insn_req_i.get() == 1 && fetches.is_empty());
            m.insn_req_i.set_bool(ask_insn);
            if ask_insn {
                m.insn_addr_i.set(code[fetched]);
            }
            let ask_data = data_next < data.len();
            m.data_req_i.set_bool(ask_data);
            if ask_data {
                let access = data[data_next];
                let (bytes, value) = access.write.unwrap_or((0xF, 0));
                m.data_addr_i.set(access.address);
                m.data_we_i.set_bool(access.write.is_some());
                m.data_be_i.set(bytes);
                m.data_wdata_i.set(value);
            }
            m.settle().unwrap();
            // Answers of this clock belong to grants of earlier ones.
            if m.insn_rvalid_o.is_high() {
                let address = fetches.pop_front().expect("an answer has a fetch");
                let got = (!m.insn_err_o.is_high()).then(|| m.insn_rdata_o.get());
                prop_assert_eq!(got, bench.code_at(address), "fetch of {:#x}", address);
                answered += 1;
            }
            let m = &mut bench.model;
            if m.data_rvalid_o.is_high() {
                let due = data_due.pop_front().expect("an answer has an access");
                let got = (!m.data_err_o.is_high()).then(|| m.data_rdata_o.get());
                match due {
                    Due::Error => prop_assert_eq!(got, None, "access {}", data_answered),
                    Due::Anything => prop_assert!(got.is_some(), "access {}", data_answered),
                    Due::Word(word) => prop_assert_eq!(got, Some(word), "access {}", data_answered),
                    Due::Registers => prop_assert_eq!(got, Some(m.reg_rdata_i.get()), "access {}", data_answered),
                }
                data_answered += 1;
            }
            if ask_insn && m.insn_gnt_o.is_high() {
                fetches.push_back(code[fetched]);
                fetched += 1;
            }
            let data_granted = ask_data && m.data_gnt_o.is_high();
            m.clock().unwrap();
            // The data of the register bus in this clock, whether it was asked or not.
            m.reg_rdata_i.set(cycle.wrapping_mul(0x0101_0101));
            if data_granted {
                data_due.push_back(bench.perform(data[data_next]));
                data_next += 1;
            }
        }
        prop_assert_eq!((answered, data_answered), (code.len(), data.len()), "everything was answered");
    }
}
