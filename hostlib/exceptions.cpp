// C++ exceptions for host programs: the libc++abi of the compiler's package is built without them.
//
// Implements the C++ part of the Itanium C++ ABI for exception handling ("Level II") over WebAssembly exceptions, as
// LLVM lowers them: `throw` carries the address of our header under the tag __cpp_exception; a landing pad stores its
// index and the function's LSDA in __wasm_lpad_context, calls _Unwind_CallPersonality, and reads the selector from
// there. The LSDA has the layout of the SjLj tables: call sites hold (landing pad, action) as ULEB128 pairs, indexed by
// the landing pad's number. Left out: exception specifications of C++98 (a violated one terminates), exceptions of
// other languages.
#include <exception>
#include <new>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <typeinfo>

// The tag of C++ exceptions: one parameter, the address of our header.
#ifdef __wasm64__
__asm__(".globl __cpp_exception\n.tagtype __cpp_exception i64\n__cpp_exception:\n");
#else
__asm__(".globl __cpp_exception\n.tagtype __cpp_exception i32\n__cpp_exception:\n");
#endif

extern "C" char *__cxa_demangle(const char *, char *, size_t *, int *);

namespace __cxxabiv1 {
// libc++abi's type_info classes answer whether a handler takes an exception; only this one virtual function is asked.
class __shim_type_info : public std::type_info {
public:
  virtual ~__shim_type_info();
  virtual void noop1() const;
  virtual void noop2() const;
  virtual bool can_catch(const __shim_type_info *thrown, void *&adjusted) const = 0;
};
} // namespace __cxxabiv1

namespace {
using TypeInfo = __cxxabiv1::__shim_type_info;

struct alignas(16) Header {
  const std::type_info *type;
  void *(*destructor)(void *); // destructors return `this` in the WebAssembly C++ ABI
  Header *nextCaught;
  void *adjusted;       // the object as the chosen handler sees it
  int references;
  int handlers;         // negative: rethrown and on its way
  Header *primary;      // of a dependent exception (std::rethrow_exception), else null
};

// Of the thread that runs.
Header *caught = nullptr;
unsigned uncaught = 0;


void *objectOf(Header *header) { return (header->primary ? header->primary : header) + 1; }

void release(Header *header) {
  if (--header->references > 0) return;
  if (Header *primary = header->primary) {
    free(header);
    release(primary);
    return;
  }
  if (header->destructor) header->destructor(header + 1);
  free(header);
}

uintptr_t uleb(const uint8_t *&p) {
  uintptr_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    uint8_t byte = *p++;
    value |= (uintptr_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
  }
}

intptr_t sleb(const uint8_t *&p) {
  uintptr_t value = 0;
  unsigned shift = 0;
  uint8_t byte;
  do {
    byte = *p++;
    value |= (uintptr_t)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  if ((byte & 0x40) && shift < 8 * sizeof(value)) value |= ~(uintptr_t)0 << shift;
  return (intptr_t)value;
}

constexpr uint8_t encodingOmitted = 0xff;

// Filter of the handler that takes the exception, 0 for a cleanup; sets header->adjusted.
int findHandler(Header *header, const uint8_t *lsda, uintptr_t landingPad) {
  if (!lsda) return 0;
  const uint8_t *p = lsda;
  if (*p++ != encodingOmitted) uleb(p);
  const uint8_t *types = nullptr;
  if (*p++ != encodingOmitted) {
    uintptr_t offset = uleb(p);
    types = p + offset;
  }
  p++; // encoding of the call-site table: always ULEB128 here
  uintptr_t tableBytes = uleb(p);
  const uint8_t *actions = p + tableBytes;
  for (uintptr_t i = 0; p < actions; i++) {
    uleb(p); // the landing pad, its own number
    uintptr_t action = uleb(p);
    if (i != landingPad) continue;
    if (action == 0) return 0;
    for (const uint8_t *record = actions + action - 1;;) {
      int filter = (int)sleb(record);
      if (filter > 0) {
        const TypeInfo *handler = ((const TypeInfo *const *)types)[-filter];
        void *adjusted = objectOf(header);
        if (!handler || handler->can_catch((const TypeInfo *)header->type, adjusted)) {
          header->adjusted = adjusted;
          return filter;
        }
      } else if (filter < 0) {
        header->adjusted = objectOf(header);
        return filter;
      }
      const uint8_t *next = record;
      intptr_t step = sleb(next);
      if (step == 0) return 0;
      record += step;
    }
  }
  return 0;
}

[[noreturn]] void raise(Header *header) {
  uncaught++;
  __builtin_wasm_throw(0, header);
}
} // namespace

extern "C" {
struct LandingPadContext {
  uintptr_t landingPad;
  const void *lsda;
  uintptr_t selector;
};
LandingPadContext __wasm_lpad_context;

int __gxx_wasm_personality_v0(...) { abort(); }

int __heddle_call_personality(void *exception, LandingPadContext *context) {
  int filter = findHandler((Header *)exception, (const uint8_t *)context->lsda, context->landingPad);
  context->selector = (uintptr_t)filter;
  return filter == 0 ? 8 : 6; // _URC_CONTINUE_UNWIND, _URC_HANDLER_FOUND
}
int _Unwind_CallPersonality(void *exception) { return __heddle_call_personality(exception, &__wasm_lpad_context); }

struct ExceptionState {
  void *caught;
  unsigned uncaught;
};
/// What another thread has caught takes the place of what this one has.
ExceptionState __heddle_swap_exceptions(ExceptionState next) {
  ExceptionState last = {caught, uncaught};
  caught = (Header *)next.caught;
  uncaught = next.uncaught;
  return last;
}

void *__cxa_allocate_exception(size_t bytes) throw() {
  Header *header = (Header *)aligned_alloc(16, (sizeof(Header) + bytes + 15) / 16 * 16);
  if (!header) std::terminate();
  memset((void *)header, 0, sizeof(Header) + bytes);
  return header + 1;
}
void __cxa_free_exception(void *object) throw() { free((Header *)object - 1); }

[[noreturn]] void __cxa_throw(void *object, std::type_info *type, void *(*destructor)(void *)) {
  Header *header = (Header *)object - 1;
  header->type = type;
  header->destructor = destructor;
  header->references = 1;
  raise(header);
}

void *__cxa_get_exception_ptr(void *exception) throw() { return ((Header *)exception)->adjusted; }

void *__cxa_begin_catch(void *exception) throw() {
  Header *header = (Header *)exception;
  header->handlers = header->handlers < 0 ? 1 - header->handlers : header->handlers + 1;
  if (header != caught) {
    header->nextCaught = caught;
    caught = header;
  }
  uncaught--;
  return header->adjusted;
}

void __cxa_end_catch() {
  Header *header = caught;
  if (!header) return;
  if (header->handlers < 0) {
    if (++header->handlers == 0) caught = header->nextCaught;
  } else if (--header->handlers == 0) {
    caught = header->nextCaught;
    release(header);
  }
}

[[noreturn]] void __cxa_rethrow() {
  Header *header = caught;
  if (!header) std::terminate();
  header->handlers = -header->handlers;
  raise(header);
}

std::type_info *__cxa_current_exception_type() { return caught ? (std::type_info *)caught->type : nullptr; }
bool __cxa_uncaught_exception() throw() { return uncaught != 0; }
unsigned __cxa_uncaught_exceptions() throw() { return uncaught; }

void __cxa_increment_exception_refcount(void *object) throw() {
  if (object) ((Header *)object - 1)->references++;
}
void __cxa_decrement_exception_refcount(void *object) throw() {
  if (object) release((Header *)object - 1);
}
void *__cxa_current_primary_exception() throw() {
  if (!caught) return nullptr;
  Header *header = caught->primary ? caught->primary : caught;
  header->references++;
  return header + 1;
}
void __cxa_rethrow_primary_exception(void *object) {
  if (!object) return;
  Header *primary = (Header *)object - 1;
  Header *header = (Header *)__cxa_allocate_exception(0) - 1;
  header->type = primary->type;
  header->references = 1;
  header->primary = primary;
  primary->references++;
  raise(header);
}

[[noreturn]] void __clang_call_terminate(void *exception) throw() {
  if (exception) __cxa_begin_catch(exception);
  std::terminate();
}
} // extern "C"

// The default of std::terminate: prints what was thrown, in the words of g++'s library, and aborts.
namespace {
[[noreturn]] void sayAndAbort() {
  if (const std::type_info *type = caught ? caught->type : nullptr) {
    char *name = __cxa_demangle(type->name(), nullptr, nullptr, nullptr);
    fprintf(stderr, "terminate called after throwing an instance of '%s'\n", name ? name : type->name());
    void *object = objectOf(caught);
    if (((const TypeInfo *)&typeid(std::exception))->can_catch((const TypeInfo *)type, object))
      fprintf(stderr, "  what():  %s\n", ((std::exception *)object)->what());
  } else {
    fputs("terminate called without an active exception\n", stderr);
  }
  abort();
}
struct InstallTerminate {
  InstallTerminate() { std::set_terminate(sayAndAbort); }
};
__attribute__((init_priority(101))) InstallTerminate installTerminate;
} // namespace
