// An integer FIR filter: 32 taps over 160 samples.
#include "kernels.h"

uint32_t kernel_filter(struct samples *data) {
  for (size_t i = 0; i < 160; i++) {
    int32_t sum = 0;
    for (size_t tap = 0; tap < 32; tap++)
      sum += data->inputs[i + tap] * data->taps[tap];
    data->outputs[i] = sum >> 8;
  }
  return 0;
}
