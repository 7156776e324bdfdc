//! Facts about the cache on the RTL, one by one.

use bench_lookup::geometry::{GARBAGE, RECOMMENDED, SMALL, WIDE};
use bench_lookup::probe::use_command;
use bench_lookup::Probe;
use nic_layout::probe::*;
use nic_layout::vmh::{key, replacement_reset, VmhGeometry, KEY_RESERVED, KEY_VALID, NO_TRANSLATION};
use nic_lookup::check::{page_number, Answer, Target};
use nic_lookup::Path::{self, Receive, Send};
use nicscope_scenario::error::Result;
use sim_pins::Ps;

fn boot(geometry: VmhGeometry) -> Probe {
    Probe::boot(geometry, false).unwrap_or_else(|error| panic!("{error}"))
}

fn fine<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

fn look(probe: &mut Probe, path: Path, pid: u32, page: u32) -> Answer {
    fine(probe.use_page(path, pid, page))
}

/// Reserves the line of a page and fills it with [`page_number`] of seed 1.
fn bring_in(probe: &mut Probe, pid: u32, page: u32) -> u32 {
    let Answer::Reserved { line } = look(probe, Send, pid, page) else { panic!("page {page:#x} was there already") };
    let geometry = probe.geometry();
    fine(probe.fill(line, key(pid, geometry.line_page(page), KEY_RESERVED), &|page| page_number(1, page)));
    line
}

fn word(probe: &mut Probe, offset: u32) -> u32 {
    fine(probe.read(offset, 1))[0]
}

#[test]
fn a_reset_empties_garbage_and_touches_no_entry() {
    let mut probe = boot(SMALL);
    fine(probe.write(0, vec![GARBAGE; SMALL.bytes() as usize / 4]));
    fine(probe.reset());
    let words = fine(probe.read(0, SMALL.bytes() / 4));
    let (lines, sets) = (SMALL.lines() as usize, SMALL.sets() as usize);
    assert_eq!(words[..2 * lines], vec![0; 2 * lines]);
    assert_eq!(words[2 * lines..2 * lines + sets], vec![replacement_reset(SMALL.ways); sets]);
    assert_eq!(words[2 * lines + sets..], vec![GARBAGE; SMALL.entries as usize]);
    fine(probe.check_surroundings());
}

/// INV-15: each path counts its own references, and ends only its own.
#[test]
fn a_hit_locks_its_line_once_for_its_path() {
    let mut probe = boot(SMALL);
    let line = bring_in(&mut probe, 1, 3);
    let hit = Answer::Hit { line, entry: page_number(1, 3) };
    assert_eq!(look(&mut probe, Send, 1, 3), hit);
    assert_eq!(word(&mut probe, SMALL.state_offset(line)), 0x0000_0001);
    assert_eq!(look(&mut probe, Receive, 1, 3), hit);
    assert_eq!(word(&mut probe, SMALL.state_offset(line)), 0x0001_0001);
    assert_eq!(fine(probe.unlock(Send, line)), Answer::Done);
    assert_eq!(fine(probe.unlock(Send, line)), Answer::Nothing);
    assert_eq!(word(&mut probe, SMALL.state_offset(line)), 0x0001_0000);
}

#[test]
fn a_hole_is_a_hit_without_a_translation() {
    let mut probe = boot(SMALL);
    let line = bring_in(&mut probe, 1, 10);
    assert_eq!(page_number(1, 10), NO_TRANSLATION);
    assert_eq!(look(&mut probe, Send, 1, 10), Answer::Hit { line, entry: NO_TRANSLATION });
}

/// INV-18.
#[test]
fn a_second_miss_on_a_reserved_line_is_only_pending() {
    let mut probe = boot(SMALL);
    assert_eq!(look(&mut probe, Receive, 1, 5), Answer::Reserved { line: 1 });
    let before = fine(probe.read(0, SMALL.bytes() / 4));
    assert_eq!(look(&mut probe, Send, 1, 6), Answer::Pending);
    assert_eq!(fine(probe.read(0, SMALL.bytes() / 4)), before);
}

/// INV-14: when all ways are held, no way is taken and nothing changes, and the answer comes in
/// bounded time.
#[test]
fn a_set_without_a_free_way_says_so_and_stays_as_it_is() {
    for geometry in [SMALL, WIDE] {
        let mut probe = boot(geometry);
        let pages_of_a_turn = geometry.sets() * geometry.line_entries;
        // Half of the ways are locked, half reserved.
        for turn in 0..geometry.ways {
            if turn % 2 == 0 {
                bring_in(&mut probe, 1, turn * pages_of_a_turn);
                look(&mut probe, Send, 1, turn * pages_of_a_turn);
            } else {
                assert!(matches!(look(&mut probe, Send, 1, turn * pages_of_a_turn), Answer::Reserved { .. }));
            }
        }
        let before = fine(probe.read(0, geometry.bytes() / 4));
        assert_eq!(look(&mut probe, Receive, 2, 0), Answer::NoWay);
        assert!(probe.last_cycles() < 100 * geometry.ways, "{} clocks", probe.last_cycles());
        assert_eq!(fine(probe.read(0, geometry.bytes() / 4)), before);
    }
}

/// INV-19: a way with references under way is not given to another line.
#[test]
fn an_invalidated_line_under_dma_is_not_given_away() {
    let mut probe = boot(SMALL);
    let other = SMALL.sets() * SMALL.line_entries;
    let locked = bring_in(&mut probe, 1, 0);
    look(&mut probe, Send, 1, 0);
    bring_in(&mut probe, 1, other);
    look(&mut probe, Send, 1, other);
    assert_eq!(fine(probe.invalidate(1, 0)), Answer::Done);
    assert_eq!(look(&mut probe, Send, 1, 2 * other), Answer::NoWay);
    assert_eq!(fine(probe.unlock(Send, locked)), Answer::Done);
    assert_eq!(look(&mut probe, Send, 1, 2 * other), Answer::Reserved { line: locked });
}

/// INV-20, M-37: whenever the host's fill arrives, a lookup finds the line reserved or whole.
#[test]
fn a_line_filled_while_the_nic_looks_is_pending_or_whole() {
    const LOOKS: u32 = 40;
    let mut probe = boot(SMALL);
    let (mut pending, mut hits) = (0, 0);
    for step in 0..30 {
        fine(probe.reset());
        // Old entries, which a wrong lookup would take for new ones.
        fine(probe.write(SMALL.entry_offset(0, 0), vec![GARBAGE; SMALL.entries as usize]));
        let Answer::Reserved { line } = look(&mut probe, Send, 1, 7) else { panic!("the cache is empty") };
        // The last page of the line: its entry is written last, just before the key.
        fine(probe.post(&[use_command(Send, 1, 7); LOOKS as usize]));
        // Each time the fill comes about one lookup later, and a little more, so that it meets all
        // parts of a lookup.
        fine(probe.wait(Ps(step * 1_297_000)));
        fine(probe.fill(line, key(1, 0, KEY_RESERVED), &|page| page_number(1, page)));
        let results = fine(probe.collect(LOOKS));
        let first_hit = results.iter().position(|result| result.answer == ANSWER_HIT).unwrap_or(LOOKS as usize);
        assert!(results[..first_hit].iter().all(|result| result.answer == ANSWER_PENDING), "step {step}: {results:?}");
        for result in &results[first_hit..] {
            assert_eq!(
                (result.answer, result.line, result.entry),
                (ANSWER_HIT, line, page_number(1, 7)),
                "step {step}"
            );
        }
        assert_eq!(word(&mut probe, SMALL.state_offset(line)), LOOKS - first_hit as u32, "step {step}: locks");
        pending += first_hit;
        hits += LOOKS as usize - first_hit;
    }
    assert!(pending > 100 && hits > 100, "{pending} pending, {hits} hits: the fills came too early or too late");
}

#[test]
fn lines_of_the_whole_address_space_and_all_processes_are_told_apart() {
    let mut probe = boot(RECOMMENDED);
    let last = (1 << 20) - 1;
    let first_line = bring_in(&mut probe, 0xFFF, last);
    assert_eq!(word(&mut probe, RECOMMENDED.key_offset(first_line)), key(0xFFF, 0xF_FFC0, KEY_VALID));
    for (pid, page) in [(0x7FF, last), (0xFFE, last), (0xFFF, last - 0x8_0000), (0xFFF, last - 0x1000)] {
        let answer = look(&mut probe, Send, pid, page);
        let Answer::Reserved { line } = answer else { panic!("process {pid:#x} page {page:#x}: {answer:?}") };
        fine(probe.release(line));
        assert_eq!(look(&mut probe, Send, 0xFFF, last), Answer::Hit { line: first_line, entry: page_number(1, last) });
    }
}

/// The most common hit: the lookup finds the page in the most recently used way, before it looks at
/// the others.
#[test]
fn the_way_used_last_is_the_cheapest_and_costs_the_same_each_time() {
    for geometry in [SMALL, WIDE, RECOMMENDED] {
        let mut probe = boot(geometry);
        let other = geometry.sets() * geometry.line_entries;
        bring_in(&mut probe, 1, 0);
        bring_in(&mut probe, 1, other);
        let mut clocks = |page| {
            assert!(matches!(look(&mut probe, Send, 1, page), Answer::Hit { .. }));
            probe.last_cycles()
        };
        // The first lookup fills the instruction cache.
        clocks(0);
        clocks(other);
        let moved = clocks(0);
        // The next lookups train the prediction of branches.
        for _ in 0..4 {
            clocks(0);
        }
        let [latest, again] = [clocks(0), clocks(0)];
        println!("{geometry:?}: {latest} core clocks for the way used last, {moved} for the one before");
        assert!(latest < moved, "{latest} and {moved} core clocks");
        assert_eq!(latest, again);
    }
}

#[test]
fn an_unknown_command_is_refused_and_changes_nothing() {
    let mut probe = boot(SMALL);
    bring_in(&mut probe, 1, 0);
    let before = fine(probe.read(0, SMALL.bytes() / 4));
    for op in [0, 99, u32::MAX] {
        let command = ProbeCommand { op, pid_path: u32::MAX, page_or_line: u32::MAX, reserved: u32::MAX };
        assert_eq!(fine(probe.obey(command)).answer, ANSWER_UNKNOWN);
    }
    assert_eq!(fine(probe.read(0, SMALL.bytes() / 4)), before);
}

#[test]
fn a_wild_producer_index_is_ignored_and_the_ring_goes_on() {
    let mut probe = boot(SMALL);
    bring_in(&mut probe, 1, 0);
    for wild in [0x8000_0000, u32::MAX, 5000] {
        fine(probe.ring(wild));
        fine(probe.wait(Ps::from_us(5)));
        assert!(matches!(look(&mut probe, Send, 1, 0), Answer::Hit { .. }));
    }
}

#[test]
fn full_rings_of_commands_are_obeyed_in_order() {
    let mut probe = boot(SMALL);
    bring_in(&mut probe, 1, 0);
    for _ in 0..3 {
        let pages: Vec<u32> = (0..PROBE_RING_ENTRIES).map(|index| index % SMALL.line_entries).collect();
        let commands: Vec<ProbeCommand> = pages.iter().map(|&page| use_command(Send, 1, page)).collect();
        fine(probe.post(&commands));
        let entries: Vec<u32> = fine(probe.collect(PROBE_RING_ENTRIES)).iter().map(|result| result.entry).collect();
        assert_eq!(entries, pages.iter().map(|&page| page_number(1, page)).collect::<Vec<_>>());
    }
    assert_eq!(
        word(&mut probe, SMALL.state_offset(1)) + word(&mut probe, SMALL.state_offset(0)),
        3 * PROBE_RING_ENTRIES
    );
}
