//! The SRAM behind its arbiter, under all its requesters.

use bench_nic::clocked::Clocked;
use bench_nic::models::{BenchMemory, BenchMemoryPair, BenchMemoryPins};
use nic_layout::registers;
use proptest::prelude::*;
use verilated::{AnyModel, Context, Error};

/// Ports of a NIC with one core, and with two. The pins are those of two.
const PORTS: usize = 7;
const PORTS_PAIR: usize = 9;
const WORDS: usize = 512;
const LINK_RX: usize = 0;
const HOST: usize = 6;

/// One access of a port, and the clocks for which the port pauses before it.
#[derive(Clone, Copy, Debug)]
struct Access {
    pause_cycles: u32,
    word: usize,
    /// The byte enables and the data of a write.
    write: Option<(u8, u64)>,
}

/// The state of a port.
#[derive(Default)]
struct Port {
    script: Vec<Access>,
    next: usize,
    pause_cycles: u32,
    /// The data that the last granted read must return.
    expected: Option<u64>,
    waited_cycles: u32,
    waited_cycles_max: u32,
    waited_cycles_total: u32,
}

struct Bench {
    model: Clocked<AnyModel<BenchMemoryPins>>,
    ports: Vec<Port>,
    memory: Vec<u64>,
}

impl Bench {
    /// One script for each port.
    fn new(scripts: Vec<Vec<Access>>) -> Result<Bench, Error> {
        let context = Context::new().randomized(1);
        let mut model: Clocked<AnyModel<BenchMemoryPins>> = Clocked::new(match scripts.len() {
            PORTS => BenchMemory::new(context)?.into(),
            PORTS_PAIR => BenchMemoryPair::new(context)?.into(),
            other => panic!("no NIC has {other} ports"),
        });
        model.rst_ni.set(0);
        model.clock()?;
        model.clock()?;
        model.rst_ni.set(1);
        let ports = scripts
            .into_iter()
            .map(|script| Port {
                pause_cycles: script.first().map_or(0, |a| a.pause_cycles),
                script,
                ..Port::default()
            })
            .collect();
        let mut bench = Bench { model, ports, memory: vec![0; WORDS] };
        bench.clear_sram()?;
        Ok(bench)
    }

    /// Writes zero everywhere through the first port.
    fn clear_sram(&mut self) -> Result<(), Error> {
        for word in 0..WORDS {
            let access = Access { pause_cycles: 0, word, write: Some((0xFF, 0)) };
            let mut requests = [None; PORTS_PAIR];
            requests[LINK_RX] = Some(access);
            self.drive(&requests);
            self.model.clock()?;
        }
        self.drive(&[None; PORTS_PAIR]);
        self.model.clock()
    }

    fn drive(&mut self, requests: &[Option<Access>; PORTS_PAIR]) {
        let (mut req, mut we) = (0, 0);
        let mut addr = [0; PORTS_PAIR];
        let mut be = [0; PORTS_PAIR.div_ceil(4)];
        let mut wdata = [0; 2 * PORTS_PAIR];
        for (i, access) in requests.iter().enumerate() {
            let Some(access) = access else { continue };
            req |= 1 << i;
            addr[i] = 8 * access.word as u32;
            if let Some((bytes, data)) = access.write {
                we |= 1 << i;
                be[i / 4] |= u32::from(bytes) << (8 * (i % 4));
                wdata[2 * i] = data as u32;
                wdata[2 * i + 1] = (data >> 32) as u32;
            }
        }
        self.model.req_i.set(req);
        self.model.we_i.set(we);
        self.model.be_i.set(be);
        self.model.addr_i.set(addr);
        self.model.wdata_i.set(wdata);
    }

    /// One clock: every port asks for its next access when its pause is over.
    fn clock(&mut self) -> Result<(), Error> {
        let mut requests = [None; PORTS_PAIR];
        for (request, port) in requests.iter_mut().zip(&self.ports) {
            *request = port.script.get(port.next).filter(|_| port.pause_cycles == 0).copied();
        }
        self.drive(&requests);
        self.model.settle()?;
        let granted = self.model.gnt_o.get();
        self.model.clock()?;
        assert!(granted.count_ones() <= 1);

        for (i, port) in self.ports.iter_mut().enumerate() {
            port.pause_cycles = port.pause_cycles.saturating_sub(1);
            port.expected = None;
            let Some(access) = requests[i] else { continue };
            if granted >> i & 1 == 0 {
                port.waited_cycles += 1;
                continue;
            }
            match access.write {
                Some((bytes, data)) => {
                    let word = &mut self.memory[access.word];
                    *word = (*word & !byte_mask(bytes)) | (data & byte_mask(bytes));
                }
                None => port.expected = Some(self.memory[access.word]),
            }
            port.next += 1;
            port.pause_cycles = port.script.get(port.next).map_or(0, |a| a.pause_cycles);
            port.waited_cycles_max = port.waited_cycles_max.max(port.waited_cycles);
            port.waited_cycles_total += port.waited_cycles;
            port.waited_cycles = 0;
        }

        let valid = self.model.rvalid_o.get();
        for (i, port) in self.ports.iter().enumerate() {
            assert_eq!(valid >> i & 1 == 1, port.expected.is_some(), "rvalid of port {i}");
            if let Some(expected) = port.expected {
                assert_eq!(self.model.rdata_o.get(), expected, "data of port {i}");
            }
        }
        Ok(())
    }

    fn done(&self) -> bool {
        self.ports.iter().all(|port| port.next == port.script.len())
    }

    fn counter(&mut self, at: registers::Offset) -> Result<u32, Error> {
        self.drive(&[None; PORTS_PAIR]);
        self.model.reg_sel_i.set(1);
        self.model.reg_addr_i.set(at.0);
        self.model.clock()?;
        self.model.reg_sel_i.set(0);
        Ok(self.model.reg_rdata_o.get())
    }
}

fn byte_mask(bytes: u8) -> u64 {
    (0..8).filter(|i| bytes >> i & 1 == 1).fold(0, |mask, i| mask | 0xFF << (8 * i))
}

fn access() -> impl Strategy<Value = Access> {
    // Few words, so that several ports use the same word. Mostly no pauses, so that the ports
    // contend.
    let write = prop_oneof![Just(None), (any::<u8>(), any::<u64>()).prop_map(Some)];
    let pause = prop_oneof![3 => Just(0_u32), 1 => 1_u32..12];
    (pause, 0_usize..16, write).prop_map(|(pause_cycles, word, write)| Access { pause_cycles, word, write })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The checkers in the bench watch the handshake and the bounds on waiting at the same time.
    #[test]
    fn every_port_reads_what_was_granted_before(
        scripts in prop_oneof![Just(PORTS), Just(PORTS_PAIR)]
            .prop_flat_map(|ports| prop::collection::vec(prop::collection::vec(access(), 0..60), ports)),
    ) {
        let mut bench = Bench::new(scripts).unwrap();
        let bound: usize = bench.ports.iter().map(|port| port.script.len() * 20).sum::<usize>() + 1;
        for _ in 0..bound {
            bench.clock().unwrap();
        }
        prop_assert!(bench.done());
        for port in 0..bench.ports.len() {
            let cleared = if port == LINK_RX { WORDS } else { 0 };
            let grants = bench.counter(registers::sram::GRANTS.at(port).offset()).unwrap();
            prop_assert_eq!(grants as usize, bench.ports[port].script.len() + cleared);
            let waits = bench.counter(registers::sram::WAITS.at(port).offset()).unwrap();
            prop_assert_eq!(waits, bench.ports[port].waited_cycles_total);
        }
    }
}

/// Lets some ports ask in every clock. Returns the grants and the longest wait of each port after
/// `cycles` clocks.
fn saturate<const N: usize>(busy: [bool; N], cycles: u32) -> [(usize, u32); N] {
    let access = Access { pause_cycles: 0, word: 3, write: None };
    let scripts = busy.map(|busy| vec![access; if busy { cycles as usize } else { 0 }]);
    let mut bench = Bench::new(scripts.to_vec()).unwrap();
    for _ in 0..cycles {
        bench.clock().unwrap();
    }
    std::array::from_fn(|i| (bench.ports[i].next, bench.ports[i].waited_cycles_max))
}

#[test]
fn no_clock_is_wasted_while_anyone_asks() {
    for port in 0..PORTS_PAIR {
        let mut busy = [false; PORTS_PAIR];
        busy[port] = true;
        assert_eq!(saturate(busy, 100)[port], (100, 0));
    }
}

#[test]
fn the_bounds_on_waiting_are_met_and_reached() {
    let all = saturate([true; PORTS], 6_400);
    let waits = all.map(|(_, wait)| wait);
    // If every port asks in every clock, each of the other ports waits its whole bound. DMA waits
    // one clock less than its own bound: both classes are urgent in the same two clocks only
    // rarely.
    assert!(waits[0] <= 3 && waits[1] <= 3, "{waits:?}");
    assert!(waits[2] <= 33 && waits[3] <= 33, "{waits:?}");
    assert_eq!(waits[4..7], [11; 3], "{waits:?}");
    println!("longest waits in clocks, all ports saturated: {waits:?}");
}

#[test]
fn with_two_cores_the_rest_waits_eight_clocks_longer_and_others_as_before() {
    let all = saturate([true; PORTS_PAIR], 6_400);
    let waits = all.map(|(_, wait)| wait);
    assert!(waits[0] <= 3 && waits[1] <= 3, "{waits:?}");
    assert!(waits[2] <= 33 && waits[3] <= 33, "{waits:?}");
    assert_eq!(waits[4..], [19; 5], "{waits:?}");
    let grants = all.map(|(grants, _)| grants);
    assert_eq!(grants[4..], [320; 5], "a quarter of the clocks, shared by five: {grants:?}");
}

#[test]
fn a_quarter_of_the_clocks_is_sure_to_cores_and_host() {
    let grants = saturate([true; PORTS], 6_400).map(|(grants, _)| grants);
    let rest: usize = grants[4..7].iter().sum();
    assert_eq!(rest, 1_600, "{grants:?}");
    assert!(grants[4..7].iter().all(|&g| g.abs_diff(533) <= 1), "{grants:?}");
    println!("grants of 6400 clocks, all ports saturated: {grants:?}");
}

#[test]
fn members_of_a_class_share_evenly() {
    let grants = saturate([true, true, false, false, false, false, false], 1_000);
    assert_eq!((grants[0].0, grants[1].0), (500, 500));
    let grants = saturate([false, false, true, true, false, false, false], 1_000);
    assert_eq!((grants[2].0, grants[3].0), (500, 500));
    let grants = saturate([false, false, false, false, true, true, true], 999);
    assert!((4..=HOST).all(|port| grants[port].0 == 333));
}

#[test]
fn the_link_goes_before_dma_and_dma_before_the_rest() {
    let grants = saturate([true, false, true, false, false, false, false], 1_600);
    assert_eq!((grants[0].0, grants[2].0), (1_500, 100), "DMA is urgent once in sixteen clocks");
    let grants = saturate([false, false, true, false, true, false, false], 1_600);
    assert_eq!((grants[2].0, grants[4].0), (1_200, 400), "the rest is urgent once in four clocks");
}
