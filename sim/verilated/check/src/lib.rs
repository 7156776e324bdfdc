//! Small models that hold the bindings to their word; the tests are in `tests`.

verilated::include_model!("EveryWidth");
verilated::include_model!("TwoClocks");
verilated::include_model!("TwoClocksFst");
verilated::include_model!("TwoClocksVcd");
verilated::include_model!("Talker");
verilated::include_model!("BothEdges");
verilated::include_model!("Cleared");
verilated::include_model!("Unreset");
verilated::include_model!("NeverSettles");
