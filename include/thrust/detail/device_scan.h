/*
 * Prefix sums on the device in one pass: each block scans one tile, publishes the tile's total, and looks back at the
 * tiles in front of it (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).
 */
#pragma once

#include "launch.h"

namespace thrust {
namespace detail {

enum { scan_threads = 512, scan_warps = scan_threads / 32 };
enum : unsigned { scan_nothing = 0, scan_total = 1, scan_prefix = 2 };
/** Odd, so that threads that read elements next to each other in shared memory use all banks. */
template <typename T>
constexpr int scan_items = sizeof(T) <= 4 ? 15 : sizeof(T) <= 8 ? 7 : sizeof(T) <= 16 ? 3 : 1;

/** A value as words: what shuffles and tile states hold. */
template <typename T>
struct value_words {
  enum { count = (sizeof(T) + 3) / 4 };
  alignas(alignof(T) < 4 ? 4 : alignof(T)) unsigned words[count];
  __device__ value_words() {}
  __device__ explicit value_words(const T &value) { new ((void *)words) T(value); }
  __device__ const T &value() const { return *(const T *)words; }
};
template <typename T>
__device__ value_words<T> shuffle_up(const value_words<T> &from, unsigned by) {
  value_words<T> to;
  for (int i = 0; i < value_words<T>::count; ++i) to.words[i] = __shfl_up_sync(0xffffffffu, from.words[i], by);
  return to;
}
template <typename T>
__device__ value_words<T> shuffle_down(const value_words<T> &from, unsigned by) {
  value_words<T> to;
  for (int i = 0; i < value_words<T>::count; ++i) to.words[i] = __shfl_down_sync(0xffffffffu, from.words[i], by);
  return to;
}
template <typename T>
__device__ value_words<T> shuffle_from(const value_words<T> &from, int lane) {
  value_words<T> to;
  for (int i = 0; i < value_words<T>::count; ++i) to.words[i] = __shfl_sync(0xffffffffu, from.words[i], lane);
  return to;
}

/**
 * What blocks tell each other about their tiles. A status and a value of one word travel together, in one access of
 * eight bytes; a larger value is written before its status. All is 0 at first.
 */
template <typename T>
struct tile_states {
  enum { words = value_words<T>::count, is_small = words == 1 };
  /** Of each tile: small values' status and value; else the status, the total and the prefix. */
  enum { bytes_of_tile = is_small ? 8 : 4 + 8 * words };
  volatile unsigned *memory;
  size_t tiles;

  __device__ void publish(size_t tile, unsigned status, const value_words<T> &value) const {
    if constexpr (is_small) {
      ((volatile unsigned long long *)memory)[tile] = (unsigned long long)status << 32 | value.words[0];
    } else {
      volatile unsigned *to = memory + tiles + (tile * 2 + (status == scan_prefix)) * words;
      for (int i = 0; i < words; ++i) to[i] = value.words[i];
      __threadfence();
      memory[tile] = status;
    }
  }
  __device__ unsigned read(size_t tile, value_words<T> *value) const {
    if constexpr (is_small) {
      const unsigned long long state = ((volatile unsigned long long *)memory)[tile];
      value->words[0] = (unsigned)state;
      return (unsigned)(state >> 32);
    } else {
      const unsigned status = memory[tile];
      if (status == scan_nothing) return status;
      __threadfence();
      const volatile unsigned *from = memory + tiles + (tile * 2 + (status == scan_prefix)) * words;
      for (int i = 0; i < words; ++i) value->words[i] = from[i];
      return status;
    }
  }
};

/** What comes in front of a tile that is not the first. All lanes of a warp call it, and read 32 tiles at a time. */
template <typename T, typename OP>
__device__ value_words<T> look_back(const tile_states<T> &states, size_t tile, OP &op) {
  const int lane = threadIdx.x % 32;
  value_words<T> before;
  bool any = false;
  for (size_t next = tile;; next -= 32) {
    value_words<T> value;
    unsigned known, needed, status;
    do {
      /* The first tile has a prefix from the start: no lane that asks for less than it is needed. */
      status = next > (size_t)lane ? states.read(next - 1 - lane, &value) : (unsigned)scan_prefix;
      known = __ballot_sync(0xffffffffu, status == scan_prefix);
      needed = known ^ (known - 1);
    } while ((__ballot_sync(0xffffffffu, status == scan_nothing) & needed) != 0);
    const int last = known == 0 ? 31 : __ffs((int)known) - 1;
    for (int by = 1; by < 32; by *= 2) {
      const value_words<T> older = shuffle_down(value, by);
      if (lane + by <= last) value = value_words<T>(op(older.value(), value.value()));
    }
    value = shuffle_from(value, 0);
    before = any ? value_words<T>(op(value.value(), before.value())) : value;
    any = true;
    if (known != 0) return before;
  }
}

template <typename T, typename F, typename O, typename OP>
__global__ void __launch_bounds__(scan_threads)
    scan_tiles_kernel(F f, O out, size_t n, OP op, bool inclusive, bool has_init, T init, tile_states<T> states,
                      unsigned *ticket) {
  constexpr int items = scan_items<T>, tile_size = items * scan_threads;
  alignas(T) __shared__ unsigned char storage[tile_size * sizeof(T)];
  __shared__ value_words<T> totals[scan_warps], in_front;
  __shared__ unsigned taken;
  T *values = (T *)storage;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  /* Tiles are taken in order, so that no block waits for one that has not begun. */
  if (t == 0) taken = atomicAdd(ticket, 1u);
  __syncthreads();
  const size_t tile = taken, begin = tile * tile_size;
  const int count = n - begin < (size_t)tile_size ? (int)(n - begin) : tile_size;

  value_words<T> own[items];
  if (count == tile_size) {
#pragma unroll
    for (int k = 0; k < items; ++k) own[k] = value_words<T>((T)f(begin + k * scan_threads + t));
#pragma unroll
    for (int k = 0; k < items; ++k) new ((void *)(values + k * scan_threads + t)) T(own[k].value());
  } else {
    for (int i = t; i < count; i += scan_threads) new ((void *)(values + i)) T((T)f(begin + i));
  }
  __syncthreads();

  /* Each thread its neighbours, then the threads of each warp. Threads with elements are in front of those without. */
  const int first = t * items, mine = count - first < 0 ? 0 : count - first < items ? count - first : items;
  const bool works = mine > 0;
  value_words<T> upTo;
  if (works) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (k >= mine) continue;
      own[k] = value_words<T>(values[first + k]);
      upTo = k == 0 ? own[0] : value_words<T>(op(upTo.value(), own[k].value()));
    }
  }
  for (int by = 1; by < 32; by *= 2) {
    const value_words<T> other = shuffle_up(upTo, by);
    if (works && lane >= by) upTo = value_words<T>(op(other.value(), upTo.value()));
  }
  const value_words<T> left = shuffle_up(upTo, 1);
  const bool is_last = works && (lane == 31 || first + items >= count);
  if (is_last) totals[warp] = upTo;
  __syncthreads();

  value_words<T> before;
  const int warps = (count + 32 * items - 1) / (32 * items);
  if (warp == 0) {
    value_words<T> total = totals[0];
    for (int i = 1; i < warps; ++i) total = value_words<T>(op(total.value(), totals[i].value()));
    if (tile == 0) {
      if (has_init) {
        before = value_words<T>(init);
        total = value_words<T>(op(init, total.value()));
      }
    } else {
      if (lane == 0) states.publish(tile, scan_total, total);
      before = look_back(states, tile, op);
      total = value_words<T>(op(before.value(), total.value()));
    }
    if (lane == 0) {
      states.publish(tile, scan_prefix, total);
      in_front = before;
    }
  }
  __syncthreads();
  before = in_front;
  bool any = has_init || tile > 0;
  for (int i = 0; i < warp && works; ++i) {
    before = any ? value_words<T>(op(before.value(), totals[i].value())) : totals[i];
    any = true;
  }
  if (works && lane > 0) {
    before = any ? value_words<T>(op(before.value(), left.value())) : left;
    any = true;
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (k >= mine) continue;
    const value_words<T> after = any ? value_words<T>(op(before.value(), own[k].value())) : own[k];
    values[first + k] = inclusive || !any ? after.value() : before.value();
    before = after;
    any = true;
  }
  __syncthreads();
  if (count == tile_size) {
#pragma unroll
    for (int k = 0; k < items; ++k) out[begin + k * scan_threads + t] = values[k * scan_threads + t];
  } else {
    for (int i = t; i < count; i += scan_threads) out[begin + i] = values[i];
  }
}

/** out[i] = f(0) op … op f(i), or up to f(i - 1) where not inclusive; n is at least 1. */
template <typename T, typename F, typename O, typename OP>
void scan_on_device(cudaStream_t stream, size_t n, F f, O out, OP op, bool inclusive, bool has_init, T init) {
  constexpr size_t tile_size = (size_t)scan_items<T> * scan_threads;
  const size_t tiles = (n + tile_size - 1) / tile_size;
  /* The ticket has eight bytes of its own, in front. */
  const size_t bytes = 8 + tiles * tile_states<T>::bytes_of_tile;
  temporary<unsigned char> memory(bytes);
  check(cudaMemsetAsync((void *)memory.data(), 0, bytes, stream), "preparing a scan");
  const tile_states<T> states{(volatile unsigned *)(memory.data() + 8), tiles};
  scan_tiles_kernel<T, F, O, OP><<<(unsigned)tiles, scan_threads, 0, stream>>>(f, out, n, op, inclusive, has_init, init,
                                                                             states, (unsigned *)memory.data());
  check(cudaGetLastError(), "launching a scan");
  check(cudaStreamSynchronize(stream), "running a scan");
}

}  // namespace detail
}  // namespace thrust
