// wgmma of floats of 8 bits, dense and sparse, to the bit: products and the old sum are cut towards zero at 2^-13 of the
// power of the largest exponent among them, and added exactly; a float that comes out has 13 bits of fraction. For each
// case it prints a hash of the result, and of a wrong one the first element that is.
#include <cuda_fp16.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

constexpr int M = 64, N = 8, STORED = 32, MOST_K = 64;
/// A's bytes that are stored, by rows; B's by columns; the old sums and the new ones; the metadata of each lane.
struct Operands { uint8_t a[M][STORED], b[N][MOST_K]; uint32_t c[M][N], d[M][N], e[128]; };

__device__ unsigned long long described(const void *matrix, int stride) {
  return (__cvta_generic_to_shared(matrix) & 0x3ffff) >> 4 | 128ull << 12 | (unsigned long long)stride << 28;
}
/// Without a swizzle: blocks of 8 rows of 16 bytes, the next 16 bytes of K 128 bytes on.
__device__ void place(uint8_t *to, const uint8_t *from, int rows, int k, int pitch) {
  for (int i = threadIdx.x; i < rows * k; i += blockDim.x) {
    const int row = i / k, at = i % k;
    to[row / 8 * 8 * k + at / 16 * 128 + row % 8 * 16 + at % 16] = from[row * pitch + at];
  }
}
#define BEGIN(name, K)                                                                                               \
  __global__ void name(Operands *o, int keeps) {                                                                     \
    __shared__ __align__(128) uint8_t A[M * STORED], B[N * MOST_K];                                                  \
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, t = lane % 4;                         \
    place(A, o->a[0], M, STORED, STORED);                                                                            \
    place(B, o->b[0], N, K, MOST_K);                                                                                 \
    uint32_t a[4];                                                                                                   \
    for (int r = 0; r < 4; r++) a[r] = *(const uint32_t *)&o->a[row + r % 2 * 8][r / 2 * 16 + 4 * t];                \
    const uint32_t e = o->e[threadIdx.x];                                                                            \
    const unsigned long long ofA = described(A, 8 * STORED), ofB = described(B, 8 * K);                              \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                     \
    __syncthreads();
#define OPENED "{\n.reg .pred p;\n"
#define STARTED "wgmma.fence.sync.aligned;\nwgmma.mma_async."
#define ENDED ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
#define FLOATS(name, K, SP, text, A, E, negates)                                                                     \
  BEGIN(name, K)                                                                                                     \
    float s[4];                                                                                                      \
    for (int i = 0; i < 4; i++) s[i] = __uint_as_float(o->c[row + i / 2 * 8][2 * t + i % 2]);                        \
    asm volatile(OPENED "setp.ne.b32 p, %11, 0;\n" STARTED SP "sync.aligned.m64n8k" #K ".f32." text                  \
                 " {%0,%1,%2,%3}, " A ", %9" E ", p, " negates ENDED                                                 \
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])                                                    \
                 : "l"(ofA), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(ofB), "r"(e), "r"(keeps) : "memory");   \
    for (int i = 0; i < 4; i++) o->d[row + i / 2 * 8][2 * t + i % 2] = __float_as_uint(s[i]);                        \
  }
#define HALVES(name, K, SP, text, A, E, negates)                                                                     \
  BEGIN(name, K)                                                                                                     \
    uint32_t s[2];                                                                                                   \
    for (int i = 0; i < 2; i++) s[i] = o->c[row + 8 * i][2 * t] | o->c[row + 8 * i][2 * t + 1] << 16;                \
    asm volatile(OPENED "setp.ne.b32 p, %11, 0;\n" STARTED SP "sync.aligned.m64n8k" #K ".f16." text                  \
                 " {%0,%1}, " A ", %9" E ", p, " negates ENDED                                                       \
                 : "+r"(s[0]), "+r"(s[1]), "+r"(a[0]), "+r"(a[1])                                                    \
                 : "l"(ofA), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(ofB), "r"(e), "r"(keeps) : "memory");   \
    for (int i = 0; i < 4; i++) o->d[row + i / 2 * 8][2 * t + i % 2] = s[i / 2] >> 16 * (i % 2) & 0xffff;            \
  }
#define SHARED "%4"
#define REGISTERS "{%5,%6,%7,%8}"

static double small_float(unsigned code, int fraction) {
  const int exponents = 7 - fraction, bias = (1 << (exponents - 1)) - 1, exponent = code >> fraction & ((1 << exponents) - 1);
  const unsigned part = code & ((1u << fraction) - 1);
  double size = exponent ? std::ldexp((double)((1u << fraction) + part), exponent - bias - fraction)
                         : std::ldexp((double)part, 1 - bias - fraction);
  if (fraction == 2 && exponent == 31) size = part ? NAN : INFINITY;
  if (fraction == 3 && (code & 127) == 127) size = NAN;
  return code & 128 ? -size : size;
}
/// The exponent that the hardware takes a number's for: subnormals have the least.
static int exponent_of(double x, int least) {
  const int exponent = std::ilogb(x);
  return exponent < least ? least : exponent;
}
static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}
static double half_value(uint32_t bits) { return __half2float(__ushort_as_half((unsigned short)bits)); }
static uint32_t half_bits(double x) { return __half_as_ushort(__float2half_rn((float)x)); }

/// What comes out for an old sum and `k` products.
static uint32_t expected(double old, const double *a, const double *b, int k, int leastA, int leastB, bool isHalf) {
  double plain = old;
  for (int i = 0; i < k; i++) plain += a[i] * b[i];
  if (std::isnan(plain)) return isHalf ? 0x7fff : 0x7fffffff;
  if (std::isinf(plain)) return isHalf ? half_bits(plain) : bits_of((float)plain);
  const int none = -10000, leastOld = isHalf ? -14 : -126;
  int most = old == 0 ? none : exponent_of(old, leastOld);
  for (int i = 0; i < k; i++)
    if (a[i] != 0 && b[i] != 0) most = std::fmax(most, exponent_of(a[i], leastA) + exponent_of(b[i], leastB));
  if (most == none) return 0;
  const double unit = std::ldexp(1.0, most - 13);
  double sum = std::trunc(old / unit);
  for (int i = 0; i < k; i++) sum += std::trunc(a[i] * b[i] / unit);
  sum *= unit;
  if (sum == 0) return 0;
  if (isHalf) return half_bits(sum);
  const double last = std::ldexp(1.0, exponent_of(sum, -126) - 13);
  return bits_of((float)(std::trunc(sum / last) * last));
}

static unsigned state;
static unsigned number() { return (state = state * 1664525u + 1013904223u) >> 8; }
enum Kind { USUAL, WIDE, SMALL, LARGE_OLD, SMALL_OLD, CANCELLED, NO_PRODUCTS, NO_OLD, NOT_FINITE, KINDS };
static const char *const kinds[] = {"usual",     "wide",        "small",  "large old", "small old",
                                    "cancelled", "no products", "no old", "not finite"};

static unsigned code_of(Kind kind, int fraction) {
  const unsigned bits = number() ^ number() << 12, sign = (bits & 1) << 7, top = fraction == 3 ? 0x7e : 0x7b;
  switch (kind) {
    case WIDE: return sign | (bits >> 1 & 127) % (top + 1);
    case SMALL: return bits >> 8 & 1 ? sign | (bits >> 1 & 7) : 0;
    case NO_PRODUCTS: return sign;
    case NOT_FINITE: return bits >> 8 & 63 ? sign | (bits >> 1 & 63) : sign | (bits >> 16 & 1 ? 0x7f : 0x7c);
    default: return sign | (bits >> 1 & 63);
  }
}
static uint32_t old_of(Kind kind, bool isHalf) {
  const unsigned bits = number() ^ number() << 12, sign = bits & 1;
  if (isHalf) {
    const unsigned exponent = kind == LARGE_OLD ? 27 + number() % 4 : kind == SMALL_OLD ? number() % 5 : 12 + number() % 8;
    if (kind == SMALL_OLD && number() % 4 == 0) return sign << 15;
    if (kind == NOT_FINITE && number() % 16 == 0) return sign << 15 | 0x7c00 | (number() % 2 << 9);
    return sign << 15 | exponent << 10 | (bits >> 3 & 0x3ff);
  }
  int exponent = 127 - 5 + (int)(number() % 11);
  if (kind == LARGE_OLD) exponent = 127 + 8 + (int)(number() % 110);
  if (kind == SMALL_OLD || kind == NO_PRODUCTS) exponent = number() % 2 ? (int)(number() % 4) : 127 - (int)(number() % 60);
  if (kind == SMALL_OLD && number() % 4 == 0) return sign << 31;
  if (kind == NOT_FINITE && number() % 16 == 0) return sign << 31 | 0x7f800000 | (number() % 2 << 22);
  return sign << 31 | (uint32_t)exponent << 23 | (bits >> 1 & 0x7fffff);
}

static int cases = 0, wrong = 0;
static void check(const char *name, void (*kernel)(Operands *, int), bool isHalf, bool isSparse, int fractionA, int fractionB,
                  bool negatesA, Kind kind, int seed) {
  Operands *o;
  cudaMallocManaged(&o, sizeof *o);
  memset(o, 0, sizeof *o);
  state = (unsigned)seed * 7919 + kind * 104729 + 17;
  static unsigned A[M][MOST_K];
  static bool isStored[M][MOST_K];
  static double a[MOST_K], b[MOST_K];
  memset(A, 0, sizeof A);
  memset(isStored, !isSparse, sizeof isStored);
  const int k = isSparse ? MOST_K : STORED;
  for (int n = 0; n < N; n++)
    for (int i = 0; i < k; i++) o->b[n][i] = (uint8_t)code_of(kind == NO_PRODUCTS ? USUAL : kind, fractionB);
  for (int row = 0; row < M; row++) {
    for (int i = 0; i < STORED; i++) {
      o->a[row][i] = (uint8_t)code_of(kind, fractionA);
      if (!isSparse) A[row][i] = o->a[row][i];
    }
    for (int chunk = 0; isSparse && chunk < 16; chunk++) {
      const unsigned first = number() % 3, second = first + 1 + number() % (3 - first);
      isStored[row][4 * chunk + first] = isStored[row][4 * chunk + second] = true;
      A[row][4 * chunk + first] = o->a[row][2 * chunk];
      A[row][4 * chunk + second] = o->a[row][2 * chunk + 1];
      const int lane = row / 16 * 32 + row % 8 * 4 + chunk / 8 * 2 + row / 8 % 2;
      o->e[lane] |= (first | second << 2) << chunk % 8 * 4;
    }
    for (int n = 0; n < N; n++) o->c[row][n] = old_of(kind, isHalf);
  }
  // Large products of either sign, and what is left of small ones: 448 * 2, or 57344 * 2.
  for (int row = 0; kind == CANCELLED && !isSparse && row < M; row++)
    for (int n = 0; n < N; n++) {
      o->a[row][0] = A[row][0] = fractionA == 3 ? 0x7e : 0x6b;
      o->a[row][9] = A[row][9] = fractionA == 3 ? 0xfe : 0xeb;
      o->b[n][0] = o->b[n][9] = fractionB == 3 ? 0x78 : 0x6c;
    }
  kernel<<<1, 128>>>(o, kind != NO_OLD);
  const cudaError_t error = cudaDeviceSynchronize();
  uint32_t hash = 2166136261u;
  int different = 0, firstRow = 0, firstColumn = 0;
  uint32_t wanted = 0;
  for (int row = 0; row < M; row++)
    for (int n = 0; n < N; n++) {
      int count = 0;
      for (int i = 0; i < k; i++) {
        // What a sparse A does not have is not multiplied.
        if (!isStored[row][i]) continue;
        a[count] = small_float(A[row][i], fractionA) * (negatesA ? -1 : 1);
        b[count++] = small_float(o->b[n][i], fractionB);
      }
      const uint32_t bits = o->c[row][n];
      float single;
      memcpy(&single, &bits, 4);
      const double old = kind == NO_OLD ? 0 : isHalf ? half_value(bits) : single;
      const uint32_t right = expected(old, a, b, count, fractionA == 3 ? -6 : -14, fractionB == 3 ? -6 : -14, isHalf);
      if (o->d[row][n] != right && different++ == 0) firstRow = row, firstColumn = n, wanted = right;
      hash = (hash ^ o->d[row][n]) * 16777619u;
    }
  printf("%s, %s %d: %08x ", name, kinds[kind], seed, hash);
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
  else if (different == 0) puts("right");
  else {
    printf("%d WRONG: %d, %d is %08x, not %08x, of %08x and", different, firstRow, firstColumn, o->d[firstRow][firstColumn],
           wanted, o->c[firstRow][firstColumn]);
    for (int i = 0; i < k; i++)
      if (isStored[firstRow][i]) printf(" %02x*%02x", A[firstRow][i], o->b[firstColumn][i]);
    puts("");
  }
  cases++, wrong += error != cudaSuccess || different != 0;
  cudaFree(o);
}

#define DENSE_FORMS(X)                                                                                               \
  X(FLOATS, e4m3, e4m3, SHARED, 1) X(FLOATS, e4m3, e5m2, REGISTERS, 1) X(FLOATS, e5m2, e4m3, SHARED, -1)             \
  X(FLOATS, e5m2, e5m2, REGISTERS, 1) X(HALVES, e4m3, e4m3, REGISTERS, 1) X(HALVES, e5m2, e4m3, SHARED, -1)          \
  X(HALVES, e5m2, e5m2, SHARED, 1)
#define SPARSE_FORMS(X)                                                                                              \
  X(FLOATS, e4m3, e5m2, SHARED, 1) X(FLOATS, e4m3, e4m3, REGISTERS, 1) X(FLOATS, e5m2, e5m2, SHARED, 1)              \
  X(HALVES, e4m3, e5m2, SHARED, 1)
#define DENSE(sum, a, b, where, sign)                                                                                \
  sum(dense_##sum##_##a##_##b, 32, "", #a "." #b, where, "", #sign ", 1")
#define SPARSE(sum, a, b, where, sign)                                                                               \
  sum(sparse_##sum##_##a##_##b, 64, "sp.", #a "." #b, where, ", %10, 0", #sign ", 1")
DENSE_FORMS(DENSE)
SPARSE_FORMS(SPARSE)
constexpr int fraction_e4m3 = 3, fraction_e5m2 = 2, FLOATS_half = 0, HALVES_half = 1;

int main() {
  for (int kind = 0; kind < KINDS; kind++)
    for (int seed = 0; seed < 3; seed++) {
#define CHECK(text, of, isSparse, sum, a, b, sign)                                                                   \
  check(text " " #sum " " #a " " #b, of##_##sum##_##a##_##b, sum##_half, isSparse, fraction_##a, fraction_##b, sign < 0, \
        (Kind)kind, seed);
#define CHECK_DENSE(sum, a, b, where, sign) CHECK("dense", dense, false, sum, a, b, sign)
#define CHECK_SPARSE(sum, a, b, where, sign) CHECK("sparse", sparse, true, sum, a, b, sign)
      DENSE_FORMS(CHECK_DENSE)
      SPARSE_FORMS(CHECK_SPARSE)
    }
  printf("%d cases, %d wrong\n", cases, wrong);
  return wrong != 0;
}
