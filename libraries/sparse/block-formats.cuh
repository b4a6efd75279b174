// From one format of blocks to another: CSR has blocks of one element. Colours of rows, rows of entries that are sorted
// and in their own order again.
#pragma once
#include "conversions.cuh"

namespace heddle_sparse {

/// Blocks of any height and width; columns of a block row are sorted.
template <class T> struct Blocks {
  T *values;
  const int *offsets, *columns;
  int base, height, width, isColumnOrder;

  __device__ i64 place(int block, int i, int j) const {
    return (i64)block * height * width + (isColumnOrder ? j * height + i : i * width + j);
  }
};

/// For each block row of C the block columns with an element of A, in order. `list` null: counts them. Work memory has
/// a place for each of A's block rows that a block row of C meets.
static __global__ void blocks_of_blocks(Blocks<const char> a, i64 rows, int blockRows, Blocks<const char> c,
                                        int *offsets, int *list, int *work, int places) {
  for (i64 row = thread_index(); row < blockRows; row += thread_count()) {
    i64 end = (row + 1) * c.height < rows ? (row + 1) * c.height : rows;
    int first = (int)(row * c.height / a.height), last = (int)((end - 1) / a.height), count = 0, current = -1;
    int *next = work + row * places;
    for (int i = first; i <= last; i++) next[i - first] = a.offsets[i] - a.base;
    for (;;) {
      i64 least = -1;
      for (int i = first; i <= last; i++) {
        int &at = next[i - first], stop = a.offsets[i + 1] - a.base;
        auto column = [&](i64 element) { return (a.columns[at] - a.base) * (i64)a.width + element; };
        while (at < stop && column(a.width - 1) / c.width <= current) at++;
        if (at == stop) continue;
        i64 found = column(0) / c.width;
        if (found <= current) found = current + 1;
        if (least < 0 || found < least) least = found;
      }
      if (least < 0) break;
      current = (int)least;
      if (list) list[offsets[row] - c.base + count] = current + c.base;
      count++;
    }
    if (!list) offsets[row] = count;
  }
}
template <class T>
__global__ void values_of_blocks(Blocks<const T> a, i64 rows, int blockRows, Blocks<T> c) {
  for (i64 row = thread_index(); row < blockRows; row += thread_count()) {
    int first = c.offsets[row] - c.base, last = c.offsets[row + 1] - c.base;
    i64 size = (i64)c.height * c.width;
    for (i64 at = first * size; at < last * size; at++) c.values[at] = zero<T>();
    for (int i = 0; i < c.height && row * c.height + i < rows; i++) {
      i64 element = row * c.height + i;
      int from = (int)(element / a.height), inFrom = (int)(element % a.height), to = first;
      for (int at = a.offsets[from] - a.base; at < a.offsets[from + 1] - a.base; at++)
        for (int j = 0; j < a.width; j++) {
          i64 column = (a.columns[at] - a.base) * (i64)a.width + j;
          while (c.columns[to] - c.base < column / c.width) to++;
          c.values[c.place(to, i, (int)(column % c.width))] = a.values[a.place(at, inFrom, j)];
        }
    }
  }
}
/// All elements of the blocks, zeros too, as rows of CSR. valuesTo null: places alone.
template <class T>
__global__ void rows_of_blocks(Blocks<const T> a, int blockRows, T *valuesTo, int *offsets, int *columns, int base) {
  i64 rows = (i64)blockRows * a.height;
  for (i64 row = thread_index(); row < rows; row += thread_count()) {
    int blockRow = (int)(row / a.height), i = (int)(row % a.height);
    int first = a.offsets[blockRow] - a.base, last = a.offsets[blockRow + 1] - a.base;
    int at = (first * a.height + i * (last - first)) * a.width;
    offsets[row] = at + base;
    if (row == rows - 1) offsets[rows] = at + (last - first) * a.width + base;
    for (int block = first; block < last; block++)
      for (int j = 0; j < a.width; j++, at++) {
        columns[at] = (a.columns[block] - a.base) * a.width + j + base;
        if (valuesTo) valuesTo[at] = a.values[a.place(block, i, j)];
      }
  }
}
/// Offsets and rows of the columns' blocks, and where each block was. By one thread, so that rows stay in order.
static __global__ void transpose_blocks(int blockRows, int blockColumns, const int *offsets, const int *columns,
                                        int base, int *offsetsTo, int *rowsTo, int *next, int *from) {
  int first = blockRows > 0 ? offsets[0] - base : 0, last = blockRows > 0 ? offsets[blockRows] - base : 0, sum = 0;
  for (int j = 0; j < blockColumns; j++) next[j] = 0;
  for (int at = first; at < last; at++) next[columns[at] - base]++;
  for (int j = 0; j < blockColumns; j++) {
    int own = next[j];
    offsetsTo[j] = sum + base;
    next[j] = sum;
    sum += own;
  }
  offsetsTo[blockColumns] = sum + base;
  for (int row = 0; row < blockRows; row++)
    for (int at = offsets[row] - base; at < offsets[row + 1] - base; at++) {
      int to = next[columns[at] - base]++;
      rowsTo[to] = row + base;
      from[to] = at;
    }
}
/// to[i] = values[from[i]] for blocks of `size` elements; the other way round if `isBack`.
template <class T>
__global__ void move_blocks(i64 count, int size, const int *from, const T *values, T *to, int isBack) {
  for (i64 at = thread_index(); at < count * size; at += thread_count()) {
    i64 other = (i64)from[at / size] * size + at % size;
    if (isBack) to[other] = values[at];
    else to[at] = values[other];
  }
}

/// The real square root of |a|^2, in the type of its parts.
template <class T> __device__ inline T magnitude(T a) { return a < T(0) ? -a : a; }
__device__ inline float magnitude(c32 a) { return hypotf(a.x, a.y); }
__device__ inline double magnitude(c64 a) { return hypot(a.x, a.y); }

template <class T, class R>
__global__ void count_larger(int m, const T *values, const int *offsets, int base, R tolerance, int *counts) {
  for (i64 row = thread_index(); row < m; row += thread_count()) {
    int count = 0;
    for (int at = offsets[row] - base; at < offsets[row + 1] - base; at++) count += magnitude(values[at]) > tolerance;
    counts[row] = count;
  }
}
template <class T, class R>
__global__ void keep_larger(int m, const T *values, const int *offsets, const int *columns, int base, R tolerance,
                            T *valuesTo, const int *offsetsTo, int *columnsTo) {
  for (i64 row = thread_index(); row < m; row += thread_count()) {
    int to = offsetsTo[row] - base;
    for (int at = offsets[row] - base; at < offsets[row + 1] - base; at++) {
      if (!(magnitude(values[at]) > tolerance)) continue;
      valuesTo[to] = values[at];
      columnsTo[to++] = columns[at];
    }
  }
}
static __global__ void total_of(const int *counts, int n, i64 *total) {
  i64 sum = 0;
  for (int i = 0; i < n; i++) sum += counts[i];
  *total = sum;
}

/// Rows get the least colour that no neighbour has, the rows from `greedy` on a colour of their own each; the first
/// colour is `base`. By one thread. used[colour]: the last row that saw it.
static __global__ void colour_rows(int m, int greedy, const int *offsets, const int *columns, int base, int *used,
                                   int *colours, int *count) {
  int colourCount = 0;
  for (int row = 0; row < m; row++) colours[row] = used[row] = -1;
  for (int row = 0; row < m; row++) {
    if (row >= greedy) {
      colours[row] = colourCount++;
      continue;
    }
    for (int at = offsets[row] - base; at < offsets[row + 1] - base; at++) {
      int neighbour = columns[at] - base;
      if (neighbour != row && colours[neighbour] >= 0) used[colours[neighbour]] = row;
    }
    int colour = 0;
    while (used[colour] == row) colour++;
    colours[row] = colour;
    if (colour >= colourCount) colourCount = colour + 1;
  }
  for (int row = 0; row < m; row++) colours[row] += base;
  *count = colourCount;
}
/// Rows of one colour beside each other: order[new] = old, and both count from `base`. By one thread.
static __global__ void order_by_colour(int m, int base, const int *colours, const int *count, int *next, int *order) {
  for (int colour = 0; colour < *count; colour++) next[colour] = 0;
  for (int row = 0; row < m; row++) next[colours[row] - base]++;
  int sum = 0;
  for (int colour = 0; colour < *count; colour++) {
    int own = next[colour];
    next[colour] = sum;
    sum += own;
  }
  for (int row = 0; row < m; row++) order[next[colours[row] - base]++] = row + base;
}

} // namespace heddle_sparse
