/*
 * NVTX, the annotations for profilers, after the NVTX reference. Heddle's profiler shows ranges and marks; without it
 * they have no effect.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <wchar.h>
#endif

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_NO_PUSH_POP_TRACKING (-2)
#define NVTX_INLINE_STATIC static inline

typedef enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainHandle *nvtxDomainHandle_t;
typedef struct nvtxStringHandle *nvtxStringHandle_t;
typedef union {
  const char *ascii;
  const wchar_t *unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#ifdef __cplusplus
extern "C" {
#endif

void nvtxInitialize(const void *reserved);

int nvtxRangePushA(const char *message);
int nvtxRangePushW(const wchar_t *message);
int nvtxRangePushEx(const nvtxEventAttributes_t *attributes);
int nvtxRangePop(void);
nvtxRangeId_t nvtxRangeStartA(const char *message);
nvtxRangeId_t nvtxRangeStartW(const wchar_t *message);
nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *attributes);
void nvtxRangeEnd(nvtxRangeId_t id);
void nvtxMarkA(const char *message);
void nvtxMarkW(const wchar_t *message);
void nvtxMarkEx(const nvtxEventAttributes_t *attributes);

void nvtxNameCategoryA(uint32_t category, const char *name);
void nvtxNameCategoryW(uint32_t category, const wchar_t *name);
void nvtxNameOsThreadA(uint32_t thread, const char *name);
void nvtxNameOsThreadW(uint32_t thread, const wchar_t *name);

nvtxDomainHandle_t nvtxDomainCreateA(const char *name);
nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t *name);
void nvtxDomainDestroy(nvtxDomainHandle_t domain);
int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes);
int nvtxDomainRangePop(nvtxDomainHandle_t domain);
nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes);
void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id);
void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes);
nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char *string);
nvtxStringHandle_t nvtxDomainRegisterStringW(nvtxDomainHandle_t domain, const wchar_t *string);
void nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category, const char *name);
void nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category, const wchar_t *name);

#ifdef __cplusplus
}
#endif

#ifdef UNICODE
#define __HEDDLE_NVTX_FORM(name) name##W
#else
#define __HEDDLE_NVTX_FORM(name) name##A
#endif
#define nvtxRangePush __HEDDLE_NVTX_FORM(nvtxRangePush)
#define nvtxRangeStart __HEDDLE_NVTX_FORM(nvtxRangeStart)
#define nvtxMark __HEDDLE_NVTX_FORM(nvtxMark)
#define nvtxNameCategory __HEDDLE_NVTX_FORM(nvtxNameCategory)
#define nvtxNameOsThread __HEDDLE_NVTX_FORM(nvtxNameOsThread)
#define nvtxDomainCreate __HEDDLE_NVTX_FORM(nvtxDomainCreate)
#define nvtxDomainRegisterString __HEDDLE_NVTX_FORM(nvtxDomainRegisterString)
#define nvtxDomainNameCategory __HEDDLE_NVTX_FORM(nvtxDomainNameCategory)
