use nic_layout::ring::Event;

/// The events in the order of service, with the reason for each place.
///
/// A turn serves the first two events whenever they are pending, and one of the others: the first
/// pending one, unless events were passed over before (`nic_fair::PassedOver`).
pub const IN_ORDER: [Event; 8] = [
    // Receive buffers can overflow, and a process waits for the data.
    Event::MacRx,
    // A process waits for its message to leave.
    Event::Doorbell,
    // Receive buffers are recycled, and processes learn of ended posts.
    Event::DmaWrite,
    // Lines are unlocked, and posts that wait for room go on.
    Event::DmaRead,
    // The driver has filled lines or commands the NIC.
    Event::Mailbox,
    // A DMA engine is halted until it is resumed, but errors are rare.
    Event::DmaError,
    // Retransmission: after a time-out a short further delay matters little.
    Event::Timer0,
    // Owed acknowledgements: the next data frame may still carry them.
    Event::Timer1,
];

/// The events that the engine serves, one bit each.
pub const EVENTS: u32 = {
    let (mut events, mut at) = (0, 0);
    while at < IN_ORDER.len() {
        events |= IN_ORDER[at].bit();
        at += 1;
    }
    events
};

/// The events that are served in every turn, each in its own step.
pub(crate) const FIRST: u32 = IN_ORDER[0].bit() | IN_ORDER[1].bit();

/// The events that give way to a frame or an answer that is about to come.
pub const PATIENT: u32 = Event::DmaWrite.bit() | Event::Timer0.bit() | Event::Timer1.bit();

/// The first of `events` in the order of service. None of them is in [`FIRST`].
#[inline(always)]
pub(crate) fn first_of(events: u32) -> Event {
    const SECOND: Event = IN_ORDER[2];
    const THIRD: Event = IN_ORDER[3];
    if events & SECOND.bit() != 0 {
        SECOND
    } else if events & THIRD.bit() != 0 {
        THIRD
    } else {
        first_of_rare(events)
    }
}

/// The first of the events that are served after the first four. Comparisons with constants: a loop
/// over the list would put a copy of the list into the image.
#[cold]
fn first_of_rare(events: u32) -> Event {
    const REST: [Event; 4] = [IN_ORDER[4], IN_ORDER[5], IN_ORDER[6], IN_ORDER[7]];
    let [fifth, sixth, seventh, last] = REST;
    if events & fifth.bit() != 0 {
        fifth
    } else if events & sixth.bit() != 0 {
        sixth
    } else if events & seventh.bit() != 0 {
        seventh
    } else {
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_has_one_place_and_the_first_of_all_is_found() {
        let mut left = EVENTS & !FIRST;
        for event in &IN_ORDER[2..] {
            assert_eq!(first_of(left), *event);
            left &= !event.bit();
        }
        assert_eq!((left, EVENTS.count_ones() as usize), (0, IN_ORDER.len()));
    }
}
