// cudnnNormalization…: batch normalizations under the names that they share with norms that are not there (groups).

namespace {

/// The mode of the batch normalization, or the status if there is none. Groups come first, as in NVIDIA's library.
cudnnStatus_t norm_mode(cudnnHandle_t h, cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algo, int groups,
                        cudnnBatchNormMode_t &same) {
  HEDDLE_DNN_HAVE(groups == 1); // as documented
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(mode == CUDNN_NORM_PER_ACTIVATION || mode == CUDNN_NORM_PER_CHANNEL);
  HEDDLE_DNN_NEED(ops >= CUDNN_NORM_OPS_NORM && ops <= CUDNN_NORM_OPS_NORM_ADD_ACTIVATION);
  HEDDLE_DNN_NEED(algo == CUDNN_NORM_ALGO_STANDARD || algo == CUDNN_NORM_ALGO_PERSIST);
  bool isPersistent = algo == CUDNN_NORM_ALGO_PERSIST;
  same = mode == CUDNN_NORM_PER_ACTIVATION ? CUDNN_BATCHNORM_PER_ACTIVATION
         : isPersistent                    ? CUDNN_BATCHNORM_SPATIAL_PERSISTENT
                                           : CUDNN_BATCHNORM_SPATIAL;
  return CUDNN_STATUS_SUCCESS;
}
bool have_one_shape(const cudnnTensorStruct *a, const cudnnTensorStruct *b) {
  return all_set(a, b) && a->t.hasShapeOf(b->t) && a->type == b->type;
}

} // namespace

extern "C" {

cudnnStatus_t cudnnGetNormalizationForwardTrainingWorkspaceSize(
    cudnnHandle_t h, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo,
    const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t zDesc, const cudnnTensorDescriptor_t yDesc,
    const cudnnTensorDescriptor_t normScaleBiasDesc, const cudnnActivationDescriptor_t activationDesc,
    const cudnnTensorDescriptor_t normMeanVarDesc, size_t *sizeInBytes, int groupCnt) {
  cudnnBatchNormMode_t same;
  if (cudnnStatus_t wrong = norm_mode(h, mode, normOps, algo, groupCnt, same)) return wrong;
  HEDDLE_DNN_NEED(have_one_shape(normScaleBiasDesc, normMeanVarDesc));
  return cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(h, same, (cudnnBatchNormOps_t)normOps, xDesc, zDesc,
                                                                  yDesc, normScaleBiasDesc, activationDesc,
                                                                  sizeInBytes);
}
cudnnStatus_t cudnnGetNormalizationBackwardWorkspaceSize(
    cudnnHandle_t h, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo,
    const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t yDesc, const cudnnTensorDescriptor_t dyDesc,
    const cudnnTensorDescriptor_t dzDesc, const cudnnTensorDescriptor_t dxDesc,
    const cudnnTensorDescriptor_t dNormScaleBiasDesc, const cudnnActivationDescriptor_t activationDesc,
    const cudnnTensorDescriptor_t normMeanVarDesc, size_t *sizeInBytes, int groupCnt) {
  cudnnBatchNormMode_t same;
  if (cudnnStatus_t wrong = norm_mode(h, mode, normOps, algo, groupCnt, same)) return wrong;
  HEDDLE_DNN_NEED(have_one_shape(dNormScaleBiasDesc, normMeanVarDesc));
  return cudnnGetBatchNormalizationBackwardExWorkspaceSize(h, same, (cudnnBatchNormOps_t)normOps, xDesc, yDesc, dyDesc,
                                                           dzDesc, dxDesc, dNormScaleBiasDesc, activationDesc,
                                                           sizeInBytes);
}
cudnnStatus_t cudnnGetNormalizationTrainingReserveSpaceSize(cudnnHandle_t h, cudnnNormMode_t mode,
                                                            cudnnNormOps_t normOps, cudnnNormAlgo_t algo,
                                                            const cudnnActivationDescriptor_t activationDesc,
                                                            const cudnnTensorDescriptor_t xDesc, size_t *sizeInBytes,
                                                            int groupCnt) {
  cudnnBatchNormMode_t same;
  if (cudnnStatus_t wrong = norm_mode(h, mode, normOps, algo, groupCnt, same)) return wrong;
  return cudnnGetBatchNormalizationTrainingExReserveSpaceSize(h, same, (cudnnBatchNormOps_t)normOps, activationDesc,
                                                              xDesc, sizeInBytes);
}

cudnnStatus_t cudnnNormalizationForwardTraining(
    cudnnHandle_t h, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo, const void *alpha,
    const void *beta, const cudnnTensorDescriptor_t xDesc, const void *xData,
    const cudnnTensorDescriptor_t normScaleBiasDesc, const void *normScale, const void *normBias,
    double exponentialAverageFactor, const cudnnTensorDescriptor_t normMeanVarDesc, void *resultRunningMean,
    void *resultRunningVariance, double epsilon, void *resultSaveMean, void *resultSaveInvVariance,
    cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t zDesc, const void *zData,
    const cudnnTensorDescriptor_t yDesc, void *yData, void *workspace, size_t workSpaceSizeInBytes,
    void *reserveSpace, size_t reserveSpaceSizeInBytes, int groupCnt) {
  cudnnBatchNormMode_t same;
  if (cudnnStatus_t wrong = norm_mode(h, mode, normOps, algo, groupCnt, same)) return wrong;
  HEDDLE_DNN_NEED(have_one_shape(normScaleBiasDesc, normMeanVarDesc));
  if (normOps == CUDNN_NORM_OPS_NORM)
    return cudnnBatchNormalizationForwardTraining(h, same, alpha, beta, xDesc, xData, yDesc, yData, normScaleBiasDesc,
                                                  normScale, normBias, exponentialAverageFactor, resultRunningMean,
                                                  resultRunningVariance, epsilon, resultSaveMean,
                                                  resultSaveInvVariance);
  return cudnnBatchNormalizationForwardTrainingEx(
      h, same, (cudnnBatchNormOps_t)normOps, alpha, beta, xDesc, xData, zDesc, zData, yDesc, yData, normScaleBiasDesc,
      normScale, normBias, exponentialAverageFactor, resultRunningMean, resultRunningVariance, epsilon,
      resultSaveMean, resultSaveInvVariance, activationDesc, workspace, workSpaceSizeInBytes, reserveSpace,
      reserveSpaceSizeInBytes);
}
cudnnStatus_t cudnnNormalizationForwardInference(
    cudnnHandle_t h, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo, const void *alpha,
    const void *beta, const cudnnTensorDescriptor_t xDesc, const void *x,
    const cudnnTensorDescriptor_t normScaleBiasDesc, const void *normScale, const void *normBias,
    const cudnnTensorDescriptor_t normMeanVarDesc, const void *estimatedMean, const void *estimatedVariance,
    const cudnnTensorDescriptor_t, const void *, cudnnActivationDescriptor_t, const cudnnTensorDescriptor_t yDesc,
    void *y, double epsilon, int groupCnt) {
  cudnnBatchNormMode_t same;
  if (cudnnStatus_t wrong = norm_mode(h, mode, normOps, algo, groupCnt, same)) return wrong;
  HEDDLE_DNN_NEED(have_one_shape(normScaleBiasDesc, normMeanVarDesc));
  HEDDLE_DNN_HAVE(normOps == CUDNN_NORM_OPS_NORM); // as documented
  return cudnnBatchNormalizationForwardInference(h, same, alpha, beta, xDesc, x, yDesc, y, normScaleBiasDesc,
                                                 normScale, normBias, estimatedMean, estimatedVariance, epsilon);
}
cudnnStatus_t cudnnNormalizationBackward(
    cudnnHandle_t h, cudnnNormMode_t mode, cudnnNormOps_t normOps, cudnnNormAlgo_t algo, const void *alphaDataDiff,
    const void *betaDataDiff, const void *alphaParamDiff, const void *betaParamDiff,
    const cudnnTensorDescriptor_t xDesc, const void *xData, const cudnnTensorDescriptor_t yDesc, const void *yData,
    const cudnnTensorDescriptor_t dyDesc, const void *dyData, const cudnnTensorDescriptor_t dzDesc, void *dzData,
    const cudnnTensorDescriptor_t dxDesc, void *dxData, const cudnnTensorDescriptor_t dNormScaleBiasDesc,
    const void *normScaleData, const void *normBiasData, void *dNormScaleData, void *dNormBiasData, double epsilon,
    const cudnnTensorDescriptor_t normMeanVarDesc, const void *savedMean, const void *savedInvVariance,
    cudnnActivationDescriptor_t activationDesc, void *workSpace, size_t workSpaceSizeInBytes, void *reserveSpace,
    size_t reserveSpaceSizeInBytes, int groupCnt) {
  cudnnBatchNormMode_t same;
  if (cudnnStatus_t wrong = norm_mode(h, mode, normOps, algo, groupCnt, same)) return wrong;
  HEDDLE_DNN_NEED(have_one_shape(dNormScaleBiasDesc, normMeanVarDesc));
  if (normOps == CUDNN_NORM_OPS_NORM)
    return cudnnBatchNormalizationBackward(h, same, alphaDataDiff, betaDataDiff, alphaParamDiff, betaParamDiff, xDesc,
                                           xData, dyDesc, dyData, dxDesc, dxData, dNormScaleBiasDesc, normScaleData,
                                           dNormScaleData, dNormBiasData, epsilon, savedMean, savedInvVariance);
  return cudnnBatchNormalizationBackwardEx(
      h, same, (cudnnBatchNormOps_t)normOps, alphaDataDiff, betaDataDiff, alphaParamDiff, betaParamDiff, xDesc, xData,
      yDesc, yData, dyDesc, dyData, dzDesc, dzData, dxDesc, dxData, dNormScaleBiasDesc, normScaleData, normBiasData,
      dNormScaleData, dNormBiasData, epsilon, savedMean, savedInvVariance, activationDesc, workSpace,
      workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
}

} // extern "C"
