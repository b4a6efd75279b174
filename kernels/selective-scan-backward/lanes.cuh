// What versions 2 and 3 share.
#pragma once
#include "../common/exp2.cuh"
#include "../selective-scan/scan.cuh"
#define LANES 4
#define OWN (STATE / LANES)
#define STEPS 8
#define SHARE (STEPS / LANES)
#define SLOTS (32 / LANES)
#define CHANNELS (BLOCK / LANES)

__global__ void clear(float *ga, float *gb, float *gc, float *gd, float *gbias, int dim, int weights) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < weights) gb[i] = gc[i] = 0;
  if (i < dim * STATE) ga[i] = 0;
  if (i < dim) gd[i] = gbias[i] = 0;
}
__device__ __forceinline__ float sigmoidOf(float x) { return __fdividef(1, 1 + exp2Of(-x * LOG2E)); }
__device__ __forceinline__ uint4 eight(const __nv_bfloat16 *from) { return *(const uint4 *)from; }
// Number i of eight.
__device__ __forceinline__ float numberOf(const uint4 &eight, int i) {
  unsigned word = i / 2 == 0 ? eight.x : i / 2 == 1 ? eight.y : i / 2 == 2 ? eight.z : eight.w;
  return __uint_as_float(i % 2 ? word & 0xffff0000 : word << 16);
}
// Number lane * SHARE + i: each lane has its share of the eight steps.
__device__ __forceinline__ float ownNumber(const uint4 &eight, int lane, int i) {
  unsigned word = lane == 0 ? eight.x : lane == 1 ? eight.y : lane == 2 ? eight.z : eight.w;
  return __uint_as_float(i ? word & 0xffff0000 : word << 16);
}
__device__ __forceinline__ void spread(float (&to)[STEPS], const float (&own)[SHARE]) {
#pragma unroll
  for (int t = 0; t < STEPS; t++) to[t] = __shfl_sync(~0u, own[t % SHARE], t / SHARE, LANES);
}
// Sums over the lanes of a channel, of each lane's share.
__device__ __forceinline__ void gather(float (&out)[SHARE], float (&sum)[STEPS], int lane) {
#pragma unroll
  for (int distance = 2, left = 4; distance > 0; distance /= 2, left /= 2) {
    bool isUpper = lane & distance;
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (i < left) {
        float mine = isUpper ? sum[i + left] : sum[i], others = isUpper ? sum[i] : sum[i + left];
        sum[i] = mine + __shfl_xor_sync(~0u, others, distance);
      }
  }
  out[0] = sum[0], out[1] = sum[1];
}
__device__ __forceinline__ float sumOfLanes(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}
__device__ __forceinline__ void add(float *to, float a, float b, float c, float d) {
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
               ::"l"(to), "f"(a), "f"(b), "f"(c), "f"(d) : "memory");
}

// The state before each eight steps.
__global__ void __launch_bounds__(BLOCK)
    checkpoints(const __nv_bfloat16 *u, const __nv_bfloat16 *delta, const float *a, const __nv_bfloat16 *b,
                const float *bias, float *states, int dim, int length) {
  int lane = threadIdx.x % LANES, channel = blockIdx.x * CHANNELS + threadIdx.x / LANES, batch = blockIdx.y;
  // Lanes of channels that are not there compute the last one again, and write nothing.
  int known = min(channel, dim - 1);
  size_t row = ((size_t)batch * dim + known) * length;
  const __nv_bfloat16 *weights = b + ((size_t)batch * STATE + lane * OWN) * length;
  float h[OWN] = {}, rate[OWN];
#pragma unroll
  for (int n = 0; n < OWN; n++) rate[n] = a[known * STATE + lane * OWN + n] * LOG2E;
  uint4 nextX = eight(u + row), nextDelta = eight(delta + row);
#pragma unroll 1
  for (int first = 0; first < length; first += STEPS) {
    uint4 x = nextX, raw = nextDelta, from[OWN];
#pragma unroll
    for (int n = 0; n < OWN; n++) from[n] = eight(weights + (size_t)n * length + first);
    if (first + STEPS < length) nextX = eight(u + row + first + STEPS), nextDelta = eight(delta + row + first + STEPS);
    if (channel < dim)
      *(float4 *)(states + (row + first) / STEPS * STATE + lane * OWN) = make_float4(h[0], h[1], h[2], h[3]);
    float share[SHARE], step[STEPS];
#pragma unroll
    for (int i = 0; i < SHARE; i++) share[i] = stepOf(ownNumber(raw, lane, i) + bias[known]);
    spread(step, share);
#pragma unroll
    for (int t = 0; t < STEPS; t++) {
      float added = step[t] * numberOf(x, t);
#pragma unroll
      for (int n = 0; n < OWN; n++) h[n] = exp2Of(step[t] * rate[n]) * h[n] + added * numberOf(from[n], t);
    }
  }
}

// Back through eight steps after eight.
__global__ void __launch_bounds__(BLOCK)
    gradients(const __nv_bfloat16 *u, const __nv_bfloat16 *delta, const __nv_bfloat16 *z, const float *a,
              const __nv_bfloat16 *b, const __nv_bfloat16 *c, const float *d, const float *bias,
              const __nv_bfloat16 *gy, const float *states, __nv_bfloat16 *gu, __nv_bfloat16 *gdelta,
              __nv_bfloat16 *gz, float *ga, float *gb, float *gc, float *gd, float *gbias, int dim, int length) {
  int lane = threadIdx.x % LANES, channel = blockIdx.x * CHANNELS + threadIdx.x / LANES, batch = blockIdx.y;
  bool isThere = channel < dim;
  int known = min(channel, dim - 1);
  size_t row = ((size_t)batch * dim + known) * length, weights = ((size_t)batch * STATE + lane * OWN) * length;
  float rate[OWN], carry[OWN] = {}, sumA[OWN] = {}, sumD = 0, sumBias = 0, through = d[known], offset = bias[known];
#pragma unroll
  for (int n = 0; n < OWN; n++) rate[n] = a[known * STATE + lane * OWN + n] * LOG2E;
  int first = length - STEPS;
  uint4 nextX = eight(u + row + first), nextDelta = eight(delta + row + first), nextZ = eight(z + row + first);
  uint4 nextG = eight(gy + row + first);
  if (!isThere) nextG = make_uint4(0, 0, 0, 0);
#pragma unroll 1
  for (; first >= 0; first -= STEPS) {
    uint4 x = nextX, raw = nextDelta, gates = nextZ, outer = nextG, from[OWN], to[OWN];
    float4 start = *(const float4 *)(states + (row + first) / STEPS * STATE + lane * OWN);
#pragma unroll
    for (int n = 0; n < OWN; n++) {
      from[n] = eight(b + weights + (size_t)n * length + first);
      to[n] = eight(c + weights + (size_t)n * length + first);
    }
    if (first > 0) {
      size_t at = row + first - STEPS;
      nextX = eight(u + at), nextDelta = eight(delta + at), nextZ = eight(z + at);
      if (isThere) nextG = eight(gy + at);
    }
    float shares[SHARE], inners[SHARE], step[STEPS], inner[STEPS], y[STEPS] = {}, toX[STEPS] = {}, toStep[STEPS] = {};
#pragma unroll
    for (int i = 0; i < SHARE; i++) {
      float gate = ownNumber(gates, lane, i);
      shares[i] = stepOf(ownNumber(raw, lane, i) + offset);
      inners[i] = ownNumber(outer, lane, i) * gate * sigmoidOf(gate);
    }
    spread(step, shares);
    spread(inner, inners);
    // Decays and states of the eight steps; later what b's and c's gradients get.
    float toB[OWN][STEPS], toC[OWN][STEPS], before[OWN] = {start.x, start.y, start.z, start.w};
#pragma unroll
    for (int n = 0; n < OWN; n++) {
      float h = before[n];
#pragma unroll
      for (int t = 0; t < STEPS; t++) {
        toB[n][t] = exp2Of(step[t] * rate[n]);
        toC[n][t] = h = toB[n][t] * h + step[t] * numberOf(x, t) * numberOf(from[n], t);
        y[t] += h * numberOf(to[n], t);
      }
#pragma unroll
      for (int t = STEPS - 1; t >= 0; t--) {
        float g = carry[n] + inner[t] * numberOf(to[n], t), decay = toB[n][t];
        float moved = g * decay * (t > 0 ? toC[n][t - 1] : before[n]);
        toStep[t] += moved * rate[n];
        toX[t] += g * numberOf(from[n], t);
        sumA[n] += moved * step[t];
        carry[n] = g * decay;
        toB[n][t] = g * step[t] * numberOf(x, t);
        toC[n][t] *= inner[t];
      }
    }
    float ySum[SHARE], xSum[SHARE], stepSum[SHARE];
    gather(ySum, y, lane);
    gather(xSum, toX, lane);
    gather(stepSum, toStep, lane);
    __nv_bfloat162 outX, outDelta, outZ;
#pragma unroll
    for (int i = 0; i < SHARE; i++) {
      float own = ownNumber(x, lane, i), gate = ownNumber(gates, lane, i), sigmoid = sigmoidOf(gate);
      float toDelta = (stepSum[i] * 0.6931471805599453f + xSum[i] * own) * sigmoidOf(ownNumber(raw, lane, i) + offset);
      float toZ = ownNumber(outer, lane, i) * (ySum[i] + through * own) * sigmoid * (1 + gate * (1 - sigmoid));
      sumD += inners[i] * own, sumBias += toDelta;
      __nv_bfloat16 rounded[3] = {__float2bfloat16(through * inners[i] + xSum[i] * shares[i]),
                                  __float2bfloat16(toDelta), __float2bfloat16(toZ)};
      if (i == 0) outX.x = rounded[0], outDelta.x = rounded[1], outZ.x = rounded[2];
      else outX.y = rounded[0], outDelta.y = rounded[1], outZ.y = rounded[2];
    }
    if (isThere) {
      size_t at = row + first + lane * SHARE;
      *(__nv_bfloat162 *)(gu + at) = outX;
      *(__nv_bfloat162 *)(gdelta + at) = outDelta;
      *(__nv_bfloat162 *)(gz + at) = outZ;
    }
#if REDUCE
    // Channels 4, 2 and 1 apart exchange: b's for c's, two numbers of the state for the other two, one for the other.
    int slot = threadIdx.x % 32 / LANES;
    float mine[OWN][STEPS];
#pragma unroll
    for (int n = 0; n < OWN; n++)
#pragma unroll
      for (int t = 0; t < STEPS; t++) {
        float kept = slot & 4 ? toC[n][t] : toB[n][t], given = slot & 4 ? toB[n][t] : toC[n][t];
        mine[n][t] = kept + __shfl_xor_sync(~0u, given, 4 * LANES);
      }
#pragma unroll
    for (int part = 2; part > 0; part /= 2)
#pragma unroll
      for (int n = 0; n < 2; n++)
        if (n < part)
#pragma unroll
          for (int t = 0; t < STEPS; t++) {
            float kept = slot & part ? mine[n + part][t] : mine[n][t];
            float given = slot & part ? mine[n][t] : mine[n + part][t];
            mine[n][t] = kept + __shfl_xor_sync(~0u, given, part * LANES);
          }
    float *at = (slot & 4 ? gc : gb) + weights + (size_t)(slot % 4) * length + first;
    add(at, mine[0][0], mine[0][1], mine[0][2], mine[0][3]);
    add(at + 4, mine[0][4], mine[0][5], mine[0][6], mine[0][7]);
#else
    if (isThere)
#pragma unroll
      for (int n = 0; n < OWN; n++)
#pragma unroll
        for (int t = 0; t < STEPS; t++) {
          atomicAdd(gb + weights + (size_t)n * length + first + t, toB[n][t]);
          atomicAdd(gc + weights + (size_t)n * length + first + t, toC[n][t]);
        }
#endif
  }
  sumD = sumOfLanes(sumD), sumBias = sumOfLanes(sumBias);
  if (!isThere) return;
#pragma unroll
  for (int n = 0; n < OWN; n++) atomicAdd(ga + channel * STATE + lane * OWN + n, sumA[n]);
  if (lane == 0) atomicAdd(gd + channel, sumD), atomicAdd(gbias + channel, sumBias);
}
