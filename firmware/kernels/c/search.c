// All places of a word in a text, by skipping (Horspool 1980).
#include "kernels.h"

uint32_t kernel_search(struct haystack *data) {
  const size_t length = sizeof data->word;
  for (size_t i = 0; i < sizeof data->skip; i++)
    data->skip[i] = length;
  for (size_t i = 0; i < length - 1; i++)
    data->skip[data->word[i]] = length - 1 - i;
  uint32_t found = 0;
  for (size_t place = 0; place + length <= sizeof data->text;) {
    const uint8_t *window = data->text + place;
    size_t left = length;
    while (left > 0 && window[left - 1] == data->word[left - 1])
      left--;
    if (left == 0)
      found += 1u << 24 | place;
    place += data->skip[window[length - 1]];
  }
  return found;
}
