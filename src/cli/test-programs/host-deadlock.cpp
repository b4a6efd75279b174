// Two threads that take two mutexes in different orders. The argument "fault": a thread that writes where nothing is.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex a, b;
static void take(std::mutex &first, std::mutex &second) {
  std::lock_guard<std::mutex> one(first);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  std::lock_guard<std::mutex> other(second);
}

int main(int count, char **) {
  if (count > 1) std::thread([] { *(volatile int *)0xfffffff0u = 7; }).join();
  std::thread first([] { take(a, b); }), second([] { take(b, a); });
  first.join();
  second.join();
  puts("not reached");
}
