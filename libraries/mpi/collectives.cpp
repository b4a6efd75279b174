// MPI's collectives (MPI 3.1, chapter 5). Results are combined in the order of the ranks: the same at every run.
#include "world.h"

namespace heddle_mpi {
namespace {

const void *const IN_PLACE = MPI_IN_PLACE;

int size_of(MPI_Comm comm) { return (int)comm_of(comm)->members.size(); }

/// What is wrong with the arguments of a collective, or MPI_SUCCESS.
int checked(const char *name, MPI_Comm comm, int count, MPI_Datatype type, int root = 0) {
  Communicator *c = comm_of(comm);
  if (!c) return failed(comm, name, MPI_ERR_COMM, "there is no such communicator");
  if (count < 0) return failed(comm, name, MPI_ERR_COUNT, "the count is negative");
  if (!type_of(type)) return failed(comm, name, MPI_ERR_TYPE, "there is no such type");
  if (root < 0 || root >= (int)c->members.size())
    return failed(comm, name, MPI_ERR_ROOT, "there is no rank " + std::to_string(root));
  return MPI_SUCCESS;
}

/// Elements of a buffer: a part of a rank's in a gather or a scatter.
struct Part { char *data; int count; };
/// The parts of all ranks in a buffer.
struct Parts {
  void *data;
  const int *counts, *places; // null: all have `count`, one after the other
  int count;
  const Type &type;
  Part of(int rank) const {
    int n = counts ? counts[rank] : count;
    ptrdiff_t at = places ? places[rank] : (ptrdiff_t)rank * count;
    return {(char *)data + at * type.extent, n};
  }
};
/// Packed elements into a buffer.
int put(const char *name, MPI_Comm comm, const Part &to, const Type &type, const char *from) {
  int error = unpack(to.data, to.count, type, from, type.size * (size_t)to.count);
  return error == MPI_SUCCESS ? error : bad_buffer(name, comm);
}
/// Own bytes to the root, which puts all into its parts.
int gather(const char *name, int kind, const char *own, size_t bytes, const Parts &parts, int root, MPI_Comm comm) {
  Communicator &c = *comm_of(comm);
  if (c.rank != root) return send_part(name, comm, kind, root, own, bytes);
  std::vector<char> data;
  for (int rank = 0; rank < size_of(comm); rank++) {
    Part part = parts.of(rank);
    size_t wanted = parts.type.size * (size_t)part.count;
    if (rank == root) {
      if (int error = own ? put(name, comm, part, parts.type, own) : MPI_SUCCESS) return error;
      continue;
    }
    data.resize(wanted);
    int error = receive_part(name, comm, kind, rank, data.data(), wanted);
    if (error == MPI_SUCCESS) error = put(name, comm, part, parts.type, data.data());
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}
int broadcast(const char *name, int kind, char *data, size_t bytes, int root, MPI_Comm comm) {
  Communicator &c = *comm_of(comm);
  if (c.rank != root) return receive_part(name, comm, kind, root, data, bytes);
  for (int rank = 0; rank < size_of(comm); rank++)
    if (int error = rank == root ? MPI_SUCCESS : send_part(name, comm, kind, rank, data, bytes)) return error;
  return MPI_SUCCESS;
}
/// The combined elements of ranks [first, last], at rank `root`: it takes them from the others.
int reduce(const char *name, int kind, const char *own, int count, MPI_Datatype type, MPI_Op op, int root, int first,
           int last, std::vector<char> &result, MPI_Comm comm) {
  const Type &t = *type_of(type);
  size_t bytes = t.size * (size_t)count;
  std::vector<char> next(bytes);
  for (int rank = first; rank <= last; rank++) {
    if (rank == root) next.assign(own, own + bytes);
    else {
      next.resize(bytes);
      int error = receive_part(name, comm, kind, rank, next.data(), bytes);
      if (error != MPI_SUCCESS) return error;
    }
    if (rank == first) result = next;
    else {
      std::vector<char> left = std::move(result);
      result = next;
      if (!combine(op, type, left.data(), result.data(), count))
        return failed(comm, name, MPI_ERR_OP, "the type has no such operation");
    }
  }
  return MPI_SUCCESS;
}
} // namespace

int gather_to_all(const char *name, MPI_Comm comm, int kind, const void *own, size_t bytes, char *all) {
  Communicator &c = *comm_of(comm);
  for (int rank = 0; rank < size_of(comm); rank++)
    if (int error = rank == c.rank ? MPI_SUCCESS : send_part(name, comm, kind, rank, own, bytes)) return error;
  for (int rank = 0; rank < size_of(comm); rank++) {
    if (rank == c.rank) {
      memmove(all + rank * bytes, own, bytes);
      continue;
    }
    int error = receive_part(name, comm, kind, rank, all + rank * bytes, bytes);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}
} // namespace heddle_mpi

using namespace heddle_mpi;

#define CHECKED(...)                                    \
  if (int error = checked(__VA_ARGS__)) return error;

extern "C" {
int MPI_Barrier(MPI_Comm comm) {
  CHECKED("MPI_Barrier", comm, 0, MPI_BYTE)
  Communicator &c = *comm_of(comm);
  const Parts none{nullptr, nullptr, nullptr, 0, *type_of(MPI_BYTE)};
  int error = gather("MPI_Barrier", BARRIER, "", 0, none, 0, comm);
  char nothing = 0;
  if (error != MPI_SUCCESS || c.members.size() == 1) return error;
  return broadcast("MPI_Barrier", BARRIER, &nothing, 0, 0, comm);
}
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  CHECKED("MPI_Bcast", comm, count, type, root)
  const Type &t = *type_of(type);
  size_t bytes = t.size * (size_t)count;
  if (comm_of(comm)->rank == root) {
    Packed packed(data, count, t);
    if (!packed.data()) return bad_buffer("MPI_Bcast", comm);
    return broadcast("MPI_Bcast", BCAST, (char *)packed.data(), bytes, root, comm);
  }
  std::vector<char> copy(bytes);
  int error = broadcast("MPI_Bcast", BCAST, copy.data(), bytes, root, comm);
  return error == MPI_SUCCESS ? put("MPI_Bcast", comm, {(char *)data, count}, t, copy.data()) : error;
}

static int gather_as(const char *name, const void *send, int sendCount, MPI_Datatype sendType, const Parts &parts,
                     int root, MPI_Comm comm) {
  bool isInPlace = send == IN_PLACE;
  if (!isInPlace) CHECKED(name, comm, sendCount, sendType, root)
  if (isInPlace) return gather(name, GATHER, nullptr, 0, parts, root, comm);
  const Type &t = *type_of(sendType);
  Packed packed(send, sendCount, t);
  if (!packed.data()) return bad_buffer(name, comm);
  return gather(name, GATHER, packed.data(), t.size * (size_t)sendCount, parts, root, comm);
}
int MPI_Gather(const void *send, int sendCount, MPI_Datatype sendType, void *data, int count, MPI_Datatype type,
               int root, MPI_Comm comm) {
  CHECKED("MPI_Gather", comm, 0, MPI_BYTE, root)
  bool isRoot = comm_of(comm)->rank == root;
  if (isRoot) CHECKED("MPI_Gather", comm, count, type, root)
  Parts parts{data, nullptr, nullptr, count, *type_of(isRoot ? type : MPI_BYTE)};
  return gather_as("MPI_Gather", send, sendCount, sendType, parts, root, comm);
}
int MPI_Gatherv(const void *send, int sendCount, MPI_Datatype sendType, void *data, const int counts[],
                const int places[], MPI_Datatype type, int root, MPI_Comm comm) {
  CHECKED("MPI_Gatherv", comm, 0, MPI_BYTE, root)
  bool isRoot = comm_of(comm)->rank == root;
  if (isRoot) CHECKED("MPI_Gatherv", comm, 0, type, root)
  Parts parts{data, counts, places, 0, *type_of(isRoot ? type : MPI_BYTE)};
  return gather_as("MPI_Gatherv", send, sendCount, sendType, parts, root, comm);
}

static int scatter_as(const char *name, const Parts &parts, void *data, int count, MPI_Datatype type, int root,
                      MPI_Comm comm) {
  bool isInPlace = data == IN_PLACE;
  if (!isInPlace) CHECKED(name, comm, count, type, root)
  Communicator &c = *comm_of(comm);
  if (c.rank != root) {
    const Type &t = *type_of(type);
    std::vector<char> copy(t.size * (size_t)count);
    int error = receive_part(name, comm, SCATTER, root, copy.data(), copy.size());
    return error == MPI_SUCCESS ? put(name, comm, {(char *)data, count}, t, copy.data()) : error;
  }
  for (int rank = 0; rank < size_of(comm); rank++) {
    Part part = parts.of(rank);
    if (rank == root && isInPlace) continue;
    Packed packed(part.data, part.count, parts.type);
    size_t bytes = parts.type.size * (size_t)part.count;
    if (!packed.data()) return bad_buffer(name, comm);
    int error = rank != root ? send_part(name, comm, SCATTER, rank, packed.data(), bytes)
                             : unpack(data, count, *type_of(type), packed.data(), bytes);
    if (error != MPI_SUCCESS) return rank != root ? error : bad_buffer(name, comm);
  }
  return MPI_SUCCESS;
}
int MPI_Scatter(const void *send, int sendCount, MPI_Datatype sendType, void *data, int count, MPI_Datatype type,
                int root, MPI_Comm comm) {
  CHECKED("MPI_Scatter", comm, 0, MPI_BYTE, root)
  bool isRoot = comm_of(comm)->rank == root;
  if (isRoot) CHECKED("MPI_Scatter", comm, sendCount, sendType, root)
  Parts parts{(void *)send, nullptr, nullptr, sendCount, *type_of(isRoot ? sendType : MPI_BYTE)};
  return scatter_as("MPI_Scatter", parts, data, count, type, root, comm);
}
int MPI_Scatterv(const void *send, const int counts[], const int places[], MPI_Datatype sendType, void *data,
                 int count, MPI_Datatype type, int root, MPI_Comm comm) {
  CHECKED("MPI_Scatterv", comm, 0, MPI_BYTE, root)
  bool isRoot = comm_of(comm)->rank == root;
  if (isRoot) CHECKED("MPI_Scatterv", comm, 0, sendType, root)
  Parts parts{(void *)send, counts, places, 0, *type_of(isRoot ? sendType : MPI_BYTE)};
  return scatter_as("MPI_Scatterv", parts, data, count, type, root, comm);
}

static int to_all(const char *name, int kind, const Parts &from, bool isSame, const Parts &to, MPI_Comm comm) {
  Communicator &c = *comm_of(comm);
  for (int rank = 0; rank < size_of(comm); rank++) {
    Part part = from.of(isSame ? 0 : rank);
    Packed packed(part.data, part.count, from.type);
    size_t bytes = from.type.size * (size_t)part.count;
    if (!packed.data()) return bad_buffer(name, comm);
    int error = MPI_SUCCESS;
    if (rank != c.rank) error = send_part(name, comm, kind, rank, packed.data(), bytes);
    else if (to.of(rank).data != part.data &&
             unpack(to.of(rank).data, to.of(rank).count, to.type, packed.data(), bytes) != MPI_SUCCESS)
      error = bad_buffer(name, comm);
    if (error != MPI_SUCCESS) return error;
  }
  for (int rank = 0; rank < size_of(comm); rank++) {
    if (rank == c.rank) continue;
    Part part = to.of(rank);
    std::vector<char> copy(to.type.size * (size_t)part.count);
    int error = receive_part(name, comm, kind, rank, copy.data(), copy.size());
    if (error == MPI_SUCCESS) error = put(name, comm, part, to.type, copy.data());
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}
static int allgather_as(const char *name, const void *send, int sendCount, MPI_Datatype sendType, const Parts &to,
                        MPI_Comm comm) {
  if (send == IN_PLACE) {
    Part own = to.of(comm_of(comm)->rank);
    return to_all(name, ALLGATHER, {own.data, nullptr, nullptr, own.count, to.type}, true, to, comm);
  }
  CHECKED(name, comm, sendCount, sendType)
  return to_all(name, ALLGATHER, {(void *)send, nullptr, nullptr, sendCount, *type_of(sendType)}, true, to, comm);
}
int MPI_Allgather(const void *send, int sendCount, MPI_Datatype sendType, void *data, int count, MPI_Datatype type,
                  MPI_Comm comm) {
  CHECKED("MPI_Allgather", comm, count, type)
  Parts to{data, nullptr, nullptr, count, *type_of(type)};
  return allgather_as("MPI_Allgather", send, sendCount, sendType, to, comm);
}
int MPI_Allgatherv(const void *send, int sendCount, MPI_Datatype sendType, void *data, const int counts[],
                   const int places[], MPI_Datatype type, MPI_Comm comm) {
  CHECKED("MPI_Allgatherv", comm, 0, type)
  return allgather_as("MPI_Allgatherv", send, sendCount, sendType, {data, counts, places, 0, *type_of(type)}, comm);
}
int MPI_Alltoall(const void *send, int sendCount, MPI_Datatype sendType, void *data, int count, MPI_Datatype type,
                 MPI_Comm comm) {
  CHECKED("MPI_Alltoall", comm, count, type)
  bool isInPlace = send == IN_PLACE;
  if (!isInPlace) CHECKED("MPI_Alltoall", comm, sendCount, sendType)
  Parts to{data, nullptr, nullptr, count, *type_of(type)};
  Parts from{(void *)send, nullptr, nullptr, sendCount, *type_of(isInPlace ? type : sendType)};
  return to_all("MPI_Alltoall", ALLTOALL, isInPlace ? to : from, false, to, comm);
}
int MPI_Alltoallv(const void *send, const int sendCounts[], const int sendPlaces[], MPI_Datatype sendType, void *data,
                  const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm) {
  CHECKED("MPI_Alltoallv", comm, 0, type)
  CHECKED("MPI_Alltoallv", comm, 0, sendType)
  return to_all("MPI_Alltoallv", ALLTOALL, {(void *)send, sendCounts, sendPlaces, 0, *type_of(sendType)}, false,
                {data, counts, places, 0, *type_of(type)}, comm);
}

/// Packed elements of all ranks, combined: at the root, or everywhere.
static int reduce_packed(const char *name, int kind, const char *own, std::vector<char> &result, int count,
                         MPI_Datatype type, MPI_Op op, int root, bool isForAll, MPI_Comm comm) {
  size_t bytes = type_of(type)->size * (size_t)count;
  result.resize(bytes);
  int error = comm_of(comm)->rank != root
                  ? send_part(name, comm, kind, root, own, bytes)
                  : reduce(name, kind, own, count, type, op, root, 0, size_of(comm) - 1, result, comm);
  if (error != MPI_SUCCESS || !isForAll) return error;
  return broadcast(name, kind, result.data(), bytes, root, comm);
}
static int reduce_as(const char *name, int kind, const void *send, void *data, int count, MPI_Datatype type,
                     MPI_Op op, int root, bool isForAll, MPI_Comm comm) {
  CHECKED(name, comm, count, type, root)
  const Type &t = *type_of(type);
  std::vector<char> result;
  Packed own(send == IN_PLACE ? data : send, count, t);
  if (!own.data()) return bad_buffer(name, comm);
  int error = reduce_packed(name, kind, own.data(), result, count, type, op, root, isForAll, comm);
  if (error != MPI_SUCCESS || (!isForAll && comm_of(comm)->rank != root)) return error;
  return put(name, comm, {(char *)data, count}, t, result.data());
}
int MPI_Reduce(const void *send, void *data, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return reduce_as("MPI_Reduce", REDUCE, send, data, count, type, op, root, false, comm);
}
int MPI_Allreduce(const void *send, void *data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return reduce_as("MPI_Allreduce", ALLREDUCE, send, data, count, type, op, 0, true, comm);
}
int MPI_Reduce_scatter(const void *send, void *data, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  CHECKED("MPI_Reduce_scatter", comm, 0, type)
  int count = 0, before = 0, rank = comm_of(comm)->rank;
  for (int i = 0; i < size_of(comm); i++) {
    if (i == rank) before = count;
    count += counts[i];
  }
  const Type &t = *type_of(type);
  std::vector<char> all;
  Packed own(send == IN_PLACE ? data : send, count, t);
  const char *name = "MPI_Reduce_scatter";
  if (!own.data()) return bad_buffer(name, comm);
  int error = reduce_packed(name, REDUCE_SCATTER, own.data(), all, count, type, op, 0, true, comm);
  if (error != MPI_SUCCESS) return error;
  return put(name, comm, {(char *)data, counts[rank]}, t, all.data() + t.size * (size_t)before);
}
int MPI_Reduce_scatter_block(const void *send, void *data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  CHECKED("MPI_Reduce_scatter_block", comm, count, type)
  std::vector<int> counts(size_of(comm), count);
  return MPI_Reduce_scatter(send, data, counts.data(), type, op, comm);
}
static int scan_as(const char *name, const void *send, void *data, int count, MPI_Datatype type, MPI_Op op,
                   bool isExclusive, MPI_Comm comm) {
  CHECKED(name, comm, count, type)
  Communicator &c = *comm_of(comm);
  const Type &t = *type_of(type);
  size_t bytes = t.size * (size_t)count;
  Packed own(send == IN_PLACE ? data : send, count, t);
  if (!own.data()) return bad_buffer(name, comm);
  for (int rank = c.rank + 1; rank < size_of(comm); rank++)
    if (int error = send_part(name, comm, SCAN, rank, own.data(), bytes)) return error;
  std::vector<char> result;
  int last = c.rank - isExclusive;
  if (last < 0) return MPI_SUCCESS;
  if (int error = reduce(name, SCAN, own.data(), count, type, op, c.rank, 0, last, result, comm)) return error;
  return put(name, comm, {(char *)data, count}, t, result.data());
}
int MPI_Scan(const void *send, void *data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return scan_as("MPI_Scan", send, data, count, type, op, false, comm);
}
int MPI_Exscan(const void *send, void *data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return scan_as("MPI_Exscan", send, data, count, type, op, true, comm);
}
}
