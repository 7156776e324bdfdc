use bench_kernels::images::*;
use bench_kernels::runs;
use bench_kernels::stalls::Cause;
fn main() {
    for language in Language::ALL { for placement in Placement::ALL {
        let runs = runs::measure(language, placement, 0).unwrap();
        println!("{} {}: mix {:.3} clocks {}", language.name(), placement.name(), runs::cpi_of_mix(&runs), runs::clocks_of_mix(&runs));
        for run in &runs {
            let s: Vec<String> = Cause::ALL.iter().map(|c| format!("{} {:.3}", c.name(), run.stalls.of(*c) as f64 / run.instructions as f64)).collect();
            println!("  {:8} {:7} {:7} {:.3}  {}  seen {:?} {:x}", run.name, run.clocks, run.instructions, run.cpi(), s.join(" "), (run.clocks_seen, run.instructions_seen), run.check);
        }
    }}
}
