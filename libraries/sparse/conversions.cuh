// From dense to sparse and back, from one sparse format to another, sorted indices.
#pragma once
#include "products.cuh"

namespace heddle_sparse {

/// Counts become offsets that begin at `base`; by one thread. total: their sum.
static __global__ void offsets_of_counts(Indices offsets, i64 count, int base, i64 *total) {
  i64 sum = base;
  for (i64 i = 0; i < count; i++) {
    i64 own = offsets[i];
    offsets.set(i, sum);
    sum += own;
  }
  offsets.set(count, sum);
  if (total) *total = sum - base;
}
/// The entries of each major (a row, or a column) that are not zero.
template <class T> __global__ void count_dense(Dense<const T> a, i64 majors, i64 minors, Indices counts) {
  for (i64 major = thread_index(); major < majors; major += thread_count()) {
    i64 count = 0;
    for (i64 minor = 0; minor < minors; minor++)
      if (!is_zero(convert<T>(a.at(major, minor)))) count++;
    counts.set(major, count);
  }
}
/// rows: where not null, the major of each entry (COO).
template <class T>
__global__ void fill_from_dense(Dense<const T> a, i64 majors, i64 minors, Indices offsets, int offsetsBase, int base,
                                Indices majorsOut, Indices indices, T *values) {
  for (i64 major = thread_index(); major < majors; major += thread_count()) {
    i64 at = offsets[major] - offsetsBase;
    for (i64 minor = 0; minor < minors; minor++) {
      T value = a.at(major, minor);
      if (is_zero(value)) continue;
      if (majorsOut.data) majorsOut.set(at, major + base);
      indices.set(at, minor + base);
      values[at++] = value;
    }
  }
}
/// Blocks of BSR that have an entry that is not zero; a thread for each block row.
template <class T>
__global__ void count_blocks(Dense<const T> a, i64 blockRows, i64 blockCols, int rowBlock, int colBlock,
                             Indices counts) {
  for (i64 row = thread_index(); row < blockRows; row += thread_count()) {
    i64 count = 0;
    for (i64 block = 0; block < blockCols; block++) {
      bool isFull = false;
      for (int i = 0; i < rowBlock && !isFull; i++)
        for (int j = 0; j < colBlock && !isFull; j++) isFull = !is_zero(a.at(row * rowBlock + i, block * colBlock + j));
      count += isFull;
    }
    counts.set(row, count);
  }
}
template <class T>
__global__ void fill_blocks(Dense<const T> a, i64 blockRows, i64 blockCols, int rowBlock, int colBlock, Indices offsets,
                            int base, Indices indices) {
  for (i64 row = thread_index(); row < blockRows; row += thread_count()) {
    i64 at = offsets[row] - base;
    for (i64 block = 0; block < blockCols; block++) {
      bool isFull = false;
      for (int i = 0; i < rowBlock && !isFull; i++)
        for (int j = 0; j < colBlock && !isFull; j++) isFull = !is_zero(a.at(row * rowBlock + i, block * colBlock + j));
      if (isFull) indices.set(at++, block + base);
    }
  }
}
/// Values of a matrix whose places are known.
template <class T> __global__ void values_from_dense(Entries entries, T *values, Dense<const T> a) {
  for (i64 unit = thread_index(); unit < entries.units; unit += thread_count())
    entries.each(unit, [&](i64 row, i64 column, i64 at) { values[at] = a.at(row, column); });
}
template <class T> __global__ void fill_dense(Dense<T> b, i64 rows, i64 columns) {
  for (i64 at = thread_index(); at < rows * columns; at += thread_count())
    b.at(at % rows, at / rows) = convert<T>(T{});
}
template <class T> __global__ void put_into_dense(Entries entries, const T *values, Dense<T> b) {
  for (i64 unit = thread_index(); unit < entries.units; unit += thread_count())
    entries.each(unit, [&](i64 row, i64 column, i64 at) { b.at(row, column) = values[at]; });
}

// Indices of 32 bits.

/// majors are sorted: a thread for each offset looks for its place.
static __global__ void offsets_of_sorted(const int *majors, i64 nnz, i64 count, int base, Indices offsets) {
  for (i64 major = thread_index(); major <= count; major += thread_count()) {
    i64 low = 0, high = nnz;
    while (low < high) {
      i64 middle = (low + high) / 2;
      if (majors[middle] - base < major) low = middle + 1;
      else high = middle;
    }
    offsets.set(major, low + base);
  }
}
static __global__ void majors_of_offsets(const int *offsets, int count, int base, int *majors) {
  for (i64 major = thread_index(); major < count; major += thread_count())
    for (int at = offsets[major] - base; at < offsets[major + 1] - base; at++) majors[at] = (int)major + base;
}
static __global__ void identity(int n, int *p) {
  for (i64 i = thread_index(); i < n; i += thread_count()) p[i] = (int)i;
}
/// Sorts by (major, minor), and a permutation along: merges of runs, `run` long, by a thread for each pair of runs.
static __global__ void merge_runs(i64 nnz, i64 run, const int *majors, const int *minors, const int *p, int *majorsTo,
                                  int *minorsTo, int *pTo) {
  for (i64 first = thread_index() * 2 * run; first < nnz; first += thread_count() * 2 * run) {
    i64 a = first, aEnd = first + run < nnz ? first + run : nnz, b = aEnd;
    i64 bEnd = aEnd + run < nnz ? aEnd + run : nnz;
    for (i64 to = first; to < bEnd; to++) {
      bool takesA =
          b >= bEnd || (a < aEnd && (majors[a] < majors[b] || (majors[a] == majors[b] && minors[a] <= minors[b])));
      i64 from = takesA ? a++ : b++;
      majorsTo[to] = majors[from];
      minorsTo[to] = minors[from];
      if (p) pTo[to] = p[from];
    }
  }
}
/// CSR to CSC. Counts of the columns, then places: by one thread, so that rows stay in order.
static __global__ void count_columns(i64 nnz, const int *columns, int base, int n, int *offsets) {
  for (int j = 0; j <= n; j++) offsets[j] = 0;
  for (i64 at = 0; at < nnz; at++) offsets[columns[at] - base]++;
  int sum = base;
  for (int j = 0; j <= n; j++) {
    int own = offsets[j];
    offsets[j] = sum;
    sum += own;
  }
}
template <class T>
__global__ void transpose(int m, int n, const T *values, const int *offsets, const int *columns, int base, T *valuesTo,
                          int *offsetsTo, int *rowsTo, int *next) {
  for (int j = 0; j < n; j++) next[j] = offsetsTo[j] - base;
  for (int row = 0; row < m; row++)
    for (int at = offsets[row] - base; at < offsets[row + 1] - base; at++) {
      int to = next[columns[at] - base]++;
      rowsTo[to] = row + base;
      if (values) valuesTo[to] = values[at];
    }
}
/// The blocks of a block row, in order: a thread for each; columns of a row need not be sorted. `indices` null: counts.
static __global__ void blocks_of_rows(int m, int blockRows, int block, const int *offsets, const int *columns, int base,
                                      int *blockOffsets, int blockBase, int *indices) {
  for (i64 blockRow = thread_index(); blockRow < blockRows; blockRow += thread_count()) {
    int count = 0, last = -1;
    for (;;) {
      int next = -1; // the least block column above `last`
      for (int i = 0; i < block && blockRow * block + i < m; i++) {
        int row = (int)blockRow * block + i;
        for (int at = offsets[row] - base; at < offsets[row + 1] - base; at++) {
          int column = (columns[at] - base) / block;
          if (column > last && (next < 0 || column < next)) next = column;
        }
      }
      if (next < 0) break;
      if (indices) indices[blockOffsets[blockRow] - blockBase + count] = next + blockBase;
      last = next;
      count++;
    }
    if (!indices) blockOffsets[blockRow] = count;
  }
}
template <class T>
__global__ void fill_blocks_from_rows(int m, int blockRows, int block, int isColumnOrder, const T *values,
                                      const int *offsets, const int *columns, int base, const int *blockOffsets,
                                      int blockBase, const int *indices, T *blockValues) {
  for (i64 blockRow = thread_index(); blockRow < blockRows; blockRow += thread_count()) {
    int first = blockOffsets[blockRow] - blockBase, last = blockOffsets[blockRow + 1] - blockBase;
    for (i64 at = (i64)first * block * block; at < (i64)last * block * block; at++) blockValues[at] = zero<T>();
    for (int i = 0; i < block && blockRow * block + i < m; i++) {
      int row = (int)blockRow * block + i;
      for (int at = offsets[row] - base; at < offsets[row + 1] - base; at++) {
        int column = columns[at] - base, place = first;
        while (indices[place] - blockBase != column / block) place++;
        int j = column % block;
        blockValues[(i64)place * block * block + (isColumnOrder ? j * block + i : i * block + j)] = values[at];
      }
    }
  }
}
/// All entries of the blocks, zeros too, as bsr2csr gives them.
template <class T>
__global__ void rows_from_blocks(int blockRows, int block, int isColumnOrder, const T *blockValues,
                                 const int *blockOffsets, const int *indices, int blockBase, T *values, int *offsets,
                                 int *columns, int base) {
  for (i64 row = thread_index(); row < (i64)blockRows * block; row += thread_count()) {
    int blockRow = (int)(row / block), i = (int)(row % block);
    int first = blockOffsets[blockRow] - blockBase, last = blockOffsets[blockRow + 1] - blockBase;
    int at = first * block * block + i * (last - first) * block;
    offsets[row] = at + base;
    if (row == (i64)blockRows * block - 1) offsets[row + 1] = at + (last - first) * block + base;
    for (int place = first; place < last; place++)
      for (int j = 0; j < block; j++, at++) {
        columns[at] = (indices[place] - blockBase) * block + j + base;
        values[at] = blockValues[(i64)place * block * block + (isColumnOrder ? j * block + i : i * block + j)];
      }
  }
}

/// Sums of sorted rows: counts where `values` is null.
template <class T>
__global__ void add_rows(int m, const T *a, const int *aOffsets, const int *aColumns, int aBase, const T *b,
                         const int *bOffsets, const int *bColumns, int bBase, T *values, int *offsets, int *columns,
                         int base, Scalars<T> scalars) {
  T alpha = values ? scalars.alpha.get() : zero<T>(), beta = values ? scalars.beta.get() : zero<T>();
  for (i64 row = thread_index(); row < m; row += thread_count()) {
    int i = aOffsets[row] - aBase, iEnd = aOffsets[row + 1] - aBase;
    int j = bOffsets[row] - bBase, jEnd = bOffsets[row + 1] - bBase;
    int first = values ? offsets[row] - base : 0, at = first;
    while (i < iEnd || j < jEnd) {
      int left = i < iEnd ? aColumns[i] - aBase : 0x7fffffff, right = j < jEnd ? bColumns[j] - bBase : 0x7fffffff;
      int column = left < right ? left : right;
      if (values) {
        T sum = zero<T>();
        if (left == column) sum = sum + alpha * a[i];
        if (right == column) sum = sum + beta * b[j];
        values[at] = sum;
        columns[at] = column + base;
      }
      if (left == column) i++;
      if (right == column) j++;
      at++;
    }
    if (!values) offsets[row] = at;
  }
}

} // namespace heddle_sparse
