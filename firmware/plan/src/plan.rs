use nic_layout::boot::{
    BootError, CountersReply, Kind, LinkRequest, NicReply, NicRequest, PostsRequest, Sections, SectionsWriter,
    BOOT_MAGIC, REPLY_WORDS,
};

use crate::config::Config;
use crate::rings::{plan_engines, EnginePlaces};
use crate::{counters, link, posts, Cursor, LinkPlaces, LinkSettings, Part, PostPlaces, Regions, RingPlaces};

/// The sections that every firmware reads from a request.
const ASKS: [Kind; 3] = [Kind::NIC, Kind::LINK, Kind::POSTS];
/// How many sections every firmware's reply has.
const ANSWERS: usize = 5;

impl<P: Part> Config<P> {
    /// Checks everything that the driver wrote, except that it fits the SRAM: that is for
    /// [`Plan::of`]. `words`: the SRAM from the request's head on. `built`: the part as the image
    /// has it.
    ///
    /// # Errors
    /// What is wrong with the request, or with the first value that is out of range.
    pub fn read(words: &[u32], built: P) -> Result<Config<P>, BootError> {
        let request = Sections::parse(words, BOOT_MAGIC)?;
        request.check_known(&[&ASKS, P::ASKS])?;
        let nic: NicRequest = request.get()?;
        let link: LinkRequest = request.get()?;
        let posts: PostsRequest = request.get()?;
        let part = built.read(&request)?;
        let config = Config {
            sram_bytes: nic.sram_bytes,
            // Page numbers that do not fit a bus address are wild whatever the driver says.
            host_pages: nic.host_pages.min(1 << 20),
            link: LinkSettings::check(&link, part.frames(), P::NODES)?,
            post_queues: posts::check(&posts)?,
            part,
        };
        part.check(&config)?;
        Ok(config)
    }

    /// Takes the regions of all parts, in the order of their addresses. [`Places::free`] is left 0.
    pub fn lay_out(&self, regions: &mut impl Regions) -> Places<P> {
        let queues = if self.post_queues == 0 { self.part.post_queues() } else { self.post_queues };
        let engines = plan_engines(regions);
        let posts = posts::plan_tables(queues, self.part.key(), regions);
        let rings = RingPlaces::plan(regions);
        let counters = counters::plan(regions);
        let ack_buffers = link::plan_acks(P::NODES, regions);
        let part = self.part.plan(regions);
        let link = self.link.plan_buffers(ack_buffers, regions);
        let posts = posts.with_queues(regions);
        Places { engines, posts, rings, counters, link, part, free: 0 }
    }
}

/// Where everything is in SRAM, above the firmware image. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places<P: Part> {
    /// Rings of the engines.
    pub engines: EnginePlaces,
    /// Where processes post.
    pub posts: PostPlaces,
    /// Rings that the driver reads.
    pub rings: RingPlaces,
    /// The first counter.
    pub counters: u32,
    /// Frames of the link.
    pub link: LinkPlaces,
    /// Structures of the protocol.
    pub part: P::Places,
    /// First byte that nothing uses.
    pub free: u32,
}

/// A configuration whose regions fit the SRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan<P: Part> {
    /// The configuration; its part may be smaller than what was asked for.
    pub config: Config<P>,
    /// Where everything is.
    pub places: Places<P>,
}

impl<P: Part> Plan<P> {
    /// Which firmware answers the driver.
    pub const PERSONALITY: u32 = P::PERSONALITY;

    /// Lays everything out from `first_free` on. A part that gives way gets the largest share of
    /// its size that fits below `sram_bytes`.
    ///
    /// # Errors
    /// [`BootError::DoesNotFitSram`].
    pub fn of(config: &Config<P>, first_free: u32, sram_bytes: u32) -> Result<Plan<P>, BootError> {
        let least = config.part.cut(0);
        for share in (0..=P::SHARES).rev() {
            let config = Config { part: config.part.cut(share), ..*config };
            let mut cursor = Cursor::new(first_free);
            let places = config.lay_out(&mut cursor);
            if let Some(free) = cursor.end(sram_bytes) {
                return Ok(Plan { config, places: Places { free, ..places } });
            }
            if config.part == least {
                break;
            }
        }
        Err(BootError::DoesNotFitSram)
    }

    /// The reply of a firmware that has this plan.
    pub fn reply(&self) -> SectionsWriter<REPLY_WORDS> {
        let Places { posts, rings, counters, link, part, free, .. } = &self.places;
        let mut reply = SectionsWriter::reply(ANSWERS + P::ANSWERS);
        reply.push(&NicReply { free: *free });
        reply.push(&link.reply());
        reply.push(&posts.reply());
        reply.push(&rings.reply());
        reply.push(&CountersReply { counters: *counters });
        self.config.part.reply(part, &mut reply);
        reply
    }
}
