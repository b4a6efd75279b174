// exit ends a program from within functions with variables: these are not destroyed, and nothing catches it.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

struct Local {
  const char *name;
  ~Local() { printf("destroyed: %s\n", name); }
};

static Local global{"global"};
static jmp_buf place;

static void handler() {
  Local own{"in a handler"};
  printf("handler\n");
}

static void deep(int left) {
  Local own{"deep"};
  std::vector<Local> many(2, Local{"one of many"});
  if (left == 0) exit(3);
  deep(left - 1);
}

int main() {
  Local own{"main"};
  static Local inside{"static"};
  atexit(handler);
  if (setjmp(place) == 0) longjmp(place, 1);
  try {
    Local thrown{"thrown over"};
    throw std::runtime_error("an exception still destroys");
  } catch (const std::exception &error) {
    printf("%s\n", error.what());
  }
  try {
    []() noexcept { deep(2); }();
  } catch (...) {
    printf("caught\n");
  }
  return 1;
}
