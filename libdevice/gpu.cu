/*
 * What the device runtime is on a GPU (src/device/cuda/ptx): the emulated device does these itself, so that calls of
 * `vprintf` and
 * `__heddle_grid_sync` become calls of `__heddle_gpu_vprintf` and `__heddle_gpu_grid_sync` only where PTX is made of a
 * program.
 */
#include "prelude.h"

extern "C" {
/* Set by the loader; the buffer is described in src/ptx/ptx-module.ts. What is compiled here for pointers of 32 bits
   serves generated kernels with those of 64, too: so nothing of printf makes a number of a pointer, and the width of
   the pointers among its arguments is a variable, whose value src/ptx/link-program.ts changes. */
DEVICE alignas(8) u8 *__heddle_printf_base = nullptr;
DEVICE u64 __heddle_printf_bytes = 0;
DEVICE u32 __heddle_pointer_bytes = sizeof(void *);
/* One for each of the grids that run at once: a launch has the one that its number among all launches says. Bit 31
   turns over when all blocks have arrived; between synchronisations the other bits are 0. */
constexpr u32 GRIDS = 1024;
DEVICE u32 __heddle_grid_arrivals[GRIDS] = {};
}

constexpr u32 BUFFER_HEADER = 16, RECORD_HEADER = 16;

struct conversion { u32 bytes; bool is_text; };
/* What stands after a % takes this of the arguments: 0, 4 or 8 bytes. A long has the width of a pointer. `at` is moved
   behind it; stars have taken theirs. */
INLINE conversion next_conversion(const char *&at, u32 &arguments, u32 pointer_bytes) {
  bool is_long_long = false, is_long = false;
  for (;; at++) {
    char c = *at;
    if (c == '*') arguments = (arguments + 3 & ~3u) + 4;
    else if (c == 'l' || c == 'q') { is_long_long = is_long_long || is_long || c == 'q'; is_long = true; }
    else if (c == 'j') is_long_long = true;
    else if (c == 'z' || c == 't') is_long = true;
    else if (!((c >= '0' && c <= '9') || c == '-' || c == '+' || c == ' ' || c == '#' || c == '.' || c == 'h' ||
               c == 'L'))
      break;
  }
  char c = *at;
  if (c != 0) at++;
  switch (c) {
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A': return {8, false};
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
      return {is_long_long ? 8u : is_long ? pointer_bytes : 4u, false};
    case 'c': return {4, false};
    case 'p': return {pointer_bytes, false};
    case 's': return {pointer_bytes, true};
    default: return {0, false};
  }
}
INLINE u32 text_bytes(const char *text) {
  u32 n = 0;
  while (text[n]) n++;
  return n + 1;
}

DEVICE_FN NOINLINE i32 __heddle_gpu_vprintf(const char *format, const u8 *packed) {
  static const char null_text[] = "(null)";
  /* Once to measure, once to write: what the pointers of %s point at must be copied now, as it may be gone when the
   * host looks. */
  u32 arguments = 0, texts = 0, pointer_bytes = __heddle_pointer_bytes;
  for (const char *at = format; *at;) {
    if (*at++ != '%') continue;
    conversion c = next_conversion(at, arguments, pointer_bytes);
    if (c.bytes == 0) continue;
    arguments = (arguments + c.bytes - 1) & ~(c.bytes - 1);
    if (c.is_text) {
      const char *text = *(const char *const *)(packed + arguments);
      texts += text_bytes(text ? text : null_text);
    }
    arguments += c.bytes;
  }
  u32 format_bytes = text_bytes(format), argument_room = (arguments + 7) & ~7u;
  u32 bytes = (RECORD_HEADER + argument_room + format_bytes + texts + 7) & ~7u;
  u32 all = (u32)__heddle_printf_bytes;
  if (all < BUFFER_HEADER) return -1;
  u8 *buffer = __heddle_printf_base;
  u32 offset = __atomic_fetch_add((u32 *)buffer, bytes, __ATOMIC_RELAXED), room = all - BUFFER_HEADER;
  if (offset > room || bytes > room - offset) return -1;
  u32 *record = (u32 *)(buffer + BUFFER_HEADER + offset);
  u8 *to = (u8 *)record + RECORD_HEADER;
  for (u32 i = 0; i < argument_room; i += 4) *(u32 *)(to + i) = i < arguments ? *(const u32 *)(packed + i) : 0;
  to += argument_room;
  for (u32 i = 0; i < format_bytes; i++) *to++ = (u8)format[i];
  arguments = 0;
  for (const char *at = format; *at;) {
    if (*at++ != '%') continue;
    conversion c = next_conversion(at, arguments, pointer_bytes);
    if (c.bytes == 0) continue;
    arguments = (arguments + c.bytes - 1) & ~(c.bytes - 1);
    if (c.is_text) {
      const char *text = *(const char *const *)(packed + arguments);
      if (!text) text = null_text;
      do *to++ = (u8)*text; while (*text++);
    }
    arguments += c.bytes;
  }
  record[1] = format_bytes;
  record[2] = arguments;
  record[3] = 0;
  record[0] = bytes;
  return 0;
}

/*
 * One thread of each block adds 1, and that of the first block what is missing to 2^31: the last to arrive turns bit 31
 * over.
 */
DEVICE_FN NOINLINE __attribute__((convergent)) void __heddle_gpu_grid_sync() {
  __nvvm_bar_sync(0);
  if ((__nvvm_read_ptx_sreg_tid_x() | __nvvm_read_ptx_sreg_tid_y() | __nvvm_read_ptx_sreg_tid_z()) == 0) {
    u32 blocks = __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_nctaid_z();
    bool is_first =
        (__nvvm_read_ptx_sreg_ctaid_x() | __nvvm_read_ptx_sreg_ctaid_y() | __nvvm_read_ptx_sreg_ctaid_z()) == 0;
    __nvvm_membar_gl();
    u32 *arrivals = &__heddle_grid_arrivals[__nvvm_read_ptx_sreg_gridid() % GRIDS];
    u32 before = __atomic_fetch_add(arrivals, is_first ? 0x80000000u - (blocks - 1) : 1u, __ATOMIC_RELAXED);
    while (((before ^ *(volatile u32 *)arrivals) & 0x80000000u) == 0) {
    }
    __nvvm_membar_gl();
  }
  __nvvm_bar_sync(0);
}
