// A warp does a row, alone: its two sums meet by shuffles, and no thread waits for another warp at a barrier between
// reading a row and writing it. Each warp has a ring of its own in shared memory, into which its next rows come by
// asynchronous copies. One block of few warps with many registers fills a multiprocessor: the columns' sums of a warp
// stay in registers over all of its rows, and a block's warps add theirs before one row of sums goes to memory.
#include "../common/async.cuh"
#include "../common/packed.cuh"
#include "../common/sums.cuh"
#include "columns.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size, WARPS = BLOCK / 32, ARRAYS = 3, PACK = 32 * SIZE;

// Eight elements as floats: a word's upper one by a mask, its lower one by a shift.
__device__ __forceinline__ void unpack(float (&to)[SIZE], uint4 bits) {
  unsigned word[] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
  for (int i = 0; i < SIZE / 2; i++)
    to[2 * i] = __uint_as_float(word[i] << 16), to[2 * i + 1] = __uint_as_float(word[i] & 0xffff0000u);
}
__device__ __forceinline__ Packed<Element> packed(const float (&from)[SIZE]) {
  Packed<Element> result;
#pragma unroll
  for (int i = 0; i < SIZE; i += 2) {
    __nv_bfloat162 pair = __floats2bfloat162_rn(from[i], from[i + 1]);
    memcpy(result.element + i, &pair, sizeof(pair));
  }
  return result;
}

// A stage of a ring holds, for each of three arrays and PACKS, sixteen bytes of each lane; a lane copies what it reads
// itself. A row ends in the last pack: there are no more than it needs.
template <bool WIDE>
__device__ __forceinline__ void fetch(uint4 *stage, const Element *dout, const Element *inp, const Element *dinp,
                                      int row, int rows, int columns) {
  if (row < rows) {
    size_t begin = (size_t)row * columns;
    const Element *from[ARRAYS] = {dout + begin, inp + begin, dinp + begin};
#pragma unroll
    for (int p = 0; p < PACKS; p++)
#pragma unroll
      for (int a = 0; a < ARRAYS; a++) {
        int at = SIZE * (threadIdx.x % 32) + p * PACK;
        uint4 *to = stage + (a * PACKS + p) * 32;
        bool there = p < PACKS - 1 || at < columns;
        if constexpr (WIDE) copyAsync(to, there ? from[a] + at : from[a], there);
        else *to = bitsOf(loadPart<WIDE>(from[a], at, columns));
      }
  }
  // Also an empty one: groups are counted.
  endGroup();
}

template <bool WIDE>
__global__ void __launch_bounds__(BLOCK)
    backward(Element *dinp, float *partial, const Element *dout, const Element *inp, const Element *weight,
             const float *mean, const float *rstd, int rows, int columns) {
  extern __shared__ uint4 shared[];
  constexpr int STAGE = ARRAYS * PACKS * 32;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, step = gridDim.x * WARPS, stage = 0;
  uint4 *weights = shared, *ring = shared + PACKS * 32 + warp * STAGES * STAGE + lane;
  // Warps that run at the same time do neighbouring rows.
  int row = warp * gridDim.x + blockIdx.x;
#pragma unroll
  for (int k = 0; k < STAGES - 1; k++) fetch<WIDE>(ring + k * STAGE, dout, inp, dinp, row + k * step, rows, columns);
  // All warps read the weights from the same place.
  for (int i = threadIdx.x; i < PACKS * 32; i += BLOCK) weights[i] = bitsOf(loadPart<WIDE>(weight, SIZE * i, columns));
  __syncthreads();
  float weightSum[PACKS][SIZE] = {}, biasSum[PACKS][SIZE] = {}, nextMean = 0, nextScale = 0;
  if (row < rows) nextMean = mean[row], nextScale = rstd[row];
  for (; row < rows; row += step, stage = stage == STAGES - 1 ? 0 : stage + 1) {
    fetch<WIDE>(ring + (stage == 0 ? STAGES - 1 : stage - 1) * STAGE, dout, inp, dinp, row + (STAGES - 1) * step, rows,
                columns);
    float scale = nextScale, shift = nextMean * nextScale, sum = 0, product = 0;
    if (row + step < rows) nextMean = mean[row + step], nextScale = rstd[row + step];
    waitForAllBut<STAGES - 1>();
    const uint4 *mine = ring + stage * STAGE;
    float w[SIZE], d[SIZE], x[SIZE], out[SIZE];
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
      unpack(w, weights[p * 32 + lane]), unpack(d, mine[p * 32]), unpack(x, mine[(PACKS + p) * 32]);
#pragma unroll
      for (int e = 0; e < SIZE; e++) {
        float normalized = x[e] * scale - shift, scaled = w[e] * d[e];
        sum += scaled;
        product += scaled * normalized;
        // Beyond the row's end d is zero.
        weightSum[p][e] += d[e] * normalized;
        biasSum[p][e] += d[e];
      }
    }
    sum = warpSum(sum) / columns, product = warpSum(product) / columns;
    // before + (w d - sum - normalized product) scale, with what is the same for the row put together.
    float slope = scale * product, constant = sum - shift * product;
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
      unpack(w, weights[p * 32 + lane]), unpack(d, mine[p * 32]), unpack(x, mine[(PACKS + p) * 32]),
          unpack(out, mine[(2 * PACKS + p) * 32]);
#pragma unroll
      for (int e = 0; e < SIZE; e++) out[e] += (w[e] * d[e] - constant - x[e] * slope) * scale;
      Element *to = dinp + (size_t)row * columns;
      if (WIDE && p < PACKS - 1) store(to + SIZE * lane + p * PACK, packed(out));
      else storePart<WIDE>(to, SIZE * lane + p * PACK, columns, packed(out));
    }
  }
  // The rings are free now: no copy is under way that is not for a row that was done.
  waitForAllBut<0>();
  __syncthreads();
  float *sums = reinterpret_cast<float *>(shared);
#pragma unroll
  for (int a = 0; a < 2; a++) {
    float4 *mine = reinterpret_cast<float4 *>(sums + (warp * 32 * PACKS + lane) * SIZE);
#pragma unroll
    for (int p = 0; p < PACKS; p++)
#pragma unroll
      for (int e = 0; e < SIZE; e += 4) {
        const float *from = a == 0 ? weightSum[p] + e : biasSum[p] + e;
        mine[(p * PACK + e) / 4] = make_float4(from[0], from[1], from[2], from[3]);
      }
    __syncthreads();
    for (int column = threadIdx.x; column < columns; column += BLOCK) {
      float total = 0;
#pragma unroll
      for (int k = 0; k < WARPS; k++) total += sums[k * PACKS * PACK + column];
      partial[((size_t)blockIdx.x * 2 + a) * columns + column] = total;
    }
    __syncthreads();
  }
}
