//! Bindings to models that Verilator 5 makes
