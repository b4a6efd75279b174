// Copies of tile mode beside plain loops: random tensors of 1 to 5 dimensions, boxes, steps, swizzles, places outside and
// fills; loads, into two blocks by multicast, stores and sums. For each case it prints a hash of all that the copy has
// written. tiles [FIRST [COUNT]]
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

enum { LOAD, MULTICAST, STORE, SUM, KINDS };
constexpr int SHARED = 48 * 1024;
struct Place { int at[5]; };

__device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
#define PLACE1 "{%3}"
#define PLACE2 "{%3, %4}"
#define PLACE3 "{%3, %4, %5}"
#define PLACE4 "{%3, %4, %5, %6}"
#define PLACE5 "{%3, %4, %5, %6, %7}"
#define COORDINATES(p) "r"((p).at[0]), "r"((p).at[1]), "r"((p).at[2]), "r"((p).at[3]), "r"((p).at[4])
#define COPY(d)                                                                                                      \
  if (mask != 0)                                                                                                     \
    asm volatile("cp.async.bulk.tensor." #d "d.shared::cluster.global.mbarrier::complete_tx::bytes"                  \
                 ".multicast::cluster [%0], [%1, " PLACE##d "], [%2], %8;" ::"r"(to), "l"(map), "r"(barrier),         \
                 COORDINATES(p), "h"(mask) : "memory");                                                              \
  else                                                                                                               \
    asm volatile("cp.async.bulk.prefetch.tensor." #d "d.L2.global [%1, " PLACE##d "];\n"                             \
                 "cp.async.bulk.tensor." #d "d.shared::cluster.global.mbarrier::complete_tx::bytes"                  \
                 " [%0], [%1, " PLACE##d "], [%2];" ::"r"(to), "l"(map), "r"(barrier), COORDINATES(p) : "memory")
__device__ void load(int rank, uint32_t to, const void *map, uint32_t barrier, const Place &p, uint16_t mask) {
  if (rank == 1) { COPY(1); }
  if (rank == 2) { COPY(2); }
  if (rank == 3) { COPY(3); }
  if (rank == 4) { COPY(4); }
  if (rank == 5) { COPY(5); }
}
#define GIVE(d)                                                                                                      \
  if (isSum)                                                                                                         \
    asm volatile("cp.reduce.async.bulk.tensor." #d "d.global.shared::cta.add.tile.bulk_group [%1, " PLACE##d         \
                 "], [%0];" ::"r"(from), "l"(map), "r"(0), COORDINATES(p) : "memory");                               \
  else                                                                                                               \
    asm volatile("cp.async.bulk.tensor." #d "d.global.shared::cta.bulk_group [%1, " PLACE##d "], [%0];"              \
                 ::"r"(from), "l"(map), "r"(0), COORDINATES(p) : "memory")
__device__ void give(int rank, uint32_t from, const void *map, const Place &p, bool isSum) {
  if (rank == 1) { GIVE(1); }
  if (rank == 2) { GIVE(2); }
  if (rank == 3) { GIVE(3); }
  if (rank == 4) { GIVE(4); }
  if (rank == 5) { GIVE(5); }
}

__device__ void loads(const CUtensorMap *map, const Place &place, int rank, uint32_t bytes, uint32_t mask,
                      uint32_t *dump, uint32_t words) {
  extern __shared__ __align__(1024) uint32_t memory[];
  __shared__ __align__(8) unsigned long long barrier;
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) memory[i] = 0xcdcdcdcd;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(at(&barrier)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&barrier)), "r"(bytes) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (mask != 0) asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) load(rank, at(memory), map, at(&barrier), place, (uint16_t)mask);
  uint32_t done = 0;
  while (!done)
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done) : "r"(at(&barrier)) : "memory");
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) dump[blockIdx.x * words + i] = memory[i];
  if (mask != 0) asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
__global__ void one(const __grid_constant__ CUtensorMap map, Place place, int rank, uint32_t bytes, uint32_t *dump,
                    uint32_t words) {
  loads(&map, place, rank, bytes, 0, dump, words);
}
__global__ void __cluster_dims__(2, 1, 1) two(const __grid_constant__ CUtensorMap map, Place place, int rank,
                                              uint32_t bytes, uint32_t *dump, uint32_t words) {
  loads(&map, place, rank, bytes, 3, dump, words);
}
__global__ void stores(const __grid_constant__ CUtensorMap map, Place place, int rank, const uint32_t *from,
                       uint32_t words, bool isSum) {
  extern __shared__ __align__(1024) uint32_t memory[];
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) memory[i] = from[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  give(rank, at(memory), &map, place, isSum);
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

static uint32_t seed;
static int random(int low, int high) {
  seed = seed * 1664525u + 1013904223u;
  return low + (int)((uint64_t)(seed >> 3) * (uint32_t)(high - low + 1) >> 29);
}

struct Case {
  int kind, rank, type, bytes, extent[5], box[5], step[5], swizzle, fill;
  uint64_t stride[5];
  Place place;
  /// Elements of the box that are copied, by its steps.
  int count(int axis) const { return (box[axis] + step[axis] - 1) / step[axis]; }
  int rowBytes() const { return swizzle == 0 ? count(0) * bytes : 16 << swizzle; }
  int rows() const {
    int product = 1;
    for (int i = 1; i < rank; ++i) product *= count(i);
    return product;
  }
};

static const int BYTES[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
/** Only what a GPU does: no row that begins between multiples of 16 bytes, no store to a negative place. */
static Case make(int number) {
  Case c = {};
  seed = (uint32_t)number * 2654435761u + 54321;
  for (int i = 0; i < 4; ++i) random(0, 1);
  c.kind = number % 5 < 2 ? LOAD : number % 5 - 1;
  c.rank = random(1, 5);
  c.type = c.kind == SUM ? 2 : random(0, 9);
  c.bytes = BYTES[c.type];
  const bool gives = c.kind == STORE || c.kind == SUM;
  const int chunk = 16 / c.bytes;
  c.swizzle = random(0, 3);
  // With a swizzle a row is at most its span.
  c.box[0] = chunk * random(1, c.swizzle == 0 ? 6 : 1 << c.swizzle);
  if (c.box[0] > 256) c.box[0] = 256 / chunk * chunk;
  c.step[0] = 1;
  c.extent[0] = gives ? chunk * random(1, 6) : random(1, 6 * chunk);
  c.place.at[0] = chunk * random(gives ? 0 : -2, 4);
  int left = SHARED / (c.swizzle == 0 ? c.box[0] * c.bytes : 16 << c.swizzle);
  if (left > 256) left = 256;
  for (int axis = 1; axis < c.rank; ++axis) {
    c.extent[axis] = random(1, axis == 1 ? 40 : 7);
    c.step[axis] = gives || random(0, 1) ? 1 : random(1, 4);
    int most = left < 16 ? left : 16;
    c.box[axis] = random(1, most < 1 ? 1 : most);
    left /= c.count(axis);
    c.place.at[axis] = random(gives ? 0 : -c.box[axis], c.extent[axis]);
  }
  // The last bytes of a line that is not whole chunks of 16 belong to nothing.
  c.stride[0] = (uint64_t)((c.extent[0] * c.bytes + 15) / 16 + random(0, 1)) * 16;
  for (int axis = 1; axis < c.rank; ++axis)
    c.stride[axis] = c.stride[axis - 1] * (uint64_t)c.extent[axis] + 16 * (uint64_t)random(0, 1);
  c.fill = c.type >= 6 && !gives && random(0, 1);
  return c;
}

static uint32_t swizzled(uint32_t address, int swizzle) {
  return swizzle == 0 ? address : address ^ ((address >> 7) & ((1u << swizzle) - 1)) << 4;
}
/** Where element `x` of row number `row` lies in the tensor, in bytes; -1: outside. */
static int64_t element(const Case &c, int row, int x) {
  int64_t place = (int64_t)(c.place.at[0] + x) * c.bytes;
  bool isInside = c.place.at[0] + x >= 0 && c.place.at[0] + x < c.extent[0];
  for (int axis = 1; axis < c.rank; ++axis) {
    const int at = c.place.at[axis] + row % c.count(axis) * c.step[axis];
    row /= c.count(axis);
    isInside = isInside && at >= 0 && at < c.extent[axis];
    place += (int64_t)at * (int64_t)c.stride[axis - 1];
  }
  return isInside ? place : -1;
}
/// What a GPU reads outside: a NaN of all types, 7ff7 in each 16 bits.
static uint8_t nan_byte(int b) { return b % 2 ? 0x7f : 0xf7; }

static uint32_t hash_of(const std::vector<uint8_t> &bytes) {
  uint32_t hash = 2166136261u;
  for (uint8_t b : bytes) hash = (hash ^ b) * 16777619u;
  return hash;
}
#define MUST(call)                                                                                                   \
  if (int status = (int)(call)) {                                                                                    \
    printf("case %d: status %d at line %d\n", number, status, __LINE__);                                             \
    exit(2);                                                                                                         \
  }

/** What a load leaves in shared memory: beyond the elements of a row a swizzle's row has chunks that nothing writes. */
static void expect_load(const Case &c, const std::vector<uint8_t> &tensor, std::vector<uint8_t> &shared) {
  for (int row = 0; row < c.rows(); ++row)
    for (int x = 0; x < c.count(0); ++x) {
      const int64_t from = element(c, row, x);
      for (int b = 0; b < c.bytes; ++b)
        shared[swizzled((uint32_t)(row * c.rowBytes() + x * c.bytes + b), c.swizzle)] =
            from >= 0 ? tensor[(size_t)from + b] : c.fill ? nan_byte(b) : 0;
    }
}
static void expect_store(const Case &c, const std::vector<uint8_t> &shared, std::vector<uint8_t> &tensor) {
  for (int row = 0; row < c.rows(); ++row)
    for (int x = 0; x < c.count(0); ++x) {
      const int64_t to = element(c, row, x);
      if (to < 0) continue;
      uint8_t value[8];
      for (int b = 0; b < c.bytes; ++b)
        value[b] = shared[swizzled((uint32_t)(row * c.rowBytes() + x * c.bytes + b), c.swizzle)];
      if (c.kind == SUM) {
        uint32_t x, y;
        memcpy(&x, value, 4);
        memcpy(&y, &tensor[(size_t)to], 4);
        x += y;
        memcpy(value, &x, 4);
      }
      memcpy(&tensor[(size_t)to], value, (size_t)c.bytes);
    }
}

static bool run(int number, const Case &c) {
  const int last = c.rank - 1, bytes = c.rows() * c.count(0) * c.bytes;
  const uint32_t tensorBytes = (uint32_t)c.stride[last], words = (uint32_t)(c.rows() * c.rowBytes() + 3) / 4;
  std::vector<uint8_t> tensor(tensorBytes), shared(words * 4, 0xcd), got, expected;
  seed = number;
  for (auto &b : tensor) b = (uint8_t)random(1, 255);
  uint8_t *global;
  uint32_t *dump;
  MUST(cudaMalloc(&global, tensorBytes));
  MUST(cudaMalloc(&dump, words * 8));
  MUST(cudaMemcpy(global, tensor.data(), tensorBytes, cudaMemcpyHostToDevice));
  CUtensorMap map;
  cuuint64_t extents[5], strides[4];
  cuuint32_t boxes[5], steps[5];
  for (int i = 0; i < c.rank; ++i) {
    extents[i] = (cuuint64_t)c.extent[i];
    boxes[i] = (cuuint32_t)c.box[i];
    steps[i] = (cuuint32_t)c.step[i];
    if (i < last) strides[i] = c.stride[i];
  }
  MUST(cuTensorMapEncodeTiled(&map, (CUtensorMapDataType)c.type, (cuuint32_t)c.rank, global, extents, strides, boxes,
                              steps, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)c.swizzle,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)c.fill));
  if (c.kind == LOAD || c.kind == MULTICAST) {
    const int blocks = c.kind == LOAD ? 1 : 2;
    if (blocks == 1) one<<<1, 64, SHARED>>>(map, c.place, c.rank, (uint32_t)bytes, dump, words);
    else two<<<2, 64, SHARED>>>(map, c.place, c.rank, (uint32_t)bytes, dump, words);
    MUST(cudaDeviceSynchronize());
    got.resize(words * 4 * (size_t)blocks);
    MUST(cudaMemcpy(got.data(), dump, got.size(), cudaMemcpyDeviceToHost));
    expect_load(c, tensor, shared);
    for (int b = 0; b < blocks; ++b) expected.insert(expected.end(), shared.begin(), shared.end());
  } else {
    for (auto &b : shared) b = (uint8_t)random(0, 255);
    MUST(cudaMemcpy(dump, shared.data(), shared.size(), cudaMemcpyHostToDevice));
    stores<<<1, 64, SHARED>>>(map, c.place, c.rank, dump, words, c.kind == SUM);
    MUST(cudaDeviceSynchronize());
    got.resize(tensorBytes);
    MUST(cudaMemcpy(got.data(), global, tensorBytes, cudaMemcpyDeviceToHost));
    expected = tensor;
    expect_store(c, shared, expected);
  }
  MUST(cudaFree(global));
  MUST(cudaFree(dump));
  const bool isRight = got == expected;
  static const char *const names[] = {"load", "multicast", "store", "sum"};
  printf("%d %s %dd %08x %s\n", number, names[c.kind], c.rank, hash_of(got), isRight ? "right" : "WRONG");
  return isRight;
}

int main(int count, char **arguments) {
  const int first = count > 1 ? atoi(arguments[1]) : 0, cases = count > 2 ? atoi(arguments[2]) : 60;
  int wrong = 0;
  for (auto kernel : {(const void *)one, (const void *)two, (const void *)stores})
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
  for (int i = first; i < first + cases; ++i) wrong += !run(i, make(i));
  printf("%d cases, %d wrong\n", cases, wrong);
  return wrong != 0;
}
