//! Reports for people.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Cell as Field, CellAlignment, TableComponent};

use super::digits::digits;
use super::report::{Cell, Table};
use super::Outcome;

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
        let verdict = if finding.holds { "holds" } else { "DOES NOT HOLD" };
        text.push_str(&format!("{}: {}: {verdict}\n  {}\n", finding.claim, finding.statement, finding.figures));
    }
    for file in &outcome.pictures {
        text.push_str(&format!("picture: {}\n", file.display()));
    }
    text.push('\n');
    text
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
