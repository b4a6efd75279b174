// Softmax of cuDNN, forward and backward.
#include "elements.cuh"

using namespace heddle_dnn;

namespace {

/// Rows: for each image (and each pixel) the elements that belong together. Places are those of three tensors.
struct Softmax {
  int algorithm, type;
  Walk<3> rows, elements; // the first element of each row; the elements of one
  bool isWide;            // a block has a row, else a thread has one
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
  if (row >= p.rows.count) return;
  typedef Team<S, WIDE> Own;
  i64 base[3], at[3];
  p.rows.places(row, base);
  auto element = [&](i64 i) {
    p.elements.places(i, at);
    return load<S>(x, p.type, base[0] + at[0]);
  };
  S most = 0;
  if (p.algorithm != CUDNN_SOFTMAX_FAST) {
    most = -(S)INFINITY;
    for (i64 i = Own::first(); i < p.elements.count; i += Own::step()) {
      S one = element(i);
      most = one > most ? one : most;
    }
    most = Own::most(most);
  }
  S sum = 0;
  for (i64 i = Own::first(); i < p.elements.count; i += Own::step()) sum += exp(element(i) - most);
  sum = Own::sum(sum);
  bool isLog = p.algorithm == CUDNN_SOFTMAX_LOG;
  S logarithm = isLog ? log(sum) : 0;
  for (i64 i = Own::first(); i < p.elements.count; i += Own::step()) {
    S one = element(i) - most;
    S value = (S)p.alpha * (isLog ? one - logarithm : exp(one) / sum);
    i64 to = base[1] + at[1];
    if (p.beta != 0) value += (S)p.beta * load<S>(y, p.type, to);
    store(y, p.type, to, value);
  }
}
template <class S, bool WIDE>
__global__ void __launch_bounds__(THREADS) softmax_back(Softmax p, const void *y, const void *dy, void *dx) {
  i64 row = WIDE ? blockIdx.x : (i64)blockIdx.x * THREADS + threadIdx.x;
  if (row >= p.rows.count) return;
  typedef Team<S, WIDE> Own;
  i64 base[3], at[3];
  p.rows.places(row, base);
  bool isLog = p.algorithm == CUDNN_SOFTMAX_LOG;
  S sum = 0;
  for (i64 i = Own::first(); i < p.elements.count; i += Own::step()) {
    p.elements.places(i, at);
    S gradient = load<S>(dy, p.type, base[1] + at[1]);
    sum += isLog ? gradient : gradient * load<S>(y, p.type, base[0] + at[0]);
  }
  sum = Own::sum(sum);
  for (i64 i = Own::first(); i < p.elements.count; i += Own::step()) {
    p.elements.places(i, at);
    S gradient = load<S>(dy, p.type, base[1] + at[1]);
    S own = load<S>(y, p.type, base[0] + at[0]);
    S value = (S)p.alpha * (isLog ? gradient - exp(own) * sum : own * (gradient - sum));
    i64 to = base[2] + at[2];
    if (p.beta != 0) value += (S)p.beta * load<S>(dx, p.type, to);
    store(dx, p.type, to, value);
  }
}

/// The dimensions of three tensors in the order in which the first one lies in memory, so that few remain of a walk.
Walk<3> walk_in_memory(const Tensor *const (&all)[3]) {
  Tensor sorted[3] = {*all[0], *all[1], *all[2]};
  for (int i = 1; i < sorted[0].rank; i++)
    for (int j = i; j > 0 && sorted[0].stride[j] > sorted[0].stride[j - 1]; j--)
      for (Tensor &t : sorted) {
        int dim = t.dim[j], stride = t.stride[j];
        t.dim[j] = t.dim[j - 1], t.stride[j] = t.stride[j - 1];
        t.dim[j - 1] = dim, t.stride[j - 1] = stride;
      }
  const Tensor *const pointers[] = {&sorted[0], &sorted[1], &sorted[2]};
  return walk_over(pointers);
}

/// What a program may not say.
cudnnStatus_t check_rows(const Tensor *const (&all)[3], int algo, int mode) {
  HEDDLE_DNN_NEED(algo >= CUDNN_SOFTMAX_FAST && algo <= CUDNN_SOFTMAX_LOG);
  HEDDLE_DNN_NEED(mode == CUDNN_SOFTMAX_MODE_INSTANCE || mode == CUDNN_SOFTMAX_MODE_CHANNEL);
  for (const Tensor *t : all) HEDDLE_DNN_NEED(t->hasShapeOf(*all[0]) && t->type == all[0]->type);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t rows_of(Softmax &p, const Tensor *const (&all)[3], int algo, int mode, const void *alpha,
                      const void *beta) {
  const Tensor &x = *all[0];
  HEDDLE_DNN_HAVE(is_real(x.type) && x.rank <= 5);
  p.algorithm = algo;
  p.type = x.type;
  Tensor rows[3], elements[3];
  for (int t = 0; t < 3; t++) {
    rows[t] = elements[t] = *all[t];
    for (int i = 0; i < x.rank; i++) {
      bool isElement = i == 1 || (mode == CUDNN_SOFTMAX_MODE_INSTANCE && i > 1);
      (isElement ? rows[t] : elements[t]).dim[i] = 1;
    }
  }
  const Tensor *const rowPointers[] = {&rows[0], &rows[1], &rows[2]};
  const Tensor *const elementPointers[] = {&elements[0], &elements[1], &elements[2]};
  p.rows = walk_in_memory(rowPointers);
  p.elements = walk_in_memory(elementPointers);
  p.isWide = p.elements.count >= 256;
  p.alpha = scale_of(alpha, x.type);
  p.beta = scale_of(beta, x.type);
  return CUDNN_STATUS_SUCCESS;
}
unsigned grid_of(const Softmax &p) { return p.isWide ? (unsigned)p.rows.count : blocks_of(p.rows.count); }

} // namespace

extern "C" {

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t h, cudnnSoftmaxAlgorithm_t algo, cudnnSoftmaxMode_t mode,
                                  const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x,
                                  const void *beta, const cudnnTensorDescriptor_t yDesc, void *y) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, yDesc) && all_there(alpha, beta, x, y));
  const Tensor *const all[] = {&xDesc->t, &yDesc->t, &yDesc->t};
  if (cudnnStatus_t wrong = check_rows(all, algo, mode)) return wrong;
  int status = h->nvidia("cudnnSoftmaxForward", (int)algo, (int)mode, Host{alpha}, vendor_of(h, xDesc), x, Host{beta},
                         vendor_of(h, yDesc), (const void *)y);
  if (status >= 0) return (cudnnStatus_t)status;
  Softmax p{};
  if (cudnnStatus_t wrong = rows_of(p, all, algo, mode, alpha, beta)) return wrong;
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
  const Tensor *const all[] = {&yDesc->t, &dyDesc->t, &dxDesc->t};
  if (cudnnStatus_t wrong = check_rows(all, algo, mode)) return wrong;
  int status = h->nvidia("cudnnSoftmaxBackward", (int)algo, (int)mode, Host{alpha}, vendor_of(h, yDesc), y,
                         vendor_of(h, dyDesc), dy, Host{beta}, vendor_of(h, dxDesc), (const void *)dx);
  if (status >= 0) return (cudnnStatus_t)status;
  Softmax p{};
  if (cudnnStatus_t wrong = rows_of(p, all, algo, mode, alpha, beta)) return wrong;
  bool isDouble = p.type == CUDNN_DATA_DOUBLE;
  auto kernel = p.isWide ? (isDouble ? softmax_back<double, true> : softmax_back<float, true>)
                         : (isDouble ? softmax_back<double, false> : softmax_back<float, false>);
  kernel<<<grid_of(p), THREADS, 0, h->stream>>>(p, y, dy, dx);
  return launched();
}

} // extern "C"
