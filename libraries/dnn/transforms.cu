// Transforms of tensors with paddings and folded dimensions, columns of convolutions, and convolutions whose steps are
// folded into channels.
#include "elements.cuh"

using namespace heddle_dnn;

struct cudnnTensorTransformStruct {
  bool isSet = false;
  int rank = 0;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  int before[CUDNN_DIM_MAX] = {}, after[CUDNN_DIM_MAX] = {};
  unsigned fold[CUDNN_DIM_MAX] = {}; // of the dimensions of space
  cudnnFoldingDirection_t direction = CUDNN_TRANSFORM_FOLD;
  mutable Vendor vendor{"cudnnCreateTensorTransformDescriptor", "cudnnDestroyTensorTransformDescriptor"};
};

namespace heddle_dnn {
inline unsigned long long vendor_of(cudnnContext *h, const cudnnTensorTransformStruct *d) {
  return vendor_of(h, d, [=](unsigned long long made) {
    return h->library("cudnnSetTensorTransformDescriptor", made, d->rank, (int)d->format, Host{d->before},
                      Host{d->after}, Host{d->fold}, (int)d->direction);
  });
}
} // namespace heddle_dnn

namespace {

/// Folding moves the places within blocks of `fold` pixels into channels: channel c * F + place.
struct Transform {
  Tensor from, to;
  const void *x;
  void *y;
  int before[CUDNN_DIM_MAX], fold[CUDNN_DIM_MAX], folds; // folds: the product of all
  bool isUnfolding;
  double alpha, beta;
  i64 count;
};
/// An element of a tensor whose channels may lie side by side in vectors.
__device__ i64 element_at(const Tensor &t, const int (&index)[CUDNN_DIM_MAX]) {
  i64 at = (i64)index[0] * t.stride[0] + index[1] / t.vect * (i64)t.stride[1] * t.vect + index[1] % t.vect;
  for (int i = 2; i < t.rank; i++) at += (i64)index[i] * t.stride[i] * t.vect;
  return at;
}
template <class S> __global__ void __launch_bounds__(THREADS) transform_tensor(Transform p) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  int to[CUDNN_DIM_MAX], from[CUDNN_DIM_MAX];
  i64 rest = at;
  for (int i = p.to.rank - 1; i >= 0; i--) {
    to[i] = (int)(rest % p.to.dim[i]);
    rest /= p.to.dim[i];
  }
  bool isIn = true;
  if (p.isUnfolding) {
    int place = 0;
    for (int i = 2; i < p.to.rank; i++) {
      int here = to[i] - p.before[i];
      isIn = isIn && here >= 0;
      from[i] = here / p.fold[i];
      place = place * p.fold[i] + here % p.fold[i];
    }
    from[1] = (to[1] - p.before[1]) * p.folds + place;
    isIn = isIn && to[1] >= p.before[1];
  } else {
    int place = to[1] % p.folds;
    for (int i = p.to.rank - 1; i >= 2; i--) {
      from[i] = to[i] * p.fold[i] + place % p.fold[i] - p.before[i];
      place /= p.fold[i];
    }
    from[1] = to[1] / p.folds - p.before[1];
  }
  from[0] = to[0] - p.before[0];
  for (int i = 0; i < p.from.rank; i++) isIn = isIn && from[i] >= 0 && from[i] < p.from.dim[i];
  S value = isIn ? (S)p.alpha * load<S>(p.x, p.from.type, element_at(p.from, from)) : (S)0;
  i64 place = element_at(p.to, to);
  if (p.beta != 0) value += (S)p.beta * load<S>(p.y, p.to.type, place);
  store(p.y, p.to.type, place, value);
}

/// The dimensions of what a transform makes. False: they do not divide, or nothing is left.
bool transformed(const cudnnTensorTransformStruct *d, const Tensor &from, int (&dim)[CUDNN_DIM_MAX]) {
  int folds = 1;
  for (int i = 2; i < d->rank; i++) folds *= (int)d->fold[i - 2];
  bool isUnfolding = d->direction == CUDNN_TRANSFORM_UNFOLD;
  for (int i = 0; i < d->rank; i++) {
    dim[i] = from.dim[i];
    int pad = d->before[i] + d->after[i], factor = i == 1 ? folds : i > 1 ? (int)d->fold[i - 2] : 1;
    bool grows = (i == 1) != isUnfolding;
    if (isUnfolding) {
      if (!grows && dim[i] % factor) return false;
      dim[i] = (grows ? dim[i] * factor : dim[i] / factor) + pad;
    } else {
      dim[i] += pad;
      if (!grows && dim[i] % factor) return false;
      dim[i] = grows ? dim[i] * factor : dim[i] / factor;
    }
    if (dim[i] <= 0) return false;
  }
  return true;
}
cudnnStatus_t run_transform(cudnnContext *h, const cudnnTensorTransformStruct *d, const void *alpha,
                            const Tensor &from, const void *x, const void *beta, const Tensor &to, void *y) {
  Transform p{};
  int dim[CUDNN_DIM_MAX];
  HEDDLE_DNN_NEED(from.rank == d->rank && to.rank == d->rank && transformed(d, from, dim));
  for (int i = 0; i < d->rank; i++) HEDDLE_DNN_NEED(to.dim[i] == dim[i]);
  p.from = from, p.to = to, p.x = x, p.y = y;
  p.folds = 1;
  for (int i = 0; i < d->rank; i++) {
    p.before[i] = d->before[i];
    p.fold[i] = i > 1 ? (int)d->fold[i - 2] : 1;
    p.folds *= p.fold[i];
  }
  p.isUnfolding = d->direction == CUDNN_TRANSFORM_UNFOLD;
  p.alpha = scale_of(alpha, from.type);
  p.beta = scale_of(beta, from.type);
  p.count = to.elements();
  auto kernel = from.type == CUDNN_DATA_DOUBLE ? transform_tensor<double> : transform_tensor<float>;
  kernel<<<blocks_of(p.count), THREADS, 0, h->stream>>>(p);
  return launched();
}

struct Columns {
  Tensor x;
  const void *from;
  void *to;
  int window[3], pad[3], stride[3], dilation[3], in[3], out[3], space[3];
  bool isFlipped;
  i64 count;
};
/// to[channel, window][image, pixel].
__global__ void __launch_bounds__(THREADS) make_columns(Columns p) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  i64 rest = at;
  int out[3], tap[3];
  for (int i = 2; i >= 0; i--) out[i] = (int)(rest % p.out[i]), rest /= p.out[i];
  int image = (int)(rest % p.x.dim[0]);
  rest /= p.x.dim[0];
  for (int i = 2; i >= 0; i--) tap[i] = (int)(rest % p.window[i]), rest /= p.window[i];
  i64 from = rest * p.x.stride[1] + (i64)image * p.x.stride[0];
  bool isIn = true;
  for (int i = 0; i < 3; i++) {
    int step = p.isFlipped ? p.window[i] - 1 - tap[i] : tap[i];
    int here = out[i] * p.stride[i] - p.pad[i] + step * p.dilation[i];
    isIn = isIn && here >= 0 && here < p.in[i];
    from += (i64)here * p.space[i];
  }
  double value = isIn ? load<double>(p.from, p.x.type, from) : 0;
  store(p.to, p.x.type, at, value);
}

} // namespace

#include "transforms.inl"
