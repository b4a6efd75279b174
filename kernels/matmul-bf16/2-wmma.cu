// Tensor cores, by nvcuda::wmma. A warp loads tiles of 16 x 16 from global memory when it needs them. It computes 2 x 2
// tiles of C at once, so that it uses each tile of A and B twice. Tiles that reach beyond the matrices are built in
// shared memory, padded with zeros.
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major>;

// 16 x 16 elements from (row, column) of a matrix of rows x columns by rows; `edge`: the warp's own, for tiles at the
// edge.
template <class Fragment>
__device__ void load(Fragment &fragment, const __nv_bfloat16 *from, int row, int column, int rows, int columns,
                     __nv_bfloat16 *edge) {
  if (row + 16 <= rows && column + 16 <= columns)
    return wmma::load_matrix_sync(fragment, from + (size_t)row * columns + column, columns);
  for (int i = threadIdx.x; i < 256; i += 32) {
    int y = row + i / 16, x = column + i % 16;
    edge[i] = y < rows && x < columns ? from[(size_t)y * columns + x] : __float2bfloat16(0);
  }
  __syncwarp();
  wmma::load_matrix_sync(fragment, edge, 16);
  __syncwarp();
}

__global__ void __launch_bounds__(32 * WARPS)
    matmul(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int m, int n, int k) {
  __shared__ __align__(32) float results[WARPS][256];
  float *own = results[threadIdx.y];
  int left = blockIdx.x * 32, top = (blockIdx.y * WARPS + threadIdx.y) * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
#pragma unroll
  for (int i = 0; i < 4; i++) wmma::fill_fragment(sum[i / 2][i % 2], 0);
  for (int start = 0; start < k; start += 16) {
    A x[2];
    B y[2];
#pragma unroll
    for (int i = 0; i < 2; i++)
      load(x[i], a, top + 16 * i, start, m, k, (__nv_bfloat16 *)own),
          load(y[i], b, start, left + 16 * i, k, n, (__nv_bfloat16 *)own);
#pragma unroll
    for (int i = 0; i < 4; i++) wmma::mma_sync(sum[i / 2][i % 2], x[i / 2], y[i % 2], sum[i / 2][i % 2]);
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    wmma::store_matrix_sync(own, sum[i / 2][i % 2], 16, wmma::mem_row_major);
    __syncwarp();
    for (int e = threadIdx.x; e < 256; e += 32) {
      int row = top + i / 2 * 16 + e / 16, column = left + i % 2 * 16 + e % 16;
      if (row < m && column < n) c[(size_t)row * n + column] = __float2bfloat16(own[e]);
    }
    __syncwarp();
  }
}
