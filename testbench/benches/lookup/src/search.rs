//! Draws lists until one fails. Shrinks it, keeps it as a file, and reports how to replay it.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};

use nic_lookup::check::{CacheOp, Coverage};
use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, request_error};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use crate::compare::{compare, Subject};
use crate::list::List;
use crate::operations::operations;
use crate::report::Found;
use crate::shorten::shorten;

/// The settings of a search.
#[derive(Clone, Debug)]
pub struct Search {
    /// The name of the test, which is part of the names of files.
    pub name: &'static str,
    /// The number of lists to draw.
    pub cases: u32,
    /// The seed of all lists.
    pub seed: u64,
    /// The folder in which a failing list is kept.
    pub folder: PathBuf,
}

/// The result of a search.
pub enum Outcome {
    /// All lists passed: the operations and answers that they reached together.
    Passed(Coverage),
    /// A list failed.
    Failed(Box<Found>),
}

impl Search {
    /// A search with settings of the environment: `NICSCOPE_SEED` is the seed (default 1),
    /// `NICSCOPE_CASES` a factor of `cases` (default 1).
    pub fn from_env(name: &'static str, cases: u32) -> Result<Search> {
        let number = |variable: &str, default: u64| match std::env::var(variable) {
            Ok(text) => text.parse().map_err(|_| request_error!("{variable}={text}: a number was expected")),
            Err(_) => Ok(default),
        };
        let times = match number("NICSCOPE_CASES", 1)? {
            0 => return Err(request_error!("NICSCOPE_CASES=0: how many times the usual number of lists was expected")),
            times => u32::try_from(times).unwrap_or(u32::MAX),
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("proptest-regressions");
        Ok(Search { name, cases: cases.saturating_mul(times), seed: number("NICSCOPE_SEED", 1)?, folder })
    }

    /// Runs the search on a subject. An error if the environment fails; a failing list is no error.
    pub fn run(&self, subject: &mut impl Subject) -> Result<Outcome> {
        let geometry = subject.geometry();
        let subject = RefCell::new(subject);
        let coverage = RefCell::new(Coverage::default());
        let (passed, drawn_ops) = (Cell::new(0), Cell::new(None));
        let try_list = |ops: Vec<CacheOp>| match compare(&mut **subject.borrow_mut(), &ops) {
            Ok(more) => {
                if drawn_ops.get().is_none() {
                    passed.set(passed.get() + 1);
                    coverage.borrow_mut().add(more);
                }
                Ok(())
            }
            Err(wrong) => {
                // Later calls come from shrinking.
                drawn_ops.set(drawn_ops.get().or(Some(ops.len())));
                Err(TestCaseError::fail(wrong.to_string()))
            }
        };
        let config =
            Config { cases: self.cases, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
        let mut seed_bytes = [0; 32];
        seed_bytes[..8].copy_from_slice(&self.seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed_bytes);
        match TestRunner::new_with_rng(config, rng).run(&operations(geometry), try_list) {
            Ok(()) => Ok(Outcome::Passed(coverage.into_inner())),
            Err(TestError::Fail(reason, ops)) => {
                let (ops, reason) = shorten(ops, reason.message().to_owned(), |ops| {
                    compare(&mut **subject.borrow_mut(), ops).err().map(|wrong| wrong.to_string())
                });
                let remarks = vec![format!("Found by {}, seed {}: {reason}", self.name, self.seed)];
                let list = List { remarks, geometry, ops };
                let file = self.keep(&list)?;
                let drawn_ops = drawn_ops.get().unwrap_or(list.ops.len());
                Ok(Outcome::Failed(Box::new(Found {
                    seed: self.seed,
                    name: self.name,
                    passed: passed.get(),
                    drawn_ops,
                    list,
                    reason,
                    file,
                })))
            }
            Err(TestError::Abort(reason)) => Err(failed!("the search was given up: {}", reason.message())),
        }
    }

    fn keep(&self, list: &List) -> Result<PathBuf> {
        let file = self.folder.join(format!("{}-{}.ops", self.name, self.seed));
        fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&file, list.to_string()))
            .map_err(|error| failed!("cannot keep the failing list in {}: {error}", file.display()))?;
        Ok(file)
    }
}
