// A verilated model as the runtime sees it, whatever its top module.
//
// The shim that verilated-build writes for each model derives from Model (top.h). Everything that
// the Verilator runtime would print, or would end the process for, is kept here and handed to Rust
// after the evaluation.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "verilated.h"

namespace verilated_rs {

// What eval() and tick() return: zero, or some of these bits.
enum Status : std::uint32_t {
  kText = 1,     // text of $display and its kin waits in take_text()
  kStopped = 2,  // why the model stopped waits in take_stop()
};

enum class StopKind : std::uint8_t { Finish, Stop, Fatal };

enum class TraceKind : std::uint8_t { None, Vcd, Fst };

// Thrown by vl_fatal: after it the model must not be evaluated on.
struct FatalStop {};

struct StopReport {
  StopKind kind;
  std::string file;
  std::uint32_t line;
  std::uint64_t time_ps;
  std::string message;
};

class Model {
 public:
  // `clocks` are the pins that tick() raises, bit by bit. `posedge_only`: no logic of the model
  // waits for anything but rising edges of these clocks. `direct`: rise() evaluates them.
  // `traceable`: trace_kind() is not None.
  Model(std::unique_ptr<VerilatedContext> context, bool posedge_only, bool direct, bool traceable);
  virtual ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Evaluates with the pins as they are.
  std::uint32_t eval() noexcept;

  // Raises the clocks of `rising` together, evaluates, and lowers them again.
  //
  // No logic of a posedge_only model waits for a falling edge, so that edge is not evaluated by
  // itself: the next tick of other clocks shows it to the model for nothing. Only a clock that
  // rises twice in a row costs an evaluation in between; and not even that in a model with direct
  // edges. While a trace is open every edge is evaluated and dumped; falling edges lie half a
  // period after rising ones.
  std::uint32_t tick(std::uint64_t time_ps, std::uint32_t rising) noexcept;

  void set_time(std::uint64_t time_ps) noexcept { context_->time(time_ps); }
  void set_assertions(bool on) noexcept { context_->assertOn(on); }

  // Runs `final` blocks.
  std::uint32_t finish() noexcept;

  virtual TraceKind trace_kind() const noexcept = 0;
  // Requires trace_kind() != None and no open trace. False when the file cannot be written.
  bool open_trace(const std::string& path, int depth);
  bool tracing() const noexcept { return tracing_; }
  // Writes the pins and signals as they are, at the model's time.
  std::uint32_t dump() noexcept;
  void flush_trace() noexcept;
  std::uint32_t close_trace() noexcept;

  void write_coverage(const std::string& path);

  // For the hooks of the Verilator runtime.
  void note_text(const char* text);
  void note_stop(StopKind kind, const char* file, int line, const char* message);
  std::string take_text();
  StopReport take_stop();

 protected:
  void add_clock(CData& pin);
  VerilatedContext& context() noexcept { return *context_; }

  virtual void step() = 0;
  // Evaluates rising edges without the pins of the clocks, which stay low. For direct models.
  virtual void rise(std::uint32_t rising) = 0;
  // Whether an input moved that clears registers at once.
  virtual bool pads_moved() = 0;
  virtual void run_final() = 0;
  virtual bool trace_open(const char* path, int depth) = 0;
  virtual void trace_dump(std::uint64_t time_ps) = 0;
  virtual void trace_flush() = 0;
  virtual void trace_close() = 0;

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  static constexpr std::uint64_t kFirstPeriodPs = 2000;  // until a second edge tells

  struct Clock {
    CData* pin;
    std::uint64_t rise_ps;  // of the last rising edge
    std::uint64_t fall_ps;  // of the falling edge to come, if a trace is open and the pin is high
    std::uint64_t period_ps = 0;  // 0: not known yet

    // A clock may pause, so twice its period and more is none.
    void rises(std::uint64_t time_ps) {
      const std::uint64_t since_ps = time_ps - rise_ps;
      if (rise_ps != kNever && (period_ps == 0 || since_ps < 2 * period_ps)) period_ps = since_ps;
      rise_ps = time_ps;
    }
  };

  template <class Work>
  std::uint32_t guarded(Work work) noexcept;
  void note_rise(std::uint64_t time_ps, std::uint32_t rising);
  void tick_traced(std::uint64_t time_ps, std::uint32_t rising);
  void dump_due();
  Clock* next_fall_before(std::uint64_t time_ps);

  std::unique_ptr<VerilatedContext> context_;
  std::vector<Clock> clocks_;
  bool posedge_only_;
  bool direct_;
  bool traceable_;
  bool tracing_ = false;
  bool dump_is_due_ = false;   // the last instant is not in the trace yet: inputs set after it belong to it
  std::uint32_t unseen_low_ = ~0u;  // clocks that are low, which the model has not seen; before the first evaluation all
  std::uint32_t status_ = 0;
  std::string text_;
  std::size_t last_text_ = 0;  // where the last piece of text begins
  std::vector<StopReport> stops_;
};

}  // namespace verilated_rs
