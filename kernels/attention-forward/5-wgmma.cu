// The products of a warpgroup, operands by the tensor memory accelerator, and warps with roles. As many blocks as
// multiprocessors; the queries of the next tile come while the last one is written.
#define TURNS 0
#define QUEUE 0
#include "equal.cuh"
