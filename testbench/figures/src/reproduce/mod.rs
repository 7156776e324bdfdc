//! Tables and figures of the papers, ours beside them (docs/reproduce.md).

mod absent;
pub mod statements;
pub(crate) mod trend;

use std::path::Path;

use nicscope_run::files;
use nicscope_scenario::error::Result;
use nicscope_scenario::request_error;

pub use absent::{Absent, ABSENT};

use crate::engine::obtain::obtain;
use crate::engine::{Experiment, Outcome};

pub use crate::table::{experiments, COMPARED};

/// Folder of the results, if the request names none.
pub const FOLDER: &str = "out/reproduce";

/// Processors of this machine.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
}

/// Measures again every experiment whose id begins with `of`. The results are where `nicscope
/// reproduce` finds them.
///
/// # Errors
/// A run fails, or a file cannot be written.
pub fn all(of: &str) -> Result<Vec<Outcome>> {
    let folder = Path::new(FOLDER);
    files::prepare_folder(folder)?;
    let asked = chosen(&[of.to_string()])?;
    asked.into_iter().map(|experiment| obtain(experiment, folder, all_cores(), true)).collect()
}

/// The experiments asked for, in the order of the list and each once; all if none was named. `mini`
/// stands for all ids that begin with it.
///
/// # Errors
/// No experiment has that id or begins with it.
pub fn chosen(ids: &[String]) -> Result<Vec<&'static Experiment>> {
    let names = |id: &str, experiment: &Experiment| {
        experiment.id == id || experiment.id.strip_prefix(id).is_some_and(|rest| rest.starts_with('.'))
    };
    for id in ids {
        if !experiments().any(|experiment| names(id, experiment)) {
            let known: Vec<&str> = experiments().map(|experiment| experiment.id).collect();
            return Err(request_error!("unknown experiment {id:?}: must be one of {}", known.join(", ")));
        }
    }
    let is_chosen = |experiment: &&Experiment| ids.is_empty() || ids.iter().any(|id| names(id, experiment));
    Ok(experiments().filter(is_chosen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(asked: &[&str]) -> Vec<&'static str> {
        let asked: Vec<String> = asked.iter().map(|id| id.to_string()).collect();
        chosen(&asked).unwrap().iter().map(|experiment| experiment.id).collect()
    }

    #[test]
    fn a_wrong_id_is_refused_with_the_list() {
        for id in ["mini.fig-9", "min", "mini.", "mini.fig", ""] {
            let error = chosen(&[id.to_string()]).err().expect("there is no such experiment");
            assert_eq!(error.exit_status(), 2);
            assert!(error.to_string().contains("mini.fig-4.1"), "{error}");
        }
    }

    #[test]
    fn experiments_come_once_and_in_the_order_of_the_list() {
        let all = ids(&[]);
        assert_eq!(all.len(), experiments().count());
        assert_eq!(ids(&["emp", "mini"]), all);
        assert!(ids(&["emp"]).iter().all(|id| id.starts_with("emp.")));
        assert_eq!(ids(&["mini.fig-4"]), ["mini.fig-4.1", "mini.fig-4.4", "mini.fig-4.2"]);
        assert_eq!(ids(&["mini.lookup", "mini.fig-4.1", "mini.lookup"]), ["mini.fig-4.1", "mini.lookup"]);
    }

    #[test]
    fn ids_differ() {
        let different: std::collections::BTreeSet<&str> = ids(&[]).into_iter().collect();
        assert_eq!(different.len(), experiments().count());
    }
}
