use verilated_build::{Model, Trace, Unknown};

fn main() {
    Model::new("every_width").prefix("EveryWidth").file("rtl/every_width.sv").clock("clk_i").build();

    // One module, three builds: the runtime must serve models with and without traces in one
    // binary.
    let two_clocks = || Model::new("two_clocks").file("rtl/two_clocks.sv").clock("clk_a_i").clock("clk_b_i");
    two_clocks().prefix("TwoClocks").build();
    two_clocks().prefix("TwoClocksFst").trace(Trace::Fst).build();
    two_clocks().prefix("TwoClocksVcd").trace(Trace::Vcd).parameter("StepA", 3).pins_of("TwoClocksFst").build();

    Model::new("talker").prefix("Talker").file_list("rtl/talker.f").clock("clk_i").coverage(true).build();
    Model::new("both_edges").prefix("BothEdges").file("rtl/both_edges.sv").clock("clk_i").build();
    Model::new("cleared").prefix("Cleared").file("rtl/cleared.sv").clock("clk_a_i").clock("clk_b_i").build();
    Model::new("unreset").prefix("Unreset").file("rtl/unreset.sv").clock("clk_i").unknown(Unknown::Unique).build();
    Model::new("never_settles").prefix("NeverSettles").file("rtl/never_settles.sv").arg("-Wno-UNOPTFLAT").build();
}
