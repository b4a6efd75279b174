/* What Clang may leave as calls where a length is not constant or a loop was recognised: the C memory functions, byte
 * by byte. */
#include "prelude.h"

using size = __SIZE_TYPE__;
DEVICE_FN NOINLINE void* memcpy(void* to, const void* from, size n) {
  u8* d = (u8*)to;
  const u8* s = (const u8*)from;
  /* words where both are aligned alike */
  if ((((size)d | (size)s) & 3) == 0) for (; n >= 4; n -= 4, d += 4, s += 4) *(volatile u32*)d = *(const u32*)s;
  for (size i = 0; i < n; i++) ((volatile u8*)d)[i] = s[i];
  return to;
}
DEVICE_FN NOINLINE void* memmove(void* to, const void* from, size n) {
  if ((size)to - (size)from >= n) return memcpy(to, from, n);
  if ((((size)to | (size)from | n) & 3) == 0) {
    for (; n > 0; n -= 4) *(volatile u32*)((u8*)to + n - 4) = *(const u32*)((const u8*)from + n - 4);
    return to;
  }
  for (size i = n; i > 0; i--) ((volatile u8*)to)[i - 1] = ((const u8*)from)[i - 1];
  return to;
}
DEVICE_FN NOINLINE void* memset(void* to, int value, size n) {
  for (size i = 0; i < n; i++) ((volatile u8*)to)[i] = (u8)value;
  return to;
}
DEVICE_FN NOINLINE int memcmp(const void* a, const void* b, size n) {
  for (size i = 0; i < n; i++) {
    int d = ((const u8*)a)[i] - ((const u8*)b)[i];
    if (d != 0) return d;
  }
  return 0;
}
DEVICE_FN NOINLINE void* memchr(const void* a, int c, size n) {
  for (size i = 0; i < n; i++) if (((const u8*)a)[i] == (u8)c) return (void*)((const u8*)a + i);
  return nullptr;
}
DEVICE_FN NOINLINE size strlen(const char* s) { size n = 0; while (s[n]) n++; return n; }
DEVICE_FN NOINLINE int strcmp(const char* a, const char* b) {
  while (*a && *a == *b) { a++; b++; }
  return (u8)*a - (u8)*b;
}
DEVICE_FN NOINLINE int strncmp(const char* a, const char* b, size n) {
  for (size i = 0; i < n; i++) if (a[i] != b[i] || !a[i]) return (u8)a[i] - (u8)b[i];
  return 0;
}
DEVICE_FN NOINLINE char* strcpy(char* to, const char* from) { memcpy(to, from, strlen(from) + 1); return to; }
DEVICE_FN NOINLINE char* strcat(char* to, const char* from) { strcpy(to + strlen(to), from); return to; }
