// Product of two matrices of 16 by 16 words.
#include "kernels.h"

uint32_t kernel_matrix(struct matrices *data) {
  for (size_t row = 0; row < 16; row++) {
    for (size_t column = 0; column < 16; column++) {
      int32_t sum = 0;
      for (size_t i = 0; i < 16; i++)
        sum += data->a[row][i] * data->b[i][column];
      data->product[row][column] = sum;
    }
  }
  return 0;
}
