//! What an experiment is, and what it leaves.

use std::path::PathBuf;

use nic_layout::vmh::VmhGeometry;
use nicscope_scenario::error::Result;
use serde::Serialize;
use serde_json::Value;

use super::figure::Figure;
use super::report::{Finding, Report};

/// Figures that are measured together: a bar of docs/measurements.md, or a table or figure of a
/// paper that is made again.
pub struct Experiment {
    /// As on the command line: `mini.3`, `mini.fig-4.1`. The ids of a bar's figures begin with it.
    pub id: &'static str,
    /// What is measured, in a line.
    pub title: &'static str,
    /// What the paper has; empty if no paper has it.
    pub thesis: &'static str,
    /// How the figures were taken, for the reader of the table.
    pub note: Option<&'static str>,
    /// All that decides the result, beside the build.
    pub parameters: fn() -> Value,
    /// Firmware images that are loaded, each with the geometry of its cache.
    pub images: fn() -> Vec<(&'static str, VmhGeometry)>,
    /// What measures.
    pub measure: Measure,
}

/// Bars under one name.
#[derive(Clone, Copy)]
pub struct Group {
    /// As on the command line.
    pub name: &'static str,
    /// One line for `nicscope list`.
    pub about: &'static str,
    /// In the order of their numbers.
    pub bars: &'static [Experiment],
}

/// What measures an experiment.
pub enum Measure {
    /// Figures and nothing else.
    Figures(fn() -> Result<Vec<Figure>>),
    /// A whole report, with so many runs at a time.
    Report(fn(jobs: usize) -> Result<Report>),
}

impl Experiment {
    /// A bar of docs/measurements.md that loads no firmware.
    pub const fn bar(id: &'static str, title: &'static str, measure: fn() -> Result<Vec<Figure>>) -> Experiment {
        Experiment {
            id,
            title,
            thesis: "",
            note: None,
            parameters: || Value::Null,
            images: Vec::new,
            measure: Measure::Figures(measure),
        }
    }

    /// The same, with a note for the reader of its figures.
    pub const fn note(mut self, note: &'static str) -> Experiment {
        self.note = Some(note);
        self
    }

    /// The same, with the images that it loads.
    pub const fn images(mut self, images: fn() -> Vec<(&'static str, VmhGeometry)>) -> Experiment {
        self.images = images;
        self
    }

    /// The last part of the id, if it is a number: what `measure --only` chooses bars by.
    pub fn number(&self) -> Option<u32> {
        self.id.rsplit('.').next().and_then(|last| last.parse().ok())
    }

    /// Measures, with at most `jobs` runs at a time.
    ///
    /// # Errors
    /// A run fails, or one of its checks is violated.
    pub fn measure(&self, jobs: usize) -> Result<Report> {
        match self.measure {
            Measure::Figures(figures) => Ok(Report { figures: figures()?, ..Report::default() }),
            Measure::Report(report) => report(jobs),
        }
    }
}

/// An experiment's report, and where its pictures are.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Id of the experiment.
    pub id: String,
    /// Title of the experiment.
    pub title: String,
    /// What the paper has.
    pub thesis: String,
    /// The build that measured: a hash of the command and its firmware images.
    pub build: String,
    /// Parameters of the experiment.
    pub parameters: Value,
    /// Measured by an earlier call.
    pub was_there: bool,
    /// Wall-clock time of measuring, in s.
    pub seconds: f64,
    /// What was found.
    pub report: Report,
    /// Files of the pictures.
    pub pictures: Vec<PathBuf>,
}

impl Outcome {
    /// The statements as figures of 1 (holds) or 0, which [`super::compare`] understands. The id
    /// consists of the experiment's id, the claim, and the statement's number within its claim.
    pub fn statements(&self) -> Vec<Figure> {
        let findings = &self.report.findings;
        let number = |index: usize| findings[..=index].iter().filter(|it| it.claim == findings[index].claim).count();
        let figure = |(index, finding): (usize, &Finding)| {
            let id = format!("{}.{}.{}", self.id, finding.claim, number(index));
            Figure::statement(id, finding.holds, finding.statement.clone(), finding.decided.clone())
        };
        findings.iter().enumerate().map(figure).collect()
    }
}
