// The types in which Thrust's algorithms add up, and the iterators that they take, against plain loops over pairs of
// types: an input's and that of a start value or an output.
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
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
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <vector>

constexpr int N = 700;
static int failures = 0;

template <typename T> void expect(const char *what, const char *pair, int at, T found, T expected) {
  if (found == expected) return;
  if (failures++ < 40) printf("%s %s [%d]: %g, expected %g\n", what, pair, at, (double)found, (double)expected);
}
template <typename T>
void expectAll(const char *what, const char *pair, const thrust::device_vector<T> &found, const std::vector<T> &expected) {
  thrust::host_vector<T> host = found;
  for (size_t i = 0; i < expected.size(); i++) expect<T>(what, pair, (int)i, host[i], expected[i]);
}

/** Half of a number, as another type. */
struct Half {
  template <typename T> __host__ __device__ double operator()(T x) const { return x * 0.5; }
};

template <typename IN, typename ACC> void test(const char *pair) {
  std::vector<IN> values(N);
  for (int i = 0; i < N; i++) values[i] = (IN)(i % 3 == 0 ? 1 : i % 5);
  thrust::device_vector<IN> in(values.begin(), values.end());
  thrust::device_vector<ACC> out(N);

  // reduce: the type of init; without one the input's value type
  const ACC init = (ACC)1;
  ACC sum = init;
  IN own = IN();
  for (IN value : values) sum = (ACC)(sum + (ACC)value), own = (IN)(own + value);
  auto found = thrust::reduce(in.begin(), in.end(), init);
  static_assert(std::is_same<decltype(found), ACC>::value, "reduce returns the type of init");
  expect<ACC>("reduce", pair, 0, found, sum);
  expect<IN>("reduce without init", pair, 0, thrust::reduce(in.begin(), in.end()), own);
  ACC largest = init;
  for (IN value : values) largest = largest < (ACC)value ? (ACC)value : largest;
  expect<ACC>("reduce maximum", pair, 0, thrust::reduce(in.begin(), in.end(), init, thrust::maximum<ACC>()), largest);

  // transform_reduce and inner_product: the type of init
  ACC halves = init, product = init;
  for (IN value : values) halves = (ACC)(halves + (ACC)(value * 0.5)), product = (ACC)(product + (ACC)(value * value));
  expect<ACC>("transform_reduce", pair, 0,
              thrust::transform_reduce(in.begin(), in.end(), Half(), init, thrust::plus<ACC>()), halves);
  expect<ACC>("inner_product", pair, 0, thrust::inner_product(in.begin(), in.end(), in.begin(), init), product);

  // scans: inclusive_scan adds in the input's value type, exclusive_scan in that of init
  std::vector<ACC> inclusive(N), exclusive(N), exclusiveOwn(N);
  IN running = IN();
  ACC before = init;
  for (int i = 0; i < N; i++) {
    exclusiveOwn[i] = (ACC)running;
    running = (IN)(running + values[i]);
    inclusive[i] = (ACC)running;
    exclusive[i] = before;
    before = (ACC)(before + (ACC)values[i]);
  }
  thrust::inclusive_scan(in.begin(), in.end(), out.begin());
  expectAll<ACC>("inclusive_scan", pair, out, inclusive);
  thrust::exclusive_scan(in.begin(), in.end(), out.begin(), init);
  expectAll<ACC>("exclusive_scan", pair, out, exclusive);
  thrust::exclusive_scan(in.begin(), in.end(), out.begin());
  expectAll<ACC>("exclusive_scan without init", pair, out, exclusiveOwn);

  // with a function: that of its result, and of init
  std::vector<ACC> transformed(N), transformedExclusive(N);
  double halfSum = 0;
  ACC halfBefore = init;
  for (int i = 0; i < N; i++) {
    halfSum = halfSum + values[i] * 0.5;
    transformed[i] = (ACC)halfSum;
    transformedExclusive[i] = halfBefore;
    halfBefore = (ACC)(halfBefore + (ACC)(values[i] * 0.5));
  }
  thrust::transform_inclusive_scan(in.begin(), in.end(), out.begin(), Half(), thrust::plus<>());
  expectAll<ACC>("transform_inclusive_scan", pair, out, transformed);
  thrust::transform_exclusive_scan(in.begin(), in.end(), out.begin(), Half(), init, thrust::plus<ACC>());
  expectAll<ACC>("transform_exclusive_scan", pair, out, transformedExclusive);

  // by key: the type of the values
  std::vector<int> keys(N);
  std::vector<ACC> sums;
  for (int i = 0; i < N; i++) keys[i] = i / 130;
  for (int i = 0; i < N;) {
    IN of = values[i];
    int j = i + 1;
    for (; j < N && keys[j] == keys[i]; j++) of = (IN)(of + values[j]);
    sums.push_back((ACC)of);
    i = j;
  }
  thrust::device_vector<int> d_keys(keys.begin(), keys.end());
  auto ends = thrust::reduce_by_key(d_keys.begin(), d_keys.end(), in.begin(), thrust::make_discard_iterator(), out.begin());
  expect<int>("reduce_by_key: groups", pair, 0, (int)(ends.second - out.begin()), (int)sums.size());
  expectAll<ACC>("reduce_by_key", pair, out, sums);

  auto count = thrust::count(in.begin(), in.end(), (IN)1);
  static_assert(std::is_same<decltype(count), typename thrust::iterator_traits<decltype(in.begin())>::difference_type>::value,
                "count returns a difference");
  int ones = 0;
  for (IN value : values) ones += value == (IN)1;
  expect<int>("count", pair, 0, (int)count, ones);
}

struct Odd {
  __host__ __device__ bool operator()(int i) const { return i % 2 == 1; }
};
struct Sum3 {
  __host__ __device__ long long operator()(thrust::tuple<int, long long> t) const {
    return thrust::get<0>(t) + thrust::get<1>(t);
  }
};

/** Iterators without memory wherever an algorithm reads. */
void testIterators() {
  auto numbers = thrust::make_counting_iterator(0);
  auto odd = thrust::make_transform_iterator(numbers, Odd());
  expect<int64_t>("reduce of bools", "", 0, thrust::reduce(thrust::device, odd, odd + N, (int64_t)0), N / 2);
  expect<long long>("reduce of a constant", "", 0,
                    thrust::reduce(thrust::device, thrust::make_constant_iterator(3000000000LL),
                                   thrust::make_constant_iterator(3000000000LL) + N),
                    3000000000LL * N);
  thrust::device_vector<long long> wide(N);
  thrust::exclusive_scan(thrust::device, odd, odd + N, wide.begin(), 1LL << 40);
  std::vector<long long> expected(N);
  for (int i = 0; i < N; i++) expected[i] = (1LL << 40) + i / 2;
  expectAll<long long>("exclusive_scan of bools", "", wide, expected);
  thrust::device_vector<int> order(N);
  for (int i = 0; i < N; i++) order[i] = N - 1 - i;
  auto reversed = thrust::make_permutation_iterator(wide.begin(), order.begin());
  auto zipped = thrust::make_zip_iterator(thrust::make_tuple(numbers, reversed));
  long long sum = 5;
  for (int i = 0; i < N; i++) sum += i + expected[N - 1 - i];
  expect<long long>("transform_reduce of a zip", "", 0,
                    thrust::transform_reduce(thrust::device, zipped, zipped + N, Sum3(), 5LL, thrust::plus<long long>()), sum);
  thrust::device_vector<int> keys(N);
  auto fifty = thrust::make_transform_iterator(numbers, [] __host__ __device__(int i) { return i / 50; });
  auto ends = thrust::reduce_by_key(thrust::device, fifty, fifty + N, thrust::make_constant_iterator(2), keys.begin(), wide.begin());
  expect<int>("reduce_by_key of iterators", "", 0, (int)(ends.first - keys.begin()), N / 50);
  expect<long long>("reduce_by_key of iterators", "", 1, wide[N / 50 - 1], 100);
  // Sums of blocks that are added one after the other lose 396.
  auto ones = thrust::make_constant_iterator(1.0f);
  expect<float>("reduce of 2^26 ones", "", 0, thrust::reduce(thrust::device, ones, ones + (1 << 26)), 67108864.0f);
  expect<int>("count_if of numbers", "", 0, (int)thrust::count_if(thrust::device, numbers, numbers + N, Odd()), N / 2);
}

// A float that an integer type cannot hold has no defined value: such pairs are left out.
template <typename IN> void testInput() {
#define PAIR(ACC) test<IN, ACC>(#ACC)
  if constexpr (!std::is_floating_point<IN>::value) { PAIR(int8_t); PAIR(uint16_t); PAIR(int32_t); }
  PAIR(int64_t);
  PAIR(float);
  PAIR(double);
}

int main() {
  testInput<int8_t>();
  testInput<uint16_t>();
  testInput<int32_t>();
  testInput<int64_t>();
  testInput<float>();
  testIterators();
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
