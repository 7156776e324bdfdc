//! The C++ side of the runtime. `cpp/verilated_rs/model.h` states what the functions do.

#[cxx::bridge(namespace = "verilated_rs")]
pub(crate) mod bridge {
    /// Why a model stopped.
    struct Stop {
        kind: u8,
        file: String,
        line: u32,
        time_ps: u64,
        message: String,
    }

    unsafe extern "C++" {
        include!("bridge.h");

        #[namespace = ""]
        type VerilatedContext;
        type Model;

        fn new_context(
            random_seed: i32,
            random_reset: i32,
            assertions: bool,
            arguments: &Vec<String>,
        ) -> Result<UniquePtr<VerilatedContext>>;

        fn eval(self: Pin<&mut Model>) -> u32;
        fn tick(self: Pin<&mut Model>, time_ps: u64, rising: u32) -> u32;
        fn set_time(self: Pin<&mut Model>, time_ps: u64);
        fn set_assertions(self: Pin<&mut Model>, on: bool);
        fn finish(self: Pin<&mut Model>) -> u32;

        fn trace_kind(model: &Model) -> u8;
        fn open_trace(model: Pin<&mut Model>, path: &str, depth: i32) -> Result<bool>;
        fn tracing(self: &Model) -> bool;
        fn dump(self: Pin<&mut Model>) -> u32;
        fn flush_trace(self: Pin<&mut Model>);
        fn close_trace(self: Pin<&mut Model>) -> u32;
        fn write_coverage(model: Pin<&mut Model>, path: &str) -> Result<()>;

        fn take_text(model: Pin<&mut Model>) -> String;
        fn take_stop(model: Pin<&mut Model>) -> Stop;
    }
    impl UniquePtr<Model> {}
}
