// The version of CUPTI whose records and callbacks Heddle writes (CUPTI documentation, "CUPTI Version").
#pragma once
#include <stdint.h>
#include "cupti_result.h"
#define CUPTI_API_VERSION 130001
#ifdef __cplusplus
extern "C" {
#endif
CUptiResult cuptiGetVersion(uint32_t *version);
#ifdef __cplusplus
}
#endif
