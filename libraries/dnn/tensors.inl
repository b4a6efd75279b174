// Descriptors of tensors and filters.

namespace {

cudnnStatus_t set_tensor(cudnnTensorStruct *d, cudnnDataType_t type, const Tensor &t) {
  d->type = type;
  d->t = t;
  d->t.type = element_type(type);
  d->isSet = true;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}

bool read_dimensions(Tensor &t, int rank, const int *dims) {
  t.rank = rank;
  t.vect = 1;
  for (int i = 0; i < rank; i++)
    if ((t.dim[i] = dims[i]) <= 0) return false;
  return true;
}

/// Packed channels need a type of vectors, and the other way round.
cudnnStatus_t set_packed(cudnnTensorStruct *d, cudnnTensorFormat_t format, cudnnDataType_t type, int rank,
                         const int *dims) {
  Tensor t{};
  HEDDLE_DNN_NEED(d && is_live(d) && is_type(type) && is_format(format));
  HEDDLE_DNN_NEED(read_dimensions(t, rank, dims));
  bool isVector = vector_length(type) > 1;
  HEDDLE_DNN_NEED(isVector == (format == CUDNN_TENSOR_NCHW_VECT_C));
  t.vect = vector_length(type);
  HEDDLE_DNN_NEED(t.dim[1] % t.vect == 0);
  HEDDLE_DNN_HAVE(pack(t, format));
  return set_tensor(d, type, t);
}

} // namespace

extern "C" {

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *descriptor) { return make_object(descriptor); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) { return destroy_object(d); }

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t d, cudnnTensorFormat_t format,
                                         cudnnDataType_t dataType, int n, int c, int h, int w) {
  const int dims[] = {n, c, h, w};
  return set_packed(d, format, dataType, 4, dims);
}
cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t d, cudnnTensorFormat_t format,
                                           cudnnDataType_t dataType, int nbDims, const int dimA[]) {
  HEDDLE_DNN_NEED(dimA);
  HEDDLE_DNN_HAVE(nbDims >= 3 && nbDims <= CUDNN_DIM_MAX);
  return set_packed(d, format, dataType, nbDims, dimA);
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t d, cudnnDataType_t dataType, int nbDims,
                                         const int dimA[], const int strideA[]) {
  Tensor t{};
  HEDDLE_DNN_NEED(d && is_live(d) && dimA && strideA && is_type(dataType) && vector_length(dataType) == 1);
  HEDDLE_DNN_HAVE(nbDims >= 2 && nbDims <= CUDNN_DIM_MAX); // documented are 4 and more, but NVIDIA's library has 2
  HEDDLE_DNN_NEED(read_dimensions(t, nbDims, dimA));
  i64 last = 0;
  for (int i = 0; i < nbDims; i++) {
    HEDDLE_DNN_NEED(strideA[i] >= 0);
    t.stride[i] = strideA[i];
    last += (i64)(dimA[i] - 1) * strideA[i];
  }
  HEDDLE_DNN_HAVE(last < 0x7fffffff);
  return set_tensor(d, dataType, t);
}
cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t d, cudnnDataType_t dataType, int n, int c, int h,
                                           int w, int nStride, int cStride, int hStride, int wStride) {
  const int dims[] = {n, c, h, w}, strides[] = {nStride, cStride, hStride, wStride};
  return cudnnSetTensorNdDescriptor(d, dataType, 4, dims, strides);
}
cudnnStatus_t cudnnGetTensor4dDescriptor(const cudnnTensorDescriptor_t d, cudnnDataType_t *dataType, int *n, int *c,
                                         int *h, int *w, int *nStride, int *cStride, int *hStride, int *wStride) {
  HEDDLE_DNN_NEED(all_set(d) && d->t.rank == 4);
  int *dims[] = {n, c, h, w}, *strides[] = {nStride, cStride, hStride, wStride};
  if (dataType) *dataType = d->type;
  for (int i = 0; i < 4; i++) {
    if (dims[i]) *dims[i] = d->t.dim[i];
    if (strides[i]) *strides[i] = d->t.stride[i];
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t d, int nbDimsRequested,
                                         cudnnDataType_t *dataType, int *nbDims, int dimA[], int strideA[]) {
  HEDDLE_DNN_NEED(all_set(d) && nbDimsRequested >= 0);
  if (dataType) *dataType = d->type;
  if (nbDims) *nbDims = d->t.rank;
  for (int i = 0; i < nbDimsRequested && i < d->t.rank; i++) {
    if (dimA) dimA[i] = d->t.dim[i];
    if (strideA) strideA[i] = d->t.stride[i];
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t d, size_t *size) {
  HEDDLE_DNN_NEED(all_live(d) && size);
  *size = d->isSet ? (size_t)d->t.extent() * bytes_of(d->type) : 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *descriptor) { return make_object(descriptor); }
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t d) { return destroy_object(d); }

cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t dataType,
                                         cudnnTensorFormat_t format, int nbDims, const int filterDimA[]) {
  Tensor t{};
  HEDDLE_DNN_NEED(d && is_live(d) && filterDimA && is_type(dataType) && is_format(format));
  HEDDLE_DNN_HAVE(nbDims >= 3 && nbDims <= CUDNN_DIM_MAX);
  HEDDLE_DNN_NEED(read_dimensions(t, nbDims, filterDimA));
  bool isVector = vector_length(dataType) > 1;
  HEDDLE_DNN_NEED(isVector == (format == CUDNN_TENSOR_NCHW_VECT_C));
  t.vect = vector_length(dataType);
  HEDDLE_DNN_NEED(t.dim[1] % t.vect == 0);
  HEDDLE_DNN_HAVE(pack(t, format));
  t.type = element_type(dataType);
  d->type = dataType;
  d->format = format;
  d->t = t;
  d->isSet = true;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t dataType,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  const int dims[] = {k, c, h, w};
  return cudnnSetFilterNdDescriptor(d, dataType, format, 4, dims);
}
cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t d, int nbDimsRequested,
                                         cudnnDataType_t *dataType, cudnnTensorFormat_t *format, int *nbDims,
                                         int filterDimA[]) {
  HEDDLE_DNN_NEED(all_set(d) && nbDimsRequested >= 0);
  if (dataType) *dataType = d->type;
  if (format) *format = d->format;
  if (nbDims) *nbDims = d->t.rank;
  for (int i = 0; i < nbDimsRequested && i < d->t.rank; i++) if (filterDimA) filterDimA[i] = d->t.dim[i];
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetFilter4dDescriptor(const cudnnFilterDescriptor_t d, cudnnDataType_t *dataType,
                                         cudnnTensorFormat_t *format, int *k, int *c, int *h, int *w) {
  HEDDLE_DNN_NEED(all_set(d) && d->t.rank == 4);
  int *dims[] = {k, c, h, w};
  if (dataType) *dataType = d->type;
  if (format) *format = d->format;
  for (int i = 0; i < 4; i++) if (dims[i]) *dims[i] = d->t.dim[i];
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetFilterSizeInBytes(const cudnnFilterDescriptor_t d, size_t *size) {
  HEDDLE_DNN_NEED(all_set(d) && size);
  *size = (size_t)d->t.elements() * bytes_of(d->type);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derived, const cudnnTensorDescriptor_t xDesc,
                                            cudnnBatchNormMode_t mode) {
  HEDDLE_DNN_NEED(all_live(derived) && all_set(xDesc));
  HEDDLE_DNN_NEED(mode >= CUDNN_BATCHNORM_PER_ACTIVATION && mode <= CUDNN_BATCHNORM_SPATIAL_PERSISTENT);
  Tensor t = xDesc->t;
  t.vect = 1;
  t.dim[0] = 1;
  if (mode != CUDNN_BATCHNORM_PER_ACTIVATION)
    for (int i = 2; i < t.rank; i++) t.dim[i] = 1;
  pack(t, CUDNN_TENSOR_NCHW);
  return set_tensor(derived, xDesc->type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT, t);
}
cudnnStatus_t cudnnDeriveNormTensorDescriptor(cudnnTensorDescriptor_t scaleBias, cudnnTensorDescriptor_t meanVar,
                                              const cudnnTensorDescriptor_t xDesc, cudnnNormMode_t mode,
                                              int groupCnt) {
  HEDDLE_DNN_NEED(mode == CUDNN_NORM_PER_ACTIVATION || mode == CUDNN_NORM_PER_CHANNEL);
  HEDDLE_DNN_HAVE(groupCnt == 1);
  cudnnBatchNormMode_t same = mode == CUDNN_NORM_PER_CHANNEL ? CUDNN_BATCHNORM_SPATIAL : CUDNN_BATCHNORM_PER_ACTIVATION;
  if (cudnnStatus_t wrong = cudnnDeriveBNTensorDescriptor(scaleBias, xDesc, same)) return wrong;
  return cudnnDeriveBNTensorDescriptor(meanVar, xDesc, same);
}

} // extern "C"
