// Pairs of kernels for initcheck: device memory, local arrays, values. NAME_wrong uses what nobody has written, first in the line marked "// ! uninitialized USE".
//
// All take (int* out, const int* in, int n): two allocations of n ints, in[i] = i. The launch stands before each pair: <<<grid, block, shared>>> n.

#include <cuda_fp16.h>

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// ---------------------------------------------------------------- device memory

// <<<2, 32>>> 64 raw-in: the input was never copied
PAIR(no_copy_wrong) ARGS {
  out[ROW] = in[ROW] + 1; // ! uninitialized computed
}
PAIR(no_copy_right) ARGS {
  out[ROW] = n + 1;
}

// <<<2, 32>>> 64 raw-out: the output is accumulated into, not written
PAIR(accumulated_wrong) ARGS {
  out[ROW] += in[ROW]; // ! uninitialized computed
}
PAIR(accumulated_right) ARGS {
  out[ROW] = in[ROW];
}

// <<<2, 32>>> 64 raw-out: a histogram without cudaMemset
PAIR(no_memset_wrong) ARGS {
  atomicAdd(&out[in[ROW] % 8], 1); // ! uninitialized atomic
}
PAIR(no_memset_right) ARGS {
  atomicExch(&out[in[ROW]], 1);
}

// <<<2, 32>>> 64 raw-out: a maximum that nobody has begun
PAIR(maximum_wrong) ARGS {
  atomicMax(out, in[ROW]); // ! uninitialized atomic
}
PAIR(maximum_right) ARGS {
  out[ROW] = max(in[ROW], 7);
}

// <<<2, 32>>> 64 raw-out: a lock that was never open
PAIR(lock_wrong) ARGS {
  if (threadIdx.x == 0 && atomicCAS(out, 0, 1) == 0) out[1] = 1; // ! uninitialized atomic
}
PAIR(lock_right) ARGS {
  if (ROW == 0) { out[0] = 0; out[1] = atomicCAS(out, 0, 1); }
}

// <<<2, 32>>> 64 raw-in: which way to go
PAIR(branch_wrong) ARGS {
  if (in[ROW] > 10) // ! uninitialized branch
    printf("large\n");
}
PAIR(branch_right) ARGS {
  if (n > 10 && n < 5) out[ROW] = in[ROW];
}

// <<<1, 32>>> 32 raw-in: a loop's end
PAIR(bound_wrong) ARGS {
  int steps = 0;
  for (int k = 0; k < (in[threadIdx.x] & 3); k++) { // ! uninitialized branch
    steps += clock();
    __syncwarp(__activemask());
  }
  out[threadIdx.x] = steps == -1;
}
PAIR(bound_right) ARGS {
  int steps = 0;
  for (int k = 0; k < (n & 3); k++) {
    steps += clock();
    __syncwarp(__activemask());
  }
  out[threadIdx.x] = steps == -1;
}

// <<<1, 32>>> 32 raw-in: an index
PAIR(indirect_wrong) ARGS {
  out[in[threadIdx.x] & 31] = 1; // ! uninitialized address
}
PAIR(indirect_right) ARGS {
  out[threadIdx.x & 31] = 1;
}

// <<<1, 32>>> 32 raw-in: a switch
PAIR(switch_wrong) ARGS {
  switch (in[threadIdx.x]) { // ! uninitialized branch
    case 1: atomicMax(out, 5); break;
    case 2: printf("two\n"); break;
    case 3: atomicAdd(out, 1); break;
    case 7: __nanosleep(100); break;
  }
}
PAIR(switch_right) ARGS {
  switch (n) {
    case 1: out[0] = in[5]; break;
    case 2: printf("two\n"); break;
    case 3: atomicAdd(out, 1); break;
    case 7: __nanosleep(100); break;
  }
}

// <<<1, 32>>> 32 raw-in: printed
PAIR(printed_wrong) ARGS {
  if (threadIdx.x == 0) printf("%d %f\n", n, in[0] * 0.5); // ! uninitialized printed
}
PAIR(printed_right) ARGS {
  if (threadIdx.x == 0) printf("%d %f\n", n, n * 0.5);
}

// <<<1, 32>>> 64 raw-out: the tail is read, and only the rest was written
PAIR(shifted_wrong) ARGS {
  out[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  int next = out[threadIdx.x + 1];
  __syncwarp();
  out[threadIdx.x] = next; // ! uninitialized stored
}
PAIR(shifted_right) ARGS {
  out[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  int next = out[threadIdx.x < 31 ? threadIdx.x + 1 : 0];
  __syncwarp();
  out[threadIdx.x] = next;
}

// <<<1, 32>>> 32 raw-in: what is only copied, and what nobody reads, is nobody's fault
PAIR(dead_value_wrong) ARGS {
  int value = in[threadIdx.x];
  out[threadIdx.x] = threadIdx.x == 3 ? value : 0; // ! uninitialized stored
}
PAIR(dead_value_right) ARGS {
  int value = in[threadIdx.x];
  out[threadIdx.x] = threadIdx.x == 33 ? value : 0;
}

// <<<1, 32>>> 32 raw-in: whatever it is, the result is the same
PAIR(multiplied_by_zero_wrong) ARGS {
  out[threadIdx.x] = in[threadIdx.x] & 0x100; // ! uninitialized stored
}
PAIR(multiplied_by_zero_right) ARGS {
  out[threadIdx.x] = (in[threadIdx.x] & 0x100) & n;
}

// <<<1, 32>>> 128 raw-in: vectors
PAIR(vector_wrong) ARGS {
  int4 four = reinterpret_cast<const int4*>(in)[threadIdx.x];
  out[threadIdx.x] = four.x + four.y + four.z + four.w; // ! uninitialized computed
}
PAIR(vector_right) ARGS {
  int4 four = make_int4(1, 2, 3, n);
  reinterpret_cast<int4*>(out)[threadIdx.x] = four;
}

// <<<1, 32>>> 32 raw-out: halves
PAIR(halves_wrong) ARGS {
  half2* pairs = reinterpret_cast<half2*>(out);
  if (threadIdx.x < 16) pairs[threadIdx.x] = __floats2half2_rn(1, 2);
  __syncwarp();
  half2 other = pairs[31 - threadIdx.x];
  __syncwarp();
  pairs[threadIdx.x] = __hadd2(pairs[threadIdx.x], other); // ! uninitialized computed
}
PAIR(halves_right) ARGS {
  half2* pairs = reinterpret_cast<half2*>(out);
  pairs[threadIdx.x] = __floats2half2_rn(1, 2);
  __syncwarp();
  pairs[threadIdx.x] = __hadd2(pairs[threadIdx.x], __float2half2_rn(1));
}

// <<<1, 32>>> 64 raw-out: doubles that were written as to one half
PAIR(half_a_double_wrong) ARGS {
  out[2 * threadIdx.x] = 0;
  __syncwarp();
  double* values = reinterpret_cast<double*>(out);
  values[threadIdx.x] = values[threadIdx.x] * 2; // ! uninitialized computed
}
PAIR(half_a_double_right) ARGS {
  out[2 * threadIdx.x] = out[2 * threadIdx.x + 1] = 0;
  __syncwarp();
  double* values = reinterpret_cast<double*>(out);
  values[threadIdx.x] = values[threadIdx.x] * 2;
}

__device__ int counter;
__device__ int spare[32];
__constant__ int table[4] = {1, 2, 3, 4};

// <<<1, 32>>> 32 raw-in: variables have a value from the start
PAIR(variable_wrong) ARGS {
  spare[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  if (spare[31 - threadIdx.x] > 5) printf("x"); // ! uninitialized branch
}
PAIR(variable_right) ARGS {
  if (threadIdx.x == 0) counter += table[n & 3];
  __syncwarp();
  if (counter > 1000000) out[0] = 1;
  if (counter < 0) printf("%d\n", spare[threadIdx.x]);
}

// <<<1, 32>>> 32 raw-in: sqrtf and its like hand an undefined value on
PAIR(mathematics_wrong) ARGS {
  float value = sqrtf(__int_as_float(in[threadIdx.x])) + sinf(1.0f);
  out[threadIdx.x] = value > 1 ? 3 : 4; // ! uninitialized computed
}
PAIR(mathematics_right) ARGS {
  float value = sqrtf(__int_as_float(n)) + sinf(1.0f);
  out[threadIdx.x] = value > 1 ? 3 : 4;
}

// <<<1, 32>>> 32 raw-in: it goes round a loop
PAIR(loop_sum_wrong) ARGS {
  int sum = 0;
  for (int k = threadIdx.x; k < n; k += 7) sum = sum * 3 + in[k];
  out[threadIdx.x] = sum; // ! uninitialized computed
}
PAIR(loop_sum_right) ARGS {
  int sum = 0;
  for (int k = threadIdx.x; k < n; k += 7) sum = sum * 3 + k;
  out[threadIdx.x] = sum;
}

// <<<1, 32>>> 32 raw-in: a part of the lanes
PAIR(divergent_wrong) ARGS {
  int value;
  if (threadIdx.x & 1) value = 5;
  else value = in[threadIdx.x];
  out[threadIdx.x] = value + 1; // ! uninitialized computed
}
PAIR(divergent_right) ARGS {
  int value;
  if (threadIdx.x & 1) value = 5;
  else value = n;
  out[threadIdx.x] = value + 1;
}

// <<<1, 32>>> 32 raw-out: a flag that another thread sets, in memory that nobody has cleared
PAIR(flag_wrong) ARGS {
  if (threadIdx.x == 7) out[7] = 1;
  __syncwarp();
  if (out[threadIdx.x] == 1) printf("set\n"); // ! uninitialized branch
}
PAIR(flag_right) ARGS {
  out[threadIdx.x] = threadIdx.x == 7;
  __syncwarp();
  if (out[threadIdx.x] == 1) out[threadIdx.x] = 2;
}

// <<<1, 32>>> 32 raw-in: a minimum
PAIR(smallest_wrong) ARGS {
  int value = min(in[threadIdx.x], 3);
  for (int half = 16; half > 0; half /= 2) value = min(value, __shfl_xor_sync(~0u, value, half));
  if (threadIdx.x == 0) out[0] = value; // ! uninitialized computed
}
PAIR(smallest_right) ARGS {
  int value = min(n - (int)threadIdx.x, 3);
  for (int half = 16; half > 0; half /= 2) value = min(value, __shfl_xor_sync(~0u, value, half));
  if (threadIdx.x == 0) out[0] = value;
}

// <<<1, 32>>> 32 raw-in: ballots
PAIR(ballot_wrong) ARGS {
  unsigned who = __ballot_sync(~0u, in[threadIdx.x] > 3); // ! uninitialized vote
  out[threadIdx.x] = __popc(who);
}
PAIR(ballot_right) ARGS {
  unsigned who = __ballot_sync(~0u, (int)threadIdx.x > 3);
  out[threadIdx.x] = __popc(who);
}

// <<<1, 32>>> 32: memory of the kernel's own
PAIR(heap_wrong) ARGS {
  int* own = static_cast<int*>(malloc(16));
  own[threadIdx.x & 1] = 3;
  out[threadIdx.x] = own[in[threadIdx.x] & 3] + 1; // ! uninitialized computed
  free(own);
}
PAIR(heap_right) ARGS {
  int* own = static_cast<int*>(malloc(16));
  for (int k = 0; k < 4; k++) own[k] = 3;
  out[threadIdx.x] = own[in[threadIdx.x] & 3] + 1;
  free(own);
}

// ---------------------------------------------------------------- local memory

// <<<1, 32>>> 32: accumulators in a local array, one of which is not set to zero
PAIR(accumulators_wrong) ARGS {
  int sums[4];
  for (int k = 0; k < 3; k++) sums[k] = 0;
  for (int k = 0; k < 8; k++) sums[in[(threadIdx.x + k) & 31] & 3] += k;
  out[threadIdx.x] = sums[in[threadIdx.x] & 3]; // ! uninitialized stored
}
PAIR(accumulators_right) ARGS {
  int sums[4];
  for (int k = 0; k < 4; k++) sums[k] = 0;
  for (int k = 0; k < 8; k++) sums[in[(threadIdx.x + k) & 31] & 3] += k;
  out[threadIdx.x] = sums[in[threadIdx.x] & 3];
}

// <<<1, 32>>> 32: a stack from which more is taken than was put there
PAIR(stack_wrong) ARGS {
  int stack[8], top = 0;
  for (int k = 0; k < (in[threadIdx.x] & 3); k++) stack[top++] = k;
  out[threadIdx.x] = stack[(top + n) & 7] + 1; // ! uninitialized computed
}
PAIR(stack_right) ARGS {
  int stack[8], top = 1;
  stack[0] = 0;
  for (int k = 0; k < (in[threadIdx.x] & 3); k++) stack[top++] = k;
  out[threadIdx.x] = stack[(top + n - 1) & 7 & (top - 1)] + 1;
}

// <<<1, 32>>> 32: a local array is new in every turn
PAIR(new_each_turn_wrong) ARGS {
  int sum = 0;
  for (int turn = 0; turn < 3; turn++) {
    int row[8];
    if (turn == 0) for (int k = 0; k < 8; k++) row[(in[k] + turn) & 7] = k;
    asm volatile("" : : "r"(turn) : "memory");
    sum += row[in[threadIdx.x] & 7];
    row[in[threadIdx.x] & 3] = turn;
  }
  out[threadIdx.x] = sum; // ! uninitialized computed
}
PAIR(new_each_turn_right) ARGS {
  int sum = 0;
  for (int turn = 0; turn < 3; turn++) {
    int row[8];
    for (int k = 0; k < 8; k++) row[(in[k] + turn) & 7] = k;
    asm volatile("" : : "r"(turn) : "memory");
    sum += row[in[threadIdx.x] & 7];
    row[in[threadIdx.x] & 3] = turn;
  }
  out[threadIdx.x] = sum;
}

struct Particle { float position[3]; int kind; };

__device__ __noinline__ float lengthOf(const Particle& p) {
  return p.position[0] * p.position[0] + p.position[1] * p.position[1] + p.position[2] * p.position[2]; // ! uninitialized result in by_reference_wrong
}
__device__ __noinline__ void place(Particle* p, float x, int dimensions) {
  for (int k = 0; k < dimensions; k++) p->position[k] = x + k;
}

// <<<1, 32>>> 32: a function fills a struct, not all of it
PAIR(by_reference_wrong) ARGS {
  Particle p;
  place(&p, threadIdx.x, 2);
  float length = lengthOf(p);
  out[threadIdx.x] = length > 3;
}
PAIR(by_reference_right) ARGS {
  Particle p;
  place(&p, threadIdx.x, 3);
  float length = lengthOf(p);
  out[threadIdx.x] = length > 3;
}

__device__ __noinline__ int twice(int value) { return 2 * value; }

// <<<1, 32>>> 32 raw-in: an argument
PAIR(argument_wrong) ARGS {
  out[threadIdx.x] = twice(in[threadIdx.x]); // ! uninitialized argument
}
PAIR(argument_right) ARGS {
  out[threadIdx.x] = twice(threadIdx.x);
}

__device__ int fibonacci(int* memo, int k) {
  if (k < 2) return k;
  if (memo[k] == 0) memo[k] = fibonacci(memo, k - 1) + fibonacci(memo, k - 2); // ! uninitialized branch in memo_wrong
  return memo[k];
}

// <<<1, 32>>> 32: a table of results that was not cleared, in a function that calls itself
PAIR(memo_wrong) ARGS {
  int memo[16];
  memo[2] = 0;
  out[threadIdx.x] = fibonacci(memo, in[threadIdx.x] & 15);
}
PAIR(memo_right) ARGS {
  int memo[16];
  for (int k = 0; k < 16; k++) memo[k] = 0;
  out[threadIdx.x] = fibonacci(memo, in[threadIdx.x] & 15);
}

struct Padded { char tag; double value; };

// <<<1, 16>>> 64 raw-out: structs go to device memory with their padding
PAIR(padded_wrong) ARGS {
  Padded* all = reinterpret_cast<Padded*>(out);
  all[threadIdx.x].tag = 1;
  if (in[threadIdx.x] != 3) all[threadIdx.x].value = 2;
  __syncwarp();
  Padded other = all[threadIdx.x ^ 1];
  if (other.value > in[0]) // ! uninitialized branch
    all[threadIdx.x].tag = 2;
}
PAIR(padded_right) ARGS {
  Padded* all = reinterpret_cast<Padded*>(out);
  all[threadIdx.x].tag = 1;
  all[threadIdx.x].value = 2;
  __syncwarp();
  Padded other = all[threadIdx.x ^ 1];
  __syncwarp();
  all[threadIdx.x] = other;
  if (other.value > in[0]) all[threadIdx.x].tag = 2;
}

// ---------------------------------------------------------------- arithmetic whose result nobody reads

// <<<2, 32>>> 256 raw-in: arithmetic on what nobody has set is stored again; the program never reads it
PAIR(stored_again_wrong) ARGS {
  ((int*)in)[ROW] += ROW; // ! uninitialized computed
}
PAIR(stored_again_right) ARGS {
  ((int*)in)[ROW] = in[ROW + 64];
}

// <<<2, 32>>> 256 raw-in: rows are copied with their padding; the padding is a number, too
struct PaddedRow { int used; int padding; };
PAIR(padding_wrong) ARGS {
  PaddedRow* rows = (PaddedRow*)in;
  rows[ROW].used = n;
  PaddedRow row = rows[ROW];
  row.padding++;
  rows[ROW + 64] = row; // ! uninitialized computed
}
PAIR(padding_right) ARGS {
  PaddedRow* rows = (PaddedRow*)in;
  rows[ROW].used = n;
  PaddedRow row = rows[ROW];
  row.used++;
  rows[ROW + 64] = row;
}

// <<<2, 32>>> 256 raw-in: what is computed of an element that was never set is thrown away
PAIR(masked_wrong) ARGS {
  int* values = (int*)in;
  int x = values[ROW] * 3;
  values[ROW + 128] = ROW < 60 ? x : n; // ! uninitialized computed
}
PAIR(masked_right) ARGS {
  int* values = (int*)in;
  int x = values[ROW] * 3;
  values[ROW + 128] = ROW < 80 ? n : x;
}

// <<<2, 32>>> 256 raw-in: elements change places and formats
PAIR(moved_wrong) ARGS {
  int* values = (int*)in;
  unsigned low = values[2 * ROW] & 0xffff, high = values[2 * ROW + 1] << 16;
  values[ROW + 128] = low + high * 3; // ! uninitialized computed
}
PAIR(moved_right) ARGS {
  int* values = (int*)in;
  unsigned low = values[2 * ROW] & 0xffff, high = values[2 * ROW + 1] << 16;
  values[ROW + 128] = low | high;
  ((float*)in)[ROW + 192] = (float)values[2 * ROW];
}

// <<<2, 32>>> 256 raw-in: four numbers at once, one of them padding
PAIR(four_at_once_wrong) ARGS {
  int4* rows = (int4*)in;
  if (ROW >= 32) return;
  int4 row = rows[ROW];
  rows[ROW + 32] = make_int4(n, n, n, row.w + 1); // ! uninitialized computed
}
PAIR(four_at_once_right) ARGS {
  int4* rows = (int4*)in;
  if (ROW >= 32) return;
  int4 row = rows[ROW];
  rows[ROW + 32] = make_int4(n + 1, n + 2, n + 3, row.w);
}

// ---------------------------------------------------------------- uses that the pairs above leave out

// <<<1, 1>>> 64 raw-in: how much of a local array is cleared
PAIR(cleared_length_wrong) ARGS {
  int values[16];
  for (int k = 0; k < 16; k++) values[k] = n + k;
  memset(values, 0, (unsigned)in[3] & 31); // ! uninitialized size
  out[0] = values[n & 15];
}
PAIR(cleared_length_right) ARGS {
  int values[16];
  for (int k = 0; k < 16; k++) values[k] = n + k;
  memset(values, 0, (unsigned)n & 31);
  out[0] = values[n & 15];
}

// <<<1, 1>>> 64 raw-in: how much of a local array is copied
PAIR(copied_length_wrong) ARGS {
  int values[16], copies[16] = {};
  for (int k = 0; k < 16; k++) values[k] = n + k;
  memcpy(copies, values, (unsigned)in[n / 2] & 31); // ! uninitialized size
  out[0] = copies[n & 15];
}
PAIR(copied_length_right) ARGS {
  int values[16], copies[16] = {};
  for (int k = 0; k < 16; k++) values[k] = n + k;
  memcpy(copies, values, (unsigned)(n / 2) & 31);
  out[0] = copies[n & 15];
}

// <<<1, 1>>> 64 raw-in: a mean is printed
PAIR(printed_mean_wrong) ARGS {
  printf("%f\n", (in[0] + in[1]) / 2.0); // ! uninitialized printed
}
PAIR(printed_mean_right) ARGS {
  printf("%f\n", (n + n) / 2.0);
}

// <<<1, 32>>> 64 raw-in: a function returns an element, and one gets it
__device__ __noinline__ int elementOf(const int* values, int i) {
  return values[i]; // ! uninitialized result in returned_element_wrong
}
PAIR(returned_element_wrong) ARGS {
  out[ROW] = elementOf(in, ROW) == 5 ? n : 2 * n;
}
PAIR(returned_element_right) ARGS {
  out[ROW] = n;
  out[ROW] = elementOf(out, ROW) == 5 ? n : 2 * n;
}
__device__ __noinline__ int collatz(int x) {
  int steps = 0;
  while (x > 1) x = x % 2 == 0 ? x / 2 : 3 * x + 1, steps++;
  return steps;
}
// <<<1, 32>>> 64 raw-in: an element is passed
PAIR(passed_element_wrong) ARGS {
  out[ROW] = collatz(in[ROW]); // ! uninitialized argument
}
PAIR(passed_element_right) ARGS {
  out[ROW] = collatz(n);
}

// ---------------------------------------------------------------- structs that are passed by value

struct Arrays { int* out; const int* in; int n; };
static __device__ __noinline__ int element(const Arrays* arrays, int i) {
  return i > arrays->n ? element(arrays, i / 2) : arrays->n; // ! uninitialized branch in by_value_wrong
}
static __device__ __noinline__ int halved(const Arrays* arrays, int i) {
  return i > arrays->n ? halved(arrays, i / 2) : i; // ! uninitialized branch in by_value_again_wrong
}

// <<<1, 32>>> 32: a struct that is passed on by its address
PAIR(by_value_wrong)(Arrays arrays) {
  Arrays unset;
  if (arrays.n < 0) unset = arrays;
  arrays.out[threadIdx.x] = element(&unset, threadIdx.x);
}
PAIR(by_value_right)(Arrays arrays) {
  arrays.out[threadIdx.x] = element(&arrays, threadIdx.x);
}

// <<<1, 32>>> 32: its copy lies where the kernel before has left an unset struct
PAIR(by_value_again_wrong)(Arrays arrays) {
  Arrays unset;
  if (arrays.n < 0) unset = arrays;
  arrays.out[threadIdx.x] = halved(&unset, threadIdx.x);
}
PAIR(by_value_again_right)(Arrays arrays) {
  arrays.out[threadIdx.x] = halved(&arrays, threadIdx.x);
}
