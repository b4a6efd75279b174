// Communicators and what their ranks have asked for and not done yet.
//
// An operation runs when every rank that takes part has asked for it: then one host thread issues the work of all of
// them, each on its own stream. A host thread whose operation waits for other ranks waits inside of its call.
// Ranks of other processes are asked, and send and receive data, through a room (processes.cpp).
#pragma once
#include <nccl.h>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// Waits until `ready` holds, while other host threads run (hostlib/threads.cpp). 0: no thread can make it true any
/// more.
extern "C" int __heddle_wait_until(int (*ready)(void *), void *argument, const char *what);

namespace heddle_nccl {

constexpr int MOST_RANKS = 64;

enum Kind { ALL_REDUCE, REDUCE, REDUCE_SCATTER, BROADCAST, ALL_GATHER, ALL_TO_ALL, GATHER, SCATTER, SEND, RECEIVE,
    SPLIT };
inline bool is_reduction(Kind kind) { return kind == ALL_REDUCE || kind == REDUCE || kind == REDUCE_SCATTER; }

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

/// What a rank says of itself to other processes.
struct RankInfo {
  int size, device;
  char process[16];
};
/// What a rank asks for, for other processes.
struct Call {
  unsigned sequence;
  int kind, type, op, peer, color, key, device;
  unsigned long long count;
  unsigned char factor[8];
};
/// A call of which only the first bytes may be there.
struct Letter {
  Call call;
  int bytes = 0;
};

struct Clique;
class Exchange;
/// A part of a split whose ranks of other processes have not all come.
struct Joining {
  std::shared_ptr<Clique> part;
  /// Its ranks, in the parent.
  std::vector<int> ranks;
};

/// What the ranks of one process know of those of others.
struct Outside {
  /// 0: all ranks are in this process.
  int room = 0;
  std::string name;
  /// By rank. Ranks of this process stay here when their communicator has been destroyed.
  std::vector<char> isHere, isKnown;
  std::vector<RankInfo> infos;
  /// The first rank of the same process.
  std::vector<int> leaders;
  /// The next collective: whether the other processes know it, and what they have said.
  bool isAnnounced = false;
  unsigned sequence = 0, splits = 0;
  std::vector<Letter> heard;
  /// The collective that goes on: its ranks have all asked for it.
  std::shared_ptr<Exchange> exchange;
  std::vector<Joining> joining;
  /// The next send of a rank, by sender and receiver.
  std::map<std::pair<int, int>, Letter> pairs;
  std::vector<char> buffer;
};

/// What the ranks of a communicator share.
struct Clique {
  int size = 0, joined = 0, alive = 0;
  std::vector<ncclComm_t> ranks;
  bool isAborted = false;
  /// All ranks are there, of other processes, too.
  bool isComplete = false;
  /// Why ranks of other processes cannot come.
  ncclResult_t joining = ncclInProgress;
  /// Of a clique that is forming: the id.
  std::string id;
  /// NVIDIA's communicators do the work.
  bool hasNvidia = false;
  /// Memory on a device for other devices' data, where a kernel cannot read that.
  std::map<int, std::pair<void *, size_t>> staging;
  Outside outside;
};

} // namespace heddle_nccl

struct ncclComm {
  heddle_nccl::Clique *clique = nullptr;
  int rank = 0, device = 0;
  ncclResult_t asyncError = ncclSuccess;
  bool isFinal = false, isRevoked = false;
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
const std::string &last_message();
/// Runs everything that all of its ranks have asked for.
void progress(Clique &clique);
/// Issues the work of an operation of all ranks: `parts` by rank.
ncclResult_t execute(Clique &clique, const std::vector<Operation *> &parts);
/// Issues the copy of a pair of ncclSend and ncclRecv.
ncclResult_t transfer(const Operation &send, const Operation &receive);
void end_operation(Operation &operation, ncclResult_t status);
std::string described(const Operation &operation);
/// The first rank whose call does not fit rank 0's, or 0.
size_t mismatch(const std::vector<Operation *> &parts);
/// Ends `parts`, whose ranks disagree: `other` with the first one.
ncclResult_t refuse_mismatch(const std::vector<Operation *> &parts, size_t other);
/// Makes the communicators of a split. Parts that are not complete then are in `joining`.
/// @param parts of all ranks that take part, also of other processes
ncclResult_t split(Clique &clique, const std::vector<Operation *> &parts, const std::vector<int> &ranks);
/// When all ranks are known: NVIDIA's library makes communicators of its own for those of this process.
void complete(Clique &clique);

// ---------------------------------------------------------------- several processes (processes.cpp)

/// Makes the ranks of this process known under the communicator's name.
ncclResult_t enter_room(Clique &clique, const std::string &name);
/// Looks for ranks of other processes. ncclInProgress: some have not come yet.
ncclResult_t look_for_ranks(Clique &clique);
/// Does the next collective of the clique, if all ranks have asked for it. False: it could do nothing.
bool meet(Clique &clique);
/// Sends and receives what ranks of this process have asked for with ranks of others.
void exchange_pairs(Clique &clique);
/// Looks for the ranks of other processes in the parts of a split. ncclInProgress: some have not come yet.
ncclResult_t join_parts(Clique &parent);
/// NVIDIA's communicators for a clique over several processes.
void complete_outside(Clique &clique);
/// Which ranks a rank waits for, for people.
std::string missing_ranks(const Operation &operation);

} // namespace heddle_nccl
