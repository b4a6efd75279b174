// The same transforms by FFTW on one thread, its plan measured (FFTW_MEASURE).
#include <fftw3.h>
#include <cstring>
#include "timed.h"

int main(int, char **argv) {
  int n = atoi(argv[1]), batch = atoi(argv[2]);
  size_t count = 2 * (size_t)n * batch;
  fftwf_complex *in = fftwf_alloc_complex(count / 2), *out = fftwf_alloc_complex(count / 2);
  fftwf_plan plan = fftwf_plan_many_dft(1, &n, batch, in, nullptr, 1, n, out, nullptr, 1, n, FFTW_FORWARD,
                                        FFTW_MEASURE | FFTW_PRESERVE_INPUT);
  memcpy(in, input<float>(count, 1).data(), count * sizeof(float));
  measure(atof(argv[3]), [&] { fftwf_execute(plan); });
  write_result(argv[4], (float *)out, count);
}
