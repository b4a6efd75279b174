// Descriptors of operations.

#define HEDDLE_DNN_OBJECTS(NAME, TYPE)                                            \
  cudnnStatus_t cudnnCreate##NAME(TYPE *descriptor) { return make_object(descriptor); } \
  cudnnStatus_t cudnnDestroy##NAME(TYPE descriptor) { return destroy_object(descriptor); }

namespace {

/// Gives what is asked for.
template <class To, class From> void give(To *to, const From &from) {
  if (to) *to = (To)from;
}
template <class T> void give_all(T *to, const T *from, int count) {
  for (int i = 0; i < count; i++) if (to) to[i] = from[i];
}
bool is_nan_option(int option) { return option == CUDNN_NOT_PROPAGATE_NAN || option == CUDNN_PROPAGATE_NAN; }
bool is_compute_type(int type) { return is_real(type) || type == CUDNN_DATA_INT32; }

/// Of a window along one dimension.
int window_output(int input, int window, int pad, int stride, int dilation) {
  return 1 + (input + 2 * pad - ((window - 1) * dilation + 1)) / stride;
}

} // namespace

extern "C" {

HEDDLE_DNN_OBJECTS(ConvolutionDescriptor, cudnnConvolutionDescriptor_t)
HEDDLE_DNN_OBJECTS(PoolingDescriptor, cudnnPoolingDescriptor_t)
HEDDLE_DNN_OBJECTS(ActivationDescriptor, cudnnActivationDescriptor_t)
HEDDLE_DNN_OBJECTS(LRNDescriptor, cudnnLRNDescriptor_t)
HEDDLE_DNN_OBJECTS(OpTensorDescriptor, cudnnOpTensorDescriptor_t)
HEDDLE_DNN_OBJECTS(ReduceTensorDescriptor, cudnnReduceTensorDescriptor_t)
HEDDLE_DNN_OBJECTS(DropoutDescriptor, cudnnDropoutDescriptor_t)

// Convolutions.

cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t d, int arrayLength, const int padA[],
                                              const int filterStrideA[], const int dilationA[],
                                              cudnnConvolutionMode_t mode, cudnnDataType_t computeType) {
  HEDDLE_DNN_NEED(all_live(d) && arrayLength >= 0 && padA && filterStrideA && dilationA);
  HEDDLE_DNN_NEED(mode == CUDNN_CONVOLUTION || mode == CUDNN_CROSS_CORRELATION);
  HEDDLE_DNN_NEED(is_type(computeType));
  HEDDLE_DNN_HAVE(arrayLength >= 1 && arrayLength <= 6);
  for (int i = 0; i < arrayLength; i++)
    HEDDLE_DNN_NEED(padA[i] >= 0 && filterStrideA[i] > 0 && dilationA[i] > 0);
  d->rank = arrayLength;
  give_all(d->pad, padA, arrayLength);
  give_all(d->stride, filterStrideA, arrayLength);
  give_all(d->dilation, dilationA, arrayLength);
  d->mode = mode;
  d->type = computeType;
  d->isSet = true;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionNdDescriptor(const cudnnConvolutionDescriptor_t d, int arrayLengthRequested,
                                              int *arrayLength, int padA[], int strideA[], int dilationA[],
                                              cudnnConvolutionMode_t *mode, cudnnDataType_t *computeType) {
  HEDDLE_DNN_NEED(all_set(d) && arrayLengthRequested >= 0);
  HEDDLE_DNN_HAVE(arrayLengthRequested <= 6);
  int count = arrayLengthRequested < d->rank ? arrayLengthRequested : d->rank;
  give(arrayLength, d->rank);
  give_all(padA, d->pad, count);
  give_all(strideA, d->stride, count);
  give_all(dilationA, d->dilation, count);
  give(mode, d->mode);
  give(computeType, d->type);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t d, int pad_h, int pad_w, int u, int v,
                                              int dilation_h, int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t computeType) {
  const int pad[] = {pad_h, pad_w}, stride[] = {u, v}, dilation[] = {dilation_h, dilation_w};
  return cudnnSetConvolutionNdDescriptor(d, 2, pad, stride, dilation, mode, computeType);
}
cudnnStatus_t cudnnGetConvolution2dDescriptor(const cudnnConvolutionDescriptor_t d, int *pad_h, int *pad_w, int *u,
                                              int *v, int *dilation_h, int *dilation_w,
                                              cudnnConvolutionMode_t *mode, cudnnDataType_t *computeType) {
  HEDDLE_DNN_NEED(all_set(d) && d->rank == 2);
  int *pad[] = {pad_h, pad_w}, *stride[] = {u, v}, *dilation[] = {dilation_h, dilation_w};
  for (int i = 0; i < 2; i++) {
    give(pad[i], d->pad[i]);
    give(stride[i], d->stride[i]);
    give(dilation[i], d->dilation[i]);
  }
  give(mode, d->mode);
  give(computeType, d->type);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t mathType) {
  HEDDLE_DNN_NEED(all_live(d) && mathType >= CUDNN_DEFAULT_MATH && mathType <= CUDNN_FMA_MATH);
  d->math = mathType;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t *mathType) {
  HEDDLE_DNN_NEED(all_live(d) && mathType);
  *mathType = d->math;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t d, int groupCount) {
  HEDDLE_DNN_NEED(all_live(d) && groupCount > 0);
  d->groups = groupCount;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t d, int *groupCount) {
  HEDDLE_DNN_NEED(all_live(d) && groupCount);
  *groupCount = d->groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionReorderType(cudnnConvolutionDescriptor_t d, cudnnReorderType_t reorderType) {
  HEDDLE_DNN_NEED(all_live(d) && (reorderType == CUDNN_DEFAULT_REORDER || reorderType == CUDNN_NO_REORDER));
  d->reorder = reorderType;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionReorderType(cudnnConvolutionDescriptor_t d, cudnnReorderType_t *reorderType) {
  HEDDLE_DNN_NEED(all_live(d) && reorderType);
  *reorderType = d->reorder;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(const cudnnConvolutionDescriptor_t d,
                                                    const cudnnTensorDescriptor_t xDesc,
                                                    const cudnnFilterDescriptor_t wDesc, int nbDims, int dims[]) {
  HEDDLE_DNN_NEED(all_set(d, xDesc, wDesc) && dims);
  const Tensor &x = xDesc->t, &w = wDesc->t;
  HEDDLE_DNN_NEED(x.rank == w.rank && x.rank == d->rank + 2 && nbDims == x.rank);
  HEDDLE_DNN_NEED(x.dim[1] == w.dim[1] * d->groups && w.dim[0] % d->groups == 0);
  dims[0] = x.dim[0];
  dims[1] = w.dim[0];
  for (int i = 0; i < d->rank; i++) {
    // the window must fit
    HEDDLE_DNN_NEED(x.dim[i + 2] + 2 * d->pad[i] >= (w.dim[i + 2] - 1) * d->dilation[i] + 1);
    dims[i + 2] = window_output(x.dim[i + 2], w.dim[i + 2], d->pad[i], d->stride[i], d->dilation[i]);
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(const cudnnConvolutionDescriptor_t d,
                                                    const cudnnTensorDescriptor_t xDesc,
                                                    const cudnnFilterDescriptor_t wDesc, int *n, int *c, int *h,
                                                    int *w) {
  HEDDLE_DNN_NEED(n && c && h && w && all_set(d) && d->rank == 2);
  int dims[4];
  if (cudnnStatus_t wrong = cudnnGetConvolutionNdForwardOutputDim(d, xDesc, wDesc, 4, dims)) return wrong;
  *n = dims[0], *c = dims[1], *h = dims[2], *w = dims[3];
  return CUDNN_STATUS_SUCCESS;
}

// Pooling.

cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t d, const cudnnPoolingMode_t mode,
                                          const cudnnNanPropagation_t nan, int nbDims, const int windowDimA[],
                                          const int paddingA[], const int strideA[]) {
  HEDDLE_DNN_NEED(all_live(d) && windowDimA && paddingA && strideA && is_nan_option(nan));
  HEDDLE_DNN_NEED(mode >= CUDNN_POOLING_MAX && mode <= CUDNN_POOLING_MAX_DETERMINISTIC);
  HEDDLE_DNN_HAVE(nbDims >= 1 && nbDims <= 6);
  for (int i = 0; i < nbDims; i++)
    HEDDLE_DNN_NEED(windowDimA[i] > 0 && paddingA[i] >= 0 && paddingA[i] < windowDimA[i] && strideA[i] > 0);
  d->rank = nbDims;
  d->mode = mode;
  d->nan = nan;
  give_all(d->window, windowDimA, nbDims);
  give_all(d->pad, paddingA, nbDims);
  give_all(d->stride, strideA, nbDims);
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetPoolingNdDescriptor(const cudnnPoolingDescriptor_t d, int nbDimsRequested,
                                          cudnnPoolingMode_t *mode, cudnnNanPropagation_t *nan, int *nbDims,
                                          int windowDimA[], int paddingA[], int strideA[]) {
  HEDDLE_DNN_NEED(all_live(d) && nbDimsRequested >= 0);
  int count = nbDimsRequested < d->rank ? nbDimsRequested : d->rank;
  give(mode, d->mode);
  give(nan, d->nan);
  give(nbDims, d->rank);
  give_all(windowDimA, d->window, count);
  give_all(paddingA, d->pad, count);
  give_all(strideA, d->stride, count);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t d, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t nan, int windowHeight, int windowWidth,
                                          int verticalPadding, int horizontalPadding, int verticalStride,
                                          int horizontalStride) {
  const int window[] = {windowHeight, windowWidth}, pad[] = {verticalPadding, horizontalPadding},
            stride[] = {verticalStride, horizontalStride};
  return cudnnSetPoolingNdDescriptor(d, mode, nan, 2, window, pad, stride);
}
cudnnStatus_t cudnnGetPooling2dDescriptor(const cudnnPoolingDescriptor_t d, cudnnPoolingMode_t *mode,
                                          cudnnNanPropagation_t *nan, int *windowHeight, int *windowWidth,
                                          int *verticalPadding, int *horizontalPadding, int *verticalStride,
                                          int *horizontalStride) {
  HEDDLE_DNN_NEED(all_live(d) && d->rank == 2);
  give(mode, d->mode);
  give(nan, d->nan);
  give(windowHeight, d->window[0]);
  give(windowWidth, d->window[1]);
  give(verticalPadding, d->pad[0]);
  give(horizontalPadding, d->pad[1]);
  give(verticalStride, d->stride[0]);
  give(horizontalStride, d->stride[1]);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetPoolingNdForwardOutputDim(const cudnnPoolingDescriptor_t d,
                                                const cudnnTensorDescriptor_t xDesc, int nbDims, int dims[]) {
  HEDDLE_DNN_NEED(all_live(d) && all_set(xDesc) && dims);
  HEDDLE_DNN_NEED(d->rank > 0 && xDesc->t.rank == d->rank + 2 && nbDims == xDesc->t.rank);
  dims[0] = xDesc->t.dim[0];
  dims[1] = xDesc->t.dim[1];
  for (int i = 0; i < d->rank; i++) {
    dims[i + 2] = window_output(xDesc->t.dim[i + 2], d->window[i], d->pad[i], d->stride[i], 1);
    HEDDLE_DNN_NEED(xDesc->t.dim[i + 2] + 2 * d->pad[i] >= d->window[i]);
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetPooling2dForwardOutputDim(const cudnnPoolingDescriptor_t d,
                                                const cudnnTensorDescriptor_t xDesc, int *n, int *c, int *h, int *w) {
  HEDDLE_DNN_NEED(n && c && h && w && all_live(d) && d->rank == 2);
  int dims[4];
  if (cudnnStatus_t wrong = cudnnGetPoolingNdForwardOutputDim(d, xDesc, 4, dims)) return wrong;
  *n = dims[0], *c = dims[1], *h = dims[2], *w = dims[3];
  return CUDNN_STATUS_SUCCESS;
}

// Activations, LRN, element-wise operations, reductions.

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t d, cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t nan, double coef) {
  HEDDLE_DNN_NEED(all_live(d) && is_nan_option(nan));
  HEDDLE_DNN_NEED(mode >= CUDNN_ACTIVATION_SIGMOID && mode <= CUDNN_ACTIVATION_SWISH);
  d->mode = mode;
  d->nan = nan;
  d->coefficient = coef;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetActivationDescriptor(const cudnnActivationDescriptor_t d, cudnnActivationMode_t *mode,
                                           cudnnNanPropagation_t *nan, double *coef) {
  HEDDLE_DNN_NEED(all_live(d));
  give(mode, d->mode);
  give(nan, d->nan);
  give(coef, d->coefficient);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t d, double swish_beta) {
  HEDDLE_DNN_NEED(all_live(d));
  d->swishBeta = swish_beta;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t d, double *swish_beta) {
  HEDDLE_DNN_NEED(all_live(d) && swish_beta);
  *swish_beta = d->swishBeta;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetLRNDescriptor(cudnnLRNDescriptor_t d, unsigned n, double alpha, double beta, double k) {
  HEDDLE_DNN_NEED(all_live(d) && n >= CUDNN_LRN_MIN_N && n <= CUDNN_LRN_MAX_N);
  HEDDLE_DNN_NEED(k >= CUDNN_LRN_MIN_K && beta >= CUDNN_LRN_MIN_BETA);
  d->n = n;
  d->alpha = alpha;
  d->beta = beta;
  d->k = k;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetLRNDescriptor(cudnnLRNDescriptor_t d, unsigned *n, double *alpha, double *beta, double *k) {
  HEDDLE_DNN_NEED(all_live(d));
  give(n, d->n);
  give(alpha, d->alpha);
  give(beta, d->beta);
  give(k, d->k);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetOpTensorDescriptor(cudnnOpTensorDescriptor_t d, cudnnOpTensorOp_t op, cudnnDataType_t type,
                                         cudnnNanPropagation_t nan) {
  HEDDLE_DNN_NEED(all_live(d) && op >= CUDNN_OP_TENSOR_ADD && op <= CUDNN_OP_TENSOR_NOT);
  HEDDLE_DNN_NEED(is_compute_type(type) && is_nan_option(nan));
  d->op = op;
  d->type = type;
  d->nan = nan;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetOpTensorDescriptor(const cudnnOpTensorDescriptor_t d, cudnnOpTensorOp_t *op,
                                         cudnnDataType_t *type, cudnnNanPropagation_t *nan) {
  HEDDLE_DNN_NEED(all_live(d));
  give(op, d->op);
  give(type, d->type);
  give(nan, d->nan);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetReduceTensorDescriptor(cudnnReduceTensorDescriptor_t d, cudnnReduceTensorOp_t op,
                                             cudnnDataType_t type, cudnnNanPropagation_t nan,
                                             cudnnReduceTensorIndices_t indices, cudnnIndicesType_t indicesType) {
  HEDDLE_DNN_NEED(all_live(d) && op >= CUDNN_REDUCE_TENSOR_ADD && op <= CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS);
  HEDDLE_DNN_NEED(is_compute_type(type) && is_nan_option(nan));
  HEDDLE_DNN_NEED(indices == CUDNN_REDUCE_TENSOR_NO_INDICES || indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES);
  HEDDLE_DNN_NEED(indicesType >= CUDNN_32BIT_INDICES && indicesType <= CUDNN_8BIT_INDICES);
  d->op = op;
  d->type = type;
  d->nan = nan;
  d->indices = indices;
  d->indicesType = indicesType;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetReduceTensorDescriptor(const cudnnReduceTensorDescriptor_t d, cudnnReduceTensorOp_t *op,
                                             cudnnDataType_t *type, cudnnNanPropagation_t *nan,
                                             cudnnReduceTensorIndices_t *indices, cudnnIndicesType_t *indicesType) {
  HEDDLE_DNN_NEED(all_live(d));
  give(op, d->op);
  give(type, d->type);
  give(nan, d->nan);
  give(indices, d->indices);
  give(indicesType, d->indicesType);
  return CUDNN_STATUS_SUCCESS;
}

// Dropout.

// The states are a count of forward calls: a mask follows from the seed, the count and the element.
cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t h, size_t *sizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(sizeInBytes);
  *sizeInBytes = 1024;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t xDesc, size_t *sizeInBytes) {
  HEDDLE_DNN_NEED(all_set(xDesc) && sizeInBytes);
  *sizeInBytes = (size_t)((xDesc->t.elements() + 7) / 8 + 15) / 16 * 16;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t h, float dropout,
                                            void *states, size_t stateSizeInBytes, unsigned long long seed) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && dropout >= 0); // NVIDIA's library takes rates above 1: every element is dropped
  if (states && stateSizeInBytes < 1024) return CUDNN_STATUS_INVALID_VALUE;
  d->rate = dropout;
  d->states = states;
  d->seed = seed;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t h, float dropout, void *states,
                                        size_t stateSizeInBytes, unsigned long long seed) {
  if (cudnnStatus_t wrong = cudnnRestoreDropoutDescriptor(d, h, dropout, states, stateSizeInBytes, seed))
    return wrong;
  if (states && cudaMemsetAsync(states, 0, 1024, h->stream) != cudaSuccess) return CUDNN_STATUS_EXECUTION_FAILED;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t h, float *dropout, void **states,
                                        unsigned long long *seed) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d));
  give(dropout, d->rate);
  if (states) *states = d->states;
  give(seed, d->seed);
  return CUDNN_STATUS_SUCCESS;
}

} // extern "C"
