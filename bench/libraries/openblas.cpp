// The same product by OpenBLAS.
#include <cblas.h>
#include "timed.h"

static void product(int n, const float *a, const float *b, float *c) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
static void product(int n, const double *a, const double *b, double *c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
template <class T> static void run(int n, double seconds, const char *file) {
  size_t count = (size_t)n * n;
  std::vector<T> a = input<T>(count, 1), b = input<T>(count, 2), c(count);
  measure(seconds, [&] { product(n, a.data(), b.data(), c.data()); });
  write_result(file, c.data(), count);
}

int main(int, char **argv) {
  int n = atoi(argv[2]);
  double seconds = atof(argv[3]);
  if (argv[1][0] == 's') run<float>(n, seconds, argv[4]);
  else run<double>(n, seconds, argv[4]);
}
