// Thrust's algorithms over 2^27 elements: Heddle's headers beside those of nvcc. See programs.mjs.
#include "timing.h"
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

struct Scale {
  float by;
  __host__ __device__ void operator()(float &x) const { x = by * x + 1.0f; }
};
struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
struct Saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct Visit {
  float *to;
  __host__ __device__ void operator()(unsigned i) const { to[i] = i * 0.5f; }
};

int main(int argc, char **argv) {
  const size_t n = (size_t)1 << (argc > 1 ? atoi(argv[1]) : 27);
  thrust::device_vector<float> x(n, 1.0f), y(n, 2.0f);
  auto first = thrust::counting_iterator<unsigned>(0);
  float *raw = thrust::raw_pointer_cast(y.data());
  timeOnHost("for-each", [&] { thrust::for_each(x.begin(), x.end(), Scale{0.5f}); cudaDeviceSynchronize(); });
  timeOnHost("for-each-index", [&] {
    thrust::for_each(first, first + (unsigned)n, Visit{raw});
    cudaDeviceSynchronize();
  });
  timeOnHost("transform", [&] { thrust::transform(x.begin(), x.end(), y.begin(), Square()); cudaDeviceSynchronize(); });
  timeOnHost("transform-two", [&] {
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Saxpy{0.1f});
    cudaDeviceSynchronize();
  });
  timeOnHost("fill", [&] { thrust::fill(x.begin(), x.end(), 1.0f); cudaDeviceSynchronize(); });
  float sum = 0;
  timeOnHost("reduce", [&] { sum = thrust::reduce(x.begin(), x.end()); });
  thrust::device_vector<int> v(n, 1), w(n);
  timeOnHost("inclusive-scan", [&] { thrust::inclusive_scan(v.begin(), v.end(), w.begin()); cudaDeviceSynchronize(); });
  timeOnHost("exclusive-scan", [&] { thrust::exclusive_scan(v.begin(), v.end(), w.begin()); cudaDeviceSynchronize(); });
  if (std::abs(sum - (float)n) > 1e-6f * n || w[n - 1] != (int)(n - 1)) {
    fprintf(stderr, "wrong: %g %d\n", sum, (int)w[n - 1]);
    return 1;
  }
}
