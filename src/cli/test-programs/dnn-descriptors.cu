// Runs cuDNN's operations on the descriptors of a file, a line each, and prints the status and all memory of the
// results. Elements follow from the seed and the place in memory (dnn-descriptors.test-helper.ts).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cudnn.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

typedef std::vector<double> Numbers;
static cudnnHandle_t handle;

static unsigned hashed(unsigned seed, unsigned at) {
  unsigned x = seed * 2654435761u + at * 2246822519u + 374761393u;
  x = (x ^ (x >> 15)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return x ^ (x >> 16);
}
static double number(unsigned seed, unsigned at) { return ((int)(hashed(seed, at) & 15) - 8) / 4.0; }

static size_t size_of(int type) {
  return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_INT32 ? 4
       : type == CUDNN_DATA_INT8 ? 1 : 2;
}
static void put(void *data, int type, size_t at, double value) {
  switch (type) {
    case CUDNN_DATA_FLOAT: ((float *)data)[at] = (float)value; break;
    case CUDNN_DATA_DOUBLE: ((double *)data)[at] = value; break;
    case CUDNN_DATA_HALF: ((__half *)data)[at] = __float2half((float)value); break;
    case CUDNN_DATA_BFLOAT16: ((__nv_bfloat16 *)data)[at] = __float2bfloat16((float)value); break;
    case CUDNN_DATA_INT32: ((int *)data)[at] = (int)value; break;
    default: ((signed char *)data)[at] = (signed char)value;
  }
}
static double get(const void *data, int type, size_t at) {
  switch (type) {
    case CUDNN_DATA_FLOAT: return ((const float *)data)[at];
    case CUDNN_DATA_DOUBLE: return ((const double *)data)[at];
    case CUDNN_DATA_HALF: return __half2float(((const __half *)data)[at]);
    case CUDNN_DATA_BFLOAT16: return __bfloat162float(((const __nv_bfloat16 *)data)[at]);
    case CUDNN_DATA_INT32: return ((const int *)data)[at];
    default: return ((const signed char *)data)[at];
  }
}

struct Array {
  int type;
  size_t count;
  char *data = nullptr;
  Array(int type, size_t count, unsigned seed, bool isPositive = false) : type(type), count(count) {
    std::vector<char> host(count * size_of(type));
    double scale = type == CUDNN_DATA_INT8 || type == CUDNN_DATA_INT32 ? 4 : 1;
    for (size_t i = 0; i < count; i++) {
      double value = scale * number(seed, (unsigned)i);
      put(host.data(), type, i, isPositive ? (value < 0 ? -value : value) + 0.25 : value);
    }
    cudaMalloc(&data, host.size());
    cudaMemcpy(data, host.data(), host.size(), cudaMemcpyHostToDevice);
  }
  ~Array() { cudaFree(data); }
  void print() const {
    std::vector<char> host(count * size_of(type));
    cudaMemcpy(host.data(), data, host.size(), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < count; i++) printf(" %.9g", get(host.data(), type, i));
  }
};

struct Case {
  char op[16];
  int type, layout, n, c, h, w, k, r, s, pad, stride, dilation, groups, mode, algo, extra;
  unsigned seed;
};
static void describe(cudnnTensorDescriptor_t d, int type, int layout, int n, int c, int h, int w) {
  cudnnDataType_t t = (cudnnDataType_t)type;
  if (layout == 2) {
    int row = w + 1, plane = h * row + 2;
    cudnnSetTensor4dDescriptorEx(d, t, n, c, h, w, c * plane + 3, plane, row, 1);
  } else cudnnSetTensor4dDescriptor(d, layout == 1 ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, t, n, c, h, w);
}
struct Tensor {
  cudnnTensorDescriptor_t d;
  int type;
  Tensor(int type, int layout, int n, int c, int h, int w) : type(type) {
    cudnnCreateTensorDescriptor(&d);
    describe(d, type, layout, n, c, h, w);
  }
  ~Tensor() { cudnnDestroyTensorDescriptor(d); }
  Array array(unsigned seed, bool isPositive = false) const {
    size_t bytes;
    cudnnGetTensorSizeInBytes(d, &bytes);
    return Array(type, bytes / size_of(type), seed, isPositive);
  }
};

static void run(const Case &c) {
  float floats[] = {0, 1, 2, -1};
  double doubles[] = {0, 1, 2, -1};
  auto factor = [&](int i) { return c.type == CUDNN_DATA_DOUBLE ? (const void *)&doubles[i] : &floats[i]; };
  const void *alpha = factor(1 + (int)(c.seed % 2)), *beta = factor(c.seed % 3 == 0 ? 0 : 3), *one = factor(1),
             *zero = factor(0);
  std::string op = c.op;
  int sums = c.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : c.type == CUDNN_DATA_INT8 ? CUDNN_DATA_INT32 : CUDNN_DATA_FLOAT;
  int results = c.type == CUDNN_DATA_INT8 && c.extra % 2 ? CUDNN_DATA_FLOAT : c.type;
  Tensor x(c.type, c.layout, c.n, c.c, c.h, c.w);
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  auto end = [&](std::initializer_list<const Array *> arrays) {
    // after a fault of a kernel no call is right any more, and the case has no line
    if (cudaError_t error = cudaDeviceSynchronize()) {
      fprintf(stderr, "%s: %s\n", c.op, cudaGetErrorString(error));
      exit(1);
    }
    printf("%d", (int)status);
    if (status == 0) for (const Array *array : arrays) array->print();
    printf("\n");
    fflush(stdout);
  };
  if (op == "fwd" || op == "bwdd" || op == "bwdf" || op == "fused") {
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t conv;
    cudnnCreateFilterDescriptor(&w);
    cudnnCreateConvolutionDescriptor(&conv);
    cudnnSetFilter4dDescriptor(w, (cudnnDataType_t)c.type, c.layout == 1 ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, c.k,
                               c.c / c.groups, c.r, c.s);
    cudnnSetConvolution2dDescriptor(conv, c.pad, c.pad, c.stride, c.stride, c.dilation, c.dilation,
                                    (cudnnConvolutionMode_t)c.mode, (cudnnDataType_t)sums);
    cudnnSetConvolutionGroupCount(conv, c.groups);
    int n, k, h, v;
    status = cudnnGetConvolution2dForwardOutputDim(conv, x.d, w, &n, &k, &h, &v);
    if (status) return end({});
    Tensor y(results, c.layout, n, k, h, v), bias(results, 0, 1, k, 1, 1);
    Array ws(c.type, (size_t)c.k * (c.c / c.groups) * c.r * c.s, c.seed + 1);
    Array xs = x.array(op == "bwdd" ? c.seed + 2 : c.seed), ys = y.array(op == "bwdf" || op == "bwdd" ? c.seed : c.seed + 2);
    Array zs = y.array(c.seed + 3), bs = bias.array(c.seed + 4);
    size_t bytes = 0;
    if (op == "bwdd")
      status = cudnnGetConvolutionBackwardDataWorkspaceSize(handle, w, y.d, conv, x.d, (cudnnConvolutionBwdDataAlgo_t)c.algo, &bytes);
    else if (op == "bwdf")
      status = cudnnGetConvolutionBackwardFilterWorkspaceSize(handle, x.d, y.d, conv, w, (cudnnConvolutionBwdFilterAlgo_t)c.algo, &bytes);
    else
      status = cudnnGetConvolutionForwardWorkspaceSize(handle, x.d, w, conv, y.d, (cudnnConvolutionFwdAlgo_t)c.algo, &bytes);
    char *work = nullptr;
    if (bytes) cudaMalloc(&work, bytes);
    if (!status && op == "fwd")
      status = cudnnConvolutionForward(handle, alpha, x.d, xs.data, w, ws.data, conv, (cudnnConvolutionFwdAlgo_t)c.algo,
                                       work, bytes, beta, y.d, ys.data);
    else if (!status && op == "bwdd")
      status = cudnnConvolutionBackwardData(handle, alpha, w, ws.data, y.d, ys.data, conv,
                                            (cudnnConvolutionBwdDataAlgo_t)c.algo, work, bytes, beta, x.d, xs.data);
    else if (!status && op == "bwdf")
      status = cudnnConvolutionBackwardFilter(handle, alpha, x.d, xs.data, y.d, ys.data, conv,
                                              (cudnnConvolutionBwdFilterAlgo_t)c.algo, work, bytes, beta, w, ws.data);
    else if (!status) {
      cudnnActivationDescriptor_t relu;
      cudnnCreateActivationDescriptor(&relu);
      cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0);
      status = cudnnConvolutionBiasActivationForward(handle, alpha, x.d, xs.data, w, ws.data, conv,
                                                     (cudnnConvolutionFwdAlgo_t)c.algo, work, bytes, beta, y.d, zs.data,
                                                     bias.d, bs.data, relu, y.d, ys.data);
      cudnnDestroyActivationDescriptor(relu);
    }
    end({op == "bwdd" ? &xs : op == "bwdf" ? &ws : &ys});
    cudaFree(work);
    cudnnDestroyFilterDescriptor(w);
    cudnnDestroyConvolutionDescriptor(conv);
  } else if (op == "bias") {
    Tensor b(c.type, 0, 1, c.c, 1, 1);
    Array dy = x.array(c.seed), db = b.array(c.seed + 1);
    status = cudnnConvolutionBackwardBias(handle, alpha, x.d, dy.data, beta, b.d, db.data);
    end({&db});
  } else if (op == "pool" || op == "poolb") {
    cudnnPoolingDescriptor_t pooling;
    cudnnCreatePoolingDescriptor(&pooling);
    cudnnSetPooling2dDescriptor(pooling, (cudnnPoolingMode_t)(c.extra % 4), CUDNN_NOT_PROPAGATE_NAN, c.r, c.s, c.pad, c.pad,
                                c.stride, c.stride);
    int n, k, h, w;
    status = cudnnGetPooling2dForwardOutputDim(pooling, x.d, &n, &k, &h, &w);
    if (status) return end({});
    Tensor y(c.type, c.layout, n, k, h, w);
    Array xs = x.array(c.seed), ys = y.array(c.seed + 1), dy = y.array(c.seed + 2), dx = x.array(c.seed + 3);
    bool isBack = op == "poolb";
    status = cudnnPoolingForward(handle, pooling, isBack ? one : alpha, x.d, xs.data, isBack ? zero : beta, y.d, ys.data);
    if (!status && isBack)
      status = cudnnPoolingBackward(handle, pooling, alpha, y.d, ys.data, y.d, dy.data, x.d, xs.data, beta, x.d, dx.data);
    end({isBack ? &dx : &ys});
    cudnnDestroyPoolingDescriptor(pooling);
  } else if (op == "act" || op == "actb") {
    cudnnActivationDescriptor_t d;
    cudnnCreateActivationDescriptor(&d);
    cudnnSetActivationDescriptor(d, (cudnnActivationMode_t)(c.extra % 7), CUDNN_NOT_PROPAGATE_NAN, 0.75);
    Array xs = x.array(c.seed), ys = x.array(c.seed + 1), dy = x.array(c.seed + 2), dx = x.array(c.seed + 3);
    bool isBack = op == "actb";
    status = cudnnActivationForward(handle, d, isBack ? one : alpha, x.d, xs.data, isBack ? zero : beta, x.d, ys.data);
    if (!status && isBack)
      status = cudnnActivationBackward(handle, d, alpha, x.d, ys.data, x.d, dy.data, x.d, xs.data, beta, x.d, dx.data);
    end({isBack ? &dx : &ys});
    cudnnDestroyActivationDescriptor(d);
  } else if (op == "soft" || op == "softb") {
    Array xs = x.array(c.seed), ys = x.array(c.seed + 1), dy = x.array(c.seed + 2), dx = x.array(c.seed + 3);
    auto algo = (cudnnSoftmaxAlgorithm_t)(c.extra % 3);
    auto mode = (cudnnSoftmaxMode_t)c.mode;
    bool isBack = op == "softb";
    status = cudnnSoftmaxForward(handle, algo, mode, isBack ? one : alpha, x.d, xs.data, isBack ? zero : beta, x.d, ys.data);
    if (!status && isBack)
      status = cudnnSoftmaxBackward(handle, algo, mode, alpha, x.d, ys.data, x.d, dy.data, beta, x.d, dx.data);
    end({isBack ? &dx : &ys});
  } else if (op == "bn" || op == "bni" || op == "bnb") {
    auto mode = (cudnnBatchNormMode_t)(c.extra % 3);
    cudnnTensorDescriptor_t derived;
    cudnnCreateTensorDescriptor(&derived);
    cudnnDeriveBNTensorDescriptor(derived, x.d, mode);
    size_t bytes;
    cudnnGetTensorSizeInBytes(derived, &bytes);
    size_t count = bytes / size_of(sums);
    Array xs = x.array(c.seed), ys = x.array(c.seed + 1), dy = x.array(c.seed + 2);
    Array scale(sums, count, c.seed + 3), bias(sums, count, c.seed + 4), mean(sums, count, c.seed + 5);
    Array variance(sums, count, c.seed + 6, true), saved(sums, count, 1), inverse(sums, count, 1);
    if (op == "bni")
      status = cudnnBatchNormalizationForwardInference(handle, mode, alpha, beta, x.d, xs.data, x.d, ys.data, derived,
                                                       scale.data, bias.data, mean.data, variance.data, 0.125);
    else
      status = cudnnBatchNormalizationForwardTraining(handle, mode, alpha, beta, x.d, xs.data, x.d, ys.data, derived,
                                                      scale.data, bias.data, 0.25, mean.data, variance.data, 0.125,
                                                      saved.data, inverse.data);
    if (!status && op == "bnb") {
      Array dx = x.array(c.seed + 7), dScale(sums, count, c.seed + 8), dBias(sums, count, c.seed + 9);
      bool isSaved = c.seed % 2;
      status = cudnnBatchNormalizationBackward(handle, mode, alpha, beta, one, beta, x.d, xs.data, x.d, dy.data, x.d,
                                               dx.data, derived, scale.data, dScale.data, dBias.data, 0.125,
                                               isSaved ? saved.data : nullptr, isSaved ? inverse.data : nullptr);
      end({&dx, &dScale, &dBias});
    } else if (op == "bn") end({&ys, &mean, &variance, &saved, &inverse});
    else end({&ys});
    cudnnDestroyTensorDescriptor(derived);
  } else if (op == "lrn" || op == "lrnb") {
    cudnnLRNDescriptor_t d;
    cudnnCreateLRNDescriptor(&d);
    cudnnSetLRNDescriptor(d, 1 + c.extra % 5, 0.5, 0.75, 1);
    Array xs = x.array(c.seed), ys = x.array(c.seed + 1), dy = x.array(c.seed + 2), dx = x.array(c.seed + 3);
    bool isBack = op == "lrnb";
    status = cudnnLRNCrossChannelForward(handle, d, CUDNN_LRN_CROSS_CHANNEL_DIM1, isBack ? one : alpha, x.d, xs.data,
                                         isBack ? zero : beta, x.d, ys.data);
    if (!status && isBack)
      status = cudnnLRNCrossChannelBackward(handle, d, CUDNN_LRN_CROSS_CHANNEL_DIM1, alpha, x.d, ys.data, x.d, dy.data,
                                            x.d, xs.data, beta, x.d, dx.data);
    end({isBack ? &dx : &ys});
    cudnnDestroyLRNDescriptor(d);
  } else if (op == "red") {
    cudnnReduceTensorDescriptor_t d;
    cudnnCreateReduceTensorDescriptor(&d);
    cudnnSetReduceTensorDescriptor(d, (cudnnReduceTensorOp_t)(c.extra % 9), (cudnnDataType_t)sums, CUDNN_NOT_PROPAGATE_NAN,
                                   CUDNN_REDUCE_TENSOR_FLATTENED_INDICES, CUDNN_32BIT_INDICES);
    int m = (int)c.seed;
    Tensor y(c.type, 0, m & 2 ? 1 : c.n, m & 4 ? 1 : c.c, m & 8 ? 1 : c.h, m & 16 ? 1 : c.w);
    Array xs = x.array(c.seed), ys = y.array(c.seed + 1);
    size_t bytes = 0, indexBytes = 0;
    cudnnGetReductionWorkspaceSize(handle, d, x.d, y.d, &bytes);
    cudnnGetReductionIndicesSize(handle, d, x.d, y.d, &indexBytes);
    Array indices(CUDNN_DATA_INT32, indexBytes / 4 + 1, 1);
    char *work = nullptr;
    if (bytes) cudaMalloc(&work, bytes);
    status = cudnnReduceTensor(handle, d, indices.data, indexBytes, work, bytes, alpha, x.d, xs.data, beta, y.d, ys.data);
    bool hasIndices = c.extra % 9 >= CUDNN_REDUCE_TENSOR_MIN && c.extra % 9 <= CUDNN_REDUCE_TENSOR_AMAX;
    indices.count = hasIndices ? ys.count : 0;
    end({&ys, &indices});
    cudaFree(work);
    cudnnDestroyReduceTensorDescriptor(d);
  } else if (op == "opt" || op == "add") {
    cudnnOpTensorDescriptor_t d;
    cudnnCreateOpTensorDescriptor(&d);
    cudnnSetOpTensorDescriptor(d, (cudnnOpTensorOp_t)(c.extra % 6), (cudnnDataType_t)sums, CUDNN_NOT_PROPAGATE_NAN);
    int m = (int)c.seed;
    Tensor b(c.type, c.algo % 3, m & 2 ? 1 : c.n, m & 4 ? 1 : c.c, m & 8 ? 1 : c.h, m & 16 ? 1 : c.w);
    Array xs = x.array(c.seed, true), bs = b.array(c.seed + 1), ys = x.array(c.seed + 2);
    if (op == "add") status = cudnnAddTensor(handle, alpha, b.d, bs.data, beta, x.d, ys.data);
    else status = cudnnOpTensor(handle, d, alpha, x.d, xs.data, one, b.d, bs.data, beta, x.d, ys.data);
    end({&ys});
    cudnnDestroyOpTensorDescriptor(d);
  } else if (op == "trans") {
    Tensor y(c.type, c.algo % 3, c.n, c.c, c.h, c.w);
    Array xs = x.array(c.seed), ys = y.array(c.seed + 1);
    status = cudnnTransformTensor(handle, alpha, x.d, xs.data, beta, y.d, ys.data);
    if (!status && c.extra % 2) status = cudnnScaleTensor(handle, y.d, ys.data, alpha);
    end({&ys});
  }
}

int main(int, char **argv) {
  cudnnCreate(&handle);
  FILE *file = fopen(argv[1], "r");
  Case c;
  while (fscanf(file, "%15s %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %u", c.op, &c.type, &c.layout, &c.n, &c.c, &c.h,
                &c.w, &c.k, &c.r, &c.s, &c.pad, &c.stride, &c.dilation, &c.groups, &c.mode, &c.algo, &c.extra,
                &c.seed) == 18)
    run(c);
  cudnnDestroy(handle);
}
