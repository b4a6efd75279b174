// Whole transforms of mixed radices, which lie one behind the other: a warp makes one, and its lanes are neighbours
// within it. As rows.cuh, for lengths that are not known when this is compiled.
//
// The passes are Stockham's, as in lines.cuh. Thread t of a pass of radix R, of M = N / R, takes elements t + M j. Its
// results stand at q + s (R p + k) with p = t / s, q = t % s. Where s is below 32, it is a constant, and a warp takes a
// multiple of s threads: how far apart its lanes write is then known when this is compiled. Where s is more, a warp
// has one p. The last warp of a pass takes some threads again, so that all lanes have work.
#pragma once
#include "lines.cuh"

namespace heddle_fft {

/// Elements behind the end of an array in shared memory, which the last warp of a pass with s < 32 takes as well.
constexpr int MIXED_ROOM = 144;

template <class T> struct MixedStep {
  const T *in;
  /// For each pass but the last, and each of its warps or p: for k = 1, ... the real parts of mixed_factors(s) factors,
  /// then the imaginary ones.
  const T *table;
  T *out;
  int inDistance, outDistance; // elements from one transform to the next
  T sign;                      // of imaginary parts, in and out
  int n, pitch, count; // pitch: elements from a real part in shared memory to its imaginary part
  unsigned char radices[MOST_RADICES];
};

/// Threads that a warp takes in a pass.
__host__ __device__ constexpr int mixed_width(int s) { return s < WARP ? WARP / s * s : WARP; }


/// Different factors of a warp and a k: lanes of a vector of four have one p where s is a multiple of four.
__host__ __device__ constexpr int mixed_factors(int s) { return s >= WARP ? 1 : s % 4 == 0 ? WARP / s : WARP; }

/// lane / S. The compiler's way, with 64 bits, hides that each lane's result is a constant.
template <int S> __device__ __forceinline__ int part_of(int lane) { return (lane * (1024 / S + 1)) >> 10; }

/// Transforms v, and multiplies it with what `factor(k)` has.
template <class T, int R, bool isLast, class Factor>
__device__ __forceinline__ void mixed_butterfly(Complex<T> (&v)[R], Factor factor) {
  Butterfly<T, R>::run(v);
#pragma unroll
  for (int k = 1; k < R; k++)
    if (!isLast) v[k] = v[k] * factor(k);
}

/// A pass with s = S < 32. The first one reads the program's array.
template <class T, int R, int S>
__device__ __forceinline__ const T *short_pass(const MixedStep<T> &step, const T *in, const T *from, T *to,
                                               const T *table) {
  constexpr int WIDTH = mixed_width(S), FACTORS = mixed_factors(S);
  const int m = step.n / R, lane = __nvvm_read_ptx_sreg_laneid();
  const int ahead = lane + part_of<S>(lane) * (S * (R - 1));
#pragma unroll 1
  for (int begin = 0; begin < m; begin += WIDTH, table += 2 * (R - 1) * FACTORS) {
    int first = min(begin, m - WIDTH);
    Complex<T> v[R];
#pragma unroll
    for (int j = 0; j < R; j++) {
      int at = first + m * j + lane;
      v[j] = S == 1 ? complex_at(in, at, step.sign) : Complex<T>{from[at], from[step.pitch + at]};
    }
    const T *factors = table + (FACTORS == WARP ? lane : part_of<S>(lane));
    mixed_butterfly<T, R, false>(v, [&](int k) {
      return Complex<T>{factors[(2 * k - 2) * FACTORS], factors[(2 * k - 1) * FACTORS]};
    });
    T *place = to + first * R + ahead;
#pragma unroll
    for (int k = 0; k < R; k++) place[S * k] = v[k].x;
#pragma unroll
    for (int k = 0; k < R; k++) place[step.pitch + S * k] = v[k].y;
  }
  __syncwarp();
  return table;
}

/// A pass with s >= 32. The last one, with one p, writes the program's array.
template <class T, int R, bool isLast>
__device__ __forceinline__ const T *long_pass(const MixedStep<T> &step, const T *from, T *to, T *out, int s,
                                              const T *table) {
  const int m = step.n / R, lane = __nvvm_read_ptx_sreg_laneid();
#pragma unroll 1
  for (int p = 0; p < m; p += s, table += 2 * (R - 1)) {
    Complex<T> factors[R];
#pragma unroll
    for (int k = 1; k < R; k++)
      if (!isLast) factors[k] = complex_at(table, k - 1);
#pragma unroll 1
    for (int begin = 0; begin < s; begin += WARP) {
      int first = min(begin, s - WARP);
      Complex<T> v[R];
#pragma unroll
      for (int j = 0; j < R; j++) {
        int at = p + first + m * j + lane;
        v[j] = {from[at], from[step.pitch + at]};
      }
      mixed_butterfly<T, R, isLast>(v, [&](int k) { return factors[k]; });
      const int place = p * R + first + lane;
      if (isLast) {
#pragma unroll
        for (int k = 0; k < R; k++) put_complex(out, place + s * k, v[k], step.sign);
        continue;
      }
      // In the order of their places: the engine then needs few tests to compute and store four threads at once.
#pragma unroll
      for (int k = 0; k < R; k++) to[place + s * k] = v[k].x;
#pragma unroll
      for (int k = 0; k < R; k++) to[place + s * k + step.pitch] = v[k].y;
    }
  }
  __syncwarp();
  return table;
}

/// A later pass of any radix.
template <class T, bool isLast>
__device__ __forceinline__ const T *any_pass(int radix, const MixedStep<T> &step, const T *from, T *to, T *out, int s,
                                             const T *table) {
  switch (radix) {
    case 2: return long_pass<T, 2, isLast>(step, from, to, out, s, table);
    case 3: return long_pass<T, 3, isLast>(step, from, to, out, s, table);
    case 4: return long_pass<T, 4, isLast>(step, from, to, out, s, table);
    case 5: return long_pass<T, 5, isLast>(step, from, to, out, s, table);
    case 7: return long_pass<T, 7, isLast>(step, from, to, out, s, table);
    case 8: return long_pass<T, 8, isLast>(step, from, to, out, s, table);
    case 9: return long_pass<T, 9, isLast>(step, from, to, out, s, table);
    // It needs many registers, and factors would need more: the last pass has none.
    default: return long_pass<T, isLast ? 12 : 9, isLast>(step, from, to, out, s, table);
  }
}

template <class T, int R1> __global__ void __launch_bounds__(WARP) transform_mixed(MixedStep<T> step) {
  extern __shared__ double memory[];
  T *from = (T *)memory, *to = from + 2 * step.pitch;
  const T *in = step.in + (size_t)blockIdx.x * 2 * step.inDistance;
  T *out = step.out + (size_t)blockIdx.x * 2 * step.outDistance;
  // A pass with s < 32 may read a little behind the end.
  for (int half = 0; half < 4; half++) from[half * step.pitch + step.n + threadIdx.x] = T(0);
  __syncwarp();
  const T *table = short_pass<T, R1, 1>(step, in, nullptr, from, step.table);
  int radix = step.radices[1], s = R1, i = 1;
  if constexpr (R1 == 5) {
    table = short_pass<T, 5, 5>(step, in, from, to, table);
    T *other = from;
    from = to;
    to = other;
    radix = step.radices[2];
    s = 25;
    i = 2;
    switch (radix) {
      case 3: table = short_pass<T, 3, 25>(step, in, from, to, table); break;
      case 4: table = short_pass<T, 4, 25>(step, in, from, to, table); break;
      default: table = short_pass<T, 5, 25>(step, in, from, to, table);
    }
  } else {
    switch (radix) {
      case 5: table = short_pass<T, 5, R1>(step, in, from, to, table); break;
      case 7: table = short_pass<T, 7, R1>(step, in, from, to, table); break;
      case 4: if constexpr (R1 != 7) { table = short_pass<T, 4, R1>(step, in, from, to, table); break; }
      case 9: if constexpr (R1 != 7) { table = short_pass<T, 9, R1>(step, in, from, to, table); break; }
      default: if constexpr (R1 == 8) table = short_pass<T, 8, R1>(step, in, from, to, table);
    }
  }
  for (i++; ; i++) {
    s *= radix;
    radix = step.radices[i];
    T *other = from;
    from = to;
    to = other;
    if (i + 1 == step.count) break;
    table = any_pass<T, false>(radix, step, from, to, nullptr, s, table);
  }
  any_pass<T, true>(radix, step, from, nullptr, out, s, table);
}

} // namespace heddle_fft
