// A thread for each rank: an id, collectives in turn with kernels, a split, wrong calls, a rank that ends.
#include <nccl.h>
#include <cstdio>
#include <thread>
#include <vector>

static int failures = 0;
#define EXPECT(call, wanted) expect((int)(call), (int)(wanted), #call)
static void expect(int got, int wanted, const char *call) {
  if (got != wanted) printf("%s is %d, not %d\n", call, got, wanted), failures++;
}
__global__ void twice(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

static const int RANKS = 4, N = 1000;
static void work(int rank, ncclUniqueId id) {
  EXPECT(cudaSetDevice(rank), 0);
  ncclComm_t comm, half;
  cudaStream_t stream;
  float *x;
  EXPECT(ncclCommInitRank(&comm, RANKS, id, rank), ncclSuccess);
  EXPECT(cudaStreamCreate(&stream), 0);
  EXPECT(cudaMalloc(&x, N * sizeof(float)), 0);
  std::vector<float> host(N, (float)rank + 1);
  EXPECT(cudaMemcpyAsync(x, host.data(), N * sizeof(float), cudaMemcpyHostToDevice, stream), 0);
  for (int step = 0; step < 3; step++) {
    twice<<<(N + 255) / 256, 256, 0, stream>>>(x, N);
    EXPECT(ncclAllReduce(x, x, N, ncclFloat, ncclSum, comm, stream), ncclSuccess);
  }
  EXPECT(cudaMemcpyAsync(host.data(), x, N * sizeof(float), cudaMemcpyDeviceToHost, stream), 0);
  EXPECT(cudaStreamSynchronize(stream), 0);
  for (float value : host) expect((int)value, 10 * 2 * 8 * 8, "a sum");
  int size = 0, own = -1, device = -1;
  EXPECT(ncclCommSplit(comm, rank % 2, -rank, &half, nullptr), ncclSuccess);
  EXPECT(ncclCommCount(half, &size), ncclSuccess);
  EXPECT(ncclCommUserRank(half, &own), ncclSuccess);
  EXPECT(ncclCommCuDevice(half, &device), ncclSuccess);
  expect(size, 2, "size"), expect(own, rank < 2, "rank"), expect(device, rank, "device");
  EXPECT(ncclCommDestroy(half), ncclSuccess);
  EXPECT(ncclAllReduce(x, x, N, ncclNumTypes, ncclSum, comm, stream), ncclInvalidArgument);
  EXPECT(ncclBroadcast(x, x, N, ncclFloat, RANKS, comm, stream), ncclInvalidArgument);
  EXPECT(ncclReduce(x, x, N, ncclFloat, (ncclRedOp_t)9, 0, comm, stream), ncclInvalidArgument);
  EXPECT(ncclAllReduce(x, x, rank == 1 ? N - 1 : N, ncclFloat, ncclSum, comm, stream), ncclInvalidUsage);
  // Rank 3 ends without this one.
  ncclResult_t error = ncclSuccess;
  if (rank != 3) {
    EXPECT(ncclAllReduce(x, x, N, ncclFloat, ncclSum, comm, stream), ncclRemoteError);
    EXPECT(ncclCommGetAsyncError(comm, &error), ncclSuccess);
    expect(error, ncclRemoteError, "the error");
  }
  EXPECT(ncclCommAbort(comm), ncclSuccess);
  EXPECT(ncclAllReduce(x, x, N, ncclFloat, ncclSum, comm, stream), ncclInvalidArgument);
}

int main() {
  ncclUniqueId id;
  EXPECT(ncclGetUniqueId(&id), ncclSuccess);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < RANKS; rank++) threads.emplace_back(work, rank, id);
  for (auto &thread : threads) thread.join();
  ncclComm_t comms[2];
  int same[] = {0, 0}, none[] = {0, 99};
  EXPECT(ncclCommInitAll(comms, 2, same), ncclInvalidUsage);
  EXPECT(ncclCommInitAll(comms, 2, none), ncclInvalidArgument);
  EXPECT(ncclGroupEnd(), ncclInvalidUsage);
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
