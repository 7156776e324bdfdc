//! Reports for people, and figures for programs.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Cell as Field, CellAlignment, TableComponent};

use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use serde::Serialize;

use super::digits::digits;
use super::experiment::Outcome;
use super::figure::{Decided, Figure, Target};
use super::report::{Cell, Finding, Table};

/// The whole report of an experiment: tables, statements, figures, files of pictures.
pub fn outcome(outcome: &Outcome) -> String {
    let mut text = format!("{}: {}\nthesis: {}\n", outcome.id, outcome.title, outcome.thesis);
    if outcome.was_there {
        text.push_str("from an earlier call of this build with these parameters (--fresh measures again)\n");
    }
    for table in &outcome.report.tables {
        text.push_str(&format!("\n{}\n{}\n", table.title, lines(table)));
    }
    text.push('\n');
    for finding in &outcome.report.findings {
        text.push_str(&format!(
            "{}: {}: {}\n  {}\n",
            finding.claim,
            finding.statement,
            verdict(finding),
            finding.figures
        ));
    }
    if !outcome.report.figures.is_empty() {
        text.push_str(&figures(&outcome.report.figures));
    }
    for file in &outcome.pictures {
        text.push_str(&format!("picture: {}\n", file.display()));
    }
    text.push_str(&format!("measured in {:.0} s\n", outcome.seconds));
    text.push('\n');
    text
}

fn verdict(finding: &Finding) -> String {
    let verdict = if finding.holds { "holds" } else { "DOES NOT HOLD" };
    match &finding.decided {
        Decided::Measured => verdict.into(),
        Decided::ByConstruction(because) => format!("{verdict}, by construction: {because}"),
    }
}

fn lines(table: &Table) -> comfy_table::Table {
    let mut drawn = comfy_table::Table::new();
    drawn.load_preset(UTF8_HORIZONTAL_ONLY);
    // Tables are long here: no line between rows.
    for part in [
        TableComponent::HorizontalLines,
        TableComponent::MiddleIntersections,
        TableComponent::LeftBorderIntersections,
        TableComponent::RightBorderIntersections,
    ] {
        drawn.remove_style(part);
    }
    drawn.set_header(table.columns.iter().map(Field::new));
    for row in &table.rows {
        drawn.add_row(row.iter().map(|cell| match cell {
            Cell::Number(number) => Field::new(digits(*number)).set_alignment(CellAlignment::Right),
            Cell::Text(text) => Field::new(text),
            Cell::None => Field::new(""),
        }));
    }
    drawn
}

/// Figures beside their targets.
pub fn figures(figures: &[Figure]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY);
    table.set_header(["figure", "value", "unit", "target", "published", "met"]);
    for figure in figures {
        let met = match (figure.target, figure.ok()) {
            (Target::None, true) => "",
            (_, true) => "yes",
            (_, false) => "NO",
        };
        table.add_row([
            Field::new(&figure.id),
            Field::new(figure.value_text()).set_alignment(CellAlignment::Right),
            Field::new(&figure.unit),
            Field::new(figure.target),
            Field::new(figure.paper.as_deref().unwrap_or("")),
            Field::new(met),
        ]);
    }
    format!("{table}\n")
}

/// Figures as one JSON object, on one line.
///
/// # Errors
/// Never for figures of this crate; the writer of JSON may fail.
pub fn json(figures: &[Figure]) -> Result<String> {
    #[derive(Serialize)]
    struct Report<'a> {
        figures: &'a [Figure],
    }
    serde_json::to_string(&Report { figures }).map_err(|error| failed!("figures: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_input_settles_says_so() {
        let finding = Finding::new("MC-2", "s", true, "f");
        assert_eq!(verdict(&finding), "holds");
        let settled = finding.by_construction("the time-out");
        assert_eq!(verdict(&settled), "holds, by construction: the time-out");
    }

    #[test]
    fn a_missed_target_stands_out() {
        let text = figures(&[
            Figure::new("m.1.good", 1.0, "us", Target::AtMost(2.0)),
            Figure::new("m.1.bad", 3.0, "us", Target::AtMost(2.0)),
            Figure::new("m.1.told", 3.0, "us", Target::None),
        ]);
        let line = |id: &str| text.lines().find(|line| line.contains(id)).unwrap().trim_end().to_string();
        assert!(line("good").ends_with("yes") && line("bad").ends_with("NO") && line("told").ends_with("us"));
    }

    #[test]
    fn json_is_one_object_with_figures() {
        let text = json(&[Figure::new("m.1.x", 1.0, "us", Target::None)]).unwrap();
        assert!(text.starts_with(r#"{"figures":[{"id":"m.1.x","#) && text.ends_with("]}"));
    }
}
