// Matrix products. D = alpha * op(A) op(B) + beta * C, with every operand described by its strides, so that
// transposition, row-major order, vectors and their increments are all the same case.
//
// A first becomes a dense column-major matrix in the type of the sum, unless it is one already (pack). Then each thread
// makes one row and COLUMNS columns of the result: neighbouring threads read neighbouring elements of A, and all of
// them the same elements of B.
#pragma once
#include "../common/numbers.cuh"

namespace heddle_blas {

using namespace heddle_numbers;

constexpr int ROWS = 128;   // rows a block makes: one for each thread
constexpr int COLUMNS = 8;  // columns a thread makes
typedef long long i64;

// Which part of a square matrix is stored.
enum Shape {
  GENERAL = 0,
  SYMMETRIC_LOWER,
  SYMMETRIC_UPPER,
  TRIANGULAR_LOWER,
  TRIANGULAR_UPPER,
  UNIT_LOWER,
  UNIT_UPPER,
  HERMITIAN_LOWER,
  HERMITIAN_UPPER
};

// One operand of a batch: a first element and a stride between matrices, or an array of addresses.
struct Batch {
  const void *first;
  const void *const *addresses;
  i64 stride; // elements
  i64 offset; // elements from an address of the array to the first
  template <class T>
  __device__ T* at(int index) const {
    return addresses ? (T*)addresses[index] + offset : (T*)first + stride * index;
  }
};

// target[i + k * rows] = source(i, k); blocks of 32 x 32 through shared memory, so that both sides are read and written
// in rows.
template <class T, class Sum>
__global__ void pack(Sum* target, Batch source, int base, i64 rowStride, i64 columnStride, int rows, int columns,
                     int shape, bool conjugated) {
  __shared__ Sum tile[32][33];
  const T *from = source.at<const T>(base + blockIdx.z);
  Sum *to = target + (i64)blockIdx.z * rows * columns;
  int row0 = blockIdx.x * 32, column0 = blockIdx.y * 32;
  bool alongRows = rowStride <= columnStride;
  for (int step = threadIdx.y; step < 32; step += 8) {
    int i = row0 + (alongRows ? threadIdx.x : step), k = column0 + (alongRows ? step : threadIdx.x);
    if (i < rows && k < columns) {
      int r = i, c = k;
      bool outside = false, isMirrored = false;
      if (shape != GENERAL) {
        bool isFull = shape <= SYMMETRIC_UPPER || shape >= HERMITIAN_LOWER;
        outside = shape % 2 ? k > i : k < i; // odd: a lower triangle is stored
        if (isFull && outside) { r = k; c = i; outside = false; isMirrored = true; }
      }
      Sum value = outside ? zero<Sum>() : convert<Sum>(from[r * rowStride + c * columnStride]);
      if (shape >= HERMITIAN_LOWER && isMirrored) value = conjugate(value);
      if (shape >= HERMITIAN_LOWER && i == k) value = Number<Sum>::of(real_part(value), 0);
      if ((shape == UNIT_LOWER || shape == UNIT_UPPER) && i == k) value = one<Sum>();
      tile[alongRows ? step : threadIdx.x][alongRows ? threadIdx.x : step] = conjugated ? conjugate(value) : value;
    }
  }
  __syncthreads();
  for (int step = threadIdx.y; step < 32; step += 8) {
    int i = row0 + threadIdx.x, k = column0 + step;
    if (i < rows && k < columns) to[i + (i64)k * rows] = tile[step][threadIdx.x];
  }
}

// What happens to a sum before it is stored (cublasLtEpilogue_t's bits).
enum {
  EPILOGUE_RELU = 2,
  EPILOGUE_BIAS = 4,
  EPILOGUE_DRELU = 8,
  EPILOGUE_GELU = 32,
  EPILOGUE_DGELU = 64,
  EPILOGUE_AUX = 128
};
enum ElementType { TYPE_F32 = 0, TYPE_F64 = 1, TYPE_F16 = 2, TYPE_BF16 = 14 };
struct Epilogue {
  int flags;
  int biasType, auxType;
  bool biasAlongColumns; // the result is stored transposed
  const void *bias;
  i64 biasStride;
  void *aux;
  i64 auxLd, auxStride;
};

__device__ inline float load_as_float(const void *data, i64 at, int type) {
  if (type == TYPE_F16) return __half2float(((const __half *)data)[at]);
  if (type == TYPE_BF16) return __bfloat162float(((const __nv_bfloat16 *)data)[at]);
  return type == TYPE_F64 ? (float)((const double *)data)[at] : ((const float *)data)[at];
}
__device__ inline void store_float(void *data, i64 at, int type, float value) {
  if (type == TYPE_F16) ((__half *)data)[at] = __float2half(value);
  else if (type == TYPE_BF16) ((__nv_bfloat16 *)data)[at] = __float2bfloat16(value);
  else ((float *)data)[at] = value;
}

// GELU by its tanh form, and its derivative.
__device__ inline float gelu(float x) { return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))); }
__device__ inline float gelu_slope(float x) {
  float t = tanhf(0.7978845608f * (x + 0.044715f * x * x * x));
  return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * 0.7978845608f * (1.0f + 3.0f * 0.044715f * x * x);
}

template <class Sum> __device__ inline Sum finish(Sum value, const Epilogue &, int, int, int) { return value; }
__device__ inline float finish(float value, const Epilogue &e, int row, int column, int batch) {
  if (e.flags & EPILOGUE_BIAS)
    value += load_as_float(e.bias, (e.biasAlongColumns ? column : row) + e.biasStride * batch, e.biasType);
  i64 at = (e.biasAlongColumns ? column + e.auxLd * row : row + e.auxLd * column) + e.auxStride * batch;
  if (e.flags & EPILOGUE_GELU) {
    if (e.flags & EPILOGUE_AUX) store_float(e.aux, at, e.auxType, value);
    value = gelu(value);
  } else if (e.flags & EPILOGUE_RELU) {
    if (e.flags & EPILOGUE_AUX) {
      unsigned *word = (unsigned *)e.aux + at / 32;
      if (value > 0) atomicOr(word, 1u << (at % 32));
      else atomicAnd(word, ~(1u << (at % 32)));
    }
    value = value > 0 ? value : 0;
  } else if (e.flags & EPILOGUE_DGELU) value *= gelu_slope(load_as_float(e.aux, at, e.auxType));
  else if (e.flags & EPILOGUE_DRELU) value = ((const unsigned *)e.aux)[at / 32] >> (at % 32) & 1 ? value : 0;
  return value;
}

// Which part of the result is stored: all, or a triangle.
enum Part { PART_ALL = 0, PART_LOWER, PART_UPPER };

template <class Sum> struct Product {
  int rows, columns, depth;
  Factor<Sum> alpha, beta;
  Batch a; // packed, or column-major already: element (i, k) at i + k * aColumn
  i64 aColumn;
  Batch b; // element (k, j) at k * bRow + j * bColumn
  i64 bRow, bColumn;
  bool conjugateB;
  Batch c, d;
  i64 cRow, cColumn, dRow, dColumn;
  int base; // first matrix of the batch
  int part;
  Epilogue epilogue;
};

template <class Sum, class Out> __global__ void __launch_bounds__(ROWS) multiply(Product<Sum> p) {
  int i = blockIdx.x * ROWS + threadIdx.x, column0 = blockIdx.y * COLUMNS, batch = p.base + blockIdx.z;
  if (i >= p.rows) return;
  const Sum *a = p.a.template at<const Sum>(p.a.addresses ? batch : blockIdx.z) + i;
  const Sum *b = p.b.template at<const Sum>(batch) + column0 * p.bColumn;
  Sum sum[COLUMNS];
#pragma unroll
  for (int j = 0; j < COLUMNS; j++) sum[j] = zero<Sum>();
  int columns = p.columns - column0 < COLUMNS ? p.columns - column0 : COLUMNS;
  if (columns == COLUMNS) {
    for (int k = 0; k < p.depth; k++) {
      Sum left = *a;
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) {
        Sum right = b[j * p.bColumn];
        sum[j] = sum[j] + left * (p.conjugateB ? conjugate(right) : right);
      }
      a += p.aColumn;
      b += p.bRow;
    }
  } else {
    for (int k = 0; k < p.depth; k++) {
      Sum left = *a;
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) {
        if (j < columns) {
          Sum right = b[j * p.bColumn];
          sum[j] = sum[j] + left * (p.conjugateB ? conjugate(right) : right);
        }
      }
      a += p.aColumn;
      b += p.bRow;
    }
  }
  Sum alpha = p.alpha.get(), beta = p.beta.get();
  const Out *c = p.c.template at<const Out>(batch);
  Out *d = p.d.template at<Out>(batch);
#pragma unroll
  for (int j = 0; j < COLUMNS; j++) {
    int column = column0 + j;
    if (j >= columns || (p.part == PART_LOWER && i < column) || (p.part == PART_UPPER && i > column)) continue;
    Sum value = alpha * sum[j];
    if (!is_zero(beta)) value = value + beta * convert<Sum>(c[i * p.cRow + column * p.cColumn]);
    d[i * p.dRow + column * p.dColumn] = convert<Out>(finish(value, p.epilogue, i, column, batch));
  }
}

// sums[i] = sum over k of source(i, k): bias gradients.
template <class T>
__global__ void sum_along(const T* source, i64 rowStride, i64 columnStride, int rows, int columns, void* sums,
                          int type) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  for (int k = 0; k < columns; k++) sum += convert<float>(source[i * rowStride + k * columnStride]);
  store_float(sums, i, type, sum);
}

} // namespace heddle_blas
