// Pairs of kernels for racecheck: threads and blocks whose parts of an array overlap. NAME_wrong races in the line marked "// ! KIND"; NAME_right does the
// same and does not. How launches and marks are read: suite.test-helper.ts.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<2, 32>>> 128: two elements for each thread, whose index does not count for two
PAIR(two_each_wrong) ARGS {
  int i = ROW;
  out[i] = in[i];
  out[i + 1] = in[i] + 1; // ! write-after-write
}
PAIR(two_each_right) ARGS {
  int i = 2 * ROW;
  out[i] = in[i];
  out[i + 1] = in[i] + 1;
}

// <<<4, 32>>> 132: each block writes the element behind its part, which is the next block's first
PAIR(end_of_part_wrong) ARGS {
  out[ROW] = in[ROW];
  if (threadIdx.x == 31) out[ROW + 1] = -1; // ! write-after-write
}
PAIR(end_of_part_right) ARGS {
  int i = blockIdx.x * 33 + threadIdx.x;
  out[i] = in[i];
  if (threadIdx.x == 31) out[i + 1] = -1;
}

// <<<2, 32>>> 256: a stride of the block, not of the grid
PAIR(stride_wrong) ARGS {
  for (int i = ROW; i < n; i += blockDim.x) out[i] = in[i] + blockIdx.x; // ! write-after-write
}
PAIR(stride_right) ARGS {
  for (int i = ROW; i < n; i += blockDim.x * gridDim.x) out[i] = in[i] + blockIdx.x;
}

// <<<dim3(2,2), dim3(8,4)>>> 128: a matrix without its width
PAIR(no_width_wrong) ARGS {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  out[y + x] = in[y * 16 + x]; // ! write-after-write
}
PAIR(no_width_right) ARGS {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  out[y * 16 + x] = in[y * 16 + x];
}

// <<<dim3(2,2), dim3(8,4)>>> 256: the height for the width, in a matrix that is not square
PAIR(height_wrong) ARGS {
  int width = 16, height = 8, x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  out[y * height + x] = in[y * width + x]; // ! write-after-write
}
PAIR(height_right) ARGS {
  int width = 16, height = 8, x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  out[x * height + y] = in[y * width + x];
}

// <<<2, dim3(8,8)>>> 128: an index that forgets the second dimension of the block
PAIR(flat_block_wrong) ARGS {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i] + threadIdx.y; // ! write-after-write
}
PAIR(flat_block_right) ARGS {
  int i = blockIdx.x * 64 + threadIdx.y * 8 + threadIdx.x;
  out[i] = in[i] + threadIdx.y;
}

// <<<dim3(2,2), 32>>> 128: an index that forgets the second dimension of the grid
PAIR(flat_grid_wrong) ARGS {
  int i = ROW;
  out[i] = in[i] * (blockIdx.y + 1); // ! write-after-write
}
PAIR(flat_grid_right) ARGS {
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  out[i] = in[i] * (blockIdx.y + 1);
}

// <<<2, 32>>> 264: a piece for each thread, the last element included
PAIR(piece_wrong) ARGS {
  int first = ROW * 4, last = first + 4;
  for (int i = first; i <= last; i++) out[i] = in[i] + first; // ! write-after-write
}
PAIR(piece_right) ARGS {
  int first = ROW * 4, last = first + 3;
  for (int i = first; i <= last; i++) out[i] = in[i] + first;
}

// <<<3, 32>>> 128: a part for each block: rounded down where it begins, up where it ends
PAIR(rounding_wrong) ARGS {
  int first = blockIdx.x * (n / gridDim.x), part = (n + gridDim.x - 1) / gridDim.x;
  for (int i = first + threadIdx.x; i < min(first + part, n); i += blockDim.x) out[i] = in[i] + blockIdx.x; // ! write-after-write
}
PAIR(rounding_right) ARGS {
  int part = (n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * part;
  for (int i = first + threadIdx.x; i < min(first + part, n); i += blockDim.x) out[i] = in[i] + blockIdx.x;
}

// <<<4, 32>>> 128: everything moves down by one, in place
PAIR(shift_wrong) ARGS {
  int i = ROW;
  int next = i + 1 < n ? out[i + 1] : 0;
  out[i] = next + in[i]; // ! write-after-read
}
PAIR(shift_right) ARGS {
  int i = ROW;
  int next = i + 1 < n ? in[i + 1] : 0;
  out[i] = next + in[i];
}

// <<<4, 32>>> 128: a stencil in place: tiles and barriers keep the threads of a block apart, not the blocks
PAIR(stencil_wrong) ARGS {
  __shared__ int tile[34];
  int t = threadIdx.x, i = ROW;
  tile[t + 1] = out[i];
  if (t < 2) {
    int edge = t == 0 ? i - 1 : i + 31;
    tile[33 * t] = edge >= 0 && edge < n ? out[edge] : 0;
  }
  __syncthreads();
  out[i] = tile[t] + tile[t + 1] + tile[t + 2]; // ! write-after-read
}
PAIR(stencil_right) ARGS {
  __shared__ int tile[34];
  int t = threadIdx.x, i = ROW;
  tile[t + 1] = in[i];
  if (t < 2) {
    int edge = t == 0 ? i - 1 : i + 31;
    tile[33 * t] = edge >= 0 && edge < n ? in[edge] : 0;
  }
  __syncthreads();
  out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

// <<<4, 32>>> 128: a sum over blocks: each takes the result of the one before it
PAIR(block_before_wrong) ARGS {
  if (threadIdx.x != 0) return;
  int before = blockIdx.x > 0 ? out[blockIdx.x - 1] : 0;
  out[blockIdx.x] = before + in[ROW]; // ! write-after-read
}
PAIR(block_before_right) ARGS {
  if (threadIdx.x != 0) return;
  int before = 0;
  for (int b = 0; b < blockIdx.x; b++) before += in[b * blockDim.x];
  out[blockIdx.x] = before + in[ROW];
}

// <<<4, 32>>> 160: the first block puts the results of all together
PAIR(first_block_sums_wrong) ARGS {
  out[ROW] = in[ROW] * 2;
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) out[128] = out[0] + out[64]; // ! read-after-write
}
PAIR(first_block_sums_right) ARGS {
  out[ROW] = in[ROW] * 2;
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) out[128] = out[0] + out[31];
}

// <<<2, 64>>> 128: reversed into place, by all instead of by half of the threads
PAIR(swap_wrong) ARGS {
  int i = ROW, value = in[i];
  out[i] = value;
  out[n - 1 - i] = -value; // ! write-after-write
}
PAIR(swap_right) ARGS {
  int i = ROW, value = in[i];
  if (i >= n / 2) return;
  out[i] = value;
  out[n - 1 - i] = -value;
}

// <<<2, 64>>> 128: a ring half as long as it should be
PAIR(modulo_wrong) ARGS {
  out[ROW % (n / 2)] = in[ROW]; // ! write-after-write
}
PAIR(modulo_right) ARGS {
  out[ROW % n] = in[ROW];
}

// <<<4, 32>>> 256: rows of a matrix with padding: the pitch is that of the data
PAIR(pitch_wrong) ARGS {
  int *row = out + blockIdx.x * 32, t = threadIdx.x;
  row[t] = in[ROW];
  if (t < 4) row[32 + t] = t; // ! write-after-write
}
PAIR(pitch_right) ARGS {
  int *row = out + blockIdx.x * 36, t = threadIdx.x;
  row[t] = in[ROW];
  if (t < 4) row[32 + t] = t;
}

// <<<2, 32>>> 512: a copy of five elements, for threads that have four
PAIR(copy_wrong) ARGS {
  memcpy(out + ROW * 4, in + ROW * 5, 5 * sizeof(int)); // ! write-after-write
}
PAIR(copy_right) ARGS {
  memcpy(out + ROW * 5, in + ROW * 5, 5 * sizeof(int));
}

struct Scratch { int* part; };

// <<<4, 32>>> 128: a part of the scratch memory for each block, found by the wrong index
PAIR(scratch_wrong) ARGS {
  Scratch scratch = {out + blockIdx.x % 2 * 32};
  scratch.part[threadIdx.x] = in[ROW]; // ! write-after-write
}
PAIR(scratch_right) ARGS {
  Scratch scratch = {out + blockIdx.x * 32};
  scratch.part[threadIdx.x] = in[ROW];
}

// <<<dim3(1,1,4), dim3(4,4,2)>>> 256: a cube, where the third dimension counts for too little
PAIR(cube_wrong) ARGS {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.z * 2 + threadIdx.z;
  out[(z * 2 + y) * 4 + x] = in[(z * 4 + y) * 4 + x]; // ! write-after-write
}
PAIR(cube_right) ARGS {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.z * 2 + threadIdx.z;
  out[(z * 4 + y) * 4 + x] = in[(z * 4 + y) * 4 + x];
}
