// The kernels of src/mix and src/more in C: the same work over the same data, whose layouts are those of the structures there.
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include <stdint.h>

struct node {
  const struct node *next;
  uint32_t key, value;
};

struct table {
  const struct node *heads[64];
  struct node nodes[128];
  uint32_t queries[64];
};

struct frames {
  uint32_t from[375], to[375];
};

struct checked {
  uint32_t table[256];
  uint8_t bytes[1500];
};

struct text {
  uint8_t bytes[1024];
};

struct matrices {
  int32_t a[16][16], b[16][16], product[16][16];
};

struct haystack {
  uint8_t text[1024], word[6], skip[256];
};

struct numbers {
  uint32_t given[256], sorted[256];
};

struct message {
  uint32_t words[256];
};

struct samples {
  int16_t taps[32], inputs[192];
  int32_t outputs[160];
};

uint32_t kernel_lookup(const struct table *table);
uint32_t kernel_copy(struct frames *frames);
uint32_t kernel_crc(const struct checked *data);
uint32_t kernel_machine(const struct text *text);
uint32_t kernel_matrix(struct matrices *data);
uint32_t kernel_search(struct haystack *data);
uint32_t kernel_sort(struct numbers *data);
uint32_t kernel_hash(const struct message *message);
uint32_t kernel_filter(struct samples *data);

#endif
