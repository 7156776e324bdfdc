//! What a boot request asks for, checked, and where in the SRAM everything then lies.

use nic_collections::Numbers;
use nic_device::{RX_BUFFERS_MAX, TX_BUFFERS_MAX};
use nic_layout::boot::{
    BootError, CountersReply, Kind, LinkReply, LinkRequest, NicReply, NicRequest, Sections, SectionsWriter, BOOT_MAGIC,
    REPLY_WORDS,
};
use nic_layout::counter::Counter;
use nic_layout::frame::link::FRAME_BYTES_MIN;
use nic_layout::nodes::IMAGE_NODES;
use nic_layout::personality::emp::boot::{MessagesReply, MessagesRequest};
use nic_layout::personality::emp::descriptor::{BANKS_BYTES, BANK_BYTES, RECEIVE_DESCRIPTORS, SEND_DESCRIPTORS};
use nic_layout::personality::emp::frame::{Cut, FIRST_HEADER_BYTES};
use nic_layout::personality::emp::{COLLECTION_FRAMES_MAX, OPEN_NUMBERS};
use nic_matching::Posted;
use nic_plan::rings::{plan_engines, EnginePlaces};
use nic_plan::{Cursor, Piece, Regions, Use};

use crate::lists::LIST_BUFFER_BYTES;
use crate::pages::Pages;
use crate::places::{path, receive_record, send_record, PagePlaces, Places, Settings};
use crate::queues::QUEUES_BYTES;
use crate::receiver::RECEIVE_LISTS;
use crate::transmitter::{ANSWERS, ANSWERS_APART, ANSWER_BYTES, SEND_LISTS, TRANSMIT_BUFFERS};

/// The sections that EMP reads from a boot request.
const ASKS: [Kind; 3] = [Kind::NIC, Kind::LINK, Kind::MESSAGES];
/// How many sections the reply has.
const ANSWERS_IN_REPLY: usize = 4;
/// Bytes of Ethernet's header.
const ETHERNET_BYTES: u32 = 14;
/// Least number of bytes of a frame behind Ethernet's header: a byte of data in each frame.
const MTU_BYTES_MIN: u32 = FIRST_HEADER_BYTES + 1 - ETHERNET_BYTES;
/// Core clocks of a frame at most: nine times as many lie within half a lap of the clock.
const FRAME_CYCLES_MAX: u32 = 1 << 24;
/// The largest: jumbo frames.
const MTU_BYTES_MAX: u32 = 9000;

/// A boot request that was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Bytes of SRAM that the driver lets the firmware use.
    pub sram_bytes: u32,
    /// Pages of host memory.
    pub host_pages: u32,
    /// The settings of the NIC.
    pub settings: Settings,
}

impl Config {
    /// Checks everything that the driver wrote, except that it fits the SRAM: that is for
    /// [`Plan::of`]. `words`: the SRAM from the request's head on.
    ///
    /// EMP reads node, buffers and the limit of time-outs from the link's section.
    ///
    /// # Errors
    /// What is wrong with the request, or with the first value that is out of range.
    pub fn read(words: &[u32]) -> Result<Config, BootError> {
        let request = Sections::parse(words, BOOT_MAGIC)?;
        request.check_known(&[&ASKS])?;
        let nic: NicRequest = request.get()?;
        let link: LinkRequest = request.get()?;
        let MessagesRequest { mtu_bytes, collection_frames, resend_cycles, frame_cycles, slow_below, slower_below } =
            request.get()?;
        let LinkRequest { node, node_count, session, buffer_bytes, .. } = link;
        if node_count < 2 || node_count > IMAGE_NODES as u32 || node >= node_count {
            return Err(BootError::NodeOutOfRange);
        }
        if session > 0xFF {
            return Err(BootError::SessionOutOfRange);
        }
        let frame_bytes = (mtu_bytes.saturating_add(ETHERNET_BYTES)).max(FRAME_BYTES_MIN as u32);
        if !(MTU_BYTES_MIN..=MTU_BYTES_MAX).contains(&mtu_bytes)
            || buffer_bytes % 8 != 0
            || buffer_bytes > 0xFFF8
            || buffer_bytes < frame_bytes
        {
            return Err(BootError::BufferSize);
        }
        if !(2..=TX_BUFFERS_MAX).contains(&link.tx_buffer_count)
            || !(2..=RX_BUFFERS_MAX).contains(&link.rx_buffer_count)
        {
            return Err(BootError::BufferCount);
        }
        // The longest interval, 64 times the first, lies within half a lap of the clock.
        if !(4..=u32::MAX / 256).contains(&resend_cycles) || !(1..=COLLECTION_FRAMES_MAX).contains(&collection_frames) {
            return Err(BootError::IntervalOutOfRange);
        }
        if frame_cycles > FRAME_CYCLES_MAX {
            return Err(BootError::IntervalOutOfRange);
        }
        let are_marks = slow_below.is_power_of_two() && slower_below.is_power_of_two() && slower_below < slow_below;
        if frame_cycles != 0 && !are_marks {
            return Err(BootError::BufferCount);
        }
        let settings = Settings {
            node,
            node_count,
            session,
            cut: Cut::of_mtu(mtu_bytes),
            collection_frames,
            resend_cycles,
            resend_limit: link.retransmit_limit,
            buffer_bytes,
            transmit_buffers: link.tx_buffer_count.min(TRANSMIT_BUFFERS),
            receive_buffers: link.rx_buffer_count,
            frame_cycles,
            slow_below,
            slower_below,
        };
        Ok(Config { sram_bytes: nic.sram_bytes, host_pages: nic.host_pages, settings })
    }

    /// Takes all regions, in the order of their addresses. `P`: how posted receives are found. `A`:
    /// what addresses are.
    pub fn lay_out<P: Posted, A: Pages>(&self, regions: &mut impl Regions) -> (EnginePlaces, u32, Places, PagePlaces) {
        let engines = plan_engines(regions);
        let settings = &self.settings;
        let (nodes, lists) = (IMAGE_NODES as u32, LIST_BUFFER_BYTES);
        // The host's window shows a whole bank.
        let descriptors =
            regions.take("messages", BANK_BYTES, &[Piece::new("descriptors", Use::Program, 1, BANKS_BYTES)]);
        let mut take =
            |owner, name, r#use, count, each| regions.take(owner, 8, &[Piece::new(name, r#use, count, each)]);
        let (program, buffers) = (Use::Program, Use::Buffers);
        let counters = take("counters", "counters", program, Counter::COUNT as u32, 4);
        let places = Places {
            descriptors,
            sends: take("messages", "records of sends", program, SEND_DESCRIPTORS, send_record::BYTES),
            receives: take("messages", "records of receives", program, RECEIVE_DESCRIPTORS, receive_record::BYTES),
            sent: take("messages", "sends by number", program, nodes * OPEN_NUMBERS, 4),
            paths: take("messages", "paths to peers", program, nodes, path::BYTES),
            numbers: take("messages", "numbers of peers", program, nodes, Numbers::BYTES),
            posted: take("messages", "posted receives", program, 1, P::bytes(RECEIVE_DESCRIPTORS)),
            queues: take("parts", "queues", program, 1, QUEUES_BYTES),
            answer_buffers: take("frames", "answers", buffers, ANSWERS + ANSWERS_APART, ANSWER_BYTES),
            send_lists: take("frames", "list pages of sends", buffers, SEND_LISTS as u32, lists),
            receive_lists: take("frames", "list pages of receives", buffers, RECEIVE_LISTS as u32, lists),
            transmit_buffers: take(
                "frames",
                "transmit buffers",
                buffers,
                settings.transmit_buffers,
                settings.buffer_bytes,
            ),
            receive_buffers: take(
                "frames",
                "receive buffers",
                buffers,
                settings.receive_buffers,
                settings.buffer_bytes,
            ),
        };
        let pages = A::lay_out(regions);
        (engines, counters, places, pages)
    }
}

/// A configuration whose regions fit the SRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The settings of the NIC.
    pub settings: Settings,
    /// Pages of host memory.
    pub host_pages: u32,
    /// Rings of the engines. SRAM offsets.
    pub engines: EnginePlaces,
    /// SRAM offset of the counters.
    pub counters: u32,
    /// The state of EMP. SRAM offsets.
    pub places: Places,
    /// Where virtual addresses are translated.
    pub pages: PagePlaces,
    /// First byte that nothing uses.
    pub free: u32,
}

impl Plan {
    /// Lays everything out from `first_free` on.
    ///
    /// # Errors
    /// [`BootError::DoesNotFitSram`].
    pub fn of<P: Posted, A: Pages>(config: &Config, first_free: u32, sram_bytes: u32) -> Result<Plan, BootError> {
        let mut cursor = Cursor::new(first_free);
        let (engines, counters, places, pages) = config.lay_out::<P, A>(&mut cursor);
        let free = cursor.end(sram_bytes).ok_or(BootError::DoesNotFitSram)?;
        Ok(Plan { settings: config.settings, host_pages: config.host_pages, engines, counters, places, pages, free })
    }

    /// The reply of a firmware that has this plan.
    pub fn reply<A: Pages>(&self) -> SectionsWriter<REPLY_WORDS> {
        let mut reply = SectionsWriter::reply(ANSWERS_IN_REPLY + A::SECTIONS);
        let Places { transmit_buffers, receive_buffers, .. } = self.places;
        reply.push(&NicReply { free: self.free });
        reply.push(&LinkReply { tx_buffers: transmit_buffers, rx_buffers: receive_buffers });
        reply.push(&CountersReply { counters: self.counters });
        reply.push(&MessagesReply { descriptors: self.places.descriptors });
        A::reply(&self.pages, &mut reply);
        reply
    }
}

#[cfg(test)]
mod tests {
    use nic_layout::boot::caches::CachesReply;
    use nic_layout::boot::{PostsRequest, REPLY_MAGIC};
    use nic_matching::Linear;

    use super::*;
    use crate::pages::Physical;
    use crate::translated::Translated;

    fn request(change: impl Fn(&mut LinkRequest, &mut MessagesRequest)) -> Vec<u32> {
        let mut messages = MessagesRequest {
            mtu_bytes: 1500,
            collection_frames: 3,
            resend_cycles: 22_000,
            frame_cycles: 1083,
            slow_below: 32,
            slower_below: 8,
        };
        let mut link = LinkRequest {
            node: 1,
            node_count: 16,
            session: 3,
            frame_data_bytes_max: 1486,
            tx_buffer_count: 32,
            rx_buffer_count: 64,
            buffer_bytes: 1520,
            retransmit_cycles: 88_000,
            retransmit_limit: 64,
            ack_frames: 3,
            ack_cycles: 0,
        };
        change(&mut link, &mut messages);
        let mut request = SectionsWriter::request(4);
        request.push(&NicRequest { core_hz: 88_000_000, sram_bytes: 512 * 1024, host_pages: 1 << 16 });
        request.push(&link);
        request.offer(&PostsRequest { post_queues: 0 });
        request.offer(&messages);
        request.finish().unwrap().to_vec()
    }

    #[test]
    fn everything_fits_the_sram_of_tigon2_beside_an_image_of_64_kilobytes() {
        let config = Config::read(&request(|_, _| ())).unwrap();
        assert_eq!(config.settings.cut, Cut::of_mtu(1500));
        let plan = Plan::of::<Linear, Physical>(&config, 0x1_0000, 512 * 1024).unwrap();
        assert_eq!(plan.places.descriptors % BANK_BYTES, 0);
        let mut reply = plan.reply::<Physical>();
        let words = reply.finish().unwrap();
        let sections = Sections::parse(words, REPLY_MAGIC).unwrap();
        assert_eq!(sections.get::<MessagesReply>().unwrap().descriptors, plan.places.descriptors);
        assert_eq!(sections.get::<NicReply>().unwrap().free, plan.free);
        assert_eq!(Plan::of::<Linear, Physical>(&config, 0x1_0000, plan.free - 1), Err(BootError::DoesNotFitSram));
    }

    #[test]
    fn the_recommended_cache_fits_the_sram_of_tigon2_too() {
        let config = Config::read(&request(|_, _| ())).unwrap();
        let plan = Plan::of::<Linear, Translated<16_384, 64, 4>>(&config, 0x1_0000, 512 * 1024).unwrap();
        let mut reply = plan.reply::<Translated<16_384, 64, 4>>();
        let words = reply.finish().unwrap();
        let caches: CachesReply = Sections::parse(words, REPLY_MAGIC).unwrap().get().unwrap();
        assert_eq!((caches.vmh_cache, caches.vmh_entries), (plan.pages.cache, 16_384));
        assert_eq!(caches.cbh_entries, 0);
    }

    #[test]
    fn a_wild_request_is_refused() {
        let refused =
            |change: &dyn Fn(&mut LinkRequest, &mut MessagesRequest)| Config::read(&request(change)).unwrap_err();
        assert_eq!(refused(&|it, _| it.node = 16), BootError::NodeOutOfRange);
        assert_eq!(refused(&|it, _| it.node_count = 1), BootError::NodeOutOfRange);
        assert_eq!(refused(&|it, _| it.session = 256), BootError::SessionOutOfRange);
        assert_eq!(refused(&|_, it| it.mtu_bytes = 26), BootError::BufferSize);
        assert_eq!(refused(&|_, it| it.mtu_bytes = 9001), BootError::BufferSize);
        assert_eq!(refused(&|it, _| it.buffer_bytes = 1512), BootError::BufferSize);
        assert_eq!(refused(&|it, _| it.buffer_bytes = 1522), BootError::BufferSize);
        assert_eq!(refused(&|it, _| it.tx_buffer_count = 1), BootError::BufferCount);
        assert_eq!(refused(&|it, _| it.rx_buffer_count = 129), BootError::BufferCount);
        assert_eq!(refused(&|_, it| it.resend_cycles = 3), BootError::IntervalOutOfRange);
        assert_eq!(refused(&|_, it| it.collection_frames = 9), BootError::IntervalOutOfRange);
        assert_eq!(refused(&|_, it| it.collection_frames = 0), BootError::IntervalOutOfRange);
        assert_eq!(refused(&|_, it| it.frame_cycles = 1 << 25), BootError::IntervalOutOfRange);
        assert_eq!(refused(&|_, it| it.slow_below = 24), BootError::BufferCount);
        assert_eq!(refused(&|_, it| it.slower_below = 0), BootError::BufferCount);
        assert_eq!(refused(&|_, it| it.slower_below = 32), BootError::BufferCount);
    }
}
