// The rounding mode of a thread: include/fenv.h.
#include <fenv.h>

namespace {
thread_local int mode = FE_TONEAREST;
}

extern "C" {
int __heddle_rounding_mode(void) { return mode; }
int fegetround(void) { return mode; }
int fesetround(int wanted) {
  if (wanted != FE_TONEAREST && wanted != FE_DOWNWARD && wanted != FE_UPWARD && wanted != FE_TOWARDZERO) return -1;
  mode = wanted;
  return wanted == FE_TONEAREST ? 0 : -1;
}
}
