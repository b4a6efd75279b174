// How kernels see a sparse matrix of any format: units that hold entries (row, column, place of the value). A unit is a
// row of CSR, BSR, and the ELL formats, a column of CSC, one entry of COO.
#pragma once
#include "../common/numbers.cuh"

namespace heddle_sparse {

using namespace heddle_numbers;
typedef long long i64;

// cusparseFormat_t
enum Format { CSR = 1, CSC = 2, COO = 3, BLOCKED_ELL = 5, BSR = 6, SLICED_ELL = 7 };

/// Indices of 32 or 64 bits.
struct Indices {
  const void *data;
  int is64;
  __device__ i64 operator[](i64 i) const { return is64 ? ((const i64 *)data)[i] : (i64)((const int *)data)[i]; }
  __device__ void set(i64 i, i64 value) const {
    if (is64) ((i64 *)data)[i] = value;
    else ((int *)data)[i] = (int)value;
  }
};

struct Entries {
  int format, base;
  i64 rows, cols, units, nnz; // nnz: of COO
  Indices offsets, indices;   // COO: rows and columns
  int rowBlock, colBlock, isColumnOrder;
  i64 width;     // BLOCKED_ELL: columns of the array of values
  i64 sliceSize; // SLICED_ELL
  i64 offsetsStride, indicesStride, valuesStride;

  __device__ Entries of_batch(int batch) const {
    Entries own = *this;
    auto shift = [](const Indices &from, i64 by) {
      return Indices{(const char *)from.data + by * (from.is64 ? 8 : 4), from.is64};
    };
    own.offsets = shift(offsets, batch * offsetsStride);
    own.indices = shift(indices, batch * indicesStride);
    return own;
  }
  /// The entries of a unit: visit(row, column, place). One loop for all formats: blocks of `inner` columns, one of CSR,
  /// each `size` places long.
  template <class Visit> __device__ void each(i64 unit, Visit visit) const {
    Span span = span_of(unit);
    for (i64 at = span.begin; at < span.end; at += span.step) {
      i64 index = indices[at] - base;
      if (index < 0) continue; // padding of the ELL formats
      for (int j = 0; j < span.inner; j++) {
        i64 minor = index * span.inner + j, place = at * span.size + span.origin + j * span.columnStep;
        if (format == CSC) visit(minor, span.major, place);
        else if (minor < cols) visit(span.major, minor, place);
      }
    }
  }

private:
  struct Span { i64 begin, end, step, major, size, origin; int inner, columnStep; };
  __device__ Span span_of(i64 unit) const {
    if (format == COO) return {unit, unit + 1, 1, offsets[unit] - base, 1, 0, 1, 0};
    if (format == SLICED_ELL) {
      i64 slice = unit / sliceSize;
      return {offsets[slice] - base + unit % sliceSize, offsets[slice + 1] - base, sliceSize, unit, 1, 0, 1, 0};
    }
    if (format == BLOCKED_ELL) {
      i64 blocks = width / rowBlock, first = unit / rowBlock * blocks;
      return {first, first + blocks, 1, unit, rowBlock, unit * width - first * rowBlock, rowBlock, 1};
    }
    if (format == BSR) {
      i64 row = unit / rowBlock, inRow = unit % rowBlock;
      return {offsets[row] - base, offsets[row + 1] - base, 1, unit, (i64)rowBlock * colBlock,
              isColumnOrder ? inRow : inRow * colBlock, colBlock, isColumnOrder ? rowBlock : 1};
    }
    return {offsets[unit] - base, offsets[unit + 1] - base, 1, unit, 1, 0, 1, 0};
  }
};

__device__ inline i64 thread_index() { return blockIdx.x * (i64)blockDim.x + threadIdx.x; }
__device__ inline i64 thread_count() { return gridDim.x * (i64)blockDim.x; }

/// Values that the host gives as numbers, or in the device pointer mode by their addresses.
template <class T> struct Scalars {
  Factor<T> alpha, beta;
};

} // namespace heddle_sparse
