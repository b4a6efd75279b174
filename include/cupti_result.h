// Results of CUPTI (CUPTI documentation, "CUPTI Result Codes").
#pragma once
#ifndef CUPTIAPI
#define CUPTIAPI
#endif
typedef enum {
#define HEDDLE_RESULT(name, number) name = number,
#include "heddle/cupti_results.inc"
#undef HEDDLE_RESULT
  CUPTI_ERROR_FORCE_INT = 0x7fffffff
} CUptiResult;
#ifdef __cplusplus
extern "C" {
#endif
CUptiResult cuptiGetResultString(CUptiResult result, const char **str);
CUptiResult cuptiGetErrorMessage(CUptiResult result, const char **str);
#ifdef __cplusplus
}
#endif
