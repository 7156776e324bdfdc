//! Lines of both caches: hits, fills, locks, misses and what is taken away (INV-10, 15, 16, 18 to
//! 20, 36).

use crate::bench::{
    after, Bench, Frame, BUFFER, CBH, CBH_AT, ENTRY, LINE, LOOKALIKE, PAGE, PID, SRAM, VMH, VMH_AT, WRITE,
};
use nic_layout::cbh::{entry, STATE_INVALID};
use nic_layout::frame::link::FrameKind;
use nic_layout::post::PostError;
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_FORGET_BUFFER, COMMAND_INVALIDATE};
use nic_layout::trace::{self, Marker};
use nic_layout::vmh::{key, KEY_EMPTY, KEY_VALID};
use sim_pins::Ps;

#[test]
fn hits_are_of_lines_that_hold_the_page() {
    let hit = |line| {
        after(Bench::filled(), |bench| {
            bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupHit, line);
        })
    };
    assert_eq!(hit(LINE), None);
    assert_eq!(hit(99), Some(20));
    let other_page = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, PAGE + 8).mark(Marker::LookupHit, LINE);
    };
    assert_eq!(after(Bench::filled(), other_page), Some(20));
    let fault = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupFault, LINE);
    };
    assert_eq!(after(Bench::filled(), fault), Some(20), "it has a translation");
    let unseen = |bench: &mut Bench| {
        bench.at = Ps::from_us(100);
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::PostParked, 0);
    };
    assert_eq!(after(Bench::filled(), unseen), Some(20), "it is there");
    let other_buffer = |bench: &mut Bench| {
        bench.mark(Marker::BufferHit, 0);
    };
    assert_eq!(after(Bench::with_buffer(), other_buffer), Some(19), "nothing was ever there");
}

/// The firmware may do much between the marker of a lookup and the next one.
#[test]
fn what_came_after_the_lookup_need_not_have_been_found() {
    const LATER: Ps = Ps::from_us(50);
    let line = |bench: &mut Bench| {
        let look = |bench: &mut Bench| {
            bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID);
        };
        look(bench);
        bench.mark(Marker::MissRaised, LINE);
        look(bench);
        bench.fill();
        bench.at = LATER;
        bench.mark(Marker::PostParked, 0);
    };
    assert_eq!(after(Bench::new(), line), None);
    let buffer = |bench: &mut Bench| {
        let look = |bench: &mut Bench| {
            bench.arrive(WRITE).mark(Marker::ReceiveBegin, 0).mark(Marker::ReceiveHeader, 0);
            bench.mark(Marker::BufferMiss, BUFFER & trace::ARGUMENT_MASK);
        };
        look(bench);
        bench.mark(Marker::MissRaised, ENTRY).mark(Marker::Dropped, 0);
        look(bench);
        bench.answer_buffer(ENTRY);
        bench.at = LATER;
        bench.mark(Marker::Dropped, 0);
    };
    assert_eq!(after(Bench::filled(), buffer), None);
}

/// Markers tell the low bits of a buffer, which those of other processes may have too.
#[test]
fn buffers_of_which_markers_tell_the_same_are_told_apart() {
    const OTHER_WAY: u32 = ENTRY - 1;
    assert_eq!(BUFFER & trace::ARGUMENT_MASK, LOOKALIKE & trace::ARGUMENT_MASK);
    let miss = |bench: &mut Bench| {
        bench.mark(Marker::BufferMiss, BUFFER & trace::ARGUMENT_MASK);
    };
    let begin = |bench: &mut Bench, frame: Frame| {
        bench.arrive(frame).mark(Marker::ReceiveBegin, 0).mark(Marker::ReceiveHeader, frame.sequence);
    };
    let next = Frame { sequence: 1, buffer: LOOKALIKE, ..WRITE };
    let held = |bench: &mut Bench| {
        begin(bench, WRITE);
        miss(bench);
        bench.mark(Marker::MissRaised, ENTRY).mark(Marker::FrameHeld, 1);
        begin(bench, next);
        bench.mark(Marker::Dropped, 0);
        bench.deny_buffer();
        bench.mark(Marker::FrameRetaken, 1).mark(Marker::ReceiveHeader, WRITE.sequence);
        miss(bench);
        bench.mark(Marker::Refused, 0);
    };
    assert_eq!(after(Bench::filled(), held), None);
    let queued = |bench: &mut Bench| {
        let read = Frame { kind: FrameKind::READ, buffer: LOOKALIKE, ..WRITE };
        begin(bench, read);
        miss(bench);
        bench.mark(Marker::MissRaised, OTHER_WAY).mark(Marker::Dropped, 0);
        bench.answer_buffer(OTHER_WAY);
        begin(bench, read);
        bench.mark(Marker::BufferHit, OTHER_WAY).mark(Marker::Accepted, 0).mark(Marker::ReadTaken, 0);
        bench.mailbox(3, LOOKALIKE).command(COMMAND_FORGET_BUFFER);
        begin(bench, Frame { sequence: 1, ..WRITE });
        bench.mark(Marker::Dropped, 0);
        // This is the buffer of the read that waits, and not of the frame that named a buffer
        // since.
        miss(bench);
        bench.mark(Marker::MissRaised, OTHER_WAY);
    };
    assert_eq!(after(Bench::with_buffer(), queued), None);
}

#[test]
fn what_was_taken_away_is_not_used_and_not_revived() {
    let line = key(PID, PAGE, COMMAND_INVALIDATE);
    let hit = |bench: &mut Bench| {
        bench.command(line).hit();
    };
    assert_eq!(after(Bench::filled(), hit), Some(19));
    let buffer = |bench: &mut Bench| {
        bench.mailbox(3, BUFFER).command(COMMAND_FORGET_BUFFER);
        bench.take(WRITE);
    };
    assert_eq!(after(Bench::with_buffer(), buffer), Some(19));
    let under_way = |command: u32| {
        move |bench: &mut Bench| {
            bench.hit().command(command).answered(command);
        }
    };
    assert_eq!(after(Bench::filled(), under_way(line)), Some(19));
    assert_eq!(after(Bench::filled(), under_way(COMMAND_CLOSE)), Some(36));
    let revived = |bench: &mut Bench| {
        bench.command(line).fill();
    };
    let mut reserved = Bench::new();
    reserved.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
    assert_eq!(after(reserved, revived), Some(19));
}

#[test]
fn a_line_is_answered_once_for_what_it_waits_for_and_before_it_is_called_served() {
    let reserved = || {
        let mut bench = Bench::new();
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
        bench
    };
    let at = SRAM + VMH_AT + VMH.key_offset(LINE);
    let key_of = |value: u32| {
        move |bench: &mut Bench| {
            bench.write(at, value);
        }
    };
    assert_eq!(after(reserved(), key_of(KEY_EMPTY)), None);
    assert_eq!(after(reserved(), key_of(key(PID + 1, PAGE, KEY_VALID))), Some(16));
    assert_eq!(after(Bench::filled(), key_of(key(PID, PAGE, KEY_VALID))), Some(16));
    let served = |bench: &mut Bench| {
        bench.mailbox(0, 1);
    };
    assert_eq!(after(reserved(), served), Some(16));
    assert_eq!(after(Bench::filled(), served), None);
    let forgotten = |bench: &mut Bench| bench.monitor.finish(Ps::from_us(1_000_000));
    assert_eq!(after(reserved(), forgotten), Some(16));
    let denied_twice = |bench: &mut Bench| {
        bench.write(SRAM + CBH_AT + CBH.entry_offset(ENTRY) + entry::STATE, STATE_INVALID);
    };
    assert_eq!(after(Bench::with_buffer(), denied_twice), Some(16));
    let locks = |bench: &mut Bench| {
        bench.write(SRAM + VMH_AT + VMH.state_offset(0), 0);
    };
    assert_eq!(after(Bench::new(), locks), Some(15), "locks are not the host's");
}

#[test]
fn locks_are_the_references_under_way() {
    let unlocked = |bench: &mut Bench| {
        bench.mark(Marker::DmaReadDone, LINE);
    };
    assert_eq!(after(Bench::filled(), unlocked), Some(15));
    let of_the_other_path = |bench: &mut Bench| {
        bench.hit().mark(Marker::Unlocked, 1 << 23 | LINE);
    };
    assert_eq!(after(Bench::filled(), of_the_other_path), Some(15));
    let leaked = |bench: &mut Bench| {
        bench.hit();
        bench.monitor.finish(Ps::from_us(1_000_000));
    };
    assert_eq!(after(Bench::filled(), leaked), Some(15));
}

#[test]
fn the_host_is_asked_once_and_whoever_waits_is_woken() {
    let not_asked = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::PostParked, 0);
    };
    assert_eq!(after(Bench::new(), not_asked), Some(18));
    let for_nothing = |bench: &mut Bench| {
        bench.mark(Marker::MissRaised, LINE);
    };
    assert_eq!(after(Bench::new(), for_nothing), Some(18));
    let parked = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
        bench.mark(Marker::PostParked, 0);
    };
    let asleep = |tries: bool| {
        move |bench: &mut Bench| {
            parked(bench);
            bench.fill().mark(Marker::FillSeen, 1);
            if tries {
                bench.hit();
            }
            bench.mark(Marker::Idle, 0);
        }
    };
    assert_eq!(after(Bench::new(), asleep(true)), None);
    assert_eq!(after(Bench::new(), asleep(false)), Some(10));
    // A refused post waits for nothing. A refused post of another slot changes nothing.
    let refused = |slot: u32| {
        move |bench: &mut Bench| {
            parked(bench);
            bench.mark(Marker::PostRefused, PostError::Refused as u32 | slot << 8);
            bench.fill().mark(Marker::FillSeen, 1).mark(Marker::Idle, 0);
        }
    };
    assert_eq!(after(Bench::new(), refused(0)), None);
    assert_eq!(after(Bench::new(), refused(1)), Some(10));
}
