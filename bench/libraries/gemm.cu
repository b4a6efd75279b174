// A product of square matrices by cuBLAS: s or d, size, as in timed.h.
#include <cublas_v2.h>
#include "timed-device.h"

static cublasStatus_t product(cublasHandle_t handle, int n, const float *a, const float *b, float *c) {
  float one = 1, zero = 0;
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
}
static cublasStatus_t product(cublasHandle_t handle, int n, const double *a, const double *b, double *c) {
  double one = 1, zero = 0;
  return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
}
template <class T> static void run(int n, double seconds, const char *file) {
  size_t count = (size_t)n * n;
  T *a = on_device(input<T>(count, 1)), *b = on_device(input<T>(count, 2)), *c = on_device(std::vector<T>(count));
  cublasHandle_t handle;
  want(cublasCreate(&handle), "cublasCreate");
  measure(seconds, [&] {
    want(product(handle, n, a, b, c), "gemm");
    cudaDeviceSynchronize();
  });
  write_device(file, c, count);
}

int main(int, char **argv) {
  int n = atoi(argv[2]);
  double seconds = atof(argv[3]);
  if (argv[1][0] == 's') run<float>(n, seconds, argv[4]);
  else run<double>(n, seconds, argv[4]);
}
