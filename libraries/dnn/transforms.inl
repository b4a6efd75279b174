// The functions of transforms.cu.

extern "C" {

cudnnStatus_t cudnnCreateTensorTransformDescriptor(cudnnTensorTransformDescriptor_t *d) { return make_object(d); }
cudnnStatus_t cudnnDestroyTensorTransformDescriptor(cudnnTensorTransformDescriptor_t d) { return destroy_object(d); }

cudnnStatus_t cudnnSetTensorTransformDescriptor(cudnnTensorTransformDescriptor_t d, const uint32_t nbDims,
                                                const cudnnTensorFormat_t destFormat, const int32_t padBeforeA[],
                                                const int32_t padAfterA[], const uint32_t foldA[],
                                                const cudnnFoldingDirection_t direction) {
  HEDDLE_DNN_NEED(all_live(d) && nbDims >= 3 && nbDims <= CUDNN_DIM_MAX && is_format(destFormat));
  HEDDLE_DNN_NEED(direction == CUDNN_TRANSFORM_FOLD || direction == CUDNN_TRANSFORM_UNFOLD);
  for (uint32_t i = 0; foldA && i < nbDims - 2; i++) HEDDLE_DNN_NEED(foldA[i] > 0);
  for (uint32_t i = 0; i < nbDims; i++) {
    d->before[i] = padBeforeA ? padBeforeA[i] : 0;
    d->after[i] = padAfterA ? padAfterA[i] : 0;
    d->fold[i] = foldA && i < nbDims - 2 ? foldA[i] : 1;
  }
  d->rank = (int)nbDims;
  d->format = destFormat;
  d->direction = direction;
  d->isSet = true;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorTransformDescriptor(cudnnTensorTransformDescriptor_t d, uint32_t nbDimsRequested,
                                                cudnnTensorFormat_t *destFormat, int32_t padBeforeA[],
                                                int32_t padAfterA[], uint32_t foldA[],
                                                cudnnFoldingDirection_t *direction) {
  HEDDLE_DNN_NEED(all_set(d));
  if (destFormat) *destFormat = d->format;
  if (direction) *direction = d->direction;
  for (int i = 0; i < d->rank && i < (int)nbDimsRequested; i++) {
    if (padBeforeA) padBeforeA[i] = d->before[i];
    if (padAfterA) padAfterA[i] = d->after[i];
    if (foldA && i < d->rank - 2) foldA[i] = d->fold[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnInitTransformDest(const cudnnTensorTransformDescriptor_t d, const cudnnTensorDescriptor_t srcDesc,
                                     cudnnTensorDescriptor_t destDesc, size_t *destSizeInBytes) {
  HEDDLE_DNN_NEED(all_set(d, srcDesc) && all_live(destDesc) && destSizeInBytes);
  int dim[CUDNN_DIM_MAX];
  HEDDLE_DNN_NEED(srcDesc->t.rank == d->rank && transformed(d, srcDesc->t, dim));
  cudnnStatus_t wrong = cudnnSetTensorNdDescriptorEx(destDesc, d->format, srcDesc->type, d->rank, dim);
  if (wrong) return wrong;
  return cudnnGetTensorSizeInBytes(destDesc, destSizeInBytes);
}

cudnnStatus_t cudnnTransformTensorEx(cudnnHandle_t h, const cudnnTensorTransformDescriptor_t d, const void *alpha,
                                     const cudnnTensorDescriptor_t srcDesc, const void *srcData, const void *beta,
                                     const cudnnTensorDescriptor_t destDesc, void *destData) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(d, srcDesc, destDesc) && all_there(alpha, beta, srcData, destData));
  int status = h->nvidia("cudnnTransformTensorEx", vendor_of(h, d), Host{alpha}, vendor_of(h, srcDesc), srcData,
                         Host{beta}, vendor_of(h, destDesc), (const void *)destData);
  if (status >= 0) return (cudnnStatus_t)status;
  return run_transform(h, d, alpha, srcDesc->t, srcData, beta, destDesc->t, destData);
}
cudnnStatus_t cudnnTransformFilter(cudnnHandle_t h, const cudnnTensorTransformDescriptor_t d, const void *alpha,
                                   const cudnnFilterDescriptor_t srcDesc, const void *srcData, const void *beta,
                                   const cudnnFilterDescriptor_t destDesc, void *destData) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(d, srcDesc, destDesc) && all_there(alpha, beta, srcData, destData));
  int status = h->nvidia("cudnnTransformFilter", vendor_of(h, d), Host{alpha}, vendor_of(h, srcDesc), srcData,
                         Host{beta}, vendor_of(h, destDesc), (const void *)destData);
  if (status >= 0) return (cudnnStatus_t)status;
  return run_transform(h, d, alpha, srcDesc->t, srcData, beta, destDesc->t, destData);
}

cudnnStatus_t cudnnIm2Col(cudnnHandle_t h, const cudnnTensorDescriptor_t xDesc, const void *x,
                          const cudnnFilterDescriptor_t wDesc, const cudnnConvolutionDescriptor_t convDesc,
                          void *colBuffer) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, wDesc, convDesc) && all_there(x, colBuffer));
  HEDDLE_DNN_NEED(xDesc->t.rank == wDesc->t.rank && convDesc->rank == xDesc->t.rank - 2);
  HEDDLE_DNN_NEED(xDesc->t.dim[1] == wDesc->t.dim[1] * convDesc->groups);
  Columns p{};
  p.x = xDesc->t, p.from = x, p.to = colBuffer;
  p.isFlipped = convDesc->mode == CUDNN_CONVOLUTION;
  p.count = (i64)p.x.dim[0] * p.x.dim[1];
  for (int i = 0; i < 3; i++) {
    int from = i - (5 - p.x.rank);
    bool is = from >= 0;
    p.window[i] = is ? wDesc->t.dim[from + 2] : 1;
    p.pad[i] = is ? convDesc->pad[from] : 0;
    p.stride[i] = is ? convDesc->stride[from] : 1;
    p.dilation[i] = is ? convDesc->dilation[from] : 1;
    p.in[i] = is ? p.x.dim[from + 2] : 1;
    p.space[i] = is ? p.x.stride[from + 2] : 0;
    int reach = (p.window[i] - 1) * p.dilation[i] + 1;
    HEDDLE_DNN_NEED(p.in[i] + 2 * p.pad[i] >= reach);
    p.out[i] = 1 + (p.in[i] + 2 * p.pad[i] - reach) / p.stride[i];
    p.count *= (i64)p.window[i] * p.out[i];
  }
  int status = h->nvidia("cudnnIm2Col", vendor_of(h, xDesc), x, vendor_of(h, wDesc), vendor_of(h, convDesc),
                         (const void *)colBuffer);
  if (status >= 0) return (cudnnStatus_t)status;
  HEDDLE_DNN_HAVE(xDesc->t.vect == 1 && xDesc->t.rank <= 5 && xDesc->type == wDesc->type);
  make_columns<<<blocks_of(p.count), THREADS, 0, h->stream>>>(p);
  return launched();
}

/// A convolution with steps of s pixels is one with steps of 1 if blocks of s pixels are channels: of the input, padded
/// as the convolution pads it, and of the filter, padded behind to whole blocks.
cudnnStatus_t cudnnGetFoldedConvBackwardDataDescriptors(
    const cudnnHandle_t h, const cudnnFilterDescriptor_t filterDesc, const cudnnTensorDescriptor_t diffDesc,
    const cudnnConvolutionDescriptor_t convDesc, const cudnnTensorDescriptor_t gradDesc,
    const cudnnTensorFormat_t transformFormat, cudnnFilterDescriptor_t foldedFilterDesc,
    cudnnTensorDescriptor_t paddedDiffDesc, cudnnConvolutionDescriptor_t foldedConvDesc,
    cudnnTensorDescriptor_t foldedGradDesc, cudnnTensorTransformDescriptor_t filterFoldTransDesc,
    cudnnTensorTransformDescriptor_t diffPadTransDesc, cudnnTensorTransformDescriptor_t gradFoldTransDesc,
    cudnnTensorTransformDescriptor_t gradUnfoldTransDesc) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(filterDesc, diffDesc, convDesc, gradDesc) && is_format(transformFormat));
  HEDDLE_DNN_NEED(all_live(foldedFilterDesc, paddedDiffDesc, foldedConvDesc, foldedGradDesc, filterFoldTransDesc,
                           diffPadTransDesc, gradFoldTransDesc, gradUnfoldTransDesc));
  const Tensor &w = filterDesc->t, &dy = diffDesc->t, &dx = gradDesc->t;
  int rank = w.rank, space = rank - 2;
  HEDDLE_DNN_NEED(dy.rank == rank && dx.rank == rank && convDesc->rank == space);
  HEDDLE_DNN_NEED(dx.dim[0] == dy.dim[0] && dy.dim[1] == w.dim[0] && dx.dim[1] == w.dim[1] * convDesc->groups);
  HEDDLE_DNN_HAVE(convDesc->groups == 1 && transformFormat != CUDNN_TENSOR_NCHW_VECT_C);
  // a filter that is turned would have to be turned within its blocks, too
  HEDDLE_DNN_HAVE(convDesc->mode == CUDNN_CROSS_CORRELATION);
  int32_t none[CUDNN_DIM_MAX] = {}, ones[CUDNN_DIM_MAX], filterAfter[CUDNN_DIM_MAX] = {};
  int32_t before[CUDNN_DIM_MAX] = {}, after[CUDNN_DIM_MAX] = {}, notBefore[CUDNN_DIM_MAX] = {},
          notAfter[CUDNN_DIM_MAX] = {};
  uint32_t fold[CUDNN_DIM_MAX];
  int filter[CUDNN_DIM_MAX] = {w.dim[0], w.dim[1]}, grad[CUDNN_DIM_MAX] = {dx.dim[0], dx.dim[1]};
  for (int i = 0; i < space; i++) {
    HEDDLE_DNN_HAVE(convDesc->dilation[i] == 1);
    int s = convDesc->stride[i], taps = w.dim[i + 2], pixels = dx.dim[i + 2];
    HEDDLE_DNN_NEED(dy.dim[i + 2] == 1 + (pixels + 2 * convDesc->pad[i] - taps) / s);
    ones[i] = 1;
    fold[i] = (uint32_t)s;
    filter[i + 2] = (taps + s - 1) / s;
    grad[i + 2] = dy.dim[i + 2] + filter[i + 2] - 1;
    filterAfter[i + 2] = filter[i + 2] * s - taps;
    before[i + 2] = convDesc->pad[i];
    after[i + 2] = grad[i + 2] * s - pixels - convDesc->pad[i];
    notBefore[i + 2] = -before[i + 2];
    notAfter[i + 2] = -after[i + 2];
    filter[1] *= s;
    grad[1] *= s;
  }
  auto wrong = cudnnSetFilterNdDescriptor(foldedFilterDesc, filterDesc->type, transformFormat, rank, filter);
  if (!wrong) wrong = cudnnSetTensorNdDescriptorEx(paddedDiffDesc, transformFormat, diffDesc->type, rank, dy.dim);
  if (!wrong) wrong = cudnnSetTensorNdDescriptorEx(foldedGradDesc, transformFormat, gradDesc->type, rank, grad);
  if (!wrong)
    wrong = cudnnSetConvolutionNdDescriptor(foldedConvDesc, space, none, ones, ones, convDesc->mode, convDesc->type);
  auto set = [&](cudnnTensorTransformDescriptor_t d, const int32_t *first, const int32_t *last, const uint32_t *folds,
                 cudnnFoldingDirection_t direction) {
    if (wrong) return;
    wrong = cudnnSetTensorTransformDescriptor(d, (uint32_t)rank, transformFormat, first, last, folds, direction);
  };
  set(filterFoldTransDesc, none, filterAfter, fold, CUDNN_TRANSFORM_FOLD);
  set(diffPadTransDesc, none, none, nullptr, CUDNN_TRANSFORM_FOLD);
  set(gradFoldTransDesc, before, after, fold, CUDNN_TRANSFORM_FOLD);
  set(gradUnfoldTransDesc, notBefore, notAfter, fold, CUDNN_TRANSFORM_UNFOLD);
  return wrong;
}

} // extern "C"
