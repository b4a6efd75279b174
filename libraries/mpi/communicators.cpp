// The beginning and the end of an MPI program, its communicators and grids (MPI 3.1, chapters 6, 7 and 8).
#include <algorithm>
#include <mpi-ext.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "world.h"

namespace heddle_mpi {

Communicator *comm_of(MPI_Comm comm) {
  auto &all = world().comms;
  return comm >= 1 && (size_t)comm <= all.size() ? all[comm - 1].get() : nullptr;
}
MPI_Comm add_comm(std::unique_ptr<Communicator> comm) {
  world().comms.push_back(std::move(comm));
  return (MPI_Comm)world().comms.size();
}

static const char *const TEXTS[] = {"no error", "invalid buffer", "invalid count", "invalid type", "invalid tag",
    "invalid communicator", "invalid rank", "invalid root", "invalid group", "invalid operation", "invalid topology",
    "invalid dimensions", "invalid argument", "unknown error", "message truncated", "other error", "internal error",
    "error in a status", "pending request", "invalid request"};
static const char *text_of(int error) { return error >= 0 && error < MPI_ERR_LASTCODE ? TEXTS[error] : TEXTS[13]; }

int failed(MPI_Comm comm, const char *name, int error, const std::string &what) {
  Communicator *c = comm_of(comm);
  if (!c) c = comm_of(MPI_COMM_WORLD);
  if (c && c->handler == MPI_ERRORS_RETURN) return error;
  fprintf(stderr, "heddle: %s of rank %d: %s: %s%s\n", name, world().rank, text_of(error), what.c_str(),
          world().isOpen ? "" : " (MPI_Init has not been called)");
  fflush(stdout);
  exit(error);
}

const char *name_of(int collective) {
  static const char *const names[] = {"", "MPI_Barrier", "MPI_Bcast", "MPI_Gather", "MPI_Scatter", "MPI_Allgather",
      "MPI_Alltoall", "MPI_Reduce", "MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Scan", "MPI_Comm_split"};
  return names[collective >= 1 && collective <= SPLIT ? collective : 0];
}

namespace {
int number_of(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}

/// What a rank that has called MPI_Init says of itself. One that ended without it says nothing.
constexpr char PRESENT = 'i';

struct Coming {
  int room, size;
  double since;
  bool isTold = false;
  std::string failure;
};
int all_there(void *argument) {
  Coming &c = *(Coming *)argument;
  std::string missing;
  for (int rank = 0; rank < c.size; rank++) {
    char info = 0;
    int found = __heddle_room_member(c.room, rank, &info, 1);
    if (found == ROOM_ABSENT) missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
    else if (found != ROOM_HERE && found != ROOM_GONE) c.failure = "the room of the ranks cannot be read";
    else if (info != PRESENT) c.failure = "rank " + std::to_string(rank) + " has ended without calling MPI_Init";
  }
  if (missing.empty() || !c.failure.empty()) return 1;
  const char *given = getenv("HEDDLE_JOIN_SECONDS");
  double waited = MPI_Wtime() - c.since, most = given ? atof(given) : 0;
  if (waited > (most > 0 ? most : 300)) return c.failure = "rank " + missing + " never came", 1;
  if (!c.isTold && waited > 10) {
    c.isTold = true;
    fprintf(stderr, "heddle: MPI_Init waits for rank %s of %d: a process must call it in the same world\n",
            missing.c_str(), c.size);
  }
  return 0;
}
[[noreturn]] void no_world(const std::string &why) {
  fprintf(stderr, "heddle: MPI_Init of rank %d: %s\n", world().rank, why.c_str());
  fflush(stdout);
  exit(MPI_ERR_OTHER);
}

void open_world() {
  World &w = world();
  const char *name = getenv("HEDDLE_WORLD");
  if (name) {
    w.rank = number_of("HEDDLE_RANK", 0);
    w.size = number_of("HEDDLE_SIZE", 1);
  }
  if (w.size > 1) {
    w.room = __heddle_room_enter(name, w.rank, w.size, &PRESENT, 1);
    if (w.room <= 0) no_world(w.room == ROOM_TAKEN ?
        "another process has this rank (--world NAME keeps worlds apart)" : "there are no other processes here");
    Coming coming{w.room, w.size, MPI_Wtime()};
    __heddle_wait_outside(all_there, &coming, "MPI_Init");
    if (!coming.failure.empty()) no_world(coming.failure);
  }
  w.incoming.resize(w.size);
  auto all = std::make_unique<Communicator>(), self = std::make_unique<Communicator>();
  all->rank = w.rank;
  for (int rank = 0; rank < w.size; rank++) all->members.push_back(rank);
  self->context = 2;
  self->members = {w.rank};
  add_comm(std::move(all));
  add_comm(std::move(self));
  w.isOpen = true;
}

/// A communicator of ranks of `comm`, in this order. Others may be made by the same call: `part` is the number of this.
std::unique_ptr<Communicator> make_part(const Communicator &comm, int part, const std::vector<int> &ranks) {
  auto made = std::make_unique<Communicator>();
  made->context = world().nextContext + 2 * part;
  made->handler = comm.handler;
  for (int rank : ranks) {
    if (rank == comm.rank) made->rank = (int)made->members.size();
    made->members.push_back(comm.members[rank]);
  }
  return made;
}
int coordinates_to_rank(const Communicator &c, const std::vector<int> &coords) {
  int rank = 0;
  for (size_t d = 0; d < c.dims.size(); d++) {
    int at = coords[d];
    if (c.periods[d]) at = (at % c.dims[d] + c.dims[d]) % c.dims[d];
    if (at < 0 || at >= c.dims[d]) return MPI_PROC_NULL;
    rank = rank * c.dims[d] + at;
  }
  return rank;
}
std::vector<int> coordinates_of(const Communicator &c, int rank) {
  std::vector<int> coords(c.dims.size());
  for (size_t d = c.dims.size(); d-- > 0; rank /= c.dims[d]) coords[d] = rank % c.dims[d];
  return coords;
}
int no_comm(const char *name, MPI_Comm comm) {
  return failed(comm, name, MPI_ERR_COMM, "there is no such communicator");
}
int no_grid(const char *name, MPI_Comm comm) {
  return failed(comm, name, MPI_ERR_TOPOLOGY, "the communicator has no grid");
}
} // namespace
} // namespace heddle_mpi

using namespace heddle_mpi;

extern "C" {
int MPI_Init(int *, char ***) {
  if (world().isOpen) return failed(MPI_COMM_WORLD, "MPI_Init", MPI_ERR_OTHER, "it has been called before");
  open_world();
  return MPI_SUCCESS;
}
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  *provided = required;
  return MPI_Init(argc, argv);
}
int MPI_Query_thread(int *provided) { return *provided = MPI_THREAD_MULTIPLE, MPI_SUCCESS; }
int MPI_Is_thread_main(int *flag) { return *flag = 1, MPI_SUCCESS; }
int MPI_Initialized(int *flag) { return *flag = world().isOpen, MPI_SUCCESS; }
int MPI_Finalized(int *flag) { return *flag = world().isClosed, MPI_SUCCESS; }
int MPI_Finalize(void) {
  int error = MPI_Barrier(MPI_COMM_WORLD);
  world().isClosed = true;
  return error;
}
int MPI_Abort(MPI_Comm, int code) {
  fprintf(stderr, "heddle: MPI_Abort of rank %d, with code %d\n", world().rank, code);
  fflush(stdout);
  _exit(code == 0 ? MPI_ERR_OTHER : code);
}
double MPI_Wtime(void) {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
double MPI_Wtick(void) { return 1e-6; }
int MPI_Get_processor_name(char *name, int *length) {
  *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "localhost");
  return MPI_SUCCESS;
}
int MPI_Get_version(int *version, int *subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
int MPI_Get_library_version(char *version, int *length) {
  *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Heddle's MPI, for the processes of one machine");
  return MPI_SUCCESS;
}
int MPIX_Query_cuda_support(void) { return 1; }
int MPI_Error_string(int code, char *text, int *length) {
  *length = snprintf(text, MPI_MAX_ERROR_STRING, "%s", text_of(code));
  return MPI_SUCCESS;
}
int MPI_Error_class(int code, int *errorClass) { return *errorClass = code, MPI_SUCCESS; }
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  Communicator *c = comm_of(comm);
  if (!c) return no_comm("MPI_Comm_set_errhandler", comm);
  c->handler = handler;
  return MPI_SUCCESS;
}
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) { return MPI_Comm_set_errhandler(comm, handler); }
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler) {
  Communicator *c = comm_of(comm);
  if (!c) return no_comm("MPI_Comm_get_errhandler", comm);
  *handler = c->handler;
  return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  Communicator *c = comm_of(comm);
  if (!c) return no_comm("MPI_Comm_rank", comm);
  *rank = c->rank;
  return MPI_SUCCESS;
}
int MPI_Comm_size(MPI_Comm comm, int *size) {
  Communicator *c = comm_of(comm);
  if (!c) return no_comm("MPI_Comm_size", comm);
  *size = (int)c->members.size();
  return MPI_SUCCESS;
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
  Communicator *c = comm_of(comm);
  if (!c) return no_comm("MPI_Comm_split", comm);
  struct Wish { int color, key, rank, nextContext; };
  Wish own{color, key, c->rank, world().nextContext};
  std::vector<Wish> all(c->members.size());
  int error = gather_to_all("MPI_Comm_split", comm, SPLIT, &own, sizeof own, (char *)all.data());
  if (error != MPI_SUCCESS) return error;
  for (const Wish &wish : all) world().nextContext = std::max(world().nextContext, wish.nextContext);
  std::stable_sort(all.begin(), all.end(), [](const Wish &a, const Wish &b) {
    return a.color != b.color ? a.color < b.color : a.key < b.key;
  });
  *made = MPI_COMM_NULL;
  int part = 0;
  for (size_t begin = 0, end; begin < all.size(); begin = end, part++) {
    std::vector<int> ranks;
    for (end = begin; end < all.size() && all[end].color == all[begin].color; end++) ranks.push_back(all[end].rank);
    if (all[begin].color == color && color != MPI_UNDEFINED) *made = add_comm(make_part(*comm_of(comm), part, ranks));
  }
  world().nextContext += 2 * part;
  return MPI_SUCCESS;
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm *made) {
  return MPI_Comm_split(comm, type == MPI_COMM_TYPE_SHARED ? 0 : MPI_UNDEFINED, key, made);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
  Communicator *c = comm_of(comm);
  if (!c) return no_comm("MPI_Comm_dup", comm);
  int error = MPI_Comm_split(comm, 0, c->rank, made);
  if (error != MPI_SUCCESS) return error;
  comm_of(*made)->dims = comm_of(comm)->dims;
  comm_of(*made)->periods = comm_of(comm)->periods;
  return MPI_SUCCESS;
}
int MPI_Comm_free(MPI_Comm *comm) {
  // Requests of the communicator may go on: it stays in memory.
  if (!comm_of(*comm)) return no_comm("MPI_Comm_free", *comm);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int *result) {
  Communicator *first = comm_of(a), *second = comm_of(b);
  if (!first || !second) return no_comm("MPI_Comm_compare", a);
  std::vector<int> one = first->members, two = second->members;
  *result = a == b ? MPI_IDENT : one == two ? MPI_CONGRUENT : MPI_UNEQUAL;
  std::sort(one.begin(), one.end());
  std::sort(two.begin(), two.end());
  if (*result == MPI_UNEQUAL && one == two) *result = MPI_SIMILAR;
  return MPI_SUCCESS;
}
int MPI_Comm_get_attr(MPI_Comm, int key, void *value, int *flag) {
  static int largestTag = MPI_TAG_UB_VALUE;
  *flag = key == MPI_TAG_UB;
  if (*flag) *(int **)value = &largestTag;
  return MPI_SUCCESS;
}

int MPI_Dims_create(int nodes, int count, int dims[]) {
  int free = 0, left = nodes;
  for (int d = 0; d < count; d++) {
    if (dims[d] > 0 && left % dims[d] != 0)
      return failed(MPI_COMM_WORLD, "MPI_Dims_create", MPI_ERR_DIMS, "the nodes are no multiple of the dimensions");
    if (dims[d] > 0) left /= dims[d];
    else free++;
  }
  std::vector<int> made(free, 1), factors;
  for (int f = 2; left > 1; f++)
    for (; left % f == 0; left /= f) factors.push_back(f);
  if (free > 0)
    for (auto f = factors.rbegin(); f != factors.rend(); ++f) *std::min_element(made.begin(), made.end()) *= *f;
  std::sort(made.rbegin(), made.rend());
  for (int d = 0, next = 0; d < count; d++)
    if (dims[d] == 0) dims[d] = made[next++];
  return MPI_SUCCESS;
}
int MPI_Cart_create(MPI_Comm comm, int count, const int dims[], const int periods[], int, MPI_Comm *made) {
  Communicator *c = comm_of(comm);
  if (!c) return no_comm("MPI_Cart_create", comm);
  int places = 1;
  for (int d = 0; d < count; d++) places *= dims[d];
  if (places > (int)c->members.size() || places < 1)
    return failed(comm, "MPI_Cart_create", MPI_ERR_ARG, "the grid has more places than the communicator has ranks");
  int error = MPI_Comm_split(comm, c->rank < places ? 0 : MPI_UNDEFINED, c->rank, made);
  if (error != MPI_SUCCESS || *made == MPI_COMM_NULL) return error;
  comm_of(*made)->dims.assign(dims, dims + count);
  comm_of(*made)->periods.assign(periods, periods + count);
  return MPI_SUCCESS;
}
int MPI_Cart_coords(MPI_Comm comm, int rank, int most, int coords[]) {
  Communicator *c = comm_of(comm);
  if (!c || c->dims.empty()) return no_grid("MPI_Cart_coords", comm);
  std::vector<int> at = coordinates_of(*c, rank);
  for (int d = 0; d < most && d < (int)at.size(); d++) coords[d] = at[d];
  return MPI_SUCCESS;
}
int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank) {
  Communicator *c = comm_of(comm);
  if (!c || c->dims.empty()) return no_grid("MPI_Cart_rank", comm);
  *rank = coordinates_to_rank(*c, std::vector<int>(coords, coords + c->dims.size()));
  return MPI_SUCCESS;
}
int MPI_Cart_shift(MPI_Comm comm, int direction, int distance, int *source, int *target) {
  Communicator *c = comm_of(comm);
  if (!c || direction < 0 || direction >= (int)c->dims.size()) return no_grid("MPI_Cart_shift", comm);
  std::vector<int> at = coordinates_of(*c, c->rank), before = at;
  at[direction] += distance;
  before[direction] -= distance;
  *target = coordinates_to_rank(*c, at);
  *source = coordinates_to_rank(*c, before);
  return MPI_SUCCESS;
}
int MPI_Cart_get(MPI_Comm comm, int most, int dims[], int periods[], int coords[]) {
  Communicator *c = comm_of(comm);
  if (!c || c->dims.empty()) return no_grid("MPI_Cart_get", comm);
  for (int d = 0; d < most && d < (int)c->dims.size(); d++) dims[d] = c->dims[d], periods[d] = c->periods[d];
  return MPI_Cart_coords(comm, c->rank, most, coords);
}
}
