//! Lists of messages, drawn at random.

use nic_layout::personality::emp::descriptor::{Format, RESERVED_TAG_MIN};
use nic_matching::Posted;
use proptest::prelude::*;

use super::{Faults, Scheme, Wish, World};

/// A message with its way through the formats, and the receive that is made for it.
#[derive(Clone, Debug)]
pub struct Plan {
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

/// Lists of messages between so many nodes.
pub fn plans(nodes: u16) -> impl Strategy<Value = Vec<Plan>> {
    let bytes = prop_oneof![0..20_u32, 0..5000_u32, 0..40_000_u32];
    let page = prop_oneof![Just(4096_u32), 1000..4096_u32];
    let plan = (
        (0..nodes, 1..nodes, prop_oneof![3 => 0..3_u16, 1 => Just(RESERVED_TAG_MIN)], bytes),
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

/// A format that so many pages allow.
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

/// Posts sends and receives, with pauses between them.
pub fn play<P: Posted, C: Scheme>(nodes: u32, mtu: u32, plans: &[Plan], faults: Faults, seed: u64) -> World<P, C> {
    play_in(World::new(nodes, mtu, faults, seed), plans)
}

/// The same in a world.
pub fn play_in<P: Posted, C: Scheme>(mut world: World<P, C>, plans: &[Plan]) -> World<P, C> {
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
        let tag = Some(plan.tag).filter(|tag| *tag >= RESERVED_TAG_MIN);
        world.receive(plan.to.into(), Wish { node: None, tag, bytes: 40_000, format: Format::List, page_bytes: 4096 });
    }
    world
}
