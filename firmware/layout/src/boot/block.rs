//! A head, a directory and sections: the form of the boot request and of the boot reply.

use core::fmt;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::{BootError, BOOT_MAGIC, LAYOUT_VERSION, REPLY_MAGIC, REPLY_WORDS, REQUEST_WORDS};

/// What a section is about. Each layer has one kind for its request and its reply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(pub u32);

impl Kind {
    /// The board: clock, memory, pages of the host.
    pub const NIC: Kind = Kind(1);
    /// The reliable link: the node, its frames, buffers and timers.
    pub const LINK: Kind = Kind(2);
    /// Post queues and the process table.
    pub const POSTS: Kind = Kind(3);
    /// The rings that the driver reads.
    pub const RINGS: Kind = Kind(4);
    /// Where counters are.
    pub const COUNTERS: Kind = Kind(5);
    /// Caches of translations and of buffers.
    pub const CACHES: Kind = Kind(6);
    /// Tables that hold every translation, buffer and import.
    pub const STATIC_TABLES: Kind = Kind(7);
    /// Descriptors of messages.
    pub const MESSAGES: Kind = Kind(8);
    /// Rings of frames.
    pub const FRAMES: Kind = Kind(12);

    /// What the kind is called, if this crate defines it.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Kind::NIC => "nic",
            Kind::LINK => "link",
            Kind::POSTS => "posts",
            Kind::RINGS => "rings",
            Kind::COUNTERS => "counters",
            Kind::CACHES => "caches",
            Kind::STATIC_TABLES => "static tables",
            Kind::MESSAGES => "messages",
            Kind::FRAMES => "frames",
            Kind(_) => return None,
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "`{name}`"),
            None => write!(f, "{:#x}", self.0),
        }
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Words of one section. A reader takes a longer section too, and ignores what is behind these
/// words.
pub trait Section: FromBytes + IntoBytes + Immutable + KnownLayout + Copy {
    /// The kind of sections with these words.
    const KIND: Kind;
}

/// The first words of a request or a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Head {
    /// [`BOOT_MAGIC`] or [`REPLY_MAGIC`].
    pub magic: u32,
    /// [`LAYOUT_VERSION`] of the writer.
    pub layout_version: u32,
    /// Entries of the directory, which follows the head.
    pub sections: u32,
    /// Bytes of head, directory and sections together.
    pub bytes: u32,
}

/// One entry of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Entry {
    /// Bits 30:0 the [`Kind`]. Bit 31 ([`Entry::OFFER`]): a reader that does not know the kind
    /// skips the section; without it the reader refuses the block.
    pub kind: u32,
    /// Where the section begins: bytes from the head, a multiple of 4.
    pub offset: u16,
    /// Length of the section, a multiple of 4.
    pub bytes: u16,
}

impl Entry {
    /// The section is for some firmwares only, and the others skip it.
    pub const OFFER: u32 = 1 << 31;

    /// What the section is about.
    pub const fn kind(self) -> Kind {
        Kind(self.kind & !Entry::OFFER)
    }

    /// Whether a reader may skip the section.
    pub const fn is_offer(self) -> bool {
        self.kind & Entry::OFFER != 0
    }

    const fn of_words(kind: u32, place: u32) -> Entry {
        Entry { kind, offset: place as u16, bytes: (place >> 16) as u16 }
    }

    const fn words(self) -> [u32; 2] {
        [self.kind, self.offset as u32 | (self.bytes as u32) << 16]
    }
}

const HEAD_WORDS: usize = size_of::<Head>() / 4;
const ENTRY_WORDS: usize = size_of::<Entry>() / 4;

/// A request or a reply whose head and directory were checked: every section lies inside the block,
/// and no kind is there twice.
#[derive(Clone, Copy, Debug)]
pub struct Sections<'a> {
    words: &'a [u32],
    directory: &'a [u32],
}

impl<'a> Sections<'a> {
    /// Checks head and directory of the block at the start of `words`. `magic`: whose block is
    /// expected.
    ///
    /// # Errors
    /// [`BootError::BadMagic`], [`BootError::OtherLayout`], [`BootError::BadBlock`] or
    /// [`BootError::RepeatedSection`].
    pub fn parse(words: &'a [u32], magic: u32) -> Result<Sections<'a>, BootError> {
        let &[found, layout_version, sections, bytes, ..] = words else {
            return Err(BootError::BadBlock);
        };
        if found != magic {
            return Err(BootError::BadMagic);
        }
        if layout_version != LAYOUT_VERSION {
            return Err(BootError::OtherLayout);
        }
        let words = words.get(..bytes as usize / 4).ok_or(BootError::BadBlock)?;
        // Before any arithmetic with it.
        if bytes % 4 != 0 || sections as usize > words.len() {
            return Err(BootError::BadBlock);
        }
        let bodies = HEAD_WORDS + sections as usize * ENTRY_WORDS;
        let block = Sections { words, directory: words.get(HEAD_WORDS..bodies).ok_or(BootError::BadBlock)? };
        for (index, entry) in block.entries().enumerate() {
            let (start, bytes) = (usize::from(entry.offset), usize::from(entry.bytes));
            if start % 4 != 0 || bytes % 4 != 0 || start < 4 * bodies || start + bytes > 4 * words.len() {
                return Err(BootError::BadBlock);
            }
            if block.entries().take(index).any(|other| other.kind() == entry.kind()) {
                return Err(BootError::RepeatedSection(entry.kind()));
            }
        }
        Ok(block)
    }

    /// The directory, in its order.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + 'a {
        self.directory.chunks_exact(ENTRY_WORDS).filter_map(|entry| match *entry {
            [kind, place] => Some(Entry::of_words(kind, place)),
            _ => None,
        })
    }

    /// Nothing is asked that the reader does not know: each section is an offer, or in one of the
    /// lists `known`.
    ///
    /// # Errors
    /// [`BootError::UnknownSection`] with the first kind that is neither.
    pub fn check_known(&self, known: &[&[Kind]]) -> Result<(), BootError> {
        let is_known = |kind| known.iter().any(|kinds| kinds.contains(&kind));
        match self.entries().find(|entry| !entry.is_offer() && !is_known(entry.kind())) {
            Some(entry) => Err(BootError::UnknownSection(entry.kind())),
            None => Ok(()),
        }
    }

    /// The section of a type.
    ///
    /// # Errors
    /// [`BootError::MissingSection`] or [`BootError::ShortSection`] with its kind.
    pub fn get<S: Section>(&self) -> Result<S, BootError> {
        let entry = self.entries().find(|entry| entry.kind() == S::KIND).ok_or(BootError::MissingSection(S::KIND))?;
        let (start, words) = (usize::from(entry.offset) / 4, usize::from(entry.bytes) / 4);
        let body = self.words.get(start..start + words).unwrap_or_default();
        match S::read_from_prefix(body.as_bytes()) {
            Ok((section, _)) => Ok(section),
            Err(_) => Err(BootError::ShortSection(S::KIND)),
        }
    }
}

/// Writes a block of at most `WORDS` words, with a directory of as many entries as are announced.
#[derive(Clone, Copy, Debug)]
pub struct SectionsWriter<const WORDS: usize> {
    words: [u32; WORDS],
    sections: usize,
    room: usize,
    end: usize,
    is_full: bool,
}

impl SectionsWriter<REQUEST_WORDS> {
    /// A request of at most `sections` sections.
    pub fn request(sections: usize) -> SectionsWriter<REQUEST_WORDS> {
        SectionsWriter::new(BOOT_MAGIC, sections)
    }
}

impl SectionsWriter<REPLY_WORDS> {
    /// A reply of at most `sections` sections.
    pub fn reply(sections: usize) -> SectionsWriter<REPLY_WORDS> {
        SectionsWriter::new(REPLY_MAGIC, sections)
    }
}

impl<const WORDS: usize> SectionsWriter<WORDS> {
    /// `magic`: whose block it is. `sections`: how many are pushed at most.
    pub fn new(magic: u32, sections: usize) -> SectionsWriter<WORDS> {
        let end = HEAD_WORDS + sections * ENTRY_WORDS;
        let mut writer = SectionsWriter { words: [0; WORDS], sections: 0, room: sections, end, is_full: end > WORDS };
        writer.put(0, &[magic, LAYOUT_VERSION]);
        writer
    }

    /// Adds a section that the reader has to know.
    pub fn push<S: Section>(&mut self, section: &S) {
        self.add(S::KIND.0, section);
    }

    /// Adds a section that a reader may skip.
    pub fn offer<S: Section>(&mut self, section: &S) {
        self.add(S::KIND.0 | Entry::OFFER, section);
    }

    fn add<S: Section>(&mut self, kind: u32, section: &S) {
        if self.sections == self.room {
            self.is_full = true;
            return;
        }
        let entry = Entry { kind, offset: 4 * self.end as u16, bytes: size_of::<S>() as u16 };
        self.put(HEAD_WORDS + self.sections * ENTRY_WORDS, &entry.words());
        self.sections += 1;
        for bytes in section.as_bytes().chunks_exact(4) {
            if let &[a, b, c, d] = bytes {
                self.put(self.end, &[u32::from_le_bytes([a, b, c, d])]);
                self.end += 1;
            }
        }
    }

    /// The sections so far.
    pub fn count(&self) -> usize {
        self.sections
    }

    /// The block. `None` if the sections did not fit, or were more than announced.
    pub fn finish(&mut self) -> Option<&[u32]> {
        self.put(2, &[self.sections as u32, 4 * self.end as u32]);
        match self.is_full {
            true => None,
            false => self.words.get(..self.end),
        }
    }

    fn put(&mut self, at: usize, values: &[u32]) {
        for (index, &value) in values.iter().enumerate() {
            match self.words.get_mut(at + index) {
                Some(word) => *word = value,
                None => self.is_full = true,
            }
        }
    }
}
