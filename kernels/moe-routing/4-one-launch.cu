// One cooperative launch: blocks wait for one another after they have counted, and go on with the tokens that they
// have.
#include "routing.cuh"
#include <cooperative_groups.h>

template <int LANES, int PER>
__global__ void __launch_bounds__(BLOCK)
    route(const float *logits, const __nv_bfloat16 *x, float *weights, int *chosen, int *counts, int *places, int *ends,
          __nv_bfloat16 *rows, int tokens, int experts, int top, int hidden, int normalized) {
  __shared__ int begins[EXPERTS];
  Part part = partOf(tokens);
  chooseAndCount<LANES, PER>(part, logits, weights, chosen, counts, experts, top, normalized);
  cooperative_groups::this_grid().sync();
  findBegins(begins, counts, ends, experts);
  findPlaces(part, begins, chosen, places, experts, top);
  spreadRows(part, places, x, rows, top, hidden);
}
