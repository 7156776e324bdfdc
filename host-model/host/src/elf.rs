//! Reading a firmware image: ELF32, little endian, RISC-V, statically linked (System V ABI,
//! chapters 4 and 5).

use std::ops::Range;

use nic_layout::boot::FIRMWARE_ADDRESS;
use nic_layout::CORE_SRAM_BASE;
use object::elf::{FileHeader32, ProgramHeader32, ELFMAG, EM_RISCV, ET_EXEC, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};
use object::read::ReadRef;
use object::LittleEndian;

use crate::address::SramAddr;

/// What is to be written to SRAM, and where the core starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// In the core's view.
    pub entry: u32,
    /// What has to be loaded, in ascending order of address.
    pub segments: Vec<Segment>,
}

/// A part of an image that is loaded as one piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// A multiple of 4.
    pub address: SramAddr,
    /// A multiple of 4 long, padded with zeros.
    pub bytes: Vec<u8>,
}

/// Why a firmware file cannot be loaded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImageError {
    /// The file does not begin with the ELF magic number.
    #[error("the firmware file is not an ELF file: it does not begin with 7F 45 4C 46")]
    NotElf,
    /// The file is not 32-bit little endian.
    #[error("the firmware file is not 32-bit little endian ELF")]
    WrongClass,
    /// The file is for another processor.
    #[error("the firmware is for machine {machine}, not for RISC-V (243): build it for riscv32imc-unknown-none-elf")]
    WrongMachine {
        /// The machine number of the ELF header.
        machine: u16,
    },
    /// The file is not a linked executable.
    #[error("the firmware file is of ELF type {kind}, not an executable (2): it must be linked")]
    NotExecutable {
        /// The type of the ELF header.
        kind: u16,
    },
    /// The file ends too early.
    #[error("the firmware file is damaged: {what} lies beyond its end")]
    Truncated {
        /// What lies beyond the end.
        what: &'static str,
    },
    /// The file contradicts itself.
    #[error("the firmware file is damaged: {what}")]
    Damaged {
        /// What is wrong, in words.
        what: &'static str,
    },
    /// A segment does not lie in the part of the SRAM that images may use.
    #[error(
        "segment {number} of the firmware, {bytes} bytes at {address:#010x}, does not lie in the SRAM \
         ({:#010x} to {end:#010x})", CORE_SRAM_BASE + FIRMWARE_ADDRESS
    )]
    OutsideSram {
        /// Number of the segment's program header.
        number: usize,
        /// First address, in the core's view.
        address: u32,
        /// Length of the segment in memory.
        bytes: u32,
        /// First address beyond the SRAM, in the core's view.
        end: u32,
    },
    /// Two segments have bytes in common.
    #[error("segments {first} and {second} of the firmware overlap")]
    Overlap {
        /// Number of one program header.
        first: usize,
        /// Number of the other program header.
        second: usize,
    },
    /// No program header asks for memory.
    #[error("the firmware has nothing to load")]
    Empty,
    /// The first instruction is not in the image.
    #[error("the firmware's entry point {entry:#010x} is in none of its segments")]
    EntryOutside {
        /// Address of the entry point, in the core's view.
        entry: u32,
    },
}

/// Reads what an SRAM of `sram_bytes` can hold of `file`, or says why not.
pub fn read(file: &[u8], sram_bytes: u32) -> Result<Image, ImageError> {
    if !file.starts_with(&ELFMAG) {
        return Err(ImageError::NotElf);
    }
    let header: &FileHeader32<LittleEndian> =
        file.read_at(0).map_err(|()| ImageError::Truncated { what: "the file header" })?;
    if !header.is_class_32() || !header.is_little_endian() {
        return Err(ImageError::WrongClass);
    }
    let (kind, machine) = (header.e_type(LittleEndian), header.e_machine(LittleEndian));
    if machine != EM_RISCV {
        return Err(ImageError::WrongMachine { machine });
    }
    if kind != ET_EXEC {
        return Err(ImageError::NotExecutable { kind });
    }
    if usize::from(header.e_phentsize(LittleEndian)) != size_of::<ProgramHeader32<LittleEndian>>() {
        return Err(ImageError::Damaged { what: "program headers are not 32 bytes long" });
    }
    let entry = header.e_entry(LittleEndian);
    let programs = header.program_headers(LittleEndian, file);
    let programs = programs.map_err(|_| ImageError::Truncated { what: "a program header" })?;
    let mut segments = Vec::new();
    // Where the segments lie when the core runs, to judge the entry point.
    let mut runs_at = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        if let Some((segment, virtual_address)) = load(file, program, number, sram_bytes)? {
            runs_at.push(virtual_address..virtual_address.saturating_add(segment.bytes.len() as u32));
            segments.push((number, segment));
        }
    }
    segments.sort_by_key(|(_, segment)| segment.address);
    for pair in segments.windows(2) {
        if range(&pair[0].1).end > range(&pair[1].1).start {
            return Err(ImageError::Overlap { first: pair[0].0, second: pair[1].0 });
        }
    }
    if segments.is_empty() {
        return Err(ImageError::Empty);
    }
    if !runs_at.iter().any(|bytes| bytes.contains(&entry)) {
        return Err(ImageError::EntryOutside { entry });
    }
    Ok(Image { entry, segments: segments.into_iter().map(|(_, segment)| segment).collect() })
}

/// A segment is loaded where its physical address says; what stands elsewhere when it runs is moved
/// there by the firmware itself, and so is what it only reserves there.
fn load(
    file: &[u8],
    program: &ProgramHeader32<LittleEndian>,
    number: usize,
    sram_bytes: u32,
) -> Result<Option<(Segment, u32)>, ImageError> {
    if program.p_type(LittleEndian) != PT_LOAD {
        return Ok(None);
    }
    let (virtual_address, address) = (program.p_vaddr(LittleEndian), program.p_paddr(LittleEndian));
    let (file_bytes, memory_bytes) = (program.p_filesz(LittleEndian), program.p_memsz(LittleEndian));
    if memory_bytes < file_bytes {
        return Err(ImageError::Damaged { what: "a segment is longer in the file than in memory" });
    }
    let in_place = address == virtual_address && address >> 28 == CORE_SRAM_BASE >> 28;
    let bytes = if in_place { memory_bytes } else { file_bytes };
    if bytes == 0 {
        return Ok(None);
    }
    let first = CORE_SRAM_BASE + FIRMWARE_ADDRESS;
    let end = CORE_SRAM_BASE + sram_bytes;
    if address < first || u64::from(address) + u64::from(bytes) > u64::from(end) {
        return Err(ImageError::OutsideSram { number, address, bytes, end });
    }
    if address % 4 != 0 {
        return Err(ImageError::Damaged { what: "a segment does not start at a multiple of 4" });
    }
    let content = program.data(LittleEndian, file).map_err(|()| ImageError::Truncated { what: "a segment" })?;
    let mut content = content.to_vec();
    content.resize(bytes.next_multiple_of(4) as usize, 0);
    let segment = Segment { address: SramAddr(address - CORE_SRAM_BASE), bytes: content };
    Ok(Some((segment, virtual_address)))
}

fn range(segment: &Segment) -> Range<u32> {
    segment.address.0..segment.address.0 + segment.bytes.len() as u32
}
