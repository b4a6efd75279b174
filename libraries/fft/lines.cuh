// One step of a transform: each thread transforms one line of R elements, and the 32 lines of a warp lie side by side.
//
// The steps are Stockham's, with long radices (C. Van Loan, "Computational Frameworks for the Fast Fourier Transform",
// 1992, section 1.7). A step of radix R takes an array of blocks, in each of them s * m lines:
//   in[q + s (p + m j)], j < R  ->  out[q + s (R p + k)], k < R, times exp(-2 pi i p k / (R m))
// for q < s, p < m. The first step of a dimension has s = the elements that lie inside of it, the last one has m = 1.
// Lines are elements of shared memory [j][thread], so that 32 threads always touch neighbouring numbers.
#pragma once
#include "butterflies.cuh"

namespace heddle_fft {

constexpr int WARP = 32;

/// What the elements of an array are.
enum Form {
  FORM_COMPLEX,
  FORM_PAIRS,     // real numbers, two neighbours are one complex number
  FORM_REAL,      // real numbers, with the imaginary part zero
  FORM_HERMITIAN, // the first half of n complex numbers; element n - k is the conjugate of element k
};

/// How the threads of a warp reach an array.
enum Access {
  ACCESS_ANY,
  ACCESS_ROWS,       // the lines are neighbours: a warp reads 32 neighbouring elements
  ACCESS_TRANSPOSED, // each line is a row itself: threads take elements of one line after the other
};

/// An array of a step: compact blocks, or the layout of a program's plan.
template <class T> struct Side {
  T *data;
  int form, access;
  T sign;    // of imaginary parts. Conjugates on both sides make a forward transform a backward one
  int count; // elements of the dimension that are stored
  bool isCompact;
  // For a layout that is not compact. The other dimensions have `outer` x sizeA and `inner` elements; the index over
  // them is a * sizeB + b.
  int inner, length, sizeB, strideA, strideB, stride, dist, others;
};

constexpr int MOST_RADICES = 8;
template <class T> struct Step {
  Side<T> in, out;
  const T *roots;    // exp(-2 pi i j / R), j < R
  const T *twiddles; // [p R + k]; null if m = 1
  int R, s, m, lines;
  int count;
  unsigned char radices[MOST_RADICES];
};

template <class T> __device__ inline Complex<T> complex_at(const T *data, int at, T sign = 1) {
  return {data[2 * at], sign * data[2 * at + 1]};
}
template <class T> __device__ inline void put_complex(T *data, int at, Complex<T> value, T sign = 1) {
  data[2 * at] = value.x;
  data[2 * at + 1] = sign * value.y;
}
// A complex number of floats is one access of 64 bits: neighbours are vectors, where every second float is not.
template <> __device__ inline Complex<float> complex_at(const float *data, int at, float sign) {
  unsigned long long bits = ((const unsigned long long *)data)[at];
  return {__uint_as_float((unsigned)bits), sign * __uint_as_float((unsigned)(bits >> 32))};
}
template <> __device__ inline void put_complex(float *data, int at, Complex<float> value, float sign) {
  ((unsigned long long *)data)[at] =
      (unsigned long long)__float_as_uint(sign * value.y) << 32 | __float_as_uint(value.x);
}

/// The place of the first element of a line in a layout of the program's: line `within` of block `block`.
template <class T> __device__ inline int layout_base(const Side<T>& side, int block, int i) {
  int outer = side.others / side.inner;
  int batch = block / outer, other = block % outer * side.inner + i;
  return batch * side.dist + other / side.sizeB * side.strideA + other % side.sizeB * side.strideB;
}

template <class T> __device__ inline Complex<T> load(const Side<T>& side, int base, int stride, int e) {
  switch (side.form) {
  case FORM_PAIRS: {
    int at = base + 2 * e * stride;
    return {side.data[at], side.data[at + stride]};
  }
  case FORM_REAL: return {side.data[base + e * stride], T(0)};
  case FORM_HERMITIAN: {
    bool isMirrored = 2 * e > side.length;
    int at = base + (isMirrored ? side.length - e : e) * stride;
    return complex_at(side.data, at, isMirrored ? -side.sign : side.sign);
  }
  default: return complex_at(side.data, base + e * stride, side.sign);
  }
}
template <class T> __device__ inline void store(const Side<T>& side, int base, int stride, int e, Complex<T> value) {
  if (e >= side.count) return;
  switch (side.form) {
  case FORM_PAIRS: {
    int at = base + 2 * e * stride;
    side.data[at] = value.x;
    side.data[at + stride] = side.sign * value.y;
    return;
  }
  case FORM_REAL: side.data[base + e * stride] = value.x; return;
  default: put_complex(side.data, base + e * stride, value, side.sign);
  }
}

// Shared memory: element j of thread t has its real part at 64 j + t, its imaginary part 32 further on.
template <class T> __device__ inline Complex<T> element(const T *at, int j) { return {at[64 * j], at[64 * j + 32]}; }
template <class T> __device__ inline void put_element(T *at, int j, Complex<T> value) {
  at[64 * j] = value.x;
  at[64 * j + 32] = value.y;
}

template <class T, int R>
__device__ inline void pass(const T* from, T* to, const T* __restrict__ roots, int s, int m) {
  for (int p = 0; p < m; p++) {
    Complex<T> root[R];
#pragma unroll
    for (int k = 1; k < R; k++) root[k] = {roots[2 * (p * k * s)], roots[2 * (p * k * s) + 1]};
    for (int q = 0; q < s; q++) {
      Complex<T> v[R];
#pragma unroll
      for (int j = 0; j < R; j++) v[j] = element(from, q + s * (p + m * j));
      Butterfly<T, R>::run(v);
      put_element(to, q + s * R * p, v[0]);
#pragma unroll
      for (int k = 1; k < R; k++) put_element(to, q + s * (R * p + k), p == 0 ? v[k] : v[k] * root[k]);
    }
  }
}

/// Any odd radix, by its definition: sums and differences of elements j and R - j take their places first.
template <class T>
__device__ inline void pass_any(T* from, T* to, const T* __restrict__ roots, int R, int n, int s, int m) {
  int half = (R - 1) / 2;
  for (int p = 0; p < m; p++)
    for (int q = 0; q < s; q++) {
      int in = q + s * p, out = q + s * R * p;
      Complex<T> first = element(from, in), total = first;
      for (int j = 1; j <= half; j++) {
        Complex<T> a = element(from, in + s * m * j), b = element(from, in + s * m * (R - j));
        put_element(from, in + s * m * j, a + b);
        put_element(from, in + s * m * (R - j), a - b);
        total = total + (a + b);
      }
      put_element(to, out, total);
      for (int k = 1; k <= half; k++) {
        Complex<T> a = first, b = {T(0), T(0)};
        int at = 0;
        for (int j = 1; j <= half; j++) {
          at += k;
          at -= at >= R ? R : 0;
          int place = 2 * (at * (n / R));
          a = a + scaled(element(from, in + s * m * j), roots[place]);
          b = b + scaled(element(from, in + s * m * (R - j)), -roots[place + 1]);
        }
        Complex<T> u = a + turned(b), v = a - turned(b);
        int pu = 2 * (p * k * s), pv = 2 * (p * (R - k) * s);
        put_element(to, out + s * k, u * Complex<T>{roots[pu], roots[pu + 1]});
        put_element(to, out + s * (R - k), v * Complex<T>{roots[pv], roots[pv + 1]});
      }
    }
}

/// The transform of a thread's line in shared memory; returns where the result is.
template <class T> __device__ inline T *transform(const Step<T>& step, T *from, T *to) {
  int s = 1, n = step.R;
  for (int i = 0; i < step.count; i++) {
    int radix = step.radices[i];
    n /= radix;
    switch (radix) {
    case 2: pass<T, 2>(from, to, step.roots, s, n); break;
    case 3: pass<T, 3>(from, to, step.roots, s, n); break;
    case 4: pass<T, 4>(from, to, step.roots, s, n); break;
    case 5: pass<T, 5>(from, to, step.roots, s, n); break;
    case 7: pass<T, 7>(from, to, step.roots, s, n); break;
    case 8: pass<T, 8>(from, to, step.roots, s, n); break;
    default: pass_any<T>(from, to, step.roots, radix, step.R, s, n);
    }
    s *= radix;
    T *other = from;
    from = to;
    to = other;
  }
  return from;
}

template <class T> __global__ void __launch_bounds__(WARP) transform_lines(Step<T> step) {
  extern __shared__ double memory[];
  const int R = step.R, s = step.s, m = step.m, perBlock = s * m, lane = threadIdx.x;
  T *first = (T *)memory, *mine = first + lane;
  const int t0 = blockIdx.x * WARP;
  const int t = min(t0 + lane, step.lines - 1);

  // Elements of lines -> shared memory.
  if (step.in.access == ACCESS_ROWS) {
    int base = t0 / perBlock * (perBlock * R) + t0 % perBlock + lane;
    for (int j = 0; j < R; j++) put_element(mine, j, complex_at(step.in.data, base + perBlock * j, step.in.sign));
  } else if (step.in.access == ACCESS_TRANSPOSED) {
    int here = min(WARP, step.lines - t0);
    for (int line = 0; line < here; line++)
      for (int j = 0; j < R; j += WARP) {
        int e = min(j, R - WARP) + lane; // the last elements of a line again, where R is no multiple
        put_element(first + line, e, complex_at(step.in.data, (t0 + line) * R + e, step.in.sign));
      }
    __syncwarp();
  } else {
    int block = t / perBlock, within = t % perBlock, base, stride, e = 0, eStep = 1;
    if (step.in.isCompact) {
      base = block * (perBlock * R) + within;
      stride = perBlock;
    } else {
      base = layout_base(step.in, block, within % s);
      stride = step.in.stride;
      e = within / s;
      eStep = m;
    }
    for (int j = 0; j < R; j++) put_element(mine, j, load(step.in, base, stride, e + eStep * j));
  }

  T *result = transform(step, mine, mine + 64 * R);

  // Shared memory -> elements of lines.
  if (step.out.access == ACCESS_ROWS) {
    int block = t0 / perBlock, within = t0 % perBlock, p = within / s, q = within % s;
    int base = block * (perBlock * R) + s * R * p + q + lane;
    if (step.twiddles && p > 0) {
      const T *twiddle = step.twiddles + 2 * p * R;
      for (int k = 0; k < R; k++) {
        Complex<T> root = {twiddle[2 * k], twiddle[2 * k + 1]};
        put_complex(step.out.data, base + s * k, element(result, k) * root, step.out.sign);
      }
    } else {
      for (int k = 0; k < R; k++) put_complex(step.out.data, base + s * k, element(result, k), step.out.sign);
    }
  } else if (step.out.access == ACCESS_TRANSPOSED) {
    __syncwarp();
    const T *start = result - lane;
    int here = min(WARP, step.lines - t0);
    for (int line = 0; line < here; line++) {
      int p = (t0 + line) % m;
      for (int k = 0; k < R; k += WARP) {
        int e = min(k, R - WARP) + lane;
        Complex<T> value = element(start + line, e);
        if (step.twiddles) value = value * complex_at(step.twiddles, p * R + e);
        put_complex(step.out.data, (t0 + line) * R + e, value, step.out.sign);
      }
    }
  } else if (t0 + lane < step.lines) {
    int block = t / perBlock, within = t % perBlock, p = within / s, q = within % s, base, stride, e = 0, eStep = 1;
    if (step.out.isCompact) {
      base = block * (perBlock * R) + s * R * p + q;
      stride = s;
    } else {
      base = layout_base(step.out, block, q % step.out.inner);
      stride = step.out.stride;
      e = q / step.out.inner;
      eStep = s / step.out.inner;
    }
    for (int k = 0; k < R; k++) {
      Complex<T> value = element(result, k);
      if (step.twiddles) value = value * complex_at(step.twiddles, p * R + k);
      store(step.out, base, stride, e + eStep * k, value);
    }
  }
}

} // namespace heddle_fft
