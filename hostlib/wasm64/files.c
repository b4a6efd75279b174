// Functions of the C library of 64-bit programs that its sources lack, and that of 32-bit programs has.
#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <wasi/api.h>

int close(int fd) {
  __wasi_errno_t error = __wasi_fd_close(fd);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// WASI has no permissions and no figures about file systems.
static int lacking(void) {
  errno = ENOSYS;
  return -1;
}
int chmod(const char *path, mode_t mode) {
  (void)path, (void)mode;
  return lacking();
}
int fchmod(int fd, mode_t mode) {
  (void)fd, (void)mode;
  return lacking();
}
int fchmodat(int fd, const char *path, mode_t mode, int flag) {
  (void)fd, (void)path, (void)mode, (void)flag;
  return lacking();
}
int statvfs(const char *restrict path, struct statvfs *restrict result) {
  (void)path, (void)result;
  return lacking();
}
int fstatvfs(int fd, struct statvfs *result) {
  (void)fd, (void)result;
  return lacking();
}
