/*
 * The CUDA device runtime on a GPU: launches, copies, streams and events of kernels by NVIDIA's library,
 * libcudadevrt.a. Calls of `cudaLaunchDevice` become calls of `__heddle_gpu_cudaLaunchDevice` only where PTX is made of
 * a program. The functions `__heddle_runtime_…` are those of NVIDIA's library (src/ptx/emit/device-runtime.ts).
 *
 * A launch in device code is written by Clang for the first generation of dynamic parallelism: a buffer, stores of the
 * arguments, cudaLaunchDevice. The second asks for the kernel and the sizes of the grid when it hands out the buffer.
 * So the arguments are written to memory of the thread (src/ptx/passes/pass-launch-buffers.ts), and from there to the
 * buffer, which lies anywhere: no pointer of 32 bits would reach it.
 */
#include "prelude.h"

struct extent { u32 x, y, z; };

extern "C" {
/* The buffer's address; 0: there is none. */
DEVICE u64 __heddle_runtime_buffer(void *kernel, u32 grid_x, u32 grid_y, u32 grid_z, u32 block_x, u32 block_y,
                                   u32 block_z, u32 shared_bytes);
DEVICE void __heddle_runtime_store(u64 address, u32 value);
DEVICE void __heddle_runtime_store_byte(u64 address, u32 value);
DEVICE u32 __heddle_runtime_launch(u64 buffer, u64 stream);
DEVICE u32 __heddle_runtime_copy(void *to, const void *from, u64 bytes, u32 kind, u64 stream);
DEVICE u32 __heddle_runtime_fill(void *to, u32 value, u64 bytes, u64 stream);
DEVICE u32 __heddle_runtime_new_stream(u64 *stream, u32 flags);
DEVICE u32 __heddle_runtime_new_event(u64 *event, u32 flags);
DEVICE u32 __heddle_runtime_end_stream(u64 stream);
DEVICE u32 __heddle_runtime_end_event(u64 event);
DEVICE u32 __heddle_runtime_record(u64 event, u64 stream);
DEVICE u32 __heddle_runtime_wait(u64 stream, u64 event, u32 flags);
DEVICE u32 __heddle_runtime_last_error();
DEVICE u32 __heddle_runtime_peek_error();
}

constexpr u32 SUCCESS = 0, MEMORY_ALLOCATION = 2, PENDING_COUNT = 69;
/* In front of the arguments: how many bytes they have. */
constexpr u32 HEADER_BYTES = 64;

/*
 * Streams and events are numbers of 64 bits to NVIDIA's library. A program with pointers of 32 bits gets the number of
 * a place in a table. The oldest place is used again: a grid's streams and events end with it.
 */
constexpr u32 HANDLES = 1u << 16, FIRST_HANDLE = 16;
static DEVICE u64 handles[sizeof(word) == 8 ? 1 : HANDLES];
static DEVICE u32 handle_count;

INLINE void *handle_of(u64 given) {
  if (sizeof(word) == 8) return (void *)(word)given;
  u32 place = __atomic_fetch_add(&handle_count, 1, __ATOMIC_RELAXED) % HANDLES;
  __atomic_store_n(&handles[place], given, __ATOMIC_RELAXED);
  return (void *)(word)(FIRST_HANDLE + place);
}
/* Streams with names of their own (cudaStreamTailLaunch) are the numbers below the first handle. */
INLINE u64 given_of(const void *handle) {
  word number = (word)handle;
  if (sizeof(word) == 8 || number < FIRST_HANDLE) return number;
  return __atomic_load_n(&handles[(u32)(number - FIRST_HANDLE) % HANDLES], __ATOMIC_RELAXED);
}

DEVICE_FN NOINLINE u32 __heddle_gpu_cudaLaunchDevice(void *kernel, const u8 *arguments, extent grid, extent block,
                                                     u32 shared_bytes, void *stream) {
  u64 buffer = __heddle_runtime_buffer(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes);
  if (buffer == 0) {
    u32 error = __heddle_runtime_peek_error();
    return error == SUCCESS ? PENDING_COUNT : error;
  }
  u32 bytes = *(const u32 *)(arguments - HEADER_BYTES), at = 0;
  for (; at + 4 <= bytes; at += 4) __heddle_runtime_store(buffer + at, *(const u32 *)(arguments + at));
  for (; at < bytes; at++) __heddle_runtime_store_byte(buffer + at, arguments[at]);
  return __heddle_runtime_launch(buffer, given_of(stream));
}
DEVICE_FN NOINLINE u32 __heddle_gpu_cudaMemcpyAsync(void *to, const void *from, __SIZE_TYPE__ bytes, u32 kind,
                                                    void *stream) {
  return __heddle_runtime_copy(to, from, bytes, kind, given_of(stream));
}
DEVICE_FN NOINLINE u32 __heddle_gpu_cudaMemsetAsync(void *to, i32 value, __SIZE_TYPE__ bytes, void *stream) {
  return __heddle_runtime_fill(to, (u32)value, bytes, given_of(stream));
}

DEVICE_FN NOINLINE u32 __heddle_gpu_cudaStreamCreateWithFlags(void **stream, u32 flags) {
  u64 given = 0;
  u32 error = __heddle_runtime_new_stream(&given, flags);
  if (error == SUCCESS) *stream = handle_of(given);
  return error;
}
DEVICE_FN NOINLINE u32 __heddle_gpu_cudaEventCreateWithFlags(void **event, u32 flags) {
  u64 given = 0;
  u32 error = __heddle_runtime_new_event(&given, flags);
  if (error == SUCCESS) *event = handle_of(given);
  return error;
}
DEVICE_FN NOINLINE u32 __heddle_gpu_cudaStreamDestroy(void *stream) {
  return __heddle_runtime_end_stream(given_of(stream));
}
DEVICE_FN NOINLINE u32 __heddle_gpu_cudaEventDestroy(void *event) {
  return __heddle_runtime_end_event(given_of(event));
}
DEVICE_FN NOINLINE u32 __heddle_gpu_cudaEventRecord(void *event, void *stream) {
  return __heddle_runtime_record(given_of(event), given_of(stream));
}
DEVICE_FN NOINLINE u32 __heddle_gpu_cudaStreamWaitEvent(void *stream, void *event, u32 flags) {
  return __heddle_runtime_wait(given_of(stream), given_of(event), flags);
}

/* The device heap is Heddle's own (heap.cu), with pointers that the program can hold. */
extern "C" DEVICE void *malloc(__SIZE_TYPE__);
extern "C" DEVICE void free(void *);
DEVICE_FN NOINLINE u32 __heddle_gpu_cudaMalloc(void **pointer, __SIZE_TYPE__ bytes) {
  *pointer = malloc(bytes);
  return *pointer == nullptr && bytes != 0 ? MEMORY_ALLOCATION : SUCCESS;
}
DEVICE_FN NOINLINE u32 __heddle_gpu_cudaFree(void *pointer) {
  free(pointer);
  return SUCCESS;
}

DEVICE_FN u32 __heddle_gpu_cudaGetLastError() { return __heddle_runtime_last_error(); }
DEVICE_FN u32 __heddle_gpu_cudaPeekAtLastError() { return __heddle_runtime_peek_error(); }
