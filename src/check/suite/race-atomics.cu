// Pairs of kernels for racecheck: updates that are atomic in part, or not at all, or for too few threads. NAME_wrong races in the line marked "// ! KIND";
// NAME_right does the same and does not. How launches and marks are read: suite.test-helper.ts.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<2, 64>>> 128: the largest element of a block: compared, then stored
PAIR(maximum_wrong) ARGS {
  __shared__ int best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  int x = in[ROW] * 37 % 101;
  if (x > best) best = x; // ! write-after-write
  __syncthreads();
  out[ROW] = best;
}
PAIR(maximum_right) ARGS {
  __shared__ int best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  int x = in[ROW] * 37 % 101;
  atomicMax(&best, x);
  __syncthreads();
  out[ROW] = best;
}

// <<<2, 64>>> 128: the largest element is found by an atomic operation, where it stands is not
PAIR(arg_max_wrong) ARGS {
  int x = in[ROW];
  if (atomicMax(&out[0], x) < x) out[1] = ROW; // ! write-after-write
}
PAIR(arg_max_right) ARGS {
  unsigned long long x = in[ROW];
  atomicMax((unsigned long long*)out, x << 32 | ROW);
}

// <<<2, 64>>> 128: a hash table: a slot is looked at, then taken
PAIR(slot_wrong) ARGS {
  int key = in[ROW] + 1, slot = key * 7 % n;
  for (int k = 0; k < 8; k++, slot = (slot + 1) % n) {
    if (out[slot & ~1] == 0) { out[slot & ~1] = key; break; } // ! write-after-read
  }
}
PAIR(slot_right) ARGS {
  int key = in[ROW] + 1, slot = key * 7 % n;
  for (int k = 0; k < 8; k++, slot = (slot + 1) % n) {
    if (atomicCAS(&out[slot & ~1], 0, key) == 0) break;
  }
}

// <<<4, 64>>> 256: the first thread of the grid clears what all add to
PAIR(clear_wrong) ARGS {
  if (ROW == 0) out[0] = 0; // ! atomic-and-plain
  atomicAdd(&out[0], in[ROW]);
}
PAIR(clear_right) ARGS {
  if (ROW == 0) out[1] = 0;
  atomicAdd(&out[0], in[ROW]);
}

// <<<4, 64>>> 256: one block has a way of its own to add
PAIR(one_plain_wrong) ARGS {
  int x = in[ROW];
  if (blockIdx.x != 2) atomicAdd(&out[0], x);
  else if (threadIdx.x == 0) out[0] += x; // ! atomic-and-plain
}
PAIR(one_plain_right) ARGS {
  int x = in[ROW];
  if (blockIdx.x != 2) atomicAdd(&out[0], x);
  else if (threadIdx.x == 0) atomicAdd(&out[0], x);
}

// <<<4, 64>>> 256: a counter of the grid, counted as if each block had its own
PAIR(block_counter_wrong) ARGS {
  if (in[ROW] % 5 == 0) atomicAdd_block(&out[blockIdx.x / 2], 1); // ! insufficient-scope
}
PAIR(block_counter_right) ARGS {
  if (in[ROW] % 5 == 0) atomicAdd_block(&out[blockIdx.x], 1);
}

// <<<4, 64>>> 256: one side is atomic for the grid, the other for its block
PAIR(mixed_scope_wrong) ARGS {
  int x = in[ROW];
  if (blockIdx.x < 3) atomicMax(&out[0], x);
  else atomicMax_block(&out[0], x + 1); // ! insufficient-scope
}
PAIR(mixed_scope_right) ARGS {
  int x = in[ROW];
  if (blockIdx.x < 3) atomicMax(&out[0], x);
  else atomicMax_block(&out[1], x + 1);
}

__device__ void add_by_exchange(float* sum, float x) {
  int* bits = (int*)sum;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(__int_as_float(assumed) + x));
  } while (assumed != old);
}

// <<<2, 64>>> 128: addition by exchange, as the programming guide has it (what it reads first is only a guess), and half of it
PAIR(exchange_wrong) ARGS {
  float* sum = (float*)out;
  atomicExch(sum, *sum + in[ROW]); // ! atomic-and-plain
}
PAIR(exchange_right) ARGS {
  add_by_exchange((float*)out, in[ROW]);
}

// <<<4, 64>>> 256: a search ends where others have found something
PAIR(found_wrong) ARGS {
  if (out[0] != 0) return; // ! atomic-and-plain
  if (in[ROW] % 50 == 7) atomicExch(&out[0], 1);
}
PAIR(found_right) ARGS {
  if (*(volatile int*)&out[0] != 0) return;
  if (in[ROW] % 50 == 7) atomicExch(&out[0], 1);
}

// <<<4, 64>>> 256: a place in the output for each hit
PAIR(append_wrong) ARGS {
  if (in[ROW] % 9 == 0) out[1 + out[0]++] = in[ROW]; // ! write-after-write
}
PAIR(append_right) ARGS {
  if (in[ROW] % 9 == 0) out[1 + atomicAdd(&out[0], 1)] = in[ROW];
}

// <<<4, 64>>> 256: one place is reserved, two are written
PAIR(reserve_wrong) ARGS {
  if (in[ROW] % 9 != 0) return;
  int at = 1 + atomicAdd(&out[0], 1);
  out[at] = in[ROW];
  out[at + 1] = -1; // ! write-after-write
}
PAIR(reserve_right) ARGS {
  if (in[ROW] % 9 != 0) return;
  int at = 1 + atomicAdd(&out[0], 2);
  out[at] = in[ROW];
  out[at + 1] = -1;
}

// <<<2, 64>>> 128: a ring: the head goes around
PAIR(ring_wrong) ARGS {
  unsigned* head = (unsigned*)out;
  if (in[ROW] % 4 == 0) *head = *head >= 9 ? 0 : *head + 1; // ! write-after-write
}
PAIR(ring_right) ARGS {
  unsigned* head = (unsigned*)out;
  if (in[ROW] % 4 == 0) atomicInc(head, 9);
}

// <<<2, 64>>> 256: a bit for each element, 32 in a word
PAIR(bitmap_wrong) ARGS {
  int x = in[ROW] * 11 % 256;
  out[x / 32] |= 1 << (x % 32); // ! write-after-write
}
PAIR(bitmap_right) ARGS {
  int x = in[ROW] * 11 % 256;
  atomicOr(&out[x / 32], 1 << (x % 32));
}

// <<<2, 64>>> 128: a wide counter
PAIR(wide_counter_wrong) ARGS {
  unsigned long long* total = (unsigned long long*)out;
  total[in[ROW] % 3] += 1ull << 31; // ! write-after-write
}
PAIR(wide_counter_right) ARGS {
  unsigned long long* total = (unsigned long long*)out;
  atomicAdd(&total[in[ROW] % 3], 1ull << 31);
}

// <<<1, 128>>> 128: a histogram in shared memory, counted without atomic operations
PAIR(histogram_wrong) ARGS {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  bins[in[t] % 16]++; // ! write-after-write
  __syncthreads();
  if (t < 16) out[t] = bins[t];
}
PAIR(histogram_right) ARGS {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[t] % 16], 1);
  __syncthreads();
  if (t < 16) out[t] = bins[t];
}

// <<<1, 128>>> 128: a histogram that is handed out before all have counted
PAIR(histogram_merge_wrong) ARGS {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[t] % 16], 1);
  if (t < 16) atomicAdd(&out[t], bins[t]); // ! atomic-and-plain
}
PAIR(histogram_merge_right) ARGS {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[t] % 16], 1);
  __syncthreads();
  if (t < 16) atomicAdd(&out[t], bins[t]);
}

// <<<4, 32>>> 128: histograms of blocks are added up
PAIR(histogram_sum_wrong) ARGS {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[ROW] % 16], 1);
  __syncthreads();
  if (t < 16) out[t] += bins[t]; // ! write-after-write
}
PAIR(histogram_sum_right) ARGS {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[ROW] % 16], 1);
  __syncthreads();
  if (t < 16) atomicAdd(&out[t], bins[t]);
}

// <<<2, 64>>> 128: sums of clusters
PAIR(cluster_wrong) ARGS {
  float* sums = (float*)out;
  int cluster = in[ROW] * 13 % 4;
  sums[cluster] += 0.5f * in[ROW]; // ! write-after-write
  atomicAdd(&out[8 + cluster], 1);
}
PAIR(cluster_right) ARGS {
  float* sums = (float*)out;
  int cluster = in[ROW] * 13 % 4;
  atomicAdd(&sums[cluster], 0.5f * in[ROW]);
  atomicAdd(&out[8 + cluster], 1);
}

// <<<2, 128>>> 256: a counter that one thread has set before a barrier is read while others count
PAIR(set_and_counted_wrong) ARGS {
  if (threadIdx.x == 0) out[blockIdx.x] = in[blockIdx.x];
  __syncthreads();
  int before = out[blockIdx.x]; // ! atomic-and-plain
  if (before >= 0) atomicAdd(&out[blockIdx.x], 1);
}
PAIR(set_and_counted_right) ARGS {
  if (threadIdx.x == 0) out[blockIdx.x] = in[blockIdx.x];
  __syncthreads();
  int before = out[blockIdx.x];
  __syncthreads();
  if (before >= 0) atomicAdd(&out[blockIdx.x], 1);
}

// <<<2, 128>>> 256: the same of a counter in shared memory, by functions that do not know where it lies
__device__ __noinline__ int take(int* top) {
  if (*top < 0) return -1; // ! atomic-and-plain in taken_wrong
  return atomicAdd(top, -1);
}
__device__ __noinline__ int take_atomically(int* top) {
  if (atomicAdd(top, 0) < 0) return -1;
  return atomicAdd(top, -1);
}
PAIR(taken_wrong) ARGS {
  __shared__ int top;
  if (threadIdx.x == 0) top = in[64];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = take(&top);
}
PAIR(taken_right) ARGS {
  __shared__ int top;
  if (threadIdx.x == 0) top = in[64];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = take_atomically(&top);
}
