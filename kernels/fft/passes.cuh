// What versions 4 and 5 share: passes over elements in registers, with exchanges in shared memory.
#pragma once
#include "complex.cuh"

__device__ __forceinline__ void transform2(float2 &a, float2 &b) {
  float2 c = a;
  a = add(c, b), b = subtract(c, b);
}
__device__ __forceinline__ float2 timesMinusI(float2 a) { return make_float2(a.y, -a.x); }

// The transform of every STRIDE-th of SIZE elements, beginning with `first`, in place: by halves, whose even results
// are the sums' and whose odd ones the turned differences'. The result for `q` lands at the reversed bits of q, which
// `reversed` undoes where it is read.
template <int SIZE>
__device__ __forceinline__ float2 turned(float2 a, int part) {
  const float r = 0.70710678118654752f, c = 0.92387953251128674f, s = 0.38268343236508977f;
  if (part == 0) return a;
  int sixteenths = part * (16 / SIZE);
  if (sixteenths == 4) return timesMinusI(a);
  if (sixteenths == 2) return make_float2(r * (a.x + a.y), r * (a.y - a.x));
  if (sixteenths == 6) return make_float2(r * (a.y - a.x), -r * (a.x + a.y));
  if (sixteenths == 1) return multiply(a, make_float2(c, -s));
  if (sixteenths == 3) return multiply(a, make_float2(s, -c));
  if (sixteenths == 5) return multiply(a, make_float2(-s, -c));
  return multiply(a, make_float2(-c, -s));
}
template <int SIZE, int STRIDE>
__device__ __forceinline__ void transform(float2 *v) {
#pragma unroll
  for (int i = 0; i < SIZE / 2; i++) {
    transform2(v[i * STRIDE], v[(i + SIZE / 2) * STRIDE]);
    v[(i + SIZE / 2) * STRIDE] = turned<SIZE>(v[(i + SIZE / 2) * STRIDE], i);
  }
  if constexpr (SIZE > 2) transform<SIZE / 2, STRIDE>(v), transform<SIZE / 2, STRIDE>(v + SIZE / 2 * STRIDE);
}
template <int SIZE>
__device__ __forceinline__ constexpr int reversed(int q) {
  return SIZE == 2 ? q : SIZE == 4 ? q % 2 * 2 + q / 2 : SIZE == 8 ? q % 2 * 4 + q / 2 % 2 * 2 + q / 4
      : q % 2 * 8 + q / 2 % 2 * 4 + q / 4 % 2 * 2 + q / 8;
}

// Of i + j it is gapped(i) + gapped(j) wherever it is needed: one of them is a multiple of 16, or no bit is in both.
__device__ __forceinline__ constexpr int gapped(int i) { return i + i / 16; }

// A pass: `DONE` elements belong together already. Elements t, t + N / RADIX … of the transform are in v before it, and
// after it, but for the last one.
template <int N, int DONE>
struct Pass {
  static const int SIZE = N / DONE < RADIX ? N / DONE : RADIX, TIMES = RADIX / SIZE, THREADS = N / RADIX;
  float2 w[TIMES];
  Pass<N, DONE * SIZE> next;
  __device__ void prepare(int t) {
    if (DONE > 1)
#pragma unroll
      for (int b = 0; b < TIMES; b++) w[b] = root((t + b * THREADS) % DONE, DONE * SIZE);
    next.prepare(t);
  }
  __device__ __forceinline__ void run(float2 (&v)[RADIX], float2 *part, float2 *y, int t, bool there) {
#pragma unroll
    for (int b = 0; b < TIMES; b++) {
      if (DONE > 1) {
        float2 power[SIZE];
        power[1] = w[b];
#pragma unroll
        for (int r = 2; r < SIZE; r++) power[r] = multiply(power[r / 2], power[r - r / 2]);
#pragma unroll
        for (int r = 1; r < SIZE; r++) v[b + r * TIMES] = multiply(v[b + r * TIMES], power[r]);
      }
      transform<SIZE, TIMES>(v + b);
    }
    if (DONE * SIZE == N) {
      if (there)
#pragma unroll
        for (int b = 0; b < TIMES; b++)
#pragma unroll
          for (int q = 0; q < SIZE; q++) y[t + b * THREADS + q * DONE] = v[b + reversed<SIZE>(q) * TIMES];
    } else {
      __syncthreads();
#pragma unroll
      for (int b = 0; b < TIMES; b++) {
        int j = t + b * THREADS, to = j / DONE * DONE * SIZE + j % DONE;
#pragma unroll
        for (int q = 0; q < SIZE; q++) part[gapped(to) + gapped(q * DONE)] = v[b + reversed<SIZE>(q) * TIMES];
      }
      __syncthreads();
#pragma unroll
      for (int r = 0; r < RADIX; r++) v[r] = part[gapped(t) + gapped(r * THREADS)];
      next.run(v, part, y, t, there);
    }
  }
};
template <int N>
struct Pass<N, N> {
  __device__ void prepare(int) {}
  __device__ void run(float2 (&)[RADIX], float2 *, float2 *, int, bool) {}
};
