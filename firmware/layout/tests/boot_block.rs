//! Boot blocks, good and bad: what was written is read, and nothing that is read makes the reader
//! fail.

use nic_layout::boot::caches::CachesRequest;
use nic_layout::boot::{
    BootError, Entry, Kind, LinkRequest, NicRequest, PostsRequest, Section, Sections, SectionsWriter, BOOT_MAGIC,
    LAYOUT_VERSION, REPLY_MAGIC, REQUEST_WORDS,
};
use proptest::prelude::*;

const NIC: NicRequest = NicRequest { core_hz: 88_000_000, sram_bytes: 1 << 19, host_pages: 4096 };
const POSTS: PostsRequest = PostsRequest { post_queues: 5 };
const CACHES: CachesRequest = CachesRequest { receive_miss: 2, held_frames_max: 3, fetches_translations: 1 };

/// NIC and posts, which every firmware knows, and an offer of caches.
fn block() -> Vec<u32> {
    let mut writer = SectionsWriter::request(3);
    writer.push(&NIC);
    writer.push(&POSTS);
    writer.offer(&CACHES);
    writer.finish().expect("three sections fit").to_vec()
}

fn parse(words: &[u32]) -> Result<Sections<'_>, BootError> {
    Sections::parse(words, BOOT_MAGIC)
}

/// The block with one word changed.
fn with(index: usize, value: u32) -> Vec<u32> {
    let mut words = block();
    words[index] = value;
    words
}

#[test]
fn what_was_written_is_read() {
    let mut words = block();
    words.resize(REQUEST_WORDS, 0x5A5A_5A5A);
    let sections = parse(&words).unwrap();
    assert_eq!((sections.get(), sections.get(), sections.get()), (Ok(NIC), Ok(POSTS), Ok(CACHES)));
    assert_eq!(sections.get::<LinkRequest>(), Err(BootError::MissingSection(Kind::LINK)));
    let kinds: Vec<(Kind, bool)> = sections.entries().map(|entry| (entry.kind(), entry.is_offer())).collect();
    assert_eq!(kinds, [(Kind::NIC, false), (Kind::POSTS, false), (Kind::CACHES, true)]);
}

#[test]
fn an_impossible_head_is_refused() {
    assert_eq!(parse(&[]).err(), Some(BootError::BadBlock));
    assert_eq!(parse(&with(0, REPLY_MAGIC)).err(), Some(BootError::BadMagic));
    assert_eq!(parse(&with(1, LAYOUT_VERSION + 1)).err(), Some(BootError::OtherLayout));
    let bytes = 4 * block().len() as u32;
    for words in
        [with(2, 100), with(2, u32::MAX), with(3, bytes + 4), with(3, bytes - 4), with(3, bytes - 2), with(3, 0)]
    {
        assert_eq!(parse(&words).err(), Some(BootError::BadBlock), "{words:x?}");
    }
}

#[test]
fn an_impossible_directory_is_refused() {
    // The place of the first section: offset in the low half, bytes in the high half.
    for place in [0xFFFF_0028, 0x000C_FFF0, 0x000C_0024, 0x000C_002A, 0x000D_0028] {
        assert_eq!(parse(&with(5, place)).err(), Some(BootError::BadBlock), "{place:#x}");
    }
    let twice = with(6, Kind::NIC.0 | Entry::OFFER);
    assert_eq!(parse(&twice).err(), Some(BootError::RepeatedSection(Kind::NIC)));
}

#[test]
fn a_section_that_is_short_is_refused_and_one_that_is_longer_is_read() {
    let short = with(5, 0x0008_0028);
    assert_eq!(parse(&short).unwrap().get::<NicRequest>(), Err(BootError::ShortSection(Kind::NIC)));
    let longer = with(5, 0x0010_0028);
    assert_eq!(parse(&longer).unwrap().get(), Ok(NIC));
}

#[test]
fn a_reader_may_skip_offers_only() {
    let words = block();
    let sections = parse(&words).unwrap();
    assert_eq!(sections.check_known(&[&[Kind::NIC, Kind::POSTS]]), Ok(()));
    assert_eq!(sections.check_known(&[&[Kind::NIC], &[Kind::POSTS]]), Ok(()));
    assert_eq!(sections.check_known(&[&[Kind::NIC, Kind::CACHES]]), Err(BootError::UnknownSection(Kind::POSTS)));
}

#[test]
fn a_writer_says_when_the_place_is_too_small_or_the_directory() {
    let mut writer = SectionsWriter::<11>::new(BOOT_MAGIC, 2);
    writer.push(&NIC);
    assert!(writer.finish().is_some());
    writer.push(&POSTS);
    assert!(writer.finish().is_none(), "12 words");
    let mut writer = SectionsWriter::request(1);
    writer.push(&NIC);
    writer.push(&POSTS);
    assert!(writer.finish().is_none(), "two sections where one was announced");
}

/// Reads everything that may be read, and gives the sections that were found.
fn read_all(words: &[u32]) -> Result<usize, BootError> {
    let sections = parse(words)?;
    let found = [
        sections.get::<NicRequest>().is_ok(),
        sections.get::<LinkRequest>().is_ok(),
        sections.get::<PostsRequest>().is_ok(),
        sections.get::<CachesRequest>().is_ok(),
    ];
    let known = [NicRequest::KIND, LinkRequest::KIND, PostsRequest::KIND, CachesRequest::KIND];
    let _ = sections.check_known(&[&known]);
    Ok(found.iter().filter(|found| **found).count())
}

proptest! {
    #[test]
    fn random_words_are_read_or_refused(words in proptest::collection::vec(any::<u32>(), 0..80)) {
        prop_assert!(read_all(&words).is_err());
    }

    /// Magic and version are right, and the rest is small, so that many of them are taken.
    #[test]
    fn random_directories_are_read_or_refused(
        sections in 0u32..4, bytes in 0u32..140, rest in proptest::collection::vec(0u32..0x0020_0080, 40),
    ) {
        let words = [&[BOOT_MAGIC, LAYOUT_VERSION, sections, bytes][..], &rest].concat();
        if let Ok(found) = read_all(&words) {
            prop_assert!(found as u32 <= sections);
        }
    }

    #[test]
    fn a_block_with_one_wrong_word_is_read_or_refused(index in 0usize..18, value in any::<u32>()) {
        let words = with(index % block().len(), value);
        let _ = read_all(&words);
    }

    #[test]
    fn every_section_survives_the_block(words in any::<[u32; 11]>(), offers in any::<[bool; 3]>()) {
        use zerocopy::FromBytes;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let (link, _) = LinkRequest::read_from_prefix(&bytes).unwrap();
        let (nic, _) = NicRequest::read_from_prefix(&bytes).unwrap();
        let (posts, _) = PostsRequest::read_from_prefix(&bytes).unwrap();
        let mut writer = SectionsWriter::request(3);
        if offers[0] { writer.offer(&link) } else { writer.push(&link) }
        if offers[1] { writer.offer(&nic) } else { writer.push(&nic) }
        if offers[2] { writer.offer(&posts) } else { writer.push(&posts) }
        let block = writer.finish().unwrap();
        let sections = parse(block).unwrap();
        prop_assert_eq!((sections.get(), sections.get(), sections.get()), (Ok(link), Ok(nic), Ok(posts)));
        let told: Vec<bool> = sections.entries().map(|entry| entry.is_offer()).collect();
        prop_assert_eq!(told, offers);
    }
}
