// Eigenvalues and vectors of matrices that are not symmetric (cusolverDnXgeev): of random, sparse and defective ones,
// judged by A v = lambda v in units of n eps |A|, and documented statuses.
#include <cusolverDn.h>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

typedef std::complex<double> Z;
static int failures = 0;
static void check(bool isRight, const char *what) {
  if (!isRight) printf("%s\n", what), failures++;
}
static unsigned state;
static double number(int kind) {
  state = state * 1664525u + 1013904223u;
  unsigned high = state >> 20;
  if (kind == 1) return (int)(high % 3) - 1;
  if (kind == 2 && high % 3 > 0) return 0;
  return (int)(high % 2001) / 1000.0 - 1;
}
static cusolverDnHandle_t h;

template <class T, cudaDataType TYPE, cudaDataType WTYPE> static void compare(int n, int kind, double eps) {
  const int parts = TYPE == CUDA_C_64F || TYPE == CUDA_C_32F ? 2 : 1, ld = n + 1;
  std::vector<T> a(parts * ld * n), v(a), w(2 * n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n * parts; i++)
      a[j * ld * parts + i] = kind == 3 ? (T)(i == (j + 1) % n * parts) : (T)number(kind);
  T *da, *dv, *dw;
  int *info, failed = -1;
  void *work;
  size_t bytes = 0, hostBytes = 0;
  cudaMalloc(&da, a.size() * sizeof(T));
  cudaMalloc(&dv, a.size() * sizeof(T));
  cudaMalloc(&dw, w.size() * sizeof(T));
  cudaMalloc(&info, sizeof(int));
  cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice);
  auto vector = CUSOLVER_EIG_MODE_VECTOR, none = CUSOLVER_EIG_MODE_NOVECTOR;
  check(cusolverDnXgeev_bufferSize(h, nullptr, none, vector, n, TYPE, da, ld, WTYPE, dw, TYPE, nullptr, 1, TYPE, dv, ld,
                                   TYPE, &bytes, &hostBytes) == 0, "size");
  cudaMalloc(&work, bytes);
  std::vector<char> host(hostBytes + 1);
  check(cusolverDnXgeev(h, nullptr, none, vector, n, TYPE, da, ld, WTYPE, dw, TYPE, nullptr, 1, TYPE, dv, ld, TYPE,
                        work, bytes, host.data(), hostBytes, info) == 0, "geev");
  cudaMemcpy(&failed, info, sizeof failed, cudaMemcpyDeviceToHost);
  cudaMemcpy(v.data(), dv, v.size() * sizeof(T), cudaMemcpyDeviceToHost);
  cudaMemcpy(w.data(), dw, w.size() * sizeof(T), cudaMemcpyDeviceToHost);
  for (void *each : {(void *)da, (void *)dv, (void *)dw, (void *)info, work}) cudaFree(each);
  auto at = [&](const std::vector<T> &m, int i, int j) {
    return parts == 2 ? Z(m[2 * (i + j * ld)], m[2 * (i + j * ld) + 1]) : Z(m[i + j * ld]);
  };
  double norm = 0, worst = 0, length = 0;
  for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) norm += std::norm(at(a, i, j));
  for (int k = 0; k < n; k++) {
    Z lambda = WTYPE == TYPE && parts == 1 ? Z(w[k], w[n + k]) : Z(w[2 * k], w[2 * k + 1]);
    auto element = [&](int i) {
      if (parts == 2 || lambda.imag() == 0) return at(v, i, k);
      int first = lambda.imag() > 0 ? k : k - 1; // a pair's real and imaginary parts
      return Z(at(v, i, first).real(), (lambda.imag() > 0 ? 1 : -1) * at(v, i, first + 1).real());
    };
    double error = 0, own = 0;
    for (int i = 0; i < n; i++) {
      Z sum = -lambda * element(i);
      for (int j = 0; j < n; j++) sum += at(a, i, j) * element(j);
      error += std::norm(sum);
      own += std::norm(element(i));
    }
    worst = std::fmax(worst, std::sqrt(error));
    length = std::fmax(length, std::fabs(own - 1));
  }
  if (failed == 0 && worst <= 10 * n * eps * std::sqrt(norm) && length < 100 * eps) return;
  printf("n %d, kind %d, type %d: info %d, residual %g, length %g\n", n, kind, (int)TYPE, failed, worst, length);
  failures++;
}

int main() {
  cusolverDnCreate(&h);
  for (int n : {1, 2, 3, 4, 6, 9, 20})
    for (int kind = 0; kind < 4; kind++) {
      state = n * 7 + kind;
      compare<float, CUDA_R_32F, CUDA_R_32F>(n, kind, 6e-8);
      compare<double, CUDA_R_64F, CUDA_R_64F>(n, kind, 1.2e-16);
      compare<double, CUDA_R_64F, CUDA_C_64F>(n, kind, 1.2e-16);
      compare<float, CUDA_C_32F, CUDA_C_32F>(n, kind, 6e-8);
      compare<double, CUDA_C_64F, CUDA_C_64F>(n, kind, 1.2e-16);
    }
  size_t bytes, hostBytes;
  auto none = CUSOLVER_EIG_MODE_NOVECTOR, vector = CUSOLVER_EIG_MODE_VECTOR;
  auto size = [&](cusolverEigMode_t left, cudaDataType w, int lda) {
    return cusolverDnXgeev_bufferSize(h, nullptr, left, none, 4, CUDA_R_64F, nullptr, lda, w, nullptr, CUDA_R_64F,
                                      nullptr, 4, CUDA_R_64F, nullptr, 4, CUDA_R_64F, &bytes, &hostBytes);
  };
  check(size(none, CUDA_R_64F, 4) == 0, "size");
  check(size(vector, CUDA_R_64F, 4) == CUSOLVER_STATUS_INVALID_VALUE, "left vectors");
  check(size(none, CUDA_R_32F, 4) == CUSOLVER_STATUS_INVALID_VALUE, "eigenvalues of another type");
  check(size(none, CUDA_R_64F, 3) == CUSOLVER_STATUS_INVALID_VALUE, "a small leading dimension");
  cusolverDnDestroy(h);
  check(size(none, CUDA_R_64F, 4) == CUSOLVER_STATUS_NOT_INITIALIZED, "a destroyed handle");
  printf(failures == 0 ? "PASSED\n" : "FAILED\n");
  return failures;
}
