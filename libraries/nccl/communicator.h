// Communicators and what their ranks have asked for and not done yet.
//
// An operation runs when every rank that takes part has asked for it: then one host thread issues the work of all of
// them, each on its own stream. A host thread whose operation waits for other ranks waits inside of its call.
#pragma once
#include <nccl.h>
#include <deque>
#include <map>
#include <string>
#include <vector>

/// Waits until `ready` holds, while other host threads run (hostlib/threads.cpp). 0: no thread can make it true any
/// more.
extern "C" int __heddle_wait_until(int (*ready)(void *), void *argument, const char *what);

namespace heddle_nccl {

constexpr int MOST_RANKS = 64;

enum Kind { ALL_REDUCE, REDUCE, REDUCE_SCATTER, BROADCAST, ALL_GATHER, ALL_TO_ALL, GATHER, SCATTER, SEND, RECEIVE,
    SPLIT };

/// What one rank asks for.
struct Operation {
  Kind kind;
  const char *name; // the function
  const void *send;
  void *receive;
  size_t count;
  ncclDataType_t type;
  ncclRedOp_t op;
  int peer; // the root, or the other side; 0 where there is none
  ncclComm_t comm;
  cudaStream_t stream;
  // of SPLIT: NCCL_SPLIT_NOCOLOR leaves the rank out
  int color, key;
  ncclComm_t *made;
  std::vector<int> excluded;

  bool isDone = false;
  ncclResult_t status = ncclSuccess;
};

/// The scalar of ncclRedOpCreatePreMulSum.
struct Factor {
  bool isUsed = false;
  ncclDataType_t type;
  const void *onDevice; // null: `value`
  unsigned char value[8];
  ncclRedOp_t nvidia;
};

/// What the ranks of a communicator share.
struct Clique {
  int size = 0, joined = 0, alive = 0;
  std::vector<ncclComm_t> ranks;
  bool isAborted = false;
  /// NVIDIA's communicators do the work.
  bool hasNvidia = false;
  /// Memory on a device for other devices' data, where a kernel cannot read that.
  std::map<int, std::pair<void *, size_t>> staging;
};

} // namespace heddle_nccl

struct ncclComm {
  heddle_nccl::Clique *clique = nullptr;
  int rank = 0, device = 0;
  ncclResult_t asyncError = ncclSuccess;
  bool isFinal = false;
  std::string message;
  /// Operations of all ranks, in their order.
  std::deque<heddle_nccl::Operation *> collectives;
  /// By the other rank.
  std::map<int, std::deque<heddle_nccl::Operation *>> sends, receives;
  std::vector<heddle_nccl::Factor> factors;
  unsigned long long nvidia = 0;
};

namespace heddle_nccl {

inline size_t bytes_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8: case ncclUint8: case ncclFloat8e4m3: case ncclFloat8e5m2: return 1;
    case ncclFloat16: case ncclBfloat16: return 2;
    case ncclInt32: case ncclUint32: case ncclFloat32: return 4;
    default: return 8;
  }
}

/// Keeps the current device of the caller.
struct DeviceGuard {
  int device = 0;
  DeviceGuard() { cudaGetDevice(&device); }
  ~DeviceGuard() { cudaSetDevice(device); }
};

/// What ncclGetLastError returns, and the status.
ncclResult_t refuse(ncclComm_t comm, ncclResult_t status, const std::string &message);
/// Runs everything that all of its ranks have asked for.
void progress(Clique &clique);
/// Issues the work of an operation of all ranks: `parts` by rank.
ncclResult_t execute(Clique &clique, const std::vector<Operation *> &parts);
/// Issues the copy of a pair of ncclSend and ncclRecv.
ncclResult_t transfer(const Operation &send, const Operation &receive);

} // namespace heddle_nccl
