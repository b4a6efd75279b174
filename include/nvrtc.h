// NVRTC, the compiler of CUDA C++ at run time (NVRTC documentation). Implemented in
// src/runtime/cuda/api-functions/nvrtc.ts.
#pragma once
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
typedef enum {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  NVRTC_ERROR_INTERNAL_ERROR = 11,
  NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
  NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
  NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
  NVRTC_ERROR_PCH_CREATE = 15,
  NVRTC_ERROR_CANCELLED = 16,
  NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
nvrtcResult nvrtcGetNumSupportedArchs(int *count);
nvrtcResult nvrtcGetSupportedArchs(int *architectures);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int headerCount,
                               const char *const *headers, const char *const *includeNames);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int optionCount, const char *const *options);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *ltoir);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char *optixir);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name);
/* Nothing is kept in precompiled headers: the heap's size is kept and returned, no program has used any. */
nvrtcResult nvrtcGetPCHHeapSize(size_t *bytes);
nvrtcResult nvrtcSetPCHHeapSize(size_t bytes);
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program);
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t *bytes);
/* Compiling asks before it begins: a callback that returns 1 cancels it. */
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *payload, void *reserved), void *payload);
#ifdef __cplusplus
}

#include <string>
#include <typeinfo>
extern "C" char *__cxa_demangle(const char *name, char *buffer, size_t *bytes, int *status); /* the C++ ABI's */
/* The name of a type as NVRTC's code writes it, for name expressions. */
nvrtcResult nvrtcGetTypeName(const std::type_info &type, std::string *result);
inline nvrtcResult nvrtcGetTypeName(const std::type_info &type, std::string *result) {
  if (!result) return NVRTC_ERROR_INVALID_INPUT;
  int status = 0;
  char *name = __cxa_demangle(type.name(), nullptr, nullptr, &status);
  if (!name) return NVRTC_ERROR_INTERNAL_ERROR;
  *result = name;
  free(name);
  return NVRTC_SUCCESS;
}
template <typename T> struct heddle_nvrtc_type {};
/* Inside of another type, as type_info leaves out references and qualifiers. */
template <typename T> nvrtcResult nvrtcGetTypeName(std::string *result) {
  nvrtcResult status = nvrtcGetTypeName(typeid(heddle_nvrtc_type<T>), result);
  if (status != NVRTC_SUCCESS) return status;
  const std::string::size_type begin = result->find('<') + 1;
  *result = result->substr(begin, result->rfind('>') - begin);
  while (!result->empty() && result->back() == ' ') result->pop_back();
  return NVRTC_SUCCESS;
}
#endif
