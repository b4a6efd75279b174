#include <cblas.h>
#include "loop.h"

// What is possible on this machine: years of work by experts on this one function.
void loop(const union argument *args) {
  int n = args[0].i;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, args[1].data, n, args[2].data, n, 0.0f,
              args[3].data, n);
}
