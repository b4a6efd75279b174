/*
 * NVTX, the annotations for profilers, after the NVTX reference: types and functions that do nothing. Ranges keep their
 * nesting depth, because push and pop return it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

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

NVTX_INLINE_STATIC int *__heddle_nvtx_depth(void) {
  static int depth = 0;
  return &depth;
}
NVTX_INLINE_STATIC void nvtxInitialize(const void *reserved) { (void)reserved; }
NVTX_INLINE_STATIC int nvtxRangePushA(const char *message) { (void)message; return (*__heddle_nvtx_depth())++; }
NVTX_INLINE_STATIC int nvtxRangePushW(const wchar_t *message) { (void)message; return (*__heddle_nvtx_depth())++; }
NVTX_INLINE_STATIC int nvtxRangePushEx(const nvtxEventAttributes_t* attributes) {
  (void)attributes;
  return (*__heddle_nvtx_depth())++;
}
NVTX_INLINE_STATIC int nvtxRangePop(void) {
  return *__heddle_nvtx_depth() > 0 ? --*__heddle_nvtx_depth() : NVTX_NO_PUSH_POP_TRACKING;
}
NVTX_INLINE_STATIC nvtxRangeId_t nvtxRangeStartA(const char *message) { (void)message; return 1; }
NVTX_INLINE_STATIC nvtxRangeId_t nvtxRangeStartW(const wchar_t *message) { (void)message; return 1; }
NVTX_INLINE_STATIC nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* attributes) {
  (void)attributes;
  return 1;
}
NVTX_INLINE_STATIC void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
NVTX_INLINE_STATIC void nvtxMarkA(const char *message) { (void)message; }
NVTX_INLINE_STATIC void nvtxMarkW(const wchar_t *message) { (void)message; }
NVTX_INLINE_STATIC void nvtxMarkEx(const nvtxEventAttributes_t *attributes) { (void)attributes; }
NVTX_INLINE_STATIC void nvtxNameCategoryA(uint32_t category, const char *name) { (void)category; (void)name; }
NVTX_INLINE_STATIC void nvtxNameOsThreadA(uint32_t thread, const char *name) { (void)thread; (void)name; }
NVTX_INLINE_STATIC nvtxDomainHandle_t nvtxDomainCreateA(const char *name) { (void)name; return NULL; }
NVTX_INLINE_STATIC void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
NVTX_INLINE_STATIC int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  (void)domain;
  return nvtxRangePushEx(attributes);
}
NVTX_INLINE_STATIC int nvtxDomainRangePop(nvtxDomainHandle_t domain) { (void)domain; return nvtxRangePop(); }
NVTX_INLINE_STATIC nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain,
                                                        const nvtxEventAttributes_t* attributes) {
  (void)domain;
  (void)attributes;
  return 1;
}
NVTX_INLINE_STATIC void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) { (void)domain; (void)id; }
NVTX_INLINE_STATIC void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  (void)domain;
  (void)attributes;
}
NVTX_INLINE_STATIC nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* string) {
  (void)domain;
  (void)string;
  return NULL;
}

#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
