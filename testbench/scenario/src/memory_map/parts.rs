//! The parts of a linked image: the sections of its ELF file by their use (`firmware/nic/link.ld`).

use host_model::elf::{self, ImageError};
use nic_layout::{CORE_SCRATCHPAD_BASE, CORE_SRAM_BASE};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// Where the parts of an image lie. A pair is the offset from the start of SRAM or scratchpad, and
/// the size, both in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageParts {
    /// Code in SRAM.
    pub code: (u32, u32),
    /// Constants in SRAM.
    pub read_only: (u32, u32),
    /// The state of the core in SRAM, of an image for so many nodes that the scratchpad has no room
    /// for it. Other images have an empty section.
    pub state: (u32, u32),
    /// Code in the scratchpad. The image has a copy at its end, in SRAM.
    pub hot_code: (u32, u32),
    /// Data in the scratchpad that the image initialises, behind the hot code.
    pub hot_data: (u32, u32),
    /// Data in the scratchpad that starts as zero. The image holds no copy.
    pub static_bytes: (u32, u32),
    /// Size of the scratchpad. The stack grows down from its top towards the static data.
    pub scratchpad_bytes: u32,
    /// First byte of SRAM above the image.
    pub end: u32,
}

impl ImageParts {
    /// Bytes of hot code and hot data with what lies between them.
    pub fn hot_bytes(&self) -> u32 {
        self.hot_data.0 + self.hot_data.1 - self.hot_code.0
    }

    /// The parts of an ELF file.
    ///
    /// # Errors
    /// A text that says what the file lacks.
    pub fn of(file: &[u8]) -> Result<ImageParts, String> {
        let elf = object::File::parse(file).map_err(|error| error.to_string())?;
        let section = |name: &str, base: u32| {
            let section = elf.section_by_name(name).ok_or(format!("there is no section {name}"))?;
            Ok::<_, String>(((section.address() as u32).wrapping_sub(base), section.size() as u32))
        };
        let hot = section(".fast", CORE_SCRATCHPAD_BASE)?;
        let hot_end = hot.0 + hot.1;
        // Functions come first; what is behind the last of them is data.
        let hot_code_end = elf
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text)
            .map(|symbol| ((symbol.address() + symbol.size()) as u32).wrapping_sub(CORE_SCRATCHPAD_BASE))
            .filter(|end| (hot.0..=hot_end).contains(end))
            .max()
            .unwrap_or(hot.0);
        let stack_top = elf.symbol_by_name("_stack_top").ok_or("there is no symbol _stack_top")?.address() as u32;
        Ok(ImageParts {
            code: section(".text", CORE_SRAM_BASE)?,
            read_only: section(".rodata", CORE_SRAM_BASE)?,
            state: section(".state", CORE_SRAM_BASE)?,
            hot_code: (hot.0, hot_code_end - hot.0),
            hot_data: (hot_code_end, hot_end - hot_code_end),
            static_bytes: section(".bss", CORE_SCRATCHPAD_BASE)?,
            scratchpad_bytes: stack_top.wrapping_sub(CORE_SCRATCHPAD_BASE),
            end: first_free(file, u32::MAX - CORE_SRAM_BASE).map_err(|error| error.to_string())?,
        })
    }
}

/// Offset of the first byte of SRAM above an image.
///
/// # Errors
/// The file is no image for an SRAM of `sram_bytes` bytes.
pub fn first_free(file: &[u8], sram_bytes: u32) -> Result<u32, ImageError> {
    let image = elf::read(file, sram_bytes)?;
    let ends = image.segments.iter().map(|segment| segment.address.0 + segment.bytes.len() as u32);
    Ok(ends.max().unwrap_or_default())
}
