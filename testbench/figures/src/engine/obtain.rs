//! The result of an experiment: measured, or found in a file that the same build has written.

use std::path::Path;
use std::time::Instant;

use nicscope_run::files;
use nicscope_scenario::error::Result;

use super::experiment::{Experiment, Outcome};
use super::picture;
use super::store::{self, Stored};

/// Folder of the results of `measure`, if the request names none.
pub const MEASURED: &str = "out/measure";

/// Measures an experiment, or finds its result in the folder, and draws its pictures there. `fresh`
/// measures in any case.
///
/// # Errors
/// A run fails, or a file cannot be written.
pub fn obtain(experiment: &Experiment, folder: &Path, jobs: usize, fresh: bool) -> Result<Outcome> {
    let build = files::build(&(experiment.images)())?;
    let parameters = (experiment.parameters)();
    let found = match fresh {
        true => None,
        false => store::load(folder, experiment.id, &build, &parameters),
    };
    let was_there = found.is_some();
    let stored = match found {
        Some(stored) => stored,
        None => {
            let begin = Instant::now();
            let report = experiment.measure(jobs)?;
            let stored = Stored {
                schema: store::SCHEMA,
                id: experiment.id.into(),
                title: experiment.title.into(),
                thesis: experiment.thesis.into(),
                build,
                parameters,
                seconds: begin.elapsed().as_secs_f64(),
                report,
            };
            store::save(folder, &stored)?;
            stored
        }
    };
    let mut pictures = Vec::new();
    for picture in &stored.report.pictures {
        let path = folder.join(format!("{}.{}.svg", stored.id, picture.name));
        files::write(&path, &picture::svg(picture)?)?;
        pictures.push(path);
    }
    let Stored { id, title, thesis, build, parameters, seconds, report, .. } = stored;
    Ok(Outcome { id, title, thesis, build, parameters, was_there, seconds, report, pictures })
}
