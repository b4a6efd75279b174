// Whole transforms of 2^k elements, or 3 · 2^k, which lie one behind the other: a warp makes one, or several short
// ones, and its lanes are neighbours within it. Nothing is transposed.
//
// The passes are Stockham's, as in lines.cuh. Thread t of a pass of radix R, of M = N / R, takes elements t + M j, and
// its results stand at t + s p (R - 1) + s k with p = t / s. So a warp always reads neighbours, and from the second
// pass on it writes neighbours.
#pragma once
#include "lines.cuh"

namespace heddle_fft {

constexpr int LEAST_ROW = 64, MOST_ROW = 4096;

/// Whether it is 2^k or 3 · 2^k, and neither too short nor too long.
__host__ __device__ constexpr bool is_row(int n) {
  int twos = n % 3 == 0 ? n / 3 : n;
  return (twos & (twos - 1)) == 0 && twos >= LEAST_ROW && n <= MOST_ROW;
}
/// The next radix where so many elements are left: 4 as often as needed, then 8; the last one is 12 if there is a 3.
__host__ __device__ constexpr int row_radix(int rest) {
  if (rest == 12) return 12;
  if (rest % 3 == 0) rest /= 12;
  int bits = 0;
  while (rest > 1) { rest /= 2; bits++; }
  return bits % 3 == 0 ? 8 : 4;
}
/// Transforms of a block: a pass has a thread for each lane.
__host__ __device__ constexpr int rows_of_block(int n) {
  int least = n % 3 == 0 ? 24 * WARP : 8 * WARP;
  return n >= least ? 1 : least / n;
}
/// Elements of a half of the shared memory; a little more than there are, so that halves do not share cache sets.
__host__ __device__ constexpr int row_pitch(int n) { return n * rows_of_block(n) + 16; }
/// Different twiddles of a factor: one for each thread, or one for each p where warps have one p.
__host__ __device__ constexpr int row_twiddles(int n, int s, int radix) {
  return s < WARP ? n / radix : n / radix / s;
}

template <class T> struct RowStep {
  const T *in, *table; // table: for each pass but the last the real parts [k - 1][thread or p], then the imaginary ones
  T *out;
  T sign; // of imaginary parts, in and out
};

template <class T, int N, int S>
__device__ __forceinline__ void row_passes(const RowStep<T> &step, const T *in, T *out, T *from, T *to,
                                           const T *table) {
  constexpr int R = row_radix(N / S), M = N / R, P = row_twiddles(N, S, R), PITCH = row_pitch(N);
  constexpr int THREADS = M * rows_of_block(N);
  constexpr bool isFirst = S == 1, isLast = S * R == N, isOnePart = S >= WARP;
#pragma unroll 1
  for (int first = 0; first < THREADS; first += WARP) {
    int index = first + threadIdx.x, t = THREADS == M ? index : index % M, base = THREADS == M ? 0 : index / M * N;
    int p = isOnePart ? first % M / S : t / S, place = base + t + p * (S * (R - 1));
    Complex<T> v[R];
#pragma unroll
    for (int j = 0; j < R; j++) {
      int at = base + t + M * j;
      v[j] = isFirst ? complex_at(in, at, step.sign) : Complex<T>{from[at], from[PITCH + at]};
    }
    Butterfly<T, R>::run(v);
    const T *twiddle = table + (isOnePart ? p : t);
    // All loads come before all stores: the engine then computes and stores four threads' results after the other's.
#pragma unroll
    for (int k = 1; k < R; k++)
      if (!isLast) v[k] = v[k] * Complex<T>{twiddle[(k - 1) * P], twiddle[(R - 1 + k - 1) * P]};
#pragma unroll
    for (int k = 0; k < R; k++) {
      int at = place + S * k;
      if (isLast) put_complex(out, at, v[k], step.sign);
      else {
        to[at] = v[k].x;
        to[PITCH + at] = v[k].y;
      }
    }
  }
  if constexpr (!isLast) {
    __syncwarp();
    row_passes<T, N, S * R>(step, in, out, to, from, table + 2 * (R - 1) * P);
  }
}

template <class T, int N> __global__ void __launch_bounds__(WARP) transform_rows(RowStep<T> step) {
  extern __shared__ double memory[];
  T *first = (T *)memory;
  size_t begin = (size_t)blockIdx.x * (2 * N * rows_of_block(N));
  row_passes<T, N, 1>(step, step.in + begin, step.out + begin, first, first + 2 * row_pitch(N), step.table);
}

} // namespace heddle_fft
