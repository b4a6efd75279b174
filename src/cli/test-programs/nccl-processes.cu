// NCCL over two processes: host threads that enter communicators in opposite orders, and a count that is too large.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

static void ok(int status, const char *call, int line) {
  if (status == 0) return;
  printf("%s: %d in line %d\n", call, status, line);
  exit(1);
}
#define OK(CALL) ok((int)(CALL), #CALL, __LINE__)

static int rank;
static ncclComm_t communicator() {
  ncclUniqueId id;
  ncclComm_t comm;
  if (rank == 0) OK(ncclGetUniqueId(&id));
  OK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
  OK(ncclCommInitRank(&comm, 2, id, rank));
  return comm;
}
/// The sum of all ranks' `value` + i.
static void sums(ncclComm_t comm, float value) {
  const int N = 3000;
  float host[N], *x;
  for (int i = 0; i < N; i++) host[i] = (value + (float)i) * (float)(rank + 1);
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  OK(ncclAllReduce(x, x, N, ncclFloat, ncclSum, comm, 0));
  OK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i++)
    if (host[i] != (value + (float)i) * 3) printf("rank %d: element %d is %g\n", rank, i, host[i]), exit(1);
  cudaFree(x);
}
/// A group that is captured, and runs twice: a ring, and a sum behind a kernel's work.
__global__ void add(float *x, float value) { *x += value; }
static void graph(ncclComm_t comm) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  float *x, start[] = {(float)rank, 0}, end[2];
  OK(cudaMalloc(&x, sizeof start));
  OK(cudaMemcpy(x, start, sizeof start, cudaMemcpyHostToDevice));
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(x, 1);
  OK(ncclGroupStart());
  OK(ncclRecv(x + 1, 1, ncclFloat, 1 - rank, comm, stream));
  OK(ncclSend(x, 1, ncclFloat, 1 - rank, comm, stream));
  OK(ncclGroupEnd());
  OK(ncclAllReduce(x, x, 1, ncclFloat, ncclMax, comm, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaMemcpy(end, x, sizeof end, cudaMemcpyDeviceToHost));
  if (end[0] != (float)rank) printf("rank %d: the capture has run\n", rank), exit(1);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; i++) OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemcpy(end, x, sizeof end, cudaMemcpyDeviceToHost));
  // 0 and 1 become 1 and 2, then 2 and 2, then 3 and 3.
  if (end[0] != 3 || end[1] != 3) printf("rank %d: the graph has %g and %g\n", rank, end[0], end[1]), exit(1);
  OK(cudaGraphExecDestroy(exec)), OK(cudaGraphDestroy(graph)), OK(cudaStreamDestroy(stream));
  cudaFree(x);
}
/// A sum on one stream while another stream is captured: what the library allocates is no part of the capture.
static void besides_capture(ncclComm_t comm) {
  cudaStream_t captured, stream;
  cudaGraph_t graph;
  float *x, value = (float)(rank + 1);
  OK(cudaMalloc(&x, sizeof value));
  OK(cudaMemcpy(x, &value, sizeof value, cudaMemcpyHostToDevice));
  OK(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
  OK(ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comm, stream));
  OK(cudaStreamEndCapture(captured, &graph));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost));
  if (value != 3) printf("rank %d: the sum besides a capture is %g\n", rank, value), exit(1);
  OK(cudaGraphDestroy(graph)), OK(cudaStreamDestroy(stream)), OK(cudaStreamDestroy(captured));
  cudaFree(x);
}
/// One host thread aborts what another one waits in, for a rank that does not come.
static void abort_waiting() {
  ncclComm_t comm = communicator();
  if (rank == 0) {
    float *x;
    OK(cudaMalloc(&x, sizeof(float)));
    ncclResult_t status = ncclSuccess;
    std::thread waits([&] {
      OK(cudaSetDevice(rank));
      status = ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comm, 0);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    OK(ncclCommAbort(comm));
    waits.join();
    if (status != ncclRemoteError) printf("an aborted call returns %d\n", status), exit(1);
    cudaFree(x);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (rank == 1) OK(ncclCommAbort(comm));
}
/// Two ranks in the first process and one in the other: a graph that has not all ranks of its process cannot run.
static void graph_of_one() {
  ncclUniqueId id;
  ncclComm_t comms[2];
  int own = rank == 0 ? 2 : 1;
  if (rank == 0) OK(ncclGetUniqueId(&id));
  OK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
  OK(ncclGroupStart());
  for (int i = 0; i < own; i++) OK(cudaSetDevice(rank + i)), OK(ncclCommInitRank(&comms[i], 3, id, 2 * rank + i));
  OK(ncclGroupEnd());
  OK(cudaSetDevice(rank));
  if (rank == 0) {
    cudaStream_t stream;
    cudaGraph_t graph;
    float *x;
    OK(cudaMalloc(&x, sizeof(float)));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    ncclResult_t alone = ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comms[0], stream);
    OK(ncclGroupStart());
    OK(ncclSend(x, 1, ncclFloat, 2, comms[0], stream));
    OK(ncclSend(x, 1, ncclFloat, 1, comms[0], stream));
    ncclResult_t pair = ncclGroupEnd();
    OK(cudaStreamEndCapture(stream, &graph));
    if (alone != ncclInvalidUsage || pair != ncclInvalidUsage)
      printf("graphs of one of two ranks: %d, %d\n", alone, pair), exit(1);
    OK(cudaGraphDestroy(graph)), OK(cudaStreamDestroy(stream));
    cudaFree(x);
  }
  for (int i = 0; i < own; i++) OK(ncclCommDestroy(comms[i]));
}
/// Two works, each by a thread of its own, which begin in opposite orders in the two processes.
static void cross(const std::function<void()> &one, const std::function<void()> &other) {
  std::thread first([&] { OK(cudaSetDevice(rank)), rank == 0 ? one() : other(); });
  std::thread second([&] { OK(cudaSetDevice(rank)), rank == 0 ? other() : one(); });
  first.join(), second.join();
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OK(cudaSetDevice(rank));
  ncclComm_t x = communicator();
  if (argc > 1 && !strcmp(argv[1], "beyond")) {
    // As the barrier of karpathy/llm.c: four elements of a buffer of one.
    float *one;
    OK(cudaMallocManaged(&one, sizeof(float)));
    *one = (float)(rank + 1);
    OK(ncclAllReduce(one, one, sizeof(float), ncclFloat, ncclSum, x, 0));
    OK(cudaDeviceSynchronize());
    printf("the sum is %g\n", *one);
    cudaFree(one);
  } else {
    ncclComm_t y = communicator(), part = nullptr;
    besides_capture(x);
    cross([&] { sums(x, 1); }, [&] { sums(y, 2); });
    cross([&] { OK(ncclCommSplit(x, 0, -rank, &part, nullptr)); }, [&] { sums(y, 3); });
    int inPart;
    OK(ncclCommUserRank(part, &inPart));
    if (inPart != 1 - rank) printf("rank %d is %d in the part\n", rank, inPart);
    graph(x);
    abort_waiting();
    graph_of_one();
    // One thread, whose groups have opposite orders.
    float *d;
    OK(cudaMalloc(&d, 2 * sizeof(float)));
    OK(ncclGroupStart());
    for (int i = 0; i < 2; i++) OK(ncclAllReduce(d + (i ^ rank), d + (i ^ rank), 1, ncclFloat, ncclSum, i ^ rank ? y : x, 0));
    OK(ncclGroupEnd());
    OK(cudaDeviceSynchronize());
    cudaFree(d);
    OK(ncclCommDestroy(part)), OK(ncclCommDestroy(y));
    printf("PASSED\n");
  }
  OK(ncclCommDestroy(x));
  MPI_Finalize();
}
