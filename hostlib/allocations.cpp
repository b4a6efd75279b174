// malloc and its kin, which tell the runtime what fails, and in observed programs what succeeds (docs/host-abi.md).
#include <errno.h>
#include <new>
#include <stddef.h>
#include <stdlib.h>

extern "C" {
void __heddle_allocation_failed(double bytes);
void __heddle_host_allocated(void *pointer, size_t bytes);
void __heddle_host_freed(void *pointer);

size_t malloc_usable_size(void *pointer);
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *pointer, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **out, size_t alignment, size_t bytes);

// Sizes that have lost bits (src/runtime/host/host-guard.ts).
static const unsigned refusedSizes = 8;
static size_t refused[refusedSizes];
static unsigned refusedCount = 0;
void __heddle_refuse(size_t bytes) { refused[refusedCount++ % refusedSizes] = bytes; }
static bool mayGive(size_t bytes) {
  for (unsigned i = 0; i < refusedCount && i < refusedSizes; i++)
    if (refused[i] == bytes) return false;
  return true;
}

// Memory that host and device have at one address lies below 4 GiB. So an allocation that would cross this border
// begins behind it, where the memory can have so much, and the runtime may use what is left before.
static size_t gapStart = 0, gapEnd = 0;
size_t __heddle_gap_start() { return gapStart; }
size_t __heddle_gap_end() { return gapEnd; }
static void leaveGap(size_t bytes) {
#if __SIZEOF_POINTER__ == 8
  const size_t page = 65536, border = (size_t)1 << 32, mostMemory = (size_t)1 << 34;
  size_t end = __builtin_wasm_memory_size(0) * page;
  if (end >= border || bytes < border - end || bytes > mostMemory - border) return;
  // And a page behind it: an engine whose memories end there gives none, and the gap would be lost.
  if (__builtin_wasm_memory_grow(0, (border - end) / page + 1) == (size_t)-1) return;
  gapStart = end;
  gapEnd = border;
#endif
}

static bool isObserved = false;
void __heddle_observe() { isObserved = true; }

static void *made(void *pointer, double bytes) {
  if (!pointer && bytes > 0) {
    __heddle_allocation_failed(bytes);
    errno = ENOMEM;
  }
  if (pointer && isObserved) __heddle_host_allocated(pointer, (size_t)bytes);
  return pointer;
}

void *__wrap_malloc(size_t bytes) {
  if (!mayGive(bytes)) return made(nullptr, bytes);
  leaveGap(bytes);
  return made(__real_malloc(bytes), bytes);
}
void *__wrap_calloc(size_t count, size_t bytes) {
  size_t product;
  if (!__builtin_mul_overflow(count, bytes, &product)) leaveGap(product);
  return made(__real_calloc(count, bytes), (double)count * bytes);
}
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
  // The C library of 64-bit programs refuses what others accept: sizes that are no multiple of the alignment.
  size_t step = alignment < sizeof(void *) ? sizeof(void *) : alignment;
  size_t rounded = (bytes + step - 1) / step * step;
  leaveGap(rounded);
  return made(rounded < bytes ? nullptr : __real_aligned_alloc(step, rounded), bytes);
}
void *__wrap_realloc(void *pointer, size_t bytes) {
  if (!pointer || bytes > malloc_usable_size(pointer)) leaveGap(bytes);
  void *moved = __real_realloc(pointer, bytes);
  if (moved && pointer && isObserved) __heddle_host_freed(pointer);
  return made(moved, bytes);
}
int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes) {
  leaveGap(bytes);
  int error = __real_posix_memalign(out, alignment, bytes);
  made(error ? nullptr : *out, bytes);
  return error;
}

// The runtime's own allocations are not the program's.
void *__heddle_malloc(size_t bytes) {
  leaveGap(bytes);
  return __real_malloc(bytes);
}
void __heddle_free(void *pointer) { free(pointer); }
}

// The C++ library's own abort where they should throw: it was built without exceptions. A program's own replace these.
#define REPLACEABLE __attribute__((weak))
REPLACEABLE void *operator new(size_t bytes) {
  for (;;) {
    if (void *pointer = malloc(bytes ? bytes : 1)) return pointer;
    std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}
REPLACEABLE void *operator new[](size_t bytes) { return operator new(bytes); }
REPLACEABLE void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  try {
    return operator new(bytes);
  } catch (...) {
    return nullptr;
  }
}
REPLACEABLE void *operator new[](size_t bytes, const std::nothrow_t &nothrow) noexcept {
  return operator new(bytes, nothrow);
}
