// Calls of NCCL while a stream is captured, with one rank.
#pragma once
#include <nccl.h>
#include "capture-cases.h"

struct Nccl : Memory {
  static constexpr const char *LIBRARY = "nccl";
  static constexpr int N = 1024;
  static std::string name_of(int status) {
    NAMED(ncclSuccess);
    NAMED(ncclUnhandledCudaError);
    NAMED(ncclSystemError);
    NAMED(ncclInternalError);
    NAMED(ncclInvalidArgument);
    NAMED(ncclInvalidUsage);
    NAMED(ncclRemoteError);
    NAMED(ncclInProgress);
    return unnamed(status);
  }
  ncclComm_t comm = nullptr, made = nullptr;
  float *x, *y;
  void *memory = nullptr, *registered = nullptr;
  ncclRedOp_t op;
  bool has_op = false;
  float scale = 2;
  int count = 0;
  ncclUniqueId id;
  ncclResult_t asynchronous = ncclSuccess;

  explicit Nccl(cudaStream_t stream) : Memory(stream) {
    x = of(std::vector<float>(N, 1)), y = of(std::vector<float>(N));
    int device = 0;
    NEED(ncclCommInitAll(&comm, 1, &device));
  }
  ~Nccl() {
    if (registered) ncclCommDeregister(comm, registered);
    if (has_op) ncclRedOpDestroy(op, comm);
    if (memory) ncclMemFree(memory);
    if (made) ncclCommDestroy(made);
    if (comm) ncclCommDestroy(comm);
  }
  int all_reduce(cudaStream_t on) { return ncclAllReduce(x, y, N, ncclFloat, ncclSum, comm, on); }
};

static void nccl_cases() {
  using S = Nccl;
  const int N = S::N;
  first<S>("AllReduce, first call", [](S &s) { return s.all_reduce(s.stream); });
  again<S>("AllReduce", [](S &s) { return s.all_reduce(s.stream); });
  again<S>("AllReduce, on the default stream", [](S &s) { return s.all_reduce(nullptr); });
  again<S>("AllReduce, in place", [](S &s) {
    return (int)ncclAllReduce(s.x, s.x, N, ncclFloat, ncclSum, s.comm, s.stream);
  });
  again<S>("Broadcast", [](S &s) { return (int)ncclBroadcast(s.x, s.y, N, ncclFloat, 0, s.comm, s.stream); });
  again<S>("AllGather", [](S &s) { return (int)ncclAllGather(s.x, s.y, N, ncclFloat, s.comm, s.stream); });
  again<S>("a group of AllReduce and Reduce", [](S &s) {
    int status = ncclGroupStart();
    if (status == 0) status = s.all_reduce(s.stream);
    if (status == 0) status = ncclReduce(s.x, s.y, N, ncclFloat, ncclSum, 0, s.comm, s.stream);
    int end = ncclGroupEnd();
    return status != 0 ? status : end;
  });
  again<S>("Send and Recv, to itself", [](S &s) {
    int status = ncclGroupStart();
    if (status == 0) status = ncclSend(s.x, N, ncclFloat, 0, s.comm, s.stream);
    if (status == 0) status = ncclRecv(s.y, N, ncclFloat, 0, s.comm, s.stream);
    int end = ncclGroupEnd();
    return status != 0 ? status : end;
  });
  first<S>("RedOpCreatePreMulSum", [](S &s) {
    int status = ncclRedOpCreatePreMulSum(&s.op, &s.scale, ncclFloat, ncclScalarHostImmediate, s.comm);
    s.has_op = status == 0;
    return status;
  });
  first<S>("CommCount", [](S &s) { return (int)ncclCommCount(s.comm, &s.count); });
  first<S>("CommGetAsyncError", [](S &s) { return (int)ncclCommGetAsyncError(s.comm, &s.asynchronous); });
  first<S>("GetUniqueId", [](S &s) { return (int)ncclGetUniqueId(&s.id); });
  first<S>("CommRegister",
           [](S &s) { return (int)ncclCommRegister(s.comm, s.x, N * sizeof(float), &s.registered); });
  first<S>("MemAlloc", [](S &s) { return (int)ncclMemAlloc(&s.memory, 4096); });
  captured<S>("MemFree", [](S &s) {
    int status = ncclMemFree(s.memory);
    s.memory = nullptr;
    return status;
  }, [](S &s) { NEED(ncclMemAlloc(&s.memory, 4096)); });
  captured<S>("CommDestroy, after a call", [](S &s) {
    int status = ncclCommDestroy(s.comm);
    s.comm = nullptr;
    return status;
  }, [](S &s) { NEED(s.all_reduce(s.stream)); });
  first<S>("CommSplit", [](S &s) { return (int)ncclCommSplit(s.comm, 0, 0, &s.made, nullptr); });
  first<S>("CommInitAll", [](S &s) {
    int device = 0;
    return (int)ncclCommInitAll(&s.made, 1, &device);
  });
}
