// A thread for each rank: an id, collectives in turn with kernels, a split, wrong calls, a rank that ends, a
// revocation.
#include <nccl.h>
#include <chrono>
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

/// Revoked: what waits ends, nothing new begins, and a split goes on.
static void revoke() {
  ncclComm_t comms[2], made[2];
  int size = 0;
  EXPECT(ncclCommInitAll(comms, 2, nullptr), ncclSuccess);
  float *x;
  EXPECT(cudaMalloc(&x, sizeof(float)), 0);
  std::thread waits([&] { EXPECT(ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comms[0], 0), ncclInvalidUsage); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT(ncclCommRevoke(comms[0], NCCL_REVOKE_DEFAULT), ncclSuccess);
  waits.join();
  EXPECT(ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comms[0], 0), ncclInvalidUsage);
  EXPECT(ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comms[1], 0), ncclRemoteError);
  std::thread splits([&] { EXPECT(ncclCommSplit(comms[0], 0, 0, &made[0], nullptr), ncclSuccess); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT(ncclCommRevoke(comms[1], NCCL_REVOKE_DEFAULT), ncclSuccess);
  EXPECT(ncclCommSplit(comms[1], 0, 1, &made[1], nullptr), ncclSuccess);
  splits.join();
  for (int i = 0; i < 2; i++) {
    EXPECT(ncclCommCount(made[i], &size), ncclSuccess);
    expect(size, 2, "ranks after a revocation");
    EXPECT(ncclCommDestroy(made[i]), ncclSuccess);
    EXPECT(ncclCommDestroy(comms[i]), ncclSuccess);
  }
  EXPECT(cudaFree(x), 0);
}

/// One host thread aborts what another one waits in, also where no other rank is left.
static void abort_waiting() {
  ncclComm_t comms[2];
  float *x;
  EXPECT(ncclCommInitAll(comms, 2, nullptr), ncclSuccess);
  EXPECT(cudaMalloc(&x, sizeof(float)), 0);
  for (int i = 0; i < 2; i++) {
    std::thread waits([&] { EXPECT(ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comms[i], 0), ncclRemoteError); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT(ncclCommAbort(comms[i]), ncclSuccess);
    waits.join();
    if (i == 1) break;
    EXPECT(ncclCommDestroy(comms[1]), ncclSuccess);
    EXPECT(ncclCommInitAll(comms, 2, nullptr), ncclSuccess);
    EXPECT(ncclCommDestroy(comms[0]), ncclSuccess);
  }
  EXPECT(cudaFree(x), 0);
}

/// A graph that holds the operations of both ranks, launched twice.
static void graph() {
  ncclComm_t comms[2];
  cudaStream_t streams[2];
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  float *x[2], values[] = {1, 2};
  EXPECT(ncclCommInitAll(comms, 2, nullptr), ncclSuccess);
  for (int i = 0; i < 2; i++) {
    EXPECT(cudaSetDevice(i), 0);
    EXPECT(cudaStreamCreate(&streams[i]), 0);
    EXPECT(cudaEventCreate(i == 0 ? &fork : &join), 0);
    EXPECT(cudaMalloc(&x[i], sizeof(float)), 0);
    EXPECT(cudaMemcpy(x[i], &values[i], sizeof(float), cudaMemcpyHostToDevice), 0);
  }
  EXPECT(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), 0);
  EXPECT(cudaEventRecord(fork, streams[0]), 0);
  EXPECT(cudaStreamWaitEvent(streams[1], fork), 0);
  for (int i = 0; i < 2; i++) EXPECT(cudaSetDevice(i), 0), twice<<<1, 1, 0, streams[i]>>>(x[i], 1);
  EXPECT(ncclGroupStart(), ncclSuccess);
  for (int i = 0; i < 2; i++)
    EXPECT(ncclAllReduce(x[i], x[i], 1, ncclFloat, ncclSum, comms[i], streams[i]), ncclSuccess);
  EXPECT(ncclGroupEnd(), ncclSuccess);
  EXPECT(cudaEventRecord(join, streams[1]), 0);
  EXPECT(cudaStreamWaitEvent(streams[0], join), 0);
  EXPECT(cudaStreamEndCapture(streams[0], &graph), 0);
  EXPECT(cudaGraphInstantiate(&exec, graph, 0), 0);
  for (int i = 0; i < 2; i++) EXPECT(cudaGraphLaunch(exec, streams[0]), 0);
  EXPECT(cudaStreamSynchronize(streams[0]), 0);
  for (int i = 0; i < 2; i++) {
    EXPECT(cudaMemcpy(&values[i], x[i], sizeof(float), cudaMemcpyDeviceToHost), 0);
    expect((int)values[i], 24, "a sum of a graph");
    EXPECT(cudaFree(x[i]), 0);
    EXPECT(cudaStreamDestroy(streams[i]), 0);
    EXPECT(ncclCommDestroy(comms[i]), ncclSuccess);
  }
  EXPECT(cudaGraphExecDestroy(exec), 0);
  EXPECT(cudaGraphDestroy(graph), 0);
  EXPECT(cudaSetDevice(0), 0);
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
  revoke();
  abort_waiting();
  graph();
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
