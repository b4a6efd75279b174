// Pairs of kernels for racecheck: copies and fills whose length is not known, and long ones. NAME_wrong races in the line marked "// ! KIND"; NAME_right does the
// same and does not. How launches and marks are read: suite.test-helper.ts.

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
