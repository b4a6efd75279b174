// The types in which Thrust's algorithms, and CUB's by keys, add up, against plain loops, for pairs of types; iterators
// that need no memory in every place where the documentation takes an iterator.
#include <cub/cub.cuh>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <type_traits>
#include <vector>

constexpr int N = 700, RUN = 7;
static int failures = 0;

template <typename T> void expect(const char *what, const char *pair, size_t at, T found, T expected) {
  if (found == expected || failures++ > 20) return;
  printf("%s %s [%d]: %g, expected %g\n", what, pair, (int)at, (double)found, (double)expected);
}
template <typename T>
void expectAll(const char *what, const char *pair, const thrust::device_vector<T> &found,
               const std::vector<T> &wanted) {
  const std::vector<T> values(found.begin(), found.begin() + wanted.size());
  for (size_t i = 0; i < wanted.size(); i++) expect<T>(what, pair, i, values[i], wanted[i]);
}

struct Square {
  template <typename T> __host__ __device__ auto operator()(T x) const { return x * x; }
};
template <typename A, typename B> using sum_of = std::decay_t<decltype(std::declval<A>() + std::declval<B>())>;

template <typename IN, typename OUT> void test(const char *pair) {
  typedef sum_of<IN, IN> SQUARE;
  std::vector<IN> v(N);
  for (int i = 0; i < N; i++) v[i] = (IN)(i % 11 * 20 % 127);
  std::vector<int> keys(N);
  for (int i = 0; i < N; i++) keys[i] = i / RUN;
  const thrust::device_vector<IN> in(v.begin(), v.end());
  const thrust::device_vector<int> key(keys.begin(), keys.end());
  thrust::device_vector<OUT> out(N);

  // reduce: the type of init, and without one that of the items.
  OUT sum = 3, products = 5, squares = 1;
  IN own = 0;
  for (IN x : v) {
    sum = sum + (OUT)x;
    own = own + x;
    products = products + (OUT)((OUT)x * (OUT)x);
    squares = squares + (OUT)SQUARE(x * x);
  }
  expect<OUT>("reduce", pair, 0, thrust::reduce(in.begin(), in.end(), (OUT)3), sum);
  expect<IN>("reduce", pair, 1, thrust::reduce(in.begin(), in.end()), own);
  static_assert(std::is_same_v<decltype(thrust::reduce(in.begin(), in.end())), IN>);
  static_assert(std::is_same_v<decltype(thrust::reduce(in.begin(), in.end(), OUT())), OUT>);
  // inner_product multiplies in the type of init as well.
  expect<OUT>("inner_product", pair, 0, thrust::inner_product(in.begin(), in.end(), in.begin(), (OUT)5), products);
  // transform_reduce: what the function makes, converted to the type of init.
  expect<OUT>("transform_reduce", pair, 0,
              thrust::transform_reduce(in.begin(), in.end(), Square(), (OUT)1, thrust::plus<OUT>()), squares);

  // Scans: the items' type, that of init, or what the operation makes of both.
  std::vector<OUT> wanted(N);
  IN running = 0;
  for (int i = 0; i < N; i++) wanted[i] = (OUT)(running = running + v[i]);
  thrust::inclusive_scan(in.begin(), in.end(), out.begin());
  expectAll("inclusive_scan", pair, out, wanted);
  running = 0;
  for (int i = 0; i < N; i++) wanted[i] = (OUT)running, running = running + v[i];
  thrust::exclusive_scan(in.begin(), in.end(), out.begin());
  expectAll("exclusive_scan", pair, out, wanted);
  OUT from = 9;
  for (int i = 0; i < N; i++) wanted[i] = from, from = from + (OUT)v[i];
  thrust::exclusive_scan(in.begin(), in.end(), out.begin(), (OUT)9);
  expectAll("exclusive_scan with init", pair, out, wanted);
  sum_of<OUT, IN> both = 9;
  for (int i = 0; i < N; i++) wanted[i] = (OUT)(both = both + v[i]);
  thrust::inclusive_scan(in.begin(), in.end(), out.begin(), (OUT)9, thrust::plus<>());
  expectAll("inclusive_scan with init", pair, out, wanted);
  SQUARE transformed = 0;
  for (int i = 0; i < N; i++) wanted[i] = (OUT)(transformed = transformed + v[i] * v[i]);
  thrust::transform_inclusive_scan(in.begin(), in.end(), out.begin(), Square(), thrust::plus<>());
  expectAll("transform_inclusive_scan", pair, out, wanted);

  OUT start = 2;
  for (int i = 0; i < N; i++) wanted[i] = (OUT)(start = start + (OUT)SQUARE(v[i] * v[i]));
  thrust::transform_inclusive_scan(in.begin(), in.end(), out.begin(), Square(), (OUT)2, thrust::plus<OUT>());
  expectAll("transform_inclusive_scan with init", pair, out, wanted);

  // By keys: Thrust in the items' type, CUB in what the operation makes of two items.
  const int runs = (N + RUN - 1) / RUN;
  std::vector<OUT> ofThrust(runs), ofCub(runs);
  for (int r = 0; r < runs; r++) {
    IN narrow = 0;
    sum_of<IN, IN> wide = 0;
    for (int i = r * RUN; i < (r + 1) * RUN && i < N; i++) narrow = narrow + v[i], wide = wide + v[i];
    ofThrust[r] = (OUT)narrow;
    ofCub[r] = (OUT)wide;
  }
  const auto end = thrust::reduce_by_key(key.begin(), key.end(), in.begin(), thrust::make_discard_iterator(),
                                         out.begin());
  expect<int>("reduce_by_key's end", pair, 0, (int)(end.second - out.begin()), runs);
  expectAll("reduce_by_key", pair, out, ofThrust);
  thrust::device_vector<int64_t> found(1);
  char storage[1];
  size_t bytes = 0;
  for (void *place : {(void *)nullptr, (void *)storage}) {
    cub::DeviceReduce::ReduceByKey(place, bytes, thrust::raw_pointer_cast(key.data()), thrust::make_discard_iterator(),
                                   thrust::raw_pointer_cast(in.data()), thrust::raw_pointer_cast(out.data()),
                                   thrust::raw_pointer_cast(found.data()), cub::Sum(), (int64_t)N);
  }
  expect<int64_t>("ReduceByKey's count", pair, 0, found[0], runs);
  expectAll("ReduceByKey", pair, out, ofCub);

  // count returns a difference.
  static_assert(std::is_signed_v<decltype(thrust::count(in.begin(), in.end(), IN()))>);
  expect<long>("count", pair, 0, (long)thrust::count(in.begin(), in.end(), (IN)20), 64);
}

template <typename CALL> void run(CALL call) {
  char storage[1];
  size_t bytes = 0;
  call((void *)nullptr, bytes);
  call((void *)storage, bytes);
}

/** Items come from every kind of iterator, to numbers of items of every integer type. */
template <typename COUNT> void testIterators(const char *type) {
  const auto counting = thrust::make_counting_iterator(1);
  const auto squares = thrust::make_transform_iterator(counting, Square());
  const auto backwards = thrust::make_permutation_iterator(
      squares, thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                               [] __host__ __device__(int i) { return 9 - i; }));
  thrust::device_vector<long long> out(10);
  long long *raw = thrust::raw_pointer_cast(out.data());
  run([&](void *s, size_t &b) { cub::DeviceReduce::Sum(s, b, squares, raw, (COUNT)10); });
  expect<long long>("Sum of squares", type, 0, out[0], 385);
  run([&](void *s, size_t &b) { cub::DeviceReduce::Max(s, b, backwards, raw, (COUNT)10); });
  expect<long long>("Max", type, 0, out[0], 100);
  run([&](void *s, size_t &b) { cub::DeviceScan::InclusiveSum(s, b, backwards, raw, (COUNT)10); });
  expect<long long>("InclusiveSum", type, 9, out[9], 385);
  expect<long long>("InclusiveSum", type, 1, out[1], 181);
  thrust::device_vector<int> lengths(10), values(10), count(1);
  const auto thirds = thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                                      [] __host__ __device__(int i) { return i / 3; });
  run([&](void *s, size_t &b) {
    cub::DeviceRunLengthEncode::Encode(s, b, thirds, thrust::raw_pointer_cast(values.data()),
                                       thrust::raw_pointer_cast(lengths.data()), thrust::raw_pointer_cast(count.data()),
                                       (COUNT)10);
  });
  expect<int>("Encode's count", type, 0, count[0], 4);
  for (int i = 0; i < 4; i++) {
    expect<int>("Encode's value", type, i, values[i], i);
    expect<int>("Encode's length", type, i, lengths[i], i == 3 ? 1 : 3);
  }
  run([&](void *s, size_t &b) {
    cub::DeviceRunLengthEncode::Encode(s, b, thirds, thrust::make_discard_iterator(), thrust::make_discard_iterator(),
                                       thrust::raw_pointer_cast(count.data()), (COUNT)10);
  });
  expect<int>("Encode's count alone", type, 0, count[0], 4);
  run([&](void *s, size_t &b) {
    cub::DeviceRunLengthEncode::NonTrivialRuns(s, b, thirds, thrust::raw_pointer_cast(values.data()),
                                               thrust::raw_pointer_cast(lengths.data()),
                                               thrust::raw_pointer_cast(count.data()), (COUNT)10);
  });
  expect<int>("NonTrivialRuns' count", type, 0, count[0], 3);
  for (int i = 0; i < 3; i++) {
    expect<int>("NonTrivialRuns' offset", type, i, values[i], 3 * i);
    expect<int>("NonTrivialRuns' length", type, i, lengths[i], 3);
  }
  thrust::device_vector<unsigned long long> bins(5);
  run([&](void *s, size_t &b) {
    cub::DeviceHistogram::HistogramEven(s, b, squares, thrust::raw_pointer_cast(bins.data()), 6, 0.0f, 100.0f,
                                        (COUNT)10);
  });
  const unsigned long long wanted[] = {4, 2, 1, 1, 1};  // 1 4 9 16, 25 36, 49, 64, 81; 100 is beyond the last edge
  for (int i = 0; i < 5; i++) expect<unsigned long long>("HistogramEven", type, i, bins[i], wanted[i]);
}

#define PAIR(IN, OUT) test<IN, OUT>(#IN " " #OUT)

int main() {
  PAIR(uint8_t, uint8_t);
  PAIR(uint8_t, int64_t);
  PAIR(int16_t, int32_t);
  PAIR(int32_t, int64_t);
  PAIR(float, double);
  testIterators<int>("int");
  testIterators<int64_t>("int64_t");
  testIterators<uint64_t>("uint64_t");
  // More items than memory can hold are refused, not cut off.
  thrust::device_vector<int> one(1);
  size_t bytes = 1;
  char storage[1];
  const cudaError_t refused = cub::DeviceReduce::Sum((void *)storage, bytes, thrust::make_constant_iterator(1),
                                                     thrust::raw_pointer_cast(one.data()), -1);
  expect<int>("a negative number of items", "", 0, refused, cudaErrorInvalidValue);
  // A reduction of a zip: a tuple of values.
  const auto pairs = thrust::make_zip_iterator(thrust::make_counting_iterator(0), thrust::make_constant_iterator(2.5));
  const auto total = thrust::reduce(thrust::device, pairs, pairs + 100, thrust::make_tuple(0, 0.0),
                                    [] __host__ __device__(thrust::tuple<int, double> a, thrust::tuple<int, double> b) {
                                      return thrust::make_tuple(thrust::get<0>(a) + thrust::get<0>(b),
                                                                thrust::get<1>(a) + thrust::get<1>(b));
                                    });
  expect<int>("a zip", "int", 0, thrust::get<0>(total), 4950);
  expect<double>("a zip", "double", 0, thrust::get<1>(total), 250);
  printf(failures == 0 ? "PASSED\n" : "%d failures\n", failures);
  return failures != 0;
}
