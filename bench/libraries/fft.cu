// Transforms of complex floats by cuFFT: length, number, as in timed.h.
#include <cufft.h>
#include "timed-device.h"

int main(int, char **argv) {
  int n = atoi(argv[1]), batch = atoi(argv[2]);
  size_t count = 2 * (size_t)n * batch;
  float *in = on_device(input<float>(count, 1)), *out = on_device(std::vector<float>(count));
  cufftHandle plan;
  want(cufftPlan1d(&plan, n, CUFFT_C2C, batch), "cufftPlan1d");
  measure(atof(argv[3]), [&] {
    want(cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, CUFFT_FORWARD), "cufftExecC2C");
    cudaDeviceSynchronize();
  });
  write_device(argv[4], out, count);
}
