//! Prints how many lookups a second the traces make:

use std::time::Instant;

use page_traces::{all_geometries, run, Pattern};

fn main() {
    let mut lookups = 0;
    let begin = Instant::now();
    for pattern in Pattern::ALL {
        let trace = pattern.trace(1);
        let begin = Instant::now();
        for geometry in all_geometries() {
            run(geometry, &trace, &mut |_, _| {});
        }
        let of_pattern = (trace.len() * all_geometries().len()) as f64;
        println!("{}: {:.1} million lookups/s", pattern.name(), of_pattern / begin.elapsed().as_secs_f64() / 1e6);
        lookups += of_pattern as u64;
    }
    println!("{lookups} lookups in {:.2} s, traces made too", begin.elapsed().as_secs_f64());
}
