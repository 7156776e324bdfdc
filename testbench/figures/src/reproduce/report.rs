//! What an experiment found: tables, pictures, and whether the thesis's trends hold.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub tables: Vec<Table>,
    pub pictures: Vec<Picture>,
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    pub fn new<S: Into<String>>(title: impl Into<String>, columns: impl IntoIterator<Item = S>) -> Table {
        Table { title: title.into(), columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// # Panics
    /// If the row does not have a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = cells.into_iter().collect();
        assert_eq!(row.len(), self.columns.len(), "{}: a row of another width", self.title);
        self.rows.push(row);
    }
}

/// A number stays one in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    Number(f64),
    Text(String),
    /// There is no such value.
    None,
}

impl From<f64> for Cell {
    fn from(number: f64) -> Cell {
        Cell::Number(number)
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Cell {
        Cell::Number(number.into())
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Cell {
        Cell::Number(number as f64)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::None, Into::into)
    }
}

/// A figure, as data; [`super::picture`] draws it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Name of the SVG file, behind the id of the experiment.
    pub name: String,
    pub title: String,
    pub chart: Chart,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Chart {
    Lines {
        x: String,
        y: String,
        series: Vec<Series>,
    },
    /// Bars that stand on each other, in groups.
    Stacks {
        y: String,
        parts: Vec<String>,
        groups: Vec<Group>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub name: String,
    pub bars: Vec<Bar>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    pub name: String,
    /// From the bottom, one for each part.
    pub values: Vec<f64>,
}

/// One statement of the thesis, and what we found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// As in the facts: `MC-1`.
    pub claim: String,
    pub statement: String,
    pub holds: bool,
    /// What decides it.
    pub figures: String,
}

impl Finding {
    pub fn new(claim: &str, statement: impl Into<String>, holds: bool, figures: impl Into<String>) -> Finding {
        Finding { claim: claim.into(), statement: statement.into(), holds, figures: figures.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_kind_in_json() {
        let mut table = Table::new("t", ["a", "b", "c"]);
        table.row([1.5.into(), "x".into(), Cell::None]);
        let text = serde_json::to_string(&table).unwrap();
        assert_eq!(text, r#"{"title":"t","columns":["a","b","c"],"rows":[[1.5,"x",null]]}"#);
        assert_eq!(serde_json::from_str::<Table>(&text).unwrap(), table);
    }

    #[test]
    #[should_panic(expected = "another width")]
    fn a_row_that_does_not_fit_is_a_bug() {
        Table::new("t", ["a", "b"]).row([1.0.into()]);
    }
}
