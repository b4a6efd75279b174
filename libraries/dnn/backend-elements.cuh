// Elements of a graph's tensors, and loops over several tensors at once.
#pragma once
#include <cuda_fp8.h>
#include "backend.h"

namespace heddle_dnn {

template <class S> __device__ __forceinline__ S read_element(const void *data, int type, i64 at) {
  if (type == CUDNN_DATA_FP8_E4M3 || type == CUDNN_DATA_FP8_E5M2) {
    __nv_fp8_interpretation_t format = type == CUDNN_DATA_FP8_E4M3 ? __NV_E4M3 : __NV_E5M2;
    return (S)__half2float(__half(__nv_cvt_fp8_to_halfraw(((const unsigned char *)data)[at], format)));
  }
  return load<S>(data, type, at);
}
template <class S> __device__ __forceinline__ void write_element(void *data, int type, i64 at, S value) {
  if (type == CUDNN_DATA_FP8_E4M3 || type == CUDNN_DATA_FP8_E5M2) {
    __nv_fp8_interpretation_t format = type == CUDNN_DATA_FP8_E4M3 ? __NV_E4M3 : __NV_E5M2;
    ((unsigned char *)data)[at] = __nv_cvt_float_to_fp8((float)value, __NV_SATFINITE, format);
  } else if (type == CUDNN_DATA_BOOLEAN) ((unsigned char *)data)[at] = value != 0;
  else store(data, type, at, value);
}

/// Where a sequence of a ragged tensor begins, and its elements up to the next one.
struct Sequence {
  i64 begin, elements;
};
__device__ __forceinline__ i64 ragged_offset(const View &v, i64 at) {
  return v.raggedType == CUDNN_DATA_INT64 ? ((const long long *)v.ragged)[at] : ((const int *)v.ragged)[at];
}
__device__ __forceinline__ Sequence sequence_of(const View &v, int batch) {
  i64 begin = ragged_offset(v, batch);
  return {begin, ragged_offset(v, batch + 1) - begin};
}
/// An element at a place without its sequence; sequences are followed by zeros.
template <class S> __device__ __forceinline__ S read_view(const View &v, i64 at, int batch) {
  if (!v.data) return (S)v.value;
  if (!v.ragged) return read_element<S>(v.data, v.type, at);
  Sequence s = sequence_of(v, batch);
  return at < s.elements ? read_element<S>(v.data, v.type, s.begin + at) : (S)0;
}
template <class S> __device__ __forceinline__ void write_view(const View &v, i64 at, int batch, S value) {
  if (!v.ragged) return write_element<S>(v.data, v.type, at, value);
  Sequence s = sequence_of(v, batch);
  if (at < s.elements) write_element<S>(v.data, v.type, s.begin + at, value);
}

/// N tensors that are walked together. Dimensions that lie behind each other in all of them become one.
template <int N> struct Loop {
  int rank = 0;
  i64 count = 1;
  int dim[RANK];
  i64 stride[N][RANK];
  int batchElements = 0; // elements of an index of the first dimension; 0 if nothing asks for it
  void add(i64 size, const i64 (&strides)[N], bool isJoined = true) {
    if (size == 1) return;
    bool joins = rank > 0 && isJoined;
    for (int t = 0; t < N && joins; t++) joins = stride[t][rank - 1] == strides[t] * size;
    int to = joins ? rank - 1 : rank++;
    dim[to] = joins ? dim[to] * (int)size : (int)size;
    for (int t = 0; t < N; t++) stride[t][to] = strides[t];
    count *= size;
  }
  __device__ __forceinline__ void places(i64 at, i64 (&place)[N]) const {
    if (rank <= 1) {
      for (int t = 0; t < N; t++) place[t] = rank ? at * stride[t][0] : 0;
      return;
    }
    for (int t = 0; t < N; t++) place[t] = 0;
    unsigned rest = (unsigned)at;
    for (int i = rank - 1; i >= 0; i--) {
      unsigned next = rest / (unsigned)dim[i];
      int here = (int)(rest - next * (unsigned)dim[i]);
      for (int t = 0; t < N; t++) place[t] += here * stride[t][i];
      rest = next;
    }
  }
  __device__ __forceinline__ int batch(i64 at) const { return batchElements ? (int)(at / batchElements) : 0; }
};

/// The stride of a view in a dimension of the loop; those of size 1 repeat. A ragged tensor's first one is in its
/// sequence.
inline i64 stride_in(const View &v, int i) {
  bool isRepeated = !v.data || v.rank <= i || v.dim[i] == 1 || (i == 0 && v.ragged);
  return isRepeated ? 0 : v.stride[i];
}
template <int N> Loop<N> loop_over(const View &shape, const View *const (&views)[N]) {
  Loop<N> loop;
  bool isRagged = false;
  for (int t = 0; t < N; t++) isRagged = isRagged || (views[t] && views[t]->ragged);
  i64 rest = 1;
  for (int i = 0; i < shape.rank; i++) {
    i64 strides[N];
    for (int t = 0; t < N; t++) strides[t] = views[t] ? stride_in(*views[t], i) : 0;
    loop.add(shape.dim[i], strides);
    if (i > 0) rest *= shape.dim[i];
  }
  loop.batchElements = isRagged ? (int)rest : 0;
  return loop;
}

template <class S> __device__ __forceinline__ S warp_sum(S value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

} // namespace heddle_dnn
