// The functions of normalization.cu.

extern "C" {

cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t h, cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t yDesc, void *y,
    const cudnnTensorDescriptor_t params, const void *bnScale, const void *bnBias, const void *estimatedMean,
    const void *estimatedVariance, double epsilon) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, yDesc, params) && all_there(alpha, beta, x, y, bnScale, bnBias));
  HEDDLE_DNN_NEED(all_there(estimatedMean, estimatedVariance));
  BatchNorm p{};
  const Tensor *const all[] = {&xDesc->t, &yDesc->t, &xDesc->t, &xDesc->t};
  cudnnStatus_t own = batch_norm_of(p, mode, all, params, epsilon);
  if (own == CUDNN_STATUS_BAD_PARAM) return own;
  int status = h->nvidia("cudnnBatchNormalizationForwardInference", (int)mode, Host{alpha}, Host{beta},
                         vendor_of(h, xDesc), x, vendor_of(h, yDesc), (const void *)y, vendor_of(h, params), bnScale,
                         bnBias, estimatedMean, estimatedVariance, epsilon);
  if (status >= 0) return (cudnnStatus_t)status;
  if (own) return own;
  p.alpha = scale_of(alpha, xDesc->type);
  p.beta = scale_of(beta, xDesc->type);
  auto launch = p.type == CUDNN_DATA_DOUBLE ? launch_normalize<double> : launch_normalize<float>;
  return launch(h, p, x, nullptr, y, bnScale, bnBias, estimatedMean, estimatedVariance, nullptr, nullptr, nullptr,
                nullptr, false);
}

cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t h, cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t yDesc, void *y,
    const cudnnTensorDescriptor_t params, const void *bnScale, const void *bnBias, double factor, void *runningMean,
    void *runningVariance, double epsilon, void *savedMean, void *savedInverse) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, yDesc, params) && all_there(alpha, beta, x, y, bnScale, bnBias));
  int status = h->nvidia("cudnnBatchNormalizationForwardTraining", (int)mode, Host{alpha}, Host{beta},
                         vendor_of(h, xDesc), x, vendor_of(h, yDesc), (const void *)y, vendor_of(h, params), bnScale,
                         bnBias, factor, (const void *)runningMean, (const void *)runningVariance, epsilon,
                         (const void *)savedMean, (const void *)savedInverse);
  if (status >= 0) return (cudnnStatus_t)status;
  return train(h, mode, alpha, beta, xDesc, x, nullptr, nullptr, yDesc, y, params, bnScale, bnBias, factor,
               runningMean, runningVariance, epsilon, savedMean, savedInverse, nullptr);
}

cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t h, cudnnBatchNormMode_t mode, const void *alpha, const void *beta, const void *alphaParam,
    const void *betaParam, const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t dyDesc,
    const void *dy, const cudnnTensorDescriptor_t dxDesc, void *dx, const cudnnTensorDescriptor_t params,
    const void *bnScale, void *dScale, void *dBias, double epsilon, const void *savedMean, const void *savedInverse) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, dyDesc, dxDesc, params) && all_there(alpha, beta, alphaParam, betaParam));
  HEDDLE_DNN_NEED(all_there(x, dy, dx, bnScale, dScale, dBias) && !savedMean == !savedInverse);
  BatchNorm p{};
  const Tensor *const all[] = {&xDesc->t, &dyDesc->t, &dyDesc->t, &dxDesc->t};
  cudnnStatus_t own = batch_norm_of(p, mode, all, params, epsilon);
  if (own == CUDNN_STATUS_BAD_PARAM) return own;
  int status = h->nvidia("cudnnBatchNormalizationBackward", (int)mode, Host{alpha}, Host{beta}, Host{alphaParam},
                         Host{betaParam}, vendor_of(h, xDesc), x, vendor_of(h, dyDesc), dy, vendor_of(h, dxDesc),
                         (const void *)dx, vendor_of(h, params), bnScale, (const void *)dScale, (const void *)dBias,
                         epsilon, savedMean, savedInverse);
  if (status >= 0) return (cudnnStatus_t)status;
  if (own) return own;
  p.alpha = scale_of(alpha, xDesc->type);
  p.beta = scale_of(beta, xDesc->type);
  p.alphaParam = scale_of(alphaParam, xDesc->type);
  p.betaParam = scale_of(betaParam, xDesc->type);
  auto launch = p.type == CUDNN_DATA_DOUBLE ? launch_back<double> : launch_back<float>;
  return launch(h, p, x, nullptr, dy, dx, nullptr, bnScale, dScale, dBias, savedMean, savedInverse);
}

// With an activation: the results say where it lets gradients through, so that no reserve space is needed.

cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t h, cudnnBatchNormMode_t, cudnnBatchNormOps_t bnOps, const cudnnTensorDescriptor_t xDesc,
    const cudnnTensorDescriptor_t zDesc, const cudnnTensorDescriptor_t yDesc, const cudnnTensorDescriptor_t params,
    const cudnnActivationDescriptor_t activationDesc, size_t *sizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, yDesc, params) && sizeInBytes);
  *sizeInBytes = 0;
  return check_ops(bnOps, activationDesc, zDesc);
}
cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t h, cudnnBatchNormMode_t, cudnnBatchNormOps_t bnOps, const cudnnTensorDescriptor_t xDesc,
    const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t dyDesc, const cudnnTensorDescriptor_t dzDesc,
    const cudnnTensorDescriptor_t dxDesc, const cudnnTensorDescriptor_t params,
    const cudnnActivationDescriptor_t activationDesc, size_t *sizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, dyDesc, dxDesc, params) && sizeInBytes);
  *sizeInBytes = 0;
  return check_ops(bnOps, activationDesc, dzDesc);
}
cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(cudnnHandle_t h, cudnnBatchNormMode_t,
                                                                   cudnnBatchNormOps_t bnOps,
                                                                   const cudnnActivationDescriptor_t activationDesc,
                                                                   const cudnnTensorDescriptor_t xDesc,
                                                                   size_t *sizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc) && sizeInBytes);
  *sizeInBytes = 0;
  return check_ops(bnOps, activationDesc, xDesc);
}
cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t h, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t zDesc, const void *z,
    const cudnnTensorDescriptor_t yDesc, void *y, const cudnnTensorDescriptor_t params, const void *bnScale,
    const void *bnBias, double factor, void *runningMean, void *runningVariance, double epsilon, void *savedMean,
    void *savedInverse, cudnnActivationDescriptor_t activationDesc, void *, size_t, void *, size_t) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, yDesc, params) && all_there(alpha, beta, x, y, bnScale, bnBias));
  if (cudnnStatus_t wrong = check_ops(bnOps, activationDesc, zDesc)) return wrong;
  bool hasZ = bnOps == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION;
  HEDDLE_DNN_NEED(!hasZ || z);
  return train(h, mode, alpha, beta, xDesc, x, hasZ ? zDesc : nullptr, z, yDesc, y, params, bnScale, bnBias, factor,
               runningMean, runningVariance, epsilon, savedMean, savedInverse,
               bnOps == CUDNN_BATCHNORM_OPS_BN ? nullptr : activationDesc);
}
cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t h, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps, const void *alpha, const void *beta,
    const void *alphaParam, const void *betaParam, const cudnnTensorDescriptor_t xDesc, const void *x,
    const cudnnTensorDescriptor_t yDesc, const void *y, const cudnnTensorDescriptor_t dyDesc, const void *dy,
    const cudnnTensorDescriptor_t dzDesc, void *dz, const cudnnTensorDescriptor_t dxDesc, void *dx,
    const cudnnTensorDescriptor_t params, const void *bnScale, const void *, void *dScale, void *dBias,
    double epsilon, const void *savedMean, const void *savedInverse, cudnnActivationDescriptor_t activationDesc,
    void *, size_t, void *, size_t) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, dyDesc, dxDesc, params) && all_there(alpha, beta, alphaParam, betaParam));
  HEDDLE_DNN_NEED(all_there(x, dy, dx, bnScale, dScale, dBias) && !savedMean == !savedInverse);
  if (cudnnStatus_t wrong = check_ops(bnOps, activationDesc, dzDesc)) return wrong;
  bool isActivated = bnOps != CUDNN_BATCHNORM_OPS_BN, hasZ = bnOps == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION;
  HEDDLE_DNN_NEED(!isActivated || (all_set(yDesc) && y));
  HEDDLE_DNN_NEED(!hasZ || (dz && dzDesc->t.hasShapeOf(dxDesc->t) && dzDesc->t.hasStridesOf(dxDesc->t)));
  BatchNorm p{};
  const Tensor *const all[] = {&xDesc->t, isActivated ? &yDesc->t : &dyDesc->t, &dyDesc->t, &dxDesc->t};
  if (cudnnStatus_t wrong = batch_norm_of(p, mode, all, params, epsilon)) return wrong;
  p.alpha = scale_of(alpha, xDesc->type);
  p.beta = scale_of(beta, xDesc->type);
  p.alphaParam = scale_of(alphaParam, xDesc->type);
  p.betaParam = scale_of(betaParam, xDesc->type);
  if (isActivated) p.activation = activation_of(activationDesc);
  auto launch = p.type == CUDNN_DATA_DOUBLE ? launch_back<double> : launch_back<float>;
  return launch(h, p, x, y, dy, dx, hasZ ? dz : nullptr, bnScale, dScale, dBias, savedMean, savedInverse);
}

cudnnStatus_t cudnnLRNCrossChannelForward(cudnnHandle_t h, cudnnLRNDescriptor_t d, cudnnLRNMode_t mode,
                                          const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x,
                                          const void *beta, const cudnnTensorDescriptor_t yDesc, void *y) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(xDesc, yDesc) && all_there(alpha, beta, x, y));
  HEDDLE_DNN_NEED(mode == CUDNN_LRN_CROSS_CHANNEL_DIM1);
  const Tensor *const all[] = {&xDesc->t, &yDesc->t, &xDesc->t, &xDesc->t};
  for (const Tensor *t : all) HEDDLE_DNN_NEED(t->hasShapeOf(xDesc->t) && t->type == xDesc->t.type);
  int status = h->nvidia("cudnnLRNCrossChannelForward", vendor_of(h, d), (int)mode, Host{alpha}, vendor_of(h, xDesc),
                         x, Host{beta}, vendor_of(h, yDesc), (const void *)y);
  if (status >= 0) return (cudnnStatus_t)status;
  HEDDLE_DNN_HAVE(is_real(xDesc->type) && xDesc->type != CUDNN_DATA_BFLOAT16 && xDesc->t.rank <= 5);
  return run_lrn(h, d, all, x, nullptr, nullptr, y, alpha, beta, true);
}
cudnnStatus_t cudnnLRNCrossChannelBackward(cudnnHandle_t h, cudnnLRNDescriptor_t d, cudnnLRNMode_t mode,
                                           const void *alpha, const cudnnTensorDescriptor_t yDesc, const void *y,
                                           const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                           const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                           const cudnnTensorDescriptor_t dxDesc, void *dx) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(yDesc, dyDesc, xDesc, dxDesc) && all_there(alpha, beta, y, dy, x, dx));
  HEDDLE_DNN_NEED(mode == CUDNN_LRN_CROSS_CHANNEL_DIM1);
  const Tensor *const all[] = {&xDesc->t, &yDesc->t, &dyDesc->t, &dxDesc->t};
  for (const Tensor *t : all) HEDDLE_DNN_NEED(t->hasShapeOf(xDesc->t) && t->type == xDesc->t.type);
  int status = h->nvidia("cudnnLRNCrossChannelBackward", vendor_of(h, d), (int)mode, Host{alpha}, vendor_of(h, yDesc),
                         y, vendor_of(h, dyDesc), dy, vendor_of(h, xDesc), x, Host{beta}, vendor_of(h, dxDesc),
                         (const void *)dx);
  if (status >= 0) return (cudnnStatus_t)status;
  HEDDLE_DNN_HAVE(is_real(xDesc->type) && xDesc->type != CUDNN_DATA_BFLOAT16 && xDesc->t.rank <= 5);
  return run_lrn(h, d, all, x, y, dy, dx, alpha, beta, false);
}

} // extern "C"
