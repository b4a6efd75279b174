// Pairs of kernels for racecheck: copies and fills whose length is not known, and long ones. NAME_wrong races in the line marked "// ! KIND"; NAME_right does the
// same and does not. How launches and marks are read: suite.test-helper.ts.

#include <cuda_pipeline.h>

#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<1, 64>>> 64: a row is copied in by one thread, and read by all
PAIR(copied_row_wrong) ARGS {
  __shared__ int row[64];
  if (threadIdx.x == 0) memcpy(row, in, n * sizeof(int));
  out[threadIdx.x] = row[63 - threadIdx.x]; // ! read-after-write
}
PAIR(copied_row_right) ARGS {
  __shared__ int row[64];
  if (threadIdx.x == 0) memcpy(row, in, n * sizeof(int));
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}

// <<<2, 32>>> 512: each thread fills a stretch of its own; stretches are an element too long
PAIR(filled_stretch_wrong) ARGS {
  int i = blockIdx.x * blockDim.x + threadIdx.x, each = in[8];
  if (i < 63) memset(out + i * each, i, (each + 1) * sizeof(int)); // ! write-after-write
}
PAIR(filled_stretch_right) ARGS {
  int i = blockIdx.x * blockDim.x + threadIdx.x, each = in[8];
  if (i < 63) memset(out + i * each, i, each * sizeof(int));
}

// <<<4, 1>>> 512: blocks copy structs of 400 bytes; two of them to one place
struct Big { int values[100]; };
PAIR(struct_wrong) ARGS {
  const Big* from = (const Big*)in;
  ((Big*)out)[in[blockIdx.x] % 3] = from[blockIdx.x % 4]; // ! write-after-write
}
PAIR(struct_right) ARGS {
  const Big* from = (const Big*)in;
  ((Big*)out)[in[blockIdx.x] % 4] = from[blockIdx.x % 4];
}

// <<<1, 64>>> 256: an asynchronous copy that fills a part with zeros is read without a barrier
PAIR(partial_copy_wrong) ARGS {
  __shared__ int4 row[64];
  __pipeline_memcpy_async(&row[threadIdx.x], in + 4 * threadIdx.x, 16, threadIdx.x < 32 ? 0 : 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = row[63 - threadIdx.x].x; // ! read-after-write
}
PAIR(partial_copy_right) ARGS {
  __shared__ int4 row[64];
  __pipeline_memcpy_async(&row[threadIdx.x], in + 4 * threadIdx.x, 16, threadIdx.x < 32 ? 0 : 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x].x;
}

// <<<1, 64>>> 256: what a partial copy reads is written by another thread; its other elements may be
PAIR(partial_source_wrong) ARGS {
  __shared__ int4 row[64];
  int t = threadIdx.x;
  out[4 * t + 1] = t;
  __pipeline_memcpy_async(&row[t], out + 4 * (63 - t), 16, 8); // ! read-after-write
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[4 * t + 2] = row[t].x;
}
PAIR(partial_source_right) ARGS {
  __shared__ int4 row[64];
  int t = threadIdx.x;
  out[4 * t + 3] = t;
  __pipeline_memcpy_async(&row[t], out + 4 * (63 - t), 16, 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[4 * t + 2] = row[t].x;
}

// <<<1, 64>>> 256: a copy of nothing may point anywhere
PAIR(nothing_copied_wrong) ARGS {
  __shared__ int4 row[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&row[t], in + (t < 32 ? 4 * t : 1 << 24), 16, t < 32 ? 0 : 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = row[(t + 1) % 64].w; // ! read-after-write
}
PAIR(nothing_copied_right) ARGS {
  __shared__ int4 row[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&row[t], in + (t < 32 ? 4 * t : 1 << 24), 16, t < 32 ? 0 : 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = row[t].w;
}
