// The C and C++ library of 64-bit programs: what must be the same as in 32-bit ones is printed, the rest is asserted.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#ifdef __wasm64__
static_assert(sizeof(long) == 8 && sizeof(size_t) == 8 && sizeof(time_t) == 8 && sizeof(void *) == 8, "LP64");
static_assert(std::is_same<int64_t, long>::value && std::is_same<uint64_t, unsigned long>::value, "as on Linux");
#endif

struct Base {
  virtual ~Base() {}
  virtual const char *name() const { return "base"; }
};
struct Derived : Base {
  const char *name() const override { return "derived"; }
};

int main(int argc, char **argv) {
  std::vector<long long> v;
  for (int i = 0; i < 10; i++) v.push_back((1LL << 40) * (10 - i));
  std::sort(v.begin(), v.end());
  std::cout << v[0] << " " << std::setprecision(12) << 3.14159265358979 << " " << std::hex << 255 << std::dec << "\n";
  std::map<std::string, int> map{{"b", 2}, {"a", 1}};
  for (auto &[key, value] : map) std::cout << key << value << "\n";
  std::unordered_map<std::string, int> hashed{{"x", 1}};
  std::cout << hashed.at("x") << hashed.count("y") << "\n";

  try {
    throw std::runtime_error("thrown");
  } catch (const std::exception &error) {
    printf("%s\n", error.what());
  }
  try {
    v.at(1000);
  } catch (const std::out_of_range &) {
    puts("out of range");
  }
  try {
    std::string("abc").substr(5);
  } catch (const std::out_of_range &) {
    puts("thrown by the library");
  }
  Base *base = new Derived;
  printf("%s %d\n", base->name(), dynamic_cast<Derived *>(base) != nullptr);
  delete base;

  std::ofstream("lp64-test.txt") << "text " << 42;
  std::ifstream in("lp64-test.txt");
  std::string word;
  int number;
  in >> word >> number;
  FILE *file = fopen("lp64-test.txt", "rb");
  fseek(file, 0, SEEK_END);
  printf("%s %d %d\n", word.c_str(), number, (int)ftell(file));
  fclose(file);
  remove("lp64-test.txt");
  printf("%d\n", fopen("lp64-test.txt", "r") == nullptr);

  printf("%.15g %.15g %.15g %.15g\n", sin(1.0), exp(2.5), pow(2.0, 0.5), fmod(10.5, 3.0));
  printf("%.20Lf %Lg %Le\n", 1.0L / 3, 1e300L * 1e10L, powl(2.0L, 0.5L));
  long double parsed = strtold("0.1", nullptr);
  printf("%.25Lf %d %.17g\n", parsed, parsed == 0.1L, strtod("1e-310", nullptr));
  std::complex<double> z(1, 2), w = z * z / std::complex<double>(0.5, -1);
  printf("%g %g %g\n", w.real(), w.imag(), std::abs(z));
  unsigned __int128 wide = (unsigned __int128)1 << 100;
  printf("%llx %llu\n", (unsigned long long)(wide / 12345), (unsigned long long)(wide % 12345));
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  printf("%llu %.10f\n", (unsigned long long)random(), normal(random));

  std::mutex mutex;
  int count = 0;
  std::thread thread([&] {
    std::lock_guard<std::mutex> lock(mutex);
    count++;
  });
  thread.join();
  std::once_flag once;
  for (int i = 0; i < 3; i++) std::call_once(once, [&] { count += 10; });
  std::function<int(int)> add = [&](int x) { return x + count; };
  printf("%d\n", add(1));

  char *text = (char *)malloc(1 << 20);
  for (int i = 1; i < 200; i++) {
    text = (char *)realloc(text, (size_t)i * 10007);
    memset(text + (size_t)(i - 1) * 10007, i, 100);
  }
  printf("%d %d\n", text[0], text[(size_t)198 * 10007] & 255);
  free(text);
  void *aligned;
  printf("%d\n", posix_memalign(&aligned, 4096, 100) == 0 && (uintptr_t)aligned % 4096 == 0);
  free(aligned);
  struct tm moment = {};
  moment.tm_year = 100;
  moment.tm_mday = 29;
  moment.tm_mon = 1;
  char date[64];
  strftime(date, sizeof date, "%Y-%m-%d", &moment);
  std::stringstream stream("1 2.5 word");
  int i;
  double d;
  stream >> i >> d >> word;
  printf("%s %lld %d %g %s %s\n", date, (long long)mktime(&moment), i, d, word.c_str(), argv[argc - 1]);
  return 7;
}
