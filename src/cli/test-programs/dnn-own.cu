// Heddle's own cuDNN where NVIDIA's promises nothing: calls that are undefined there, and what is preferred here.
#include <cstdio>
#include <cudnn.h>

static int wrong = 0;
#define SAME(IS, WANTED)                                                           \
  do {                                                                             \
    int is = (int)(IS), wanted = (int)(WANTED);                                    \
    if (is != wanted) {                                                            \
      printf("line %d: %s is %d, and not %s\n", __LINE__, #IS, is, #WANTED);       \
      wrong++;                                                                     \
    }                                                                              \
  } while (0)
#define OK(CALL) SAME(CALL, CUDNN_STATUS_SUCCESS)
#define BAD(CALL) SAME(CALL, CUDNN_STATUS_BAD_PARAM)
#define NOT_HERE(CALL) SAME(CALL, CUDNN_STATUS_NOT_SUPPORTED)

static float *data, one = 1, zero = 0;
struct Convolution {
  cudnnTensorDescriptor_t x, y;
  cudnnFilterDescriptor_t w;
  cudnnConvolutionDescriptor_t conv;
  Convolution() {
    OK(cudnnCreateTensorDescriptor(&x));
    OK(cudnnCreateTensorDescriptor(&y));
    OK(cudnnCreateFilterDescriptor(&w));
    OK(cudnnCreateConvolutionDescriptor(&conv));
  }
  void set(cudnnTensorFormat_t format, cudnnDataType_t type, int channels, int window) {
    OK(cudnnSetTensor4dDescriptor(x, format, type, 1, channels, 8, 8));
    OK(cudnnSetTensor4dDescriptor(y, format, type, 1, channels, 8, 8));
    OK(cudnnSetFilter4dDescriptor(w, type, format, channels, channels, window, window));
    cudnnDataType_t sums = type == CUDNN_DATA_DOUBLE ? type : type == CUDNN_DATA_INT8 ? CUDNN_DATA_INT32 : CUDNN_DATA_FLOAT;
    OK(cudnnSetConvolution2dDescriptor(conv, window / 2, window / 2, 1, 1, 1, 1, CUDNN_CONVOLUTION, sums));
  }
  cudnnStatus_t forward(cudnnHandle_t h, int algo, size_t *bytes) {
    return cudnnGetConvolutionForwardWorkspaceSize(h, x, w, conv, y, (cudnnConvolutionFwdAlgo_t)algo, bytes);
  }
  cudnnStatus_t backData(cudnnHandle_t h, int algo, size_t *bytes) {
    return cudnnGetConvolutionBackwardDataWorkspaceSize(h, w, y, conv, x, (cudnnConvolutionBwdDataAlgo_t)algo, bytes);
  }
  cudnnStatus_t backFilter(cudnnHandle_t h, int algo, size_t *bytes) {
    return cudnnGetConvolutionBackwardFilterWorkspaceSize(h, x, y, conv, w, (cudnnConvolutionBwdFilterAlgo_t)algo, bytes);
  }
  cudnnStatus_t run(cudnnHandle_t h, int algo, void *work, size_t bytes) {
    return cudnnConvolutionForward(h, &one, x, data, w, data, conv, (cudnnConvolutionFwdAlgo_t)algo, work, bytes, &zero,
                                   y, data + 8192);
  }
};

/// With many channels Winograd's algorithm comes first in all functions that choose.
static void preferred(cudnnHandle_t h) {
  for (int window : {3, 5}) {
    Convolution c;
    c.set(CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 24, window);
    cudnnConvolutionFwdAlgoPerf_t found[8];
    int count;
    OK(cudnnGetConvolutionForwardAlgorithm_v7(h, c.x, c.w, c.conv, c.y, 8, &count, found));
    SAME(count, 8);
    SAME(found[0].algo, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED);
    SAME(found[0].memory > 0, 1);
    SAME(found[1].algo, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM);
    SAME(found[7].status, CUDNN_STATUS_NOT_SUPPORTED);
    cudnnConvolutionBwdDataAlgoPerf_t back[8];
    OK(cudnnGetConvolutionBackwardDataAlgorithm_v7(h, c.w, c.y, c.conv, c.x, 1, &count, back));
    SAME(back[0].algo, CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED);
    c.set(CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, 24, window);
    OK(cudnnGetConvolutionForwardAlgorithm_v7(h, c.x, c.w, c.conv, c.y, 1, &count, found));
    SAME(found[0].algo, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
  }
}
/// The algorithms that an H200 has, by their numbers. w: Winograd in one step, which GPUs before it have.
static void algorithms(cudnnHandle_t h) {
  int major = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  struct { cudnnTensorFormat_t format; cudnnDataType_t type; int channels; const char *forward, *backData, *backFilter; } all[] = {
      {CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, "111011w10", "1111w100", "11110110"},
      {CUDNN_TENSOR_NCHW, CUDNN_DATA_DOUBLE, 4, "111000000", "11000000", "11010000"},
      {CUDNN_TENSOR_NCHW, CUDNN_DATA_BFLOAT16, 4, "111000010", "11000100", "11010100"},
      {CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, 4, "110000000", "11000000", "11000000"},
      {CUDNN_TENSOR_NHWC, CUDNN_DATA_DOUBLE, 4, "110000000", "00000000", "00000000"},
      {CUDNN_TENSOR_NHWC, CUDNN_DATA_INT8, 4, "110000000", "00000000", "00000000"},
      {CUDNN_TENSOR_NHWC, CUDNN_DATA_INT8, 3, "000000000", "00000000", "00000000"},
      {CUDNN_TENSOR_NCHW, CUDNN_DATA_INT8, 4, "000000000", "00000000", "00000000"},
  };
  for (auto &row : all) {
    Convolution c;
    c.set(row.format, row.type, row.channels, 3);
    size_t bytes;
    auto is = [&](const char *expected, int algo, cudnnStatus_t status) {
      bool isThere = expected[algo] == '1' || (expected[algo] == 'w' && major < 9);
      cudnnStatus_t wanted = isThere ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
      if (status == wanted) return;
      printf("type %d, format %d, %s, algorithm %d: %d\n", (int)row.type, (int)row.format, expected, algo, (int)status);
      wrong++;
    };
    for (int algo = 0; algo < 9; algo++) is(row.forward, algo, c.forward(h, algo, &bytes));
    for (int algo = 0; algo < 8; algo++) is(row.backData, algo, c.backData(h, algo, &bytes));
    for (int algo = 0; algo < 8; algo++) is(row.backFilter, algo, c.backFilter(h, algo, &bytes));
  }
  // gradients read one operand without gaps
  Convolution c;
  size_t bytes;
  c.set(CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, 3);
  OK(cudnnSetTensor4dDescriptorEx(c.x, CUDNN_DATA_FLOAT, 1, 4, 8, 8, 300, 73, 9, 1));
  OK(c.forward(h, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, &bytes));
  OK(c.backData(h, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, &bytes));
  NOT_HERE(c.backFilter(h, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, &bytes));
  c.set(CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, 3);
  OK(cudnnSetTensor4dDescriptorEx(c.y, CUDNN_DATA_FLOAT, 1, 4, 8, 8, 300, 73, 9, 1));
  NOT_HERE(c.backData(h, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, &bytes));
  OK(c.backFilter(h, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, &bytes));
}

int main() {
  cudnnHandle_t h, gone;
  OK(cudnnCreate(&h));
  cudaMalloc((void **)&data, 65536);
  preferred(h);
  algorithms(h);
  Convolution c;
  int n, k, height, width;
  OK(cudnnSetTensor4dDescriptor(c.x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 4, 8, 8));
  OK(cudnnSetFilter4dDescriptor(c.w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 4, 4, 3, 3));
  BAD(cudnnGetConvolution2dForwardOutputDim(c.conv, c.x, c.w, &n, &k, &height, &width)); // it is not set
  c.set(CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, 3);
  size_t bytes;
  void *work;
  const int steps = CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED;
  OK(c.forward(h, steps, &bytes));
  cudaMalloc(&work, bytes);
  BAD(c.run(h, steps, nullptr, 0)); // its work space is not there
  BAD(c.run(h, steps, work, bytes - 1));
  OK(c.run(h, steps, work, bytes));
  OK(c.run(h, CUDNN_CONVOLUTION_FWD_ALGO_GEMM, nullptr, 0)); // it needs none
  OK(cudnnDestroyTensorDescriptor(c.y));
  BAD(c.run(h, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0)); // it is destroyed
  BAD(cudnnDestroyTensorDescriptor(c.y));
  OK(cudnnCreate(&gone));
  OK(cudnnDestroy(gone));
  SAME(cudnnSetStream(gone, 0), CUDNN_STATUS_NOT_INITIALIZED);
  OK(cudnnDestroy(h));
  if (wrong == 0) printf("PASSED\n");
  return wrong != 0;
}
