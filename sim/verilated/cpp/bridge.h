// The functions that src/ffi.rs declares.

#pragma once

#include <cstdint>
#include <memory>

#include "rust/cxx.h"
#include "verilated_rs/model.h"

namespace verilated_rs {

struct Stop;  // shared with Rust

std::unique_ptr<VerilatedContext> new_context(std::int32_t random_seed, std::int32_t random_reset, bool assertions,
                                              const rust::Vec<rust::String>& arguments);
std::uint8_t trace_kind(const Model& model) noexcept;
bool open_trace(Model& model, rust::Str path, std::int32_t depth);
void write_coverage(Model& model, rust::Str path);
rust::String take_text(Model& model);
Stop take_stop(Model& model);

}  // namespace verilated_rs
