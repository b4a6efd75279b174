// Tokens are sorted by their experts, so that a tile of an expert's weights serves 64 or 128 of its tokens: two
// launches route and copy rows, the products of grouped-matmul follow, and a fourth adds up the rows of each token.
#include "layer.cuh"

__global__ void __launch_bounds__(BLOCK)
    place(const __nv_bfloat16 *x, const int *chosen, const int *counts, int *places, int *ends, __nv_bfloat16 *rows,
          int tokens, int experts, int top, int k) {
  __shared__ int begins[EXPERTS];
  Part part = partOf(tokens);
  findBegins(begins, counts, ends, experts);
  findPlaces(part, begins, chosen, places, experts, top);
  spreadRows(part, places, x, rows, top, k);
}
