//! The verilated modules.

verilated::include_model!("BenchMemory");
verilated::include_model!("BenchMemoryPair");
verilated::include_model!("BenchCoreMemory");
verilated::include_model!("BenchRegisters");
verilated::include_model!("BenchCheckers");
verilated::include_model!("WatchedNic");
verilated::include_model!("WatchedPair");
verilated::include_model!("FastNic");
