// The interface of cuBLAS without a handle. Prints "all right" or what is wrong.
#include <cublas.h>
#include <math.h>
#include <stdio.h>

static int bad;
static void check(const char *what, double got, double want) {
  if (!(fabs(got - want) < 1e-5)) { printf("%s: %g, expected %g\n", what, got, want); bad++; }
}

int main() {
  float *early;
  check("memory before cublasInit", cublasAlloc(1, 4, (void **)&early), CUBLAS_STATUS_NOT_INITIALIZED);
  check("cublasInit", cublasInit(), CUBLAS_STATUS_SUCCESS);
  const int n = 3;
  float a[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, b[] = {1, 0, 2, 0, 1, 0, 3, 0, 1}, c[9] = {0}, x[] = {1, -7, 4};
  float *A, *B, *C, *X;
  check("cublasAlloc", cublasAlloc(n * n, sizeof(float), (void **)&A), CUBLAS_STATUS_SUCCESS);
  cublasAlloc(n * n, sizeof(float), (void **)&B);
  cublasAlloc(n * n, sizeof(float), (void **)&C);
  cublasAlloc(n, sizeof(float), (void **)&X);
  cublasSetMatrix(n, n, sizeof(float), a, n, A, n);
  cublasSetMatrix(n, n, sizeof(float), b, n, B, n);
  cublasSetVector(n, sizeof(float), x, 1, X, 1);
  cublasSgemm('n', 'T', n, n, n, 2.0f, A, n, B, n, 0.0f, C, n);
  check("cublasGetError", cublasGetError(), CUBLAS_STATUS_SUCCESS);
  cublasGetMatrix(n, n, sizeof(float), C, n, c, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += a[i + k * n] * b[j + k * n];
      check("cublasSgemm", c[i + j * n], 2 * sum);
    }
  check("cublasSdot", cublasSdot(n, X, 1, X, 1), 66);
  check("cublasSasum", cublasSasum(n, X, 1), 12);
  check("cublasSnrm2", cublasSnrm2(n, X, 1), sqrt(66));
  check("cublasIsamax", cublasIsamax(n, X, 1), 2);
  cublasStrmv('U', 'N', 'N', n, A, n, X, 1);
  float got[3], want[] = {1 * 1 - 7 * 4 + 4 * 7, -7 * 5 + 4 * 8, 4 * 9};
  cublasGetVector(n, sizeof(float), X, 1, got, 1);
  for (int i = 0; i < n; i++) check("cublasStrmv", got[i], want[i]);
  cublasSspr('L', n, 1.0f, X, 1, C);
  float r = 3, z = 4, cosine, sine;
  cublasSrotg(&r, &z, &cosine, &sine);
  check("cublasSrotg", r, 5);
  check("cublasSrotg", sine, 0.8);
  cublasSgemm('N', 'N', -1, n, n, 1.0f, A, n, B, n, 0.0f, C, n);
  check("the error of a wrong size", cublasGetError(), CUBLAS_STATUS_INVALID_VALUE);
  check("is told once", cublasGetError(), CUBLAS_STATUS_SUCCESS);
  cublasFree(A);
  cublasFree(B);
  cublasFree(C);
  cublasFree(X);
  check("cublasShutdown", cublasShutdown(), CUBLAS_STATUS_SUCCESS);
  puts(bad ? "wrong" : "all right");
  return bad != 0;
}
