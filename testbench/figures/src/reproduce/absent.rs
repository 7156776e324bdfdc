//! Tables, figures and statements of the papers that are not made again.

/// A result of a paper that no experiment has.
#[derive(Clone, Copy, Debug)]
pub struct Absent {
    /// What the paper has, with its numbers.
    pub what: &'static str,
    /// What would be needed.
    pub why: &'static str,
}

/// All that is absent.
pub const ABSENT: [Absent; 5] = [
    Absent {
        what: "Table 4.5 (MN-5): execution times of eight programs",
        why: "programs do not run here; only the page accesses of four of them are made, one after the other",
    },
    Absent {
        what: "Figure 4.3 (MC-7): speed-up of programs by cache, and how it goes with misses",
        why: "a speed-up needs whole programs on four nodes, with and without misses",
    },
    Absent {
        what: "MC-8: what the caches cost programs that miss little",
        why: "needs the execution times of Table 4.5",
    },
    Absent {
        what: "Figure 4.2 for Water-nsquared, Water-spatial, Volrend and Raytrace",
        why: "the traces are patterns of FFT, LU, Radix and Ocean",
    },
    Absent {
        what: "small messages, locks, barriers and diffs in the traces of Figure 4.2",
        why: "the traces hold transfers of pages only, so a larger share of their lookups misses (MN-8)",
    },
];
