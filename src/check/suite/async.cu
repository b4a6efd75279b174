// Pairs of kernels for asynccheck: NAME_wrong does one thing before an asynchronous operation is complete, or without a
// fence of proxies, in the line marked "// ! KIND"; NAME_right waits. How launches and marks are read:
// suite.test-helper.ts.

#include <cooperative_groups.h>

#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)
#define SHARED __shared__ __align__(1024)

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void copy16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(to)), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory"); }
__device__ void begin(void* barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(barrier)), "r"(count) : "memory");
}
__device__ void expect(void* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(barrier)), "r"(bytes) : "memory");
}
__device__ void load(void* to, const void* from, int bytes, void* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               ::"r"(at(to)), "l"(from), "r"(bytes), "r"(at(barrier)) : "memory");
}
__device__ void waitFor(void* barrier, unsigned parity) {
  unsigned done;
  do
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done) : "r"(at(barrier)), "r"(parity) : "memory");
  while (!done);
}
__device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void store(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;"
               ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
}
__device__ void waitForStores() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ unsigned long long descriptor(const void* p, unsigned long long mode) {
  return (at(p) & 0x3ffff) >> 4 | 1ull << 16 | (mode == 1 ? 64ull : 32ull) << 32 | mode << 62;
}
__device__ void multiply(float (&d)[4], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b) : "memory");
}
// What reads too early finds a value here, whatever a block before has left.
__device__ void clear(int* row) {
  row[threadIdx.x] = -1;
  fence();
  __syncthreads();
}
template <int LEFT> __device__ void waitForProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

// <<<1, 32>>> 128: a thread reads what it has copied itself
PAIR(own_copy_wrong) ARGS {
  __shared__ int4 row[32];
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  commit();
  out[threadIdx.x] = row[threadIdx.x].x; // ! early-read
}
PAIR(own_copy_right) ARGS {
  __shared__ int4 row[32];
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  commit();
  wait<0>();
  out[threadIdx.x] = row[threadIdx.x].x;
}

// <<<1, 32>>> 256: of two groups, the wait leaves the one that is read
PAIR(wrong_group_wrong) ARGS {
  __shared__ int4 rows[2][32];
  for (int i = 0; i < 2; i++) {
    copy16(&rows[i][threadIdx.x], in + 128 * i + 4 * threadIdx.x);
    commit();
  }
  wait<1>();
  __syncthreads();
  out[threadIdx.x] = rows[0][31 - threadIdx.x].x;
  out[32 + threadIdx.x] = rows[1][31 - threadIdx.x].x; // ! early-read
}
PAIR(wrong_group_right) ARGS {
  __shared__ int4 rows[2][32];
  for (int i = 0; i < 2; i++) {
    copy16(&rows[i][threadIdx.x], in + 128 * i + 4 * threadIdx.x);
    commit();
  }
  wait<1>();
  __syncthreads();
  out[threadIdx.x] = rows[0][31 - threadIdx.x].x;
  wait<0>();
  __syncthreads();
  out[32 + threadIdx.x] = rows[1][31 - threadIdx.x].x;
}

// <<<1, 32>>> 64: the threads meet, and nobody has waited for the bulk copy
PAIR(bulk_copy_wrong) ARGS {
  SHARED int row[32];
  __shared__ unsigned long long barrier;
  clear(row);
  if (threadIdx.x == 0) {
    begin(&barrier, 1);
    expect(&barrier, 128);
    load(row, in, 128, &barrier);
  }
  __syncthreads();
  out[threadIdx.x] = row[threadIdx.x]; // ! early-read
  waitFor(&barrier, 0);
}
PAIR(bulk_copy_right) ARGS {
  SHARED int row[32];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    begin(&barrier, 1);
    expect(&barrier, 128);
    load(row, in, 128, &barrier);
  }
  __syncthreads();
  waitFor(&barrier, 0);
  out[threadIdx.x] = row[threadIdx.x];
}

// <<<1, 32>>> 64: the first phase has parity 0
PAIR(first_phase_wrong) ARGS {
  SHARED int row[32];
  __shared__ unsigned long long barrier;
  clear(row);
  if (threadIdx.x == 0) {
    begin(&barrier, 1);
    expect(&barrier, 128);
    load(row, in, 128, &barrier);
  }
  __syncthreads();
  waitFor(&barrier, 1);
  out[threadIdx.x] = row[threadIdx.x]; // ! wrong-phase
}
PAIR(first_phase_right) ARGS {
  SHARED int row[32];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    begin(&barrier, 1);
    expect(&barrier, 128);
    load(row, in, 128, &barrier);
  }
  __syncthreads();
  waitFor(&barrier, 0);
  out[threadIdx.x] = row[threadIdx.x];
}

// <<<1, 32>>> 128: in the second round the parity is another
PAIR(second_phase_wrong) ARGS {
  SHARED int row[32];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) begin(&barrier, 1);
  for (int round = 0; round < 4; round++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      expect(&barrier, 128);
      load(row, in + 32 * round, 128, &barrier);
    }
    __syncthreads();
    waitFor(&barrier, round / 2 & 1);
    out[32 * round + threadIdx.x] = row[threadIdx.x]; // ! wrong-phase
    waitFor(&barrier, round & 1);
  }
}
PAIR(second_phase_right) ARGS {
  SHARED int row[32];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) begin(&barrier, 1);
  for (int round = 0; round < 4; round++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      expect(&barrier, 128);
      load(row, in + 32 * round, 128, &barrier);
    }
    __syncthreads();
    waitFor(&barrier, round & 1);
    out[32 * round + threadIdx.x] = row[threadIdx.x];
  }
}

// <<<1, 32>>> 128: a thread clears what its copy has yet to write
PAIR(cleared_wrong) ARGS {
  __shared__ int4 row[32];
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  commit();
  row[threadIdx.x].y = 7; // ! early-overwrite
  wait<0>();
  out[threadIdx.x] = row[threadIdx.x].y;
}
PAIR(cleared_right) ARGS {
  __shared__ int4 row[32];
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  commit();
  wait<0>();
  row[threadIdx.x].y = 7;
  out[threadIdx.x] = row[threadIdx.x].y;
}

// <<<1, 32>>> 128: a second copy goes to the place of the first
PAIR(two_copies_wrong) ARGS {
  SHARED int row[32];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    begin(&barrier, 1);
    expect(&barrier, 256);
    for (int i = 0; i < 2; i++)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" // ! early-overwrite
                   ::"r"(at(row)), "l"(in + 32 * i), "r"(128), "r"(at(&barrier)) : "memory");
  }
  __syncthreads();
  waitFor(&barrier, 0);
  out[threadIdx.x] = row[threadIdx.x];
}
PAIR(two_copies_right) ARGS {
  SHARED int row[2][32];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) {
    begin(&barrier, 1);
    expect(&barrier, 256);
    for (int i = 0; i < 2; i++) load(row[i], in + 32 * i, 128, &barrier);
  }
  __syncthreads();
  waitFor(&barrier, 0);
  out[threadIdx.x] = row[0][threadIdx.x] + row[1][threadIdx.x];
}

// <<<1, 32>>> 64: a buffer is written again while its store still reads it
PAIR(stored_buffer_wrong) ARGS {
  SHARED int row[32];
  for (int i = 0; i < 2; i++) {
    row[threadIdx.x] = in[32 * i + threadIdx.x]; // ! early-write
    fence();
    __syncthreads();
    if (threadIdx.x == 0) store(out + 32 * i, row, 128);
    __syncthreads();
  }
  waitForStores();
}
PAIR(stored_buffer_right) ARGS {
  SHARED int row[32];
  for (int i = 0; i < 2; i++) {
    row[threadIdx.x] = in[32 * i + threadIdx.x];
    fence();
    __syncthreads();
    if (threadIdx.x == 0) store(out + 32 * i, row, 128);
    waitForStores();
    __syncthreads();
  }
}

// <<<1, 128>>> 2048: the next tile is loaded while the products of the last one still read it
PAIR(refilled_wrong) ARGS {
  SHARED int tile[1024];
  __shared__ unsigned long long barrier;
  float d[4] = {};
  if (threadIdx.x == 0) begin(&barrier, 1);
  for (int i = 0; i < 2; i++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      expect(&barrier, 4096);
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" // ! early-write
                   ::"r"(at(tile)), "l"(in + 1024 * i), "r"(4096), "r"(at(&barrier)) : "memory");
    }
    __syncthreads();
    waitFor(&barrier, i & 1);
    multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
  }
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}
PAIR(refilled_right) ARGS {
  SHARED int tile[1024];
  __shared__ unsigned long long barrier;
  float d[4] = {};
  if (threadIdx.x == 0) begin(&barrier, 1);
  for (int i = 0; i < 2; i++) {
    waitForProducts<0>();
    __syncthreads();
    if (threadIdx.x == 0) {
      expect(&barrier, 4096);
      load(tile, in + 1024 * i, 4096, &barrier);
    }
    __syncthreads();
    waitFor(&barrier, i & 1);
    multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
  }
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}

// <<<1, 32>>> 32: a store of what threads have written
PAIR(unfenced_store_wrong) ARGS {
  SHARED int row[32];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" // ! missing-proxy-fence
                 ::"l"(out), "r"(at(row)), "r"(128) : "memory");
    waitForStores();
  }
}
PAIR(unfenced_store_right) ARGS {
  SHARED int row[32];
  row[threadIdx.x] = in[threadIdx.x];
  fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    store(out, row, 128);
    waitForStores();
  }
}

// <<<1, 128>>> 1024: a product of what threads have written; the fence comes too early
PAIR(unfenced_product_wrong) ARGS {
  SHARED int tile[1024];
  float d[4] = {};
  fence();
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;" // ! missing-proxy-fence
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(tile, 0)), "l"(descriptor(tile + 512, 0)) : "memory");
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}
PAIR(unfenced_product_right) ARGS {
  SHARED int tile[1024];
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
  multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}

// The kernel makes the map of a tensor of 64 x 64 bfloat16 itself, as the emulated device has it (libdevice/hopper.cu).
__device__ void makeMap(int* map, const int* tensor, int swizzle) {
  const int words[32] = {0x31504d54, (int)(unsigned long long)tensor, 2, 2, 3, swizzle, 0, 64 * 128,
                         64, 64, 1, 1, 1, 128, 0, 0, 0, 64, 64, 1, 1, 1, 1, 1, 1, 1, 1};
  for (int i = 0; i < 32; i++) map[i] = words[i];
}
__device__ void loadTile(void* to, const int* map, void* barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3}], [%2];"
               ::"r"(at(to)), "l"(map), "r"(at(barrier)), "r"(0) : "memory");
}

// <<<1, 128>>> 2048: the tile comes with a swizzle of 64 bytes, the product reads with one of 128
PAIR(swizzle64_wrong) ARGS {
  SHARED int tile[2048];
  __shared__ unsigned long long barrier;
  float d[4] = {};
  if (threadIdx.x == 0) {
    makeMap(out + 1024, in, 64);
    begin(&barrier, 1);
    expect(&barrier, 8192);
    loadTile(tile, out + 1024, &barrier);
  }
  __syncthreads();
  waitFor(&barrier, 0);
  asm volatile("wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;" // ! wrong-swizzle
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(tile, 1)), "l"(descriptor(tile, 1)) : "memory");
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}
PAIR(swizzle64_right) ARGS {
  SHARED int tile[2048];
  __shared__ unsigned long long barrier;
  float d[4] = {};
  if (threadIdx.x == 0) {
    makeMap(out + 1024, in, 128);
    begin(&barrier, 1);
    expect(&barrier, 8192);
    loadTile(tile, out + 1024, &barrier);
  }
  __syncthreads();
  waitFor(&barrier, 0);
  multiply(d, descriptor(tile, 1), descriptor(tile, 1));
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}

// <<<1, 128>>> 2048: the tile comes without a swizzle
PAIR(plain_tile_wrong) ARGS {
  SHARED int tile[2048];
  __shared__ unsigned long long barrier;
  float d[4] = {};
  if (threadIdx.x == 0) {
    makeMap(out + 1024, in, 0);
    begin(&barrier, 1);
    expect(&barrier, 8192);
    loadTile(tile, out + 1024, &barrier);
  }
  __syncthreads();
  waitFor(&barrier, 0);
  asm volatile("wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;" // ! wrong-swizzle
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(tile, 1)), "l"(descriptor(tile, 1)) : "memory");
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}
PAIR(plain_tile_right) ARGS {
  SHARED int tile[2048];
  __shared__ unsigned long long barrier;
  float d[4] = {};
  if (threadIdx.x == 0) {
    makeMap(out + 1024, in, 0);
    begin(&barrier, 1);
    expect(&barrier, 8192);
    loadTile(tile, out + 1024, &barrier);
  }
  __syncthreads();
  waitFor(&barrier, 0);
  multiply(d, descriptor(tile, 0), descriptor(tile, 0));
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}

// <<<1, 128>>> 1024: sums are read before the wait
PAIR(early_sums_wrong) ARGS {
  SHARED int tile[1024];
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
  multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
  out[threadIdx.x] = __float_as_int(d[0]); // ! early-sums
  waitForProducts<0>();
}
PAIR(early_sums_right) ARGS {
  SHARED int tile[1024];
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
  multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}

// <<<1, 128>>> 1024: the wait leaves one group, and it is the one that is read
PAIR(latest_sums_wrong) ARGS {
  SHARED int tile[1024];
  float d[4] = {}, f[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
  multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
  multiply(f, descriptor(tile, 0), descriptor(tile + 512, 0));
  waitForProducts<1>();
  out[threadIdx.x] = __float_as_int(f[0]); // ! early-sums
  waitForProducts<0>();
  out[128 + threadIdx.x] = __float_as_int(d[0]);
}
PAIR(latest_sums_right) ARGS {
  SHARED int tile[1024];
  float d[4] = {}, f[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
  multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
  multiply(f, descriptor(tile, 0), descriptor(tile + 512, 0));
  waitForProducts<1>();
  out[threadIdx.x] = __float_as_int(d[0]);
  waitForProducts<0>();
  out[128 + threadIdx.x] = __float_as_int(f[0]);
}

// <<<1, 128>>> 1024: a wait that leaves one group, with and without a wait for all before it
PAIR(drained_sums_wrong) ARGS {
  SHARED int tile[1024];
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
  multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
  waitForProducts<1>();
  out[threadIdx.x] = __float_as_int(d[0]); // ! early-sums
  waitForProducts<0>();
}
PAIR(drained_sums_right) ARGS {
  SHARED int tile[1024];
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
  multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
  waitForProducts<0>();
  waitForProducts<1>();
  out[threadIdx.x] = __float_as_int(d[0]);
}

// <<<16, 64>>> 4096 cooperative: blocks that take turns, each with copies under way
PAIR(turns_wrong) ARGS {
  __shared__ int4 row[256];
  copy16(&row[threadIdx.x], in + 256 * blockIdx.x + 4 * threadIdx.x);
  commit();
  cooperative_groups::this_grid().sync();
  out[64 * blockIdx.x + threadIdx.x] = row[threadIdx.x].x; // ! early-read
}
PAIR(turns_right) ARGS {
  __shared__ int4 row[256];
  copy16(&row[threadIdx.x], in + 256 * blockIdx.x + 4 * threadIdx.x);
  commit();
  cooperative_groups::this_grid().sync();
  wait<0>();
  out[64 * blockIdx.x + threadIdx.x] = row[threadIdx.x].x;
}

__device__ void multiplyRegisters(float (&d)[4], const unsigned (&a)[4], unsigned long long b) {
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;\n"
               "wgmma.commit_group.sync.aligned;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b) : "memory");
}
// <<<1, 128>>> 4096: registers of A get the next values while the product before still reads them
PAIR(changed_registers_wrong) ARGS {
  SHARED int tile[1024];
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
#pragma unroll 1
  for (int step = 0; step < n / 1024; step++) {
    unsigned a[4];
#pragma unroll
    for (int i = 0; i < 4; i++) a[i] = ((const volatile unsigned*)in)[1024 * step + 128 * i + threadIdx.x]; // ! changed-registers
    multiplyRegisters(d, a, descriptor(tile, 0));
  }
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}
PAIR(changed_registers_right) ARGS {
  SHARED int tile[1024];
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
#pragma unroll 1
  for (int step = 0; step < n / 1024; step++) {
    unsigned a[4];
#pragma unroll
    for (int i = 0; i < 4; i++) a[i] = ((const volatile unsigned*)in)[1024 * step + 128 * i + threadIdx.x];
    multiplyRegisters(d, a, descriptor(tile, 0));
    waitForProducts<0>();
  }
  out[threadIdx.x] = __float_as_int(d[0]);
}

__device__ void loadRegisters(unsigned (&a)[4], const int* from) {
#pragma unroll
  for (int i = 0; i < 4; i++) a[i] = ((const volatile unsigned*)from)[128 * i + threadIdx.x]; // ! changed-registers in two_sets_wrong
}
// <<<1, 128>>> 4096: of two sets of registers in turn, the second is not waited for
PAIR(two_sets_wrong) ARGS {
  SHARED int tile[1024];
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
  unsigned a[4], b[4];
#pragma unroll 1
  for (int step = 0; step < n / 1024; step += 2) {
    loadRegisters(a, in + 1024 * step);
    multiplyRegisters(d, a, descriptor(tile, 0));
    loadRegisters(b, in + 1024 * step + 1024);
    multiplyRegisters(d, b, descriptor(tile, 0));
    waitForProducts<1>();
  }
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}
PAIR(two_sets_right) ARGS {
  SHARED int tile[1024];
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 128) tile[i] = in[i];
  fence();
  __syncthreads();
  unsigned a[4], b[4];
#pragma unroll 1
  for (int step = 0; step < n / 1024; step += 2) {
    loadRegisters(a, in + 1024 * step);
    multiplyRegisters(d, a, descriptor(tile, 0));
    waitForProducts<1>();
    loadRegisters(b, in + 1024 * step + 1024);
    multiplyRegisters(d, b, descriptor(tile, 0));
    waitForProducts<1>();
  }
  waitForProducts<0>();
  out[threadIdx.x] = __float_as_int(d[0]);
}

__device__ void meet() { asm volatile("bar.sync 1, 128;" ::: "memory"); }
__device__ void arrive(void* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(barrier)) : "memory");
}
// <<<1, 160>>> 1024: the second warp frees the buffer for the whole warpgroup
PAIR(freed_by_another_warp_wrong) ARGS {
  SHARED int tile[1024];
  __shared__ unsigned long long isFree, isFull;
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 160) tile[i] = in[i];
  if (threadIdx.x == 0) begin(&isFree, 1), begin(&isFull, 32);
  fence();
  __syncthreads();
  if (threadIdx.x < 128) {
    multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
    meet();
    if (threadIdx.x == 32) arrive(&isFree);
    waitFor(&isFull, 0);
    waitForProducts<0>();
    out[threadIdx.x] = __float_as_int(d[0]);
  } else {
    waitFor(&isFree, 0);
    tile[512 + threadIdx.x - 128] = 7; // ! early-write
    arrive(&isFull);
  }
}
PAIR(freed_by_another_warp_right) ARGS {
  SHARED int tile[1024];
  __shared__ unsigned long long isFree, isFull;
  float d[4] = {};
  for (int i = threadIdx.x; i < 1024; i += 160) tile[i] = in[i];
  if (threadIdx.x == 0) begin(&isFree, 1), begin(&isFull, 32);
  fence();
  __syncthreads();
  if (threadIdx.x < 128) {
    multiply(d, descriptor(tile, 0), descriptor(tile + 512, 0));
    meet();
    if (threadIdx.x / 32 == 1) {
      waitForProducts<0>();
      if (threadIdx.x == 32) arrive(&isFree);
    } else {
      waitFor(&isFull, 0);
      waitForProducts<0>();
    }
    out[threadIdx.x] = __float_as_int(d[0]);
  } else {
    waitFor(&isFree, 0);
    tile[512 + threadIdx.x - 128] = 7;
    arrive(&isFull);
  }
}

__device__ __noinline__ int first(const int4* row) { return row[threadIdx.x].x; }
__device__ __noinline__ int second(const int4* row) { return row[threadIdx.x].y; } // ! early-read in by_pointer_wrong
// <<<1, 32>>> 128: a helper that is called by a pointer reads
PAIR(by_pointer_wrong) ARGS {
  __shared__ int4 row[32];
  int (*const helper)(const int4*) = n == 7 ? first : second;
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  commit();
  out[threadIdx.x] = helper(row);
  wait<0>();
}
PAIR(by_pointer_right) ARGS {
  __shared__ int4 row[32];
  int (*const helper)(const int4*) = n == 7 ? first : second;
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  commit();
  wait<0>();
  out[threadIdx.x] = helper(row);
}

__device__ __noinline__ void copyAll(int4* row, const int* in) {
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  commit();
}
__device__ __noinline__ void copyNothing(int4*, const int*) {}
// <<<1, 32>>> 128: a helper that is called by a pointer copies
PAIR(copied_by_pointer_wrong) ARGS {
  __shared__ int4 row[32];
  void (*const helper)(int4*, const int*) = n == 7 ? copyNothing : copyAll;
  helper(row, in);
  out[threadIdx.x] = row[threadIdx.x].x; // ! early-read
  wait<0>();
}
PAIR(copied_by_pointer_right) ARGS {
  __shared__ int4 row[32];
  void (*const helper)(int4*, const int*) = n == 7 ? copyNothing : copyAll;
  helper(row, in);
  wait<0>();
  out[threadIdx.x] = row[threadIdx.x].x;
}
