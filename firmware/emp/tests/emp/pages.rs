//! Virtual addresses: what a page that is missing, or does not exist, does to messages.

use crate::world::{Faults, Mini, Wish};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{stat, Failure, Format};
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_INVALIDATE, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_layout::vmh::key;
use nic_layout::PAGE_SHIFT;
use nic_matching::Linear;

type World = crate::world::World<Linear, Mini>;

fn wish(node: u16, tag: u16, bytes: u32) -> Wish {
    let format = if bytes <= 4096 { Format::Page } else { Format::List };
    Wish { node: Some(node), tag: Some(tag), bytes, format, page_bytes: 4096 }
}

fn misses(world: &World, node: usize) -> [u32; 2] {
    [Counter::SendMisses, Counter::ReceiveMisses].map(|counter| world.nodes[node].counter(counter))
}

#[test]
fn a_page_misses_once_however_many_frames_need_it() {
    let mut world = World::new(2, 1500, Faults::default(), 1);
    world.nodes[1].driver_mut().is_busy = true;
    world.receive(1, wish(0, 1, 4096));
    world.send_message(0, wish(1, 1, 4096));
    world.run(3000, |world| world.nodes[1].counter(Counter::ReceiveMisses) == 1);
    (0..2000).for_each(|_| world.step());
    world.nodes[1].driver_mut().is_busy = false;
    world.finish(100_000);
    assert_eq!((misses(&world, 0), misses(&world, 1)), ([1, 0], [0, 1]));
}

#[test]
fn a_message_whose_page_is_missing_pauses_and_another_one_passes_it() {
    let mut world = World::new(2, 1500, Faults::default(), 1);
    // The line of the pages of this message is in the cache.
    for tag in [1, 1] {
        world.receive(1, wish(0, tag, 100));
        world.send_message(0, wish(1, tag, 100));
        world.run(50_000, |world| world.nodes[0].host.have_sends_ended());
    }
    // Pages are taken in turn: these are of other lines, but for the last.
    let far: Vec<usize> = (0..8).map(|_| world.nodes[0].host.send(wish(1, 2, 4096))).collect();
    for _ in &far {
        world.receive(1, wish(0, 2, 4096));
    }
    world.finish(400_000);
    assert!(misses(&world, 0)[0] > 1);
}

#[test]
fn a_page_that_does_not_exist_fails_its_message_alone() {
    for at_sender in [true, false] {
        let mut world = World::new(2, 1500, Faults::default(), 3);
        let receive = world.receive(1, wish(0, 1, 20_000));
        let send = world.send_message(0, wish(1, 1, 20_000));
        let (node, message) = match at_sender {
            true => (0, world.nodes[0].host.sends[send].clone()),
            false => (1, world.nodes[1].host.receives[receive].clone()),
        };
        // The third of five.
        let page = message.pages[2].address as u32 >> PAGE_SHIFT;
        world.nodes[node].driver_mut().absent.insert(page);
        world.receive(1, wish(0, 2, 20_000));
        world.send_message(0, wish(1, 2, 20_000));
        world.end(400_000);
        let [send, receive] =
            [&world.nodes[0].host.sends, &world.nodes[1].host.receives].map(|it| it[0].ended.unwrap());
        let (bad, aborted) = (Failure::BadAddress.stat(), Failure::Aborted.stat());
        assert_eq!([send, receive], if at_sender { [bad, aborted] } else { [aborted, bad] });
        assert_eq!(world.nodes[1].host.receives[1].ended, Some(stat::DONE));
    }
}

fn command(world: &mut World, node: usize, word: u32, steps: u32) {
    world.nodes[node].hardware.to_host[MAILBOX_COMMAND_DONE] = 0;
    world.nodes[node].write_mailbox(MAILBOX_COMMAND, word);
    world.run(steps, |world| world.nodes[node].hardware.to_host[MAILBOX_COMMAND_DONE] == word);
}

#[test]
fn a_line_is_taken_away_though_a_frame_waits_for_another() {
    let mut world = World::new(2, 1500, Faults::default(), 4);
    world.nodes[1].driver_mut().is_busy = true;
    let receive = world.receive(1, wish(0, 1, 4096));
    world.send_message(0, wish(1, 1, 4096));
    world.run(3000, |world| world.nodes[1].counter(Counter::ReceiveMisses) == 1);
    // The driver holds its lock until the command is obeyed: it answers no miss meanwhile.
    let page = world.nodes[1].host.receives[receive].pages[0].address as u32 >> PAGE_SHIFT;
    let other = (page & !7) + 64;
    command(&mut world, 1, key(0, other, COMMAND_INVALIDATE), 5000);
    world.nodes[1].driver_mut().is_busy = false;
    world.finish(100_000);
}

#[test]
fn a_process_ends_with_misses_that_nobody_answers() {
    let mut world = World::new(2, 1500, Faults::default(), 5);
    for node in 0..2 {
        world.nodes[node].driver_mut().is_busy = true;
    }
    for tag in 0..3 {
        world.receive(1, wish(0, tag, 20_000));
        world.send_message(0, wish(1, tag, 20_000));
    }
    (0..2000).for_each(|_| world.step());
    assert!(misses(&world, 0)[0] >= 1);
    command(&mut world, 0, COMMAND_CLOSE, 100_000);
    assert!(world.nodes[0].host.sends.iter().all(|send| send.descriptor.is_some()));
    world.nodes[0].driver_mut().is_busy = false;
    world.nodes[1].driver_mut().is_busy = false;
    world.end(400_000);
}
