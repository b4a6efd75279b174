// Variables of threads, errno and exceptions. thread-locals.txt has what g++ 12's program prints (-pthread, x86-64).
#include <thread>
#include <mutex>
#include <condition_variable>
#include <vector>
#include <string>
#include <cstdio>
#include <cerrno>
#include <cstdlib>
struct Named {
  std::string name; int value;
  Named(const char* n, int v) : name(n), value(v) { printf("make %s %d\n", n, v); }
  ~Named() { printf("end %s %d\n", name.c_str(), value); }
};
int made = 0;
thread_local int plain = 7;
thread_local int zero;
static thread_local double table[4] = {1, 2, 3, 4};
thread_local Named object("object", ++made);
inline thread_local std::vector<int> list = {1, 2};
struct Holder { static thread_local long total; };
thread_local long Holder::total = 5;
Named& local() { thread_local Named inner("inner", ++made); return inner; }
int* pointers[4];
std::mutex m; std::condition_variable cv; int turn = 0;
void pass(int me) { std::unique_lock<std::mutex> l(m); turn = me; cv.notify_all(); }
void await(int me) { std::unique_lock<std::mutex> l(m); cv.wait(l, [&] { return turn == me; }); }
void work(int id) {
  await(id);
  printf("thread %d begins: errno %d plain %d zero %d table %g total %ld list %zu\n", id, errno, plain, zero, table[3],
         Holder::total, list.size());
  plain += id; zero = id; table[3] *= id; list.push_back(id); Holder::total += id; errno = 100 + id;
  pointers[id] = &plain;
  printf("object %d\n", object.value);
  printf("inner %d\n", local().value);
  try { throw id; } catch (int caught) {
    pass(id == 1 ? 2 : 3);
    await(id + 10);
    printf("thread %d caught %d, uncaught %d\n", id, caught, std::uncaught_exceptions());
    try { throw; } catch (int again) { printf("again %d\n", again); }
  }
  printf("thread %d: errno %d plain %d zero %d table %g total %ld list %zu object %d inner %d\n", id, errno, plain,
         zero, table[3], Holder::total, list.size(), object.value, local().value);
  pass(id + 20);
}
int main() {
  plain = 1000; errno = 5;
  std::thread([] { errno = 9; zero = 9; }).join();
  std::thread a(work, 1), b(work, 2);
  pass(1); await(3);
  printf("main sees %d %d, own %d, different %d\n", *pointers[1], *pointers[2], plain,
         pointers[1] != pointers[2] && pointers[1] != &plain);
  *pointers[2] = 77;
  pass(12); await(22); b.join();
  pass(11); await(21); a.join();
  printf("errno %d zero %d list %zu\n", errno, zero, list.size());
  printf("main object %d\n", object.value);
  static Named fixed("static", 99);
  atexit([] { printf("atexit\n"); });
  exit(3);
}
