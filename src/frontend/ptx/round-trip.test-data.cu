// Kernels of one form, for round-trip.long.test.ts: each reads `in`, n words, and writes `out`, n words.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdio.h>

#define KERNEL(name) extern "C" __global__ void name(const int *in, int *out, int n)
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ float weights[4] = {0.5f, -1.25f, 2.0f, 1e-3f};
__device__ int counter;
__device__ const char *words[2] = {"one", "three"};

struct Pair { float x; int y; double z; };
__device__ __noinline__ Pair exchange(Pair p, int by) { return Pair{p.z > 0 ? 1.5f : -p.x, p.y * by, p.x + 0.25}; }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int twice(int x) { return 2 * x; }
__device__ int negated(int x) { return -x; }
typedef int (*Function)(int);
__device__ Function functions[2] = {twice, negated};

KERNEL(integers) {
  INDEX;
  int a = in[i], b = in[(i + 7) % n];
  unsigned u = a, v = b | 1;
  long long w = (long long)a * b;
  out[i] = a + b * 3 - (a ^ b) + (int)(u / v) + (int)(u % v) + a / (b | 1) + (int)(w >> 17) + (int)__umul24(u, v) +
           __mulhi(a, b) + (int)__umulhi(u, v) + max(a, b) - min(u, v) + abs(a) + (a >> (b & 31)) + (u >> (v & 31)) +
           (int)(w % 1000003) + (int)((unsigned long long)w / v);
}
KERNEL(bits) {
  INDEX;
  unsigned a = in[i], b = in[(i + 3) % n];
  out[i] = __popc(a) + __clz(b) + __ffs(a) + (int)__brev(b) + (int)__byte_perm(a, b, 0x5140) +
           (int)__funnelshift_l(a, b, a & 63) + (int)__funnelshift_r(a, b, b) + __clzll(((long long)a << 20) ^ b) +
           (int)__vadd4(a, b) + (int)__dp4a((int)a, (int)b, 5) + (int)((a & b) | (~a & 0x0f0f0f0f) ^ b);
}
KERNEL(floats) {
  INDEX;
  float x = __int_as_float((in[i] & 0x7fffff) | 0x3f800000), y = in[(i + 1) % n] * 1e-3f;
  float r = x * y + 2.0f - fabsf(y) / x + sqrtf(x) + fminf(x, y) + floorf(y) + rintf(x * 3) + fmaf(x, x, y) +
            weights[i & 3] + __fadd_rz(x, y) + __fmul_ru(x, y) + copysignf(x, y) + (y > x ? x : y) + 1.0f / x;
  out[i] = __float_as_int(r) + (int)y + (unsigned)x;
}
KERNEL(doubles) {
  INDEX;
  double x = in[i] * 1e-3, y = in[(i + 5) % n] + 0.5;
  double r = x * y + x / y - sqrt(fabs(x)) + fma(x, y, 1.0) + floor(x) + (double)(float)y + fmax(x, y);
  out[i] = (int)(__double_as_longlong(r) >> 13) + (int)x + (x < y) + 2 * (x != x) + (int)(long long)y;
}
KERNEL(functions_of_floats) {
  INDEX;
  float x = (in[i] & 1023) * 0.01f;
  out[i] = __float_as_int(sinf(x) + expf(-x) + logf(x + 1) + powf(x, 1.5f) + tanhf(x) + __sinf(x) + rsqrtf(x + 1));
}
KERNEL(halves) {
  INDEX;
  __half2 a = __floats2half2_rn((in[i] & 255) * 0.25f, (in[i] >> 8 & 255) * 0.5f), b = __float2half2_rn(1.5f);
  __half2 c = __hfma2(a, b, __hadd2(a, b));
  __nv_bfloat16 d = __float2bfloat16((in[i] & 4095) * 0.125f);
  out[i] = (int)(__low2float(c) * 8) + (int)(__high2float(c) * 16) + (int)(__bfloat162float(d) * 4) +
           (__hgt(__low2half(a), __high2half(a)) ? 1000 : 0);
}
KERNEL(shared_reverse) {
  __shared__ int tile[64];
  INDEX;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[blockDim.x - 1 - threadIdx.x] + tile[threadIdx.x ^ 5];
}
KERNEL(dynamic_shared) {
  extern __shared__ float dynamic[];
  INDEX;
  dynamic[threadIdx.x] = in[i] * 0.5f;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < blockDim.x; k++) sum += dynamic[k] * (k & 3);
  out[i] = (int)sum;
}
KERNEL(shuffles) {
  INDEX;
  int x = in[i];
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  int y = __shfl_xor_sync(~0u, x, 3) + __shfl_sync(~0u, in[i], 7) + __shfl_up_sync(~0u, in[i], 1, 16);
  out[i] = x + y + __popc(__ballot_sync(~0u, in[i] & 1)) + __any_sync(~0u, in[i] == 3) * 7 +
           __all_sync(~0u, in[i] > 0) + (int)__match_any_sync(~0u, in[i] & 3) + __reduce_add_sync(~0u, in[i] & 15);
}
KERNEL(atomics) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  INDEX;
  atomicAdd(&bins[in[i] & 7], 1);
  atomicMax(&bins[(in[i] >> 3) & 7], in[i] & 31);
  atomicAdd(&counter, 1);
  __syncthreads();
  int old = atomicCAS(&out[i], 0, in[i]);
  out[i] = bins[in[i] & 7] + bins[threadIdx.x & 7] + old;
}
KERNEL(loops) {
  INDEX;
  int x = in[i] & 0xffff, steps = 0;
  while (x > 1 && steps < 200) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    if (x == 17) continue;
    steps++;
  }
  for (int k = 0; k < 5; k++)
    for (int j = k; j < 5; j++)
      if ((steps ^ j) & 1) x += j * k; else x -= k;
  out[i] = steps * 1000 + x;
}
KERNEL(switches) {
  INDEX;
  int x = in[i] & 15, r = 0;
  switch (x) {
  case 0: r = 5; break;
  case 1: r = in[i] * 3; // falls through
  case 2: r += 7; break;
  case 3: r = in[i] ^ 0x55; break;
  case 4: r = in[(i + 1) % n]; break;
  case 5: r = table[in[i] >> 4 & 7]; break;
  case 6: r = in[i] / 3; break;
  case 9: r = -1; break;
  default: r = x * x;
  }
  out[i] = r;
}
KERNEL(local_arrays) {
  INDEX;
  int stack[16];
  for (int k = 0; k < 16; k++) stack[k] = in[(i + k) % n];
  for (int k = 0; k < 16; k++) {
    int j = stack[k] & 15, t = stack[j];
    stack[j] = stack[k];
    stack[k] = t + 1;
  }
  int sum = 0;
  for (int k = 0; k < 16; k++) sum = sum * 31 + stack[k];
  out[i] = sum;
}
KERNEL(structs_and_calls) {
  INDEX;
  Pair p = exchange(Pair{in[i] * 0.5f, in[i], (double)(in[i] & 7) - 3}, 3);
  p = exchange(p, in[(i + 1) % n]);
  out[i] = (int)(p.x * 4) + p.y + (int)p.z + fibonacci(in[i] & 7) + functions[in[i] & 1](in[i]);
}
KERNEL(vectors) {
  INDEX;
  int4 a = ((const int4 *)in)[i % (n / 4)];
  short2 s = *(const short2 *)&in[i];
  uchar4 b = *(const uchar4 *)&in[(i + 2) % n];
  out[i] = a.x - a.y + a.z * a.w + s.x * s.y + b.x - b.y + b.z * b.w + (signed char)in[i];
}
KERNEL(constants) {
  INDEX;
  out[i] = table[in[i] & 7] * table[(in[i] >> 5) & 7] + words[in[i] & 1][2] + (int)(weights[in[i] & 3] * 64);
}
KERNEL(pointers) {
  INDEX;
  const int *p = in[i] & 1 ? in + i : out + i, *end = in + n;
  long long sum = 0;
  for (const int *q = in + (i & ~7); q < end && q < in + (i | 7); q += 2) sum += *q;
  out[i] = (int)(sum + (p == in + i) + (end - p > 0));
}
KERNEL(tensor_cores) {
  INDEX;
  unsigned a[4], b[2];
  float c[4] = {0, 1, 2, 3};
  for (int k = 0; k < 4; k++) a[k] = 0x3c003c00u ^ (in[i] >> k & 0x00ff00ff);
  for (int k = 0; k < 2; k++) b[k] = 0x3800bc00u ^ (in[i] >> (k + 4) & 0x00ff00ff);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  out[i] = __float_as_int(c[0]) ^ __float_as_int(c[1]) * 3 ^ __float_as_int(c[2]) * 5 ^ __float_as_int(c[3]) * 7;
}
KERNEL(sparse_tensor_cores) {
  INDEX;
  unsigned a[4], b[4], c[4] = {0, 1, 2, 3};
  for (int k = 0; k < 4; k++) a[k] = in[i] * (2 * k + 1), b[k] = in[i] >> k;
  asm volatile("mma.sp.sync.aligned.m16n8k64.row.col.satfinite.s32.s8.u8.s32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0;"
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),
                 "r"(i % 2 ? 0xe4944444u : 0x49d4e8c4u));
  out[i] = c[0] ^ c[1] * 3 ^ c[2] * 5 ^ c[3] * 7;
}
