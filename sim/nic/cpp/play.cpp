// The plainest loop that runs the NIC: recorded inputs on the pins, then the edges. A run through
// Rust is compared with it, in speed and in outputs (src/recording.rs). Its speed is measured with
// the quickest evaluation there is (edges.h), with the clocks of sleeping cores stopped. Its
// outputs come from Verilator's own evaluation, driven by the clock pins, of which none stops. So
// the two ways of evaluation are compared as well.

#include <cstddef>
#include <cstdint>

#include "NicTigon2_edges.h"

namespace {

// As in src/recording.rs.
struct Edge {
  std::uint32_t delta_ps;
  std::uint16_t rising;
  std::uint16_t levels_changed;
};
struct Levels {
  std::uint64_t ad;
  std::uint16_t control;
  std::uint8_t cbe_n;
  std::uint8_t rxd;
  std::uint8_t rx_dv;
  std::uint8_t rx_er;
};

// Bits of `control`: the order of sim_pins::PciPin.
enum Pin { kFrame, kIrdy, kTrdy, kStop, kDevsel, kPar, kPerr, kSerr, kReq64, kAck64, kPar64, kReq, kGnt, kIdsel, kInta, kRst };

void put(NicTigon2& nic, const Levels& levels) {
  const auto level = [&](Pin pin) { return static_cast<CData>(levels.control >> pin & 1); };
  nic.pci_ad_i = levels.ad;
  nic.pci_cbe_ni = levels.cbe_n;
  nic.pci_frame_ni = level(kFrame);
  nic.pci_irdy_ni = level(kIrdy);
  nic.pci_trdy_ni = level(kTrdy);
  nic.pci_stop_ni = level(kStop);
  nic.pci_devsel_ni = level(kDevsel);
  nic.pci_par_i = level(kPar);
  nic.pci_perr_ni = level(kPerr);
  nic.pci_serr_ni = level(kSerr);
  nic.pci_req64_ni = level(kReq64);
  nic.pci_ack64_ni = level(kAck64);
  nic.pci_par64_i = level(kPar64);
  nic.pci_gnt_ni = level(kGnt);
  nic.pci_idsel_i = level(kIdsel);
  nic.pci_rst_ni = level(kRst);
  nic.gmii_rxd_i = levels.rxd;
  nic.gmii_rx_dv_i = levels.rx_dv;
  nic.gmii_rx_er_i = levels.rx_er;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

// All outputs, packed as src/recording.rs packs them.
std::uint64_t outputs(const NicTigon2& nic, std::uint64_t hash) {
  const auto at = [](Pin pin, CData bit) { return std::uint64_t{bit} << pin; };
  const std::uint64_t levels = at(kFrame, nic.pci_frame_no) | at(kIrdy, nic.pci_irdy_no) | at(kTrdy, nic.pci_trdy_no) |
                               at(kStop, nic.pci_stop_no) | at(kDevsel, nic.pci_devsel_no) | at(kPar, nic.pci_par_o) |
                               at(kPerr, nic.pci_perr_no) | at(kReq64, nic.pci_req64_no) | at(kAck64, nic.pci_ack64_no) |
                               at(kPar64, nic.pci_par64_o) | at(kReq, nic.pci_req_no);
  const std::uint64_t enables =
      at(kFrame, nic.pci_frame_oe_o) | at(kIrdy, nic.pci_irdy_oe_o) | at(kTrdy, nic.pci_trdy_oe_o) |
      at(kStop, nic.pci_stop_oe_o) | at(kDevsel, nic.pci_devsel_oe_o) | at(kPar, nic.pci_par_oe_o) |
      at(kPerr, nic.pci_perr_oe_o) | at(kSerr, nic.pci_serr_oe_o) | at(kReq64, nic.pci_req64_oe_o) |
      at(kAck64, nic.pci_ack64_oe_o) | at(kPar64, nic.pci_par64_oe_o) | at(kReq, nic.pci_req_oe_o) | at(kInta, nic.pci_inta_oe_o);
  hash = mixed(hash, nic.pci_ad_o);
  hash = mixed(hash, levels | enables << 16 | std::uint64_t{nic.pci_cbe_no} << 32 | std::uint64_t{nic.pci_ad_oe_o} << 40 |
                         std::uint64_t{nic.pci_cbe_oe_o} << 42 | std::uint64_t{nic.gmii_txd_o} << 44 |
                         std::uint64_t{nic.gmii_tx_en_o} << 52 | std::uint64_t{nic.gmii_tx_er_o} << 53);
  return mixed(hash, nic.trace_a_data_o | std::uint64_t{nic.trace_a_valid_o} << 32 | std::uint64_t{nic.probe_o} << 33);
}

// The clocks in the order of the build; those of the cores go with the first one.
constexpr unsigned kClocks = 6;
constexpr unsigned kCore = 1;
constexpr unsigned kCoreA = 1u << 4;
constexpr unsigned kCoreB = 1u << 5;

// Verilator's own way: clocks up, evaluate, clocks down.
class ByPins {
 public:
  static constexpr bool kWithOutputs = true;
  void rise(NicTigon2& nic, unsigned rising, bool inputs_changed, std::uint64_t& evaluations) {
    CData* const clocks[kClocks] = {&nic.clk_core_i,    &nic.clk_pci_i,    &nic.clk_gmii_tx_i,
                                    &nic.clk_gmii_rx_i, &nic.clk_core_a_i, &nic.clk_core_b_i};
    if (rising & kCore) rising |= kCoreA | kCoreB;
    verilated_rs::inputs_changed = inputs_changed;
    if ((rising & unseen_low_) || pads_.moved(nic)) {
      nic.eval_step();
      verilated_rs::inputs_changed = false;
      ++evaluations;
    }
    for (unsigned i = 0; i < kClocks; ++i) *clocks[i] = rising >> i & 1;
    nic.eval_step();
    ++evaluations;
    for (CData* clock : clocks) *clock = 0;
    unseen_low_ = rising;
  }

 private:
  unsigned unseen_low_ = 0;  // clocks whose falling edge the model has not seen yet
  NicTigon2Pads pads_;
};

// The quick way, where there is one.
class Quick {
 public:
  static constexpr bool kWithOutputs = false;
  void rise(NicTigon2& nic, unsigned rising, bool inputs_changed, std::uint64_t& evaluations) {
    if (rising & kCore) rising |= (nic.core_a_clock_o ? kCoreA : 0) | (nic.core_b_clock_o ? kCoreB : 0);
    if constexpr (NicTigon2Edges::kDirect) {
      NicTigon2Edges::rise(nic, rising, inputs_changed && inputs_.update(nic));
      ++evaluations;
    } else {
      by_pins_.rise(nic, rising, inputs_changed, evaluations);
    }
  }

 private:
  NicTigon2Inputs inputs_;
  ByPins by_pins_;
};

template <class Way>
std::uint64_t play(NicTigon2& nic, VerilatedContext& context, const Edge* edges, std::size_t count, const Levels* levels,
                   std::uint64_t& evaluations) {
  Way way;
  std::uint64_t hash = 0;
  std::uint64_t now_ps = 0;
  for (const Edge* edge = edges; edge != edges + count; ++edge) {
    now_ps += edge->delta_ps;
    context.time(now_ps);
    if (edge->levels_changed) put(nic, *levels++);
    way.rise(nic, edge->rising, edge->levels_changed, evaluations);
    if constexpr (Way::kWithOutputs) hash = outputs(nic, hash);
  }
  return hash;
}

}  // namespace

// Plays a recording on a new model. Returns the hash of all outputs at all instants, or zero if not
// asked for.
extern "C" std::uint64_t nic_tigon2_play(const Edge* edges, std::size_t count, const Levels* levels, bool with_outputs,
                                         std::uint64_t* evaluations) {
  VerilatedContext context;
  context.randReset(0);
  context.assertOn(true);
  context.commandArgs(0, static_cast<const char**>(nullptr));  // no plusargs
  NicTigon2 nic{&context, "TOP"};
  put(nic, Levels{~std::uint64_t{0}, static_cast<std::uint16_t>(~(1u << kIdsel)), 0xFF, 0, 0, 0});
  verilated_rs::inputs_changed = true;
  nic.eval_step();
  *evaluations = 1;
  const std::uint64_t hash = with_outputs ? play<ByPins>(nic, context, edges, count, levels, *evaluations)
                                          : play<Quick>(nic, context, edges, count, levels, *evaluations);
  nic.final();
  return hash;
}
