// Thrust's scans and element-wise algorithms against plain loops: sizes around the tiles' borders, values of 1 to 24
// bytes, an operation that does not commute, in place, and with a start value.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/transform_scan.h>
#include <vector>

static int failures = 0;
#define EXPECT(what, ...)                                                     \
  if (!(what)) {                                                              \
    ++failures;                                                               \
    printf("%s", #what " is false: "), printf(__VA_ARGS__), printf("\n");     \
  }

/* x → a x + b modulo a prime: composition does not commute. */
struct affine {
  unsigned a, b;
  __host__ __device__ bool operator==(const affine &other) const { return a == other.a && b == other.b; }
};
struct compose {
  __host__ __device__ affine operator()(const affine &f, const affine &g) const {
    return affine{f.a * g.a % 32749u, (f.b * g.a + g.b) % 32749u};
  }
};
struct triple {
  double x, y, z;
  __host__ __device__ bool operator==(const triple &o) const { return x == o.x && y == o.y && z == o.z; }
};
struct add_triples {
  __host__ __device__ triple operator()(const triple &a, const triple &b) const {
    return triple{a.x + b.x, a.y + b.y, a.z + b.z};
  }
};
template <typename T>
struct make {
  static T from(unsigned i) { return (T)(i * 2654435761u >> 28); }
};
template <>
struct make<affine> {
  static affine from(unsigned i) { return affine{i * 40503u % 32749u, (i * 2654435761u >> 7) % 32749u}; }
};
template <>
struct make<triple> {
  static triple from(unsigned i) { return triple{(double)(i % 5), (double)(i % 7), 1.0}; }
};

template <typename T, typename OP>
static void scans(const char *type, size_t n, OP op, T init) {
  std::vector<T> in(n), inclusive(n), exclusive(n), got(n);
  T before = init, sum = T();
  for (size_t i = 0; i < n; ++i) {
    in[i] = make<T>::from((unsigned)i);
    sum = i == 0 ? in[0] : (T)op(sum, in[i]);
    inclusive[i] = sum;
    exclusive[i] = before;
    before = (T)op(before, in[i]);
  }
  thrust::device_vector<T> x(in.begin(), in.end()), y(n);
  auto compare = [&](const char *what, const std::vector<T> &expected, const thrust::device_vector<T> &v) {
    thrust::copy(v.begin(), v.end(), got.begin());
    size_t i = 0;
    while (i < n && got[i] == expected[i]) ++i;
    EXPECT(i == n, "%s of %zu %s, at %zu", what, n, type, i);
  };
  thrust::inclusive_scan(x.begin(), x.end(), y.begin(), op);
  compare("inclusive scan", inclusive, y);
  thrust::exclusive_scan(x.begin(), x.end(), y.begin(), init, op);
  compare("exclusive scan", exclusive, y);
  thrust::inclusive_scan(x.begin(), x.end(), x.begin(), op);
  compare("inclusive scan in place", inclusive, x);
}

struct twice { __host__ __device__ long long operator()(int x) const { return 2ll * x; } };
struct sum_and_count {
  int *visits;
  __host__ __device__ void operator()(int i) const { visits[i] += i % 3 + 1; }
};
struct scale { __host__ __device__ void operator()(int &x) const { x = 3 * x + 1; } };
struct plus_mul { __host__ __device__ int operator()(int a, int b) const { return a * 5 + b; } };

static void elementwise(size_t n) {
  thrust::device_vector<int> a(n), b(n), visits(n, 0);
  std::vector<int> x(n), y(n), got(n);
  for (size_t i = 0; i < n; ++i) x[i] = (int)(i * 2654435761u >> 20), y[i] = (int)(i % 1000);
  a.assign(x.begin(), x.end());
  b.assign(y.begin(), y.end());
  thrust::for_each(a.begin(), a.end(), scale());
  thrust::transform(a.begin(), a.end(), b.begin(), b.begin(), plus_mul());
  thrust::for_each(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>((int)n),
                   sum_and_count{thrust::raw_pointer_cast(visits.data())});
  thrust::copy(b.begin(), b.end(), got.begin());
  size_t i = 0;
  while (i < n && got[i] == (3 * x[i] + 1) * 5 + y[i]) ++i;
  EXPECT(i == n, "transform of %zu, at %zu", n, i);
  thrust::copy(visits.begin(), visits.end(), got.begin());
  for (i = 0; i < n && got[i] == (int)(i % 3) + 1;) ++i;
  EXPECT(i == n, "for_each of %zu, at %zu", n, i);
  thrust::device_vector<long long> sums(n);
  thrust::transform_inclusive_scan(a.begin(), a.end(), sums.begin(), twice(), thrust::plus<long long>());
  std::vector<long long> wide(n);
  thrust::copy(sums.begin(), sums.end(), wide.begin());
  long long sum = 0;
  for (i = 0; i < n; ++i) {
    sum += 2ll * (3 * x[i] + 1);
    if (wide[i] != sum) break;
  }
  EXPECT(i == n, "transform_inclusive_scan of %zu, at %zu", n, i);
}

int main() {
  /* Tiles have 7680 elements of four bytes, 3584 of eight, 512 of 24; look-back reads 32 tiles at a time. */
  for (size_t n : {1, 2, 31, 32, 33, 511, 512, 513, 1000, 3584, 3585, 7679, 7680, 7681, 300001}) {
    scans<unsigned char>("char", n, thrust::plus<unsigned char>(), 7);
    scans<int>("int", n, thrust::plus<int>(), -3);
    scans<long long>("long long", n, thrust::plus<long long>(), 1ll << 40);
    scans<double>("double", n, thrust::plus<double>(), 0.5);
    scans<affine>("affine", n, compose(), affine{2, 3});
    scans<triple>("triple", n > 20000 ? 20000 : n, add_triples(), triple{1, 2, 3});
    elementwise(n);
  }
  elementwise((1 << 20) + 777);
  printf(failures == 0 ? "PASSED\n" : "%d FAILED\n", failures);
  return failures != 0;
}
