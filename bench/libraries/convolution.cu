// A forward convolution by cuDNN, floats in NCHW, with the algorithm that cuDNN names first: images, channels, size,
// output channels, window, padding, as in timed.h.
#include <cudnn.h>
#include "timed-device.h"

int main(int, char **argv) {
  int images = atoi(argv[1]), in = atoi(argv[2]), size = atoi(argv[3]), out = atoi(argv[4]), window = atoi(argv[5]),
      pad = atoi(argv[6]), n, k, h, w;
  cudnnHandle_t handle;
  cudnnTensorDescriptor_t xd, yd;
  cudnnFilterDescriptor_t wd;
  cudnnConvolutionDescriptor_t conv;
  want(cudnnCreate(&handle), "cudnnCreate");
  cudnnCreateTensorDescriptor(&xd);
  cudnnCreateTensorDescriptor(&yd);
  cudnnCreateFilterDescriptor(&wd);
  cudnnCreateConvolutionDescriptor(&conv);
  cudnnSetTensor4dDescriptor(xd, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, images, in, size, size);
  cudnnSetFilter4dDescriptor(wd, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, out, in, window, window);
  cudnnSetConvolution2dDescriptor(conv, pad, pad, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
  cudnnGetConvolution2dForwardOutputDim(conv, xd, wd, &n, &k, &h, &w);
  cudnnSetTensor4dDescriptor(yd, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, k, h, w);
  size_t results = (size_t)n * k * h * w;
  float *x = on_device(input<float>((size_t)images * in * size * size, 1)), one = 1, zero = 0;
  float *weights = on_device(input<float>((size_t)out * in * window * window, 2));
  float *y = on_device(std::vector<float>(results));
  cudnnConvolutionFwdAlgoPerf_t best;
  int count;
  want(cudnnGetConvolutionForwardAlgorithm_v7(handle, xd, wd, conv, yd, 1, &count, &best), "no algorithm");
  void *work = best.memory > 0 ? on_device(std::vector<char>(best.memory)) : nullptr;
  measure(atof(argv[7]), [&] {
    want(cudnnConvolutionForward(handle, &one, xd, x, wd, weights, conv, best.algo, work, best.memory, &zero, yd, y),
         "cudnnConvolutionForward");
    cudaDeviceSynchronize();
  });
  write_device(argv[8], y, results);
}
