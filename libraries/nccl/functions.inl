// The functions themselves. Included by nccl.cpp.

extern "C" {

ncclResult_t ncclGetVersion(int *version) {
  if (!version) return refuse(nullptr, ncclInvalidArgument, "ncclGetVersion: version is null");
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
const char *ncclGetErrorString(ncclResult_t result) { return text_of(result); }
const char *ncclGetLastError(ncclComm_t comm) { return is_live(comm) ? comm->message.c_str()
    : state().message.c_str(); }
ncclResult_t ncclMemAlloc(void **pointer, size_t bytes) {
  if (!pointer) return refuse(nullptr, ncclUnhandledCudaError, "ncclMemAlloc: pointer is null"); // cudaMalloc's error
  heddle_scratch::OutsideOfCaptures allocation;
  return cudaMalloc(pointer, bytes) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
ncclResult_t ncclMemFree(void *pointer) {
  heddle_scratch::OutsideOfCaptures frees;
  return cudaFree(pointer) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

// ---------------------------------------------------------------- communicators

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  if (!id) return refuse(nullptr, ncclInvalidArgument, "ncclGetUniqueId: id is null");
  memset(id, 0, sizeof *id);
  unsigned char bytes[16];
  if (getentropy(bytes, sizeof bytes) != 0) return refuse(nullptr, ncclSystemError, "ncclGetUniqueId: no random bytes");
  int at = snprintf(id->internal, sizeof id->internal, "heddle-nccl-");
  for (unsigned char byte : bytes) at += snprintf(id->internal + at, sizeof id->internal - at, "%02x", byte);
  return ncclSuccess;
}

static void forget(ncclComm_t comm) {
  State &all = state();
  comm->clique->ranks[comm->rank] = nullptr;
  all.comms.erase(std::find(all.comms.begin(), all.comms.end(), comm));
  all.cliques.erase(comm);
  delete comm;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config) {
  Group &group = own_group();
  auto wrong = [&](ncclResult_t status, const char *what) {
    return ended(group, refuse(nullptr, status, std::string("ncclCommInitRank: ") + what));
  };
  if (!comm) return wrong(ncclInvalidArgument, "comm is null");
  *comm = nullptr;
  if (config && config->magic != NCCL_API_MAGIC)
    return wrong(ncclInvalidArgument, "the config was not set to NCCL_CONFIG_INITIALIZER");
  if (config && config->blocking != NCCL_CONFIG_UNDEF_INT && config->blocking != 0 && config->blocking != 1)
    return wrong(ncclInvalidArgument, "blocking must be 0 or 1");
  if (ranks < 1 || rank < 0 || rank >= ranks || ranks > MOST_RANKS) return wrong(ncclInvalidArgument,
      "there is no such rank");
  std::string key(id.internal, strnlen(id.internal, sizeof id.internal));
  if (key.rfind("heddle-", 0) != 0) return wrong(ncclInvalidArgument, "the id is not of ncclGetUniqueId");
  auto found = state().forming.find(key);
  if (found == state().forming.end()) found = state().forming.emplace(key, make_clique(ranks)).first;
  std::shared_ptr<Clique> clique = found->second;
  clique->id = key;
  if (clique->size != ranks) return wrong(ncclInvalidUsage, "ranks name different sizes");
  if (clique->ranks[rank]) return wrong(ncclInvalidUsage, "two callers have the same rank");
  int device;
  if (cudaGetDevice(&device) != cudaSuccess) return wrong(ncclUnhandledCudaError, "there is no device");
  if (!heddle_captures::can_allocate()) return wrong(ncclUnhandledCudaError, "a capture refuses its memory");
  for (ncclComm_t other : clique->ranks)
    if (other && other->device == device) return wrong(ncclInvalidUsage, "two ranks have the same device");
  *comm = make_comm(clique, rank, device);
  group.joined.push_back(clique);
  if (clique->joined == clique->size && !clique->outside.room) {
    clique->isComplete = true;
    complete(*clique);
  }
  ncclResult_t status = ended(group, ncclSuccess);
  if (status != ncclSuccess && group.depth == 0) {
    forget(*comm);
    *comm = nullptr;
  }
  return status;
}
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(comm, ranks, id, rank, nullptr);
}
ncclResult_t ncclCommInitRankScalable(ncclComm_t *comm, int ranks, int rank, int idCount, ncclUniqueId *ids,
                                      ncclConfig_t *config) {
  if (idCount < 1 || !ids) return refuse(nullptr, ncclInvalidArgument, "ncclCommInitRankScalable: there is no id");
  return ncclCommInitRankConfig(comm, ranks, ids[0], rank, config);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices) {
  auto wrong = [&](ncclResult_t status, const char *what) {
    return refuse(nullptr, status, std::string("ncclCommInitAll: ") + what);
  };
  int total = 0;
  if (!comms || count < 1 || count > MOST_RANKS) return wrong(ncclInvalidArgument,
      "there are no communicators to make");
  if (cudaGetDeviceCount(&total) != cudaSuccess) return wrong(ncclUnhandledCudaError, "there is no device");
  for (int i = 0; i < count; i++) {
    int device = devices ? devices[i] : i;
    if (device < 0 || device >= total)
      return wrong(devices ? ncclInvalidArgument : ncclUnhandledCudaError, "there is no such device");
    for (int j = 0; devices && j < i; j++)
      if (devices[j] == device) return wrong(ncclInvalidUsage, "a device is named twice");
  }
  if (!heddle_captures::can_allocate()) return wrong(ncclUnhandledCudaError, "a capture refuses its memory");
  auto clique = make_clique(count);
  for (int i = 0; i < count; i++) comms[i] = make_comm(clique, i, devices ? devices[i] : i);
  clique->isComplete = true;
  complete(*clique);
  return ncclSuccess;
}

static ncclResult_t ask_split(const char *name, ncclComm_t comm, int color, int key, ncclComm_t *made,
    std::vector<int> excluded) {
  Operation o{};
  o.kind = SPLIT;
  o.name = name;
  o.comm = comm;
  o.color = color;
  o.key = key;
  o.made = made;
  o.excluded = std::move(excluded);
  return ask(o);
}
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newComm, ncclConfig_t *) {
  if (color < 0 && color != NCCL_SPLIT_NOCOLOR)
    return ended(own_group(), refuse(comm, ncclInvalidArgument, "ncclCommSplit: a color is not negative"));
  if (is_live(comm) && !heddle_captures::can_allocate())
    return ended(own_group(), refuse(comm, ncclUnhandledCudaError, "ncclCommSplit: a capture refuses its memory"));
  return ask_split("ncclCommSplit", comm, color, key, newComm, {});
}
ncclResult_t ncclCommShrink(ncclComm_t comm, int *excluded, int excludedCount, ncclComm_t *newComm, ncclConfig_t *,
    int) {
  auto wrong = [&](const char *what) { return ended(own_group(), refuse(nullptr, ncclInvalidArgument, what)); };
  if (!is_live(comm)) return wrong("ncclCommShrink: the communicator does not exist");
  if (!excluded || excludedCount < 1 || excludedCount >= comm->clique->size)
      return wrong("ncclCommShrink: no rank is excluded, or all");
  for (int i = 0; i < excludedCount; i++)
    if (excluded[i] < 0 || excluded[i] >= comm->clique->size || excluded[i] == comm->rank)
      return wrong("ncclCommShrink: a rank that is excluded does not exist, or calls");
  comm->asyncError = ncclSuccess; // what is left goes on
  return ask_split("ncclCommShrink", comm, 0, comm->rank, newComm, std::vector<int>(excluded, excluded
      + excludedCount));
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  if (!comm) return ncclSuccess;
  if (!is_live(comm)) return refuse(nullptr, ncclInvalidArgument,
      "ncclCommFinalize: the communicator does not exist");
  if (comm->isFinal) return refuse(comm, ncclInvalidUsage, "ncclCommFinalize: the communicator was finalized");
  comm->isFinal = true;
  return ncclSuccess;
}
/// Ends what a rank has asked for.
static void fail_rank(ncclComm_t comm, ncclResult_t status, const char *why) {
  comm->clique->outside.exchange = nullptr;
  comm->clique->outside.joining.clear();
  auto fail = [&](std::deque<Operation *> &queue) {
    for (Operation *o : queue) end_operation(*o, refuse(comm, status, std::string(o->name) + ": " + why));
    queue.clear();
  };
  fail(comm->collectives);
  for (auto &[peer, queue] : comm->sends) fail(queue);
  for (auto &[peer, queue] : comm->receives) fail(queue);
}
/// Ends what the other ranks of a clique have asked for.
/// @param areRevokedToo whether also ranks that are revoked: what these wait for are splits
static void fail_others(Clique &clique, ncclComm_t comm, const char *why, bool areRevokedToo) {
  for (ncclComm_t other : clique.ranks) {
    if (!other || other == comm || (other->isRevoked && !areRevokedToo)) continue;
    other->asyncError = ncclRemoteError;
    fail_rank(other, ncclRemoteError, why);
  }
}
static ncclResult_t destroy(ncclComm_t comm, const char *name, bool isAbort) {
  if (!comm) return ncclSuccess;
  if (!is_live(comm)) return refuse(nullptr, ncclInvalidArgument, std::string(name)
      + ": the communicator does not exist");
  heddle_captures::can_free(); // nobody is told that a capture refuses this
  State &all = state();
  std::shared_ptr<Clique> clique = all.cliques[comm];
  bool isLast = --clique->alive == 0;
  // Another host thread may wait in a call of this communicator, which is gone afterwards.
  if (isAbort) fail_rank(comm, ncclRemoteError, "the communicator was aborted");
  if (isAbort && !isLast) {
    clique->isAborted = true;
    fail_others(*clique, comm, "another rank has aborted", true);
  }
  if (clique->hasNvidia) nvidia_call(comm, isAbort ? "ncclCommAbort" : "ncclCommDestroy");
  if (isLast)
    for (auto &[device, memory] : clique->staging) cudaFree(memory.first);
  if (clique->outside.room) __heddle_room_leave(clique->outside.room, comm->rank);
  forget(comm);
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) { return destroy(comm, "ncclCommDestroy", false); }
ncclResult_t ncclCommAbort(ncclComm_t comm) { return destroy(comm, "ncclCommAbort", true); }
/// The communicator stays, and takes no more operations: it can be split, shrunk and destroyed.
ncclResult_t ncclCommRevoke(ncclComm_t comm, int flags) {
  if (!comm) return ncclSuccess;
  if (!is_live(comm)) return refuse(nullptr, ncclInvalidArgument,
      "ncclCommRevoke: the communicator does not exist");
  if (flags != NCCL_REVOKE_DEFAULT) return refuse(comm, ncclInvalidArgument, "ncclCommRevoke: there are no such flags");
  if (comm->isRevoked) return ncclSuccess;
  if (comm->clique->outside.room) return refuse(comm, ncclInvalidUsage,
      "ncclCommRevoke: Heddle revokes no communicators over several processes; ncclCommAbort ends one");
  comm->isRevoked = true;
  comm->asyncError = ncclSuccess; // as others that have revoked it
  fail_rank(comm, ncclInvalidUsage, "the communicator was revoked");
  std::shared_ptr<Clique> clique = state().cliques[comm];
  fail_others(*clique, comm, "another rank has revoked the communicator", false);
  if (!clique->hasNvidia) return ncclSuccess;
  DeviceGuard guard;
  cudaSetDevice(comm->device);
  int status = call_nvidia(clique.get(), "nccl", 0, "ncclCommRevoke", comm->nvidia, flags);
  return status > 0 ? (ncclResult_t)status : ncclSuccess;
}

static ncclResult_t tell(const ncclComm_t comm, int *out, int ncclComm::*what, const char *name) {
  if (!is_live(comm) || !out) return refuse(nullptr, ncclInvalidArgument, std::string(name)
      + ": the communicator or the result does not exist");
  *out = comm->*what;
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error) {
  if (!is_live(comm) || !error) return refuse(nullptr, ncclInvalidArgument,
      "ncclCommGetAsyncError: an argument is null");
  *error = comm->asyncError;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
  if (!is_live(comm) || !count) return refuse(nullptr, ncclInvalidArgument, "ncclCommCount: an argument is null");
  *count = comm->clique->size;
  return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) { return tell(comm, device, &ncclComm::device,
    "ncclCommCuDevice"); }
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) { return tell(comm, rank, &ncclComm::rank,
    "ncclCommUserRank"); }

ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buffer, size_t bytes, void **handle) {
  if (!is_live(comm) || !buffer || bytes == 0 || !handle)
    return refuse(is_live(comm) ? comm : nullptr, ncclInvalidArgument, "ncclCommRegister: an argument is null");
  *handle = buffer;
  return ncclSuccess;
}
ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *) {
  return is_live(comm) ? ncclSuccess : refuse(nullptr, ncclInvalidArgument,
      "ncclCommDeregister: the communicator does not exist");
}
ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t bytes, ncclWindow_t *window, int) {
  return ncclCommRegister(comm, buffer, bytes, (void **)window);
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window) { return ncclCommDeregister(comm,
    window); }

// ---------------------------------------------------------------- operations of the program's own

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
    ncclScalarResidence_t residence,
                                      ncclComm_t comm) {
  if (!is_live(comm)) return refuse(nullptr, ncclInvalidArgument,
      "ncclRedOpCreatePreMulSum: the communicator does not exist");
  if (!op || !scalar || (unsigned)type >= ncclNumTypes || (unsigned)residence > ncclScalarHostImmediate)
    return refuse(comm, ncclInvalidArgument, "ncclRedOpCreatePreMulSum: an argument is wrong");
  Factor made{};
  made.isUsed = true;
  made.type = type;
  if (residence == ncclScalarDevice) made.onDevice = scalar;
  else memcpy(made.value, scalar, bytes_of(type));
  if (comm->clique->hasNvidia) {
    DeviceGuard guard;
    cudaSetDevice(comm->device);
    int native = 0, at = residence;
    Scalar where{scalar, residence == ncclScalarDevice};
    if (call_nvidia(comm, "nccl", 0, "ncclRedOpCreatePreMulSum", Host{&native}, where, (int)type, at,
        comm->nvidia) == 0)
      made.nvidia = (ncclRedOp_t)native;
  }
  auto &factors = comm->factors;
  size_t i = 0;
  while (i < factors.size() && factors[i].isUsed) i++;
  if (i == factors.size()) factors.emplace_back();
  factors[i] = made;
  *op = (ncclRedOp_t)(ncclNumOps + i);
  return ncclSuccess;
}
ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  if (!is_live(comm)) return refuse(nullptr, ncclInvalidArgument,
      "ncclRedOpDestroy: the communicator does not exist");
  size_t i = (size_t)op - ncclNumOps;
  if (op < ncclNumOps || i >= comm->factors.size() || !comm->factors[i].isUsed)
    return refuse(comm, ncclInvalidArgument, "ncclRedOpDestroy: there is no such operation");
  comm->factors[i].isUsed = false;
  return ncclSuccess;
}

// ---------------------------------------------------------------- communication

ncclResult_t ncclReduce(const void *send, void *receive, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  return ask(REDUCE, "ncclReduce", send, receive, count, type, op, root, comm, stream);
}
ncclResult_t ncclBroadcast(const void *send, void *receive, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  return ask(BROADCAST, "ncclBroadcast", send, receive, count, type, ncclSum, root, comm, stream);
}
ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
    cudaStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}
ncclResult_t ncclAllReduce(const void *send, void *receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
  return ask(ALL_REDUCE, "ncclAllReduce", send, receive, count, type, op, 0, comm, stream);
}
ncclResult_t ncclReduceScatter(const void *send, void *receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
  return ask(REDUCE_SCATTER, "ncclReduceScatter", send, receive, count, type, op, 0, comm, stream);
}
ncclResult_t ncclAllGather(const void *send, void *receive, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return ask(ALL_GATHER, "ncclAllGather", send, receive, count, type, ncclSum, 0, comm, stream);
}
ncclResult_t ncclAlltoAll(const void *send, void *receive, size_t count, ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
  return ask(ALL_TO_ALL, "ncclAlltoAll", send, receive, count, type, ncclSum, 0, comm, stream);
}
ncclResult_t ncclGather(const void *send, void *receive, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  return ask(GATHER, "ncclGather", send, receive, count, type, ncclSum, root, comm, stream);
}
ncclResult_t ncclScatter(const void *send, void *receive, size_t count, ncclDataType_t type, int root,
    ncclComm_t comm,
                         cudaStream_t stream) {
  return ask(SCATTER, "ncclScatter", send, receive, count, type, ncclSum, root, comm, stream);
}
ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
    cudaStream_t stream) {
  return ask(SEND, "ncclSend", send, nullptr, count, type, ncclSum, peer, comm, stream);
}
ncclResult_t ncclRecv(void *receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
    cudaStream_t stream) {
  return ask(RECEIVE, "ncclRecv", nullptr, receive, count, type, ncclSum, peer, comm, stream);
}

ncclResult_t ncclGroupStart(void) {
  own_group().depth++;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd(void) {
  Group &group = own_group();
  if (group.depth == 0) return refuse(nullptr, ncclInvalidUsage, "ncclGroupEnd: not in a group");
  if (--group.depth > 0) return ncclSuccess;
  return finish(group);
}
ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t *info) {
  Group &group = own_group();
  if (group.depth == 0) return refuse(nullptr, ncclInvalidUsage, "ncclGroupSimulateEnd: not in a group");
  if (--group.depth == 0) {
    group.operations.clear();
    group.joined.clear();
    group.status = ncclSuccess;
  }
  if (info) info->estimatedTime = 0;
  return ncclSuccess;
}
}
