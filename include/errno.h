// <errno.h>: the C library keeps one errno, which is no variable of a thread to it. hostlib/threads.cpp gives each
// thread its own, as one thread runs at a time.
#pragma once
#include_next <errno.h>
#undef errno
#ifdef __cplusplus
extern "C" {
#endif
extern int __heddle_errno __asm__("errno");
#ifdef __cplusplus
}
#endif
#define errno __heddle_errno
