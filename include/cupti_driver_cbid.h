// Numbers of the functions of the CUDA driver API (CUPTI documentation).
#pragma once
typedef enum CUpti_driver_api_trace_cbid_enum {
  CUPTI_DRIVER_TRACE_CBID_INVALID = 0,
#define HEDDLE_CBID(name, number) CUPTI_DRIVER_TRACE_CBID_##name = number,
#include "heddle/cupti_driver.inc"
#undef HEDDLE_CBID
  CUPTI_DRIVER_TRACE_CBID_SIZE,
  CUPTI_DRIVER_TRACE_CBID_FORCE_INT = 0x7fffffff
} CUpti_driver_api_trace_cbid;
