// Level 1 of any types (cublasDotEx and its kin): elements are read as complex doubles, and rounded once when stored.
// Included by cublas.cu.

namespace {

struct Elements {
  void *first;
  cudaDataType type;
  int inc;
};

bool is_known(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F: case CUDA_R_16BF: case CUDA_R_32F: case CUDA_R_64F: case CUDA_C_32F: case CUDA_C_64F: return true;
    default: return false;
  }
}
int bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F: case CUDA_R_16BF: return 2;
    case CUDA_R_32F: return 4;
    case CUDA_C_64F: return 16;
    default: return 8;
  }
}
Elements elements(const void *x, cudaDataType type, int n, int inc) {
  // BLAS walks a vector with a negative increment from its other end.
  const i64 offset = inc < 0 ? -(i64)(n - 1) * inc : 0;
  return {(char *)x + offset * bytes_of(type), type, inc};
}

__host__ __device__ c64 load_any(const void *p, cudaDataType type, i64 i) {
  switch (type) {
    case CUDA_R_16F: return {__half2float(((const __half *)p)[i]), 0};
    case CUDA_R_16BF: return {__bfloat162float(((const __nv_bfloat16 *)p)[i]), 0};
    case CUDA_R_32F: return {((const float *)p)[i], 0};
    case CUDA_R_64F: return {((const double *)p)[i], 0};
    case CUDA_C_32F: return {((const c32 *)p)[i].x, ((const c32 *)p)[i].y};
    default: return ((const c64 *)p)[i];
  }
}
__device__ void store_any(void *p, cudaDataType type, i64 i, c64 value) {
  switch (type) {
    case CUDA_R_16F: ((__half *)p)[i] = __double2half(value.x); break;
    case CUDA_R_16BF: ((__nv_bfloat16 *)p)[i] = __double2bfloat16(value.x); break;
    case CUDA_R_32F: ((float *)p)[i] = (float)value.x; break;
    case CUDA_R_64F: ((double *)p)[i] = value.x; break;
    case CUDA_C_32F: ((c32 *)p)[i] = {(float)value.x, (float)value.y}; break;
    default: ((c64 *)p)[i] = value;
  }
}
__device__ c64 load_any(Elements x, i64 i) { return load_any(x.first, x.type, i * x.inc); }
__device__ void store_any(Elements x, i64 i, c64 value) { store_any(x.first, x.type, i * x.inc, value); }

// A factor of any type, given as Factor is.
struct AnyFactor {
  c64 value;
  const void *address;
  cudaDataType type;
  __device__ c64 get() const { return address ? load_any(address, type, 0) : value; }
};
AnyFactor any_factor(const cublasContext &h, const void *value, cudaDataType type) {
  if (h.pointerMode == CUBLAS_POINTER_MODE_DEVICE) return {{0, 0}, value, type};
  return {load_any(value, type, 0), nullptr, type};
}

__global__ void axpy_any(int n, AnyFactor alpha, Elements x, Elements y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) store_any(y, i, load_any(y, i) + alpha.get() * load_any(x, i));
}
__global__ void scale_any(int n, AnyFactor alpha, Elements x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) store_any(x, i, alpha.get() * load_any(x, i));
}
// The sum of x y, of conj(x) y, or without y the root of the sum of |x|^2.
__global__ void dot_any(int n, Elements x, Elements y, bool conjugated, void *result, cudaDataType resultType) {
  c64 sum = {0, 0};
  for (i64 i = threadIdx.x; i < n; i += REDUCERS) {
    c64 a = load_any(x, i);
    sum = sum + (conjugated ? conjugate(a) : a) * (y.first ? load_any(y, i) : a);
  }
  sum = reduce_block(sum);
  if (threadIdx.x != 0) return;
  if (!y.first) sum = {sqrt(sum.x), 0};
  store_any(result, resultType, 0, sum);
}

// The sum of the magnitudes, |re| + |im| each.
__global__ void magnitudes_any(int n, Elements x, void *result, cudaDataType resultType) {
  double sum = 0;
  for (i64 i = threadIdx.x; i < n; i += REDUCERS) sum += magnitude(load_any(x, i));
  sum = reduce_block(sum);
  if (threadIdx.x == 0) store_any(result, resultType, 0, {sum, 0});
}
__global__ void extreme_any(int n, Elements x, bool largest, int *result) {
  extreme_of(n, [&](i64 i) { return magnitude(load_any(x, i)); }, largest, result);
}
__global__ void copy_or_swap_any(int n, Elements x, Elements y, bool swapping) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  c64 kept = load_any(y, i);
  store_any(y, i, load_any(x, i));
  if (swapping) store_any(x, i, kept);
}
__global__ void rotate_any(int n, Elements x, Elements y, AnyFactor c, AnyFactor s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  c64 a = load_any(x, i), b = load_any(y, i);
  store_any(x, i, c.get() * a + s.get() * b);
  store_any(y, i, c.get() * b + minus(conjugate(s.get()) * a));
}

cublasStatus_t reduce_any(cublasHandle_t h, int n, Elements x, Elements y, bool conjugated, void *result,
                          cudaDataType type) {
  if (!is_known(x.type) || !is_known(y.type) || !is_known(type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const size_t bytes = bytes_of(type);
  const bool onDevice = h->pointerMode == CUBLAS_POINTER_MODE_DEVICE;
  if (n <= 0) {
    if (onDevice) cudaMemsetAsync(result, 0, bytes, h->stream);
    else memset(result, 0, bytes);
    return CUBLAS_STATUS_SUCCESS;
  }
  void *place = onDevice ? result : h->scratch(256);
  if (!place) return CUBLAS_STATUS_ALLOC_FAILED;
  dot_any<<<1, REDUCERS, 0, h->stream>>>(n, x, y, conjugated, place, type);
  if (onDevice) return launched();
  cudaMemcpyAsync(result, place, bytes, cudaMemcpyDeviceToHost, h->stream);
  return waited(h->stream);
}

} // namespace

extern "C" {

#define HEDDLE_DOT_EX(NAME, CONJUGATED)                                                                            \
  cublasStatus_t NAME(cublasHandle_t h, int n, const void* x, cudaDataType xType, int incx, const void* y,         \
                      cudaDataType yType, int incy, void* result, cudaDataType resultType, cudaDataType execution) { \
    NVIDIA(#NAME, n, x, (int)xType, incx, y, (int)yType, incy, scalar(h, result), (int)resultType, (int)execution) \
    return reduce_any(h, n, elements(x, xType, n, incx), elements(y, yType, n, incy), CONJUGATED, result,          \
                      resultType);                                                                                 \
  }
HEDDLE_DOT_EX(cublasDotEx, false)
HEDDLE_DOT_EX(cublasDotcEx, true)

cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, const void* x, cudaDataType xType, int incx, void* result,
                            cudaDataType resultType, cudaDataType execution) {
  NVIDIA("cublasNrm2Ex", n, x, (int)xType, incx, scalar(h, result), (int)resultType, (int)execution)
  return reduce_any(h, incx <= 0 ? 0 : n, {(void *)x, xType, incx}, {nullptr, xType, 0}, true, result, resultType);
}
cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void* alpha, cudaDataType alphaType, const void* x,
                            cudaDataType xType, int incx, void* y, cudaDataType yType, int incy,
                            cudaDataType execution) {
  NVIDIA("cublasAxpyEx", n, scalar(h, alpha), (int)alphaType, x, (int)xType, incx, y, (int)yType, incy, (int)execution)
  if (!is_known(alphaType) || !is_known(xType) || !is_known(yType)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  axpy_any ELEMENTWISE(n)(n, any_factor(*h, alpha, alphaType), elements(x, xType, n, incx),
                          elements(y, yType, n, incy));
  return launched();
}
cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void* alpha, cudaDataType alphaType, void* x,
                            cudaDataType xType, int incx, cudaDataType execution) {
  NVIDIA("cublasScalEx", n, scalar(h, alpha), (int)alphaType, x, (int)xType, incx, (int)execution)
  if (!is_known(alphaType) || !is_known(xType)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
  scale_any ELEMENTWISE(n)(n, any_factor(*h, alpha, alphaType), {x, xType, incx});
  return launched();
}

cublasStatus_t cublasAsumEx(cublasHandle_t h, int n, const void* x, cudaDataType xType, int incx, void* result,
                            cudaDataType resultType, cudaDataType execution) {
  NVIDIA("cublasAsumEx", n, x, (int)xType, incx, scalar(h, result), (int)resultType, (int)execution)
  if (!is_known(xType) || !is_known(resultType)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const int bytes = bytes_of(resultType);
  const bool onDevice = h->pointerMode == CUBLAS_POINTER_MODE_DEVICE;
  if (n <= 0 || incx <= 0) {
    if (onDevice) cudaMemsetAsync(result, 0, bytes, h->stream);
    else memset(result, 0, bytes);
    return CUBLAS_STATUS_SUCCESS;
  }
  void *place = onDevice ? result : h->scratch(256);
  if (!place) return CUBLAS_STATUS_ALLOC_FAILED;
  magnitudes_any<<<1, REDUCERS, 0, h->stream>>>(n, {(void *)x, xType, incx}, place, resultType);
  if (onDevice) return launched();
  cudaMemcpyAsync(result, place, bytes, cudaMemcpyDeviceToHost, h->stream);
  return waited(h->stream);
}
#define HEDDLE_EXTREME_EX(NAME, LARGEST)                                                                           \
  cublasStatus_t NAME(cublasHandle_t h, int n, const void* x, cudaDataType xType, int incx, int* result) {         \
    NVIDIA(#NAME, n, x, (int)xType, incx, scalar(h, result))                                                       \
    if (!is_known(xType)) return CUBLAS_STATUS_NOT_SUPPORTED;                                                      \
    return reduce_to(h, result, incx <= 0 ? 0 : n, [=](int* to) {                                                  \
      extreme_any<<<1, REDUCERS, 0, h->stream>>>(n, {(void*)x, xType, incx}, LARGEST, to);                         \
    });                                                                                                            \
  }
HEDDLE_EXTREME_EX(cublasIamaxEx, true)
HEDDLE_EXTREME_EX(cublasIaminEx, false)
cublasStatus_t cublasCopyEx(cublasHandle_t h, int n, const void* x, cudaDataType xType, int incx, void* y,
                            cudaDataType yType, int incy) {
  NVIDIA("cublasCopyEx", n, x, (int)xType, incx, y, (int)yType, incy)
  if (!is_known(xType) || xType != yType) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  copy_or_swap_any ELEMENTWISE(n)(n, elements(x, xType, n, incx), elements(y, yType, n, incy), false);
  return launched();
}
cublasStatus_t cublasSwapEx(cublasHandle_t h, int n, void* x, cudaDataType xType, int incx, void* y,
                            cudaDataType yType, int incy) {
  NVIDIA("cublasSwapEx", n, x, (int)xType, incx, y, (int)yType, incy)
  if (!is_known(xType) || xType != yType) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  copy_or_swap_any ELEMENTWISE(n)(n, elements(x, xType, n, incx), elements(y, yType, n, incy), true);
  return launched();
}
cublasStatus_t cublasRotEx(cublasHandle_t h, int n, void* x, cudaDataType xType, int incx, void* y,
                           cudaDataType yType, int incy, const void* c, const void* s, cudaDataType csType,
                           cudaDataType execution) {
  NVIDIA("cublasRotEx", n, x, (int)xType, incx, y, (int)yType, incy, scalar(h, c), scalar(h, s), (int)csType,
         (int)execution)
  if (!is_known(xType) || xType != yType || !is_known(csType)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  rotate_any ELEMENTWISE(n)(n, elements(x, xType, n, incx), elements(y, yType, n, incy), any_factor(*h, c, csType),
                            any_factor(*h, s, csType));
  return launched();
}

} // extern "C"

// cublasUint8gemmBias: NVIDIA documents no formula. This is what its library computes (cuBLAS 13.0 on an RTX 3060, by
// a public test program): C = ((op(A) - A_bias) (op(B) - B_bias) + C_bias) C_mult / 2^C_shift, rounded half up, from 0
// to 255; the shift counts modulo 32, and a shift of 31 gives 0.
namespace {

struct Bytes {
  const unsigned char *first;
  i64 rowStep, columnStep;
  int bias;
};
Bytes bytes_matrix(const unsigned char *x, bool isTransposed, int ld, int bias) {
  return {x, isTransposed ? (i64)ld : 1, isTransposed ? 1 : (i64)ld, bias};
}

__global__ void gemm_bytes(int m, int n, int k, Bytes a, Bytes b, unsigned char *c, i64 cRow, i64 cColumn, int bias,
                           int factor, int shift) {
  const i64 at = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (i64)m * n) return;
  const i64 i = at % m, j = at / m;
  i64 sum = bias;
  for (int p = 0; p < k; p++)
    sum += (i64)(a.first[i * a.rowStep + p * a.columnStep] - a.bias) *
           (b.first[p * b.rowStep + j * b.columnStep] - b.bias);
  i64 value = sum * factor;
  if (shift > 0) value = shift == 31 ? 0 : (value + ((i64)1 << (shift - 1))) >> shift;
  c[i * cRow + j * cColumn] = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
}

bool is_operation(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; }
bool is_leading(int ld, int rows) { return ld >= (rows > 1 ? rows : 1); }

} // namespace

extern "C" cublasStatus_t cublasUint8gemmBias(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                              cublasOperation_t tc, int m, int n, int k, const unsigned char *A,
                                              int A_bias, int lda, const unsigned char *B, int B_bias, int ldb,
                                              unsigned char *C, int C_bias, int ldc, int C_mult, int C_shift) {
  NVIDIA("cublasUint8gemmBias", ta, tb, tc, m, n, k, A, A_bias, lda, B, B_bias, ldb, C, C_bias, ldc, C_mult, C_shift)
  VALID(is_operation(ta) && is_operation(tb) && is_operation(tc) && m >= 0 && n >= 0 && k >= 0)
  const bool at = ta != CUBLAS_OP_N, bt = tb != CUBLAS_OP_N, ct = tc != CUBLAS_OP_N;
  VALID(is_leading(lda, at ? k : m) && is_leading(ldb, bt ? n : k) && is_leading(ldc, ct ? n : m))
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const i64 count = (i64)m * n;
  gemm_bytes<<<(unsigned)((count + 255) / 256), 256, 0, h->stream>>>(
      m, n, k, bytes_matrix(A, at, lda, A_bias), bytes_matrix(B, bt, ldb, B_bias), C, ct ? (i64)ldc : 1,
      ct ? 1 : (i64)ldc, C_bias, C_mult, C_shift & 31);
  return launched();
}
