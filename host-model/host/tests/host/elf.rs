//! Firmware images: what is loaded, and what each kind of damage is called.

use host_model::address::SramAddr;
use host_model::elf::{read, Image, ImageError, Segment};
use host_model::mock::elf_image;
use proptest::prelude::*;

const SRAM_BYTES: u32 = 524_288;
const START: u32 = 0x1000_0400;

fn put(mut file: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

fn put_word(file: Vec<u8>, at: usize, word: u32) -> Vec<u8> {
    put(file, at, &word.to_le_bytes())
}

/// Offsets of the fields of the only program header.
const OFFSET: usize = 52 + 4;
const VIRTUAL: usize = 52 + 8;
const PHYSICAL: usize = 52 + 12;
const MEMORY_BYTES: usize = 52 + 20;

#[test]
fn a_good_image_gives_its_segment_and_entry() {
    let segment = Segment { address: SramAddr(0x400), bytes: vec![1, 0, 0, 0, 2, 0, 0, 0] };
    assert_eq!(read(&elf_image(&[1, 2]), SRAM_BYTES), Ok(Image { entry: START, segments: vec![segment] }));
}

#[test]
fn what_a_segment_reserves_in_place_is_zeros() {
    let file = put_word(elf_image(&[1]), MEMORY_BYTES, 11);
    let image = read(&file, SRAM_BYTES).expect("good");
    assert_eq!(image.segments[0].bytes, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn a_segment_that_runs_elsewhere_is_loaded_where_it_is_stored_and_without_its_zeros() {
    let file = put_word(put_word(elf_image(&[1]), MEMORY_BYTES, 64), VIRTUAL, 0x2000_0000);
    let file = put_word(file, 24, 0x2000_0000);
    let image = read(&file, SRAM_BYTES).expect("good");
    assert_eq!(image.segments, [Segment { address: SramAddr(0x400), bytes: vec![1, 0, 0, 0] }]);
}

#[test]
fn each_wrong_file_is_named() {
    let good = || elf_image(&[1, 2]);
    let cases = [
        (vec![], ImageError::NotElf),
        (b"#!/bin/sh".to_vec(), ImageError::NotElf),
        (put(good(), 4, &[2]), ImageError::WrongClass),
        (put(good(), 5, &[2]), ImageError::WrongClass),
        (put(good(), 18, &[62]), ImageError::WrongMachine { machine: 62 }),
        (put(good(), 16, &[1]), ImageError::NotExecutable { kind: 1 }),
        (good()[..40].to_vec(), ImageError::Truncated { what: "the file header" }),
        (good()[..60].to_vec(), ImageError::Truncated { what: "a program header" }),
        (good()[..90].to_vec(), ImageError::Truncated { what: "a segment" }),
        (put_word(good(), OFFSET, u32::MAX), ImageError::Truncated { what: "a segment" }),
        (put(good(), 44, &[0]), ImageError::Empty),
        (put_word(good(), 24, 0), ImageError::EntryOutside { entry: 0 }),
        (
            put_word(good(), MEMORY_BYTES, 4),
            ImageError::Damaged { what: "a segment is longer in the file than in memory" },
        ),
    ];
    for (file, expected) in cases {
        assert_eq!(read(&file, SRAM_BYTES), Err(expected));
    }
}

#[test]
fn segments_outside_the_sram_are_refused_with_their_place() {
    for address in [0x1000_0000, START - 4, 0x1008_0000, 0x1007_FFFC, 0x2000_0000, 0xFFFF_FFFC, 0] {
        let file = put_word(put_word(elf_image(&[1, 2]), PHYSICAL, address), VIRTUAL, address);
        let error = read(&file, SRAM_BYTES).expect_err("outside");
        assert_eq!(error, ImageError::OutsideSram { number: 0, address, bytes: 8, end: 0x1008_0000 });
        assert!(error.to_string().contains("(0x10000400 to 0x10080000)"), "{error}");
    }
    let huge = put_word(elf_image(&[1]), MEMORY_BYTES, u32::MAX);
    assert!(matches!(read(&huge, SRAM_BYTES), Err(ImageError::OutsideSram { .. })));
}

#[test]
fn overlapping_segments_are_refused() {
    // The same program header twice.
    let mut file = elf_image(&[1, 2]);
    let header = file[52..84].to_vec();
    file.splice(84..84, header);
    let file = put(file, 44, &[2]);
    let file = put_word(put_word(file, OFFSET, 116), OFFSET + 32, 116);
    assert_eq!(read(&file, SRAM_BYTES), Err(ImageError::Overlap { first: 0, second: 1 }));
}

proptest! {
    #[test]
    fn damage_is_an_error_or_harmless_and_never_a_panic(
        changes in prop::collection::vec((0_usize..92, any::<u8>()), 1..6),
        keep in 0_usize..93,
    ) {
        let mut file = elf_image(&[1, 2]);
        for (at, value) in changes {
            file[at] = value;
        }
        file.truncate(keep.max(10));
        if let Ok(image) = read(&file, SRAM_BYTES) {
            for segment in image.segments {
                prop_assert!(segment.address.0 >= 0x400);
                prop_assert!(segment.address.0 as usize + segment.bytes.len() <= SRAM_BYTES as usize + 3);
            }
        }
    }
}
