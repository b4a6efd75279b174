#pragma once
#include <functional>
// Rows of `a` are sorted by group. `ends`: where each group's rows end, on the host and on the device.
struct Inputs {
  const void *a, *b;
  void *c;
  const int *ends, *deviceEnds;
  int m, n, k, groups;
};
