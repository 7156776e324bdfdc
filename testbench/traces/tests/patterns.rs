//! Requirements of every trace: it is repeatable, stays inside its pages, and is as large as the
//! program says.

use std::collections::BTreeSet;

use nic_lookup::Path;
use page_traces::{Access, Lu, Ocean, Pattern, Radix, Transpose, FIRST_PAGE, PROCESSES_OF_A_NODE, RANKS};
use proptest::prelude::*;

fn transpose() -> impl Strategy<Value = Transpose> {
    (1u32..=32, prop::sample::select(vec![8u32, 16, 64]), 1u32..=2, 1u32..=3).prop_map(
        |(rows, element_bytes, matrices, transpositions)| Transpose {
            side: rows * RANKS,
            element_bytes,
            matrices,
            transpositions,
        },
    )
}

fn lu() -> impl Strategy<Value = Lu> {
    (1u32..=24, prop::sample::select(vec![8u32, 16, 32])).prop_map(|(blocks, block)| Lu {
        side: blocks * block,
        block,
        element_bytes: 8,
    })
}

fn radix() -> impl Strategy<Value = Radix> {
    (1u32..=8, prop::sample::select(vec![16u32, 256]), 1u32..=3).prop_map(|(thousands, radix, passes)| Radix {
        keys: thousands * 1024 * RANKS,
        radix,
        key_bytes: 4,
        passes,
    })
}

fn ocean() -> impl Strategy<Value = Ocean> {
    (1u32..=16, 1u32..=4, 0u32..=3, 1u32..=2).prop_map(|(eighths, arrays, relaxations, time_steps)| Ocean {
        side: 8 * eighths + 2,
        element_bytes: 8,
        arrays,
        relaxations,
        time_steps,
    })
}

fn pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        transpose().prop_map(Pattern::Transpose),
        lu().prop_map(Pattern::Lu),
        radix().prop_map(Pattern::Radix),
        ocean().prop_map(Pattern::Ocean),
    ]
}

fn pages(trace: &[Access], path: Path) -> BTreeSet<(u32, u32)> {
    trace.iter().filter(|access| access.path == path).map(|access| (access.pid, access.page)).collect()
}

proptest! {
    #[test]
    fn a_seed_gives_one_trace(pattern in pattern(), seed: u64) {
        prop_assert_eq!(pattern.trace(seed), pattern.trace(seed));
    }

    #[test]
    fn pages_and_processes_are_those_of_the_program(pattern in pattern(), seed: u64) {
        for access in pattern.trace(seed) {
            prop_assert!((FIRST_PAGE..FIRST_PAGE + pattern.pages()).contains(&access.page), "{access:?}");
            prop_assert!((1..=PROCESSES_OF_A_NODE).contains(&access.pid), "{access:?}");
        }
    }

    /// The seed decides which process comes first, but not what is moved. (Radix draws its keys
    /// too.)
    #[test]
    fn other_seeds_move_the_same_pages(pattern in pattern(), seeds: [u64; 2]) {
        prop_assume!(!matches!(pattern, Pattern::Radix(_)));
        let sorted = |seed| {
            let mut trace = pattern.trace(seed);
            trace.sort_by_key(|access| (access.path as u32, access.pid, access.page));
            trace
        };
        prop_assert_eq!(sorted(seeds[0]), sorted(seeds[1]));
    }

    /// A process of the node reads its columns from the rows of the six processes of other nodes,
    /// once for each transposition. Each of those six reads its own columns.
    #[test]
    fn a_transposition_moves_a_block_for_each_pair(rows in 1u32..=8, transpositions in 1u32..=3, seed: u64) {
        // A row of a block is one page. A row of the matrix has one page for each process.
        let transpose = Transpose { side: rows * RANKS, element_bytes: 4096 / rows, matrices: 1, transpositions };
        prop_assume!(transpose.element_bytes * rows == 4096);
        let trace = Pattern::Transpose(transpose).trace(seed);
        let elsewhere = RANKS - PROCESSES_OF_A_NODE;
        let blocks = PROCESSES_OF_A_NODE * elsewhere * rows;
        prop_assert_eq!(trace.len() as u32, 2 * blocks * transpositions);
        for path in [Path::Send, Path::Receive] {
            prop_assert_eq!(pages(&trace, path).len() as u32, blocks);
        }
    }

    /// Other nodes only read blocks. The node sends its own blocks and receives those of others.
    #[test]
    fn a_factorisation_moves_no_page_of_its_own_node(lu in lu(), seed: u64) {
        let trace = Pattern::Lu(lu).trace(seed);
        let share = Pattern::Lu(lu).pages() / RANKS;
        for access in &trace {
            let owner = (access.page - FIRST_PAGE) / share;
            let is_ours = owner < PROCESSES_OF_A_NODE;
            // A block is sent from its home and received elsewhere: no process writes to a block of
            // another.
            prop_assert_eq!(is_ours, access.path == Path::Send, "{:?} of process {}", access, owner);
        }
        // With one block no process waits for another.
        prop_assert!(lu.side > lu.block || trace.is_empty());
    }

    /// A page that a process has fetched to write to it goes home, once in each pass.
    #[test]
    fn a_permutation_sends_home_what_it_has_fetched(radix in radix(), seed: u64) {
        let trace = Pattern::Radix(Radix { passes: 1, ..radix }).trace(seed);
        let share = Pattern::Radix(radix).pages() / 2 / RANKS;
        let second = FIRST_PAGE + Pattern::Radix(radix).pages() / 2;
        prop_assume!(share * RANKS * 2 == Pattern::Radix(radix).pages());
        let is_home = |access: &&Access| (access.page - second) / share < PROCESSES_OF_A_NODE;
        let moved = |path, home: bool| -> Vec<(u32, u32)> {
            let mut found: Vec<(u32, u32)> = trace
                .iter()
                .filter(|access| access.path == path && is_home(access) == home)
                .map(|access| (access.pid, access.page))
                .collect();
            found.sort_unstable();
            found
        };
        // Pages that processes of this node fetched and sent home, and pages of this node that
        // others did.
        prop_assert_eq!(moved(Path::Receive, false), moved(Path::Send, false));
        prop_assert_eq!(moved(Path::Send, true), moved(Path::Receive, true));
        let fetched = moved(Path::Receive, false);
        prop_assert!(fetched.windows(2).all(|pair| pair[0] != pair[1]));
    }

    /// Every sweep of one array moves the same number of pages. A time step consists of a sweep of
    /// every array and the relaxations of the last.
    #[test]
    fn an_ocean_repeats_its_sweeps(ocean in ocean(), seed: u64) {
        let length = |arrays, relaxations, time_steps| {
            Pattern::Ocean(Ocean { arrays, relaxations, time_steps, ..ocean }).trace(seed).len() as u32
        };
        let one = length(1, 0, 1);
        prop_assert_eq!(length(1, ocean.relaxations, ocean.time_steps), one * (1 + ocean.relaxations) * ocean.time_steps);
        prop_assert!(one > 0);
    }
}

/// The sizes of the experiment, by hand.
#[test]
fn the_default_programs_have_their_footprints() {
    let [fft, lu, radix, ocean] = Pattern::ALL.map(|pattern| (pattern.pages(), pattern.trace(1)));
    // 2048 x 2048 elements of 16 bytes. Two processes fetch 256 pages from each of six processes,
    // three times, and serve as many.
    assert_eq!((fft.0, fft.1.len()), (64 << 8, 2 * 2 * 6 * 256 * 3));
    // 4096 x 4096 of 8 bytes.
    assert_eq!(lu.0, 128 << 8);
    // Two arrays of 8M keys of 4 bytes.
    assert_eq!(radix.0, 2 * (32 << 8));
    // 25 arrays of 8 parts of 258 x 130 elements of 8 bytes.
    assert_eq!(ocean.0, 25 * (8 * 258 * 130 * 8u32).div_ceil(4096));
    for trace in [fft.1, lu.1, radix.1, ocean.1] {
        assert!(pages(&trace, Path::Send).len() > 100 && pages(&trace, Path::Receive).len() > 100);
    }
}
