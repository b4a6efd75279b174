// Numbers of the functions of NVTX (CUPTI documentation).
#pragma once
typedef enum {
  CUPTI_CBID_NVTX_INVALID = 0,
#define HEDDLE_CBID(name, number) CUPTI_CBID_NVTX_##name = number,
#include "heddle/cupti_nvtx.inc"
#undef HEDDLE_CBID
  CUPTI_CBID_NVTX_SIZE,
  CUPTI_CBID_NVTX_FORCE_INT = 0x7fffffff
} CUpti_nvtx_api_trace_cbid;
