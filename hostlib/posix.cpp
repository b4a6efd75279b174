// POSIX functions that public programs call and wasi-libc lacks. Functions that need processes fail with a POSIX error.
#include <heddle/posix_extras.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

extern "C" {
int system(const char *command) {
  if (!command) return 0; // no command processor
  errno = ENOSYS;
  return -1;
}
FILE *popen(const char *, const char *) {
  errno = ENOSYS;
  return nullptr;
}
int pclose(FILE *) {
  errno = ECHILD;
  return -1;
}
pid_t fork(void) {
  errno = ENOSYS;
  return -1;
}
unsigned alarm(unsigned) { return 0; }
uid_t getuid(void) { return 1000; }
uid_t geteuid(void) { return 1000; }
int getpagesize(void) { return 4096; }
int mkstemp(char *name) {
  size_t n = strlen(name);
  if (n < 6 || strcmp(name + n - 6, "XXXXXX") != 0) {
    errno = EINVAL;
    return -1;
  }
  for (int attempt = 0; attempt < 100; attempt++) {
    for (size_t i = n - 6; i < n; i++) name[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[rand() % 36];
    if (FILE *file = fopen(name, "w+x")) return fileno(file);
    if (errno != EEXIST) return -1;
  }
  return -1;
}
FILE *tmpfile(void) {
  char name[] = "heddle-tmp-XXXXXX";
  int fd = mkstemp(name);
  if (fd < 0) return nullptr;
  unlink(name);
  return fdopen(fd, "w+");
}
char *tmpnam(char *buffer) {
  static char own[L_tmpnam];
  static int count = 0;
  char *name = buffer ? buffer : own;
  snprintf(name, L_tmpnam, "heddle-tmp-%d", count++);
  return name;
}
}
