// Calls of cuDNN while a stream is captured.
#pragma once
#include <cudnn.h>
#include "capture-cases.h"

struct Dnn : Memory {
  static constexpr const char *LIBRARY = "cudnn";
  static constexpr int COUNT = 2 * 4 * 8 * 8;
  static std::string name_of(int status) { return cudnnGetErrorString((cudnnStatus_t)status); }
  cudnnHandle_t h = nullptr, made = nullptr;
  cudnnTensorDescriptor_t tensor = nullptr, small = nullptr, another = nullptr;
  cudnnFilterDescriptor_t filter = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  cudnnActivationDescriptor_t activation = nullptr;
  cudnnReduceTensorDescriptor_t reduction = nullptr;
  cudnnDropoutDescriptor_t dropout = nullptr;
  float *x, *y, *w, *mean, *variance, *scale, *bias;
  void *work, *states, *reserve;
  size_t states_size = 0, reserve_size = 0, size = 0;
  float one = 1, zero = 0;
  int count = 0;
  cudnnConvolutionFwdAlgoPerf_t found[8];
  cudnnStatus_t asynchronous = CUDNN_STATUS_SUCCESS;
  static constexpr size_t WORK = 8 << 20;

  explicit Dnn(cudaStream_t stream) : Memory(stream) {
    x = of(std::vector<float>(COUNT, 1)), y = of(std::vector<float>(COUNT)), w = of(std::vector<float>(4 * 4 * 9, 1));
    mean = of(std::vector<float>(4)), variance = of(std::vector<float>(4, 1));
    scale = of(std::vector<float>(4, 1)), bias = of(std::vector<float>(4));
    work = bytes(WORK);
    NEED(cudnnCreate(&h));
    NEED(cudnnSetStream(h, stream));
    NEED(cudnnCreateTensorDescriptor(&tensor));
    NEED(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 4, 8, 8));
    NEED(cudnnCreateTensorDescriptor(&small));
    NEED(cudnnSetTensor4dDescriptor(small, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 4, 1, 1));
    NEED(cudnnCreateFilterDescriptor(&filter));
    NEED(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 4, 4, 3, 3));
    NEED(cudnnCreateConvolutionDescriptor(&convolution));
    NEED(cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    NEED(cudnnCreateActivationDescriptor(&activation));
    NEED(cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));
    NEED(cudnnCreateReduceTensorDescriptor(&reduction));
    NEED(cudnnSetReduceTensorDescriptor(reduction, CUDNN_REDUCE_TENSOR_ADD, CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN,
                                        CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES));
    NEED(cudnnDropoutGetStatesSize(h, &states_size));
    NEED(cudnnDropoutGetReserveSpaceSize(tensor, &reserve_size));
    states = bytes(states_size), reserve = bytes(reserve_size);
    NEED(cudnnCreateDropoutDescriptor(&dropout));
  }
  ~Dnn() {
    if (dropout) cudnnDestroyDropoutDescriptor(dropout);
    if (reduction) cudnnDestroyReduceTensorDescriptor(reduction);
    if (activation) cudnnDestroyActivationDescriptor(activation);
    if (convolution) cudnnDestroyConvolutionDescriptor(convolution);
    if (filter) cudnnDestroyFilterDescriptor(filter);
    if (small) cudnnDestroyTensorDescriptor(small);
    if (another) cudnnDestroyTensorDescriptor(another);
    if (tensor) cudnnDestroyTensorDescriptor(tensor);
    if (h) cudnnDestroy(h);
    if (made) cudnnDestroy(made);
  }
  int convolve() {
    return cudnnConvolutionForward(h, &one, tensor, x, filter, w, convolution,
                                   CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, work, WORK, &zero, tensor, y);
  }
  int activate() { return cudnnActivationForward(h, activation, &one, tensor, x, &zero, tensor, y); }
  int start_dropout() { return cudnnSetDropoutDescriptor(dropout, h, 0.5f, states, states_size, 1); }
  int query(cudnnErrQueryMode_t mode) { return cudnnQueryRuntimeError(h, &asynchronous, mode, nullptr); }
};

static void dnn_cases() {
  using S = Dnn;
  auto on_default = [](S &s) { NEED(cudnnSetStream(s.h, nullptr)); };
  first<S>("ActivationForward, first call", [](S &s) { return s.activate(); });
  again<S>("ActivationForward", [](S &s) { return s.activate(); });
  captured<S>("ActivationForward, on the default stream", [](S &s) { return s.activate(); }, on_default);
  first<S>("ConvolutionForward, first call", [](S &s) { return s.convolve(); });
  again<S>("ConvolutionForward", [](S &s) { return s.convolve(); });
  again<S>("SoftmaxForward", [](S &s) {
    return (int)cudnnSoftmaxForward(s.h, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &s.one, s.tensor, s.x,
                                    &s.zero, s.tensor, s.y);
  });
  again<S>("BatchNormalizationForwardTraining", [](S &s) {
    return (int)cudnnBatchNormalizationForwardTraining(s.h, CUDNN_BATCHNORM_SPATIAL, &s.one, &s.zero, s.tensor, s.x,
                                                       s.tensor, s.y, s.small, s.scale, s.bias, 0.1, s.mean,
                                                       s.variance, 1e-5, nullptr, nullptr);
  });
  again<S>("ReduceTensor", [](S &s) {
    return (int)cudnnReduceTensor(s.h, s.reduction, nullptr, 0, s.work, S::WORK, &s.one, s.tensor, s.x, &s.zero,
                                  s.small, s.mean);
  });
  captured<S>("DropoutForward", [](S &s) {
    return (int)cudnnDropoutForward(s.h, s.dropout, s.tensor, s.x, s.tensor, s.y, s.reserve, s.reserve_size);
  }, [](S &s) { NEED(s.start_dropout()); });
  first<S>("SetDropoutDescriptor", [](S &s) { return s.start_dropout(); });
  captured<S>("RestoreDropoutDescriptor", [](S &s) {
    return (int)cudnnRestoreDropoutDescriptor(s.dropout, s.h, 0.5f, s.states, s.states_size, 1);
  }, [](S &s) { NEED(s.start_dropout()); });
  first<S>("DropoutGetStatesSize", [](S &s) { return (int)cudnnDropoutGetStatesSize(s.h, &s.size); });
  first<S>("GetConvolutionForwardWorkspaceSize", [](S &s) {
    return (int)cudnnGetConvolutionForwardWorkspaceSize(s.h, s.tensor, s.filter, s.convolution, s.tensor,
                                                        CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, &s.size);
  });
  first<S>("GetConvolutionForwardAlgorithm_v7", [](S &s) {
    return (int)cudnnGetConvolutionForwardAlgorithm_v7(s.h, s.tensor, s.filter, s.convolution, s.tensor, 4, &s.count,
                                                       s.found);
  });
  first<S>("FindConvolutionForwardAlgorithm", [](S &s) {
    return (int)cudnnFindConvolutionForwardAlgorithm(s.h, s.tensor, s.filter, s.convolution, s.tensor, 1, &s.count,
                                                     s.found);
  });
  first<S>("FindConvolutionForwardAlgorithmEx", [](S &s) {
    return (int)cudnnFindConvolutionForwardAlgorithmEx(s.h, s.tensor, s.x, s.filter, s.w, s.convolution, s.tensor, s.y,
                                                       1, &s.count, s.found, s.work, S::WORK);
  });
  captured<S>("SetStream, to the captured one", [](S &s) { return (int)cudnnSetStream(s.h, s.stream); }, on_default);
  first<S>("SetStream, to another one", [](S &s) { return (int)cudnnSetStream(s.h, s.other); });
  captured<S>("SetStream and ActivationForward", [](S &s) {
    int status = cudnnSetStream(s.h, s.stream);
    return status != 0 ? status : s.activate();
  }, on_default);
  first<S>("CreateTensorDescriptor", [](S &s) { return (int)cudnnCreateTensorDescriptor(&s.another); });
  first<S>("QueryRuntimeError, without a wait", [](S &s) { return s.query(CUDNN_ERRQUERY_NONBLOCKING); });
  first<S>("QueryRuntimeError, with a wait", [](S &s) { return s.query(CUDNN_ERRQUERY_BLOCKING); });
  first<S>("Create", [](S &s) { return (int)cudnnCreate(&s.made); });
  again<S>("Destroy, after a call", [](S &s) {
    // The first call is before the capture.
    if (s.count++ == 0) return s.activate();
    int status = cudnnDestroy(s.h);
    s.h = nullptr;
    return status;
  });
}
