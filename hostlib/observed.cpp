// Linked into programs that `heddle check` runs (docs/host-abi.md, "Observed programs"): they report their allocations,
// and their accesses to memory that the device works on. Other programs contain none of it.
#include <stddef.h>

extern "C" {
void __heddle_host_freed(void *pointer);
void __heddle_host_accessed(void *pointer, unsigned bytes, unsigned writes);

void __real_free(void *pointer);
void __wrap_free(void *pointer) {
  if (pointer) __heddle_host_freed(pointer);
  __real_free(pointer);
}

// A range around all memory that the device works on: [start, start + bytes). The runtime checks more exactly.
static size_t watchedStart, watchedBytes;
void __heddle_watch_host(size_t start, size_t bytes) {
  watchedStart = start;
  watchedBytes = bytes;
}

// Device memory lies at this address or above it, and no memory lies below the end of the null page.
static size_t deviceStart = ~(size_t)0;
static const size_t nullPageBytes = 65536;
void __heddle_watch_device(size_t start) { deviceStart = start; }

static bool isWatched(size_t start) {
  return start - watchedStart < watchedBytes || start >= deviceStart || start < nullPageBytes;
}

// Called by code that Clang compiles with -fsanitize-coverage=trace-loads,trace-stores.
#define ACCESS(name, bytes, writes) \
  void name(void *pointer) { \
    if (isWatched((size_t)pointer)) __heddle_host_accessed(pointer, bytes, writes); \
  }
ACCESS(__sanitizer_cov_load1, 1, 0)
ACCESS(__sanitizer_cov_load2, 2, 0)
ACCESS(__sanitizer_cov_load4, 4, 0)
ACCESS(__sanitizer_cov_load8, 8, 0)
ACCESS(__sanitizer_cov_load16, 16, 0)
ACCESS(__sanitizer_cov_store1, 1, 1)
ACCESS(__sanitizer_cov_store2, 2, 1)
ACCESS(__sanitizer_cov_store4, 4, 1)
ACCESS(__sanitizer_cov_store8, 8, 1)
ACCESS(__sanitizer_cov_store16, 16, 1)

// Accesses inside the C library, such as those of printf's %s.
static void accessed(const void *pointer, size_t bytes, unsigned writes) {
  size_t start = (size_t)pointer;
  bool meets = start < watchedStart + watchedBytes && start + bytes > watchedStart;
  if (bytes > 0 && (meets || isWatched(start)))
    __heddle_host_accessed((void*)pointer, bytes, writes);
}
void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int value, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes) {
  accessed(from, bytes, 0);
  accessed(to, bytes, 1);
  return __real_memcpy(to, from, bytes);
}
void *__wrap_memmove(void *to, const void *from, size_t bytes) {
  accessed(from, bytes, 0);
  accessed(to, bytes, 1);
  return __real_memmove(to, from, bytes);
}
void *__wrap_memset(void *to, int value, size_t bytes) {
  accessed(to, bytes, 1);
  return __real_memset(to, value, bytes);
}
}
