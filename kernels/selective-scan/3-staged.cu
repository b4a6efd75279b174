// Along the sequence again, without the work of scans: LANES threads have a channel, each a part of its state, and the
// accelerator brings tiles of 64 steps of all channels of a block while the tile before is computed. What all channels
// need, b and c, is turned into floats once for the block. A power of 2 for each number of the state is what remains.
#include "../common/exp2.cuh"
#include "../common/hopper.cuh"
#include "scan.cuh"
#define TILE 64
#define CHANNELS (BLOCK / LANES)
#define OWN (STATE / LANES)
// Steps that are computed together, of which each lane has its share.
#define STEPS 8
#define SHARE (STEPS / LANES)
#define ROWS_BYTES (CHANNELS * TILE * 2)
#define WEIGHTS_BYTES (STATE * TILE * 2)
#define STAGE_BYTES (3 * ROWS_BYTES + 2 * WEIGHTS_BYTES)

__device__ __forceinline__ float log2Of(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// Of small exponentials the series: 1 + e would lose their bits.
__device__ __forceinline__ float quickStepOf(float x) {
  float e = exp2Of(x * LOG2E);
  float series = e * (1 - e * (0.5f - e * (1 / 3.0f - e * (0.25f - e * 0.2f))));
  float log = e < 0.0625f ? series : log2Of(1 + e) * 0.6931471805599453f;
  return x <= 20 ? log : x;
}
// Chunk `chunk` of 16 bytes of row `row`, swizzled.
__device__ __forceinline__ const uint4 &chunkOf(const unsigned char *tile, int row, int chunk) {
  return *(const uint4 *)(tile + row * 128 + (chunk ^ row % 8) * 16);
}
__device__ __forceinline__ void unpack(float (&to)[STEPS], const uint4 &from) {
  unsigned words[4] = {from.x, from.y, from.z, from.w};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    to[2 * i] = __uint_as_float(words[i] << 16);
    to[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000);
  }
}
// Sums over a channel's lanes: lane j has steps j * SHARE and on.
__device__ __forceinline__ void reduce(float (&out)[SHARE], float (&sum)[STEPS], int lane) {
  int left = STEPS;
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2) {
    left /= 2;
    bool isUpper = lane & distance;
#pragma unroll
    for (int i = 0; i < STEPS / 2; i++)
      if (i < left) {
        float mine = isUpper ? sum[i + left] : sum[i], others = isUpper ? sum[i] : sum[i + left];
        sum[i] = mine + __shfl_xor_sync(~0u, others, distance);
      }
  }
#pragma unroll
  for (int i = 0; i < SHARE; i++) out[i] = sum[i];
}

__global__ void __launch_bounds__(BLOCK)
    scan(const __grid_constant__ TensorMap mapU, const __grid_constant__ TensorMap mapDelta,
         const __grid_constant__ TensorMap mapZ, const __grid_constant__ TensorMap mapB,
         const __grid_constant__ TensorMap mapC, const __grid_constant__ TensorMap mapY, const float *a, const float *d,
         const float *bias, int dim, int length) {
  extern __shared__ unsigned char raw[];
  // b and c of a step side by side, by number of the state.
  __shared__ __align__(16) float weights[2][TILE][STATE];
  __shared__ __align__(8) unsigned long long barriers[STAGES];
  unsigned stages = alignedTo1024(raw), full = addressOf(barriers);
  unsigned char *data = raw + (stages - addressOf(raw)), *out = data + STAGES * STAGE_BYTES;
  int first = blockIdx.x * CHANNELS, batch = blockIdx.y, tiles = (length + TILE - 1) / TILE;
  int row = threadIdx.x / LANES, lane = threadIdx.x % LANES, channel = first + row;
  auto load = [&](int tile) {
    unsigned to = stages + tile % STAGES * STAGE_BYTES, barrier = full + 8 * (tile % STAGES);
    arriveAndExpect(barrier, STAGE_BYTES);
    loadBox(to, mapU, tile * TILE, first, batch, barrier);
    loadBox(to + ROWS_BYTES, mapDelta, tile * TILE, first, batch, barrier);
    loadBox(to + 2 * ROWS_BYTES, mapZ, tile * TILE, first, batch, barrier);
    loadBox(to + 3 * ROWS_BYTES, mapB, tile * TILE, 0, batch, barrier);
    loadBox(to + 3 * ROWS_BYTES + WEIGHTS_BYTES, mapC, tile * TILE, 0, batch, barrier);
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) initBarrier(full + 8 * s, 1);
    publishBarriers();
    for (int tile = 0; tile < STAGES && tile < tiles; tile++) load(tile);
  }
  float h[OWN] = {}, rate[OWN], through = 0, offset = 0;
#pragma unroll
  for (int n = 0; n < OWN; n++) rate[n] = channel < dim ? a[channel * STATE + lane * OWN + n] * LOG2E : 0;
  if (channel < dim) through = d[channel], offset = bias[channel];
  __syncthreads();

  for (int tile = 0; tile < tiles; tile++) {
    const unsigned char *us = data + tile % STAGES * STAGE_BYTES;
    waitFor(full + 8 * (tile % STAGES), tile / STAGES & 1);
    for (int i = threadIdx.x; i < 2 * STATE * (TILE / 8); i += BLOCK) {
      int n = i % STATE, chunk = i / STATE % (TILE / 8), which = i / (STATE * (TILE / 8));
      float values[8];
      unpack(values, chunkOf(us + 3 * ROWS_BYTES + which * WEIGHTS_BYTES, n, chunk));
#pragma unroll
      for (int j = 0; j < 8; j++) weights[which][chunk * 8 + j][n] = values[j];
    }
    // The accelerator has written the tile before.
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    __syncthreads();
#pragma unroll 1
    for (int chunk = 0; chunk < TILE / STEPS; chunk++) {
      float x[STEPS], raw[STEPS], gate[STEPS], step[STEPS], sum[STEPS] = {}, share[SHARE], y[SHARE];
      unpack(x, chunkOf(us, row, chunk));
      unpack(raw, chunkOf(us + ROWS_BYTES, row, chunk));
#pragma unroll
      for (int i = 0; i < SHARE; i++) {
        float own = raw[i];
#pragma unroll
        for (int l = 1; l < LANES; l++) own = lane == l ? raw[l * SHARE + i] : own;
        share[i] = quickStepOf(own + offset);
      }
#pragma unroll
      for (int t = 0; t < STEPS; t++) step[t] = __shfl_sync(~0u, share[t % SHARE], t / SHARE, LANES);
#pragma unroll
      for (int t = 0; t < STEPS; t++) {
        const float *from = weights[0][chunk * STEPS + t] + lane * OWN;
        const float *to = weights[1][chunk * STEPS + t] + lane * OWN;
        float added = step[t] * x[t];
#pragma unroll
        for (int n = 0; n < OWN; n++) {
          h[n] = exp2Of(step[t] * rate[n]) * h[n] + added * from[n];
          sum[t] += h[n] * to[n];
        }
      }
      reduce(y, sum, lane);
      unpack(gate, chunkOf(us + 2 * ROWS_BYTES, row, chunk));
      unsigned short result[SHARE];
#pragma unroll
      for (int i = 0; i < SHARE; i++) {
        float own = gate[i], input = x[i];
#pragma unroll
        for (int l = 1; l < LANES; l++)
          own = lane == l ? gate[l * SHARE + i] : own, input = lane == l ? x[l * SHARE + i] : input;
        float value = (y[i] + through * input) * __fdividef(own, 1 + exp2Of(-own * LOG2E));
        result[i] = __bfloat16_as_ushort(__float2bfloat16(value));
      }
      unsigned short *at =
          (unsigned short *)(out + row * 128 + (chunk ^ row % 8) * 16) + lane * SHARE;
#pragma unroll
      for (int i = 0; i < SHARE; i++) at[i] = result[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];"
                   ::"l"(&mapY), "r"(addressOf(out)), "r"(tile * TILE), "r"(first), "r"(batch) : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      if (tile + STAGES < tiles) load(tile + STAGES);
    }
  }
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
