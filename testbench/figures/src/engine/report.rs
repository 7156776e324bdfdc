//! What an experiment found: figures, tables, pictures, and which statements of a paper hold.

use std::borrow::Cow;

use super::figure::{Decided, Figure};
use serde::{Deserialize, Serialize};

/// All that an experiment found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Values beside their targets.
    pub figures: Vec<Figure>,
    /// Values in rows and columns, ours beside those of the paper.
    pub tables: Vec<Table>,
    /// Curves and bars.
    pub pictures: Vec<Picture>,
    /// Statements of the paper, each with its verdict.
    pub findings: Vec<Finding>,
}

/// A table of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What stands above it.
    pub title: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// A cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new<S: Into<String>>(title: impl Into<String>, columns: impl IntoIterator<Item = S>) -> Table {
        Table { title: title.into(), columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If the row does not have a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = cells.into_iter().collect();
        assert_eq!(row.len(), self.columns.len(), "{}: a row of another width", self.title);
        self.rows.push(row);
    }
}

/// A cell of a table. A number stays a number in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// In the unit of its column.
    Number(f64),
    /// A name or a remark.
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
    /// What stands above it.
    pub title: String,
    /// What is drawn.
    pub chart: Chart,
}

/// Data of a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Chart {
    /// Curves with a mark at each point.
    Lines {
        /// Name of the axis, with its unit.
        x: String,
        /// Name of the axis, with its unit.
        y: String,
        /// A curve each.
        series: Vec<Series>,
    },
    /// Curves by the size of messages, in bytes, on a logarithmic axis.
    Sizes {
        /// Name of the axis, with its unit.
        y: String,
        /// A curve each.
        series: Vec<Series>,
    },
    /// Bars that stand on each other, in groups.
    Stacks {
        /// Name of the axis, with its unit.
        y: String,
        /// Names of the parts of each bar, from the bottom.
        parts: Vec<String>,
        /// Groups from the left.
        groups: Vec<Group>,
    },
}

/// A curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Beside its colour.
    pub name: String,
    /// In the units of the axes.
    pub points: Vec<(f64, f64)>,
}

/// Bars with a common name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Below its bars.
    pub name: String,
    /// Bars from the left.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Below the bar.
    pub name: String,
    /// From the bottom, one for each part.
    pub values: Vec<f64>,
}

/// A statement of a paper, and what we found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its number among the facts of the paper, as `MC-1`.
    pub claim: String,
    /// What the paper states.
    pub statement: String,
    /// The verdict.
    pub holds: bool,
    /// The numbers behind the verdict.
    pub figures: String,
    /// Whether the runs decided it, or an input of the experiment.
    pub decided: Decided,
}

impl Finding {
    /// A statement that the runs decided.
    pub fn new(claim: &str, statement: impl Into<String>, holds: bool, figures: impl Into<String>) -> Finding {
        let (statement, figures) = (statement.into(), figures.into());
        Finding { claim: claim.into(), statement, holds, figures, decided: Decided::Measured }
    }

    /// The same statement, but an input of the experiment settles it. `because` names the input.
    pub fn by_construction(mut self, because: impl Into<Cow<'static, str>>) -> Finding {
        self.decided = Decided::ByConstruction(because.into());
        self
    }

    /// The runs decided it.
    pub fn is_measured(&self) -> bool {
        self.decided == Decided::Measured
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
