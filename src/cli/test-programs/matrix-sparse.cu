// mma.sp of all types, shapes and selectors, and wgmma.mma_async.sp, against plain loops over the dense matrix: which
// elements of A are stored is random, and without ordered_metadata so is their order. wgmma of floats of 8 bits has sums
// of its own: eight-bit-products.cu.
#include <cuda_fp16.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

static int failures = 0;
static unsigned state = 7;
static unsigned number() { return (state = state * 1664525u + 1013904223u) >> 8; }

/** The fragments of a warp, and its metadata. */
struct Operands { uint32_t a[32][4], b[32][4], c[32][4], d[32][4], e[32]; };

#define FOUR(name, KIND, TYPE, text, last)                                                                         \
  __global__ void name(Operands *o) {                                                                              \
    const int lane = threadIdx.x;                                                                                  \
    const uint32_t *a = o->a[lane], *b = o->b[lane];                                                               \
    TYPE *c = (TYPE *)o->c[lane], *d = (TYPE *)o->d[lane];                                                         \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, " last ";"          \
                 : "=" KIND(d[0]), "=" KIND(d[1]), "=" KIND(d[2]), "=" KIND(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),         \
                   KIND(c[0]), KIND(c[1]), KIND(c[2]), KIND(c[3]), "r"(o->e[lane]));                               \
  }
#define TWO(name, KIND, TYPE, text, last)                                                                          \
  __global__ void name(Operands *o) {                                                                              \
    const int lane = threadIdx.x;                                                                                  \
    const uint32_t *a = o->a[lane], *b = o->b[lane];                                                               \
    TYPE *c = (TYPE *)o->c[lane], *d = (TYPE *)o->d[lane];                                                         \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}, %12, " last ";"                          \
                 : "=" KIND(d[0]), "=" KIND(d[1]), "=" KIND(d[2]), "=" KIND(d[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), KIND(c[0]), KIND(c[1]), KIND(c[2]), KIND(c[3]),     \
                   "r"(o->e[lane]));                                                                               \
  }
#define FOUR_F16(name, text, last)                                                                                 \
  __global__ void name(Operands *o) {                                                                              \
    const int lane = threadIdx.x;                                                                                  \
    const uint32_t *a = o->a[lane], *b = o->b[lane];                                                               \
    uint32_t *c = o->c[lane], *d = o->d[lane];                                                                     \
    asm volatile(text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%10,%11}, %12, " last ";"                          \
                 : "=r"(d[0]), "=r"(d[1])                                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),         \
                   "r"(c[0]), "r"(c[1]), "r"(o->e[lane]));                                                         \
  }
#define TWO_F16(name, text, last)                                                                                  \
  __global__ void name(Operands *o) {                                                                              \
    const int lane = threadIdx.x;                                                                                  \
    const uint32_t *a = o->a[lane], *b = o->b[lane];                                                               \
    uint32_t *c = o->c[lane], *d = o->d[lane];                                                                     \
    asm volatile(text " {%0,%1}, {%2,%3}, {%4,%5}, {%6,%7}, %8, " last ";"                                         \
                 : "=r"(d[0]), "=r"(d[1])                                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(o->e[lane]));             \
  }

static const int SMALLEST = -2147483647 - 1, LARGEST = 2147483647;
static double small_float(unsigned code, int bits, int fraction) {
  const int exponents = bits - 1 - fraction, bias = (1 << (exponents - 1)) - 1;
  const int exponent = code >> fraction & ((1 << exponents) - 1);
  const double part = (code & ((1u << fraction) - 1)) / (double)(1u << fraction);
  const double size = exponent ? std::ldexp(1 + part, exponent - bias) : std::ldexp(part, 1 - bias);
  return code >> (bits - 1) & 1 ? -size : size;
}
struct Type { const char *name; int bits, fraction; };
static const Type f16 = {"f16", 16, 10}, bf16 = {"bf16", 16, 7}, tf32 = {"tf32", 32, 23}, e4m3 = {"e4m3", 8, 3},
                  e5m2 = {"e5m2", 8, 2}, s8 = {"s8", 8, 0}, u8 = {"u8", 8, 0}, s4 = {"s4", 4, 0}, u4 = {"u4", 4, 0};
static double value(const Type &type, unsigned code) {
  if (type.fraction) return small_float(code, type.bits, type.fraction);
  return type.name[0] == 's' && code >> (type.bits - 1) & 1 ? (double)code - (1 << type.bits) : (double)code;
}
/** Numbers of a size near 1, that are no NaN. */
static unsigned any_code(const Type &type) {
  const unsigned bits = number() ^ number() << 12, sign = (bits & 1) << (type.bits - 1);
  if (!type.fraction) return bits & ((1u << type.bits) - 1);
  if (type.bits == 8) return sign | (bits >> 1 & 63);
  const int exponents = type.bits - 1 - type.fraction;
  const unsigned part = bits >> 4 & ((1u << type.fraction) - 1), shown = type.bits == 32 ? part & ~0x1fffu : part;
  return sign | ((1u << (exponents - 1)) - 2 + (bits >> 1 & 3)) << type.fraction | shown;
}

/** What sums are: floats, halves, integers, integers that are clamped. */
enum Sum { FLOATS, HALVES, INTEGERS, CLAMPED };

static unsigned A[16][128], B[8][128];

/** Stored elements and metadata of A; the dense A has zeros elsewhere. */
static void store_a(Operands *o, int k, const Type &type, int selector, bool is_ordered) {
  const int per = 32 / type.bits, group = type.bits == 4 ? 2 : 1; // elements of a register; of an index
  const bool is_tf32 = type.bits == 32, both_rows = type.bits >= 16;
  const int chunk = is_tf32 ? 2 : 4 * group, chunks = k / chunk, registers = k * type.bits / 128;
  memset(A, 0, sizeof A);
  for (int row = 0; row < 16; row++)
    for (int c = 0; c < chunks; c++) {
      const int g = row % 8, h = row / 8;
      int index[2] = {(int)(number() % 4), 0};
      do index[1] = number() % 4;
      while (index[1] == index[0]);
      if (is_ordered && index[1] < index[0]) { const int i = index[0]; index[0] = index[1], index[1] = i; }
      unsigned nibble = index[0] | index[1] << 2;
      if (is_tf32) nibble = number() % 2 ? 14 : 4;
      const int stored = is_tf32 ? 1 : 2 * group; // elements of a chunk
      for (int i = 0; i < stored; i++) {
        const unsigned code = any_code(type);
        const int at = is_tf32 ? (nibble == 14) : index[i / group] * group + i % group;
        A[row][c * chunk + at] = code;
        const int place = c * stored + i, lane = 4 * g + place / per % 4, r = place / (4 * per) * 2 + h;
        o->a[lane][r] |= code << place % per * type.bits;
      }
      // A word of metadata: both rows' nibbles of four chunks, or a row's of eight.
      const int first = both_rows ? (registers == 2 ? selector : 2 * selector) : (registers == 2 ? 2 * selector : 0);
      const int lane = 4 * g + first + (both_rows ? c / 4 : c / 8 * 2 + h);
      o->e[lane] |= nibble << (both_rows ? c % 4 * 4 + 16 * h : c % 8 * 4);
    }
}

/** A value of the sums, in a lane's registers. */
static void put(uint32_t *registers, int i, Sum sum, double value) {
  if (sum == FLOATS) ((float *)registers)[i] = (float)value;
  else if (sum == HALVES) ((__half *)registers)[i] = __float2half((float)value);
  else registers[i] = (uint32_t)(int32_t)value;
}
static double get(const uint32_t *registers, int i, Sum sum) {
  if (sum == FLOATS) return ((const float *)registers)[i];
  return sum == HALVES ? __half2float(((const __half *)registers)[i]) : (double)(int32_t)registers[i];
}

/** Warps have their own A and C, and the same B. */
static void check(const char *name, void (*kernel)(Operands *), int warps, Sum sum, int k, const Type &a,
                  const Type &b, int selector, bool is_ordered) {
  static double right[4][32][4], size[4][32][4];
  const int per = 32 / a.bits;
  Operands *all;
  cudaMallocManaged(&all, warps * sizeof(Operands));
  memset(all, 0, warps * sizeof *all);
  for (int i = 0; i < 8; i++) for (int j = 0; j < k; j++) B[i][j] = any_code(b);
  for (int warp = 0; warp < warps; warp++) {
    Operands *o = all + warp;
    store_a(o, k, a, selector, is_ordered);
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < k; j++) o->b[4 * i + j / per % 4][j / (4 * per)] |= B[i][j] << j % per * a.bits;
    for (int lane = 0; lane < 32; lane++)
      for (int i = 0; i < 4; i++) {
        const int row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
        double start = number() % 99;
        if (sum == CLAMPED) start = column % 2 ? LARGEST - 9.0 : SMALLEST + 9.0;
        put(o->c[lane], i, sum, start);
        double &all_of_it = right[warp][lane][i], &bound = size[warp][lane][i];
        all_of_it = start, bound = std::fabs(start);
        for (int j = 0; j < k; j++) {
          const double product = value(a, A[row][j]) * value(b, B[column][j]);
          all_of_it += product, bound += std::fabs(product);
        }
        if (sum == CLAMPED) all_of_it = std::fmin(LARGEST, std::fmax(SMALLEST, all_of_it));
      }
  }
  kernel<<<1, 32 * warps>>>(all);
  const cudaError_t error = cudaDeviceSynchronize();
  const double share = sum == FLOATS ? 4e-6 : sum == HALVES ? 1e-3 : 0;
  int wrong = 0;
  for (int n = 0; n < warps * 128; n++) {
    const int warp = n / 128, lane = n / 4 % 32, i = n % 4;
    const double difference = get(all[warp].d[lane], i, sum) - right[warp][lane][i];
    wrong += !(std::fabs(difference) <= share * size[warp][lane][i]);
  }
  if (error != cudaSuccess || wrong) printf("%s: %s, %d wrong\n", name, cudaGetErrorString(error), wrong), failures++;
  cudaFree(all);
}

/** Products of a warpgroup: 8 columns. Shared memory has A and B without a swizzle, 16 bytes of a row after another. */
__device__ unsigned long long described(const void *matrix, int leading, int stride) {
  return (__cvta_generic_to_shared(matrix) & 0x3ffff) >> 4 | (unsigned long long)leading << 12 |
         (unsigned long long)stride << 28;
}
#define GROUP(name, KIND, TYPE, text, rest)                                                                        \
  __global__ void name(Operands *all) {                                                                            \
    __shared__ __align__(128) uint32_t A[512], B[128];                                                             \
    Operands *o = all + threadIdx.x / 32;                                                                          \
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;                                                 \
    const uint32_t *a = o->a[lane];                                                                                \
    TYPE *c = (TYPE *)o->c[lane], *d = (TYPE *)o->d[lane];                                                         \
    for (int r = 0; r < 4; r++) {                                                                                  \
      A[threadIdx.x / 32 * 128 + r % 2 * 64 + r / 2 * 32 + g * 4 + t] = a[r];                                      \
      if (threadIdx.x < 32) B[r * 32 + g * 4 + t] = o->b[lane][r];                                                 \
    }                                                                                                              \
    TYPE s[4] = {c[0], c[1], c[2], c[3]};                                                                          \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                   \
    __syncthreads();                                                                                               \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.fence.sync.aligned;\n"                             \
                 "wgmma.mma_async.sp.sync.aligned." text ", %9, %10, " rest ";\n"                                  \
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"                           \
                 : "+" KIND(s[0]), "+" KIND(s[1]), "+" KIND(s[2]), "+" KIND(s[3])                                  \
                 : "l"(described(A, 128, 256)), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),                        \
                   "l"(described(B, 128, 512)), "r"(o->e[lane]) : "memory");                                       \
    for (int i = 0; i < 4; i++) d[i] = s[i];                                                                       \
  }
#define SUMS " {%0,%1,%2,%3}, "
#define IN_REGISTERS "{%5,%6,%7,%8}"
GROUP(group_f16, "f", float, "m64n8k32.f32.f16.f16" SUMS "%4", "0, p, 1, 1, 0, 0")
GROUP(group_bf16, "f", float, "m64n8k32.f32.bf16.bf16" SUMS IN_REGISTERS, "1, p, 1, 1, 0")
GROUP(group_tf32, "f", float, "m64n8k16.f32.tf32.tf32" SUMS "%4", "1, p, 1, 1")
GROUP(group_s8, "r", uint32_t, "m64n8k64.s32.s8.u8" SUMS IN_REGISTERS, "0, p")
GROUP(group_u8, "r", uint32_t, "m64n8k64.s32.u8.s8.satfinite" SUMS "%4", "0, p")
static void check_groups() {
  check("warpgroup, f16", group_f16, 4, FLOATS, 32, f16, f16, 0, true);
  check("warpgroup, bf16 in registers", group_bf16, 4, FLOATS, 32, bf16, bf16, 1, true);
  check("warpgroup, tf32", group_tf32, 4, FLOATS, 16, tf32, tf32, 1, true);
  check("warpgroup, s8 in registers and u8", group_s8, 4, INTEGERS, 64, s8, u8, 0, true);
  check("warpgroup, u8 and s8, clamped", group_u8, 4, CLAMPED, 64, u8, s8, 0, true);
}

// The forms: how many registers of A are stored, and what sums are.
#define FOUR_FLOATS(name, text, types, last) FOUR(name, "f", float, text ".row.col.f32" types ".f32", last)
#define TWO_FLOATS(name, text, types, last) TWO(name, "f", float, text ".row.col.f32" types ".f32", last)
#define FOUR_HALVES(name, text, types, last) FOUR_F16(name, text ".row.col.f16" types ".f16", last)
#define TWO_HALVES(name, text, types, last) TWO_F16(name, text ".row.col.f16" types ".f16", last)
#define FOUR_INTEGERS(name, text, types, last) FOUR(name, "r", uint32_t, text ".row.col.s32" types ".s32", last)
#define TWO_INTEGERS(name, text, types, last) TWO(name, "r", uint32_t, text ".row.col.s32" types ".s32", last)
#define FOUR_CLAMPED(name, text, types, last)                                                                      \
  FOUR(name, "r", uint32_t, text ".row.col.satfinite.s32" types ".s32", last)
#define TWO_CLAMPED(name, text, types, last) TWO(name, "r", uint32_t, text ".row.col.s32" types ".s32.satfinite", last)

#define FORMS(X)                                                                                                   \
  X(TWO, FLOATS, 16, f16, f16, SP, 0) X(TWO, FLOATS, 16, f16, f16, ORDERED, 1) X(TWO, HALVES, 16, f16, f16, SP, 2) \
  X(TWO, FLOATS, 16, bf16, bf16, SP, 3) X(FOUR, FLOATS, 32, f16, f16, SP, 0) X(FOUR, HALVES, 32, f16, f16, SP, 1)  \
  X(FOUR, FLOATS, 32, bf16, bf16, ORDERED, 1) X(TWO, FLOATS, 8, tf32, tf32, SP, 0)                                 \
  X(TWO, FLOATS, 8, tf32, tf32, SP, 3) X(FOUR, FLOATS, 16, tf32, tf32, ORDERED, 0)                                 \
  X(FOUR, FLOATS, 16, tf32, tf32, SP, 1) X(FOUR, FLOATS, 64, e4m3, e4m3, SP, 0)                                    \
  X(FOUR, FLOATS, 64, e4m3, e5m2, ORDERED, 0) X(FOUR, FLOATS, 64, e5m2, e4m3, SP, 0)                               \
  X(FOUR, FLOATS, 64, e5m2, e5m2, SP, 0)                                                                           \
  X(TWO, INTEGERS, 32, s8, s8, SP, 0) X(TWO, INTEGERS, 32, u8, s8, ORDERED, 1) X(TWO, CLAMPED, 32, s8, u8, SP, 1)  \
  X(TWO, CLAMPED, 32, u8, u8, SP, 0) X(FOUR, INTEGERS, 64, s8, u8, SP, 0) X(FOUR, CLAMPED, 64, s8, s8, ORDERED, 0) \
  X(FOUR, INTEGERS, 64, u8, u8, SP, 0) X(FOUR, CLAMPED, 64, u8, s8, SP, 0)                                         \
  X(TWO, INTEGERS, 64, s4, u4, SP, 0) X(TWO, INTEGERS, 64, u4, s4, ORDERED, 1) X(TWO, CLAMPED, 64, s4, s4, SP, 1)  \
  X(FOUR, INTEGERS, 128, s4, s4, SP, 0) X(FOUR, INTEGERS, 128, u4, u4, ORDERED, 0)                                 \
  X(FOUR, CLAMPED, 128, s4, u4, SP, 0) X(FOUR, CLAMPED, 128, u4, s4, SP, 0)
#define TEXT_SP "mma.sp.sync.aligned.m16n8k"
#define TEXT_ORDERED "mma.sp::ordered_metadata.sync.aligned.m16n8k"
enum Order { SP, ORDERED };

#define NAME(registers, sum, k, a, b, order, selector) registers##_##sum##_##k##_##a##_##b##_##order##_##selector
#define KERNEL(registers, sum, k, a, b, order, selector)                                                           \
  registers##_##sum(NAME(registers, sum, k, a, b, order, selector), TEXT_##order #k, "." #a "." #b, #selector)
FORMS(KERNEL)

int main() {
#define CHECK(registers, sum, k, a, b, order, selector)                                                            \
  check(#sum " " #k " " #a " " #b " " #order " " #selector, NAME(registers, sum, k, a, b, order, selector), 1, sum, k, \
        a, b, selector, order == ORDERED);
  FORMS(CHECK)
  check_groups();
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
