//! `nicscope keys`: the keys of a scenario, from its types.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use nicscope_scenario::error::Result;
use nicscope_scenario::keys;

use crate::cli::KeysArgs;
use crate::output;

/// Columns of the table on a terminal of unknown width.
const COLUMNS: u16 = 120;

pub fn run(arguments: &KeysArgs) -> Result<()> {
    if arguments.markdown {
        return output::print(&keys::markdown());
    }
    let mut table = Table::new();
    table.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Dynamic).set_width(COLUMNS);
    table.set_header(["key", "values", "default", "meaning"]);
    for key in keys::all() {
        table.add_row([key.name, key.values, key.default.unwrap_or_else(|| "required".to_owned()), key.meaning]);
    }
    output::print(&format!("{table}\n"))
}
