// cuSPARSE (cuSPARSE documentation): host functions over the kernels beside this file. Linked into programs that use
// them. One unit, so that the device code is one module.
#include <limits.h>
#include "calls.h"
#include "products.cuh"
#include "solve.cuh"
#include "sorting.h"
#include "spgemm.cuh"

using namespace heddle_sparse;

namespace {

/// Rows that one thread has. The emulated device runs a thread with many rows faster than many threads: its blocks run
/// beside each other, and the entries of a row are not side by side for the threads of a warp.
int rows_per_thread(i64 rows) {
  static const bool isEmulated = __heddle_is_emulated();
  if (!isEmulated) return 1;
  i64 perThread = (rows + 63) / 64;
  return (int)(perThread < 256 ? 256 : perThread);
}

} // namespace

#include "descriptors.inl"
#include "products.inl"
#include "solve.inl"
#include "typed.inl"
