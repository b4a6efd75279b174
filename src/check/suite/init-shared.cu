// Pairs of kernels for initcheck: shared memory. NAME_wrong uses what nobody has written, first in the line marked "// ! uninitialized USE".
//
// All take (int* out, const int* in, int n): two allocations of n ints, in[i] = i. The launch stands before each pair: <<<grid, block, shared>>> n.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<2, 64>>> 128: an array that is never filled
PAIR(never_filled_wrong) ARGS {
  __shared__ int tile[64];
  if (n < 0) tile[threadIdx.x] = in[ROW];
  __syncthreads();
  out[ROW] = tile[threadIdx.x]; // ! uninitialized stored
}
PAIR(never_filled_right) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[ROW];
  __syncthreads();
  out[ROW] = tile[threadIdx.x];
}

// <<<2, 64>>> 128: the halo on the right is not loaded
PAIR(right_halo_wrong) ARGS {
  __shared__ int tile[65];
  tile[threadIdx.x] = in[ROW];
  __syncthreads();
  out[ROW] = tile[threadIdx.x] + tile[threadIdx.x + 1]; // ! uninitialized computed
}
PAIR(right_halo_right) ARGS {
  __shared__ int tile[65];
  tile[threadIdx.x] = in[ROW];
  if (threadIdx.x == 0) tile[64] = ROW + 64 < n ? in[ROW + 64] : 0;
  __syncthreads();
  out[ROW] = tile[threadIdx.x] + tile[threadIdx.x + 1];
}

// <<<2, 64>>> 128: the halo on the left is not loaded by the first block
PAIR(left_halo_wrong) ARGS {
  __shared__ int tile[65];
  tile[threadIdx.x + 1] = in[ROW];
  if (threadIdx.x == 0 && blockIdx.x > 0) tile[0] = in[ROW - 1];
  __syncthreads();
  out[ROW] = tile[threadIdx.x + 1] - tile[threadIdx.x]; // ! uninitialized computed
}
PAIR(left_halo_right) ARGS {
  __shared__ int tile[65];
  tile[threadIdx.x + 1] = in[ROW];
  if (threadIdx.x == 0) tile[0] = blockIdx.x > 0 ? in[ROW - 1] : 0;
  __syncthreads();
  out[ROW] = tile[threadIdx.x + 1] - tile[threadIdx.x];
}

// <<<1, dim3(8, 8)>>> 64: the corners of a tile with a border
PAIR(corner_wrong) ARGS {
  __shared__ int tile[10][10];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y + 1][x + 1] = in[8 * y + x];
  if (x == 0) tile[y + 1][0] = tile[y + 1][9] = 0;
  if (y == 0) tile[0][x + 1] = tile[9][x + 1] = 0;
  __syncthreads();
  out[8 * y + x] = tile[y][x] + tile[y + 2][x + 2]; // ! uninitialized computed
}
PAIR(corner_right) ARGS {
  __shared__ int tile[10][10];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y + 1][x + 1] = in[8 * y + x];
  if (x == 0) tile[y + 1][0] = tile[y + 1][9] = 0;
  if (y == 0) tile[0][x + 1] = tile[9][x + 1] = 0;
  if (x == 0 && y == 0) tile[0][0] = tile[0][9] = tile[9][0] = tile[9][9] = 0;
  __syncthreads();
  out[8 * y + x] = tile[y][x] + tile[y + 2][x + 2];
}

// <<<2, 64>>> 100: the last block's tile is only partly loaded, and summed as a whole
PAIR(partial_tile_wrong) ARGS {
  __shared__ int tile[64];
  if (ROW < n) tile[threadIdx.x] = in[ROW];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 64; k++) sum += tile[k];
  if (ROW < n) out[ROW] = sum; // ! uninitialized computed
}
PAIR(partial_tile_right) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = ROW < n ? in[ROW] : 0;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 64; k++) sum += tile[k];
  if (ROW < n) out[ROW] = sum;
}

// <<<2, 64>>> 100: the tail of a reduction
PAIR(reduction_tail_wrong) ARGS {
  __shared__ int sums[64];
  int t = threadIdx.x;
  if (ROW < n) sums[t] = in[ROW];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0]; // ! uninitialized stored
}
PAIR(reduction_tail_right) ARGS {
  __shared__ int sums[64];
  int t = threadIdx.x;
  sums[t] = ROW < n ? in[ROW] : 0;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

// <<<2, 64>>> 128: a histogram in shared memory that nobody sets to zero
PAIR(histogram_wrong) ARGS {
  __shared__ int bins[8];
  __syncthreads();
  atomicAdd(&bins[in[ROW] % 8], 1); // ! uninitialized atomic
  __syncthreads();
  if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = bins[threadIdx.x];
}
PAIR(histogram_right) ARGS {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[ROW] % 8], 1);
  __syncthreads();
  if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = bins[threadIdx.x];
}

// <<<1, 64>>> 64: fewer bins are set to zero than there are
PAIR(half_the_bins_wrong) ARGS {
  __shared__ int bins[16];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 16], 1); // ! uninitialized atomic
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}
PAIR(half_the_bins_right) ARGS {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}

// <<<1, 64, 256>>> 64: dynamic shared memory
PAIR(dynamic_wrong) ARGS {
  extern __shared__ int rows[];
  if (threadIdx.x < 32) rows[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (rows[threadIdx.x] > 3) out[threadIdx.x] = 1; // ! uninitialized branch
}
PAIR(dynamic_right) ARGS {
  extern __shared__ int rows[];
  rows[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (rows[threadIdx.x] > 3) out[threadIdx.x] = 1;
}

// <<<1, 64>>> 64: a branch by a flag that only one of the cases sets
PAIR(flag_wrong) ARGS {
  __shared__ int found;
  if (in[threadIdx.x] == 1000) found = 1;
  __syncthreads();
  if (found) out[threadIdx.x] = 1; // ! uninitialized branch
}
PAIR(flag_right) ARGS {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[threadIdx.x] == 1000) found = 1;
  __syncthreads();
  if (found) out[threadIdx.x] = 1;
}

// <<<1, 64>>> 64: an index out of a table that is half filled
PAIR(index_wrong) ARGS {
  __shared__ int order[64];
  if (threadIdx.x % 2 == 0) order[threadIdx.x] = 63 - threadIdx.x;
  __syncthreads();
  out[order[threadIdx.x] & 63] = 1; // ! uninitialized address
}
PAIR(index_right) ARGS {
  __shared__ int order[64];
  order[threadIdx.x] = 63 - threadIdx.x;
  __syncthreads();
  out[order[threadIdx.x] & 63] = 1;
}

// <<<4, 32>>> 128: only the first block fills what every block has for itself
PAIR(first_block_only_wrong) ARGS {
  __shared__ int scale;
  if (ROW == 0) scale = in[1];
  __syncthreads();
  out[ROW] = in[ROW] * scale; // ! uninitialized computed
}
PAIR(first_block_only_right) ARGS {
  __shared__ int scale;
  if (threadIdx.x == 0) scale = in[1];
  __syncthreads();
  out[ROW] = in[ROW] * scale;
}

// <<<1, 32>>> 32: elements that nobody uses may stay as they are
PAIR(transposed_wrong) ARGS {
  __shared__ int tile[8][9];
  int x = threadIdx.x % 8, y = threadIdx.x / 8;
  tile[y][x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[x][y]; // ! uninitialized stored
}
PAIR(transposed_right) ARGS {
  __shared__ int tile[8][9];
  int x = threadIdx.x % 8, y = threadIdx.x / 8;
  tile[y][x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 4][threadIdx.x / 4];
}

struct Cell { char tag; int value; };

// <<<1, 32>>> 64: a field that is not set
PAIR(field_wrong) ARGS {
  __shared__ Cell cells[32];
  cells[threadIdx.x].tag = 1;
  __syncthreads();
  out[threadIdx.x] = cells[31 - threadIdx.x].value; // ! uninitialized stored
}
PAIR(field_right) ARGS {
  __shared__ Cell cells[32];
  cells[threadIdx.x].tag = 1;
  cells[threadIdx.x].value = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = cells[31 - threadIdx.x].value;
}

// <<<1, 32>>> 64: structs are copied with their padding
PAIR(padding_wrong) ARGS {
  __shared__ Cell cells[32];
  if (threadIdx.x < 16) cells[threadIdx.x] = Cell{1, in[threadIdx.x]};
  __syncthreads();
  reinterpret_cast<Cell*>(out)[threadIdx.x] = cells[31 - threadIdx.x]; // ! uninitialized stored
}
PAIR(padding_right) ARGS {
  __shared__ Cell cells[32];
  cells[threadIdx.x].tag = 1;
  cells[threadIdx.x].value = in[threadIdx.x];
  __syncthreads();
  reinterpret_cast<Cell*>(out)[threadIdx.x] = cells[31 - threadIdx.x];
}

// <<<1, 64>>> 64: bytes
PAIR(bytes_wrong) ARGS {
  __shared__ unsigned char flags[64];
  if (threadIdx.x != 5) flags[threadIdx.x] = threadIdx.x & 1;
  __syncthreads();
  out[threadIdx.x] = flags[threadIdx.x] ? 1 : 2; // ! uninitialized computed
}
PAIR(bytes_right) ARGS {
  __shared__ unsigned char flags[64];
  flags[threadIdx.x] = threadIdx.x & 1;
  __syncthreads();
  out[threadIdx.x] = flags[threadIdx.x] ? 1 : 2;
}

// <<<1, 32>>> 32: doubles
PAIR(doubles_wrong) ARGS {
  __shared__ double values[33];
  values[threadIdx.x] = in[threadIdx.x] * 0.5;
  __syncthreads();
  out[threadIdx.x] = (int)(values[threadIdx.x] + values[threadIdx.x + 1]); // ! uninitialized computed
}
PAIR(doubles_right) ARGS {
  __shared__ double values[33];
  values[threadIdx.x] = in[threadIdx.x] * 0.5;
  if (threadIdx.x == 0) values[32] = 0;
  __syncthreads();
  out[threadIdx.x] = (int)(values[threadIdx.x] + values[threadIdx.x + 1]);
}

// <<<1, 32>>> 32: a shuffle hands an undefined value on
PAIR(shuffled_wrong) ARGS {
  __shared__ int tile[32];
  if (threadIdx.x < 16) tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  int value = tile[threadIdx.x];
  for (int half = 16; half > 0; half /= 2) value += __shfl_down_sync(~0u, value, half);
  if (threadIdx.x == 0) out[0] = value; // ! uninitialized computed
}
PAIR(shuffled_right) ARGS {
  __shared__ int tile[32];
  if (threadIdx.x < 16) tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  int value = threadIdx.x < 16 ? tile[threadIdx.x] : 0;
  for (int half = 16; half > 0; half /= 2) value += __shfl_down_sync(~0u, value, half);
  if (threadIdx.x == 0) out[0] = value;
}

// <<<1, 32>>> 32: a vote over undefined values
PAIR(vote_wrong) ARGS {
  __shared__ int tile[32];
  if (threadIdx.x < 31) tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  int all = __all_sync(~0u, tile[threadIdx.x] >= 0); // ! uninitialized vote
  out[threadIdx.x] = all;
}
PAIR(vote_right) ARGS {
  __shared__ int tile[32];
  if (threadIdx.x < 31) tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  int all = __all_sync(~0u, threadIdx.x == 31 || tile[threadIdx.x] >= 0);
  out[threadIdx.x] = all;
}

// <<<1, 64>>> 64: the masked part of a word counts, the rest does not
PAIR(masked_bits_wrong) ARGS {
  __shared__ unsigned words[64];
  reinterpret_cast<unsigned char*>(words)[4 * threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (words[threadIdx.x] & 0x1ff) out[threadIdx.x] = 1; // ! uninitialized branch
}
PAIR(masked_bits_right) ARGS {
  __shared__ unsigned words[64];
  reinterpret_cast<unsigned char*>(words)[4 * threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (words[threadIdx.x] & 0xff) out[threadIdx.x] = 1;
}
