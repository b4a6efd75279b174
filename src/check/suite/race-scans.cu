// Pairs of kernels for racecheck: scans, compaction, sorting, histograms. NAME_wrong races in the line marked "// ! KIND"; NAME_right does the same and
// does not. How launches and marks are read: suite.test-helper.ts.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<1, 64>>> 64: Hillis and Steele, in place: neighbours are read and changed between the same two barriers
PAIR(hillis_steele_wrong) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  sum[t] = in[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int before = t >= d ? sum[t - d] : 0;
    sum[t] += before; // ! write-after-read
    __syncthreads();
  }
  out[t] = sum[t];
}
PAIR(hillis_steele_right) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  sum[t] = in[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int before = t >= d ? sum[t - d] : 0;
    __syncthreads();
    sum[t] += before;
    __syncthreads();
  }
  out[t] = sum[t];
}

// <<<1, 64>>> 64: the same, where the barrier at the end of the loop is missing
PAIR(hillis_steele_end_wrong) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  sum[t] = in[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int before = t >= d ? sum[t - d] : 0; // ! read-after-write
    __syncthreads();
    sum[t] += before;
  }
  out[t] = sum[t];
}
PAIR(hillis_steele_end_right) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  sum[t] = in[t];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    int before = t >= d ? sum[t - d] : 0;
    __syncthreads();
    sum[t] += before;
  }
  out[t] = sum[t];
}

// <<<1, 64>>> 64: Hillis and Steele with two buffers, made exclusive at the end by a look at the neighbour's sum
PAIR(two_buffers_wrong) ARGS {
  __shared__ int sum[2][64];
  int t = threadIdx.x, to = 0;
  sum[0][t] = in[t];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    to = 1 - to;
    sum[to][t] = sum[1 - to][t] + (t >= d ? sum[1 - to][t - d] : 0);
  }
  out[t] = t > 0 ? sum[to][t - 1] : 0; // ! read-after-write
}
PAIR(two_buffers_right) ARGS {
  __shared__ int sum[2][64];
  int t = threadIdx.x, to = 0;
  sum[0][t] = in[t];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    to = 1 - to;
    sum[to][t] = sum[1 - to][t] + (t >= d ? sum[1 - to][t - d] : 0);
  }
  __syncthreads();
  out[t] = t > 0 ? sum[to][t - 1] : 0;
}

// <<<1, 32>>> 64: Blelloch, two elements for each thread: the way down begins in the middle of the way up
PAIR(blelloch_wrong) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  sum[2 * t] = in[2 * t];
  sum[2 * t + 1] = in[2 * t + 1];
  for (int s = 1; s < 64; s *= 2) {
    __syncthreads();
    if (t < 32 / s) sum[2 * s * (t + 1) - 1] += sum[2 * s * (t + 1) - s - 1];
  }
  if (t == 31) sum[63] = 0; // ! write-after-write
  for (int s = 32; s > 0; s /= 2) {
    __syncthreads();
    if (t < 32 / s) {
      int left = sum[2 * s * (t + 1) - s - 1];
      sum[2 * s * (t + 1) - s - 1] = sum[2 * s * (t + 1) - 1];
      sum[2 * s * (t + 1) - 1] += left;
    }
  }
  __syncthreads();
  out[t] = sum[t];
  out[t + 32] = sum[t + 32];
}
PAIR(blelloch_right) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  sum[2 * t] = in[2 * t];
  sum[2 * t + 1] = in[2 * t + 1];
  for (int s = 1; s < 64; s *= 2) {
    __syncthreads();
    if (t < 32 / s) sum[2 * s * (t + 1) - 1] += sum[2 * s * (t + 1) - s - 1];
  }
  if (t == 0) sum[63] = 0;
  for (int s = 32; s > 0; s /= 2) {
    __syncthreads();
    if (t < 32 / s) {
      int left = sum[2 * s * (t + 1) - s - 1];
      sum[2 * s * (t + 1) - s - 1] = sum[2 * s * (t + 1) - 1];
      sum[2 * s * (t + 1) - 1] += left;
    }
  }
  __syncthreads();
  out[t] = sum[t];
  out[t + 32] = sum[t + 32];
}

// <<<1, 64>>> 64: Brent and Kung, way up, each element by its own thread
PAIR(brent_kung_wrong) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  sum[t] = in[t];
  __syncthreads();
  for (int s = 1; s < 64; s *= 2) {
    if ((t + 1) % (2 * s) == 0) sum[t] += sum[t - s]; // ! read-after-write
  }
  out[t] = sum[t];
}
PAIR(brent_kung_right) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  sum[t] = in[t];
  __syncthreads();
  for (int s = 1; s < 64; s *= 2) {
    if ((t + 1) % (2 * s) == 0) sum[t] += sum[t - s];
    __syncthreads();
  }
  out[t] = sum[t];
}

// <<<1, 64>>> 256: a long scan, piece by piece: the carry is changed while others still add it
PAIR(carry_wrong) ARGS {
  __shared__ int carry;
  int t = threadIdx.x;
  if (t == 0) carry = 0;
  for (int first = 0; first < n; first += 64) {
    __syncthreads();
    int sum = carry + in[first + t];
    if (t == 63) carry = sum; // ! write-after-read
    out[first + t] = sum;
  }
}
PAIR(carry_right) ARGS {
  __shared__ int carry;
  int t = threadIdx.x;
  if (t == 0) carry = 0;
  for (int first = 0; first < n; first += 64) {
    __syncthreads();
    int sum = carry + in[first + t];
    __syncthreads();
    if (t == 63) carry = sum;
    out[first + t] = sum;
  }
}

// <<<4, 64>>> 256: compaction: the counter of the block is cleared while others count with it
PAIR(compact_clear_wrong) ARGS {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0; // ! atomic-and-plain
  int x = in[ROW];
  if (x % 3 == 0) atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}
PAIR(compact_clear_right) ARGS {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  int x = in[ROW];
  if (x % 3 == 0) atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}

__device__ int written;

// <<<4, 64>>> 256: compaction: where the elements of the block begin is told too early
PAIR(compact_base_wrong) ARGS {
  __shared__ int base;
  if (threadIdx.x == 0) base = atomicAdd(&written, 64);
  out[ROW] = base + in[ROW]; // ! read-after-write
}
PAIR(compact_base_right) ARGS {
  __shared__ int base;
  if (threadIdx.x == 0) base = atomicAdd(&written, 64);
  __syncthreads();
  out[ROW] = base + in[ROW];
}

// <<<1, 64>>> 64: the permutation in front of a Fourier transform, in place: elements are moved while others still read theirs
PAIR(bit_reversal_wrong) ARGS {
  __shared__ int values[64];
  int t = threadIdx.x;
  values[t] = in[t];
  __syncthreads();
  int own = values[t];
  values[__brev(t) >> 26] = own; // ! write-after-read
  __syncthreads();
  out[t] = values[t];
}
PAIR(bit_reversal_right) ARGS {
  __shared__ int values[64];
  int t = threadIdx.x;
  values[t] = in[t];
  __syncthreads();
  int own = values[t];
  __syncthreads();
  values[__brev(t) >> 26] = own;
  __syncthreads();
  out[t] = values[t];
}

// <<<1, 64>>> 64: bitonic sort: each thread keeps the smaller or the larger of two keys, before its partner has looked
PAIR(bitonic_wrong) ARGS {
  __shared__ int keys[64];
  int t = threadIdx.x;
  keys[t] = in[63 - t];
  __syncthreads();
  for (int k = 2; k <= 64; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int own = keys[t], other = keys[t ^ j];
      bool smaller = ((t & k) == 0) == ((t & j) == 0);
      keys[t] = smaller ? min(own, other) : max(own, other); // ! write-after-read
      __syncthreads();
    }
  out[t] = keys[t];
}
PAIR(bitonic_right) ARGS {
  __shared__ int keys[64];
  int t = threadIdx.x;
  keys[t] = in[63 - t];
  __syncthreads();
  for (int k = 2; k <= 64; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int own = keys[t], other = keys[t ^ j];
      bool smaller = ((t & k) == 0) == ((t & j) == 0);
      __syncthreads();
      keys[t] = smaller ? min(own, other) : max(own, other);
      __syncthreads();
    }
  out[t] = keys[t];
}

// <<<1, 64>>> 64: sorting by rank: keys are compared before all are there
PAIR(rank_sort_wrong) ARGS {
  __shared__ int keys[64];
  int t = threadIdx.x, key = in[63 - t], rank = 0;
  keys[t] = key;
  for (int k = 0; k < 64; k++) rank += keys[k] < key; // ! read-after-write
  out[t] = rank;
}
PAIR(rank_sort_right) ARGS {
  __shared__ int keys[64];
  int t = threadIdx.x, key = in[63 - t], rank = 0;
  keys[t] = key;
  __syncthreads();
  for (int k = 0; k < 64; k++) rank += keys[k] < key;
  out[t] = rank;
}
