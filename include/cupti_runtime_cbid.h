// Numbers of the functions of the CUDA runtime API (CUPTI documentation).
#pragma once
typedef enum CUpti_runtime_api_trace_cbid_enum {
  CUPTI_RUNTIME_TRACE_CBID_INVALID = 0,
#define HEDDLE_CBID(name, number) CUPTI_RUNTIME_TRACE_CBID_##name = number,
#include "heddle/cupti_runtime.inc"
#undef HEDDLE_CBID
  CUPTI_RUNTIME_TRACE_CBID_SIZE,
  CUPTI_RUNTIME_TRACE_CBID_FORCE_INT = 0x7fffffff
} CUpti_runtime_api_trace_cbid;
