//! Messages that fail: each ends, is reported, and harms no other.

use super::{Scheme, World};
use crate::world::plan::{plans, play};
use crate::world::{Faults, Wish};
use nic_device::Words;
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{offset_bytes, stat, Descriptor, Failure, Format, RESERVED_TAG_MIN};
use nic_layout::personality::emp::{ABORTS_MAX, MAILBOX_RECEIVE, MAILBOX_SEND, MESSAGE_BYTES_MAX};
use nic_layout::ring::{restart_peer, COMMAND_CLOSE, COMMAND_FENCE, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_matching::{Hashed, Linear};
use proptest::prelude::*;

fn wish(node: u16, tag: u16, bytes: u32) -> Wish {
    let format = if bytes <= 4096 { Format::Page } else { Format::List };
    Wish { node: Some(node), tag: Some(tag), bytes, format, page_bytes: 4096 }
}

fn ends(world: &World<Linear>) -> (Vec<u8>, Vec<u8>) {
    let of = |messages: &[crate::world::Message]| messages.iter().map(|message| message.ended.unwrap()).collect();
    (of(&world.nodes[0].host.sends), of(&world.nodes[1].host.receives))
}

/// Two messages from node 0 to node 1; the faults concern the first.
fn two_messages(world: &mut World<Linear>, bytes: u32) {
    for tag in [1, 2] {
        world.receive(1, wish(0, tag, bytes));
        world.send_message(0, wish(1, tag, bytes));
    }
}

#[test]
fn a_bus_that_fails_at_the_sender_fails_the_message_at_both_ends() {
    let mut world = World::<Linear>::new(2, 1500, Faults { read_errors: 1000, ..Faults::default() }, 1);
    world.receive(1, wish(0, 1, 20_000));
    world.send_message(0, wish(1, 1, 20_000));
    world.run(5000, |world| world.nodes[0].counter(Counter::SendsFailed) == 1);
    world.faults = Faults::default();
    two_messages(&mut world, 100);
    world.end(100_000);
    let (sends, receives) = ends(&world);
    assert_eq!(sends, [Failure::BusError.stat(), stat::DONE, stat::DONE]);
    // Its first frame never left, so the first receive with tag 1 took the second message.
    assert_eq!(receives.iter().filter(|&&ended| ended == stat::DONE).count(), 2);
}

#[test]
fn a_bus_that_fails_at_the_receiver_fails_the_message_at_both_ends() {
    let mut world = World::<Linear>::new(2, 1500, Faults { write_errors: 1000, ..Faults::default() }, 1);
    two_messages(&mut world, 20_000);
    world.end(100_000);
    assert_eq!(ends(&world), (vec![Failure::Aborted.stat(); 2], vec![Failure::BusError.stat(); 2]));
}

#[test]
fn a_peer_that_does_not_answer_fails_the_message() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
    world.unreachable = Some(1);
    world.send_message(0, wish(1, 1, 5000));
    world.run(3_000_000, |world| world.nodes[0].host.has_ended());
    assert_eq!(world.nodes[0].host.sends[0].ended, Some(Failure::Unreachable.stat()));
    // Nothing of it is left.
    world.unreachable = None;
    two_messages(&mut world, 5000);
    world.end(1_000_000);
    assert_eq!(ends(&world).0[1..], [stat::DONE; 2]);
}

#[test]
fn a_message_that_comes_before_its_receive_comes_again_soon() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
    world.send_message(0, wish(1, 1, 100));
    world.run(1000, |world| world.nodes[0].counter(Counter::RefusalsTaken) == 1);
    let refused = world.nodes[0].hardware.now;
    world.receive(1, wish(0, 1, 100));
    world.run(1000, |world| world.nodes[1].counter(Counter::ReceivesDone) == 1);
    // A time-out takes 400 clocks.
    let pause = world.nodes[0].hardware.now - refused;
    assert!(pause < 200, "{pause} clocks");
    world.finish(10_000);
}

#[test]
fn a_message_without_a_receive_waits_until_it_is_cancelled() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
    let send = world.send_message(0, wish(1, 9, 5000));
    two_messages(&mut world, 5000);
    for _ in 0..1_500_000 {
        world.step();
    }
    // Longer than a peer that is silent is waited for: it lives.
    assert!(world.nodes[0].counter(Counter::RefusalsTaken) > 10);
    assert_eq!(world.nodes[0].host.sends[send].ended, None);
    world.nodes[0].host.cancel_send(send);
    world.end(100_000);
    assert_eq!(ends(&world).0, [Failure::Cancelled.stat(), stat::DONE, stat::DONE]);
}

/// A receive of any tag takes no message before an older one, and that one has a reserved tag.
#[test]
fn a_message_that_is_too_early_waits_as_long_as_the_older_one() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
    world.send_message(0, wish(1, RESERVED_TAG_MIN, 100));
    world.receive(1, Wish { tag: None, ..wish(0, 0, 100) });
    let early = world.send_message(0, wish(1, 7, 100));
    for _ in 0..1_500_000 {
        world.step();
    }
    // Longer than a peer that is silent is waited for.
    assert!(world.nodes[1].counter(Counter::FirstsEarly) > 10);
    assert_eq!(world.nodes[0].host.sends[early].ended, None);
    assert_eq!(world.nodes[0].counter(Counter::PathsNarrowed), 0, "no frame was lost");
    world.receive(1, wish(0, RESERVED_TAG_MIN, 100));
    world.finish(100_000);
}

/// The peer sees none of the numbers of messages that were given up while the wire was cut.
#[test]
fn a_long_cut_of_the_wire_is_no_harm_to_later_messages() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
    world.unreachable = Some(1);
    const LOST: usize = 300;
    for _ in 0..LOST {
        let send = world.send_message(0, wish(1, 1, 10));
        world.nodes[0].host.cancel_send(send);
    }
    world.run(300_000, |world| world.nodes[0].host.has_ended());
    assert!(world.nodes[0].host.sends.iter().all(|send| send.ended == Some(Failure::Cancelled.stat())));
    world.unreachable = None;
    two_messages(&mut world, 5000);
    world.end(100_000);
    assert_eq!(ends(&world).0[LOST..], [stat::DONE; 2]);
}

#[test]
fn a_message_is_cancelled_on_its_way() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
    two_messages(&mut world, 40_000);
    world.run(5000, |world| world.nodes[1].counter(Counter::FramesPlaced) > 5);
    world.nodes[0].host.cancel_send(0);
    world.end(100_000);
    let (sends, receives) = ends(&world);
    assert_eq!(sends, [Failure::Cancelled.stat(), stat::DONE]);
    assert_eq!(receives, [Failure::Aborted.stat(), stat::DONE]);
}

#[test]
fn a_receive_is_cancelled_while_its_message_comes() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
    two_messages(&mut world, 40_000);
    world.run(5000, |world| world.nodes[1].counter(Counter::MessagesMatched) == 2);
    world.nodes[1].host.cancel_receives();
    world.end(100_000);
    let (sends, receives) = ends(&world);
    for (send, receive) in sends.into_iter().zip(receives) {
        match receive {
            stat::DONE => assert_eq!(send, stat::DONE),
            _ => assert_eq!((send, receive), (Failure::Aborted.stat(), Failure::Cancelled.stat())),
        }
    }
}

#[test]
fn a_receive_that_is_too_short_takes_nothing() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
    world.receive(1, wish(0, 1, 99));
    world.send_message(0, wish(1, 1, 100));
    two_messages(&mut world, 100);
    world.end(100_000);
    assert_eq!(ends(&world).0, [Failure::Aborted.stat(), stat::DONE, stat::DONE]);
    assert_eq!(ends(&world).1, [Failure::Truncated.stat(), stat::DONE, stat::DONE]);
    assert!(world.nodes[1].host.bytes(0).iter().all(|&byte| byte == 0xEE));
}

/// Writes a descriptor of any words, and its number to a mailbox.
fn post(world: &mut World<Linear>, node: usize, number: u32, words: [u32; 5], mailbox: usize) {
    let at = world.nodes[node].places.descriptors + offset_bytes(number);
    for (word, value) in words.into_iter().enumerate() {
        world.nodes[node].hardware.write(at + 4 * word as u32, value);
    }
    world.nodes[node].write_mailbox(mailbox, number);
    world.run(100, |world| world.nodes[node].hardware.mailboxes & 1 << mailbox == 0);
}

#[test]
fn wild_descriptors_are_refused() {
    let good = Descriptor {
        stat: stat::POSTED,
        format: Format::Page,
        flags: 0,
        node: 1,
        tag: 0,
        page_bytes: 100,
        length_bytes: 100,
        address: 0x5000,
    };
    let bad = Some(Failure::BadDescriptor);
    let list = Some(Failure::BadList);
    let with = |change: &dyn Fn(&mut Descriptor)| {
        let mut descriptor = good;
        change(&mut descriptor);
        descriptor.words()
    };
    let mut format = good.words();
    format[0] |= 0x1F00;
    let mut length = good.words();
    length[2] = MESSAGE_BYTES_MAX + 1;
    for (words, expected) in [
        (format, bad),
        (length, bad),
        (with(&|it| it.node = 0), bad),
        (with(&|it| it.node = 2), bad),
        (with(&|it| it.node = 0xFFFF), bad),
        (with(&|it| it.page_bytes = 99), list),
        (with(&|it| it.address = 0x5FFF), list),
        (with(&|it| it.address = 1 << 40), list),
        (with(&|it| (it.format, it.address) = (Format::List, 0x5002)), list),
    ] {
        for (number, mailbox) in [(7, MAILBOX_SEND), (207, MAILBOX_RECEIVE)] {
            let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
            post(&mut world, 0, number, words, mailbox);
            world.run(100, |world| world.nodes[0].stat(number) != stat::POSTED);
            assert_eq!(Failure::of_stat(world.nodes[0].stat(number)), expected, "{words:x?}");
        }
    }
}

#[test]
fn wild_mailboxes_are_counted_and_harm_no_message() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
    let wild = [
        (MAILBOX_SEND, 200),
        (MAILBOX_SEND, u32::MAX),
        (MAILBOX_RECEIVE, 0),
        (MAILBOX_RECEIVE, 640),
        (MAILBOX_SEND, 5),
        (MAILBOX_RECEIVE, 205),
        (MAILBOX_COMMAND, 0),
        (MAILBOX_COMMAND, restart_peer(5, 1)),
    ];
    for (mailbox, value) in wild {
        world.nodes[0].write_mailbox(mailbox, value);
        world.run(100, |world| world.nodes[0].hardware.mailboxes == 0);
    }
    assert_eq!(world.nodes[0].counter(Counter::MailboxesWild), wild.len() as u32);
    two_messages(&mut world, 5000);
    world.finish(100_000);
}

fn command(world: &mut World<Linear>, node: usize, word: u32) {
    world.nodes[node].hardware.to_host[MAILBOX_COMMAND_DONE] = 0;
    world.nodes[node].write_mailbox(MAILBOX_COMMAND, word);
    world.run(300_000, |world| world.nodes[node].hardware.to_host[MAILBOX_COMMAND_DONE] == word);
}

#[test]
fn a_process_that_ends_leaves_nothing_behind() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 3);
    two_messages(&mut world, 40_000);
    world.receive(0, wish(1, 3, 10));
    world.run(5000, |world| world.nodes[1].counter(Counter::FramesPlaced) > 5);
    command(&mut world, 0, COMMAND_CLOSE);
    let hardware = &world.nodes[0].hardware;
    assert!(hardware.reads.is_empty() && hardware.writes.is_empty(), "transfers are in flight after the answer");
    world.end(100_000);
    assert!(world.nodes[0].host.sends.iter().all(|send| send.ended.is_some()));
    assert_eq!(world.nodes[0].host.receives[0].ended, Some(Failure::Cancelled.stat()));
    command(&mut world, 0, COMMAND_FENCE);
    two_messages(&mut world, 100);
    world.end(100_000);
    assert_eq!(ends(&world).0[2..], [stat::DONE; 2]);
}

#[test]
fn a_silent_peer_is_told_of_one_message_again_and_again_and_not_of_each() {
    const SENDS: u16 = 100;
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 3);
    world.unreachable = Some(1);
    (0..SENDS).for_each(|tag| _ = world.send_message(0, wish(1, tag, 10)));
    world.run(100_000, |world| world.nodes[0].counter(Counter::SendsTaken) == SENDS.into());
    let before = world.vanished;
    command(&mut world, 0, COMMAND_CLOSE);
    let told = world.vanished - before;
    assert!((ABORTS_MAX..4 * u32::from(SENDS)).contains(&told), "the peer was told {told} times");
    world.run(1000, |world| world.nodes[0].host.has_ended());
}

#[test]
fn a_peer_that_starts_again_gets_nothing_of_the_time_before() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 4);
    two_messages(&mut world, 40_000);
    world.receive(0, wish(1, 7, 40_000));
    world.send_message(1, wish(0, 7, 40_000));
    world.run(5000, |world| world.nodes[0].counter(Counter::FramesPlaced) > 5);
    world.restart(1, 8);
    command(&mut world, 0, restart_peer(1, 8));
    world.run(300_000, |world| world.nodes[0].host.has_ended());
    let of_node_0 = &world.nodes[0].host;
    assert_eq!(of_node_0.receives[0].ended, Some(Failure::PeerRestarted.stat()));
    assert!(of_node_0.sends.iter().all(|send| send.ended == Some(Failure::PeerRestarted.stat())));
    // The numbers begin again at 0 in both directions.
    world.receive(1, wish(0, 1, 5000));
    world.send_message(0, wish(1, 1, 5000));
    world.receive(0, wish(1, 2, 5000));
    world.send_message(1, wish(0, 2, 5000));
    world.run(100_000, |world| world.nodes.iter().all(|node| node.host.has_ended()));
    assert_eq!(world.nodes[0].host.sends[2].ended, Some(stat::DONE));
    assert_eq!(world.nodes[1].host.sends[0].ended, Some(stat::DONE));
}

#[test]
fn a_command_waits_for_no_frame_that_came_after_it() {
    for seed in 0..20 {
        let mut world = World::<Linear>::new(3, 1500, Faults::default(), seed);
        // Writes of the node take long, so there is always one under way.
        world.slow = Some((0, 4));
        two_messages(&mut world, 40_000);
        world.receive(0, wish(1, 7, 400_000));
        world.send_message(1, wish(0, 7, 400_000));
        world.run(20_000, |world| world.nodes[0].counter(Counter::FramesPlaced) > 5);
        world.nodes[0].write_mailbox(MAILBOX_COMMAND, restart_peer(2, 8));
        let before = world.nodes[0].counter(Counter::FramesPlaced);
        world.run(20_000, |world| world.nodes[0].counter(Counter::FramesPlaced) > before + 4);
        // No more frames come, which would bring events.
        world.unreachable = Some(0);
        world.run(20_000, |world| world.nodes[0].hardware.to_host[MAILBOX_COMMAND_DONE] == restart_peer(2, 8));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_message_ends_whatever_fails(
        plans in plans(3),
        faults in (0..100_u32, 0..50_u32, 0..200_u32, 0..20_u32, 0..20_u32),
        cancelled in proptest::collection::vec((0..3_usize, 0..8_usize), 0..6),
        seed in any::<u64>(),
    ) {
        let (loss, duplication, reordering, read_errors, write_errors) = faults;
        let faults = Faults { loss, duplication, reordering, read_errors, write_errors, garbage: 20 };
        let mut world = play::<Hashed, Scheme>(3, 1500, &plans, faults, seed);
        for (node, send) in cancelled {
            if send < world.nodes[node].host.sends.len() {
                world.nodes[node].host.cancel_send(send);
            }
            (0..100).for_each(|_| world.step());
        }
        world.end(6_000_000);
    }
}
