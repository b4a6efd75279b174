// Elements of tensors in any type, and walks over tensors of any strides.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits.h>
#include <math.h>
#include "descriptors.h"

namespace heddle_dnn {

constexpr int THREADS = 256;
constexpr int MOST_BLOCKS = 65535; // in y and z of a grid

/// Of a uniform type: the branch is the same for all threads.
template <class S> __device__ __forceinline__ S load(const void *data, int type, i64 at) {
  switch (type) {
    case CUDNN_DATA_FLOAT: return (S)((const float *)data)[at];
    case CUDNN_DATA_DOUBLE: return (S)((const double *)data)[at];
    case CUDNN_DATA_HALF: return (S)__half2float(((const __half *)data)[at]);
    case CUDNN_DATA_BFLOAT16: return (S)__bfloat162float(((const __nv_bfloat16 *)data)[at]);
    case CUDNN_DATA_INT32: return (S)((const int *)data)[at];
    case CUDNN_DATA_INT8: return (S)((const signed char *)data)[at];
    case CUDNN_DATA_INT64: return (S)((const long long *)data)[at];
    default: return (S)((const unsigned char *)data)[at];
  }
}
/// The same of a value in host memory.
inline double load_on_host(const void *data, int type) {
  switch (type) {
    case CUDNN_DATA_FLOAT: return *(const float *)data;
    case CUDNN_DATA_DOUBLE: return *(const double *)data;
    case CUDNN_DATA_HALF: return __half2float(*(const __half *)data);
    case CUDNN_DATA_BFLOAT16: return __bfloat162float(*(const __nv_bfloat16 *)data);
    case CUDNN_DATA_INT32: return *(const int *)data;
    case CUDNN_DATA_INT8: return *(const signed char *)data;
    case CUDNN_DATA_INT64: return (double)*(const long long *)data;
    default: return *(const unsigned char *)data;
  }
}
/// Integers are rounded to the nearest, ties to even, and stay within their bounds.
template <class S> __device__ __forceinline__ S within(S value, double least, double most) {
  value = (S)rint((double)value);
  return value < (S)least ? (S)least : value > (S)most ? (S)most : value;
}
template <class S> __device__ __forceinline__ void store(void *data, int type, i64 at, S value) {
  switch (type) {
    case CUDNN_DATA_FLOAT: ((float *)data)[at] = (float)value; break;
    case CUDNN_DATA_DOUBLE: ((double *)data)[at] = (double)value; break;
    case CUDNN_DATA_HALF: ((__half *)data)[at] = __float2half((float)value); break;
    case CUDNN_DATA_BFLOAT16: ((__nv_bfloat16 *)data)[at] = __float2bfloat16((float)value); break;
    case CUDNN_DATA_INT32: ((int *)data)[at] = (int)within((double)value, INT_MIN, INT_MAX); break;
    case CUDNN_DATA_INT8: ((signed char *)data)[at] = (signed char)within(value, -128, 127); break;
    case CUDNN_DATA_INT64: ((long long *)data)[at] = (long long)rint((double)value); break;
    default: ((unsigned char *)data)[at] = (unsigned char)within(value, 0, 255);
  }
}

/// N tensors of one shape, element by element. Dimensions that lie behind each other in all of them become one.
template <int N> struct Walk {
  int rank;
  i64 count;
  int dim[CUDNN_DIM_MAX + 1];
  int stride[N][CUDNN_DIM_MAX + 1];
  __device__ void places(i64 at, i64 (&place)[N]) const {
    for (int t = 0; t < N; t++) place[t] = 0;
    if (rank == 1) {
      for (int t = 0; t < N; t++) place[t] = at * stride[t][0];
      return;
    }
    unsigned rest = (unsigned)at;
    for (int i = rank - 1; i >= 0; i--) {
      unsigned next = rest / (unsigned)dim[i];
      int here = (int)(rest - next * (unsigned)dim[i]);
      for (int t = 0; t < N; t++) place[t] += (i64)here * stride[t][i];
      rest = next;
    }
  }
};

/// Channels that lie side by side as a dimension of their own.
inline Tensor unfolded(const Tensor &t, int vect) {
  if (vect == 1) return t;
  Tensor u = t;
  u.rank = t.rank + 1;
  u.dim[1] = t.dim[1] / vect;
  u.dim[t.rank] = vect;
  u.stride[t.rank] = t.vect > 1 ? 1 : t.stride[1];
  for (int i = 1; i < t.rank; i++) u.stride[i] = t.vect > 1 || i == 1 ? t.stride[i] * vect : t.stride[i];
  u.vect = 1;
  return u;
}

/// Dimensions of size 1 repeat their element (broadcast). `shape` is the first tensor's.
template <int N> Walk<N> walk_over(const Tensor *const (&given)[N]) {
  int vect = 1;
  for (int t = 0; t < N; t++) if (given[t]->vect > vect) vect = given[t]->vect;
  Tensor all[N];
  for (int t = 0; t < N; t++) all[t] = unfolded(*given[t], vect);
  Walk<N> walk{};
  walk.count = all[0].elements();
  walk.rank = 0;
  for (int i = 0; i < all[0].rank; i++) {
    int size = all[0].dim[i];
    if (size == 1 && all[0].rank > 1 && !(i + 1 == all[0].rank && walk.rank == 0)) continue;
    int strides[N];
    for (int t = 0; t < N; t++) strides[t] = all[t].dim[i] == 1 ? 0 : all[t].stride[i];
    bool isJoined = walk.rank > 0;
    for (int t = 0; t < N; t++)
      if (isJoined && walk.stride[t][walk.rank - 1] != (i64)strides[t] * size) isJoined = false;
    int to = isJoined ? walk.rank - 1 : walk.rank++;
    walk.dim[to] = isJoined ? walk.dim[to] * size : size;
    for (int t = 0; t < N; t++) walk.stride[t][to] = strides[t];
  }
  return walk;
}

/// Pieces of work memory, one behind the other. What is too large for addresses of 32 bits has so many bytes that no
/// memory is enough.
struct Pieces {
  size_t bytes = 0;
  size_t take(i64 elements, size_t size) {
    size_t at = bytes;
    unsigned long long all = bytes + ((unsigned long long)elements * size + 255) / 256 * 256;
    bytes = all < SIZE_MAX ? (size_t)all : SIZE_MAX;
    return at;
  }
};
inline unsigned blocks_of(i64 count) { return (unsigned)((count + THREADS - 1) / THREADS); }

template <int N, class F> __global__ void __launch_bounds__(THREADS) each(Walk<N> walk, F function) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= walk.count) return;
  i64 place[N];
  walk.places(at, place);
  function(at, place);
}
template <int N, class F> cudnnStatus_t for_each(cudnnContext *h, const Walk<N> &walk, F function) {
  each<N, F><<<blocks_of(walk.count), THREADS, 0, h->stream>>>(walk, function);
  return launched();
}

/// The sum of a block's threads, in all of them.
template <class S> __device__ S block_sum(S value) {
  __shared__ S parts[THREADS / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  S sum = 0;
  for (int i = 0; i < THREADS / 32; i++) sum += parts[i];
  return sum;
}

/// A number of 24 bits from the seed, the call and the element (a hash by multiplications and shifts).
__device__ inline unsigned random_bits(unsigned long long seed, unsigned long long call, i64 at) {
  unsigned long long x = seed + 0x9e3779b97f4a7c15ull * (call + 1) + 0xd1342543de82ef95ull * (unsigned long long)at;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return (unsigned)((x ^ (x >> 31)) >> 40);
}

/// What activations need of their descriptor.
struct Activation {
  int mode, keepsNan;
  double coefficient, swishBeta;
};
inline Activation activation_of(const cudnnActivationStruct *d) {
  return {d->mode, d->nan == CUDNN_PROPAGATE_NAN, d->coefficient, d->swishBeta};
}
template <class S> __device__ S activated(const Activation &a, S x) {
  switch (a.mode) {
    case CUDNN_ACTIVATION_SIGMOID: return 1 / (1 + exp(-x));
    case CUDNN_ACTIVATION_RELU: return x > 0 || (a.keepsNan && x != x) ? x : 0;
    case CUDNN_ACTIVATION_TANH: return tanh(x);
    case CUDNN_ACTIVATION_CLIPPED_RELU: {
      S most = (S)a.coefficient;
      return x > most ? most : x > 0 || (a.keepsNan && x != x) ? x : 0;
    }
    case CUDNN_ACTIVATION_ELU: return x > 0 ? x : (S)a.coefficient * expm1(x);
    case CUDNN_ACTIVATION_SWISH: return x / (1 + exp(-(S)a.swishBeta * x));
    default: return x;
  }
}
/// dx from dy, with x and y of the forward call.
template <class S> __device__ S activated_back(const Activation &a, S x, S y, S dy) {
  switch (a.mode) {
    case CUDNN_ACTIVATION_SIGMOID: return dy * y * (1 - y);
    case CUDNN_ACTIVATION_RELU: return x > 0 ? dy : 0;
    case CUDNN_ACTIVATION_TANH: return dy * (1 - y * y);
    case CUDNN_ACTIVATION_CLIPPED_RELU: return x > 0 && x <= (S)a.coefficient ? dy : 0;
    case CUDNN_ACTIVATION_ELU: return x >= 0 ? dy : dy * (y + (S)a.coefficient); // at 0 as NVIDIA's
    case CUDNN_ACTIVATION_SWISH: {
      S beta = (S)a.swishBeta, gate = 1 / (1 + exp(-beta * x));
      return dy * (gate + beta * x * gate * (1 - gate));
    }
    default: return dy;
  }
}

} // namespace heddle_dnn
