// Behind suite/async.cu: what no checker reports, and only results show. The marks are never compared.

extern "C" __global__ void paint ARGS {
  extern __shared__ int memory[];
  for (int i = threadIdx.x; i < 10000; i += blockDim.x) memory[i] = -1;
}
__device__ void reduce(void* to, const void* from, int bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;\ncp.async.bulk.commit_group;"
               ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
}
__device__ void waitForWrites() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// <<<1, 32>>> 64: the store has read its source, and nothing says that it has written
PAIR(read_only_wrong) ARGS {
  SHARED int row[32];
  row[threadIdx.x] = in[threadIdx.x] + 1;
  fence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  store(out, row, 128);
  waitForStores();
  row[1] = 5;
  out[32] = ((volatile int*)out)[1]; // ! early-global
}
PAIR(read_only_right) ARGS {
  SHARED int row[32];
  row[threadIdx.x] = in[threadIdx.x] + 1;
  fence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  store(out, row, 128);
  waitForWrites();
  row[1] = 5;
  out[32] = ((volatile int*)out)[1];
}

// <<<1, 32>>> 64: the same of a sum
PAIR(sum_wrong) ARGS {
  SHARED int row[32];
  row[threadIdx.x] = in[threadIdx.x] + 1;
  out[threadIdx.x] = 100;
  fence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  reduce(out, row, 128);
  waitForStores();
  out[32] = ((volatile int*)out)[1]; // ! early-global
}
PAIR(sum_right) ARGS {
  SHARED int row[32];
  row[threadIdx.x] = in[threadIdx.x] + 1;
  out[threadIdx.x] = 100;
  fence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  reduce(out, row, 128);
  waitForWrites();
  out[32] = ((volatile int*)out)[1];
}

// <<<1, 32>>> 64: a copy reads its source when it is waited for
PAIR(source_wrong) ARGS {
  __shared__ int4 row[8];
  out[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  if (threadIdx.x < 8) copy16(&row[threadIdx.x], out + 4 * threadIdx.x);
  commit();
  __syncwarp();
  out[threadIdx.x] = 7; // ! early-source
  wait<0>();
  __syncwarp();
  out[32 + threadIdx.x] = ((int*)row)[threadIdx.x];
}
PAIR(source_right) ARGS {
  __shared__ int4 row[8];
  out[threadIdx.x] = in[threadIdx.x];
  __syncwarp();
  if (threadIdx.x < 8) copy16(&row[threadIdx.x], out + 4 * threadIdx.x);
  commit();
  wait<0>();
  __syncwarp();
  out[threadIdx.x] = 7;
  out[32 + threadIdx.x] = ((int*)row)[threadIdx.x];
}

// <<<2, 32>>> 64 clusters: sums of two blocks in the shared memory of the first
PAIR(cluster_sum_wrong) ARGS {
  SHARED int row[32];
  SHARED int own[32];
  __shared__ __align__(8) unsigned long long barrier;
  unsigned there, first;
  row[threadIdx.x] = 1000;
  own[threadIdx.x] = in[threadIdx.x] + 1;
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    begin(&barrier, 1);
    expect(&barrier, 256);
  }
  fence();
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  if (threadIdx.x == 0) {
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(at(row)));
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"(at(&barrier)));
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, [%3];"
                 ::"r"(there), "r"(at(own)), "r"(128), "r"(first) : "memory");
  }
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  if (blockIdx.x == 0) out[threadIdx.x] = row[threadIdx.x]; // ! early-read
  if (blockIdx.x == 0) waitFor(&barrier, 0);
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
PAIR(cluster_sum_right) ARGS {
  SHARED int row[32];
  SHARED int own[32];
  __shared__ __align__(8) unsigned long long barrier;
  unsigned there, first;
  row[threadIdx.x] = 1000;
  own[threadIdx.x] = in[threadIdx.x] + 1;
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    begin(&barrier, 1);
    expect(&barrier, 256);
  }
  fence();
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  if (threadIdx.x == 0) {
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(at(row)));
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"(at(&barrier)));
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, [%3];"
                 ::"r"(there), "r"(at(own)), "r"(128), "r"(first) : "memory");
  }
  if (blockIdx.x == 0) waitFor(&barrier, 0);
  if (blockIdx.x == 0) out[threadIdx.x] = row[threadIdx.x];
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

// <<<1, 32>>> 128: a barrier counts the arrivals of the copies
PAIR(tracked_wrong) ARGS {
  __shared__ int4 row[32];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) begin(&barrier, 32);
  __syncthreads();
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at(&barrier)) : "memory");
  __syncthreads();
  out[threadIdx.x] = row[31 - threadIdx.x].x; // ! early-read
  waitFor(&barrier, 0);
}
PAIR(tracked_right) ARGS {
  __shared__ int4 row[32];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) begin(&barrier, 32);
  __syncthreads();
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at(&barrier)) : "memory");
  waitFor(&barrier, 0);
  out[threadIdx.x] = row[31 - threadIdx.x].x;
}

// <<<1, 32>>> 128: an arrival more, which the barrier does not expect; and a wait for the thread's own copies
PAIR(tracked_more_wrong) ARGS {
  __shared__ int4 row[32];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) begin(&barrier, 32);
  __syncthreads();
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(at(&barrier)) : "memory");
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&barrier)) : "memory");
  out[threadIdx.x] = row[threadIdx.x].x; // ! early-read
  waitFor(&barrier, 0);
}
PAIR(tracked_more_right) ARGS {
  __shared__ int4 row[32];
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0) begin(&barrier, 32);
  __syncthreads();
  copy16(&row[threadIdx.x], in + 4 * threadIdx.x);
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(at(&barrier)) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[threadIdx.x] = row[threadIdx.x].x;
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&barrier)) : "memory");
  waitFor(&barrier, 0);
}

// <<<2, 32>>> 64 clusters: a block sends numbers to the other one
PAIR(sent_wrong) ARGS {
  SHARED long long row[32];
  __shared__ __align__(8) unsigned long long barrier;
  unsigned there, first;
  row[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    begin(&barrier, 1);
    expect(&barrier, 256);
  }
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(row + threadIdx.x)), "r"(1 - blockIdx.x));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(first) : "r"(at(&barrier)), "r"(1 - blockIdx.x));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.s64 [%0], %1, [%2];"
               ::"r"(there), "l"((long long)in[threadIdx.x] << 32 | 7), "r"(first) : "memory");
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  out[32 * blockIdx.x + threadIdx.x] = (int)(row[threadIdx.x] >> 32) + (int)row[threadIdx.x]; // ! early-read
  waitFor(&barrier, 0);
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
PAIR(sent_right) ARGS {
  SHARED long long row[32];
  __shared__ __align__(8) unsigned long long barrier;
  unsigned there, first;
  row[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    begin(&barrier, 1);
    expect(&barrier, 256);
  }
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(row + threadIdx.x)), "r"(1 - blockIdx.x));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(first) : "r"(at(&barrier)), "r"(1 - blockIdx.x));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.s64 [%0], %1, [%2];"
               ::"r"(there), "l"((long long)in[threadIdx.x] << 32 | 7), "r"(first) : "memory");
  waitFor(&barrier, 0);
  out[32 * blockIdx.x + threadIdx.x] = (int)(row[threadIdx.x] >> 32) + (int)row[threadIdx.x];
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

__device__ __noinline__ void leave() { asm volatile("exit;"); }
// <<<1, 32>>> 64: the thread ends in a function that it has called; what it has stored is there then
PAIR(leave_wrong) ARGS {
  SHARED int row[32];
  row[threadIdx.x] = in[threadIdx.x] + 1;
  fence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  store(out, row, 128);
  waitForStores();
  out[32] = ((volatile int*)out)[1]; // ! early-global
  if (n == 64) leave();
  out[33] = 1;
}
PAIR(leave_right) ARGS {
  SHARED int row[32];
  row[threadIdx.x] = in[threadIdx.x] + 1;
  fence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  store(out, row, 128);
  waitForStores();
  out[32] = in[2];
  if (n == 64) leave();
  out[33] = 1;
}
