/*
 * The CUDA device runtime: launches, copies and fills that a kernel queues, its last errors, its waiting for what it
 * has launched ("CUDA Dynamic Parallelism" in the CUDA C++ Programming Guide).
 *
 * A kernel writes records into a region that the device hands over (src/device/emulated/child-grids.ts, which has the
 * same layouts). They run when the grid has ended, or when a thread waits for them. That is an order that CUDA allows:
 * nothing that a grid launches needs to begin before the grid ends or waits.
 */
#include "prelude.h"

extern "C" {
DEVICE word __heddle_launches = 0; /* a struct region; 0: there is none */
}
/* Runs what is queued; false: a fault ended it. */
DEVICE_FN u32 __heddle_run_child_grids() __attribute__((convergent));

/* cudaError_t */
constexpr u32 SUCCESS = 0, INVALID_VALUE = 1, MEMORY_ALLOCATION = 2, INVALID_CONFIGURATION = 9,
              INVALID_DEVICE_FUNCTION = 98, MAX_DEPTH = 65, SYNC_DEPTH = 68, PENDING_COUNT = 69;
constexpr u32 GRID = 0, COPY = 1, FILL = 2;
constexpr u32 DEEPEST = 24;

struct extent { u32 x, y, z; };
struct record {
  u32 kind, function;
  extent grid, block;
  u32 shared_bytes, stream;
  u32 parent; /* the block that launches, x fastest */
  u32 bytes;  /* of what follows */
  u32 unused[4];
};
static_assert(sizeof(record) == 64, "parameters begin at a multiple of 64");
struct failure { u32 block, thread, error, unused; };
struct kernel_limits { u32 threads, shared_bytes; };
struct region {
  u32 used, open; /* bytes of records; buffers of parameters that are not launched yet */
  u32 count, slots;
  u32 failures, failure_slots;
  u32 depth, sync_depth;
  extent most_grid, most_block;
  u32 most_threads, handles;
  u32 records, record_bytes, list, failure_list, kernels, kernel_count; /* distances from here; sizes */
};

INLINE region* here() { return (region*)__heddle_launches; }
template <class T> INLINE T* at(region* r, u32 distance) { return (T*)((u8*)r + distance); }
INLINE u32 load(u32* p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
INLINE u32 add(u32* p, u32 n) { return __atomic_fetch_add(p, n, __ATOMIC_RELAXED); }

#define SREG(name) ((u32)__nvvm_read_ptx_sreg_##name())
INLINE u32 own_block() { return SREG(ctaid_x) + SREG(nctaid_x) * (SREG(ctaid_y) + SREG(nctaid_y) * SREG(ctaid_z)); }
INLINE u32 own_thread() { return SREG(tid_x) + SREG(ntid_x) * (SREG(tid_y) + SREG(ntid_y) * SREG(tid_z)); }

/* The entry of this thread; null: it has none. */
static DEVICE NOINLINE failure* own_failure(region* r) {
  u32 most = load(&r->failures), block = own_block(), thread = own_thread();
  most = most < r->failure_slots ? most : r->failure_slots;
  failure* list = at<failure>(r, r->failure_list);
  for (u32 i = 0; i < most; i++)
    if (list[i].error != 0 && list[i].block == block && list[i].thread == thread) return &list[i];
  return nullptr;
}
static DEVICE NOINLINE u32 fail(region* r, u32 error) {
  failure* mine = own_failure(r);
  if (mine == nullptr) {
    u32 slot = add(&r->failures, 1);
    if (slot >= r->failure_slots) return error;
    mine = &at<failure>(r, r->failure_list)[slot];
    mine->block = own_block(), mine->thread = own_thread();
  }
  mine->error = error;
  return error;
}
DEVICE_FN NOINLINE u32 cudaPeekAtLastError() {
  region* r = here();
  if (r == nullptr || load(&r->failures) == 0) return SUCCESS;
  failure* mine = own_failure(r);
  return mine == nullptr ? SUCCESS : mine->error;
}
DEVICE_FN NOINLINE u32 cudaGetLastError() {
  region* r = here();
  if (r == nullptr || load(&r->failures) == 0) return SUCCESS;
  failure* mine = own_failure(r);
  u32 error = mine == nullptr ? SUCCESS : mine->error;
  if (mine != nullptr) mine->error = SUCCESS;
  return error;
}

/* A record with room for `bytes` behind it; null: the region is full. */
static DEVICE NOINLINE record* take_record(region* r, u32 bytes) {
  u32 size = (u32)sizeof(record) + ((bytes + 63) & ~63u), start = load(&r->used);
  for (;;) {
    if (bytes > r->record_bytes || start + size > r->record_bytes) return nullptr;
    if (__atomic_compare_exchange_n(&r->used, &start, start + size, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
  }
  record* made = at<record>(r, r->records + start);
  made->bytes = bytes;
  made->parent = own_block();
  return made;
}
static DEVICE NOINLINE u32 queue(region* r, record* what) {
  u32 slot = add(&r->count, 1);
  if (slot >= r->slots) {
    add(&r->count, ~0u);
    return fail(r, PENDING_COUNT);
  }
  at<u32>(r, r->list)[slot] = (u32)((u8*)what - (u8*)r);
  return SUCCESS;
}

DEVICE_FN NOINLINE void* cudaGetParameterBuffer(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size) {
  region* r = here();
  record* made = alignment > 64 ? nullptr : take_record(r, (u32)size);
  if (made == nullptr) {
    fail(r, alignment > 64 ? INVALID_VALUE : PENDING_COUNT);
    return nullptr;
  }
  add(&r->open, 1);
  made->kind = GRID;
  return made + 1;
}

INLINE bool fits(extent given, extent most) {
  return given.x - 1 < most.x && given.y - 1 < most.y && given.z - 1 < most.z;
}
INLINE u32 error_of(region* r, u32 function, extent grid, extent block, u32 shared_bytes) {
  if (function == 0 || function >= r->kernel_count) return INVALID_DEVICE_FUNCTION;
  kernel_limits limits = at<kernel_limits>(r, r->kernels)[function];
  if (limits.threads == 0) return INVALID_DEVICE_FUNCTION;
  if (!fits(grid, r->most_grid) || !fits(block, r->most_block)) return INVALID_CONFIGURATION;
  u32 threads = block.x * block.y * block.z;
  if (threads > r->most_threads) return INVALID_CONFIGURATION;
  if (threads > limits.threads || shared_bytes > limits.shared_bytes) return INVALID_VALUE;
  return r->depth + 1 > DEEPEST ? MAX_DEPTH : SUCCESS;
}
DEVICE_FN NOINLINE u32 cudaLaunchDevice(void* function, void* buffer, extent grid, extent block, u32 shared_bytes,
                                        void* stream) {
  region* r = here();
  if (buffer == nullptr) return fail(r, INVALID_VALUE);
  add(&r->open, ~0u);
  u32 error = error_of(r, (u32)(word)function, grid, block, shared_bytes);
  if (error != SUCCESS) return fail(r, error);
  record* made = (record*)buffer - 1;
  made->function = (u32)(word)function;
  made->grid = grid, made->block = block;
  made->shared_bytes = shared_bytes, made->stream = (u32)(word)stream;
  return queue(r, made);
}

DEVICE_FN NOINLINE __attribute__((convergent)) u32 cudaDeviceSynchronize() {
  region* r = here();
  if (r->depth >= r->sync_depth) return fail(r, SYNC_DEPTH);
  __heddle_run_child_grids();
  return SUCCESS;
}

/* What a copy or a fill writes, reads or repeats, and how much. */
struct transfer { u32 destination, source, bytes, unused; };
static DEVICE NOINLINE u32 queue_transfer(u32 kind, const void* destination, u32 source, u32 bytes, void* stream) {
  region* r = here();
  if (bytes == 0) return SUCCESS;
  record* made = take_record(r, sizeof(transfer));
  if (made == nullptr) return fail(r, PENDING_COUNT);
  made->kind = kind;
  made->stream = (u32)(word)stream;
  *(transfer*)(made + 1) = {(u32)(word)destination, source, bytes, 0};
  return queue(r, made);
}
DEVICE_FN NOINLINE u32 cudaMemcpyAsync(void* to, const void* from, __SIZE_TYPE__ bytes, u32 kind, void* stream) {
  constexpr u32 DEVICE_TO_DEVICE = 3, DEFAULT = 4;
  if (kind != DEVICE_TO_DEVICE && kind != DEFAULT) return fail(here(), 21 /* cudaErrorInvalidMemcpyDirection */);
  return queue_transfer(COPY, to, (u32)(word)from, (u32)bytes, stream);
}
DEVICE_FN NOINLINE u32 cudaMemsetAsync(void* to, i32 value, __SIZE_TYPE__ bytes, void* stream) {
  return queue_transfer(FILL, to, (u32)value & 255, (u32)bytes, stream);
}

/* What is queued runs in the order of its queue, so that streams and events have nothing to do. */
INLINE u32 new_handle(void** handle) {
  *handle = (void*)(word)(16 + add(&here()->handles, 1));
  return SUCCESS;
}
DEVICE_FN NOINLINE u32 cudaStreamCreateWithFlags(void** stream, u32 flags) {
  return flags == 1 /* cudaStreamNonBlocking */ ? new_handle(stream) : fail(here(), INVALID_VALUE);
}
DEVICE_FN NOINLINE u32 cudaEventCreateWithFlags(void** event, u32 flags) {
  return flags == 2 /* cudaEventDisableTiming */ ? new_handle(event) : fail(here(), INVALID_VALUE);
}
DEVICE_FN u32 cudaStreamDestroy(void*) { return SUCCESS; }
DEVICE_FN u32 cudaEventDestroy(void*) { return SUCCESS; }
DEVICE_FN u32 cudaEventRecord(void*, void*) { return SUCCESS; }
DEVICE_FN u32 cudaStreamWaitEvent(void*, void*, u32) { return SUCCESS; }

extern "C" DEVICE void* malloc(__SIZE_TYPE__);
extern "C" DEVICE void free(void*);
DEVICE_FN NOINLINE u32 cudaMalloc(void** pointer, __SIZE_TYPE__ bytes) {
  *pointer = malloc(bytes);
  return *pointer == nullptr && bytes != 0 ? fail(here(), MEMORY_ALLOCATION) : SUCCESS;
}
DEVICE_FN NOINLINE u32 cudaFree(void* pointer) {
  free(pointer);
  return SUCCESS;
}

/* The errors that functions of the device runtime return. */
#define ERRORS(E)                                                                                                     \
  E(0, "cudaSuccess", "no error")                                                                                     \
  E(1, "cudaErrorInvalidValue", "invalid argument")                                                                   \
  E(2, "cudaErrorMemoryAllocation", "out of memory")                                                                  \
  E(9, "cudaErrorInvalidConfiguration", "invalid configuration argument")                                             \
  E(21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy")                                       \
  E(65, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches") \
  E(68, "cudaErrorSyncDepthExceeded",                                                                                 \
    "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth")                  \
  E(69, "cudaErrorLaunchPendingCountExceeded",                                                                        \
    "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount")                                \
  E(98, "cudaErrorInvalidDeviceFunction", "invalid device function")                                                  \
  E(701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch")
#define NAME(code, name, text) case code: return name;
#define TEXT(code, name, text) case code: return text;
DEVICE_FN NOINLINE const char* cudaGetErrorName(u32 error) {
  switch (error) { ERRORS(NAME) default: return "unrecognized error code"; }
}
DEVICE_FN NOINLINE const char* cudaGetErrorString(u32 error) {
  switch (error) { ERRORS(TEXT) default: return "unrecognized error code"; }
}
