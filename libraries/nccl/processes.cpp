// Communicators over several processes. A process says in the room what its ranks ask for; when the ranks of all
// processes have asked for the same, data are exchanged (exchange.cpp). Sending never waits. Nothing here waits for
// what another process has not begun, since other host threads must go on.
#include <algorithm>
#include <stdio.h>
#include <unistd.h>
#include "../common/nvidia.h"
#include "../common/rooms.h"
#include "copies.h"
#include "exchange.h"

using namespace heddle_nvidia;

namespace heddle_nccl {
namespace {

const char *const NAMES[] = {"ncclAllReduce", "ncclReduce", "ncclReduceScatter", "ncclBroadcast", "ncclAllGather",
    "ncclAlltoAll", "ncclGather", "ncclScatter", "ncclSend", "ncclRecv", "ncclCommSplit"};

/// A number of this process.
const char *own_process() {
  static char process[16];
  static bool isMade = false;
  if (!isMade) isMade = getentropy(process, sizeof process) == 0;
  return process;
}

/// Waits for bytes that are on their way.
ncclResult_t receive_bytes(Clique &clique, Lane lane, int from, int to, void *data, size_t bytes) {
  for (int round = 0; bytes > 0; round++) {
    int got = __heddle_room_receive(clique.outside.room, lane, from, to, data, (int)bytes);
    if (got < 0) return got == ROOM_GONE ? ncclRemoteError : ncclSystemError;
    if (got == 0) {
      __heddle_room_pause(round);
      continue;
    }
    data = (char *)data + got;
    bytes -= got;
    round = 0;
  }
  return ncclSuccess;
}
/// Takes the next call, if it is there: ncclInProgress if not.
ncclResult_t receive_call(Clique &clique, Lane lane, int from, int to, Letter &letter) {
  while (letter.bytes < (int)sizeof(Call)) {
    int got = __heddle_room_receive(clique.outside.room, lane, from, to, (char *)&letter.call + letter.bytes,
                                    (int)sizeof(Call) - letter.bytes);
    if (got < 0) return got == ROOM_GONE ? ncclRemoteError : ncclSystemError;
    if (got == 0) return ncclInProgress;
    letter.bytes += got;
  }
  return ncclSuccess;
}

/// Memory of a rank's device from another process, which is sending it. @param memory null: what comes is thrown away
ncclResult_t receive_memory(Clique &clique, Lane lane, int from, const Operation &o, void *memory, size_t bytes) {
  char *buffer = buffer_of(clique);
  cudaSetDevice(o.comm->device);
  for (size_t at = 0; at < bytes; at += SLICE_BYTES) {
    size_t part = std::min(SLICE_BYTES, bytes - at);
    ncclResult_t status = receive_bytes(clique, lane, from, o.comm->rank, buffer, part);
    if (status != ncclSuccess) return status;
    if (!memory) continue;
    if (copy_from_host((char *)memory + at, buffer, part, o.stream) != cudaSuccess) return ncclUnhandledCudaError;
  }
  return ncclSuccess;
}

/// The ranks that take part in the next collective, or none: a rank of this process has not asked yet.
std::vector<int> ranks_taking_part(Clique &clique) {
  const std::vector<int> *excluded = nullptr;
  for (ncclComm_t comm : clique.ranks)
    if (comm && !comm->collectives.empty() && comm->collectives.front()->kind == SPLIT)
      excluded = &comm->collectives.front()->excluded;
  std::vector<int> ranks;
  for (int rank = 0; rank < clique.size; rank++) {
    if (excluded && std::find(excluded->begin(), excluded->end(), rank) != excluded->end()) continue;
    ncclComm_t comm = clique.ranks[rank];
    if (clique.outside.isHere[rank] && (!comm || comm->collectives.empty())) return {};
    ranks.push_back(rank);
  }
  return ranks;
}

ncclResult_t announce(Clique &clique, const std::vector<int> &ranks) {
  Outside &out = clique.outside;
  for (int from : ranks) {
    if (!out.isHere[from]) continue;
    Call call = call_of(*clique.ranks[from]->collectives.front(), out.sequence);
    for (int to = 0; to < clique.size; to++) {
      if (out.isHere[to] || out.leaders[to] != to) continue;
      ncclResult_t status = send_bytes(clique, CALLS, from, to, &call, sizeof call);
      if (status != ncclSuccess) return status;
    }
  }
  out.isAnnounced = true;
  return ncclSuccess;
}

/// What the ranks of other processes ask for. ncclInProgress: some have not asked yet.
ncclResult_t hear(Clique &clique, const std::vector<int> &ranks) {
  Outside &out = clique.outside;
  int own = (int)(std::find(out.isHere.begin(), out.isHere.end(), 1) - out.isHere.begin());
  ncclResult_t result = ncclSuccess;
  for (int rank : ranks) {
    if (out.isHere[rank]) continue;
    ncclResult_t status;
    Letter &letter = out.heard[rank];
    // Calls of operations that failed before their rank made them have older numbers.
    while ((status = receive_call(clique, CALLS, rank, own, letter)) == ncclSuccess &&
           letter.call.sequence < out.sequence)
      letter.bytes = 0;
    if (status == ncclInProgress) {
      if (result == ncclSuccess) result = status;
    } else if (status != ncclSuccess) {
      Operation &o = *clique.ranks[own]->collectives.front();
      return refuse(o.comm, status, std::string(o.name) + ": " + (status == ncclRemoteError ?
          "rank " + std::to_string(rank) + " has ended, or has given the communicator up" : "reading has failed"));
    }
  }
  return result;
}

void finish_collective(Clique &clique, const std::vector<int> &ranks, ncclResult_t status) {
  Outside &out = clique.outside;
  out.isAnnounced = false;
  out.sequence++;
  for (Letter &letter : out.heard)
    if (letter.bytes == (int)sizeof(Call) && letter.call.sequence < out.sequence) letter.bytes = 0;
  std::string message = last_message();
  for (int rank : ranks) {
    if (!out.isHere[rank]) continue;
    ncclComm_t comm = clique.ranks[rank];
    Operation *o = comm->collectives.front();
    comm->collectives.pop_front();
    if (status != ncclSuccess) comm->message = message;
    if (status == ncclRemoteError || status == ncclSystemError) comm->asyncError = status;
    end_operation(*o, status);
  }
}

} // namespace

Call call_of(const Operation &o, unsigned sequence) {
  Call call{};
  call.sequence = sequence;
  call.kind = o.kind;
  call.type = o.type;
  call.op = o.op;
  call.peer = o.peer;
  call.color = o.color;
  call.key = o.key;
  call.device = o.comm->device;
  call.count = o.count;
  if (is_reduction(o.kind) && o.op >= ncclNumOps) {
    const Factor &factor = o.comm->factors[o.op - ncclNumOps];
    memcpy(call.factor, factor.value, sizeof call.factor);
    if (factor.onDevice) {
      cudaSetDevice(o.comm->device);
      cudaMemcpyAsync(call.factor, factor.onDevice, bytes_of(factor.type), cudaMemcpyDeviceToHost, o.stream);
      cudaStreamSynchronize(o.stream);
    }
  }
  return call;
}
Operation operation_of(const Call &call) {
  Operation o{};
  o.kind = (Kind)call.kind;
  o.name = NAMES[call.kind];
  o.type = (ncclDataType_t)call.type;
  o.op = (ncclRedOp_t)call.op;
  o.peer = call.peer;
  o.color = call.color;
  o.key = call.key;
  o.count = call.count;
  return o;
}

ncclResult_t enter_room(Clique &clique, const std::string &name) {
  Outside &out = clique.outside;
  if (out.room == 0) {
    out.name = name;
    out.isHere.assign(clique.size, 0);
    out.isKnown.assign(clique.size, 0);
    out.infos.assign(clique.size, RankInfo{});
    out.leaders.assign(clique.size, 0);
    out.heard.assign(clique.size, Letter{});
  }
  for (int rank = 0; rank < clique.size; rank++) {
    if (!clique.ranks[rank] || out.isHere[rank]) continue;
    RankInfo info{clique.size, clique.ranks[rank]->device, {}};
    memcpy(info.process, own_process(), sizeof info.process);
    int room = __heddle_room_enter(name.c_str(), rank, clique.size, &info, sizeof info);
    if (room == ROOM_TAKEN) return refuse(nullptr, ncclInvalidUsage,
        "ncclCommInitRank: another process has rank " + std::to_string(rank) + ", too");
    if (room <= 0) return room == ROOM_NONE ? ncclRemoteError : ncclSystemError;
    out.room = room;
    out.isHere[rank] = out.isKnown[rank] = 1;
    out.infos[rank] = info;
  }
  return ncclSuccess;
}

ncclResult_t look_for_ranks(Clique &clique) {
  Outside &out = clique.outside;
  ncclResult_t result = ncclSuccess;
  for (int rank = 0; rank < clique.size; rank++) {
    if (out.isKnown[rank]) continue;
    int found = __heddle_room_member(out.room, rank, &out.infos[rank], sizeof(RankInfo));
    if (found == ROOM_ABSENT) {
      result = ncclInProgress;
      continue;
    }
    // A rank that is gone may have sent what others wait for.
    if (found < 0 && found != ROOM_GONE) return refuse(nullptr, ncclSystemError, "ncclCommInitRank: no room of ranks");
    if (out.infos[rank].size != clique.size) return refuse(nullptr, ncclInvalidUsage,
        "ncclCommInitRank: rank " + std::to_string(rank) + " names " + std::to_string(out.infos[rank].size)
            + " ranks, and this process " + std::to_string(clique.size));
    out.isKnown[rank] = 1;
  }
  if (result != ncclSuccess) return result;
  for (int rank = 0; rank < clique.size; rank++)
    for (int other = clique.size - 1; other >= 0; other--)
      if (memcmp(out.infos[rank].process, out.infos[other].process, sizeof(RankInfo::process)) == 0)
        out.leaders[rank] = other;
  return ncclSuccess;
}

bool meet(Clique &clique) {
  Outside &out = clique.outside;
  std::vector<int> ranks = ranks_taking_part(clique);
  if (ranks.empty()) return false;
  std::vector<Operation *> locals;
  for (int rank : ranks)
    if (out.isHere[rank]) locals.push_back(clique.ranks[rank]->collectives.front());
  if (clique.hasNvidia && locals[0]->kind != SPLIT) {
    int status = run_nvidia(locals);
    finish_collective(clique, ranks, status >= 0 ? (ncclResult_t)status : refuse(locals[0]->comm, ncclInvalidUsage,
        std::string(locals[0]->name) + ": NVIDIA's library cannot do this call now, and other processes wait for it"));
    return true;
  }
  ncclResult_t status = ncclSuccess;
  if (!out.exchange) {
    status = out.isAnnounced ? ncclSuccess : announce(clique, ranks);
    if (status == ncclSuccess) status = hear(clique, ranks);
    if (status == ncclInProgress) return false;
    if (status == ncclSuccess) {
      out.exchange = std::make_shared<Exchange>(clique, ranks, out.sequence);
      const std::vector<Operation *> &parts = out.exchange->all();
      if (size_t other = mismatch(parts)) status = refuse_mismatch(parts, other);
      else if (parts[0]->kind == SPLIT) status = split(clique, parts, ranks);
    }
  }
  bool isSplit = locals[0]->kind == SPLIT;
  if (status == ncclSuccess) status = isSplit ? join_parts(clique) : out.exchange->go_on();
  if (status == ncclInProgress) return false;
  if (status == ncclRemoteError && out.exchange && !isSplit)
    refuse(locals[0]->comm, status, std::string(locals[0]->name) + ": a rank has ended during the operation");
  out.exchange = nullptr;
  out.joining.clear();
  finish_collective(clique, ranks, status);
  return true;
}

static ncclResult_t send_outside(Clique &clique, const Operation &o) {
  RankInfo info;
  if (__heddle_room_member(clique.outside.room, o.peer, &info, sizeof info) == ROOM_GONE)
    return refuse(o.comm, ncclRemoteError, "ncclSend: rank " + std::to_string(o.peer) + " has ended");
  Call call = call_of(o, 0);
  ncclResult_t status = send_bytes(clique, PAIRS, o.comm->rank, o.peer, &call, sizeof call);
  return status == ncclSuccess ? send_memory(clique, PAIRS, o.peer, o, o.send, o.count * bytes_of(o.type)) : status;
}
/// ncclInProgress: the other rank has not sent yet.
static ncclResult_t receive_outside(Clique &clique, const Operation &o) {
  Letter &letter = clique.outside.pairs[{o.peer, o.comm->rank}];
  ncclResult_t status = receive_call(clique, PAIRS, o.peer, o.comm->rank, letter);
  if (status == ncclRemoteError) return refuse(o.comm, status, "ncclRecv: rank " + std::to_string(o.peer)
      + " has ended, or has given the communicator up");
  if (status != ncclSuccess) return status;
  letter.bytes = 0;
  Operation sent = operation_of(letter.call);
  size_t bytes = sent.count * bytes_of(sent.type);
  bool fits = sent.count == o.count && sent.type == o.type;
  status = receive_memory(clique, PAIRS, o.peer, o, fits ? o.receive : nullptr, bytes);
  if (fits || status != ncclSuccess) return status;
  return refuse(o.comm, ncclInvalidUsage, "ranks disagree: " + described(sent) + ", " + described(o));
}

void exchange_pairs(Clique &clique) {
  Outside &out = clique.outside;
  auto end = [](std::deque<Operation *> &queue, ncclResult_t status) {
    Operation *o = queue.front();
    queue.pop_front();
    if (status == ncclRemoteError || status == ncclSystemError) o->comm->asyncError = status;
    end_operation(*o, status);
  };
  auto all = [&](auto queues, auto work) {
    for (ncclComm_t comm : clique.ranks) {
      if (!comm) continue;
      for (auto &[peer, queue] : comm->*queues)
        while (!queue.empty() && !out.isHere[peer]) {
          ncclResult_t status = clique.hasNvidia ? (ncclResult_t)run_nvidia({queue.front()})
              : work(clique, *queue.front());
          if (status == ncclInProgress) break;
          end(queue, (int)status < 0 ? ncclInvalidUsage : status);
        }
    }
  };
  all(&ncclComm::sends, send_outside);
  all(&ncclComm::receives, receive_outside);
}

void complete_outside(Clique &clique) {
  Outside &out = clique.outside;
  if (__heddle_is_emulated()) return;
  DeviceGuard guard;
  struct Id { int status; char id[NCCL_UNIQUE_ID_BYTES]; } id{};
  int own = (int)(std::find(out.isHere.begin(), out.isHere.end(), 1) - out.isHere.begin());
  cudaSetDevice(clique.ranks[own]->device);
  if (own == 0) {
    id.status = call_nvidia(&clique, "nccl", 0, "ncclGetUniqueId", Host{id.id});
    for (int to = 1; to < clique.size; to++)
      if (!out.isHere[to] && out.leaders[to] == to) send_bytes(clique, IDS, 0, to, &id, sizeof id);
  } else if (receive_bytes(clique, IDS, 0, own, &id, sizeof id) != ncclSuccess) return;
  if (id.status != 0) return;
  clique.hasNvidia = true;
  call_nvidia(&clique, "nccl", 0, "ncclGroupStart");
  for (int rank = 0; rank < clique.size; rank++) {
    if (!out.isHere[rank]) continue;
    cudaSetDevice(clique.ranks[rank]->device);
    // It takes the id by its address; ncclCommInitRank takes it by value.
    if (call_nvidia(&clique, "nccl", 0, "ncclCommInitRankScalable", Host{&clique.ranks[rank]->nvidia}, clique.size,
                    rank, 1, Host{id.id}, Host{nullptr}) != 0)
      clique.hasNvidia = false;
  }
  if (call_nvidia(&clique, "nccl", 0, "ncclGroupEnd") != 0) clique.hasNvidia = false;
}

std::string missing_ranks(const Operation &o) {
  Outside &out = o.comm->clique->outside;
  std::string who;
  auto add = [&](int rank) { who += (who.empty() ? "" : ", ") + std::to_string(rank); };
  if (o.kind == SEND || o.kind == RECEIVE) add(o.peer);
  else
    for (int rank = 0; rank < o.comm->clique->size; rank++) {
      ncclComm_t comm = o.comm->clique->ranks[rank];
      if (out.isHere[rank] ? comm && comm->collectives.empty() : out.heard[rank].bytes < (int)sizeof(Call)) add(rank);
    }
  return who;
}

} // namespace heddle_nccl
