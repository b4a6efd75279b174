// Exceptions that are caught, one in the handler of another, and objects that are destroyed on the way.
#include <stdexcept>
#include <stdio.h>
#include <string>
#include <vector>

struct Counted {
  int *count;
  ~Counted() { printf("destroyed %d\n", ++*count); }
};
static int total;

static void fail(int how) {
  if (how > 2) throw std::runtime_error("three");
  if (how > 0) throw how;
}
static int nested(int how) {
  int count = 0;
  {
    Counted counted{&count};
    try {
      fail(how);
    } catch (int value) {
      total += value;
      try {
        fail(3);
      } catch (std::exception &e) {
        std::string text = e.what();
        std::vector<int> more(4, value);
        total += (int)text.size();
        for (int m : more) total += m;
        printf("inner %s %d\n", text.c_str(), total);
      }
      total += 100;
    }
  }
  return count;
}

int main() {
  printf("%d\n", nested(1));
  int count = 0;
  try {
    Counted counted{&count};
    fail(5);
  } catch (const std::exception &e) {
    total += count;
    printf("outer %s %d\n", e.what(), total);
  }
  printf("%d %d\n", total, count);
}
