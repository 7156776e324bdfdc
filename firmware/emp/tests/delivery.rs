//! Messages of whole NICs: complete, exact, in the order that the matching promises.

mod world;

use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::Format;
use proptest::prelude::*;
use world::{Faults, Wish, World};

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

/// A message with its way through the formats, and the receive that is made for it.
#[derive(Clone, Debug)]
struct Plan {
    from: u16,
    to: u16,
    tag: u16,
    bytes: u32,
    pages: (u32, u32),
    formats: (u8, u8),
    any_source: bool,
    any_tag: bool,
    /// How many steps pass before it is posted, and before its receive is.
    pauses: (u32, u32),
}

fn plans(nodes: u16) -> impl Strategy<Value = Vec<Plan>> {
    let bytes = prop_oneof![0..20_u32, 0..5000_u32, 0..40_000_u32];
    let page = prop_oneof![Just(4096_u32), 1000..4096_u32];
    let plan = (
        (0..nodes, 1..nodes, 0..3_u16, bytes),
        ((page.clone(), page), (any::<u8>(), any::<u8>())),
        (any::<bool>(), any::<bool>(), (0..300_u32, 0..300_u32)),
    );
    let plan = plan.prop_map(move |((from, by, tag, bytes), (pages, formats), (any_source, any_tag, pauses))| Plan {
        from,
        to: (from + by) % nodes,
        tag,
        bytes,
        pages,
        formats,
        any_source,
        any_tag,
        pauses,
    });
    proptest::collection::vec(plan, 1..25)
}

fn format(bytes: u32, page_bytes: u32, choice: u8) -> Format {
    let pages = bytes.div_ceil(page_bytes);
    let choices: &[Format] = match pages {
        0 => &[Format::Page],
        1 => &[Format::Page, Format::Chain, Format::List],
        2..=7 => &[Format::Chain, Format::List],
        _ => &[Format::List],
    };
    choices[usize::from(choice) % choices.len()]
}

fn play(nodes: u32, mtu: u32, plans: &[Plan], faults: Faults, seed: u64) {
    let mut world = World::new(nodes, mtu, faults, seed);
    for plan in plans {
        let (page_bytes, choice) = (plan.pages.0, plan.formats.0);
        world.send_message(
            plan.from.into(),
            Wish {
                node: Some(plan.to),
                tag: Some(plan.tag),
                bytes: plan.bytes,
                format: format(plan.bytes, page_bytes, choice),
                page_bytes,
            },
        );
        (0..plan.pauses.0).for_each(|_| world.step());
        let (page_bytes, choice) = (plan.pages.1, plan.formats.1);
        // Room for any message: with wildcards another one may take the receive.
        let bytes = if plan.any_source || plan.any_tag { 40_000 } else { plan.bytes.max(40_000) };
        world.receive(
            plan.to.into(),
            Wish {
                node: (!plan.any_source).then_some(plan.from),
                tag: (!plan.any_tag).then_some(plan.tag),
                bytes,
                format: format(bytes, page_bytes, choice),
                page_bytes,
            },
        );
        (0..plan.pauses.1).for_each(|_| world.step());
    }
    // For messages whose receive another one has taken.
    for plan in plans {
        world.receive(
            plan.to.into(),
            Wish { node: None, tag: None, bytes: 40_000, format: Format::List, page_bytes: 4096 },
        );
    }
    world.finish(6_000_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn messages_arrive_without_faults(plans in plans(3), seed in any::<u64>()) {
        play(3, 1500, &plans, Faults::default(), seed);
    }

    #[test]
    fn messages_arrive_over_bad_wires(
        plans in plans(4),
        faults in (0..100_u32, 0..100_u32, 0..300_u32),
        mtu in prop_oneof![Just(1500_u32), Just(600), Just(9000)],
        seed in any::<u64>(),
    ) {
        let (loss, duplication, reordering) = faults;
        play(4, mtu, &plans, Faults { loss, duplication, reordering, ..Faults::default() }, seed);
    }
}
