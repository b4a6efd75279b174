// CUPTI: callbacks at calls of both APIs and of NVTX, their parameters and results, and the records of the same calls.
// With the argument `steps` it says on stderr where it is, so that one can tell where a library ends the program.
#include <cupti.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static int failures = 0;
#define EXPECT(call, wanted) expect((long long)(call), (long long)(wanted), #call)
static void expect(long long got, long long wanted, const char *call) {
  if (got != wanted) printf("%s is %lld, not %lld\n", call, got, wanted), failures++;
}
static void expectText(const std::string &got, const std::string &wanted, const char *what) {
  if (got != wanted) printf("%s: %s\n  not %s\n", what, got.c_str(), wanted.c_str()), failures++;
}

/// A library may leave a name out.
static std::string text(const char *name) { return name ? name : "?"; }

static bool saysSteps = false;
static void step(const char *name) {
  if (saysSteps) fprintf(stderr, "%s\n", name);
}

__global__ void addOne(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

/// CUPTI has no names of these.
static const char *nameOf(CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  if (domain == CUPTI_CB_DOMAIN_SYNCHRONIZE)
    return cbid == CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED ? "STREAM_SYNCHRONIZED" : "CONTEXT_SYNCHRONIZED";
  if (cbid == CUPTI_CBID_RESOURCE_STREAM_CREATED) return "STREAM_CREATED";
  return cbid == CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING ? "STREAM_DESTROY_STARTING" : "another";
}

static std::string told;
static uint64_t started = 0;
static void CUPTIAPI callback(void *userData, CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void *data) {
  EXPECT(userData == &told, 1);
  // What CUPTI tells of itself has other data.
  if (domain == CUPTI_CB_DOMAIN_STATE) return;
  const char *name = nullptr;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE || domain == CUPTI_CB_DOMAIN_SYNCHRONIZE) {
    EXPECT(cuptiGetCallbackName(domain, cbid, &name), CUPTI_ERROR_INVALID_PARAMETER);
    told += std::string("[") + nameOf(domain, cbid) + "]";
    return;
  }
  EXPECT(cuptiGetCallbackName(domain, cbid, &name), CUPTI_SUCCESS);
  EXPECT(name != nullptr, 1);
  if (domain == CUPTI_CB_DOMAIN_NVTX) {
    told += ((const CUpti_NvtxData *)data)->functionName + std::string(" ");
    return;
  }
  const CUpti_CallbackData &call = *(const CUpti_CallbackData *)data;
  EXPECT(call.contextUid, 1);
  EXPECT(call.functionName != nullptr, 1);
  if (call.callbackSite == CUPTI_API_ENTER) {
    told += text(call.functionName) + "(";
    *call.correlationData = call.correlationId + 100;
  } else {
    EXPECT(*call.correlationData, call.correlationId + 100);
    told += ")" + std::to_string(*(const int *)call.functionReturnValue) + " ";
  }
  if (call.callbackSite == CUPTI_API_EXIT || domain == CUPTI_CB_DOMAIN_NVTX) return;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000) {
    const auto &p = *(const cudaLaunchKernel_v7000_params *)call.functionParams;
    told += text(call.symbolName) + " " + std::to_string(p.gridDim.x) + "*" + std::to_string(p.blockDim.y);
    EXPECT(p.sharedMem, 64);
    // A tool may call CUDA: nobody is told of that.
    EXPECT(cudaDeviceSynchronize(), cudaSuccess);
  }
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && cbid == CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020) {
    const auto &p = *(const cudaMemcpy_v3020_params *)call.functionParams;
    told += std::to_string(p.count) + " kind " + std::to_string(p.kind);
  }
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API && cbid == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2)
    told += std::to_string(((const cuMemAlloc_v2_params *)call.functionParams)->bytesize);
}

static void callbacks(float *x) {
  CUpti_SubscriberHandle subscriber, second;
  EXPECT(cuptiSubscribe(nullptr, callback, &told), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT(cuptiSubscribe(&subscriber, callback, &told), CUPTI_SUCCESS);
  EXPECT(cuptiSubscribe(&second, callback, &told), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT(cuptiEnableDomain(1, subscriber, (CUpti_CallbackDomain)77), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT(cuptiEnableAllDomains(1, subscriber), CUPTI_SUCCESS);
  float host[8] = {};
  CUdeviceptr pointer;
  cudaStream_t stream;
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  addOne<<<2, dim3(2, 2), 64>>>(x);
  cuMemAlloc(&pointer, 4096);
  cuMemFree(pointer);
  cudaStreamCreate(&stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  nvtxRangePushA("range");
  nvtxRangePop();
  cudaDeviceSynchronize();
  cudaSetDevice(99);
  expectText(told,
             "cudaMemcpy(32 kind 1)0 cudaLaunchKernel(_Z6addOnePf 2*2cuLaunchKernel()0 )0 cuMemAlloc_v2(4096)0 "
             "cuMemFree_v2()0 cudaStreamCreate([STREAM_CREATED])0 cudaStreamSynchronize([STREAM_SYNCHRONIZED])0 "
             "cudaStreamDestroy([STREAM_DESTROY_STARTING])0 nvtxRangePushA nvtxRangePop "
             "cudaDeviceSynchronize([CONTEXT_SYNCHRONIZED])0 cudaSetDevice()101 ",
             "callbacks");
  told = "";
  EXPECT(cuptiEnableAllDomains(0, subscriber), CUPTI_SUCCESS);
  EXPECT(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020),
         CUPTI_SUCCESS);
  cudaMemset(x, 0, 4);
  cudaFree(nullptr);
  expectText(told, "cudaFree()0 ", "one callback");
  uint32_t isOn = 7;
  EXPECT(cuptiGetCallbackState(&isOn, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, 1), CUPTI_SUCCESS);
  EXPECT(isOn, 0);
  EXPECT(cuptiUnsubscribe(subscriber), CUPTI_SUCCESS);
  EXPECT(cuptiUnsubscribe(nullptr), CUPTI_ERROR_INVALID_PARAMETER);
}

/// A function of fewer parameters, cast: on other machines it gets the first ones.
static int few = 0;
static void CUPTIAPI callbackOfTwo(void *userData, CUpti_CallbackDomain domain) {
  few += domain == CUPTI_CB_DOMAIN_RUNTIME_API && userData == &told;
}
static void fewerParameters() {
  CUpti_SubscriberHandle subscriber;
  EXPECT(cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)(void *)callbackOfTwo, &told), CUPTI_SUCCESS);
  cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  cudaGetLastError();
  cuptiUnsubscribe(subscriber);
  EXPECT(few, 2);
}

static std::string recorded;
/// What the device did: a GPU ends it while the program goes on, so that its records come between later ones.
static std::string worked;
static std::map<std::string, uint32_t> callIds, workIds;
static int buffers = 0;
/// Buffers may come back on several threads, CUPTI's own among them.
static std::mutex coming;
static void CUPTIAPI request(uint8_t **buffer, size_t *size, size_t *mostRecords) {
  *size = 1024;
  *buffer = (uint8_t *)aligned_alloc(8, *size);
  *mostRecords = 0;
  buffers++;
}
static void CUPTIAPI complete(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  const std::lock_guard<std::mutex> guard(coming);
  CUpti_Activity *record = nullptr;
  CUptiResult status;
  while ((status = cuptiActivityGetNextRecord(buffer, valid, &record)) == CUPTI_SUCCESS) {
    const char *name = nullptr;
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_RUNTIME: {
        const auto *api = (const CUpti_ActivityAPI *)record;
        cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, api->cbid, &name);
        recorded += text(name) + " ";
        EXPECT(api->start <= api->end && api->start >= started, 1);
        callIds[text(name)] = api->correlationId;
        break;
      }
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const auto *kernel = (const CUpti_ActivityKernel10 *)record;
        worked += text(kernel->name) + " " + std::to_string(kernel->gridX) + "*" +
                    std::to_string(kernel->blockX) + "+" + std::to_string(kernel->dynamicSharedMemory) + " on " +
                    std::to_string(kernel->streamId) + " ";
        workIds["cudaLaunchKernel_v7000"] = kernel->correlationId;
        EXPECT(kernel->start < kernel->end && kernel->start >= started, 1);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto *copy = (const CUpti_ActivityMemcpy6 *)record;
        worked += "copy " + std::to_string(copy->copyKind) + " of " + std::to_string(copy->bytes) + " ";
        workIds["cudaMemcpy_v3020"] = copy->correlationId;
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMSET:
        worked += "fill " + std::to_string(((const CUpti_ActivityMemset4 *)record)->bytes) + " ";
        break;
      case CUPTI_ACTIVITY_KIND_MARKER: {
        const auto *marker = (const CUpti_ActivityMarker2 *)record;
        recorded += (marker->flags & CUPTI_ACTIVITY_FLAG_MARKER_START ? text(marker->name) : "end") + " ";
        break;
      }
      case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        recorded += "id " + std::to_string(((const CUpti_ActivityExternalCorrelation *)record)->externalId) + " ";
        break;
      case CUPTI_ACTIVITY_KIND_MEMORY2: {
        const auto *memory = (const CUpti_ActivityMemory4 *)record;
        recorded += (memory->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION ? "+" : "-") +
                    std::to_string(memory->bytes) + " ";
        break;
      }
      default: recorded += "kind " + std::to_string(record->kind) + " ";
    }
  }
  EXPECT(status, CUPTI_ERROR_MAX_LIMIT_REACHED);
  free(buffer);
}

static void records(float *x) {
  // What is enabled before there are buffers is recorded when there are.
  EXPECT(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DEVICE), CUPTI_SUCCESS);
  EXPECT(cuptiActivityRegisterCallbacks(nullptr, complete), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT(cuptiActivityRegisterCallbacks(request, complete), CUPTI_SUCCESS);
  EXPECT(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_GLOBAL_ACCESS), CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED);
  EXPECT(cuptiActivityEnable((CUpti_ActivityKind)999), CUPTI_ERROR_INVALID_KIND);
  for (CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MARKER, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
        CUPTI_ACTIVITY_KIND_MEMORY2})
    EXPECT(cuptiActivityEnable(kind), CUPTI_SUCCESS);
  EXPECT(cuptiGetTimestamp(&started), CUPTI_SUCCESS);
  float host[8] = {};
  void *memory;
  nvtxRangePushA("work");
  cudaMalloc(&memory, 640);
  cudaMemset(x, 0, 32);
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 42);
  addOne<<<2, 4, 64>>>(x);
  uint64_t last = 0;
  EXPECT(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last), CUPTI_SUCCESS);
  EXPECT(last, 42);
  EXPECT(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last),
         CUPTI_ERROR_QUEUE_EMPTY);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(memory);
  nvtxRangePop();
  for (int i = 0; i < 40; i++) cudaGetLastError();
  EXPECT(buffers > 1, 1); // full ones come back by themselves
  EXPECT(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  std::string wanted =
      "kind 8 work cudaMalloc_v3020 +640 cudaMemset_v3020 id 42 cudaLaunchKernel_v7000 cudaMemcpy_v3020 "
      "cudaFree_v3020 -640 end ";
  for (int i = 0; i < 40; i++) wanted += "cudaGetLastError_v3020 ";
  wanted += "cudaDeviceSynchronize_v3020 ";
  step("what was recorded");
  expectText(recorded, wanted, "records");
  expectText(worked, "fill 32 _Z6addOnePf 2*4+64 on 7 copy 2 of 32 ", "records of work");
  EXPECT(workIds.size(), 2);
  for (const auto &[name, id] : workIds) EXPECT(id, callIds[name]);
  size_t dropped = 9;
  EXPECT(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);
  EXPECT(dropped, 0);
  step("the end of CUPTI");
  EXPECT(cuptiFinalize(), CUPTI_SUCCESS);
}

/// Ids of external correlation, ranges and thread ids are each thread's own. By the id of a call's thread: what it has.
static std::map<uint32_t, std::string> ofThread;
static void CUPTIAPI completeByThread(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  const std::lock_guard<std::mutex> guard(coming);
  // The external id of a call comes before the call.
  static std::map<uint32_t, uint64_t> externals;
  static std::map<uint32_t, std::string> ranges;
  for (CUpti_Activity *record = nullptr;
       cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS;) {
    if (record->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
      const auto *external = (const CUpti_ActivityExternalCorrelation *)record;
      externals[external->correlationId] = external->externalId;
    }
    if (record->kind == CUPTI_ACTIVITY_KIND_MARKER) {
      const auto *marker = (const CUpti_ActivityMarker2 *)record;
      const uint32_t thread = marker->objectId.pt.threadId;
      if (marker->flags & CUPTI_ACTIVITY_FLAG_MARKER_START) ranges[marker->id] = text(marker->name);
      else ofThread[thread] += "end of " + ranges[marker->id] + " ";
    }
    if (record->kind == CUPTI_ACTIVITY_KIND_RUNTIME) {
      const auto *api = (const CUpti_ActivityAPI *)record;
      if (api->cbid != CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020) continue;
      ofThread[api->threadId] += std::to_string(externals[api->correlationId]) + " ";
    }
  }
  free(buffer);
}
static void threads() {
  EXPECT(cuptiActivityRegisterCallbacks(request, completeByThread), CUPTI_SUCCESS);
  for (CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_MARKER,
                                  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION})
    EXPECT(cuptiActivityEnable(kind), CUPTI_SUCCESS);
  const auto kind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
  uint32_t ids[2] = {};
  int turn = 0;
  // Between its steps a thread lets the other do its own.
  auto step = [&](int me) {
    turn++;
    while (turn % 2 != me) std::this_thread::yield();
  };
  auto work = [&](int me) {
    while (turn % 2 != me) std::this_thread::yield();
    ids[me] = (uint32_t)(size_t)pthread_self();
    EXPECT(cuptiActivityPushExternalCorrelationId(kind, 10 + me), CUPTI_SUCCESS);
    nvtxRangePushA(me ? "second" : "first");
    step(me);
    cudaFree(nullptr);
    step(me);
    uint64_t last = 0;
    EXPECT(cuptiActivityPopExternalCorrelationId(kind, &last), CUPTI_SUCCESS);
    EXPECT(last, 10 + me);
    EXPECT(cuptiActivityPopExternalCorrelationId(kind, &last), CUPTI_ERROR_QUEUE_EMPTY);
    nvtxRangePop();
    turn++;
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  EXPECT(ids[0] != ids[1], 1);
  EXPECT(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT(ofThread.size(), 2);
  expectText(ofThread[ids[0]], "10 end of first ", "first thread");
  expectText(ofThread[ids[1]], "11 end of second ", "second thread");
  EXPECT(cuptiFinalize(), CUPTI_SUCCESS);
}

int main(int count, char **arguments) {
  saysSteps = count > 1 && strcmp(arguments[1], "steps") == 0;
  setvbuf(stdout, nullptr, _IONBF, 0);
  float *x;
  cudaMalloc(&x, 32);
  step("callbacks");
  callbacks(x);
  step("a callback of two parameters");
  fewerParameters();
  step("records");
  records(x);
  step("threads");
  threads();
  step("results and ids");
  const char *words = nullptr;
  EXPECT(cuptiGetResultString(CUPTI_ERROR_NOT_READY, &words), CUPTI_SUCCESS);
  EXPECT(strcmp(words, "CUPTI_ERROR_NOT_READY"), 0);
  EXPECT(cuptiGetResultString((CUptiResult)77, &words), CUPTI_ERROR_INVALID_PARAMETER);
  uint32_t id = 9;
  CUcontext current = nullptr;
  EXPECT(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT(cuptiGetDeviceId(current, &id), CUPTI_SUCCESS);
  EXPECT(id, 0);
  EXPECT(cuptiGetStreamId(nullptr, nullptr, &id), CUPTI_SUCCESS);
  EXPECT(id, 7);
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
