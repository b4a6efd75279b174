// NCCL's functions (NCCL documentation, "NCCL API"): arguments are checked, operations are queued for their ranks, and
// run when all ranks have asked for them. On GPUs NVIDIA's library does the work where it is found.
#include <algorithm>
#include <memory>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../common/captures.h"
#include "../common/nvidia.h"
#include "../common/rooms.h"
#include "communicator.h"

using namespace heddle_nccl;
using namespace heddle_nvidia;

namespace {

/// What a host thread has asked for since its ncclGroupStart.
struct Group {
  int depth = 0;
  ncclResult_t status = ncclSuccess;
  std::vector<std::unique_ptr<Operation>> operations;
  std::vector<std::shared_ptr<Clique>> joined;
  /// Of a wait for other processes.
  double waitsSince = 0;
  bool isTold = false;
};

struct State {
  std::vector<ncclComm_t> comms; // live ones
  std::map<ncclComm_t, std::shared_ptr<Clique>> cliques;
  std::map<std::string, std::shared_ptr<Clique>> forming; // by unique id
  std::map<pthread_t, Group> groups;
  std::string message;
};
State &state() {
  static State all;
  return all;
}

bool is_live(ncclComm_t comm) {
  const auto &comms = state().comms;
  return comm && std::find(comms.begin(), comms.end(), comm) != comms.end();
}

ncclComm_t make_comm(const std::shared_ptr<Clique> &clique, int rank, int device) {
  ncclComm_t comm = new ncclComm;
  comm->clique = clique.get();
  comm->rank = rank;
  comm->device = device;
  clique->ranks[rank] = comm;
  clique->joined++;
  clique->alive++;
  state().comms.push_back(comm);
  state().cliques[comm] = clique;
  return comm;
}

std::shared_ptr<Clique> make_clique(int size) {
  auto clique = std::make_shared<Clique>();
  clique->size = size;
  clique->ranks.assign(size, nullptr);
  return clique;
}

/// A function of NVIDIA's library without a stream. It has run, or there is none.
int nvidia_call(ncclComm_t comm, const char *name) {
  DeviceGuard guard;
  cudaSetDevice(comm->device);
  return call_nvidia(comm, "nccl", 0, name, comm->nvidia);
}

const char *text_of(ncclResult_t result) {
  switch (result) {
    case ncclSuccess: return "no error";
    case ncclUnhandledCudaError: return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError: return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError: return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError: return "remote process exited or there was a network error";
    case ncclInProgress: return "NCCL operation in progress";
    default: return "unknown result code";
  }
}

bool has_root(Kind kind) { return kind == REDUCE || kind == BROADCAST || kind == GATHER || kind == SCATTER; }
bool is_pairwise(Kind kind) { return kind == SEND || kind == RECEIVE; }

bool is_captured(const Operation &o) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  DeviceGuard guard;
  cudaSetDevice(o.comm->device);
  return cudaStreamIsCapturing(o.stream, &capture) == cudaSuccess && capture != cudaStreamCaptureStatusNone;
}

ncclResult_t check(const Operation &o) {
  auto wrong = [&](const char *what) { return refuse(o.comm, ncclInvalidArgument, std::string(o.name) + ": " + what);
      };
  if (!is_live(o.comm)) return refuse(nullptr, ncclInvalidArgument, std::string(o.name)
      + ": the communicator does not exist");
  if (o.comm->isFinal) return refuse(o.comm, ncclInvalidUsage, std::string(o.name)
      + ": the communicator was finalized");
  if (o.comm->isRevoked && o.kind != SPLIT) return refuse(o.comm, ncclInvalidUsage, std::string(o.name)
      + ": the communicator was revoked");
  if (o.comm->asyncError != ncclSuccess) return o.comm->asyncError;
  if (o.kind == SPLIT) return o.made ? ncclSuccess : wrong("there is no place for the communicator");
  int size = o.comm->clique->size;
  if ((unsigned)o.type >= ncclNumTypes) return wrong("there is no such data type");
  if ((has_root(o.kind) || is_pairwise(o.kind)) && (o.peer < 0 || o.peer >= size))
      return wrong("there is no such rank");
  if (is_reduction(o.kind)) {
    size_t factors = o.comm->factors.size(), index = (size_t)o.op - ncclNumOps;
    if (o.op < 0 || (o.op >= ncclNumOps && (index >= factors || !o.comm->factors[index].isUsed)))
      return wrong("there is no such operation");
    if (o.op >= ncclNumOps && o.comm->factors[index].type != o.type)
      return wrong("the operation was made for another data type");
  }
  if (o.count == 0) return ncclSuccess;
  bool isRoot = o.comm->rank == o.peer;
  bool sends = o.kind != RECEIVE && ((o.kind != BROADCAST && o.kind != SCATTER) || isRoot);
  bool receives = o.kind != SEND && ((o.kind != REDUCE && o.kind != GATHER) || isRoot);
  if ((sends && !o.send) || (receives && !o.receive)) return wrong("a buffer is null");
  return ncclSuccess;
}

int all_done(void *group) {
  for (const auto &operation : ((Group *)group)->operations)
    if (!operation->isDone) return 0;
  return 1;
}
int all_joined(void *group) {
  for (const auto &clique : ((Group *)group)->joined)
    if (!clique->isComplete && !clique->isAborted) return 0;
  return 1;
}

void post(Operation *o) {
  ncclComm &comm = *o->comm;
  if (o->kind == SEND) comm.sends[o->peer].push_back(o);
  else if (o->kind == RECEIVE) comm.receives[o->peer].push_back(o);
  else comm.collectives.push_back(o);
}

/// Nobody will do these: other ranks have not asked for them, and no thread can any more.
void give_up(Group &group) {
  for (auto &operation : group.operations) {
    Operation *o = operation.get();
    if (o->isDone) continue;
    auto remove = [&](std::deque<Operation *> &queue) { queue.erase(std::remove(queue.begin(), queue.end(), o),
        queue.end()); };
    remove(o->comm->collectives);
    remove(o->comm->sends[o->peer]);
    remove(o->comm->receives[o->peer]);
    o->isDone = true;
    o->status = ncclRemoteError;
    std::string who;
    Clique &clique = *o->comm->clique;
    for (int rank = 0; rank < clique.size; rank++) {
      ncclComm_t other = clique.ranks[rank];
      bool isAsked = is_pairwise(o->kind) ? rank == o->peer : rank != o->comm->rank && (!other ||
          other->collectives.empty());
      if (isAsked) who += (who.empty() ? "" : ", ") + std::to_string(rank);
    }
    char text[300];
    snprintf(text, sizeof text, "%s of rank %d waits for rank %s, and no host thread can make that call any more",
        o->name,
             o->comm->rank, who.c_str());
    refuse(o->comm, ncclRemoteError, text);
    fprintf(stderr,
        "heddle: %s (one thread with several devices calls all of them between ncclGroupStart and ncclGroupEnd)\n",
        text);
    o->comm->asyncError = ncclRemoteError;
  }
}

double now_seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
/// True once in a wait that takes long.
bool is_time_to_tell(Group &group) {
  const double SECONDS = 10;
  if (group.isTold || now_seconds() - group.waitsSince < SECONDS) return false;
  return group.isTold = true;
}

/// Seconds that ranks wait for those of other processes that have not come yet.
double most_seconds_to_join() {
  const char *given = getenv("HEDDLE_JOIN_SECONDS");
  double seconds = given ? atof(given) : 0;
  return seconds > 0 ? seconds : 300;
}

/// Looks for ranks in other processes. 1: all are there, or cannot come.
int look_outside(void *argument) {
  Group &group = *(Group *)argument;
  bool isTold = is_time_to_tell(group), isLate = now_seconds() - group.waitsSince > most_seconds_to_join();
  int isOver = 1;
  for (const auto &clique : group.joined) {
    if (clique->isComplete || clique->isAborted || clique->joining != ncclInProgress) continue;
    ncclResult_t status = enter_room(*clique, clique->id.c_str() + strlen("heddle-"));
    if (status == ncclSuccess) status = look_for_ranks(*clique);
    if (status == ncclInProgress && (isTold || isLate)) {
      std::string who;
      for (int rank = 0; rank < clique->size; rank++)
        if (!clique->outside.isKnown[rank]) who += (who.empty() ? "" : ", ") + std::to_string(rank);
      fprintf(stderr, "heddle: ncclCommInitRank %s for rank %s of %d: a thread or a process must call it with the same "
              "id\n", isLate ? "has waited too long" : "waits", who.c_str(), clique->size);
      if (isLate) status = refuse(nullptr, ncclSystemError, "ncclCommInitRank: rank " + who + " never came");
    }
    if (status == ncclSuccess) {
      clique->isComplete = true;
      complete(*clique);
    }
    clique->joining = status;
    if (status != ncclSuccess && status != ncclInProgress)
      for (int rank = 0; rank < clique->size && clique->outside.room; rank++)
        if (clique->ranks[rank]) __heddle_room_leave(clique->outside.room, rank);
    isOver = isOver && status != ncclInProgress;
  }
  return isOver;
}

ncclResult_t join(Group &group) {
  if (group.joined.empty()) return ncclSuccess;
  if (!__heddle_wait_locally(all_joined, &group, "ncclCommInitRank")) {
    group.waitsSince = now_seconds();
    group.isTold = false;
    __heddle_wait_outside(look_outside, &group, "ncclCommInitRank");
  }
  ncclResult_t status = ncclSuccess;
  for (const auto &clique : group.joined) {
    state().forming.erase(clique->id);
    if (clique->isComplete || clique->isAborted) continue;
    if (status == ncclSuccess) status = clique->joining;
    for (ncclComm_t comm : clique->ranks)
      if (comm) comm->asyncError = clique->joining;
    if (clique->joining == ncclRemoteError && !clique->outside.room) {
      refuse(nullptr, ncclRemoteError, "ncclCommInitRank: other ranks never came");
      fprintf(stderr,
          "heddle: ncclCommInitRank waits for other ranks, and no host thread can make that call any more\n");
    }
  }
  return status;
}

/// Goes on with communicators over several processes. 1: all of the group's operations are done.
int go_on_outside(void *argument) {
  Group &group = *(Group *)argument;
  for (auto &operation : group.operations)
    if (!operation->isDone && operation->comm->clique->outside.room) progress(*operation->comm->clique);
  if (all_done(argument)) return 1;
  if (is_time_to_tell(group))
    for (auto &operation : group.operations) {
      Operation &o = *operation;
      if (o.isDone || !o.comm->clique->outside.room) continue;
      std::string who = missing_ranks(o);
      if (who.empty()) continue; // data of ranks that have made it are on their way
      fprintf(stderr, "heddle: %s of rank %d waits for rank %s, which has not made this call yet\n", o.name,
              o.comm->rank, who.c_str());
      break;
    }
  return 0;
}

void post_all(Group &group) {
  for (auto &operation : group.operations) post(operation.get());
}

#include "graphs.inl"

/// Runs what the thread has asked for, or waits until others have.
ncclResult_t finish(Group &group) {
  ncclResult_t status = group.status;
  if (status == ncclSuccess) status = join(group);
  if (status == ncclSuccess && must_record(group)) {
    status = record(group);
    group.operations.clear();
  }
  if (status == ncclSuccess && !group.operations.empty()) {
    std::vector<Clique *> cliques;
    bool isOutside = false;
    post_all(group);
    for (auto &operation : group.operations) {
      Clique *clique = operation->comm->clique;
      isOutside = isOutside || clique->outside.room;
      if (std::find(cliques.begin(), cliques.end(), clique) == cliques.end()) cliques.push_back(clique);
    }
    for (Clique *clique : cliques) progress(*clique);
    group.waitsSince = now_seconds();
    group.isTold = false;
    if (isOutside) __heddle_wait_outside(go_on_outside, &group, group.operations[0]->name);
    else if (!__heddle_wait_until(all_done, &group, group.operations[0]->name)) give_up(group);
    for (auto &operation : group.operations)
      if (status == ncclSuccess) status = operation->status;
  }
  group.operations.clear();
  group.joined.clear();
  group.status = ncclSuccess;
  return status;
}

Group &own_group() { return state().groups[pthread_self()]; }

/// @param status of the call so far
ncclResult_t ended(Group &group, ncclResult_t status) {
  if (group.depth > 0) {
    if (group.status == ncclSuccess) group.status = status;
    return status;
  }
  if (status != ncclSuccess) {
    group.operations.clear();
    group.joined.clear();
    return status;
  }
  return finish(group);
}

ncclResult_t ask(Operation operation) {
  Group &group = own_group();
  ncclResult_t status = check(operation);
  // A rank without others waits for nobody: nothing is queued.
  bool isAlone = status == ncclSuccess && group.depth == 0 && !is_pairwise(operation.kind) &&
      operation.kind != SPLIT && operation.comm->clique->size == 1 && !operation.comm->clique->outside.room &&
      operation.comm->collectives.empty();
  if (isAlone) return execute(*operation.comm->clique, {&operation});
  if (status == ncclSuccess) group.operations.push_back(std::make_unique<Operation>(operation));
  return ended(group, status);
}

ncclResult_t ask(Kind kind, const char *name, const void *send, void *receive, size_t count, ncclDataType_t type,
                 ncclRedOp_t op, int peer, ncclComm_t comm, cudaStream_t stream) {
  Operation o{};
  o.kind = kind;
  o.name = name;
  o.send = send;
  o.receive = receive;
  o.count = count;
  o.type = type;
  o.op = op;
  o.peer = peer;
  o.comm = comm;
  o.stream = stream;
  return ask(o);
}

/// The place of every rank, or null: some rank has not asked yet.
bool collect(Clique &clique, std::vector<Operation *> &parts) {
  if (clique.joined < clique.size) return false;
  const std::vector<int> *excluded = nullptr;
  for (ncclComm_t comm : clique.ranks)
    if (comm && !comm->collectives.empty() && comm->collectives.front()->kind == SPLIT &&
        !comm->collectives.front()->excluded.empty())
      excluded = &comm->collectives.front()->excluded;
  parts.clear();
  for (int rank = 0; rank < clique.size; rank++) {
    if (excluded && std::find(excluded->begin(), excluded->end(), rank) != excluded->end()) continue;
    ncclComm_t comm = clique.ranks[rank];
    if (!comm || comm->collectives.empty()) return false;
    parts.push_back(comm->collectives.front());
  }
  return !parts.empty();
}

} // namespace

namespace heddle_nccl {

void complete(Clique &clique) {
  if (clique.outside.room) return complete_outside(clique);
  if (clique.size < 2 || __heddle_is_emulated()) return;
  unsigned long long comms[MOST_RANKS];
  int devices[MOST_RANKS];
  for (int i = 0; i < clique.size; i++) devices[i] = clique.ranks[i]->device;
  DeviceGuard guard;
  cudaSetDevice(devices[0]);
  if (call_nvidia(&clique, "nccl", 0, "ncclCommInitAll", Host{comms}, clique.size, Host{devices}) != 0) return;
  clique.hasNvidia = true;
  for (int i = 0; i < clique.size; i++) clique.ranks[i]->nvidia = comms[i];
}

/// The first rank whose call does not fit rank 0's, or 0.
size_t mismatch(const std::vector<Operation *> &parts) {
  const Operation &first = *parts[0];
  for (size_t i = 1; i < parts.size(); i++) {
    const Operation &o = *parts[i];
    bool ops = !is_reduction(o.kind) || o.op == first.op || (o.op >= ncclNumOps && first.op >= ncclNumOps);
    if (o.kind != first.kind || (o.kind != SPLIT && (o.count != first.count || o.type != first.type ||
        o.peer != first.peer || !ops)))
      return i;
  }
  return 0;
}

ncclResult_t join_parts(Clique &parent) {
  for (; !parent.outside.joining.empty(); parent.outside.joining.pop_back()) {
    auto &[part, ranks] = parent.outside.joining.back();
    // One that has ended may have come before that.
    std::vector<char> isGone(part->size, 0);
    RankInfo info;
    for (int i = 0; i < part->size; i++)
      isGone[i] = !part->outside.isKnown[i] &&
                  __heddle_room_member(parent.outside.room, ranks[i], &info, sizeof info) == ROOM_GONE;
    ncclResult_t status = look_for_ranks(*part);
    for (int i = 0; i < part->size && status == ncclInProgress; i++)
      if (isGone[i] && !part->outside.isKnown[i]) status = refuse(nullptr, ncclRemoteError,
          "ncclCommSplit: rank " + std::to_string(ranks[i]) + " has ended");
    if (status != ncclSuccess) return status;
    part->isComplete = true;
    complete(*part);
  }
  return ncclSuccess;
}

/// @param ranks of the parts
ncclResult_t split(Clique &parent, const std::vector<Operation *> &parts, const std::vector<int> &ranks) {
  std::vector<Operation *> order(parts);
  std::stable_sort(order.begin(), order.end(), [](Operation *a, Operation *b) {
    return a->color != b->color ? a->color < b->color : a->key < b->key;
  });
  parent.outside.splits++;
  ncclResult_t status = ncclSuccess;
  for (size_t begin = 0, end; begin < order.size(); begin = end) {
    for (end = begin; end < order.size() && order[end]->color == order[begin]->color;) end++;
    if (order[begin]->color < 0) {
      for (size_t i = begin; i < end; i++)
        if (order[i]->made) *order[i]->made = nullptr;
      continue;
    }
    // Of ranks of other processes only their calls are here.
    auto clique = make_clique((int)(end - begin));
    int here = 0;
    for (size_t i = begin; i < end; i++) {
      if (!order[i]->made) continue;
      *order[i]->made = make_comm(clique, (int)(i - begin), order[i]->comm->device);
      here++;
    }
    if (here == 0) continue;
    if (here < clique->size) {
      status = enter_room(*clique, parent.outside.name + "." + std::to_string(parent.outside.splits) + "-"
          + std::to_string(order[begin]->color));
      std::vector<int> places;
      for (size_t i = begin; i < end; i++)
        places.push_back(ranks[std::find(parts.begin(), parts.end(), order[i]) - parts.begin()]);
      if (status != ncclSuccess) return status;
      parent.outside.joining.push_back({clique, places});
      continue;
    }
    clique->isComplete = true;
    complete(*clique);
  }
  return ncclSuccess;
}

void end_operation(Operation &o, ncclResult_t status) {
  o.status = status;
  o.isDone = true;
}

std::string described(const Operation &o) {
  char text[200];
  snprintf(text, sizeof text, "%s of %zu elements of type %d, root or peer %d", o.name, o.count, (int)o.type, o.peer);
  return text;
}

const std::string &last_message() { return state().message; }

ncclResult_t refuse(ncclComm_t comm, ncclResult_t status, const std::string &message) {
  state().message = message;
  if (comm) comm->message = message;
  const char *debug = getenv("NCCL_DEBUG");
  if (debug && (!strcmp(debug, "WARN") || !strcmp(debug, "INFO"))) fprintf(stderr, "NCCL WARN %s\n", message.c_str());
  return status;
}

ncclResult_t refuse_mismatch(const std::vector<Operation *> &parts, size_t other) {
  refuse(parts[0]->comm, ncclInvalidUsage, "ranks disagree: " + described(*parts[0]) + " of rank 0, "
      + described(*parts[other]) + " of rank " + std::to_string(other));
  for (Operation *part : parts)
    if (part->comm) part->comm->message = state().message;
  return ncclInvalidUsage;
}

/// Operations that the ranks of this process have asked for, and that wait for nobody here.
static std::vector<Operation *> waiting_operations(const Clique &clique) {
  std::vector<Operation *> all;
  auto add = [&](const std::deque<Operation *> &queue) { all.insert(all.end(), queue.begin(), queue.end()); };
  for (ncclComm_t comm : clique.ranks) {
    if (!comm) continue;
    add(comm->collectives);
    for (const auto &[peer, queue] : comm->sends) add(queue);
    for (const auto &[peer, queue] : comm->receives) add(queue);
  }
  return all;
}
/// One of the operations, if NVIDIA's library does all that are waiting, on one stream that is captured.
static const Operation *captured_operation(const Clique &clique) {
  if (!clique.hasNvidia) return nullptr;
  std::vector<Operation *> all = waiting_operations(clique);
  for (Operation *o : all) if (o->kind == SPLIT || o->stream != all[0]->stream || !is_captured(*o)) return nullptr;
  return all.empty() ? nullptr : all[0];
}

void progress(Clique &clique) {
  int isGrouped = 0;
  DeviceGuard guard;
  auto group = [&](const char *name) {
    if (clique.hasNvidia) call_nvidia(&clique, "nccl", 0, name);
  };
  std::vector<Operation *> parts;
  if (clique.outside.room) {
    cudaStream_t recording = nullptr;
    if (const Operation *captured = captured_operation(clique)) {
      cudaSetDevice(captured->comm->device);
      if (__heddle_record_calls(captured->stream, 1)) recording = captured->stream;
    }
    group("ncclGroupStart");
    while (meet(clique)) {}
    exchange_pairs(clique);
    group("ncclGroupEnd");
    if (recording) __heddle_record_calls(recording, 0);
  } else while (collect(clique, parts)) {
    if (!isGrouped++) group("ncclGroupStart");
    ncclResult_t status;
    if (size_t other = mismatch(parts)) {
      status = refuse_mismatch(parts, other);
    } else status = parts[0]->kind == SPLIT ? split(clique, parts, {}) : execute(clique, parts);
    for (Operation *part : parts) {
      part->comm->collectives.pop_front();
      end_operation(*part, status);
    }
  }
  for (int from = 0; from < clique.size; from++) {
    if (!clique.ranks[from]) continue;
    for (auto &[to, sends] : clique.ranks[from]->sends) {
      if (!clique.ranks[to]) continue;
      auto &receives = clique.ranks[to]->receives[from];
      while (!sends.empty() && !receives.empty()) {
        if (!isGrouped++) group("ncclGroupStart");
        Operation &send = *sends.front(), &receive = *receives.front();
        sends.pop_front();
        receives.pop_front();
        ncclResult_t status =
            send.count != receive.count || send.type != receive.type
                ? refuse(receive.comm, ncclInvalidUsage, "ranks disagree: " + described(send) + ", "
                    + described(receive))
                : transfer(send, receive);
        end_operation(send, status);
        end_operation(receive, status);
      }
    }
  }
  if (isGrouped) group("ncclGroupEnd");
}

} // namespace heddle_nccl

#include "functions.inl"
