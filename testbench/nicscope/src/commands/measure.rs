//! `nicscope measure`: the figures of docs/measurements.md, measured again, beside their targets.

use nicscope_figures::measure::{chosen, group, report, verdict};
use nicscope_scenario::error::Result;

use crate::cli::MeasureArgs;

pub fn run(arguments: &MeasureArgs) -> Result<()> {
    let group = group(&arguments.group)?;
    let mut figures = Vec::new();
    for bar in chosen(group, &arguments.only)? {
        let own = (bar.measure)()?;
        if !arguments.json {
            print!("{}", report::table(&own));
            if let Some(note) = bar.note {
                println!("{}.{}: {note}", group.name, bar.number);
            }
        }
        figures.extend(own);
    }
    if arguments.json {
        println!("{}", report::json(&figures)?);
    }
    verdict(&figures)
}
