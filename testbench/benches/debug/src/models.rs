//! The model made by `build.rs`.

mod generated {
    #![allow(clippy::all, missing_docs)]
    verilated::include_model!("BenchDebug");
}

pub use generated::BenchDebug;
