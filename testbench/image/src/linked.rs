//! A linked image: its code by address, its functions, and the limits of its stack.

use std::collections::BTreeMap;
use std::ops::Range;

use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use rustc_demangle::demangle;

use crate::error::ImageError;

/// What the analysis needs of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// Where the core starts.
    pub entry: u32,
    /// First address above the stack.
    pub stack_top: u32,
    /// First address above the static data, the lower limit of the stack.
    pub stack_limit: u32,
    /// Sections with code: first address and bytes.
    pub(crate) code: Vec<(u32, Vec<u8>)>,
    /// Functions by address. The entry point and assembly without a size end where the next begins.
    pub(crate) functions: BTreeMap<u32, Named>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    /// The first address behind the function.
    pub(crate) end: u32,
}

impl Linked {
    /// Reads an ELF file with its symbols.
    ///
    /// # Errors
    /// [`ImageError::Unreadable`] and [`ImageError::NoSymbol`].
    pub fn read(file: &[u8]) -> Result<Linked, ImageError> {
        let unreadable = |error: object::Error| ImageError::Unreadable(error.to_string());
        let elf = object::File::parse(file).map_err(unreadable)?;
        let symbol = |name| elf.symbol_by_name(name).ok_or(ImageError::NoSymbol(name));
        let stack_top = symbol("_stack_top")?.address() as u32;
        let stack_limit = symbol("_bss_end")?.address() as u32;
        let entry = elf.entry() as u32;
        let mut code = Vec::new();
        for section in elf.sections().filter(|section| section.kind() == SectionKind::Text) {
            code.push((section.address() as u32, section.data().map_err(unreadable)?.to_vec()));
        }
        // Several names may have one address. The name with a size belongs to the function.
        let mut starts: BTreeMap<u32, (String, u32)> = BTreeMap::new();
        for symbol in elf.symbols() {
            let (at, bytes) = (symbol.address() as u32, symbol.size() as u32);
            let is_entry = at == entry && symbol.name() == Ok("_start");
            if symbol.kind() == SymbolKind::Text && bytes > 0 || is_entry {
                let name = symbol.name().map_err(unreadable)?;
                starts.entry(at).or_insert_with(|| (format!("{:#}", demangle(name)), bytes));
            }
        }
        let section_end = |at: u32| {
            let mut ends = code.iter().map(|(start, bytes)| *start..*start + bytes.len() as u32);
            ends.find(|section: &Range<u32>| section.contains(&at)).map_or(at, |section| section.end)
        };
        let functions = starts
            .iter()
            .map(|(&at, (name, bytes))| {
                let next = starts.range(at + 1..).next().map_or(u32::MAX, |(&next, _)| next);
                let end = if *bytes > 0 { at + bytes } else { next.min(section_end(at)) };
                (at, Named { name: name.clone(), end })
            })
            .collect();
        Ok(Linked { entry, stack_top, stack_limit, code, functions })
    }

    /// The name of the function that begins at an address, without the compiler's hash. If no
    /// function begins there, the address as text.
    pub fn name(&self, at: u32) -> String {
        self.functions.get(&at).map_or_else(|| format!("{at:#010x}"), |named| named.name.clone())
    }

    /// The addresses of the function that begins at `at`. `None` if no function begins there.
    pub(crate) fn function(&self, at: u32) -> Option<Range<u32>> {
        self.functions.get(&at).map(|named| at..named.end)
    }

    /// The four bytes at `at`, or two at the end of a section, as a little-endian word. `None` if
    /// the image has no code there.
    pub(crate) fn word(&self, at: u32) -> Option<u32> {
        let (start, bytes) =
            self.code.iter().find(|(start, bytes)| (*start..*start + bytes.len() as u32).contains(&at))?;
        let rest = &bytes[(at - start) as usize..];
        let byte = |index: usize| rest.get(index).map_or(0, |&byte| u32::from(byte));
        (rest.len() >= 2).then(|| byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24)
    }
}
