#include "verilated_rs/model.h"

#include <exception>
#include <utility>

#include "hooks.h"
#include "verilated_cov.h"

namespace verilated_rs {

Model::Model(std::unique_ptr<VerilatedContext> context, bool posedge_only, bool direct, bool traceable)
    : context_{std::move(context)}, posedge_only_{posedge_only}, direct_{direct}, traceable_{traceable} {}

Model::~Model() {
  Verilated::threadContextp(nullptr);
}

void Model::add_clock(CData& pin) { clocks_.push_back(Clock{&pin, kNever, 0}); }

// Runs `work` with the hooks of this thread pointing here, and turns what they noted into a status.
template <class Work>
std::uint32_t Model::guarded(Work work) noexcept {
  const CurrentModel current{*this, *context_};
  try {
    work();
  } catch (const FatalStop&) {
    // note_stop has it.
  } catch (const std::exception& error) {
    note_stop(StopKind::Fatal, "", 0, error.what());
  }
  return std::exchange(status_, 0);
}

std::uint32_t Model::eval() noexcept {
  return guarded([this] {
    step();
    unseen_low_ = 0;
  });
}

std::uint32_t Model::tick(std::uint64_t time_ps, std::uint32_t rising) noexcept {
  return guarded([this, time_ps, rising] {
    if (VL_UNLIKELY(tracing_)) {
      tick_traced(time_ps, rising);
      return;
    }
    context_->time(time_ps);
    if (direct_) {
      if (VL_UNLIKELY(unseen_low_)) {  // the first time, or after a trace
        step();
        unseen_low_ = 0;
      }
      if (traceable_) note_rise(time_ps, rising);
      rise(rising);
      return;
    }
    if ((rising & unseen_low_) || pads_moved()) step();
    for (std::uint32_t left = rising; left; left &= left - 1) {
      Clock& clock = clocks_[__builtin_ctz(left)];
      clock.rises(time_ps);
      *clock.pin = 1;
    }
    step();
    for (std::uint32_t left = rising; left; left &= left - 1) *clocks_[__builtin_ctz(left)].pin = 0;
    unseen_low_ = rising;
    if (VL_UNLIKELY(!posedge_only_)) {
      step();
      unseen_low_ = 0;
    }
  });
}

// A trace that opens later wants to know the periods.
void Model::note_rise(std::uint64_t time_ps, std::uint32_t rising) {
  for (std::uint32_t left = rising; left; left &= left - 1) clocks_[__builtin_ctz(left)].rises(time_ps);
}

std::uint32_t Model::finish() noexcept {
  return guarded([this] { run_final(); });
}

// ---- Traces -------------------------------------------------------------------------------------

// An instant is dumped when the next one comes, so that inputs which were set in between belong to
// it: in the waves they stand before the edge that samples them, as they do on a board.

void Model::tick_traced(std::uint64_t time_ps, std::uint32_t rising) {
  while (Clock* clock = next_fall_before(time_ps)) {
    if (clock->fall_ps != context_->time()) dump_due();
    context_->time(clock->fall_ps);
    *clock->pin = 0;
    step();
    dump_is_due_ = true;
  }
  // A trace that has just opened at this very instant shows what the instant leads to.
  if (context_->time() != time_ps) dump_due();
  context_->time(time_ps);

  bool unseen = rising & unseen_low_;
  unseen_low_ = 0;
  for (std::size_t i = 0; i < clocks_.size(); ++i) {
    Clock& clock = clocks_[i];
    const bool rises = rising >> i & 1;
    if (*clock.pin && (rises || clock.fall_ps == time_ps)) {
      *clock.pin = 0;
      unseen = true;
    }
  }
  if (unseen) step();

  for (std::uint32_t left = rising; left; left &= left - 1) {
    Clock& clock = clocks_[__builtin_ctz(left)];
    clock.rises(time_ps);
    clock.fall_ps = time_ps + (clock.period_ps == 0 ? kFirstPeriodPs : clock.period_ps) / 2;
    *clock.pin = 1;
  }
  step();
  dump_is_due_ = true;
}

Model::Clock* Model::next_fall_before(std::uint64_t time_ps) {
  Clock* next = nullptr;
  for (Clock& clock : clocks_) {
    if (*clock.pin && clock.fall_ps < time_ps && (!next || clock.fall_ps < next->fall_ps)) next = &clock;
  }
  return next;
}

void Model::dump_due() {
  if (!dump_is_due_) return;
  dump_is_due_ = false;
  step();
  trace_dump(context_->time());
}

bool Model::open_trace(const std::string& path, int depth) {
  bool open = false;
  guarded([&] {
    step();  // a first evaluation runs `initial`, and inputs that were set since the last one settle
    unseen_low_ = 0;
    open = trace_open(path.c_str(), depth);
    if (!open) return;
    tracing_ = true;
    dump_is_due_ = true;
  });
  return open;
}

std::uint32_t Model::dump() noexcept {
  if (!tracing_) return 0;
  return guarded([this] {
    dump_is_due_ = false;
    trace_dump(context_->time());
  });
}

void Model::flush_trace() noexcept {
  if (tracing_) guarded([this] { trace_flush(); });
}

std::uint32_t Model::close_trace() noexcept {
  if (!tracing_) return 0;
  return guarded([this] {
    tracing_ = false;
    dump_due();
    trace_close();
    for (std::size_t i = 0; i < clocks_.size(); ++i) {
      if (*clocks_[i].pin) unseen_low_ |= std::uint32_t{1} << i;
      *clocks_[i].pin = 0;
    }
  });
}

void Model::write_coverage(const std::string& path) {
  const CurrentModel current{*this, *context_};
  context_->coveragep()->write(path.c_str());
}

// ---- What the model says ------------------------------------------------------------------------

void Model::note_text(const char* text) {
  last_text_ = text_.size();
  text_ += text;
  status_ |= kText;
}

// Assertions, $error and $fatal print their message first and stop then: the last piece of text is
// theirs.
void Model::note_stop(StopKind kind, const char* file, int line, const char* message) {
  std::string text = message ? message : "";
  if (!message && last_text_ < text_.size()) {
    text = text_.substr(last_text_);
    text_.resize(last_text_);
    if (text_.empty()) status_ &= ~std::uint32_t{kText};
  }
  last_text_ = text_.size();
  stops_.push_back(
      StopReport{kind, file ? file : "", static_cast<std::uint32_t>(line), context_->time(), std::move(text)});
  status_ |= kStopped;
}

std::string Model::take_text() {
  last_text_ = 0;
  return std::exchange(text_, {});
}

// The first one; those of the same evaluation that followed become text.
StopReport Model::take_stop() {
  StopReport first = std::move(stops_.front());
  for (std::size_t i = 1; i < stops_.size(); ++i) text_ += stops_[i].message;
  stops_.clear();
  last_text_ = text_.size();
  return first;
}

}  // namespace verilated_rs
