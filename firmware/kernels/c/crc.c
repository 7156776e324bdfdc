// The CRC-32 of Ethernet, a table entry for each byte.
#include "kernels.h"

uint32_t kernel_crc(const struct checked *data) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < sizeof data->bytes; i++)
    crc = data->table[(uint8_t)(crc ^ data->bytes[i])] ^ crc >> 8;
  return ~crc;
}
