// Softmax of cuDNN, forward and backward.
#include "elements.cuh"

using namespace heddle_dnn;

namespace {

/// Rows: for each image (and each pixel) the elements that belong together.
struct Softmax {
  int algorithm, type, length, pixels; // elements of a row; rows of an image
  i64 strides[3][2];                   // of three tensors: from image to image, from element to element
  i64 pixelStride[3];
  bool isWide; // a block has a row, else a thread has one
  int images;
  double alpha, beta;
};

/// What the threads of a row find together: in a wide row by shuffles, else alone.
template <class S, bool WIDE> struct Team {
  __device__ static int first() { return WIDE ? threadIdx.x : 0; }
  __device__ static int step() { return WIDE ? THREADS : 1; }
  __device__ static S sum(S value) { return WIDE ? block_sum(value) : value; }
  __device__ static S most(S value) {
    if (!WIDE) return value;
    __shared__ S parts[THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
      S other = __shfl_xor_sync(0xffffffff, value, offset);
      value = other > value ? other : value;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    for (int i = 0; i < THREADS / 32; i++) value = parts[i] > value ? parts[i] : value;
    return value;
  }
};

template <class S, bool WIDE>
__global__ void __launch_bounds__(THREADS) softmax(Softmax p, const void *x, void *y) {
  i64 row = WIDE ? blockIdx.x : (i64)blockIdx.x * THREADS + threadIdx.x;
  if (row >= (i64)p.images * p.pixels) return;
  typedef Team<S, WIDE> Own;
  i64 image = row / p.pixels, pixel = row % p.pixels;
  i64 from = image * p.strides[0][0] + pixel * p.pixelStride[0];
  i64 to = image * p.strides[1][0] + pixel * p.pixelStride[1];
  i64 step = p.strides[0][1], toStep = p.strides[1][1];
  S most = 0;
  if (p.algorithm != CUDNN_SOFTMAX_FAST) {
    most = -(S)INFINITY;
    for (int i = Own::first(); i < p.length; i += Own::step()) {
      S one = load<S>(x, p.type, from + i * step);
      most = one > most ? one : most;
    }
    most = Own::most(most);
  }
  S sum = 0;
  for (int i = Own::first(); i < p.length; i += Own::step()) sum += exp(load<S>(x, p.type, from + i * step) - most);
  sum = Own::sum(sum);
  bool isLog = p.algorithm == CUDNN_SOFTMAX_LOG;
  S logarithm = isLog ? log(sum) : 0;
  for (int i = Own::first(); i < p.length; i += Own::step()) {
    S one = load<S>(x, p.type, from + i * step) - most;
    S value = (S)p.alpha * (isLog ? one - logarithm : exp(one) / sum);
    if (p.beta != 0) value += (S)p.beta * load<S>(y, p.type, to + i * toStep);
    store(y, p.type, to + i * toStep, value);
  }
}
template <class S, bool WIDE>
__global__ void __launch_bounds__(THREADS) softmax_back(Softmax p, const void *y, const void *dy, void *dx) {
  i64 row = WIDE ? blockIdx.x : (i64)blockIdx.x * THREADS + threadIdx.x;
  if (row >= (i64)p.images * p.pixels) return;
  typedef Team<S, WIDE> Own;
  i64 image = row / p.pixels, pixel = row % p.pixels, at[3];
  for (int t = 0; t < 3; t++) at[t] = image * p.strides[t][0] + pixel * p.pixelStride[t];
  bool isLog = p.algorithm == CUDNN_SOFTMAX_LOG;
  S sum = 0;
  for (int i = Own::first(); i < p.length; i += Own::step()) {
    S gradient = load<S>(dy, p.type, at[1] + i * p.strides[1][1]);
    sum += isLog ? gradient : gradient * load<S>(y, p.type, at[0] + i * p.strides[0][1]);
  }
  sum = Own::sum(sum);
  for (int i = Own::first(); i < p.length; i += Own::step()) {
    S gradient = load<S>(dy, p.type, at[1] + i * p.strides[1][1]);
    S own = load<S>(y, p.type, at[0] + i * p.strides[0][1]);
    S value = (S)p.alpha * (isLog ? gradient - exp(own) * sum : own * (gradient - sum));
    i64 to = at[2] + i * p.strides[2][1];
    if (p.beta != 0) value += (S)p.beta * load<S>(dx, p.type, to);
    store(dx, p.type, to, value);
  }
}

/// False where a row or the pixels do not lie in steps of one size.
bool set_rows(Softmax &p, int at, const Tensor &t, bool isInstance) {
  p.strides[at][0] = t.stride[0];
  i64 expected = t.stride[t.rank - 1];
  int pixels = 1;
  for (int i = t.rank - 1; i >= 2; i--) {
    if (t.dim[i] > 1 && pixels > 1 && t.stride[i] != expected) return false;
    if (pixels == 1) expected = t.stride[i];
    expected *= t.dim[i];
    pixels *= t.dim[i];
  }
  i64 step = 1;
  for (int i = t.rank - 1; i >= 2; i--) if (t.dim[i] > 1) { step = t.stride[i]; break; }
  if (!isInstance) {
    p.strides[at][1] = t.stride[1];
    p.pixelStride[at] = step;
    return true;
  }
  p.pixelStride[at] = 0;
  // all elements of an image: any order that is the same in all tensors
  p.strides[at][1] = pixels > 1 ? step : t.stride[1];
  if (pixels > 1 && t.dim[1] > 1 && t.stride[1] != step * pixels) return false;
  return true;
}

cudnnStatus_t rows_of(Softmax &p, const Tensor *const (&all)[3], int algo, int mode, const void *alpha,
                      const void *beta) {
  const Tensor &x = *all[0];
  HEDDLE_DNN_NEED(algo >= CUDNN_SOFTMAX_FAST && algo <= CUDNN_SOFTMAX_LOG);
  HEDDLE_DNN_NEED(mode == CUDNN_SOFTMAX_MODE_INSTANCE || mode == CUDNN_SOFTMAX_MODE_CHANNEL);
  for (const Tensor *t : all) HEDDLE_DNN_NEED(t->hasShapeOf(x) && t->type == x.type);
  HEDDLE_DNN_HAVE(is_real(x.type) && x.rank <= 5);
  bool isInstance = mode == CUDNN_SOFTMAX_MODE_INSTANCE;
  p.algorithm = algo;
  p.type = x.type;
  p.images = x.dim[0];
  int pixels = 1;
  for (int i = 2; i < x.rank; i++) pixels *= x.dim[i];
  p.length = isInstance ? x.dim[1] * pixels : x.dim[1];
  p.pixels = isInstance ? 1 : pixels;
  Tensor packed[3];
  for (int t = 0; t < 3; t++) packed[t] = *all[t];
  // an image whose channels lie side by side is a row in its own order
  bool isLast = isInstance;
  for (const Tensor *t : all) isLast = isLast && t->stride[1] == 1 && t->isPacked() && x.dim[1] > 1 && pixels > 1;
  for (int t = 0; t < 3; t++) {
    if (isLast) {
      p.strides[t][0] = packed[t].stride[0];
      p.strides[t][1] = 1;
    } else HEDDLE_DNN_HAVE(set_rows(p, t, packed[t], isInstance));
  }
  p.isWide = p.length >= 256;
  p.alpha = scale_of(alpha, x.type);
  p.beta = scale_of(beta, x.type);
  return CUDNN_STATUS_SUCCESS;
}
unsigned grid_of(const Softmax &p) {
  i64 rows = (i64)p.images * p.pixels;
  return p.isWide ? (unsigned)rows : blocks_of(rows);
}

} // namespace

extern "C" {

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t h, cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode,
                                  const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x,
                                  const void *beta, const cudnnTensorDescriptor_t yDesc, void *y) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, yDesc) && all_there(alpha, beta, x, y));
  Softmax p{};
  const Tensor *const all[] = {&xDesc->t, &yDesc->t, &yDesc->t};
  if (cudnnStatus_t wrong = rows_of(p, all, algo, mode, alpha, beta)) return wrong;
  int status = h->nvidia("cudnnSoftmaxForward", (int)algo, (int)mode, Host{alpha}, vendor_of(h, xDesc), x, Host{beta},
                         vendor_of(h, yDesc), (const void *)y);
  if (status >= 0) return (cudnnStatus_t)status;
  bool isDouble = p.type == CUDNN_DATA_DOUBLE;
  auto kernel = p.isWide ? (isDouble ? softmax<double, true> : softmax<float, true>)
                         : (isDouble ? softmax<double, false> : softmax<float, false>);
  kernel<<<grid_of(p), THREADS, 0, h->stream>>>(p, x, y);
  return launched();
}
cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t h, cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode,
                                   const void *alpha, const cudnnTensorDescriptor_t yDesc, const void *y,
                                   const cudnnTensorDescriptor_t dyDesc, const void *dy, const void *beta,
                                   const cudnnTensorDescriptor_t dxDesc, void *dx) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(yDesc, dyDesc, dxDesc) && all_there(alpha, beta, y, dy, dx));
  Softmax p{};
  const Tensor *const all[] = {&yDesc->t, &dyDesc->t, &dxDesc->t};
  if (cudnnStatus_t wrong = rows_of(p, all, algo, mode, alpha, beta)) return wrong;
  int status = h->nvidia("cudnnSoftmaxBackward", (int)algo, (int)mode, Host{alpha}, vendor_of(h, yDesc), y,
                         vendor_of(h, dyDesc), dy, Host{beta}, vendor_of(h, dxDesc), (const void *)dx);
  if (status >= 0) return (cudnnStatus_t)status;
  bool isDouble = p.type == CUDNN_DATA_DOUBLE;
  auto kernel = p.isWide ? (isDouble ? softmax_back<double, true> : softmax_back<float, true>)
                         : (isDouble ? softmax_back<double, false> : softmax_back<float, false>);
  kernel<<<grid_of(p), THREADS, 0, h->stream>>>(p, y, dy, dx);
  return launched();
}

} // extern "C"
