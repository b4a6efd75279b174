// DPX functions and atomics with order and scope, against plain 64-bit arithmetic.
#include <cstdio>

struct Case { int a, b, c; };

static __host__ __device__ long long half_of(unsigned word, int i, bool is_signed) { return is_signed ? (long long)(short)(word >> 16 * i) : (long long)(unsigned short)(word >> 16 * i); }
static __host__ __device__ long long best(long long x, long long y, bool max) { return (x > y) == max ? x : y; }

#define CHECK(GOT, WANT) do { if ((long long)(GOT) != (long long)(WANT)) { if (atomicAdd(bad, 1) < 5) printf("line %d: %lld, not %lld (%d %d %d)\n", __LINE__, (long long)(GOT), (long long)(WANT), a, b, c); } } while (0)

/// What halves give, put together by the caller's function of halves i.
template <typename F> static __device__ unsigned both(F f) { return (unsigned)(unsigned short)f(0) | (unsigned)(unsigned short)f(1) << 16; }

__global__ void dpx(const Case *cases, int *bad) {
  const int a = cases[threadIdx.x].a, b = cases[threadIdx.x].b, c = cases[threadIdx.x].c;
  const unsigned ua = a, ub = b, uc = c;
  const int sum = (int)(ua + ub);
  CHECK(__vimax3_s32(a, b, c), best(best(a, b, true), c, true));
  CHECK(__vimin3_s32(a, b, c), best(best(a, b, false), c, false));
  CHECK(__vimax3_u32(ua, ub, uc), best(best(ua, ub, true), uc, true));
  CHECK(__vimin3_u32(ua, ub, uc), best(best(ua, ub, false), uc, false));
  CHECK(__vimax3_s32_relu(a, b, c), best(best(best(a, b, true), c, true), 0, true));
  CHECK(__vimin3_s32_relu(a, b, c), best(best(best(a, b, false), c, false), 0, true));
  CHECK(__vimax_s32_relu(a, b), best(best(a, b, true), 0, true));
  CHECK(__vimin_s32_relu(a, b), best(best(a, b, false), 0, true));
  CHECK(__viaddmax_s32(a, b, c), best(sum, c, true));
  CHECK(__viaddmin_s32(a, b, c), best(sum, c, false));
  CHECK(__viaddmax_u32(ua, ub, uc), best((unsigned)sum, uc, true));
  CHECK(__viaddmin_u32(ua, ub, uc), best((unsigned)sum, uc, false));
  CHECK(__viaddmax_s32_relu(a, b, c), best(best(sum, c, true), 0, true));
  CHECK(__viaddmin_s32_relu(a, b, c), best(best(sum, c, false), 0, true));
  bool first, high, low;
  CHECK(__vibmax_s32(a, b, &first), best(a, b, true));
  CHECK(first, a >= b);
  CHECK(__vibmin_u32(ua, ub, &first), best(ua, ub, false));
  CHECK(first, ua <= ub);
  CHECK(__vibmax_u16x2(ua, ub, &high, &low), both([=](int i) { return best(half_of(ua, i, false), half_of(ub, i, false), true); }));
  CHECK(low, (unsigned short)a >= (unsigned short)b);
  CHECK(high, ua >> 16 >= ub >> 16);
  CHECK(__vibmin_s16x2(ua, ub, &high, &low), both([=](int i) { return best(half_of(ua, i, true), half_of(ub, i, true), false); }));
  CHECK(low, (short)a <= (short)b);
  CHECK(high, a >> 16 <= b >> 16);
  CHECK(__vimax3_s16x2(ua, ub, uc), both([=](int i) { return best(best(half_of(ua, i, true), half_of(ub, i, true), true), half_of(uc, i, true), true); }));
  CHECK(__vimin3_u16x2(ua, ub, uc), both([=](int i) { return best(best(half_of(ua, i, false), half_of(ub, i, false), false), half_of(uc, i, false), false); }));
  CHECK(__vimin_s16x2_relu(ua, ub), both([=](int i) { return best(best(half_of(ua, i, true), half_of(ub, i, true), false), 0, true); }));
  CHECK(__vimax3_s16x2_relu(ua, ub, uc), both([=](int i) { return best(best(best(half_of(ua, i, true), half_of(ub, i, true), true), half_of(uc, i, true), true), 0, true); }));
  CHECK(__viaddmax_s16x2(ua, ub, uc), both([=](int i) { return best((short)(half_of(ua, i, true) + half_of(ub, i, true)), half_of(uc, i, true), true); }));
  CHECK(__viaddmin_u16x2(ua, ub, uc), both([=](int i) { return best((unsigned short)(half_of(ua, i, false) + half_of(ub, i, false)), half_of(uc, i, false), false); }));
  CHECK(__viaddmin_s16x2_relu(ua, ub, uc), both([=](int i) { return best(best((short)(half_of(ua, i, true) + half_of(ub, i, true)), half_of(uc, i, true), false), 0, true); }));
}

#ifdef __NV_ATOMIC_RELAXED
__global__ void atomics(unsigned *word, unsigned long long *wide, float *real, int *turn, int *bad) {
  const int a = threadIdx.x, b = 0, c = 0;
  __nv_atomic_fetch_add(word, 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_max(wide, a, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_add(real, 0.5f, __NV_ATOMIC_RELAXED);
  unsigned expected = 12345;
  CHECK(__nv_atomic_compare_exchange_n(word, &expected, 7u, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED), 0);
  __syncthreads();
  CHECK(__nv_atomic_load_n(word, __NV_ATOMIC_ACQUIRE), 2 * blockDim.x);
  CHECK(__nv_atomic_load_n(wide, __NV_ATOMIC_RELAXED), blockDim.x - 1);
  CHECK(*real, blockDim.x / 2);
  // one after the other
  while (__nv_atomic_load_n(turn, __NV_ATOMIC_ACQUIRE) != a) { }
  __nv_atomic_store_n(turn, a + 1, __NV_ATOMIC_RELEASE);
}
#endif

int main() {
  Case *cases;
  int *bad;
  cudaMallocManaged(&cases, 256 * sizeof(Case));
  cudaMallocManaged(&bad, 64);
  unsigned state = 1;
  const unsigned edges[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x8000ffff, 0x00017fff, 0x80008000};
  auto random = [&] { state = state * 1664525 + 1013904223; return state >> 28 < 6 ? (int)edges[state >> 24 & 7] : (int)(state ^ state << 13); };
  for (int i = 0; i < 256; i++) cases[i] = {random(), random(), random()};
  for (int i = 0; i < 16; i++) bad[i] = 0;
  dpx<<<1, 256>>>(cases, bad);
#ifdef __NV_ATOMIC_RELAXED
  atomics<<<1, 64>>>((unsigned *)bad + 4, (unsigned long long *)(bad + 6), (float *)(bad + 8), bad + 9, bad);
#endif
  if (cudaDeviceSynchronize() != cudaSuccess) return printf("%s\n", cudaGetErrorString(cudaGetLastError())), 1;
  printf(*bad == 0 ? "PASSED\n" : "%d wrong\n", *bad);
  return *bad != 0;
}
