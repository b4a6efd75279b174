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

// Three arrays of each size, of the last one 3 GiB. Each size's are freed before the next.
static bool growingArraysFit() {
  for (int k = 20; k <= 30; k++) {
    char *arrays[3];
    size_t bytes = ((size_t)1 << k) + 12;
    for (char *&array : arrays) {
      array = (char *)malloc(bytes);
      if (!array) return false;
      array[0] = array[bytes - 1] = 1;
    }
    for (char *array : arrays) free(array);
  }
  return true;
}

int main() {
  printf("%s\n", growingArraysFit() ? "arrays that grow fit" : "arrays that grow do not fit");
  char *all[17];
  int given = 0;
  for (int i = 0; i < 17; i++) {
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
