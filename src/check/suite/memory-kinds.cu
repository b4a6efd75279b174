// Pairs of kernels for memcheck: kinds of memory, of accesses and of addresses. Launches and marks as in memory.cu.

#include <cuda_pipeline.h>

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<1, 32>>> 64: a row of a pitch that is counted in bytes, as if in elements
PAIR(pitch_wrong) ARGS {
  int pitch = 64;
  for (int row = 0; row < 4; row++) out[row * pitch + threadIdx.x / 2] = row; // ! out-of-bounds write
}
PAIR(pitch_right) ARGS {
  int pitch = 64;
  for (int row = 0; row < 4; row++) ((int*)((char*)out + row * pitch))[threadIdx.x / 2] = row;
}

// <<<1, 32>>> 32: a negative stride from the start instead of from the end
PAIR(negative_stride_wrong) ARGS {
  int stride = -1;
  out[(int)threadIdx.x * stride] = 1; // ! out-of-bounds write
}
PAIR(negative_stride_right) ARGS {
  int stride = -1;
  out[n - 1 + (int)threadIdx.x * stride] = 1;
}

// <<<1, 32>>> 32: an index of 64 bits
PAIR(long_index_wrong) ARGS {
  long long at = (long long)in[threadIdx.x] * 3 - 40;
  out[threadIdx.x] = in[at]; // ! out-of-bounds read
}
PAIR(long_index_right) ARGS {
  long long at = (long long)in[threadIdx.x] * 3 - 40;
  out[threadIdx.x] = at >= 0 && at < n ? in[at] : 0;
}

// <<<1, 32>>> 32: a byte index from a size
PAIR(size_index_wrong) ARGS {
  size_t at = threadIdx.x * sizeof(int);
  out[at] = 1; // ! out-of-bounds write
}
PAIR(size_index_right) ARGS {
  size_t at = threadIdx.x * sizeof(int);
  out[at / sizeof(int)] = 1;
}

// <<<1, 32>>> 128: a vector of four at an address for two
PAIR(misaligned_vector_wrong) ARGS {
  int4 four = *reinterpret_cast<const int4*>(in + 2 * threadIdx.x); // ! misaligned read
  out[threadIdx.x] = four.x;
}
PAIR(misaligned_vector_right) ARGS {
  int2 two = *reinterpret_cast<const int2*>(in + 2 * threadIdx.x);
  out[threadIdx.x] = two.x;
}

// <<<1, 32>>> 64: a double at an address for an int
PAIR(misaligned_double_wrong) ARGS {
  if (threadIdx.x < 31) *reinterpret_cast<double*>(out + 1 + threadIdx.x * 2) = 1.0; // ! misaligned write
}
PAIR(misaligned_double_right) ARGS {
  if (threadIdx.x < 31) *reinterpret_cast<double*>(out + 2 + threadIdx.x * 2) = 1.0;
}

// <<<1, 32>>> 33: two at once where one is left
PAIR(vector_of_two_wrong) ARGS {
  int i = 2 * threadIdx.x;
  if (i < n) {
    int2 two = *reinterpret_cast<const int2*>(in + i); // ! out-of-bounds read
    out[i] = two.x + two.y;
  }
}
PAIR(vector_of_two_right) ARGS {
  int i = 2 * threadIdx.x;
  if (i + 1 < n) {
    int2 two = *reinterpret_cast<const int2*>(in + i);
    out[i] = two.x + two.y;
  }
}

// <<<1, 32>>> 32: a double at the last int of a shared array
PAIR(shared_double_wrong) ARGS {
  __shared__ __align__(8) int tile[63];
  for (int i = threadIdx.x; i < 63; i += 32) tile[i] = i;
  __syncthreads();
  long long wide = reinterpret_cast<const long long*>(tile)[in[threadIdx.x]]; // ! out-of-bounds read
  out[threadIdx.x] = (int)wide;
}
PAIR(shared_double_right) ARGS {
  __shared__ __align__(8) int tile[64];
  for (int i = threadIdx.x; i < 64; i += 32) tile[i] = i;
  __syncthreads();
  long long wide = reinterpret_cast<const long long*>(tile)[in[threadIdx.x]];
  out[threadIdx.x] = (int)wide;
}

// <<<1, 32>>> 32: a maximum past the end
PAIR(atomic_max_wrong) ARGS {
  atomicMax(&out[in[threadIdx.x] + 4], 1); // ! out-of-bounds atomic
}
PAIR(atomic_max_right) ARGS {
  atomicMax(&out[(in[threadIdx.x] + 4) % n], 1);
}

// <<<1, 32>>> 32: an exchange before the start
PAIR(atomic_exchange_wrong) ARGS {
  atomicExch(&out[(int)threadIdx.x - 2], 1); // ! out-of-bounds atomic
}
PAIR(atomic_exchange_right) ARGS {
  if (threadIdx.x >= 2) atomicExch(&out[(int)threadIdx.x - 2], 1);
}

// <<<1, 32>>> 64: 64 bits at once, half of them outside
PAIR(atomic_wide_wrong) ARGS {
  auto* wide = reinterpret_cast<unsigned long long*>(out);
  atomicAdd(&wide[threadIdx.x + 1], 1ull); // ! out-of-bounds atomic
}
PAIR(atomic_wide_right) ARGS {
  auto* wide = reinterpret_cast<unsigned long long*>(out);
  atomicAdd(&wide[threadIdx.x], 1ull);
}

// <<<1, 32>>> 32: a counter in shared memory, one for each warp, one too few
PAIR(atomic_shared_wrong) ARGS {
  __shared__ int counts[4];
  if (threadIdx.x < 4) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[in[threadIdx.x] / 6], 1); // ! out-of-bounds atomic
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = counts[threadIdx.x];
}
PAIR(atomic_shared_right) ARGS {
  __shared__ int counts[6];
  if (threadIdx.x < 6) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[in[threadIdx.x] / 6], 1);
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = counts[threadIdx.x];
}

// <<<1, 32>>> 32: an asynchronous copy of more than is left
PAIR(async_copy_wrong) ARGS {
  __shared__ int tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x + 1], 4); // ! out-of-bounds read
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}
PAIR(async_copy_right) ARGS {
  __shared__ int tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

// <<<1, 32>>> 64: a copy whose rest is zeros, one element behind the end
PAIR(async_partial_wrong) ARGS {
  __shared__ int4 tile[32];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t == 31 ? n : 0], 16, 12); // ! out-of-bounds read
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = tile[t].x;
}
PAIR(async_partial_right) ARGS {
  __shared__ int4 tile[32];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t == 31 ? n : 0], 16, t == 31 ? 16 : 12);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = tile[t].x;
}

// <<<1, 32>>> 128: an asynchronous copy of 16 bytes to where 8 are left
PAIR(async_target_wrong) ARGS {
  __shared__ __align__(16) int tile[4 * 31 + 2];
  __pipeline_memcpy_async(&tile[4 * threadIdx.x], &in[4 * threadIdx.x], 16); // ! out-of-bounds write
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
PAIR(async_target_right) ARGS {
  __shared__ __align__(16) int tile[4 * 32];
  __pipeline_memcpy_async(&tile[4 * threadIdx.x], &in[4 * threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

// <<<1, 32>>> 32: memory from the device's heap, one element short
PAIR(device_malloc_wrong) ARGS {
  int* mine = (int*)malloc(7 * sizeof(int));
  for (int k = 0; k < 8; k++) mine[k] = in[threadIdx.x] + k; // ! out-of-bounds write
  out[threadIdx.x] = mine[in[threadIdx.x] % 7];
  free(mine);
}
PAIR(device_malloc_right) ARGS {
  int* mine = (int*)malloc(8 * sizeof(int));
  for (int k = 0; k < 8; k++) mine[k] = in[threadIdx.x] + k;
  out[threadIdx.x] = mine[in[threadIdx.x] % 7];
  free(mine);
}

struct Particle { int position[3]; int mass; };

// <<<1, 32>>> 128: an array of structs, the last one too far
PAIR(struct_array_wrong) ARGS {
  auto* particles = reinterpret_cast<Particle*>(out);
  particles[threadIdx.x + 1].mass = 1; // ! out-of-bounds write
}
PAIR(struct_array_right) ARGS {
  auto* particles = reinterpret_cast<Particle*>(out);
  particles[threadIdx.x].mass = 1;
}

// <<<1, 32>>> 127: the last struct is cut off
PAIR(struct_tail_wrong) ARGS {
  auto* particles = reinterpret_cast<const Particle*>(in);
  out[threadIdx.x] = particles[threadIdx.x].mass; // ! out-of-bounds read
}
PAIR(struct_tail_right) ARGS {
  auto* particles = reinterpret_cast<const Particle*>(in);
  out[threadIdx.x] = particles[threadIdx.x].position[2];
}

struct View { const int* data; int rows, columns; };
__device__ int at(const View& view, int row, int column) {
  return view.data[row * view.columns + column]; // ! out-of-bounds read in view_wrong
}

// <<<1, dim3(8, 4)>>> 32: a view whose rows and columns are exchanged
PAIR(view_wrong) ARGS {
  View view = {in, 8, n / 4};
  out[threadIdx.y * 8 + threadIdx.x] = at(view, threadIdx.x, threadIdx.y);
}
PAIR(view_right) ARGS {
  View view = {in, 4, n / 4};
  out[threadIdx.y * 8 + threadIdx.x] = at(view, threadIdx.y, threadIdx.x);
}

__constant__ float coefficients[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
__constant__ char letters[] = "heddle";
__device__ int lookup[8][8];

// <<<1, 32>>> 32: a constant matrix with its indices exchanged
PAIR(constant_matrix_wrong) ARGS {
  int i = in[threadIdx.x] % 3, j = in[threadIdx.x] % 4;
  out[threadIdx.x] = (int)coefficients[j][i + 1]; // ! out-of-bounds read
}
PAIR(constant_matrix_right) ARGS {
  int i = in[threadIdx.x] % 3, j = in[threadIdx.x] % 4;
  out[threadIdx.x] = (int)coefficients[i][j];
}

// <<<1, 32>>> 32: characters past the end of a text
PAIR(text_wrong) ARGS {
  out[threadIdx.x] = letters[in[threadIdx.x] % 9]; // ! out-of-bounds read
}
PAIR(text_right) ARGS {
  out[threadIdx.x] = letters[in[threadIdx.x] % 7];
}

// <<<1, 32>>> 32: a device matrix, past its last row
PAIR(device_matrix_wrong) ARGS {
  lookup[in[threadIdx.x] / 3][threadIdx.x % 8] = 1; // ! out-of-bounds write
  out[threadIdx.x] = 1;
}
PAIR(device_matrix_right) ARGS {
  lookup[in[threadIdx.x] / 4][threadIdx.x % 8] = 1;
  out[threadIdx.x] = 1;
}

// <<<1, 32>>> 32: a local matrix, before its start
PAIR(local_matrix_wrong) ARGS {
  int square[4][4];
  for (int i = 0; i < 16; i++) square[i / 4][i % 4] = in[(threadIdx.x + i) % n];
  out[threadIdx.x] = square[0][in[threadIdx.x] % 4 - 1]; // ! out-of-bounds read
}
PAIR(local_matrix_right) ARGS {
  int square[4][4];
  for (int i = 0; i < 16; i++) square[i / 4][i % 4] = in[(threadIdx.x + i) % n];
  out[threadIdx.x] = square[1][in[threadIdx.x] % 4 - 1];
}

__device__ __noinline__ void fill(int* to, int count) {
  for (int i = 0; i < count; i++) to[i] = i; // ! out-of-bounds write in fill_call_wrong
}

// <<<1, 1>>> 32: a function that fills, given a count that leaves the start out
PAIR(fill_call_wrong) ARGS { fill(out + 8, n); }
PAIR(fill_call_right) ARGS { fill(out + 8, n - 8); }

typedef int (*Reader)(const int*, int);
__device__ __noinline__ int next(const int* from, int i) {
  return from[i + 1]; // ! out-of-bounds read in function_pointer_wrong
}
__device__ __noinline__ int same(const int* from, int i) { return from[i]; }

// <<<1, 32>>> 32: through a pointer to a function
PAIR(function_pointer_wrong) ARGS {
  Reader reader = in[threadIdx.x] % 2 ? next : same;
  out[threadIdx.x] = reader(in, threadIdx.x);
}
PAIR(function_pointer_right) ARGS {
  Reader reader = in[threadIdx.x] % 2 && threadIdx.x < 31 ? next : same;
  out[threadIdx.x] = reader(in, threadIdx.x);
}

template <typename T>
__device__ T sumOf(const T* values, int count) {
  T sum = 0;
  for (int i = 0; i <= count - 1 + (int)sizeof(T) / 4; i++) sum += values[i]; // ! out-of-bounds read in template_wrong
  return sum;
}
template <typename T>
__device__ T sumUpTo(const T* values, int count) {
  T sum = 0;
  for (int i = 0; i < count; i++) sum += values[i];
  return sum;
}

// <<<1, 1>>> 32: in a template
PAIR(template_wrong) ARGS { out[0] = sumOf(in, n); }
PAIR(template_right) ARGS { out[0] = sumUpTo(in, n); }

// <<<1, 32>>> 32: a copy between arrays that starts late and does not end early
PAIR(copy_offset_wrong) ARGS {
  if (threadIdx.x == 0) memcpy(out, in + 4, n * sizeof(int)); // ! out-of-bounds read
}
PAIR(copy_offset_right) ARGS {
  if (threadIdx.x == 0) memcpy(out, in + 4, (n - 4) * sizeof(int));
}

// <<<1, 32>>> 32: a shared array is cleared with the size of another
PAIR(shared_fill_wrong) ARGS {
  __shared__ int first[16];
  int bytes = n * sizeof(int);
  if (threadIdx.x == 0) memset(first, 0, bytes); // ! out-of-bounds write
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x / 2];
}
PAIR(shared_fill_right) ARGS {
  __shared__ int first[16];
  int bytes = n * sizeof(int) / 2;
  if (threadIdx.x == 0) memset(first, 0, bytes);
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x / 2];
}

// <<<1, 64, 256>>> 64: two arrays of different types in dynamic shared memory
PAIR(dynamic_types_wrong) ARGS {
  extern __shared__ char bytes[];
  int* ints = reinterpret_cast<int*>(bytes);
  short* shorts = reinterpret_cast<short*>(ints + blockDim.x);
  ints[threadIdx.x] = in[threadIdx.x];
  shorts[threadIdx.x] = (short)in[threadIdx.x]; // ! out-of-bounds write
  __syncthreads();
  out[threadIdx.x] = ints[threadIdx.x ^ 1];
}
PAIR(dynamic_types_right) ARGS {
  extern __shared__ char bytes[];
  int* ints = reinterpret_cast<int*>(bytes);
  short* shorts = reinterpret_cast<short*>(ints + blockDim.x / 2);
  if (threadIdx.x < 32) ints[threadIdx.x] = in[threadIdx.x];
  shorts[threadIdx.x] = (short)in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = ints[(threadIdx.x ^ 1) & 31];
}

// <<<1, 32>>> 32: read-only loads past the end
PAIR(read_only_wrong) ARGS {
  out[threadIdx.x] = __ldg(in + threadIdx.x + 2); // ! out-of-bounds read
}
PAIR(read_only_right) ARGS {
  out[threadIdx.x] = __ldg(in + threadIdx.x);
}

// <<<1, 32>>> 32: volatile stores past the end
PAIR(volatile_wrong) ARGS {
  volatile int* slots = out;
  slots[threadIdx.x + 1] = 1; // ! out-of-bounds write
}
PAIR(volatile_right) ARGS {
  volatile int* slots = out;
  slots[threadIdx.x] = 1;
}

// <<<1, 32>>> 32: the end of the array, taken for its last element
PAIR(end_pointer_wrong) ARGS {
  const int* end = in + n;
  if (threadIdx.x == 0) out[0] = *end; // ! out-of-bounds read
}
PAIR(end_pointer_right) ARGS {
  const int* end = in + n;
  if (threadIdx.x == 0) out[0] = *(end - 1);
}

// <<<1, 32>>> 32: a flag of one byte after the last int
PAIR(byte_flag_wrong) ARGS {
  auto* flags = reinterpret_cast<unsigned char*>(out + n);
  if (threadIdx.x == 5) *flags = 1; // ! out-of-bounds write
}
PAIR(byte_flag_right) ARGS {
  auto* flags = reinterpret_cast<unsigned char*>(out + n) - 1;
  if (threadIdx.x == 5) *flags = 1;
}
