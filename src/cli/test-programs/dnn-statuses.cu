// What cuDNN promises: statuses of wrong arguments, getters, dropout, and recurrent networks beside plain loops. It runs
// with NVIDIA's library, too: calls that are undefined there are in dnn-own.cu.
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cudnn.h>
#include <vector>

static int wrong = 0;
static volatile int called = 0;
/// Each line is written at once, as a library may end the process.
static void differs(int line) {
  printf(" (line %d)\n", line);
  fflush(stdout);
  wrong++;
}
static void ended(int which) {
  printf("signal %d", which);
  differs(called);
  _Exit(1);
}
#define EXPECT(STATUS, CALL)                                       \
  do {                                                             \
    called = __LINE__;                                             \
    int is = (int)(CALL);                                          \
    if (is != (int)(STATUS)) {                                     \
      printf("%s is %d, and not %s", #CALL, is, #STATUS);          \
      differs(__LINE__);                                             \
    }                                                              \
  } while (0)
#define OK(CALL) EXPECT(CUDNN_STATUS_SUCCESS, CALL)
#define BAD(CALL) EXPECT(CUDNN_STATUS_BAD_PARAM, CALL)
#define NOT_HERE(CALL) EXPECT(CUDNN_STATUS_NOT_SUPPORTED, CALL)
#define SAME(A, B) EXPECT(B, A)

static float *values(std::vector<float> host) {
  float *device;
  cudaMalloc(&device, host.size() * 4);
  cudaMemcpy(device, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
  return device;
}
static std::vector<float> read(const float *device, size_t count) {
  std::vector<float> host(count);
  cudaMemcpy(host.data(), device, count * 4, cudaMemcpyDeviceToHost);
  return host;
}

/// The algorithm that comes first is there, and needs the memory that is said.
static void many_channels(cudnnHandle_t h) {
  float one = 1, zero = 0, *image = values(std::vector<float>(24 * 64, 1)), *result = values(std::vector<float>(24 * 64));
  for (int window : {3, 5}) {
    cudnnTensorDescriptor_t x;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    OK(cudnnCreateTensorDescriptor(&x));
    OK(cudnnCreateFilterDescriptor(&w));
    OK(cudnnCreateConvolutionDescriptor(&conv));
    OK(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 24, 8, 8));
    OK(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 24, 24, window, window));
    OK(cudnnSetConvolution2dDescriptor(conv, window / 2, window / 2, 1, 1, 1, 1, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT));
    float *weights = values(std::vector<float>(24 * 24 * window * window, 1));
    void *work;
    cudnnConvolutionFwdAlgoPerf_t found[8];
    int count;
    OK(cudnnGetConvolutionForwardAlgorithm_v7(h, x, w, conv, x, 8, &count, found));
    SAME(count >= 1 && count <= 8, 1); SAME(found[0].status, 0);
    cudaMalloc(&work, found[0].memory);
    OK(cudnnConvolutionForward(h, &one, x, image, w, weights, conv, found[0].algo, work, found[0].memory, &zero, x, result));
    SAME(std::fabs(read(result, 24 * 64)[4 * 8 + 4] - 24 * window * window) < 0.5, 1);
    OK(cudnnFindConvolutionForwardAlgorithm(h, x, w, conv, x, 8, &count, found));
    SAME(found[0].status, 0); SAME(found[0].time >= 0, 1);
    cudnnConvolutionBwdDataAlgoPerf_t back[8];
    OK(cudnnGetConvolutionBackwardDataAlgorithm_v7(h, w, x, conv, x, 1, &count, back));
    SAME(count, 1); SAME(back[0].status, 0);
    cudaFree(work);
    cudaMalloc(&work, back[0].memory);
    OK(cudnnConvolutionBackwardData(h, &one, w, weights, x, image, conv, back[0].algo, work, back[0].memory, &zero, x,
                                    result));
    SAME(std::fabs(read(result, 24 * 64)[4 * 8 + 4] - 24 * window * window) < 0.5, 1);
    cudaFree(work);
    cudaFree(weights);
    OK(cudnnDestroyTensorDescriptor(x));
    OK(cudnnDestroyFilterDescriptor(w));
    OK(cudnnDestroyConvolutionDescriptor(conv));
  }
}

static void descriptors(cudnnHandle_t h) {
  cudnnTensorDescriptor_t x, unset;
  cudnnFilterDescriptor_t w;
  cudnnConvolutionDescriptor_t conv;
  BAD(cudnnCreateTensorDescriptor(nullptr));
  OK(cudnnCreateTensorDescriptor(&x));
  OK(cudnnCreateTensorDescriptor(&unset));
  OK(cudnnCreateFilterDescriptor(&w));
  OK(cudnnCreateConvolutionDescriptor(&conv));
  BAD(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 0, 1, 1, 1));
  BAD(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, (cudnnDataType_t)99, 1, 1, 1, 1));
  BAD(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_FLOAT, 1, 4, 1, 1));
  NOT_HERE(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2000, 2000, 1000, 1));
  OK(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, 2, 4, 6, 5));
  cudnnDataType_t type;
  int n, c, height, width, sn, sc, sh, sw, rank, dims[8], strides[8];
  OK(cudnnGetTensor4dDescriptor(x, &type, &n, &c, &height, &width, &sn, &sc, &sh, &sw));
  SAME(sn, 120); SAME(sc, 1); SAME(sh, 20); SAME(sw, 4); SAME(width, 5);
  OK(cudnnGetTensorNdDescriptor(x, 8, &type, &rank, dims, strides));
  SAME(rank, 4); SAME(dims[1], 4); SAME(strides[2], 20);
  size_t bytes = 0;
  OK(cudnnGetTensorSizeInBytes(x, &bytes));
  SAME(bytes, 960);
  OK(cudnnGetTensorSizeInBytes(unset, &bytes));
  cudnnTensorDescriptor_t matrix;
  OK(cudnnCreateTensorDescriptor(&matrix));
  OK(cudnnSetTensorNdDescriptor(matrix, CUDNN_DATA_FLOAT, 2, dims, strides));
  OK(cudnnGetTensorSizeInBytes(matrix, &bytes));
  SAME(bytes, 4 * (120 + 3 + 1));
  OK(cudnnDestroyTensorDescriptor(matrix));
  BAD(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 4, 0, 3));
  OK(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 3, 4, 3, 3));
  BAD(cudnnSetConvolution2dDescriptor(conv, -1, 0, 1, 1, 1, 1, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT));
  BAD(cudnnSetConvolution2dDescriptor(conv, 0, 0, 0, 1, 1, 1, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT));
  OK(cudnnSetConvolution2dDescriptor(conv, 1, 1, 2, 2, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  OK(cudnnGetConvolution2dForwardOutputDim(conv, x, w, &n, &c, &height, &width));
  SAME(n, 2); SAME(c, 3); SAME(height, 3); SAME(width, 3);
  cudnnTensorDescriptor_t y;
  OK(cudnnCreateTensorDescriptor(&y));
  OK(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, height, width));
  float one = 1, zero = 0, *data = values(std::vector<float>(1000, 1));
#define FORWARD(ALGO, X, Y, WORK, BYTES) \
  cudnnConvolutionForward(h, &one, X, data, w, data, conv, ALGO, WORK, BYTES, &zero, Y, data + 500)
  OK(FORWARD(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, x, y, nullptr, 0));
  BAD(FORWARD(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, x, unset, nullptr, 0));
  BAD(FORWARD(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, y, y, nullptr, 0));
  NOT_HERE(FORWARD(CUDNN_CONVOLUTION_FWD_ALGO_DIRECT, x, y, nullptr, 0));
  NOT_HERE(FORWARD(CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, x, y, nullptr, 0)); // its stride is 1
  OK(cudnnGetConvolutionForwardWorkspaceSize(h, x, w, conv, y, CUDNN_CONVOLUTION_FWD_ALGO_GEMM, &bytes));
  void *work;
  cudaMalloc(&work, bytes);
  OK(FORWARD(CUDNN_CONVOLUTION_FWD_ALGO_GEMM, x, y, work, bytes));
  cudnnConvolutionFwdAlgoPerf_t found[8];
  int count;
  OK(cudnnFindConvolutionForwardAlgorithm(h, x, w, conv, y, 8, &count, found));
  SAME(count >= 1 && count <= 8, 1); SAME(found[0].status, 0); SAME(found[0].time >= 0, 1);
  OK(cudnnGetConvolutionForwardAlgorithm_v7(h, x, w, conv, y, 0, &count, found));
  OK(cudnnGetConvolutionForwardAlgorithm_v7(h, x, w, conv, y, 1, &count, found));
  SAME(count, 1); SAME(found[0].status, 0);
  many_channels(h);
  OK(cudnnDestroyTensorDescriptor(y));
  BAD(cudnnSoftmaxForward(h, CUDNN_SOFTMAX_FAST, (cudnnSoftmaxMode_t)7, &one, x, data, &zero, x, data));
  BAD(cudnnSetStream(nullptr, 0));
}

static void dropout(cudnnHandle_t h) {
  const int count = 4096;
  cudnnTensorDescriptor_t x;
  cudnnDropoutDescriptor_t d;
  cudnnCreateTensorDescriptor(&x);
  cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, count);
  OK(cudnnCreateDropoutDescriptor(&d));
  size_t states = 0, reserve = 0;
  OK(cudnnDropoutGetStatesSize(h, &states));
  OK(cudnnDropoutGetReserveSpaceSize(x, &reserve));
  void *memory, *mask;
  cudaMalloc(&memory, states);
  cudaMalloc(&mask, reserve);
  float *in = values(std::vector<float>(count, 3)), *out = values(std::vector<float>(count));
  OK(cudnnSetDropoutDescriptor(d, h, 1.5f, memory, states, 7));
  OK(cudnnSetDropoutDescriptor(d, h, 0.25f, memory, states, 7));
  OK(cudnnDropoutForward(h, d, x, in, x, out, mask, reserve));
  std::vector<float> first = read(out, count);
  int kept = 0;
  for (float value : first) {
    if (value != 0 && value != 4) differs(__LINE__);
    kept += value != 0;
  }
  SAME(kept > 0.72 * count && kept < 0.78 * count, 1);
  OK(cudnnDropoutBackward(h, d, x, in, x, out, mask, reserve));
  SAME(read(out, count) == first, 1);
  OK(cudnnDropoutForward(h, d, x, in, x, out, mask, reserve));
  SAME(read(out, count) == first, 0);
  OK(cudnnSetDropoutDescriptor(d, h, 0.25f, memory, states, 7));
  OK(cudnnDropoutForward(h, d, x, in, x, out, mask, reserve));
  SAME(read(out, count) == first, 1); // from the start again
  BAD(cudnnDropoutForward(h, d, x, in, x, out, mask, 1));
}

static double element(int at) { return std::sin(at * 12.9898 + 1) * 0.5; }
static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

static void recurrent(cudnnHandle_t h, cudnnRNNMode_t cell, bool isBoth, int layers, cudnnRNNDataLayout_t layout) {
  const int steps = 4, batch = 3, input = 5, hidden = 6, directions = isBoth ? 2 : 1, lengths[] = {4, 3, 1};
  const int gates = cell == CUDNN_LSTM ? 4 : cell == CUDNN_GRU ? 3 : 1;
  cudnnRNNDescriptor_t d;
  cudnnRNNDataDescriptor_t x, y;
  cudnnTensorDescriptor_t state, matrix, bias;
  OK(cudnnCreateRNNDescriptor(&d));
  OK(cudnnCreateRNNDataDescriptor(&x));
  OK(cudnnCreateRNNDataDescriptor(&y));
  cudnnCreateTensorDescriptor(&state);
  cudnnCreateTensorDescriptor(&matrix);
  cudnnCreateTensorDescriptor(&bias);
  OK(cudnnSetRNNDescriptor_v8(d, CUDNN_RNN_ALGO_STANDARD, cell, CUDNN_RNN_DOUBLE_BIAS,
                              isBoth ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT,
                              CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, input, hidden, hidden, layers, nullptr,
                              CUDNN_RNN_PADDED_IO_ENABLED));
  OK(cudnnSetRNNDataDescriptor(x, CUDNN_DATA_FLOAT, layout, steps, batch, input, lengths, nullptr));
  float padding = 7;
  OK(cudnnSetRNNDataDescriptor(y, CUDNN_DATA_FLOAT, layout, steps, batch, hidden * directions, lengths, &padding));
  const int stateDims[] = {layers * directions, batch, hidden}, stateStrides[] = {batch * hidden, hidden, 1};
  cudnnSetTensorNdDescriptor(state, CUDNN_DATA_FLOAT, 3, stateDims, stateStrides);
  size_t weightBytes = 0, workBytes = 0, reserveBytes = 0;
  OK(cudnnGetRNNWeightSpaceSize(h, d, &weightBytes));
  OK(cudnnGetRNNTempSpaceSizes(h, d, CUDNN_FWD_MODE_INFERENCE, x, &workBytes, &reserveBytes));
  std::vector<float> weights(weightBytes / 4);
  for (size_t i = 0; i < weights.size(); i++) weights[i] = (float)element((int)i);
  int total = layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED ? 8 : steps * batch;
  std::vector<float> xs(total * input);
  for (size_t i = 0; i < xs.size(); i++) xs[i] = (float)element((int)i + 1000);
  std::vector<float> h0(layers * directions * batch * hidden);
  for (size_t i = 0; i < h0.size(); i++) h0[i] = (float)element((int)i + 2000);
  float *w = values(weights), *dx = values(xs), *dy = values(std::vector<float>(total * hidden * directions, 9));
  float *hx = values(h0), *hy = values(h0), *cy = values(h0);
  void *work;
  cudaMalloc(&work, workBytes);
#define RUN(BYTES)                                                                                                    \
  cudnnRNNForward(h, d, CUDNN_FWD_MODE_INFERENCE, nullptr, x, dx, y, dy, state, hx, hy, state, hx, cy, weightBytes, w, \
                  BYTES, work, 0, nullptr)
  BAD(RUN(workBytes - 1));
  OK(RUN(workBytes));
  auto place = [&](int step, int image) {
    if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED) return step * batch + image;
    if (layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED) return image * steps + step;
    int before = image;
    for (int length : lengths) before += length < step ? length : step;
    return before;
  };
  std::vector<float> results = read(dy, total * hidden * directions), last = read(hy, h0.size()), cells = read(cy, h0.size());
  double worst = 0;
  for (int image = 0; image < batch; image++) {
    std::vector<std::vector<double>> in(lengths[image]);
    for (int t = 0; t < lengths[image]; t++)
      for (int i = 0; i < input; i++) in[t].push_back(xs[place(t, image) * input + i]);
    for (int layer = 0; layer < layers; layer++) {
      std::vector<std::vector<double>> out(lengths[image], std::vector<double>(hidden * directions));
      for (int direction = 0; direction < directions; direction++) {
        int pseudo = layer * directions + direction;
        std::vector<double> own(hidden), cell0(hidden);
        for (int u = 0; u < hidden; u++) own[u] = cell0[u] = h0[(pseudo * batch + image) * hidden + u];
        for (int turn = 0; turn < lengths[image]; turn++) {
          int t = direction ? lengths[image] - 1 - turn : turn;
          std::vector<double> next(hidden);
          for (int u = 0; u < hidden; u++) {
            double sums[8];
            for (int linear = 0; linear < 2 * gates; linear++) {
              void *m, *b;
              cudnnGetRNNWeightParams(h, d, pseudo, weightBytes, w, linear, matrix, &m, bias, &b);
              int type, rank, dims[3], strides[3];
              cudnnGetTensorNdDescriptor(matrix, 3, (cudnnDataType_t *)&type, &rank, dims, strides);
              const std::vector<double> &from = linear < gates ? in[t] : own;
              if (dims[1] != hidden || dims[2] != (int)from.size()) differs(__LINE__);
              size_t row = ((float *)m - w) + (size_t)u * from.size();
              double sum = weights[((float *)b - w) + u];
              for (size_t i = 0; i < from.size(); i++) sum += weights[row + i] * from[i];
              sums[linear] = sum;
            }
            if (cell == CUDNN_LSTM) {
              cell0[u] = sigmoid(sums[1] + sums[5]) * cell0[u] + sigmoid(sums[0] + sums[4]) * std::tanh(sums[2] + sums[6]);
              next[u] = sigmoid(sums[3] + sums[7]) * std::tanh(cell0[u]);
            } else if (cell == CUDNN_GRU) {
              double r = sigmoid(sums[0] + sums[3]), i = sigmoid(sums[1] + sums[4]);
              next[u] = (1 - i) * std::tanh(sums[2] + r * sums[5]) + i * own[u];
            } else next[u] = cell == CUDNN_RNN_TANH ? std::tanh(sums[0] + sums[1]) : std::fmax(0, sums[0] + sums[1]);
          }
          own = next;
          for (int u = 0; u < hidden; u++) out[t][direction * hidden + u] = own[u];
        }
        for (int u = 0; u < hidden; u++) {
          int at = (pseudo * batch + image) * hidden + u;
          worst = std::fmax(worst, std::fabs(last[at] - own[u]));
          if (cell == CUDNN_LSTM) worst = std::fmax(worst, std::fabs(cells[at] - cell0[u]));
        }
      }
      in = out;
    }
    for (int t = 0; t < lengths[image]; t++)
      for (int i = 0; i < hidden * directions; i++)
        worst = std::fmax(worst, std::fabs(results[place(t, image) * hidden * directions + i] - in[t][i]));
    for (int t = lengths[image]; t < steps && layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED; t++)
      if (results[place(t, image) * hidden * directions] != padding) differs(__LINE__);
  }
  if (!(worst < 1e-5)) {
    printf("cell %d, both %d, layers %d, layout %d: off by %g", cell, isBoth, layers, layout, worst);
    differs(__LINE__);
  }
}

int main() {
  for (int which : {SIGFPE, SIGSEGV, SIGABRT}) std::signal(which, ended);
  cudnnHandle_t h;
  OK(cudnnCreate(&h));
  descriptors(h);
  dropout(h);
  for (int cell = CUDNN_RNN_RELU; cell <= CUDNN_GRU; cell++)
    for (int i = 0; i < 3; i++) recurrent(h, (cudnnRNNMode_t)cell, i > 0, 1 + (i + cell) % 2, (cudnnRNNDataLayout_t)i);
  OK(cudnnDestroy(h));
  if (wrong == 0) printf("PASSED\n");
  return wrong != 0;
}
