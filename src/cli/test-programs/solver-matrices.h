// Random matrices of four types, on the device and in double precision, and what they must satisfy: for programs of
// random descriptors of cuSOLVER.
#pragma once
#include <cusolverDn.h>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

typedef std::complex<double> Z;
typedef std::vector<Z> Matrix; // column-major, rows known to the user
struct Case { char op[16]; int type, m, n, k, isUpper, ld, seed; };

static uint32_t hash(uint32_t seed, uint32_t at) {
  uint32_t x = seed * 2654435761u + at * 2246822519u + 374761393u;
  x = (x ^ (x >> 15)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return x ^ (x >> 16);
}
static double number(uint32_t seed, uint32_t at) { return (hash(seed, at) % 2001) / 1000.0 - 1; }

template <class T> struct Type;
template <> struct Type<float> {
  typedef float R;
  static constexpr cudaDataType t = CUDA_R_32F, r = CUDA_R_32F;
  static float of(Z z) { return (float)z.real(); }
  static Z to(float v) { return v; }
};
template <> struct Type<double> {
  typedef double R;
  static constexpr cudaDataType t = CUDA_R_64F, r = CUDA_R_64F;
  static double of(Z z) { return z.real(); }
  static Z to(double v) { return v; }
};
template <> struct Type<cuComplex> {
  typedef float R;
  static constexpr cudaDataType t = CUDA_C_32F, r = CUDA_R_32F;
  static cuComplex of(Z z) { return make_cuComplex((float)z.real(), (float)z.imag()); }
  static Z to(cuComplex v) { return {v.x, v.y}; }
};
template <> struct Type<cuDoubleComplex> {
  typedef double R;
  static constexpr cudaDataType t = CUDA_C_64F, r = CUDA_R_64F;
  static cuDoubleComplex of(Z z) { return make_cuDoubleComplex(z.real(), z.imag()); }
  static Z to(cuDoubleComplex v) { return {v.x, v.y}; }
};

static cusolverDnHandle_t h;
static void *work_memory, *host_work;
static void *work(size_t bytes) { cudaFree(work_memory); cudaMalloc(&work_memory, bytes + 64); return work_memory; }

template <class T> struct Device {
  T *p = nullptr;
  int rows, cols, ld;
  Device(int rows, int cols, int ld) : rows(rows), cols(cols), ld(ld) {
    cudaMalloc(&p, sizeof(T) * ((size_t)ld * cols + 1));
  }
  ~Device() { cudaFree(p); }
  void put(const Matrix &m) {
    std::vector<T> all((size_t)ld * cols);
    memset((void *)all.data(), 0, all.size() * sizeof(T));
    for (int j = 0; j < cols; j++)
      for (int i = 0; i < rows; i++) all[i + (size_t)j * ld] = Type<T>::of(m[i + (size_t)j * rows]);
    cudaMemcpy(p, all.data(), all.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  Matrix get() {
    std::vector<T> all((size_t)ld * cols);
    cudaMemcpy(all.data(), p, all.size() * sizeof(T), cudaMemcpyDeviceToHost);
    Matrix m((size_t)rows * cols);
    for (int j = 0; j < cols; j++)
      for (int i = 0; i < rows; i++) m[i + (size_t)j * rows] = Type<T>::to(all[i + (size_t)j * ld]);
    return m;
  }
};
static Matrix product(const Matrix &a, const Matrix &b, int m, int k, int n, bool isAdjointA = false,
                      bool isAdjointB = false) {
  Matrix c((size_t)m * n);
  for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) {
    Z sum = 0;
    for (int p = 0; p < k; p++)
      sum += (isAdjointA ? std::conj(a[p + (size_t)i * k]) : a[i + (size_t)p * m]) *
             (isAdjointB ? std::conj(b[j + (size_t)p * n]) : b[p + (size_t)j * k]);
    c[i + (size_t)j * m] = sum;
  }
  return c;
}
static double distance(const Matrix &a, const Matrix &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); i++) sum += std::norm(a[i] - b[i]);
  return std::sqrt(sum);
}
static double norm(const Matrix &a) { return distance(a, Matrix(a.size())) + 1e-300; }
static Matrix unit(int n) { Matrix e((size_t)n * n); for (int i = 0; i < n; i++) e[i + (size_t)i * n] = 1; return e; }
/// How far columns are from orthonormal.
static double orthogonality(const Matrix &q, int m, int n) { return distance(product(q, q, n, m, n, true), unit(n)); }
template <class T> Matrix random(int m, int n, int seed) {
  Matrix a((size_t)m * n);
  for (size_t i = 0; i < a.size(); i++) a[i] = Type<T>::to(Type<T>::of({number(seed, i), number(seed + 99, i)}));
  return a;
}
template <class T> Matrix hermitian(int n, int seed, bool isPositive) {
  Matrix a = random<T>(n, n, seed);
  for (int j = 0; j < n; j++) for (int i = 0; i <= j; i++) {
    if (i == j) a[i + (size_t)i * n] = a[i + (size_t)i * n].real() + (isPositive ? n + 1.0 : 0);
    else a[j + (size_t)i * n] = std::conj(a[i + (size_t)j * n]);
    a[i + (size_t)j * n] = Type<T>::to(Type<T>::of(a[i + (size_t)j * n]));
    a[j + (size_t)i * n] = std::conj(a[i + (size_t)j * n]);
  }
  return a;
}

#define STEP(CALL) if ((status = (CALL)) != CUSOLVER_STATUS_SUCCESS) { printf("%d", (int)status); return; }
#define PICK(S_, D_, C_, Z_) \
  if constexpr (std::is_same_v<T, float>) { STEP(S_) } else if constexpr (std::is_same_v<T, double>) { STEP(D_) } \
  else if constexpr (std::is_same_v<T, cuComplex>) { STEP(C_) } else { STEP(Z_) }
#define SAME(NAME, ...) \
  PICK(cusolverDnS##NAME(__VA_ARGS__), cusolverDnD##NAME(__VA_ARGS__), \
       cusolverDnC##NAME(__VA_ARGS__), cusolverDnZ##NAME(__VA_ARGS__))
#define NAMED(REAL, COMPLEX, ...) \
  PICK(cusolverDnS##REAL(__VA_ARGS__), cusolverDnD##REAL(__VA_ARGS__), \
       cusolverDnC##COMPLEX(__VA_ARGS__), cusolverDnZ##COMPLEX(__VA_ARGS__))

