// Pairs of kernels for memcheck: the device's heap. NAME_wrong does one thing wrong, in the line marked "// ! KIND ACCESS"; NAME_right does the same and does
// not. How launches and marks are read: suite.test-helper.ts.

#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<1, 32>>> 32: memory that each thread gets; its neighbour frees it, and the first thread's is the last one's affair, too
PAIR(double_free_wrong) ARGS {
  __shared__ int* parts[32];
  int t = threadIdx.x;
  parts[t] = (int*)malloc(8 * sizeof(int));
  parts[t][0] = in[t];
  __syncthreads();
  out[t] = parts[31 - t][0];
  __syncthreads();
  for (int k = t; k <= 31; k += 31) free(parts[k]); // ! double-free free
}
PAIR(double_free_right) ARGS {
  __shared__ int* parts[32];
  int t = threadIdx.x;
  parts[t] = (int*)malloc(8 * sizeof(int));
  parts[t][0] = in[t];
  __syncthreads();
  out[t] = parts[31 - t][0];
  __syncthreads();
  for (int k = t; k <= 31; k += 32) free(parts[k]);
}

// <<<2, 32>>> 64: memory of the block, which all of its threads free
PAIR(free_by_all_wrong) ARGS {
  __shared__ int* scratch;
  if (threadIdx.x == 0) scratch = (int*)malloc(2048);
  __syncthreads();
  scratch[threadIdx.x] = in[threadIdx.x];
  out[blockIdx.x * 32 + threadIdx.x] = scratch[threadIdx.x];
  __syncthreads();
  free(scratch); // ! double-free free
}
PAIR(free_by_all_right) ARGS {
  __shared__ int* scratch;
  if (threadIdx.x == 0) scratch = (int*)malloc(2048);
  __syncthreads();
  scratch[threadIdx.x] = in[threadIdx.x];
  out[blockIdx.x * 32 + threadIdx.x] = scratch[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(scratch);
}
