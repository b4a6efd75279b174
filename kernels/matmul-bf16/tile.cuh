// Shared by versions 3 to 5. A block computes TILE_M x TILE_N elements of C. Each of its warps has 64 x WARP_N of them
// in registers, as tiles of 16 x 8 of mma.sync.m16n8k16 (PTX ISA 8.5, 9.7.13.4.8). Shared memory holds TILE_M x DEPTH
// elements of A and DEPTH x TILE_N of B. Rows of A and B are multiples of 16 bytes, and so is every copy.
#pragma once
#include <cuda_bf16.h>
#define WARPS_DOWN (TILE_M / 64)
#define WARPS_ACROSS (TILE_N / WARP_N)
#define THREADS (32 * WARPS_DOWN * WARPS_ACROSS)
// Sixteen bytes, what threads move at once: of a row of each operand, and of a step for each thread.
#define A_CHUNKS (DEPTH / 8)
#define B_CHUNKS (TILE_N / 8)
#define A_COPIES (TILE_M * A_CHUNKS / THREADS)
#define B_COPIES (DEPTH * B_CHUNKS / THREADS)
#define A_BYTES (TILE_M * DEPTH * 2)
#define STAGE_BYTES (A_BYTES + DEPTH * TILE_N * 2)
// A thread's chunks are of rows that have the same place in their eight.
static_assert(THREADS / A_CHUNKS % 8 == 0 && THREADS / B_CHUNKS % 8 == 0);

// The offset of a chunk in bytes from the start of the operand. ldmatrix reads the chunks of eight rows in one column
// at once. An exclusive or with the row's number puts them into different banks, without padding.
__device__ __forceinline__ int placeA(int row, int chunk) {
  return (row * A_CHUNKS + (chunk ^ (row / (8 / A_CHUNKS) % A_CHUNKS))) * 16;
}
__device__ __forceinline__ int placeB(int row, int chunk) { return (row * B_CHUNKS + (chunk ^ row % 8)) * 16; }

__device__ __forceinline__ void loadMatrices(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}
__device__ __forceinline__ void loadTransposed(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(from) : "memory");
}
__device__ __forceinline__ void multiplyAdd(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// A warp's operands of 16 steps of depth: four tiles of 16 x 16 of A below each other, and WARP_N / 16 tiles of B
// beside each other.
struct Fragments { unsigned a[4][4], b[WARP_N / 16][4]; };
using Sums = float[4][WARP_N / 8][4];

// `part`: which 16 of DEPTH; `row` and `column`: the warp's in the block.
__device__ __forceinline__ void load(Fragments &f, unsigned tiles, int part, int row, int column) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; i++) loadMatrices(f.a[i], tiles + placeA(row + 16 * i + lane % 16, 2 * part + lane / 16));
#pragma unroll
  for (int j = 0; j < WARP_N / 16; j++)
    loadTransposed(f.b[j], tiles + A_BYTES + placeB(16 * part + lane % 16, column / 8 + 2 * j + lane / 16));
}

__device__ __forceinline__ void multiply(Sums &sum, const Fragments &f) {
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < WARP_N / 8; j++)
      multiplyAdd(sum[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
}

// What a thread copies in each step: its first chunks, and their distance from the ends of the matrices. Beyond the
// ends it writes zeros and reads nothing. Its further chunks of a step follow at the number of rows that all threads
// copy at once.
struct Copies {
  const __nv_bfloat16 *a, *b;
  int rows, depthA, depthB, strideA, strideB;
  unsigned toA, toB;
  bool inside;
};
__device__ __forceinline__ Copies copiesOf(const __nv_bfloat16 *a, const __nv_bfloat16 *b, int m, int n, int k, int top,
                                           int left) {
  int row = threadIdx.x / A_CHUNKS, chunk = threadIdx.x % A_CHUNKS, depth = threadIdx.x / B_CHUNKS,
      column = threadIdx.x % B_CHUNKS;
  bool inside = left + 8 * column < n;
  return {a + (size_t)(top + row) * k + 8 * chunk, b + (size_t)depth * n + left + 8 * column, m - top - row,
          k - 8 * chunk, k - depth, k, n,
          (unsigned)placeA(row, chunk), (unsigned)(A_BYTES + placeB(depth, column)), inside};
}
__device__ __forceinline__ void copyAsync(unsigned to, const __nv_bfloat16 *from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0) : "memory");
}
__device__ __forceinline__ void beginCopies(Copies &copies, unsigned tiles) {
#pragma unroll
  for (int q = 0; q < A_COPIES; q++) {
    const int further = q * (THREADS / A_CHUNKS);
    copyAsync(tiles + copies.toA + further * A_CHUNKS * 16, copies.a + (size_t)further * copies.strideA,
              further < copies.rows && copies.depthA > 0);
  }
#pragma unroll
  for (int q = 0; q < B_COPIES; q++) {
    const int further = q * (THREADS / B_CHUNKS);
    copyAsync(tiles + copies.toB + further * B_CHUNKS * 16, copies.b + (size_t)further * copies.strideB,
              further < copies.depthB && copies.inside);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
  copies.a += DEPTH, copies.b += (size_t)DEPTH * copies.strideB, copies.depthA -= DEPTH, copies.depthB -= DEPTH;
}
template <int GROUPS>
__device__ __forceinline__ void waitForAllBut() { asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory"); }

// A lane has two neighbouring elements of rows lane / 4 and lane / 4 + 8 of each 16 x 8.
__device__ __forceinline__ void store(__nv_bfloat16 *c, const Sums &sum, int m, int n, int top, int left) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      int row = top + 16 * i + 8 * half + lane / 4;
      if (row >= m) continue;
#pragma unroll
      for (int j = 0; j < WARP_N / 8; j++) {
        int column = left + 8 * j + lane % 4 * 2;
        if (column < n)
          *(__nv_bfloat162 *)(c + (size_t)row * n + column) =
              __floats2bfloat162_rn(sum[i][j][2 * half], sum[i][j][2 * half + 1]);
      }
    }
}
