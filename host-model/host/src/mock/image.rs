//! Firmware images for tests.

/// A small firmware image: `words` at the start of the firmware's SRAM.
pub fn elf_image(words: &[u32]) -> Vec<u8> {
    elf_image_at(nic_layout::boot::FIRMWARE_ADDRESS, words)
}

/// The same at another place of the SRAM.
pub fn elf_image_at(sram_address: u32, words: &[u32]) -> Vec<u8> {
    let address = nic_layout::CORE_SRAM_BASE + sram_address;
    let bytes = words.len() as u32 * 4;
    let mut file = Vec::new();
    file.extend(b"\x7FELF\x01\x01\x01\0\0\0\0\0\0\0\0\0");
    for half in [2_u16, 243] {
        file.extend(half.to_le_bytes());
    }
    for word in [1, address, 52, 0, 0] {
        file.extend(word.to_le_bytes());
    }
    for half in [52_u16, 32, 1, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for word in [1, 84, address, address, bytes, bytes, 5, 4] {
        file.extend(word.to_le_bytes());
    }
    file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    file
}
