//! Messages of whole NICs: complete, exact, in the order that the matching promises.

use crate::world::plan::{plans, play};
use crate::world::{Faults, Wish, World};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::Format;
use proptest::prelude::*;

fn wish(node: u16, tag: u16, bytes: u32) -> Wish {
    let format = if bytes <= 4096 { Format::Page } else { Format::List };
    Wish { node: Some(node), tag: Some(tag), bytes, format, page_bytes: 4096 }
}

#[test]
fn a_short_message_arrives() {
    let mut world = World::new(2, 1500, Faults::default(), 1);
    world.receive(1, wish(0, 5, 10));
    world.send_message(0, wish(1, 5, 10));
    world.finish(10_000);
    assert_eq!(world.nodes[1].counter(Counter::FramesRetransmitted), 0);
}

#[test]
fn messages_of_every_length_arrive() {
    let mut world = World::new(2, 1500, Faults::default(), 2);
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
        play(3, 1500, &plans, Faults::default(), seed).finish(6_000_000);
    }

    #[test]
    fn messages_arrive_over_bad_wires(
        plans in plans(4),
        faults in (0..100_u32, 0..100_u32, 0..300_u32),
        mtu in prop_oneof![Just(1500_u32), Just(600), Just(9000)],
        seed in any::<u64>(),
    ) {
        let (loss, duplication, reordering) = faults;
        let faults = Faults { loss, duplication, reordering, ..Faults::default() };
        play(4, mtu, &plans, faults, seed).finish(6_000_000);
    }
}
