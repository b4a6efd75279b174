/*
 * cub::DeviceHistogram: see device_reduce.cuh. Samples are one array, or the pixels of a region: rows that begin
 * `row_stride_bytes` apart, of pixels with CHANNELS samples, of which the first ACTIVE are counted.
 */
#pragma once

#include <array>
#include "device_reduce.cuh"

namespace cub {

namespace detail {
template <typename C>
__CUB_HD void count_one(C *bin) {
#ifdef __CUDA_ARCH__
  atomicAdd(bin, (C)1);
#else
  *bin += 1;
#endif
}

/** Bins of the same width; what lies outside of all has none. */
template <typename C, typename L>
struct even_bins {
  C *bins;
  int levels;
  L low, high;
  template <typename S>
  __CUB_HD void count(const S &sample) const {
    if (!(sample >= low && sample < high)) return;
    int bin =
        std::is_integral<L>::value
            ? (int)((unsigned long long)(sample - low) * (unsigned)(levels - 1) / (unsigned long long)(high - low))
            : (int)((double)(sample - low) * (levels - 1) / (double)(high - low));
    if (bin > levels - 2) bin = levels - 2;
    count_one(bins + bin);
  }
};

/** Bins between edges in rising order. */
template <typename C, typename L>
struct range_bins {
  C *bins;
  int levels;
  const L *edges;
  template <typename S>
  __CUB_HD void count(const S &sample) const {
    const size_t at = thrust::detail::bound<true>(edges, (size_t)levels, (L)sample, thrust::less<>());
    if (at > 0 && at < (size_t)levels) count_one(bins + (at - 1));
  }
};

template <int CHANNELS, int ACTIVE, typename I, typename BINS>
struct count_pixels {
  I in;
  /** Pixels of a row, and samples from the begin of one row to the next one's. */
  size_t pixels, stride;
  BINS channels[ACTIVE];
  __CUB_HD void operator()(size_t i) const {
    const size_t first = i / pixels * stride + i % pixels * CHANNELS;
    for (int channel = 0; channel < ACTIVE; ++channel) channels[channel].count((value_of<I>)in[first + channel]);
  }
};

/** The samples of a region. */
struct region {
  item_count pixels, rows;
  size_t stride_bytes;
  cudaError_t status() const { return pixels.status != cudaSuccess ? pixels.status : rows.status; }
};

template <int CHANNELS, int ACTIVE, typename I, typename BINS>
cudaError_t histogram(void *storage, size_t &bytes, I samples, const BINS (&channels)[ACTIVE], region all,
                      cudaStream_t stream) {
  static_assert(ACTIVE >= 1 && ACTIVE <= CHANNELS, "at least one channel is counted, and none that a pixel lacks");
  if (asks(storage, bytes, all.pixels) || all.rows.status != cudaSuccess) return all.status();
  count_pixels<CHANNELS, ACTIVE, I, BINS> count = {samples, all.pixels.n, all.stride_bytes / sizeof(value_of<I>), {}};
  for (int channel = 0; channel < ACTIVE; ++channel) {
    const BINS &one = count.channels[channel] = channels[channel];
    if (one.levels > 1)
      thrust::detail::check(cudaMemsetAsync((void*)one.bins, 0, (size_t)(one.levels - 1) * sizeof(*one.bins), stream),
                            "DeviceHistogram");
  }
  thrust::detail::for_each_index(on(stream), all.pixels.n * all.rows.n, count);
  return cudaGetLastError();
}
}  // namespace detail

struct DeviceHistogram {
  template <typename I, typename C, typename L>
  static cudaError_t HistogramEven(void* storage, size_t& bytes, I samples, C* bins, int levels, L low, L high,
                                   detail::item_count n, cudaStream_t stream = 0, bool = false) {
    return HistogramEven(storage, bytes, samples, bins, levels, low, high, n, 1, (size_t)0, stream);
  }
  template <typename I, typename C, typename L>
  static cudaError_t HistogramEven(void* storage, size_t& bytes, I samples, C* bins, int levels, L low, L high,
                                   detail::item_count row_samples, detail::item_count rows, size_t row_stride_bytes,
                                   cudaStream_t stream = 0, bool = false) {
    const detail::even_bins<C, L> one[1] = {{bins, levels, low, high}};
    return detail::histogram<1, 1>(storage, bytes, samples, one, {row_samples, rows, row_stride_bytes}, stream);
  }
  template <typename I, typename C, typename L>
  static cudaError_t HistogramRange(void* storage, size_t& bytes, I samples, C* bins, int levels, const L* edges,
                                    detail::item_count n, cudaStream_t stream = 0, bool = false) {
    return HistogramRange(storage, bytes, samples, bins, levels, edges, n, 1, (size_t)0, stream);
  }
  template <typename I, typename C, typename L>
  static cudaError_t HistogramRange(void* storage, size_t& bytes, I samples, C* bins, int levels, const L* edges,
                                    detail::item_count row_samples, detail::item_count rows, size_t row_stride_bytes,
                                    cudaStream_t stream = 0, bool = false) {
    const detail::range_bins<C, L> one[1] = {{bins, levels, edges}};
    return detail::histogram<1, 1>(storage, bytes, samples, one, {row_samples, rows, row_stride_bytes}, stream);
  }

  template <int CHANNELS, int ACTIVE, typename I, typename C, typename L>
  static cudaError_t MultiHistogramEven(void* storage, size_t& bytes, I samples, C* bins[ACTIVE],
                                        const int levels[ACTIVE], const L low[ACTIVE], const L high[ACTIVE],
                                        detail::item_count pixels, cudaStream_t stream = 0, bool = false) {
    return MultiHistogramEven<CHANNELS, ACTIVE>(storage, bytes, samples, bins, levels, low, high, pixels, 1, (size_t)0,
                                                stream);
  }
  template <int CHANNELS, int ACTIVE, typename I, typename C, typename L>
  static cudaError_t MultiHistogramEven(void* storage, size_t& bytes, I samples, C* bins[ACTIVE],
                                        const int levels[ACTIVE], const L low[ACTIVE], const L high[ACTIVE],
                                        detail::item_count row_pixels, detail::item_count rows, size_t row_stride_bytes,
                                        cudaStream_t stream = 0, bool = false) {
    detail::even_bins<C, L> channels[ACTIVE];
    for (int i = 0; i < ACTIVE; ++i) channels[i] = {bins[i], levels[i], low[i], high[i]};
    return detail::histogram<CHANNELS, ACTIVE>(storage, bytes, samples, channels, {row_pixels, rows, row_stride_bytes},
                                               stream);
  }
  template <int CHANNELS, int ACTIVE, typename I, typename C, typename L>
  static cudaError_t MultiHistogramRange(void* storage, size_t& bytes, I samples, C* bins[ACTIVE],
                                         const int levels[ACTIVE], const L* const edges[ACTIVE],
                                         detail::item_count pixels, cudaStream_t stream = 0, bool = false) {
    return MultiHistogramRange<CHANNELS, ACTIVE>(storage, bytes, samples, bins, levels, edges, pixels, 1, (size_t)0,
                                                 stream);
  }
  template <int CHANNELS, int ACTIVE, typename I, typename C, typename L>
  static cudaError_t MultiHistogramRange(void* storage, size_t& bytes, I samples, C* bins[ACTIVE],
                                         const int levels[ACTIVE], const L* const edges[ACTIVE],
                                         detail::item_count row_pixels, detail::item_count rows,
                                         size_t row_stride_bytes, cudaStream_t stream = 0, bool = false) {
    detail::range_bins<C, L> channels[ACTIVE];
    for (int i = 0; i < ACTIVE; ++i) channels[i] = {bins[i], levels[i], edges[i]};
    return detail::histogram<CHANNELS, ACTIVE>(storage, bytes, samples, channels, {row_pixels, rows, row_stride_bytes},
                                               stream);
  }

  /* The same with arrays of CUB 2. WHERE: pixels, or pixels, rows and a stride; then a stream. */
  template <int CHANNELS, int ACTIVE, typename I, typename C, typename L, typename... WHERE>
  static cudaError_t MultiHistogramEven(void* storage, size_t& bytes, I samples, std::array<C*, ACTIVE> bins,
                                        std::array<int, ACTIVE> levels, std::array<L, ACTIVE> low,
                                        std::array<L, ACTIVE> high, WHERE... where) {
    return MultiHistogramEven<CHANNELS, ACTIVE>(storage, bytes, samples, bins.data(), levels.data(),
                                                (const L*)low.data(), (const L*)high.data(), where...);
  }
  template <int CHANNELS, int ACTIVE, typename I, typename C, typename L, typename... WHERE>
  static cudaError_t MultiHistogramRange(void* storage, size_t& bytes, I samples, std::array<C*, ACTIVE> bins,
                                         std::array<int, ACTIVE> levels, std::array<const L*, ACTIVE> edges,
                                         WHERE... where) {
    return MultiHistogramRange<CHANNELS, ACTIVE>(storage, bytes, samples, bins.data(), levels.data(),
                                                 (const L* const*)edges.data(), where...);
  }
};

}  // namespace cub
