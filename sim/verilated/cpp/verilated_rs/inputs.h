// Whether the model that is being evaluated on this thread has inputs, beside clocks, that changed
// since its last evaluation. Without a change its input logic has nothing to do; verilated-build
// has generated code ask here.

#pragma once

namespace verilated_rs {

inline thread_local bool inputs_changed = true;

// For models whose generated code does not ask.
struct NoInputs {
  template <class Top>
  bool update(const Top&) {
    return true;
  }
};

}  // namespace verilated_rs
