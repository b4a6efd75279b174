// Pairs of kernels for racecheck: shared memory that is used again, and for more than one thing. NAME_wrong races in the line marked "// ! KIND";
// NAME_right does the same and does not. How launches and marks are read: suite.test-helper.ts.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<1, 64, 512>>> 64: an offset in elements where bytes are meant
PAIR(carved_bytes_wrong) ARGS {
  extern __shared__ char pool[];
  int *keys = (int*)pool, *values = (int*)(pool + blockDim.x), t = threadIdx.x;
  keys[t] = in[t];
  values[t] = in[t] * 2; // ! write-after-write
  __syncthreads();
  out[t] = values[63 - t];
}
PAIR(carved_bytes_right) ARGS {
  extern __shared__ char pool[];
  int *keys = (int*)pool, *values = (int*)(pool + blockDim.x * sizeof(int)), t = threadIdx.x;
  keys[t] = in[t];
  values[t] = in[t] * 2;
  __syncthreads();
  out[t] = values[63 - t];
}

// <<<1, 128>>> 128: the array of the elements is used again for the sums of the warps
PAIR(reused_wrong) ARGS {
  __shared__ int scratch[128];
  int t = threadIdx.x;
  scratch[t] = in[t];
  __syncthreads();
  int sum = scratch[t] + scratch[127 - t];
  scratch[t] = sum * sum; // ! write-after-read
  __syncthreads();
  out[t] = scratch[(t + 32) % 128];
}
PAIR(reused_right) ARGS {
  __shared__ int scratch[128];
  int t = threadIdx.x;
  scratch[t] = in[t];
  __syncthreads();
  int sum = scratch[t] + scratch[127 - t];
  __syncthreads();
  scratch[t] = sum * sum;
  __syncthreads();
  out[t] = scratch[(t + 32) % 128];
}

// <<<1, 64>>> 64: elements move up by one, in place
PAIR(shift_wrong) ARGS {
  __shared__ int queue[65];
  int t = threadIdx.x;
  queue[t] = in[t];
  if (t == 0) queue[64] = 0;
  __syncthreads();
  queue[t] = queue[t + 1]; // ! write-after-read
  __syncthreads();
  out[t] = queue[t];
}
PAIR(shift_right) ARGS {
  __shared__ int queue[65];
  int t = threadIdx.x;
  queue[t] = in[t];
  if (t == 0) queue[64] = 0;
  __syncthreads();
  int next = queue[t + 1];
  __syncthreads();
  queue[t] = next;
  __syncthreads();
  out[t] = queue[t];
}

// <<<2, 64>>> 128: matrix and vector: the vector comes in pieces, of which each overwrites the one before
PAIR(vector_pieces_wrong) ARGS {
  __shared__ int piece[32];
  int i = ROW, sum = 0;
  for (int first = 0; first < n; first += 32) {
    if (threadIdx.x < 32) piece[threadIdx.x] = in[first + threadIdx.x]; // ! write-after-read
    __syncthreads();
    for (int k = 0; k < 32; k++) sum += piece[k] * (i ^ (first + k));
  }
  out[i] = sum;
}
PAIR(vector_pieces_right) ARGS {
  __shared__ int piece[32];
  int i = ROW, sum = 0;
  for (int first = 0; first < n; first += 32) {
    if (threadIdx.x < 32) piece[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 32; k++) sum += piece[k] * (i ^ (first + k));
    __syncthreads();
  }
  out[i] = sum;
}

// <<<1, dim3(4,4,4)>>> 64: neighbours in the third dimension, which are 16 threads apart
PAIR(cube_wrong) ARGS {
  __shared__ int cube[4][4][4];
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  cube[z][y][x] = in[(z * 4 + y) * 4 + x];
  out[(z * 4 + y) * 4 + x] = cube[(z + 1) % 4][y][x]; // ! read-after-write
}
PAIR(cube_right) ARGS {
  __shared__ int cube[4][4][4];
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  cube[z][y][x] = in[(z * 4 + y) * 4 + x];
  __syncthreads();
  out[(z * 4 + y) * 4 + x] = cube[(z + 1) % 4][y][x];
}

// <<<1, dim3(16,4)>>> 64: one row for a block of several: each row of threads writes it
PAIR(one_row_wrong) ARGS {
  __shared__ int row[16];
  row[threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x]; // ! write-after-write
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = row[15 - threadIdx.x];
}
PAIR(one_row_right) ARGS {
  __shared__ int row[4][16];
  row[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = row[threadIdx.y][15 - threadIdx.x];
}

// <<<1, 64>>> 64: what one thread looks up for all
PAIR(broadcast_wrong) ARGS {
  __shared__ int pivot;
  if (threadIdx.x == 0) pivot = in[n / 2];
  out[threadIdx.x] = in[threadIdx.x] < pivot; // ! read-after-write
}
PAIR(broadcast_right) ARGS {
  __shared__ int pivot;
  if (threadIdx.x == 0) pivot = in[n / 2];
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x] < pivot;
}

// <<<1, 64>>> 64: Gaussian elimination: the pivot of the next step is found while the present one is in use
PAIR(pivot_loop_wrong) ARGS {
  __shared__ int pivot;
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < 8; k++) {
    if (t == k) pivot = in[k] + sum; // ! write-after-read
    __syncthreads();
    sum += pivot;
  }
  out[t] = sum;
}
PAIR(pivot_loop_right) ARGS {
  __shared__ int pivot;
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < 8; k++) {
    if (t == k) pivot = in[k] + sum;
    __syncthreads();
    sum += pivot;
    __syncthreads();
  }
  out[t] = sum;
}

// <<<1, 64>>> 64: a flag for "something has changed" is cleared while others still ask for it
PAIR(changed_flag_wrong) ARGS {
  __shared__ int changed;
  int t = threadIdx.x, value = in[t] % 5, rounds = 0;
  for (int k = 0; k < 8; k++) {
    if (t == 0) changed = 0; // ! write-after-read
    __syncthreads();
    if (value > 0) {
      value--;
      changed = 1;
    }
    __syncthreads();
    rounds += changed;
  }
  out[t] = rounds;
}
PAIR(changed_flag_right) ARGS {
  __shared__ int changed;
  int t = threadIdx.x, value = in[t] % 5, rounds = 0;
  for (int k = 0; k < 8; k++) {
    if (t == 0) changed = 0;
    __syncthreads();
    if (value > 0) {
      value--;
      changed = 1;
    }
    __syncthreads();
    rounds += changed;
    __syncthreads();
  }
  out[t] = rounds;
}

// <<<1, 64>>> 64: a flag is cleared by one and set by others, in no order
PAIR(cleared_flag_wrong) ARGS {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  if (in[threadIdx.x] == 40) any = 1; // ! write-after-write
  __syncthreads();
  out[threadIdx.x] = any;
}
PAIR(cleared_flag_right) ARGS {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (in[threadIdx.x] == 40) any = 1;
  __syncthreads();
  out[threadIdx.x] = any;
}

// <<<1, 64>>> 64: memory that one thread gets for its block
PAIR(scratch_pointer_wrong) ARGS {
  __shared__ int* scratch;
  int t = threadIdx.x;
  if (t == 63) scratch = (int*)malloc(64 * sizeof(int));
  __syncthreads();
  scratch[t] = in[t];
  out[t] = scratch[63 - t]; // ! read-after-write
  __syncthreads();
  if (t == 0) free(scratch);
}
PAIR(scratch_pointer_right) ARGS {
  __shared__ int* scratch;
  int t = threadIdx.x;
  if (t == 63) scratch = (int*)malloc(64 * sizeof(int));
  __syncthreads();
  scratch[t] = in[t];
  __syncthreads();
  out[t] = scratch[63 - t];
  __syncthreads();
  if (t == 0) free(scratch);
}

struct Pair { int key, value; };

// <<<1, 64>>> 64: fields of one struct by different threads: the right ones, and one too many
PAIR(fields_wrong) ARGS {
  __shared__ Pair pairs[64];
  int t = threadIdx.x;
  pairs[t].key = in[t];
  pairs[(t + 1) % 64].key = in[t] * 2; // ! write-after-write
  __syncthreads();
  out[t] = pairs[63 - t].key;
}
PAIR(fields_right) ARGS {
  __shared__ Pair pairs[64];
  int t = threadIdx.x;
  pairs[t].key = in[t];
  pairs[(t + 1) % 64].value = in[t] * 2;
  __syncthreads();
  out[t] = pairs[63 - t].key - pairs[t].value;
}

template <typename T> __device__ T* shared_scratch() {
  __shared__ T scratch[64];
  return scratch;
}
__device__ int rotated(int value, int by, bool wait) {
  int* scratch = shared_scratch<int>();
  scratch[threadIdx.x] = value; // ! write-after-read in called_twice_wrong
  __syncthreads();
  int result = scratch[(threadIdx.x + by) % 64];
  if (wait) __syncthreads();
  return result;
}

// <<<1, 64>>> 64: a function with shared memory of its own is called twice
PAIR(called_twice_wrong) ARGS {
  out[threadIdx.x] = rotated(rotated(in[threadIdx.x], 1, false), 2, false);
}
PAIR(called_twice_right) ARGS {
  out[threadIdx.x] = rotated(rotated(in[threadIdx.x], 1, true), 2, true);
}
