// What is done to single elements between the steps: real transforms by complex ones of half the length, and transforms
// of any length by a convolution (L. I. Bluestein, "A linear filtering approach to the computation of the discrete
// Fourier transform", 1970).
#pragma once
#include "lines.cuh"

namespace heddle_fft {

/// A pass over elements. Blocks are compact: of `in` or `out`, whichever is no layout of the program's.
template <class T> struct Points {
  Side<T> in, out;
  const T *roots;   // of 2 n: exp(-pi i j / n)
  const T *factors; // of `length`, for the product of spectra
  int n, length, inner, total;
};

constexpr int POINTS_BLOCK = 256;

template <class T> __device__ inline int first_of(const Side<T>& side, int block, int i, int length, int inner) {
  return side.isCompact ? block * length * inner + i : layout_base(side, block, i);
}

/// Z[k], k < n -> X[k], k <= n, of 2 n real numbers that were taken as n complex ones. A thread makes X[k], X[n - k].
template <class T> __global__ void split_real(Points<T> p) {
  int t = blockIdx.x * POINTS_BLOCK + threadIdx.x, half = p.n / 2 + 1;
  if (t >= p.total) return;
  int block = t / half, k = t % half, other = p.n - k;
  Complex<T> a = complex_at(p.in.data, block * p.n + k);
  Complex<T> b = complex_at(p.in.data, block * p.n + (k == 0 ? 0 : other));
  Complex<T> even = {(a.x + b.x) * T(0.5), (a.y - b.y) * T(0.5)}, odd = {(a.y + b.y) * T(0.5), (b.x - a.x) * T(0.5)};
  odd = odd * complex_at(p.roots, k);
  int base = first_of(p.out, block, 0, p.n + 1, 1), stride = p.out.isCompact ? 1 : p.out.stride;
  put_complex(p.out.data, base + k * stride, even + odd);
  put_complex(p.out.data, base + other * stride, {even.x - odd.x, odd.y - even.y});
}

/// The way back: X[k], k <= n -> Z[k], k < n, twice as large.
template <class T> __global__ void join_real(Points<T> p) {
  int t = blockIdx.x * POINTS_BLOCK + threadIdx.x, half = p.n / 2 + 1;
  if (t >= p.total) return;
  int block = t / half, k = t % half, other = p.n - k;
  int base = first_of(p.in, block, 0, p.n + 1, 1), stride = p.in.isCompact ? 1 : p.in.stride;
  Complex<T> a = complex_at(p.in.data, base + k * stride), b = complex_at(p.in.data, base + other * stride);
  if (k == 0) a.y = b.y = T(0); // of a real signal
  Complex<T> even = {a.x + b.x, a.y - b.y}, odd = {a.x - b.x, a.y + b.y}, root = complex_at(p.roots, k);
  odd = odd * Complex<T>{root.x, -root.y};
  put_complex(p.out.data, block * p.n + k, {even.x - odd.y, even.y + odd.x});
  if (k > 0) put_complex(p.out.data, block * p.n + other, {even.x + odd.y, odd.x - even.y});
}

/// x[j] exp(-pi i j^2 / n), with zeros up to `length`.
template <class T> __global__ void chirp_in(Points<T> p) {
  int t = blockIdx.x * POINTS_BLOCK + threadIdx.x;
  if (t >= p.total) return;
  int i = t % p.inner, j = t / p.inner % p.length, block = t / (p.inner * p.length);
  Complex<T> value = {T(0), T(0)};
  if (j < p.n) {
    int base = first_of(p.in, block, i, p.n, p.inner), stride = p.in.isCompact ? p.inner : p.in.stride;
    value = load(p.in, base, stride, j) * complex_at(p.roots, (int)((long long)j * j % (2 * p.n)));
  }
  put_complex(p.out.data, t, value);
}

/// The product with the chirp's spectrum; its conjugate, for the way back.
template <class T> __global__ void chirp_product(Points<T> p) {
  int t = blockIdx.x * POINTS_BLOCK + threadIdx.x;
  if (t >= p.total) return;
  Complex<T> value = complex_at(p.in.data, t) * complex_at(p.factors, t / p.inner % p.length);
  put_complex(p.out.data, t, value, T(-1));
}

template <class T> __global__ void chirp_out(Points<T> p) {
  int t = blockIdx.x * POINTS_BLOCK + threadIdx.x;
  if (t >= p.total) return;
  int i = t % p.inner, k = t / p.inner % p.n, block = t / (p.inner * p.n);
  Complex<T> value = complex_at(p.in.data, (block * p.length + k) * p.inner + i, T(-1));
  int base = first_of(p.out, block, i, p.n, p.inner), stride = p.out.isCompact ? p.inner : p.out.stride;
  store(p.out, base, stride, k, value * complex_at(p.roots, (int)((long long)k * k % (2 * p.n))));
}

} // namespace heddle_fft
