// `dnn(device)` of TypeScript over cuDNN: convolutions of images in NCHW and their gradients, softmax.
#include <cudnn.h>
#include "door.h"

namespace {

cudnnHandle_t handle() {
  static cudnnHandle_t made = nullptr;
  if (!made) cudnnCreate(&made);
  return made;
}

struct Tensor {
  cudnnTensorDescriptor_t d;
  Tensor() { cudnnCreateTensorDescriptor(&d); }
  ~Tensor() { cudnnDestroyTensorDescriptor(d); }
};
struct Filter {
  cudnnFilterDescriptor_t d;
  Filter() { cudnnCreateFilterDescriptor(&d); }
  ~Filter() { cudnnDestroyFilterDescriptor(d); }
};
struct Convolution {
  cudnnConvolutionDescriptor_t d;
  Convolution() { cudnnCreateConvolutionDescriptor(&d); }
  ~Convolution() { cudnnDestroyConvolutionDescriptor(d); }
};

/// The factors 1 and 0 in the type that the functions take.
struct Factors {
  float floats[2] = {1, 0};
  double doubles[2] = {1, 0};
  bool isDouble;
  const void *one() const { return isDouble ? (const void *)doubles : floats; }
  const void *zero() const { return isDouble ? (const void *)(doubles + 1) : floats + 1; }
};

/// Work memory of one call.
struct WorkSpace {
  void *memory = nullptr;
  size_t bytes;
  explicit WorkSpace(size_t wanted) : bytes(wanted) {
    if (bytes > 0 && cudaMalloc(&memory, bytes) != cudaSuccess) memory = nullptr;
  }
  bool isThere() const { return memory || bytes == 0; }
  ~WorkSpace() {
    if (memory) cudaFree(memory);
  }
};

enum Direction { FORWARD, INPUT_GRADIENT, FILTER_GRADIENT };

} // namespace

#define HEDDLE_TRY(CALL) if (cudnnStatus_t status = (CALL)) return cudnnGetErrorString(status)

/// FORWARD: y from x and w; INPUT_GRADIENT: x from y and w; FILTER_GRADIENT: w from x and y. bias may be null.
HEDDLE_DOOR(__heddle_door_convolution)(number direction, number type, number images, number channels, number height,
                                       number width, number filters, number ownChannels, number windowHeight,
                                       number windowWidth, number padY, number padX, number strideY, number strideX,
                                       number dilationY, number dilationX, number groups, void *x, void *w,
                                       void *bias, void *y) {
  cudnnDataType_t own = (cudnnDataType_t)type, sums = own == CUDNN_DATA_DOUBLE ? own : CUDNN_DATA_FLOAT;
  Tensor xd, yd, bd;
  Filter wd;
  Convolution conv;
  Factors factors;
  factors.isDouble = own == CUDNN_DATA_DOUBLE;
  HEDDLE_TRY(cudnnSetTensor4dDescriptor(xd.d, CUDNN_TENSOR_NCHW, own, images, channels, height, width));
  HEDDLE_TRY(cudnnSetFilter4dDescriptor(wd.d, own, CUDNN_TENSOR_NCHW, filters, ownChannels, windowHeight, windowWidth));
  HEDDLE_TRY(cudnnSetConvolution2dDescriptor(conv.d, padY, padX, strideY, strideX, dilationY, dilationX,
                                             CUDNN_CROSS_CORRELATION, sums));
  HEDDLE_TRY(cudnnSetConvolutionGroupCount(conv.d, groups));
  int n, c, h, v;
  HEDDLE_TRY(cudnnGetConvolution2dForwardOutputDim(conv.d, xd.d, wd.d, &n, &c, &h, &v));
  HEDDLE_TRY(cudnnSetTensor4dDescriptor(yd.d, CUDNN_TENSOR_NCHW, own, n, c, h, v));
  // The algorithm that cuDNN prefers; one without work memory where there is none.
  int count;
  if (direction == FORWARD) {
    cudnnConvolutionFwdAlgoPerf_t best;
    HEDDLE_TRY(cudnnGetConvolutionForwardAlgorithm_v7(handle(), xd.d, wd.d, conv.d, yd.d, 1, &count, &best));
    WorkSpace work(best.memory);
    HEDDLE_TRY(cudnnConvolutionForward(handle(), factors.one(), xd.d, x, wd.d, w, conv.d,
                                       work.isThere() ? best.algo : CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                       work.memory, work.isThere() ? work.bytes : 0, factors.zero(), yd.d, y));
    if (bias) {
      HEDDLE_TRY(cudnnSetTensor4dDescriptor(bd.d, CUDNN_TENSOR_NCHW, own, 1, c, 1, 1));
      HEDDLE_TRY(cudnnAddTensor(handle(), factors.one(), bd.d, bias, factors.one(), yd.d, y));
    }
  } else if (direction == INPUT_GRADIENT) {
    cudnnConvolutionBwdDataAlgoPerf_t best;
    HEDDLE_TRY(cudnnGetConvolutionBackwardDataAlgorithm_v7(handle(), wd.d, yd.d, conv.d, xd.d, 1, &count, &best));
    WorkSpace work(best.memory);
    HEDDLE_TRY(cudnnConvolutionBackwardData(handle(), factors.one(), wd.d, w, yd.d, y, conv.d,
                                            work.isThere() ? best.algo : CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, work.memory,
                                            work.isThere() ? work.bytes : 0, factors.zero(), xd.d, x));
  } else {
    HEDDLE_TRY(cudnnConvolutionBackwardFilter(handle(), factors.one(), xd.d, x, yd.d, y, conv.d,
                                              CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, nullptr, 0, factors.zero(), wd.d,
                                              w));
  }
  return heddle_door::finished();
}

/// Over rows of `columns` elements.
HEDDLE_DOOR(__heddle_door_softmax)(number type, number rows, number columns, number isLogarithm, void *x, void *y) {
  Tensor xd;
  Factors factors;
  factors.isDouble = type == CUDNN_DATA_DOUBLE;
  HEDDLE_TRY(cudnnSetTensor4dDescriptor(xd.d, CUDNN_TENSOR_NCHW, (cudnnDataType_t)type, rows, columns, 1, 1));
  HEDDLE_TRY(cudnnSoftmaxForward(handle(), isLogarithm ? CUDNN_SOFTMAX_LOG : CUDNN_SOFTMAX_ACCURATE,
                                 CUDNN_SOFTMAX_MODE_INSTANCE, factors.one(), xd.d, x, factors.zero(), xd.d, y));
  return heddle_door::finished();
}
