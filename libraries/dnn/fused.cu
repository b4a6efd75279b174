// Fused operations of cuDNN: packs of parameters and plans. Of the sequences the two that finalize the statistics of a
// batch normalization are here; a plan of another one is not supported, as the documentation allows.
#include "elements.cuh"

using namespace heddle_dnn;

struct cudnnFusedOpsConstParamStruct {
  cudnnFusedOps_t ops;
  const void *descriptor[39] = {};
  int number[39] = {}; // modes and places
};
struct cudnnFusedOpsVariantParamStruct {
  cudnnFusedOps_t ops;
  void *pointer[24] = {};
  size_t workBytes = 0;
  int64_t count = 0;
  double factor = 0, epsilon = 0;
};
struct cudnnFusedOpsPlanStruct {
  cudnnFusedOps_t ops;
  bool isMade = false;
  Tensor equivalent, statistics; // of the scale and bias that result, and of the sums and statistics
};

namespace {

bool is_descriptor(int label) {
  switch (label) {
    case CUDNN_PARAM_XDESC: case CUDNN_PARAM_BN_EQSCALEBIAS_DESC: case CUDNN_PARAM_ACTIVATION_DESC:
    case CUDNN_PARAM_CONV_DESC: case CUDNN_PARAM_WDESC: case CUDNN_PARAM_DWDESC: case CUDNN_PARAM_YDESC:
    case CUDNN_PARAM_DYDESC: case CUDNN_PARAM_YSTATS_DESC: case CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC:
    case CUDNN_PARAM_ZDESC: case CUDNN_PARAM_BN_Z_EQSCALEBIAS_DESC: case CUDNN_PARAM_ACTIVATION_BITMASK_DESC:
    case CUDNN_PARAM_DXDESC: case CUDNN_PARAM_DZDESC:
      return true;
    default: return false;
  }
}
bool is_ops(int ops) { return ops >= 0 && ops <= CUDNN_FUSED_DACTIVATION_FORK_DBATCHNORM; }

/// From sums and sums of squares, or from running statistics: a batch norm as a scale and a bias for each channel.
struct Finalize {
  int type, equivalentType, channels;
  const void *sum, *squares, *scale, *bias;
  void *mean, *inverse, *runningMean, *runningVariance, *eqScale, *eqBias;
  double count, factor, epsilon;
  bool isTraining;
};
__global__ void __launch_bounds__(THREADS) finalize_statistics(Finalize p) {
  int c = blockIdx.x * THREADS + threadIdx.x;
  if (c >= p.channels) return;
  auto get = [&](const void *data) { return load<double>(data, p.type, c); };
  double mean, variance;
  if (p.isTraining) {
    mean = get(p.sum) / p.count;
    variance = get(p.squares) / p.count - mean * mean;
    double unbiased = p.count > 1 ? variance * p.count / (p.count - 1) : variance;
    if (p.runningMean) store(p.runningMean, p.type, c, (1 - p.factor) * get(p.runningMean) + p.factor * mean);
    if (p.runningVariance)
      store(p.runningVariance, p.type, c, (1 - p.factor) * get(p.runningVariance) + p.factor * unbiased);
  } else {
    mean = get(p.runningMean);
    variance = get(p.runningVariance);
  }
  double inverse = 1 / sqrt(variance + p.epsilon), scale = get(p.scale) * inverse;
  if (p.isTraining && p.mean) store(p.mean, p.type, c, mean);
  if (p.isTraining && p.inverse) store(p.inverse, p.type, c, inverse);
  store(p.eqScale, p.equivalentType, c, scale);
  store(p.eqBias, p.equivalentType, c, get(p.bias) - mean * scale);
}

} // namespace

extern "C" {

cudnnStatus_t cudnnCreateFusedOpsConstParamPack(cudnnFusedOpsConstParamPack_t *constPack, cudnnFusedOps_t ops) {
  HEDDLE_DNN_NEED(constPack && is_ops(ops));
  if (cudnnStatus_t wrong = make_object(constPack)) return wrong;
  (*constPack)->ops = ops;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFusedOpsConstParamPack(cudnnFusedOpsConstParamPack_t p) { return destroy_object(p); }
cudnnStatus_t cudnnCreateFusedOpsVariantParamPack(cudnnFusedOpsVariantParamPack_t *varPack, cudnnFusedOps_t ops) {
  HEDDLE_DNN_NEED(varPack && is_ops(ops));
  if (cudnnStatus_t wrong = make_object(varPack)) return wrong;
  (*varPack)->ops = ops;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFusedOpsVariantParamPack(cudnnFusedOpsVariantParamPack_t p) { return destroy_object(p); }
cudnnStatus_t cudnnCreateFusedOpsPlan(cudnnFusedOpsPlan_t *plan, cudnnFusedOps_t ops) {
  HEDDLE_DNN_NEED(plan && is_ops(ops));
  if (cudnnStatus_t wrong = make_object(plan)) return wrong;
  (*plan)->ops = ops;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFusedOpsPlan(cudnnFusedOpsPlan_t p) { return destroy_object(p); }

cudnnStatus_t cudnnSetFusedOpsConstParamPackAttribute(cudnnFusedOpsConstParamPack_t p,
                                                      cudnnFusedOpsConstParamLabel_t label, const void *param) {
  HEDDLE_DNN_NEED(all_live(p) && label >= 0 && label <= CUDNN_PARAM_BN_DBIAS_PLACEHOLDER);
  if (is_descriptor(label)) {
    // a null pointer unsets a descriptor; descriptors are pointers
    HEDDLE_DNN_NEED(!param || is_live(param));
    p->descriptor[label] = param;
    return CUDNN_STATUS_SUCCESS;
  }
  HEDDLE_DNN_NEED(param);
  int value = *(const int *)param, most = label == CUDNN_PARAM_BN_MODE ? CUDNN_BATCHNORM_SPATIAL_PERSISTENT
                                                                     : CUDNN_PTR_16B_ALIGNED;
  HEDDLE_DNN_NEED(value >= 0 && value <= most);
  p->number[label] = value;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetFusedOpsConstParamPackAttribute(const cudnnFusedOpsConstParamPack_t p,
                                                      cudnnFusedOpsConstParamLabel_t label, void *param, int *isNULL) {
  HEDDLE_DNN_NEED(all_live(p) && all_there(param, isNULL) && label >= 0 && label <= CUDNN_PARAM_BN_DBIAS_PLACEHOLDER);
  if (is_descriptor(label)) {
    *isNULL = p->descriptor[label] == nullptr;
    if (!*isNULL) *(const void **)param = p->descriptor[label];
  } else {
    *isNULL = 0;
    *(int *)param = p->number[label];
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFusedOpsVariantParamPackAttribute(cudnnFusedOpsVariantParamPack_t p,
                                                        cudnnFusedOpsVariantParamLabel_t label, void *ptr) {
  HEDDLE_DNN_NEED(all_live(p) && (label <= CUDNN_PTR_BN_DBIAS || ptr));
  switch (label) {
    case CUDNN_SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES: p->workBytes = *(const size_t *)ptr; break;
    case CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT: p->count = *(const int64_t *)ptr; break;
    case CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR: p->factor = *(const double *)ptr; break;
    case CUDNN_SCALAR_DOUBLE_BN_EPSILON: p->epsilon = *(const double *)ptr; break;
    default:
      HEDDLE_DNN_NEED(label >= 0 && label <= CUDNN_PTR_BN_DBIAS);
      p->pointer[label] = ptr;
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetFusedOpsVariantParamPackAttribute(const cudnnFusedOpsVariantParamPack_t p,
                                                        cudnnFusedOpsVariantParamLabel_t label, void *ptr) {
  HEDDLE_DNN_NEED(all_live(p) && ptr);
  switch (label) {
    case CUDNN_SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES: *(size_t *)ptr = p->workBytes; break;
    case CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT: *(int64_t *)ptr = p->count; break;
    case CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR: *(double *)ptr = p->factor; break;
    case CUDNN_SCALAR_DOUBLE_BN_EPSILON: *(double *)ptr = p->epsilon; break;
    default:
      HEDDLE_DNN_NEED(label >= 0 && label <= CUDNN_PTR_BN_DBIAS);
      *(void **)ptr = p->pointer[label];
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnMakeFusedOpsPlan(cudnnHandle_t h, cudnnFusedOpsPlan_t plan, const cudnnFusedOpsConstParamPack_t c,
                                    size_t *workspaceSizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(plan, c) && workspaceSizeInBytes && plan->ops == c->ops);
  HEDDLE_DNN_HAVE(plan->ops == CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING ||
                  plan->ops == CUDNN_FUSED_BN_FINALIZE_STATISTICS_INFERENCE);
  HEDDLE_DNN_HAVE(c->number[CUDNN_PARAM_BN_MODE] != CUDNN_BATCHNORM_PER_ACTIVATION); // as documented
  auto *equivalent = (const cudnnTensorStruct *)c->descriptor[CUDNN_PARAM_BN_EQSCALEBIAS_DESC];
  auto *statistics = (const cudnnTensorStruct *)c->descriptor[CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC];
  HEDDLE_DNN_NEED(all_set(equivalent, statistics) && equivalent->t.hasShapeOf(statistics->t));
  HEDDLE_DNN_HAVE(is_real(equivalent->type) && is_real(statistics->type) && equivalent->t.isPacked() &&
                  statistics->t.isPacked());
  plan->equivalent = equivalent->t;
  plan->statistics = statistics->t;
  plan->isMade = true;
  *workspaceSizeInBytes = 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnFusedOpsExecute(cudnnHandle_t h, const cudnnFusedOpsPlan_t plan,
                                   cudnnFusedOpsVariantParamPack_t v) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(plan, v) && plan->isMade && plan->ops == v->ops);
  Finalize p{};
  p.type = plan->statistics.type, p.equivalentType = plan->equivalent.type;
  p.channels = (int)plan->statistics.elements();
  p.isTraining = plan->ops == CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING;
  void *const *at = v->pointer;
  p.sum = at[CUDNN_PTR_YSUM], p.squares = at[CUDNN_PTR_YSQSUM];
  p.scale = at[CUDNN_PTR_BN_SCALE], p.bias = at[CUDNN_PTR_BN_BIAS];
  p.mean = at[CUDNN_PTR_BN_SAVED_MEAN], p.inverse = at[CUDNN_PTR_BN_SAVED_INVSTD];
  p.runningMean = at[CUDNN_PTR_BN_RUNNING_MEAN], p.runningVariance = at[CUDNN_PTR_BN_RUNNING_VAR];
  p.eqScale = at[CUDNN_PTR_BN_EQSCALE], p.eqBias = at[CUDNN_PTR_BN_EQBIAS];
  HEDDLE_DNN_NEED(all_there(p.scale, p.bias, p.eqScale, p.eqBias) && v->epsilon >= 0);
  HEDDLE_DNN_NEED(p.isTraining ? p.sum && p.squares && v->count > 0 : p.runningMean && p.runningVariance);
  p.count = (double)v->count, p.factor = v->factor, p.epsilon = v->epsilon;
  finalize_statistics<<<blocks_of(p.channels), THREADS, 0, h->stream>>>(p);
  return launched();
}

} // extern "C"
