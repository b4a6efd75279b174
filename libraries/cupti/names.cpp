// Names and numbers of functions and results (CUPTI documentation: "CUpti_runtime_api_trace_cbid" and so on).
#include "cupti.h"
#include <stdio.h>
#include <stdlib.h>

namespace heddle_cupti {
namespace {

struct Entry { const char *name; unsigned cbid; };
#define HEDDLE_CBID(name, number) {#name, number},
const Entry runtimeNames[] = {
#include "heddle/cupti_runtime.inc"
};
const Entry driverNames[] = {
#include "heddle/cupti_driver.inc"
};
const Entry nvtxNames[] = {
#include "heddle/cupti_nvtx.inc"
};
#undef HEDDLE_CBID

struct Table { const Entry *entries; size_t count; };
template <size_t N> Table tableOf(const Entry (&entries)[N]) { return {entries, N}; }
Table tableOf(int domain) {
  switch (domain) {
    case CUPTI_CB_DOMAIN_RUNTIME_API: return tableOf(runtimeNames);
    case CUPTI_CB_DOMAIN_DRIVER_API: return tableOf(driverNames);
    case CUPTI_CB_DOMAIN_NVTX: return tableOf(nvtxNames);
    default: return {nullptr, 0};
  }
}

/// The version in what follows a function's name: 3020 in _v3020. 0: none. -1: this is another function.
int versionIn(const char *rest) {
  if (!*rest) return 0;
  if (rest[0] != '_' || rest[1] != 'v') return -1;
  char *end;
  const long version = strtol(rest + 2, &end, 10);
  return *end || end == rest + 2 ? -1 : (int)version;
}

} // namespace

/// Of the runtime's functions the newest version is meant, of the driver's the one that cuda.h means: _v2 if there is.
void resolve(Function &function) {
  const bool isRuntime = strncmp(function.name, "cuda", 4) == 0;
  const bool isDriver = !isRuntime && strncmp(function.name, "cu", 2) == 0;
  function.domain = isRuntime  ? CUPTI_CB_DOMAIN_RUNTIME_API
                    : isDriver ? CUPTI_CB_DOMAIN_DRIVER_API
                               : CUPTI_CB_DOMAIN_NVTX;
  const Table table = tableOf(function.domain);
  const size_t length = strlen(function.name);
  int best = -1;
  for (size_t i = 0; i < table.count; i++) {
    if (strncmp(table.entries[i].name, function.name, length) != 0) continue;
    const int version = versionIn(table.entries[i].name + length);
    if (version <= best || (isDriver && version > 2)) continue;
    best = version;
    function.cbid = table.entries[i].cbid;
    function.fullName = table.entries[i].name;
  }
  if (best < 0) function.domain = CUPTI_CB_DOMAIN_INVALID;
}

/// NVIDIA's library has no names of resources and waits, either.
const char *fullName(int domain, unsigned cbid) {
  const Table table = tableOf(domain);
  for (size_t i = 0; i < table.count; i++)
    if (table.entries[i].cbid == cbid) return table.entries[i].name;
  if (domain == CUPTI_CB_DOMAIN_STATE && cbid == CUPTI_CBID_STATE_FATAL_ERROR) return "FATAL_ERROR";
  if (domain == CUPTI_CB_DOMAIN_STATE && cbid == CUPTI_CBID_STATE_ERROR) return "ERROR";
  if (domain == CUPTI_CB_DOMAIN_STATE && cbid == CUPTI_CBID_STATE_WARNING) return "WARNING";
  return nullptr;
}

unsigned largestId(int domain) {
  switch (domain) {
    case CUPTI_CB_DOMAIN_RUNTIME_API: return CUPTI_RUNTIME_TRACE_CBID_SIZE - 1;
    case CUPTI_CB_DOMAIN_DRIVER_API: return CUPTI_DRIVER_TRACE_CBID_SIZE - 1;
    case CUPTI_CB_DOMAIN_NVTX: return CUPTI_CBID_NVTX_SIZE - 1;
    case CUPTI_CB_DOMAIN_RESOURCE: return CUPTI_CBID_RESOURCE_SIZE - 1;
    case CUPTI_CB_DOMAIN_SYNCHRONIZE: return CUPTI_CBID_SYNCHRONIZE_SIZE - 1;
    case CUPTI_CB_DOMAIN_STATE: return CUPTI_CBID_STATE_SIZE - 1;
    default: return 0;
  }
}

} // namespace heddle_cupti

using namespace heddle_cupti;
extern "C" {

CUptiResult cuptiGetVersion(uint32_t *version) {
  if (!version) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult result, const char **str) {
  if (!str) return CUPTI_ERROR_INVALID_PARAMETER;
  switch (result) {
#define HEDDLE_RESULT(name, number) \
  case name: *str = #name; return CUPTI_SUCCESS;
#include "heddle/cupti_results.inc"
#undef HEDDLE_RESULT
    default: return CUPTI_ERROR_INVALID_PARAMETER;
  }
}
CUptiResult cuptiGetErrorMessage(CUptiResult result, const char **str) { return cuptiGetResultString(result, str); }
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char **name) {
  if (!name) return CUPTI_ERROR_INVALID_PARAMETER;
  const char *found = fullName(domain, cbid);
  if (!found) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = found;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSupportedDomains(size_t *domainCount, CUpti_DomainTable *domainTable) {
  static CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API,
      CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_SYNCHRONIZE, CUPTI_CB_DOMAIN_NVTX, CUPTI_CB_DOMAIN_STATE};
  if (!domainCount || !domainTable) return CUPTI_ERROR_INVALID_PARAMETER;
  *domainCount = sizeof domains / sizeof *domains;
  *domainTable = domains;
  return CUPTI_SUCCESS;
}
}
