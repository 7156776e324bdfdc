// A hash of 1024 bytes by multiplication and rotation (MurmurHash3, 32 bits).
#include "kernels.h"

static uint32_t rotate(uint32_t value, unsigned by) { return value << by | value >> (32 - by); }

uint32_t kernel_hash(const struct message *message) {
  uint32_t hash = 0;
  for (size_t i = 0; i < 256; i++) {
    hash ^= rotate(message->words[i] * 0xCC9E2D51, 15) * 0x1B873593;
    hash = rotate(hash, 13) * 5 + 0xE6546B64;
  }
  hash ^= sizeof message->words;
  hash = (hash ^ hash >> 16) * 0x85EBCA6B;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35;
  return hash ^ hash >> 16;
}
