// setjmp and longjmp as LLVM lowers them to WebAssembly exceptions: a call of setjmp stores which of the function's
// calls it was, and which run of the function made it; longjmp throws the address of its arguments under the tag
// __c_longjmp; who catches it asks whether the buffer is one of its own.
#include <stdint.h>

#ifdef __wasm64__
__asm__(".globl __c_longjmp\n.tagtype __c_longjmp i64\n__c_longjmp:\n");
#else
__asm__(".globl __c_longjmp\n.tagtype __c_longjmp i32\n__c_longjmp:\n");
#endif

namespace {
struct Arguments {
  void *buffer;
  int value;
};
// In a jmp_buf.
struct Buffer {
  void *run;
  uint32_t call;
  Arguments arguments;
};
} // namespace

extern "C" {
// Destructors do not run while it is set (src/frontend/clang/long-jumps.ts).
int __heddle_jumping = 0;

void __wasm_setjmp(void *at, uint32_t call, void *run) {
  Buffer *buffer = (Buffer *)at;
  buffer->run = run;
  buffer->call = call;
}

uint32_t __wasm_setjmp_test(void *at, void *run) {
  const Buffer *buffer = (const Buffer *)at;
  if (buffer->run != run) return 0;
  __heddle_jumping = 0;
  return buffer->call;
}

void __wasm_longjmp(void *at, int value) {
  Buffer *buffer = (Buffer *)at;
  buffer->arguments = {at, value == 0 ? 1 : value};
  __heddle_jumping = 1;
  __builtin_wasm_throw(1, &buffer->arguments);
}
}
