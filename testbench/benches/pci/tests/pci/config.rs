//! Configuration space, as the host's software uses it.

use bench_pci::{Bench, Setup, BAR0, BAR1, SRAM_BYTES};
use host_pci::{Answer, BusError, ReadKind, Transaction, Word};
use sim_pins::PciPin;

fn bench() -> Bench {
    Bench::new(Setup::default()).unwrap()
}

#[test]
fn the_header_names_a_network_controller_with_inta() {
    let mut bench = bench();
    assert_eq!(bench.config_read(0x00).unwrap(), 0x4943_4E53);
    assert_eq!(bench.config_read(0x08).unwrap(), 0x0280_0001);
    assert_eq!(bench.config_read(0x0C).unwrap() >> 16, 0, "header type 0, no BIST");
    assert_eq!(bench.config_read(0x2C).unwrap(), 0x4943_4E53);
    assert_eq!(bench.config_read(0x3C).unwrap() & 0xFF00, 0x0100);
    bench.judge().unwrap();
}

#[test]
fn status_says_66_mhz_and_medium_devsel() {
    let mut bench = bench();
    assert_eq!(bench.config_read(0x04).unwrap() >> 16, 0x0220);
    bench.judge().unwrap();
}

#[test]
fn writing_ones_to_a_bar_reads_its_size_and_kind() {
    let mut bench = bench();
    bench.config_write(0x04, 0).unwrap();
    for register in (0x10..0x28).step_by(4) {
        bench.config_write(register, 0xFFFF_FFFF).unwrap();
    }
    let bars: Vec<u32> = (0x10..0x28).step_by(4).map(|register| bench.config_read(register).unwrap()).collect();
    let sram_mask = !(SRAM_BYTES as u32 - 1);
    assert_eq!(bars, [0xFFFE_0000, sram_mask | 8, 0, 0, 0, 0]);
    bench.judge().unwrap();
}

#[test]
fn unused_registers_read_zero_and_ignore_writes() {
    let mut bench = bench();
    for register in [0x18, 0x28, 0x30, 0x34, 0x38, 0x44, 0xFC] {
        bench.config_write(register, 0xFFFF_FFFF).unwrap();
        assert_eq!(bench.config_read(register).unwrap(), 0, "register {register:#x}");
    }
    bench.judge().unwrap();
}

#[test]
fn only_enabled_bytes_of_a_register_change() {
    let mut bench = bench();
    bench.config_write(0x10, 0).unwrap();
    for (byte, expected) in [(0, 0), (1, 0), (2, 0x00FE_0000), (3, 0xFFFE_0000u32)] {
        bench.config_write_bytes(0x10, 0xFFFF_FFFF, 1 << byte).unwrap();
        assert_eq!(bench.config_read(0x10).unwrap(), expected);
    }
    bench.config_write(0x0C, 0).unwrap();
    bench.config_write_bytes(0x0C, 0xFFFF_4010, 0b0010).unwrap();
    assert_eq!(bench.config_read(0x0C).unwrap(), 0x4000);
    bench.config_write_bytes(0x0C, 0xFFFF_2010, 0b0001).unwrap();
    assert_eq!(bench.config_read(0x0C).unwrap(), 0x4010);
    bench.config_write_bytes(0x3C, 0xFFFF_FF0B, 0b0001).unwrap();
    assert_eq!(bench.config_read(0x3C).unwrap() & 0xFFFF, 0x010B);
    bench.judge().unwrap();
}

#[test]
fn the_command_register_holds_what_is_implemented() {
    let mut bench = bench();
    bench.config_write(0x04, 0x0000_FFFF).unwrap();
    assert_eq!(bench.config_read(0x04).unwrap() & 0xFFFF, 0x0546);
    bench.config_write_bytes(0x04, 0, 0b0010).unwrap();
    assert_eq!(bench.config_read(0x04).unwrap() & 0xFFFF, 0x0046);
    bench.judge().unwrap();
}

#[test]
fn an_unsupported_cache_line_size_reads_zero() {
    let mut bench = bench();
    for (written, read) in [(4, 4), (8, 8), (16, 16), (32, 32), (12, 0), (64, 0), (1, 0)] {
        bench.config_write_bytes(0x0C, written, 0b0001).unwrap();
        assert_eq!(bench.config_read(0x0C).unwrap() & 0xFF, read);
    }
}

#[test]
fn the_limit_of_retries_has_16_bits_and_is_none_after_reset() {
    let mut bench = bench();
    assert_eq!(bench.config_read(0x40).unwrap(), 0);
    bench.config_write(0x40, 0xFFFF_FFFF).unwrap();
    assert_eq!(bench.config_read(0x40).unwrap(), 0xFFFF);
    bench.config_write_bytes(0x40, 0x1234_5678, 0b0010).unwrap();
    assert_eq!(bench.config_read(0x40).unwrap(), 0x56FF);
    bench.judge().unwrap();
}

#[test]
fn functions_other_than_zero_and_other_devices_do_not_answer() {
    let mut bench = bench();
    let device = bench.setup.settings.nic_device;
    for function in 1..8 {
        let answer = bench.cpu(Transaction::ConfigRead { device, function, register: 0 }).unwrap();
        assert_eq!(answer, Err(BusError::MasterAbort));
    }
    let answer = bench.cpu(Transaction::config_read(device + 1, 0)).unwrap();
    assert_eq!(answer, Err(BusError::MasterAbort));
    bench.judge().unwrap();
}

#[test]
fn memory_answers_only_when_enabled_and_only_in_its_bars() {
    let mut bench = bench();
    let read = |bench: &mut Bench, addr| bench.cpu(Transaction::read_dword(host_pci::BusAddr(addr))).unwrap();
    assert_eq!(read(&mut bench, BAR0 + 0x2_0000), Err(BusError::MasterAbort));
    assert_eq!(read(&mut bench, BAR1 + SRAM_BYTES as u32), Err(BusError::MasterAbort));
    assert_eq!(read(&mut bench, BAR1), Ok(Answer::Read(vec![0])));
    bench.config_write(0x04, 0).unwrap();
    assert_eq!(read(&mut bench, BAR0), Err(BusError::MasterAbort));
    assert_eq!(read(&mut bench, BAR1), Err(BusError::MasterAbort));
    bench.judge().unwrap();
}

#[test]
fn a_bar_may_move() {
    let mut bench = bench();
    bench.write_words(BAR1 + 8, &[Word::full(77)]).unwrap();
    bench.settle().unwrap();
    bench.config_write(0x14, 0xA008_0000).unwrap();
    assert_eq!(bench.read_dwords(0xA008_0008, 1, ReadKind::Plain).unwrap(), [77]);
    bench.judge().unwrap();
}

#[test]
fn inta_follows_the_level_unless_disabled() {
    let mut bench = bench();
    assert!(!bench.nic_enables(PciPin::Inta));
    bench.core.irq = true;
    bench.run_pci_clocks(8).unwrap();
    assert!(bench.bus.interrupt().asserted);
    assert_eq!(bench.config_read(0x04).unwrap() >> 16 & 8, 8, "interrupt status");

    bench.config_write(0x04, 0x0546).unwrap();
    assert!(!bench.bus.interrupt().asserted, "disabled");
    assert_eq!(bench.config_read(0x04).unwrap() >> 16 & 8, 8, "the status does not care");

    bench.config_write(0x04, 0x0146).unwrap();
    assert!(bench.bus.interrupt().asserted);
    bench.core.irq = false;
    bench.run_pci_clocks(8).unwrap();
    assert!(!bench.bus.interrupt().asserted);
    assert_eq!(bench.config_read(0x04).unwrap() >> 16 & 8, 0);
    bench.judge().unwrap();
}
