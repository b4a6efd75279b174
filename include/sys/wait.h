// Processes do not exist here: waiting for one fails (POSIX.1-2017, <sys/wait.h>).
#pragma once
#include <errno.h>
#include <sys/types.h>
#define WNOHANG 1
#define WUNTRACED 2
#define WIFEXITED(status) (((status) & 0x7f) == 0)
#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WIFSIGNALED(status) (((status) & 0x7f) != 0)
#define WTERMSIG(status) ((status) & 0x7f)
static inline pid_t wait(int *status) { (void)status; errno = ECHILD; return -1; }
static inline pid_t waitpid(pid_t pid, int* status, int options) {
  (void)pid;
  (void)status;
  (void)options;
  errno = ECHILD;
  return -1;
}
