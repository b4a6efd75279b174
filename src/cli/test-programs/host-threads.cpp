// Threads that wait for one another: turns, a queue, barriers, futures, keys, mutexes. Needs --devices 2.
#include <condition_variable>
#include <cstdio>
#include <cuda_runtime.h>
#include <future>
#include <mutex>
#include <pthread.h>
#include <queue>
#include <shared_mutex>
#include <thread>
#include <vector>

static int failures = 0;
static void expect(bool holds, const char *what) {
  if (!holds) printf("%s\n", what), failures++;
}

static void turns() {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> order;
  std::vector<std::thread> threads;
  int turn = 0;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&, t] {
      cudaSetDevice(t % 2);
      for (int round = 0; round < 50; round++) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return turn % 4 == t; });
        int device = -1;
        cudaGetDevice(&device);
        expect(device == t % 2, "each thread has a current device of its own");
        order.push_back(t);
        turn++;
        changed.notify_all();
      }
    });
  for (auto &thread : threads) thread.join();
  for (int i = 0; i < 200; i++) expect(order[i] == i % 4, "threads take turns");
  int device = -1;
  cudaGetDevice(&device);
  expect(device == 0, "the main thread keeps its device");
}

static void queue() {
  std::mutex mutex;
  std::condition_variable filled;
  std::queue<int> items;
  long sum = 0;
  std::thread consumer([&] {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex);
      filled.wait(lock, [&] { return !items.empty(); });
      int item = items.front();
      items.pop();
      if (item < 0) return;
      sum += item;
    }
  });
  std::thread producer([&] {
    for (int i = 0; i <= 1000; i++) {
      if (i % 250 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::lock_guard<std::mutex> lock(mutex);
      items.push(i < 1000 ? i : -1);
      filled.notify_one();
    }
  });
  producer.join();
  consumer.join();
  expect(sum == 499500, "all items come through a queue");
}

static pthread_key_t key;
static int destroyed = 0;
static void *keeps(void *value) {
  pthread_setspecific(key, value);
  pthread_exit(pthread_getspecific(key));
}

int main() {
  turns();
  queue();

  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 3);
  int last = 0;
  auto meet = [&] {
    for (int i = 0; i < 5; i++) last += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  };
  std::thread first(meet), second(meet);
  meet();
  first.join();
  second.join();
  expect(last == 5, "one thread of each barrier is the serial one");

  std::promise<int> promise;
  std::future<int> promised = promise.get_future();
  std::thread keeper([&] { promise.set_value(7); });
  expect(promised.get() == 7, "a promise is kept");
  keeper.join();
  expect(std::async(std::launch::async, [] { return 42; }).get() == 42, "async");
  auto thrown = std::async(std::launch::async, []() -> int { throw 5; });
  try {
    thrown.get();
    expect(false, "an exception of a thread arrives");
  } catch (int value) { expect(value == 5, "an exception of a thread arrives"); }

  pthread_key_create(&key, [](void *) { destroyed++; });
  pthread_t thread;
  int value = 3;
  void *result = nullptr;
  pthread_create(&thread, nullptr, keeps, &value);
  pthread_join(thread, &result);
  expect(result == &value && destroyed == 1 && pthread_getspecific(key) == nullptr, "a key's values");

  pthread_mutex_t recursive;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &attributes);
  expect(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0, "a recursive mutex");
  bool wasFree = true;
  std::thread other([&] { wasFree = pthread_mutex_trylock(&recursive) == 0; });
  other.join();
  expect(!wasFree, "a mutex of another thread is not free");
  std::shared_mutex shared;
  shared.lock_shared();
  std::thread reader([&] { shared.lock_shared(), shared.unlock_shared(); });
  reader.join();
  shared.unlock_shared();
  std::condition_variable nobody;
  std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  expect(nobody.wait_for(lock, std::chrono::milliseconds(2)) == std::cv_status::timeout, "a wait ends by its time");
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
