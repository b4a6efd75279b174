// cub::DeviceHistogram over regions and channels, cub::DeviceRadixSort with decomposers, against plain loops.
#include <cub/cub.cuh>
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;

template <typename T> struct Buffer {
  T *data;
  explicit Buffer(size_t n) { cudaMalloc(&data, n * sizeof(T)); }
  explicit Buffer(const std::vector<T> &from) : Buffer(from.size()) {
    cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Buffer() { cudaFree(data); }
  std::vector<T> read(size_t n) const {
    std::vector<T> to(n);
    cudaMemcpy(to.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
    return to;
  }
};

template <typename F> void run(const char *what, F call) {
  size_t bytes = 0;
  cudaError_t error = call(nullptr, bytes);
  Buffer<char> storage(bytes);
  if (error == cudaSuccess) error = call((void *)storage.data, bytes);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) failures++, printf("%s: %s\n", what, cudaGetErrorString(error));
}

static unsigned state = 1;
static unsigned random_below(unsigned n) { return (state = state * 1664525u + 1013904223u) / 65536u % n; }

template <typename C> void expect(const char *what, const char *type, int channel, const std::vector<C> &found,
                                  const std::vector<C> &wanted) {
  if (found == wanted) return;
  failures++;
  for (size_t i = 0; i < wanted.size(); i++)
    if (found[i] != wanted[i]) {
      printf("%s %s, channel %d: bin %d has %lld, expected %lld\n", what, type, channel, (int)i, (long long)found[i],
             (long long)wanted[i]);
      return;
    }
}

// Pixels of four samples, of which three are counted; rows with a gap behind them.
template <typename S, typename C, typename L> void histograms(const char *type, L low, L high) {
  constexpr int CHANNELS = 4, ACTIVE = 3, COLUMNS = 37, ROWS = 11, PAD = 5;
  const size_t stride = (COLUMNS + PAD) * CHANNELS;
  std::vector<S> samples(stride * ROWS);
  const double span = (double)high - (double)low;
  for (auto &one : samples) one = (S)((double)low - span / 8 + random_below(1000) * span * 1.25 / 1000);
  Buffer<S> in(samples);
  const int levels[ACTIVE] = {5, 9, 2};
  L lower[ACTIVE], upper[ACTIVE];
  std::vector<L> edges[ACTIVE];
  for (int c = 0; c < ACTIVE; c++) {
    // Widths that divide by the bins: in every type the bin is exact.
    lower[c] = (L)(low + c), upper[c] = (L)(lower[c] + (L)((high - low) / 64 * 64));
    for (int i = 0; i < levels[c]; i++) edges[c].push_back((L)(low + i * i * 3 + i + c));
  }
  Buffer<L> edge0(edges[0]), edge1(edges[1]), edge2(edges[2]);
  const L *edgeData[ACTIVE] = {edge0.data, edge1.data, edge2.data};
  for (int form = 0; form < 4; form++) {
    const bool isRegion = form & 1, isRange = form & 2;
    const size_t rows = isRegion ? ROWS : 1, columns = isRegion ? COLUMNS : stride / CHANNELS * ROWS;
    std::vector<C> wanted[ACTIVE];
    for (int c = 0; c < ACTIVE; c++) {
      wanted[c].assign(levels[c] - 1, 0);
      for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++) {
          const S sample = samples[row * stride + column * CHANNELS + c];
          for (int i = 0; i + 1 < levels[c]; i++) {
            const double width = ((double)upper[c] - (double)lower[c]) / (levels[c] - 1);
            const double from = isRange ? (double)edges[c][i] : (double)lower[c] + i * width;
            const double to = isRange ? (double)edges[c][i + 1] : (double)lower[c] + (i + 1) * width;
            if ((double)sample >= from && (double)sample < to) wanted[c][i]++;
          }
        }
    }
    Buffer<C> out0(levels[0] - 1), out1(levels[1] - 1), out2(levels[2] - 1);
    C *outs[ACTIVE] = {out0.data, out1.data, out2.data};
    const size_t strideBytes = stride * sizeof(S);
    const char *what = isRange ? (isRegion ? "MultiHistogramRange of a region" : "MultiHistogramRange")
                               : (isRegion ? "MultiHistogramEven of a region" : "MultiHistogramEven");
    auto compare = [&] {
      expect(what, type, 0, out0.read(levels[0] - 1), wanted[0]);
      expect(what, type, 1, out1.read(levels[1] - 1), wanted[1]);
      expect(what, type, 2, out2.read(levels[2] - 1), wanted[2]);
    };
    run(what, [&](void *s, size_t &b) {
      using H = cub::DeviceHistogram;
      if (isRange && isRegion)
        return H::MultiHistogramRange<CHANNELS, ACTIVE>(s, b, in.data, outs, levels, edgeData, COLUMNS, ROWS, strideBytes);
      if (isRange) return H::MultiHistogramRange<CHANNELS, ACTIVE>(s, b, in.data, outs, levels, edgeData, (int)columns);
      if (isRegion)
        return H::MultiHistogramEven<CHANNELS, ACTIVE>(s, b, in.data, outs, levels, lower, upper, COLUMNS, ROWS,
                                                       strideBytes);
      return H::MultiHistogramEven<CHANNELS, ACTIVE>(s, b, in.data, outs, levels, lower, upper, (int)columns);
    });
    compare();
    // The arrays of CUB 2.
    cuda::std::array<C *, ACTIVE> outArray = {outs[0], outs[1], outs[2]};
    cuda::std::array<int, ACTIVE> levelArray = {levels[0], levels[1], levels[2]};
    cuda::std::array<L, ACTIVE> lowerArray = {lower[0], lower[1], lower[2]}, upperArray = {upper[0], upper[1], upper[2]};
    cuda::std::array<const L *, ACTIVE> edgeArray = {edgeData[0], edgeData[1], edgeData[2]};
    run(what, [&](void *s, size_t &b) {
      using H = cub::DeviceHistogram;
      if (isRange)
        return H::MultiHistogramRange<CHANNELS, ACTIVE>(s, b, in.data, outArray, levelArray, edgeArray, (int)columns,
                                                        (int)rows, strideBytes);
      return H::MultiHistogramEven<CHANNELS, ACTIVE>(s, b, in.data, outArray, levelArray, lowerArray, upperArray,
                                                     (int)columns, (int)rows, strideBytes, (cudaStream_t)0);
    });
    compare();
    if (!isRegion) continue;
    // One channel: each row's first samples.
    std::vector<C> single(levels[0] - 1, 0);
    for (int row = 0; row < ROWS; row++)
      for (int column = 0; column < COLUMNS; column++) {
        const double sample = (double)samples[row * stride + column];
        for (int i = 0; i + 1 < levels[0]; i++) {
          const double width = ((double)upper[0] - (double)lower[0]) / (levels[0] - 1);
          const double from = isRange ? (double)edges[0][i] : (double)lower[0] + i * width;
          const double to = isRange ? (double)edges[0][i + 1] : (double)lower[0] + (i + 1) * width;
          if (sample >= from && sample < to) single[i]++;
        }
      }
    run("a region", [&](void *s, size_t &b) {
      if (isRange)
        return cub::DeviceHistogram::HistogramRange(s, b, in.data, outs[0], levels[0], edgeData[0], COLUMNS, ROWS,
                                                    strideBytes);
      return cub::DeviceHistogram::HistogramEven(s, b, in.data, outs[0], levels[0], lower[0], upper[0], COLUMNS, ROWS,
                                                 strideBytes);
    });
    expect(isRange ? "HistogramRange of a region" : "HistogramEven of a region", type, 0, out0.read(levels[0] - 1), single);
  }
}

struct Particle {
  float x;
  int64_t cell;
  uint8_t kind;
};
struct ByCell {
  __host__ __device__ cuda::std::tuple<int64_t &, float &> operator()(Particle &p) const { return {p.cell, p.x}; }
};
struct ByKind {
  __host__ __device__ cuda::std::tuple<uint8_t &> operator()(Particle &p) const { return {p.kind}; }
};

// What CUB sorts by: the members as one number, the last one lowest, its bits [begin, end).
static unsigned __int128 number(const Particle &p, bool byKind) {
  if (byKind) return p.kind;
  uint32_t x;
  std::memcpy(&x, &p.x, 4);
  if (x == 0x80000000u) x = 0;  // -0 is 0
  x = x >> 31 ? ~x : x | 0x80000000u;
  return (unsigned __int128)((uint64_t)p.cell ^ (1ull << 63)) << 32 | x;
}

template <typename D> void sorts(const char *what, D decompose, bool byKind, int begin, int end, bool all) {
  const int n = 700;
  std::vector<Particle> particles(n);
  std::vector<int> order(n);
  for (int i = 0; i < n; i++) {
    particles[i] = {(float)((int)random_below(9) - 4) * 0.5f, (int64_t)random_below(7) - 3, (uint8_t)random_below(5)};
    if (particles[i].x == 0 && i % 2) particles[i].x = -0.0f;
    order[i] = i;
  }
  const int top = byKind ? 8 : 96;
  const unsigned __int128 mask = (((unsigned __int128)1 << ((all ? top : end) - (all ? 0 : begin))) - 1);
  auto digits = [&](int i) { return number(particles[i], byKind) >> (all ? 0 : begin) & mask; };
  for (int form = 0; form < 8; form++) {
    const bool isDescending = form & 1, isPairs = form & 2, isDouble = form & 4;
    std::vector<int> wanted = order;
    std::stable_sort(wanted.begin(), wanted.end(), [&](int a, int b) {
      return isDescending ? digits(b) < digits(a) : digits(a) < digits(b);
    });
    Buffer<Particle> in(particles), out(n);
    Buffer<int> values(order), valuesOut(n);
    cub::DoubleBuffer<Particle> keys(in.data, out.data);
    cub::DoubleBuffer<int> numbers(values.data, valuesOut.data);
    run(what, [&](void *s, size_t &b) {
      using S = cub::DeviceRadixSort;
      if (isDouble && isPairs)
        return isDescending ? (all ? S::SortPairsDescending(s, b, keys, numbers, n, decompose)
                                   : S::SortPairsDescending(s, b, keys, numbers, n, decompose, begin, end))
                            : (all ? S::SortPairs(s, b, keys, numbers, n, decompose)
                                   : S::SortPairs(s, b, keys, numbers, n, decompose, begin, end, (cudaStream_t)0));
      if (isDouble)
        return isDescending ? (all ? S::SortKeysDescending(s, b, keys, n, decompose)
                                   : S::SortKeysDescending(s, b, keys, n, decompose, begin, end))
                            : (all ? S::SortKeys(s, b, keys, n, decompose)
                                   : S::SortKeys(s, b, keys, n, decompose, begin, end));
      if (isPairs)
        return isDescending
                   ? (all ? S::SortPairsDescending(s, b, in.data, out.data, values.data, valuesOut.data, n, decompose)
                          : S::SortPairsDescending(s, b, in.data, out.data, values.data, valuesOut.data, n, decompose,
                                                   begin, end))
                   : (all ? S::SortPairs(s, b, in.data, out.data, values.data, valuesOut.data, n, decompose,
                                         (cudaStream_t)0)
                          : S::SortPairs(s, b, in.data, out.data, values.data, valuesOut.data, n, decompose, begin, end));
      return isDescending ? (all ? S::SortKeysDescending(s, b, in.data, out.data, n, decompose)
                                 : S::SortKeysDescending(s, b, in.data, out.data, n, decompose, begin, end))
                          : (all ? S::SortKeys(s, b, in.data, out.data, n, decompose)
                                 : S::SortKeys(s, b, in.data, out.data, n, decompose, begin, end));
    });
    std::vector<Particle> found(n);
    std::vector<int> foundOrder(n);
    cudaMemcpy(found.data(), isDouble ? keys.Current() : out.data, n * sizeof(Particle), cudaMemcpyDeviceToHost);
    cudaMemcpy(foundOrder.data(), isDouble ? numbers.Current() : valuesOut.data, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
      const Particle &a = found[i], &b = particles[wanted[i]];
      // With its sign: keys come out as they went in.
      const bool isSame = std::memcmp(&a.x, &b.x, 4) == 0 && a.cell == b.cell && a.kind == b.kind;
      if (isSame && (!isPairs || foundOrder[i] == wanted[i])) continue;
      failures++;
      printf("%s [%d..%d), form %d: item %d\n", what, begin, end, form, i);
      break;
    }
  }
}

int main() {
  histograms<uint8_t, int, int>("uint8_t int", 10, 210);
  histograms<int, unsigned, int>("int unsigned", -500, 500);
  histograms<int16_t, unsigned long long, float>("int16_t float", -400.0f, 400.0f);
  histograms<float, int, float>("float", -256.0f, 256.0f);
  histograms<double, unsigned, double>("double", 0.0, 1024.0);
  sorts("cell and x", ByCell(), false, 0, 96, true);
  sorts("cell and x, some bits", ByCell(), false, 20, 35, false);
  sorts("x alone", ByCell(), false, 0, 32, false);
  sorts("cell alone", ByCell(), false, 32, 96, false);
  sorts("kind", ByKind(), true, 0, 8, true);
  sorts("kind's low bits", ByKind(), true, 0, 2, false);
  // -0 and 0 are equal keys of plain types, too: their order stays.
  const std::vector<float> zeros = {1.0f, 0.0f, -0.0f, 0.0f, -0.0f, -1.0f};
  Buffer<float> in(zeros), out(6);
  run("zeros", [&](void *s, size_t &b) { return cub::DeviceRadixSort::SortKeys(s, b, in.data, out.data, 6); });
  const std::vector<float> sorted = out.read(6);
  for (int i = 1; i < 5; i++)
    if (std::signbit(sorted[i]) != std::signbit(zeros[i])) failures++, printf("the zero %d has another sign\n", i);
  printf(failures == 0 ? "PASSED\n" : "FAILED\n");
  return failures != 0;
}
