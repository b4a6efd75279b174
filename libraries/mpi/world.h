// The processes of an MPI program, what they have sent to each other, and communicators over them.
//
// A message goes through the room of the world (libraries/common/rooms.h) at once: no send waits. Whoever waits for a
// message takes all that have come, and keeps those that nobody has asked for yet.
#pragma once
#include <cuda_runtime.h>
#include <mpi.h>
#include <deque>
#include <memory>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>
#include "../common/rooms.h"

namespace heddle_mpi {

constexpr int FIRST_OWN = 100; // handles of a program's own types and operations

/// Bytes of a type: runs of them in an element, its bounds, and how far elements are from each other.
struct Type {
  struct Run { ptrdiff_t at; size_t bytes; };
  std::vector<Run> runs;
  size_t size = 0;
  ptrdiff_t lower = 0, upper = 0, extent = 0, alignment = 1;
  /// The program has set the bounds (MPI_Type_create_resized) of the type, or of one of which it is made.
  bool isResized = false;
  /// The predefined type of which all is made, or 0.
  MPI_Datatype base = 0;
  bool isPlain() const { return runs.size() <= 1 && (size_t)extent == size && (runs.empty() || runs[0].at == 0); }
};
const Type *type_of(MPI_Datatype type);

/// Elements of a type that lie in a row, on the host: the program's own memory, or a copy.
class Packed {
  std::vector<char> copy;
  const char *bytes;

public:
  /// Null: the buffer could not be read.
  Packed(const void *data, int count, const Type &type);
  const char *data() const { return bytes; }
};
/// The other way. @returns MPI_ERR_BUFFER if the buffer could not be written
int unpack(void *data, int count, const Type &type, const char *from, size_t bytes);

/// result[i] = other[i] op result[i]; false: the type has no such operation.
bool combine(MPI_Op op, MPI_Datatype type, const void *other, void *result, int count);

struct Header {
  int context, tag, kind, sourceInComm;
  long long bytes;
};
struct Message {
  Header header;
  int source; // in the world
  std::vector<char> data;
};

struct Communicator {
  int context = 0; // of point to point; the next number is that of collectives
  int rank = 0;
  std::vector<int> members; // ranks in the world
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  // of a Cartesian grid
  std::vector<int> dims, periods;
};

struct Request {
  bool isReceive = false, isDone = false;
  void *data = nullptr;
  int count = 0;
  MPI_Datatype type = 0;
  int source = 0, tag = 0; // as asked for, in the communicator
  const Communicator *comm = nullptr;
  MPI_Status status{MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0};
};

struct World {
  bool isOpen = false, isClosed = false;
  int room = 0, rank = 0, size = 1, nextContext = 4;
  /// isGone: nothing more comes; isBroken: for another reason than that the rank has ended.
  struct Incoming {
    Header header;
    int headerBytes = 0;
    std::vector<char> data;
    size_t got = 0;
    bool isGone = false, isBroken = false;
  };
  std::vector<Incoming> incoming; // by rank
  std::deque<Message> unexpected;
  std::deque<Request *> posted;
  std::vector<std::unique_ptr<Communicator>> comms; // by handle - 1
  std::vector<std::unique_ptr<Request>> requests;   // by handle - 1
};
World &world();
Communicator *comm_of(MPI_Comm comm);
MPI_Comm add_comm(std::unique_ptr<Communicator> comm);

/// What the function returns, or the end of the program: as the communicator's error handler says.
int failed(MPI_Comm comm, const char *name, int error, const std::string &what);

/// @returns an error that `failed` has reported
int send_message(const char *name, MPI_Comm comm, int to, Header header, const void *data, size_t bytes);
/// Takes what has come; gives it to receives that wait.
void take_messages();
/// Whether the sender of what a receive waits for is gone.
bool is_hopeless(const Request &request);
/// Looks in what has come, else waits to be given it.
void post_receive(Request &request);
void unpost(Request &request);
/// A receive as a function: name and communicator are for errors.
int receive(const char *name, MPI_Comm comm, Request &request);
/// Waits until a receive is done. @returns an error that `failed` has reported
int finish_receive(const char *name, MPI_Comm comm, Request &request);
/// The next message of a collective from a rank, which must belong to the same call.
int receive_part(const char *name, MPI_Comm comm, int kind, int from, void *data, size_t bytes);
int send_part(const char *name, MPI_Comm comm, int kind, int to, const void *data, size_t bytes);
/// A buffer that the driver refuses to read or to write.
int bad_buffer(const char *name, MPI_Comm comm);

enum Collective { BARRIER = 1, BCAST, GATHER, SCATTER, ALLGATHER, ALLTOALL, REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN,
    SPLIT };
const char *name_of(int collective);
/// All ranks' bytes to all ranks.
int gather_to_all(const char *name, MPI_Comm comm, int kind, const void *own, size_t bytes, char *all);

} // namespace heddle_mpi
