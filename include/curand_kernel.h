/*
 * Random numbers in kernels: the device API of cuRAND, written for Heddle from the published algorithms.
 *
 * XORWOW (Marsaglia 2003), MRG32k3a (L'Ecuyer 1999) and Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", 2011), seeded and spaced as on a GPU (a subsequence is 2^67 numbers, of MRG32k3a 2^76),
 * so that integers and uniform numbers are the GPU's own. Normal numbers are Box and Muller's from the same integers;
 * they differ from a GPU's in the last digits, as its sine is an approximation. Poisson numbers have the distribution,
 * not the GPU's sequence. Sobol' sequences: heddle/sobol.h; MTGP32: curand_mtgp32.h; discrete distributions:
 * heddle/discrete.h.
 */
#ifndef HEDDLE_CURAND_KERNEL_H
#define HEDDLE_CURAND_KERNEL_H

#include <cuda_runtime.h>
#include <curand.h>

#define CURAND_2POW32_INV (2.3283064e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)
#define CURAND_2POW53_INV_DOUBLE (1.1102230246251565e-16)
#define CURAND_2POW32_INV_2PI (2.3283064e-10f * 6.2831855f)
#define CURAND_MRG32K3A_NORM (2.3283065498378288e-10) /* 1 / 4294967087 */
#define CURAND_PI_DOUBLE (3.1415926535897932)

/* The second number of a Box-Muller pair waits in `extra`. */
struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

#include "heddle/sobol.h"
#include "curand_mtgp32.h"
#include "heddle/discrete.h"

#ifdef __CUDACC__ // a C++ source only passes generator states on
extern "C" __device__ void __heddle_xorwow_jump(unsigned int *v, unsigned long long n, int subsequences);
extern "C" __device__ void __heddle_mrg32k3a_jump(unsigned int *s1, unsigned int *s2, unsigned long long n, int power);

#define HEDDLE_RANDOM static __device__ __forceinline__

namespace heddle_random {
template <class State> HEDDLE_RANDOM void no_pair(State *s) {
  s->boxmuller_flag = 0;
  s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0.0f;
  s->boxmuller_extra_double = 0.0;
}
HEDDLE_RANDOM uint4 philox_round(uint4 c, uint2 k) {
  unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
  return make_uint4((unsigned int)(b >> 32) ^ c.y ^ k.x, (unsigned int)b, (unsigned int)(a >> 32) ^ c.w ^ k.y,
                    (unsigned int)a);
}
HEDDLE_RANDOM uint4 philox(uint4 c, uint2 k) {
#pragma unroll
  for (int round = 0; round < 10; round++) {
    c = philox_round(c, k);
    k.x += 0x9e3779b9u;
    k.y += 0xbb67ae85u;
  }
  return c;
}
/* Adds n to the 128-bit counter, from its lowest or its third word on. */
HEDDLE_RANDOM void advance(uint4 *c, unsigned long long n) {
  unsigned long long low = ((unsigned long long)c->y << 32 | c->x) + n;
  unsigned long long high = ((unsigned long long)c->w << 32 | c->z) + (low < n ? 1 : 0);
  *c = make_uint4((unsigned int)low, (unsigned int)(low >> 32), (unsigned int)high, (unsigned int)(high >> 32));
}
HEDDLE_RANDOM void advance_high(uint4 *c, unsigned long long n) {
  unsigned long long high = ((unsigned long long)c->w << 32 | c->z) + n;
  c->z = (unsigned int)high;
  c->w = (unsigned int)(high >> 32);
}
/* (0, 1] */
HEDDLE_RANDOM float uniform(unsigned int x) { return x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2.0f); }
HEDDLE_RANDOM double uniform53(unsigned int x, unsigned int y) {
  unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << (53 - 32));
  return z * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
}
HEDDLE_RANDOM float2 normal_pair(unsigned int x, unsigned int y) {
  float u = x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2);
  float v = y * CURAND_2POW32_INV_2PI + (CURAND_2POW32_INV_2PI / 2);
  float s = sqrtf(-2.0f * logf(u));
  float2 r;
  __sincosf(v, &r.x, &r.y);
  r.x *= s;
  r.y *= s;
  return r;
}
HEDDLE_RANDOM double2 normal_pair_double(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1) {
  double u = uniform53(x0, x1);
  unsigned long long zy = (unsigned long long)y0 ^ ((unsigned long long)y1 << (53 - 32));
  double v = zy * (CURAND_2POW53_INV_DOUBLE * 2.0) + CURAND_2POW53_INV_DOUBLE;
  double s = sqrt(-2.0 * log(u));
  double2 r;
  sincospi(v, &r.x, &r.y);
  r.x *= s;
  r.y *= s;
  return r;
}
} // namespace heddle_random

/* ------------------------------------------------------------------ XORWOW */
HEDDLE_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  __heddle_xorwow_jump(state->v, n, 1);
}
HEDDLE_RANDOM void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
  __heddle_xorwow_jump(state->v, n, 0);
  state->d += 362437u * (unsigned int)n;
}
HEDDLE_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStateXORWOW_t* state) {
  unsigned int s0 = (unsigned int)seed ^ 0xaad26b49u, s1 = (unsigned int)(seed >> 32) ^ 0xf7dcefddu;
  unsigned int t0 = 1099087573u * s0, t1 = 2591861531u * s1;
  state->d = 6615241u + t1 + t0;
  state->v[0] = 123456789u + t0;
  state->v[1] = 362436069u ^ t0;
  state->v[2] = 521288629u + t1;
  state->v[3] = 88675123u ^ t1;
  state->v[4] = 5783321u + t0;
  heddle_random::no_pair(state);
  if (subsequence) skipahead_sequence(subsequence, state);
  if (offset) skipahead(offset, state);
}
HEDDLE_RANDOM unsigned int curand(curandStateXORWOW_t *state) {
  unsigned int t = state->v[0] ^ (state->v[0] >> 2);
  state->v[0] = state->v[1];
  state->v[1] = state->v[2];
  state->v[2] = state->v[3];
  state->v[3] = state->v[4];
  state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
  state->d += 362437u;
  return state->v[4] + state->d;
}

/* ------------------------------------------------------------------ Philox4x32-10 */
HEDDLE_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  heddle_random::advance_high(&state->ctr, n);
  state->output = heddle_random::philox(state->ctr, state->key);
}
HEDDLE_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  state->STATE += (unsigned int)(n & 3);
  n /= 4;
  if (state->STATE > 3) {
    n += 1;
    state->STATE -= 4;
  }
  heddle_random::advance(&state->ctr, n);
  state->output = heddle_random::philox(state->ctr, state->key);
}
HEDDLE_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStatePhilox4_32_10_t* state) {
  state->ctr = make_uint4(0, 0, 0, 0);
  state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  state->STATE = 0;
  heddle_random::no_pair(state);
  heddle_random::advance_high(&state->ctr, subsequence);
  skipahead(offset, state);
}
HEDDLE_RANDOM uint4 curand4(curandStatePhilox4_32_10_t *state) {
  uint4 a = state->output;
  heddle_random::advance(&state->ctr, 1);
  uint4 b = state->output = heddle_random::philox(state->ctr, state->key);
  switch (state->STATE) {
    case 0: return a;
    case 1: return make_uint4(a.y, a.z, a.w, b.x);
    case 2: return make_uint4(a.z, a.w, b.x, b.y);
    default: return make_uint4(a.w, b.x, b.y, b.z);
  }
}
HEDDLE_RANDOM unsigned int curand(curandStatePhilox4_32_10_t *state) {
  unsigned int which = state->STATE;
  unsigned int r = which == 0   ? state->output.x
                   : which == 1 ? state->output.y
                   : which == 2 ? state->output.z
                                : state->output.w;
  state->STATE = which + 1;
  if (which == 3) {
    heddle_random::advance(&state->ctr, 1);
    state->output = heddle_random::philox(state->ctr, state->key);
    state->STATE = 0;
  }
  return r;
}

/* ------------------------------------------------------------------ MRG32k3a */
HEDDLE_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  __heddle_mrg32k3a_jump(state->s1, state->s2, n, 0);
}
HEDDLE_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  __heddle_mrg32k3a_jump(state->s1, state->s2, n, 1);
}
HEDDLE_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  __heddle_mrg32k3a_jump(state->s1, state->s2, n, 2);
}
HEDDLE_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStateMRG32k3a_t* state) {
  const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
  for (int i = 0; i < 3; i++) state->s1[i] = state->s2[i] = 12345u;
  if (seed != 0) {
    unsigned long long x1 = (unsigned int)seed ^ 0x55555555u, x2 = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;
    state->s1[0] = (unsigned int)(x1 * 12345u % m1);
    state->s1[1] = (unsigned int)(x2 * 12345u % m1);
    state->s1[2] = (unsigned int)(x1 * 12345u % m1);
    state->s2[0] = (unsigned int)(x2 * 12345u % m2);
    state->s2[1] = (unsigned int)(x1 * 12345u % m2);
    state->s2[2] = (unsigned int)(x2 * 12345u % m2);
  }
  heddle_random::no_pair(state);
  if (subsequence) skipahead_subsequence(subsequence, state);
  if (offset) skipahead(offset, state);
}
namespace heddle_random {
/* 1 … m1 */
HEDDLE_RANDOM unsigned int mrg(curandStateMRG32k3a_t *s) {
  const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
  unsigned int p1 = (unsigned int)((1403580ull * s->s1[1] + 810728ull * (m1 - s->s1[0])) % m1);
  unsigned int p2 = (unsigned int)((527612ull * s->s2[2] + 1370589ull * (m2 - s->s2[0])) % m2);
  s->s1[0] = s->s1[1];
  s->s1[1] = s->s1[2];
  s->s1[2] = p1;
  s->s2[0] = s->s2[1];
  s->s2[1] = s->s2[2];
  s->s2[2] = p2;
  return p1 <= p2 ? p1 - p2 + (unsigned int)m1 : p1 - p2;
}
} // namespace heddle_random
HEDDLE_RANDOM unsigned int curand(curandStateMRG32k3a_t* state) {
  return (unsigned int)(heddle_random::mrg(state) * 1.000000048662);
}

/* ------------------------------------------------------------------ distributions */
template <class State>
HEDDLE_RANDOM float curand_uniform(State* state) {
  return heddle_random::uniform(curand(state));
}
HEDDLE_RANDOM float curand_uniform(curandStateMRG32k3a_t* state) {
  return (float)(heddle_random::mrg(state) * CURAND_MRG32K3A_NORM);
}
template <class State> HEDDLE_RANDOM double curand_uniform_double(State *state) {
  unsigned int x = curand(state), y = curand(state);
  return heddle_random::uniform53(x, y);
}
/* These have the 32 bits of one integer. */
HEDDLE_RANDOM double curand_uniform_double(curandStateMRG32k3a_t* state) {
  return heddle_random::mrg(state) * CURAND_MRG32K3A_NORM;
}
HEDDLE_RANDOM double curand_uniform_double(curandStatePhilox4_32_10_t* state) {
  return curand(state) * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE;
}
HEDDLE_RANDOM double curand_uniform_double(curandStateMtgp32_t *state) {
  return heddle_random::sobol_uniform_double(curand(state));
}
HEDDLE_RANDOM float curand_mtgp32_single(curandStateMtgp32_t *state) {
  return (curand(state) >> 9) * 1.1920929e-7f;
}
HEDDLE_RANDOM float curand_mtgp32_single_specific(curandStateMtgp32_t *state, unsigned char index, unsigned char n) {
  return (curand_mtgp32_specific(state, index, n) >> 9) * 1.1920929e-7f;
}
HEDDLE_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
  uint4 x = curand4(state);
  return make_float4(heddle_random::uniform(x.x), heddle_random::uniform(x.y), heddle_random::uniform(x.z),
                     heddle_random::uniform(x.w));
}
HEDDLE_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
  uint4 x = curand4(state);
  return make_double2(heddle_random::uniform53(x.x, x.y), heddle_random::uniform53(x.z, x.w));
}
HEDDLE_RANDOM double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state) {
  double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}

template <class State> HEDDLE_RANDOM float2 curand_normal2(State *state) {
  unsigned int x = curand(state), y = curand(state);
  return heddle_random::normal_pair(x, y);
}
template <class State> HEDDLE_RANDOM float curand_normal(State *state) {
  if (state->boxmuller_flag) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  float2 pair = curand_normal2(state);
  state->boxmuller_extra = pair.y;
  state->boxmuller_flag = 1;
  return pair.x;
}
template <class State> HEDDLE_RANDOM double2 curand_normal2_double(State *state) {
  unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
  return heddle_random::normal_pair_double(x0, x1, y0, y1);
}
HEDDLE_RANDOM double2 curand_normal2_double(curandStateMRG32k3a_t *state) {
  double u = curand_uniform_double(state), v = curand_uniform_double(state), s = sqrt(-2.0 * log(u));
  double2 r;
  sincospi(2.0 * v, &r.x, &r.y);
  r.x *= s;
  r.y *= s;
  return r;
}
template <class State> HEDDLE_RANDOM double curand_normal_double(State *state) {
  if (state->boxmuller_flag_double) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  double2 pair = curand_normal2_double(state);
  state->boxmuller_extra_double = pair.y;
  state->boxmuller_flag_double = 1;
  return pair.x;
}
/* A number of MTGP32 makes one: all threads of a block must come here together. */
HEDDLE_RANDOM float curand_normal(curandStateMtgp32_t *state) { return heddle_random::sobol_normal(curand(state)); }
HEDDLE_RANDOM double curand_normal_double(curandStateMtgp32_t *state) {
  return heddle_random::sobol_normal_double(curand(state));
}
HEDDLE_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
  uint4 x = curand4(state);
  float2 a = heddle_random::normal_pair(x.x, x.y), b = heddle_random::normal_pair(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
HEDDLE_RANDOM double4 curand_normal4_double(curandStatePhilox4_32_10_t *state) {
  double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}

template <class State>
HEDDLE_RANDOM float curand_log_normal(State* state, float mean, float stddev) {
  return expf(mean + stddev * curand_normal(state));
}
template <class State> HEDDLE_RANDOM float2 curand_log_normal2(State *state, float mean, float stddev) {
  float2 v = curand_normal2(state);
  return make_float2(expf(mean + stddev * v.x), expf(mean + stddev * v.y));
}
HEDDLE_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev) {
  float4 v = curand_normal4(state);
  return make_float4(expf(mean + stddev * v.x), expf(mean + stddev * v.y), expf(mean + stddev * v.z),
                     expf(mean + stddev * v.w));
}
template <class State>
HEDDLE_RANDOM double curand_log_normal_double(State* state, double mean, double stddev) {
  return exp(mean + stddev * curand_normal_double(state));
}
template <class State> HEDDLE_RANDOM double2 curand_log_normal2_double(State *state, double mean, double stddev) {
  double2 v = curand_normal2_double(state);
  return make_double2(exp(mean + stddev * v.x), exp(mean + stddev * v.y));
}
HEDDLE_RANDOM double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean, double stddev) {
  double4 v = curand_normal4_double(state);
  return make_double4(exp(mean + stddev * v.x), exp(mean + stddev * v.y), exp(mean + stddev * v.z),
                      exp(mean + stddev * v.w));
}

namespace heddle_random {
/* Below 10 by multiplying uniform numbers (Knuth); above by transformed rejection (Hoermann, "The transformed rejection
   method for generating Poisson random variables", 1993, algorithm PTRS). */
template <class State> static __device__ unsigned int poisson(State *state, double lambda) {
  if (!(lambda > 0.0)) return 0;
  if (lambda < 10.0) {
    double limit = exp(-lambda), product = 1.0;
    unsigned int k = 0;
    while ((product *= curand_uniform_double(state)) > limit) k++;
    return k;
  }
  double root = sqrt(lambda), logl = log(lambda);
  double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b, inverse_alpha = 1.1239 + 1.1328 / (b - 3.4),
         vr = 0.9277 - 3.6224 / (b - 2.0);
  for (;;) {
    double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state), us = 0.5 - fabs(u);
    double k = floor((2.0 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= vr) return (unsigned int)k;
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    if (log(v) + log(inverse_alpha) - log(a / (us * us) + b) <= -lambda + k * logl - lgamma(k + 1.0))
      return (unsigned int)k;
  }
}
} // namespace heddle_random
template <class State>
HEDDLE_RANDOM unsigned int curand_poisson(State* state, double lambda) {
  return heddle_random::poisson(state, lambda);
}
HEDDLE_RANDOM unsigned int curand_poisson(curandStateMtgp32_t *state, double lambda) {
  return heddle_random::sobol_poisson(curand_uniform_double(state), lambda);
}
HEDDLE_RANDOM uint4 curand_discrete4(curandStatePhilox4_32_10_t *state, curandDiscreteDistribution_t distribution) {
  uint4 x = curand4(state);
  return make_uint4(heddle_random::discrete(x.x, distribution), heddle_random::discrete(x.y, distribution),
                    heddle_random::discrete(x.z, distribution), heddle_random::discrete(x.w, distribution));
}
HEDDLE_RANDOM uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda) {
  unsigned int x = curand_poisson(state, lambda), y = curand_poisson(state, lambda), z = curand_poisson(state, lambda),
               w = curand_poisson(state, lambda);
  return make_uint4(x, y, z, w);
}
#endif // __CUDACC__

#endif
