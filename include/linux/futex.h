// The numbers of Linux's futex operations. Headers of NVIDIA's include this file where a program is compiled for Linux,
// and call nothing of it. There is no syscall() here.
#pragma once
#define FUTEX_WAIT 0
#define FUTEX_WAKE 1
#define FUTEX_PRIVATE_FLAG 128
#define FUTEX_WAIT_PRIVATE (FUTEX_WAIT | FUTEX_PRIVATE_FLAG)
#define FUTEX_WAKE_PRIVATE (FUTEX_WAKE | FUTEX_PRIVATE_FLAG)
