// dlopen and dlsym. Nothing is loaded while a program runs: the libraries that Heddle has are there by their files'
// names, and the linker makes a table of those of their functions that the program names
// (src/frontend/clang/functions-by-name.ts). The driver's functions are in a table of their own.
#define HEDDLE_PLAIN_DRIVER
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace {
struct Function { const char *name, *library; void *address; };
/// NAME.so, also with numbers behind it; a library may have several such names.
struct Library { const char *file, *name; };
} // namespace

extern "C" {
// Those of programs that look for nothing by name.
__attribute__((weak)) const Function *__heddle_functions_by_name(void) {
  static const Function none[] = {{nullptr, nullptr, nullptr}};
  return none;
}
__attribute__((weak)) const Library *__heddle_libraries_by_name(void) {
  static const Library none[] = {{nullptr, nullptr}};
  return none;
}
}

namespace {
const Library program = {"the program", nullptr};
char message[256];
bool failed = false;

void *fail(const char *what, const char *why, const char *name = "") {
  snprintf(message, sizeof message, "%s: %s%s", what, why, name);
  failed = true;
  return nullptr;
}

/// libcuda.so and libcuda.so.1 for libcuda.so; no libcuda.so.old.
bool is_file(const char *name, const char *file) {
  size_t length = strlen(file);
  if (strncmp(name, file, length) != 0) return false;
  const char *rest = name + length;
  return *rest == 0 || (*rest == '.' && rest[1] != 0 && strspn(rest, ".0123456789") == strlen(rest));
}

void *find(const Library &library, const char *name) {
  bool isAny = &library == &program;
  for (const Function *one = __heddle_functions_by_name(); one->name; one++)
    if (strcmp(one->name, name) == 0 && (isAny || strcmp(one->library, library.name) == 0)) return one->address;
  void *function = nullptr;
  if (isAny || strcmp(library.name, "cuda") == 0) {
    CUdriverProcAddressQueryResult found;
    cuGetProcAddress(name, &function, 0, 0, &found);
  }
  return function;
}
} // namespace

extern "C" {
void *dlopen(const char *path, int) {
  if (!path) return (void *)&program;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (const Library *one = __heddle_libraries_by_name(); one->file; one++)
    if (is_file(name, one->file)) return (void *)one;
  return fail(path, access(path, F_OK) == 0 ? "programs cannot load libraries here"
                                            : "cannot open shared object file: No such file or directory");
}
int dlclose(void *) { return 0; }
void *dlsym(void *handle, const char *name) {
  bool isDefault = handle == RTLD_DEFAULT || handle == RTLD_NEXT;
  const Library &library = isDefault ? program : *(const Library *)handle;
  void *found = find(library, name);
  return found ? found : fail(library.file, "undefined symbol: ", name);
}
char *dlerror(void) {
  if (!failed) return nullptr;
  failed = false;
  return message;
}
}
