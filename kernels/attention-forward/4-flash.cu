// Asynchronous copies (cp.async) run behind the arithmetic: values arrive while scores are computed, the next keys
// while values are multiplied. The mask is applied only where the keys end or the diagonal passes, and a warp skips
// tiles beyond its diagonal. Blocks with many keys begin first, so that the last blocks are short. With ROWS=32 each
// operand from shared memory serves two products; shared memory is the limit otherwise.
#include "flash.cuh"

template <bool CAUSAL>
__global__ void __launch_bounds__(THREADS)
    attention(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v, __nv_bfloat16 *o, int length) {
  State state;
  int row = attend<CAUSAL>(state, q, k, v, length);
  store(o + (size_t)blockIdx.y * length * SIZE, state, row, length);
}
