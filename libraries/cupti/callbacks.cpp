// Subscribers and their callbacks (CUPTI documentation, "CUPTI Callback API"). There is one subscriber, as in CUPTI.
#include "cupti.h"

struct CUpti_Subscriber_st {
  CUpti_CallbackFunc callback;
  void *userData;
  bool isUsual;
  bool enabled[CUPTI_CB_DOMAIN_SIZE][CUPTI_DRIVER_TRACE_CBID_SIZE];
};
static_assert(CUPTI_DRIVER_TRACE_CBID_SIZE > CUPTI_RUNTIME_TRACE_CBID_SIZE, "the driver has the most functions");

namespace heddle_cupti {
namespace {

CUpti_Subscriber_st subscriber;
bool isSubscribed = false;
unsigned lastCorrelation = 0;
thread_local bool isQuiet = false;
/// Wrapped calls that this thread is in; what a function of CUDA calls is no call of the program.
thread_local int depth = 0;

enum State { UNTOLD, TOLD };

CUptiResult check(CUpti_SubscriberHandle handle) {
  if (!handle) return CUPTI_ERROR_INVALID_PARAMETER;
  return isSubscribed && handle == &subscriber ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
bool isDomain(int domain) { return domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE; }
void setAll(int domain, bool enable) {
  for (unsigned cbid = 1; cbid <= largestId(domain); cbid++) subscriber.enabled[domain][cbid] = enable;
}

/// The kernel that a launch names, by the parameter that is its function.
const char *symbolOf(const Function &function, const void *params) {
  const void *kernel = nullptr;
  if (strcmp(function.name, "cudaLaunchKernelExC") == 0 || strcmp(function.name, "cuLaunchKernelEx") == 0)
    kernel = ((const void *const *)params)[1];
  else if (strncmp(function.name, "cudaLaunch", 10) == 0 || strncmp(function.name, "cuLaunchKernel", 14) == 0 ||
           strcmp(function.name, "cuLaunchCooperativeKernel") == 0)
    kernel = strcmp(function.name, "cudaLaunchHostFunc") == 0 ? nullptr : ((const void *const *)params)[0];
  const char *name = nullptr;
  if (!kernel) return nullptr;
  Quiet quiet;
  return cudaFuncGetName(&name, kernel) == cudaSuccess ? name : nullptr;
}

/// "cudaMalloc" of cudaMalloc_v3020; the driver's functions keep their version.
const char *shortName(const Function &function) {
  return function.domain == CUPTI_CB_DOMAIN_RUNTIME_API ? function.name : function.fullName;
}

void tellCall(Call &call, CUpti_ApiCallbackSite site, void *result) {
  const Function &function = *call.function;
  if (!isEnabled(function.domain, function.cbid)) return;
  const int device = currentDevice();
  const CUpti_CallbackData data = {site, shortName(function), call.params, result, call.symbol, contextOf(device),
                                   (uint32_t)device + 1, &call.correlationData, call.correlation};
  tell(function.domain, function.cbid, &data);
}

/// What cudaLaunchKernel is to the driver: CUDA's runtime calls cuLaunchKernel, and tools look for that.
void tellLaunch(Call &call, CUpti_ApiCallbackSite site, void *result) {
  if (call.function->cbid != CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 ||
      call.function->domain != CUPTI_CB_DOMAIN_RUNTIME_API ||
      !isEnabled(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel))
    return;
  const auto &p = *(const cudaLaunchKernel_v7000_params *)call.params;
  const cuLaunchKernel_params params = {(CUfunction)p.func, p.gridDim.x, p.gridDim.y, p.gridDim.z, p.blockDim.x,
                                        p.blockDim.y, p.blockDim.z, (unsigned)p.sharedMem, (CUstream)p.stream, p.args,
                                        nullptr};
  const int device = currentDevice();
  const CUpti_CallbackData data = {site, "cuLaunchKernel", &params, result, call.symbol, contextOf(device),
                                   (uint32_t)device + 1, &call.launchCorrelationData, call.correlation};
  tell(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &data);
}

void tellNvtx(const Call &call, const void *result) {
  const Function &function = *call.function;
  if (!isEnabled(function.domain, function.cbid)) return;
  const CUpti_NvtxData data = {function.fullName, call.params, result};
  tell(CUPTI_CB_DOMAIN_NVTX, function.cbid, &data);
}

} // namespace

Quiet::Quiet() : before(isQuiet) { isQuiet = true; }
Quiet::~Quiet() { isQuiet = before; }

bool isEnabled(int domain, unsigned cbid) { return isSubscribed && subscriber.enabled[domain][cbid]; }
void tell(int domain, unsigned cbid, const void *data) {
  if (!isEnabled(domain, cbid) || !subscriber.callback) return;
  Quiet quiet;
  // Programs cast functions of fewer parameters, which WebAssembly's calls do not allow.
  if (subscriber.isUsual) subscriber.callback(subscriber.userData, (CUpti_CallbackDomain)domain, cbid, data);
  else __heddle_cupti_tell(subscriber.callback, subscriber.userData, domain, cbid, data);
}
CUcontext contextOf(int device) { return (CUcontext)(size_t)(device + 1); } // as hostlib/driver.cpp
int currentDevice() {
  Quiet quiet;
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? device : 0;
}

} // namespace heddle_cupti

using namespace heddle_cupti;
extern "C" {

void __heddle_cupti_enter(Call *call, Function *function, const void *params) {
  call->state = UNTOLD;
  if (isQuiet || depth++ > 0) return;
  if (!function->fullName && function->domain == 0) resolve(*function);
  if (!function->fullName) return;
  *call = {function, params, 0, 0, 0, nullptr, 0, TOLD};
  if (function->domain == CUPTI_CB_DOMAIN_NVTX) return;
  contextIsUsed(*function);
  if (!isSubscribed && !wantsWork() && !wantsCall(*function)) {
    call->state = UNTOLD;
    return;
  }
  call->correlation = ++lastCorrelation;
  call->symbol = symbolOf(*function, params);
  if (wantsWork()) __heddle_cupti_call(call->correlation);
  tellCall(*call, CUPTI_API_ENTER, nullptr);
  beforeCall(*call);
  tellLaunch(*call, CUPTI_API_ENTER, nullptr);
  call->start = now();
}

void __heddle_cupti_exit(Call *call, void *result) {
  if (isQuiet) return;
  depth--;
  if (call->state != TOLD) return;
  if (call->function->domain == CUPTI_CB_DOMAIN_NVTX) {
    tellNvtx(*call, result);
    markerCall(*call, result);
    return;
  }
  const int status = *(const int *)result;
  recordExternal(*call);
  recordCall(*call, status);
  collect();
  tellLaunch(*call, CUPTI_API_EXIT, result);
  afterCall(*call, status == 0);
  tellCall(*call, CUPTI_API_EXIT, result);
  deliver();
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *userData) {
  if (!handle) return CUPTI_ERROR_INVALID_PARAMETER;
  if (isSubscribed) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  memset(&subscriber, 0, sizeof subscriber);
  subscriber.callback = callback;
  subscriber.userData = userData;
  subscriber.isUsual = __heddle_cupti_parameters(callback) == 4;
  isSubscribed = true;
  *handle = &subscriber;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *userData,
                              CUpti_SubscriberParams *params) {
  if (params && params->subscriberName && strlen(params->subscriberName) > CUPTI_SUBSCRIBER_NAME_MAX_LEN)
    return CUPTI_ERROR_INVALID_PARAMETER;
  return cuptiSubscribe(handle, callback, userData);
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle) {
  if (CUptiResult wrong = check(handle)) return wrong;
  isSubscribed = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiFinalize(void) {
  isSubscribed = false;
  forgetActivities();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                  CUpti_CallbackId cbid) {
  if (CUptiResult wrong = check(handle)) return wrong;
  if (!enable || !isDomain(domain) || cbid > largestId(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  *enable = subscriber.enabled[domain][cbid];
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId cbid) {
  if (CUptiResult wrong = check(handle)) return wrong;
  if (!isDomain(domain) || cbid > largestId(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  subscriber.enabled[domain][cbid] = enable != 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain) {
  if (CUptiResult wrong = check(handle)) return wrong;
  if (!isDomain(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  setAll(domain, enable != 0);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle handle) {
  if (CUptiResult wrong = check(handle)) return wrong;
  for (int domain = 1; domain < CUPTI_CB_DOMAIN_SIZE; domain++) setAll(domain, enable != 0);
  return CUPTI_SUCCESS;
}
}
