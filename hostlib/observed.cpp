// Linked into programs that `heddle check` runs (docs/host-abi.md, "Observed programs"): they report their allocations,
// and their accesses to memory that the device works on. Other programs contain none of it.
#include <stddef.h>

extern "C" {
void __heddle_host_allocated(void *pointer, size_t bytes);
void __heddle_host_freed(void *pointer);
void __heddle_host_accessed(void *pointer, unsigned bytes, unsigned writes);

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *pointer, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **out, size_t alignment, size_t bytes);
void __real_free(void *pointer);

static void *reported(void *pointer, size_t bytes) {
  if (pointer) __heddle_host_allocated(pointer, bytes);
  return pointer;
}

void *__wrap_malloc(size_t bytes) { return reported(__real_malloc(bytes), bytes); }
void *__wrap_calloc(size_t count, size_t bytes) { return reported(__real_calloc(count, bytes), count * bytes); }
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return reported(__real_aligned_alloc(alignment, bytes), bytes);
}
void *__wrap_realloc(void *pointer, size_t bytes) {
  void *moved = __real_realloc(pointer, bytes);
  if (moved && pointer) __heddle_host_freed(pointer);
  return reported(moved, bytes);
}
int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes) {
  int error = __real_posix_memalign(out, alignment, bytes);
  if (!error) reported(*out, bytes);
  return error;
}
void __wrap_free(void *pointer) {
  if (pointer) __heddle_host_freed(pointer);
  __real_free(pointer);
}

// The runtime's own allocations are not the program's.
void *__heddle_malloc(size_t bytes) { return __real_malloc(bytes); }
void __heddle_free(void *pointer) { __real_free(pointer); }

// A range around all memory that the device works on: [start, start + bytes). The runtime checks more exactly.
static size_t watchedStart, watchedBytes;
void __heddle_watch_host(size_t start, size_t bytes) {
  watchedStart = start;
  watchedBytes = bytes;
}

// Called by code that Clang compiles with -fsanitize-coverage=trace-loads,trace-stores.
#define ACCESS(name, bytes, writes) \
  void name(void *pointer) { \
    if ((size_t)pointer - watchedStart < watchedBytes) __heddle_host_accessed(pointer, bytes, writes); \
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
  if (bytes > 0 && start < watchedStart + watchedBytes && start + bytes > watchedStart)
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
