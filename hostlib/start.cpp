// _start of a host program, in place of libc's: an exception that leaves main ends in std::terminate, as elsewhere.
#include <exception>
#include <stdlib.h>

extern "C" {
void __wasm_call_ctors();
int __main_void();

__attribute__((export_name("_start"))) void _start() {
  int status;
  try {
    __wasm_call_ctors();
    status = __main_void();
  } catch (...) {
    std::terminate();
  }
  exit(status);
}
}
