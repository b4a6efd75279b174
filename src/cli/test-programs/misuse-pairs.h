// Pairs of wrong and right calls: PAIR(NAME) { … } is a case, and the program runs the cases that its arguments name.
#pragma once
#include <cuda_runtime.h>
#include <cstring>

struct Case {
  const char *name;
  void (*run)();
  Case *next;
  static Case *first;
  Case(const char *name, void (*run)()) : name(name), run(run), next(first) { first = this; }
};
Case *Case::first = nullptr;
#define PAIR(name)                     \
  static void name();                  \
  static Case case_##name(#name, name); \
  static void name()

static float *zeros(int n) {
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  return x;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    for (Case *c = Case::first; c; c = c->next)
      if (!strcmp(c->name, argv[i])) c->run();
  return 0;
}
