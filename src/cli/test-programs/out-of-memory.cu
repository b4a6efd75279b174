// More memory than the host program can have: allocations fail, and those that did not stay good.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

const size_t block = ((size_t)1 << 30) + 12;
// Else the compiler knows that these fail, or takes them away.
volatile size_t most = SIZE_MAX;
char *volatile kept;

int main() {
  char *all[7];
  int given = 0;
  for (int i = 0; i < 7; i++) {
    all[given] = (char *)malloc(block);
    if (!all[given]) {
      printf("malloc fails: %s\n", errno == ENOMEM ? "ENOMEM" : "no reason");
      break;
    }
    all[given][0] = all[given][block - 1] = (char)i;
    given++;
  }
  bool isGood = given >= 1;
  for (int i = 0; i < given; i++) isGood &= all[i][0] == i && all[i][block - 1] == i;
  printf("%s\n", isGood ? "all are good" : "one is not good");
  for (int i = 0; i < given; i++) free(all[i]);
  kept = (char *)malloc(block);
  printf("%s\n", kept ? "freed memory is given again" : "freed memory is lost");
  kept = (char *)malloc(most);
  if (kept) printf("malloc(SIZE_MAX) gives memory\n");
  kept = (char *)calloc(most / 4 + 2, 4);
  if (kept) printf("calloc gives memory for a product that overflows\n");
  kept = (char *)aligned_alloc(64, most / 64 * 64);
  if (kept) printf("aligned_alloc gives memory\n");
  try {
    kept = new char[most / 8 * 7];
    printf("new gives memory\n");
  } catch (const std::bad_alloc &) {
    printf("new throws bad_alloc\n");
  }
  return 0;
}
