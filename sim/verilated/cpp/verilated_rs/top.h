// Makes a Model of the class that Verilator generated for a top module. Included by the shim of
// each model.

#pragma once

#include <memory>
#include <utility>

#include "verilated_rs/edges.h"
#include "verilated_rs/inputs.h"
#include "verilated_rs/model.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#elif VM_TRACE_VCD
#include "verilated_vcd_c.h"
#endif

namespace verilated_rs {

struct NoTrace {
  static constexpr TraceKind kKind = TraceKind::None;
};
#if VM_TRACE_FST
struct FstTrace {
  static constexpr TraceKind kKind = TraceKind::Fst;
  using File = VerilatedFstC;
};
#elif VM_TRACE_VCD
struct VcdTrace {
  static constexpr TraceKind kKind = TraceKind::Vcd;
  using File = VerilatedVcdC;
};
#endif

// `Inputs` remembers the inputs and tells whether they changed: inputs.h. `Edges` evaluates when
// clocks rise, and `Pads` tells whether an input moved that clears registers at once: edges.h.
template <class Top, class Trace, class Inputs, class Edges, class Pads>
class TopModel final : public Model {
 public:
  TopModel(std::unique_ptr<VerilatedContext> context, bool posedge_only)
      : Model{std::move(context), posedge_only, Edges::kDirect, Trace::kKind != TraceKind::None}, top{&this->context(), "TOP"} {}
  ~TopModel() override {
    if constexpr (Trace::kKind != TraceKind::None) close_trace();
  }

  Top top;
  using Model::add_clock;

  TraceKind trace_kind() const noexcept override { return Trace::kKind; }

 protected:
  void step() override {
    inputs_changed = inputs_.update(top);
    top.eval_step();
  }
  void rise(std::uint32_t rising) override {
    if constexpr (Edges::kDirect) Edges::rise(top, rising, inputs_.update(top));
  }
  bool pads_moved() override { return pads_.moved(top); }
  void run_final() override { top.final(); }

  bool trace_open(const char* path, int depth) override {
    if constexpr (Trace::kKind != TraceKind::None) {
      files_.file = std::make_unique<typename Trace::File>();
      top.trace(files_.file.get(), depth);
      files_.file->open(path);
      return files_.file->isOpen();
    } else {
      return false;
    }
  }
  void trace_dump(std::uint64_t time_ps) override {
    if constexpr (Trace::kKind != TraceKind::None) files_.file->dump(time_ps);
  }
  void trace_flush() override {
    if constexpr (Trace::kKind != TraceKind::None) files_.file->flush();
  }
  void trace_close() override {
    if constexpr (Trace::kKind != TraceKind::None) {
      files_.file->close();
      files_.file.reset();
    }
  }

 private:
  Inputs inputs_;
  Pads pads_;

  struct Nothing {};
  template <class T>
  struct Holder {
    std::unique_ptr<typename T::File> file;
  };
  std::conditional_t<Trace::kKind == TraceKind::None, Nothing, Holder<Trace>> files_;
};

}  // namespace verilated_rs
