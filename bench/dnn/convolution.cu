// Convolutions of cuDNN beside a plain loop of the same program's C compiler (loop.c): images, channels, size, output
// channels, window, padding. One thread:
//   npx heddle run -O2 --workers 1 bench/dnn/convolution.cu -lcudnn -- 4 32 28 64 3 1
//   gcc -O3 -march=native -o /tmp/loop bench/dnn/loop.c && /tmp/loop 4 32 28 64 3 1
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cudnn.h>

template <class Call> static void measure(const char *name, double operations, Call call) {
  double best = 1e9;
  for (int i = 0; i < 30; i++) {
    auto begin = std::chrono::steady_clock::now();
    if (cudnnStatus_t status = call()) printf("%s: %s\n", name, cudnnGetErrorString(status)), exit(1);
    cudaDeviceSynchronize();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (seconds < best) best = seconds;
  }
  printf("%s: %.2f GFLOP/s\n", name, operations / best / 1e9);
}
static float *filled(size_t count) {
  float *device, *host = (float *)malloc(count * 4);
  for (size_t i = 0; i < count; i++) host[i] = (float)(rand() % 17) / 8 - 1;
  cudaMalloc(&device, count * 4);
  cudaMemcpy(device, host, count * 4, cudaMemcpyHostToDevice);
  free(host);
  return device;
}

int main(int, char **argv) {
  int images = atoi(argv[1]), in = atoi(argv[2]), size = atoi(argv[3]), out = atoi(argv[4]), window = atoi(argv[5]),
      pad = atoi(argv[6]), n, k, h, w;
  cudnnHandle_t handle;
  cudnnTensorDescriptor_t xd, yd;
  cudnnFilterDescriptor_t wd;
  cudnnConvolutionDescriptor_t conv;
  cudnnCreate(&handle);
  cudnnCreateTensorDescriptor(&xd);
  cudnnCreateTensorDescriptor(&yd);
  cudnnCreateFilterDescriptor(&wd);
  cudnnCreateConvolutionDescriptor(&conv);
  cudnnSetTensor4dDescriptor(xd, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, images, in, size, size);
  cudnnSetFilter4dDescriptor(wd, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, out, in, window, window);
  cudnnSetConvolution2dDescriptor(conv, pad, pad, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
  cudnnGetConvolution2dForwardOutputDim(conv, xd, wd, &n, &k, &h, &w);
  cudnnSetTensor4dDescriptor(yd, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, k, h, w);
  float *x = filled((size_t)images * in * size * size), *y = filled((size_t)n * k * h * w);
  float *weights = filled((size_t)out * in * window * window), one = 1, zero = 0;
  double operations = 2.0 * n * k * h * w * in * window * window;
  measure("forward", operations, [&] {
    return cudnnConvolutionForward(handle, &one, xd, x, wd, weights, conv, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                   nullptr, 0, &zero, yd, y);
  });
  measure("gradient of the input", operations, [&] {
    return cudnnConvolutionBackwardData(handle, &one, wd, weights, yd, y, conv, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
                                        nullptr, 0, &zero, xd, x);
  });
  measure("gradient of the filter", operations, [&] {
    return cudnnConvolutionBackwardFilter(handle, &one, xd, x, yd, y, conv, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0,
                                          nullptr, 0, &zero, wd, weights);
  });
}
