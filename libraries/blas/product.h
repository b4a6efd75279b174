// Host side of every product: operands by their strides, packed where the kernel needs it.
#pragma once
#include "gemm.cuh"
#include "handle.h"
#include "vector.cuh"

using namespace heddle_blas;

namespace {

constexpr size_t SCRATCH_BYTES =
    256u << 20;  // a batch is cut so that its packed operands need no more, if one matrix does not

struct Operand {
  Batch batch;
  i64 rowStride, columnStride;
  int shape = GENERAL;
  bool conjugated = false;
};

Operand matrix(const void* first, int ld, cublasOperation_t op, i64 stride = 0,
               const void* const* addresses = nullptr) {
  Operand operand{{first, addresses, stride}, 1, ld};
  if (op != CUBLAS_OP_N && op != CUBLAS_OP_CONJG) { operand.rowStride = ld; operand.columnStride = 1; }
  operand.conjugated = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG;
  return operand;
}
Operand column(const void *x, int inc) { return {{x, nullptr, 0}, inc, 0}; }
Operand row(const void *x, int inc) { return {{x, nullptr, 0}, 0, inc}; }

template <class In, class Sum, bool same = false> struct Same { static constexpr bool value = false; };
template <class T> struct Same<T, T> { static constexpr bool value = true; };

Operand transposed(Operand o) {
  i64 r = o.rowStride;
  o.rowStride = o.columnStride;
  o.columnStride = r;
  if (o.shape != GENERAL) o.shape += o.shape % 2 ? 1 : -1;
  return o;
}

// The operand as panels of Sum in `target`.
template <class In, class Sum>
void pack_operand(cublasContext& h, Sum* target, const Operand& from, int rows, int columns, int base, int count) {
  dim3 grid(blocks(rows, PANEL) * blocks(columns, 32), 1, count);
  pack<In, Sum><<<grid, dim3(32, PACK_WARPS), 0, h.stream>>>(target, from.batch, base, from.rowStride,
                                                             from.columnStride, rows, columns, from.shape,
                                                             from.conjugated);
}

// The matrices of a batch from one on, if they need no copy.
template <class T> Batch from_matrix(Batch batch, int base) {
  if (!batch.addresses) batch.first = (const T *)batch.first + batch.stride * base;
  return batch;
}

template <class In, class Sum, class Out, class Ending = NoEpilogue>
cublasStatus_t product(cublasContext& h, int rows, int columns, int depth, Factor<Sum> alpha, Operand a, Operand b,
                       Factor<Sum> beta, Operand c, Operand d, int count = 1, int part = PART_ALL,
                       Ending epilogue = {}) {
  if (rows == 0 || columns == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  if (rows < 0 || columns < 0 || depth < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (d.columnStride == 1 && d.rowStride != 1 && columns > 1) {
    // A row-major result is the column-major one of the transposed product.
    Operand t = transposed(a); a = transposed(b); b = t;
    c = transposed(c); d = transposed(d);
    int n = rows; rows = columns; columns = n;
    part = part == PART_LOWER ? PART_UPPER : part == PART_UPPER ? PART_LOWER : PART_ALL;
    epilogue.biasAlongColumns = !epilogue.biasAlongColumns;
  }
  bool isFew = columns < COLUMNS, isSame = Same<In, Sum>::value;
  bool packA = !isFew || !isSame || a.rowStride != 1 || a.shape != GENERAL || a.conjugated;
  bool packB = !isFew || !isSame || b.shape != GENERAL;
  i64 elementsA = packA ? panel_elements(rows, depth) : 0, elementsB = packB ? panel_elements(columns, depth) : 0;
  i64 each = (elementsA + elementsB) * (i64)sizeof(Sum);
  int group = each == 0 ? count : (int)(SCRATCH_BYTES / each);
  if (group < 1) group = 1;
  if (group > count) group = count;
  if (group > 32768) group = 32768; // grid.z
  Sum *scratch = nullptr;
  if (each > 0) {
    // A program of 32 bits has no memory for so many, and no number for them.
    if ((unsigned long long)each * group > SIZE_MAX) return CUBLAS_STATUS_ALLOC_FAILED;
    scratch = (Sum *)h.scratch((size_t)each * group);
    if (!scratch) return CUBLAS_STATUS_ALLOC_FAILED;
  }
  Product<Sum, Ending> p{rows, columns, depth, alpha, beta};
  p.c = c.batch; p.cRow = c.rowStride; p.cColumn = c.columnStride;
  p.d = d.batch; p.dRow = d.rowStride; p.dColumn = d.columnStride;
  p.part = part;
  p.epilogue = epilogue;
  p.conjugateB = !packB && b.conjugated;
  for (int base = 0; base < count; base += group) {
    int now = count - base < group ? count - base : group;
    p.base = base;
    p.a = from_matrix<Sum>(a.batch, base); p.aPanel = PANEL; p.aColumn = a.columnStride;
    p.b = from_matrix<Sum>(b.batch, base); p.bRow = b.rowStride; p.bColumn = b.columnStride;
    if (packA) {
      if (depth > 0) pack_operand<In, Sum>(h, scratch, a, rows, depth, base, now);
      p.a = {scratch, nullptr, (i64)elementsA};
      p.aPanel = (i64)PANEL * depth;
      p.aColumn = PANEL;
    }
    if (packB) {
      Sum *packed = scratch + elementsA * group;
      if (depth > 0) pack_operand<In, Sum>(h, packed, transposed(b), columns, depth, base, now);
      p.b = {packed, nullptr, (i64)elementsB};
      p.bPanel = (i64)PANEL * depth; p.bRow = PANEL; p.bColumn = 1;
    }
    if (isFew)
      multiply_few<Sum, Out, Ending><<<dim3(blocks(rows, FEW_ROWS), 1, now), FEW_ROWS, 0, h.stream>>>(p);
    else
      multiply<Sum, Out, Ending><<<dim3(blocks(rows, FEW_ROWS), blocks(columns, COLUMNS), now), dim3(PANEL, PANELS), 0,
                           h.stream>>>(p);
  }
  return launched();
}

template <class In, class Sum, class Out>
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                    Factor<Sum> alpha, const void* A, int lda, i64 sa, const void* const* As, const void* B, int ldb,
                    i64 sb, const void* const* Bs, Factor<Sum> beta, void* C, int ldc, i64 sc, void* const* Cs,
                    int count) {
  VALID(is_valid(ta) && is_valid(tb) && m >= 0 && n >= 0 && k >= 0 && count >= 0 && fits(ldc, m) &&
        fits(lda, ta == CUBLAS_OP_N ? m : k) && fits(ldb, tb == CUBLAS_OP_N ? k : n))
  Operand c = matrix(C, ldc, CUBLAS_OP_N, sc, (const void *const *)Cs);
  return product<In, Sum, Out>(*h, m, n, k, alpha, matrix(A, lda, ta, sa, As), matrix(B, ldb, tb, sb, Bs), beta, c, c,
                               count);
}

/// y = alpha op(A) x + beta y for matrices and vectors that stand at strides.
template <class In, class Sum, class Out, class X, class Y>
cublasStatus_t gemv_strided(cublasHandle_t h, cublasOperation_t op, int m, int n, Factor<Sum> alpha, const void *A,
                            int lda, i64 sa, const X *x, int incx, i64 sx, Factor<Sum> beta, Y *y, int incy, i64 sy,
                            int count) {
  int rows = op == CUBLAS_OP_N ? m : n, depth = op == CUBLAS_OP_N ? n : m;
  if (m < 0 || n < 0 || lda < m || incx == 0 || incy == 0) return CUBLAS_STATUS_INVALID_VALUE;
  Operand in = column(vector_start(x, depth, incx), incx), out = column(vector_start(y, rows, incy), incy);
  in.batch.stride = sx;
  out.batch.stride = sy;
  return product<In, Sum, Out>(*h, rows, 1, depth, alpha, matrix(A, lda, op, sa), in, beta, out, out, count);
}

// X op(A) = B is op(A)^T X^T = B^T.
Substitution substitution(bool left, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                          int lda, i64 step, i64 side) {
  bool transposed = (op != CUBLAS_OP_N) == left;
  bool lower = (uplo == CUBLAS_FILL_MODE_LOWER) != transposed;
  return {left ? m : n, left ? n : m, transposed ? lda : 1, transposed ? 1 : lda, op == CUBLAS_OP_C, lower,
          diag == CUBLAS_DIAG_UNIT, left ? step : side, left ? side : step};
}
template <class T>
cublasStatus_t solve(cublasHandle_t h, const Substitution &how, Factor<T> alpha, const T *A, T *B) {
  if (how.n == 0 || how.sides == 0) return CUBLAS_STATUS_SUCCESS;
  solve_triangular<T><<<blocks(how.sides, 128), 128, 0, h->stream>>>(how, A, alpha, B);
  return launched();
}

int triangular(cublasFillMode_t uplo, cublasDiagType_t diag) {
  bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
  return diag == CUBLAS_DIAG_UNIT ? (lower ? UNIT_LOWER : UNIT_UPPER) : lower ? TRIANGULAR_LOWER : TRIANGULAR_UPPER;
}
// pack() applies the shape to op(A): a transposed lower triangle is an upper one, an operand transposed by its strides
// likewise.
Operand shaped(const void *A, int lda, cublasOperation_t op, int shape) {
  Operand operand = matrix(A, lda, op);
  operand.shape = shape;
  if (op == CUBLAS_OP_T || op == CUBLAS_OP_C) operand.shape += shape % 2 ? 1 : -1;
  return operand;
}

} // namespace
