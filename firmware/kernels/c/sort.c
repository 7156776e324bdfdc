// Heap sort of 256 words.
#include "kernels.h"

// Moves the number at `root` down until none below is larger.
static void sift(uint32_t *heap, size_t count, size_t root) {
  uint32_t number = heap[root];
  for (size_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && heap[child + 1] > heap[child])
      child++;
    if (heap[child] <= number)
      break;
    heap[root] = heap[child];
  }
  heap[root] = number;
}

uint32_t kernel_sort(struct numbers *data) {
  uint32_t *heap = data->sorted;
  for (size_t i = 0; i < 256; i++)
    heap[i] = data->given[i];
  for (size_t root = 128; root-- > 0;)
    sift(heap, 256, root);
  for (size_t end = 255; end > 0; end--) {
    uint32_t largest = heap[0];
    heap[0] = heap[end];
    heap[end] = largest;
    sift(heap, end, 0);
  }
  return 0;
}
