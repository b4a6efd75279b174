// What a call of library.c takes by itself: nanoseconds, the best of many rounds.
#include <stdio.h>
#include <time.h>
int heddle_busy(void);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(void) {
  double least = 1e30;
  for (int round = 0; round < 500; round++) {
    double begin = now();
    for (int i = 0; i < 1000; i++) heddle_busy();
    double each = (now() - begin) / 1000;
    if (each < least) least = each;
  }
  printf("the library alone: %.0f\n", least);
  return 0;
}
