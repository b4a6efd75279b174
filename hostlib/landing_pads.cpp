// Landing pads of units that have `thread_local` variables (src/frontend/clang/thread-locals.ts). There Clang takes the
// landing pads' context for a variable of the thread, elsewhere for one of the program (exceptions.cpp). So the two
// have two names.
#include <stdint.h>

extern "C" {
struct LandingPadContext {
  uintptr_t landingPad;
  const void *lsda;
  uintptr_t selector;
};
int __heddle_call_personality(void *exception, LandingPadContext *context);

thread_local LandingPadContext __heddle_lpad_local;
int __heddle_personality_of(void *exception) { return __heddle_call_personality(exception, &__heddle_lpad_local); }
}
