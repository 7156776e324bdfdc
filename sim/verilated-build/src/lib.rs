//! Builds Verilator models from a build script
