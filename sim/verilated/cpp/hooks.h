// The Verilator runtime calls free functions when a model prints or stops; they find the model of
// their thread here.

#pragma once

#include "verilated_rs/model.h"

namespace verilated_rs {

class CurrentModel {
 public:
  CurrentModel(Model& model, VerilatedContext& context) noexcept : outer_{current_} {
    current_ = &model;
    Verilated::threadContextp(&context);
  }
  ~CurrentModel() { current_ = outer_; }
  CurrentModel(const CurrentModel&) = delete;
  CurrentModel& operator=(const CurrentModel&) = delete;

  // Null outside of an evaluation.
  static Model* get() noexcept { return current_; }

 private:
  static inline thread_local Model* current_ = nullptr;
  Model* outer_;
};

}  // namespace verilated_rs
