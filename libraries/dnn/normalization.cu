// Normalization of cuDNN: batches (also with an activation behind them) and local responses.
#include "elements.cuh"

using namespace heddle_dnn;

namespace {

/// A block has one parameter: a channel, or one activation.
struct BatchNorm {
  int type, paramType, perActivation;
  Walk<4> parameters; // x, y, dy (or z), dx of the first element of each parameter
  Walk<4> elements;   // those of one parameter
  double alpha, beta, epsilon, factor, alphaParam, betaParam;
  Activation activation;
  bool hasZ;
};

template <class S>
__global__ void __launch_bounds__(THREADS) normalize(BatchNorm p, const void *x, const void *z, void *y, const S *scale,
                                                     const S *bias, const S *mean, const S *variance, S *runningMean,
                                                     S *runningVariance, S *savedMean, S *savedInverse,
                                                     bool isTraining) {
  int parameter = blockIdx.x;
  i64 base[4], at[4];
  p.parameters.places(parameter, base);
  S own = 0, inverse = 0;
  if (isTraining) {
    S sum = 0;
    for (i64 i = threadIdx.x; i < p.elements.count; i += THREADS) {
      p.elements.places(i, at);
      sum += load<S>(x, p.type, base[0] + at[0]);
    }
    own = block_sum(sum) / (S)p.elements.count;
    S squares = 0;
    for (i64 i = threadIdx.x; i < p.elements.count; i += THREADS) {
      p.elements.places(i, at);
      S d = load<S>(x, p.type, base[0] + at[0]) - own;
      squares += d * d;
    }
    squares = block_sum(squares);
    S spread = squares / (S)p.elements.count;
    inverse = 1 / sqrt(spread + (S)p.epsilon);
    if (threadIdx.x == 0) {
      // the running variance is the unbiased one: of one element it is NaN, as NVIDIA's library has it
      S unbiased = squares / (S)(p.elements.count - 1);
      S factor = (S)p.factor;
      if (runningMean) {
        runningMean[parameter] = factor == 1 ? own : (1 - factor) * runningMean[parameter] + factor * own;
        runningVariance[parameter] =
            factor == 1 ? unbiased : (1 - factor) * runningVariance[parameter] + factor * unbiased;
      }
      if (savedMean) {
        savedMean[parameter] = own;
        savedInverse[parameter] = inverse;
      }
    }
  } else {
    own = mean[parameter];
    inverse = 1 / sqrt(variance[parameter] + (S)p.epsilon);
  }
  S factor = scale[parameter] * inverse, offset = bias[parameter];
  for (i64 i = threadIdx.x; i < p.elements.count; i += THREADS) {
    p.elements.places(i, at);
    S value = (load<S>(x, p.type, base[0] + at[0]) - own) * factor + offset;
    if (p.hasZ) value += load<S>(z, p.type, base[2] + at[2]);
    value = (S)p.alpha * activated(p.activation, value);
    if (p.beta != 0) value += (S)p.beta * load<S>(y, p.type, base[1] + at[1]);
    store(y, p.type, base[1] + at[1], value);
  }
}

/// With an activation, y says where it lets the gradient through; dz is that gradient.
template <class S>
__global__ void __launch_bounds__(THREADS) normalize_back(BatchNorm p, const void *x, const void *y, const void *dy,
                                                          void *dx, void *dz, const S *scale, S *scaleGradient,
                                                          S *biasGradient, const S *savedMean, const S *savedInverse) {
  int parameter = blockIdx.x;
  i64 base[4], at[4];
  p.parameters.places(parameter, base);
  S count = (S)p.elements.count, own = 0, inverse = 0;
  if (savedMean) {
    own = savedMean[parameter];
    inverse = savedInverse[parameter];
  } else {
    S sum = 0, squares = 0;
    for (i64 i = threadIdx.x; i < p.elements.count; i += THREADS) {
      p.elements.places(i, at);
      sum += load<S>(x, p.type, base[0] + at[0]);
    }
    own = block_sum(sum) / count;
    for (i64 i = threadIdx.x; i < p.elements.count; i += THREADS) {
      p.elements.places(i, at);
      S d = load<S>(x, p.type, base[0] + at[0]) - own;
      squares += d * d;
    }
    inverse = 1 / sqrt(block_sum(squares) / count + (S)p.epsilon);
  }
  bool isActivated = p.activation.mode != CUDNN_ACTIVATION_IDENTITY;
  S sum = 0, product = 0;
  for (i64 i = threadIdx.x; i < p.elements.count; i += THREADS) {
    p.elements.places(i, at);
    S gradient = load<S>(dy, p.type, base[2] + at[2]);
    if (isActivated && !(load<S>(y, p.type, base[1] + at[1]) > 0)) gradient = 0;
    sum += gradient;
    product += gradient * (load<S>(x, p.type, base[0] + at[0]) - own) * inverse;
  }
  sum = block_sum(sum);
  product = block_sum(product);
  if (threadIdx.x == 0) {
    S a = (S)p.alphaParam, b = (S)p.betaParam;
    scaleGradient[parameter] = a * product + (b != 0 ? b * scaleGradient[parameter] : 0);
    biasGradient[parameter] = a * sum + (b != 0 ? b * biasGradient[parameter] : 0);
  }
  S factor = scale[parameter] * inverse;
  for (i64 i = threadIdx.x; i < p.elements.count; i += THREADS) {
    p.elements.places(i, at);
    S gradient = load<S>(dy, p.type, base[2] + at[2]);
    if (isActivated && !(load<S>(y, p.type, base[1] + at[1]) > 0)) gradient = 0;
    if (dz) store(dz, p.type, base[3] + at[3], gradient);
    S hat = (load<S>(x, p.type, base[0] + at[0]) - own) * inverse;
    S value = (S)p.alpha * factor * (gradient - sum / count - hat * product / count);
    if (p.beta != 0) value += (S)p.beta * load<S>(dx, p.type, base[3] + at[3]);
    store(dx, p.type, base[3] + at[3], value);
  }
}

cudnnStatus_t batch_norm_of(BatchNorm &p, int mode, const Tensor *const (&all)[4], const cudnnTensorStruct *params,
                            double epsilon) {
  HEDDLE_DNN_NEED(mode >= CUDNN_BATCHNORM_PER_ACTIVATION && mode <= CUDNN_BATCHNORM_SPATIAL_PERSISTENT);
  const Tensor &x = *all[0];
  for (const Tensor *t : all) HEDDLE_DNN_NEED(t->hasShapeOf(x) && t->type == x.type);
  HEDDLE_DNN_NEED(epsilon >= CUDNN_BN_MIN_EPSILON && params->t.rank == x.rank && params->t.dim[0] == 1);
  HEDDLE_DNN_HAVE(x.rank >= 4 && x.rank <= 5 && is_real(x.type) && x.vect == 1);
  HEDDLE_DNN_NEED(params->type == (x.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT));
  p.perActivation = mode == CUDNN_BATCHNORM_PER_ACTIVATION;
  for (int i = 1; i < x.rank; i++)
    HEDDLE_DNN_NEED(params->t.dim[i] == (i == 1 || p.perActivation ? x.dim[i] : 1));
  p.type = x.type;
  p.epsilon = epsilon;
  p.activation.mode = CUDNN_ACTIVATION_IDENTITY;
  Tensor outer[4], inner[4];
  for (int t = 0; t < 4; t++) {
    outer[t] = inner[t] = *all[t];
    for (int i = 0; i < x.rank; i++) {
      bool isParameter = i == 1 || (p.perActivation && i > 1);
      (isParameter ? inner[t] : outer[t]).dim[i] = 1;
    }
  }
  const Tensor *const outers[] = {&outer[0], &outer[1], &outer[2], &outer[3]};
  const Tensor *const inners[] = {&inner[0], &inner[1], &inner[2], &inner[3]};
  p.parameters = walk_over(outers);
  p.elements = walk_over(inners);
  return CUDNN_STATUS_SUCCESS;
}

template <class S>
cudnnStatus_t launch_normalize(cudnnContext *h, const BatchNorm &p, const void *x, const void *z, void *y,
                               const void *scale, const void *bias, const void *mean, const void *variance,
                               void *runningMean, void *runningVariance, void *savedMean, void *savedInverse,
                               bool isTraining) {
  normalize<S><<<(unsigned)p.parameters.count, THREADS, 0, h->stream>>>(
      p, x, z, y, (const S *)scale, (const S *)bias, (const S *)mean, (const S *)variance, (S *)runningMean,
      (S *)runningVariance, (S *)savedMean, (S *)savedInverse, isTraining);
  return launched();
}

cudnnStatus_t train(cudnnHandle_t h, cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
                    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t zDesc,
                    const void *z, const cudnnTensorDescriptor_t yDesc, void *y, const cudnnTensorDescriptor_t params,
                    const void *scale, const void *bias, double factor, void *runningMean, void *runningVariance,
                    double epsilon, void *savedMean, void *savedInverse, const cudnnActivationStruct *activation) {
  BatchNorm p{};
  const Tensor *const all[] = {&xDesc->t, &yDesc->t, zDesc ? &zDesc->t : &xDesc->t, &xDesc->t};
  if (cudnnStatus_t wrong = batch_norm_of(p, mode, all, params, epsilon)) return wrong;
  HEDDLE_DNN_NEED(!runningMean == !runningVariance && !savedMean == !savedInverse);
  HEDDLE_DNN_NEED(factor >= 0 && factor <= 1);
  p.alpha = scale_of(alpha, xDesc->type);
  p.beta = scale_of(beta, xDesc->type);
  p.factor = factor;
  p.hasZ = zDesc != nullptr;
  if (activation) p.activation = activation_of(activation);
  auto launch = p.type == CUDNN_DATA_DOUBLE ? launch_normalize<double> : launch_normalize<float>;
  return launch(h, p, x, z, y, scale, bias, nullptr, nullptr, runningMean, runningVariance, savedMean, savedInverse,
                true);
}
template <class S>
cudnnStatus_t launch_back(cudnnContext *h, const BatchNorm &p, const void *x, const void *y, const void *dy, void *dx,
                          void *dz, const void *scale, void *dScale, void *dBias, const void *mean,
                          const void *inverse) {
  normalize_back<S><<<(unsigned)p.parameters.count, THREADS, 0, h->stream>>>(
      p, x, y, dy, dx, dz, (const S *)scale, (S *)dScale, (S *)dBias, (const S *)mean, (const S *)inverse);
  return launched();
}

/// Of activations behind a normalization cuDNN has ReLU.
cudnnStatus_t check_ops(cudnnBatchNormOps_t ops, const cudnnActivationStruct *activation,
                        const cudnnTensorStruct *z) {
  HEDDLE_DNN_NEED(ops >= CUDNN_BATCHNORM_OPS_BN && ops <= CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION);
  if (ops == CUDNN_BATCHNORM_OPS_BN) return CUDNN_STATUS_SUCCESS;
  HEDDLE_DNN_NEED(all_live(activation));
  HEDDLE_DNN_HAVE(activation->mode == CUDNN_ACTIVATION_RELU || activation->mode == CUDNN_ACTIVATION_IDENTITY);
  HEDDLE_DNN_NEED(ops != CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION || all_set(z));
  return CUDNN_STATUS_SUCCESS;
}

/// A sum over channels beside each other: k + alpha / n * sum of squares.
struct Lrn {
  Walk<4> walk; // x, y, dy, dx, without the channels
  int type, channels, before, after;
  i64 step[4];
  double alpha, power, k, blendAlpha, blendBeta;
};
template <class S> __device__ S lrn_sum(const Lrn &p, const void *x, i64 from, int channel) {
  S sum = 0;
  int first = channel - p.before > 0 ? channel - p.before : 0;
  int last = channel + p.after < p.channels - 1 ? channel + p.after : p.channels - 1;
  for (int c = first; c <= last; c++) {
    S one = load<S>(x, p.type, from + c * p.step[0]);
    sum += one * one;
  }
  return (S)p.k + (S)p.alpha / (S)(p.before + p.after + 1) * sum;
}
template <class S>
__global__ void __launch_bounds__(THREADS) lrn(Lrn p, const void *x, const void *y, const void *dy, void *to,
                                               bool isForward) {
  i64 index = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (index >= p.walk.count) return;
  int channel = blockIdx.y;
  i64 at[4];
  p.walk.places(index, at);
  int target = isForward ? 1 : 3;
  S value, own = load<S>(x, p.type, at[0] + channel * p.step[0]);
  if (isForward) value = own * pow(lrn_sum<S>(p, x, at[0], channel), -(S)p.power);
  else {
    value = load<S>(dy, p.type, at[2] + channel * p.step[2]) * pow(lrn_sum<S>(p, x, at[0], channel), -(S)p.power);
    S sum = 0;
    int first = channel - p.after > 0 ? channel - p.after : 0;
    int last = channel + p.before < p.channels - 1 ? channel + p.before : p.channels - 1;
    for (int c = first; c <= last; c++)
      sum += load<S>(dy, p.type, at[2] + c * p.step[2]) * load<S>(y, p.type, at[1] + c * p.step[1]) /
             lrn_sum<S>(p, x, at[0], c);
    value -= 2 * (S)p.alpha * (S)p.power / (S)(p.before + p.after + 1) * own * sum;
  }
  i64 place = at[target] + channel * p.step[target];
  value = (S)p.blendAlpha * value;
  if (p.blendBeta != 0) value += (S)p.blendBeta * load<S>(to, p.type, place);
  store(to, p.type, place, value);
}
cudnnStatus_t run_lrn(cudnnContext *h, const cudnnLRNStruct *d, const Tensor *const (&all)[4], const void *x,
                      const void *y, const void *dy, void *to, const void *alpha, const void *beta, bool isForward) {
  const Tensor &shape = *all[0];
  Lrn p{};
  Tensor flat[4];
  for (int t = 0; t < 4; t++) {
    flat[t] = *all[t];
    p.step[t] = flat[t].stride[1];
    flat[t].dim[1] = 1;
  }
  const Tensor *const flats[] = {&flat[0], &flat[1], &flat[2], &flat[3]};
  p.walk = walk_over(flats);
  p.type = shape.type;
  p.channels = shape.dim[1];
  // the documentation: an even window has its centre in the lower half
  p.before = ((int)d->n - 1) / 2;
  p.after = (int)d->n - 1 - p.before;
  p.alpha = d->alpha;
  p.power = d->beta;
  p.k = d->k;
  p.blendAlpha = scale_of(alpha, shape.type);
  p.blendBeta = scale_of(beta, shape.type);
  auto kernel = p.type == CUDNN_DATA_DOUBLE ? lrn<double> : lrn<float>;
  kernel<<<dim3(blocks_of(p.walk.count), (unsigned)p.channels), THREADS, 0, h->stream>>>(p, x, y, dy, to, isForward);
  return launched();
}

} // namespace

#include "normalization.inl"
#include "normalization-any.inl"
