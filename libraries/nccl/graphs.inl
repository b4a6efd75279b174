// Operations over several processes that graphs do: a function of the host in the graph asks for them at each launch.
// Included by nccl.cpp.

/// Operations of a group that a graph does at each of its launches.
typedef std::vector<Operation> Recorded;

/// What the graph calls. The other processes launch theirs, too.
void run_recorded(void *argument) {
  Group group;
  for (const Operation &operation : *(Recorded *)argument) {
    group.operations.push_back(std::make_unique<Operation>(operation));
    // The stream may be gone, and the work before has ended.
    group.operations.back()->stream = cudaStreamPerThread;
  }
  post_all(group);
  for (auto &operation : group.operations) progress(*operation->comm->clique);
  group.waitsSince = now_seconds();
  // Other host threads do not run meanwhile: this is a call of the runtime.
  for (int round = 0; !go_on_outside(&group); round++) __heddle_room_pause(round);
}
/// No rank of this process can ask for its part while the graph calls: the graph must have the parts of all of them.
ncclResult_t check_recorded(const Group &group) {
  auto count = [&](ncclComm_t comm, auto isCounted) {
    size_t all = 0;
    for (auto &o : group.operations) all += o->comm == comm && isCounted(*o);
    return all;
  };
  auto isCollective = [](const Operation &o) { return !is_pairwise(o.kind); };
  for (auto &operation : group.operations) {
    const Operation &o = *operation;
    Clique &clique = *o.comm->clique;
    if (!clique.outside.room) continue;
    for (int rank = 0; rank < clique.size; rank++) {
      ncclComm_t other = clique.ranks[rank];
      if (!clique.outside.isHere[rank] || (is_pairwise(o.kind) && rank != o.peer)) continue;
      auto isTo = [&](Kind kind, int peer) {
        return [=](const Operation &one) { return one.kind == kind && one.peer == peer; };
      };
      size_t asked, met;
      if (is_pairwise(o.kind)) {
        asked = count(o.comm, isTo(o.kind, rank));
        met = count(other, isTo(o.kind == SEND ? RECEIVE : SEND, o.comm->rank));
      } else asked = count(o.comm, isCollective), met = count(other, isCollective);
      if (met != asked)
        return refuse(o.comm, ncclInvalidUsage, std::string(o.name) + ": rank " + std::to_string(rank) + " is in the "
            "same process, and not in the group that is captured: with ranks of other processes, a graph does the "
            "work of all ranks of its process, which one thread asks for between ncclGroupStart and ncclGroupEnd");
    }
  }
  return ncclSuccess;
}
/// Puts a group into the graph that its streams record.
ncclResult_t record(Group &group) {
  if (ncclResult_t wrong = check_recorded(group)) return wrong;
  static std::vector<std::unique_ptr<Recorded>> all; // graphs may use them until the program ends
  all.push_back(std::make_unique<Recorded>());
  for (auto &operation : group.operations) all.back()->push_back(*operation);
  const Operation &first = *group.operations[0];
  cudaError_t error = cudaSuccess;
  auto keep = [&](cudaError_t next) { if (error == cudaSuccess) error = next; };
  auto order = [&](const Operation &before, const Operation &after) {
    cudaEvent_t event;
    if (before.stream == after.stream) return;
    cudaSetDevice(before.comm->device);
    keep(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    keep(cudaEventRecord(event, before.stream));
    cudaSetDevice(after.comm->device);
    keep(cudaStreamWaitEvent(after.stream, event, 0));
    cudaEventDestroy(event);
  };
  DeviceGuard guard;
  for (auto &operation : group.operations) order(*operation, first);
  cudaSetDevice(first.comm->device);
  keep(cudaLaunchHostFunc(first.stream, run_recorded, all.back().get()));
  for (auto &operation : group.operations) order(first, *operation);
  return error == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
/// NVIDIA's library records its own kernels (captured_operation).
bool must_record(const Group &group) {
  for (auto &operation : group.operations) {
    const Clique &clique = *operation->comm->clique;
    if (operation->kind != SPLIT && clique.outside.room && !clique.hasNvidia && is_captured(*operation)) return true;
  }
  return false;
}
