// The host writes where an allocation failed.
#include <cstdlib>
float *x;
int main() {
  x = (float *)malloc(3000000000u);
  x[3] = 1;
}
