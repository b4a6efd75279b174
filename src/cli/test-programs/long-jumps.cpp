// setjmp and longjmp beside destructors and exceptions: what a function goes on using is not destroyed.
#include <setjmp.h>
#include <stdio.h>
#include <map>
#include <string>
#include <vector>
#include <stdexcept>
static jmp_buf env;
static int depth;
void deep(int n) { if (n == 0) longjmp(env, 42); deep(n - 1); depth++; }
struct Guard { const char *n; ~Guard() { printf("~%s\n", n); } };
int tryit(int x) {
  jmp_buf inner;
  volatile int count = 0;
  int r = setjmp(inner);
  count = count + 1;
  if (r < 3) longjmp(inner, r + 1);
  return r * 100 + count + x;
}
int main() {
  std::map<int, std::string> m;
  for (int i = 0; i < 20; i++) m[i] = std::string(40, 'a' + i);
  Guard g{"guard"};
  int r = setjmp(env);
  if (r == 0) { printf("first\n"); deep(5); }
  else printf("back with %d, %zu %s\n", r, m.size(), m[3].c_str());
  for (int k = 0; k < 3; k++) {
    jmp_buf b;
    std::vector<int> v(10, k);
    if (setjmp(b) == 0) longjmp(b, 0); else printf("again %d %d\n", k, v[9]);
  }
  printf("%d\n", tryit(1000));
  try {
    if (setjmp(env) == 0) {
      try {
        throw std::runtime_error("x");
      } catch (std::exception &e) {
        printf("caught %s\n", e.what());
        deep(2);
      }
    } else {
      printf("jumped out of a handler\n");
      throw 7;
    }
  } catch (int i) { printf("int %d\n", i); }
  m.clear();
  printf("end %zu %d\n", m.size(), depth);
}
