// What versions 2 to 4 share: the persistent product of matmul-bf16 by ping-pong, with weights by rows.
#pragma once
#define PING_PONG 1
#define CLUSTER 1
#define CONSUMERS 2
#define TILE_M ROWS
#define B_ALONG_K 1
#include "../matmul-bf16/hopper.cuh"
#include "../common/persistent.cuh"
#include "epilogue.cuh"

template <class Change> struct Layer : Tiles {
  const TensorMap &x, &w, &y;
  Change change;
  __device__ __forceinline__ Layer(const TensorMap &x, const TensorMap &w, const TensorMap &y, int m, int n,
                                   Change change)
      : Tiles(m, n), x(x), w(w), y(y), change(change) {}
  __device__ __forceinline__ void begin(unsigned out, int row, int thread) { change.begin(out, row, left, thread); }
  __device__ __forceinline__ void load(unsigned to, int depth, int, unsigned barrier) const {
    loadBox(to, x, depth, top, barrier);
    loadBox(to + A_BYTES, w, depth, left, barrier);
  }
  __device__ __forceinline__ void store(const float (&sum)[TILE_N / 2], unsigned out, int row, int barrier) {
    change.top = row;
    storeByAccelerator(y, sum, out, row, left, barrier, change);
  }
};

// Sums become activations; a lane has the columns 2 t and 2 t + 1, and eight columns further, of rows g and g + 8.
template <bool GELU> struct Activation : Unchanged {
  const __nv_bfloat16 *bias;
  float scale;
  int n, top;
  __device__ __forceinline__ Activation(const __nv_bfloat16 *bias, const float *scale, int n)
      : bias(bias), scale(*scale), n(n), top(0) {}
  __device__ __forceinline__ void begin(unsigned, int, int, int) {}
  __device__ __forceinline__ void operator()(float (&s)[8], int column, unsigned) const {
    int own = column + threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < 8; i += 4) {
      float2 b = own + 2 * i < n ? pairAt(bias + own + 2 * i) : make_float2(0, 0);
      s[i] = activated<GELU>(s[i], scale, b.x), s[i + 1] = activated<GELU>(s[i + 1], scale, b.y);
      s[i + 2] = activated<GELU>(s[i + 2], scale, b.x), s[i + 3] = activated<GELU>(s[i + 3], scale, b.y);
    }
  }
};
