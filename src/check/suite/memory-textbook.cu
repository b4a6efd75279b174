// Pairs of kernels for memcheck: the textbook's kernels, each with the mistake that is made in it. Launches and marks as in memory.cu.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<1, 64>>> 64: a stencil in shared memory, whose halo has one place too few
PAIR(stencil_halo_wrong) ARGS {
  __shared__ int tile[64 + 1];
  int i = threadIdx.x;
  tile[i + 1] = in[i];
  if (i == 0) tile[0] = 0;
  __syncthreads();
  int right = tile[i + 2]; // ! out-of-bounds read
  out[i] = tile[i] + right;
}
PAIR(stencil_halo_right) ARGS {
  __shared__ int tile[64 + 2];
  int i = threadIdx.x;
  tile[i + 1] = in[i];
  if (i == 0) tile[0] = tile[65] = 0;
  __syncthreads();
  int right = tile[i + 2];
  out[i] = tile[i] + right;
}

// <<<2, 32>>> 64: a stencil of radius 3 that takes the radius off on one side only
PAIR(stencil_radius_wrong) ARGS {
  int i = ROW, sum = 0;
  if (i >= 3)
    for (int k = -3; k <= 3; k++) sum += in[i + k]; // ! out-of-bounds read
  out[i] = sum;
}
PAIR(stencil_radius_right) ARGS {
  int i = ROW, sum = 0;
  if (i >= 3 && i < n - 3)
    for (int k = -3; k <= 3; k++) sum += in[i + k];
  out[i] = sum;
}

// <<<dim3(2, 2), dim3(8, 8)>>> 128: a matrix of 16 columns and 8 rows, as if it were square
PAIR(matrix_guard_wrong) ARGS {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 16 && y < 16) out[y * 16 + x] = 1; // ! out-of-bounds write
}
PAIR(matrix_guard_right) ARGS {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 16 && y < n / 16) out[y * 16 + x] = 1;
}

// <<<1, dim3(16, 8)>>> 128: a transpose that takes the width of the result for that of the source
PAIR(transpose_width_wrong) ARGS {
  int x = threadIdx.x, y = threadIdx.y;
  out[x * 8 + y] = in[x * 16 + y]; // ! out-of-bounds read
}
PAIR(transpose_width_right) ARGS {
  int x = threadIdx.x, y = threadIdx.y;
  out[x * 8 + y] = in[y * 16 + x];
}

// <<<1, dim3(16, 16)>>> 256: a tile for a transpose, turned in the wrong step
PAIR(transpose_tile_wrong) ARGS {
  __shared__ int tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  int value = tile[threadIdx.x + 1][threadIdx.y]; // ! out-of-bounds read
  out[threadIdx.y * 16 + threadIdx.x] = value;
}
PAIR(transpose_tile_right) ARGS {
  __shared__ int tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  int value = tile[threadIdx.x][threadIdx.y];
  out[threadIdx.y * 16 + threadIdx.x] = value;
}

// <<<1, 64>>> 64: a convolution that clamps on the left only
PAIR(convolution_wrong) ARGS {
  int sum = 0;
  for (int k = 0; k < 5; k++) {
    int at = max((int)threadIdx.x + k - 2, 0);
    sum += in[at] * k; // ! out-of-bounds read
  }
  out[threadIdx.x] = sum;
}
PAIR(convolution_right) ARGS {
  int sum = 0;
  for (int k = 0; k < 5; k++) {
    int at = min(max((int)threadIdx.x + k - 2, 0), n - 1);
    sum += in[at] * k;
  }
  out[threadIdx.x] = sum;
}

// <<<1, dim3(8, 8)>>> 64: a two-dimensional convolution that forgets the rows
PAIR(convolution_2d_wrong) ARGS {
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (x + dx >= 0 && x + dx < 8) sum += in[(y + dy) * 8 + x + dx]; // ! out-of-bounds read
  out[y * 8 + x] = sum;
}
PAIR(convolution_2d_right) ARGS {
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (x + dx >= 0 && x + dx < 8 && y + dy >= 0 && y + dy < 8) sum += in[(y + dy) * 8 + x + dx];
  out[y * 8 + x] = sum;
}

// <<<1, 64>>> 64: a step of a scan between two buffers, one after the other, of which the second is too short
PAIR(scan_wrong) ARGS {
  __shared__ int buffer[120];
  int i = threadIdx.x;
  buffer[i] = in[i];
  __syncthreads();
  int value = buffer[i] + (i >= 1 ? buffer[i - 1] : 0);
  buffer[64 + i] = value; // ! out-of-bounds write
  __syncthreads();
  out[i] = buffer[64 + i / 2];
}
PAIR(scan_right) ARGS {
  __shared__ int buffer[128];
  int i = threadIdx.x;
  buffer[i] = in[i];
  __syncthreads();
  int value = buffer[i] + (i >= 1 ? buffer[i - 1] : 0);
  buffer[64 + i] = value;
  __syncthreads();
  out[i] = buffer[64 + i / 2];
}

// <<<1, 32>>> 64: an exclusive scan that writes its total behind the end
PAIR(scan_total_wrong) ARGS {
  int sum = 0;
  if (threadIdx.x == 0)
    for (int i = 0; i <= n; i++) {
      out[i] = sum; // ! out-of-bounds write
      if (i < n) sum += in[i];
    }
}
PAIR(scan_total_right) ARGS {
  int sum = 0;
  if (threadIdx.x == 0)
    for (int i = 0; i < n; i++) {
      out[i] = sum;
      sum += in[i];
    }
}

// <<<1, 32>>> 32: sparse rows: the last row's end stands behind the last row
PAIR(csr_rows_wrong) ARGS {
  int begin = in[threadIdx.x], end = in[threadIdx.x + 1]; // ! out-of-bounds read
  int sum = 0;
  for (int k = begin; k < end && k < n; k++) sum += in[k];
  out[threadIdx.x] = sum;
}
PAIR(csr_rows_right) ARGS {
  int rows = n - 1, sum = 0;
  if (threadIdx.x < rows)
    for (int k = in[threadIdx.x]; k < in[threadIdx.x + 1]; k++) sum += in[k];
  out[threadIdx.x] = sum;
}

// <<<1, 32>>> 32: sparse columns that count from one
PAIR(csr_columns_wrong) ARGS {
  int column = in[threadIdx.x] + 1;
  out[threadIdx.x] = in[column]; // ! out-of-bounds read
}
PAIR(csr_columns_right) ARGS {
  int column = in[threadIdx.x] + 1;
  out[threadIdx.x] = in[column - 1];
}

// <<<1, 64>>> 64: a histogram of values that are larger than the last bin
PAIR(histogram_wrong) ARGS {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[threadIdx.x] / 3], 1); // ! out-of-bounds atomic
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}
PAIR(histogram_right) ARGS {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[min(in[threadIdx.x] / 3, 15)], 1);
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}

// <<<1, 32>>> 32: a queue that is fuller than it is long
PAIR(queue_wrong) ARGS {
  __shared__ int queue[16];
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.x] % 3 != 0) {
    int place = atomicAdd(&count, 1);
    queue[place] = threadIdx.x; // ! out-of-bounds write
  }
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = queue[threadIdx.x];
}
PAIR(queue_right) ARGS {
  __shared__ int queue[32];
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.x] % 3 != 0) {
    int place = atomicAdd(&count, 1);
    queue[place] = threadIdx.x;
  }
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = queue[threadIdx.x];
}

// <<<1, 32>>> 64: a tree that is walked below its leaves
PAIR(heap_wrong) ARGS {
  int at = 0;
  for (int level = 0; level < 6; level++) at = 2 * at + 1 + (threadIdx.x >> level & 1);
  out[threadIdx.x] = in[at]; // ! out-of-bounds read
}
PAIR(heap_right) ARGS {
  int at = 0;
  for (int level = 0; level < 5; level++) at = 2 * at + 1 + (threadIdx.x >> level & 1);
  out[threadIdx.x] = in[at];
}

// <<<1, 32>>> 32: a binary search whose upper end is looked at
PAIR(search_wrong) ARGS {
  int low = 0, high = n, key = in[threadIdx.x] + 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (in[middle] < key) low = middle + 1;
    else high = middle;
  }
  out[threadIdx.x] = in[low]; // ! out-of-bounds read
}
PAIR(search_right) ARGS {
  int low = 0, high = n, key = in[threadIdx.x] + 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (in[middle] < key) low = middle + 1;
    else high = middle;
  }
  out[threadIdx.x] = low < n ? in[low] : -1;
}

// <<<1, 64>>> 64: a bitonic step whose partner is not in the array
PAIR(bitonic_wrong) ARGS {
  __shared__ int key[64];
  int i = threadIdx.x;
  key[i] = in[i];
  __syncthreads();
  int partner = key[i ^ n]; // ! out-of-bounds read
  out[i] = partner;
}
PAIR(bitonic_right) ARGS {
  __shared__ int key[64];
  int i = threadIdx.x;
  key[i] = in[i];
  __syncthreads();
  int partner = key[i ^ (n / 2)];
  out[i] = partner;
}

// <<<1, dim3(8, 8)>>> 64: a product of matrices that steps through the wrong one by rows
PAIR(matmul_wrong) ARGS {
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int k = 0; k <= 8; k++) sum += in[y * 8 + x] * in[k * 8 + x]; // ! out-of-bounds read
  out[y * 8 + x] = sum;
}
PAIR(matmul_right) ARGS {
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int k = 0; k < 8; k++) sum += in[y * 8 + x] * in[k * 8 + x];
  out[y * 8 + x] = sum;
}

// <<<2, dim3(8, 8)>>> 100: a tiled product whose last tile is not guarded
PAIR(matmul_tile_wrong) ARGS {
  __shared__ int tile[8][8];
  int x = blockIdx.x * 8 + threadIdx.x, y = threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * 16 + x]; // ! out-of-bounds read
  __syncthreads();
  if (y * 16 + x < n) out[y * 16 + x] = tile[threadIdx.x][threadIdx.y];
}
PAIR(matmul_tile_right) ARGS {
  __shared__ int tile[8][8];
  int x = blockIdx.x * 8 + threadIdx.x, y = threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = y * 16 + x < n ? in[y * 16 + x] : 0;
  __syncthreads();
  if (y * 16 + x < n) out[y * 16 + x] = tile[threadIdx.x][threadIdx.y];
}

// <<<2, 32>>> 64: each block's sum, written by all of its threads
PAIR(block_sums_wrong) ARGS {
  int sum = in[ROW];
  out[ROW * 2] = sum; // ! out-of-bounds write
}
PAIR(block_sums_right) ARGS {
  int sum = in[ROW];
  if (ROW % 2 == 0) out[ROW] = sum;
}

// <<<1, 32>>> 65: pairs in an array of odd length
PAIR(odd_pairs_wrong) ARGS {
  for (int i = 2 * threadIdx.x; i < n; i += 64)
    out[i] = in[i] + in[i + 1]; // ! out-of-bounds read
}
PAIR(odd_pairs_right) ARGS {
  for (int i = 2 * threadIdx.x; i < n; i += 64)
    out[i] = i + 1 < n ? in[i] + in[i + 1] : in[i];
}

// <<<3, 32>>> 80: the last block's share, rounded up
PAIR(shares_wrong) ARGS {
  int share = (n + gridDim.x - 1) / gridDim.x;
  for (int i = threadIdx.x; i < share; i += blockDim.x)
    out[blockIdx.x * share + i] = 1; // ! out-of-bounds write
}
PAIR(shares_right) ARGS {
  int share = (n + gridDim.x - 1) / gridDim.x;
  for (int i = threadIdx.x; i < share && blockIdx.x * share + i < n; i += blockDim.x)
    out[blockIdx.x * share + i] = 1;
}

// <<<1, 32>>> 64: a loop unrolled by four that does not look at the rest
PAIR(unrolled_wrong) ARGS {
  int sum = 0;
  for (int i = threadIdx.x; i < n - 1; i += 4)
    sum += in[i] + in[i + 1] + in[i + 2] + in[i + 3]; // ! out-of-bounds read
  out[threadIdx.x] = sum;
}
PAIR(unrolled_right) ARGS {
  int sum = 0;
  for (int i = threadIdx.x; i + 3 < n; i += 4)
    sum += in[i] + in[i + 1] + in[i + 2] + in[i + 3];
  out[threadIdx.x] = sum;
}

// <<<1, 32>>> 32: from the end to the start, one step too far
PAIR(backwards_wrong) ARGS {
  int sum = 0;
  if (threadIdx.x == 0)
    for (int i = n - 1; i >= -1; i--) sum += in[i]; // ! out-of-bounds read
  out[threadIdx.x] = sum;
}
PAIR(backwards_right) ARGS {
  int sum = 0;
  if (threadIdx.x == 0)
    for (int i = n - 1; i >= 0; i--) sum += in[i];
  out[threadIdx.x] = sum;
}
