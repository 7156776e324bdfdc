//! Compiles the Verilator runtime once, for all models of a binary.

fn main() {
    verilated_build::Runtime::find()
        .cxx_bridge("src/ffi.rs")
        .sources(["cpp/bridge.cpp", "cpp/hooks.cpp", "cpp/model.cpp"])
        .force_include("cpp/printf.h")
        .include("cpp")
        .compile();
}
