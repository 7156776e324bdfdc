//! Statements of the papers: what real experiments find is what the project has recorded. The
//! experiments that take long are compared by `nicscope measure mini --only 1`.

use nicscope_figures::engine::obtain::obtain;
use nicscope_figures::reproduce::statements::Statements;
use nicscope_figures::reproduce::{all_cores, chosen};

/// Experiments that take some seconds.
const QUICK: [&str; 3] = ["mini.table-1.1", "mini.table-4.2", "emp.table-3.1"];

#[test]
fn a_statement_that_held_still_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiments = chosen(&QUICK.map(String::from)).expect("they exist");
    let outcomes: Vec<_> =
        experiments.into_iter().map(|it| obtain(it, folder.path(), all_cores(), true).expect("it runs")).collect();
    assert!(outcomes.iter().all(|outcome| !outcome.statements().is_empty()));
    let recorded = Statements::recorded().expect("the project has a record");
    assert!(QUICK.iter().all(|id| recorded.count(id) > 0), "the record has these experiments");
    assert_eq!(recorded.changed(&outcomes), [], "`nicscope reproduce --record` records what changed for a reason");
}
