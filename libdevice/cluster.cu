/*
 * Shared memory of the other blocks of a thread block cluster ("Thread Block Clusters" in the CUDA C++ Programming
 * Guide). The windows of a cluster's blocks lie one behind the other. On a GPU of compute capability 9.0 or later these
 * are instructions (src/ptx/emit/cluster.ts).
 */
#include "prelude.h"

extern "C" DEVICE u32 __heddle_shared_window();
extern "C" DEVICE u32 __heddle_cluster_window();
extern "C" DEVICE u32 __heddle_cluster_stride();

/* The same variable of the block with this rank. The pointer may be of any block of the cluster. */
DEVICE_FN const void *__heddle_cluster_map(const void *shared, u32 rank) {
  const u32 first = __heddle_cluster_window(), stride = __heddle_cluster_stride();
  if (stride == 0) return shared;
  return (const void *)(word)(first + rank * stride + ((u32)(word)shared - first) % stride);
}
/* The rank of the block that a variable is of. */
DEVICE_FN u32 __heddle_cluster_rank_of(const void *shared) {
  const u32 stride = __heddle_cluster_stride();
  return stride == 0 ? 0 : ((u32)(word)shared - __heddle_cluster_window()) / stride;
}
