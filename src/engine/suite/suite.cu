// The kernels of the executor suite. Every kernel has the parameters (int *out, const int *in): `out` is 8192 zeros, `in` 4096
// pseudo-random integers. The comment before a kernel is its launch: blocks, threads per block, dynamic shared bytes, and
// "cooperative" where it is one. Results must not depend on the order in which threads run. suite.expected.json holds what an
// H200 gives for them.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <stdint.h>
namespace cg = cooperative_groups;
#define GTID (blockIdx.x * blockDim.x + threadIdx.x)
#define FULL 0xffffffffu
typedef const int *In;
#define KERNEL extern "C" __global__ void

// ------------------------------------------------------------ integers
// @launch 2 64
KERNEL int_arithmetic(int *out, In in) {
  int i = GTID, a = in[i], b = in[i + 1] | 1; unsigned u = a, v = b;
  out[i * 8] = a + b; out[i * 8 + 1] = a * b - 7; out[i * 8 + 2] = a / b; out[i * 8 + 3] = a % b;
  out[i * 8 + 4] = u / v; out[i * 8 + 5] = u % v; out[i * 8 + 6] = (a >> (b & 31)) ^ (a << (v & 31)); out[i * 8 + 7] = u >> (v & 31);
}
// @launch 1 64
KERNEL int64_arithmetic(int *out, In in) {
  int i = GTID; long long a = ((long long)in[i] << 32) | (unsigned)in[i + 1], b = in[i + 2] | 1; unsigned long long u = a, v = b;
  long long r = a + b * 3 - (a << (in[i] & 63)); long long *o = (long long *)out + i * 8;
  o[0] = r; o[1] = a / b; o[2] = a % b; o[3] = u / v; o[4] = u % v; o[5] = a >> (in[i] & 63); o[6] = u >> (in[i] & 63); o[7] = a * b;
}
// @launch 1 128
KERNEL small_ints(int *out, In in) {
  int i = GTID; signed char c = in[i]; unsigned char d = in[i] >> 8; short s = in[i] >> 4; unsigned short t = in[i] >> 12;
  c = c * 3 + d; s -= t; t = t << 3 | d; d /= (unsigned char)((c & 7) + 1);
  out[i * 4] = c; out[i * 4 + 1] = d; out[i * 4 + 2] = s; out[i * 4 + 3] = t;
}
// @launch 1 128
KERNEL bit_functions(int *out, In in) {
  int i = GTID; unsigned a = in[i]; unsigned long long b = ((unsigned long long)a << 32) | (unsigned)in[i + 1]; int *o = out + i * 12;
  o[0] = __popc(a); o[1] = __clz(a); o[2] = __ffs(a); o[3] = __brev(a); o[4] = __popcll(b); o[5] = __clzll(b); o[6] = __ffsll(b);
  o[7] = __byte_perm(a, in[i + 1], in[i + 2] & 0x7777); o[8] = __funnelshift_l(a, in[i + 1], in[i + 2]); o[9] = __funnelshift_r(a, in[i + 1], in[i + 2]);
  o[10] = __mulhi(in[i], in[i + 1]); o[11] = __umulhi(a, in[i + 1]);
}
// @launch 1 64
KERNEL zero_bits(int *out, In in) {
  int i = GTID; unsigned a = (i == 0) ? 0u : 1u << (i & 31); unsigned long long b = i == 1 ? 0ull : 1ull << i;
  out[i * 6] = __clz(a); out[i * 6 + 1] = __ffs(a); out[i * 6 + 2] = __clzll(b); out[i * 6 + 3] = __ffsll(b); out[i * 6 + 4] = __popc(a - 1); out[i * 6 + 5] = __brev(a);
}
// @launch 1 128
KERNEL dot_products(int *out, In in) {
  int i = GTID, a = in[i], b = in[i + 1], c = in[i + 2];
  out[i * 3] = __dp4a(a, b, c); out[i * 3 + 1] = __dp4a((unsigned)a, (unsigned)b, (unsigned)c); out[i * 3 + 2] = __sad(a, b, (unsigned)c);
}
// @launch 1 64
KERNEL int_minmax_abs(int *out, In in) {
  int i = GTID, a = in[i], b = in[i + 1];
  out[i * 5] = min(a, b); out[i * 5 + 1] = max(a, b); out[i * 5 + 2] = min((unsigned)a, (unsigned)b); out[i * 5 + 3] = max((unsigned)a, (unsigned)b); out[i * 5 + 4] = abs(a);
}
// @launch 1 64
KERNEL bool_select(int *out, In in) {
  int i = GTID; bool p = in[i] > 0, q = in[i + 1] & 1; out[i] = (p && !q ? 1 : p || q ? 2 : 3) + (p ^ q) * 10 + (int)(in[i] % 3 == 0) * 100;
}

// ------------------------------------------------------------ floats
// @launch 1 128
KERNEL float_arithmetic(int *out, In in) {
  int i = GTID; float a = in[i] * 1e-5f, b = (in[i + 1] | 1) * 3e-4f; int *o = out + i * 8;
  o[0] = __float_as_int(a + b); o[1] = __float_as_int(a - b); o[2] = __float_as_int(__fmul_rn(a, b)); o[3] = __float_as_int(a / b);
  o[4] = __float_as_int(sqrtf(fabsf(a))); o[5] = __float_as_int(fmaf(a, b, -a)); o[6] = __float_as_int(fminf(a, b)); o[7] = __float_as_int(fmaxf(a, b));
}
// @launch 1 128
KERNEL double_arithmetic(int *out, In in) {
  int i = GTID; double a = in[i] * 1e-5, b = (in[i + 1] | 1) * 3e-4; long long *o = (long long *)out + i * 8;
  o[0] = __double_as_longlong(a + b); o[1] = __double_as_longlong(a - b); o[2] = __double_as_longlong(__dmul_rn(a, b)); o[3] = __double_as_longlong(a / b);
  o[4] = __double_as_longlong(sqrt(fabs(a))); o[5] = __double_as_longlong(fma(a, b, -a)); o[6] = __double_as_longlong(fmin(a, b)); o[7] = __double_as_longlong(fmax(a, b));
}
// @launch 1 64
KERNEL fma_cancellation(int *out, In in) {
  int i = GTID; float a = 1.0f + i * 0x1p-12f, b = 1.0f - i * 0x1p-13f; double c = 1.0 + i * 0x1p-30, d = 1.0 - i * 0x1p-29;
  out[i] = __float_as_int(fmaf(a, b, -__fmul_rn(a, b))); ((long long *)out)[64 + i] = __double_as_longlong(fma(c, d, -__dmul_rn(c, d)));
}
// @launch 1 64
KERNEL float_special(int *out, In in) {
  int i = GTID; float t[8] = {0.0f, -0.0f, 1.0f, -1.0f, __int_as_float(0x7f800000), __int_as_float(0xff800000), __int_as_float(0x7fffffff), 1e-40f};
  float a = t[i & 7], b = t[i >> 3];
  out[i] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | !(a < b) << 6 | isnan(a + b) << 7 | isinf(a * b) << 8 | signbit(a) << 9;
  out[64 + i] = isnan(fminf(a, b)) ? 1 : __float_as_int(fminf(a, b)); out[128 + i] = isnan(fmaxf(a, b)) ? 1 : __float_as_int(fmaxf(a, b));
  out[192 + i] = isnan(a + b) ? 1 : __float_as_int(a + b); out[256 + i] = isnan(a * b) ? 1 : __float_as_int(a * b); out[320 + i] = isnan(a / b) ? 1 : __float_as_int(a / b);
}
// @launch 1 64
KERNEL float_to_int(int *out, In in) {
  int i = GTID; float t[8] = {1e20f, -1e20f, 2.5f, -2.5f, 2147483648.0f, __int_as_float(0x7f800000), -0.75f, 4294967040.0f};
  float a = i < 8 ? t[i] : in[i] * 0.37f; double d = i < 8 ? t[i] : in[i] * 123.456;
  int *o = out + i * 12; o[0] = (int)a; o[1] = (unsigned)a; o[2] = __float2int_rn(a); o[3] = __float2int_ru(a); o[4] = __float2int_rd(a); o[5] = (int)d; o[6] = (unsigned)d;
  ((long long *)(o + 8))[0] = (long long)a; ((long long *)(o + 8))[1] = (unsigned long long)d;
}
// @launch 1 64
KERNEL int_to_float(int *out, In in) {
  int i = GTID; long long l = ((long long)in[i] << 29) + in[i + 1]; unsigned long long u = ((unsigned long long)(unsigned)in[i] << 32) | (unsigned)in[i + 1];
  out[i * 8] = __float_as_int((float)in[i]); out[i * 8 + 1] = __float_as_int((float)(unsigned)in[i]); out[i * 8 + 2] = __float_as_int((float)l); out[i * 8 + 3] = __float_as_int((float)u);
  ((long long *)out)[i * 4 + 2] = __double_as_longlong((double)l); ((long long *)out)[i * 4 + 3] = __double_as_longlong((double)u);
}
// @launch 1 64
KERNEL float_rounding(int *out, In in) {
  int i = GTID; float a = (i - 32) * 0.25f; int *o = out + i * 6;
  o[0] = __float_as_int(floorf(a)); o[1] = __float_as_int(ceilf(a)); o[2] = __float_as_int(truncf(a)); o[3] = __float_as_int(rintf(a)); o[4] = __float_as_int(roundf(a)); o[5] = __float_as_int(copysignf(3.0f, a));
}
// @launch 1 64
KERNEL directed_rounding(int *out, In in) {
  int i = GTID; float a = in[i] * 1e-3f, b = in[i + 1] * 7e-4f; int *o = out + i * 10;
  o[0] = __float_as_int(__fadd_rz(a, b)); o[1] = __float_as_int(__fadd_ru(a, b)); o[2] = __float_as_int(__fadd_rd(a, b)); o[3] = __float_as_int(__fmul_rz(a, b));
  o[4] = __float_as_int(__fmul_ru(a, b)); o[5] = __float_as_int(__fmaf_rd(a, b, 1.0f)); o[6] = __float_as_int(__fdiv_rz(a, b)); o[7] = __float_as_int(__fsqrt_ru(fabsf(a)));
  ((double *)out)[i * 5 + 4] = __dadd_rz((double)a * 1e10, 1.0 / 3);
}
// @launch 1 64
KERNEL half_arithmetic(int *out, In in) {
  int i = GTID; __half a = __float2half((in[i] & 0xffff) * 0.01f), b = __float2half((in[i + 1] & 0xfff) * 0.03f + 1.0f); int *o = out + i * 8;
  o[0] = __half_as_ushort(__hadd(a, b)); o[1] = __half_as_ushort(__hsub(a, b)); o[2] = __half_as_ushort(__hmul(a, b)); o[3] = __half_as_ushort(__hfma(a, b, a));
  o[4] = __half_as_ushort(__hneg(a)); o[5] = __hlt(a, b) | __heq(a, a) << 1; o[6] = __float_as_int(__half2float(a)); o[7] = __half_as_ushort(__int2half_rn(in[i] & 0x1ffff));
}
// @launch 1 64
KERNEL half2_arithmetic(int *out, In in) {
  int i = GTID; __half2 a = __floats2half2_rn((in[i] & 0xfff) * 0.1f, (in[i + 1] & 0xff) * 0.5f), b = __floats2half2_rn(1.5f, -2.25f);
  __half2 r = __hfma2(a, b, __hadd2(a, b)); r = __hmul2(r, __float2half2_rn(0.125f)); float2 f = __half22float2(r);
  out[i * 3] = *(int *)&r; out[i * 3 + 1] = __float_as_int(f.x); out[i * 3 + 2] = __float_as_int(f.y);
}
// @launch 1 64
KERNEL bf16_arithmetic(int *out, In in) {
  int i = GTID; __nv_bfloat16 a = __float2bfloat16(in[i] * 0.001f), b = __float2bfloat16((in[i + 1] & 0xfff) * 0.03f + 1.0f); int *o = out + i * 5;
  o[0] = __bfloat16_as_ushort(__hadd(a, b)); o[1] = __bfloat16_as_ushort(__hmul(a, b)); o[2] = __bfloat16_as_ushort(__hfma(a, b, a)); o[3] = __float_as_int(__bfloat162float(a)); o[4] = __bfloat16_as_ushort(__hsub(a, b));
}

// ------------------------------------------------------------ control flow
// @launch 2 64
KERNEL divergent_if(int *out, In in) {
  int i = GTID, v = in[i]; if (v & 1) { if (v & 2) v *= 3; else v += 100; } else if (v & 4) v ^= 0x5555; else { v -= i; if (i % 3 == 0) v = -v; } out[i] = v;
}
// @launch 2 64
KERNEL divergent_loop(int *out, In in) {
  int i = GTID, n = in[i] & 31, s = 0; for (int k = 0; k < n; k++) { if ((k ^ i) & 4) continue; s += in[k] ^ k; if (s % 37 == 11) break; } out[i] = s;
}
// @launch 1 64
KERNEL nested_loops(int *out, In in) {
  int i = GTID, s = 0; for (int a = 0; a < (i & 7); a++) for (int b = a; b < (in[i] & 15); b++) { if (b == 9) goto next; s = s * 31 + a * b + in[b]; } next: out[i] = s;
}
// @launch 1 128
KERNEL switches(int *out, In in) {
  int i = GTID, v = in[i]; switch (v & 15) { case 0: v = 1; break; case 1: case 2: v += 5; case 3: v *= 2; break; case 7: v = ~v; break; case 11: out[i + 128] = v; return; case 15: v = 0; default: v ^= i; } out[i] = v;
}
// @launch 1 96
KERNEL early_exit(int *out, In in) {
  int i = GTID; if (in[i] & 1) return; for (int k = 0;; k++) { if (k > (in[i] & 63)) { out[i] = k; return; } if (in[k] == i) break; } out[i] = -1;
}
// @launch 1 64
KERNEL collatz(int *out, In in) {
  int i = GTID; unsigned n = (in[i] & 0xffff) + 1; int steps = 0; while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; steps++; } out[i] = steps;
}
// @launch 1 64
KERNEL gcd_do_while(int *out, In in) {
  int i = GTID; unsigned a = in[i] & 0xffff, b = (in[i + 1] & 0xffff) + 1; do { unsigned t = a % b; a = b; b = t; } while (b); out[i] = a;
}

// ------------------------------------------------------------ indices
// @launch 6 32
KERNEL indices_1d(int *out, In in) { out[GTID] = blockIdx.x * 1000 + threadIdx.x + gridDim.x * 100000 + blockDim.x * 1000000; }
// @launch (2,3,2) (4,3,5)
KERNEL indices_3d(int *out, In in) {
  int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[b * 60 + t] = threadIdx.x | threadIdx.y << 4 | threadIdx.z << 8 | blockIdx.x << 12 | blockIdx.y << 16 | blockIdx.z << 20 | blockDim.z << 24;
}
// @launch 1 (8,12)
KERNEL lanes(int *out, In in) {
  int t = threadIdx.x + 8 * threadIdx.y; unsigned lane, warp; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); warp = t / warpSize; out[t] = lane * 100 + warp;
}

// ------------------------------------------------------------ memory
// @launch 1 64
KERNEL byte_access(int *out, In in) {
  int i = GTID; const signed char *c = (const signed char *)in; const unsigned short *s = (const unsigned short *)in; out[i] = c[i * 3] + s[i * 5]; ((unsigned char *)(out + 64))[i] = c[i]; ((short *)(out + 128))[i ^ 1] = s[i];
}
// @launch 1 64
KERNEL vector_access(int *out, In in) {
  int i = GTID; int4 v = ((const int4 *)in)[i]; float2 f = ((const float2 *)in)[i & 0]; v.x += v.w; ((int4 *)out)[i] = v; ((int2 *)(out + 512))[i] = make_int2(v.y, v.z ^ (f.x != f.x)); double2 d = make_double2(i, -i); ((double2 *)(out + 1024))[i] = d;
}
// @launch 1 64
KERNEL local_array(int *out, In in) {
  int a[17]; int i = GTID; for (int k = 0; k < 17; k++) a[k] = in[i + k]; for (int k = 0; k < 17; k++) { int j = (unsigned)a[k] % 17; int t = a[j]; a[j] = a[k]; a[k] = t; } out[i] = a[(unsigned)in[i] % 17]; out[64 + i] = a[3];
}
// @launch 1 32
KERNEL local_sort(int *out, In in) {
  int a[24], i = GTID; for (int k = 0; k < 24; k++) a[k] = in[i * 24 + k]; for (int p = 1; p < 24; p++) { int v = a[p], q = p - 1; while (q >= 0 && a[q] > v) { a[q + 1] = a[q]; q--; } a[q + 1] = v; } for (int k = 0; k < 24; k++) out[i * 24 + k] = a[k];
}
struct Pair { char tag; short s; int v[3]; double d; };
// @launch 1 32
KERNEL structs(int *out, In in) {
  Pair p[3]; int i = GTID; for (int k = 0; k < 3; k++) { p[k].tag = in[i + k]; p[k].s = in[i + k] >> 3; p[k].d = in[i + k] * 0.5; for (int j = 0; j < 3; j++) p[k].v[j] = in[i + j] ^ k; } Pair q = p[(unsigned)in[i] % 3]; out[i * 4] = q.tag + q.s; out[i * 4 + 1] = q.v[(unsigned)in[i + 1] % 3]; out[i * 4 + 2] = (int)q.d; out[i * 4 + 3] = sizeof(Pair);
}
__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ int counter = 40; __device__ float weights[4] = {0.5f, 0.25f, -1.0f}; __device__ const char *const message = "warp and weft";
// @launch 1 64
KERNEL globals(int *out, In in) { int i = GTID; out[i] = table[in[i] & 15] + (int)(weights[i & 3] * 8); out[64 + i] = message[i % 14]; if (i == 0) { counter += 2; out[128] = counter; } }
// @launch 1 64
KERNEL memcpy_memset(int *out, In in) {
  int i = GTID; int a[20]; memset(a, i & 0xff, sizeof a); memcpy(a + 3, in + i, 8 * sizeof(int)); if (i & 1) memcpy(out + 1024 + i * 20, a, sizeof a); else memset(out + 1024 + i * 20, 0x5a, 33); out[i] = a[(unsigned)in[i] % 20];
}
// @launch 1 64
KERNEL unaligned_loop_copy(int *out, In in) { const char *s = (const char *)in + 1; char *d = (char *)out + 3; for (int k = threadIdx.x; k < 1000; k += blockDim.x) d[k] = s[k * 2]; }

// ------------------------------------------------------------ functions
__device__ __noinline__ int helper_add(int a, int b) { return a * 2 + b; }
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
// @launch 1 32
KERNEL calls(int *out, In in) { int i = GTID; out[i] = helper_add(in[i], helper_add(i, 3)) + ((in[i] & 1) ? helper_add(1, i) : 0); }
// @launch 1 32
KERNEL recursion(int *out, In in) { int i = GTID; out[i] = fib(i % 12); out[32 + i] = ackermann(i & 1, i & 7); }
typedef int (*Op)(int, int);
__device__ int op_add(int a, int b) { return a + b; } __device__ int op_mul(int a, int b) { return a * b; } __device__ int op_sub(int a, int b) { return a - b; }
__device__ Op op_table[3] = {op_add, op_mul, op_sub};
// @launch 1 64
KERNEL function_pointers(int *out, In in) { int i = GTID; Op f = op_table[(unsigned)in[i] % 3]; out[i] = f(in[i], i); Op g = in[i + 1] & 1 ? op_add : op_sub; out[64 + i] = g(f(1, 2), i); }
struct Shape { int k; __device__ Shape(int k) : k(k) {} __device__ virtual int area() const { return k; } __device__ virtual ~Shape() {} };
struct Square : Shape { __device__ Square(int k) : Shape(k) {} __device__ int area() const override { return k * k; } };
struct Slab : Square { int h; __device__ Slab(int k, int h) : Square(k), h(h) {} __device__ int area() const override { return Square::area() * h; } };
// @launch 1 64
KERNEL virtual_calls(int *out, In in) { int i = GTID; Shape a(i); Square b(i); Slab c(i, 3); const Shape *s[3] = {&a, &b, &c}; out[i] = s[(unsigned)in[i] % 3]->area(); }
struct Big { int v[12]; };
__device__ __noinline__ int by_value(Big b, int k) { b.v[k % 12] += 1000; int s = 0; for (int i = 0; i < 12; i++) s = s * 3 + b.v[i]; return s; }
__device__ __noinline__ Big returns_struct(int k) { Big b; for (int i = 0; i < 12; i++) b.v[i] = k * i; return b; }
// @launch 1 32
KERNEL struct_arguments(int *out, In in) { int i = GTID; Big b = returns_struct(i); out[i] = by_value(b, in[i] & 7) + b.v[3]; }
template <int N> __device__ int power(int x) { int r = 1; for (int i = 0; i < N; i++) r *= x; return r; }
// @launch 1 32
KERNEL templates_lambdas(int *out, In in) { int i = GTID; auto f = [=](int x) { return power<3>(x) + in[i]; }; out[i] = f(i) + power<5>(i & 3); }
// @launch 1 64
KERNEL divergent_calls(int *out, In in) { int i = GTID, r = 0; for (int k = 0; k < 4; k++) if ((in[i] >> k) & 1) r += fib(k + (i & 3)); else r = helper_add(r, k); out[i] = r; }

// ------------------------------------------------------------ shared memory and barriers
// @launch 2 128
KERNEL shared_reverse(int *out, In in) { __shared__ int s[128]; int t = threadIdx.x; s[t] = in[GTID]; __syncthreads(); out[GTID] = s[127 - t]; }
// @launch 2 128 512
KERNEL dynamic_shared(int *out, In in) { extern __shared__ int d[]; int t = threadIdx.x; d[t] = in[GTID] * 2; __syncthreads(); out[GTID] = d[(t + 1) % 128] + d[(t + 64) % 128]; }
// @launch 2 64 256
KERNEL static_and_dynamic(int *out, In in) { __shared__ double a[16]; __shared__ char c[5]; extern __shared__ unsigned char raw[]; int *d = (int *)raw; int t = threadIdx.x; if (t < 16) a[t] = t * 0.5; if (t < 5) c[t] = t + 65; d[t] = t; __syncthreads(); out[GTID] = (int)(a[t & 15] * 10) + c[t % 5] * 1000 + d[63 - t] * 1000000; }
// @launch 2 256
KERNEL tree_reduction(int *out, In in) { __shared__ int s[256]; int t = threadIdx.x; s[t] = in[GTID]; __syncthreads(); for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); } if (t == 0) out[blockIdx.x] = s[0]; }
// @launch 1 256
KERNEL scan_two_buffers(int *out, In in) { __shared__ int s[2][256]; int t = threadIdx.x, p = 0; s[0][t] = in[t] & 0xff; __syncthreads(); for (int d = 1; d < 256; d *= 2) { s[1 - p][t] = s[p][t] + (t >= d ? s[p][t - d] : 0); p = 1 - p; __syncthreads(); } out[t] = s[p][t]; }
// @launch (2,2) (16,16)
KERNEL transpose(int *out, In in) { __shared__ int tile[16][17]; int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; tile[threadIdx.y][threadIdx.x] = in[y * 32 + x]; __syncthreads(); out[(blockIdx.x * 16 + threadIdx.y) * 32 + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; }
// @launch (2,2) (8,8)
KERNEL tiled_matmul(int *out, In in) { __shared__ float A[8][8], B[8][8]; int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; float s = 0; for (int k = 0; k < 16; k += 8) { A[threadIdx.y][threadIdx.x] = (in[y * 16 + k + threadIdx.x] & 15); B[threadIdx.y][threadIdx.x] = (in[(k + threadIdx.y) * 16 + x] & 15); __syncthreads(); for (int j = 0; j < 8; j++) s += A[threadIdx.y][j] * B[j][threadIdx.x]; __syncthreads(); } out[y * 16 + x] = (int)s; }
// @launch 1 128
KERNEL sync_count(int *out, In in) { int t = threadIdx.x; int n = __syncthreads_count(in[t] & 1), a = __syncthreads_and(in[t] != 12345), o = __syncthreads_or(t == 77); out[t] = n * 10 + (a != 0) * 2 + (o != 0); }
// @launch 1 128
KERNEL barrier_after_exit(int *out, In in) { __shared__ int s[128]; int t = threadIdx.x; s[t] = t; if (t >= 96) return; __syncthreads(); out[t] = s[95 - t]; __syncthreads(); out[128 + t] = s[t]; }
// @launch 1 64
KERNEL barrier_in_divergent_warps(int *out, In in) { __shared__ int s[64]; int t = threadIdx.x; if (t < 32) { s[t] = t * 3; __syncthreads(); out[t] = s[t + 32]; } else { s[t] = t * 5; __syncthreads(); out[t] = s[t - 32]; } }
// @launch 1 128
KERNEL named_barriers(int *out, In in) { __shared__ int s[128]; int t = threadIdx.x; s[t] = in[t]; if (t < 64) { asm volatile("bar.sync 1, 64;" ::: "memory"); out[t] = s[63 - t]; } else { asm volatile("bar.sync 2, 64;" ::: "memory"); out[t] = s[191 - t]; } __syncthreads(); out[128 + t] = s[(t + 64) & 127]; }
// @launch 1 64
KERNEL uniform_loop_barrier(int *out, In in) { __shared__ int s[65]; int t = threadIdx.x, n = (in[0] & 7) + 3; s[t] = t; if (t == 0) s[64] = 0; __syncthreads(); for (int k = 0; k < n; k++) { int v = s[(t + 1) & 63]; __syncthreads(); s[t] = v + k; __syncthreads(); } out[t] = s[t]; }

// ------------------------------------------------------------ warps
// @launch 1 64
KERNEL shuffles(int *out, In in) { int t = threadIdx.x, v = in[t]; out[t] = __shfl_sync(FULL, v, (t * 7) & 31); out[64 + t] = __shfl_up_sync(FULL, v, 3); out[128 + t] = __shfl_down_sync(FULL, v, 5); out[192 + t] = __shfl_xor_sync(FULL, v, 9); }
// @launch 1 32
KERNEL shuffle_widths(int *out, In in) { int t = threadIdx.x, v = in[t]; out[t] = __shfl_sync(FULL, v, t + 3, 8); out[32 + t] = __shfl_up_sync(FULL, v, 2, 4); out[64 + t] = __shfl_down_sync(FULL, v, 3, 16); out[96 + t] = __shfl_xor_sync(FULL, v, 5, 8); out[128 + t] = __shfl_sync(FULL, v, -1, 16); }
// @launch 1 32
KERNEL shuffle_types(int *out, In in) { int t = threadIdx.x; float f = in[t] * 0.5f; double d = in[t] * 0.25; long long l = (long long)in[t] << 20; out[t] = __float_as_int(__shfl_xor_sync(FULL, f, 1)); ((long long *)out)[32 + t] = __double_as_longlong(__shfl_down_sync(FULL, d, 4)); ((long long *)out)[64 + t] = __shfl_sync(FULL, l, 31 - t); __half h = __float2half(t * 0.5f); out[200 + t] = __half_as_ushort(__shfl_up_sync(FULL, h, 1)); }
// @launch 1 64
KERNEL warp_reduction(int *out, In in) { int t = threadIdx.x, v = in[t]; for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(FULL, v, o); if ((t & 31) == 0) out[t / 32] = v; }
// @launch 1 64
KERNEL votes(int *out, In in) { int t = threadIdx.x; bool p = in[t] & 1; out[t] = __ballot_sync(FULL, p); out[64 + t] = __any_sync(FULL, in[t] == 12) + 2 * __all_sync(FULL, t >= 0) + 4 * __any_sync(FULL, t == 40); }
// @launch 1 64
KERNEL matches(int *out, In in) { int t = threadIdx.x, same; out[t] = __match_any_sync(FULL, in[t] & 3); out[64 + t] = __match_all_sync(FULL, t / 32, &same); out[128 + t] = same; out[192 + t] = __match_all_sync(FULL, t / 40, &same); out[256 + t] = same; out[320 + t] = __match_any_sync(FULL, (long long)(in[t] & 1) << 40); }
// @launch 1 64
KERNEL redux(int *out, In in) { int t = threadIdx.x, v = in[t]; unsigned u = v; int *o = out + t * 8; o[0] = __reduce_add_sync(FULL, v); o[1] = __reduce_min_sync(FULL, v); o[2] = __reduce_max_sync(FULL, v); o[3] = __reduce_min_sync(FULL, u); o[4] = __reduce_max_sync(FULL, u); o[5] = __reduce_and_sync(FULL, u | 0xff); o[6] = __reduce_or_sync(FULL, u & 0xff); o[7] = __reduce_xor_sync(FULL, u); }
// @launch 1 64
KERNEL partial_masks(int *out, In in) { int t = threadIdx.x, lane = t & 31; if (lane < 12) out[t] = __shfl_xor_sync(0xfff, in[t], 3); else if (lane < 20) out[t] = __ballot_sync(0xff000, in[t] & 1); else { __syncwarp(0xfff00000); out[t] = __reduce_add_sync(0xfff00000, t); } }
// @launch 1 48
KERNEL partial_warp(int *out, In in) { int t = threadIdx.x; unsigned m = t < 32 ? FULL : 0xffff; out[t] = __ballot_sync(m, in[t] & 2); out[64 + t] = __shfl_down_sync(m, t, 1, 16); }
// @launch 1 64
KERNEL shuffle_in_loop(int *out, In in) { int t = threadIdx.x, v = in[t] & 0xff, n = 0; while (__any_sync(FULL, v > 3)) { int w = __shfl_xor_sync(FULL, v, 1 << (n % 5)); v = (v + w) / 3; n++; } out[t] = v * 100 + n; }
// @launch 1 64
KERNEL syncwarp_exchange(int *out, In in) { __shared__ int s[64]; int t = threadIdx.x; s[t] = in[t]; __syncwarp(); int v = s[t ^ 1]; __syncwarp(); s[t] = v + 1; __syncwarp(); out[t] = s[t ^ 2]; }
// @launch 1 64
KERNEL active_mask(int *out, In in) { int t = threadIdx.x; out[t] = __activemask(); if (t & 1) out[64 + t] = __popc(__activemask()); }
// @launch 1 64
KERNEL divergent_shuffle(int *out, In in) { int t = threadIdx.x, lane = t & 31; unsigned odd = 0xaaaaaaaa; int v; if (lane & 1) { v = in[t]; for (int k = 2; k < 32; k <<= 1) v += __shfl_xor_sync(odd, v, k); } else { v = in[t] * 2; for (int k = 2; k < 32; k <<= 1) v = max(v, __shfl_xor_sync(~odd, v, k)); } out[t] = v; }

// ------------------------------------------------------------ atomics
// @launch 4 64
KERNEL atomic_ints(int *out, In in) { int v = in[GTID]; atomicAdd(out, v); atomicSub(out + 1, v); atomicMin(out + 2, v); atomicMax(out + 3, v); atomicMin((unsigned *)out + 4, (unsigned)v); atomicMax((unsigned *)out + 5, (unsigned)v); atomicAnd(out + 6, v); atomicOr(out + 7, v); atomicXor(out + 8, v); atomicInc((unsigned *)out + 9, 100); atomicDec((unsigned *)out + 10, 77); atomicCAS(out + 11, 0, 5); }
// @launch 4 64
KERNEL atomic_64(int *out, In in) { unsigned long long v = (unsigned long long)(unsigned)in[GTID] * 77777, *o = (unsigned long long *)out; atomicAdd(o, v); atomicMax(o + 1, v); atomicXor(o + 2, v); atomicMin((long long *)o + 3, (long long)v * -1); atomicOr(o + 4, v); atomicCAS(o + 5, 0ull, 1ull << 40); }
// @launch 4 64
KERNEL atomic_floats(int *out, In in) { atomicAdd((float *)out, (float)(in[GTID] & 255)); atomicAdd((double *)out + 1, (in[GTID] & 255) * 0.5); atomicAdd((__half *)out + 8, __float2half(1.0f)); atomicAdd((__nv_bfloat16 *)out + 10, __float2bfloat16(1.0f)); }
// @launch 4 64
KERNEL atomic_results(int *out, In in) { int k = atomicAdd(out, 1); out[1 + k] = 1; int old = atomicExch(out + 500 + GTID, 7); atomicAdd(out + 499, old + 1); __threadfence(); }
// @launch 4 64
KERNEL histogram(int *out, In in) { __shared__ int h[16]; int t = threadIdx.x; if (t < 16) h[t] = 0; __syncthreads(); atomicAdd(&h[in[GTID] & 15], 1); __syncthreads(); if (t < 16) atomicAdd(out + t, h[t]); }
// @launch 4 64
KERNEL cas_loop(int *out, In in) { int v = in[GTID] & 0xfff, old = out[0], seen; do { seen = old; old = atomicCAS(out, seen, seen + v); } while (old != seen); }
// @launch 4 64
KERNEL spin_lock(int *out, In in) { for (bool done = false; !done;) if (atomicCAS(out, 0, 1) == 0) { __threadfence(); volatile int *c = out + 1; *c = *c + (in[GTID] & 7); __threadfence(); atomicExch(out, 0); done = true; } }
// @launch 8 64
KERNEL last_block(int *out, In in) { __shared__ bool last; int t = threadIdx.x; atomicAdd(out + 1 + t, in[GTID] & 63); __threadfence(); __syncthreads(); if (t == 0) last = atomicAdd(out, 1) == gridDim.x - 1; __syncthreads(); if (last) out[100 + t] = ((volatile int *)out)[1 + t] * 2; }
// @launch 4 32
KERNEL block_chain(int *out, In in) { volatile int *flag = out; if (threadIdx.x == 0) { while (*flag != (int)blockIdx.x) __nanosleep(20); out[1 + blockIdx.x] = out[blockIdx.x] * 0 + blockIdx.x * 3 + 1; __threadfence(); *flag = blockIdx.x + 1; } }
// @launch 4 64 0 cooperative
KERNEL grid_sync(int *out, In in) { cg::grid_group g = cg::this_grid(); out[GTID] = in[GTID] & 0xff; g.sync(); int v = out[(GTID + 64) % 256]; g.sync(); out[256 + GTID] = v + 1; }
// @launch 1 64
KERNEL cg_tiles(int *out, In in) { auto tile = cg::tiled_partition<8>(cg::this_thread_block()); int v = in[threadIdx.x] & 0xff; for (int o = 4; o; o >>= 1) v += tile.shfl_down(v, o); out[threadIdx.x] = tile.shfl(v, 0) * 10 + tile.thread_rank(); cg::this_thread_block().sync(); out[64 + threadIdx.x] = tile.any(in[threadIdx.x] & 16) + 2 * tile.all(in[threadIdx.x] != 0); }
