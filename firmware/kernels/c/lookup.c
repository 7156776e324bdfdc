// Hash look-up with pointer chase.
#include "kernels.h"

uint32_t kernel_lookup(const struct table *table) {
  uint32_t sum = 0;
  for (size_t i = 0; i < 64; i++) {
    uint32_t key = table->queries[i];
    const struct node *node = table->heads[(key ^ key >> 6 ^ key >> 12) % 64];
    for (; node != NULL; node = node->next) {
      if (node->key == key) {
        sum += node->value;
        break;
      }
    }
  }
  return sum;
}
