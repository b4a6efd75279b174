// Pairs of kernels for racecheck: threads of one block, and blocks of one launch. NAME_wrong races in the line marked "// ! KIND"; NAME_right does the
// same and does not. How launches and marks are read: suite.test-helper.ts.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<1, 128>>> 128: shared memory is read before all have written
PAIR(reverse_wrong) ARGS {
  __shared__ int tile[128];
  int t = threadIdx.x;
  tile[t] = in[t];
  out[t] = tile[127 - t]; // ! read-after-write
}
PAIR(reverse_right) ARGS {
  __shared__ int tile[128];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  out[t] = tile[127 - t];
}

// <<<1, 64>>> 64: the same element is written by all
PAIR(all_write_wrong) ARGS {
  out[0] = threadIdx.x; // ! write-after-write
}
PAIR(all_write_right) ARGS {
  if (threadIdx.x == 0) out[0] = threadIdx.x;
}

// <<<4, 32>>> 128: every block writes the same element
PAIR(blocks_write_wrong) ARGS {
  if (threadIdx.x == 0) out[0] = blockIdx.x; // ! write-after-write
}
PAIR(blocks_write_right) ARGS {
  if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x;
}

// <<<4, 64>>> 256: a sum without atomics
PAIR(plain_sum_wrong) ARGS {
  out[0] += in[ROW]; // ! write-after-write
}
PAIR(plain_sum_right) ARGS {
  atomicAdd(out, in[ROW]);
}

// <<<2, 128>>> 256: a reduction in shared memory
PAIR(reduction_wrong) ARGS {
  __shared__ int sum[128];
  int t = threadIdx.x;
  sum[t] = in[ROW];
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (t < s) sum[t] += sum[t + s]; // ! read-after-write
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}
PAIR(reduction_right) ARGS {
  __shared__ int sum[128];
  int t = threadIdx.x;
  sum[t] = in[ROW];
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (t < s) sum[t] += sum[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}

// <<<1, 128>>> 128: a tile is filled again while others read it
PAIR(refill_wrong) ARGS {
  __shared__ int tile[128];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < 4; k++) {
    tile[t] = in[(t + k) % n]; // ! write-after-read
    __syncthreads();
    sum += tile[(t + 64) % 128];
  }
  out[t] = sum;
}
PAIR(refill_right) ARGS {
  __shared__ int tile[128];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < 4; k++) {
    tile[t] = in[(t + k) % n];
    __syncthreads();
    sum += tile[(t + 64) % 128];
    __syncthreads();
  }
  out[t] = sum;
}

// <<<1, 32>>> 32: lanes of a warp do not run in step
PAIR(warp_step_wrong) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = in[t];
  out[t] = tile[t ^ 1]; // ! read-after-write
}
PAIR(warp_step_right) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp();
  out[t] = tile[t ^ 1];
}

// <<<4, 32>>> 128: a neighbour in another block
PAIR(other_block_wrong) ARGS {
  int i = ROW;
  out[i] = in[i] + 1;
  int x = i + 1 < n ? out[i + 1] : 0; // ! read-after-write
  if (x == -7) out[i] = 0;
}
PAIR(other_block_right) ARGS {
  int i = ROW;
  out[i] = in[i] + 1;
  int x = i + 1 < n ? in[i + 1] : 0;
  if (x == -7) out[i] = 0;
}

// <<<4, 64>>> 256: a counter is read while others add to it
PAIR(counter_read_wrong) ARGS {
  atomicAdd(out, 1);
  int sum = out[0]; // ! atomic-and-plain
  if (sum == -1) out[1] = 1;
}
PAIR(counter_read_right) ARGS {
  if (atomicAdd(out, 1) == n - 1) out[1] = 1;
}

__device__ __noinline__ void add_to(int* values, int count, int x) {
  for (int k = 0; k < count; k++) values[k] += x; // ! write-after-write in called_wrong
}

// <<<4, 32>>> 128: a function that is called with local memory, which blocks use one after the other, and with memory of the grid
PAIR(called_wrong) ARGS {
  int own[8];
  for (int k = 0; k < 8; k++) own[k] = in[k];
  add_to(own, 8, ROW);
  if (threadIdx.x == 0) add_to(out, 1, own[in[3]]);
}
PAIR(called_right) ARGS {
  int own[8];
  for (int k = 0; k < 8; k++) own[k] = in[k];
  add_to(own, 8, ROW);
  if (threadIdx.x == 0) add_to(out + blockIdx.x, 1, own[in[3]]);
}

__device__ __noinline__ void put_mirrored(int* row, int t, int x) { row[blockDim.x - 1 - t] = x; }
__device__ __noinline__ void put(int* row, int t, int x) { row[t] = x; }
__device__ void (*writers[2])(int*, int, int) = {put_mirrored, put};

// <<<2, 64>>> 128: a function that is called through a pointer alone
PAIR(through_pointer_wrong) ARGS {
  __shared__ int row[64];
  writers[in[blockIdx.x]](row, threadIdx.x, in[ROW]);
  out[ROW] = row[threadIdx.x]; // ! read-after-write
}
PAIR(through_pointer_right) ARGS {
  __shared__ int row[64];
  writers[in[blockIdx.x]](row, threadIdx.x, in[ROW]);
  __syncthreads();
  out[ROW] = row[threadIdx.x];
}

// What is called stands above who calls it: the order of lines is not the order in which a thread comes by.
__device__ __noinline__ int neighbour_of(const int* row, int t) {
  return row[(t + 1) % blockDim.x]; // ! read-after-write in called_reader_wrong
}
__device__ __noinline__ void overwrite(int* row, int t, int x) {
  row[t] = x; // ! write-after-read in called_both_wrong
}
__device__ __noinline__ int mirrored(const int* row, int t) { return row[blockDim.x - 1 - t]; }

// <<<1, 256>>> 256: the kernel writes, and a function that it calls reads what others have written
PAIR(called_reader_wrong) ARGS {
  __shared__ int row[256];
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = neighbour_of(row, threadIdx.x);
}
PAIR(called_reader_right) ARGS {
  __shared__ int row[256];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = neighbour_of(row, threadIdx.x);
}

// <<<1, 256>>> 256: one function reads, and another, which stands before it, writes
PAIR(called_both_wrong) ARGS {
  __shared__ int row[256];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int x = mirrored(row, threadIdx.x);
  overwrite(row, threadIdx.x, x);
  __syncthreads();
  out[threadIdx.x] = row[threadIdx.x];
}
PAIR(called_both_right) ARGS {
  __shared__ int row[256];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int x = mirrored(row, threadIdx.x);
  __syncthreads();
  overwrite(row, threadIdx.x, x);
  __syncthreads();
  out[threadIdx.x] = row[threadIdx.x];
}
