#include <algorithm>
#include <string.h>
#include "../common/rooms.h"
#include "../common/scratch.h"
#include "copies.h"
#include "exchange.h"

namespace heddle_nccl {

ncclResult_t send_bytes(Clique &clique, Lane lane, int from, int to, const void *data, size_t bytes) {
  int sent = __heddle_room_send(clique.outside.room, lane, from, to, data, (int)bytes);
  return sent == ROOM_HERE ? ncclSuccess : ncclSystemError;
}

char *buffer_of(Clique &clique) {
  clique.outside.buffer.resize(SLICE_BYTES);
  return clique.outside.buffer.data();
}

ncclResult_t send_memory(Clique &clique, Lane lane, int to, const Operation &o, const void *memory, size_t bytes) {
  char *buffer = buffer_of(clique);
  cudaSetDevice(o.comm->device);
  for (size_t at = 0; at < bytes; at += SLICE_BYTES) {
    size_t part = std::min(SLICE_BYTES, bytes - at);
    if (copy_to_host(buffer, (const char *)memory + at, part, o.stream) != cudaSuccess) return ncclUnhandledCudaError;
    ncclResult_t status = send_bytes(clique, lane, o.comm->rank, to, buffer, part);
    if (status != ncclSuccess) return status;
  }
  return ncclSuccess;
}

Exchange::Exchange(Clique &clique, const std::vector<int> &ranks, unsigned sequence)
    : clique(clique), others(clique.size) {
  Outside &out = clique.outside;
  for (int rank : ranks) {
    bool isLocal = out.isHere[rank];
    if (!isLocal) others[rank] = operation_of(out.heard[rank].call);
    parts.push_back(isLocal ? clique.ranks[rank]->collectives.front() : &others[rank]);
    calls.push_back(isLocal ? call_of(*parts.back(), sequence) : out.heard[rank].call);
  }
  elementBytes = bytes_of(parts[0]->type);
  most = SLICE_BYTES / elementBytes;
  // An all-reduce sends a chunk to each rank: its slices are larger.
  if (kind() == ALL_REDUCE) most *= parts.size();
}

Exchange::Piece Exchange::piece_of(int from, int to) const {
  int root = parts[0]->peer;
  size_t whole = parts[0]->count;
  bool isFromRoot = from == root, isToRoot = to == root;
  switch (kind()) {
    case ALL_REDUCE: return {chunk(to), chunk(to + 1) - chunk(to)};
    case REDUCE_SCATTER: case ALL_TO_ALL: return {to * whole + begin, count};
    case SCATTER: return {to * whole + begin, isFromRoot ? count : 0};
    case REDUCE: case GATHER: return {begin, isToRoot ? count : 0};
    case BROADCAST: return {begin, isFromRoot ? count : 0};
    default: return {begin, count};
  }
}
/// Where a rank puts what comes of rank `from`, in elements.
size_t Exchange::place_of(int from) const {
  bool isOfEach = kind() == ALL_GATHER || kind() == ALL_TO_ALL || kind() == GATHER;
  return (isOfEach ? from * parts[0]->count : 0) + begin;
}

void Exchange::copy_local(int to, void *target, int from, const void *source, size_t bytes) {
  const Operation &a = *parts[from], &b = *parts[to];
  if (target == source || bytes == 0) return;
  cudaSetDevice(a.comm->device);
  keep(cudaStreamSynchronize(a.stream));
  cudaSetDevice(b.comm->device);
  keep(copy_on_devices(target, b.comm->device, source, a.comm->device, bytes, b.stream));
}
/// Memory on the device of `to` for what other ranks send.
char *Exchange::staging(int to, size_t bytes) {
  auto &[memory, have] = clique.staging[parts[to]->comm->device];
  if (have < bytes) {
    heddle_scratch::OutsideOfCaptures allocation;
    if (memory) cudaFree(memory);
    memory = nullptr;
    cudaSetDevice(parts[to]->comm->device);
    keep(cudaMalloc(&memory, bytes));
    have = memory ? bytes : 0;
  }
  return (char *)memory;
}

void Exchange::expect(int from, int to, size_t bytes) {
  if (bytes > 0) incoming.push_back({from, to, std::vector<char>(bytes)});
}
bool Exchange::has_come() {
  bool isAll = true;
  for (Incoming &i : incoming) {
    if (i.got == i.data.size()) continue;
    int got = __heddle_room_receive(clique.outside.room, DATA, i.from, i.to, i.data.data() + i.got,
                                    (int)(i.data.size() - i.got));
    if (got < 0) keep(got == ROOM_GONE ? ncclRemoteError : ncclSystemError);
    else i.got += got;
    isAll = isAll && i.got == i.data.size();
  }
  return isAll;
}
void Exchange::put(int from, int to, void *target) {
  for (Incoming &i : incoming) {
    if (i.from != from || i.to != to || status != ncclSuccess) continue;
    cudaSetDevice(parts[to]->comm->device);
    keep(copy_from_host(target, i.data.data(), i.data.size(), parts[to]->stream));
  }
}

void Exchange::send_all() {
  for (int from = 0; from < ranks(); from++)
    for (int to = 0; to < ranks(); to++) {
      if (isHere(from) == isHere(to)) continue;
      Piece piece = piece_of(from, to);
      if (isHere(to)) expect(from, to, piece.count * elementBytes);
      else if (piece.count > 0 && status == ncclSuccess)
        keep(send_memory(clique, DATA, to, *parts[from], sent(from, piece.at), piece.count * elementBytes));
    }
}
void Exchange::reduce_for(int to) {
  Piece piece = piece_of(0, to);
  size_t bytes = piece.count * elementBytes;
  if (bytes == 0) return;
  Sources sources;
  sources.count = ranks();
  char *staged = staging(to, bytes * ranks());
  for (int from = 0; from < ranks() && status == ncclSuccess; from++) {
    const Operation &part = *parts[from];
    sources.factors[from] = nullptr;
    memcpy(&sources.values[from], calls[from].factor, sizeof sources.values[from]);
    sources.data[from] = staged + from * bytes;
    if (!isHere(from)) put(from, to, staged + from * bytes);
    else if (part.comm->device == parts[to]->comm->device) {
      keep(cudaStreamSynchronize(part.stream));
      sources.data[from] = sent(from, piece.at);
    } else copy_local(to, staged + from * bytes, from, sent(from, piece.at), bytes);
  }
  if (status != ncclSuccess) return;
  cudaSetDevice(parts[to]->comm->device);
  int op = parts[to]->op >= ncclNumOps ? (int)FACTOR_SUM : (int)parts[to]->op;
  size_t place = kind() == REDUCE_SCATTER ? begin : piece.at;
  keep(reduce_sources(parts[to]->type, op, sources, received(to, place), piece.count, parts[to]->stream));
}
void Exchange::receive_for(int to) {
  for (int from = 0; from < ranks() && status == ncclSuccess; from++) {
    Piece piece = piece_of(from, to);
    size_t bytes = piece.count * elementBytes;
    if (bytes == 0) continue;
    char *target = received(to, place_of(from));
    if (isHere(from)) copy_local(to, target, from, sent(from, piece.at), bytes);
    else put(from, to, target);
  }
}
/// Of an all-reduce: each rank's chunk of the result to all.
void Exchange::send_chunks() {
  for (int from = 0; from < ranks(); from++)
    for (int to = 0; to < ranks(); to++) {
      if (isHere(from) == isHere(to)) continue;
      if (isHere(to)) expect(from, to, chunk_bytes(from));
      else if (chunk_bytes(from) > 0 && status == ncclSuccess)
        keep(send_memory(clique, DATA, to, *parts[from], received(from, chunk(from)), chunk_bytes(from)));
    }
}
void Exchange::receive_chunks(int to) {
  for (int from = 0; from < ranks() && status == ncclSuccess; from++) {
    if (from == to || chunk_bytes(from) == 0) continue;
    char *target = received(to, chunk(from));
    if (isHere(from)) copy_local(to, target, from, received(from, chunk(from)), chunk_bytes(from));
    else put(from, to, target);
  }
}
/// Data of this slice may be overwritten by the next one.
void Exchange::settle() {
  for (int rank = 0; rank < ranks(); rank++)
    if (isHere(rank)) {
      cudaSetDevice(parts[rank]->comm->device);
      keep(cudaStreamSynchronize(parts[rank]->stream));
    }
}

ncclResult_t Exchange::go_on() {
  DeviceGuard guard;
  while (status == ncclSuccess) {
    if (stage == BEGIN) {
      if (begin >= parts[0]->count) break;
      count = std::min(most, parts[0]->count - begin);
      send_all();
      stage = FIRST;
    } else if (stage == FIRST) {
      if (!has_come()) return status == ncclSuccess ? ncclInProgress : status;
      for (int to = 0; to < ranks() && status == ncclSuccess; to++)
        if (isHere(to)) is_reduction(kind()) ? reduce_for(to) : receive_for(to);
      incoming.clear();
      if (kind() == ALL_REDUCE && status == ncclSuccess) send_chunks();
      stage = kind() == ALL_REDUCE ? SECOND : END;
    } else if (stage == SECOND) {
      if (!has_come()) return status == ncclSuccess ? ncclInProgress : status;
      for (int to = 0; to < ranks(); to++)
        if (isHere(to)) receive_chunks(to);
      incoming.clear();
      stage = END;
    } else {
      settle();
      begin += count;
      stage = BEGIN;
    }
  }
  return status;
}

} // namespace heddle_nccl
