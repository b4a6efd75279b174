// Pairs of kernels for racecheck: reductions. NAME_wrong races in the line marked "// ! KIND"; NAME_right does the same and does not. How launches and
// marks are read: suite.test-helper.ts.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<2, 128>>> 256: interleaved, by remainders
PAIR(interleaved_wrong) ARGS {
  __shared__ int sum[128];
  int t = threadIdx.x;
  sum[t] = in[ROW];
  __syncthreads();
  for (int s = 1; s < 128; s *= 2) {
    if (t % (2 * s) == 0) sum[t] += sum[t + s]; // ! read-after-write
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}
PAIR(interleaved_right) ARGS {
  __shared__ int sum[128];
  int t = threadIdx.x;
  sum[t] = in[ROW];
  __syncthreads();
  for (int s = 1; s < 128; s *= 2) {
    if (t % (2 * s) == 0) sum[t] += sum[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}

// <<<2, 128>>> 256: interleaved, with a stride: each thread keeps its sum in another place each time, which others have read
PAIR(strided_wrong) ARGS {
  __shared__ int sum[128];
  int t = threadIdx.x;
  sum[t] = in[ROW];
  for (int s = 1; s < 128; s *= 2) {
    __syncthreads();
    int at = 2 * s * t;
    if (at < 128) sum[at] += sum[at + s];
  }
  if (t == 1) out[blockIdx.x] = sum[0]; // ! read-after-write
}
PAIR(strided_right) ARGS {
  __shared__ int sum[128];
  int t = threadIdx.x;
  sum[t] = in[ROW];
  for (int s = 1; s < 128; s *= 2) {
    __syncthreads();
    int at = 2 * s * t;
    if (at < 128) sum[at] += sum[at + s];
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}

// <<<2, 128>>> 256: sequential, with the barrier in front of the loop missing
PAIR(sequential_wrong) ARGS {
  __shared__ int sum[128];
  int t = threadIdx.x;
  sum[t] = in[ROW];
  for (int s = 64; s > 0; s >>= 1) {
    if (t < s) sum[t] += sum[t + s]; // ! read-after-write
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}
PAIR(sequential_right) ARGS {
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

// <<<2, 64>>> 256: the first addition while loading, into the half that others load
PAIR(add_while_loading_wrong) ARGS {
  __shared__ int sum[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  sum[t] = in[i];
  sum[t + 64] = in[i + 64];
  sum[t] += sum[127 - t]; // ! read-after-write
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s) sum[t] += sum[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}
PAIR(add_while_loading_right) ARGS {
  __shared__ int sum[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  sum[t] = in[i];
  sum[t + 64] = in[i + 64];
  sum[t] += sum[t + 64];
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s) sum[t] += sum[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}

// <<<2, 64>>> 128: the last warp goes on by itself, and its lanes are taken to run in step
PAIR(last_warp_wrong) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  sum[t] = in[ROW];
  __syncthreads();
  if (t < 32) {
    for (int s = 32; s > 0; s >>= 1) {
      if (t < s) sum[t] += sum[t + s]; // ! read-after-write
    }
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}
PAIR(last_warp_right) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  sum[t] = in[ROW];
  __syncthreads();
  if (t < 32) {
    for (int s = 32; s > 0; s >>= 1) {
      if (t < s) sum[t] += sum[t + s];
      __syncwarp();
    }
  }
  if (t == 0) out[blockIdx.x] = sum[0];
}

template <int SIZE, bool IN_STEP> __device__ void unrolled(int* sum, int t) {
  if (SIZE >= 256) { if (t < 128) sum[t] += sum[t + 128]; __syncthreads(); }
  if (SIZE >= 128) { if (t < 64) sum[t] += sum[t + 64]; if (!IN_STEP) __syncthreads(); }
  if (SIZE >= 64) { if (t < 32) sum[t] += sum[t + 32]; __syncthreads(); } // ! read-after-write in unrolled_wrong
  for (int s = 16; s > 0; s >>= 1) {
    if (t < s) sum[t] += sum[t + s];
    __syncwarp();
  }
}

// <<<1, 256>>> 256: completely unrolled, where one step has lost its barrier
PAIR(unrolled_wrong) ARGS {
  __shared__ int sum[256];
  sum[threadIdx.x] = in[ROW];
  __syncthreads();
  unrolled<256, true>(sum, threadIdx.x);
  if (threadIdx.x == 0) out[0] = sum[0];
}
PAIR(unrolled_right) ARGS {
  __shared__ int sum[256];
  sum[threadIdx.x] = in[ROW];
  __syncthreads();
  unrolled<256, false>(sum, threadIdx.x);
  if (threadIdx.x == 0) out[0] = sum[0];
}

// <<<4, 64>>> 512: several elements for each thread; then all blocks add to one sum
PAIR(grid_stride_wrong) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x, own = 0;
  for (int i = ROW; i < n; i += gridDim.x * blockDim.x) own += in[i];
  sum[t] = own;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s) sum[t] += sum[t + s];
    __syncthreads();
  }
  if (t == 0) out[0] += sum[0]; // ! write-after-write
}
PAIR(grid_stride_right) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x, own = 0;
  for (int i = ROW; i < n; i += gridDim.x * blockDim.x) own += in[i];
  sum[t] = own;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s) sum[t] += sum[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(&out[0], sum[0]);
}

// <<<1, 64>>> 64: softmax: the maximum is still read when the sums come into its place
PAIR(two_in_a_row_wrong) ARGS {
  __shared__ int scratch[64];
  int t = threadIdx.x, x = in[t];
  scratch[t] = x;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s) scratch[t] = max(scratch[t], scratch[t + s]);
    __syncthreads();
  }
  int largest = scratch[0];
  scratch[t] = largest - x; // ! write-after-read
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s) scratch[t] += scratch[t + s];
    __syncthreads();
  }
  out[t] = scratch[0] - x;
}
PAIR(two_in_a_row_right) ARGS {
  __shared__ int scratch[64];
  int t = threadIdx.x, x = in[t];
  scratch[t] = x;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s) scratch[t] = max(scratch[t], scratch[t + s]);
    __syncthreads();
  }
  int largest = scratch[0];
  __syncthreads();
  scratch[t] = largest - x;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (t < s) scratch[t] += scratch[t + s];
    __syncthreads();
  }
  out[t] = scratch[0] - x;
}

__device__ int warp_sum(int x) {
  for (int s = 16; s > 0; s >>= 1) x += __shfl_down_sync(0xffffffff, x, s);
  return x;
}

// <<<1, 128>>> 128: sums of warps by shuffles; the first warp puts them together before they are there
PAIR(warp_sums_wrong) ARGS {
  __shared__ int sums[4];
  int t = threadIdx.x, own = warp_sum(in[t]);
  if (t % 32 == 0) sums[t / 32] = own;
  if (t == 0) out[0] = sums[0] + sums[1] + sums[2] + sums[3]; // ! read-after-write
}
PAIR(warp_sums_right) ARGS {
  __shared__ int sums[4];
  int t = threadIdx.x, own = warp_sum(in[t]);
  if (t % 32 == 0) sums[t / 32] = own;
  __syncthreads();
  if (t == 0) out[0] = sums[0] + sums[1] + sums[2] + sums[3];
}

template <bool AGAIN> __device__ int block_sum(int x) {
  __shared__ int sums[32];
  x = warp_sum(x);
  if (AGAIN) __syncthreads();
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x; // ! write-after-read in block_sum_twice_wrong
  __syncthreads();
  x = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
  return threadIdx.x < 32 ? warp_sum(x) : 0;
}

// <<<1, 128>>> 128: blockReduceSum of "Faster Parallel Reductions on Kepler", called twice: sum and sum of squares
PAIR(block_sum_twice_wrong) ARGS {
  int x = in[threadIdx.x], sum = block_sum<false>(x), squares = block_sum<false>(x * x);
  if (threadIdx.x == 0) out[0] = sum + squares;
}
PAIR(block_sum_twice_right) ARGS {
  int x = in[threadIdx.x], sum = block_sum<true>(x), squares = block_sum<true>(x * x);
  if (threadIdx.x == 0) out[0] = sum + squares;
}
