//! Requests that are taken and refused, and where the parts of every firmware then lie.

use nic_layout::boot::caches::CachesRequest;
use nic_layout::boot::static_tables::StaticTablesRequest;
use nic_layout::boot::{
    caches, static_tables, BootError, Kind, LinkRequest, NicRequest, PostsReply, PostsRequest, ReceiveMiss, Section,
    Sections, SectionsWriter, REPLY_MAGIC,
};
use nic_layout::cbh::CbhGeometry;
use nic_layout::key::KeyWidth;
use nic_layout::nodes::{IMAGE_NODES, NODES_MAX};
use nic_layout::static_tables::StaticGeometry;
use nic_layout::vmh::VmhGeometry;
use nic_layout::PAGE_BYTES;
use nic_plan::{
    data_bytes_limit, fetches_bytes, pages_max, Caches, Config, Cursor, Geometry, Part, Piece, Plan, Rdma, Regions,
    StaticTables, FRAME_DATA_BYTES_LIMIT, FRAME_PAGES_MAX,
};
use proptest::prelude::*;

/// The sections of a request, for a test to change.
#[derive(Clone, Copy, Debug)]
struct Request {
    nic: NicRequest,
    link: LinkRequest,
    posts: PostsRequest,
    caches: CachesRequest,
    tables: StaticTablesRequest,
}

const GOOD: Request = Request {
    nic: NicRequest { core_hz: 88_000_000, sram_bytes: 512 * 1024, host_pages: 1 << 17 },
    link: LinkRequest {
        node: 1,
        node_count: 4,
        session: 0,
        frame_data_bytes_max: 1466,
        tx_buffer_count: 64,
        rx_buffer_count: 64,
        buffer_bytes: 1520,
        retransmit_cycles: 22_000,
        retransmit_limit: 16,
        ack_frames: 4,
        ack_cycles: 4400,
    },
    posts: PostsRequest { post_queues: 0 },
    caches: CachesRequest { receive_miss: ReceiveMiss::Hold as u32, held_frames_max: 4, fetches_translations: 0 },
    tables: StaticTablesRequest { vmh_tables_max: 64, cbh_entries_max: 6954, import_entries_max: 4096 },
};

impl Request {
    /// The good request with a change.
    fn with(change: impl FnOnce(&mut Request)) -> Request {
        let mut request = GOOD;
        change(&mut request);
        request
    }

    fn words(&self) -> Vec<u32> {
        let mut writer = SectionsWriter::request(5);
        writer.push(&self.nic);
        writer.push(&self.link);
        writer.push(&self.posts);
        writer.offer(&self.caches);
        writer.offer(&self.tables);
        writer.finish().expect("five sections fit").to_vec()
    }

    fn read<P: Part>(&self, built: P) -> Result<Config<P>, BootError> {
        Config::read(&self.words(), built)
    }
}

const CACHES: Rdma<Caches> = Rdma::new(Caches::built(Geometry::RECOMMENDED));
const WIDE: Rdma<Caches> = {
    let cbh = CbhGeometry { key: KeyWidth::Bits128, ..CbhGeometry::RECOMMENDED };
    Rdma::new(Caches::built(Geometry { cbh, ..Geometry::RECOMMENDED }))
};
const TABLES: Rdma<StaticTables> = Rdma::new(StaticTables::built(KeyWidth::Bits64));

fn check(request: &Request) -> Result<Config<Rdma<Caches>>, BootError> {
    request.read(CACHES)
}

// ---- Requests --------------------------------------------------------------------------------

#[test]
fn with_longer_keys_a_frame_carries_less_and_is_as_long() {
    let wide = |bytes| Request::with(|request| request.link.frame_data_bytes_max = bytes).read(WIDE);
    assert_eq!(wide(1466).unwrap().link.frame_data_bytes_max, 1458);
    assert_eq!(wide(39), Err(BootError::BufferSize));
    assert_eq!(wide(7), Err(BootError::BufferSize));
}

#[test]
fn a_good_request_is_taken_and_buffers_are_shared_among_peers() {
    assert_eq!(check(&GOOD).unwrap().link.window_frames, 21);
    assert_eq!(check(&Request::with(|request| request.link.node_count = 2)).unwrap().link.window_frames, 32);
}

#[test]
fn the_pages_of_a_span_bound_the_data_of_a_frame() {
    let most = |bytes: u32| (0..PAGE_BYTES).map(|at| (at + bytes - 1) / PAGE_BYTES + 1).max();
    for bytes in [1, 2, 3, 1466, 4095, 4096, 4097, 4098, 8192, 8193, 8194, 9000] {
        assert_eq!(Some(pages_max(bytes)), most(bytes), "{bytes} bytes");
    }
    for pages in 2..10 {
        assert!(pages_max(data_bytes_limit(pages)) <= pages);
    }
    assert_eq!(data_bytes_limit(FRAME_PAGES_MAX), FRAME_DATA_BYTES_LIMIT);

    let jumbo = Rdma { frame_pages_max: pages_max(9000), ..CACHES };
    let read = |bytes| {
        Request::with(|request| (request.link.frame_data_bytes_max, request.link.buffer_bytes) = (bytes, 0x4000))
            .read(jumbo)
    };
    assert_eq!(read(9000).unwrap().link.frame_data_bytes_max, 9000);
    assert_eq!(read(3 * PAGE_BYTES).unwrap().part.frame_pages_max, 4);
    assert_eq!(read(3 * PAGE_BYTES + 1), Err(BootError::BufferSize));
}

type Change = fn(&mut Request);

#[test]
fn each_bad_request_is_refused_with_its_reason() {
    let cases: [(Change, BootError); 19] = [
        (|r| r.link.node = 4, BootError::NodeOutOfRange),
        (|r| r.link.node_count = 17, BootError::NodeOutOfRange),
        (|r| (r.link.node, r.link.node_count) = (0, 1), BootError::NodeOutOfRange),
        (|r| r.link.session = 256, BootError::SessionOutOfRange),
        (|r| r.link.frame_data_bytes_max = 31, BootError::BufferSize),
        (|r| (r.link.frame_data_bytes_max, r.link.buffer_bytes) = (4097, 8192), BootError::BufferSize),
        (|r| r.link.buffer_bytes = 1512, BootError::BufferSize),
        (|r| r.link.buffer_bytes = 1521, BootError::BufferSize),
        (|r| r.link.tx_buffer_count = 65, BootError::BufferCount),
        (|r| r.link.rx_buffer_count = 0, BootError::BufferCount),
        (|r| r.link.retransmit_cycles = 1 << 25, BootError::IntervalOutOfRange),
        (|r| r.link.ack_cycles = 0, BootError::IntervalOutOfRange),
        (|r| r.link.ack_frames = 0, BootError::IntervalOutOfRange),
        (|r| r.caches.receive_miss = 3, BootError::ReceiveMissOutOfRange),
        (|r| r.caches.held_frames_max = 17, BootError::ReceiveMissOutOfRange),
        (|r| (r.caches.held_frames_max, r.link.rx_buffer_count) = (8, 8), BootError::ReceiveMissOutOfRange),
        (|r| r.caches.fetches_translations = 2, BootError::FetchOutOfRange),
        (|r| r.posts.post_queues = 9, BootError::PostQueuesOutOfRange),
        (|r| r.posts.post_queues = u32::MAX, BootError::PostQueuesOutOfRange),
    ];
    for (change, error) in cases {
        let request = Request::with(change);
        assert_eq!(check(&request), Err(error), "{request:?}");
    }
}

#[test]
fn an_image_for_64_nodes_takes_64_and_static_tables_name_16_of_them() {
    const MANY: Rdma<Caches, NODES_MAX> = Rdma::new(CACHES.lookup);
    const TABLES_FOR_MANY: Rdma<StaticTables, NODES_MAX> = Rdma::new(TABLES.lookup);
    let of = |node_count| Request::with(|r| (r.link.node, r.link.node_count) = (1, node_count));
    assert_eq!(of(64).read(MANY).map(|config| config.link.window_frames), Ok(1));
    assert_eq!(of(65).read(MANY), Err(BootError::NodeOutOfRange));
    assert!(of(16).read(TABLES_FOR_MANY).is_ok());
    assert_eq!(of(17).read(TABLES_FOR_MANY), Err(BootError::NodeOutOfRange));
    // Acknowledgement frames and open reads of 48 more nodes.
    let good = of(16);
    let usual = plan(&good, CACHES, 0x8000, 512 * 1024).unwrap();
    let many = plan(&good, MANY, 0x8000, 512 * 1024).unwrap();
    assert_eq!(many.places.engines, usual.places.engines);
    let more = 48 * (2 * 64 + 32);
    assert_eq!(many.places.part.lookup.cbh - usual.places.part.lookup.cbh, more);
    let least = usual.places.free;
    assert!(plan(&good, CACHES, 0x8000, least).is_ok());
    assert_eq!(plan(&good, MANY, 0x8000, least), Err(BootError::DoesNotFitSram));
}

#[test]
fn a_request_that_lacks_a_section_is_refused_with_its_kind() {
    fn without<P: Part>(kind: Kind, built: P) -> BootError {
        fn add<S: Section>(writer: &mut SectionsWriter<64>, section: &S, kind: Kind) {
            if S::KIND != kind {
                writer.push(section);
            }
        }
        let mut writer = SectionsWriter::request(5);
        add(&mut writer, &GOOD.nic, kind);
        add(&mut writer, &GOOD.link, kind);
        add(&mut writer, &GOOD.posts, kind);
        if P::ASKS.contains(&Kind::CACHES) {
            add(&mut writer, &GOOD.caches, kind);
        } else {
            add(&mut writer, &GOOD.tables, kind);
        }
        Config::read(writer.finish().unwrap(), built).expect_err("a section is missing")
    }
    for kind in [Kind::NIC, Kind::LINK, Kind::POSTS, Kind::CACHES] {
        assert_eq!(without(kind, CACHES), BootError::MissingSection(kind));
    }
    assert_eq!(without(Kind::STATIC_TABLES, TABLES), BootError::MissingSection(Kind::STATIC_TABLES));
}

#[test]
fn a_section_that_the_firmware_does_not_know_is_refused_unless_it_is_an_offer() {
    let mut writer = SectionsWriter::request(5);
    writer.push(&GOOD.nic);
    writer.push(&GOOD.link);
    writer.push(&GOOD.posts);
    writer.push(&GOOD.caches);
    writer.push(&GOOD.tables);
    let words = writer.finish().unwrap();
    assert_eq!(Config::read(words, CACHES), Err(BootError::UnknownSection(Kind::STATIC_TABLES)));
    assert_eq!(Config::read(words, TABLES), Err(BootError::UnknownSection(Kind::CACHES)));
    assert!(GOOD.read(CACHES).is_ok() && GOOD.read(TABLES).is_ok());
}

#[test]
fn processes_of_static_tables_keep_their_queues() {
    let queues = |count| Request::with(|request| request.posts.post_queues = count);
    for count in [0, 8] {
        assert!(queues(count).read(TABLES).is_ok());
    }
    assert_eq!(queues(2).read(TABLES), Err(BootError::PostQueuesOutOfRange));
    assert!(queues(2).read(CACHES).is_ok(), "an image with caches shares them");
}

#[test]
fn static_tables_are_checked_where_there_are_any() {
    let geometry = StaticGeometry { vmh_tables: 64, cbh_entries: 6954, import_entries: 4096, key: KeyWidth::Bits64 };
    assert_eq!(GOOD.read(TABLES).unwrap().part.lookup, StaticTables { geometry });
    let bad: [Change; 3] = [
        |r| r.tables.vmh_tables_max = 256,
        |r| r.tables.cbh_entries_max = 0,
        |r| r.tables.import_entries_max = u32::MAX,
    ];
    for change in bad {
        let request = Request::with(change);
        assert_eq!(request.read(TABLES), Err(BootError::StaticTablesOutOfRange));
        assert!(check(&request).is_ok(), "an image with caches has no use for them");
    }
}

// ---- Plans -----------------------------------------------------------------------------------

/// Every region with its pieces.
#[derive(Debug, Default)]
struct List {
    regions: Vec<(&'static str, u32, u32, Vec<Piece>)>,
    next: u32,
}

impl Regions for List {
    fn take(&mut self, owner: &'static str, align: u32, pieces: &[Piece]) -> u32 {
        let start = self.next.next_multiple_of(align);
        self.next = start + pieces.iter().map(|piece| piece.bytes).sum::<u32>();
        self.regions.push((owner, start, align, pieces.to_vec()));
        start
    }
}

fn plan<P: Part>(request: &Request, built: P, first_free: u32, sram_bytes: u32) -> Result<Plan<P>, BootError> {
    Plan::of(&request.read(built).unwrap(), first_free, sram_bytes)
}

/// What the reply of a plan says of post queues.
fn posts<P: Part>(plan: &Plan<P>) -> PostsReply {
    let mut reply = plan.reply();
    let words = reply.finish().expect("it fits").to_vec();
    Sections::parse(&words, REPLY_MAGIC).unwrap().get().unwrap()
}

const LARGE: u32 = 2048 * 1024;

#[test]
fn the_recommended_cache_and_the_buffers_of_the_papers_fit_512_kb() {
    let plan = plan(&GOOD, CACHES, 48 * 1024, 512 * 1024).unwrap();
    assert_eq!(plan.config.part.lookup.geometry, Geometry::RECOMMENDED);
    assert_eq!(plan.places.posts.post_queues % PAGE_BYTES, 0);
    assert!(plan.places.free < 400 * 1024, "{}", plan.places.free);
}

#[test]
fn every_part_lists_its_regions_where_the_firmware_puts_them() {
    fn judge<P: Part>(request: &Request, built: P) {
        let plan = plan(request, built, 12_345, LARGE).unwrap();
        let mut list = List { next: 12_345, ..List::default() };
        let places = plan.config.lay_out(&mut list);
        assert_eq!(nic_plan::Places { free: list.next, ..places }, plan.places);
        let mut end = 12_345;
        for (owner, start, align, pieces) in &list.regions {
            assert!(*start >= end && start % align == 0, "{owner}");
            end = start + pieces.iter().map(|piece| piece.bytes).sum::<u32>();
        }
        let names: Vec<&str> = list.regions.iter().flat_map(|region| &region.3).map(|piece| piece.name).collect();
        for (index, name) in names.iter().enumerate() {
            assert!(!name.is_empty() && !names[..index].contains(name), "{name} is there twice");
        }
    }
    for fetches_translations in [0, 1] {
        let request = Request::with(|request| request.caches.fetches_translations = fetches_translations);
        judge(&request, CACHES);
        judge(&request, WIDE);
        judge(&request, TABLES);
    }
}

#[test]
fn the_structures_of_the_recommended_caches_have_their_size() {
    let mut list = List::default();
    GOOD.read(CACHES).unwrap().lay_out(&mut list);
    let bytes = |owner| -> u32 {
        let of_owner = list.regions.iter().filter(|region| region.0 == owner);
        of_owner.flat_map(|region| &region.3).map(|piece| piece.bytes).sum()
    };
    assert_eq!(bytes("caches"), VmhGeometry::RECOMMENDED.bytes() + CbhGeometry::RECOMMENDED.bytes());
    assert_eq!(bytes("link"), 128 * 1520 + 2048);
    assert_eq!(bytes("posts"), 9 * 32 + 2 * 64 + 2 * 4096);
    assert_eq!(bytes("rings"), 1024 + 1024);
    assert_eq!(bytes("device"), 2 * 512 + 2 * 2048);
    assert_eq!(bytes("transfers"), 1024 + 512);
}

#[test]
fn post_queues_are_as_many_as_asked_for_or_as_the_firmware_has() {
    fn queues<P: Part>(count: u32, built: P) -> u32 {
        let request = Request::with(|request| request.posts.post_queues = count);
        let plan = plan(&request, built, 32 * 1024, LARGE).unwrap();
        let places = plan.places.posts;
        assert_eq!(plan.places.free, places.post_queues + places.post_queue_count * PAGE_BYTES);
        assert_eq!(posts(&plan).post_queue_count, places.post_queue_count);
        places.post_queue_count
    }
    assert_eq!((queues(0, CACHES), queues(1, CACHES), queues(8, CACHES)), (2, 1, 8));
    assert_eq!((queues(0, TABLES), queues(8, TABLES)), (8, 8));
}

#[test]
fn only_a_cache_that_fetches_has_directories() {
    let fetches = Request::with(|request| request.caches.fetches_translations = 1);
    let with = plan(&fetches, CACHES, 48 * 1024, 512 * 1024).unwrap().places.part.lookup;
    let without = plan(&GOOD, CACHES, 48 * 1024, 512 * 1024).unwrap().places.part.lookup;
    assert_eq!(with.fetches, with.directories + 8 * 4096);
    assert!(with.fetches + fetches_bytes(IMAGE_NODES) <= with.vmh);
    assert_eq!((without.directories, without.fetches), (0, 0));
    assert!(without.vmh < with.vmh);
    assert_eq!(plan(&fetches, TABLES, 48 * 1024, LARGE).unwrap().places.part.lookup.directories, 0);
}

#[test]
fn static_tables_are_as_large_as_asked_where_the_sram_is_and_cut_alike_where_it_is_not() {
    let whole = StaticGeometry::OF_THE_THESIS;
    let large = plan(&GOOD, TABLES, 32 * 1024, LARGE).unwrap();
    let lookup = large.places.part.lookup;
    assert_eq!(large.config.part.lookup.geometry, whole);
    assert_eq!(lookup.cbh, lookup.vmh + whole.buffer_offset(0), "one piece");
    assert!(large.places.link.tx_buffers >= lookup.vmh + whole.bytes());

    let small = plan(&GOOD, TABLES, 32 * 1024, 512 * 1024).unwrap();
    let (lookup, geometry) = (small.places.part.lookup, small.config.part.lookup.geometry);
    assert_eq!(lookup.cbh, lookup.vmh + geometry.buffer_offset(0), "one piece");
    assert!(small.places.link.tx_buffers >= lookup.vmh + geometry.bytes());
    // Not a share more would fit.
    let free = small.places.free;
    let share = whole.bytes() / <Rdma<StaticTables> as Part>::SHARES;
    assert!(free <= 512 * 1024 && free + 2 * 4096 + share > 512 * 1024, "{geometry:?}");
    let share = |have: u32, wanted: u32| f64::from(have) / f64::from(wanted);
    let shares = [
        share(geometry.vmh_tables, whole.vmh_tables),
        share(geometry.cbh_entries, whole.cbh_entries),
        share(geometry.import_entries, whole.import_entries),
    ];
    assert!(shares.iter().all(|share| (share - shares[2]).abs() < 0.02), "{shares:?}");
}

#[test]
fn static_tables_of_one_entry_each_are_the_least_there_is() {
    let one = StaticTablesRequest { vmh_tables_max: 1, cbh_entries_max: 1, import_entries_max: 1 };
    let least = plan(&Request::with(|request| request.tables = one), TABLES, 32 * 1024, LARGE).unwrap();
    let free = least.places.free;
    assert_eq!(plan(&GOOD, TABLES, 32 * 1024, free).unwrap().config.part, least.config.part);
    assert_eq!(plan(&GOOD, TABLES, 32 * 1024, free - 1), Err(BootError::DoesNotFitSram));
}

#[test]
fn what_does_not_fit_is_refused() {
    let big = Request::with(|request| (request.link.rx_buffer_count, request.link.buffer_bytes) = (128, 0xFFF8));
    let refused = big.read(CACHES).and_then(|config| Plan::of(&config, 0, 512 * 1024));
    assert!(matches!(refused, Err(BootError::BufferCount | BootError::DoesNotFitSram)));
    let long = Request::with(|request| request.link.buffer_bytes = 0xFFF8);
    assert_eq!(plan(&long, CACHES, 0, 512 * 1024), Err(BootError::DoesNotFitSram));
    assert_eq!(plan(&GOOD, CACHES, u32::MAX, 512 * 1024), Err(BootError::DoesNotFitSram));
}

#[test]
fn firmwares_have_numbers_of_their_own() {
    assert_eq!(Plan::<Rdma<Caches>>::PERSONALITY, caches::PERSONALITY);
    assert_eq!(Plan::<Rdma<StaticTables>>::PERSONALITY, static_tables::PERSONALITY);
    assert_ne!(caches::PERSONALITY, static_tables::PERSONALITY);
}

/// A protocol that this crate does not know, with one region of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Echo;

impl Part for Echo {
    type Places = u32;
    const PERSONALITY: u32 = 77;
    const NODES: usize = IMAGE_NODES;
    const ASKS: &'static [Kind] = &[];
    const ANSWERS: usize = 0;

    fn frames(&self) -> nic_plan::Frames {
        nic_plan::Frames {
            header_bytes: 24,
            less_data_bytes: 0,
            least_data_bytes: 1,
            data_bytes_limit: FRAME_DATA_BYTES_LIMIT,
        }
    }

    fn key(&self) -> KeyWidth {
        KeyWidth::Bits64
    }

    fn post_queues(&self) -> u32 {
        1
    }

    fn check(&self, _config: &Config<Echo>) -> Result<(), BootError> {
        Ok(())
    }

    fn plan(&self, regions: &mut impl Regions) -> u32 {
        regions.take("echo", 8, &[Piece::new("frames to return", nic_plan::Use::Buffers, 4, 8)])
    }

    fn cut(self, _share: u32) -> Echo {
        self
    }

    fn reply(&self, _places: &u32, _reply: &mut SectionsWriter<64>) {}

    fn read(self, _request: &Sections<'_>) -> Result<Echo, BootError> {
        Ok(self)
    }
}

#[test]
fn a_protocol_of_another_crate_appears_in_the_plan_by_itself() {
    let mut list = List::default();
    let plan = plan(&GOOD, Echo, 0, 512 * 1024).unwrap();
    plan.config.lay_out(&mut list);
    let own = list.regions.iter().find(|region| region.0 == "echo").expect("it is listed");
    assert_eq!((own.1, own.3[0].bytes), (plan.places.part, 32));
    assert_eq!(posts(&plan).post_queue_count, 1);
}

proptest! {
    #[test]
    fn a_cursor_counts_what_a_list_lists(
        first_free in 0u32..65_536,
        takes in proptest::collection::vec((0u32..13, proptest::collection::vec(0u32..5000, 0..4)), 0..20),
    ) {
        let (mut cursor, mut list) = (Cursor::new(first_free), List { next: first_free, ..List::default() });
        for (log2, bytes) in takes {
            let piece = |&bytes: &u32| Piece { name: "", r#use: nic_plan::Use::Program, bytes };
            let pieces: Vec<Piece> = bytes.iter().map(piece).collect();
            prop_assert_eq!(cursor.take("", 1 << log2, &pieces), list.take("", 1 << log2, &pieces));
        }
        prop_assert_eq!(cursor.end(list.next), Some(list.next));
        prop_assert_eq!(cursor.end(list.next.wrapping_sub(1)).is_some(), list.next == 0);
    }
}
