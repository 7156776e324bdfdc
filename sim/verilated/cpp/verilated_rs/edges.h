// How a model is evaluated when clocks rise.

#pragma once

#include <cstdint>

namespace verilated_rs {

// By its pins, as generated code expects it; any model can. verilated-build makes something quicker
// where it can.
struct PinEdges {
  static constexpr bool kDirect = false;
  template <class Top>
  static void rise(Top&, std::uint32_t, bool) {}  // never called
};

// Of a model in which no input clears registers at once.
struct NoPads {
  template <class Top>
  bool moved(const Top&) {
    return false;
  }
};

}  // namespace verilated_rs
