//! Messages of whole NICs: complete, exact, in the order that the matching promises.

use super::{Scheme, World};
use crate::world::plan::{plans, play};
use crate::world::{Faults, Wish};
use nic_device::Words;
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{offset_bytes, stat, Descriptor, Format};
use nic_layout::personality::emp::{MAILBOX_RECEIVE, MAILBOX_SEND};
use nic_matching::{Hashed, Linear};
use proptest::prelude::*;

fn wish(node: u16, tag: u16, bytes: u32) -> Wish {
    let format = if bytes <= 4096 { Format::Page } else { Format::List };
    Wish { node: Some(node), tag: Some(tag), bytes, format, page_bytes: 4096 }
}

#[test]
fn a_short_message_arrives() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 1);
    world.receive(1, wish(0, 5, 10));
    world.send_message(0, wish(1, 5, 10));
    world.finish(10_000);
    assert_eq!(world.nodes[1].counter(Counter::FramesRetransmitted), 0);
}

#[test]
fn messages_of_every_length_arrive() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 2);
    for (tag, bytes) in [0, 1, 1473, 1474, 1475, 2960, 2961, 4096, 4097, 100_000].into_iter().enumerate() {
        world.receive(1, wish(0, tag as u16, bytes));
        world.send_message(0, wish(1, tag as u16, bytes));
    }
    world.finish(400_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn messages_arrive_without_faults(plans in plans(3), seed in any::<u64>()) {
        play::<Linear, Scheme>(3, 1500, &plans, Faults::default(), seed).finish(6_000_000);
        play::<Hashed, Scheme>(3, 1500, &plans, Faults::default(), seed).finish(6_000_000);
    }

    #[test]
    fn messages_arrive_over_bad_wires(
        plans in plans(4),
        faults in (0..100_u32, 0..100_u32, 0..300_u32, 0..200_u32),
        mtu in prop_oneof![Just(1500_u32), Just(600), Just(9000)],
        seed in any::<u64>(),
    ) {
        let (loss, duplication, reordering, garbage) = faults;
        let faults = Faults { loss, duplication, reordering, garbage, ..Faults::default() };
        play::<Hashed, Scheme>(4, mtu, &plans, faults, seed).finish(6_000_000);
    }
}

#[test]
fn a_persistent_transfer_needs_the_mailbox_alone() {
    let mut world = World::<Linear>::new(2, 1500, Faults::default(), 5);
    world.judge.is_blind = true;
    let descriptor = |node| Descriptor {
        stat: stat::POSTED,
        format: Format::Page,
        flags: 0,
        node,
        tag: 6,
        page_bytes: 0,
        length_bytes: 0,
        address: 0,
    };
    let (sends, receives) = ((0, 3, MAILBOX_SEND), (1, 205, MAILBOX_RECEIVE));
    for (node, number, _) in [sends, receives] {
        world.nodes[node].put_descriptor(number, descriptor(1 - node as u16).words());
    }
    for round in 1..=5 {
        for (node, number, mailbox) in [receives, sends] {
            if round > 1 {
                let at = world.nodes[node].places.descriptors + offset_bytes(number);
                let head = world.nodes[node].hardware.read(at);
                world.nodes[node].hardware.write(at, head & !0xFF | u32::from(stat::POSTED));
            }
            world.nodes[node].write_mailbox(mailbox, number);
            world.run(1000, |world| world.nodes[node].stat(number) != stat::POSTED);
        }
        world.run(10_000, |world| world.nodes[0].stat(3) == stat::DONE);
        assert_eq!(world.nodes[1].stat(205), stat::DONE);
        assert_eq!(
            (world.nodes[0].counter(Counter::SendsDone), world.nodes[1].counter(Counter::ReceivesDone)),
            (round, round)
        );
    }
}
