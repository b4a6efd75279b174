// Messages between the processes of an MPI program, and the functions that send and receive them (MPI 3.1, chapter 3).
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include "world.h"

namespace heddle_mpi {

World &world() {
  static World all;
  return all;
}

namespace {
double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool fits(const Request &request, const Header &header, int source) {
  const Communicator &comm = *request.comm;
  return header.context == comm.context && (request.tag == MPI_ANY_TAG || request.tag == header.tag) &&
         (request.source == MPI_ANY_SOURCE || comm.members[request.source] == source);
}

void give(Request &request, Message &message) {
  const Type &type = *type_of(request.type);
  size_t room = type.size * (size_t)request.count, bytes = message.data.size();
  request.status = {message.header.sourceInComm, message.header.tag, MPI_SUCCESS, (MPI_Count)bytes};
  if (bytes > room) {
    request.status.MPI_ERROR = MPI_ERR_TRUNCATE;
    bytes = room;
  }
  int error = unpack(request.data, request.count, type, message.data.data(), bytes);
  if (error != MPI_SUCCESS) request.status.MPI_ERROR = error;
  request.isDone = true;
}

void deliver(Message &&message) {
  World &w = world();
  for (size_t i = 0; i < w.posted.size(); i++) {
    Request *request = w.posted[i];
    if (!fits(*request, message.header, message.source)) continue;
    w.posted.erase(w.posted.begin() + i);
    give(*request, message);
    return;
  }
  w.unexpected.push_back(std::move(message));
}

/// One more part of a message of a rank. False: nothing has come.
bool take_part(int rank) {
  World &w = world();
  World::Incoming &in = w.incoming[rank];
  auto take = [&](void *to, size_t bytes) {
    int got = __heddle_room_receive(w.room, 0, rank, w.rank, to, (int)std::min<size_t>(bytes, 1 << 30));
    if (got < 0) in.isGone = true;
    if (got < 0 && got != ROOM_GONE) in.isBroken = true;
    return got < 0 ? 0 : got;
  };
  if (in.isGone) return false;
  if (in.headerBytes < (int)sizeof(Header)) {
    int got = take((char *)&in.header + in.headerBytes, sizeof(Header) - in.headerBytes);
    in.headerBytes += got;
    if (got == 0) return false;
    if (in.headerBytes < (int)sizeof(Header)) return true;
    in.data.resize((size_t)in.header.bytes);
    in.got = 0;
  }
  if (in.got < in.data.size()) {
    int got = take(in.data.data() + in.got, in.data.size() - in.got);
    in.got += got;
    if (got == 0) return false;
  }
  if (in.got < in.data.size()) return true;
  in.headerBytes = 0;
  deliver({in.header, rank, std::move(in.data)});
  in.data.clear();
  return true;
}

struct Wait {
  Request *request;
  const char *name;
  double since;
  bool isTold;
};
int is_over(void *argument) {
  Wait &wait = *(Wait *)argument;
  take_messages();
  if (wait.request->isDone || is_hopeless(*wait.request)) return 1;
  if (!wait.isTold && now() - wait.since > 10) {
    wait.isTold = true;
    const Request &r = *wait.request;
    std::string of = r.source == MPI_ANY_SOURCE ? "any rank" : "rank " + std::to_string(r.source);
    fprintf(stderr, "heddle: %s of rank %d waits for a message of %s\n", wait.name, r.comm->rank, of.c_str());
  }
  return 0;
}
} // namespace

void take_messages() {
  World &w = world();
  for (int rank = 0; rank < w.size; rank++)
    while (rank != w.rank && take_part(rank)) {}
}

int send_message(const char *name, MPI_Comm comm, int to, Header header, const void *data, size_t bytes) {
  World &w = world();
  const Communicator &c = *comm_of(comm);
  int target = c.members[to];
  header.sourceInComm = c.rank;
  header.bytes = (long long)bytes;
  if (target == w.rank) {
    deliver({header, w.rank, std::vector<char>((const char *)data, (const char *)data + bytes)});
    return MPI_SUCCESS;
  }
  char none;
  if (__heddle_room_member(w.room, target, &none, 0) == ROOM_GONE)
    return failed(comm, name, MPI_ERR_OTHER, "rank " + std::to_string(to) + " has ended, and receives no message");
  bool isSent = __heddle_room_send(w.room, 0, w.rank, target, &header, sizeof header) == ROOM_HERE;
  for (size_t at = 0; isSent && at < bytes; at += 1 << 30)
    isSent = __heddle_room_send(w.room, 0, w.rank, target, (const char *)data + at,
                                (int)std::min<size_t>(bytes - at, 1 << 30)) == ROOM_HERE;
  if (isSent) return MPI_SUCCESS;
  return failed(comm, name, MPI_ERR_OTHER, "the message to rank " + std::to_string(to) + " cannot be sent");
}

bool is_hopeless(const Request &r) {
  World &w = world();
  auto isGone = [&](int rank) { return rank != w.rank && w.incoming[rank].isGone; };
  if (r.isDone) return false;
  if (r.source != MPI_ANY_SOURCE) return isGone(r.comm->members[r.source]);
  for (int member : r.comm->members)
    if (!isGone(member) && member != w.rank) return false;
  return r.comm->members.size() > 1;
}

static std::string why_gone(const Communicator &comm, int rank) {
  std::string who = "rank " + std::to_string(rank);
  if (!world().incoming[comm.members[rank]].isBroken) return who + " has ended";
  return "the messages of " + who + " cannot be read: it counts as one that has ended";
}
static std::string why_hopeless(const Request &r) {
  return r.source == MPI_ANY_SOURCE ? "the other ranks have ended" : why_gone(*r.comm, r.source);
}

void post_receive(Request &request) {
  World &w = world();
  for (auto message = w.unexpected.begin(); message != w.unexpected.end(); ++message) {
    if (!fits(request, message->header, message->source)) continue;
    give(request, *message);
    w.unexpected.erase(message);
    return;
  }
  w.posted.push_back(&request);
}
void unpost(Request &request) {
  auto &posted = world().posted;
  for (size_t i = 0; i < posted.size(); i++)
    if (posted[i] == &request) posted.erase(posted.begin() + i--);
}

int finish_receive(const char *name, MPI_Comm comm, Request &request) {
  Wait wait{&request, name, now(), false};
  if (!request.isDone) __heddle_wait_outside(is_over, &wait, name);
  if (!request.isDone) {
    unpost(request);
    return failed(comm, name, MPI_ERR_OTHER, why_hopeless(request) + " without sending the message");
  }
  if (request.status.MPI_ERROR == MPI_SUCCESS) return MPI_SUCCESS;
  if (request.status.MPI_ERROR == MPI_ERR_BUFFER) return bad_buffer(name, comm);
  return failed(comm, name, request.status.MPI_ERROR, "a message of " + std::to_string(request.status.heddle_bytes)
      + " bytes of rank " + std::to_string(request.status.MPI_SOURCE) + " is longer than the buffer");
}

int receive(const char *name, MPI_Comm comm, Request &request) {
  take_messages();
  post_receive(request);
  return finish_receive(name, comm, request);
}

int bad_buffer(const char *name, MPI_Comm comm) {
  return failed(comm, name, MPI_ERR_BUFFER, "the copy of a buffer on the device fails: "
      + std::string(cudaGetErrorString(cudaGetLastError())));
}
int send_part(const char *name, MPI_Comm comm, int kind, int to, const void *data, size_t bytes) {
  return send_message(name, comm, to, {comm_of(comm)->context + 1, 0, kind, 0, 0}, data, bytes);
}

int receive_part(const char *name, MPI_Comm comm, int kind, int from, void *data, size_t bytes) {
  const Communicator &c = *comm_of(comm);
  Communicator collective = c;
  collective.context++;
  // The first message there decides whether the ranks agree.
  struct Look {
    World &w;
    const Communicator &c;
    int from;
    Message *found;
    const char *name;
    double since;
    bool isTold;
  };
  Look look{world(), collective, from, nullptr, name, now(), false};
  auto find = [](void *argument) {
    Look &l = *(Look *)argument;
    take_messages();
    for (Message &m : l.w.unexpected)
      if (m.header.context == l.c.context && m.source == l.c.members[l.from]) return l.found = &m, 1;
    if (!l.isTold && now() - l.since > 10) {
      l.isTold = true;
      fprintf(stderr, "heddle: %s of rank %d waits for rank %d, which has not made this call yet\n", l.name, l.c.rank,
              l.from);
    }
    int source = l.c.members[l.from];
    return (int)(source != l.w.rank && l.w.incoming[source].isGone);
  };
  if (!find(&look)) __heddle_wait_outside(find, &look, name);
  if (!look.found) return failed(comm, name, MPI_ERR_OTHER, why_gone(c, from));
  Message message = std::move(*look.found);
  for (auto m = world().unexpected.begin(); m != world().unexpected.end(); ++m)
    if (&*m == look.found) {
      world().unexpected.erase(m);
      break;
    }
  if (message.header.kind != kind) return failed(comm, name, MPI_ERR_OTHER, "the ranks disagree: rank "
      + std::to_string(from) + " calls " + name_of(message.header.kind));
  if (message.data.size() != bytes) return failed(comm, name, MPI_ERR_TRUNCATE, "the ranks disagree: rank "
      + std::to_string(from) + " has " + std::to_string(message.data.size()) + " bytes, and rank "
      + std::to_string(c.rank) + " expects " + std::to_string(bytes));
  memcpy(data, message.data.data(), bytes);
  return MPI_SUCCESS;
}

namespace {
int checked(const char *name, MPI_Comm comm, int count, MPI_Datatype type, int peer, int tag, bool isReceive) {
  Communicator *c = comm_of(comm);
  if (!c) return failed(comm, name, MPI_ERR_COMM, "there is no such communicator");
  if (count < 0) return failed(comm, name, MPI_ERR_COUNT, "the count is negative");
  if (!type_of(type)) return failed(comm, name, MPI_ERR_TYPE, "there is no such type");
  bool isAny = isReceive && peer == MPI_ANY_SOURCE;
  if (peer != MPI_PROC_NULL && !isAny && (peer < 0 || peer >= (int)c->members.size()))
    return failed(comm, name, MPI_ERR_RANK, "there is no rank " + std::to_string(peer));
  if ((tag < 0 && !(isReceive && tag == MPI_ANY_TAG)) || tag > MPI_TAG_UB_VALUE)
    return failed(comm, name, MPI_ERR_TAG, "there is no tag " + std::to_string(tag));
  return MPI_SUCCESS;
}
int send_as(const char *name, const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  int error = checked(name, comm, count, type, to, tag, false);
  if (error != MPI_SUCCESS || to == MPI_PROC_NULL) return error;
  const Type &t = *type_of(type);
  Packed packed(data, count, t);
  if (!packed.data()) return bad_buffer(name, comm);
  return send_message(name, comm, to, {comm_of(comm)->context, tag, 0, 0, 0}, packed.data(), t.size * count);
}
Request request_of(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm) {
  Request r;
  r.isReceive = true;
  r.data = data;
  r.count = count;
  r.type = type;
  r.source = from;
  r.tag = tag;
  r.comm = comm_of(comm);
  if (from == MPI_PROC_NULL) {
    r.isDone = true;
    r.status = {MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, 0};
  }
  return r;
}
MPI_Request add_request(Request &&request) {
  auto &all = world().requests;
  size_t at = 0;
  while (at < all.size() && all[at]) at++;
  if (at == all.size()) all.emplace_back();
  all[at] = std::make_unique<Request>(std::move(request));
  return (MPI_Request)(at + 1);
}
Request *find_request(MPI_Request request) {
  auto &all = world().requests;
  return request >= 1 && (size_t)request <= all.size() ? all[request - 1].get() : nullptr;
}
/// Sets the status if a message has come, or if there is nothing to wait for.
bool has_come(Request &wanted) {
  take_messages();
  if (wanted.isDone) return true;
  for (Message &m : world().unexpected) {
    if (!fits(wanted, m.header, m.source)) continue;
    wanted.status = {m.header.sourceInComm, m.header.tag, MPI_SUCCESS, (MPI_Count)m.data.size()};
    return wanted.isDone = true;
  }
  return false;
}
int is_probed(void *argument) {
  Request &wanted = *(Request *)argument;
  return has_come(wanted) || is_hopeless(wanted);
}
/// The first request that is done or hopeless, of several.
struct First { int count; MPI_Request *requests; int index; };
int is_any_over(void *argument) {
  First &first = *(First *)argument;
  bool isNone = true;
  take_messages();
  for (int i = 0; i < first.count; i++) {
    Request *r = find_request(first.requests[i]);
    if (!r) continue;
    isNone = false;
    if (r->isDone || is_hopeless(*r)) return first.index = i, 1;
  }
  return isNone;
}
/// Loops of tests leave the processor to other threads and to the other ranks.
void let_others_run() {
  sched_yield();
  __heddle_room_pause(50);
}
const MPI_Status EMPTY = {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0};
} // namespace
} // namespace heddle_mpi

using namespace heddle_mpi;

extern "C" {
int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return send_as("MPI_Send", data, count, type, to, tag, comm);
}
int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return send_as("MPI_Ssend", data, count, type, to, tag, comm);
}
int MPI_Bsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return send_as("MPI_Bsend", data, count, type, to, tag, comm);
}
int MPI_Rsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return send_as("MPI_Rsend", data, count, type, to, tag, comm);
}
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  int error = send_as("MPI_Isend", data, count, type, to, tag, comm);
  if (error != MPI_SUCCESS) return error;
  Request done;
  done.isDone = true;
  done.status = EMPTY;
  *request = add_request(std::move(done));
  return MPI_SUCCESS;
}
int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  int error = checked("MPI_Recv", comm, count, type, from, tag, true);
  if (error != MPI_SUCCESS) return error;
  Request request = request_of(data, count, type, from, tag, comm);
  if (!request.isDone) error = receive("MPI_Recv", comm, request);
  if (status) *status = request.status;
  return error;
}
int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  int error = checked("MPI_Irecv", comm, count, type, from, tag, true);
  if (error != MPI_SUCCESS) return error;
  *request = add_request(request_of(data, count, type, from, tag, comm));
  Request &made = *find_request(*request);
  take_messages();
  if (!made.isDone) post_receive(made);
  return MPI_SUCCESS;
}
int MPI_Sendrecv(const void *send, int sendCount, MPI_Datatype sendType, int to, int sendTag, void *data, int count,
                 MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  int error = send_as("MPI_Sendrecv", send, sendCount, sendType, to, sendTag, comm);
  return error != MPI_SUCCESS ? error : MPI_Recv(data, count, type, from, tag, comm, status);
}
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int sendTag, int from, int tag,
                         MPI_Comm comm, MPI_Status *status) {
  return MPI_Sendrecv(data, count, type, to, sendTag, data, count, type, from, tag, comm, status);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  int error = checked("MPI_Iprobe", comm, 0, MPI_BYTE, from, tag, true);
  if (error != MPI_SUCCESS) return error;
  Request wanted = request_of(nullptr, 0, MPI_BYTE, from, tag, comm);
  *flag = has_come(wanted);
  if (*flag && status) *status = wanted.status;
  if (!*flag) let_others_run();
  return MPI_SUCCESS;
}
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status) {
  int error = checked("MPI_Probe", comm, 0, MPI_BYTE, from, tag, true);
  if (error != MPI_SUCCESS) return error;
  Request wanted = request_of(nullptr, 0, MPI_BYTE, from, tag, comm);
  if (!is_probed(&wanted)) __heddle_wait_outside(is_probed, &wanted, "MPI_Probe");
  if (!wanted.isDone) return failed(comm, "MPI_Probe", MPI_ERR_OTHER, why_hopeless(wanted));
  if (status) *status = wanted.status;
  return MPI_SUCCESS;
}
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  const Type *t = type_of(type);
  if (!t) return failed(MPI_COMM_WORLD, "MPI_Get_count", MPI_ERR_TYPE, "there is no such type");
  bool isWhole = t->size > 0 && status->heddle_bytes % (MPI_Count)t->size == 0;
  *count = isWhole ? (int)(status->heddle_bytes / (MPI_Count)t->size) : status->heddle_bytes == 0 ? 0 : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  if (*request == MPI_REQUEST_NULL) {
    if (status) *status = EMPTY;
    return MPI_SUCCESS;
  }
  Request *r = find_request(*request);
  if (!r) return failed(MPI_COMM_WORLD, "MPI_Wait", MPI_ERR_REQUEST, "there is no such request");
  int error = r->isReceive ? finish_receive("MPI_Wait", MPI_COMM_WORLD, *r) : MPI_SUCCESS;
  if (status) *status = r->status;
  world().requests[*request - 1] = nullptr;
  *request = MPI_REQUEST_NULL;
  return error;
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  int error = MPI_SUCCESS;
  for (int i = 0; i < count; i++) {
    int one = MPI_Wait(&requests[i], statuses ? &statuses[i] : nullptr);
    if (error == MPI_SUCCESS) error = one;
  }
  return error;
}
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  Request *r = find_request(*request);
  take_messages();
  if (r && !r->isDone && !is_hopeless(*r)) {
    *flag = 0;
    let_others_run();
    return MPI_SUCCESS;
  }
  *flag = 1;
  return MPI_Wait(request, status);
}
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
  take_messages();
  for (int i = 0; i < count; i++) {
    Request *r = find_request(requests[i]);
    if (r && !r->isDone && !is_hopeless(*r)) return let_others_run(), *flag = 0, MPI_SUCCESS;
  }
  *flag = 1;
  return MPI_Waitall(count, requests, statuses);
}
int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
  First first{count, requests, MPI_UNDEFINED};
  if (!is_any_over(&first)) __heddle_wait_outside(is_any_over, &first, "MPI_Waitany");
  *index = first.index;
  if (first.index != MPI_UNDEFINED) return MPI_Wait(&requests[first.index], status);
  if (status) *status = EMPTY;
  return MPI_SUCCESS;
}
int MPI_Request_free(MPI_Request *request) {
  // A receive goes on: what it has asked for must still be there.
  Request *r = find_request(*request);
  if (r && r->isDone) world().requests[*request - 1] = nullptr;
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}
}
