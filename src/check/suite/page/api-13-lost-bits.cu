// A sum that a 64-bit long would hold.
#include <cstdio>
int main() {
  long sum = 0;
  for (int i = 0; i < 100000; i++)
    sum += i;
  printf("%ld\n", sum);
}
