// Functions that wasi-libc does not declare and public programs call; defined in hostlib/. Included before every host
// source.
#pragma once
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#ifndef L_tmpnam
#define L_tmpnam 32
#endif
#ifndef TMP_MAX
#define TMP_MAX 10000
#endif
#ifdef __cplusplus
extern "C" {
#endif
int system(const char *command);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *stream);
pid_t fork(void);
unsigned alarm(unsigned seconds);
uid_t getuid(void);
uid_t geteuid(void);
int getpagesize(void);
int mkstemp(char *name);
FILE *tmpfile(void);
char *tmpnam(char *buffer);
int pthread_cancel(pthread_t thread);
int pthread_yield(void);
#ifndef __cplusplus
_Noreturn
#endif
void pthread_exit(void *result);
#ifdef __cplusplus
}
#endif
