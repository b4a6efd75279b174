// What wasi-libc's header leaves out (POSIX.1-2017, <sys/socket.h>): sockets between programs that Heddle runs.
#pragma once
#include_next <sys/socket.h>
#ifndef SO_REUSEADDR
#define SO_REUSEADDR 2
#endif
#ifndef SO_KEEPALIVE
#define SO_KEEPALIVE 9
#endif
#ifndef SO_REUSEPORT
#define SO_REUSEPORT 15
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0x4000
#endif
#ifdef __cplusplus
extern "C" {
#endif
int socket(int family, int type, int protocol);
int setsockopt(int fd, int level, int option, const void *value, socklen_t bytes);
int bind(int fd, const struct sockaddr *address, socklen_t bytes);
int listen(int fd, int backlog);
int connect(int fd, const struct sockaddr *address, socklen_t bytes);
#ifdef __cplusplus
}
#endif
