// mma.sync of small integers, single bits, 8-bit floats, doubles and Volta's quad pairs, and nvcuda::wmma of elements
// of less than a byte, against plain loops.
#include <cuda_fp16.h>
#include <mma.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

static int failures = 0;
static unsigned state = 7;
static unsigned number() { return (state = state * 1664525u + 1013904223u) >> 8; }

/** The fragments of a warp: up to 4 registers of A, 2 of B, 4 of C. */
struct Operands { uint32_t a[32][4], b[32][2], c[32][4], d[32][4]; };

#define SHORT_FORM(name, text)                                                                                     \
  __global__ void name(Operands *o) {                                                                              \
    const int lane = threadIdx.x;                                                                                  \
    asm volatile(text " {%0,%1}, {%2}, {%3}, {%4,%5};"                                                             \
                 : "=r"(o->d[lane][0]), "=r"(o->d[lane][1])                                                        \
                 : "r"(o->a[lane][0]), "r"(o->b[lane][0]), "r"(o->c[lane][0]), "r"(o->c[lane][1]));                \
  }
#define HALF_FORM(name, text, KIND, TYPE)                                                                          \
  __global__ void name(Operands *o) {                                                                              \
    const int lane = threadIdx.x;                                                                                  \
    TYPE *c = (TYPE *)o->c[lane], *d = (TYPE *)o->d[lane];                                                         \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                             \
                 : "=" KIND(d[0]), "=" KIND(d[1]), "=" KIND(d[2]), "=" KIND(d[3])                                  \
                 : "r"(o->a[lane][0]), "r"(o->a[lane][1]), "r"(o->b[lane][0]), KIND(c[0]), KIND(c[1]), KIND(c[2]), \
                   KIND(c[3]));                                                                                    \
  }
#define WHOLE_FORM(name, text, KIND, TYPE)                                                                         \
  __global__ void name(Operands *o) {                                                                              \
    const int lane = threadIdx.x;                                                                                  \
    TYPE *c = (TYPE *)o->c[lane], *d = (TYPE *)o->d[lane];                                                         \
    asm volatile(text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                                 \
                 : "=" KIND(d[0]), "=" KIND(d[1]), "=" KIND(d[2]), "=" KIND(d[3])                                  \
                 : "r"(o->a[lane][0]), "r"(o->a[lane][1]), "r"(o->a[lane][2]), "r"(o->a[lane][3]),                 \
                   "r"(o->b[lane][0]), "r"(o->b[lane][1]), KIND(c[0]), KIND(c[1]), KIND(c[2]), KIND(c[3]));        \
  }
SHORT_FORM(bytes8, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32")
SHORT_FORM(bytes8_clamped, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32")
SHORT_FORM(nibbles8, "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32")
SHORT_FORM(nibbles8_clamped, "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32.satfinite")
HALF_FORM(nibbles16, "mma.sync.aligned.m16n8k32.row.col.s32.s4.u4.s32", "r", uint32_t)
WHOLE_FORM(nibbles16_64, "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", "r", uint32_t)
WHOLE_FORM(nibbles16_clamped, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32.satfinite", "r", uint32_t)
SHORT_FORM(bits8, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
HALF_FORM(bits16, "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", "r", uint32_t)
HALF_FORM(e4m3_short, "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32", "f", float)
WHOLE_FORM(bits16_256, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "r", uint32_t)
WHOLE_FORM(e4m3_e4m3, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "f", float)
WHOLE_FORM(e5m2_e4m3, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", "f", float)
WHOLE_FORM(e4m3_e5m2, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "f", float)
WHOLE_FORM(e5m2_e5m2, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", "f", float)

static double small_float(unsigned code, int fraction) {
  const int bits = 7 - fraction, bias = (1 << (bits - 1)) - 1, exponent = code >> fraction & ((1 << bits) - 1);
  const double part = (code & ((1 << fraction) - 1)) / (double)(1 << fraction);
  const double size = exponent ? std::ldexp(1 + part, exponent - bias) : std::ldexp(part, 1 - bias);
  return code & 128 ? -size : size;
}
/** The value of an element, whose type the first letter says, and for floats the last digit. */
static double value(const char *type, unsigned code) {
  if (type[0] == 'e') return small_float(code, type[3] - '0');
  const int bits = type[1] - '0';
  return type[0] == 's' && code >> (bits - 1) & 1 ? (double)code - (1 << bits) : (double)code;
}
static bool is_finite(const char *type, unsigned code) {
  if (type[0] != 'e') return true;
  return type[3] == '3' ? (code & 127) != 127 : (code & 127) < 124;
}

static void check(const char *name, void (*kernel)(Operands *), int rows, int k, const char *a, const char *b,
                  bool is_clamped = false, bool is_xor = false) {
  const bool is_float = a[0] == 'e';
  const int bits = is_float ? 8 : a[1] - '0', per = 32 / bits, registers = rows == 16 ? 2 : 1;
  static unsigned A[16][256], B[8][256];
  static double C[16][8];
  Operands *o;
  cudaMallocManaged(&o, sizeof(Operands));
  memset(o, 0, sizeof *o);
  const auto code = [&](const char *type) {
    unsigned c;
    do c = number() & ((1u << bits) - 1);
    while (!is_finite(type, c));
    return c;
  };
  for (int i = 0; i < rows; i++) for (int j = 0; j < k; j++) A[i][j] = code(a);
  for (int i = 0; i < 8; i++) for (int j = 0; j < k; j++) B[i][j] = code(b);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < 8; j++) C[i][j] = is_clamped ? (j % 2 ? 2147483600.0 : -2147483600.0) : (double)(number() % 99);
  for (int lane = 0; lane < 32; lane++) {
    const int g = lane / 4, t = lane % 4;
    for (int j = 0; j < k; j++) {
      if (j / per % 4 != t) continue;
      const int chunk = j / (4 * per), shift = j % per * bits;
      for (int r = 0; r < registers; r++) o->a[lane][chunk * registers + r] |= A[g + 8 * r][j] << shift;
      o->b[lane][chunk] |= B[g][j] << shift;
    }
    for (int i = 0; i < 2 * registers; i++) {
      const double start = C[g + 8 * (i / 2)][2 * t + i % 2];
      if (is_float) ((float *)o->c[lane])[i] = (float)start;
      else o->c[lane][i] = (uint32_t)(int32_t)start;
    }
  }
  kernel<<<1, 32>>>(o);
  const cudaError_t error = cudaDeviceSynchronize();
  int wrong = 0;
  for (int lane = 0; lane < 32; lane++)
    for (int i = 0; i < 2 * registers; i++) {
      const int row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
      double sum = C[row][column], size = std::fabs(sum);
      for (int j = 0; j < k; j++) {
        const unsigned x = A[row][j], y = B[column][j];
        const double product = bits == 1 ? (is_xor ? x ^ y : x & y) : value(a, x) * value(b, y);
        sum += product;
        size += std::fabs(product);
      }
      if (is_clamped) sum = std::fmin(2147483647.0, std::fmax(-2147483648.0, sum));
      const double got = is_float ? ((float *)o->d[lane])[i] : (double)(int32_t)o->d[lane][i];
      wrong += std::fabs(got - sum) > (is_float ? 4e-6 * size : 0);
    }
  if (error != cudaSuccess || wrong) printf("%s: %s, %d wrong\n", name, cudaGetErrorString(error), wrong), failures++;
  cudaFree(o);
}

__global__ void halves_of_bytes(const uint32_t *a, const uint32_t *b, uint32_t *d) {
  a += threadIdx.x * 4, b += threadIdx.x * 2, d += threadIdx.x * 2;
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%8};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(0x3c003c00));
}
/** All elements are 1.5 and 0.5: every sum is 1 + 24. */
static void check_halves() {
  uint32_t *a, *b, *d;
  cudaMallocManaged(&a, 512), cudaMallocManaged(&b, 256), cudaMallocManaged(&d, 256);
  for (int i = 0; i < 128; i++) a[i] = 0x3c3c3c3c;
  for (int i = 0; i < 64; i++) b[i] = 0x38383838;
  halves_of_bytes<<<1, 32>>>(a, b, d);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; i++)
    if (d[i] != 0x4e404e40) { printf("f16 sums of bytes: %x\n", d[i]), failures++; break; }
}

template <int STEPS>
__global__ void doubles(const double *A, const double *B, double *C) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  double a[8], b[4], *c[4], d[4];
  for (int i = 0; i < 2 * STEPS; i++) a[i] = A[(g + 8 * (i % 2)) * 16 + i / 2 * 4 + t];
  for (int i = 0; i < STEPS; i++) b[i] = B[g * 16 + 4 * i + t];
  for (int i = 0; i < 4; i++) c[i] = &C[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2], d[i] = *c[i];
  if (STEPS == 1)
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]));
  if (STEPS == 2)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
  if (STEPS == 4)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
                   "d"(b[1]), "d"(b[2]), "d"(b[3]));
  for (int i = 0; i < 4; i++) *c[i] = d[i];
}
template <int STEPS>
static void check_doubles() {
  double *A, *B, *C, start[128];
  cudaMallocManaged(&A, 2048), cudaMallocManaged(&B, 1024), cudaMallocManaged(&C, 1024);
  for (int i = 0; i < 256; i++) A[i] = number() % 17 - 8.0;
  for (int i = 0; i < 128; i++) B[i] = number() % 13 / 4.0, C[i] = start[i] = number() % 9;
  doubles<STEPS><<<1, 32>>>(A, B, C);
  cudaDeviceSynchronize();
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 8; j++) {
      double sum = start[i * 8 + j];
      for (int k = 0; k < 4 * STEPS; k++) sum += A[i * 16 + k] * B[j * 16 + k];
      if (sum != C[i * 8 + j]) printf("doubles of %d steps: (%d, %d)\n", STEPS, i, j), failures++;
    }
}

/** Four products of 8 x 4 and 4 x 8, stored as `order` says: A[q][8][4], B[q][4][8]. */
#define VOLTA(name, order, ROW_A, ROW_B)                                                                           \
  __global__ void name(const half *A, const half *B, float *C, half *D) {                                          \
    const int lane = threadIdx.x, q = lane / 4 % 4, x = lane % 4, high = lane / 16 * 4;                            \
    half a[4], b[4], h[8];                                                                                         \
    for (int i = 0; i < 4; i++) {                                                                                  \
      a[i] = ROW_A ? A[q * 32 + (x + high) * 4 + i] : A[q * 32 + (i + high) * 4 + x];                              \
      b[i] = ROW_B ? B[q * 32 + x * 8 + i + high] : B[q * 32 + i * 8 + x + high];                                  \
    }                                                                                                              \
    const uint32_t *r = (uint32_t *)a, *s = (uint32_t *)b;                                                         \
    uint32_t *u = (uint32_t *)h;                                                                                   \
    float c[8];                                                                                                    \
    for (int i = 0; i < 8; i++) c[i] = (float)i, h[i] = __float2half((float)i);                                    \
    asm volatile("mma.sync.aligned.m8n8k4." order ".f32.f16.f16.f32 "                                              \
                 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};"                       \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])  \
                 : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]));                                                    \
    asm volatile("mma.sync.aligned.m8n8k4." order ".f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, "             \
                 "{%0,%1,%2,%3};"                                                                                  \
                 : "+r"(u[0]), "+r"(u[1]), "+r"(u[2]), "+r"(u[3]) : "r"(r[0]), "r"(r[1]), "r"(s[0]), "r"(s[1]));   \
    for (int i = 0; i < 8; i++) {                                                                                  \
      C[q * 64 + ((lane & 1) + (i & 2) + high) * 8 + (i & 4) + (lane & 2) + (i & 1)] = c[i] - (float)i;            \
      D[q * 64 + (x + high) * 8 + i] = __float2half(__half2float(h[i]) - (float)i);                                \
    }                                                                                                              \
  }
VOLTA(row_col, "row.col", true, false)
VOLTA(row_row, "row.row", true, true)
VOLTA(col_col, "col.col", false, false)
VOLTA(col_row, "col.row", false, true)
static void check_volta(const char *name, void (*kernel)(const half *, const half *, float *, half *)) {
  half *A, *B, *D;
  float *C;
  cudaMallocManaged(&A, 256), cudaMallocManaged(&B, 256), cudaMallocManaged(&C, 1024), cudaMallocManaged(&D, 512);
  for (int i = 0; i < 128; i++) A[i] = __float2half(number() % 9 - 4.0f), B[i] = __float2half(number() % 7 / 2.0f);
  kernel<<<1, 32>>>(A, B, C, D);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 256; i++) {
    const int q = i / 64, row = i / 8 % 8, column = i % 8;
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += __half2float(A[q * 32 + row * 4 + k]) * __half2float(B[q * 32 + k * 8 + column]);
    wrong += sum != C[i] || sum != __half2float(D[i]);
  }
  if (wrong) printf("Volta, %s: %d wrong\n", name, wrong), failures++;
}

using namespace nvcuda;
template <class T, int K, class F>
__global__ void sub_byte(const void *A, const void *B, int *C, F multiply) {
  wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 8, 8, K, int> c;
  wmma::load_matrix_sync(a, A, K);
  wmma::load_matrix_sync(b, B, K);
  wmma::fill_fragment(c, 5);
  multiply(c, a, b);
  wmma::store_matrix_sync(C, c, 8, wmma::mem_row_major);
}
template <class T, int K, class F>
static void check_wmma(const char *name, const char *type, bool is_xor, F multiply) {
  uint32_t *A, *B;
  int *C;
  cudaMallocManaged(&A, 128), cudaMallocManaged(&B, 128), cudaMallocManaged(&C, 256);
  for (int i = 0; i < 32; i++) A[i] = number() << 16 ^ number(), B[i] = number() << 16 ^ number();
  sub_byte<T, K><<<1, 32>>>(A, B, C, multiply);
  cudaDeviceSynchronize();
  const int bits = 128 / K, per = 32 / bits;
  for (int i = 0; i < 64; i++) {
    double sum = 5;
    for (int k = 0; k < K; k++) {
      const unsigned x = A[i / 8 * 4 + k / per] >> k % per * bits & ((1u << bits) - 1);
      const unsigned y = B[i % 8 * 4 + k / per] >> k % per * bits & ((1u << bits) - 1);
      sum += bits == 1 ? (is_xor ? x ^ y : x & y) : value(type, x) * value(type, y);
    }
    if (sum != C[i]) { printf("wmma of %s: %d\n", name, i), failures++; break; }
  }
}
struct Mma { template <class C, class A, class B> __device__ void operator()(C &c, A &a, B &b) { wmma::mma_sync(c, a, b, c); } };
struct Xor { template <class C, class A, class B> __device__ void operator()(C &c, A &a, B &b) { wmma::bmma_sync(c, a, b, c); } };
struct And {
  template <class C, class A, class B>
  __device__ void operator()(C &c, A &a, B &b) {
    wmma::bmma_sync(c, a, b, c, wmma::experimental::bmmaBitOpAND, wmma::experimental::bmmaAccumulateOpPOPC);
  }
};

int main() {
  check("8 x 8 x 16 bytes", bytes8, 8, 16, "s8", "s8");
  check("8 x 8 x 16 bytes, clamped", bytes8_clamped, 8, 16, "u8", "s8", true);
  check("8 x 8 x 32 nibbles", nibbles8, 8, 32, "s4", "s4");
  check("8 x 8 x 32 nibbles, clamped", nibbles8_clamped, 8, 32, "u4", "s4", true);
  check("16 x 8 x 32 nibbles", nibbles16, 16, 32, "s4", "u4");
  check("16 x 8 x 64 nibbles", nibbles16_64, 16, 64, "u4", "u4");
  check("16 x 8 x 64 nibbles, clamped", nibbles16_clamped, 16, 64, "s4", "s4", true);
  check("8 x 8 x 128 bits", bits8, 8, 128, "b1", "b1", false, true);
  check("16 x 8 x 128 bits", bits16, 16, 128, "b1", "b1");
  check("16 x 8 x 256 bits", bits16_256, 16, 256, "b1", "b1", false, true);
  check("16 x 8 x 16, e4m3, e5m2", e4m3_short, 16, 16, "e4m3", "e5m2");
  check("e4m3, e4m3", e4m3_e4m3, 16, 32, "e4m3", "e4m3");
  check("e5m2, e4m3", e5m2_e4m3, 16, 32, "e5m2", "e4m3");
  check("e4m3, e5m2", e4m3_e5m2, 16, 32, "e4m3", "e5m2");
  check("e5m2, e5m2", e5m2_e5m2, 16, 32, "e5m2", "e5m2");
  check_halves();
  check_doubles<1>(), check_doubles<2>(), check_doubles<4>();
  check_volta("row.col", row_col), check_volta("row.row", row_row);
  check_volta("col.col", col_col), check_volta("col.row", col_row);
  check_wmma<wmma::experimental::precision::s4, 32>("s4", "s4", false, Mma());
  check_wmma<wmma::experimental::precision::u4, 32>("u4", "u4", false, Mma());
  check_wmma<wmma::experimental::precision::b1, 128>("xor", "b1", true, Xor());
  check_wmma<wmma::experimental::precision::b1, 128>("and", "b1", false, And());
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
