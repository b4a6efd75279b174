// The parts of POSIX threads that need no second thread, for 64-bit programs: musl's own wait for other threads by
// system calls. Creating threads, and waiting for them, is in ../threads.cpp.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

// The fields of musl's types (src/internal/pthread_impl.h), by the same indices.
#define TYPE(m) ((m)->__u.__i[0] & 3)
#define OWNED(m) ((m)->__u.__i[1])
#define COUNT(m) ((m)->__u.__i[5])
#define READERS(l) ((l)->__u.__i[0])

int pthread_mutex_lock(pthread_mutex_t *m) {
  if (OWNED(m) && TYPE(m) != PTHREAD_MUTEX_RECURSIVE) return EDEADLK;
  OWNED(m) = 1;
  COUNT(m)++;
  return 0;
}
int pthread_mutex_trylock(pthread_mutex_t *m) {
  if (OWNED(m) && TYPE(m) != PTHREAD_MUTEX_RECURSIVE) return EBUSY;
  return pthread_mutex_lock(m);
}
int pthread_mutex_timedlock(pthread_mutex_t *restrict m, const struct timespec *restrict until) {
  (void)until;
  return pthread_mutex_trylock(m) ? ETIMEDOUT : 0;
}
int pthread_mutex_unlock(pthread_mutex_t *m) {
  if (!OWNED(m)) return EPERM;
  if (--COUNT(m) == 0) OWNED(m) = 0;
  return 0;
}
int pthread_mutex_destroy(pthread_mutex_t *m) {
  (void)m;
  return 0;
}
int pthread_mutex_consistent(pthread_mutex_t *m) {
  (void)m;
  return EINVAL;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *l) {
  if (READERS(l) < 0) return EDEADLK;
  READERS(l)++;
  return 0;
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) { return pthread_rwlock_rdlock(l) ? EBUSY : 0; }
int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l, const struct timespec *restrict until) {
  (void)until;
  return pthread_rwlock_rdlock(l) ? ETIMEDOUT : 0;
}
int pthread_rwlock_wrlock(pthread_rwlock_t *l) {
  if (READERS(l) != 0) return EDEADLK;
  READERS(l) = -1;
  return 0;
}
int pthread_rwlock_trywrlock(pthread_rwlock_t *l) { return pthread_rwlock_wrlock(l) ? EBUSY : 0; }
int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l, const struct timespec *restrict until) {
  (void)until;
  return pthread_rwlock_wrlock(l) ? ETIMEDOUT : 0;
}
int pthread_rwlock_unlock(pthread_rwlock_t *l) {
  if (READERS(l) == 0) return EPERM;
  READERS(l) = READERS(l) < 0 ? 0 : READERS(l) - 1;
  return 0;
}

int pthread_spin_lock(pthread_spinlock_t *l) {
  if (*l) return EDEADLK;
  *l = 1;
  return 0;
}
int pthread_spin_trylock(pthread_spinlock_t *l) { return pthread_spin_lock(l) ? EBUSY : 0; }
int pthread_spin_unlock(pthread_spinlock_t *l) {
  *l = 0;
  return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock) {
  (void)attributes;
  (void)clock; // nobody waits by a clock here
  return 0;
}
int pthread_once(pthread_once_t *once, void (*run)(void)) {
  if (*once != 0) return 0;
  *once = 1;
  run();
  return 0;
}

pthread_t pthread_self(void) {
  static char self;
  return (pthread_t)&self;
}
#undef pthread_equal
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

static const void *values[PTHREAD_KEYS_MAX];
static char used[PTHREAD_KEYS_MAX];
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  (void)destructor; // runs when a thread ends before the program does
  for (unsigned i = 0; i < PTHREAD_KEYS_MAX; i++) {
    if (used[i]) continue;
    used[i] = 1;
    values[i] = NULL;
    *key = i;
    return 0;
  }
  return EAGAIN;
}
int pthread_key_delete(pthread_key_t key) {
  used[key] = 0;
  return 0;
}
void *pthread_getspecific(pthread_key_t key) { return (void *)values[key]; }
int pthread_setspecific(pthread_key_t key, const void *value) {
  values[key] = value;
  return 0;
}
