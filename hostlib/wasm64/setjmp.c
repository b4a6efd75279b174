// setjmp and longjmp of 64-bit programs, as LLVM lowers them over WebAssembly exceptions (-wasm-enable-sjlj): longjmp
// throws the address of (jmp_buf, value) under the tag __c_longjmp; functions that call setjmp catch it, and ask here
// whether it was one of their own calls.
__asm__(".globl __c_longjmp\n.tagtype __c_longjmp i64\n__c_longjmp:\n");

#define LONGJMP_TAG 1 // what LLVM calls it by

typedef struct {
  void *invocation; // of the function that called setjmp
  unsigned call;    // which of its calls, from 1
  struct {
    void *buffer;
    int value;
  } thrown;
} Buffer;

void __wasm_setjmp(void *buffer, unsigned call, void *invocation) {
  Buffer *b = buffer;
  b->invocation = invocation;
  b->call = call;
}
unsigned __wasm_setjmp_test(void *buffer, void *invocation) {
  Buffer *b = buffer;
  return b->invocation == invocation ? b->call : 0;
}
void __wasm_longjmp(void *buffer, int value) {
  Buffer *b = buffer;
  b->thrown.buffer = buffer;
  b->thrown.value = value == 0 ? 1 : value;
  __builtin_wasm_throw(LONGJMP_TAG, &b->thrown);
}
