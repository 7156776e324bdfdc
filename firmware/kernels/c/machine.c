// A branchy state machine: it sorts the tokens of a text by kind.
#include "kernels.h"

enum state { START, WORD, SIGN, ZERO, DECIMAL, PREFIX, HEX, WRONG, STATES };

static int is_letter(uint8_t c) { return (c >= 'a' && c <= 'z') || c == '_'; }
static int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

uint32_t kernel_machine(const struct text *text) {
  uint32_t counts[STATES] = {0};
  enum state state = START;
  for (size_t i = 0; i < sizeof text->bytes; i++) {
    uint8_t c = text->bytes[i];
    if (c == ' ' || c == ',' || c == '\n') {
      counts[state]++;
      state = START;
      continue;
    }
    switch (state) {
    case START:
      if (is_letter(c)) state = WORD;
      else if (c == '+' || c == '-') state = SIGN;
      else if (c == '0') state = ZERO;
      else if (is_digit(c)) state = DECIMAL;
      else state = WRONG;
      break;
    case WORD:
      if (!is_letter(c) && !is_digit(c)) state = WRONG;
      break;
    case ZERO:
      if (c == 'x') {
        state = PREFIX;
        break;
      }
      // fall through
    case SIGN:
    case DECIMAL:
      state = is_digit(c) ? DECIMAL : WRONG;
      break;
    case PREFIX:
    case HEX:
      state = is_digit(c) || (c >= 'a' && c <= 'f') ? HEX : WRONG;
      break;
    default:
      break;
    }
  }
  uint32_t sum = state;
  for (size_t i = 0; i < STATES; i++)
    sum = sum * 131 + counts[i];
  return sum;
}
