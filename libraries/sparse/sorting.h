// Pairs of indices, sorted by one and then the other.
#pragma once
#include "calls.h"
#include "conversions.cuh"

namespace heddle_sparse {

/// Sorts by majors, then minors: merges of longer and longer runs between the lists and work memory.
static cusparseStatus_t sort_pairs(cusparseHandle_t h, i64 nnz, int *majors, int *minors, int *p, void *buffer) {
  if (nnz < 2) return CUSPARSE_STATUS_SUCCESS;
  if (!buffer) return CUSPARSE_STATUS_INVALID_VALUE;
  int *lists[2][3] = {{majors, minors, p}, {(int *)buffer, (int *)buffer + nnz, (int *)buffer + 2 * nnz}};
  int from = 0;
  for (i64 run = 1; run < nnz; run *= 2, from = 1 - from) {
    int **a = lists[from], **b = lists[1 - from];
    merge_runs<<<blocks((nnz + 2 * run - 1) / (2 * run), 32), 32, 0, h->stream>>>(nnz, run, a[0], a[1],
                                                                                  p ? a[2] : nullptr, b[0], b[1], b[2]);
  }
  if (from == 1)
    for (int i = 0; i < (p ? 3 : 2); i++)
      cudaMemcpyAsync(lists[0][i], lists[1][i], (size_t)nnz * 4, cudaMemcpyDeviceToDevice, h->stream);
  return launched();
}

} // namespace heddle_sparse
