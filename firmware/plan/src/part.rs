use core::fmt::Debug;

use nic_layout::boot::{BootError, Kind, Sections, SectionsWriter, REPLY_WORDS};
use nic_layout::key::KeyWidth;

use crate::{Config, Frames, Regions};

/// A protocol's part of the boot request, the memory and the boot reply.
///
/// The board, the link, post queues, rings and counters are the same under every protocol and not
/// a matter of this trait.
pub trait Part: Copy + Debug + Eq {
    /// SRAM offsets of the part's structures.
    type Places: Copy + Debug + Eq;

    /// [`nic_layout::boot::ReplyState::personality`] of the firmware.
    const PERSONALITY: u32;

    /// Nodes that the image has room for.
    const NODES: usize;
    /// The kinds of sections that the part reads from a request, beside those of every firmware.
    const ASKS: &'static [Kind];

    /// How many sections the part adds to the reply.
    const ANSWERS: usize;

    /// What the protocol's frames look like to the link.
    fn frames(&self) -> Frames;

    /// Width of the keys of posts.
    fn key(&self) -> KeyWidth;

    /// Post queues, if the driver does not ask for a number.
    fn post_queues(&self) -> u32;

    /// Checks the rest of the request against the part, and the part against it.
    ///
    /// # Errors
    /// What the firmware refuses.
    fn check(&self, config: &Config<Self>) -> Result<(), BootError>;

    /// Takes the part's regions.
    fn plan(&self, regions: &mut impl Regions) -> Self::Places;

    /// The same part with `share` of [`Self::SHARES`] of its size, for an SRAM that has no room for
    /// all of it. A part whose size is fixed returns itself.
    fn cut(self, share: u32) -> Self;

    /// Steps in which a part gives way.
    const SHARES: u32 = 256;

    /// Adds the part's sections to the reply.
    fn reply(&self, places: &Self::Places, reply: &mut SectionsWriter<REPLY_WORDS>);

    /// Reads the part's sections of a request that was parsed.
    ///
    /// # Errors
    /// What the firmware refuses: a section that is missing or short, or a value out of range.
    fn read(self, request: &Sections<'_>) -> Result<Self, BootError>;
}
