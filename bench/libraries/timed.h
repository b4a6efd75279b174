// What all programs of this folder share: inputs, the stopwatch, and the file with the result. A program is called with
// what to compute, and last with seconds to measure and the file of the result:
//   PROGRAM ARGUMENTS… SECONDS FILE
// It prints the milliseconds of its fastest run.
#pragma once
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// The same numbers in every program: quarters from -1 to 1.
template <class T> std::vector<T> input(size_t count, unsigned seed) {
  std::vector<T> values(count);
  unsigned state = seed * 2654435761u + 1;
  for (T &value : values) {
    state = state * 1664525u + 1013904223u;
    value = (T)((int)(state >> 24) % 9 - 4) / 4;
  }
  return values;
}

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Runs a call until it has not become 2 % faster for that long, and prints the milliseconds of its fastest run. Code
/// that a compiler replaces while it runs needs that; it ends after twenty times as long at the latest.
template <class Call> void measure(double seconds, Call call) {
  double best = 1e9, start = seconds_now(), improved = start, now = start;
  for (int runs = 0; runs < 3 || (now - improved < seconds && now - start < 20 * seconds); runs++) {
    double before = seconds_now();
    call();
    now = seconds_now();
    if (now - before < 0.98 * best) improved = now;
    if (now - before < best) best = now - before;
  }
  printf("%.6f\n", best * 1e3);
}

template <class T> void write_result(const char *file, const T *values, size_t count) {
  FILE *out = fopen(file, "wb");
  if (!out || fwrite(values, sizeof(T), count, out) != count) fprintf(stderr, "cannot write %s\n", file), exit(1);
  fclose(out);
}

/// A sparse matrix in CSR: "grid", the five points of a square grid, or "random", with entries per row.
struct Sparse {
  std::vector<int> starts, columns;
  std::vector<float> values;
};
inline Sparse sparse_matrix(bool isGrid, int size, int perRow) {
  Sparse made;
  int rows = isGrid ? size * size : size;
  unsigned state = 7;
  made.starts.push_back(0);
  for (int row = 0; row < rows; row++) {
    if (isGrid) {
      int x = row % size, y = row / size;
      for (int step : {-size, -1, 0, 1, size}) {
        if ((step == -1 && x == 0) || (step == 1 && x == size - 1)) continue;
        if ((step == -size && y == 0) || (step == size && y == size - 1)) continue;
        made.columns.push_back(row + step);
      }
    } else {
      for (int i = 0; i < perRow; i++) {
        state = state * 1664525u + 1013904223u;
        int width = rows / perRow;
        made.columns.push_back(i * width + (int)((unsigned long long)state * width >> 32));
      }
    }
    made.starts.push_back((int)made.columns.size());
  }
  made.values = input<float>(made.columns.size(), 3);
  return made;
}
