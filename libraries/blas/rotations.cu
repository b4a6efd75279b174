// cuBLAS, level 1 beyond what cublas.cu has: Givens and modified Givens rotations, and complex vectors times a real
// number.
#include "handle.h"
#include "vector.cuh"

using namespace heddle_blas;

namespace {

/// x = c x + s y, y = c y - conj(s) x.
template <class T>
__global__ void rotate_complex(int n, T *x, int incx, T *y, int incy, Factor<T> c, Factor<T> s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T a = x[(i64)i * incx], b = y[(i64)i * incy];
  x[(i64)i * incx] = c.get() * a + s.get() * b;
  y[(i64)i * incy] = c.get() * b + minus(conjugate(s.get()) * a);
}

/// The rotation that takes (a, b) to (r, 0), as the reference BLAS has it; a: r, b: z, from which c and s can be had.
template <class T> __host__ __device__ void make_rotation(T *a, T *b, T *c, T *s) {
  T larger = fabs(*a) > fabs(*b) ? *a : *b, scale = fabs(*a) + fabs(*b);
  if (scale == 0) {
    *c = 1;
    *s = 0;
    *a = 0;
    *b = 0;
    return;
  }
  T r = scale * sqrt((*a / scale) * (*a / scale) + (*b / scale) * (*b / scale));
  if (larger < 0) r = -r;
  *c = *a / r;
  *s = *b / r;
  T z = 1;
  if (fabs(*a) > fabs(*b)) z = *s;
  else if (*c != 0) z = 1 / *c;
  *a = r;
  *b = z;
}
/// The same of complex numbers: c is real, and b stays.
template <class T, class R> __host__ __device__ void make_complex_rotation(T *a, const T *b, R *c, T *s) {
  R absA = sqrt(a->x * a->x + a->y * a->y), absB = sqrt(b->x * b->x + b->y * b->y);
  if (absA == 0) {
    *c = 0;
    *s = one<T>();
    *a = *b;
    return;
  }
  R scale = absA + absB;
  R norm = scale * sqrt((absA / scale) * (absA / scale) + (absB / scale) * (absB / scale));
  T phase = {a->x / absA, a->y / absA};
  *c = absA / norm;
  T product = phase * conjugate(*b);
  *s = {product.x / norm, product.y / norm};
  *a = {phase.x * norm, phase.y * norm};
}

/// The modified Givens transformation (Lawson, Hanson, Kincaid, Krogh: Basic Linear Algebra Subprograms for Fortran
/// usage, 1979).
template <class T> __host__ __device__ void make_modified(T *d1, T *d2, T *x1, const T *y1, T *param) {
  const T gamma = 4096, gamma2 = gamma * gamma, least = 1 / gamma2;
  T flag, h11 = 0, h12 = 0, h21 = 0, h22 = 0;
  auto zeroAll = [&] {
    flag = -1;
    h11 = h12 = h21 = h22 = 0;
    *d1 = *d2 = *x1 = 0;
  };
  auto fix = [&] { // all four elements are written
    if (flag == 0) { h11 = 1; h22 = 1; }
    else if (flag == 1) { h21 = -1; h12 = 1; }
    flag = -1;
  };
  if (*d1 < 0) zeroAll();
  else {
    T p2 = *d2 * *y1;
    if (p2 == 0) {
      param[0] = -2;
      return;
    }
    T p1 = *d1 * *x1, q2 = p2 * *y1, q1 = p1 * *x1;
    if (fabs(q1) > fabs(q2)) {
      h21 = -*y1 / *x1;
      h12 = p2 / p1;
      T u = 1 - h12 * h21;
      flag = 0;
      if (u > 0) {
        *d1 /= u;
        *d2 /= u;
        *x1 *= u;
      } else zeroAll();
    } else if (q2 < 0) zeroAll();
    else {
      flag = 1;
      h11 = p1 / p2;
      h22 = *x1 / *y1;
      T u = 1 + h11 * h22, kept = *d2 / u;
      *d2 = *d1 / u;
      *d1 = kept;
      *x1 = *y1 * u;
    }
    while (*d1 != 0 && (*d1 <= least || *d1 >= gamma2)) {
      fix();
      if (*d1 <= least) { *d1 *= gamma2; *x1 /= gamma; h11 /= gamma; h12 /= gamma; }
      else { *d1 /= gamma2; *x1 *= gamma; h11 *= gamma; h12 *= gamma; }
    }
    while (*d2 != 0 && (fabs(*d2) <= least || fabs(*d2) >= gamma2)) {
      fix();
      if (fabs(*d2) <= least) { *d2 *= gamma2; h21 /= gamma; h22 /= gamma; }
      else { *d2 /= gamma2; h21 *= gamma; h22 *= gamma; }
    }
  }
  if (flag < 0) { param[1] = h11; param[2] = h21; param[3] = h12; param[4] = h22; }
  else if (flag == 0) { param[2] = h21; param[3] = h12; }
  else { param[1] = h11; param[4] = h22; }
  param[0] = flag;
}

template <class T> struct Modified {
  T values[5];
  const T *address;
};
template <class T> __global__ void rotate_modified(int n, T *x, int incx, T *y, int incy, Modified<T> param) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T *p = param.address ? param.address : param.values;
  if (p[0] == -2) return;
  T h11 = p[0] == 0 ? T(1) : p[1], h22 = p[0] == 0 ? T(1) : p[4];
  T h21 = p[0] == 1 ? T(-1) : p[2], h12 = p[0] == 1 ? T(1) : p[3];
  T a = x[(i64)i * incx], b = y[(i64)i * incy];
  x[(i64)i * incx] = h11 * a + h12 * b;
  y[(i64)i * incy] = h21 * a + h22 * b;
}

template <class T> __global__ void make_rotation_on_device(T *a, T *b, T *c, T *s) { make_rotation(a, b, c, s); }
template <class T, class R> __global__ void make_complex_on_device(T *a, const T *b, R *c, T *s) {
  make_complex_rotation(a, b, c, s);
}
template <class T> __global__ void make_modified_on_device(T *d1, T *d2, T *x1, const T *y1, T *param) {
  make_modified(d1, d2, x1, y1, param);
}

} // namespace

#define ON_DEVICE (h->pointerMode == CUBLAS_POINTER_MODE_DEVICE)

extern "C" {

#define HEDDLE_ROTATIONS(P, T)                                                                                         \
  cublasStatus_t cublas##P##rotg_v2(cublasHandle_t h, T* a, T* b, T* c, T* s) {                                        \
    NVIDIA("cublas" #P "rotg_v2", scalar(h, a), scalar(h, b), scalar(h, c), scalar(h, s))                              \
    if (ON_DEVICE) make_rotation_on_device<T><<<1, 1, 0, h->stream>>>(a, b, c, s);                                     \
    else make_rotation(a, b, c, s);                                                                                    \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##rotmg_v2(cublasHandle_t h, T* d1, T* d2, T* x1, const T* y1, T* param) {                   \
    NVIDIA("cublas" #P "rotmg_v2", scalar(h, d1), scalar(h, d2), scalar(h, x1), scalar(h, y1), scalar(h, param))       \
    if (ON_DEVICE) make_modified_on_device<T><<<1, 1, 0, h->stream>>>(d1, d2, x1, y1, param);                          \
    else make_modified(d1, d2, x1, y1, param);                                                                         \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##rotm_v2(cublasHandle_t h, int n, T* x, int incx, T* y, int incy, const T* param) {         \
    NVIDIA("cublas" #P "rotm_v2", n, x, incx, y, incy, scalar(h, param))                                               \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                          \
    Modified<T> held = {{0, 0, 0, 0, 0}, ON_DEVICE ? param : nullptr};                                                 \
    if (!ON_DEVICE) memcpy(held.values, param, sizeof held.values);                                                    \
    rotate_modified<T> ELEMENTWISE(n)(n, vector_start(x, n, incx), incx, vector_start(y, n, incy), incy, held);        \
    return launched();                                                                                                 \
  }
HEDDLE_ROTATIONS(S, float)
HEDDLE_ROTATIONS(D, double)

// P: letter, PR: the letters of a function whose factors are real
#define HEDDLE_COMPLEX(P, PR, T, E, R)                                                                                 \
  cublasStatus_t cublas##P##rotg_v2(cublasHandle_t h, T* a, T* b, R* c, T* s) {                                        \
    NVIDIA("cublas" #P "rotg_v2", scalar(h, a), scalar(h, b), scalar(h, c), scalar(h, s))                              \
    if (ON_DEVICE) make_complex_on_device<E, R><<<1, 1, 0, h->stream>>>((E*)a, (const E*)b, c, (E*)s);                 \
    else make_complex_rotation((E*)a, (const E*)b, c, (E*)s);                                                          \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##rot_v2(cublasHandle_t h, int n, T* x, int incx, T* y, int incy, const R* c, const T* s) {  \
    NVIDIA("cublas" #P "rot_v2", n, x, incx, y, incy, scalar(h, c), scalar(h, s))                                      \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                          \
    rotate_complex<E> ELEMENTWISE(n)(n, (E*)vector_start(x, n, incx), incx, (E*)vector_start(y, n, incy), incy,        \
                                     real_factor<E>(*h, 0, c), factor<E>(*h, s));                                      \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##PR##rot_v2(cublasHandle_t h, int n, T* x, int incx, T* y, int incy, const R* c,               \
                                    const R* s) {                                                                      \
    NVIDIA("cublas" #PR "rot_v2", n, x, incx, y, incy, scalar(h, c), scalar(h, s))                                     \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                          \
    rotate_complex<E> ELEMENTWISE(n)(n, (E*)vector_start(x, n, incx), incx, (E*)vector_start(y, n, incy), incy,        \
                                     real_factor<E>(*h, 0, c), real_factor<E>(*h, 1, s));                              \
    return launched();                                                                                                 \
  }                                                                                                                    \
  cublasStatus_t cublas##PR##scal_v2(cublasHandle_t h, int n, const R* alpha, T* x, int incx) {                        \
    NVIDIA("cublas" #PR "scal_v2", n, scalar(h, alpha), x, incx)                                                       \
    if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;                                                             \
    scale<E> ELEMENTWISE(n)(n, real_factor<E>(*h, 0, alpha), (E*)x, incx);                                             \
    return launched();                                                                                                 \
  }
HEDDLE_COMPLEX(C, Cs, cuComplex, c32, float)
HEDDLE_COMPLEX(Z, Zd, cuDoubleComplex, c64, double)

// ---- of any types: both are those of one function above
cublasStatus_t cublasRotgEx(cublasHandle_t h, void* a, void* b, cudaDataType type, void* c, void* s,
                            cudaDataType csType, cudaDataType) {
  NEED_HANDLE
  const bool isReal = type == csType;
  if (isReal && type == CUDA_R_32F) return cublasSrotg_v2(h, (float*)a, (float*)b, (float*)c, (float*)s);
  if (isReal && type == CUDA_R_64F) return cublasDrotg_v2(h, (double*)a, (double*)b, (double*)c, (double*)s);
  if (isReal && type == CUDA_C_32F) return cublasCrotg_v2(h, (cuComplex*)a, (cuComplex*)b, (float*)c, (cuComplex*)s);
  if (isReal && type == CUDA_C_64F)
    return cublasZrotg_v2(h, (cuDoubleComplex*)a, (cuDoubleComplex*)b, (double*)c, (cuDoubleComplex*)s);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasRotmEx(cublasHandle_t h, int n, void* x, cudaDataType xType, int incx, void* y,
                            cudaDataType yType, int incy, const void* param, cudaDataType type, cudaDataType) {
  NEED_HANDLE
  if (xType != type || yType != type) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (type == CUDA_R_32F) return cublasSrotm_v2(h, n, (float*)x, incx, (float*)y, incy, (const float*)param);
  if (type == CUDA_R_64F) return cublasDrotm_v2(h, n, (double*)x, incx, (double*)y, incy, (const double*)param);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
cublasStatus_t cublasRotmgEx(cublasHandle_t h, void* d1, cudaDataType d1Type, void* d2, cudaDataType d2Type, void* x1,
                             cudaDataType x1Type, const void* y1, cudaDataType y1Type, void* param,
                             cudaDataType type, cudaDataType) {
  NEED_HANDLE
  if (d1Type != type || d2Type != type || x1Type != type || y1Type != type) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (type == CUDA_R_32F)
    return cublasSrotmg_v2(h, (float*)d1, (float*)d2, (float*)x1, (const float*)y1, (float*)param);
  if (type == CUDA_R_64F)
    return cublasDrotmg_v2(h, (double*)d1, (double*)d2, (double*)x1, (const double*)y1, (double*)param);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

} // extern "C"

#include "wide.h"
#include "wide-rotations.inc"
