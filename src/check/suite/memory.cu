// Pairs of kernels for memcheck: NAME_wrong breaks one rule, in the line marked "// ! KIND ACCESS"; NAME_right does the same and keeps it.
//
// All take (int* out, const int* in, int n): two allocations of n ints, in[i] = i. The launch stands before each pair: <<<grid, block, shared>>> n.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<4, 32>>> 100: no guard
PAIR(no_guard_wrong) ARGS {
  int i = ROW;
  out[i] = i; // ! out-of-bounds write
}
PAIR(no_guard_right) ARGS {
  int i = ROW;
  if (i < n) out[i] = i;
}

// <<<4, 32>>> 100: <= for <
PAIR(one_too_many_wrong) ARGS {
  int i = ROW;
  if (i <= n) out[i] = i; // ! out-of-bounds write
}
PAIR(one_too_many_right) ARGS {
  int i = ROW;
  if (i < n) out[i] = i;
}

// <<<1, 32>>> 32: the left neighbour of the first
PAIR(before_start_wrong) ARGS {
  int i = ROW;
  int left = in[i - 1]; // ! out-of-bounds read
  out[i] = left;
}
PAIR(before_start_right) ARGS {
  int i = ROW;
  int left = i > 0 ? in[i - 1] : 0;
  out[i] = left;
}

// <<<1, 64>>> 64: the right neighbour of the last
PAIR(stencil_wrong) ARGS {
  int i = ROW;
  out[i] = in[i + 1] - in[i]; // ! out-of-bounds read
}
PAIR(stencil_right) ARGS {
  int i = ROW;
  out[i] = in[i + 1 < n ? i + 1 : i] - in[i];
}

// <<<1, 32>>> 64: far away, into whatever lies there
PAIR(neighbour_wrong) ARGS {
  out[threadIdx.x + 256] = 1; // ! out-of-bounds write
}
PAIR(neighbour_right) ARGS {
  out[threadIdx.x + 32] = 1;
}

// <<<2, 32>>> 64: a grid-stride loop that goes a step too far
PAIR(grid_stride_wrong) ARGS {
  for (int i = ROW; i < n + 1; i += gridDim.x * blockDim.x)
    out[i] = in[0]; // ! out-of-bounds write
}
PAIR(grid_stride_right) ARGS {
  for (int i = ROW; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[0];
}

// <<<1, 32>>> 128: a pointer that walks
PAIR(walking_pointer_wrong) ARGS {
  const int* p = in + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 5; k++, p += 32) sum += *p; // ! out-of-bounds read
  out[threadIdx.x] = sum;
}
PAIR(walking_pointer_right) ARGS {
  const int* p = in + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 4; k++, p += 32) sum += *p;
  out[threadIdx.x] = sum;
}

// <<<1, 32>>> 32: either of two pointers, by thread
PAIR(selected_pointer_wrong) ARGS {
  const int* p = threadIdx.x & 1 ? in : out;
  out[threadIdx.x] = p[threadIdx.x + 1]; // ! out-of-bounds read
}
PAIR(selected_pointer_right) ARGS {
  const int* p = threadIdx.x & 1 ? in : out;
  out[threadIdx.x] = p[threadIdx.x];
}

// <<<1, 32>>> 34: a vector access whose last part lies outside
PAIR(vector_tail_wrong) ARGS {
  int i = 4 * threadIdx.x;
  if (i < n)
    reinterpret_cast<int4*>(out)[threadIdx.x] = make_int4(1, 2, 3, 4); // ! out-of-bounds write
}
PAIR(vector_tail_right) ARGS {
  int i = 4 * threadIdx.x;
  if (i + 3 < n)
    reinterpret_cast<int4*>(out)[threadIdx.x] = make_int4(1, 2, 3, 4);
}

// <<<1, 32>>> 32: an index that was read
PAIR(indirect_wrong) ARGS {
  out[in[threadIdx.x] * 2] = 1; // ! out-of-bounds write
}
PAIR(indirect_right) ARGS {
  out[in[threadIdx.x] / 2] = 1;
}

// <<<1, 32>>> 16: an index that wraps around
PAIR(unsigned_wrap_wrong) ARGS {
  unsigned i = threadIdx.x;
  if (i < n) out[i] = in[(i - 1u) & 31u]; // ! out-of-bounds read
}
PAIR(unsigned_wrap_right) ARGS {
  unsigned i = threadIdx.x;
  if (i < n) out[i] = in[(i - 1u) & 15u];
}

// <<<1, 32>>> 32: an atomic past the end
PAIR(atomic_wrong) ARGS {
  atomicAdd(&out[threadIdx.x + 1], 1); // ! out-of-bounds atomic
}
PAIR(atomic_right) ARGS {
  atomicAdd(&out[threadIdx.x], 1);
}

// <<<1, 32>>> 32: a compare-and-swap past the end
PAIR(cas_wrong) ARGS {
  atomicCAS(&out[threadIdx.x * 2], 0, 1); // ! out-of-bounds atomic
}
PAIR(cas_right) ARGS {
  atomicCAS(&out[threadIdx.x], 0, 1);
}

// <<<1, 32>>> 32: a shared array that is one short
PAIR(shared_end_wrong) ARGS {
  __shared__ int tile[32];
  tile[threadIdx.x + 1] = in[threadIdx.x]; // ! out-of-bounds write
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x < 31 ? threadIdx.x + 1 : 1];
}
PAIR(shared_end_right) ARGS {
  __shared__ int tile[33];
  tile[threadIdx.x + 1] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + 1];
}

// <<<1, 32>>> 32: from one shared array into the next
PAIR(shared_neighbour_wrong) ARGS {
  __shared__ int a[32], b[32];
  a[threadIdx.x] = in[threadIdx.x];
  b[threadIdx.x] = 0;
  __syncthreads();
  out[threadIdx.x] = a[(threadIdx.x + n) % 64] + b[threadIdx.x]; // ! out-of-bounds read
}
PAIR(shared_neighbour_right) ARGS {
  __shared__ int a[32], b[32];
  a[threadIdx.x] = in[threadIdx.x];
  b[threadIdx.x] = 0;
  __syncthreads();
  out[threadIdx.x] = a[(threadIdx.x + n) % 32] + b[threadIdx.x];
}

// <<<1, dim3(8, 8)>>> 64: rows and columns of a tile
PAIR(tile_wrong) ARGS {
  __shared__ int tile[8][8];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 8 + threadIdx.x];
  __syncthreads();
  int below = tile[threadIdx.y + 1][threadIdx.x]; // ! out-of-bounds read
  out[threadIdx.y * 8 + threadIdx.x] = below;
}
PAIR(tile_right) ARGS {
  __shared__ int tile[9][8];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 8 + threadIdx.x];
  if (threadIdx.y == 0) tile[8][threadIdx.x] = 0;
  __syncthreads();
  int below = tile[threadIdx.y + 1][threadIdx.x];
  out[threadIdx.y * 8 + threadIdx.x] = below;
}

// <<<1, 64, 128>>> 64: the launch gives less dynamic shared memory than the kernel uses
PAIR(dynamic_shared_wrong) ARGS {
  extern __shared__ int buffer[];
  buffer[threadIdx.x] = in[threadIdx.x]; // ! out-of-bounds write
  __syncthreads();
  out[threadIdx.x] = buffer[threadIdx.x / 2];
}
PAIR(dynamic_shared_right) ARGS {
  extern __shared__ int buffer[];
  if (threadIdx.x < 32) buffer[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = buffer[threadIdx.x / 2];
}

// <<<1, 32, 256>>> 32: two arrays in dynamic shared memory, the second one too long
PAIR(dynamic_parts_wrong) ARGS {
  extern __shared__ int buffer[];
  int* second = buffer + 32;
  second[threadIdx.x * 2] = in[threadIdx.x]; // ! out-of-bounds write
  __syncthreads();
  out[threadIdx.x] = second[0];
}
PAIR(dynamic_parts_right) ARGS {
  extern __shared__ int buffer[];
  int* second = buffer + 32;
  second[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = second[0];
}

// <<<1, 32>>> 32: a local array
PAIR(local_wrong) ARGS {
  int digits[8];
  for (int i = 0; i < 8; i++) digits[i] = in[threadIdx.x] + i;
  out[threadIdx.x] = digits[in[threadIdx.x] & 15]; // ! out-of-bounds read
}
PAIR(local_right) ARGS {
  int digits[8];
  for (int i = 0; i < 8; i++) digits[i] = in[threadIdx.x] + i;
  out[threadIdx.x] = digits[in[threadIdx.x] & 7];
}

// <<<1, 32>>> 32: a local stack that overflows
PAIR(local_stack_wrong) ARGS {
  int stack[4], top = 0;
  for (int i = 0; i <= in[threadIdx.x] % 8; i++)
    stack[top++] = i; // ! out-of-bounds write
  out[threadIdx.x] = stack[top / 2 & 3];
}
PAIR(local_stack_right) ARGS {
  int stack[8], top = 0;
  for (int i = 0; i <= in[threadIdx.x] % 8; i++)
    stack[top++] = i;
  out[threadIdx.x] = stack[top / 2 & 3];
}

__constant__ int weights[16] = {1, 2, 3};
__device__ int bins[16];

// <<<1, 32>>> 32: past a __constant__ array
PAIR(constant_wrong) ARGS {
  out[threadIdx.x] = weights[in[threadIdx.x]]; // ! out-of-bounds read
}
PAIR(constant_right) ARGS {
  out[threadIdx.x] = weights[in[threadIdx.x] & 15];
}

// <<<1, 32>>> 32: past a __device__ array
PAIR(variable_wrong) ARGS {
  atomicAdd(&bins[in[threadIdx.x] / 2 + 1], 1); // ! out-of-bounds atomic
}
PAIR(variable_right) ARGS {
  atomicAdd(&bins[in[threadIdx.x] / 2], 1);
}

struct Image { int* pixels; int width, height; };

// <<<1, dim3(8, 8)>>> 64: a pointer inside of a struct on the stack
PAIR(struct_wrong) ARGS {
  Image image = {out, 8, n / 8};
  int x = threadIdx.x, y = threadIdx.y;
  image.pixels[(y + 1) * image.width + x] = x; // ! out-of-bounds write
}
PAIR(struct_right) ARGS {
  Image image = {out, 8, n / 8};
  int x = threadIdx.x, y = threadIdx.y;
  if (y + 1 < image.height) image.pixels[(y + 1) * image.width + x] = x;
}

__device__ __noinline__ int element(const int* values, int i) {
  return values[i]; // ! out-of-bounds read in call_wrong
}
__device__ __noinline__ int checkedElement(const int* values, int i, int n) {
  return i < n ? values[i] : 0;
}

// <<<1, 32>>> 32: in a function that is called
PAIR(call_wrong) ARGS { out[threadIdx.x] = element(in, threadIdx.x + 1); }
PAIR(call_right) ARGS { out[threadIdx.x] = checkedElement(in, threadIdx.x + 1, n); }

// <<<1, 32>>> 32: bytes of ints
PAIR(bytes_wrong) ARGS {
  auto* bytes = reinterpret_cast<const unsigned char*>(in);
  out[threadIdx.x] = bytes[threadIdx.x * 4 + 4]; // ! out-of-bounds read
}
PAIR(bytes_right) ARGS {
  auto* bytes = reinterpret_cast<const unsigned char*>(in);
  out[threadIdx.x] = bytes[threadIdx.x * 4 + 3];
}

// <<<1, 32>>> 32: a null pointer by way of memory
PAIR(null_wrong) ARGS {
  __shared__ int* where;
  if (threadIdx.x == 0) where = n < 0 ? out : nullptr;
  __syncthreads();
  if (threadIdx.x == 3) where[0] = 1; // ! null-pointer write
}
PAIR(null_right) ARGS {
  __shared__ int* where;
  if (threadIdx.x == 0) where = n > 0 ? out : nullptr;
  __syncthreads();
  if (threadIdx.x == 3) where[0] = 1;
}

// <<<1, 32>>> 32: four bytes at an odd address
PAIR(misaligned_wrong) ARGS {
  auto* bytes = reinterpret_cast<const char*>(in);
  if (threadIdx.x < 31) out[threadIdx.x] = *reinterpret_cast<const int*>(bytes + 4 * threadIdx.x + 1); // ! misaligned read
}
PAIR(misaligned_right) ARGS {
  auto* bytes = reinterpret_cast<const char*>(in);
  if (threadIdx.x < 31) out[threadIdx.x] = *reinterpret_cast<const int*>(bytes + 4 * threadIdx.x + 4);
}

// <<<1, 64>>> 64: a block copy of more than there is
PAIR(copy_wrong) ARGS {
  if (threadIdx.x == 0) memcpy(out + 1, in, n * sizeof(int)); // ! out-of-bounds write
}
PAIR(copy_right) ARGS {
  if (threadIdx.x == 0) memcpy(out + 1, in, (n - 1) * sizeof(int));
}

// <<<1, 64>>> 64: a fill of more than there is
PAIR(fill_wrong) ARGS {
  if (threadIdx.x == 0) memset(out, 0, (n + 1) * sizeof(int)); // ! out-of-bounds write
}
PAIR(fill_right) ARGS {
  if (threadIdx.x == 0) memset(out, 0, n * sizeof(int));
}

// <<<1, 32>>> 32: the size counted in bytes
PAIR(size_in_bytes_wrong) ARGS {
  int bytes = n * sizeof(int);
  for (int i = threadIdx.x; i < bytes; i += blockDim.x)
    out[i] = 0; // ! out-of-bounds write
}
PAIR(size_in_bytes_right) ARGS {
  int bytes = n * sizeof(int);
  for (int i = threadIdx.x; i < bytes / (int)sizeof(int); i += blockDim.x)
    out[i] = 0;
}

// <<<1, dim3(4, 16)>>> 64: rows taken for columns
PAIR(transposed_index_wrong) ARGS {
  int width = 16;
  out[threadIdx.y * width + threadIdx.x] = in[threadIdx.x]; // ! out-of-bounds write
}
PAIR(transposed_index_right) ARGS {
  int width = 16;
  out[threadIdx.x * width + threadIdx.y] = in[threadIdx.x];
}

// <<<1, 64>>> 64: a reduction whose last step reads beyond
PAIR(reduction_wrong) ARGS {
  __shared__ int part[64];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half]; // ! out-of-bounds read
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}
PAIR(reduction_right) ARGS {
  __shared__ int part[64];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}

// ---------------------------------------------------------------- pointers into nothing

// <<<1, 32>>> 64 freed-in: the input was freed before the launch
PAIR(freed_input_wrong) ARGS {
  out[threadIdx.x] = in[threadIdx.x] + 1; // ! use-after-free read
}
PAIR(freed_input_right) ARGS {
  out[threadIdx.x] = n + 1;
}

// <<<1, 32>>> 64 freed-in: a result goes into freed memory
PAIR(freed_output_wrong) ARGS {
  int* where = n > 32 ? (int*)in : out;
  where[threadIdx.x] = 1; // ! use-after-free write
}
PAIR(freed_output_right) ARGS {
  int* where = n > 64 ? (int*)in : out;
  where[threadIdx.x] = 1;
}

// <<<1, 32>>> 64: an element is read through a null pointer
PAIR(null_read_wrong) ARGS {
  const int* from = n > 64 ? in : nullptr;
  if (threadIdx.x == 5) out[0] = *(volatile const int*)from; // ! null-pointer read
}
PAIR(null_read_right) ARGS {
  const int* from = n > 32 ? in : nullptr;
  if (threadIdx.x == 5) out[0] = *(volatile const int*)from;
}

// <<<1, 32>>> 64: addresses where the host has its memory
PAIR(host_read_wrong) ARGS {
  volatile const int* from = (volatile const int*)(size_t)(0x100000 + 4 * n);
  if (threadIdx.x == 0) out[0] = *from; // ! not-device-memory read
}
PAIR(host_read_right) ARGS {
  volatile const int* from = in + n - 1;
  if (threadIdx.x == 0) out[0] = *from;
}

// <<<1, 32>>> 64: as above, written
PAIR(host_write_wrong) ARGS {
  volatile int* to = (volatile int*)(size_t)(0x200000 + 4 * n);
  if (threadIdx.x == 0) *to = 1; // ! not-device-memory write
}
PAIR(host_write_right) ARGS {
  volatile int* to = out + n - 1;
  if (threadIdx.x == 0) *to = 1;
}

// <<<1, 32>>> 64: an address that was made of a number, where nothing lies
PAIR(made_up_read_wrong) ARGS {
  volatile size_t made = (size_t)out + (size_t)n * 16384;
  volatile const int* from = (volatile const int*)made;
  if (threadIdx.x == 0) out[0] = *from; // ! unallocated read
}
PAIR(made_up_read_right) ARGS {
  volatile size_t made = (size_t)in + (size_t)n * 2;
  volatile const int* from = (volatile const int*)made;
  if (threadIdx.x == 0) out[0] = *from;
}

// <<<1, 32>>> 64: as above, written
PAIR(made_up_write_wrong) ARGS {
  volatile size_t made = (size_t)out + (size_t)n * 16384 + 4 * threadIdx.x;
  volatile int* to = (volatile int*)made;
  *to = 1; // ! unallocated write
}
PAIR(made_up_write_right) ARGS {
  volatile size_t made = (size_t)out + 4 * threadIdx.x;
  volatile int* to = (volatile int*)made;
  *to = 1;
}
