// Writes how long each kernel of a process ran: a library that the CUDA driver loads into a process by itself
// (CUDA_INJECTION64_PATH), whatever launches the kernels. scripts/compat/kernel-times.mjs builds and uses it.
//
//   KERNEL_TIMES_FILE     one line for each kernel name: launches, nanoseconds, the shortest, the mangled name
//   KERNEL_TIMES_LOCK     processes that name the same file use the GPU one after the other: from a launch until the
//                         process has waited for the GPU and launched nothing for a while. What the host does
//                         meanwhile, such as starting the driver or checking a result, may overlap.
//   KERNEL_TIMES_SECONDS  the process is ended so long after its first launch
#include <cupti.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 4 << 20, MAX_NAMES = 4096 };
#define IDLE_SECONDS 0.01
typedef struct {
  char *name;
  uint64_t launches, total, shortest;
} Row;
static Row rows[MAX_NAMES];
static int rowCount;
static CUpti_SubscriberHandle subscriber;
static int lockFile = -1, isHeld, alarmed;
static double idleSince;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define BOTH(name) CUPTI_DRIVER_TRACE_CBID_##name, CUPTI_DRIVER_TRACE_CBID_##name##_ptsz
/** What uses the GPU's cores. */
static const CUpti_CallbackId WORK[] = {
    BOTH(cuLaunchKernel),    BOTH(cuLaunchKernelEx), BOTH(cuLaunchCooperativeKernel), BOTH(cuGraphLaunch),
    BOTH(cuMemsetD8Async),   BOTH(cuMemsetD16Async), BOTH(cuMemsetD32Async),          BOTH(cuMemcpyDtoDAsync_v2),
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD8_v2,           CUPTI_DRIVER_TRACE_CBID_cuMemsetD32_v2,
};
/** After what the GPU has done all that was asked of it, in nearly all programs. */
static const CUpti_CallbackId WAITS[] = {
    BOTH(cuStreamSynchronize),
    BOTH(cuStreamQuery),
    CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2,
};

static void add(const char *name, uint64_t nanoseconds) {
  int i = 0;
  while (i < rowCount && strcmp(rows[i].name, name) != 0) i++;
  if (i == MAX_NAMES) return;
  if (i == rowCount) rows[rowCount++] = (Row){strdup(name), 0, 0, UINT64_MAX};
  rows[i].launches++;
  rows[i].total += nanoseconds;
  if (nanoseconds < rows[i].shortest) rows[i].shortest = nanoseconds;
}

static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *maxRecords) {
  *buffer = aligned_alloc(8, BUFFER_BYTES);
  *size = BUFFER_BYTES;
  *maxRecords = 0;
}

static void CUPTIAPI take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
  CUpti_Activity *record = NULL;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    CUpti_ActivityKernel10 *kernel = (CUpti_ActivityKernel10 *)record;
    add(kernel->name, kernel->end - kernel->start);
  }
  free(buffer);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void onWork(void) {
  pthread_mutex_lock(&mutex);
  idleSince = 0;
  if (!isHeld && flock(lockFile, LOCK_EX) == 0) isHeld = 1;
  pthread_mutex_unlock(&mutex);
  if (!alarmed && getenv("KERNEL_TIMES_SECONDS")) alarm(atoi(getenv("KERNEL_TIMES_SECONDS")));
  alarmed = 1;
}

static void onWaited(void) {
  pthread_mutex_lock(&mutex);
  idleSince = now();
  pthread_mutex_unlock(&mutex);
}

/** Gives the lock back when the GPU has been idle for a while. */
static void *watch(void *data) {
  for (;;) {
    usleep(3000);
    pthread_mutex_lock(&mutex);
    if (isHeld && idleSince != 0 && now() - idleSince > IDLE_SECONDS) {
      flock(lockFile, LOCK_UN);
      isHeld = 0;
    }
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void CUPTIAPI onCall(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *passed) {
  const CUpti_CallbackData *info = (const CUpti_CallbackData *)passed;
  int waits = 0;
  for (size_t i = 0; i < sizeof WAITS / sizeof *WAITS; i++) waits |= WAITS[i] == id;
  if (!waits && info->callbackSite == CUPTI_API_ENTER) onWork();
  if (waits && info->callbackSite == CUPTI_API_EXIT && *(CUresult *)info->functionReturnValue == CUDA_SUCCESS)
    onWaited();
}

static void finish(void) {
  cuptiActivityFlushAll(1);
  const char *path = getenv("KERNEL_TIMES_FILE");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  for (int i = 0; i < rowCount; i++)
    fprintf(file, "%llu %llu %llu %s\n", (unsigned long long)rows[i].launches, (unsigned long long)rows[i].total,
            (unsigned long long)rows[i].shortest, rows[i].name);
  fclose(file);
}

int InitializeInjection(void) {
  cuptiActivityRegisterCallbacks(give, take);
  CUptiResult result = cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (result != CUPTI_SUCCESS) fprintf(stderr, "kernel-times: CUPTI says %d\n", (int)result);
  const char *lock = getenv("KERNEL_TIMES_LOCK");
  if (lock && cuptiSubscribe(&subscriber, onCall, NULL) == CUPTI_SUCCESS) {
    lockFile = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    for (size_t i = 0; i < sizeof WORK / sizeof *WORK; i++)
      cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, WORK[i]);
    for (size_t i = 0; i < sizeof WAITS / sizeof *WAITS; i++)
      cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, WAITS[i]);
    pthread_t thread;
    pthread_create(&thread, NULL, watch, NULL);
  }
  atexit(finish);
  return 1;
}
