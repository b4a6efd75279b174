// The algorithms of a convolution: what work space they need, and the functions that choose one. Winograd has kernels
// of its own, the others are all the same. Which there are: supported.inl.

namespace {

template <class Kind> bool is_winograd(int algo) { return algo == Kind::winograd || algo == Kind::winogradInOne; }

/// The three kinds of convolution, for what they have in common: their algorithms.
struct Forward {
  typedef cudnnConvolutionFwdAlgo_t Algorithm;
  static constexpr int count = CUDNN_CONVOLUTION_FWD_ALGO_COUNT;
  static constexpr int winograd = CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED;
  static constexpr int winogradInOne = CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD;
  static bool has(const Geometry &g, int algo) { return has_forward(g, algo); }
  static bool isStepwise(int algo) { return algo == 4 || algo == 5 || algo == 7; }
  static size_t bytes(const Geometry &g, int algo) { return bytes_needed(g, false, is_winograd<Forward>(algo)); }
};
struct BackwardData {
  typedef cudnnConvolutionBwdDataAlgo_t Algorithm;
  static constexpr int count = CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT;
  static constexpr int winograd = CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED;
  static constexpr int winogradInOne = CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD;
  static bool has(const Geometry &g, int algo) { return has_backward_data(g, algo); }
  static bool isStepwise(int algo) { return algo == 2 || algo == 3 || algo == 5; }
  static size_t bytes(const Geometry &g, int algo) { return bytes_needed(g, true, is_winograd<BackwardData>(algo)); }
};
struct BackwardFilter {
  typedef cudnnConvolutionBwdFilterAlgo_t Algorithm;
  static constexpr int count = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT;
  static constexpr int winograd = -1, winogradInOne = -1; // the same sums by any name
  static bool has(const Geometry &g, int algo) { return has_backward_filter(g, algo); }
  static bool isStepwise(int algo) { return algo == 2 || algo == 3 || algo == 5 || algo == 6; }
  static size_t bytes(const Geometry &g, int) { return filter_layout_of(g).bytes; }
};

template <class Kind> WorkSpace work_space(int algo, void *memory, size_t bytes) {
  return {memory, bytes, Kind::isStepwise(algo), is_winograd<Kind>(algo)};
}
/// What is enough for each algorithm. `needed`: bytes of one.
template <class Kind, class Needed> size_t most_bytes(Needed needed) {
  size_t most = 0;
  for (int algo = 0; algo < Kind::count; algo++) if (needed(algo) > most) most = needed(algo);
  return most;
}
template <class Kind> cudnnStatus_t work_space_size(const Geometry &g, int algo, size_t *bytes) {
  HEDDLE_DNN_NEED(algo >= 0);
  HEDDLE_DNN_HAVE(Kind::has(g, algo));
  *bytes = Kind::isStepwise(algo) ? Kind::bytes(g, algo) : 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t forward(cudnnContext *h, const Geometry &g, const void *x, const void *w, const Result &r,
                      const WorkSpace &work) {
  if (work.isWinograd) return winograd(h, g, false, x, w, r, work);
  return g.isDouble ? forward_in<double>(h, g, x, w, r, work) : forward_in<float>(h, g, x, w, r, work);
}
cudnnStatus_t backward_data(cudnnContext *h, const Geometry &g, const void *w, const void *dy, const Result &r,
                            const WorkSpace &work) {
  if (work.isWinograd) return winograd(h, g, true, dy, w, r, work);
  return g.isDouble ? backward_data_in<double>(h, g, w, dy, r, work) : backward_data_in<float>(h, g, w, dy, r, work);
}

/// Whether calls are handed over.
bool has_nvidia(cudnnContext *h) {
  return h->mayHaveNvidia && h->library("cudnnSetStream", OwnHandle{}, OfStream{h->stream}) >= 0;
}

/// Winograd's method has few products, and copies more than the others: it is for many channels and pixels.
bool prefers_winograd(cudnnContext *h, const Geometry &g) {
  bool isLarge = g.inputs * g.outputs >= 192 && (i64)g.images * g.out[1] * g.out[2] >= 48;
  return is_winograds(g) && isLarge && !has_nvidia(h);
}
template <class Kind> int preferred_algorithm(cudnnContext *h, const Geometry &g) {
  bool isThere = Kind::winograd >= 0 && g.x.type == CUDNN_DATA_FLOAT && Kind::has(g, Kind::winograd);
  return isThere && prefers_winograd(h, g) ? Kind::winograd : 1;
}

/// The preferred algorithm, then the others that there are, then those that there are not. `run` is called for those
/// that there are, with enough work space, and its time is reported.
template <class Kind, class Performance, class Bytes, class Run>
cudnnStatus_t list_algorithms(cudnnContext *h, const Geometry &g, const cudnnConvolutionStruct *conv, int requested,
                              int *returned, Performance *results, Bytes bytes, Run run) {
  HEDDLE_DNN_NEED(requested >= 0 && returned && (results || requested == 0));
  *returned = 0;
  int preferred = preferred_algorithm<Kind>(h, g);
  for (bool isThere : {true, false})
    for (int turn = 0; turn < Kind::count && *returned < requested; turn++) {
      int algo = turn == 0 ? preferred : turn <= preferred ? turn - 1 : turn;
      if (Kind::has(g, algo) != isThere) continue;
      Performance &p = results[(*returned)++];
      memset(&p, 0, sizeof p);
      p.algo = (typename Kind::Algorithm)algo;
      p.determinism = CUDNN_DETERMINISTIC;
      p.mathType = conv->math;
      p.memory = isThere ? bytes(algo) : 0;
      p.time = -1;
      p.status = isThere ? run(p) : CUDNN_STATUS_NOT_SUPPORTED;
    }
  return CUDNN_STATUS_SUCCESS;
}

/// Measures a call in milliseconds, the second time that it runs.
template <class Performance, class Call> cudnnStatus_t measure(cudnnContext *h, Performance &p, Call call) {
  cudaEvent_t begin, end;
  if (cudnnStatus_t wrong = call(p)) return wrong;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, h->stream);
  cudnnStatus_t status = call(p);
  cudaEventRecord(end, h->stream);
  cudaEventSynchronize(end);
  cudaEventElapsedTime(&p.time, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return status;
}
template <class Kind, class Performance> void sort_by_time(Performance *results, int count) {
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && results[j].status == 0 && results[j].time < results[j - 1].time; j--) {
      Performance other = results[j];
      results[j] = results[j - 1];
      results[j - 1] = other;
    }
}

/// Memory of a search that brings none of its own.
struct Trial {
  void *memory[4] = {};
  bool isThere = true;
  void take(int i, size_t bytes) {
    if (bytes > 0 && cudaMalloc(&memory[i], bytes) != cudaSuccess) isThere = false;
    else if (bytes > 0) cudaMemset(memory[i], 0, bytes);
  }
  ~Trial() {
    for (void *piece : memory) if (piece) cudaFree(piece);
  }
};
size_t size_of(const Tensor &t) { return (size_t)t.extent() * bytes_of(t.type); }

const double ONE = 1;
const float ONE_FLOAT = 1, ZERO_FLOAT = 0;
const double ZERO = 0;
const void *one_of(const Tensor &t) { return t.type == CUDNN_DATA_DOUBLE ? (const void *)&ONE : &ONE_FLOAT; }
const void *zero_of(const Tensor &t) { return t.type == CUDNN_DATA_DOUBLE ? (const void *)&ZERO : &ZERO_FLOAT; }

} // namespace

/// The work memory of an algorithm: that of whichever library does the work.
#define HEDDLE_DNN_BYTES(NAME, ALGO, D1, D2, D3)                                                                       \
  [&](int algo) {                                                                                                      \
    size_t needed = 0;                                                                                                 \
    int wrong = cudnnGetConvolution##NAME##WorkspaceSize(h, D1, D2, conv, D3, (ALGO)algo, &needed);                    \
    return wrong ? 0 : needed;                                                                                         \
  }

// The functions of one kind. NAMES: what comes between "cudnnGetConvolution" and "Algorithm". D1, D2, D3 are its
// descriptors in their order, with the convolution's between the second and the third.
#define HEDDLE_DNN_SEARCH(KIND, NAME, PREFERENCE, ALGO, PERF, T1, D1, T2, D2, T3, D3, X, W, Y)                         \
  extern "C" cudnnStatus_t cudnnGetConvolution##NAME##AlgorithmMaxCount(cudnnHandle_t h, int *count) {                 \
    HEDDLE_DNN_HANDLE(h);                                                                                              \
    HEDDLE_DNN_NEED(count);                                                                                            \
    *count = KIND::count;                                                                                              \
    return CUDNN_STATUS_SUCCESS;                                                                                       \
  }                                                                                                                    \
  extern "C" cudnnStatus_t cudnnGetConvolution##NAME##WorkspaceSize(                                                   \
      cudnnHandle_t h, const T1 D1, const T2 D2, const cudnnConvolutionDescriptor_t conv, const T3 D3, ALGO algo,      \
      size_t *sizeInBytes) {                                                                                           \
    HEDDLE_DNN_HANDLE(h);                                                                                              \
    HEDDLE_DNN_NEED(all_set(D1, D2, conv, D3) && sizeInBytes);                                                         \
    unsigned long long bytes = 0;                                                                                      \
    int status = h->nvidia("cudnnGetConvolution" #NAME "WorkspaceSize", vendor_of(h, D1), vendor_of(h, D2),            \
                           vendor_of(h, conv), vendor_of(h, D3), (int)algo, Host{&bytes});                             \
    if (status > 0) return (cudnnStatus_t)status;                                                                      \
    Geometry g;                                                                                                        \
    cudnnStatus_t own = geometry_of(g, X, W, conv, Y);                                                                 \
    if (own == CUDNN_STATUS_SUCCESS) own = work_space_size<KIND>(g, algo, sizeInBytes);                                \
    if (status == 0 && (own || bytes > *sizeInBytes)) *sizeInBytes = (size_t)bytes;                                    \
    return status == 0 ? CUDNN_STATUS_SUCCESS : own;                                                                   \
  }                                                                                                                    \
  extern "C" cudnnStatus_t cudnnGetConvolution##NAME##Algorithm_v7(                                                    \
      cudnnHandle_t h, const T1 D1, const T2 D2, const cudnnConvolutionDescriptor_t conv, const T3 D3,                 \
      const int requested, int *returned, PERF *results) {                                                             \
    HEDDLE_DNN_HANDLE(h);                                                                                              \
    HEDDLE_DNN_NEED(all_set(D1, D2, conv, D3));                                                                        \
    Geometry g;                                                                                                        \
    if (cudnnStatus_t wrong = geometry_of(g, X, W, conv, Y)) return wrong;                                             \
    return list_algorithms<KIND>(h, g, conv, requested, returned, results, HEDDLE_DNN_BYTES(NAME, ALGO, D1, D2, D3),   \
                                 [](PERF &) { return CUDNN_STATUS_SUCCESS; });                                         \
  }                                                                                                                    \
  extern "C" cudnnStatus_t cudnnGetConvolution##NAME##Algorithm(                                                       \
      cudnnHandle_t h, const T1 D1, const T2 D2, const cudnnConvolutionDescriptor_t conv, const T3 D3,                 \
      PREFERENCE preference, size_t limit, ALGO *algo) {                                                               \
    HEDDLE_DNN_HANDLE(h);                                                                                              \
    HEDDLE_DNN_NEED(all_set(D1, D2, conv, D3) && algo && preference >= 0 && preference <= 2);                          \
    Geometry g;                                                                                                        \
    if (cudnnStatus_t wrong = geometry_of(g, X, W, conv, Y)) return wrong;                                             \
    HEDDLE_DNN_HAVE(KIND::has(g, 0) || KIND::has(g, 1));                                                               \
    int best = preferred_algorithm<KIND>(h, g);                                                                        \
    if (preference != 1 && KIND::isStepwise(best) && (preference == 0 || KIND::bytes(g, best) > limit)) best = 1;      \
    *algo = (ALGO)(KIND::has(g, best) ? best : 0);                                                                     \
    return CUDNN_STATUS_SUCCESS;                                                                                       \
  }

HEDDLE_DNN_SEARCH(Forward, Forward, cudnnConvolutionFwdPreference_t, cudnnConvolutionFwdAlgo_t,
                  cudnnConvolutionFwdAlgoPerf_t, cudnnTensorDescriptor_t, xDesc, cudnnFilterDescriptor_t, wDesc,
                  cudnnTensorDescriptor_t, yDesc, xDesc, wDesc, yDesc)
HEDDLE_DNN_SEARCH(BackwardData, BackwardData, cudnnConvolutionBwdDataPreference_t, cudnnConvolutionBwdDataAlgo_t,
                  cudnnConvolutionBwdDataAlgoPerf_t, cudnnFilterDescriptor_t, wDesc, cudnnTensorDescriptor_t, dyDesc,
                  cudnnTensorDescriptor_t, dxDesc, dxDesc, wDesc, dyDesc)
HEDDLE_DNN_SEARCH(BackwardFilter, BackwardFilter, cudnnConvolutionBwdFilterPreference_t,
                  cudnnConvolutionBwdFilterAlgo_t, cudnnConvolutionBwdFilterAlgoPerf_t, cudnnTensorDescriptor_t,
                  xDesc, cudnnTensorDescriptor_t, dyDesc, cudnnFilterDescriptor_t, dwDesc, xDesc, dwDesc, dyDesc)

extern "C" {

cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(
    cudnnHandle_t h, const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnFilterDescriptor_t wDesc,
    const void *w, const cudnnConvolutionDescriptor_t conv, const cudnnTensorDescriptor_t yDesc, void *y,
    const int requested, int *returned, cudnnConvolutionFwdAlgoPerf_t *results, void *workSpace, size_t bytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, wDesc, conv, yDesc) && all_there(x, w, y) && requested > 0);
  Geometry g;
  if (cudnnStatus_t wrong = geometry_of(g, xDesc, wDesc, conv, yDesc)) return wrong;
  auto needed = HEDDLE_DNN_BYTES(Forward, cudnnConvolutionFwdAlgo_t, xDesc, wDesc, yDesc);
  cudnnStatus_t status =
      list_algorithms<Forward>(h, g, conv, requested, returned, results, needed, [&](cudnnConvolutionFwdAlgoPerf_t &p) {
        if (p.memory > bytes) return CUDNN_STATUS_ALLOC_FAILED;
        return measure(h, p, [&](cudnnConvolutionFwdAlgoPerf_t &one) {
          return cudnnConvolutionForward(h, one_of(g.x), xDesc, x, wDesc, w, conv, one.algo, workSpace, bytes,
                                         zero_of(g.x), yDesc, y);
        });
      });
  if (status == 0) sort_by_time<Forward>(results, *returned);
  return status;
}
cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(cudnnHandle_t h, const cudnnTensorDescriptor_t xDesc,
                                                   const cudnnFilterDescriptor_t wDesc,
                                                   const cudnnConvolutionDescriptor_t conv,
                                                   const cudnnTensorDescriptor_t yDesc, const int requested,
                                                   int *returned, cudnnConvolutionFwdAlgoPerf_t *results) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, wDesc, conv, yDesc));
  Geometry g;
  if (cudnnStatus_t wrong = geometry_of(g, xDesc, wDesc, conv, yDesc)) return wrong;
  Trial t;
  auto needed = HEDDLE_DNN_BYTES(Forward, cudnnConvolutionFwdAlgo_t, xDesc, wDesc, yDesc);
  size_t bytes = most_bytes<Forward>(needed);
  t.take(0, size_of(g.x)), t.take(1, size_of(g.w)), t.take(2, size_of(g.y)), t.take(3, bytes);
  if (!t.isThere) return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
  return cudnnFindConvolutionForwardAlgorithmEx(h, xDesc, t.memory[0], wDesc, t.memory[1], conv, yDesc, t.memory[2],
                                                requested, returned, results, t.memory[3], bytes);
}

cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t h, const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnTensorDescriptor_t dyDesc,
    const void *dy, const cudnnConvolutionDescriptor_t conv, const cudnnTensorDescriptor_t dxDesc, void *dx,
    const int requested, int *returned, cudnnConvolutionBwdDataAlgoPerf_t *results, void *workSpace, size_t bytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(wDesc, dyDesc, conv, dxDesc) && all_there(w, dy, dx) && requested > 0);
  Geometry g;
  if (cudnnStatus_t wrong = geometry_of(g, dxDesc, wDesc, conv, dyDesc)) return wrong;
  auto needed = HEDDLE_DNN_BYTES(BackwardData, cudnnConvolutionBwdDataAlgo_t, wDesc, dyDesc, dxDesc);
  cudnnStatus_t status = list_algorithms<BackwardData>(
      h, g, conv, requested, returned, results, needed, [&](cudnnConvolutionBwdDataAlgoPerf_t &p) {
        if (p.memory > bytes) return CUDNN_STATUS_ALLOC_FAILED;
        return measure(h, p, [&](cudnnConvolutionBwdDataAlgoPerf_t &one) {
          return cudnnConvolutionBackwardData(h, one_of(g.x), wDesc, w, dyDesc, dy, conv, one.algo, workSpace, bytes,
                                              zero_of(g.x), dxDesc, dx);
        });
      });
  if (status == 0) sort_by_time<BackwardData>(results, *returned);
  return status;
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithm(cudnnHandle_t h, const cudnnFilterDescriptor_t wDesc,
                                                        const cudnnTensorDescriptor_t dyDesc,
                                                        const cudnnConvolutionDescriptor_t conv,
                                                        const cudnnTensorDescriptor_t dxDesc, const int requested,
                                                        int *returned, cudnnConvolutionBwdDataAlgoPerf_t *results) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(wDesc, dyDesc, conv, dxDesc));
  Geometry g;
  if (cudnnStatus_t wrong = geometry_of(g, dxDesc, wDesc, conv, dyDesc)) return wrong;
  Trial t;
  auto needed = HEDDLE_DNN_BYTES(BackwardData, cudnnConvolutionBwdDataAlgo_t, wDesc, dyDesc, dxDesc);
  size_t bytes = most_bytes<BackwardData>(needed);
  t.take(0, size_of(g.w)), t.take(1, size_of(g.y)), t.take(2, size_of(g.x)), t.take(3, bytes);
  if (!t.isThere) return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
  return cudnnFindConvolutionBackwardDataAlgorithmEx(h, wDesc, t.memory[0], dyDesc, t.memory[1], conv, dxDesc,
                                                     t.memory[2], requested, returned, results, t.memory[3], bytes);
}

cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t h, const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t dyDesc,
    const void *dy, const cudnnConvolutionDescriptor_t conv, const cudnnFilterDescriptor_t dwDesc, void *dw,
    const int requested, int *returned, cudnnConvolutionBwdFilterAlgoPerf_t *results, void *workSpace, size_t bytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, dyDesc, conv, dwDesc) && all_there(x, dy, dw) && requested > 0);
  Geometry g;
  if (cudnnStatus_t wrong = geometry_of(g, xDesc, dwDesc, conv, dyDesc)) return wrong;
  auto needed = HEDDLE_DNN_BYTES(BackwardFilter, cudnnConvolutionBwdFilterAlgo_t, xDesc, dyDesc, dwDesc);
  cudnnStatus_t status = list_algorithms<BackwardFilter>(
      h, g, conv, requested, returned, results, needed, [&](cudnnConvolutionBwdFilterAlgoPerf_t &p) {
        if (p.memory > bytes) return CUDNN_STATUS_ALLOC_FAILED;
        return measure(h, p, [&](cudnnConvolutionBwdFilterAlgoPerf_t &one) {
          return cudnnConvolutionBackwardFilter(h, one_of(g.x), xDesc, x, dyDesc, dy, conv, one.algo, workSpace,
                                                bytes, zero_of(g.x), dwDesc, dw);
        });
      });
  if (status == 0) sort_by_time<BackwardFilter>(results, *returned);
  return status;
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithm(cudnnHandle_t h, const cudnnTensorDescriptor_t xDesc,
                                                          const cudnnTensorDescriptor_t dyDesc,
                                                          const cudnnConvolutionDescriptor_t conv,
                                                          const cudnnFilterDescriptor_t dwDesc, const int requested,
                                                          int *returned,
                                                          cudnnConvolutionBwdFilterAlgoPerf_t *results) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, dyDesc, conv, dwDesc));
  Geometry g;
  if (cudnnStatus_t wrong = geometry_of(g, xDesc, dwDesc, conv, dyDesc)) return wrong;
  Trial t;
  auto needed = HEDDLE_DNN_BYTES(BackwardFilter, cudnnConvolutionBwdFilterAlgo_t, xDesc, dyDesc, dwDesc);
  size_t bytes = most_bytes<BackwardFilter>(needed);
  t.take(0, size_of(g.x)), t.take(1, size_of(g.y)), t.take(2, size_of(g.w)), t.take(3, bytes);
  if (!t.isThere) return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
  return cudnnFindConvolutionBackwardFilterAlgorithmEx(h, xDesc, t.memory[0], dyDesc, t.memory[1], conv, dwDesc,
                                                       t.memory[2], requested, returned, results, t.memory[3],
                                                       bytes);
}

} // extern "C"
