// The work of operations whose ranks have all asked for them: kernels and copies on the ranks' streams.
#include "../common/nvidia.h"
#include "../common/scratch.h"
#include "communicator.h"
#include "copies.h"
#include "reduction.cuh"

using namespace heddle_nvidia;

namespace heddle_nccl {
namespace {

/// Streams that work for one operation, in an order between them. On the emulated device work is complete when its call
/// returns, so that only captured work needs an order.
class Streams {
  const std::vector<Operation *> &parts;
  bool needsOrder = false;
  cudaError_t error = cudaSuccess;

  void orderAfter(const Operation &first, const Operation &second) {
    if (!needsOrder || error != cudaSuccess || (first.stream == second.stream &&
        first.comm->device == second.comm->device))
      return;
    cudaEvent_t event;
    cudaSetDevice(first.comm->device);
    error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (error != cudaSuccess) return;
    error = cudaEventRecord(event, first.stream);
    cudaSetDevice(second.comm->device);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(second.stream, event, 0);
    cudaEventDestroy(event);
  }

public:
  Streams(const std::vector<Operation *> &parts) : parts(parts) {
    needsOrder = !__heddle_is_emulated();
    for (const Operation *part : parts) {
      cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
      cudaSetDevice(part->comm->device);
      cudaStreamIsCapturing(part->stream, &capture);
      needsOrder = needsOrder || capture != cudaStreamCaptureStatusNone;
    }
  }
  /// What `one` does next comes after what all others have done.
  void gather(const Operation &one) {
    for (const Operation *part : parts)
      if (part != &one) orderAfter(*part, one);
  }
  /// What the others do next comes after what `one` has done.
  void spread(const Operation &one) {
    for (const Operation *part : parts)
      if (part != &one) orderAfter(one, *part);
  }
  /// What all do next comes after what all have done.
  void meet() {
    gather(*parts[0]);
    spread(*parts[0]);
  }
  cudaError_t status() const { return error; }
};

cudaError_t copy(const Operation &at, void *to, int toDevice, const void *from, int fromDevice, size_t bytes) {
  cudaSetDevice(at.comm->device);
  return copy_on_devices(to, toDevice, from, fromDevice, bytes, at.stream);
}

const char *at(const void *base, size_t bytes) { return (const char *)base + bytes; }

/// Where the ranks' data lie for a kernel on `one`'s device.
cudaError_t sources_of(Clique &clique, const std::vector<Operation *> &parts, const Operation &one, size_t offset,
                       size_t bytes, Sources &sources) {
  sources.count = (int)parts.size();
  char *staged = nullptr;
  if (!__heddle_is_emulated() && parts.size() > 1) {
    auto &[memory, have] = clique.staging[one.comm->device];
    if (have < bytes * parts.size()) {
      heddle_scratch::OutsideOfCaptures allocation;
      if (memory) cudaFree(memory);
      have = 0;
      cudaError_t error = cudaMalloc(&memory, bytes * parts.size());
      if (error != cudaSuccess) return error;
      have = bytes * parts.size();
    }
    staged = (char *)memory;
  }
  for (size_t i = 0; i < parts.size(); i++) {
    const Operation &part = *parts[i];
    sources.data[i] = at(part.send, offset);
    if (staged && part.comm->device != one.comm->device) {
      cudaError_t error = copy(one, staged + i * bytes, one.comm->device, sources.data[i], part.comm->device, bytes);
      if (error != cudaSuccess) return error;
      sources.data[i] = staged + i * bytes;
    }
    sources.factors[i] = nullptr;
    sources.values[i] = 0;
    if (part.op >= ncclNumOps) {
      const Factor &factor = part.comm->factors[part.op - ncclNumOps];
      sources.factors[i] = factor.onDevice;
      memcpy(&sources.values[i], factor.value, sizeof factor.value);
    }
  }
  return cudaSuccess;
}

/// Reduces [offset, offset + count elements) of every rank's data into `result`, by `one`.
cudaError_t reduce_at(Clique &clique, const std::vector<Operation *> &parts, const Operation &one, size_t offset,
                      size_t count, void *result) {
  cudaSetDevice(one.comm->device);
  if (parts.size() == 1 && one.op < ncclNumOps) {
    const size_t bytes = count * bytes_of(one.type);
    const void *sent = at(parts[0]->send, offset);
    return sent == result ? cudaSuccess : copy(one, result, one.comm->device, sent, one.comm->device, bytes);
  }
  Sources sources;
  cudaError_t error = sources_of(clique, parts, one, offset, count * bytes_of(one.type), sources);
  if (error != cudaSuccess) return error;
  int reduction = one.op >= ncclNumOps ? FACTOR_SUM : (int)one.op;
  return reduce(one.type, reduction, sources, result, count, one.stream);
}

cudaError_t run(Clique &clique, const std::vector<Operation *> &parts) {
  Streams streams(parts);
  const size_t bytes = parts[0]->count * bytes_of(parts[0]->type), ranks = parts.size();
  const Operation &root = *parts[parts[0]->peer];
  cudaError_t error = cudaSuccess;
  auto keep = [&](cudaError_t next) { if (error == cudaSuccess) error = next; };
  auto deviceOf = [&](size_t rank) { return parts[rank]->comm->device; };
  /// Rank `to` takes what rank `from` sends.
  auto take = [&](size_t to, size_t toOffset, size_t from, size_t fromOffset) {
    keep(copy(*parts[to], (char *)parts[to]->receive + toOffset, deviceOf(to), at(parts[from]->send, fromOffset),
              deviceOf(from), bytes));
  };
  switch (parts[0]->kind) {
    case ALL_REDUCE:
      streams.gather(root);
      keep(reduce_at(clique, parts, root, 0, root.count, root.receive));
      streams.spread(root);
      for (size_t rank = 1; rank < ranks; rank++)
        keep(copy(*parts[rank], parts[rank]->receive, deviceOf(rank), root.receive, deviceOf(0), bytes));
      streams.meet();
      break;
    case REDUCE:
      streams.gather(root);
      keep(reduce_at(clique, parts, root, 0, root.count, root.receive));
      streams.spread(root);
      break;
    case REDUCE_SCATTER:
      streams.meet();
      for (size_t rank = 0; rank < ranks; rank++)
        keep(reduce_at(clique, parts, *parts[rank], rank * bytes, parts[rank]->count, parts[rank]->receive));
      streams.meet();
      break;
    case BROADCAST:
      streams.spread(root);
      for (size_t rank = 0; rank < ranks; rank++) take(rank, 0, parts[0]->peer, 0);
      streams.gather(root);
      break;
    case ALL_GATHER:
      streams.meet();
      for (size_t to = 0; to < ranks; to++)
        for (size_t from = 0; from < ranks; from++) take(to, from * bytes, from, 0);
      streams.meet();
      break;
    case ALL_TO_ALL:
      streams.meet();
      for (size_t to = 0; to < ranks; to++)
        for (size_t from = 0; from < ranks; from++) take(to, from * bytes, from, to * bytes);
      streams.meet();
      break;
    case GATHER:
      streams.gather(root);
      for (size_t from = 0; from < ranks; from++) take(parts[0]->peer, from * bytes, from, 0);
      streams.spread(root);
      break;
    case SCATTER:
      streams.spread(root);
      for (size_t to = 0; to < ranks; to++) take(to, 0, parts[0]->peer, to * bytes);
      streams.gather(root);
      break;
    default: break;
  }
  keep(streams.status());
  return error;
}

} // namespace

int run_nvidia(const std::vector<Operation *> &parts) {
  for (Operation *part : parts) {
    const Operation &o = *part;
    unsigned long long count = o.count, comm = o.comm->nvidia;
    int type = o.type, op = o.op >= ncclNumOps ? o.comm->factors[o.op - ncclNumOps].nvidia : o.op, status = 0;
    OfStream stream{o.stream};
    cudaSetDevice(o.comm->device);
    auto call = [&](auto... values) { status = call_nvidia(o.comm, "nccl", o.stream, o.name, values...); };
    switch (o.kind) {
      case ALL_REDUCE: case REDUCE_SCATTER: call(o.send, (const void *)o.receive, count, type, op, comm, stream);
          break;
      case REDUCE: call(o.send, (const void *)o.receive, count, type, op, o.peer, comm, stream); break;
      case ALL_GATHER: case ALL_TO_ALL: call(o.send, (const void *)o.receive, count, type, comm, stream); break;
      case SEND: call(o.send, count, type, o.peer, comm, stream); break;
      case RECEIVE: call((const void *)o.receive, count, type, o.peer, comm, stream); break;
      default: call(o.send, (const void *)o.receive, count, type, o.peer, comm, stream); break;
    }
    if (status != 0) return status;
  }
  return 0;
}

cudaError_t reduce_sources(ncclDataType_t type, int reduction, const Sources &sources, void *result, size_t count,
                           cudaStream_t stream) {
  return reduce(type, reduction, sources, result, count, stream);
}

ncclResult_t execute(Clique &clique, const std::vector<Operation *> &parts) {
  DeviceGuard guard;
  if (clique.hasNvidia) {
    int status = run_nvidia(parts);
    if (status >= 0) return (ncclResult_t)status;
  }
  return run(clique, parts) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t transfer(const Operation &send, const Operation &receive) {
  DeviceGuard guard;
  std::vector<Operation *> pair{(Operation *)&send, (Operation *)&receive};
  if (send.comm->clique->hasNvidia) {
    int status = run_nvidia(pair);
    if (status >= 0) return (ncclResult_t)status;
  }
  Streams streams(pair);
  streams.gather(receive);
  cudaError_t error = copy(receive, receive.receive, receive.comm->device, send.send, send.comm->device,
                           send.count * bytes_of(send.type));
  streams.spread(receive);
  return error == cudaSuccess && streams.status() == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

} // namespace heddle_nccl
