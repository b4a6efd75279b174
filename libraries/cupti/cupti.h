// What the files of CUPTI share. The linker puts wrappers around the functions of CUDA and of NVTX that a program calls
// (src/frontend/clang/call-wrappers.ts): they tell `__heddle_cupti_enter` and `__heddle_cupti_exit` of each call. The
// runtime tells of the work on the device (src/runtime/cuda/api-functions/cupti.ts).
#pragma once
#include <cupti.h>

extern "C" {
/// Nanoseconds since the runtime's clock began.
double __heddle_cupti_time(void);
/// When that was: nanoseconds since 1970.
double __heddle_cupti_epoch(void);
/// The id that CUPTI gives a stream: 7 for the default one, others count up.
unsigned __heddle_cupti_stream(cudaStream_t stream);
/// How many parameters a function has, and a call of one that has others than CUpti_CallbackFunc.
int __heddle_cupti_parameters(CUpti_CallbackFunc callback);
void __heddle_cupti_tell(CUpti_CallbackFunc callback, void *userData, int domain, unsigned cbid, const void *data);
/// Whether work of the device is kept for `__heddle_cupti_next`.
void __heddle_cupti_trace(int isOn);
/// Work that begins from now on belongs to this call.
void __heddle_cupti_call(unsigned correlation);
}

namespace heddle_cupti {

/// A function, as its wrapper knows it; the number is found at its first call.
struct Function {
  const char *name;
  int domain;
  unsigned cbid;
  const char *fullName;
};
/// One call, on the stack of its wrapper (128 bytes there).
struct Call {
  const Function *function;
  const void *params;
  uint64_t start, correlationData, launchCorrelationData;
  const char *symbol;
  unsigned correlation;
  int state;
};
static_assert(sizeof(Call) <= 128, "a wrapper has this much room");

/// Work of the device that has ended. The runtime writes it (cupti.ts has the same offsets).
struct Operation {
  double start, end, bytes;
  int kind, device, stream, correlation, value, copyKind, fromKind, toKind;
  int grid[3], block[3], cluster[3];
  int staticShared, dynamicShared, local, registers, graphNode, graph, number;
  unsigned long long function;
};
enum OperationKind { KERNEL = 1, COPY = 2, FILL = 3 };
extern "C" int __heddle_cupti_next(Operation *operation);

// names.cpp
void resolve(Function &function);
const char *fullName(int domain, unsigned cbid);
unsigned largestId(int domain);

// callbacks.cpp
bool isEnabled(int domain, unsigned cbid);
void tell(int domain, unsigned cbid, const void *data);
CUcontext contextOf(int device);
int currentDevice();
uint64_t now();
/// CUPTI's own calls of CUDA, and those of the program's callbacks, are not told of.
struct Quiet {
  bool before;
  Quiet();
  ~Quiet();
};

// activity.cpp
bool wantsCall(const Function &function);
bool wantsWork();
void recordCall(const Call &call, int status);
void recordExternal(const Call &call);
void collect();
void deliver();
void forgetActivities();
uint64_t timeOf(double sinceStart);
// effects.cpp
void contextIsUsed(const Function &function);
void beforeCall(const Call &call);
void afterCall(const Call &call, bool succeeded);
// markers.cpp
void markerCall(const Call &call, const void *result);

// records.cpp: a record of this kind, if the program wants it
bool wants(CUpti_ActivityKind kind);
void put(const void *record, size_t bytes);
template <class T> void put(const T &record) { put(&record, sizeof record); }
size_t sizeOfRecord(CUpti_ActivityKind kind);
void recordDevices();
void recordContext(int device);
void recordStream(CUstream stream, unsigned flags);
void recordSynchronization(CUpti_ActivitySynchronizationType type, const Call &call, CUstream stream);
unsigned processId();
unsigned threadId();

} // namespace heddle_cupti
