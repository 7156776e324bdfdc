#include "bridge.h"

#include <string>
#include <vector>

#include "verilated/src/ffi.rs.h"

namespace verilated_rs {

std::unique_ptr<VerilatedContext> new_context(std::int32_t random_seed, std::int32_t random_reset, bool assertions,
                                              const rust::Vec<rust::String>& arguments) {
  auto context = std::make_unique<VerilatedContext>();
  std::vector<std::string> owned{"model"};
  for (const rust::String& argument : arguments) owned.emplace_back(std::string{argument});
  std::vector<const char*> pointers;
  for (const std::string& argument : owned) pointers.push_back(argument.c_str());
  context->commandArgs(static_cast<int>(pointers.size()), pointers.data());
  context->randSeed(random_seed);
  context->randReset(random_reset);
  context->assertOn(assertions);
  context->traceEverOn(true);
  return context;
}

std::uint8_t trace_kind(const Model& model) noexcept { return static_cast<std::uint8_t>(model.trace_kind()); }

bool open_trace(Model& model, rust::Str path, std::int32_t depth) {
  return model.open_trace(std::string{path}, depth);
}

void write_coverage(Model& model, rust::Str path) { model.write_coverage(std::string{path}); }

rust::String take_text(Model& model) { return rust::String::lossy(model.take_text()); }

Stop take_stop(Model& model) {
  StopReport report = model.take_stop();
  return Stop{static_cast<std::uint8_t>(report.kind), rust::String::lossy(report.file), report.line, report.time_ps,
              rust::String::lossy(report.message)};
}

}  // namespace verilated_rs
