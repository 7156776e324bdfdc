//! Senders that are slow to a node that has few free receive buffers, and to a node on the way to
//! which frames are lost: every message arrives, and messages to other nodes do not wait.

use super::World;
use crate::world::plan::{plans, play_in};
use crate::world::{Faults, Wish};
use nic_emp::Settings;
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::Format;
use nic_matching::Linear;
use proptest::prelude::*;

fn wish(node: u16, tag: u16, bytes: u32) -> Wish {
    Wish { node: Some(node), tag: Some(tag), bytes, format: Format::List, page_bytes: 4096 }
}

/// Clocks of a frame. Nodes of this world take about as many steps for one.
const FRAME: u32 = 12;
/// Clocks of the first time-out of a message.
const RESEND: u32 = 400;

#[test]
fn a_level_is_that_of_both_marks() {
    let settings = Settings { frame_cycles: 100, slow_below: 32, slower_below: 8, ..Settings::NONE };
    for room in 0..=256 {
        let level = if room >= 32 { 0 } else { 1 + u32::from(room < 8) };
        assert_eq!(settings.level(room), level, "{room} free buffers");
    }
    // A frame time of its own, and a pause of one or of eight.
    assert_eq!([1, 2].map(|level| settings.pace_cycles(level)), [200, 900]);
}

/// Messages to a node with a slow host, and to another one. When those to the other one had
/// arrived, frames that found no buffer, and the world.
fn slow_host(mut world: World<Linear>) -> (u32, u32, World<Linear>) {
    world.slow = Some((1, 30));
    let mut quick = Vec::new();
    for _ in 0..3 {
        for to in [1, 2] {
            world.receive(to, wish(0, 1, 60_000));
            let send = world.send_message(0, wish(to as u16, 1, 60_000));
            if to == 2 {
                quick.push(send);
            }
        }
    }
    let mut steps = 0;
    while quick.iter().any(|&send| world.nodes[0].host.sends[send].ended.is_none()) {
        world.step();
        steps += 1;
        assert!(steps < 1_000_000);
    }
    world.finish(3_000_000);
    (steps, world.nodes[1].overruns, world)
}

#[test]
fn a_sender_is_slow_to_a_node_with_few_buffers_and_to_no_other() {
    // One run says little: its ratio depends on the scheme and on chance. The sums of twelve runs have
    // 0.35 to 0.62 of the overruns.
    let (mut overruns_without, mut overruns) = (0, 0);
    for seed in 0..12 {
        let (_, lost, without) = slow_host(World::new(3, 1500, Faults::default(), seed));
        assert_eq!(without.nodes[0].counter(Counter::PeersSlowed), 0);
        overruns_without += lost;
        overruns += slow_host(World::with_flow_control(3, 1500, Faults::default(), seed, FRAME)).1;
    }
    let (steps, _, world) = slow_host(World::with_flow_control(3, 1500, Faults::default(), 3, FRAME));
    let sender = &world.nodes[0];
    assert!(sender.counter(Counter::PeersSlowed) > 0 && sender.counter(Counter::MessagesHeld) > 0);
    assert!(3 * overruns < 2 * overruns_without, "{overruns} frames found no buffer, {overruns_without} without");
    // The other node alone.
    let mut alone = World::<Linear>::with_flow_control(3, 1500, Faults::default(), 3, FRAME);
    for _ in 0..3 {
        alone.receive(2, wish(0, 1, 60_000));
        alone.send_message(0, wish(2, 1, 60_000));
    }
    let mut steps_alone = 0;
    while !alone.nodes[0].host.have_sends_ended() {
        alone.step();
        steps_alone += 1;
    }
    assert!(steps < 3 * steps_alone, "{steps} steps beside a slow node, {steps_alone} without it");
}

/// A peer drops a message that comes before an older one with its tag, and a time-out passes until
/// it comes again.
#[test]
fn short_messages_to_a_slow_node_come_in_the_order_of_their_numbers() {
    let mut world = World::<Linear>::with_flow_control(2, 1500, Faults::default(), 3, FRAME);
    world.slow = Some((1, 4));
    for _ in 0..100 {
        world.receive(1, wish(0, 1, 64));
    }
    for posted in 0..100 {
        // Posts come between acknowledgements and the timer of the pace.
        world.run(1_000_000, |world| {
            let ended = world.nodes[0].host.sends.iter().filter(|send| send.ended.is_some()).count();
            posted - ended < 48
        });
        world.send_message(0, wish(1, 1, 64));
    }
    world.finish(1_000_000);
    let [sender, receiver] = [0, 1].map(|node| &world.nodes[node]);
    assert!(sender.counter(Counter::PeersSlowed) > 0 && sender.counter(Counter::MessagesHeld) > 0);
    assert_eq!((receiver.overruns, receiver.counter(Counter::FirstsEarly)), (0, 0));
}

#[test]
fn a_path_that_loses_frames_is_narrow_and_becomes_wide_again() {
    let mut world = World::<Linear>::new(2, 1500, Faults { loss: 300, ..Faults::default() }, 9);
    let bytes = 40_000;
    for _ in 0..2 {
        world.receive(1, wish(0, 1, bytes));
        world.send_message(0, wish(1, 1, bytes));
    }
    world.run(1_000_000, |world| world.nodes[0].host.have_sends_ended());
    let narrowed = world.nodes[0].counter(Counter::PathsNarrowed);
    assert!(narrowed > 0 && world.nodes[0].counter(Counter::MessagesHeld) > 0);
    // From a limit of one collection to more than sixteen, each step after sixteen times as many.
    world.faults = Faults::default();
    let collections = 16 * (1..=16).sum::<u32>();
    for _ in 0..collections * 3 * 1486 / bytes + 2 {
        world.receive(1, wish(0, 1, bytes));
        world.send_message(0, wish(1, 1, bytes));
        world.run(1_000_000, |world| world.nodes[0].host.have_sends_ended());
    }
    let held = world.nodes[0].counter(Counter::MessagesHeld);
    for _ in 0..5 {
        world.receive(1, wish(0, 1, bytes));
        world.send_message(0, wish(1, 1, bytes));
    }
    world.finish(1_000_000);
    assert_eq!(world.nodes[0].counter(Counter::MessagesHeld), held, "no message waits on a wide path");
}

/// Two nodes: the path of node 0 to node 1 is narrow, and no more frames are lost.
fn world_with_a_narrow_path() -> World<Linear> {
    let mut world = World::<Linear>::new(2, 1500, Faults { loss: 300, ..Faults::default() }, 9);
    for _ in 0..2 {
        world.receive(1, wish(0, 1, 40_000));
        world.send_message(0, wish(1, 1, 40_000));
    }
    world.run(1_000_000, |world| world.nodes[0].host.have_sends_ended());
    assert!(world.nodes[0].counter(Counter::PathsNarrowed) > 0);
    world.faults = Faults::default();
    world
}

/// Its collections were dropped by the peer, so they are not in flight on the narrow path.
#[test]
fn a_message_that_is_refused_holds_up_no_other_on_a_narrow_path() {
    let mut world = world_with_a_narrow_path();
    // More of them than collections may be in flight.
    let refused: Vec<usize> = (0..8).map(|tag| world.send_message(0, wish(1, 10 + tag, 40))).collect();
    world.run(1_000_000, |world| world.nodes[0].counter(Counter::RefusalsTaken) > 0);
    world.receive(1, wish(0, 5, 9000));
    let taken = world.send_message(0, wish(1, 5, 9000));
    world.run(1_000_000, |world| world.nodes[0].host.sends[taken].ended.is_some());
    assert!(refused.iter().all(|&send| world.nodes[0].host.sends[send].ended.is_none()));
    (0..8).for_each(|tag| _ = world.receive(1, wish(0, 10 + tag, 40)));
    world.finish(3_000_000);
}

/// Nor does it when a frame of it is lost after long pauses.
#[test]
fn a_message_that_was_refused_and_lost_holds_up_no_other_on_a_narrow_path() {
    let mut world = world_with_a_narrow_path();
    // More of them than collections may be in flight.
    const REFUSED: u16 = 8;
    (0..REFUSED).for_each(|tag| _ = world.send_message(0, wish(1, 10 + tag, 40)));
    for _ in 0..100_000 {
        world.step();
    }
    world.unreachable = Some(1);
    world.run(1_000_000, |world| world.vanished >= u32::from(REFUSED));
    world.unreachable = None;
    world.receive(1, wish(0, 5, 9000));
    let taken = world.send_message(0, wish(1, 5, 9000));
    // The pauses of those that were refused are 64 * 400 clocks now.
    world.run(10_000, |world| world.nodes[0].host.sends[taken].ended.is_some());
    (0..REFUSED).for_each(|tag| _ = world.receive(1, wish(0, 10 + tag, 40)));
    world.finish(3_000_000);
}

/// A message that is lost makes all that are behind it too early. They come when it has come, and
/// not one by one after time-outs.
#[test]
fn a_lost_message_delays_those_behind_it_by_little_more_than_itself() {
    const MESSAGES: u32 = 60;
    for seed in 0..4 {
        let mut world = World::<Linear>::new(2, 1500, Faults { loss: 20, ..Faults::default() }, seed);
        for _ in 0..MESSAGES {
            world.receive(1, wish(0, 1, 40));
            world.send_message(0, wish(1, 1, 40));
        }
        let begin = world.nodes[0].hardware.now;
        world.finish(1_000_000);
        let lost = world.lost;
        let steps = world.nodes[0].hardware.now.wrapping_sub(begin);
        println!("{steps} steps, {lost} frames lost");
        // A time-out takes 400 steps, is seen within 200, and may be doubled.
        assert!(steps < 2000 + 800 * lost, "{steps} steps, {lost} frames lost");
    }
}

/// The same, and time-outs are as short as they become.
fn world_with_short_round_trips() -> World<Linear> {
    let mut world = world_with_a_narrow_path();
    for _ in 0..60 {
        world.receive(1, wish(0, 1, 10));
        world.send_message(0, wish(1, 1, 10));
        world.run(1_000_000, |world| world.nodes[0].host.have_sends_ended());
    }
    world
}

/// Sends a message whose frame is lost once. The steps from the loss until it has ended.
fn steps_after_a_loss(world: &mut World<Linear>) -> u32 {
    let before = world.vanished;
    world.unreachable = Some(1);
    world.receive(1, wish(0, 20, 10));
    world.send_message(0, wish(1, 20, 10));
    world.run(100_000, |world| world.vanished > before);
    world.unreachable = None;
    let lost = world.nodes[0].hardware.now;
    world.run(100_000, |world| world.nodes[0].host.have_sends_ended());
    world.nodes[0].hardware.now.wrapping_sub(lost)
}

#[test]
fn a_message_that_rested_does_not_lengthen_the_time_outs_of_its_path() {
    let mut world = world_with_short_round_trips();
    // The peer refuses each of them for a long time.
    for tag in 10..16 {
        world.send_message(0, wish(1, tag, 10));
        (0..20 * RESEND).for_each(|_| world.step());
        world.receive(1, wish(0, tag, 10));
        world.run(1_000_000, |world| world.nodes[0].host.have_sends_ended());
    }
    let steps = steps_after_a_loss(&mut world);
    assert!(steps < 4 * RESEND, "{steps}");
    world.finish(100_000);
}

/// The trip of a message that was lost has a whole time-out in it. Twelve such trips, one after the
/// other, made the time-out the longest, 64 times the first interval.
#[test]
fn time_outs_stay_short_of_the_longest_when_each_message_is_lost_once() {
    let mut world = world_with_short_round_trips();
    let steps: Vec<u32> = (0..12).map(|_| steps_after_a_loss(&mut world)).collect();
    assert!(steps.iter().all(|steps| *steps < 16 * RESEND), "{steps:?}");
    world.finish(100_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn messages_arrive_with_flow_control(
        plans in plans(4),
        faults in (0..100_u32, 0..100_u32, 0..300_u32, 0..200_u32),
        slow in (0..4_usize, 1..20_u32),
        frame_cycles in 1..100_u32,
        seed in any::<u64>(),
    ) {
        let (loss, duplication, reordering, garbage) = faults;
        let faults = Faults { loss, duplication, reordering, garbage, ..Faults::default() };
        let mut world = World::<Linear>::with_flow_control(4, 1500, faults, seed, frame_cycles);
        world.slow = Some(slow);
        play_in(world, &plans).finish(12_000_000);
    }
}
