//! Figures for people and for programs.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Cell, CellAlignment, Table};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use serde::Serialize;

use super::{Figure, Target};

pub fn table(figures: &[Figure]) -> String {
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY);
    table.set_header(["figure", "value", "unit", "target", "published", "met"]);
    for figure in figures {
        let met = match (figure.target, figure.ok()) {
            (Target::None, true) => "",
            (_, true) => "yes",
            (_, false) => "NO",
        };
        table.add_row([
            Cell::new(&figure.id),
            Cell::new(figure.value_text()).set_alignment(CellAlignment::Right),
            Cell::new(figure.unit),
            Cell::new(figure.target),
            Cell::new(figure.paper.as_deref().unwrap_or("")),
            Cell::new(met),
        ]);
    }
    format!("{table}\n")
}

/// One object, on one line.
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
    fn a_missed_target_stands_out() {
        let text = table(&[
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
