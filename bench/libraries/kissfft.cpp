// The same transforms by KissFFT.
#include <kissfft/kiss_fft.h>
#include "timed.h"

int main(int, char **argv) {
  int n = atoi(argv[1]), batch = atoi(argv[2]);
  size_t count = 2 * (size_t)n * batch;
  std::vector<float> in = input<float>(count, 1), out(count);
  kiss_fft_cfg plan = kiss_fft_alloc(n, 0, nullptr, nullptr);
  measure(atof(argv[3]), [&] {
    for (size_t i = 0; i < count; i += 2 * (size_t)n)
      kiss_fft(plan, (kiss_fft_cpx *)&in[i], (kiss_fft_cpx *)&out[i]);
  });
  write_result(argv[4], out.data(), count);
}
