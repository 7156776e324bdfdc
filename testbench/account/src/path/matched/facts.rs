//! Which markers, frames and descriptors belong to a message.

use host_model::events::EventKind;
use nic_layout::personality::emp::descriptor::SEND_DESCRIPTORS;
use nic_layout::personality::emp::frame::FIRST;
use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::super::way::{PathError, Way};
use super::flight::Step;
use super::frame::{sent, Sent};
use crate::log::{NodeLog, Probe};

/// What the logs say of a message.
pub(super) struct Facts<'a> {
    /// The event of the mailbox at the sender.
    pub mailbox: Ps,
    /// The sender has read the descriptor.
    pub posted: Step,
    /// Descriptor of the send.
    pub send: u32,
    /// Number of the message between the two nodes.
    pub number: u16,
    /// The data that came last are handed to the engine.
    pub placed: Step,
    /// The receiver has given the descriptor back.
    pub received: Step,
    /// Transmissions that the message waited for; the last one brought the data that came last.
    pub attempts: Vec<Sent<'a>>,
}

impl<'a> Way<'a> {
    /// Finds them.
    pub(super) fn facts(&self) -> Result<Facts<'a>, PathError> {
        let (journey, message) = (self.journey, self.journey.message);
        let (from, to) = (journey.logs[journey.sender], journey.logs[journey.receiver]);
        let missing = |what: &str| journey.missing(what);
        let descriptor = |log: &NodeLog| log.index_of_post(message, EventKind::DescriptorWritten);
        let send = descriptor(from).ok_or_else(|| missing("no DescriptorWritten"))?;
        let receive = descriptor(to).ok_or_else(|| missing("no DescriptorWritten of its receive"))? - SEND_DESCRIPTORS;
        let written =
            from.post(message, EventKind::DescriptorWritten).ok_or_else(|| missing("no DescriptorWritten"))?;
        let mailbox = from.first_pulse(Probe::Mailbox, written).ok_or_else(|| missing("the mailbox set no event"))?;
        let is = |wanted: Marker, of: u32| move |marker: Marker, argument: u32| marker == wanted && argument == of;
        let posted = from
            .find(mailbox, Ps::MAX, is(Marker::PostRead, send))
            .ok_or_else(|| missing("the sender never took its descriptor"))?;

        // Numbers of earlier messages were on the wire before.
        let firsts = || sent(from, journey.receiver, self.begin, Ps::MAX).filter(|sent| sent.header.kind == FIRST);
        let earlier = |number| {
            let mut before = sent(from, journey.receiver, Ps::ZERO, mailbox);
            before.any(|sent| sent.header.kind == FIRST && sent.header.of_message() == number)
        };
        let number = firsts()
            .filter(|sent| sent.frame.start >= mailbox)
            .map(|sent| sent.header.of_message())
            .find(|number| !earlier(*number))
            .ok_or_else(|| missing("no frame of it left the sender"))?;

        let matched = to
            .find(mailbox, Ps::MAX, is(Marker::MessageMatched, receive))
            .ok_or_else(|| missing("it never matched"))?;
        let received = to
            .find(matched.0, Ps::MAX, is(Marker::MessageReceived, receive))
            .ok_or_else(|| missing("the receiver never ended it"))?;
        let placed = to
            .find_last(matched.0, received.0, |marker, _| marker == Marker::DmaWritePosted)
            .ok_or_else(|| missing("no DmaWritePosted of its data"))?;
        let offset =
            to.markers_of(placed.1, placed.0, placed.0).find(|(_, marker, _)| *marker == Marker::DmaWritePosted);
        let offset = offset.map_or(0, |(.., offset)| offset);

        let own = || {
            let frames = sent(from, journey.receiver, mailbox, placed.0);
            frames.filter(|sent| sent.header.of_message() == number && sent.header.is_of_data())
        };
        // The first frame counts until it matches; then the frame that came last.
        let last = own().find(|sent| sent.header.has(offset)).ok_or_else(|| missing("no frame has its last data"))?;
        let last = last.header.frame();
        let is_taken = |sent: &Sent<'_>, until: Ps| {
            self.taken(sent.frame, journey.sender, journey.receiver).is_some_and(|taken| taken.0 <= until)
        };
        let mut attempts: Vec<Sent<'a>> = Vec::new();
        let mut refused: Vec<Sent<'a>> = own().filter(|sent| sent.header.frame() == 0).collect();
        let matches = refused.iter().rposition(|sent| is_taken(sent, matched.0)).unwrap_or(0);
        refused.truncate(matches + 1);
        if last == 0 || refused.len() > 1 {
            attempts.append(&mut refused);
        }
        if last != 0 {
            let after = attempts.last().map_or(Ps::ZERO, |sent| sent.frame.start);
            let mut copies: Vec<Sent<'a>> =
                own().filter(|sent| sent.header.frame() == last && sent.frame.start > after).collect();
            let accepted = copies.iter().rposition(|sent| is_taken(sent, placed.0)).unwrap_or(0);
            copies.truncate(accepted + 1);
            attempts.append(&mut copies);
        }
        Ok(Facts { mailbox, posted, send, number, placed, received, attempts })
    }
}
