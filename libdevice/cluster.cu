/*
 * Thread block clusters ("Thread Block Clusters" in the CUDA C++ Programming Guide) of one block each, which is what a
 * launch has that asks for none. On a GPU of compute capability 9.0 or later these are instructions
 * (src/ptx/emit/cluster.ts).
 */
#include "prelude.h"

#define NUMBER(name, value) DEVICE_FN u32 __heddle_cluster_##name() { return value; }
#define AXIS(axis)                                                      \
  NUMBER(ctaid_##axis, 0)                                               \
  NUMBER(nctaid_##axis, 1)                                              \
  NUMBER(clusterid_##axis, __nvvm_read_ptx_sreg_ctaid_##axis())         \
  NUMBER(nclusterid_##axis, __nvvm_read_ptx_sreg_nctaid_##axis())
AXIS(x)
AXIS(y)
AXIS(z)
NUMBER(ctarank, 0)
NUMBER(nctarank, 1)

/* Who waits is waited for: nothing has to be told before. */
DEVICE_FN __attribute__((convergent)) void __heddle_cluster_arrive() {}
DEVICE_FN __attribute__((convergent)) void __heddle_cluster_wait() { __nvvm_bar_sync(0); }

/* The same variable of the block with this rank, and the rank of the block that a variable is of. */
DEVICE_FN const void *__heddle_cluster_map(const void *shared, u32) { return shared; }
DEVICE_FN u32 __heddle_cluster_rank_of(const void *) { return 0; }
