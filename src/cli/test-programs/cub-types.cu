// The types in which cub's algorithms add up, against plain loops, for pairs of an input and an output type.
#include <cub/cub.cuh>
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <vector>

constexpr int N = 600, SEGMENTS = 4;
static int failures = 0;

template <typename T> struct Buffer {
  T *data;
  explicit Buffer(size_t n) { cudaMalloc(&data, n * sizeof(T)); }
  explicit Buffer(const std::vector<T> &from) : Buffer(from.size()) { write(from); }
  ~Buffer() { cudaFree(data); }
  void write(const std::vector<T> &from) { cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice); }
  std::vector<T> read(size_t n) const {
    std::vector<T> to(n);
    cudaMemcpy(to.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
    return to;
  }
};

// vector<bool> has no data().
template <> void Buffer<bool>::write(const std::vector<bool> &from) {
  for (size_t i = 0; i < from.size(); i++) {
    const bool one = from[i];
    cudaMemcpy(data + i, &one, 1, cudaMemcpyHostToDevice);
  }
}
template <> std::vector<bool> Buffer<bool>::read(size_t n) const {
  std::vector<bool> to(n);
  for (size_t i = 0; i < n; i++) {
    bool one;
    cudaMemcpy(&one, data + i, 1, cudaMemcpyDeviceToHost);
    to[i] = one;
  }
  return to;
}

template <typename F> void run(F call) {
  size_t bytes = 0;
  call(nullptr, bytes);
  Buffer<char> storage(bytes);
  call((void *)storage.data, bytes);
}

template <typename T> void expect(const char *what, const char *pair, size_t at, T found, T expected) {
  if (found == expected) return;
  failures++;
  printf("%s %s [%d]: %g, expected %g\n", what, pair, (int)at, (double)found, (double)expected);
}

// What x + y is: bool and char become int.
template <typename A, typename B> using sum_of = std::decay_t<decltype(std::declval<A>() + std::declval<B>())>;

template <typename IN, typename OUT> void test(const char *pair) {
  std::vector<IN> values(N);
  for (int i = 0; i < N; i++) values[i] = (IN)(i % 3 == 0 ? 1 : i % 5);
  Buffer<IN> in(values);
  Buffer<OUT> out(N);

  // Sum: the initial value has the output's type.
  sum_of<OUT, IN> sum = OUT();
  for (IN value : values) sum = sum + value;
  run([&](void *s, size_t &b) { cub::DeviceReduce::Sum(s, b, in.data, out.data, N); });
  expect<OUT>("Sum", pair, 0, out.read(1)[0], (OUT)sum);

  // Reduce: that of the given value.
  sum_of<int64_t, IN> wide = 7;
  for (IN value : values) wide = wide + value;
  run([&](void *s, size_t &b) { cub::DeviceReduce::Reduce(s, b, in.data, out.data, N, cub::Sum(), (int64_t)7); });
  expect<OUT>("Reduce", pair, 0, out.read(1)[0], (OUT)wide);

  // Scans without a value: what the operation makes of two items.
  sum_of<IN, IN> running = IN();
  std::vector<OUT> inclusive(N), exclusive(N);
  for (int i = 0; i < N; i++) {
    exclusive[i] = (OUT)running;
    running = running + values[i];
    inclusive[i] = (OUT)running;
  }
  run([&](void *s, size_t &b) { cub::DeviceScan::InclusiveSum(s, b, in.data, out.data, N); });
  std::vector<OUT> found = out.read(N);
  for (int i = 0; i < N; i++) expect<OUT>("InclusiveSum", pair, i, found[i], inclusive[i]);
  run([&](void *s, size_t &b) { cub::DeviceScan::ExclusiveSum(s, b, in.data, out.data, N); });
  found = out.read(N);
  for (int i = 0; i < N; i++) expect<OUT>("ExclusiveSum", pair, i, found[i], exclusive[i]);

  // Segments.
  std::vector<int> ends = {0, 10, 10, 400, N};
  Buffer<int> offsets(ends);
  run([&](void *s, size_t &b) {
    cub::DeviceSegmentedReduce::Sum(s, b, in.data, out.data, SEGMENTS, offsets.data, offsets.data + 1);
  });
  found = out.read(SEGMENTS);
  for (int segment = 0; segment < SEGMENTS; segment++) {
    sum_of<OUT, IN> of = OUT();
    for (int i = ends[segment]; i < ends[segment + 1]; i++) of = of + values[i];
    expect<OUT>("SegmentedSum", pair, segment, found[segment], (OUT)of);
  }
}

struct IsOdd { __host__ __device__ bool operator()(int i) const { return i % 2 == 1; } };

// A float that an integer type cannot hold has no defined value: such pairs are left out.
template <typename IN> void testInput() {
#define PAIR(OUT) test<IN, OUT>(#OUT)
  if constexpr (!std::is_floating_point<IN>::value) { PAIR(bool); PAIR(int8_t); PAIR(uint16_t); }
  PAIR(int32_t); PAIR(int64_t); PAIR(float);
}

int main() {
  testInput<bool>();
  testInput<int8_t>();
  testInput<uint16_t>();
  testInput<uint32_t>();
  testInput<int64_t>();
  testInput<float>();

  cub::TransformInputIterator<bool, IsOdd, cub::CountingInputIterator<int>> odd(cub::CountingInputIterator<int>(0), IsOdd());
  Buffer<int64_t> count(1);
  run([&](void *s, size_t &b) { cub::DeviceReduce::Sum(s, b, odd, count.data, N); });
  expect<int64_t>("Sum of bool", "int64_t", 0, count.read(1)[0], N / 2);

  run([&](void *s, size_t &b) { cub::DeviceReduce::Sum(s, b, odd, count.data, 0); });
  expect<int64_t>("Sum of nothing", "int64_t", 0, count.read(1)[0], 0);

  printf(failures == 0 ? "PASSED\n" : "%d failures\n", failures);
  return failures != 0;
}
