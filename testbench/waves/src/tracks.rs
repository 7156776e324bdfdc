//! Text tracks: the activities of firmware, hosts and a message, in words, made from logs.
//!
//! A track is a list of times, each with the activity from that time on. An empty text means
//! idleness.

use host_model::events::{EventKind, Subject};
use nic_layout::trace::Marker;
use nicscope_account::account::Account;
use nicscope_account::log::NodeLog;
use sim_pins::Ps;

use super::{SignalId, SignalKind, WaveFile};

/// Times in ascending order, each with the activity from that time on.
pub type Track = Vec<(Ps, String)>;

/// The bytes of a text: enough for the longest. Save files name the width of each signal, so it is
/// the same for all tracks.
pub const TEXT_BYTES: u32 = 40;

/// The text of idleness.
pub const IDLE: &str = "";

/// The activity of core A of a node, by the markers of its firmware.
pub fn firmware(log: &NodeLog) -> Track {
    steps(log.markers(Ps::ZERO, Ps::MAX))
}

/// The activity of core B, by its markers; empty if the NIC has one core.
pub fn firmware_b(log: &NodeLog) -> Track {
    steps(log.markers_b())
}

fn steps(markers: impl Iterator<Item = (Ps, Marker, u32)>) -> Track {
    markers
        .map(|(at, marker, _)| match marker {
            Marker::Idle => (at, IDLE.into()),
            marker => (at, marker.stage().into()),
        })
        .collect()
}

/// The interrupt: from the pin INTA# to the end of the driver's handler.
pub fn interrupt(log: &NodeLog) -> Track {
    host(log, |kind, _| match kind {
        EventKind::InterruptAsserted => Some("interrupt delay"),
        EventKind::HandlerStart => Some("handler"),
        EventKind::HandlerEnd => Some(IDLE),
        _ => None,
    })
}

/// The activity of the driver's thread that serves misses.
pub fn miss_thread(log: &NodeLog) -> Track {
    // A handler that has read no miss wakes no thread, and a thread that runs needs no waking.
    let mut read = false;
    let mut runs = false;
    host(log, move |kind, _| {
        match kind {
            EventKind::HandlerStart => read = false,
            EventKind::MissRead => read = true,
            EventKind::ThreadStart => runs = true,
            EventKind::ServedWritten => runs = false,
            _ => {}
        }
        match kind {
            EventKind::HandlerEnd if read && !runs => Some("thread wakes"),
            EventKind::ThreadStart | EventKind::ServiceStart => Some("page table"),
            EventKind::PinStart => Some("pin pages"),
            EventKind::PinEnd => Some("page table"),
            EventKind::FillStart => Some("fill line"),
            EventKind::LineValid | EventKind::LineReleased | EventKind::BufferDenied => Some("tell the NIC"),
            EventKind::ServedWritten => Some(IDLE),
            _ => None,
        }
    })
}

/// The activity of the process: it posts, waits for bytes, and sees them. Polling is shown as
/// idleness, which ends with the bytes.
pub fn process(log: &NodeLog) -> Track {
    host(log, |kind, subject| match (kind, subject) {
        (EventKind::PostBegin, _) => Some("build descriptor"),
        (EventKind::PioIssued, Subject::Post { .. }) => Some(IDLE),
        (EventKind::ArrivalWritten, _) => Some("sees the bytes"),
        (EventKind::PollBegin, _) => Some("reads the descriptor"),
        (EventKind::ArrivalSeen | EventKind::StatusSeen, _) => Some(IDLE),
        _ => None,
    })
}

fn host(log: &NodeLog, mut step: impl FnMut(EventKind, Subject) -> Option<&'static str>) -> Track {
    log.host.iter().filter_map(|event| Some((event.at, step(event.kind, event.subject)?.to_string()))).collect()
}

/// The stages of one message, as in its account.
pub fn message(account: &Account, begin: Ps) -> Track {
    let stages = account.spans.iter().map(|span| (begin + Ps(span.start_ps), span.stage.clone()));
    stages.chain([(begin + Ps(account.latency_ps), IDLE.to_string())]).collect()
}

/// The node at which each stage of a message takes place.
pub fn message_node(account: &Account, begin: Ps) -> Track {
    let nodes = account.spans.iter().map(|span| (begin + Ps(span.start_ps), format!("node {}", span.node)));
    let mut track: Track = nodes.chain([(begin + Ps(account.latency_ps), IDLE.to_string())]).collect();
    track.dedup_by(|next, kept| next.1 == kept.1);
    track
}

/// The part of a track in a window: the activity at its beginning, and the changes in it.
pub fn window(track: &Track, from: Ps, to: Ps) -> Track {
    let first_inside = track.partition_point(|(at, _)| *at <= from);
    let before = first_inside.checked_sub(1).map_or(IDLE.to_string(), |index| track[index].1.clone());
    let inside = track[first_inside..].iter().take_while(|(at, _)| *at <= to).cloned();
    std::iter::once((from, before)).chain(inside).collect()
}

impl WaveFile {
    /// Adds a track as a text signal, as far as it lies in the window.
    pub fn add_track(&mut self, path: &[&str], track: &Track, from: Ps, to: Ps) -> SignalId {
        let inside = window(track, from, to);
        let id = self.add(path, SignalKind::Text { bytes: TEXT_BYTES });
        for (at, text) in inside {
            self.change(id, at, text);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host_model::address::NodeId;
    use host_model::events::Event;
    use nic_layout::trace;
    use proptest::prelude::*;

    fn texts(track: &Track) -> Vec<(u64, &str)> {
        track.iter().map(|(at, text)| (at.0, text.as_str())).collect()
    }

    fn log(events: &[(u64, Subject, EventKind)]) -> NodeLog {
        let host = events.iter().map(|&(at, subject, kind)| Event { at: Ps(at), node: NodeId(0), subject, kind });
        NodeLog { host: host.collect(), ..NodeLog::default() }
    }

    const INTERRUPT: Subject = Subject::Interrupt { number: 1 };
    const MISS: Subject = Subject::Miss { number: 1, key: 9 };

    #[test]
    fn firmware_is_idle_from_its_marker_on() {
        let trace = vec![
            (Ps(5), trace::word(Marker::Dispatch, 0)),
            (Ps(9), trace::word(Marker::LookupBegin, 3)),
            (Ps(20), trace::word(Marker::Idle, 0)),
        ];
        let log = NodeLog { trace, ..NodeLog::default() };
        assert_eq!(texts(&firmware(&log)), [(5, "dispatch"), (9, "lookup"), (20, "")]);
    }

    #[test]
    fn a_served_miss_goes_through_the_driver_in_order() {
        let log = log(&[
            (2, INTERRUPT, EventKind::InterruptAsserted),
            (12, INTERRUPT, EventKind::HandlerStart),
            (14, MISS, EventKind::MissRead),
            (15, INTERRUPT, EventKind::HandlerEnd),
            (30, MISS, EventKind::ThreadStart),
            (31, MISS, EventKind::PinStart),
            (90, MISS, EventKind::PinEnd),
            (91, MISS, EventKind::FillStart),
            (95, MISS, EventKind::LineValid),
            (97, MISS, EventKind::ServedWritten),
        ]);
        assert_eq!(texts(&interrupt(&log)), [(2, "interrupt delay"), (12, "handler"), (15, "")]);
        assert_eq!(
            texts(&miss_thread(&log)),
            [
                (15, "thread wakes"),
                (30, "page table"),
                (31, "pin pages"),
                (90, "page table"),
                (91, "fill line"),
                (95, "tell the NIC"),
                (97, "")
            ]
        );
    }

    #[test]
    fn a_handler_without_a_miss_wakes_no_thread() {
        let log = log(&[(1, INTERRUPT, EventKind::HandlerStart), (2, INTERRUPT, EventKind::HandlerEnd)]);
        assert!(miss_thread(&log).is_empty());
    }

    proptest! {
        #[test]
        fn a_window_shows_at_every_time_in_it_what_the_track_shows(
            mut times in prop::collection::vec(0u64..200, 0..30), from in 0u64..200, length in 0u64..200, at in 0u64..200
        ) {
            times.sort();
            let track: Track = times.iter().enumerate().map(|(index, &at)| (Ps(at), index.to_string())).collect();
            let (from, to) = (Ps(from), Ps(from + length));
            let at = Ps(from.0 + at.min(length));
            let value = |track: &Track| {
                track.iter().rev().find(|(time, _)| *time <= at).map_or(IDLE.to_string(), |(_, text)| text.clone())
            };
            let inside = window(&track, from, to);
            prop_assert_eq!(value(&inside), value(&track));
            prop_assert!(inside.iter().all(|(at, _)| (from..=to).contains(at)));
            prop_assert!(inside.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        }
    }
}
