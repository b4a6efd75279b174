// TCP between processes and threads of this machine: socket, bind, listen, accept, connect, send, recv. A port is a
// room (libraries/common/rooms.h); a connection is a rank of it. Nothing else can be reached, and no other program can
// connect.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wasi/api.h>
#include "../common/rooms.h"

namespace {
constexpr int FIRST = 1 << 20, MOST = 1024; // descriptors of sockets
/// Lanes of a connection: its bytes, and marks that the sender sends no more. CALLERS: ranks that connect.
enum Lane { BYTES, CLOSED, CALLERS };
/// Marks: the peer only receives; it does neither.
constexpr char ONLY_RECEIVES = 'r', HAS_CLOSED = 'c';
constexpr int SERVER = 0, ANY_CALLER = 1;

struct Socket {
  bool isUsed = false, isListening = false, isPeerClosed = false, hasPeerLeft = false;
  int port = 0, room = 0, own = -1, peer = -1;
};
Socket sockets[MOST];
/// Listening sockets and connections of the server's side keep its rank in the room.
int usersOf(int room) {
  int users = 0;
  for (const Socket &s : sockets) users += s.isUsed && s.room == room && s.own == SERVER;
  return users;
}

Socket *find(int fd) {
  return fd >= FIRST && fd < FIRST + MOST && sockets[fd - FIRST].isUsed ? &sockets[fd - FIRST] : nullptr;
}
int fail(int error) {
  errno = error;
  return -1;
}
int make() {
  for (int i = 0; i < MOST; i++)
    if (!sockets[i].isUsed) {
      sockets[i] = Socket{};
      sockets[i].isUsed = true;
      return FIRST + i;
    }
  return fail(EMFILE);
}
/// The port of an address of this machine, or -1 with errno.
int portOf(const sockaddr *address) {
  if (!address || address->sa_family != AF_INET) return fail(EAFNOSUPPORT);
  const sockaddr_in *in = (const sockaddr_in *)address;
  unsigned ip = ntohl(in->sin_addr.s_addr);
  if (ip != 0 && ip >> 24 != 127) return fail(ENETUNREACH);
  return ntohs(in->sin_port);
}
int enter(int port, int rank) {
  char name[40];
  snprintf(name, sizeof name, "port-%d", port);
  return __heddle_room_enter(name, rank, 1, "", 0);
}

int take(const Socket &s, Lane lane, void *to, int bytes) {
  return __heddle_room_receive(s.room, lane, s.peer, s.own, to, bytes);
}
void takeMarks(Socket &s) {
  for (char mark; take(s, CLOSED, &mark, 1) == 1;) {
    s.isPeerClosed = true;
    s.hasPeerLeft = s.hasPeerLeft || mark == HAS_CLOSED;
  }
}

struct Transfer {
  Socket *socket;
  void *data;
  int bytes, result;
};
int receiveSome(void *argument) {
  Transfer &t = *(Transfer *)argument;
  Socket &s = *t.socket;
  t.result = take(s, BYTES, t.data, t.bytes);
  if (t.result != 0) return 1;
  if (!s.isPeerClosed) takeMarks(s);
  if (!s.isPeerClosed) return 0;
  t.result = take(s, BYTES, t.data, t.bytes);
  return 1;
}
int callerCame(void *argument) {
  Transfer &t = *(Transfer *)argument;
  t.result = __heddle_room_receive(t.socket->room, CALLERS, ANY_CALLER, SERVER, t.data, t.bytes);
  return t.result != 0;
}
} // namespace

extern "C" {
int socket(int family, int type, int) {
  char none;
  if (__heddle_room_member(0, 0, &none, 0) == ROOM_NONE) return fail(EACCES); // an isolated program, or a page
  if (family != AF_INET) return fail(EAFNOSUPPORT);
  if ((type & 0xf) != (SOCK_STREAM & 0xf)) return fail(EPROTONOSUPPORT);
  return make();
}
int setsockopt(int fd, int, int, const void *, socklen_t) { return find(fd) ? 0 : fail(EBADF); }
int bind(int fd, const sockaddr *address, socklen_t) {
  Socket *s = find(fd);
  if (!s) return fail(EBADF);
  int port = portOf(address);
  if (port < 0) return -1;
  s->port = port;
  return 0;
}
int listen(int fd, int) {
  Socket *s = find(fd);
  if (!s) return fail(EBADF);
  int room = enter(s->port, SERVER);
  if (room == ROOM_TAKEN) return fail(EADDRINUSE);
  if (room <= 0) return fail(ENOTSUP);
  s->room = room;
  s->own = SERVER;
  s->isListening = true;
  return 0;
}
int accept(int fd, sockaddr *address, socklen_t *length) {
  Socket *s = find(fd);
  if (!s) return fail(EBADF);
  if (!s->isListening) return fail(EINVAL);
  int caller = 0;
  Transfer transfer{s, &caller, sizeof caller, 0};
  __heddle_wait_outside(callerCame, &transfer, "accept");
  if (transfer.result != sizeof caller) return fail(EIO);
  int made = make();
  if (made < 0) return -1;
  Socket &connection = *find(made);
  connection.room = s->room;
  connection.port = s->port;
  connection.own = SERVER;
  connection.peer = caller;
  if (address && length && *length >= sizeof(sockaddr_in)) {
    sockaddr_in from{};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    memcpy(address, &from, sizeof from);
    *length = sizeof from;
  }
  return made;
}
int accept4(int fd, sockaddr *__restrict address, socklen_t *__restrict length, int) {
  return accept(fd, address, length);
}
int connect(int fd, const sockaddr *address, socklen_t) {
  Socket *s = find(fd);
  if (!s) return fail(EBADF);
  if (s->room) return fail(EISCONN);
  int port = portOf(address), caller = 0;
  if (port < 0) return -1;
  if (getentropy(&caller, sizeof caller) != 0) return fail(EIO);
  caller = (caller & 0x3fffffff) + 2;
  int room = enter(port, caller);
  if (room <= 0) return fail(ENOTSUP);
  char none;
  if (__heddle_room_member(room, SERVER, &none, 0) != ROOM_HERE) {
    __heddle_room_leave(room, caller);
    return fail(ECONNREFUSED);
  }
  s->room = room;
  s->port = port;
  s->own = caller;
  s->peer = SERVER;
  bool isSent = __heddle_room_send(room, CALLERS, ANY_CALLER, SERVER, &caller, sizeof caller) == ROOM_HERE;
  return isSent ? 0 : fail(EIO);
}
ssize_t send(int fd, const void *data, size_t bytes, int) { // no signal comes of a peer that is gone
  Socket *s = find(fd);
  if (!s) return fail(fd >= 0 ? ENOTSOCK : EBADF);
  if (s->peer < 0) return fail(ENOTCONN);
  char none;
  takeMarks(*s);
  if (s->hasPeerLeft || __heddle_room_member(s->room, s->peer, &none, 0) == ROOM_GONE) return fail(EPIPE);
  int part = (int)(bytes < 1 << 30 ? bytes : 1 << 30);
  return __heddle_room_send(s->room, BYTES, s->own, s->peer, data, part) == ROOM_HERE ? part : fail(EPIPE);
}
ssize_t recv(int fd, void *data, size_t bytes, int flags) {
  Socket *s = find(fd);
  if (!s) return fail(fd >= 0 ? ENOTSOCK : EBADF);
  if (s->peer < 0) return fail(ENOTCONN);
  if (flags & ~(MSG_WAITALL)) return fail(EOPNOTSUPP);
  size_t got = 0;
  while (got < bytes) {
    size_t left = bytes - got;
    Transfer transfer{s, (char *)data + got, (int)(left < 1 << 30 ? left : 1 << 30), 0};
    if (!receiveSome(&transfer)) __heddle_wait_outside(receiveSome, &transfer, "recv");
    if (transfer.result == ROOM_FAILED) return fail(EIO);
    if (transfer.result <= 0) break;
    got += transfer.result;
    if (!(flags & MSG_WAITALL)) break;
  }
  return (ssize_t)got;
}
int shutdown(int fd, int how) {
  Socket *s = find(fd);
  if (!s) return fail(EBADF);
  if (s->peer < 0) return fail(ENOTCONN);
  if (how != SHUT_RD) __heddle_room_send(s->room, CLOSED, s->own, s->peer, &ONLY_RECEIVES, 1);
  return 0;
}
int close(int fd) {
  Socket *s = find(fd);
  if (!s) {
    __wasi_errno_t error = __wasi_fd_close(fd);
    return error == 0 ? 0 : fail(error);
  }
  if (s->peer >= 0) __heddle_room_send(s->room, CLOSED, s->own, s->peer, &HAS_CLOSED, 1);
  s->isUsed = false;
  if (s->room && (s->own != SERVER || usersOf(s->room) == 0)) __heddle_room_leave(s->room, s->own);
  return 0;
}
ssize_t read(int fd, void *data, size_t bytes) {
  if (find(fd)) return recv(fd, data, bytes, 0);
  __wasi_iovec_t part{(uint8_t *)data, bytes};
  __wasi_size_t got = 0;
  __wasi_errno_t error = __wasi_fd_read(fd, &part, 1, &got);
  return error == 0 ? (ssize_t)got : fail(error == ENOTCAPABLE ? EBADF : error);
}
ssize_t write(int fd, const void *data, size_t bytes) {
  if (find(fd)) return send(fd, data, bytes, 0);
  __wasi_ciovec_t part{(const uint8_t *)data, bytes};
  __wasi_size_t put = 0;
  __wasi_errno_t error = __wasi_fd_write(fd, &part, 1, &put);
  return error == 0 ? (ssize_t)put : fail(error == ENOTCAPABLE ? EBADF : error);
}
}
