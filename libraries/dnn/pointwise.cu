// Operations of cuDNN on single elements: activations, sums with broadcasting, conversions, dropout.
#include "elements.cuh"

using namespace heddle_dnn;

namespace {

/// y = alpha * value + beta * y, of floats unless the tensor has doubles.
template <class S> struct Blend {
  void *y;
  int type;
  double alpha, beta;
  __device__ void operator()(i64 place, S value) const {
    value = (S)alpha * value;
    if (beta != 0) value += (S)beta * load<S>(y, type, place);
    store(y, type, place, value);
  }
};
/// Calls `run` with a zero of the type of sums.
template <class Run> cudnnStatus_t with_sums(int type, Run run) {
  return type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_INT32 || type == CUDNN_DATA_INT64 ? run(0.0) : run(0.0f);
}

template <class S> struct Activate {
  Activation activation;
  const void *x;
  int type;
  Blend<S> to;
  __device__ void operator()(i64, const i64 (&at)[2]) const {
    to(at[0], activated(activation, load<S>(x, type, at[1])));
  }
};
template <class S> struct ActivateBack {
  Activation activation;
  const void *x, *y, *dy;
  int type;
  Blend<S> to;
  __device__ void operator()(i64, const i64 (&at)[4]) const {
    S value = activated_back(activation, load<S>(x, type, at[1]), load<S>(y, type, at[2]), load<S>(dy, type, at[3]));
    to(at[0], value);
  }
};

template <class S> struct Operate {
  int op, keepsNan;
  const void *a, *b;
  int aType, bType;
  double alpha1, alpha2;
  Blend<S> to;
  __device__ S least(S p, S q) const { return keepsNan && (p != p || q != q) ? p + q : p < q || q != q ? p : q; }
  __device__ S most(S p, S q) const { return keepsNan && (p != p || q != q) ? p + q : p > q || q != q ? p : q; }
  __device__ void operator()(i64, const i64 (&at)[3]) const {
    S p = (S)alpha1 * load<S>(a, aType, at[1]), q = b ? (S)alpha2 * load<S>(b, bType, at[2]) : 0;
    S value = 0;
    switch (op) {
      case CUDNN_OP_TENSOR_ADD: value = p + q; break;
      case CUDNN_OP_TENSOR_MUL: value = p * q; break;
      case CUDNN_OP_TENSOR_MIN: value = least(p, q); break;
      case CUDNN_OP_TENSOR_MAX: value = most(p, q); break;
      case CUDNN_OP_TENSOR_SQRT: value = sqrt(p); break;
      default: value = 1 - p;
    }
    to(at[0], value);
  }
};
template <class S> struct Convert {
  const void *x;
  int type;
  Blend<S> to;
  __device__ void operator()(i64, const i64 (&at)[2]) const { to(at[0], load<S>(x, type, at[1])); }
};
template <class S> struct Put {
  void *y;
  int type;
  S value;
  __device__ void operator()(i64, const i64 (&at)[1]) const { store(y, type, at[0], value); }
};
template <class S> struct Scale {
  void *y;
  int type;
  double factor;
  __device__ void operator()(i64, const i64 (&at)[1]) const {
    store(y, type, at[0], (S)factor * load<S>(y, type, at[0]));
  }
};

/// A thread has eight elements, whose mask is a byte.
template <class S>
__global__ void __launch_bounds__(THREADS) drop(Walk<2> walk, const void *x, int xType, void *y, int yType, float rate,
                                                unsigned long long seed, const unsigned long long *states,
                                                unsigned char *mask, bool isForward) {
  i64 byte = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (byte * 8 >= walk.count) return;
  unsigned bits = isForward ? 0 : mask[byte];
  S scale = rate < 1 ? (S)(1 / (1 - rate)) : (S)0;
  for (int i = 0; i < 8 && byte * 8 + i < walk.count; i++) {
    i64 at = byte * 8 + i, place[2];
    if (isForward && (float)random_bits(seed, states ? *states : 0, at) >= rate * 16777216.0f) bits |= 1u << i;
    walk.places(at, place);
    store(y, yType, place[0], bits >> i & 1 ? scale * load<S>(x, xType, place[1]) : (S)0);
  }
  if (isForward) mask[byte] = (unsigned char)bits;
}
__global__ void count_call(unsigned long long *states) { *states += 1; }

size_t mask_bytes(const Tensor &t) { return (size_t)(t.elements() + 7) / 8; }

} // namespace

extern "C" {

cudnnStatus_t cudnnActivationForward(cudnnHandle_t h, cudnnActivationDescriptor_t d, const void *alpha,
                                     const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                     const cudnnTensorDescriptor_t yDesc, void *y) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(xDesc, yDesc) && all_there(alpha, beta, x, y));
  HEDDLE_DNN_NEED(d->mode != CUDNN_ACTIVATION_IDENTITY); // only behind a convolution
  HEDDLE_DNN_NEED(xDesc->type == yDesc->type && xDesc->t.hasShapeOf(yDesc->t));
  HEDDLE_DNN_NEED(x != y || xDesc->t.hasStridesOf(yDesc->t));
  int status = h->nvidia("cudnnActivationForward", vendor_of(h, d), Host{alpha}, vendor_of(h, xDesc), x, Host{beta},
                         vendor_of(h, yDesc), (const void *)y);
  if (status >= 0) return (cudnnStatus_t)status;
  HEDDLE_DNN_HAVE(is_real(xDesc->type));
  return with_sums(xDesc->type, [&](auto zero) {
    typedef decltype(zero) S;
    Blend<S> to{y, yDesc->t.type, scale_of(alpha, xDesc->type), scale_of(beta, xDesc->type)};
    const Tensor *const all[] = {&yDesc->t, &xDesc->t};
    return for_each(h, walk_over(all), Activate<S>{activation_of(d), x, xDesc->t.type, to});
  });
}
cudnnStatus_t cudnnActivationBackward(cudnnHandle_t h, cudnnActivationDescriptor_t d, const void *alpha,
                                      const cudnnTensorDescriptor_t yDesc, const void *y,
                                      const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                      const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                      const cudnnTensorDescriptor_t dxDesc, void *dx) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(yDesc, dyDesc, xDesc, dxDesc) && all_there(alpha, beta, y, dy, x, dx));
  HEDDLE_DNN_NEED(d->mode != CUDNN_ACTIVATION_IDENTITY);
  HEDDLE_DNN_NEED(dy != dx || dyDesc->t.hasStridesOf(dxDesc->t));
  const Tensor *const all[] = {&dxDesc->t, &xDesc->t, &yDesc->t, &dyDesc->t};
  for (const Tensor *t : all) HEDDLE_DNN_NEED(t->hasShapeOf(dxDesc->t));
  int status = h->nvidia("cudnnActivationBackward", vendor_of(h, d), Host{alpha}, vendor_of(h, yDesc), y,
                         vendor_of(h, dyDesc), dy, vendor_of(h, xDesc), x, Host{beta}, vendor_of(h, dxDesc),
                         (const void *)dx);
  if (status >= 0) return (cudnnStatus_t)status;
  for (const Tensor *t : all) HEDDLE_DNN_HAVE(t->type == dxDesc->t.type);
  HEDDLE_DNN_HAVE(is_real(xDesc->type));
  return with_sums(xDesc->type, [&](auto zero) {
    typedef decltype(zero) S;
    Blend<S> to{dx, dxDesc->t.type, scale_of(alpha, xDesc->type), scale_of(beta, xDesc->type)};
    return for_each(h, walk_over(all), ActivateBack<S>{activation_of(d), x, y, dy, xDesc->t.type, to});
  });
}

// Each dimension of A is C's, or 1.
static bool is_broadcast(const Tensor &a, const Tensor &c) {
  if (a.rank != c.rank) return false;
  for (int i = 0; i < a.rank; i++) if (a.dim[i] != c.dim[i] && a.dim[i] != 1) return false;
  return true;
}

cudnnStatus_t cudnnAddTensor(cudnnHandle_t h, const void *alpha, const cudnnTensorDescriptor_t aDesc, const void *A,
                             const void *beta, const cudnnTensorDescriptor_t cDesc, void *C) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(aDesc, cDesc) && all_there(alpha, beta, A, C));
  HEDDLE_DNN_NEED(is_broadcast(aDesc->t, cDesc->t) && aDesc->t.vect == cDesc->t.vect);
  int status = h->nvidia("cudnnAddTensor", Host{alpha}, vendor_of(h, aDesc), A, Host{beta}, vendor_of(h, cDesc),
                         (const void *)C);
  if (status >= 0) return (cudnnStatus_t)status;
  HEDDLE_DNN_HAVE(cDesc->t.rank <= 5 && aDesc->type == cDesc->type);
  return with_sums(cDesc->type, [&](auto zero) {
    typedef decltype(zero) S;
    Blend<S> to{C, cDesc->t.type, scale_of(alpha, cDesc->type), scale_of(beta, cDesc->type)};
    const Tensor *const all[] = {&cDesc->t, &aDesc->t};
    return for_each(h, walk_over(all), Convert<S>{A, aDesc->t.type, to});
  });
}
cudnnStatus_t cudnnOpTensor(cudnnHandle_t h, const cudnnOpTensorDescriptor_t d, const void *alpha1,
                            const cudnnTensorDescriptor_t aDesc, const void *A, const void *alpha2,
                            const cudnnTensorDescriptor_t bDesc, const void *B, const void *beta,
                            const cudnnTensorDescriptor_t cDesc, void *C) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(aDesc, cDesc) && all_there(alpha1, beta, A, C));
  bool hasB = d->op < CUDNN_OP_TENSOR_SQRT; // the others have one operand
  HEDDLE_DNN_NEED(!hasB || (all_set(bDesc) && all_there(alpha2, B)));
  const Tensor &b = hasB ? bDesc->t : aDesc->t;
  HEDDLE_DNN_NEED(aDesc->t.hasShapeOf(cDesc->t) && is_broadcast(b, cDesc->t));
  int status = h->nvidia("cudnnOpTensor", vendor_of(h, d), Host{alpha1}, vendor_of(h, aDesc), A, Host{alpha2},
                         vendor_of(h, hasB ? bDesc : aDesc), hasB ? B : A, Host{beta}, vendor_of(h, cDesc),
                         (const void *)C);
  if (status >= 0) return (cudnnStatus_t)status;
  HEDDLE_DNN_HAVE(cDesc->t.rank <= 5);
  HEDDLE_DNN_HAVE(d->type == CUDNN_DATA_DOUBLE ? cDesc->type == CUDNN_DATA_DOUBLE && aDesc->type == CUDNN_DATA_DOUBLE
                                               : cDesc->type != CUDNN_DATA_DOUBLE && aDesc->type != CUDNN_DATA_DOUBLE);
  return with_sums(cDesc->type, [&](auto zero) {
    typedef decltype(zero) S;
    Blend<S> to{C, cDesc->t.type, 1, scale_of(beta, cDesc->type)};
    const Tensor *const all[] = {&cDesc->t, &aDesc->t, &b};
    double scaleB = hasB ? scale_of(alpha2, cDesc->type) : 0;
    return for_each(h, walk_over(all), Operate<S>{d->op, d->nan == CUDNN_PROPAGATE_NAN, A, hasB ? B : nullptr,
                                                  aDesc->t.type, b.type, scale_of(alpha1, cDesc->type), scaleB, to});
  });
}
cudnnStatus_t cudnnTransformTensor(cudnnHandle_t h, const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                   const void *x, const void *beta, const cudnnTensorDescriptor_t yDesc, void *y) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, yDesc) && all_there(alpha, beta, x, y));
  HEDDLE_DNN_NEED(xDesc->t.hasShapeOf(yDesc->t));
  int status = h->nvidia("cudnnTransformTensor", Host{alpha}, vendor_of(h, xDesc), x, Host{beta}, vendor_of(h, yDesc),
                         (const void *)y);
  if (status >= 0) return (cudnnStatus_t)status;
  // a type changes only between floats, and among bytes of other layouts
  HEDDLE_DNN_HAVE(xDesc->t.type == yDesc->t.type || (is_real(xDesc->type) && is_real(yDesc->type)));
  int widest = xDesc->type == CUDNN_DATA_DOUBLE ? xDesc->type : yDesc->type;
  return with_sums(widest, [&](auto zero) {
    typedef decltype(zero) S;
    Blend<S> to{y, yDesc->t.type, scale_of(alpha, xDesc->type), scale_of(beta, xDesc->type)};
    const Tensor *const all[] = {&yDesc->t, &xDesc->t};
    return for_each(h, walk_over(all), Convert<S>{x, xDesc->t.type, to});
  });
}
cudnnStatus_t cudnnSetTensor(cudnnHandle_t h, const cudnnTensorDescriptor_t yDesc, void *y, const void *valuePtr) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(yDesc) && all_there(y, valuePtr));
  int status = h->nvidia("cudnnSetTensor", vendor_of(h, yDesc), (const void *)y, Host{valuePtr});
  if (status >= 0) return (cudnnStatus_t)status;
  HEDDLE_DNN_HAVE(bytes_of(yDesc->type) >= 1);
  // the value has the tensor's type
  double value = load_on_host(valuePtr, yDesc->t.type);
  const Tensor *const all[] = {&yDesc->t};
  return with_sums(yDesc->type, [&](auto zero) {
    typedef decltype(zero) S;
    return for_each(h, walk_over(all), Put<S>{y, yDesc->t.type, (S)value});
  });
}
cudnnStatus_t cudnnScaleTensor(cudnnHandle_t h, const cudnnTensorDescriptor_t yDesc, void *y, const void *alpha) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(yDesc) && all_there(y, alpha));
  int status = h->nvidia("cudnnScaleTensor", vendor_of(h, yDesc), (const void *)y, Host{alpha});
  if (status >= 0) return (cudnnStatus_t)status;
  const Tensor *const all[] = {&yDesc->t};
  return with_sums(yDesc->type, [&](auto zero) {
    typedef decltype(zero) S;
    return for_each(h, walk_over(all), Scale<S>{y, yDesc->t.type, scale_of(alpha, yDesc->type)});
  });
}

static cudnnStatus_t dropout(cudnnHandle_t h, const cudnnDropoutDescriptor_t d, const cudnnTensorDescriptor_t from,
                             const void *x, const cudnnTensorDescriptor_t into, void *y, void *reserve, size_t bytes,
                             bool isForward) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(from, into) && all_there(x, y, reserve));
  HEDDLE_DNN_NEED(from->t.elements() == into->t.elements() && from->type == into->type);
  HEDDLE_DNN_NEED(x != y || from->t.hasStridesOf(into->t));
  HEDDLE_DNN_NEED(bytes >= mask_bytes(from->t) && (d->states || !isForward));
  HEDDLE_DNN_HAVE(is_real(from->type));
  const Tensor *const all[] = {&into->t, &from->t};
  Walk<2> walk = walk_over(all);
  auto kernel = from->type == CUDNN_DATA_DOUBLE ? drop<double> : drop<float>;
  unsigned long long *states = (unsigned long long *)d->states;
  kernel<<<blocks_of((walk.count + 7) / 8), THREADS, 0, h->stream>>>(walk, x, from->t.type, y, into->t.type, d->rate,
                                                                     d->seed, states, (unsigned char *)reserve,
                                                                     isForward);
  if (isForward) count_call<<<1, 1, 0, h->stream>>>(states);
  return launched();
}
cudnnStatus_t cudnnDropoutForward(cudnnHandle_t h, const cudnnDropoutDescriptor_t d,
                                  const cudnnTensorDescriptor_t xDesc, const void *x,
                                  const cudnnTensorDescriptor_t yDesc, void *y, void *reserveSpace, size_t bytes) {
  return dropout(h, d, xDesc, x, yDesc, y, reserveSpace, bytes, true);
}
cudnnStatus_t cudnnDropoutBackward(cudnnHandle_t h, const cudnnDropoutDescriptor_t d,
                                   const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                   const cudnnTensorDescriptor_t dxDesc, void *dx, void *reserveSpace, size_t bytes) {
  return dropout(h, d, dyDesc, dy, dxDesc, dx, reserveSpace, bytes, false);
}

} // extern "C"
