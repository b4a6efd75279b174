// A collective over several processes while it goes on. It never waits: what its ranks need of other processes comes in
// its own time, and other host threads and other communicators go on meanwhile.
//
// An operation is done in slices. Each process sends what others need of its data, receives what it needs, and of a
// reduction makes a part; an all-reduce then sends the parts to all.
#pragma once
#include "sources.h"

namespace heddle_nccl {

/// So much of an operation is sent and reduced at a time.
constexpr size_t SLICE_BYTES = 4 << 20;
/// Messages go from rank to rank in lanes: calls, data of collectives, and pairs of ncclSend and ncclRecv.
enum Lane { CALLS, DATA, PAIRS, IDS };

ncclResult_t send_bytes(Clique &clique, Lane lane, int from, int to, const void *data, size_t bytes);
/// Memory of a rank's device to another process, after the work of its stream.
ncclResult_t send_memory(Clique &clique, Lane lane, int to, const Operation &o, const void *memory, size_t bytes);
char *buffer_of(Clique &clique);

class Exchange {
  enum Stage { BEGIN, FIRST, SECOND, END };
  /// What rank `to` of this process waits for.
  struct Incoming {
    int from, to;
    std::vector<char> data;
    size_t got = 0;
  };
  /// What rank `to` needs of the data that rank `from` sends, in elements.
  struct Piece { size_t at, count; };

  Clique &clique;
  /// Ranks of other processes, as their calls say; `parts` are all ranks that take part.
  std::vector<Operation> others;
  std::vector<Operation *> parts;
  std::vector<Call> calls;
  size_t elementBytes, most, begin = 0, count = 0;
  Stage stage = BEGIN;
  std::vector<Incoming> incoming;
  ncclResult_t status = ncclSuccess;

  bool isHere(int rank) const { return clique.outside.isHere[rank]; }
  int ranks() const { return (int)parts.size(); }
  Kind kind() const { return parts[0]->kind; }
  /// The elements that a rank reduces for all.
  size_t chunk(int rank) const { return begin + count * rank / ranks(); }
  size_t chunk_bytes(int rank) const { return (chunk(rank + 1) - chunk(rank)) * elementBytes; }
  Piece piece_of(int from, int to) const;
  size_t place_of(int from) const;
  const char *sent(int rank, size_t at) const { return (const char *)parts[rank]->send + at * elementBytes; }
  char *received(int rank, size_t at) const { return (char *)parts[rank]->receive + at * elementBytes; }
  void keep(ncclResult_t next) { if (status == ncclSuccess) status = next; }
  void keep(cudaError_t next) { keep(next == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError); }

  void copy_local(int to, void *target, int from, const void *source, size_t bytes);
  char *staging(int to, size_t bytes);
  void expect(int from, int to, size_t bytes);
  /// Puts what rank `to` has received of `from` there.
  void put(int from, int to, void *target);
  bool has_come();
  void send_all();
  void reduce_for(int to);
  void receive_for(int to);
  void send_chunks();
  void receive_chunks(int to);
  void settle();

public:
  /// @param sequence of the calls
  Exchange(Clique &clique, const std::vector<int> &ranks, unsigned sequence);
  const std::vector<Operation *> &all() const { return parts; }
  /// ncclInProgress: something has not come yet.
  ncclResult_t go_on();
};

Call call_of(const Operation &o, unsigned sequence);
Operation operation_of(const Call &call);

} // namespace heddle_nccl
