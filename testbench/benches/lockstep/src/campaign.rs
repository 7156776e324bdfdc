//! Runs many batches from one seed, and shrinks a failing program to the shortest that fails.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::Path;

use bench_core::insn::Insn;
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use crate::batch::{self, Failure};
use crate::compare::Totals;
use crate::directed;
use crate::image::{DATA, START};
use crate::isa::Isa;
use crate::op::Case;
use crate::strategy;

/// The approximate number of instructions in a batch: so many that the time of QEMU's start does
/// not matter.
const BATCH_INSTRUCTIONS: u64 = 200_000;

/// The random programs of one seed.
pub struct Campaign {
    /// The most programs that are tried while one is shrunk; each try is a process. With 0 a
    /// failure is reported as it is.
    pub max_shrinks: u32,
    /// The seed of all programs.
    pub seed: u64,
    /// The extensions of the core.
    pub isa: Isa,
    strategy: BoxedStrategy<Case>,
}

impl Campaign {
    /// A campaign that tries 600 programs to shrink a failing one.
    pub fn new(seed: u64, isa: Isa) -> Campaign {
        Campaign { max_shrinks: 600, seed, isa, strategy: strategy::case(&isa) }
    }

    /// Runs batch 0, which is the same in each campaign: the programs listed by hand. An error
    /// describes the failure.
    pub fn directed(&self) -> Result<Totals, String> {
        let cases = directed::cases(&self.isa);
        batch::run(&cases, self.isa, None).map_err(|failure| {
            let program = failure.program.unwrap_or(0);
            format!("{}\nprogram {program} of the directed ones:\n{}", failure.what, listing(&cases[program]))
        })
    }

    /// Runs the random batch with this number. An error describes the failure.
    pub fn batch(&self, number: u64) -> Result<Totals, String> {
        let (_, cases) = self.draw(number, None);
        batch::run(&cases, self.isa, None).map_err(|failure| self.explain(number, &failure))
    }

    /// Runs one program of a batch, shrinks it if it fails, and writes waves of the shortest.
    pub fn replay(&self, number: u64, program: usize, waves: Option<&Path>) -> Result<Totals, String> {
        let (_, cases) = self.draw(number, Some(program + 1));
        let case = cases.get(program).ok_or_else(|| format!("batch {number} has no program {program}"))?;
        match self.shrink(number, program) {
            None => batch::run(std::slice::from_ref(case), self.isa, waves).map_err(|failure| failure.what),
            Some((what, case)) => {
                let _ = batch::run(std::slice::from_ref(&case), self.isa, waves);
                Err(format!("{what}\n{}", listing(&case)))
            }
        }
    }

    /// The programs of a batch; with a count, only the first of them.
    fn draw(&self, number: u64, count: Option<usize>) -> (TestRunner, Vec<Case>) {
        let mut runner = self.runner(number);
        let mut cases = Vec::new();
        let (mut instructions, mut bytes) = (0, START);
        loop {
            let enough = instructions > BATCH_INSTRUCTIONS || bytes > DATA - 0x1_0000;
            if count.map_or(enough, |count| enough || cases.len() == count) {
                return (runner, cases);
            }
            let case = self.strategy.new_tree(&mut runner).expect("nothing is rejected").current();
            // Some operations are skipped, some repeated, some are a dozen instructions.
            instructions += 150 + 2 * case.ops.len() as u64 * u64::from(case.rounds);
            bytes += 700 + 40 * case.ops.len() as u32;
            cases.push(case);
        }
    }

    fn runner(&self, number: u64) -> TestRunner {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.seed.to_le_bytes());
        seed[8..16].copy_from_slice(&number.to_le_bytes());
        let config = Config { failure_persistence: None, max_shrink_iters: self.max_shrinks, ..Config::default() };
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
    }

    fn explain(&self, number: u64, failure: &Failure) -> String {
        let Failure { program, clock, what } = failure;
        let seed = self.seed;
        let replay = format!("cargo run --release -p bench-lockstep -- replay --seed {seed} --batch {number}");
        let Some(program) = program.filter(|_| self.max_shrinks > 0) else {
            return format!("clock {clock}: {what}\nreplay: {replay}");
        };
        match self.shrink(number, program) {
            Some((what, case)) => format!(
                "{what}\nshortest program:\n{}\nreplay: {replay} --program {program} --waves failure.fst",
                listing(&case)
            ),
            None => {
                format!("clock {clock}: {what}\nprogram {program} fails only behind those before it\nreplay: {replay}")
            }
        }
    }

    /// The shortest program that still fails alone, with its failure. `None` if the program does
    /// not fail alone.
    fn shrink(&self, number: u64, program: usize) -> Option<(String, Case)> {
        let (mut runner, _) = self.draw(number, Some(program));
        let tree = self.strategy.new_tree(&mut runner).expect("nothing is rejected");
        let last = RefCell::new(String::new());
        let result = runner.run_one(tree, |case| {
            batch::run(&[case], self.isa, None).map(|_| ()).map_err(|failure| {
                last.replace(failure.what.clone());
                TestCaseError::fail(failure.what)
            })
        });
        match result {
            Err(TestError::Fail(reason, case)) => Some((reason.message().to_owned(), case)),
            _ => None,
        }
    }
}

/// The text of a program: its instructions and its conditions.
pub fn listing(case: &Case) -> String {
    let placed = case.place(crate::handler::END);
    let mut text = String::new();
    for (at, code) in placed.program.codes().into_iter().filter(|(at, _)| (placed.body..placed.end).contains(at)) {
        let digits = 2 * code.len_bytes() as usize;
        let encoding = format!("{:0digits$x}", code.bits());
        writeln!(text, "  {at:08x}: {encoding:8} {}", Insn::decode(code.bits())).expect("writes to a string");
    }
    write!(text, "  {} rounds, {:?}, seed of the timing {}", case.rounds, case.timing, case.seed)
        .expect("writes to a string");
    text
}
