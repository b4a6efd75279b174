// Copies of im2col mode beside plain loops: random tensors of 3 to 5 dimensions, boxes, steps, pixels, channels, swizzles
// and fills; loads with offsets, into two blocks by multicast, stores and sums. For each case it prints a hash of all
// that the copy has written. im2col [FIRST [COUNT]]
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

enum { LOAD, MULTICAST, STORE, SUM, KINDS };
constexpr int SHARED = 48 * 1024;
struct Place { int at[5]; uint16_t offset[3]; };

__device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
#define PLACE3 "{%3, %4, %5}"
#define PLACE4 "{%3, %4, %5, %6}"
#define PLACE5 "{%3, %4, %5, %6, %7}"
#define OFFSETS3 "{%8}"
#define OFFSETS4 "{%8, %9}"
#define OFFSETS5 "{%8, %9, %10}"
#define OPERANDS(p, at)                                                                                              \
  "r"((p).at[0]), "r"((p).at[1]), "r"((p).at[2]), "r"((p).at[3]), "r"((p).at[4]), "h"((p).offset[0]),                \
      "h"((p).offset[1]), "h"((p).offset[2])
#define COPY(d)                                                                                                      \
  if (mask != 0)                                                                                                     \
    asm volatile("cp.async.bulk.tensor." #d "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"           \
                 ".multicast::cluster [%0], [%1, " PLACE##d "], [%2], " OFFSETS##d ", %11;" ::"r"(to), "l"(map),     \
                 "r"(barrier), OPERANDS(p, at), "h"(mask) : "memory");                                               \
  else                                                                                                               \
    asm volatile("cp.async.bulk.prefetch.tensor." #d "d.L2.global.im2col [%1, " PLACE##d "], " OFFSETS##d ";\n"      \
                 "cp.async.bulk.tensor." #d "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"           \
                 " [%0], [%1, " PLACE##d "], [%2], " OFFSETS##d ";" ::"r"(to), "l"(map), "r"(barrier),               \
                 OPERANDS(p, at) : "memory")
__device__ void load(int rank, uint32_t to, const void *map, uint32_t barrier, const Place &p, uint16_t mask) {
  if (rank == 3) { COPY(3); }
  if (rank == 4) { COPY(4); }
  if (rank == 5) { COPY(5); }
}
#define GIVE(d)                                                                                                      \
  if (isSum)                                                                                                         \
    asm volatile("cp.reduce.async.bulk.tensor." #d "d.global.shared::cta.add.im2col_no_offs.bulk_group [%1, " PLACE##d \
                 "], [%0];" ::"r"(from), "l"(map), "r"(0), OPERANDS(p, at) : "memory");                              \
  else                                                                                                               \
    asm volatile("cp.async.bulk.tensor." #d "d.global.shared::cta.im2col_no_offs.bulk_group [%1, " PLACE##d          \
                 "], [%0];" ::"r"(from), "l"(map), "r"(0), OPERANDS(p, at) : "memory")
__device__ void give(int rank, uint32_t from, const void *map, const Place &p, bool isSum) {
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
  int kind, rank, type, bytes, extent[5], lower[3], upper[3], step[5], channels, pixels, swizzle, fill, start[5];
  uint64_t stride[5];
  Place place;
  int positions(int axis) const {
    const int length = extent[axis] + upper[axis - 1] - lower[axis - 1];
    return (length + step[axis] - 1) / step[axis];
  }
  int rowBytes() const { return swizzle == 0 ? channels * bytes : 16 << swizzle; }
};

static const int TYPES[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, BYTES[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
static Case make(int number) {
  Case c = {};
  seed = (uint32_t)number * 2654435761u + 12345;
  for (int i = 0; i < 4; ++i) random(0, 1);
  c.kind = number % 5 < 2 ? LOAD : number % 5 - 1;
  c.rank = random(3, 5);
  c.type = c.kind == SUM ? 2 : TYPES[random(0, 9)];
  c.bytes = BYTES[c.type];
  const bool gives = c.kind == STORE || c.kind == SUM;
  const int chunk = 16 / c.bytes, last = c.rank - 1;
  c.swizzle = random(0, 3);
  c.channels = chunk * (c.swizzle == 0 ? random(1, 256 / chunk < 6 ? 256 / chunk : 6) : random(1, 1 << c.swizzle));
  if (c.swizzle == 3 && c.channels > 8 * chunk) c.channels = 8 * chunk;
  c.channels = c.swizzle == 0 ? c.channels : c.channels % ((1 << c.swizzle) * chunk + 1);
  if (c.channels == 0) c.channels = chunk;
  c.extent[0] = gives ? chunk * random(1, 4) : random(1, 4 * chunk);
  if (c.extent[0] > 200) c.extent[0] = 200 / chunk * chunk;
  const int most = c.rank == 3 ? 40 : c.rank == 4 ? 12 : 6, limit = c.rank == 3 ? 30 : c.rank == 4 ? 9 : 4;
  for (int axis = 1; axis < c.rank; ++axis) {
    c.extent[axis] = random(1, axis == last ? 4 : most);
    c.step[axis] = axis == last || random(0, 1) ? 1 : random(1, 4);
  }
  c.step[0] = 1;
  c.stride[0] = (uint64_t)((c.extent[0] * c.bytes + 15) / 16 + random(0, 1)) * 16;
  for (int axis = 1; axis < last; ++axis) c.stride[axis] = c.stride[axis - 1] * (uint64_t)c.extent[axis] + 16 * (uint64_t)random(0, 1);
  c.place.at[0] = chunk * random(gives ? 0 : -1, 2);
  for (int axis = 1; axis < last; ++axis) {
    int &low = c.lower[axis - 1], &high = c.upper[axis - 1];
    do {
      low = random(gives ? 0 : -limit, limit);
      high = random(-limit, gives ? 0 : limit);
    } while (c.extent[axis] + high - low < 1);
    c.start[axis] = random(0, c.positions(axis) - 1);
    c.place.at[axis] = low + c.start[axis] * c.step[axis];
    c.place.offset[axis - 1] = gives ? 0 : random(0, c.rank == 5 ? 7 : 12);
  }
  c.place.at[last] = c.start[last] = random(gives ? 0 : -1, c.extent[last] - 1);
  c.fill = c.type >= 6 && random(0, 1);
  int fits = SHARED / c.rowBytes();
  c.pixels = random(1, fits > 200 ? 200 : fits);
  return c;
}

static uint32_t swizzled(uint32_t address, int swizzle) {
  return swizzle == 0 ? address : address ^ ((address >> 7) & ((1u << swizzle) - 1)) << 4;
}
/* Where channel `channel` of pixel number `pixel` lies in the tensor, in bytes; -1: outside. */
static int64_t element(const Case &c, int pixel, int channel) {
  const int last = c.rank - 1, x = c.place.at[0] + channel;
  int64_t number = 0, place = (int64_t)x * c.bytes;
  for (int axis = last; axis > 0; --axis) number = axis == last ? c.start[last] + 1 : number * c.positions(axis) + c.start[axis];
  number += pixel;
  bool isInside = x >= 0 && x < c.extent[0];
  for (int axis = 1; axis <= last; ++axis) {
    int at = (int)number - 1;
    if (axis < last) {
      at = c.lower[axis - 1] + (int)(number % c.positions(axis)) * c.step[axis] + c.place.offset[axis - 1];
      number /= c.positions(axis);
    }
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

static bool run(int number, const Case &c) {
  const int last = c.rank - 1, row = c.rowBytes(), bytes = c.pixels * c.channels * c.bytes;
  const uint32_t tensorBytes = (uint32_t)(c.stride[last - 1] * (uint64_t)c.extent[last]), words = (uint32_t)(c.pixels * row + 3) / 4;
  std::vector<uint8_t> tensor(tensorBytes), shared(words * 4, 0xcd), got;
  seed = number;
  for (auto &b : tensor) b = (uint8_t)random(1, 255);
  uint8_t *global;
  uint32_t *dump;
  MUST(cudaMalloc(&global, tensorBytes));
  MUST(cudaMalloc(&dump, words * 8));
  MUST(cudaMemcpy(global, tensor.data(), tensorBytes, cudaMemcpyHostToDevice));
  CUtensorMap map;
  cuuint64_t extents[5], strides[4];
  cuuint32_t steps[5];
  for (int i = 0; i < c.rank; ++i) {
    extents[i] = (cuuint64_t)c.extent[i];
    steps[i] = (cuuint32_t)c.step[i];
    if (i < last) strides[i] = c.stride[i];
  }
  MUST(cuTensorMapEncodeIm2col(&map, (CUtensorMapDataType)c.type, (cuuint32_t)c.rank, global, extents, strides, c.lower,
                               c.upper, (cuuint32_t)c.channels, (cuuint32_t)c.pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               (CUtensorMapSwizzle)c.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)c.fill));
  std::vector<uint8_t> expected;
  if (c.kind == LOAD || c.kind == MULTICAST) {
    if (c.kind == LOAD) one<<<1, 64, SHARED>>>(map, c.place, c.rank, (uint32_t)bytes, dump, words);
    else two<<<2, 64, SHARED>>>(map, c.place, c.rank, (uint32_t)bytes, dump, words);
    MUST(cudaDeviceSynchronize());
    const int blocks = c.kind == LOAD ? 1 : 2;
    got.resize(words * 4 * (size_t)blocks);
    MUST(cudaMemcpy(got.data(), dump, got.size(), cudaMemcpyDeviceToHost));
    for (int p = 0; p < c.pixels; ++p)
      for (int e = 0; e < c.channels; ++e) {
        const int64_t from = element(c, p, e);
        for (int b = 0; b < c.bytes; ++b)
          shared[swizzled((uint32_t)(p * row + e * c.bytes + b), c.swizzle)] =
              from >= 0 ? tensor[(size_t)from + b] : c.fill ? nan_byte(b) : 0;
      }
    for (int b = 0; b < blocks; ++b) expected.insert(expected.end(), shared.begin(), shared.end());
  } else {
    for (auto &b : shared) b = (uint8_t)random(0, 255);
    MUST(cudaMemcpy(dump, shared.data(), shared.size(), cudaMemcpyHostToDevice));
    stores<<<1, 64, SHARED>>>(map, c.place, c.rank, dump, words, c.kind == SUM);
    MUST(cudaDeviceSynchronize());
    got.resize(tensorBytes);
    MUST(cudaMemcpy(got.data(), global, tensorBytes, cudaMemcpyDeviceToHost));
    expected = tensor;
    for (int p = 0; p < c.pixels; ++p)
      for (int e = 0; e < c.channels; ++e) {
        const int64_t to = element(c, p, e);
        if (to < 0) continue;
        uint8_t value[8];
        for (int b = 0; b < c.bytes; ++b) value[b] = shared[swizzled((uint32_t)(p * row + e * c.bytes + b), c.swizzle)];
        if (c.kind == SUM) {
          uint32_t x, y;
          memcpy(&x, value, 4);
          memcpy(&y, &expected[(size_t)to], 4);
          x += y;
          memcpy(value, &x, 4);
        }
        memcpy(&expected[(size_t)to], value, (size_t)c.bytes);
      }
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
