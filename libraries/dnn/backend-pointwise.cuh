// Pointwise operations and reductions of graphs.
#pragma once
#include "backend-elements.cuh"

namespace heddle_dnn {

struct Pointwise {
  int mode;
  bool isInteger; // quotients are whole numbers
  bool isOfSoftmax; // a row may have nothing (backend-run.inl)
  double alpha1, alpha2, lower, upper, slope, elu, softplus, swish;
};

template <class S> __device__ S gelu_gate(S x) { return (S)0.5 * (1 + erf(x * (S)0.70710678118654752)); }
/// tanh's argument in the approximation of GELU.
template <class S> __device__ S gelu_inner(S x) {
  return (S)0.79788456080286536 * (x + (S)0.044715 * x * x * x);
}

template <class S> __device__ S pointwise_forward(const Pointwise &p, S x) {
  switch (p.mode) {
    case CUDNN_POINTWISE_RELU_FWD: {
      S lower = (S)p.lower, y = x < lower ? lower + (S)p.slope * (x - lower) : x;
      return y > (S)p.upper ? (S)p.upper : y;
    }
    case CUDNN_POINTWISE_TANH_FWD: return tanh(x);
    case CUDNN_POINTWISE_SIGMOID_FWD: return 1 / (1 + exp(-x));
    case CUDNN_POINTWISE_ELU_FWD: return x > 0 ? x : (S)p.elu * expm1(x);
    case CUDNN_POINTWISE_GELU_FWD: return x * gelu_gate(x);
    case CUDNN_POINTWISE_SOFTPLUS_FWD: {
      S beta = (S)p.softplus, most = x > 0 ? x : (S)0;
      return most + log1p(exp(-beta * (x > 0 ? x : -x))) / beta;
    }
    case CUDNN_POINTWISE_SWISH_FWD: return x / (1 + exp(-(S)p.swish * x));
    default: return (S)0.5 * x * (1 + tanh(gelu_inner(x))); // GELU_APPROX_TANH_FWD
  }
}
/// The derivative at x.
template <class S> __device__ S pointwise_slope(const Pointwise &p, S x) {
  switch (p.mode) {
    case CUDNN_POINTWISE_RELU_BWD: return x <= (S)p.lower ? (S)p.slope : x < (S)p.upper ? (S)1 : (S)0;
    case CUDNN_POINTWISE_TANH_BWD: {
      S y = tanh(x);
      return 1 - y * y;
    }
    case CUDNN_POINTWISE_SIGMOID_BWD: {
      S y = 1 / (1 + exp(-x));
      return y * (1 - y);
    }
    case CUDNN_POINTWISE_ELU_BWD: return x > 0 ? (S)1 : (S)p.elu * exp(x);
    case CUDNN_POINTWISE_GELU_BWD:
      return gelu_gate(x) + x * (S)0.39894228040143268 * exp((S)-0.5 * x * x);
    case CUDNN_POINTWISE_SOFTPLUS_BWD: return 1 / (1 + exp(-(S)p.softplus * x));
    case CUDNN_POINTWISE_SWISH_BWD: {
      S beta = (S)p.swish, gate = 1 / (1 + exp(-beta * x));
      return gate + beta * x * gate * (1 - gate);
    }
    default: { // GELU_APPROX_TANH_BWD
      S t = tanh(gelu_inner(x)), inner = (S)0.79788456080286536 * (1 + 3 * (S)0.044715 * x * x);
      return (S)0.5 * (1 + t) + (S)0.5 * x * (1 - t * t) * inner;
    }
  }
}
template <class S> __device__ S pointwise_value(const Pointwise &p, S x, S b, S t) {
  switch (p.mode) {
    case CUDNN_POINTWISE_ADD: return (S)p.alpha1 * x + (S)p.alpha2 * b;
    case CUDNN_POINTWISE_ADD_SQUARE: return (S)p.alpha1 * x + (S)p.alpha2 * b * b;
    case CUDNN_POINTWISE_DIV:
      if (p.isOfSoftmax && b == 0) return 0;
      return p.isInteger ? trunc(x / b) : x / b;
    case CUDNN_POINTWISE_MAX: return x != x || x > b ? x : b;
    case CUDNN_POINTWISE_MIN: return x != x || x < b ? x : b;
    case CUDNN_POINTWISE_MOD: return fmod(x, b);
    case CUDNN_POINTWISE_MUL: return (S)p.alpha1 * x * ((S)p.alpha2 * b);
    case CUDNN_POINTWISE_POW: return pow(x, b);
    case CUDNN_POINTWISE_SUB:
      if (p.isOfSoftmax && x == (S)-INFINITY && b == x) return x;
      return (S)p.alpha1 * x - (S)p.alpha2 * b;
    case CUDNN_POINTWISE_ABS: return x < 0 ? -x : x;
    case CUDNN_POINTWISE_CEIL: return ceil(x);
    case CUDNN_POINTWISE_COS: return cos(x);
    case CUDNN_POINTWISE_EXP: return exp(x);
    case CUDNN_POINTWISE_FLOOR: return floor(x);
    case CUDNN_POINTWISE_LOG: return log(x);
    case CUDNN_POINTWISE_NEG: return -x;
    case CUDNN_POINTWISE_RSQRT: return 1 / sqrt(x);
    case CUDNN_POINTWISE_SIN: return sin(x);
    case CUDNN_POINTWISE_SQRT: return sqrt(x);
    case CUDNN_POINTWISE_TAN: return tan(x);
    case CUDNN_POINTWISE_ERF: return erf(x);
    case CUDNN_POINTWISE_IDENTITY: return (S)p.alpha1 * x;
    case CUDNN_POINTWISE_RECIPROCAL: return 1 / x;
    case CUDNN_POINTWISE_ATAN2: return atan2(x, b);
    case CUDNN_POINTWISE_CMP_EQ: return x == b;
    case CUDNN_POINTWISE_CMP_NEQ: return x != b;
    case CUDNN_POINTWISE_CMP_GT: return x > b;
    case CUDNN_POINTWISE_CMP_GE: return x >= b;
    case CUDNN_POINTWISE_CMP_LT: return x < b;
    case CUDNN_POINTWISE_CMP_LE: return x <= b;
    case CUDNN_POINTWISE_LOGICAL_AND: return x != 0 && b != 0;
    case CUDNN_POINTWISE_LOGICAL_OR: return x != 0 || b != 0;
    case CUDNN_POINTWISE_LOGICAL_NOT: return x == 0;
    case CUDNN_POINTWISE_BINARY_SELECT: return t != 0 ? x : b;
    default: return pointwise_forward(p, x);
  }
}

/// y from x, b and t.
template <class S>
__global__ void __launch_bounds__(THREADS) run_pointwise(Pointwise p, Loop<4> loop, View y, View x, View b, View t) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x, place[4];
  if (at >= loop.count) return;
  loop.places(at, place);
  int batch = loop.batch(at);
  S left = read_view<S>(x, place[1], batch), right = read_view<S>(b, place[2], batch);
  write_view<S>(y, place[0], batch, pointwise_value<S>(p, left, right, read_view<S>(t, place[3], batch)));
}
/// dx from dy and x.
template <class S>
__global__ void __launch_bounds__(THREADS) run_pointwise_back(Pointwise p, Loop<3> loop, View dx, View dy, View x) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x, place[3];
  if (at >= loop.count) return;
  loop.places(at, place);
  int batch = loop.batch(at);
  S slope = pointwise_slope<S>(p, read_view<S>(x, place[2], batch));
  write_view<S>(dx, place[0], batch, (S)p.alpha1 * read_view<S>(dy, place[1], batch) * slope);
}
/// The index of each element along an axis: the second tensor's place.
inline __global__ void __launch_bounds__(THREADS) run_index(Loop<2> loop, View y) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x, place[2];
  if (at >= loop.count) return;
  loop.places(at, place);
  write_view<double>(y, place[0], loop.batch(at), (double)place[1]);
}

template <class S> __device__ S reduction_start(int op) {
  switch (op) {
    case CUDNN_REDUCE_TENSOR_MUL: case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS: return 1;
    case CUDNN_REDUCE_TENSOR_MIN: return (S)INFINITY;
    case CUDNN_REDUCE_TENSOR_MAX: return (S)-INFINITY;
    default: return 0;
  }
}
template <class S> __device__ __forceinline__ S reduce_two(int op, S a, S b) {
  switch (op) {
    case CUDNN_REDUCE_TENSOR_MUL: case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS: return a * b;
    case CUDNN_REDUCE_TENSOR_MIN: return b != b || b < a ? b : a;
    case CUDNN_REDUCE_TENSOR_MAX: case CUDNN_REDUCE_TENSOR_AMAX: return b != b || b > a ? b : a;
    default: return a + b;
  }
}
template <class S> __device__ __forceinline__ S reduced_element(int op, S x) {
  switch (op) {
    case CUDNN_REDUCE_TENSOR_AMAX: case CUDNN_REDUCE_TENSOR_NORM1: return x < 0 ? -x : x;
    case CUDNN_REDUCE_TENSOR_NORM2: return x * x;
    case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS: return x == 0 ? (S)1 : x;
    default: return x;
  }
}
/// A warp makes an element of y: `kept` walks over y and where its elements begin in x, `reduced` over what is added.
template <class S>
__global__ void __launch_bounds__(THREADS) run_reduction(int op, Loop<2> kept, Loop<1> reduced, View y, View x) {
  i64 at = (i64)blockIdx.x * (THREADS / 32) + threadIdx.x / 32, from[2], place[1];
  if (at >= kept.count) return;
  kept.places(at, from);
  int batch = kept.batch(at);
  S sum = reduction_start<S>(op);
  for (i64 i = threadIdx.x % 32; i < reduced.count; i += 32) {
    reduced.places(i, place);
    sum = reduce_two(op, sum, reduced_element(op, read_view<S>(x, from[1] + place[0], batch)));
  }
  for (int offset = 16; offset > 0; offset /= 2)
    sum = reduce_two(op, sum, __shfl_xor_sync(0xffffffff, sum, offset));
  if (op == CUDNN_REDUCE_TENSOR_AVG) sum /= (S)reduced.count;
  if (op == CUDNN_REDUCE_TENSOR_NORM2) sum = sqrt(sum);
  if (threadIdx.x % 32 == 0) write_view<S>(y, from[0], batch, sum);
}

} // namespace heddle_dnn
