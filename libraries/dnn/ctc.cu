// Losses of connectionist temporal classification (Graves et al., "Connectionist Temporal Classification", 2006, the
// forward-backward algorithm of section 4.1), in logarithms. Label 0 is the blank.
#include "elements.cuh"

using namespace heddle_dnn;

struct cudnnCTCLossStruct {
  bool isSet = false;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnLossNormalizationMode_t normalization = CUDNN_LOSS_NORMALIZATION_NONE;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  cudnnCTCGradMode_t gradients = CUDNN_CTC_ZERO_OOB_GRADIENTS;
  int longest = 255; // label
};

namespace {

constexpr double NEVER_HAPPENS = -1e300;

/// Samples have the states blank, label, blank, …, blank: two a label and one.
struct Ctc {
  int times, samples, letters, states;
  i64 probStride[3], gradientStride[3];
  const float *probs;
  float *costs, *gradients;
  bool isSoftmax, skipsImpossible;

  const int *labels, *labelLengths, *inputLengths;
  double *logs, *forward, *backward; // [sample][time][letter], [sample][time][state]
  __device__ const int *label(int sample) const {
    const int *at = labels;
    for (int i = 0; i < sample; i++) at += labelLengths[i];
    return at;
  }
  __device__ double *row(double *all, int sample, int time, int width) const {
    return all + ((i64)sample * times + time) * width;
  }
};
__device__ double add_logs(double a, double b) {
  double most = a > b ? a : b, least = a > b ? b : a;
  return most <= NEVER_HAPPENS ? NEVER_HAPPENS : most + log1p(exp(least - most));
}

/// The logarithms of the probabilities: a thread has a time of a sample.
__global__ void __launch_bounds__(THREADS) take_logs(Ctc p) {
  int at = blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.times * p.samples) return;
  int time = at % p.times, sample = at / p.times;
  const float *from = p.probs + time * p.probStride[0] + sample * p.probStride[1];
  double *to = p.row(p.logs, sample, time, p.letters), most = NEVER_HAPPENS, sum = 0;
  if (p.isSoftmax) {
    for (int k = 0; k < p.letters; k++) most = fmax(most, (double)from[k * p.probStride[2]]);
    for (int k = 0; k < p.letters; k++) sum += exp(from[k * p.probStride[2]] - most);
  }
  for (int k = 0; k < p.letters; k++) {
    double x = from[k * p.probStride[2]];
    to[k] = p.isSoftmax ? x - most - log(sum) : x > 0 ? log(x) : NEVER_HAPPENS;
  }
}
/// Whether the labels fit into the times: equal ones beside each other need a blank between them.
__device__ bool is_possible(const Ctc &p, const int *label, int length, int times) {
  int needed = length;
  for (int i = 1; i < length; i++) needed += label[i] == label[i - 1];
  return times > 0 && times <= p.times && needed <= times && 2 * length + 1 <= p.states;
}
__device__ int letter_at(const int *label, int state) { return state % 2 ? label[state / 2] : 0; }
/// Whether a path may skip the state before `state`.
__device__ bool may_skip(const int *label, int state) {
  return state >= 2 && state % 2 && label[state / 2] != label[state / 2 - 1];
}

/// The probabilities of all beginnings, or of all ends, of the paths of a sample. A block has a sample.
__global__ void __launch_bounds__(THREADS) follow_paths(Ctc p, bool isForward) {
  int sample = blockIdx.x, length = p.labelLengths[sample], states = 2 * length + 1, times = p.inputLengths[sample];
  const int *label = p.label(sample);
  bool isPossible = is_possible(p, label, length, times);
  for (int turn = 0; turn < times && isPossible; turn++) {
    int time = isForward ? turn : times - 1 - turn;
    double *to = p.row(isForward ? p.forward : p.backward, sample, time, p.states);
    const double *from = isForward ? to - p.states : to + p.states, *logs = p.row(p.logs, sample, time, p.letters);
    for (int s = threadIdx.x; s < states; s += THREADS) {
      double sum = NEVER_HAPPENS;
      if (turn == 0) sum = (isForward ? s < 2 : s >= states - 2) ? 0 : NEVER_HAPPENS;
      else if (isForward) {
        sum = from[s];
        if (s > 0) sum = add_logs(sum, from[s - 1]);
        if (may_skip(label, s)) sum = add_logs(sum, from[s - 2]);
      } else {
        sum = from[s];
        if (s + 1 < states) sum = add_logs(sum, from[s + 1]);
        if (s + 2 < states && may_skip(label, s + 2)) sum = add_logs(sum, from[s + 2]);
      }
      double here = logs[letter_at(label, s)];
      to[s] = sum <= NEVER_HAPPENS || here <= NEVER_HAPPENS ? NEVER_HAPPENS : sum + here;
    }
    __syncthreads();
  }
  if (!isForward || threadIdx.x > 0) return;
  double all = 0;
  if (isPossible) {
    const double *last = p.row(p.forward, sample, times - 1, p.states);
    all = states > 1 ? add_logs(last[states - 1], last[states - 2]) : last[0];
  }
  p.costs[sample] = (float)-all;
}

/// The gradient of each letter's activation: its probability without the labels less that with them.
__global__ void __launch_bounds__(THREADS) find_gradients(Ctc p) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= (i64)p.times * p.samples * p.letters) return;
  int letter = (int)(at % p.letters), time = (int)(at / p.letters % p.times), sample = (int)(at / p.letters / p.times);
  int length = p.labelLengths[sample], states = 2 * length + 1, times = p.inputLengths[sample];
  const int *label = p.label(sample);
  bool isPossible = is_possible(p, label, length, times);
  if (!isPossible && p.skipsImpossible) return;
  double gradient = 0;
  if (isPossible && time < times) {
    const double *forward = p.row(p.forward, sample, time, p.states);
    const double *backward = p.row(p.backward, sample, time, p.states);
    double own = p.row(p.logs, sample, time, p.letters)[letter], all = -(double)p.costs[sample], paths = NEVER_HAPPENS;
    for (int s = 0; s < states; s++)
      if (letter_at(label, s) == letter && forward[s] > NEVER_HAPPENS && backward[s] > NEVER_HAPPENS)
        paths = add_logs(paths, forward[s] + backward[s]);
    gradient = exp(own);
    if (paths > NEVER_HAPPENS) gradient -= exp(paths - own - all);
  }
  p.gradients[time * p.gradientStride[0] + sample * p.gradientStride[1] + letter * p.gradientStride[2]] =
      (float)gradient;
}

size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }
/// Of the work space: the arrays, and labels that were on the host.
size_t ctc_bytes(const Ctc &p, size_t labels) {
  size_t places = (size_t)p.times * p.samples;
  return aligned(places * p.letters * 8) + 2 * aligned(places * p.states * 8) + aligned(labels * 4) +
         2 * aligned((size_t)p.samples * 4);
}
cudnnStatus_t ctc_of(Ctc &p, const cudnnCTCLossStruct *d, const cudnnTensorStruct *probs,
                     const cudnnTensorStruct *gradients) {
  HEDDLE_DNN_NEED(all_set(d, probs) && probs->t.rank == 3);
  HEDDLE_DNN_NEED(!gradients || (all_set(gradients) && gradients->t.hasShapeOf(probs->t)));
  HEDDLE_DNN_HAVE(probs->type == CUDNN_DATA_FLOAT && (!gradients || gradients->type == CUDNN_DATA_FLOAT));
  p.times = probs->t.dim[0], p.samples = probs->t.dim[1], p.letters = probs->t.dim[2];
  for (int i = 0; i < 3; i++) {
    p.probStride[i] = probs->t.stride[i];
    p.gradientStride[i] = gradients ? gradients->t.stride[i] : 0;
  }
  p.isSoftmax = d->normalization == CUDNN_LOSS_NORMALIZATION_SOFTMAX;
  p.skipsImpossible = d->gradients == CUDNN_CTC_SKIP_OOB_GRADIENTS;
  p.states = 2 * d->longest + 1;
  return CUDNN_STATUS_SUCCESS;
}
/// Lengths that are on the host can be checked; the documentation's longest label has 256 letters.
cudnnStatus_t check_lengths(Ctc &p, const int *labels, const int *labelLengths, const int *inputLengths, int &all) {
  all = 0;
  int longest = 0;
  for (int i = 0; i < p.samples; i++) {
    HEDDLE_DNN_NEED(labelLengths[i] >= 0 && inputLengths[i] >= 0 && inputLengths[i] <= p.times);
    HEDDLE_DNN_HAVE(labelLengths[i] <= 256);
    all += labelLengths[i];
    if (labelLengths[i] > longest) longest = labelLengths[i];
  }
  for (int i = 0; i < all; i++) HEDDLE_DNN_NEED(labels[i] > 0 && labels[i] < p.letters);
  p.states = 2 * longest + 1;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t run_ctc(cudnnContext *h, Ctc &p, char *work) {
  size_t places = (size_t)p.times * p.samples;
  p.logs = (double *)work;
  p.forward = (double *)(work + aligned(places * p.letters * 8));
  p.backward = (double *)((char *)p.forward + aligned(places * p.states * 8));
  take_logs<<<blocks_of((i64)places), THREADS, 0, h->stream>>>(p);
  follow_paths<<<(unsigned)p.samples, THREADS, 0, h->stream>>>(p, true);
  if (p.gradients) {
    follow_paths<<<(unsigned)p.samples, THREADS, 0, h->stream>>>(p, false);
    find_gradients<<<blocks_of((i64)places * p.letters), THREADS, 0, h->stream>>>(p);
  }
  return launched();
}

} // namespace

extern "C" {

cudnnStatus_t cudnnCreateCTCLossDescriptor(cudnnCTCLossDescriptor_t *d) { return make_object(d); }
cudnnStatus_t cudnnDestroyCTCLossDescriptor(cudnnCTCLossDescriptor_t d) { return destroy_object(d); }

cudnnStatus_t cudnnSetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t d, cudnnDataType_t compType,
                                           cudnnLossNormalizationMode_t normMode, cudnnCTCGradMode_t ctcGradMode,
                                           int maxLabelLength) {
  HEDDLE_DNN_NEED(all_live(d) && compType == CUDNN_DATA_FLOAT);
  HEDDLE_DNN_NEED(normMode == CUDNN_LOSS_NORMALIZATION_NONE || normMode == CUDNN_LOSS_NORMALIZATION_SOFTMAX);
  HEDDLE_DNN_NEED(ctcGradMode == CUDNN_CTC_ZERO_OOB_GRADIENTS || ctcGradMode == CUDNN_CTC_SKIP_OOB_GRADIENTS);
  HEDDLE_DNN_NEED(maxLabelLength >= 0);
  d->type = compType, d->normalization = normMode, d->gradients = ctcGradMode, d->longest = maxLabelLength;
  d->isSet = true;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetCTCLossDescriptor_v8(cudnnCTCLossDescriptor_t d, cudnnDataType_t compType,
                                           cudnnLossNormalizationMode_t normMode, cudnnNanPropagation_t gradMode,
                                           int maxLabelLength) {
  HEDDLE_DNN_NEED(gradMode == CUDNN_NOT_PROPAGATE_NAN || gradMode == CUDNN_PROPAGATE_NAN);
  if (cudnnStatus_t wrong =
          cudnnSetCTCLossDescriptor_v9(d, compType, normMode, CUDNN_CTC_ZERO_OOB_GRADIENTS, maxLabelLength))
    return wrong;
  d->nan = gradMode;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t d, cudnnDataType_t compType,
                                          cudnnLossNormalizationMode_t normMode, cudnnNanPropagation_t gradMode) {
  return cudnnSetCTCLossDescriptor_v8(d, compType, normMode, gradMode, 255);
}
cudnnStatus_t cudnnSetCTCLossDescriptor(cudnnCTCLossDescriptor_t d, cudnnDataType_t compType) {
  return cudnnSetCTCLossDescriptorEx(d, compType, CUDNN_LOSS_NORMALIZATION_NONE, CUDNN_NOT_PROPAGATE_NAN);
}
cudnnStatus_t cudnnGetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t d, cudnnDataType_t *compType,
                                           cudnnLossNormalizationMode_t *normMode, cudnnCTCGradMode_t *ctcGradMode,
                                           int *maxLabelLength) {
  HEDDLE_DNN_NEED(all_set(d));
  if (compType) *compType = d->type;
  if (normMode) *normMode = d->normalization;
  if (ctcGradMode) *ctcGradMode = d->gradients;
  if (maxLabelLength) *maxLabelLength = d->longest;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetCTCLossDescriptor_v8(cudnnCTCLossDescriptor_t d, cudnnDataType_t *compType,
                                           cudnnLossNormalizationMode_t *normMode, cudnnNanPropagation_t *gradMode,
                                           int *maxLabelLength) {
  if (cudnnStatus_t wrong = cudnnGetCTCLossDescriptor_v9(d, compType, normMode, nullptr, maxLabelLength)) return wrong;
  if (gradMode) *gradMode = d->nan;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t d, cudnnDataType_t *compType,
                                          cudnnLossNormalizationMode_t *normMode, cudnnNanPropagation_t *gradMode) {
  return cudnnGetCTCLossDescriptor_v8(d, compType, normMode, gradMode, nullptr);
}
cudnnStatus_t cudnnGetCTCLossDescriptor(cudnnCTCLossDescriptor_t d, cudnnDataType_t *compType) {
  return cudnnGetCTCLossDescriptorEx(d, compType, nullptr, nullptr);
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t h, const cudnnTensorDescriptor_t probsDesc,
                                           const cudnnTensorDescriptor_t gradientsDesc, const int *labels,
                                           const int *labelLengths, const int *inputLengths, cudnnCTCLossAlgo_t algo,
                                           cudnnCTCLossDescriptor_t ctcLossDesc, size_t *sizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(labels, labelLengths, inputLengths, sizeInBytes));
  HEDDLE_DNN_NEED(algo == CUDNN_CTC_LOSS_ALGO_DETERMINISTIC || algo == CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC);
  Ctc p{};
  int all;
  if (cudnnStatus_t wrong = ctc_of(p, ctcLossDesc, probsDesc, gradientsDesc)) return wrong;
  if (cudnnStatus_t wrong = check_lengths(p, labels, labelLengths, inputLengths, all)) return wrong;
  *sizeInBytes = ctc_bytes(p, (size_t)all);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCTCLoss(cudnnHandle_t h, const cudnnTensorDescriptor_t probsDesc, const void *probs,
                           const int hostLabels[], const int hostLabelLengths[], const int hostInputLengths[],
                           void *costs, const cudnnTensorDescriptor_t gradientsDesc, void *gradients,
                           cudnnCTCLossAlgo_t algo, cudnnCTCLossDescriptor_t ctcLossDesc, void *workspace,
                           size_t workSpaceSizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(probs, hostLabels, hostLabelLengths, hostInputLengths, costs, workspace));
  HEDDLE_DNN_NEED(!gradients || gradientsDesc);
  HEDDLE_DNN_NEED(algo == CUDNN_CTC_LOSS_ALGO_DETERMINISTIC || algo == CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC);
  Ctc p{};
  int all;
  if (cudnnStatus_t wrong = ctc_of(p, ctcLossDesc, probsDesc, gradients ? gradientsDesc : nullptr)) return wrong;
  if (cudnnStatus_t wrong = check_lengths(p, hostLabels, hostLabelLengths, hostInputLengths, all)) return wrong;
  HEDDLE_DNN_NEED(workSpaceSizeInBytes >= ctc_bytes(p, (size_t)all));
  char *at = (char *)workspace + ctc_bytes(p, 0) - 2 * aligned((size_t)p.samples * 4);
  auto copy = [&](const int *from, int count) {
    int *to = (int *)at;
    cudaMemcpyAsync(to, from, (size_t)count * 4, cudaMemcpyHostToDevice, h->stream);
    at += aligned((size_t)count * 4);
    return to;
  };
  p.labelLengths = copy(hostLabelLengths, p.samples);
  p.inputLengths = copy(hostInputLengths, p.samples);
  p.labels = copy(hostLabels, all);
  p.probs = (const float *)probs, p.costs = (float *)costs, p.gradients = (float *)gradients;
  return run_ctc(h, p, (char *)workspace);
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize_v8(cudnnHandle_t h, cudnnCTCLossAlgo_t algo,
                                              cudnnCTCLossDescriptor_t ctcLossDesc,
                                              const cudnnTensorDescriptor_t probsDesc,
                                              const cudnnTensorDescriptor_t gradientsDesc, size_t *sizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(sizeInBytes);
  HEDDLE_DNN_NEED(algo == CUDNN_CTC_LOSS_ALGO_DETERMINISTIC || algo == CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC);
  Ctc p{};
  if (cudnnStatus_t wrong = ctc_of(p, ctcLossDesc, probsDesc, gradientsDesc)) return wrong;
  *sizeInBytes = ctc_bytes(p, 0);
  return CUDNN_STATUS_SUCCESS;
}
/// Labels and lengths are on the device: the labels of the samples lie behind each other.
cudnnStatus_t cudnnCTCLoss_v8(cudnnHandle_t h, cudnnCTCLossAlgo_t algo, cudnnCTCLossDescriptor_t ctcLossDesc,
                              const cudnnTensorDescriptor_t probsDesc, const void *probs, const int labels[],
                              const int labelLengths[], const int inputLengths[], void *costs,
                              const cudnnTensorDescriptor_t gradientsDesc, void *gradients,
                              size_t workSpaceSizeInBytes, void *workspace) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(probs, labels, labelLengths, inputLengths, costs, workspace));
  HEDDLE_DNN_NEED(!gradients || gradientsDesc);
  HEDDLE_DNN_NEED(algo == CUDNN_CTC_LOSS_ALGO_DETERMINISTIC || algo == CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC);
  Ctc p{};
  if (cudnnStatus_t wrong = ctc_of(p, ctcLossDesc, probsDesc, gradients ? gradientsDesc : nullptr)) return wrong;
  HEDDLE_DNN_NEED(workSpaceSizeInBytes >= ctc_bytes(p, 0));
  p.labels = labels, p.labelLengths = labelLengths, p.inputLengths = inputLengths;
  p.probs = (const float *)probs, p.costs = (float *)costs, p.gradients = (float *)gradients;
  return run_ctc(h, p, (char *)workspace);
}

} // extern "C"
