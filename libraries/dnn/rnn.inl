// The functions of rnn.cu.

extern "C" {

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t *d) { return make_object(d); }
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t d) { return destroy_object(d); }
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t *d) { return make_object(d); }
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t d) { return destroy_object(d); }

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t d, cudnnRNNAlgo_t algo, cudnnRNNMode_t cellMode,
                                       cudnnRNNBiasMode_t biasMode, cudnnDirectionMode_t dirMode,
                                       cudnnRNNInputMode_t inputMode, cudnnDataType_t dataType,
                                       cudnnDataType_t mathPrec, cudnnMathType_t mathType, int32_t inputSize,
                                       int32_t hiddenSize, int32_t projSize, int32_t numLayers,
                                       cudnnDropoutDescriptor_t dropoutDesc, uint32_t auxFlags) {
  HEDDLE_DNN_NEED(all_live(d) && algo >= 0 && algo < CUDNN_RNN_ALGO_COUNT && cellMode >= 0 && cellMode <= CUDNN_GRU);
  HEDDLE_DNN_NEED(biasMode >= 0 && biasMode <= CUDNN_RNN_SINGLE_REC_BIAS && dirMode >= 0 && dirMode <= 1);
  HEDDLE_DNN_NEED(inputMode >= 0 && inputMode <= 1 && inputSize > 0 && hiddenSize > 0 && numLayers > 0);
  HEDDLE_DNN_NEED(!dropoutDesc || all_live(dropoutDesc));
  HEDDLE_DNN_NEED(inputMode == CUDNN_LINEAR_INPUT || inputSize == hiddenSize);
  HEDDLE_DNN_NEED(projSize >= 0 && projSize <= hiddenSize && is_type(dataType) && is_type(mathPrec));
  HEDDLE_DNN_HAVE(is_real(dataType) && (projSize == 0 || projSize == hiddenSize));
  d->algo = algo, d->cell = cellMode, d->bias = biasMode, d->direction = dirMode, d->input = inputMode;
  d->type = dataType, d->mathPrecision = mathPrec, d->math = mathType;
  d->inputSize = inputSize, d->hiddenSize = hiddenSize, d->projectionSize = projSize, d->layers = numLayers;
  d->dropout = dropoutDesc;
  d->flags = auxFlags;
  d->isSet = true;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t d, cudnnRNNAlgo_t *algo, cudnnRNNMode_t *cellMode,
                                       cudnnRNNBiasMode_t *biasMode, cudnnDirectionMode_t *dirMode,
                                       cudnnRNNInputMode_t *inputMode, cudnnDataType_t *dataType,
                                       cudnnDataType_t *mathPrec, cudnnMathType_t *mathType, int32_t *inputSize,
                                       int32_t *hiddenSize, int32_t *projSize, int32_t *numLayers,
                                       cudnnDropoutDescriptor_t *dropoutDesc, uint32_t *auxFlags) {
  HEDDLE_DNN_NEED(all_set(d));
  auto give = [](auto *to, auto value) {
    if (to) *to = value;
  };
  give(algo, d->algo), give(cellMode, d->cell), give(biasMode, d->bias), give(dirMode, d->direction);
  give(inputMode, d->input), give(dataType, d->type), give(mathPrec, d->mathPrecision), give(mathType, d->math);
  give(inputSize, d->inputSize), give(hiddenSize, d->hiddenSize), give(projSize, d->projectionSize);
  give(numLayers, d->layers), give(dropoutDesc, d->dropout), give(auxFlags, d->flags);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t mode, cudnnNanPropagation_t nan,
                                 double lclip, double rclip) {
  HEDDLE_DNN_NEED(all_live(d) && mode >= 0 && mode <= CUDNN_RNN_CLIP_MINMAX && lclip <= rclip);
  d->clip = mode, d->clipNan = nan, d->least = lclip, d->most = rclip;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNGetClip_v8(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t *mode, cudnnNanPropagation_t *nan,
                                 double *lclip, double *rclip) {
  HEDDLE_DNN_NEED(all_live(d));
  if (mode) *mode = d->clip;
  if (nan) *nan = d->clipNan;
  if (lclip) *lclip = d->least;
  if (rclip) *rclip = d->most;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t mode, double lclip, double rclip) {
  return cudnnRNNSetClip_v8(d, mode, CUDNN_NOT_PROPAGATE_NAN, lclip, rclip);
}
cudnnStatus_t cudnnRNNGetClip_v9(cudnnRNNDescriptor_t d, cudnnRNNClipMode_t *mode, double *lclip, double *rclip) {
  return cudnnRNNGetClip_v8(d, mode, nullptr, lclip, rclip);
}
cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t h, cudnnRNNDescriptor_t d, int miniBatch) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(d) && miniBatch > 0);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t d, cudnnDataType_t dataType,
                                        cudnnRNNDataLayout_t layout, int maxSeqLength, int batchSize, int vectorSize,
                                        const int seqLengthArray[], void *paddingFill) {
  HEDDLE_DNN_NEED(all_live(d) && seqLengthArray && maxSeqLength > 0 && batchSize > 0 && vectorSize > 0);
  HEDDLE_DNN_NEED(layout >= 0 && layout <= CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED);
  HEDDLE_DNN_HAVE(is_real(dataType));
  for (int i = 0; i < batchSize; i++) {
    HEDDLE_DNN_NEED(seqLengthArray[i] >= 0 && seqLengthArray[i] <= maxSeqLength);
    // packed sequences come with the longest one first
    HEDDLE_DNN_NEED(layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED || i == 0 ||
                    seqLengthArray[i] <= seqLengthArray[i - 1]);
  }
  d->type = dataType, d->layout = layout, d->steps = maxSeqLength, d->batch = batchSize, d->width = vectorSize;
  d->lengths.assign(seqLengthArray, seqLengthArray + batchSize);
  d->fill = paddingFill ? load_on_host(paddingFill, dataType) : 0;
  d->isSet = true;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t d, cudnnDataType_t *dataType,
                                        cudnnRNNDataLayout_t *layout, int *maxSeqLength, int *batchSize,
                                        int *vectorSize, int requested, int seqLengthArray[], void *paddingFill) {
  HEDDLE_DNN_NEED(all_set(d) && requested >= 0);
  if (dataType) *dataType = d->type;
  if (layout) *layout = d->layout;
  if (maxSeqLength) *maxSeqLength = d->steps;
  if (batchSize) *batchSize = d->batch;
  if (vectorSize) *vectorSize = d->width;
  for (int i = 0; i < requested && i < d->batch && seqLengthArray; i++) seqLengthArray[i] = d->lengths[(size_t)i];
  if (paddingFill && d->type == CUDNN_DATA_DOUBLE) *(double *)paddingFill = d->fill;
  else if (paddingFill && d->type == CUDNN_DATA_FLOAT) *(float *)paddingFill = (float)d->fill;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t h, cudnnRNNDescriptor_t d, cudnnForwardMode_t fwdMode,
                                        cudnnRNNDataDescriptor_t xDesc, size_t *workSpaceSize,
                                        size_t *reserveSpaceSize) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(d, xDesc) && fwdMode >= 0 && fwdMode <= CUDNN_FWD_MODE_TRAINING);
  if (workSpaceSize) *workSpaceSize = space_of(d, xDesc->steps, xDesc->batch, sum_bytes(d)).bytes;
  bool isTraining = fwdMode == CUDNN_FWD_MODE_TRAINING;
  if (reserveSpaceSize)
    *reserveSpaceSize = isTraining ? reserve_of(d, xDesc->steps, xDesc->batch, sum_bytes(d)).bytes : 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t h, cudnnRNNDescriptor_t d, size_t *weightSpaceSize) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(d) && weightSpaceSize);
  *weightSpaceSize = (size_t)d->matrixAt(d->layers * d->directions(), 0) * bytes_of(d->type);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t h, cudnnRNNDescriptor_t d, int32_t pseudoLayer,
                                      size_t weightSpaceSize, const void *weightSpace, int32_t linLayerID,
                                      cudnnTensorDescriptor_t mDesc, void **mAddr, cudnnTensorDescriptor_t bDesc,
                                      void **bAddr) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(d) && (!mDesc || mAddr) && (!bDesc || bAddr));
  HEDDLE_DNN_NEED(pseudoLayer >= 0 && pseudoLayer < d->layers * d->directions());
  int linear = linLayerID;
  HEDDLE_DNN_NEED(linear >= 0 && linear < 2 * d->gates());
  size_t all;
  cudnnGetRNNWeightSpaceSize(h, d, &all);
  HEDDLE_DNN_NEED(weightSpaceSize >= all);
  int layer = pseudoLayer / d->directions();
  bool isRecurrent = linear >= d->gates();
  auto address = [&](i64 at) { return (void *)((char *)weightSpace + at * (i64)bytes_of(d->type)); };
  bool hasMatrix = isRecurrent || d->hasInputMatrix(layer), hasBias = d->hasBias(isRecurrent);
  const int matrix[] = {1, d->hiddenSize, isRecurrent ? d->hiddenSize : d->width(layer)};
  const int bias[] = {1, d->hiddenSize, 1};
  const int matrixStride[] = {matrix[1] * matrix[2], matrix[2], 1}, biasStride[] = {d->hiddenSize, 1, 1};
  if (mAddr) *mAddr = hasMatrix ? address(d->matrixAt(pseudoLayer, linear)) : nullptr;
  if (bAddr) *bAddr = hasBias ? address(d->biasAt(pseudoLayer, linear)) : nullptr;
  if (mDesc && hasMatrix)
    if (cudnnStatus_t wrong = cudnnSetTensorNdDescriptor(mDesc, d->type, 3, matrix, matrixStride)) return wrong;
  if (bDesc && hasBias)
    if (cudnnStatus_t wrong = cudnnSetTensorNdDescriptor(bDesc, d->type, 3, bias, biasStride)) return wrong;
  return CUDNN_STATUS_SUCCESS;
}

} // extern "C"

namespace {

/// What the descriptors of a call must have in common. States that are there need their descriptor.
cudnnStatus_t check_call(const cudnnRNNStruct *d, const cudnnRNNDataStruct *xDesc, const cudnnRNNDataStruct *yDesc,
                         const cudnnTensorStruct *hDesc, const cudnnTensorStruct *cDesc, bool hasHidden,
                         bool hasCells) {
  HEDDLE_DNN_NEED(all_set(d, xDesc, yDesc));
  HEDDLE_DNN_NEED(xDesc->type == d->type && yDesc->type == d->type && xDesc->lengths == yDesc->lengths);
  HEDDLE_DNN_NEED(xDesc->width == d->inputSize && yDesc->width == d->hiddenSize * d->directions());
  HEDDLE_DNN_NEED(xDesc->steps == yDesc->steps && xDesc->batch == yDesc->batch);
  hasCells = hasCells && d->cell == CUDNN_LSTM;
  HEDDLE_DNN_NEED((!hasHidden || all_set(hDesc)) && (!hasCells || all_set(cDesc)));
  const int shape[] = {d->layers * d->directions(), xDesc->batch, d->hiddenSize};
  for (const cudnnTensorStruct *state : {hasHidden ? hDesc : nullptr, hasCells ? cDesc : nullptr})
    for (int i = 0; state && i < 3; i++) HEDDLE_DNN_NEED(state->t.rank == 3 && state->t.dim[i] == shape[i]);
  return CUDNN_STATUS_SUCCESS;
}
/// Whether the memory of a call is enough.
bool has_memory(cudnnContext *h, const cudnnRNNStruct *d, const cudnnRNNDataStruct *x, size_t weights, size_t work,
                const void *workSpace, bool isTraining, size_t reserve, const void *reserveSpace) {
  size_t all = 0;
  cudnnGetRNNWeightSpaceSize(h, (cudnnRNNDescriptor_t)d, &all);
  if (weights < all || work < space_of(d, x->steps, x->batch, sum_bytes(d)).bytes || !workSpace) return false;
  return !isTraining || (reserveSpace && reserve >= reserve_of(d, x->steps, x->batch, sum_bytes(d)).bytes);
}

} // namespace

extern "C" {

cudnnStatus_t cudnnRNNForward(cudnnHandle_t h, cudnnRNNDescriptor_t d, cudnnForwardMode_t fwdMode, const int32_t[],
                              cudnnRNNDataDescriptor_t xDesc, const void *x, cudnnRNNDataDescriptor_t yDesc, void *y,
                              cudnnTensorDescriptor_t hDesc, const void *hx, void *hy, cudnnTensorDescriptor_t cDesc,
                              const void *cx, void *cy, size_t weightSpaceSize, const void *weightSpace,
                              size_t workSpaceSize, void *workSpace, size_t reserveSpaceSize, void *reserveSpace) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(x, y, weightSpace) && fwdMode >= 0 && fwdMode <= CUDNN_FWD_MODE_TRAINING);
  if (cudnnStatus_t wrong = check_call(d, xDesc, yDesc, hDesc, cDesc, hx || hy, cx || cy)) return wrong;
  bool isTraining = fwdMode == CUDNN_FWD_MODE_TRAINING;
  HEDDLE_DNN_NEED(has_memory(h, d, xDesc, weightSpaceSize, workSpaceSize, workSpace, isTraining, reserveSpaceSize,
                             reserveSpace));
  Call call{h, d, xDesc, yDesc, weightSpace, (char *)workSpace, isTraining ? (char *)reserveSpace : nullptr};
  return d->type == CUDNN_DATA_DOUBLE ? run<double>(call, x, y, hx, hy, cx, cy)
                                      : run<float>(call, x, y, hx, hy, cx, cy);
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t h, cudnnRNNDescriptor_t d, const int32_t[],
                                      cudnnRNNDataDescriptor_t yDesc, const void *y, const void *dy,
                                      cudnnRNNDataDescriptor_t xDesc, void *dx, cudnnTensorDescriptor_t hDesc,
                                      const void *hx, const void *dhy, void *dhx, cudnnTensorDescriptor_t cDesc,
                                      const void *cx, const void *dcy, void *dcx, size_t weightSpaceSize,
                                      const void *weightSpace, size_t workSpaceSize, void *workSpace,
                                      size_t reserveSpaceSize, void *reserveSpace) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(y, dy, dx, weightSpace));
  if (cudnnStatus_t wrong = check_call(d, xDesc, yDesc, hDesc, cDesc, hx || dhy || dhx, cx || dcy || dcx)) return wrong;
  HEDDLE_DNN_NEED(
      has_memory(h, d, xDesc, weightSpaceSize, workSpaceSize, workSpace, true, reserveSpaceSize, reserveSpace));
  Call call{h, d, xDesc, yDesc, weightSpace, (char *)workSpace, (char *)reserveSpace};
  StateGradients g{hx, dhy, cx, dcy, dhx, dcx};
  return d->type == CUDNN_DATA_DOUBLE ? run_back<double>(call, dy, dx, g) : run_back<float>(call, dy, dx, g);
}

/// Adds the gradients of the weights. It follows the call of the data's gradients, whose reserve space it reads.
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t h, cudnnRNNDescriptor_t d, cudnnWgradMode_t addGrad,
                                         const int32_t[], cudnnRNNDataDescriptor_t xDesc, const void *x,
                                         cudnnTensorDescriptor_t hDesc, const void *hx,
                                         cudnnRNNDataDescriptor_t yDesc, const void *y, size_t weightSpaceSize,
                                         void *dweightSpace, size_t workSpaceSize, void *workSpace,
                                         size_t reserveSpaceSize, void *reserveSpace) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(x, y, dweightSpace));
  HEDDLE_DNN_NEED(addGrad == CUDNN_WGRAD_MODE_ADD || addGrad == CUDNN_WGRAD_MODE_SET);
  HEDDLE_DNN_HAVE(addGrad == CUDNN_WGRAD_MODE_ADD); // as documented
  if (cudnnStatus_t wrong = check_call(d, xDesc, yDesc, hDesc, nullptr, hx != nullptr, false)) return wrong;
  HEDDLE_DNN_NEED(
      has_memory(h, d, xDesc, weightSpaceSize, workSpaceSize, workSpace, true, reserveSpaceSize, reserveSpace));
  Call call{h, d, xDesc, yDesc, nullptr, (char *)workSpace, (char *)reserveSpace};
  return d->type == CUDNN_DATA_DOUBLE ? run_back_weights<double>(call, hx, dweightSpace)
                                      : run_back_weights<float>(call, hx, dweightSpace);
}

} // extern "C"
