// malloc and its kin, which tell the runtime what fails, and in observed programs what succeeds (docs/host-abi.md).
#include <stddef.h>

extern "C" {
void __heddle_allocation_failed(double bytes);
void __heddle_host_allocated(void *pointer, size_t bytes);
void __heddle_host_freed(void *pointer);

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *pointer, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **out, size_t alignment, size_t bytes);
void free(void *pointer);

static bool isObserved = false;
void __heddle_observe() { isObserved = true; }

static void *made(void *pointer, double bytes) {
  if (!pointer && bytes > 0) __heddle_allocation_failed(bytes);
  if (pointer && isObserved) __heddle_host_allocated(pointer, (size_t)bytes);
  return pointer;
}

void *__wrap_malloc(size_t bytes) { return made(__real_malloc(bytes), bytes); }
void *__wrap_calloc(size_t count, size_t bytes) { return made(__real_calloc(count, bytes), (double)count * bytes); }
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return made(__real_aligned_alloc(alignment, bytes), bytes);
}
void *__wrap_realloc(void *pointer, size_t bytes) {
  void *moved = __real_realloc(pointer, bytes);
  if (moved && pointer && isObserved) __heddle_host_freed(pointer);
  return made(moved, bytes);
}
int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes) {
  int error = __real_posix_memalign(out, alignment, bytes);
  made(error ? nullptr : *out, bytes);
  return error;
}

// The runtime's own allocations are not the program's.
void *__heddle_malloc(size_t bytes) { return __real_malloc(bytes); }
void __heddle_free(void *pointer) { free(pointer); }
}
