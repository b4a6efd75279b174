// Copies by cp.async behind the arithmetic: values come while scores are computed, the next keys while values are
// multiplied. A mask is laid only where keys end or the diagonal passes, a warp leaves out squares beyond its diagonal,
// and blocks with many keys begin first so that the last ones are short. ROWS=32 uses each operand from shared memory
// for two products, which is what limits otherwise.
#include "flash.cuh"

template <bool CAUSAL>
__global__ void __launch_bounds__(THREADS)
    attention(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, __nv_bfloat16 *o, int length) {
  State state;
  int row = attend<CAUSAL>(state, q, k, v, length);
  store(o + (size_t)blockIdx.y * length * SIZE, state, row, length);
}
