// What takes longest is the time between launches, and reading a row for each of its copies. So a second launch does
// the rest: every block adds up the counts by itself, places its own slots, reads each of its rows once and writes it
// to all places.
#include "routing.cuh"

template <int LANES, int PER>
__global__ void __launch_bounds__(BLOCK)
    choose(const float *logits, float *weights, int *chosen, int *counts, int tokens, int experts, int top,
           int normalized) {
  chooseAndCount<LANES, PER>(partOf(tokens), logits, weights, chosen, counts, experts, top, normalized);
}
__global__ void __launch_bounds__(BLOCK)
    spread(const __nv_bfloat16 *x, const int *chosen, const int *counts, int *places, int *ends, __nv_bfloat16 *rows,
           int tokens, int experts, int top, int hidden) {
  __shared__ int begins[EXPERTS];
  Part part = partOf(tokens);
  findBegins(begins, counts, ends, experts);
  findPlaces(part, begins, chosen, places, experts, top);
  spreadRows(part, places, x, rows, top, hidden);
}
