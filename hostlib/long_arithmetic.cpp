// Calls that Clang makes where a result does not fit its type (-fsanitize, arithmeticFlags in
// src/frontend/clang/flags.ts). The runtime decides which of them a 64-bit machine would have right
// (src/runtime/host/long-arithmetic.ts). Programs that are compiled without contain none of it.
#include <stdint.h>

extern "C" {
// Returns whether this place need not ask again.
int __heddle_long_arithmetic(int operation, void *data, uintptr_t left, uintptr_t right);

// What all of Clang's descriptions begin with; Clang makes them writable for such marks.
struct Place { const char *file; unsigned line, column; };
static const unsigned settled = 0x80000000;

static void ask(int operation, void *data, uintptr_t left, uintptr_t right) {
  Place *place = (Place *)data;
  if (place->column & settled) return;
  if (__heddle_long_arithmetic(operation, data, left, right)) place->column |= settled;
}

void __ubsan_handle_add_overflow(void *data, uintptr_t left, uintptr_t right) { ask(0, data, left, right); }
void __ubsan_handle_sub_overflow(void *data, uintptr_t left, uintptr_t right) { ask(1, data, left, right); }
void __ubsan_handle_mul_overflow(void *data, uintptr_t left, uintptr_t right) { ask(2, data, left, right); }
void __ubsan_handle_negate_overflow(void *data, uintptr_t value) { ask(3, data, value, 0); }
void __ubsan_handle_shift_out_of_bounds(void *data, uintptr_t left, uintptr_t right) { ask(4, data, left, right); }
void __ubsan_handle_implicit_conversion(void *data, uintptr_t from, uintptr_t) { ask(5, data, from, 0); }
void __ubsan_handle_float_cast_overflow(void *data, uintptr_t from) { ask(6, data, from, 0); }
// A division by zero traps by itself; the smallest number divided by -1 does not fit in both models.
void __ubsan_handle_divrem_overflow(void *, uintptr_t, uintptr_t) {}
}
