// A block stays on its multiprocessor and processes row after row. As soon as a logit in shared memory has become a
// gradient, an asynchronous copy requests an element of the next row for its place, and the next row's sum follows a
// few places behind. So memory is read and written all the time; blocks of one row each first only read and then only
// write. A few slots of a row stay in registers: as many places in shared memory can be requested before the barrier at
// which a row's sum is known. An element costs ten instructions: exponentials are powers of two of one multiply-add
// each, and only the thread that has the target's element treats it specially.
#include "../common/async.cuh"
#include "../common/online-softmax.cuh"
#include "gradient.cuh"
#include <float.h>

// A row is `slots` slots of BLOCK quads in the ring, which has EXTRA more, REGISTERS slots in registers, and, if it is
// longer, a rest that is read twice. Sums are made of what was asked for LAG slots ago.
constexpr int LAG = EXTRA + 2;

// NOTHING stands for no element yet; times LOG2E it is still finite.
constexpr float LOG2E = 1.4426950408889634f, NOTHING = -FLT_MAX / 2;
// ex2.approx, good to 2^-22 (PTX ISA, "Floating Point Instructions: ex2").
__device__ __forceinline__ float powerOfTwo(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float4 exponentials(float4 x, float largest) {
  float scaled = largest * LOG2E;
  return make_float4(powerOfTwo(x.x * LOG2E - scaled), powerOfTwo(x.y * LOG2E - scaled),
                     powerOfTwo(x.z * LOG2E - scaled), powerOfTwo(x.w * LOG2E - scaled));
}

__device__ __forceinline__ void addQuad(Softmax &to, float4 x) {
  float largest = fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w));
  // Seldom after the first few.
  if (largest > to.largest) to.sum *= powerOfTwo((to.largest - largest) * LOG2E), to.largest = largest;
  float4 e = exponentials(x, to.largest);
  to.sum += (e.x + e.y) + (e.z + e.w);
}

// Slots go through the ring in order. Three positions move through it: of requests, of sums and of writes.
struct Place {
  int slot = 0, index = 0;
  __device__ __forceinline__ int next(int slots) {
    int here = index * BLOCK + threadIdx.x;
    index = index == slots + EXTRA - 1 ? 0 : index + 1;
    slot = slot == slots - 1 ? 0 : slot + 1;
    return here;
  }
};

__global__ void __launch_bounds__(BLOCK)
    classify(float *dlogits, float *losses, const float *logits, const float *dlosses, const int *targets, int rows,
             int classes, int stride, int slots) {
  extern __shared__ float4 ring[];
  // Two, used alternately: a thread that reads one late is safe, as no thread writes it before the next row's barrier.
  __shared__ Softmax part[2][BLOCK / 32];
  int quads = stride / 4, step = gridDim.x, row = blockIdx.x, nextTarget = targets[row], askedRow = row, parity = 0;
  float nextScale = dlosses[row];
  Place asked, added, written;
  float4 cached[REGISTERS];
  Softmax mine = {NOTHING, 0};
  auto in = [&](int row) { return reinterpret_cast<const float4 *>(logits + (size_t)row * stride); };
  auto ask = [&] {
    int q = asked.slot * BLOCK + threadIdx.x;
    bool there = askedRow < rows && q < quads;
    const float4 *from = there ? in(askedRow) + q : in(0);
    if (asked.slot == slots - 1) askedRow += step;
    copyAsync(reinterpret_cast<uint4 *>(ring + asked.next(slots)), from, there);
    endGroup();
  };
  auto addNext = [&] {
    int q = added.slot * BLOCK + threadIdx.x, at = added.next(slots);
    addQuad(mine, masked(ring[at], 4 * q, classes));
  };
  auto keep = [&](int row) {
#pragma unroll
    for (int r = 0; r < REGISTERS; r++) {
      int q = (slots + r) * BLOCK + threadIdx.x;
      cached[r] = row < rows && q < quads ? in(row)[q] : make_float4(0, 0, 0, 0);
    }
  };
  // What is not in the ring.
  auto addOthers = [&](int row) {
#pragma unroll
    for (int r = 0; r < REGISTERS; r++) {
      int q = (slots + r) * BLOCK + threadIdx.x;
      addQuad(mine, cached[r] = masked(cached[r], 4 * q, classes));
    }
    for (int q = (slots + REGISTERS) * BLOCK + threadIdx.x; q < quads; q += BLOCK)
      addQuad(mine, masked(__ldcg(in(row) + q), 4 * q, classes));
  };
  keep(row);
  for (int k = 0; k < slots + EXTRA; k++) ask();
  // The first row: there is nothing to write yet.
  waitForAllBut<EXTRA>();
  for (int k = 0; k < slots; k++) addNext();
  addOthers(row);
  for (; row < rows; row += step, parity ^= 1) {
    Softmax all = blockJoin<BLOCK>(mine, part[parity]);
    mine = {NOTHING, 0};
    int target = nextTarget;
    float inverse = 1 / all.sum, scale = nextScale;
    bool more = row + step < rows;
    if (more) nextTarget = targets[row + step], nextScale = dlosses[row + step];
    float factor = inverse * scale;
    auto write = [&](float4 x, int q) {
      if (q >= quads) return;
      float4 d = exponentials(x, all.largest);
      d = make_float4(d.x * factor, d.y * factor, d.z * factor, d.w * factor);
      // The thread that has the target's logit computes the loss.
      unsigned e = target - 4 * q;
      if (e < 4) {
        losses[row] = logf(all.sum) - ((e == 0 ? x.x : e == 1 ? x.y : e == 2 ? x.z : x.w) - all.largest);
        if (e == 0) d.x -= scale;
        if (e == 1) d.y -= scale;
        if (e == 2) d.z -= scale;
        if (e == 3) d.w -= scale;
      }
      reinterpret_cast<float4 *>(dlogits + (size_t)row * stride)[q] = d;
    };
    for (int q = (slots + REGISTERS) * BLOCK + threadIdx.x; q < quads; q += BLOCK)
      write(masked(__ldcs(in(row) + q), 4 * q, classes), q);
#pragma unroll
    for (int r = 0; r < REGISTERS; r++) write(cached[r], (slots + r) * BLOCK + threadIdx.x);
    keep(row + step);
    for (int k = 0; k < slots; k++) {
      int q = written.slot * BLOCK + threadIdx.x;
      write(masked(ring[written.next(slots)], 4 * q, classes), q);
      ask();
      if (k < LAG - EXTRA) continue;
      waitForAllBut<LAG>();
      if (more) addNext();
    }
    if (!more) break;
    if (slots > 1) {
      waitForAllBut<EXTRA + 1>();
      addNext();
    }
    waitForAllBut<EXTRA>();
    addNext();
    addOthers(row + step);
  }
}
