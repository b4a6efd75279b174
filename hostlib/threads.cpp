// POSIX threads. One host thread runs at a time: it runs until it waits (for a mutex, a condition, another thread, a
// time) or yields, and then hands over to the next one that can go on. Every thread has a stack and a WebAssembly
// instance of its own, in a worker (src/runtime/host/host-threads.ts); they share the memory. So nothing here, and
// nothing in the C library, needs an atomic operation; the order of threads is the same at every run; and a deadlock is
// seen at once.
//
// Where a program has no workers (in a page), a thread runs to its end inside of pthread_create, and a thread that
// waits for another one ends the program.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern "C" {
/// Starts a worker for a thread, which waits for its turn. `locals`: memory for its `thread_local` variables. 0: there
/// are no workers.
int __heddle_thread_start(int id, void *stack, void *locals, void *thread);
/// Lets thread `to` run. Returns when it is `from`'s turn again.
void __heddle_thread_switch(int from, int to);
/// Ends the worker, whose frames are left as they are, and lets thread `to` run.
[[noreturn]] void __heddle_thread_end(int to);
/// Between two looks at what other processes do (libraries/common/rooms.h).
void __heddle_room_pause(int round);
/// The linker's: the calling instance has its `thread_local` variables at `locals`, with their first values.
void __wasm_init_tls(void *locals);
[[noreturn]] void __real_exit(int status);
struct ExceptionState {
  void *caught;
  unsigned uncaught;
};
ExceptionState __heddle_swap_exceptions(ExceptionState next);
}
#ifdef __wasm64__
__asm__(".globaltype __tls_base, i64");
#else
__asm__(".globaltype __tls_base, i32");
#endif

namespace {
constexpr size_t STACK_BYTES = 1 << 20;
constexpr int MOST_THREADS = 512;
constexpr double NEVER = 1e300;

/// The destructor of a `thread_local` object.
struct AtExit {
  void (*run)(void *);
  void *object;
  AtExit *next;
};
enum Outcome { READY, TIMED_OUT, HOPELESS };
/// Who makes a condition true: a thread; a thread, else it is given up and says so by a status (SOFT), also while other
/// threads sleep or wait for processes (LOCAL); another process (OUTSIDE).
enum Source { THREADS, SOFT, LOCAL, OUTSIDE };
typedef int Condition(void *);

struct Thread {
  int id = 1;
  Thread *next = nullptr;
  void *(*run)(void *) = nullptr;
  void *argument = nullptr, *result = nullptr, *stack = nullptr, *locals = nullptr;
  /// The one that runs first comes first.
  AtExit *exits = nullptr;
  bool isFinished = false, isDetached = false;
  // What it waits for.
  Condition *ready = nullptr;
  void *readyArgument = nullptr;
  double deadline = NEVER;
  const char *what = "";
  Source source = THREADS;
  Outcome outcome = READY;
  /// The condition variable, and whether it was signaled.
  const void *condition = nullptr;
  bool isSignaled = false;
  const void *values[PTHREAD_KEYS_MAX] = {};
};
Thread mainThread;
Thread *current = &mainThread;
int lastId = 1, alive = 1;
/// There are workers.
bool hasWorkers = true;

void (*destructors[PTHREAD_KEYS_MAX])(void *);
bool isKey[PTHREAD_KEYS_MAX];

double nowMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}
int always(void *) { return 1; }
int never(void *) { return 0; }
int finished(void *thread) { return ((Thread *)thread)->isFinished; }
int signaled(void *thread) { return ((Thread *)thread)->isSignaled; }

[[noreturn]] void cannotWait(const char *what) {
  fprintf(stderr,
          "heddle: %s waits for another thread, but host threads run one after the other here, each to its end when it "
          "is created\n",
          what);
  abort();
}

[[noreturn]] void deadlock() {
  fprintf(stderr, "heddle: the host threads wait for one another, and none can go on:");
  const char *comma = "";
  for (Thread *t = &mainThread; t; t = t->next) {
    if (t->isFinished) continue;
    if (t == &mainThread) fprintf(stderr, " the main thread in %s", t->what);
    else fprintf(stderr, "%s thread %d in %s", comma, t->id - 1, t->what);
    comma = ",";
  }
  fprintf(stderr, "\n");
  abort();
}

extern "C" int __real_clock_nanosleep(clockid_t, int, const timespec *, timespec *);
void sleepUntil(double time) {
  double ms = time - nowMs();
  if (ms <= 0) return;
  timespec wanted = {(time_t)(ms / 1e3), (long)((ms - 1e3 * (double)(long long)(ms / 1e3)) * 1e6)};
  nanosleep(&wanted, nullptr);
}
bool isSleeping = false;

/// The thread that runs next: one behind `me` in the ring that can go on.
Thread *choose(Thread *me) {
  for (int round = 0;; round++) {
    double earliest = NEVER, now = -1;
    Thread *soft = nullptr, *t = me;
    bool isOutside = false;
    do {
      t = t->next ? t->next : &mainThread;
      if (t->isFinished) continue;
      if (t->ready(t->readyArgument)) return t->outcome = READY, t;
      if (t->deadline < NEVER) {
        if (now < 0) now = nowMs();
        if (t->deadline <= now) return t->outcome = TIMED_OUT, t;
        if (t->deadline < earliest) earliest = t->deadline;
      }
      if (t->source == LOCAL || (t->source == SOFT && !soft)) soft = t;
      isOutside = isOutside || t->source == OUTSIDE;
    } while (t != me);
    if (soft && soft->source == LOCAL) return soft->outcome = HOPELESS, soft;
    if (isOutside) {
      isSleeping = true;
      __heddle_room_pause(round);
      isSleeping = false;
      continue;
    }
    if (earliest < NEVER) {
      isSleeping = true;
      sleepUntil(earliest);
      isSleeping = false;
      continue;
    }
    if (soft) return soft->outcome = HOPELESS, soft;
    deadlock();
  }
}

/// What the C and C++ libraries keep of the thread that runs. This thread's is back at the end of the scope.
struct Running {
  int error = errno;
  ExceptionState exceptions = __heddle_swap_exceptions({});
  Running() { errno = 0; }
  ~Running() {
    errno = error;
    __heddle_swap_exceptions(exceptions);
  }
};

Outcome waitFor(Condition *ready, void *argument, const char *what, double deadline = NEVER,
    Source source = THREADS) {
  Thread *me = current;
  me->ready = ready;
  me->readyArgument = argument;
  me->what = what;
  me->deadline = deadline;
  me->source = source;
  if (!hasWorkers) {
    if (ready(argument)) return READY;
    if (deadline < NEVER) {
      isSleeping = true;
      sleepUntil(deadline);
      isSleeping = false;
      return TIMED_OUT;
    }
    if (source == SOFT || source == LOCAL) return HOPELESS;
    for (int round = 0; source == OUTSIDE; round++) {
      if (ready(argument)) return READY;
      __heddle_room_pause(round);
    }
    cannotWait(what);
  }
  Thread *next = choose(me);
  if (next != me) {
    current = next;
    Running mine;
    __heddle_thread_switch(me->id, next->id);
  }
  return me->outcome;
}
/// The same for what is there already most of the time.
Outcome await(Condition *ready, void *argument, const char *what, double deadline = NEVER,
    Source source = THREADS) {
  return ready(argument) ? READY : waitFor(ready, argument, what, deadline, source);
}

/// A time of CLOCK_REALTIME as one of nowMs.
double deadlineOf(const timespec *until) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return nowMs() + 1e3 * (double)(until->tv_sec - now.tv_sec) + 1e-6 * (double)(until->tv_nsec - now.tv_nsec);
}

void destroyLocals(Thread *thread) {
  while (AtExit *exit = thread->exits) {
    thread->exits = exit->next;
    exit->run(exit->object);
    delete exit;
  }
}

void forgetValues(Thread *thread) {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++)
    for (int key = 0; key < PTHREAD_KEYS_MAX; key++) {
      const void *value = thread->values[key];
      thread->values[key] = nullptr;
      if (value && isKey[key] && destructors[key]) destructors[key]((void *)value);
    }
}

void removeThread(Thread *thread) {
  for (Thread *t = &mainThread; t; t = t->next)
    if (t->next == thread) t->next = thread->next;
  free(thread->stack);
  free(thread->locals);
  delete thread;
}

void finish(Thread *me, void *result) {
  destroyLocals(me);
  forgetValues(me);
  me->result = result;
  me->isFinished = true;
  alive--;
}

// musl's types (src/internal/pthread_impl.h): the type of a mutex comes first.
int *words(void *object) { return (int *)object; }
struct Mutex { int type, owner, unused[3], count; };
Mutex *mutexOf(pthread_mutex_t *m) { return (Mutex *)m; }
int isFree(void *mutex) { return ((Mutex *)mutex)->owner == 0; }
int hasNoWriter(void *lock) { return words(lock)[0] >= 0; }
int hasNobody(void *lock) { return words(lock)[0] == 0; }
int isOnceOver(void *once) { return *(int *)once != 1; }
struct Arrival { int *generation, seen; };
int hasPassed(void *arrival) { return *((Arrival *)arrival)->generation != ((Arrival *)arrival)->seen; }

int lock(pthread_mutex_t *mutex, const timespec *until, bool mayWait) {
  Mutex *m = mutexOf(mutex);
  if (m->owner == current->id) {
    if ((m->type & 3) == PTHREAD_MUTEX_RECURSIVE) return m->count++, 0;
    if (!mayWait) return EBUSY;
    if ((m->type & 3) == PTHREAD_MUTEX_ERRORCHECK || !hasWorkers) return EDEADLK;
  } else if (m->owner != 0 && !mayWait) return EBUSY;
  if (await(isFree, m, "pthread_mutex_lock", until ? deadlineOf(until) : NEVER) == TIMED_OUT) return ETIMEDOUT;
  m->owner = current->id;
  m->count = 1;
  return 0;
}
int lockShared(pthread_rwlock_t *l, bool isWriter, bool mayWait, const timespec *until) {
  Condition *ready = isWriter ? hasNobody : hasNoWriter;
  if (!mayWait && !ready(l)) return EBUSY;
  if (await(ready, l, "pthread_rwlock", until ? deadlineOf(until) : NEVER) == TIMED_OUT) return ETIMEDOUT;
  words(l)[0] = isWriter ? -1 : words(l)[0] + 1;
  return 0;
}
} // namespace

extern "C" {
/// Waits until `ready` holds. 0: it never will.
int __heddle_wait_until(int (*ready)(void *), void *argument, const char *what) {
  return await(ready, argument, what, NEVER, SOFT) == READY;
}
/// The same, for what another process may make true, too. 0: no thread can for now.
int __heddle_wait_locally(int (*ready)(void *), void *argument, const char *what) {
  return await(ready, argument, what, NEVER, LOCAL) == READY;
}
/// Waits for another process.
void __heddle_wait_outside(int (*ready)(void *), void *argument, const char *what) {
  await(ready, argument, what, NEVER, OUTSIDE);
}

/// The whole life of a thread, in its worker. Returns who runs next: the worker hands over when it has left this stack.
int __heddle_thread_main(void *started) noexcept {
  Thread *me = (Thread *)started;
  // Of a thread that has just ended.
  errno = 0;
  __heddle_swap_exceptions({});
  finish(me, me->run(me->argument));
  current = choose(me);
  return current->id;
}

int pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  if (alive >= MOST_THREADS) return EAGAIN;
  Thread *thread = new Thread;
  thread->id = ++lastId;
  thread->run = run;
  thread->argument = argument;
  thread->ready = always;
  int state = 0;
  if (attributes && pthread_attr_getdetachstate(attributes, &state) == 0)
    thread->isDetached = state == PTHREAD_CREATE_DETACHED;
  if (id) *id = (pthread_t)thread;
  size_t align = __builtin_wasm_tls_align();
  if (align < 16) align = 16;
  thread->locals = aligned_alloc(align, (__builtin_wasm_tls_size() + align) & ~(align - 1));
  if (!thread->locals) return delete thread, EAGAIN;
  if (hasWorkers) {
    thread->stack = malloc(STACK_BYTES);
    if (!thread->stack) return free(thread->locals), delete thread, EAGAIN;
    hasWorkers = __heddle_thread_start(thread->id, (char *)((uintptr_t)thread->stack + STACK_BYTES & ~(uintptr_t)15),
        thread->locals, thread) != 0;
  }
  Thread *last = &mainThread;
  while (last->next) last = last->next;
  last->next = thread;
  alive++;
  if (hasWorkers) return 0;
  Thread *creator = current;
  void *locals = __builtin_wasm_tls_base();
  Running mine;
  current = thread;
  __wasm_init_tls(thread->locals);
  finish(thread, run(argument));
  __asm__ volatile("local.get %0\n\tglobal.set __tls_base" : : "r"(locals) : "memory");
  current = creator;
  return 0;
}
int pthread_join(pthread_t id, void **result) {
  Thread *thread = (Thread *)id;
  if (thread == current) return EDEADLK;
  await(finished, thread, "pthread_join");
  if (result) *result = thread->result;
  removeThread(thread);
  return 0;
}
int pthread_detach(pthread_t id) {
  ((Thread *)id)->isDetached = true;
  return 0;
}
[[noreturn]] void pthread_exit(void *result) {
  Thread *me = current;
  if (me == &mainThread) {
    for (Thread *t = mainThread.next; t; t = t->next) await(finished, t, "pthread_exit");
    exit(0);
  }
  if (!hasWorkers) cannotWait("pthread_exit");
  finish(me, result);
  current = choose(me);
  __heddle_thread_end(current->id);
}
int pthread_cancel(pthread_t id) { return ((Thread *)id)->isFinished ? 0 : ENOSYS; }
int pthread_yield(void) { return sched_yield(); }
int __cxa_thread_atexit(void (*run)(void *), void *object, void *) {
  current->exits = new AtExit{run, object, current->exits};
  return 0;
}
[[noreturn]] void __wrap_exit(int status) {
  destroyLocals(current);
  __real_exit(status);
}
pthread_t pthread_self(void) { return (pthread_t)current; }
#undef pthread_equal
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

int pthread_mutex_lock(pthread_mutex_t *m) { return lock(m, nullptr, true); }
int pthread_mutex_trylock(pthread_mutex_t *m) { return lock(m, nullptr, false); }
int pthread_mutex_timedlock(pthread_mutex_t *__restrict m, const timespec *__restrict until) { return lock(m, until,
    true); }
int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  Mutex *m = mutexOf(mutex);
  if (m->owner != current->id) return EPERM;
  if (--m->count == 0) m->owner = 0;
  return 0;
}
int pthread_mutex_destroy(pthread_mutex_t *) { return 0; }
int pthread_mutex_consistent(pthread_mutex_t *) { return EINVAL; }

static int waitOn(pthread_cond_t *condition, pthread_mutex_t *mutex, double deadline) {
  Thread *me = current;
  Mutex *m = mutexOf(mutex);
  int count = m->count;
  me->condition = condition;
  me->isSignaled = false;
  m->owner = m->count = 0;
  Outcome outcome = waitFor(signaled, me, "pthread_cond_wait", deadline);
  me->condition = nullptr;
  await(isFree, m, "pthread_mutex_lock");
  m->owner = me->id;
  m->count = count;
  return outcome == TIMED_OUT ? ETIMEDOUT : 0;
}
int pthread_cond_wait(pthread_cond_t *__restrict c, pthread_mutex_t *__restrict m) { return waitOn(c, m, NEVER); }
int pthread_cond_timedwait(pthread_cond_t *__restrict c, pthread_mutex_t *__restrict m,
    const timespec *__restrict until) {
  return waitOn(c, m, deadlineOf(until));
}
static int wake(pthread_cond_t *c, bool all) {
  for (Thread *t = &mainThread; t; t = t->next) {
    if (t->condition != c || t->isSignaled) continue;
    t->isSignaled = true;
    if (!all) break;
  }
  return 0;
}
int pthread_cond_signal(pthread_cond_t *c) { return wake(c, false); }
int pthread_cond_broadcast(pthread_cond_t *c) { return wake(c, true); }
int pthread_cond_destroy(pthread_cond_t *) { return 0; }
int pthread_condattr_setclock(pthread_condattr_t *, clockid_t) { return 0; }

int pthread_barrier_init(pthread_barrier_t *__restrict b, const pthread_barrierattr_t *__restrict, unsigned count) {
  if (count == 0) return EINVAL;
  words(b)[0] = (int)count;
  words(b)[1] = words(b)[2] = 0;
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t *) { return 0; }
int pthread_barrier_wait(pthread_barrier_t *b) {
  int *state = words(b);
  if (++state[1] == state[0]) {
    state[1] = 0;
    state[2]++;
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  Arrival arrival = {&state[2], state[2]};
  await(hasPassed, &arrival, "pthread_barrier_wait");
  return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *l) { return lockShared(l, false, true, nullptr); }
int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) { return lockShared(l, false, false, nullptr); }
int pthread_rwlock_timedrdlock(pthread_rwlock_t *__restrict l, const timespec *__restrict t) { return lockShared(l,
    false, true, t); }
int pthread_rwlock_wrlock(pthread_rwlock_t *l) { return lockShared(l, true, true, nullptr); }
int pthread_rwlock_trywrlock(pthread_rwlock_t *l) { return lockShared(l, true, false, nullptr); }
int pthread_rwlock_timedwrlock(pthread_rwlock_t *__restrict l, const timespec *__restrict t) { return lockShared(l,
    true, true, t); }
int pthread_rwlock_unlock(pthread_rwlock_t *l) {
  int &readers = words(l)[0];
  if (readers == 0) return EPERM;
  readers = readers < 0 ? 0 : readers - 1;
  return 0;
}
int pthread_spin_lock(pthread_spinlock_t *l) {
  await([](void *at) { return (int)(*(int *)at == 0); }, (void *)l, "pthread_spin_lock");
  *l = 1;
  return 0;
}
int pthread_spin_trylock(pthread_spinlock_t *l) { return *l ? EBUSY : (*l = 1, 0); }
int pthread_spin_unlock(pthread_spinlock_t *l) { return *l = 0, 0; }

int pthread_once(pthread_once_t *once, void (*run)(void)) {
  await(isOnceOver, once, "pthread_once");
  if (*once == 2) return 0;
  *once = 1;
  run();
  *once = 2;
  return 0;
}
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  for (unsigned i = 0; i < PTHREAD_KEYS_MAX; i++) {
    if (isKey[i]) continue;
    isKey[i] = true;
    destructors[i] = destructor;
    for (Thread *t = &mainThread; t; t = t->next) t->values[i] = nullptr;
    return *key = i, 0;
  }
  return EAGAIN;
}
int pthread_key_delete(pthread_key_t key) { return isKey[key] = false, 0; }
void *pthread_getspecific(pthread_key_t key) { return (void *)current->values[key]; }
int pthread_setspecific(pthread_key_t key, const void *value) { return current->values[key] = value, 0; }

// Of programs with threads (flags.ts): the others run meanwhile.
int __wrap_clock_nanosleep(clockid_t clock, int flags, const timespec *wanted, timespec *left) {
  if (isSleeping || alive == 1) return __real_clock_nanosleep(clock, flags, wanted, left);
  double ms = 1e3 * (double)wanted->tv_sec + 1e-6 * (double)wanted->tv_nsec;
  double deadline = flags & TIMER_ABSTIME ? (clock == CLOCK_REALTIME ? deadlineOf(wanted) : ms) : nowMs() + ms;
  waitFor(never, nullptr, "sleep", deadline);
  return 0;
}
int __wrap_sched_yield(void) {
  if (alive > 1) waitFor(always, nullptr, "sched_yield");
  return 0;
}
}
