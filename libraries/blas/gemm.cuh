// Matrix products. D = alpha * op(A) op(B) + beta * C, with every operand described by its strides, so that
// transposition, row-major order, vectors and their increments are all the same case.
//
// A and the transpose of B first become panels in the type of the sum (pack): PANEL rows each, and neighbouring rows
// side by side for one index of the sum after the other. A warp makes one panel of the result's rows by one of its
// columns, COLUMNS columns at a time. It reads both panels from their start to their end, so that neither the order of
// the operands nor their leading dimensions matter (K. Goto and R. van de Geijn, "Anatomy of high-performance matrix
// multiplication", TOMS 2008).
//
// Products of few columns read each element of A once, and copy nothing that can stay (multiply_few).
#pragma once
#include "../common/numbers.cuh"

namespace heddle_blas {

using namespace heddle_numbers;

constexpr int PANEL = 32;   // rows of a panel: one for each lane of a warp
constexpr int COLUMNS = 8;  // columns that a thread makes at a time
constexpr int PANELS = 4;   // that the warps of a block make
constexpr int FEW_ROWS = PANEL * PANELS; // rows of a block of multiply_few
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

// Elements of a matrix of so many rows, as panels.
__host__ __device__ inline i64 panel_elements(int rows, int columns) {
  return (i64)((rows + PANEL - 1) / PANEL * PANEL) * columns;
}

template <class Sum, class T>
__device__ inline Sum packed_element(const T *from, i64 rowStride, i64 columnStride, int i, int k, int shape,
                                     bool conjugated) {
  int r = i, c = k;
  bool isOutside = false, isMirrored = false;
  if (shape != GENERAL) {
    bool isFull = shape <= SYMMETRIC_UPPER || shape >= HERMITIAN_LOWER;
    isOutside = shape % 2 ? k > i : k < i; // odd: a lower triangle is stored
    if (isFull && isOutside) { r = k; c = i; isOutside = false; isMirrored = true; }
  }
  Sum value = isOutside ? zero<Sum>() : convert<Sum>(from[r * rowStride + c * columnStride]);
  if (shape >= HERMITIAN_LOWER && isMirrored) value = conjugate(value);
  if (shape >= HERMITIAN_LOWER && i == k) value = Number<Sum>::of(real_part(value), 0);
  if ((shape == UNIT_LOWER || shape == UNIT_UPPER) && i == k) value = one<Sum>();
  return conjugated ? conjugate(value) : value;
}

// Makes panels of source(i, k): element (i, k) at i / PANEL * PANEL * columns + k * PANEL + i % PANEL, and zeros behind
// the last row. A block makes 32 x 32 elements; its warps read the source in the order that it has.
constexpr int PACK_WARPS = 8;
template <class T, class Sum>
__global__ void __launch_bounds__(32 * PACK_WARPS) pack(Sum* target, Batch source, int base, i64 rowStride,
                                                        i64 columnStride, int rows, int columns, int shape,
                                                        bool conjugated) {
  const T *from = source.at<const T>(base + blockIdx.z);
  int panels = (rows + PANEL - 1) / PANEL, lane = threadIdx.x;
  int row0 = blockIdx.x % panels * PANEL, column0 = blockIdx.x / panels * 32;
  Sum *to = target + panel_elements(rows, columns) * blockIdx.z + (i64)row0 * columns;
  if (shape == GENERAL && rowStride == 1) {
    const T *at = from + row0 + lane;
    for (int k = column0 + threadIdx.y; k < columns && k < column0 + 32; k += PACK_WARPS) {
      Sum value = row0 + lane < rows ? convert<Sum>(at[k * columnStride]) : zero<Sum>();
      to[k * PANEL + lane] = conjugated ? conjugate(value) : value;
    }
  } else if (shape == GENERAL && columnStride == 1) {
    int k = column0 + lane;
    const T *at = from + k;
    for (int i = threadIdx.y; i < PANEL; i += PACK_WARPS)
      if (k < columns) {
        Sum value = row0 + i < rows ? convert<Sum>(at[(row0 + i) * rowStride]) : zero<Sum>();
        to[k * PANEL + i] = conjugated ? conjugate(value) : value;
      }
  } else {
    bool isAlongRows = rowStride <= columnStride;
    for (int step = threadIdx.y; step < 32; step += PACK_WARPS) {
      int i = isAlongRows ? lane : step, k = column0 + (isAlongRows ? step : lane);
      if (k >= columns) continue;
      to[k * PANEL + i] = row0 + i < rows ? packed_element<Sum>(from, rowStride, columnStride, row0 + i, k, shape,
                                                                conjugated)
                                          : zero<Sum>();
    }
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
  static constexpr bool isNone = false;
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

/// What most products have: nothing happens.
struct NoEpilogue {
  static constexpr bool isNone = true;
  bool biasAlongColumns;
};
template <class Sum> __device__ inline Sum finish(Sum value, const NoEpilogue &, int, int, int) { return value; }
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

template <class Sum, class Ending> struct Product {
  int rows, columns, depth;
  Factor<Sum> alpha, beta;
  Batch a; // element (i, k) at i / PANEL * aPanel + i % PANEL + k * aColumn
  i64 aPanel, aColumn;
  Batch b; // multiply: element (k, j) at j / PANEL * bPanel + j % PANEL + k * PANEL; else at k * bRow + j * bColumn
  i64 bPanel, bRow, bColumn;
  bool conjugateB;
  Batch c, d;
  i64 cRow, cColumn, dRow, dColumn;
  int base; // first matrix of the batch
  int part;
  Ending epilogue;
  __device__ bool has(int row, int column) const {
    return column < columns && !(part == PART_LOWER && row < column) && !(part == PART_UPPER && row > column);
  }
};

template <class Out, class Sum, class Ending>
__device__ __forceinline__ void store_sums(const Product<Sum, Ending> &p, int i, int column0, int batch,
                                           Sum (&sum)[COLUMNS]) {
  Sum alpha = p.alpha.get(), beta = p.beta.get();
  const Out *c = p.c.template at<const Out>(batch);
  Out *d = p.d.template at<Out>(batch);
  if (p.dRow == 1 && is_zero(beta) && Ending::isNone) {
#pragma unroll
    for (int j = 0; j < COLUMNS; j++)
      if (p.has(i, column0 + j)) (d + (column0 + j) * p.dColumn)[i] = convert<Out>(alpha * sum[j]);
    return;
  }
#pragma unroll
  for (int j = 0; j < COLUMNS; j++) {
    int column = column0 + j;
    if (!p.has(i, column)) continue;
    Sum value = alpha * sum[j];
    if (!is_zero(beta)) value = value + beta * convert<Sum>(c[i * p.cRow + column * p.cColumn]);
    d[i * p.dRow + column * p.dColumn] = convert<Out>(finish(value, p.epilogue, i, column, batch));
  }
}

template <class Sum, class Out, class Ending>
__global__ void __launch_bounds__(PANEL * PANELS) multiply(Product<Sum, Ending> p) {
  int panel = blockIdx.x * PANELS + threadIdx.y, i = panel * PANEL + threadIdx.x;
  if (panel * PANEL >= p.rows) return;
  const Sum *a = p.a.template at<const Sum>(blockIdx.z) + panel * p.aPanel + threadIdx.x;
  int column0 = blockIdx.y * COLUMNS;
  const Sum *b = p.b.template at<const Sum>(blockIdx.z) + column0 / PANEL * p.bPanel + column0 % PANEL;
  Sum sum[COLUMNS];
#pragma unroll
  for (int j = 0; j < COLUMNS; j++) sum[j] = zero<Sum>();
#pragma unroll 1
  for (int k = 0; k < p.depth; k++) {
    Sum left = a[k * PANEL];
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) sum[j] = sum[j] + left * b[k * PANEL + j];
  }
  if (i < p.rows) store_sums<Out>(p, i, column0, p.base + blockIdx.z, sum);
}

/// Fewer columns than COLUMNS.
template <class Sum, class Out, class Ending>
__global__ void __launch_bounds__(FEW_ROWS) multiply_few(Product<Sum, Ending> p) {
  int i = blockIdx.x * FEW_ROWS + threadIdx.x, batch = p.base + blockIdx.z;
  if (i >= p.rows) return;
  const Sum *a = p.a.template at<const Sum>(p.a.addresses ? batch : blockIdx.z) + i / PANEL * p.aPanel + i % PANEL;
  const Sum *b = p.b.template at<const Sum>(p.b.addresses ? batch : blockIdx.z);
  Sum sum[COLUMNS];
#pragma unroll
  for (int j = 0; j < COLUMNS; j++) sum[j] = zero<Sum>();
  for (int k = 0; k < p.depth; k++) {
    Sum left = *a;
#pragma unroll
    for (int j = 0; j < COLUMNS - 1; j++) {
      if (j < p.columns) {
        Sum right = b[j * p.bColumn];
        sum[j] = sum[j] + left * (p.conjugateB ? conjugate(right) : right);
      }
    }
    a += p.aColumn;
    b += p.bRow;
  }
  store_sums<Out>(p, i, 0, batch, sum);
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
