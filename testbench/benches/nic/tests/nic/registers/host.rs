//! The host's accesses to registers and SRAM.

use super::*;

#[test]
fn the_host_reads_back_what_it_wrote_to_sram_byte_by_byte() {
    let mut b = bench();
    for dword in 0..8 {
        b.sram_write(0x40 + 4 * dword, 0x0101_0101 * dword, ALL_BYTES).unwrap();
    }
    b.sram_write(0x44, 0xAABB_CCDD, 0b1001).unwrap();
    let expected: Vec<u32> = (0..8).map(|i| if i == 1 { 0xAA01_01DD } else { 0x0101_0101 * i }).collect();
    assert_eq!(b.sram_read(0x40, 8).unwrap(), expected);
    for dwords in 1..=8 {
        for first in 0..=(8 - dwords) {
            let got = b.sram_read(0x40 + 4 * first, dwords as u8).unwrap();
            assert_eq!(got, expected[first as usize..(first + dwords) as usize]);
        }
    }
}

#[test]
fn the_low_kilobyte_and_the_window_show_the_same_sram() {
    let mut b = bench();
    for (address, value) in [(0, 1), (0x3FC, 2), (0x800, 3), (0xFFC, 4), (0x1000, 5), (0x1FFC, 6)] {
        b.sram_write(address, value, ALL_BYTES).unwrap();
    }
    assert_eq!(b.read_offset(Who::Host, Offset(0x1400)).unwrap(), 1);
    assert_eq!(b.read_offset(Who::Host, Offset(0x17FC)).unwrap(), 2);
    for (base, low, high) in [(0x800, 3, 4), (0x1800, 0, 6)] {
        b.write(Who::Host, ident::WINDOW_BASE, base).unwrap();
        if low != 0 {
            assert_eq!(b.read_offset(Who::Host, Offset(0x1800)).unwrap(), low);
        }
        assert_eq!(b.read_offset(Who::Host, Offset(0x1FFC)).unwrap(), high);
    }
    b.write_bytes(Who::Host, Offset(0x1800), 9, ALL_BYTES).unwrap();
    assert_eq!(b.sram_read(0x1800, 1).unwrap(), [9]);
    b.write_bytes(Who::Host, Offset(0x1404), 8, ALL_BYTES).unwrap();
    assert_eq!(b.sram_read(4, 1).unwrap(), [8]);
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), 0);
}

#[test]
fn what_holds_nothing_reads_zero_and_is_counted() {
    let mut b = bench();
    let is_register = |at: u32| registers::ALL.iter().any(|e| (e.offset.0..e.offset.0 + 4 * e.count).contains(&at));
    let mut refused = 0;
    for at in (0..0x1000_u32).step_by(4).chain([0x1000, 0x13FC, 0x2000, 0x7FFC, 0xFFFC]) {
        if is_register(at) {
            continue;
        }
        b.write_bytes(Who::Host, Offset(at), u32::MAX, ALL_BYTES).unwrap();
        assert_eq!(b.read_offset(Who::Host, Offset(at)).unwrap(), 0, "{at:#x}");
        refused += 2;
    }
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), refused);

    // Addresses beyond an SRAM of 8 KB: through the BAR, word by word, and through a window that
    // was moved there.
    assert_eq!(b.sram_read(8192 - 8, 4).unwrap()[2..], [0, 0]);
    b.write(Who::Host, ident::WINDOW_BASE, 8192).unwrap();
    assert_eq!(b.read_offset(Who::Host, Offset(0x1800)).unwrap(), 0);
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), refused + 3);
    // A core reads zero and is not counted.
    assert_eq!(b.read_offset(Who::Core, Offset(0xF00)).unwrap(), 0);
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), refused + 3);
}

#[test]
fn every_register_of_the_map_is_there_for_the_host() {
    let mut b = bench();
    for entry in registers::ALL {
        for i in 0..entry.count {
            b.read_offset(Who::Host, Offset(entry.offset.0 + 4 * i)).unwrap();
        }
    }
    assert_eq!(b.read(Who::Host, ident::HOST_REFUSED).unwrap(), 0);
}

/// An access of the host in the random test.
#[derive(Clone, Copy, Debug)]
enum HostAccess {
    Write(u32, u32),
    Read(u32, u8),
    Scratch(u32),
    ReadScratch,
}

fn host_access() -> impl Strategy<Value = HostAccess> {
    prop_oneof![
        (0_u32..64, any::<u32>()).prop_map(|(dword, value)| HostAccess::Write(dword, value)),
        (0_u32..56, 1_u8..=8).prop_map(|(dword, count)| HostAccess::Read(dword, count)),
        any::<u32>().prop_map(HostAccess::Scratch),
        Just(HostAccess::ReadScratch),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Requests follow each other without a pause, while another port of the SRAM interferes.
    #[test]
    fn host_accesses_take_effect_in_bus_order(
        accesses in prop::collection::vec(host_access(), 1..80),
        noise: u64,
    ) {
        let mut b = bench();
        let mut sram = [0_u32; 64];
        for dword in 0..64 {
            b.sram_write(4 * dword, 0, ALL_BYTES).unwrap();
        }
        let (mut scratch, mut expected, mut got) = (0, Vec::new(), Vec::new());
        let mut next = 0;
        for cycle in 0..4000 {
            if next < accesses.len() {
                match accesses[next] {
                    HostAccess::Write(dword, value) => b.present_host(true, 4 * dword, Some((value, ALL_BYTES)), 1),
                    HostAccess::Read(dword, count) => b.present_host(true, 4 * dword, None, count),
                    HostAccess::Scratch(value) => {
                        b.present_host(false, ident::SCRATCH.offset().0, Some((value, ALL_BYTES)), 1);
                    }
                    HostAccess::ReadScratch => b.present_host(false, ident::SCRATCH.offset().0, None, 1),
                }
            }
            let busy = noise >> (cycle % 64) & 1 == 1;
            b.model.other_req_i.set_bool(busy);
            b.model.settle().unwrap();
            let ready = next < accesses.len() && b.model.host_ready_o.is_high();
            b.model.clock().unwrap();
            if ready {
                match accesses[next] {
                    HostAccess::Write(dword, value) => sram[dword as usize] = value,
                    HostAccess::Read(dword, count) => {
                        let words = &sram[dword as usize..dword as usize + usize::from(count)];
                        let last = words.len() - 1;
                        expected.extend(words.iter().enumerate().map(|(i, &word)| (word, i == last)));
                    }
                    HostAccess::Scratch(value) => scratch = value,
                    HostAccess::ReadScratch => expected.push((scratch, true)),
                }
                next += 1;
                b.model.host_valid_i.set(0);
                b.model.settle().unwrap();
            }
            if b.model.host_rsp_valid_o.is_high() {
                got.push((b.model.host_rsp_data_o.get(), b.model.host_rsp_last_o.is_high()));
            }
        }
        prop_assert_eq!(next, accesses.len());
        prop_assert_eq!(got, expected);
    }
}
