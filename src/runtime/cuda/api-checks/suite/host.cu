// Pairs of host code: NAME_wrong has another result on a 64-bit machine, or uses memory that is not the host's, in the line marked "// ! KIND"; NAME_right does not.
//
// The program runs those that its arguments name.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

struct Case {
  const char *name;
  void (*run)();
  Case *next;
  static Case *first;
  Case(const char *name, void (*run)()) : name(name), run(run), next(first) { first = this; }
};
Case *Case::first = nullptr;

#define PAIR(name) \
  static void name(); \
  static Case case_##name(#name, name); \
  static void name()

// Values that the compiler does not know.
static volatile int side = 50000, one = 1, none = 0;
static volatile long long large = 5000000000;
static volatile size_t sink;
static int *volatile nowhere;
template <class T> static void use(T value) { sink = sink ^ (size_t)value; }

PAIR(sum_wrong) {
  long sum = 0;
  for (int i = 0; i < 100000; i++)
    sum += i; // ! lost-bits
  printf("%ld\n", sum);
}
PAIR(sum_right) {
  long long sum = 0;
  for (int i = 0; i < 100000; i++)
    sum += i;
  printf("%lld\n", sum);
}

PAIR(shift_wrong) {
  unsigned long x = one;
  use(x << (32 * one)); // ! lost-bits
}
PAIR(shift_right) {
  unsigned long long x = one;
  use(x << (32 * one) >> 32);
}

PAIR(shifted_out_wrong) {
  size_t n = 8192 * one;
  use(n << 20); // ! lost-bits
}
PAIR(shifted_out_right) {
  size_t n = 8192 * one;
  use(n << 10);
}

PAIR(size_wrong) {
  size_t n = side;
  use(n * n * sizeof(float)); // ! lost-bits
}
PAIR(size_right) {
  size_t n = side / 10;
  use(n * n * sizeof(float));
}

PAIR(signed_size_wrong) {
  ptrdiff_t n = side;
  use(n * n); // ! lost-bits
}
PAIR(signed_size_right) {
  ptrdiff_t n = side / 10;
  use(n * n - 2 * n * n);
}

PAIR(truncated_wrong) {
  size_t n = large * sizeof(float); // ! lost-bits
  use(n);
}
PAIR(truncated_right) {
  size_t n = large / 2 * one;
  int64_t back = n;
  use(back);
}

PAIR(unsigned_to_long_wrong) {
  unsigned int x = 3000000000u * one;
  long y = x; // ! lost-bits
  use(y);
}
PAIR(unsigned_to_long_right) {
  unsigned int x = 2000000000u * one;
  long y = x;
  use(y);
}

PAIR(double_wrong) {
  double x = 5e9 * one;
  use((size_t)x); // ! lost-bits
}
PAIR(double_right) {
  double x = 4e9 * one;
  use((size_t)x);
}

PAIR(hash_wrong) {
  unsigned long hash = 5381;
  for (const char *s = "a string that is hashed"; *s; s++)
    hash = hash * 33 + (unsigned char)*s; // ! lost-bits
  use(hash);
}
PAIR(hash_right) {
  unsigned int hash = 5381;
  uint32_t other = 2166136261u;
  uint64_t wide = 14695981039346656037ull;
  for (const char *s = "a string that is hashed"; *s; s++) {
    hash = hash * 33 + (unsigned char)*s;
    other = (other ^ (unsigned char)*s) * 16777619u;
    wide = (wide ^ (unsigned char)*s) * 1099511628211ull;
    hash ^= hash << 13, hash ^= hash >> 17, hash ^= hash << 5;
  }
  use(hash + other);
  use(wide);
}

static std::vector<int> numbers(size_t count) {
  std::vector<int> v(count);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

PAIR(idioms_wrong) {
  size_t total = 0;
  for (int v : numbers(100000)) total += (size_t)v * one; // ! lost-bits
  use(total);
}
// What looks as if it lost bits, and does the same on a 64-bit machine.
PAIR(idioms_right) {
  std::vector<int> v = numbers(1000);
  for (size_t i = v.size(); i-- > 0;) use(v[i]);
  for (size_t i = 0; i < v.size(); i++) use(v[(i - 1 + v.size()) % v.size()]);
  int before = -1 * one;
  size_t at = 5;
  use(v[at + before]);
  size_t npos = std::string("abc").find('x');
  use(npos == std::string::npos ? 1 : 0);
  use(npos + 1);
  size_t not_found = -1;
  use(not_found + one);
  ptrdiff_t distance = &v[3] - &v[700];
  use(distance + 1000);
  use(SIZE_MAX);
  use(ULONG_MAX - 3);
  size_t smaller = none, larger = 7;
  long difference = (long)(smaller - larger);
  use(difference + 10);
  long negative = smaller - larger;
  use(negative);
  use((size_t)(negative + 9));
  use(-(size_t)one);
  use((one + 255 + v.size()) & ~(size_t)255);
  unsigned long mask = ~0ul;
  use(mask >> 3);
  use((mask << 4) >> 4 == mask >> 4 ? 0 : 1);
}

PAIR(library_wrong) {
  std::vector<size_t> v(3, (size_t)side * 50000);
  use(std::accumulate(v.begin(), v.end(), (size_t)0, [](size_t a, size_t b) {
    return a + b; // ! lost-bits
  }));
}
PAIR(library_right) {
  std::vector<int> v = numbers(1000);
  std::mt19937 random(42);
  std::mt19937_64 random64(42);
  std::shuffle(v.begin(), v.end(), random);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 100; i++) use(uniform(random) + normal(random64));
  std::sort(v.begin(), v.end());
  std::unordered_map<std::string, int> names;
  std::map<int, std::string> numbered;
  for (int x : v) {
    names[std::to_string(x)] = x;
    numbered[x] = std::to_string(x);
  }
  std::stringstream text;
  text << names.size() << " " << numbered.size() << " " << 1.5 << std::hash<std::string>()("text");
  srand((unsigned)time(nullptr));
  for (int i = 0; i < 100; i++) use(rand() % 10);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  use(now.tv_sec * 1000 + now.tv_nsec / 1000000);
  use(clock());
  char buffer[64];
  snprintf(buffer, sizeof buffer, "%zu %ld %s", v.size(), (long)v[5], text.str().c_str());
  use(strlen(buffer));
  use(strtoul("4294967295", nullptr, 10));
}

PAIR(null_write_wrong) {
  volatile int *p = (int *)malloc(4000000000u * one);
  for (int i = 0; i < 10; i++)
    p[i] = i; // ! null-pointer
  free((int *)p);
}
PAIR(null_write_right) {
  int *p = (int *)malloc(4000000000u * one);
  for (int i = 0; p && i < 10; i++)
    p[i] = i;
  free(p);
}

PAIR(null_read_wrong) {
  int *p = nowhere;
  use(p[one]); // ! null-pointer
}
PAIR(null_read_right) {
  int *p = (int *)calloc(2, 4);
  nowhere = p;
  use(nowhere[one]);
  nowhere = nullptr;
  free(p);
}

PAIR(device_read_wrong) {
  float *d;
  cudaMalloc(&d, 400);
  cudaMemset(d, 0, 400);
  use(d[one]); // ! device-pointer-on-host
  cudaFree(d);
}
PAIR(device_read_right) {
  float *d, h = 0;
  cudaMalloc(&d, 400);
  cudaMemset(d, 0, 400);
  cudaMemcpy(&h, d + one, sizeof h, cudaMemcpyDeviceToHost);
  use(h);
  cudaFree(d);
}

PAIR(device_write_wrong) {
  float *d;
  cudaMalloc(&d, 400);
  d[one] = 1; // ! device-pointer-on-host
  cudaFree(d);
}
PAIR(device_write_right) {
  float *d;
  cudaMallocManaged(&d, 400);
  d[one] = 1;
  cudaFree(d);
}

PAIR(device_memcpy_wrong) {
  char *d, h[400] = {};
  cudaMalloc((void **)&d, 400);
  memcpy(d, h, 400 * one); // ! device-pointer-on-host
  cudaFree(d);
}
PAIR(device_memcpy_right) {
  char *d, h[400] = {};
  cudaMallocHost((void **)&d, 400);
  memcpy(d, h, 400 * one);
  cudaFreeHost(d);
}

// Runs the pairs that its arguments name, one after the other. What error one left is not the next one's.
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    Case *c = Case::first;
    while (c && strcmp(c->name, argv[i])) c = c->next;
    if (!c) return 2;
    c->run();
    if (i + 1 < argc) cudaGetLastError();
  }
  return 0;
}
