// The host writes where an allocation failed.
#include <cstdio>
#include <cstdlib>
int main(int argc, char **argv) {
  size_t bytes = 3000000000u;
  float *x = (float *)malloc(bytes);
  x[argc] = 1;
  printf("%f\n", x[argc]);
}
