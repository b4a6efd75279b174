// Transforms of 2 to 13 elements in registers: X[k] = sum of x[j] exp(-2 pi i j k / R). Used by lines.cuh.
#pragma once

namespace heddle_fft {

template <class T> struct Complex { T x, y; };
template <class T> __device__ __forceinline__ Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T> __device__ __forceinline__ Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.x - b.x, a.y - b.y};
}
/// a b + c, rounded once
__device__ inline float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
// A product is subtracted, not negated and added: that is one instruction of all machines.
template <class T> __device__ __forceinline__ Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {fused(-a.y, b.y, a.x * b.x), fused(a.y, b.x, a.x * b.y)};
}
template <class T> __device__ __forceinline__ Complex<T> scaled(Complex<T> a, T factor) {
  return {a.x * factor, a.y * factor};
}
/// -i a
template <class T> __device__ __forceinline__ Complex<T> turned(Complex<T> a) { return {a.y, -a.x}; }

/// Cosines and sines of 2 pi k / R for k = 1, 2, ... (R - 1) / 2.
template <int R> struct Angles;
#define HEDDLE_ANGLES(R, COSINES, SINES)                                 \
  template <> struct Angles<R> {                                         \
    static __device__ constexpr double cosine(int k) {                   \
      constexpr double values[] = COSINES;                               \
      return k == 0 ? 1.0 : values[(k <= R / 2 ? k : R - k) - 1];        \
    }                                                                    \
    static __device__ constexpr double sine(int k) {                     \
      constexpr double values[] = SINES;                                 \
      return k == 0 ? 0.0 : k <= R / 2 ? values[k - 1] : -values[R - k - 1]; \
    }                                                                    \
  }
#define HEDDLE_LIST(...) {__VA_ARGS__}
HEDDLE_ANGLES(3, HEDDLE_LIST(-0.5), HEDDLE_LIST(0.8660254037844386467637));
HEDDLE_ANGLES(5,
              HEDDLE_LIST(0.30901699437494745, -0.8090169943749473),
              HEDDLE_LIST(0.9510565162951535, 0.5877852522924732));
HEDDLE_ANGLES(7,
              HEDDLE_LIST(0.6234898018587336, -0.22252093395631434, -0.900968867902419),
              HEDDLE_LIST(0.7818314824680298, 0.9749279121818236, 0.43388373911755823));
HEDDLE_ANGLES(11,
              HEDDLE_LIST(0.8412535328311812, 0.41541501300188644, -0.142314838273285,
                          -0.654860733945285, -0.9594929736144974),
              HEDDLE_LIST(0.5406408174555976, 0.9096319953545183, 0.9898214418809328,
                          0.7557495743542583, 0.28173255684142967));
HEDDLE_ANGLES(13,
              HEDDLE_LIST(0.8854560256532099, 0.5680647467311559, 0.120536680255323,
                          -0.35460488704253545, -0.7485107481711012, -0.970941817426052),
              HEDDLE_LIST(0.4647231720437685, 0.8229838658936564, 0.992708874098054,
                          0.9350162426854148, 0.6631226582407952, 0.23931566428755768));
#undef HEDDLE_LIST
#undef HEDDLE_ANGLES

template <class T, int R> struct Butterfly {
  // Odd R: elements j and R - j belong together, and so do results k and R - k.
  static __device__ __forceinline__ void run(Complex<T> (&v)[R]) {
    constexpr int H = (R - 1) / 2;
    Complex<T> sum[H], difference[H], first = v[0];
#pragma unroll
    for (int j = 0; j < H; j++) {
      sum[j] = v[j + 1] + v[R - 1 - j];
      difference[j] = v[j + 1] - v[R - 1 - j];
      v[0] = v[0] + sum[j];
    }
#pragma unroll
    for (int k = 1; k <= H; k++) {
      Complex<T> a = first, b = {T(0), T(0)};
#pragma unroll
      for (int j = 0; j < H; j++) {
        a = a + scaled(sum[j], (T)Angles<R>::cosine((j + 1) * k % R));
        b = b + scaled(difference[j], (T)Angles<R>::sine((j + 1) * k % R));
      }
      v[k] = a + turned(b);
      v[R - k] = a - turned(b);
    }
  }
};
template <class T> struct Butterfly<T, 2> {
  static __device__ __forceinline__ void run(Complex<T> (&v)[2]) {
    Complex<T> a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
  }
};
template <class T> struct Butterfly<T, 4> {
  static __device__ __forceinline__ void run(Complex<T> (&v)[4]) {
    Complex<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = turned(v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
  }
};
template <class T> struct Butterfly<T, 8> {
  static __device__ __forceinline__ void run(Complex<T> (&v)[8]) {
    const T half = (T)0.70710678118654752440;
    Complex<T> even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
    Butterfly<T, 4>::run(even);
    Butterfly<T, 4>::run(odd);
    // The turns by an eighth: factors of (1 - i) and (-1 - i) times half.
    Complex<T> a = {odd[1].x + odd[1].y, odd[1].y - odd[1].x}, b = {odd[3].y - odd[3].x, odd[3].x + odd[3].y};
    odd[2] = turned(odd[2]);
    v[0] = even[0] + odd[0];
    v[4] = even[0] - odd[0];
    v[1] = {fused(half, a.x, even[1].x), fused(half, a.y, even[1].y)};
    v[5] = {fused(-half, a.x, even[1].x), fused(-half, a.y, even[1].y)};
    v[2] = even[2] + odd[2];
    v[6] = even[2] - odd[2];
    v[3] = {fused(half, b.x, even[3].x), fused(-half, b.y, even[3].y)};
    v[7] = {fused(-half, b.x, even[3].x), fused(half, b.y, even[3].y)};
  }
};
template <class T> struct Butterfly<T, 9> {
  static __device__ __forceinline__ void run(Complex<T> (&v)[9]) {
    // exp(-2 pi i k / 9) for k = 1, 2, 4
    const Complex<T> w[3] = {{(T)0.7660444431189780352, (T)-0.6427876096865393263},
                             {(T)0.1736481776669303489, (T)-0.9848077530122080594},
                             {(T)-0.9396926207859083841, (T)-0.3420201433256687330}};
    Complex<T> u[3][3];
#pragma unroll
    for (int j = 0; j < 3; j++) {
      u[j][0] = v[j];
      u[j][1] = v[j + 3];
      u[j][2] = v[j + 6];
      Butterfly<T, 3>::run(u[j]);
    }
    u[1][1] = u[1][1] * w[0];
    u[1][2] = u[1][2] * w[1];
    u[2][1] = u[2][1] * w[1];
    u[2][2] = u[2][2] * w[2];
#pragma unroll
    for (int k = 0; k < 3; k++) {
      Complex<T> x[3] = {u[0][k], u[1][k], u[2][k]};
      Butterfly<T, 3>::run(x);
      v[k] = x[0];
      v[k + 3] = x[1];
      v[k + 6] = x[2];
    }
  }
};
/// Good and Thomas: 3 and 4 have no common factor, so that no element is multiplied between their transforms.
template <class T> struct Butterfly<T, 12> {
  static __device__ __forceinline__ void run(Complex<T> (&v)[12]) {
    Complex<T> u[4][3];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      for (int i = 0; i < 3; i++) u[j][i] = v[(4 * i + 3 * j) % 12];
      Butterfly<T, 3>::run(u[j]);
    }
#pragma unroll
    for (int k = 0; k < 3; k++) {
      Complex<T> x[4] = {u[0][k], u[1][k], u[2][k], u[3][k]};
      Butterfly<T, 4>::run(x);
      for (int i = 0; i < 4; i++) v[(4 * k + 9 * i) % 12] = x[i];
    }
  }
};

} // namespace heddle_fft
