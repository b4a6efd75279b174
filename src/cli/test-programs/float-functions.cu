// Float functions that have a form for GPUs of their own, beside those of double: no error above the bound that the
// programming guide states, and the special values of IEEE 754.
#include <cmath>
#include <cstdio>
#include <cstring>

/** In units in the last place of the float nearest to the exact value. */
__device__ double error(float got, double exact) {
  if (isnan(exact)) return isnan(got) ? 0 : 1e9;
  float nearest = (float)exact;
  if (isinf(nearest) || isinf(got)) return got == nearest || fabs(exact) > 3.4028e38 ? 0 : 1e9;
  int exponent;
  frexp(exact, &exponent);
  return fabs((double)got - exact) / ldexp(1.0, max(exponent - 24, -149));
}

constexpr int FUNCTIONS = 10;
struct Worst {
  unsigned long long found[FUNCTIONS];  // the error in thousandths, and below it the bits of the argument
};

__device__ void note(Worst* worst, int f, float x, float got, double exact) {
  unsigned long long thousandths = (unsigned long long)ceil(1000 * error(got, exact));
  atomicMax(&worst->found[f], thousandths << 32 | __float_as_uint(x));
}

__global__ void compare(Worst* worst, unsigned step) {
  unsigned long long bits = (unsigned long long)(blockIdx.x * blockDim.x + threadIdx.x) * step;
  if (bits > 0xffffffffull) return;
  float x = __uint_as_float((unsigned)bits), sine, cosine;
  double wide = x;
  note(worst, 0, x, sinf(x), sin(wide));
  note(worst, 1, x, cosf(x), cos(wide));
  note(worst, 2, x, tanf(x), tan(wide));
  sincosf(x, &sine, &cosine);
  note(worst, 3, x, sine, sin(wide));
  note(worst, 4, x, cosine, cos(wide));
  note(worst, 5, x, expf(x), exp(wide));
  note(worst, 6, x, exp10f(x), exp10(wide));
  note(worst, 7, x, tanhf(x), tanh(wide));
  note(worst, 8, x, sinhf(x), sinh(wide));
  note(worst, 9, x, coshf(x), cosh(wide));
}

__global__ void zeros(int* wrong, float zero) {
  if (!signbit(sinf(-zero)) || signbit(sinf(zero))) atomicAdd(wrong, 1);
  if (!signbit(tanf(-zero)) || signbit(tanf(zero))) atomicAdd(wrong, 1);
  if (!signbit(tanhf(-zero)) || !signbit(sinhf(-zero)) || cosf(-zero) != 1) atomicAdd(wrong, 1);
}

int main(int argc, char** argv) {
  const char* names[FUNCTIONS] = {"sinf", "cosf", "tanf", "sine", "cosine", "expf", "exp10f", "tanhf", "sinhf", "coshf"};
  // nvcc's own expf is off by 1.89 units in this measure on an H200: ex2.approx makes both.
  const double bounds[FUNCTIONS] = {2, 2, 4, 2, 2, 1.5, 1.5, 2, 3, 2};
  const unsigned step = argc > 1 ? 61 : 65521;
  const unsigned threads = 0xffffffffu / step + 1;
  Worst* worst;
  int* wrong;
  cudaMallocManaged(&worst, sizeof(Worst));
  cudaMallocManaged(&wrong, sizeof(int));
  *worst = {};
  *wrong = 0;
  compare<<<(threads + 255) / 256, 256>>>(worst, step);
  zeros<<<1, 1>>>(wrong, 0.0f);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  // Bounds are from the nearest float, which may be half a unit away.
  for (int f = 0; f < FUNCTIONS; f++) {
    unsigned bits = (unsigned)worst->found[f];
    double units = 1e-3 * (worst->found[f] >> 32);
    float x;
    memcpy(&x, &bits, 4);
    if (units <= bounds[f] + 0.5) continue;
    printf("%s(%.9g) is off by %g units in the last place, %g are allowed\n", names[f], x, units, bounds[f]);
    ++*wrong;
  }
  printf(*wrong == 0 ? "PASSED\n" : "FAILED\n");
  return *wrong != 0;
}
