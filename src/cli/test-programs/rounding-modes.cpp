// <cfenv>: the functions that round to an integer follow the mode; sums do not, and fesetround says so.
#include <cfenv>
#include <cmath>
#include <cstdio>

int main() {
  const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  const double expected[4][2] = {{2, -2}, {2, -3}, {3, -2}, {2, -2}};
  int failures = 0;
  for (int i = 0; i < 4; i++) {
    if ((std::fesetround(modes[i]) == 0) != (i == 0) || std::fegetround() != modes[i]) failures++;
    for (int sign = 0; sign < 2; sign++) {
      const double x = sign ? -2.5 : 2.5;
      const double results[] = {std::nearbyint(x), std::rint((float)x), nearbyint(x),         (double)std::lrint(x),
                                rintf((float)x),   (double)llrint(x),   (double)lrintf((float)x)};
      for (double result : results) failures += result != expected[i][sign];
    }
  }
  failures += std::fesetround(12345) == 0;
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
