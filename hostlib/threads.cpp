// POSIX threads for a host program that has one thread: a new thread runs to its end inside pthread_create.
//
// Right for fork-join programs, which is what CUDA programs use threads for (one thread for each device or stream, then
// join). A thread that waits for another thread can never go on: the program ends with a message. A loop that waits for
// a variable of another thread is not recognised.
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

namespace {
struct Thread {
  void *result;
  bool detached, finished;
};
int depth = 0;

[[noreturn]] void cannotWait(const char *what) {
  fprintf(stderr,
          "heddle: %s waits for another thread, but host threads run one after the other here, each to its end when it "
          "is created\n",
          what);
  abort();
}
} // namespace

extern "C" {
/// Waits until `ready` holds. 0: it never will.
int __heddle_wait_until(int (*ready)(void *), void *argument, const char *) { return ready(argument); }

int pthread_create(pthread_t *id, const pthread_attr_t *, void *(*run)(void *), void *argument) {
  Thread *thread = (Thread *)calloc(1, sizeof(Thread));
  if (!thread) return EAGAIN;
  if (id) *id = (pthread_t)thread;
  depth++;
  thread->result = run(argument);
  depth--;
  thread->finished = true;
  return 0;
}
int pthread_join(pthread_t id, void **result) {
  Thread *thread = (Thread *)id;
  if (!thread->finished) cannotWait("pthread_join");
  if (result) *result = thread->result;
  free(thread);
  return 0;
}
int pthread_detach(pthread_t) { return 0; }
int pthread_cancel(pthread_t) { return 0; } // whoever asks sees a thread that has ended
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *) { cannotWait("pthread_cond_wait"); }
int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *) { return ETIMEDOUT; }
int pthread_cond_signal(pthread_cond_t *) { return 0; }
int pthread_cond_broadcast(pthread_cond_t *) { return 0; }
int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *, unsigned count) {
  *(unsigned *)barrier = count;
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t *) { return 0; }
int pthread_barrier_wait(pthread_barrier_t *barrier) {
  if (*(unsigned *)barrier != 1) cannotWait("pthread_barrier_wait");
  return PTHREAD_BARRIER_SERIAL_THREAD;
}
}
