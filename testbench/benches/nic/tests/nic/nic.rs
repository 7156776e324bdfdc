//! The whole NIC at its pins, watched by the checkers of the bus and of the design.

use bench_nic::assembler::*;
use bench_nic::models::WatchedNic;
use bench_nic::nic::{Nic, NicError, BAR0, BAR1};
use host_pci::{BusAddr, Settings, Transaction};
use nic_layout::boot::FIRMWARE_ADDRESS;
use nic_layout::registers::{
    dma_read, dma_write, doorbell, event_a, ident, interrupt, mac_rx, mac_tx, mailbox, pci, sram,
};
use nic_layout::ring::{Event, DMA_AHEAD_SHIFT, DMA_FLAG_ASSIST, DMA_FLAG_EVENT, DMA_STATUS_DONE, MAC_STATUS_DONE};

const DOORBELL_PAGE_3: u32 = BAR0 + 0x1_3000;

fn nic(settings: Settings) -> Nic<WatchedNic> {
    let mut nic = Nic::new(settings, 1).unwrap();
    nic.configure().unwrap();
    nic
}

fn run(body: impl FnOnce(&mut Nic<WatchedNic>) -> Result<(), NicError>) {
    let mut nic = nic(Settings::default());
    body(&mut nic).unwrap();
    nic.check_bus().unwrap();
}

fn bytes(count: usize, seed: u8) -> Vec<u8> {
    (0..count).map(|i| (i as u8).wrapping_mul(37).wrapping_add(seed)).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

/// Firmware that takes a value from doorbell 3, sends the value plus one to mailbox 0, and writes
/// the value to the trace port.
fn echo_program() -> Vec<u32> {
    let at = |register: nic_layout::registers::Offset| register.0 as i32;
    let doorbell = 1 << Event::Doorbell as i32;
    vec![
        lui(S0, 0x40000),
        addi(T0, ZERO, 1),
        slli(T0, T0, 11),
        csrw(CSR_MIE, T0), // external interrupt: ends wfi
        addi(T0, ZERO, doorbell),
        sw(T0, at(event_a::ENABLE.offset()), S0),
        WFI, // offset 24
        lw(T1, at(event_a::NEXT.offset()), S0),
        addi(T2, ZERO, 4 * Event::Doorbell as i32),
        bne(T1, T2, -12),
        sw(T0, at(event_a::CLEAR.offset()), S0),
        lw(T1, at(doorbell::PENDING.offset()), S0),
        sw(T1, at(doorbell::CLEAR.offset()), S0),
        lw(T1, at(doorbell::VALUE.at(3).offset()), S0),
        csrw(CSR_TRACE, T1),
        addi(T1, T1, 1),
        sw(T1, at(mailbox::TO_HOST.at(0).offset()), S0),
        j(-44),
    ]
}

fn start(nic: &mut Nic<WatchedNic>, program: &[u32]) -> Result<(), NicError> {
    nic.sram_write(FIRMWARE_ADDRESS, program)?;
    nic.write(ident::CORE_CONTROL, ident::CoreControl::default().with_run_a(true))
}

#[test]
fn a_driver_finds_the_nic_and_sizes_its_bars() {
    let mut nic = Nic::<WatchedNic>::new(Settings::default(), 1).unwrap();
    let id = nic.config_read(0).unwrap();
    assert!(id != u32::MAX && id != 0);
    nic.config_write(0x10, u32::MAX).unwrap();
    nic.config_write(0x14, u32::MAX).unwrap();
    assert_eq!(nic.config_read(0x10).unwrap(), 0xFFFE_0000, "128 KB, not prefetchable");
    assert_eq!(nic.config_read(0x14).unwrap(), 0xFFF8_0008, "512 KB, prefetchable");
    nic.configure().unwrap();
    assert_eq!(nic.read(ident::ID).unwrap(), ident::ID_RESET);
    assert_eq!(nic.read(ident::SRAM_BYTES).unwrap(), 512 * 1024);
    assert!(nic.read(ident::CAPABILITIES).unwrap().pci_64());
    nic.check_bus().unwrap();
}

#[test]
fn the_width_of_the_slot_is_seen_by_firmware() {
    let mut nic = nic(Settings { bus_64_bit: false, target_64_bit: false, ..Settings::default() });
    assert!(!nic.read(ident::CAPABILITIES).unwrap().pci_64());
    nic.check_bus().unwrap();
}

#[test]
fn the_host_writes_and_reads_all_of_sram() {
    run(|nic| {
        for address in [0, 0x3FC, 0x400, 0x1_2340, 0x7_FFE0] {
            let data = words(&bytes(32, address as u8));
            let count = data.len().min((512 * 1024 - address as usize) / 4);
            nic.sram_write(address, &data[..count])?;
            assert_eq!(nic.sram_read(address, count)?, data[..count]);
        }
        // The same bytes through BAR 0.
        nic.sram_write(0x10, &[0x1357_9BDF])?;
        let low = nic.access(Transaction::read_dword(BusAddr(BAR0 + 0x1410)))?;
        assert_eq!(low, [0x1357_9BDF]);
        nic.write(ident::WINDOW_BASE, 0x1_2000)?;
        let window = nic.access(Transaction::read_dword(BusAddr(BAR0 + 0x1800 + 0x340)))?;
        assert_eq!(window, nic.sram_read(0x1_2340, 1)?);
        Ok(())
    });
}

#[test]
fn a_doorbell_is_answered_by_the_core_with_a_mailbox_and_inta() {
    run(|nic| {
        nic.write(interrupt::ENABLE, 1)?;
        start(nic, &echo_program())?;
        nic.run_core_cycles(400)?;
        assert!(nic.read(ident::CORE_STATUS)?.sleep_a(), "the core waits in wfi");
        for value in [41, 0xFFFF_FFFF, 7] {
            assert!(!nic.inta_is_low());
            nic.submit(Transaction::write_dword(BusAddr(DOORBELL_PAGE_3 + 0x80), value));
            nic.until("INTA#", |nic| {
                nic.bus.next_completion();
                nic.inta_is_low().then_some(())
            })?;
            assert_eq!(nic.read(mailbox::TO_HOST.at(0))?, value.wrapping_add(1));
            assert_eq!(nic.read(interrupt::STATUS)?, 1);
            nic.write(interrupt::CAUSE, 1)?;
            nic.until("INTA# to rise", |nic| (!nic.inta_is_low()).then_some(()))?;
        }
        assert_eq!(nic.trace, [41, 0xFFFF_FFFF, 7]);
        assert_eq!(nic.probes[0], 3, "doorbells");
        assert_eq!(nic.probes[9], 3, "interrupts");
        assert_eq!(nic.probes[10], 3, "mailboxes");
        Ok(())
    });
}

#[test]
fn from_doorbell_to_trace_takes_few_clocks() {
    run(|nic| {
        start(nic, &echo_program())?;
        nic.run_core_cycles(400)?;
        nic.submit(Transaction::write_dword(BusAddr(DOORBELL_PAGE_3), 1));
        nic.until("the doorbell", |nic| (nic.probes[0] == 1).then_some(()))?;
        let rung = nic.core_cycles();
        nic.until("the marker", |nic| (nic.trace.len() == 1).then_some(()))?;
        let cycles = nic.core_cycles() - rung;
        println!(
            "from the doorbell in the core's clock to the marker behind three loads and two stores: {cycles} clocks"
        );
        assert!(cycles < 40, "{cycles}");
        Ok(())
    });
}

#[test]
fn a_core_that_is_stopped_and_started_runs_new_firmware() {
    run(|nic| {
        for value in [1, 2] {
            let program = [lui(S0, 0x40000), addi(T0, ZERO, value), csrw(CSR_TRACE, T0), j(0)];
            start(nic, &program)?;
            nic.run_core_cycles(400)?;
            nic.write(ident::CORE_CONTROL, ident::CoreControl::default())?;
        }
        assert_eq!(nic.trace, [1, 2]);
        Ok(())
    });
}

/// `mcycle` is software's to stop and to write; `time` is the clock of the NIC (Zicntr).
#[test]
fn time_goes_on_while_mcycle_stands() {
    run(|nic| {
        let show = |csr| [csrr(T1, csr), csrw(CSR_TRACE, T1)];
        let program: Vec<u32> = [lui(S0, 0x40000), addi(T0, ZERO, 1), csrw(CSR_MCOUNTINHIBIT, T0)]
            .into_iter()
            .chain([csrw(CSR_MCYCLE, T0)])
            .chain([CSR_TIME, CSR_MCYCLE, CSR_TIME, CSR_MCYCLE].into_iter().flat_map(show))
            .chain([j(0)])
            .collect();
        let before = nic.read(ident::CYCLES_LO)?;
        start(nic, &program)?;
        nic.run_core_cycles(400)?;
        let after = nic.read(ident::CYCLES_LO)?;
        let [first, one, second, same] = nic.trace[..] else { panic!("{:?}", nic.trace) };
        assert_eq!((one, same), (1, 1));
        assert!(before < first && first < second && second < after, "{before} {:?} {after}", nic.trace);
        Ok(())
    });
}

#[test]
fn dma_moves_blocks_both_ways() {
    run(|nic| {
        const RING: u32 = 0x1000;
        let data = bytes(1500, 3);
        nic.memory.bytes_mut()[0x4003..0x4003 + 1500].copy_from_slice(&data);
        // Host memory at an odd address to SRAM, and back to another odd address.
        nic.sram_write(RING, &[0x4003, 0x2_0001, 1500 | DMA_FLAG_EVENT, 0])?;
        nic.write(dma_read::RING_BASE, RING)?;
        nic.write(dma_read::PRODUCER, 1)?;
        nic.write(dma_read::CONTROL, dma_read::Control::default().with_enable(true))?;
        nic.until("the read", |nic| (nic.probes[2] == 1).then_some(()))?;
        assert_eq!(nic.read(dma_read::CONSUMER)?, 1);
        assert_eq!(nic.sram_read(RING + 12, 1)?, [DMA_STATUS_DONE]);
        assert_eq!(nic.read(event_a::PENDING)?, 1 << Event::DmaRead as u32);

        nic.sram_write(RING + 0x100, &[0x8006, 0x2_0001, 1500 | DMA_FLAG_EVENT, 0])?;
        nic.write(dma_write::RING_BASE, RING + 0x100)?;
        nic.write(dma_write::PRODUCER, 1)?;
        nic.write(dma_write::CONTROL, dma_write::Control::default().with_enable(true))?;
        nic.until("the write", |nic| (nic.probes[4] == 1).then_some(()))?;
        assert_eq!(nic.sram_read(RING + 0x10C, 1)?, [DMA_STATUS_DONE]);
        assert_eq!(nic.memory.bytes()[0x8006..0x8006 + 1500], data[..]);
        assert_eq!(nic.memory.bytes()[0x8005], 0, "nothing before");
        assert_eq!(nic.memory.bytes()[0x8006 + 1500], 0, "nothing behind");
        assert_eq!(nic.read(dma_read::BYTES)?, 1500);
        assert_eq!(nic.read(dma_write::BYTES)?, 1500);
        assert!(nic.read(pci::MASTER_TRANSACTIONS)? >= 2);
        assert!(nic.read(sram::GRANTS.at(2))? >= 1500 / 8);
        Ok(())
    });
}

/// A core stops while its engine has read ahead, and other firmware sets up the ring anew: its
/// first descriptor gets the bytes that it names, and none that were meant for another.
#[test]
fn a_ring_that_is_set_up_anew_gets_nothing_that_was_read_ahead() {
    run(|nic| {
        const RING: u32 = 0x1000;
        const NEXT_RING: u32 = 0x2000;
        let (old, new) = (bytes(1024, 3), bytes(200, 111));
        nic.memory.bytes_mut()[0x4000..0x4400].copy_from_slice(&old);
        nic.memory.bytes_mut()[0x9000..0x90C8].copy_from_slice(&new);
        nic.sram_write(RING, &[0x4000, 0x2_0000, 64 | 512 << DMA_AHEAD_SHIFT, 0])?;
        nic.write(dma_read::RING_BASE, RING)?;
        nic.write(dma_read::PRODUCER, 1)?;
        nic.write(dma_read::CONTROL, dma_read::Control::default().with_enable(true))?;
        nic.until("the first piece", |nic| (nic.probes[2] == 1).then_some(()))?;
        assert_eq!(nic.read(dma_read::AHEAD)?, 512);

        nic.write(dma_read::CONTROL, dma_read::Control::default().with_reset(true))?;
        while nic.read(dma_read::CONTROL)?.reset() {}
        assert_eq!((nic.read(dma_read::AHEAD)?, nic.read(dma_read::CONSUMER)?), (0, 0));
        nic.sram_write(NEXT_RING, &[0x9000, 0x3_0000, 200, 0])?;
        nic.write(dma_read::RING_BASE, NEXT_RING)?;
        nic.write(dma_read::PRODUCER, 1)?;
        nic.write(dma_read::CONTROL, dma_read::Control::default().with_enable(true))?;
        nic.until("the new ring", |nic| (nic.probes[2] == 2).then_some(()))?;
        assert_eq!(nic.sram_read(0x3_0000, 50)?, words(&new));
        Ok(())
    });
}

/// The target answers every transaction of the NIC with a retry, until both engines are reset.
#[test]
fn a_reset_ends_transfers_that_a_target_retries_for_ever() {
    run(|nic| {
        const RINGS: [u32; 2] = [0x1000, 0x1100];
        nic.bus.misbehaviour().plan_retries(1_000_000);
        for ring in RINGS {
            nic.sram_write(ring, &[0x4000, 0x2_0000, 300, 0])?;
        }
        nic.write(dma_read::RING_BASE, RINGS[0])?;
        nic.write(dma_write::RING_BASE, RINGS[1])?;
        nic.write(dma_read::PRODUCER, 1)?;
        nic.write(dma_write::PRODUCER, 1)?;
        nic.write(dma_read::CONTROL, dma_read::Control::default().with_enable(true))?;
        nic.write(dma_write::CONTROL, dma_write::Control::default().with_enable(true))?;
        nic.run_core_cycles(20_000)?;
        assert!(nic.read(dma_read::STATUS)?.busy() && nic.read(dma_write::STATUS)?.busy());
        nic.write(dma_read::CONTROL, dma_read::Control::default().with_reset(true))?;
        nic.write(dma_write::CONTROL, dma_write::Control::default().with_reset(true))?;
        while nic.read(dma_read::CONTROL)?.reset() || nic.read(dma_write::CONTROL)?.reset() {}
        const STOPPED: u32 = 6;
        for ring in RINGS {
            assert_eq!(nic.sram_read(ring + 12, 1)?, [DMA_STATUS_DONE | STOPPED]);
        }
        nic.bus.misbehaviour().forget_planned();

        let data = bytes(300, 5);
        nic.memory.bytes_mut()[0x4000..0x4000 + 300].copy_from_slice(&data);
        nic.sram_write(RINGS[0], &[0x4000, 0x2_0000, 300, 0])?;
        nic.write(dma_read::RING_BASE, RINGS[0])?;
        nic.write(dma_read::PRODUCER, 1)?;
        nic.write(dma_read::CONTROL, dma_read::Control::default().with_enable(true))?;
        nic.until("the read", |nic| (nic.probes[2] == 2).then_some(()))?;
        assert_eq!(nic.sram_read(0x2_0000, 75)?, words(&data));
        Ok(())
    });
}

#[test]
fn a_frame_goes_from_host_memory_over_the_link_to_host_memory() {
    run(|nic| {
        const DMA_RING: u32 = 0x1000;
        const TX_RING: u32 = 0x1800;
        const RX_RING: u32 = 0x2000;
        const WRITE_RING: u32 = 0x2800;
        const TX_BUFFER: u32 = 0x8000;
        const RX_BUFFER: u32 = 0xC000;
        let frame = bytes(1000, 9);
        nic.memory.bytes_mut()[0x1_0000..0x1_0000 + 1000].copy_from_slice(&frame);

        // A descriptor for the transmitter that the assist of the DMA engine hands over.
        nic.sram_write(TX_RING, &[TX_BUFFER, 1000])?;
        nic.write(mac_tx::RING_BASE, TX_RING)?;
        nic.write(mac_tx::CONTROL, mac_tx::Control::default().with_enable(true))?;
        nic.sram_write(RX_RING, &[RX_BUFFER, 0])?;
        nic.write(mac_rx::RING_BASE, RX_RING)?;
        nic.write(mac_rx::PRODUCER, 1)?;
        nic.write(mac_rx::CONTROL, mac_rx::Control::default().with_enable(true))?;
        nic.sram_write(DMA_RING, &[0x1_0000, TX_BUFFER, 1000 | DMA_FLAG_ASSIST, 0])?;
        nic.write(dma_read::RING_BASE, DMA_RING)?;
        nic.write(dma_read::PRODUCER, 1)?;
        nic.write(dma_read::CONTROL, dma_read::Control::default().with_enable(true))?;

        nic.until("the frame", |nic| (nic.probes[7] == 1).then_some(()))?;
        assert_eq!(nic.sram_read(RX_RING + 4, 1)?, [MAC_STATUS_DONE | 1000]);
        assert_eq!(nic.read(event_a::PENDING)?, 1 << Event::MacRx as u32);
        assert_eq!(nic.read(mac_tx::FRAMES)?, 1);
        assert_eq!(nic.read(mac_rx::FRAMES)?, 1);
        assert_eq!(nic.sram_read(RX_BUFFER, 250)?, words(&frame));

        nic.sram_write(WRITE_RING, &[0x2_0000, RX_BUFFER, 1000, 0])?;
        nic.write(dma_write::RING_BASE, WRITE_RING)?;
        nic.write(dma_write::PRODUCER, 1)?;
        nic.write(dma_write::CONTROL, dma_write::Control::default().with_enable(true))?;
        nic.until("the write", |nic| (nic.probes[4] == 1).then_some(()))?;
        assert_eq!(nic.memory.bytes()[0x2_0000..0x2_0000 + 1000], frame[..]);
        Ok(())
    });
}

#[test]
fn what_holds_nothing_is_refused_and_counted_at_the_pins() {
    run(|nic| {
        assert_eq!(nic.access(Transaction::read_dword(BusAddr(BAR0 + 0xF04)))?, [0]);
        nic.access(Transaction::write_dword(BusAddr(BAR0 + 0x3000), 1))?;
        assert_eq!(nic.read(ident::HOST_REFUSED)?, 2);
        let end = BAR1 + 512 * 1024 - 4;
        nic.access(Transaction::write_dword(BusAddr(end), 0xABCD))?;
        assert_eq!(nic.access(Transaction::read_dword(BusAddr(end)))?, [0xABCD]);
        assert_eq!(nic.read(ident::HOST_REFUSED)?, 2);
        Ok(())
    });
}

#[test]
fn reset_forgets_everything_but_memory() {
    run(|nic| {
        nic.sram_write(0x500, &[0x1234])?;
        nic.write(ident::SCRATCH, 5)?;
        nic.write(interrupt::ENABLE, 1)?;
        nic.write(interrupt::SET, 1)?;
        nic.until("INTA#", |nic| nic.inta_is_low().then_some(()))?;
        let now = nic.now();
        nic.bus.start_reset(now, 40);
        nic.until("the end of reset", |nic| nic.bus.is_out_of_reset().then_some(()))?;
        assert!(!nic.inta_is_low());
        nic.configure()?;
        assert_eq!(nic.read(ident::SCRATCH)?, 0);
        assert_eq!(nic.read(interrupt::CAUSE)?, 0);
        assert_eq!(nic.sram_read(0x500, 1)?, [0x1234]);
        Ok(())
    });
}
