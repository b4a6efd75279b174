// cudnnReduceTensor.
#include "elements.cuh"

using namespace heddle_dnn;

namespace {

/// Reduced dimensions are walked for each result.
struct Reduction {
  int op, keepsNan, type, cType, indexBytes;
  bool hasIndices, isWide;
  Walk<2> results;  // C, and A's first element for it
  Walk<1> elements; // of A, for one result
  double alpha, beta;
};

template <class S> struct Reduced {
  S value;
  int index;
};
template <class S> __device__ Reduced<S> none(int op) {
  switch (op) {
    case CUDNN_REDUCE_TENSOR_MUL: case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS: return {1, INT_MAX};
    case CUDNN_REDUCE_TENSOR_MIN: return {(S)INFINITY, INT_MAX};
    case CUDNN_REDUCE_TENSOR_MAX: return {-(S)INFINITY, INT_MAX};
    default: return {0, INT_MAX};
  }
}
template <class S> __device__ Reduced<S> element_of(int op, S x, int index) {
  switch (op) {
    case CUDNN_REDUCE_TENSOR_AMAX: case CUDNN_REDUCE_TENSOR_NORM1: return {x < 0 ? -x : x, index};
    case CUDNN_REDUCE_TENSOR_NORM2: return {x * x, index};
    case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS: return {x == 0 ? 1 : x, index};
    default: return {x, index};
  }
}
/// Of equal extremes the one with the smaller index stays.
template <class S> __device__ Reduced<S> joined(int op, bool keepsNan, Reduced<S> a, Reduced<S> b) {
  switch (op) {
    case CUDNN_REDUCE_TENSOR_MUL: case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS: return {a.value * b.value, 0};
    case CUDNN_REDUCE_TENSOR_MIN: case CUDNN_REDUCE_TENSOR_MAX: case CUDNN_REDUCE_TENSOR_AMAX: {
      bool aIsNan = a.value != a.value, bIsNan = b.value != b.value;
      if (aIsNan || bIsNan) return (keepsNan ? aIsNan : bIsNan) ? a : b;
      if (a.value == b.value) return a.index < b.index ? a : b;
      return (op == CUDNN_REDUCE_TENSOR_MIN ? a.value < b.value : a.value > b.value) ? a : b;
    }
    default: return {a.value + b.value, 0};
  }
}

template <class S, bool WIDE>
__global__ void __launch_bounds__(THREADS) reduce(Reduction p, const void *a, void *c, void *indices) {
  i64 result = WIDE ? blockIdx.x : (i64)blockIdx.x * THREADS + threadIdx.x;
  if (result >= p.results.count) return;
  i64 place[2], at[1];
  p.results.places(result, place);
  Reduced<S> all = none<S>(p.op);
  for (i64 i = WIDE ? threadIdx.x : 0; i < p.elements.count; i += WIDE ? THREADS : 1) {
    p.elements.places(i, at);
    all = joined(p.op, p.keepsNan, all, element_of(p.op, load<S>(a, p.type, place[1] + at[0]), (int)i));
  }
  if (WIDE) {
    __shared__ Reduced<S> parts[THREADS];
    parts[threadIdx.x] = all;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
      if (threadIdx.x < half)
        parts[threadIdx.x] = joined(p.op, p.keepsNan, parts[threadIdx.x], parts[threadIdx.x + half]);
      __syncthreads();
    }
    if (threadIdx.x > 0) return;
    all = parts[0];
  }
  S value = all.value;
  if (p.op == CUDNN_REDUCE_TENSOR_AVG) value /= (S)p.elements.count;
  if (p.op == CUDNN_REDUCE_TENSOR_NORM2) value = sqrt(value);
  value = (S)p.alpha * value;
  if (p.beta != 0) value += (S)p.beta * load<S>(c, p.cType, place[0]);
  store(c, p.cType, place[0], value);
  if (p.hasIndices) ((unsigned *)indices)[result] = (unsigned)all.index;
}

bool has_indices(const cudnnReduceTensorStruct *d) {
  return d->indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES &&
         (d->op == CUDNN_REDUCE_TENSOR_MIN || d->op == CUDNN_REDUCE_TENSOR_MAX || d->op == CUDNN_REDUCE_TENSOR_AMAX);
}
cudnnStatus_t check_shapes(const Tensor &a, const Tensor &c) {
  HEDDLE_DNN_NEED(a.rank == c.rank);
  for (int i = 0; i < a.rank; i++) HEDDLE_DNN_NEED(c.dim[i] == a.dim[i] || c.dim[i] == 1);
  return CUDNN_STATUS_SUCCESS;
}

} // namespace

extern "C" {

cudnnStatus_t cudnnGetReductionIndicesSize(cudnnHandle_t h, const cudnnReduceTensorDescriptor_t d,
                                           const cudnnTensorDescriptor_t aDesc, const cudnnTensorDescriptor_t cDesc,
                                           size_t *sizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(aDesc, cDesc) && sizeInBytes);
  if (cudnnStatus_t wrong = check_shapes(aDesc->t, cDesc->t)) return wrong;
  // NVIDIA's library wants them of every operation.
  *sizeInBytes = d->indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES ? (size_t)cDesc->t.elements() * 4 : 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetReductionWorkspaceSize(cudnnHandle_t h, const cudnnReduceTensorDescriptor_t d,
                                             const cudnnTensorDescriptor_t aDesc, const cudnnTensorDescriptor_t cDesc,
                                             size_t *sizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(aDesc, cDesc) && sizeInBytes);
  if (cudnnStatus_t wrong = check_shapes(aDesc->t, cDesc->t)) return wrong;
  unsigned long long bytes = 0;
  int status = h->nvidia("cudnnGetReductionWorkspaceSize", vendor_of(h, d), vendor_of(h, aDesc), vendor_of(h, cDesc),
                         Host{&bytes});
  *sizeInBytes = (size_t)bytes;
  return status > 0 ? (cudnnStatus_t)status : CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnReduceTensor(cudnnHandle_t h, const cudnnReduceTensorDescriptor_t d, void *indices,
                                size_t indicesSizeInBytes, void *workspace, size_t workspaceSizeInBytes,
                                const void *alpha, const cudnnTensorDescriptor_t aDesc, const void *A,
                                const void *beta, const cudnnTensorDescriptor_t cDesc, void *C) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(aDesc, cDesc) && all_there(alpha, beta, A, C));
  const Tensor &a = aDesc->t, &c = cDesc->t;
  if (cudnnStatus_t wrong = check_shapes(a, c)) return wrong;
  bool hasIndices = has_indices(d);
  HEDDLE_DNN_NEED(!hasIndices || (indices && indicesSizeInBytes >= (size_t)c.elements() * 4));
  int status = h->nvidia("cudnnReduceTensor", vendor_of(h, d), (const void *)indices,
                         (unsigned long long)indicesSizeInBytes, (const void *)workspace,
                         (unsigned long long)workspaceSizeInBytes, Host{alpha}, vendor_of(h, aDesc), A, Host{beta},
                         vendor_of(h, cDesc), (const void *)C);
  if (status >= 0) return (cudnnStatus_t)status;
  // the documentation: indices have 32 bits
  HEDDLE_DNN_HAVE(!hasIndices || d->indicesType == CUDNN_32BIT_INDICES);
  HEDDLE_DNN_HAVE((a.type == CUDNN_DATA_DOUBLE) == (c.type == CUDNN_DATA_DOUBLE) && a.vect == 1 && c.vect == 1);
  HEDDLE_DNN_HAVE(a.type != CUDNN_DATA_BFLOAT16 && c.type != CUDNN_DATA_BFLOAT16);
  HEDDLE_DNN_NEED(!a.hasShapeOf(c)); // the documentation: something is reduced
  Reduction p{};
  p.op = d->op;
  p.keepsNan = d->nan == CUDNN_PROPAGATE_NAN;
  p.type = a.type;
  p.cType = c.type;
  p.hasIndices = hasIndices;
  Tensor kept = a, reduced = a;
  for (int i = 0; i < a.rank; i++) {
    if (c.dim[i] == 1) kept.dim[i] = 1;
    else reduced.dim[i] = 1;
  }
  const Tensor *const results[] = {&c, &kept};
  const Tensor *const elements[] = {&reduced};
  p.results = walk_over(results);
  p.elements = walk_over(elements);
  p.alpha = scale_of(alpha, a.type);
  p.beta = scale_of(beta, a.type);
  bool isDouble = a.type == CUDNN_DATA_DOUBLE || a.type == CUDNN_DATA_INT32;
  p.isWide = p.elements.count >= 256;
  auto kernel = p.isWide ? (isDouble ? reduce<double, true> : reduce<float, true>)
                         : (isDouble ? reduce<double, false> : reduce<float, false>);
  kernel<<<p.isWide ? (unsigned)p.results.count : blocks_of(p.results.count), THREADS, 0, h->stream>>>(p, A, C,
                                                                                                      indices);
  return launched();
}

} // extern "C"
